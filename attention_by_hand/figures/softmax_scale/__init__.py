"""Softmax and scale: the same products of queries and keys, with and without the division by
√d_k.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from traitlets import Bool, Bytes, Int, Unicode

from ..kit import Control, Figure, FigureError, Table, Thumbnail

QUERIES = 16
MOST_KEYS = 32
MOST_EXPONENT = 10
SEED = 39  # sixteen queries whose medians are close to those of thousands
STEP = 1 / 2048  # scaled scores travel as 16-bit multiples of it
REACHES = (
    8,
    24,
    72,
    100,
)  # as far as scores are drawn, to either side: three times their spread fit in
GROWN = 9  # the exponent that is grown to when the question is answered
POWERS = [f"{2**i}" for i in range(MOST_EXPONENT + 1)]
OTHERS = "Other keys and queries"
TO_DO = "Make the vectors longer. "
DRAWN = (
    "One random query and random keys, none better than another. Each dot is a key's score, and "
    "each bar is the weight that softmax gives it; the strongest of both is the winner, and the "
    "large number is what it gets. Shaded is how far chance takes a score as a rule."
)
TO_SEE = {
    False: "On the left the scores spread and one key wins by chance, "
    "while on the right nothing spreads.",
    True: "On the left one key wins by chance and the table of slopes "
    "fades, while on the right both stay.",
}


class SoftmaxScale(Figure):
    """Random queries and keys, scored with and without the scale: `SoftmaxScale(d_k=64,
    n_keys=32)`.

    Queries and keys are drawn once, 1024 numbers each from a normal distribution with mean 0 and
    variance 1; `d_k` says after how many of them a vector ends. `d_k` (a power of 2 up to 1024),
    `n_keys` (2 to 32) and `query` (0 to 15) can be read, set and, as `exponent`, `n_keys` and
    `query`, observed. `raw_scores(d_k)` are the products, (16, 32). On the page a score can be
    dragged; its weight follows, until another size or query is chosen.

    prediction: the number of the `Prediction` that asked for the largest share, in per cent, of
    vectors of 512 numbers. Once the reader has guessed, the vectors grow from 1 number to 512, and
    the guess is drawn over the bars on the left.

    gradient: whether the figure also shows the table of slopes, the Jacobian of the softmax.

    Raises FigureError, a ValueError, for values out of range.
    """

    title = "Softmax and scale"
    thumbnail = Thumbnail(".sides", width=700)
    constants = {
        "queries": QUERIES,
        "most_keys": MOST_KEYS,
        "step": STEP,
        "reaches": REACHES,
        "grown": GROWN,
    }

    scores = Bytes().tag(sync=True)  # int16, in steps of STEP, for each d_k
    exponent = Int(6).tag(sync=True)  # of 2: how many numbers a vector has
    n_keys = Int(MOST_KEYS).tag(sync=True)  # how many are shown
    query = Int(0).tag(sync=True)  # the chosen one
    prediction = Unicode().tag(sync=True)  # the number of the question that came before, if any
    gradient = Bool(True).tag(sync=True)  # whether the table of slopes is shown

    def __init__(
        self,
        d_k: int = 64,
        n_keys: int = MOST_KEYS,
        *,
        query: int = 0,
        seed: int = SEED,
        prediction: str = "",
        gradient: bool = True,
        caption: str | None = None,
    ):
        generator = torch.Generator().manual_seed(seed)
        longest = 2**MOST_EXPONENT
        self._queries = torch.randn(QUERIES, longest, generator=generator, dtype=torch.float64)
        self._keys = torch.randn(MOST_KEYS, longest, generator=generator, dtype=torch.float64)
        scaled = [self.raw_scores(2**i) / 2 ** (i / 2) for i in range(MOST_EXPONENT + 1)]
        super().__init__(
            scores=np.rint(np.stack(scaled) / STEP).astype("<i2").tobytes(),
            exponent=exponent_of(d_k),
            n_keys=n_keys,
            query=query,
            prediction=prediction,
            gradient=gradient,
            caption=caption or TO_DO + DRAWN + TO_SEE[gradient],
        )

    def raw_scores(self, d_k: int) -> np.ndarray:
        """The products q·k of vectors that end after d_k numbers, (16 queries, 32 keys),
        float64.
        """
        return (self._queries[:, :d_k] @ self._keys[:, :d_k].T).numpy()

    @property
    def d_k(self) -> int:
        return 2**self.exponent

    @d_k.setter
    def d_k(self, value: int) -> None:
        self.exponent = exponent_of(value)

    def controls(self) -> list[Control]:
        return [
            Control("exponent", "dₖ, numbers in a vector", "scale", options=POWERS),
            Control("query", "query", max=QUERIES - 1, fold=OTHERS),
            Control("n_keys", "keys", min=2, max=MOST_KEYS, fold=OTHERS),
        ]

    def as_table(self) -> Table:
        raw = torch.from_numpy(self.raw_scores(self.d_k)[self.query, : self.n_keys])
        columns = ["softmax of q·k", "softmax of q·k / √dₖ"]
        weights = raw.softmax(-1).tolist(), (raw / math.sqrt(self.d_k)).softmax(-1).tolist()
        rows = [[f"key {i}", *pair] for i, pair in enumerate(zip(*weights, strict=True))]
        return Table(f"The weights at d_k = {self.d_k}", columns, rows)


def exponent_of(d_k: int) -> int:
    powers = [2**i for i in range(MOST_EXPONENT + 1)]
    if d_k not in powers:
        raise FigureError(f"d_k={d_k!r} is not one of {powers}")
    return powers.index(d_k)
