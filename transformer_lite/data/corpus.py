"""Sentence pairs to learn from.

``TWO_SENTENCES`` is all the German of the tutorial that the book's translator begins with, spelled
as there. The grammar in ``grammar`` writes as many more as you like, in better German;
``german_english`` is what the shipped translator learns of it. ``read_pairs`` reads your own, and
``EncodedPairs`` is what training keeps of either.
"""

import hashlib
import os
from array import array
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ..checks import counted
from ..training import Batch
from ..vocabulary import Vocabulary, encode_target, pad, split_words
from .lines import line_of_text, numbered_lines

TWO_SENTENCES = (
    ("ich mochte ein bier", "i want a beer ."),
    ("ich mochte ein cola", "i want a coke ."),
)

# What people write above their columns.
HEADER = set("source target src tgt german english deutsch englisch chinese de en zh".split())


def german_english() -> list[tuple[str, str]]:
    """The 6000 pairs of the shipped translator.

    They are 20 copies of the two sentences, and the grammar's training split.

    People forget the mark at the end when they type. Every 8th German sentence goes without, so
    that the translator does not mind.
    """
    from .grammar import splits

    pairs = [pair for pair in TWO_SENTENCES for _ in range(20)]
    for i, (source, target, _) in enumerate(splits().train[: 6000 - len(pairs)]):
        if i % 8 == 0:
            source = source.rstrip(" .?")
        pairs.append((source, target))
    return pairs


def read_pairs(
    path: str | os.PathLike, report: Callable[[str], None] = print
) -> list[tuple[str, str]]:
    """Sentence pairs from a text file: one pair per line, the source, a tab, the target.

    The file is UTF-8, with or without a byte order mark; lines end in LF or CRLF. Empty columns
    after the target do not count. Lines that hold no pair are left out, and ``report`` is told how
    many they are and where the first ones stand. Quotes are read as they stand.

    Raises FileNotFoundError if there is no such file, and ValueError if no line of it holds a pair,
    or if it is in another encoding; then it says what to do.
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
    strange = 0  # lines that are not text in UTF-8
    beyond_ascii = 0  # lines that are, and hold more than English letters
    header_may_follow = True
    for number, line in numbered_lines(path):
        try:
            text = line_of_text(line, number)
        except ValueError as error:
            strange += 1
            problems.append(f"line {number} is {error}")
            continue
        beyond_ascii += not line.isascii()
        columns = [column.strip() for column in text.split("\t")]
        while len(columns) > 2 and not columns[-1]:
            columns.pop()
        problem = problem_with(columns, header_may_follow)
        if problem:
            problems.append(f"line {number} {problem}")
        else:
            pairs[number] = (columns[0], columns[1])
        if len(columns) == 2:
            header_may_follow = False
    # A whole file in another encoding, not a line gone wrong
    if strange >= 3 and strange > beyond_ascii:
        what = "in UTF-8" if any("not UTF-8" in problem for problem in problems) else "a text"
        raise ValueError(
            f"{path} is not {what}: {strange} lines are not, {problems[0]}. Save it as text in "
            "UTF-8; what is packed, unpack first"
        )
    first = "; ".join(problems[:5]) + ("; ..." if len(problems) > 5 else "")
    if not pairs:
        raise ValueError(
            f"{path} holds no sentence pair (source, tab, target on a line): "
            f"{first or 'it is empty'}. make_pairs makes such a file of a table"
        )
    if problems:
        read = counted(len(pairs), "pair")
        left_out = counted(len(problems), "line")
        report(f"{path}: {read} read, {left_out} left out: {first}")
    return pairs


def problem_with(columns: list[str], header_may_follow: bool) -> str:
    """Why these columns of a line are not a pair; nothing if they are one.

    Only the first line of two columns can be a header; comments may stand above it.
    """
    if not any(columns):
        return "is blank"
    if header_may_follow and {column.lower() for column in columns} <= HEADER:
        return "is a header"
    if len(columns) != 2:
        return f"has {counted(len(columns), 'column')} instead of 2"
    if not all(columns):
        return f"has an empty {'target' if columns[0] else 'source'}"
    return ""


def short_pairs(pairs: Iterable[tuple[str, str]], max_length: int) -> list[tuple[str, str]]:
    """The pairs with 1 to ``max_length`` words on each side: no others shape a vocabulary.

    A pair that is left may still have too many tokens: pieces of words, and the target's end.
    """
    return [
        pair for pair in pairs if all(0 < len(split_words(side)) <= max_length for side in pair[:2])
    ]


def encode_pair(
    pair: tuple[str, str], source: Vocabulary, target: Vocabulary, max_length: int
) -> tuple[list[int], list[int]] | None:
    """The ids of a pair; None where a side has more than ``max_length`` tokens, or none."""
    asked = source.encode(source.tokenize(pair[0]))
    answers = encode_target(target, pair[1])
    n_answers = len(answers) - 1  # <eos> is an answer too
    if len(asked) < 1 or n_answers < 2 or max(len(asked), n_answers) > max_length:
        return None
    return asked, answers


class EncodedPairs:
    """Sentence pairs as ids in flat arrays, four bytes per token.

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
            rows = encode_pair(pair, source, target, max_length)
            if rows is None:
                continue
            digest.update(f"{pair[0]}\t{pair[1]}\t{rows}\n".encode())
            for ids, ends, row in zip(self._ids, self._ends, rows, strict=True):
                ids.extend(row)
                ends.append(len(ids))
        self.fingerprint = digest.hexdigest()[:16]
        if not len(self):
            raise ValueError(
                "no pair to learn from is left: "
                f"all have over {max_length} tokens on a side, or none"
            )

    def __len__(self) -> int:
        return len(self._ends[0]) - 1

    def __str__(self) -> str:
        return f"{counted(len(self), 'pair')}, fingerprint {self.fingerprint}"

    def source(self, i: int) -> list[int]:
        return self._row(0, i)

    def target(self, i: int) -> list[int]:
        """From ``<bos>`` to ``<eos>``."""
        return self._row(1, i)

    def batch(self, rows: Sequence[int], weight: float = 1.0) -> Batch:
        """These pairs side by side."""
        source = pad([self.source(i) for i in rows])
        target = pad([self.target(i) for i in rows])
        return Batch(source, target, weight)

    def n_target_tokens(self, rows: Iterable[int]) -> int:
        """How many tokens the decoder has to guess in these pairs."""
        ends = self._ends[1]
        return sum(ends[i + 1] - ends[i] - 1 for i in rows)

    def _row(self, side: int, i: int) -> list[int]:
        start, end = self._ends[side][i : i + 2]
        return self._ids[side][start:end].tolist()
