"""Predict before you compute: a question that is answered in the page before the answer shows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from traitlets import Bool, Float, Int, List, Unicode

from ..kit import Control, Figure, FigureError, Table

STEPS = 100


class Prediction(Figure):
    """A question with a few answers to choose from, or with a number to guess:

    `Prediction("5.1", "What weight does the padding get?", ["0 %", "9 %", "33 %"], answer=1,
    because="e⁰ is 1.")`, `Prediction("3.1", "How large is the largest score?", low=0, high=40,
    answer=24, unit="", because="...")`.

    number: the chapter's number, a dot, the question's own; the reader's browser keeps the guess
    under it. options: two to twelve answers, of which `answer` is the index of the right one;
    without options, `low` and `high` are the ends of the scale and `answer` is the number. because:
    what is said with the answer. sizes: a number for each option, what was measured of it or what
    it says; they are drawn as bars in its row, once the guess is made.

    `guess` can be read and observed: -1, or the index of the option, or hundredths of the way from
    `low` to `high`. `class_mode`, which the page offers in projector mode, counts hands instead, in
    `hands`: one number for each option, or one for each tenth of the scale.

    Raises FigureError, a ValueError, for options, ends, sizes or an answer that do not fit.
    """

    title = "Predict first"
    constants = {"steps": STEPS}

    number = Unicode().tag(sync=True)  # the chapter's number, a dot, the question's own
    question = Unicode().tag(sync=True)  # what is asked
    because = Unicode().tag(sync=True)  # what is said with the answer
    unit = Unicode().tag(sync=True)  # what follows a number of the scale
    options = List().tag(sync=True)  # the answers to choose from; none: a scale
    hands = List().tag(sync=True)  # counted in a class, for each option or each tenth of the scale
    sizes = List().tag(sync=True)  # a number for each option, drawn as bars
    low = Float(0).tag(sync=True)  # where the scale begins
    high = Float(0).tag(sync=True)  # where the scale ends
    answer = Float(0).tag(sync=True)  # the right option's index, or the right number
    guess = Int(-1).tag(sync=True)  # an option's index, or hundredths of the scale; -1: none yet
    class_mode = Bool(False).tag(sync=True)  # whether hands are counted

    def __init__(
        self,
        number: str,
        question: str,
        options: Sequence[str] = (),
        *,
        answer: float,
        because: str,
        low: float = 0.0,
        high: float = 0.0,
        unit: str = "",
        sizes: Sequence[float] = (),
    ):
        options = [str(option) for option in options]
        sizes = [float(size) for size in sizes]
        if options and not (2 <= len(options) <= 12 and answer in range(len(options))):
            raise FigureError(
                f"expected two to twelve options and the index of the right one; got {options}, "
                f"{answer}"
            )
        if not options and not low <= answer <= high:
            raise FigureError(f"the answer lies between low and high; got {low}, {answer}, {high}")
        if low == high and not options:
            raise FigureError("a prediction needs options, or two ends of a scale: low and high")
        if sizes and (
            len(sizes) != len(options)
            or not all(0 <= size < math.inf for size in sizes)
            or not any(sizes)
        ):
            raise FigureError(
                f"sizes are one number an option, from 0 on and not all 0; got {sizes} for "
                f"{options}"
            )
        super().__init__(
            number=number,
            question=question,
            options=options,
            hands=[0] * (len(options) or 10),
            answer=answer,
            because=because,
            low=low,
            high=high,
            unit=unit,
            sizes=sizes,
            caption="Your guess stays in this browser and is sent nowhere.",
        )

    def controls(self) -> list[Control]:
        return []

    @property
    def right(self) -> str:
        """The answer as it is written."""
        return self.options[int(self.answer)] if self.options else f"{self.answer:g}{self.unit}"

    @property
    def alternative(self) -> str:
        return f"{self.title}: {self.question} The answer: {self.right}. {self.because}"

    def as_table(self) -> Table:
        """For readers without JavaScript, question and answer both stand."""
        options = [[option, ""] for option in self.options]
        return Table(self.question, [""], [*options, ["answer", self.right]])
