"""Attention: every query looks at every key and takes a weighted average of the values.

Three functions of growing size. ``scaled_dot_product_attention`` is equation 1 of *Attention Is All You Need*.
``AdditiveAttention`` (Bahdanau et al., 2014) is the older way to score a query against a key.
``MultiHeadAttention`` (section 3.2.2) runs equation 1 in several subspaces at once.

All return ``(output, weights)``, and nothing is remembered on a module. The weights of a query sum to 1, unless its
mask forbids every key: then its weights and its output are zeros.

Shapes: ``B`` batch, ``H`` heads, ``T_q`` queries, ``T_k`` keys, ``D`` d_model, ``d_k`` and ``d_v`` per head.
"""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, *, scale: float | None = None
) -> tuple[Tensor, Tensor]:
    """softmax(Q Kᵀ / √d_k) V, equation 1.

    query: ``(..., len_q, d_k)``; key: ``(..., len_k, d_k)``; value: ``(..., len_k, d_v)``, floating point.
    mask: bool, broadcastable to ``(..., len_q, len_k)``; ``True`` = may attend.
    scale: factor on the dot products; ``1/√d_k`` unless given.

    Returns the output ``(..., len_q, d_v)`` and the weights ``(..., len_q, len_k)``. The weights take memory
    quadratic in the length; ``MultiHeadAttention(..., need_weights=False)`` never builds them.

    Raises ValueError for shapes that do not fit together or a mask that is not bool.
    """
    _check(query, key, value, mask)
    if scale is None:
        scale = 1 / math.sqrt(query.size(-1))
    scores = query @ key.transpose(-2, -1) * scale  # (..., T_q, T_k)
    return _average(scores, value, mask)


def _average(scores: Tensor, value: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """Turn scores into weights that respect the mask, and average the values with them."""
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        # The lowest finite score rather than -inf: exp() makes it exactly 0 in any row that has a key left, and a row
        # that has none stays finite, forward and backward, until the second fill sets it to 0.
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1).masked_fill(~mask, 0.0)
    return weights @ value, weights  # (..., T_q, d_v), (..., T_q, T_k)


class AdditiveAttention(nn.Module):
    """Score a query against a key with a small network: w · tanh(W_q q + W_k k) (Bahdanau et al., 2014).

    It costs ``len_q · len_k · d_hidden`` intermediate numbers, where the dot product needs ``len_q · len_k``.
    """

    def __init__(self, d_query: int, d_key: int, d_hidden: int):
        super().__init__()
        self.w_q = nn.Linear(d_query, d_hidden, bias=False)
        self.w_k = nn.Linear(d_key, d_hidden, bias=False)
        self.w_score = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None):
        """query: ``(..., len_q, d_query)``; key: ``(..., len_k, d_key)``; value: ``(..., len_k, d_v)``.

        Returns the output ``(..., len_q, d_v)`` and the weights ``(..., len_q, len_k)``.
        Raises ValueError for shapes that do not fit together or a mask that is not bool.
        """
        _check_input("query", query, self.w_q)
        _check_input("key", key, self.w_k)
        q, k = self.w_q(query), self.w_k(key)  # (..., T_q, d_hidden), (..., T_k, d_hidden)
        _check(q, k, value, mask)
        hidden = torch.tanh(q.unsqueeze(-2) + k.unsqueeze(-3))  # (..., T_q, T_k, d_hidden)
        scores = self.w_score(hidden).squeeze(-1)  # (..., T_q, T_k)
        return _average(scores, value, mask)


class MultiHeadAttention(nn.Module):
    """Several attentions side by side, each in its own projection of the input (section 3.2.2).

    One matrix holds the projections of all heads: columns ``h·d_k .. (h+1)·d_k - 1`` of ``x W^Q`` belong to head
    ``h``. As in the paper there are no biases unless asked for, and ``d_k = d_v = d_model / n_heads`` unless given.

    Raises ValueError if ``d_model`` is not divisible by ``n_heads`` and ``d_k``, ``d_v`` do not say what to do.
    """

    def __init__(
        self, d_model: int, n_heads: int, *, d_k: int | None = None, d_v: int | None = None, bias: bool = False
    ):
        super().__init__()
        if d_model < 1 or n_heads < 1:
            raise ValueError(f"d_model and n_heads must be at least 1; got d_model={d_model}, n_heads={n_heads}")
        if (d_k is None or d_v is None) and d_model % n_heads:
            fits = max(h for h in range(1, n_heads) if d_model % h == 0)
            raise ValueError(f"d_model={d_model} is not divisible by n_heads={n_heads}; try n_heads={fits}")
        self.n_heads = n_heads
        self.d_k = d_k if d_k is not None else d_model // n_heads
        self.d_v = d_v if d_v is not None else d_model // n_heads
        self.w_q = nn.Linear(d_model, n_heads * self.d_k, bias=bias)
        self.w_k = nn.Linear(d_model, n_heads * self.d_k, bias=bias)
        self.w_v = nn.Linear(d_model, n_heads * self.d_v, bias=bias)
        self.w_o = nn.Linear(n_heads * self.d_v, d_model, bias=bias)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, *, need_weights: bool = True
    ) -> tuple[Tensor, Tensor | None]:
        """query: ``(batch, len_q, d_model)``; key and value: ``(batch, len_k, d_model)``.

        mask: bool, broadcastable to ``(batch, n_heads, len_q, len_k)``; ``True`` = may attend.

        Returns the output ``(batch, len_q, d_model)`` and the weights ``(batch, n_heads, len_q, len_k)``. With
        ``need_weights=False`` the weights are None and torch's fused kernel does the work: the same output to 1e-5,
        in memory that grows with the length rather than with its square.

        Raises ValueError for shapes that do not fit together or a mask that is not bool.
        """
        self.check(query, key, value, mask)
        return self.attend(self.queries(query), *self.keys_values(key, value), mask, need_weights=need_weights)

    def check(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> None:
        """Raise the ValueError that ``forward`` would. The methods below trust what they are given."""
        _check_input("query", query, self.w_q, dims=3)
        _check_input("key", key, self.w_k, dims=3)
        _check_input("value", value, self.w_v, dims=3)
        _check(*(x[:, None].expand(-1, self.n_heads, -1, -1) for x in (query, key, value)), mask)

    def queries(self, query: Tensor) -> Tensor:
        """The queries ``(batch, n_heads, len_q, d_k)`` of all heads."""
        return self._split(self.w_q(query))

    def keys_values(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """The keys ``(batch, n_heads, len_k, d_k)`` and values ``(batch, n_heads, len_k, d_v)`` of all heads.

        They depend on no query, so a decoder computes them once and keeps them (see ``decoding``).
        """
        return self._split(self.w_k(key)), self._split(self.w_v(value))

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values of all heads where one x ``(batch, length, d_model)`` is all three."""
        return self.queries(x), *self.keys_values(x, x)

    def joined(self) -> Callable[[Tensor], tuple[Tensor, Tensor, Tensor]]:
        """``project`` with the three matrices side by side, head by head: one product instead of three.

        It copies the weights as they are now, which pays when they serve for many steps (see ``decoding``).
        """
        layers = self.w_q, self.w_k, self.w_v

        def join(parts):
            by_head = [part.view(self.n_heads, -1, *part.shape[1:]) for part in parts]  # (H, d, D)
            return torch.cat(by_head, dim=1).flatten(0, 1)  # (H·(2·d_k + d_v), D)

        weight = join([layer.weight for layer in layers])
        bias = None if self.w_q.bias is None else join([layer.bias for layer in layers])
        sizes = self.d_k, self.d_k, self.d_v
        return lambda x: self._split(F.linear(x, weight, bias)).split_with_sizes(sizes, dim=-1)

    def attend(self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None, *, need_weights=True):
        """Like ``forward``, with queries, keys and values already projected and cut into heads."""
        if need_weights:
            output, weights = scaled_dot_product_attention(queries, keys, values, mask)
        else:
            if mask is not None:
                mask = torch.atleast_2d(mask)  # torch's kernel does not broadcast a mask of fewer axes
            output, weights = F.scaled_dot_product_attention(queries, keys, values, mask), None
        output = output.transpose(1, 2).flatten(2)  # (B, H, T_q, d_v) -> (B, T_q, H·d_v)
        return self.w_o(output), weights  # (B, T_q, D), (B, H, T_q, T_k)

    def _split(self, x: Tensor) -> Tensor:
        """Cut the last axis into heads and move the heads before the positions."""
        batch, length, size = x.shape
        return x.view(batch, length, self.n_heads, size // self.n_heads).transpose(1, 2)  # (B, T, H·d) -> (B, H, T, d)


def _check_input(name: str, x: Tensor, layer: nn.Linear, dims: int | None = None) -> None:
    weight, size = layer.weight, layer.in_features
    if (dims or x.dim()) != x.dim() or x.size(-1) != size:
        expected = f"(batch, length, {size})" if dims else f"(..., length, {size})"
        raise ValueError(f"{name} must have shape {expected}; got {tuple(x.shape)}")
    if x.dtype != weight.dtype or x.device != weight.device:
        raise ValueError(
            f"{name} is {x.dtype} on {x.device} and the module {weight.dtype} on {weight.device}: "
            "move one to the other with .to()"
        )


def _check(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> None:
    """Say what does not fit, before torch does so in terms of some inner product."""
    q, k, v = query.shape, key.shape, value.shape

    def shapes():
        return f"query {tuple(q)}, key {tuple(k)}, value {tuple(v)}"

    if min(len(q), len(k), len(v)) < 2:
        raise ValueError(f"query, key and value end in the axes (length, size); got {shapes()}")
    if q[-1] != k[-1]:
        raise ValueError(f"query and key must agree in d_k, their last axis; got {shapes()}")
    if k[-2] != v[-2]:
        raise ValueError(f"each key needs its value, so both have the same length; got {shapes()}")
    if not query.dtype == key.dtype == value.dtype or not query.is_floating_point():
        raise ValueError(
            f"query, key and value must share one floating dtype; got {query.dtype}, {key.dtype} and {value.dtype}"
        )
    device = query.device
    if not device == key.device == value.device or (mask is not None and mask.device != device):
        devices = ", ".join(str(x.device) for x in (query, key, value, mask) if x is not None)
        raise ValueError(f"query, key, value and mask must be on one device; got {devices}: move them with .to()")
    batch = q[:-2]
    if not batch == k[:-2] == v[:-2]:
        try:
            batch = torch.broadcast_shapes(batch, k[:-2], v[:-2])
        except RuntimeError:
            raise ValueError(f"the axes before (length, size) must match; got {shapes()}") from None
    if mask is None:
        return
    if mask.dtype != torch.bool:
        raise ValueError(f"mask must be bool, True = may attend; got {mask.dtype}: use mask.bool() if 1 means attend")
    scores = (*batch, q[-2], k[-2])
    try:
        mask.expand(scores)
    except RuntimeError:
        raise ValueError(f"mask of shape {tuple(mask.shape)} does not broadcast to the scores' {scores}") from None
