"""English for each German word of the grammar, one at a time, so that a reader who knows no German
can follow a sentence. It is read off the grammar's lexicon; only the small words, which the lexicon
builds into phrases, are here.
"""

from transformer_lite.data.grammar.lexicon import (
    ADJECTIVE_ENDINGS,
    ADJECTIVES,
    ADVERBS,
    NOUNS,
    VERBS,
)

SMALL = """
ich i | du you | er he | sie she | wir we | wer who | wen whom | was what | wann when | warum why
der the | die the | das the | den the | ein a | eine a | einen a | kein no | keine no | keinen no
mein my | meine my | meinen my | nicht not | dass that | ob whether | weil because
habe have | hast have | hat has | haben have | bin am | bist are | ist is | sind are
möchte would like | möchtest would like | möchten would like | mochte would like | Zeit time
kann can | kannst can | können can | muss must | musst must | müssen must
will wants | willst want | wollen want | weiß know | weißt know | glaube think | sagt says
Abend evening | jeden every | Tag day
nach to | Hause home | in to | ins to the | Park park | Bäckerei bakery | Kino cinema
Glas glass | Tasse cup | bier beer | cola coke | auf open | zu closed | an up
"""


def glosses() -> dict[str, str]:
    """The English of every word of the grammar: ``{"Tür": "door", ...}``.

    A verb that leaves its prefix behind has the English of each verb that it may be the rest of:
    ``macht`` is "opens, closes".
    """
    meanings: dict[str, list[str]] = {}

    def add(german: str, english: str) -> None:
        if english not in meanings.setdefault(german, []):
            meanings[german].append(english)

    for verb in VERBS.values():
        if not verb.infinitive:
            continue
        base, he = verb.english[:2]
        past = verb.english[3:]
        ich, du, er, wir = verb.present
        for german, english in (
            (ich, base),
            (du, base),
            (er, he),
            (wir, base),
            (verb.infinitive, base),
        ):
            add(german, english)
        add(verb.prefix + er, he)  # at the end of a subordinate clause it is one word again
        for english in past:
            add(verb.participle, english)
    for noun in NOUNS.values():
        add(noun.german, noun.english)
    endings = {ending for cases in ADJECTIVE_ENDINGS.values() for case in cases for ending in case}
    for stem, (english, _) in ADJECTIVES.items():
        for ending in endings:
            add(stem + ending, english)
    for german, (english, _) in ADVERBS.items():
        if german and " " not in german:
            add(german, english)
    for entry in SMALL.replace("\n", "|").split("|"):
        german, _, english = entry.strip().partition(" ")
        if german:
            meanings[german] = [english]
    return {german: ", ".join(english) for german, english in meanings.items()}
