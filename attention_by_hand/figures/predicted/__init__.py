"""What the reader predicted in a chapter, or in all of them, beside the answers."""

from traitlets import Unicode

from ..kit import Control, Figure, Table


class Predictions(Figure):
    """What the reader predicted in a chapter, beside the answers: `Predictions("5")`, at its end;
    or in all of them: `Predictions()`.

    It reads what `Prediction` has kept in this browser, and can erase it.
    """

    title = "Your predictions"

    chapter = Unicode().tag(sync=True)  # its number; empty: all chapters

    def __init__(self, chapter: str = ""):
        super().__init__(
            chapter=str(chapter),
            caption="They are kept in this browser only, until you erase them.",
        )

    def controls(self) -> list[Control]:
        return []

    def as_table(self) -> Table:
        return Table("With JavaScript, your predictions are listed here.", [], [])
