"""Question: one word asks three others, and the reader's hand turns what it asks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from traitlets import Float, Int, List

from ..kit import Control, Figure, FigureError, Table, Thumbnail
from ..kit.figure import as_numbers


class Question(Figure):
    """Attention with two numbers a word: `Question(question=(1, 1))`.

    The question is an arrow with a handle. How far each key reaches along it, times its length, is
    the score of that key; the shares are drawn as threads, and the mixture as a dot between the
    values. Keys and values can be pulled too, each on its own. `across` and `up`, the two numbers
    of the question, `word_keys` and `word_values` can be read, set and observed.

    words: their names, two or more; the last one asks. keys: (words, 2), from −2 to 2, as the
    question; values: (words, 2), from −1.5 to 1.5, the keys unless given. wanted: the index of the
    word whose value would have been the best answer, towards which a step of learning pushes the
    scores (chapter 2, "Who tells a word whom to ask?").

    Raises FigureError, a ValueError, for other shapes and numbers out of range.
    """

    title = "The question"
    thumbnail = Thumbnail(".pictures", width=700)
    constants = {"reach": 2.0, "room": 1.5, "step": 0.05, "rate": 1.0}

    words = List().tag(sync=True)  # their names; the last one asks
    word_keys = List().tag(sync=True)  # two numbers each; `keys` is ipywidgets' own
    word_values = List().tag(sync=True)  # two numbers each, what is mixed
    across = Float(0).tag(sync=True)  # the first number of the question
    up = Float(0).tag(sync=True)  # its second
    wanted = Int(0).tag(sync=True)  # the word whose value would have been the best answer

    def __init__(
        self,
        question: Sequence[float] = (1, 1),
        *,
        words: Sequence[str] = ("the", "red", "door"),
        keys=((1, -1), (0, 1), (1, 1)),
        values=None,
        wanted: int = 1,
        caption: str | None = None,
    ):
        if len(words) < 2:
            raise FigureError(f"{len(words)} words; expected two or more, of which the last asks")
        if not 0 <= wanted < len(words):
            raise FigureError(f"wanted={wanted} is out of range: 0 to {len(words) - 1} here")
        reach, room = self.constants["reach"], self.constants["room"]
        across, up = self._points("question", [question], 1, reach)[0]
        values = self._points("values", keys if values is None else values, len(words), room)
        super().__init__(
            words=[str(word) for word in words],
            word_keys=self._points("keys", keys, len(words), reach),
            word_values=values,
            across=across,
            up=up,
            wanted=wanted,
            caption=caption
            or "Pull the round handle: it is the question. A key's score is how far it reaches "
            "along the question, times the question's length. Pull the keys and the values too, "
            "and see which of the three pictures follows.",
        )

    def _points(self, name: str, points, count: int, reach: float) -> list[list[float]]:
        points = as_numbers(name, points, 2)
        if len(points) != count or len(points[0]) != 2:
            raise FigureError(
                f"{name} has shape {np.shape(points)}; expected ({count}, 2), two numbers each"
            )
        if np.abs(points).max() > reach:
            raise FigureError(f"{name} goes to {np.abs(points).max()}; expected at most {reach}")
        return points

    def controls(self) -> list[Control]:
        reach, step = self.constants["reach"], self.constants["step"]
        return [
            Control(
                "across", "question, across", min=-reach, max=reach, step=step, by_picture=True
            ),
            Control("up", "question, up", min=-reach, max=reach, step=step, by_picture=True),
        ]

    def answer(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The scores (words,), the shares (words,) and the mixture (2,)."""
        scores = np.array(self.word_keys) @ [self.across, self.up]
        powers = np.exp(scores)
        shares = powers / powers.sum()
        return scores, shares, shares @ np.array(self.word_values)

    def as_table(self) -> Table:
        scores, shares, _ = self.answer()
        rows = [
            [word, float(score), float(np.exp(score)), float(share)]
            for word, score, share in zip(self.words, scores, shares, strict=True)
        ]
        return Table(f"What {self.words[-1]} asks", ["score", "e to the score", "share"], rows)
