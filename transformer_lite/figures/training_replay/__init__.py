"""Training replay: what one attention map looked like after every epoch, beside the loss."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real

import numpy as np
from traitlets import Bytes, Dict, Int, List

from ..kit import Control, Figure, FigureError, Table, as_numbers


class TrainingReplay(Figure):
    """One or more runs, epoch by epoch: `TrainingReplay({"my run": history}, rows=target_words,
    columns=source_words)`.

    `history` has one `(loss, maps)` for each epoch, with maps (n_heads, T_q, T_k), rows summing to
    1. `rows` and `columns` are the words of queries and keys. `levels` names losses to mark,
    `{"guessing": 2.2}`. `epoch` and `head` can be read, set and observed.

    Raises FigureError, a ValueError, for runs that are empty or of different shapes, for losses or
    levels that are not positive numbers, for weights outside 0 to 1, and for words that do not fit
    the maps.
    """

    title = "Training replay"

    names, losses, shape, rows, columns = (List().tag(sync=True) for _ in range(5))
    levels = Dict().tag(sync=True)
    weights = Bytes().tag(sync=True)
    epoch, head, last_epoch, last_head = (Int(0).tag(sync=True) for _ in range(4))

    def __init__(
        self,
        runs: Mapping[str, Sequence[tuple[float, object]]],
        *,
        rows: Sequence[str],
        columns: Sequence[str],
        levels: Mapping[str, float] | None = None,
        epoch: int | None = None,
        head: int = 0,
        caption: str | None = None,
    ):
        if not runs or not all(len(history) for history in runs.values()):
            raise FigureError("TrainingReplay needs at least one run with at least one epoch")
        losses = [[float(loss) for loss, _ in history] for history in runs.values()]
        maps = [
            [as_numbers(f"a map of {name!r}", m, 3) for _, m in run] for name, run in runs.items()
        ]
        shapes = {(len(run), *np.shape(m)) for run in maps for m in run}
        if len(shapes) > 1:
            raise FigureError(
                f"the runs' maps have shapes {sorted(shapes)}; expected one shape (epochs, "
                "n_heads, T_q, T_k) for all"
            )
        if not all(math.isfinite(loss) and loss > 0 for run in losses for loss in run):
            raise FigureError("every loss must be a positive number")
        stacked = np.array(maps)
        if not (stacked >= 0).all() or not (stacked <= 1 + 1e-6).all():
            raise FigureError("weights must lie between 0 and 1")
        levels = {str(name): level for name, level in (levels or {}).items()}
        for name, level in levels.items():
            if not isinstance(level, Real) or not 0 < level < math.inf:
                raise FigureError(
                    f"levels[{name!r}] is {level!r}; expected a loss, a positive number"
                )
        epochs, heads, *size = stacked.shape[1:]
        if [len(rows), len(columns)] != size:
            raise FigureError(
                f"the maps are {size[0]} x {size[1]}; got {len(rows)} rows and {len(columns)} "
                "columns"
            )
        super().__init__(
            names=[str(name) for name in runs],
            losses=losses,
            shape=[len(maps), epochs, heads, *size],
            rows=[str(word) for word in rows],
            columns=[str(word) for word in columns],
            levels=levels,
            weights=np.rint(255 * np.minimum(stacked, 1)).astype(np.uint8).tobytes(),
            last_epoch=epochs - 1,
            last_head=heads - 1,
            epoch=epochs - 1 if epoch is None else epoch,
            head=head,
            caption=caption
            or "The loss of each run, and where one head looked after the chosen epoch.",
        )

    def controls(self) -> list[Control]:
        return [
            Control("epoch", "epoch", max="last_epoch"),
            Control("epoch", "epochs", "play", max="last_epoch"),
            Control("head", "head", max="last_head"),
        ]

    def maps(self) -> np.ndarray:
        """The maps shown now, (runs, T_q, T_k), as they travel: in steps of 1/255."""
        weights = np.frombuffer(self.weights, np.uint8).reshape(self.shape) / 255
        return weights[:, self.epoch, self.head]

    def as_table(self) -> Table:
        rows = [[epoch, *losses] for epoch, losses in enumerate(zip(*self.losses, strict=True))]
        return Table("The loss after each epoch", self.names, rows)
