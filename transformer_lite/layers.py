"""A layer is two or three sub-layers, each in the same shell: add its output, normalise.

The encoder layer asks its own sentence (self-attention), then thinks about each position alone
(feed-forward). The decoder layer does the same with the translation so far, and in between asks the
encoder's output, the memory (cross-attention). Sections 3.1 and 3.3; dropout stands where section
5.4 puts it, on every sub-layer's output.

Shapes: ``B`` batch, ``T`` length, ``D`` d_model, ``H`` heads.
"""

from collections.abc import Callable
from typing import NamedTuple

from torch import Tensor, nn

from .attention import Cache, Mask, MultiHeadAttention
from .checks import check_choice, check_share, check_vectors


class FeedForward(nn.Sequential):
    """Linear(ReLU(Linear(x))) at every position: equation 2. ``(..., d_model)`` in and out."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))


class Parts(NamedTuple):
    """What a layer makes its parts with: a norm of d_model, a network of d_model and d_ff."""

    norm: Callable[[int], nn.Module] = nn.LayerNorm
    feed_forward: Callable[[int, int], nn.Module] = FeedForward


PAPER = Parts()


class ResidualLayer(nn.Module):
    """The shell around every sub-layer: dropout on what it found, a residual sum, and a norm.

    Post-norm, as in the paper: ``LayerNorm(x + Dropout(Sublayer(x)))``.
    Pre-norm (``norm_first``): ``x + Dropout(Sublayer(LayerNorm(x)))``.
    """

    def __init__(self, dropout: float, norm_first: bool):
        super().__init__()
        check_share("dropout", dropout)
        check_choice("norm_first", norm_first)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def sublayer_input(self, x: Tensor, norm: nn.Module) -> Tensor:
        """What a sub-layer reads, ``(..., d_model)``: x, and in pre-norm order the norm of x."""
        return norm(x) if self.norm_first else x

    def add_and_norm(self, x: Tensor, output: Tensor, norm: nn.Module) -> Tensor:
        """x plus the sub-layer's output, ``(..., d_model)``; in post-norm order, its norm."""
        x = x + self.dropout(output)
        return x if self.norm_first else norm(x)


class EncoderLayer(ResidualLayer):
    """Self-attention, then feed-forward.

    parts: what its norms and its feed-forward are made with; the paper's unless given.
    """

    def __init__(
        self, d_model: int, n_heads: int, d_ff: int, dropout=0.1, norm_first=False, parts=PAPER
    ):
        super().__init__(dropout, norm_first)
        self.self_attention = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = parts.feed_forward(d_model, d_ff)
        self.norm1 = parts.norm(d_model)
        self.norm2 = parts.norm(d_model)

    def forward(self, x: Tensor, mask: Mask = None, *, cache: Cache = None, need_weights=True):
        """x: ``(batch, length, d_model)``; mask: bool, broadcastable to ``(batch, n_heads, length,
        length)``. cache: keys and values of the text so far, see ``decoder_only``.

        Returns the new x and the self-attention weights ``(batch, n_heads, length, length)``, or
        None in their place if they are not needed. Raises ValueError as ``MultiHeadAttention``
        does.
        """
        check_vectors("x", x, self.self_attention.d_model, axes=3)
        h = self.sublayer_input(x, self.norm1)
        h, weights = self.self_attention(h, h, h, mask, cache=cache, need_weights=need_weights)
        x = self.add_and_norm(x, h, self.norm1)
        h = self.sublayer_input(x, self.norm2)
        return self.add_and_norm(x, self.feed_forward(h), self.norm2), weights


class DecoderLayer(ResidualLayer):
    """Self-attention over the translation so far, cross-attention to the memory, then
    feed-forward. Its parts are made as an ``EncoderLayer``'s.
    """

    def __init__(
        self, d_model: int, n_heads: int, d_ff: int, dropout=0.1, norm_first=False, parts=PAPER
    ):
        super().__init__(dropout, norm_first)
        self.self_attention = MultiHeadAttention(d_model, n_heads)
        self.cross_attention = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = parts.feed_forward(d_model, d_ff)
        self.norm1 = parts.norm(d_model)
        self.norm2 = parts.norm(d_model)
        self.norm3 = parts.norm(d_model)

    def forward(
        self, x, memory, mask=None, memory_mask=None, *, caches=(None, None), need_weights=True
    ):
        """x: ``(batch, len_t, d_model)``; memory: ``(batch, len_s, d_model)``, of the encoder.

        mask: bool, broadcastable to ``(batch, n_heads, len_t, len_t)``, causal in training;
        memory_mask: bool, broadcastable to ``(batch, n_heads, len_t, len_s)``, the source's
        padding.
        caches: one for self- and one for cross-attention, while a translation is written; as keys,
        the last axis of ``mask`` and of the self-attention weights then counts the tokens before
        these too.

        Returns the new x, the self-attention weights ``(batch, n_heads, len_t, len_t)`` and the
        cross-attention weights ``(batch, n_heads, len_t, len_s)``, or None in their places if they
        are not needed. Raises ValueError as ``MultiHeadAttention`` does.
        """
        check_vectors("x", x, self.self_attention.d_model, axes=3)
        check_vectors("memory", memory, self.cross_attention.d_model, axes=3)
        own_cache, memory_cache = caches
        h = self.sublayer_input(x, self.norm1)
        h, own = self.self_attention(h, h, h, mask, cache=own_cache, need_weights=need_weights)
        x = self.add_and_norm(x, h, self.norm1)
        h = self.sublayer_input(x, self.norm2)
        h, cross = self.cross_attention(
            h, memory, memory, memory_mask, cache=memory_cache, need_weights=need_weights
        )
        x = self.add_and_norm(x, h, self.norm2)
        h = self.sublayer_input(x, self.norm3)
        return self.add_and_norm(x, self.feed_forward(h), self.norm3), own, cross
