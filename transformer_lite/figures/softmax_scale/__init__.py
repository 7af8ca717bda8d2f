"""Softmax and scale: the same products of queries and keys, with and without the division by
√d_k.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from traitlets import Bytes, Int, Unicode

from ..kit import Control, Figure, FigureError, Table

QUERIES = 16
MOST_KEYS = 32
MOST_EXPONENT = 10
SEED = 39  # sixteen queries whose medians are close to those of thousands
STEP = 1 / 2048  # scaled scores travel as 16-bit multiples of it


class SoftmaxScale(Figure):
    """Random queries and keys, scored with and without the scale: `SoftmaxScale(d_k=64,
    n_keys=32)`.

    Queries and keys are drawn once, 1024 numbers each from a normal distribution with mean 0 and
    variance 1; `d_k` says after how many of them a vector ends. `d_k` (a power of 2 up to 1024),
    `n_keys` (2 to 32) and `query` (0 to 15) can be read, set and, as `exponent`, `n_keys` and
    `query`, observed. `raw_scores(d_k)` are the products, (16, 32).

    prediction: the number of the `Prediction` that asked for the largest share, in per cent; the
    reader's guess is drawn over the bars on the left.

    Raises FigureError, a ValueError, for values out of range.
    """

    title = "Softmax and scale"
    constants = {"queries": QUERIES, "most_keys": MOST_KEYS, "step": STEP}

    scores = Bytes().tag(sync=True)
    exponent = Int(6).tag(sync=True)
    n_keys = Int(MOST_KEYS).tag(sync=True)
    query = Int(0).tag(sync=True)
    prediction = Unicode().tag(sync=True)

    def __init__(
        self,
        d_k: int = 64,
        n_keys: int = MOST_KEYS,
        *,
        query: int = 0,
        seed: int = SEED,
        prediction: str = "",
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
            caption=caption
            or "One random query against random keys, none better than another. On the left the "
            "softmax of q·k, on the right of q·k/√dₖ. Make the vectors longer: on the left one key "
            "wins by chance "
            "and the gradient dies, on the right the weights stay spread out.",
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
            Control("exponent", "log₂ dₖ", max=MOST_EXPONENT),
            Control("n_keys", "keys", min=2, max=MOST_KEYS),
            Control("query", "query", max=QUERIES - 1),
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
