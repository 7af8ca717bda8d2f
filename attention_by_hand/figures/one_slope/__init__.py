"""One slope: what a loss tells one weight, multiplied along the way back in the reader's hand."""

from __future__ import annotations

import math

from traitlets import Int

from ..kit import Control, Figure, Table, Thumbnail


class OneSlope(Figure):
    """The smallest attention that learns: `OneSlope()`.

    Two words are read, and a query scores both: its score for a word is one weight times the number
    that the word has. The softmax makes shares of the two scores, the shares mix the two values,
    and the mixture is the score of the right one of two words, so that the loss is -ln of its
    probability. The reader multiplies the slopes from the loss back to the weight, and takes a
    step.

    `step`, how many of the five boxes are done, and `taken`, how many more steps the weight has
    taken since, can be read, set and observed.

    Raises FigureError, a ValueError, for values out of range.
    """

    title = "One slope, with a pencil"
    thumbnail = Thumbnail(".body", state="step=5")
    constants = {
        "words": ["ich", "bier"],
        "numbers": [0, 2],
        "values": [-1, 3],
        "writes": ["coke", "beer"],
        "rate": 0.1,
        "most": 60,
    }

    step = Int(0).tag(sync=True)  # how many of the five boxes are done
    taken = Int(0).tag(sync=True)  # how many steps the weight has taken after the reader's

    def __init__(self, step: int = 0, taken: int = 0):
        super().__init__(
            step=step, taken=taken, caption="What is framed is yours, from the loss down."
        )

    def controls(self) -> list[Control]:
        return [
            Control("step", "boxes done", max=5, by_picture=True),
            Control("taken", "more steps taken", max=self.constants["most"], by_picture=True),
        ]

    def way(self, weight: float = 0.0) -> list[tuple[str, float, float]]:
        """From the weight up to the loss: a part's name, its number, and the loss's slope there."""
        numbers, values = self.constants["numbers"], self.constants["values"]
        scores = [weight * number for number in numbers]
        share = 1 / (1 + math.exp(scores[0] - scores[1]))
        mixture = (1 - share) * values[0] + share * values[1]
        p = 1 / (1 + math.exp(-mixture))
        to_mixture = p - 1
        to_share = to_mixture * (values[1] - values[0])
        to_score = to_share * share * (1 - share)
        return [
            ("weight", weight, to_score * numbers[1]),
            ("score of “bier”", scores[1], to_score),
            ("share of “bier”", share, to_share),
            ("mixture", mixture, to_mixture),
            ("loss", -math.log(p), 1.0),
        ]

    def as_table(self) -> Table:
        return Table(self.title, ["number", "slope of the loss"], [*map(list, self.way())])
