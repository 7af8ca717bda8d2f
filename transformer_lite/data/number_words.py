"""Numbers in German and in English words: a language of which every right answer is known.

German writes a number below a million as one word and says the units before the tens:
*siebenundachtzig* is seven-and-eighty.
"""

GERMAN = (
    "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn "
    "sechzehn siebzehn achtzehn neunzehn"
).split()
GERMAN_TENS = "- - zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()
ENGLISH = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
ENGLISH_TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()


def german_number(n: int) -> str:
    """A number from 0 to 999,999, as German writes it: in one word."""
    word = _german(n)
    return word + "s" if word.endswith("ein") else word


def _german(n: int) -> str:
    """The word before another part of a number: *ein* and not *eins*."""
    for size, name in ((1000, "tausend"), (100, "hundert")):
        if n >= size:
            many, rest = divmod(n, size)
            return _german(many) + name + (_german(rest) if rest else "")
    if n < 20:
        return GERMAN[n]
    tens, units = divmod(n, 10)
    return (GERMAN[units] + "und" if units else "") + GERMAN_TENS[tens]


def english_number(n: int) -> str:
    """A number from 0 to 999,999 in English words."""
    if n >= 1000:
        many, rest = divmod(n, 1000)
        joined = " and " if 0 < rest < 100 else " "
        return english_number(many) + " thousand" + (joined + english_number(rest) if rest else "")
    if n >= 100:
        many, rest = divmod(n, 100)
        return ENGLISH[many] + " hundred" + (" and " + english_number(rest) if rest else "")
    if n < 20:
        return ENGLISH[n]
    tens, units = divmod(n, 10)
    return ENGLISH_TENS[tens] + ("-" + ENGLISH[units] if units else "")
