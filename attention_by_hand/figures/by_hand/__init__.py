"""Attention by hand: x -> Q = K = V -> scores -> scaled -> weights -> output, with every cell's
arithmetic written out.

Chapter 2's chain, small enough to follow with a pencil. The browser computes it, in double
precision, from the three inputs alone; they can be edited in the figure and in Python.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from traitlets import Any, Dict, Int, List, Unicode, validate

from ..kit import Control, Figure, FigureError, Table, Thumbnail, as_numbers, choice

STEPS = ["Q", "scores", "scaled", "weights", "output"]


class ByHand(Figure):
    """Self-attention with Q = K = V = x·Wᵀ + b, one cell at a time: `ByHand(x, weight, bias,
    tokens)`.

    `x` is (B, T, D), or (T, D) for one sentence; `weight` (d_k, D) and `bias` (d_k,) as `nn.Linear`
    keeps them; `tokens` the words of each sentence. `x`, `weight` and `bias` can be read, set (in
    the same shape) and observed, as
    can the cell shown: `sentence`, `step` (one of `figure.steps`), `row` and `column`. Raises
    FigureError, a ValueError, for shapes that do not fit or numbers that are not finite.
    """

    title = "Attention by hand"
    thumbnail = Thumbnail(".chain", width=860)

    x = Any().tag(sync=True)  # the vectors: (B, T, D)
    weight = Any().tag(sync=True)  # of the projection: (d_k, D)
    bias = Any().tag(sync=True)  # of the projection: (d_k,)
    original = Dict().tag(sync=True)  # x, weight and bias as they were given
    tokens = List().tag(sync=True)  # the words of each sentence, if given
    steps = List(Unicode(), STEPS).tag(sync=True)  # from x to the output
    step = choice("steps", "weights")  # whose grid the chosen cell is in
    sentence = Int(0).tag(sync=True)  # which of the batch
    row = Int(0).tag(sync=True)  # of the chosen cell
    column = Int(0).tag(sync=True)  # of the chosen cell
    last_row = Int(0).tag(sync=True)  # the last word
    last_column = Int(0).tag(sync=True)  # of this step's grid

    def __init__(
        self,
        x,
        weight,
        bias,
        tokens: Sequence | None = None,
        *,
        step: str = "weights",
        sentence: int = 0,
        row: int = 0,
        column: int = 0,
        caption: str | None = None,
    ):
        x = as_numbers("x", x, 2, 3)
        x = x if isinstance(x[0][0], list) else [x]
        weight = as_numbers("weight", weight, 2)
        bias = as_numbers("bias", bias, 1)
        if len(weight[0]) != len(x[0][0]) or len(weight) != len(bias):
            raise FigureError(
                f"x (B, T, D) is {np.shape(x)}, weight {np.shape(weight)} and bias "
                f"{np.shape(bias)}; expected weight (d_k, D) and bias (d_k,)"
            )
        tokens = [tokens] if tokens and isinstance(tokens[0], str) else list(tokens or [])
        tokens = [[str(t) for t in words] for words in tokens]
        if tokens and [len(words) for words in tokens] != [len(x[0])] * len(x):
            lengths = [len(words) for words in tokens]
            raise FigureError(
                f"tokens has {lengths} words a sentence; x has {len(x)} sentences of {len(x[0])} "
                "words"
            )
        if step not in STEPS:
            raise FigureError(f"step={step!r}: expected one of {STEPS}")
        super().__init__(
            x=x,
            weight=weight,
            bias=bias,
            original={"x": x, "weight": weight, "bias": bias},
            tokens=tokens,
            step=step,
            sentence=sentence,
            row=row,
            column=column,
            last_row=len(x[0]) - 1,
            caption=caption
            or "Press a number, and the light falls on it and on what it is made of. Next follows "
            "it along the chain. Pull a number of x, W or b sideways, and what moves is framed: "
            "one word changes one row of Q, but a row and a column of the scores. The menu shows "
            "all numbers with eight digits.",
        )

    def controls(self) -> list[Control]:
        texts = [" ".join(words) for words in self.tokens] or [
            f"sentence {i}" for i in range(len(self.x))
        ]
        wide = len(self.bias) - 1
        long = len(self.x[0]) - 1
        return [
            Control(
                "sentence", "sentence", "select", options=[t[:60] for t in texts], on_page=False
            ),
            Control("step", "step", "select", options=self.steps, on_page=False),
            Control("row", "row", max="last_row", on_page=False),
            Control(
                "column",
                "column",
                max="last_column",
                by=["step"],
                ends=[wide, long, long, long, wide],
                on_page=False,
            ),
        ]

    @validate("x", "weight", "bias")
    def _same_shape(self, proposal):
        name = proposal["trait"].name
        shape = np.shape(self.original.get(name, proposal["value"]))
        value = as_numbers(name, proposal["value"], len(shape))
        if np.shape(value) != shape:
            raise FigureError(
                f"{name} has shape {np.shape(value)}; this figure was made with {shape}"
            )
        return value

    def as_table(self) -> Table:
        x = np.array(self.x[self.sentence])
        q = x @ np.transpose(self.weight) + self.bias
        scores = q @ q.T
        scaled = scores / np.sqrt(q.shape[1])
        exps = np.exp(scaled - scaled.max(-1, keepdims=True))
        weights = exps / exps.sum(-1, keepdims=True)
        words = (self.tokens or [[""] * len(x)])[self.sentence]
        matrices = {"x": x, "Q = K = V": q, "scores": scores, "scaled": scaled, "weights": weights}
        matrices["output"] = weights @ q
        rows = [
            [f"{name}, {word or i}", *row]
            for name, matrix in matrices.items()
            for i, (word, row) in enumerate(zip(words, matrix, strict=True))
        ]
        width = max(len(row) for row in rows) - 1
        padded = [row + [""] * (width + 1 - len(row)) for row in rows]
        return Table("From x to the output, step by step", range(width), padded)
