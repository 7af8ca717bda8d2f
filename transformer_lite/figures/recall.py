"""Recall: how many letters of a row come through one vector, and how many with attention."""

from __future__ import annotations

from traitlets import Int, List, Unicode

from ..data.recall import LETTERS, TRAINED, measured
from .base import Control, Figure


class Recall(Figure):
    """What `transformer_lite.data.recall` measured: `Recall(length=8)`. The lines are drawn up to
    the chosen length.

    `length`, how many letters there are to be remembered, can be read, set and observed.
    prediction: the number of the `Prediction` that asked how many of 8 letters come through one
    vector; the reader's guess is drawn into the figure.

    Raises FigureError, a ValueError, for a length out of range.
    """

    title = "Recall"
    module = "recall.js"
    constants = {
        "guess": 1 / len(LETTERS),
        "models": ["one vector", "attention"],
        "trained": TRAINED[-1],
        "asked": 8,
    }

    lengths, shares, examples = (List().tag(sync=True) for _ in range(3))
    length = Int(0).tag(sync=True)
    prediction = Unicode().tag(sync=True)

    def __init__(
        self, *, length: int | None = None, prediction: str = "", caption: str | None = None
    ):
        found = measured()
        super().__init__(
            lengths=found["lengths"],
            shares=[found[model] for model in self.constants["models"]],  # (models, lengths, seeds)
            examples=found["examples"],
            length=found["lengths"][0] if length is None else length,
            prediction=prediction,
            caption=caption
            or "The share of letters that are written again in their place. A dot is one model, trained from one seed; "
            "a line is the mean of the five. Under it, one row of letters and what two of the models made of it: wrong "
            "letters are struck through.",
        )

    def controls(self) -> list[Control]:
        return [Control("length", "letters", min=self.lengths[0], max=self.lengths[-1])]

    def picture(self, canvas) -> None:
        ax = canvas.subplots()
        shown = [i for i, length in enumerate(self.lengths) if length <= self.length]
        for model, shares in zip(self.constants["models"], self.shares, strict=True):
            means = [sum(shares[i]) / len(shares[i]) for i in shown]
            ax.plot([self.lengths[i] for i in shown], means, marker="o", label=model)
        ax.axhline(self.constants["guess"], linestyle="--", color="gray", label="guessing")
        ax.set(
            xlabel="letters",
            ylabel="share written right",
            ylim=(0, 1.05),
            xlim=(0, self.lengths[-1] + 1),
        )
        ax.legend()
