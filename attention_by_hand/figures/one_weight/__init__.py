"""One weight: a loss, its slope, and steps downhill."""

from __future__ import annotations

from traitlets import Float, Int, Unicode

from ..kit import Control, Figure, Table, Thumbnail


class OneWeight(Figure):
    """The smallest training there is: `OneWeight(weight=-0.5, rate=0.05, steps=3)`.

    The model multiplies its input, 2, by one weight, and should give 3: the loss is (2 · weight −
    3)². Dragging the ball moves the weight, and a click is a step. `weight`, where training starts,
    `rate`, the learning rate, and `steps`, how many were taken, can be read, set and observed.

    prediction: the number of the `Prediction` that asked what a larger rate does; the reader's
    guess is drawn over the steps that each rate takes, which are shown only then.

    Raises FigureError, a ValueError, for values out of range.
    """

    title = "One weight"
    thumbnail = Thumbnail(".curve")
    constants = {"input": 2, "wanted": 3, "from": -1, "to": 4}

    weight = Float(0).tag(sync=True)  # where training starts
    rate = Float(0).tag(sync=True)  # the learning rate
    steps = Int(0).tag(sync=True)  # how many were taken
    prediction = Unicode().tag(sync=True)  # the number of the question that came before, if any

    def __init__(
        self,
        weight: float = -0.5,
        rate: float = 0.2,
        steps: int = 3,
        *,
        prediction: str = "",
        caption: str | None = None,
    ):
        super().__init__(
            weight=weight,
            rate=rate,
            steps=steps,
            prediction=prediction,
            caption=caption
            or "Drag the ball to start elsewhere, or click the curve to take a step. The curve is "
            "the loss for every weight there could be, the straight line its slope where training "
            "stands. Each step goes against the slope, by the learning rate times its size. Where "
            "the ball flies out, the picture is seen from further away; dotted: the picture as it "
            "was at first.",
        )

    def controls(self) -> list[Control]:
        return [
            Control(
                "weight",
                "weight",
                min=self.constants["from"],
                max=self.constants["to"],
                step=0.1,
                by_picture=True,
            ),
            Control("rate", "learning rate", min=0.01, max=0.3, step=0.01),
            Control("steps", "steps", max=12, by_picture=True),
        ]

    def path(self) -> list[float]:
        """The weight at first and after each step."""
        x = self.constants["input"]
        y = self.constants["wanted"]
        weights = [self.weight]
        for _ in range(self.steps):
            slope = 2 * x * (weights[-1] * x - y)
            weights.append(weights[-1] - self.rate * slope)
        return weights

    def as_table(self) -> Table:
        x = self.constants["input"]
        wanted = self.constants["wanted"]
        rows = [
            [step, weight, (weight * x - wanted) ** 2] for step, weight in enumerate(self.path())
        ]
        return Table("The weight after each step", ["weight", "loss"], rows)
