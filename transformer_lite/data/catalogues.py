"""Sentence pairs from message catalogues, as a Linux system keeps them for its programs.

A program that speaks several languages looks its messages up in a catalogue, a ``.mo`` file of GNU
gettext, which holds each message with its translation. Translators write it as a ``.po`` file.
"""

import gettext
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from ..checks import counted
from ..files import damaged_file
from ..vocabulary import split_words

GERMAN = Path("/usr/share/locale/de/LC_MESSAGES")
SUFFIXES = ".mo", ".gmo", ".po"  # of catalogues
LONGEST = 6  # words of a message, unless another number is given
NAMES = "iso_"  # so begin catalogues of nothing but names: languages, regions, currencies
MARKS = " ,.;:!?'’\"„“«»-"


def catalogue_pairs(
    folder: str | os.PathLike = GERMAN,
    longest: int = LONGEST,
    report: Callable[[str], None] = print,
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


def pairs_of_catalogues(
    paths: Sequence[str | os.PathLike],
    longest: int = LONGEST,
    report: Callable[[str], None] = print,
) -> list[tuple[str, str]]:
    """The pairs of (translation, message) of these catalogues, chosen as by ``catalogue_pairs``.

    ``report`` is told how many messages of each are left out. Raises FileNotFoundError for a file
    that is not there, and ValueError for one that is no catalogue, and if no pair is found.
    """
    pairs: dict[str, tuple[str, str]] = {}  # by the translation, which is kept once
    for path in map(Path, paths):
        if not path.is_file():
            raise FileNotFoundError(f"there is no file {str(path)!r}: give a catalogue, .po or .mo")
        with damaged_file(path, "is no catalogue that can be read"):
            total = len(messages(path))
            found = plain_pairs(path, longest)
        before = len(pairs)
        for pair in found:
            pairs.setdefault(pair[0], pair)
        left_out = total - (len(pairs) - before)
        report(
            f"{path}: {counted(len(pairs) - before, 'pair')}, {counted(left_out, 'message')} left "
            f"out that are known, are not of 2 to {longest} words, or hold more than letters and "
            "common punctuation"
        )
    if not pairs:
        raise ValueError(
            f"there is no pair to write with longest={longest}: let it be more, or give other "
            "catalogues"
        )
    return list(pairs.values())


def plain_pairs(path: Path, longest: int) -> list[tuple[str, str]]:
    """The pairs of a catalogue worth keeping. Raises any error if it cannot be read."""
    pairs = [tuple(map(without_key, pair[::-1])) for pair in messages(path)]
    return [pair for pair in pairs if pair[0] != pair[1] and all(plain(s, longest) for s in pair)]


def messages(path: Path) -> list[tuple[str, str]]:
    """The messages of a catalogue, each with its translation. Plurals are left out."""
    if path.suffix.lower() == ".po":
        return messages_as_written(path)
    with open(path, "rb") as file:
        catalogue = gettext.GNUTranslations(file)._catalog  # there is no public way to list it
    return [(key, text) for key, text in catalogue.items() if isinstance(key, str) and key]


ENTRY = re.compile(r'(msgctxt|msgid|msgid_plural|msgstr|msgstr\[\d+\])\s+"(.*)"')
ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


def messages_as_written(path: Path) -> list[tuple[str, str]]:
    """Those of a ``.po`` file. What its translator is not sure of (*fuzzy*) or no longer needs is
    left out, too. Raises ValueError for a line that is none of such a file.
    """
    content = path.read_bytes()
    charset = re.search(rb"charset=([\w-]+)", content)
    text = content.decode(charset[1].decode() if charset else "utf-8").removeprefix("\ufeff")
    entries: list[dict[str, str]] = [{}]
    part = ""  # of the entry, which may go on in the next line
    for number, line in enumerate(map(str.strip, text.split("\n")), start=1):
        found = ENTRY.fullmatch(line)
        begins = line.startswith("#") or (found and found[1] in ("msgctxt", "msgid"))
        if begins and "msgid" in entries[-1]:
            entries.append({})
        if line.startswith("#"):
            if line.startswith("#,") and "fuzzy" in line:
                entries[-1]["fuzzy"] = line
        elif found:
            part = found[1]
            entries[-1][part] = unescaped(found[2])
        elif part and len(line) > 1 and line[0] == line[-1] == '"':
            entries[-1][part] += unescaped(line[1:-1])
        elif line:
            raise ValueError(f"line {number} of it is {line!r:.60}")
    return [
        (entry["msgid"], entry["msgstr"])
        for entry in entries
        if entry.get("msgid") and entry.get("msgstr") and "fuzzy" not in entry
    ]


def unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: ESCAPED.get(found[1], found[1]), text)


def without_key(text: str) -> str:
    return text.replace("_", "") if text.count("_") == 1 else text


def plain(text: str, longest: int) -> bool:
    """Whether this is 2 to ``longest`` words of letters."""
    letters = all(letter.isalpha() or letter in MARKS for letter in text)
    return letters and 2 <= len(split_words(text)) <= longest and text == text.strip()
