"""Attention cannot tell the first word from the last. It can once each token has its position's
pattern of waves added to it.

Pair ``i`` of the table turns once every ``2π · 10000^(2i/d_model)`` positions: the first pair like
a second hand, the last one, at the paper's size, once in 60,611.
"""

import math

import torch
from torch import Tensor

from .checks import check_whole


def sinusoidal_encoding(length: int, d_model: int, *, dtype: torch.dtype | None = None) -> Tensor:
    """The table of section 3.5: sin in the even columns, cos in the odd ones.

    ``PE[pos, 2i] = sin(pos / 10000^(2i/d_model))`` and ``PE[pos, 2i+1] = cos(the same)``, for
    ``i = 0 .. d_model/2 - 1``.

    Returns ``(length, d_model)`` in ``dtype`` (torch's default unless given), computed in float64
    and then rounded. Raises ValueError for a length that is not a whole number of 0 or more,
    and for an odd ``d_model``: the columns come in pairs.
    """
    check_whole("length", length, 0)
    if d_model < 2 or d_model % 2:
        raise ValueError(f"d_model must be even; got {d_model}, try {max(2, d_model + 1)}")
    position = torch.arange(length, dtype=torch.float64)  # (T,)
    column = torch.arange(0, d_model, 2, dtype=torch.float64)  # (D/2,)
    frequency = torch.exp(-math.log(10000) / d_model * column)  # (D/2,)
    angle = torch.outer(position, frequency)  # (T, D/2)
    waves = torch.stack((angle.sin(), angle.cos()), dim=-1)  # (T, D/2, 2)
    return waves.flatten(1).to(dtype or torch.get_default_dtype())  # (T, D): sin, cos, sin, ...
