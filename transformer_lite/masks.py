"""Masks say who may look at whom.

There is one rule in this package: ``True`` means *may attend*. A mask broadcasts to
``(batch, n_heads, len_q, len_k)``, and two masks combine with ``&``::

    padding_mask(target_ids) & causal_mask(target_ids.size(1))    # (batch, 1, len, len)

``torch.nn.functional.scaled_dot_product_attention`` uses the same rule.
``torch.nn.MultiheadAttention`` uses the opposite one (``True`` = blocked): pass it
``~causal_mask(length)`` and, as ``key_padding_mask``, ``ids == PAD_ID``.
"""

import torch
from torch import Tensor

from .checks import check_ids
from .vocabulary import PAD_ID


def padding_mask(ids: Tensor) -> Tensor:
    """Hide the padding: every query may attend to every key that is a real token.

    ids: ``(batch, length)`` integers, padded with ``PAD_ID``.

    Returns ``(batch, 1, 1, length)``, bool: the two axes of size 1 stand for heads and queries,
    since padding is a property of the keys alone.

    Raises ValueError for ids that are not a two-dimensional tensor of integers.
    """
    check_ids(ids=ids)
    return (ids != PAD_ID)[:, None, None, :]  # (B, 1, 1, T)


def causal_mask(length: int, device: torch.device | str | None = None, *, past: int = 0) -> Tensor:
    """Hide the future: query ``i`` may attend to keys ``0 .. i``, itself included (section 3.2.3).

    past: how many of the queries have been answered, as where a cache keeps their keys; they get no
    row.

    Returns ``(length - past, length)``, bool, with rows as queries.

    Raises ValueError for a length below 1, and for a past that leaves no query.
    """
    # Not check_whole: where a model is exported, a length is a symbol.
    if isinstance(length, (bool, float)) or length < 1:
        raise ValueError(f"length must be a whole number of at least 1; got {length}")
    if not 0 <= past < length:
        raise ValueError(f"past leaves no query: it must be 0 to {length - 1}; got {past}")
    return torch.ones(length - past, length, dtype=torch.bool, device=device).tril(past)
