"""What a model is built from.

A ``Plan`` says it of a whole decoder. Where a part needs more than one number, they stand together
in a value of their own: ``Experts``, ``Latent``, ``State``. Nothing is computed here; ``bill`` says
what a plan costs, and ``Decoder`` builds it.
"""

from dataclasses import asdict, dataclass
from typing import Any

from ..checks import check_choice, check_one_of, check_share, check_whole, is_finite
from .choices import ACTIVATIONS, NORMS, POSITIONS


@dataclass(frozen=True)
class Experts:
    """Many feed-forward networks, of which a router picks a few for each token (Shazeer et al.,
    2017, section 2; as here in Mixtral, Jiang et al., 2024, section 2.1).

    n_experts: how many there are; top_k: how many of them work for a token. d_ff: the width of
    each; the plan's unless given. n_shared: further ones that work for every token. dense_layers:
    how many of the lowest layers have a single network, of the plan's width. every: with 2, only
    the second, fourth, sixth layer and so on have experts, from below; with 1, all. balance: how
    far a step of training moves the bias that each expert has on the router's choice, see
    ``Router``; without a bias if it is 0.
    softmax_over: whether the shares of those that work are a softmax over the ``chosen``, or over
    ``all`` (Fedus et al., 2021, equation 2). shared_gate: what the shared ones have found counts by
    a share that each token computes.

    Raises ValueError for sizes out of range, and for a single expert at work whose share would be 1
    whatever the router says.
    """

    n_experts: int
    top_k: int
    d_ff: int | None = None
    n_shared: int = 0
    dense_layers: int = 0
    every: int = 1
    balance: float = 0.0
    softmax_over: str = "chosen"
    shared_gate: bool = False

    def __post_init__(self):
        check_whole("n_experts", self.n_experts, 1)
        check_whole("top_k", self.top_k, 1, self.n_experts)
        check_whole("n_shared", self.n_shared, 0)
        check_choice("shared_gate", self.shared_gate)
        check_whole("dense_layers", self.dense_layers, 0)
        check_whole("every", self.every, 1)
        _check_optional(self, "d_ff")
        check_one_of("softmax_over", self.softmax_over, ("chosen", "all"))
        if not is_finite(self.balance) or self.balance < 0:
            raise ValueError(f"balance must be a number of at least 0; got {self.balance!r:.30}")
        if self.top_k == 1 and self.softmax_over == "chosen":
            raise ValueError(
                "a softmax over one chosen expert is always 1, and its router learns nothing; with "
                'top_k=1 say softmax_over="all"'
            )


@dataclass(frozen=True)
class Latent:
    """Keys and values of all heads are made from one small vector for each token, which alone is
    cached: multi-head latent attention (DeepSeek-V2, 2024, section 2.1).

    d_latent: numbers in that vector. d_rotary: further numbers of each query, and of one key for
    all heads, which are there to be turned; rotary positions need them. d_query: queries are made
    from a latent too, of so many numbers.

    Raises ValueError for sizes out of range.
    """

    d_latent: int
    d_rotary: int = 0
    d_query: int | None = None

    def __post_init__(self):
        check_whole("d_latent", self.d_latent, 1)
        check_whole("d_rotary", self.d_rotary, 0)
        _check_optional(self, "d_query")


@dataclass(frozen=True)
class State:
    """A table of fixed size in each head takes the place of the keys and values: linear attention
    (Katharopoulos et al., 2020, section 3.4).

    forget: what is kept of the table at each token is computed from the token (Gated Delta
    Networks, Yang et al., 2024, section 2.1). delta: what a key finds is taken out before its new
    value is written (section 3.1). n_heads, d_key, d_value: how many tables there are, and their
    rows and columns; as the plan's heads unless given. key_heads: how many heads of queries and
    keys these share; as many as there are tables unless given. convolution: each number of a query,
    key or value is first mixed with those of the tokens right before, so many tokens with its own.

    Raises ValueError for sizes out of range and for a choice that is none.
    """

    forget: bool = True
    delta: bool = False
    n_heads: int | None = None
    key_heads: int | None = None
    d_key: int | None = None
    d_value: int | None = None
    convolution: int | None = None

    def __post_init__(self):
        check_choice("forget", self.forget)
        check_choice("delta", self.delta)
        _check_optional(self, "n_heads", "key_heads", "d_key", "d_value")
        if self.convolution is not None:
            check_whole("convolution", self.convolution, 2)


@dataclass(frozen=True)
class Plan:
    """What a decoder alone is built from.

    *Sizes.* d_ff: width of the feed-forward network. d_head and d_v: numbers in a query and in a
    value; ``d_model / n_heads``, and as many as in a query, unless given. max_length: rows of a
    learned table of positions, and the longest text that a ``Decoder`` reads.

    *Attention.* key_heads: how many heads of keys and values the ``n_heads`` heads of queries
    share; as many as those unless given. latent: keys and values are made from a ``Latent``
    instead. attention_bias: ``none``, ``qkv``, which leaves the output matrix without one, or
    ``all``. qk_norm: an RMSNorm over each head's queries and keys, before they are turned (Qwen3,
    2025, section 2). sink: a learnt score for each head, which takes part in the softmax and mixes
    nothing (gpt-oss, 2025, section 2.2). output_gate: each number that the heads have found is
    multiplied by a share that the token computes (Qiu et al., 2025, section 2.2).

    *Who looks how far.* window: how many tokens a query may look at, itself included. state: layers
    keep a ``State`` in place of the past. full_every: with 4, the fourth, eighth, twelfth layer and
    so on, from below, look at the whole text instead.

    *Everything else.* activation, norm, positions: a name in ``ACTIVATIONS``, ``NORMS``,
    ``POSITIONS``. gated: a third matrix in the feed-forward network, whose product gates that of
    the first (SwiGLU where the activation is ``silu``). experts: many such networks, of which few
    work, see ``Experts``; feed_forward_bias is that of their router too. norm_after: a second norm,
    on what each sub-layer has found (Gemma 2, 2024, section 2). embedding_norm: one on the embedded
    text, as in BLOOM. tied: scores are made with the
    embedding's own table. encoder_layers: how many layers of an encoder stand beside the
    ``n_layers`` of the decoder, which then have a cross-attention each; the bill counts them, and
    ``Decoder`` does not build them.

    What it cannot describe: an attention and a network side by side under one norm, norms after
    the sub-layers alone or over all heads together, layers of several widths, a state that forgets
    each of its rows differently, state space layers as in Mamba, an attention that reads only the
    tokens that a first look has chosen, and a further layer that predicts the token after next. A
    share of a head that is not turned, and another base of the turning, change no number of the
    bill.

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
    d_v: int | None = None
    norm_after: bool = False
    qk_norm: bool = False
    sink: bool = False
    output_gate: bool = False
    full_every: int | None = None
    experts: Experts | None = None
    latent: Latent | None = None
    state: State | None = None
    embedding_norm: bool = False

    def __post_init__(self):
        for name in ("vocab_size", "d_model", "n_layers", "n_heads", "d_ff", "max_length"):
            check_whole(name, getattr(self, name), 1)
        check_whole("encoder_layers", self.encoder_layers, 0)
        check_share("dropout", self.dropout)
        for name in (
            *("gated", "norm_first", "feed_forward_bias", "tied"),
            *("norm_after", "qk_norm", "sink", "output_gate", "embedding_norm"),
        ):
            check_choice(name, getattr(self, name))
        check_one_of("activation", self.activation, ACTIVATIONS)
        check_one_of("norm", self.norm, NORMS)
        check_one_of("positions", self.positions, POSITIONS)
        check_one_of("attention_bias", self.attention_bias, ("none", "qkv", "all"))
        _check_optional(self, "key_heads", "d_head", "d_v", "window")
        _check_value("experts", self.experts, Experts, "n_experts=8, top_k=2")
        _check_value("latent", self.latent, Latent, "d_latent=512, d_rotary=64")
        _check_value("state", self.state, State, "")
        _check_heads_of(self)
        _check_parts_of(self)
        POSITIONS[self.positions].check(self)

    def to_dict(self) -> dict:
        """Every choice by its name, for a file; those of experts, latent and state in a dict."""
        return asdict(self)

    @classmethod
    def from_dict(cls, choices: dict) -> "Plan":
        """The plan that ``to_dict`` has made these of. Raises TypeError for a name that is no
        choice, and ValueError as the plan does.
        """
        made: dict[str, Any] = dict(choices)
        for name, part in (("experts", Experts), ("latent", Latent), ("state", State)):
            if made.get(name) is not None:
                made[name] = part(**made[name])
        return cls(**made)

    @property
    def groups(self) -> int:
        """How many heads of keys and values there are."""
        return self.key_heads or self.n_heads

    @property
    def size_of_head(self) -> int:
        """How many numbers a query or a key has in one head."""
        return self.d_head or self.d_model // self.n_heads

    @property
    def size_of_value(self) -> int:
        """How many numbers a value has in one head."""
        return self.d_v or self.size_of_head

    @property
    def size_of_state(self) -> tuple[int, int, int]:
        """How many heads keep a state, and how many rows and columns it has; without one, 0."""
        if self.state is None:
            return 0, 0, 0
        n_heads = self.state.n_heads or self.n_heads
        rows = self.state.d_key or self.size_of_head
        return n_heads, rows, self.state.d_value or self.size_of_value

    @property
    def state_inputs(self) -> tuple[int, int, int]:
        """How many numbers the queries, keys and values of a state have; without one, 0."""
        if self.state is None:
            return 0, 0, 0
        n_heads, rows, columns = self.size_of_state
        keys = (self.state.key_heads or n_heads) * rows
        return keys, keys, n_heads * columns

    def looks_at_all(self, place: int) -> bool:
        """Whether the layer at this place, 0 for the lowest, is one of ``full_every``."""
        return self.full_every is not None and (place + 1) % self.full_every == 0

    def window_at(self, place: int) -> int | None:
        """The window of the layer at this place, if it has one."""
        return None if self.looks_at_all(place) else self.window

    def state_at(self, place: int) -> State | None:
        """The state of the layer at this place, if it keeps one."""
        return None if self.looks_at_all(place) else self.state

    def experts_at(self, place: int) -> Experts | None:
        """The experts of the layer at this place, if it has any."""
        if self.experts is None or place < self.experts.dense_layers:
            return None
        return None if (place + 1) % self.experts.every else self.experts


def _check_optional(holder, *names: str) -> None:
    """Raise a ValueError unless each of these fields is None or a whole number above 0."""
    for name in names:
        if getattr(holder, name) is not None:
            check_whole(name, getattr(holder, name), 1)


def _check_value(name: str, value, expected: type, example: str) -> None:
    """Raise a ValueError unless this is None or a value of the expected kind."""
    if value is not None and not isinstance(value, expected):
        called = expected.__name__
        raise ValueError(f"{name} is None or {called}({example}); got {value!r:.30}")


def _check_heads_of(plan: Plan) -> None:
    """Raise a ValueError for numbers of heads that do not divide what they have to."""
    if plan.d_head is None and plan.d_model % plan.n_heads:
        raise ValueError(
            f"d_model={plan.d_model} is not divisible by n_heads={plan.n_heads}; give d_head"
        )
    if plan.n_heads % plan.groups:
        raise ValueError(
            f"n_heads={plan.n_heads} is not divisible by key_heads={plan.groups}: each key "
            "head serves equally many"
        )


def _check_parts_of(plan: Plan) -> None:
    """Raise a ValueError for parts that cannot stand in one model."""
    if plan.window and plan.state:
        raise ValueError(
            "window and state: a layer has one of them; leave one out, and say with full_every "
            "which layers look at the whole text"
        )
    if plan.full_every is not None:
        check_whole("full_every", plan.full_every, 2)
        if not (plan.window or plan.state):
            raise ValueError(
                "full_every needs layers that do not look at all: give window or state"
            )
    if plan.latent and (plan.key_heads or plan.qk_norm or plan.attention_bias != "none"):
        raise ValueError(
            "a latent serves every head, has norms of its own and no biases: leave out key_heads, "
            "qk_norm and attention_bias"
        )
    if plan.experts and not any(map(plan.experts_at, range(plan.n_layers))):
        raise ValueError(
            f"none of the n_layers={plan.n_layers} has experts: lower dense_layers or every"
        )
    n_heads = plan.size_of_state[0]
    if plan.state and plan.state.key_heads and n_heads % plan.state.key_heads:
        raise ValueError(
            f"the state's {n_heads} heads cannot share key_heads={plan.state.key_heads} evenly"
        )
    if plan.encoder_layers and (plan.experts or plan.latent or plan.state or plan.full_every):
        raise ValueError("a plan with an encoder has no experts, latent, state or full_every")
    if plan.encoder_layers and plan.embedding_norm:
        raise ValueError("a plan with an encoder has no embedding_norm")
