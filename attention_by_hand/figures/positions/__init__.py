"""Positions: the table of sines and cosines, one pair as the hand of a clock, and shifting as
turning.
"""

from __future__ import annotations

from traitlets import Int, List, Unicode

from ..kit import Control, Figure, FigureError, Table, Thumbnail, choice

MOST_POSITIONS = 256
MOST_NUMBERS = 512
PICTURES = ["one hand", "all hands", "the table", "two positions"]


class Positions(Figure):
    """The sinusoidal positional encoding: `Positions(d_model=64, length=64)`.

    `position`, `pair` (numbers 2·pair and 2·pair + 1 of an encoding, a sine and a cosine) and
    `shift` (from minus to plus half the length) can be read, set and observed, and so can `shows`,
    what is seen beside the large clock (one of `figure.pictures`). In the picture the table, the
    curves and the hands of the clock are dragged, and a small clock shows each pair.

    prediction: the number of the `Prediction` that asked whether the dot product is larger with the
    position 3 later or 3 before. Until the reader has guessed, the dot products are not drawn; then
    the guess is drawn over the two.

    Raises FigureError, a ValueError, for an odd `d_model` or one above 512, a length below 4 or
    above 256, and for values out of range.
    """

    title = "Positions"
    thumbnail = Thumbnail(".body", width=820)
    addressed = ("shows",)

    d_model = Int(0).tag(sync=True)  # numbers of an encoding
    length = Int(0).tag(sync=True)  # how many positions
    position = Int(0).tag(sync=True)  # the chosen one
    pair = Int(0).tag(sync=True)  # the chosen sine and cosine
    shift = Int(0).tag(sync=True)  # from the chosen position to another
    pictures = List(Unicode(), PICTURES).tag(sync=True)  # that can be seen there
    shows = choice("pictures", "one hand")  # what is seen beside the large clock
    last_position = Int(0).tag(sync=True)  # length - 1
    last_pair = Int(0).tag(sync=True)  # d_model // 2 - 1
    prediction = Unicode().tag(sync=True)  # the number of the question that came before, if any

    def __init__(
        self,
        d_model: int = 64,
        length: int = 64,
        *,
        position: int | None = None,
        pair: int | None = None,
        shift: int | None = None,
        shows: str = "one hand",
        prediction: str = "",
        caption: str | None = None,
    ):
        if d_model % 2 or not 2 <= d_model <= MOST_NUMBERS:
            raise FigureError(
                f"d_model={d_model}: positions are pairs of numbers, an even d_model up to "
                f"{MOST_NUMBERS}"
            )
        if not 4 <= length <= MOST_POSITIONS:
            raise FigureError(f"length={length}: Positions shows 4 to {MOST_POSITIONS} positions")
        if shows not in PICTURES:
            raise FigureError(f"shows={shows!r}: expected one of {PICTURES}")
        super().__init__(
            d_model=d_model,
            length=length,
            last_position=length - 1,
            last_pair=d_model // 2 - 1,
            position=length // 3 if position is None else position,
            pair=d_model // 10 if pair is None else pair,
            shift=length // 8 if shift is None else shift,
            shows=shows,
            prediction=prediction,
            caption=caption
            or "Pull the hand: with each position it goes on by the same angle. Its tip is two of "
            "a position’s numbers, a sine and a cosine, and the fast hands whirl while the slow "
            "ones hardly move. Each column of the table is a position. Press a small clock to see "
            "it large. Two positions have two hands, which are both pulled, and the curve is the "
            "dot product of the chosen position with all others.",
        )

    def controls(self) -> list[Control]:
        half = self.length // 2
        return [
            Control("position", "position", max="last_position", by_picture=True),
            Control("pair", "pair", max="last_pair", by_picture=True),
            Control("shift", "shift k", min=-half, max=half, by_picture=True),
        ]

    def as_table(self) -> Table:
        from transformer_lite.positions import sinusoidal_encoding

        encoding = sinusoidal_encoding(self.position + 1, self.d_model)[self.position]
        columns = ["sine", "cosine"]
        rows = [[f"pair {i}", *pair] for i, pair in enumerate(encoding.view(-1, 2).tolist())]
        return Table(f"The encoding of position {self.position}", columns, rows)
