"""Sentence pairs to learn from.

``TWO_SENTENCES`` is all the German of the tutorial that the book's translator begins with, spelled
as there. The grammar in ``grammar`` writes as many more as one likes, in better German;
``german_english`` is what the shipped translator learns of it. ``read_pairs`` reads your own, and
``EncodedPairs`` is what training keeps of either.
"""

import hashlib
import os
from array import array
from collections.abc import Callable, Iterable
from pathlib import Path

from ..vocabulary import Vocabulary, encode_target, split_words

TWO_SENTENCES = (
    ("ich mochte ein bier", "i want a beer ."),
    ("ich mochte ein cola", "i want a coke ."),
)

# What people write above their columns.
HEADER = set("source target src tgt german english deutsch englisch chinese de en zh".split())


def german_english() -> list[tuple[str, str]]:
    """The 6000 pairs of the shipped translator: 20 copies of the two sentences, and the grammar's
    training split.

    People forget the mark at the end when they type. Every 8th German sentence goes without, so
    that the translator does not mind.
    """
    from .grammar import splits

    pairs = [pair for pair in TWO_SENTENCES for _ in range(20)]
    for i, (source, target, _) in enumerate(splits().train[: 6000 - len(pairs)]):
        pairs.append((source.rstrip(" .?") if i % 8 == 0 else source, target))
    return pairs


def read_pairs(
    path: str | os.PathLike, report: Callable[[str], None] = print
) -> list[tuple[str, str]]:
    """Sentence pairs from a text file: one pair a line, the source, a tab, the target.

    The file is UTF-8, with or without a byte order mark; lines end in LF or CRLF. Lines that hold
    no pair are left out, and ``report`` is told how many they are and where the first ones stand.

    Raises FileNotFoundError if there is no such file, and ValueError if no line of it holds a pair,
    or if it is in another encoding.
    """
    return list(read_numbered_pairs(path, report).values())


def read_numbered_pairs(
    path: str | os.PathLike, report: Callable[[str], None] = print
) -> dict[int, tuple[str, str]]:
    """What ``read_pairs`` reads, by the number of the line."""
    if not os.fspath(path) or not Path(path).exists():
        raise FileNotFoundError(
            f"there is no file {str(path)!r}: give a text file of lines of source, tab, target"
        )
    pairs = {}
    problems = []
    strange = beyond_ascii = (
        0  # lines that are not UTF-8, and lines that are and hold more than English letters
    )
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                text = line_of_text(line, number)
            except ValueError as error:
                strange += 1
                problems.append(f"line {number} is {error}")
                continue
            beyond_ascii += not line.isascii()
            columns = [column.strip() for column in text.split("\t")]
            if number == 1 and {column.lower() for column in columns} <= HEADER:
                problems.append("line 1 is a header")
            elif len(columns) == 2 and all(columns):
                pairs[number] = (columns[0], columns[1])
            elif not any(columns):
                problems.append(f"line {number} is blank")
            elif len(columns) == 2:
                problems.append(
                    f"line {number} has an empty {'target' if columns[0] else 'source'}"
                )
            else:
                problems.append(
                    f"line {number} has {len(columns)} column{'s' * (len(columns) > 1)} instead of 2"
                )
    if (
        strange >= 3 and strange > beyond_ascii
    ):  # a whole file in another encoding, not a line gone wrong
        raise ValueError(
            f"{path} is not in UTF-8: {strange} lines are not, {problems[0]}. Save it as UTF-8, or convert it: "
            "iconv -f WINDOWS-1252 -t UTF-8 (from Windows, western Europe), iconv -f GB18030 -t UTF-8 (Chinese), "
            "iconv -f UTF-16 -t UTF-8 (where every second byte is 0)"
        )
    first = "; ".join(problems[:5]) + ("; ..." if len(problems) > 5 else "")
    if not pairs:
        raise ValueError(
            f"{path} holds no sentence pair (source, tab, target on a line): {first or 'it is empty'}"
        )
    if problems:
        report(f"{path}: {len(pairs)} pairs read, {len(problems)} lines left out: {first}")
    return pairs


def line_of_text(line: bytes, number: int) -> str:
    """A line of a UTF-8 file, counted from 1, without the mark that some editors begin with.

    Raises ValueError for another encoding.
    """
    try:
        text = line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    if "\0" in text:
        raise ValueError("not UTF-8 (UTF-16, perhaps)")
    return text


def short_pairs(pairs: Iterable[tuple[str, str]], max_length: int) -> list[tuple[str, str]]:
    """The pairs with one word to ``max_length`` words on each side: the rest shall not decide the
    vocabularies either.

    A pair that is left may still have too many tokens: pieces of words, and the target's end.
    """
    return [
        pair for pair in pairs if all(0 < len(split_words(side)) <= max_length for side in pair[:2])
    ]


class EncodedPairs:
    """Sentence pairs as ids in flat arrays, four bytes a token.

    Pairs with a side of more than ``max_length`` tokens, or of none, are left out. ``fingerprint``
    is the same for the same pairs and vocabularies. Raises ValueError if no pair is left.
    """

    def __init__(
        self,
        pairs: Iterable[tuple[str, str]],
        source: Vocabulary,
        target: Vocabulary,
        max_length: int,
    ):
        self._ids = array("i"), array("i")
        self._ends = array("q", [0]), array("q", [0])
        digest = hashlib.sha256()
        for pair in pairs:
            rows = source.encode(source.tokenize(pair[0])), encode_target(target, pair[1])
            # <eos> is an answer too
            asked = len(rows[0])
            answers = len(rows[1]) - 1
            if asked < 1 or answers < 2 or max(asked, answers) > max_length:
                continue
            digest.update(f"{pair[0]}\t{pair[1]}\t{rows}\n".encode())
            for ids, ends, row in zip(self._ids, self._ends, rows, strict=True):
                ids.extend(row)
                ends.append(len(ids))
        self.fingerprint = digest.hexdigest()[:16]
        if not len(self):
            raise ValueError(
                f"no pair to learn from is left: all have over {max_length} tokens on a side, or none"
            )

    def __len__(self) -> int:
        return len(self._ends[0]) - 1

    def source(self, i: int) -> list[int]:
        return self._row(0, i)

    def target(self, i: int) -> list[int]:
        """From ``<bos>`` to ``<eos>``."""
        return self._row(1, i)

    def n_target_tokens(self, rows: Iterable[int]) -> int:
        """How many tokens the decoder has to guess in these pairs."""
        ends = self._ends[1]
        return sum(ends[i + 1] - ends[i] - 1 for i in rows)

    def _row(self, side: int, i: int) -> list[int]:
        start, end = self._ends[side][i : i + 2]
        return self._ids[side][start:end].tolist()
