"""Attention: every query looks at every key and takes a weighted average of the values.

Three ways, of growing size. ``scaled_dot_product_attention`` is equation 1 of *Attention Is All You
Need*. ``AdditiveAttention`` (Bahdanau et al., 2014) is the older way to score a query against a
key. ``MultiHeadAttention`` (section 3.2.2) runs equation 1 in several subspaces at once.

All return ``(output, weights)``, and nothing is remembered on a module. The weights of a query sum
to 1, unless its mask forbids every key: then its weights and its output are zeros.

Shapes: ``B`` batch, ``H`` heads, ``T_q`` queries, ``T_k`` keys, ``D`` d_model, ``d_k`` and ``d_v``
per head.
"""

import math

import torch
from torch import Tensor, nn

from .cache import KeyValueCache
from .checks import check_choice, check_heads, check_inputs, check_mask, check_sizes

Mask = Tensor | None  # bool, True = may attend; None hides nothing
Cache = KeyValueCache | None  # None remembers nothing


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Mask = None, *, scale: float | None = None
) -> tuple[Tensor, Tensor]:
    """softmax(Q Kᵀ / √d_k) V, equation 1.

    query: ``(..., len_q, d_k)``; key: ``(..., len_k, d_k)``; value: ``(..., len_k, d_v)``, floating
    point.
    mask: bool, broadcastable to ``(..., len_q, len_k)``; ``True`` = may attend.
    scale: factor on the dot products; ``1/√d_k`` unless given.

    Returns the output ``(..., len_q, d_v)`` and the weights ``(..., len_q, len_k)``. The weights
    take memory quadratic in the length; ``MultiHeadAttention`` called with ``need_weights=False``
    never builds them.

    Raises ValueError for shapes that do not fit together and a mask that is not bool.
    """
    check_inputs(query, key, value)
    if scale is None:
        scale = 1 / math.sqrt(query.size(-1))
    scores = (query * scale) @ key.transpose(-2, -1)  # scaled first: float16 ends at 65504
    weights = masked_softmax(scores, mask)  # (..., T_q, T_k)
    return weights @ value, weights  # (..., T_q, d_v), (..., T_q, T_k)


def masked_softmax(scores: Tensor, mask: Mask) -> Tensor:
    """The weights of scores ``(..., len_q, len_k)``: a softmax over the keys that the mask allows.

    Raises ValueError for a mask that is not bool or does not broadcast to the scores.
    """
    if mask is None:
        return scores.softmax(dim=-1)
    check_mask(mask, scores.shape)
    # The lowest finite score rather than -inf: exp() makes it exactly 0 in any row that has a key
    # left, and a row that has none stays finite, forward and backward, until the second fill sets
    # it to 0.
    hidden = ~mask.expand_as(scores)
    weights = scores.masked_fill(hidden, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return weights.masked_fill(hidden, 0.0)


class AdditiveAttention(nn.Module):
    """A small network scores a query against a key: w · tanh(W_q q + W_k k).

    It costs ``len_q · len_k · d_hidden`` intermediate numbers, where the dot product needs ``len_q
    · len_k``.

    Raises ValueError for a size that is not a whole number above 0.
    """

    def __init__(self, d_query: int, d_key: int, d_hidden: int):
        super().__init__()
        check_sizes(d_query=d_query, d_key=d_key, d_hidden=d_hidden)
        self.w_q = nn.Linear(d_query, d_hidden, bias=False)
        self.w_k = nn.Linear(d_key, d_hidden, bias=False)
        self.w_score = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Mask = None):
        """query: ``(..., len_q, d_query)``; key: ``(..., len_k, d_key)``;
        value: ``(..., len_k, d_v)``.

        Returns the output ``(..., len_q, d_v)`` and the weights ``(..., len_q, len_k)``.
        Raises ValueError for shapes that do not fit together or a mask that is not bool.
        """
        sizes = (self.w_q.in_features, self.w_k.in_features)
        check_inputs(query, key, value, sizes=sizes, layer=self.w_q)
        q = self.w_q(query)  # (..., T_q, d_hidden)
        k = self.w_k(key)  # (..., T_k, d_hidden)
        hidden = torch.tanh(q.unsqueeze(-2) + k.unsqueeze(-3))  # (..., T_q, T_k, d_hidden)
        weights = masked_softmax(self.w_score(hidden).squeeze(-1), mask)  # (..., T_q, T_k)
        return weights @ value, weights


class MultiHeadAttention(nn.Module):
    """Several attentions side by side, each in its own projection of the input (section 3.2.2).

    One matrix holds the projections of all heads: columns ``h·d_k .. (h+1)·d_k - 1`` of ``x W^Q``
    belong to head ``h``. As in the paper there are no biases unless asked for, and ``d_k = d_v =
    d_model / n_heads`` unless given.

    Raises ValueError for a size that is not a whole number above 0, and if ``d_model`` is not
    divisible by ``n_heads`` and ``d_k`` and ``d_v`` are not both given.
    """

    def __init__(self, d_model: int, n_heads: int, *, d_k=None, d_v=None, bias=False):
        super().__init__()
        check_sizes(d_model=d_model, n_heads=n_heads)
        check_choice("bias", bias)
        if d_k is None or d_v is None:
            check_heads(d_model, n_heads)
        self.d_model = d_model
        self.n_heads = n_heads
        self.d_k = d_model // n_heads if d_k is None else d_k
        self.d_v = d_model // n_heads if d_v is None else d_v
        check_sizes(d_k=self.d_k, d_v=self.d_v)
        self.w_q = nn.Linear(d_model, n_heads * self.d_k, bias=bias)
        self.w_k = nn.Linear(d_model, n_heads * self.d_k, bias=bias)
        self.w_v = nn.Linear(d_model, n_heads * self.d_v, bias=bias)
        self.w_o = nn.Linear(n_heads * self.d_v, d_model, bias=bias)

    def forward(self, query, key, value, mask=None, *, cache: Cache = None, need_weights=True):
        """query: ``(batch, len_q, d_model)``; key and value: ``(batch, len_k, d_model)``.

        mask: bool, broadcastable to ``(batch, n_heads, len_q, len_k)``; ``True`` = may attend.
        cache: keys and values of earlier tokens, which ``len_k`` counts too.

        Returns the output ``(batch, len_q, d_model)`` and the weights ``(batch, n_heads, len_q,
        len_k)``. With ``need_weights=False`` the weights are None and torch's fused kernel does the
        work. The output is the same to 1e-5, and where ``d_k`` equals ``d_v`` the memory grows with
        the length and not with its square. That kernel has a first derivative alone: for second
        ones, and for forward mode (``torch.func.jvp``, ``torch.func.hessian``), ask for the
        weights.

        Raises ValueError for shapes that do not fit together or a mask that is not bool.
        """
        check_inputs(query, key, value, sizes=(self.d_model,) * 3, axes=3, layer=self.w_q)
        queries = self.split_heads(self.w_q(query))  # (B, H, T_q, d_k)
        keys, values = self.keys_and_values(key, value, cache)  # (B, H, T_k, d_k or d_v)
        attend = scaled_dot_product_attention if need_weights else fused_attention
        heads, weights = attend(queries, keys, values, mask)
        return self.w_o(heads.transpose(1, 2).flatten(2)), weights  # (B, T_q, D), (B, H, T_q, T_k)

    def split_heads(self, x: Tensor) -> Tensor:
        """Cut the last axis into heads and move them before the positions.

        x: ``(batch, length, n_heads · d)``. Returns ``(batch, n_heads, length, d)``.
        """
        width = x.size(-1) // self.n_heads
        return x.view(*x.shape[:-1], self.n_heads, width).transpose(1, 2)

    def keys_and_values(self, key: Tensor, value: Tensor, cache: Cache) -> tuple[Tensor, Tensor]:
        """Keys ``(batch, n_heads, length, d_k)`` and values ``(..., d_v)``, the cache's first."""
        if cache is not None and cache.complete:
            return cache.complete
        keys = self.split_heads(self.w_k(key))
        values = self.split_heads(self.w_v(value))
        return (keys, values) if cache is None else cache.append(keys, values)


def fused_attention(query: Tensor, key: Tensor, value: Tensor, mask: Mask) -> tuple[Tensor, None]:
    """The output of equation 1 by torch's fused kernel, which never builds the weights."""
    if mask is not None:
        # The scores' shape, (B, H, T_q, T_k).
        check_mask(mask, (max(query.size(0), key.size(0)), *query.shape[1:3], key.size(2)))
        mask = torch.atleast_2d(mask)  # torch's kernel broadcasts no fewer axes
    return nn.functional.scaled_dot_product_attention(query, key, value, mask), None
