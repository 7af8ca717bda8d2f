"""What a plan takes by name: schemes of positions, norms and activations.

Each is one small class, or a class of torch's. A new one is written here, and named in
``POSITIONS``, ``NORMS`` or ``ACTIVATIONS``.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from ..positions import sinusoidal_encoding

if TYPE_CHECKING:  # a plan, in turn, asks here whether there is what it names
    from .plan import Plan


def rotate(x: Tensor, first: int = 0) -> Tensor:
    """Turn each pair of numbers by its position: rotary encoding (Su et al., 2021).

    x: ``(..., length, d)``, queries or keys of one head, the first of which stands at position
    ``first``. Pair ``i`` turns by ``10000^(-2i/d)`` at each position, like the sines of
    ``positions``.
    """
    d = x.size(-1)
    places = torch.arange(first, first + x.size(-2), device=x.device, dtype=torch.float64)
    speeds = 10000 ** (-torch.arange(0, d, 2, device=x.device, dtype=torch.float64) / d)
    angles = torch.outer(places, speeds)  # (T, d/2)
    cos = angles.cos().to(x.dtype)
    sin = angles.sin().to(x.dtype)
    even = x[..., 0::2]
    odd = x[..., 1::2]
    return torch.stack((even * cos + odd * sin, odd * cos - even * sin), dim=-1).flatten(-2)


def distance_bias(n_heads: int, length: int, past: int = 0) -> Tensor:
    """What a bias by distance adds to the scores, ``(n_heads, length, past + length)``: minus the
    distance, times a slope that each head has of its own (Press et al., 2021).

    The slopes are ``2^(-8/H), 2^(-16/H), ... 2^-8``: the first head looks near, the last one far.
    """
    slopes = 2 ** (-8 * torch.arange(1, n_heads + 1) / n_heads)
    distance = torch.arange(past, past + length)[:, None] - torch.arange(past + length)
    return -slopes[:, None, None] * distance


class Positions(nn.Module):
    """A scheme of positions, which overrides some of these methods; this one has none.

    past: how many tokens stand before the first of these.
    """

    def __init__(self, plan: Plan):
        super().__init__()

    @staticmethod
    def weights(plan: Plan) -> int:
        """How many it has, for the bill."""
        return 0

    @staticmethod
    def check(plan: Plan) -> None:
        """Raise a ValueError for sizes that it cannot have."""

    def embed(self, x: Tensor, past: int) -> Tensor:
        """The tokens as the first layer reads them, ``(batch, length, d_model)``."""
        return x

    def turn(self, x: Tensor, past: int) -> Tensor:
        """The queries or the keys of all heads, ``(batch, heads, length, d)``."""
        return x

    def bias(self, scores: Tensor) -> Tensor:
        """The scores, ``(batch, n_heads, length, keys)``; the last key is the last query's."""
        return scores


class Waves(Positions):
    """Sinusoids, added to the tokens, as in the paper."""

    table: Tensor  # a buffer

    def __init__(self, plan: Plan):
        super().__init__(plan)
        table = sinusoidal_encoding(plan.max_length, plan.d_model)
        self.register_buffer("table", table, persistent=False)

    def embed(self, x: Tensor, past: int) -> Tensor:
        return x + self.table[past : past + x.size(1)]


class Learned(Positions):
    """A table that is learnt, added to the tokens."""

    def __init__(self, plan: Plan):
        super().__init__(plan)
        self.table = nn.Embedding(plan.max_length, plan.d_model)
        nn.init.normal_(self.table.weight, std=plan.d_model**-0.5)

    @staticmethod
    def weights(plan: Plan) -> int:
        return plan.max_length * plan.d_model

    def embed(self, x: Tensor, past: int) -> Tensor:
        return x + self.table.weight[past : past + x.size(1)] * x.size(-1) ** 0.5


class Rotary(Positions):
    """Queries and keys turned, see ``rotate``."""

    @staticmethod
    def check(plan: Plan) -> None:
        turned = plan.latent.d_rotary if plan.latent else plan.size_of_head
        given = (
            "Latent's d_rotary" if plan.latent else "d_head" if plan.d_head else "d_model / n_heads"
        )
        if turned % 2 or not turned:
            raise ValueError(
                f"rotary turns pairs: {given} must be even and at least 2; got {turned}"
            )

    def turn(self, x: Tensor, past: int) -> Tensor:
        return rotate(x, past)


class Bias(Positions):
    """The scores lowered with the distance, see ``distance_bias``."""

    def bias(self, scores: Tensor) -> Tensor:
        _, n_heads, length, keys = scores.shape
        return scores + distance_bias(n_heads, length, keys - length).to(scores)


POSITIONS = {"waves": Waves, "learned": Learned, "rotary": Rotary, "bias": Bias, "none": Positions}
NORMS = {
    "layer": nn.LayerNorm,
    "layer_without_bias": partial(nn.LayerNorm, bias=False),
    "layer_without_weights": partial(nn.LayerNorm, elementwise_affine=False),
    "rms": partial(nn.RMSNorm, eps=1e-5),
}
ACTIVATIONS = {
    "relu": nn.ReLU,
    "gelu": nn.GELU,
    "gelu_tanh": partial(nn.GELU, approximate="tanh"),
    "silu": nn.SiLU,
}
