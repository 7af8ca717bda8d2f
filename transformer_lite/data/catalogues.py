"""Sentence pairs from the message catalogues that a Linux system keeps for its programs.

A program that speaks several languages looks its messages up in a catalogue, a ``.mo`` file of GNU
gettext, which holds each message with its translation.
"""

import gettext
import os
from collections.abc import Callable
from pathlib import Path

from ..vocabulary import split_words

GERMAN = Path("/usr/share/locale/de/LC_MESSAGES")
NAMES = "iso_"  # so begin catalogues of nothing but names: languages, regions, currencies
MARKS = " ,.;:!?'’\"„“«»-"


def catalogue_pairs(
    folder: str | os.PathLike = GERMAN, longest: int = 6, report: Callable[[str], None] = print
) -> dict[str, list[tuple[str, str]]]:
    """For each catalogue in a folder, by its name, its pairs of (translation, message).

    Kept are pairs of 2 to ``longest`` words on each side that consist of letters and common
    punctuation, so that what a program fills in later (``%s``) is in none. The mark of a key in a
    menu, as in *_Open*, is taken out. A translation that stands in several catalogues is kept once,
    and so is one that is the same as its message. Without such a folder there are no pairs. A
    catalogue that cannot be read is left out, and ``report`` is told its name and the reason.
    """
    pairs: dict[str, list[tuple[str, str]]] = {}
    known = set()
    for path in sorted(Path(folder).glob("*.mo")):
        if path.name.startswith(NAMES):
            continue
        try:
            found = plain_pairs(path, longest)
        except Exception as error:  # gettext raises whatever a damaged file leads it into
            report(f"{str(path)!r} is left out: {error or type(error).__name__}")
            continue
        for pair in found:
            if pair[0] not in known:
                known.add(pair[0])
                pairs.setdefault(path.stem, []).append(pair)
    return pairs


def plain_pairs(path: Path, longest: int) -> list[tuple[str, str]]:
    """The pairs of a catalogue worth keeping. Raises any error if it cannot be read."""
    pairs = [tuple(map(without_key, pair[::-1])) for pair in messages(path)]
    return [pair for pair in pairs if pair[0] != pair[1] and all(plain(s, longest) for s in pair)]


def messages(path: Path) -> list[tuple[str, str]]:
    """The messages of a catalogue, each with its translation. Plurals are left out."""
    with open(path, "rb") as file:
        catalogue = gettext.GNUTranslations(file)._catalog  # there is no public way to list it
    return [(key, text) for key, text in catalogue.items() if isinstance(key, str) and key]


def without_key(text: str) -> str:
    return text.replace("_", "") if text.count("_") == 1 else text


def plain(text: str, longest: int) -> bool:
    """Whether this is 2 to ``longest`` words of letters."""
    letters = all(letter.isalpha() or letter in MARKS for letter in text)
    return letters and 2 <= len(split_words(text)) <= longest and text == text.strip()
