"""Attention: every query looks at every key and takes a weighted average of the values.

Three ways, of growing size. ``scaled_dot_product_attention`` is equation 1 of *Attention Is All You
Need*. ``AdditiveAttention`` (Bahdanau et al., 2014) is the older way to score a query against a
key. ``MultiHeadAttention`` (section 3.2.2) runs equation 1 in several subspaces at once.

All return ``(output, weights)``, and nothing is remembered on a module. The weights of a query sum
to 1, unless its
mask forbids every key: then its weights and its output are zeros.

Shapes: ``B`` batch, ``H`` heads, ``T_q`` queries, ``T_k`` keys, ``D`` d_model, ``d_k`` and ``d_v``
per head.
"""

import math
from itertools import zip_longest

import torch
from torch import Tensor, nn


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    *,
    scale: float | None = None,
) -> tuple[Tensor, Tensor]:
    """softmax(Q Kᵀ / √d_k) V, equation 1.

    query: ``(..., len_q, d_k)``; key: ``(..., len_k, d_k)``; value: ``(..., len_k, d_v)``, floating
    point.
    mask: bool, broadcastable to ``(..., len_q, len_k)``; ``True`` = may attend.
    scale: factor on the dot products; ``1/√d_k`` unless given.

    Returns the output ``(..., len_q, d_v)`` and the weights ``(..., len_q, len_k)``. The weights
    take memory quadratic in the length; ``MultiHeadAttention`` called with ``need_weights=False``
    never builds them.

    Raises ValueError for shapes that do not fit together or a mask that is not bool.
    """
    try:
        scale = 1 / math.sqrt(query.size(-1)) if scale is None else scale
        weights = masked_softmax(query @ key.transpose(-2, -1) * scale, mask)  # (..., T_q, T_k)
        return weights @ value, weights  # (..., T_q, d_v), (..., T_q, T_k)
    except Exception:
        _explain(query, key, value, mask)
        raise


def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The weights of scores ``(..., len_q, len_k)``: a softmax over the keys that the mask
    leaves.
    """
    if mask is None:
        return scores.softmax(dim=-1)
    # The lowest finite score rather than -inf: exp() makes it exactly 0 in any row that has a key
    # left, and a row that has none stays finite, forward and backward, until the second fill sets
    # it to 0.
    hidden = ~mask.expand_as(scores)
    return (
        scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        .softmax(dim=-1)
        .masked_fill(hidden, 0.0)
    )


class AdditiveAttention(nn.Module):
    """Score a query against a key with a small network: w · tanh(W_q q + W_k k) (Bahdanau et al.,
    2014).

    It costs ``len_q · len_k · d_hidden`` intermediate numbers, where the dot product needs ``len_q
    · len_k``.
    """

    def __init__(self, d_query: int, d_key: int, d_hidden: int):
        super().__init__()
        self.w_q = nn.Linear(d_query, d_hidden, bias=False)
        self.w_k = nn.Linear(d_key, d_hidden, bias=False)
        self.w_score = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None):
        """query: ``(..., len_q, d_query)``; key: ``(..., len_k, d_key)``; value: ``(..., len_k,
        d_v)``.

        Returns the output ``(..., len_q, d_v)`` and the weights ``(..., len_q, len_k)``.
        Raises ValueError for shapes that do not fit together or a mask that is not bool.
        """
        try:
            q, k = self.w_q(query), self.w_k(key)  # (..., T_q, d_hidden), (..., T_k, d_hidden)
            hidden = torch.tanh(q.unsqueeze(-2) + k.unsqueeze(-3))  # (..., T_q, T_k, d_hidden)
            weights = masked_softmax(self.w_score(hidden).squeeze(-1), mask)  # (..., T_q, T_k)
            return weights @ value, weights
        except Exception:
            _explain(query, key, value, mask, [("query", query, self.w_q), ("key", key, self.w_k)])
            raise


class MultiHeadAttention(nn.Module):
    """Several attentions side by side, each in its own projection of the input (section 3.2.2).

    One matrix holds the projections of all heads: columns ``h·d_k .. (h+1)·d_k - 1`` of ``x W^Q``
    belong to head ``h``. As in the paper there are no biases unless asked for, and ``d_k = d_v =
    d_model / n_heads`` unless given.

    Raises ValueError if ``d_model`` is not divisible by ``n_heads`` and ``d_k``, ``d_v`` do not say
    what to do.
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        *,
        d_k: int | None = None,
        d_v: int | None = None,
        bias=False,
    ):
        super().__init__()
        if any(size is not None and size < 1 for size in (d_model, n_heads, d_k, d_v)):
            raise ValueError(
                f"sizes must be at least 1; got {d_model=}, {n_heads=}, {d_k=}, {d_v=}"
            )
        if (d_k is None or d_v is None) and d_model % n_heads:
            fits = max(h for h in range(1, min(n_heads, d_model) + 1) if d_model % h == 0)
            raise ValueError(
                f"d_model={d_model} is not divisible by n_heads={n_heads}; try n_heads={fits}"
            )
        self.n_heads = n_heads
        self.d_k, self.d_v = d_k or d_model // n_heads, d_v or d_model // n_heads
        self.w_q = nn.Linear(d_model, n_heads * self.d_k, bias=bias)
        self.w_k = nn.Linear(d_model, n_heads * self.d_k, bias=bias)
        self.w_v = nn.Linear(d_model, n_heads * self.d_v, bias=bias)
        self.w_o = nn.Linear(n_heads * self.d_v, d_model, bias=bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        *,
        cache=None,
        need_weights=True,
    ) -> tuple[Tensor, Tensor | None]:
        """query: ``(batch, len_q, d_model)``; key and value: ``(batch, len_k, d_model)``.

        mask: bool, broadcastable to ``(batch, n_heads, len_q, len_k)``; ``True`` = may attend.
        cache: a ``decoding.KeyValueCache``: keys and values of earlier tokens, which ``len_k``
        counts too.

        Returns the output ``(batch, len_q, d_model)`` and the weights ``(batch, n_heads, len_q,
        len_k)``. With ``need_weights=False`` the weights are None and torch's fused kernel does the
        work: of finite numbers the same output to 1e-5, and if ``d_k`` equals ``d_v`` in memory
        that grows with the length, not with its square.

        Raises ValueError for shapes that do not fit together or a mask that is not bool.
        """
        try:
            queries = self.split_heads(self.w_q(query))  # (B, H, T_q, d_k)
            if cache is not None and cache.complete:
                keys, values = cache.keys, cache.values
            else:
                keys, values = (
                    self.split_heads(self.w_k(key)),
                    self.split_heads(self.w_v(value)),
                )  # (B, H, T_k, d)
                if cache is not None:
                    keys, values = cache.append(keys, values)
            if need_weights:
                heads, weights = scaled_dot_product_attention(queries, keys, values, mask)
            elif keys.size(2) != values.size(2) or (mask is not None and mask.dtype != torch.bool):
                # Torch's kernel would read past the end, or add the mask's numbers to the scores.
                raise TypeError(
                    f"{keys.size(2)} keys and {values.size(2)} values in the cache: begin with a new one"
                )
            else:
                mask = (
                    None if mask is None else torch.atleast_2d(mask)
                )  # torch's kernel broadcasts no fewer axes
                heads, weights = (
                    nn.functional.scaled_dot_product_attention(queries, keys, values, mask),
                    None,
                )
            return self.w_o(
                heads.transpose(1, 2).flatten(2)
            ), weights  # (B, T_q, D), (B, H, T_q, T_k)
        except Exception:
            projections = (
                ("query", query, self.w_q),
                ("key", key, self.w_k),
                ("value", value, self.w_v),
            )
            _explain(query, key, value, mask, projections, (self.n_heads,), cache)
            raise

    def split_heads(self, x: Tensor) -> Tensor:
        """Cut the last axis into heads and move them before the positions.

        x: ``(batch, length, n_heads · d)``. Returns ``(batch, n_heads, length, d)``.
        """
        batch, length, width = x.shape
        return x.view(batch, length, self.n_heads, width // self.n_heads).transpose(
            1, 2
        )  # (B, T, H·d) -> (B, H, T, d)


def _explain(query, key, value, mask, projections=(), heads=(), cache=None) -> None:
    """Raise a ValueError that says what does not fit, after torch has refused in terms of some
    inner product.

    Returns where everything fits: then the error was of another kind, too little memory for
    example.

    projections: ``(name, tensor, the linear layer that reads it)``. heads: the axis that the
    tensors do not have yet.
    """
    given = query, key, value, *([] if mask is None else [mask])
    if others := [type(x).__name__ for x in given if not isinstance(x, Tensor)]:
        raise ValueError(
            f"query, key, value and mask must be tensors; got {others[0]}: use torch.as_tensor"
        )
    for name, x, layer in projections:
        if x.dim() != (3 if heads else max(x.dim(), 2)) or x.size(-1) != layer.in_features:
            expected = f"({'batch' if heads else '...'}, length, {layer.in_features})"
            raise ValueError(f"{name} must have shape {expected}; got {tuple(x.shape)}")
        is_now, expected = (f"{tensor.dtype} on {tensor.device}" for tensor in (x, layer.weight))
        if is_now != expected and (x.is_meta or not torch.is_autocast_enabled(x.device.type)):
            raise ValueError(
                f"{name} is {is_now}, the module {expected}: move one to the other with .to()"
            )
    q, k, v = query.shape, key.shape, value.shape
    shapes = f"query {tuple(q)}, key {tuple(k)}, value {tuple(v)}"
    if min(len(q), len(k), len(v)) < 2:
        raise ValueError(f"query, key and value end in the axes (length, size); got {shapes}")
    if (q[-1] != k[-1] or q[-1] == 0) and not projections:
        raise ValueError(
            f"query and key must agree in d_k, their last axis, and it is at least 1; got {shapes}"
        )
    if k[-2] != v[-2]:
        raise ValueError(f"each key needs its value, so both have the same length; got {shapes}")
    if any(
        len({*sizes} - {1}) > 1
        for sizes in zip_longest(q[-3::-1], k[-3::-1], v[-3::-1], fillvalue=1)
    ):
        raise ValueError(f"the axes before (length, size) must match; got {shapes}")
    if not query.dtype == key.dtype == value.dtype or not query.is_floating_point():
        raise ValueError(
            f"all must share one floating dtype; got query {query.dtype}, {key.dtype} and {value.dtype}"
        )
    if len(devices := {str(x.device) for x in given}) > 1:
        raise ValueError(
            f"query, key, value and mask must be on one device; got {sorted(devices)}: use .to()"
        )
    if mask is not None and mask.dtype != torch.bool:
        raise ValueError(
            f"mask must be bool, True = may attend; got {mask.dtype}: use mask.bool() if 1 means attend"
        )
    if mask is not None:
        scores = (
            *torch.broadcast_shapes(q[:-2], k[:-2]),
            *heads,
            q[-2],
            cache.length if cache else k[-2],
        )
        # Axes are compared from the last one; where one side has no more, there is None.
        if any(
            s is None or m not in (None, 1, s)
            for m, s in zip_longest(mask.shape[::-1], scores[::-1])
        ):
            raise ValueError(
                f"mask of shape {tuple(mask.shape)} does not broadcast to the scores' {scores}"
            )
