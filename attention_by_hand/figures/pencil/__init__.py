"""Pencil: one weight of a trained model, from its products to its share, in the reader's hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from traitlets import Int, List, Unicode

from ..kit import Control, Figure, FigureError, Table, Thumbnail
from ..kit.figure import as_numbers

STEPS = ["products", "sum", "score", "powers", "share"]


class Pencil(Figure):
    """The row of one query, to be computed: `Pencil(q, keys, german, asks="not", writes="close")`.

    query (d_k,) and keys (words, d_k) are rounded to two digits. The reader fills in two of the
    products with the best key, the sum, the score, the powers of the three best scores and the
    share of the best. A number is judged when its box is left, and a wrong one is answered with the
    slip that gives it. With each right line the thread grows from the best word to the written one.

    words: (words,), what was read. asks: the word that asks. writes: the word that is written.
    `step`, how many of the five steps are done, can be read, set and observed.

    Raises FigureError, a ValueError, for shapes that do not fit, fewer than four words and a step
    out of range.
    """

    title = "The thread, with a pencil"
    thumbnail = Thumbnail(".body", state="step=4")

    words = List().tag(sync=True)  # what was read
    asks = Unicode().tag(sync=True)  # the word that asks
    writes = Unicode().tag(sync=True)  # the word that is written
    query = List().tag(sync=True)  # its numbers, with two digits
    best_key = List().tag(sync=True)  # the numbers of the best key, with two digits
    scores = List().tag(sync=True)  # of all words, with two digits
    step = Int(0).tag(sync=True)  # how many of the five are done

    def __init__(self, query, keys, words: Sequence[str], *, asks: str, writes: str, step: int = 0):
        query = np.round(as_numbers("query", query, 1), 2)
        keys = np.round(as_numbers("keys", keys, 2), 2)
        if len(words) < 4:
            raise FigureError(f"{len(words)} words; expected four or more")
        if keys.shape != (len(words), len(query)):
            raise FigureError(
                f"keys has shape {keys.shape}; expected ({len(words)}, {len(query)}), a row for "
                "each word, as long as the query"
            )
        scores = keys @ query / np.sqrt(len(query))
        super().__init__(
            words=[str(word) for word in words],
            asks=asks,
            writes=writes,
            query=query.tolist(),
            best_key=keys[scores.argmax()].tolist(),
            scores=np.round(scores, 2).tolist(),
            step=step,
            caption="What is framed is yours: any calculator will do, or a pencil.",
        )

    def controls(self) -> list[Control]:
        return [Control("step", "steps done", max=len(STEPS), by_picture=True)]

    def as_table(self) -> Table:
        products = np.multiply(self.query, self.best_key).tolist()
        rows = [
            [place, *numbers]
            for place, numbers in enumerate(zip(self.query, self.best_key, products, strict=True))
        ]
        return Table(self.title, ["query", "key", "product"], rows)
