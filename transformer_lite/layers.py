"""A layer is two or three sub-layers, each wrapped in the same shell: add what it found, then normalise.

The encoder layer asks its own sentence (self-attention), then thinks about each position alone (feed-forward). The
decoder layer does the same with the translation so far, and in between asks the encoder's output, the memory
(cross-attention). Sections 3.1 and 3.3; dropout stands where section 5.4 puts it, on every sub-layer's output.

Shapes: ``B`` batch, ``T`` length, ``D`` d_model, ``H`` heads.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from .attention import MultiHeadAttention


class FeedForward(nn.Sequential):
    """Linear(ReLU(Linear(x))), the same at every position: equation 2. ``(..., d_model)`` -> ``(..., d_model)``."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))


class Dropout(nn.Dropout):
    """Set each number to 0 with probability p and divide the others by 1 - p, so that the mean stays (section 5.4).

    What costs in ``nn.Dropout`` on a CPU is drawing a random float for each number; here 16 random bits decide.
    """

    def __call__(self, x: Tensor) -> Tensor:
        # A module's call takes time even if it does nothing: seven of them are 4 % of writing a token with two layers.
        return super().__call__(x) if self.training and self.p else x

    def forward(self, x: Tensor) -> Tensor:
        draws = torch.empty(-(-x.numel() // 4), dtype=torch.int64, device=x.device).random_(-(2**63), None)
        kept = torch.empty_like(x)
        torch.ge(draws.view(torch.int16)[: x.numel()].view(x.shape), round(self.p * 2**16) - 2**15, out=kept)
        return x * kept.mul_(1 / (1 - self.p))


class Residual(nn.Module):
    """The shell around a sub-layer: a residual sum, dropout on what is added, and LayerNorm.

    Post-norm, as in the paper: ``LayerNorm(x + Dropout(Sublayer(x)))``.
    Pre-norm (``norm_first``): ``x + Dropout(Sublayer(LayerNorm(x)))``.

    It is used in two halves, around the sub-layer::

        found = sublayer(residual.before(x))
        x = residual.after(x, found)
    """

    def __init__(self, d_model: int, dropout: float, norm_first: bool):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.dropout = Dropout(dropout)
        self.norm_first = norm_first

    def before(self, x: Tensor) -> Tensor:
        return self.norm(x) if self.norm_first else x

    def after(self, x: Tensor, found: Tensor) -> Tensor:
        x = x + self.dropout(found)
        return x if self.norm_first else self.norm(x)


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward."""

    def __init__(self, d_model: int, n_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = False):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.residuals = nn.ModuleList(Residual(d_model, dropout, norm_first) for _ in range(2))

    def forward(self, x: Tensor, mask: Tensor | None = None, *, need_weights: bool = True):
        """x: ``(batch, length, d_model)``; mask: broadcastable to ``(batch, n_heads, length, length)``.

        Returns the new x and the self-attention weights ``(batch, n_heads, length, length)``, or None in their place
        if they are not needed.
        """
        around_attention, around_feed_forward = self.residuals
        h = around_attention.before(x)
        found, weights = self.self_attention(h, h, h, mask, need_weights=need_weights)
        x = around_attention.after(x, found)
        x = around_feed_forward.after(x, self.feed_forward(around_feed_forward.before(x)))
        return x, weights


@dataclass
class LayerCache:
    """What a decoder layer need not compute again when the translation grows by a token.

    ``memory``: keys and values of the encoder's output, ``past``: keys and values of the tokens so far, both pairs of
    ``(batch, n_heads, length, d)``. ``project``: makes queries, keys and values of a new token.
    """

    memory: tuple[Tensor, Tensor]
    project: Callable[[Tensor], tuple[Tensor, Tensor, Tensor]]
    past: tuple[Tensor, Tensor] | None = None

    def append(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Add the keys and values of the newest token; return those of all tokens."""
        if self.past is not None:
            keys = torch.cat((self.past[0], keys), dim=2)  # (B, H, T, d_k)
            values = torch.cat((self.past[1], values), dim=2)  # (B, H, T, d_v)
        self.past = keys, values
        return self.past

    def select(self, rows: Tensor) -> None:
        """Keep these rows of the batch, in this order (rows: ``(new_batch,)``, integer)."""
        self.memory = tuple(x[rows] for x in self.memory)
        if self.past is not None:
            self.past = tuple(x[rows] for x in self.past)


class DecoderLayer(nn.Module):
    """Self-attention over the translation so far, cross-attention to the memory, then feed-forward."""

    def __init__(self, d_model: int, n_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = False):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, n_heads)
        self.cross_attention = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.residuals = nn.ModuleList(Residual(d_model, dropout, norm_first) for _ in range(3))

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        *,
        need_weights: bool = True,
    ):
        """x: ``(batch, len_t, d_model)``; memory: ``(batch, len_s, d_model)``, the encoder's output.

        mask: broadcastable to ``(batch, n_heads, len_t, len_t)``, causal in training;
        memory_mask: broadcastable to ``(batch, n_heads, len_t, len_s)``, the source's padding.

        Returns the new x, the self-attention weights ``(batch, n_heads, len_t, len_t)`` and the cross-attention
        weights ``(batch, n_heads, len_t, len_s)``, or None in their places if they are not needed.
        Raises ValueError for shapes that do not fit together or a mask that is not bool.
        """
        self.self_attention.check(x, x, x, mask)
        self.cross_attention.check(x, memory, memory, memory_mask)
        return self.extend(x, self.cache(memory), mask, memory_mask, need_weights=need_weights)

    def cache(self, memory: Tensor, *, joined: bool = False) -> LayerCache:
        """Begin a translation: project the memory once, for as many steps as follow.

        joined: copy the weights of the self-attention side by side, which makes those steps faster.
        """
        attention = self.self_attention
        project = attention.joined() if joined else attention.project
        return LayerCache(self.cross_attention.keys_values(memory, memory), project)

    def extend(self, x: Tensor, cache: LayerCache, mask=None, memory_mask=None, *, need_weights=True):
        """Like ``forward``, for tokens that follow those in ``cache``; ``mask`` covers past and new keys."""
        around_self, around_cross, around_feed_forward = self.residuals
        h = around_self.before(x)
        queries, *new = cache.project(h)
        found, self_weights = self.self_attention.attend(queries, *cache.append(*new), mask, need_weights=need_weights)
        x = around_self.after(x, found)
        cross, h = self.cross_attention, around_cross.before(x)
        found, cross_weights = cross.attend(cross.queries(h), *cache.memory, memory_mask, need_weights=need_weights)
        x = around_cross.after(x, found)
        x = around_feed_forward.after(x, self.feed_forward(around_feed_forward.before(x)))
        return x, self_weights, cross_weights
