"""The field in which an exercise is answered on the website, with the hints of its check."""

from __future__ import annotations

from collections.abc import Sequence

from traitlets import Dict, Unicode

from ..kit import Control, Figure, FigureError, Table

ASKED = "right", "mistakes", "otherwise", "asks", "within", "nearly", "options"


class Answer(Figure):
    """A field for each number that an exercise asks for, or its options: `Answer("3.1",
    right=[2.5], mistakes=[([6.25], "6.25 is the variance.")], otherwise=["Begin with one
    product."])`.

    number: the exercise's. The rest says what is right and which hint an answer gets, as in
    `attention_by_hand.exercises.sheet.Sheet`, whose fields it takes: `Answer("3.1",
    **vars(SHEETS["3.1"]))`.

    Raises FigureError, a ValueError, where there are not as many names and hints as numbers.
    """

    title = "Your answer"
    number = Unicode().tag(sync=True)  # the exercise's
    sheet = Dict().tag(sync=True)  # what is right, and its hints

    def __init__(
        self,
        number: str,
        *,
        right: Sequence[float],
        mistakes: Sequence[tuple[Sequence[float | None], str]],
        otherwise: Sequence[str],
        asks: Sequence[str] = ("your answer",),
        within: float = 1e-9,
        nearly: tuple[float, str] | None = None,
        options: Sequence[str] = (),
    ):
        patterns = [pattern for pattern, _ in mistakes]
        if any(len(part) != len(right) for part in (asks, otherwise, *patterns)):
            raise FigureError(
                f"exercise {number} asks for {len(right)} numbers; it needs as many names, hints "
                f"and entries of each mistake: {asks}, {otherwise}, {patterns}"
            )
        sheet = {
            "right": [float(value) for value in right],
            "mistakes": [[list(pattern), hint] for pattern, hint in mistakes],
            "otherwise": list(otherwise),
            "asks": list(asks),
            "within": within,
            "nearly": nearly and list(nearly),
            "options": list(options),
        }
        super().__init__(number=number, sheet=sheet)

    def controls(self) -> list[Control]:
        return []

    @property
    def alternative(self) -> str:
        return f"Exercise {self.number} is answered here with JavaScript, else in the notebook."

    def as_table(self) -> Table:
        """What is asked for: the solution follows in the page."""
        asks = self.sheet["options"] or self.sheet["asks"]
        return Table(f"Exercise {self.number}", [""], [[ask, ""] for ask in asks])
