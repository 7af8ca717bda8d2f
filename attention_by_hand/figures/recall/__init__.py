"""Recall: how many letters of a row come through one vector, and how many with attention."""

from __future__ import annotations

from traitlets import Int, List, Unicode

from ...studies.recall import LETTERS, PLAYED, TRAINED, measured
from ..kit import Control, Figure, Table, Thumbnail


class Recall(Figure):
    """What `studies.recall` measured: `Recall(length=8)`. The lines are drawn up to the chosen
    length, which a drag along them changes. The reader may play too: letters are seen once and
    typed again, and a dot says how many were right.

    `length`, how many letters there are to be remembered, can be read, set and observed.
    prediction: the number of the `Prediction` that asked how many of 8 letters come through one
    vector. Until the reader has guessed, that line ends after 3 letters; then the guess is drawn
    beside it.

    Raises FigureError, a ValueError, for a length out of range.
    """

    title = "Recall"
    thumbnail = Thumbnail(".recall")
    constants = {
        "guess": 1 / len(LETTERS),
        "models": ["one vector", "attention"],
        "trained": TRAINED[-1],
        "asked": 8,
        "played": PLAYED,
        "free": 3,  # of so many letters the line of one vector is shown before the guess
    }

    lengths = List().tag(sync=True)  # how many letters there were to be remembered
    shares = List().tag(sync=True)  # of letters that came through: (models, lengths, seeds)
    examples = List().tag(sync=True)  # of each length, a row of letters and what each model wrote
    rounds = List().tag(sync=True)  # such rows for the reader to keep, some of each length
    length = Int(0).tag(sync=True)  # the chosen one
    prediction = Unicode().tag(sync=True)  # the number of the question that came before, if any

    def __init__(
        self, *, length: int | None = None, prediction: str = "", caption: str | None = None
    ):
        measurement = measured()
        super().__init__(
            lengths=measurement["lengths"],
            shares=[
                measurement[model] for model in self.constants["models"]
            ],  # (models, lengths, seeds)
            examples=measurement["examples"],
            rounds=measurement["rounds"],
            length=TRAINED[-1] if length is None else length,
            prediction=prediction,
            caption=caption
            or "Keep some letters yourself, then drag sideways for more or fewer. The share of "
            "letters that are written again in their place: you see each of your own once. A "
            "small dot is one model, trained from one seed, and a line is the mean of the five. "
            "Below stands one row of letters with what two of the models made of it, "
            "wrong letters struck through.",
        )

    def controls(self) -> list[Control]:
        return [
            Control("length", "letters", min=self.lengths[0], max=self.lengths[-1], by_picture=True)
        ]

    def as_table(self) -> Table:
        means = [[sum(tries) / len(tries) for tries in shares] for shares in self.shares]
        rows = [[length, *shares] for length, *shares in zip(self.lengths, *means, strict=True)]
        return Table("The share of letters written right", self.constants["models"], rows)
