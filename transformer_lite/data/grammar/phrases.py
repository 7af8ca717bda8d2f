"""Parts of a sentence, the same in both languages, with links between their words."""

from functools import cache
from typing import NamedTuple

from .lexicon import (
    ADJECTIVE_ENDINGS,
    ADJECTIVES,
    DER,
    DU,
    EIN,
    ER,
    ICH,
    NOMINATIVE,
    NOUNS,
    WIR,
    Noun,
)


class Phrase(NamedTuple):
    """The same part of a sentence in both languages; words carry links, as in ``Buch:o``."""

    german: str = ""
    english: str = ""
    noun: str = ""
    article: str = ""
    person: int = ER


def linked(words: str, *links: str) -> str:
    """Each word gets its links, and the last of them serve all that follow: ``look:v for:v``."""
    return " ".join(
        f"{word}:{links[min(i, len(links) - 1)]}" for i, word in enumerate(words.split())
    )


def noun_phrase(article: str, adjective: str, noun: Noun, case: int, links: str) -> Phrase:
    """An article, an adjective (a stem, or "") and a noun; ``links`` has a letter for each."""
    a, b, c = links
    german = f"{noun.german}:{c}"
    english = f"{noun.english}:{c}"
    if adjective:
        pattern = "-"
        if article == "der":
            pattern = "der"
        elif article.endswith("ein"):
            pattern = "ein"
        german = f"{adjective}{ADJECTIVE_ENDINGS[pattern][case][noun.gender]}:{b} {german}"
        english = f"{ADJECTIVES[adjective][0]}:{b} {english}"
    an = "an" if english[0] in "aeiou" else "a"
    no = "any:n" if "-" in noun.articles else f"{an}:n"
    ein = EIN[case][noun.gender]
    german_article, english_article = {
        "-": ("", ""),
        "der": (f"{DER[case][noun.gender]}:{a}", f"the:{a}"),
        "ein": (f"{ein}:{a}", f"{an}:{a}"),
        "mein": (f"m{ein}:{a}", f"my:{a}"),
        "kein": (f"k{ein}:n", no),
        "Glas": (f"ein:{a} Glas:g", f"a:{a} glass:g of:g"),
        "Tasse": (f"eine:{a} Tasse:g", f"a:{a} cup:g of:g"),
    }[article]
    return Phrase(
        f"{german_article} {german}", f"{english_article} {english}", noun.german, article
    )


@cache
def adjectives_of(noun: str) -> list[str]:
    return [stem for stem, (_, nouns) in ADJECTIVES.items() if noun in nouns]


def people(article: str, names: str, plain: bool = True) -> list[Phrase]:
    """Subjects: with each adjective that suits them, and if ``plain`` also without one."""
    return [
        noun_phrase(article, adjective, NOUNS[name], NOMINATIVE, "DAS")
        for name in names.split()
        for adjective in (["", *adjectives_of(name)] if plain else adjectives_of(name))
    ]


# In groups that are drawn equally often
SUBJECTS = [
    [Phrase("ich:S", "i:S", person=ICH)],
    [Phrase("du:S", "you:S", person=DU)],
    [Phrase("er:S", "he:S"), Phrase("sie:S", "she:S")],
    [Phrase("wir:S", "we:S", person=WIR)],
    [
        *people("der", "Mann Frau Kind Lehrer"),
        *people("mein", "Mutter Bruder Schwester"),
        *people("ein", "Mann Frau Kind Freund", plain=False),
    ],
]
PLACES = [
    Phrase("nach:p Hause:p", "home:p", article="place"),
    Phrase("in:p den:q Park:r", "to:p the:q park:r", article="place"),
    Phrase("in:p die:q Bäckerei:r", "to:p the:q bakery:r", article="place"),
    Phrase("ins:pq Kino:r", "to:p the:q cinema:r", article="place"),
]
