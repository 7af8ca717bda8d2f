"""What has changed since 2017, one choice each, and what a model with these choices costs.

A ``Plan`` says what a decoder alone is built from. ``Decoder`` builds it; ``weights``,
``cache_bytes`` and ``multiplications`` are its bill, which needs no more than the plan, so that it
can be written for a model that fits into no memory of yours. Chapter 12 builds each of the parts in
the open.

Shapes: ``B`` batch, ``T`` length, ``D`` d_model, ``H`` heads, ``G`` key heads.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor, nn

from .attention import Cache, masked_softmax
from .cache import KeyValueCache
from .checks import (
    check_choice,
    check_ids,
    check_length,
    check_one_of,
    check_share,
    check_whole,
    is_finite,
)
from .layers import ResidualLayer
from .masks import causal_mask
from .positions import sinusoidal_encoding
from .vocabulary import PAD_ID


@dataclass(frozen=True)
class Plan:
    """What a decoder alone is built from.

    key_heads: how many heads of keys and values the ``n_heads`` heads of queries share; as many as
    those unless given. d_head: numbers in a query; ``d_model / n_heads`` unless given. activation,
    norm, positions: a name in ``ACTIVATIONS``, ``NORMS``, ``POSITIONS``. gated: a third matrix in
    the feed-forward network, whose product gates that of the first (SwiGLU where the activation is
    ``silu``). max_length: rows of a learned table of positions, and the longest text that a
    ``Decoder`` reads. attention_bias: ``none``, ``qkv``, which leaves the output matrix without
    one, or ``all``. window: how many tokens a query may look at, itself included. tied: scores are
    made with the embedding's own table. encoder_layers: how many layers of an encoder stand beside
    the ``n_layers`` of the decoder, which then have a cross-attention each; the bill counts them,
    and ``Decoder`` does not build them.

    Raises ValueError for sizes that do not fit together and for an unknown choice.
    """

    vocab_size: int
    d_model: int
    n_layers: int
    n_heads: int
    d_ff: int
    key_heads: int | None = None
    d_head: int | None = None
    activation: str = "relu"
    gated: bool = False
    norm: str = "layer"
    norm_first: bool = True
    positions: str = "waves"
    max_length: int = 256
    attention_bias: str = "none"
    feed_forward_bias: bool = True
    window: int | None = None
    tied: bool = False
    dropout: float = 0.0
    encoder_layers: int = 0

    def __post_init__(self):
        for name in ("vocab_size", "d_model", "n_layers", "n_heads", "d_ff", "max_length"):
            check_whole(name, getattr(self, name), 1)
        check_whole("encoder_layers", self.encoder_layers, 0)
        check_share("dropout", self.dropout)
        for name in ("gated", "norm_first", "feed_forward_bias", "tied"):
            check_choice(name, getattr(self, name))
        check_one_of("activation", self.activation, ACTIVATIONS)
        check_one_of("norm", self.norm, NORMS)
        check_one_of("positions", self.positions, POSITIONS)
        check_one_of("attention_bias", self.attention_bias, ("none", "qkv", "all"))
        for name in ("key_heads", "d_head", "window"):
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name), 1)
        if self.d_head is None and self.d_model % self.n_heads:
            raise ValueError(
                f"d_model={self.d_model} is not divisible by n_heads={self.n_heads}; give d_head"
            )
        if self.n_heads % self.groups:
            raise ValueError(
                f"n_heads={self.n_heads} is not divisible by key_heads={self.groups}: each key "
                "head serves equally many"
            )
        POSITIONS[self.positions].weights(self)  # refuses sizes that it cannot have

    @property
    def groups(self) -> int:
        """How many heads of keys and values there are."""
        return self.key_heads or self.n_heads

    @property
    def size_of_head(self) -> int:
        """How many numbers a query, a key or a value has in one head."""
        return self.d_head or self.d_model // self.n_heads


def weights(plan: Plan) -> dict[str, int]:
    """How many weights each box holds, all layers together; their sum is the model's."""
    queries = plan.n_heads * plan.size_of_head
    keys = plan.groups * plan.size_of_head
    attention = 2 * plan.d_model * (queries + keys)
    if plan.attention_bias != "none":
        attention += queries + 2 * keys
    if plan.attention_bias == "all":
        attention += plan.d_model

    matrices = NETWORKS[plan.gated].matrices
    network = matrices * plan.d_model * plan.d_ff
    if plan.feed_forward_bias:
        network += (matrices - 1) * plan.d_ff + plan.d_model

    norm = plan.d_model * len(list(NORMS[plan.norm](1).parameters()))  # its vectors
    stacks = 2 if plan.encoder_layers else 1
    attentions = plan.n_layers * stacks + plan.encoder_layers
    layers = plan.n_layers + plan.encoder_layers
    norms = attentions + layers + (stacks if plan.norm_first else 0)
    table = plan.vocab_size * plan.d_model
    return {
        "embedding": table,
        "positions": POSITIONS[plan.positions].weights(plan),
        "attention": attentions * attention,
        "feed-forward": layers * network,
        "norms": norms * norm,
        "output": 0 if plan.tied else table,
    }


def cache_bytes(plan: Plan, tokens: int, bytes_each: float = 2) -> float:
    """What the keys and values of a text of so many tokens take, ``bytes_each`` for a number. With
    a window only its tokens are kept.
    """
    check_whole("tokens", tokens, 0)
    if not is_finite(bytes_each) or bytes_each <= 0:
        raise ValueError(f"bytes_each must be a number above 0; got {bytes_each!r:.30}")
    kept = tokens if plan.window is None else min(tokens, plan.window)
    return 2 * kept * plan.n_layers * plan.groups * plan.size_of_head * bytes_each


def multiplications(plan: Plan, tokens: int) -> int:
    """How many a decoder alone needs to write one token, behind a text that has so many with it.

    Every matrix meets the token's vector once, and every query meets the keys and values in its
    reach. Norms, activations and the looking up of an embedding are not counted.

    Raises ValueError for a plan with an encoder.
    """
    check_whole("tokens", tokens, 1)
    if plan.encoder_layers:
        raise ValueError("a plan with an encoder: count a Transformer by its own shapes")
    reach = tokens if plan.window is None else min(tokens, plan.window)
    wide = plan.n_heads * plan.size_of_head
    narrow = plan.groups * plan.size_of_head
    projections = 2 * plan.d_model * (wide + narrow)
    network = NETWORKS[plan.gated].matrices * plan.d_model * plan.d_ff
    a_layer = projections + network + 2 * reach * wide
    return plan.n_layers * a_layer + plan.vocab_size * plan.d_model


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
        """How many it has, for the bill. Raises ValueError for sizes that it cannot have."""
        return 0

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
    def weights(plan: Plan) -> int:
        if plan.size_of_head % 2:
            given = "d_head" if plan.d_head else "d_model / n_heads"
            raise ValueError(f"rotary turns pairs: {given} must be even; got {plan.size_of_head}")
        return 0

    def turn(self, x: Tensor, past: int) -> Tensor:
        return rotate(x, past)


class Bias(Positions):
    """The scores lowered with the distance, see ``distance_bias``."""

    def bias(self, scores: Tensor) -> Tensor:
        _, n_heads, length, keys = scores.shape
        return scores + distance_bias(n_heads, length, keys - length).to(scores)


POSITIONS = {"waves": Waves, "learned": Learned, "rotary": Rotary, "bias": Bias, "none": Positions}
NORMS = {"layer": nn.LayerNorm, "rms": partial(nn.RMSNorm, eps=1e-5)}
ACTIVATIONS = {"relu": nn.ReLU, "gelu": nn.GELU, "silu": nn.SiLU}


class TwoLayers(nn.Sequential):
    """W_out act(W_in x), as in the paper. ``(..., d_model)`` -> ``(..., d_model)``."""

    matrices = 2

    def __init__(self, plan: Plan):
        super().__init__(
            nn.Linear(plan.d_model, plan.d_ff, bias=plan.feed_forward_bias),
            ACTIVATIONS[plan.activation](),
            nn.Linear(plan.d_ff, plan.d_model, bias=plan.feed_forward_bias),
        )


class Gated(nn.Module):
    """W_out (act(W_gate x) · W_in x): one product opens or shuts the other (Shazeer, 2020). ``(...,
    d_model)`` -> ``(..., d_model)``.
    """

    matrices = 3

    def __init__(self, plan: Plan):
        super().__init__()
        bias = plan.feed_forward_bias
        self.gate = nn.Linear(plan.d_model, plan.d_ff, bias=bias)
        self.into = nn.Linear(plan.d_model, plan.d_ff, bias=bias)
        self.out = nn.Linear(plan.d_ff, plan.d_model, bias=bias)
        self.activation = ACTIVATIONS[plan.activation]()

    def forward(self, x: Tensor) -> Tensor:
        """x: ``(..., d_model)``. Returns the same shape."""
        return self.out(self.activation(self.gate(x)) * self.into(x))


NETWORKS = {False: TwoLayers, True: Gated}


class GroupedAttention(nn.Module):
    """Causal attention whose heads of queries share fewer heads of keys and values."""

    def __init__(self, plan: Plan):
        super().__init__()
        self.plan = plan
        queries = plan.n_heads * plan.size_of_head
        keys = plan.groups * plan.size_of_head
        bias = plan.attention_bias != "none"
        self.w_q = nn.Linear(plan.d_model, queries, bias=bias)
        self.w_k = nn.Linear(plan.d_model, keys, bias=bias)
        self.w_v = nn.Linear(plan.d_model, keys, bias=bias)
        self.w_o = nn.Linear(queries, plan.d_model, bias=plan.attention_bias == "all")

    def forward(self, x: Tensor, mask: Tensor, positions: Positions, cache: Cache = None):
        """x: ``(batch, length, d_model)``; mask: ``(length, past + length)``.

        Returns the output, ``(batch, length, d_model)``, and the weights ``(batch, n_heads, length,
        past + length)``. With a window a cache keeps its tokens alone, and the weights are over
        these and the new ones.
        """
        past = cache.length if cache else 0
        d = self.plan.size_of_head
        q, k, v = (
            matrix(x).unflatten(-1, (-1, d)).transpose(1, 2)
            for matrix in (self.w_q, self.w_k, self.w_v)
        )  # (B, H, T, d), and twice (B, G, T, d)
        q = positions.turn(q, past)
        k = positions.turn(k, past)
        if cache is not None:
            k, v = cache.append(k, v)  # (B, G, past + T, d)
            if self.plan.window is not None:
                cache.keep(self.plan.window)
        kept = k.size(2) - x.size(1)
        copies = self.plan.n_heads // self.plan.groups
        k = k.repeat_interleave(copies, dim=1)
        v = v.repeat_interleave(copies, dim=1)
        scores = positions.bias(q @ k.transpose(-2, -1) / d**0.5)  # (B, H, T, past + T)
        weights = masked_softmax(scores, mask[:, past - kept :])
        return self.w_o((weights @ v).transpose(1, 2).flatten(2)), weights


class Layer(ResidualLayer):
    """An attention and a feed-forward network, each with its residual sum and its norm."""

    def __init__(self, plan: Plan):
        super().__init__(plan.dropout, plan.norm_first)
        self.attention = GroupedAttention(plan)
        self.feed_forward = NETWORKS[plan.gated](plan)
        self.norm1 = NORMS[plan.norm](plan.d_model)
        self.norm2 = NORMS[plan.norm](plan.d_model)

    def forward(self, x: Tensor, mask: Tensor, positions: Positions, cache: Cache = None):
        """x: ``(batch, length, d_model)``; mask: ``(length, past + length)``. Returns a new x of
        the same shape, and the attention's weights ``(batch, n_heads, length, past + length)``.
        """
        h = self.sublayer_input(x, self.norm1)
        h, weights = self.attention(h, mask, positions, cache)
        x = self.add_and_norm(x, h, self.norm1)
        h = self.sublayer_input(x, self.norm2)
        return self.add_and_norm(x, self.feed_forward(h), self.norm2), weights


class Decoder(nn.Module):
    """The decoder alone that a plan describes; ``decoder_only.write`` writes with it too.

    Raises ValueError for a plan with an encoder.
    """

    def __init__(self, plan: Plan):
        super().__init__()
        if plan.encoder_layers:
            raise ValueError("a decoder alone has no encoder; Transformer has both")
        self.plan = plan
        self.max_length = plan.max_length
        self.embedding = nn.Embedding(plan.vocab_size, plan.d_model, padding_idx=PAD_ID)
        nn.init.normal_(self.embedding.weight, std=plan.d_model**-0.5)
        self.embedding.weight.data[PAD_ID] = 0.0
        self.positions = POSITIONS[plan.positions](plan)
        self.layers = nn.ModuleList(Layer(plan) for _ in range(plan.n_layers))
        self.norm = NORMS[plan.norm](plan.d_model) if plan.norm_first else nn.Identity()
        self.output = nn.Linear(plan.d_model, plan.vocab_size, bias=False)
        if plan.tied:
            self.output.weight = self.embedding.weight

    def forward(self, ids: Tensor, *, cache: Sequence[KeyValueCache] | None = None) -> Tensor:
        """ids: ``(batch, length)``, integers, padded at the end; cache: one per layer, see
        ``decoder_only.new_cache``. Returns logits ``(batch, length, vocab_size)``.

        Raises ValueError for ids that are not such integers and for a text that is too long.
        """
        check_ids(ids=ids)
        past = cache[0].length if cache else 0
        end = past + ids.size(1)
        check_length("text", past, ids.size(1), self.max_length)
        x = self.positions.embed(self.embedding(ids) * self.plan.d_model**0.5, past)  # (B, T, D)
        mask = causal_mask(end, ids.device)
        if self.plan.window is not None:
            mask = mask.triu(1 - self.plan.window)
        for layer, its_cache in zip(self.layers, cache or [None] * len(self.layers), strict=True):
            x, _ = layer(x, mask[past:], self.positions, its_cache)
        return self.output(self.norm(x))  # (B, T, V)


# As their makers published them.
PAPER_BASE = Plan(
    vocab_size=37_000,
    d_model=512,
    n_layers=6,
    encoder_layers=6,
    n_heads=8,
    d_ff=2048,
    norm_first=False,
    tied=True,
    dropout=0.1,
)
GPT_2 = Plan(
    vocab_size=50_257,
    d_model=768,
    n_layers=12,
    n_heads=12,
    d_ff=3072,
    activation="gelu",
    positions="learned",
    max_length=1024,
    attention_bias="all",
    tied=True,
    dropout=0.1,
)
LLAMA_2_7B = Plan(
    vocab_size=32_000,
    d_model=4096,
    n_layers=32,
    n_heads=32,
    d_ff=11_008,
    activation="silu",
    gated=True,
    norm="rms",
    positions="rotary",
    max_length=4096,
    feed_forward_bias=False,
)
LLAMA_3_8B = replace(LLAMA_2_7B, vocab_size=128_256, key_heads=8, d_ff=14_336, max_length=8192)
PUBLISHED = {
    "paper's base model": PAPER_BASE,
    "GPT-2 small": GPT_2,
    "Llama 2 7B": LLAMA_2_7B,
    "Llama 3 8B": LLAMA_3_8B,
}
