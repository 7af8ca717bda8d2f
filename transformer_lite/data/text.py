"""Running text to learn from: a file's paragraphs, a stretch of them held out, and the stretches
that a model reads.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

import torch

from ..training import Batch
from ..vocabulary import BOS_ID, EOS_ID, Vocabulary
from .lines import line_of_text, numbered_lines

ONE_IN = 20  # letters are held out by default,
AT_MOST = 50_000  # and never more: their loss is measured again and again


def read_paragraphs(path: str | os.PathLike, report: Callable[[str], None] = print) -> list[str]:
    """The paragraphs of a text file in UTF-8: blank lines lie between them, or, where there are
    none, each line is one.

    Raises FileNotFoundError if there is no such file, and ValueError for one that holds no text, is
    packed, or is none of text.
    """
    lines = []
    for number, line in numbered_lines(path, report):
        try:
            lines.append(" ".join(line_of_text(line, number).split()))
        except ValueError as error:
            raise ValueError(
                f"line {number} of {path} is {error}: a text file in UTF-8 is expected"
            ) from None
    while lines and not lines[-1]:
        lines.pop()
    if not any(lines):
        raise ValueError(f"{path} holds no text: it is empty")
    if all(lines):
        return lines
    return [" ".join(block) for is_text, block in groupby(lines, key=bool) if is_text]


def hold_out_end(
    paragraphs: Sequence[str], valid: int | float | None = None
) -> tuple[list[str], list[str]]:
    """Split a text into what is learnt and its end, which is only measured on.

    valid: how many letters to hold out, a whole number, or their share, below 1; unless given, one
    in 20, but at most 50,000. The cut falls between two words where there are spaces.

    Raises ValueError unless both have letters.
    """
    total = sum(map(len, paragraphs))
    if valid is None:
        valid = min(total // ONE_IN, AT_MOST)
    left = valid if isinstance(valid, int) else round(valid * total)
    if not 0 < left < total:
        raise ValueError(
            f"the text is too short for a held-out stretch: it has {total} letters, and {left} of "
            "them would be held out. Give a longer text, or another valid"
        )
    learnt, held_out = list(paragraphs), []
    while left > 0:
        last = learnt.pop()
        cut = max(0, len(last) - left)
        if " " in last:
            cut = max(0, last.rfind(" ", 0, cut))
        held_out.insert(0, last[cut:].strip())
        left -= len(last) - cut
        if cut:
            learnt.append(last[:cut])
    if not learnt:
        raise ValueError(
            "the held-out stretch would be the whole text, since there is no space before it to "
            "cut at. Give a longer text, or another valid"
        )
    return learnt, held_out


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
        if len(self) < 1:
            raise ValueError(
                f"{name} is too short: it has {len(ids)} tokens, and {length + 1} are read at "
                "once. Give a longer text, a smaller max_length or another valid"
            )

    def __len__(self) -> int:
        """How many stretches there are, one from each place where there is room for it."""
        return max(0, len(self.ids) - self.length)

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
