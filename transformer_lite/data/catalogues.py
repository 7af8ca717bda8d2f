"""Sentence pairs from the message catalogues that a Linux system keeps for its programs.

A program that speaks several languages looks its messages up in a catalogue, a ``.mo`` file of GNU
gettext, which holds each message with its translation.
"""

import gettext
import os
import struct
from pathlib import Path

from ..vocabulary import split_words

GERMAN = Path("/usr/share/locale/de/LC_MESSAGES")
NAMES = "iso_"  # so begin catalogues of nothing but names: languages, regions, currencies
MARKS = " ,.;:!?'’\"„“«»-"


def catalogue_pairs(
    folder: str | os.PathLike = GERMAN, longest: int = 6
) -> dict[str, list[tuple[str, str]]]:
    """For each catalogue in a folder, by its name, its pairs of (translation, message).

    Kept are pairs of 2 to ``longest`` words on each side that consist of letters and common
    punctuation, so that what a program fills in later (``%s``) is in none. The mark of a key in a
    menu, as in *_Open*, is taken out. A translation that stands in several catalogues is kept once,
    and so is one that is the same as its message. Without such a folder there are no pairs.
    """
    pairs: dict[str, list[tuple[str, str]]] = {}
    known = set()
    for path in sorted(Path(folder).glob("*.mo")):
        if path.name.startswith(NAMES):
            continue
        for message, translation in messages(path):
            pair = (without_key(translation), without_key(message))
            if pair[0] in known or pair[0] == pair[1] or not all(plain(s, longest) for s in pair):
                continue
            known.add(pair[0])
            pairs.setdefault(path.stem, []).append(pair)
    return pairs


def messages(path: Path) -> list[tuple[str, str]]:
    """The messages of a catalogue, each with its translation; none if it cannot be read. Plurals
    are left out.
    """
    try:
        with open(path, "rb") as file:
            catalogue = gettext.GNUTranslations(file)._catalog  # there is no public way to list it
    except (OSError, UnicodeDecodeError, struct.error):
        return []
    return [(key, text) for key, text in catalogue.items() if isinstance(key, str) and key]


def without_key(text: str) -> str:
    return text.replace("_", "") if text.count("_") == 1 else text


def plain(text: str, longest: int) -> bool:
    """Whether this is 2 to ``longest`` words of letters."""
    letters = all(letter.isalpha() or letter in MARKS for letter in text)
    return letters and 2 <= len(split_words(text)) <= longest and text == text.strip()
