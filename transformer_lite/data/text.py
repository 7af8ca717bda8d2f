"""Running text to learn from: a file's paragraphs, a stretch of them held out, and the stretches
that a model reads.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import torch

from ..checks import counted, number_of
from ..training import Batch
from ..vocabulary import BOS_ID, EOS_ID, Vocabulary
from .lines import line_of_text, numbered_lines

ONE_IN = 20  # letters are held out by default,
AT_MOST = 50_000  # and never more: their loss is measured again and again
MOST_LETTERS = 1_000_000  # in a paragraph
NEAR = 50  # letters that the cut moves to fall between two words, or a tenth of what is held out


def read_paragraphs(path: str | os.PathLike) -> list[str]:
    """The paragraphs of a text file in UTF-8: blank lines lie between them, or, where there are
    none, each line is one. One of more than a million letters is cut into several, at a space.

    Raises FileNotFoundError if there is no such file, and ValueError for one that holds no text, or
    is none of text.
    """
    lines = []
    for number, line in numbered_lines(path):
        try:
            lines.append(" ".join(line_of_text(line, number).split()))
        except ValueError as error:
            raise ValueError(
                f"line {number} of {path} is {error}: a text file in UTF-8 is expected, and no "
                "packed one"
            ) from None
    while lines and not lines[-1]:
        lines.pop()
    if not any(lines):
        raise ValueError(f"{path} holds no text: it is empty")
    paragraphs = lines
    if not all(lines):
        paragraphs = [" ".join(block) for is_text, block in groupby(lines, key=bool) if is_text]
    return [piece for paragraph in paragraphs for piece in pieces_of(paragraph)]


def pieces_of(paragraph: str) -> Iterator[str]:
    """A paragraph, or the pieces of one that is too long for a tokenizer to read at once."""
    while len(paragraph) > MOST_LETTERS:
        cut = near_cut(paragraph, MOST_LETTERS, NEAR)
        yield paragraph[:cut].rstrip()
        paragraph = paragraph[cut:].lstrip()
    if paragraph:
        yield paragraph


def hold_out_end(
    paragraphs: Sequence[str], valid: int | float | None = None
) -> tuple[list[str], list[str]]:
    """Split a text into what is learnt and its end, which is only measured on.

    valid: how many letters to hold out, a whole number, or their share, below 1; unless given, one
    in 20, but at most 50,000. The cut falls between two words or two paragraphs that are near.

    Raises ValueError unless both have letters.
    """
    paragraphs = [paragraph.strip() for paragraph in paragraphs if paragraph.strip()]
    total = sum(map(len, paragraphs))
    held_out = min(total // ONE_IN, AT_MOST) if valid is None else number_of(valid, total)
    if not 0 < held_out < total:
        raise ValueError(
            f"the text is too short for a held-out stretch: it has {total} letters, and {held_out} "
            "of them would be held out. Give a longer text, or another valid"
        )
    place = total - held_out
    number = 0  # of the paragraph in which the cut falls
    while place > len(paragraphs[number]):
        place -= len(paragraphs[number])
        number += 1
    before, within, after = paragraphs[:number], paragraphs[number], paragraphs[number + 1 :]
    ends = [0] * bool(before) + [len(within)] * bool(after)
    cut = near_cut(within, place, max(NEAR, held_out // 10), ends)
    learnt = [*before, within[:cut].strip()] if cut else before
    aside = [within[cut:].strip(), *after] if within[cut:] else after
    return learnt, aside


def near_cut(text: str, place: int, near: int, ends: Sequence[int] = ()) -> int:
    """Where to cut a text close to a place: at the nearest space, or else at one of ``ends``, if
    these are at most ``near`` letters away; else there.
    """
    window = range(max(0, place - near), min(len(text), place + near + 1))
    spaces = [at for at in window if text[at].isspace()]
    found = spaces or [end for end in ends if abs(end - place) <= near]
    return min(found, key=lambda at: abs(at - place), default=place)


class EncodedText:
    """A text as ids in one row, each paragraph from ``<bos>`` to ``<eos>``, and its stretches of
    ``length`` tokens, which begin anywhere. ``fingerprint`` is the same for the same text and
    vocabulary.

    name: what it is called if it is shorter than one stretch, which is a ValueError.
    """

    def __init__(
        self,
        paragraphs: Iterable[str],
        vocabulary: Vocabulary,
        length: int,
        name: str = "the text",
    ):
        ids = []
        for paragraph in paragraphs:
            ids += [BOS_ID, *vocabulary.encode(vocabulary.tokenize(paragraph)), EOS_ID]
        self.ids = torch.tensor(ids, dtype=torch.int32)
        self.length = length
        self.fingerprint = hashlib.sha256(self.ids.numpy().tobytes()).hexdigest()[:16]
        if ids == [BOS_ID, EOS_ID] * (len(ids) // 2):
            raise ValueError(f"{name} has nothing that can be read: no letter, and no other sign")
        if len(self) < 1:
            raise ValueError(
                f"{name} is too short: it has {len(ids)} tokens, and {length + 1} are read at "
                "once. Give a longer text, a smaller max_length or another valid"
            )

    def __len__(self) -> int:
        """How many stretches there are, one from each place where there is room for it."""
        return max(0, len(self.ids) - self.length)

    def __str__(self) -> str:
        return f"{counted(len(self.ids), 'token')}, fingerprint {self.fingerprint}"

    def batch(self, places: Sequence[int], weight: float = 1.0) -> Batch:
        """The stretches from these places on, each with the token that comes after it."""
        rows = [self.ids[place : place + self.length + 1] for place in places]
        return Batch(None, torch.stack(rows).long(), weight)


def longest_shared(written: str, text: str) -> str:
    """The longest run of words in ``written`` that stands in ``text`` too, word for word: how much
    of it may have been learnt by heart.
    """
    words = written.split()
    text = f" {' '.join(text.split())} "
    best, start = [], 0
    for end in range(1, len(words) + 1):
        while f" {' '.join(words[start:end])} " not in text and start < end:
            start += 1
        if end - start > len(best):
            best = words[start:end]
    return " ".join(best)
