"""Training replay: what a model wrote, and where it looked, after every step, beside its loss."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real

import numpy as np
from traitlets import Bytes, Dict, Int, List

from transformer_lite.data.corpus import TWO_SENTENCES
from transformer_lite.vocabulary import EOS_ID, SPECIAL, split_words

from ...exhibits.floors import ZONES, zones
from ...studies.two_runs import recorded
from ..kit import Control, Figure, FigureError, Table, Thumbnail, as_numbers
from ..kit.packed import pack_shares, read_shares

END = SPECIAL[EOS_ID]


class TrainingReplay(Figure):
    """Two recorded runs, with and without warm-up; or runs of one's own, step by step:
    `TrainingReplay({"my run": history}, rows=target_words, columns=source_words)`.

    `history` has one `(loss, maps)` or `(loss, maps, written)` for each step, the untrained model
    first: maps are (n_heads, T_q, T_k), their rows summing to 1, and written is the translation,
    tokens or a text, of each sentence in `pairs`, a list of (sentence, right translation). `rows`
    and `columns` are the words of queries and keys. `levels` names losses to mark, `{"guessing":
    2.2}`. `step` and `head` can be read, set and observed. Played, the runs pause at the step from
    which on another has more than twice the loss of the one that comes out best.

    Raises FigureError, a ValueError, for runs that are empty or of different shapes, for losses or
    levels that are not positive numbers, for weights outside 0 to 1, for words that do not fit the
    maps, and for translations that do not fit the pairs.
    """

    title = "Training replay"
    thumbnail = Thumbnail(".losses", state="step=64")

    names = List().tag(sync=True)  # of the runs
    losses = List().tag(sync=True)  # of each run, after each step
    shape = List().tag(sync=True)  # of weights: (runs, steps, heads, rows, columns)
    rows = List().tag(sync=True)  # the words of the queries
    columns = List().tag(sync=True)  # the words of the keys
    zones = List().tag(sync=True)  # names of floors of the loss, and where each ends
    sources = List().tag(sync=True)  # the words of each sentence that is translated
    targets = List().tag(sync=True)  # the right translation of each
    written = List().tag(sync=True)  # what was written: runs, steps, sentences
    levels = Dict().tag(sync=True)  # losses to mark, by name
    weights = Bytes().tag(sync=True)  # uint8, round(255 w)
    step = Int(0).tag(sync=True)  # after how many steps of training
    head = Int(0).tag(sync=True)  # whose map is shown
    last_step = Int(0).tag(sync=True)  # of the runs
    last_head = Int(0).tag(sync=True)  # of the model

    def __init__(
        self,
        runs: Mapping[str, Sequence[tuple]] | None = None,
        *,
        rows: Sequence[str] = (),
        columns: Sequence[str] = (),
        pairs: Sequence[tuple[str, str]] = (),
        levels: Mapping[str, float] | None = None,
        step: int = 0,
        head: int | None = None,
        caption: str | None = None,
    ):
        drawn = []
        if not isinstance(runs, Mapping | None):
            raise FigureError(
                f"runs is a {type(runs).__name__}; expected the steps of each run by its name, as "
                "in {'run': [(loss, maps), ...]}"
            )
        if runs is None:
            runs = recorded()
            pairs = TWO_SENTENCES
            rows, columns = _places(*TWO_SENTENCES[0])
            drawn = zones([english for _, english in TWO_SENTENCES], ZONES)
            head = _nouns_head(runs) if head is None else head
            caption = caption or OWN_CAPTION
        if not runs or not all(len(history) for history in runs.values()):
            raise FigureError("TrainingReplay needs at least one run with at least one step")
        losses = [[float(moment[0]) for moment in history] for history in runs.values()]
        stacked = _stacked(runs)
        if not all(math.isfinite(loss) and loss > 0 for run in losses for loss in run):
            raise FigureError("every loss must be a positive number")
        steps, heads, *size = stacked.shape[1:]
        if [len(rows), len(columns)] != size:
            raise FigureError(
                f"the maps are {size[0]} x {size[1]}; got {len(rows)} rows and {len(columns)} "
                "columns"
            )
        super().__init__(
            names=[str(name) for name in runs],
            losses=losses,
            shape=[len(runs), steps, heads, *size],
            rows=[str(word) for word in rows],
            columns=[str(word) for word in columns],
            zones=drawn,
            levels=_levels(levels or {}),
            sources=[split_words(source) for source, _ in pairs],
            targets=[[*split_words(target), END] for _, target in pairs],
            written=_written(runs, len(pairs)),
            weights=pack_shares(np.minimum(stacked, 1)),
            last_step=steps - 1,
            last_head=heads - 1,
            step=step,
            head=head or 0,
            caption=caption
            or "Let them race, or drag a ball along its curve. The loss of each run, and where one "
            "head looked after the chosen step.",
        )

    def controls(self) -> list[Control]:
        return [
            Control("step", "step", max="last_step", by_picture=True),
            Control("step", "steps", "play", max="last_step", on_page=False),
            Control("head", "head", max="last_head", on_page=False),
        ]

    def maps(self) -> np.ndarray:
        """The maps shown now, (runs, T_q, T_k), as they travel: in steps of 1/255."""
        weights = read_shares(self.weights).reshape(self.shape)
        return weights[:, self.step, self.head]

    def as_table(self) -> Table:
        rows = [[step, *losses] for step, losses in enumerate(zip(*self.losses, strict=True))]
        return Table("The loss after each step", self.names, rows)


OWN_CAPTION = (
    "Let them race, or drag a ball along its curve. The same model twice, from the same random "
    "numbers and at the same rate of 0.01. Only the second climbs to it over 48 steps. Watch what "
    "each writes, and where one head of its last layer looks for “ich mochte ein bier”. They part "
    "where the second’s loss falls below half of the first’s, and stays there."
)


def _places(source: str, target: str) -> tuple[list[str], list[str]]:
    """The queries of a sentence, what was read and is to be written, and its keys."""
    words = split_words(target)
    read, write = [SPECIAL[1], *words], [*words, END]
    return [f"{a} → {b}" for a, b in zip(read, write, strict=True)], split_words(source)


def _nouns_head(runs: Mapping[str, Sequence[tuple]]) -> int:
    """The head that looks most at the last word when the noun is to be written, at the end of the
    last run.
    """
    *_, run = runs.values()
    return int(run[-1][1][:, 3, 3].argmax())


def _stacked(runs: Mapping[str, Sequence[tuple]]) -> np.ndarray:
    """All maps, (runs, steps, heads, T_q, T_k)."""
    maps = [
        [as_numbers(f"a map of {name!r}", moment[1], 3) for moment in run]
        for name, run in runs.items()
    ]
    shapes = {(len(run), *np.shape(m)) for run in maps for m in run}
    if len(shapes) > 1:
        raise FigureError(
            f"the runs' maps have shapes {sorted(shapes)}; expected one shape (steps, n_heads, "
            "T_q, T_k) for all"
        )
    stacked = np.array(maps)
    if not (stacked >= 0).all() or not (stacked <= 1 + 1e-6).all():
        raise FigureError("weights must lie between 0 and 1")
    return stacked


def _written(runs: Mapping[str, Sequence[tuple]], pairs: int) -> list:
    """The tokens that each run writes after each step of each sentence; nothing without pairs."""
    if not pairs:
        return []
    translations = []
    for name, run in runs.items():
        texts = [moment[2] if len(moment) > 2 else () for moment in run]
        if any(len(each) != pairs for each in texts):
            raise FigureError(
                f"{name!r} needs {pairs} translations after each step, as there are {pairs} pairs"
            )
        translations.append([[_tokens(text) for text in each] for each in texts])
    return translations


def _tokens(text: str | Sequence[str]) -> list[str]:
    """A text is whole, and so ends."""
    return [*split_words(text), END] if isinstance(text, str) else [str(token) for token in text]


def _levels(levels: Mapping[str, float]) -> dict[str, float]:
    for name, level in levels.items():
        if not isinstance(level, Real) or not 0 < level < math.inf:
            raise FigureError(f"levels[{name!r}] is {level!r}; expected a loss, a positive number")
    return {str(name): level for name, level in levels.items()}
