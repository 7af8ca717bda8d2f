"""The decoder alone that a plan describes, layer by layer."""

from collections.abc import Sequence

from torch import Tensor, nn

from ..cache import AnyCache
from ..checks import check_ids, check_length, look_up
from ..layers import ResidualLayer
from ..masks import causal_mask
from ..vocabulary import PAD_ID
from .attention import GroupedAttention, LatentAttention
from .choices import NORMS, POSITIONS, Positions
from .networks import NETWORKS, Mixture
from .plan import Plan
from .state import StateAttention

AnyAttention = GroupedAttention | LatentAttention | StateAttention


def _attention_of(plan: Plan, place: int) -> AnyAttention:
    """What the layer at this place, 0 for the lowest, has for its attention."""
    if plan.state_at(place):
        return StateAttention(plan)
    attention = LatentAttention if plan.latent else GroupedAttention
    return attention(plan, plan.window_at(place))


def _network_of(plan: Plan, place: int) -> nn.Module:
    """What the layer at this place, 0 for the lowest, has for its feed-forward network."""
    return Mixture(plan) if plan.experts_at(place) else NETWORKS[plan.gated](plan)


class Layer(ResidualLayer):
    """An attention and a feed-forward network, each with its residual sum and its norms.

    place: which layer of the plan it is, 0 for the lowest.
    """

    attention: AnyAttention

    def __init__(self, plan: Plan, place: int = 0):
        super().__init__(plan.dropout, plan.norm_first)
        norm = NORMS[plan.norm]
        after = norm if plan.norm_after else nn.Identity
        self.attention = _attention_of(plan, place)
        self.feed_forward = _network_of(plan, place)
        self.norm1 = norm(plan.d_model)
        self.norm2 = norm(plan.d_model)
        self.after1 = after(plan.d_model)
        self.after2 = after(plan.d_model)

    def new_cache(self) -> AnyCache:
        """An empty cache for its attention."""
        return self.attention.new_cache()

    def forward(
        self, x: Tensor, mask: Tensor, positions: Positions, cache: AnyCache | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """x: ``(batch, length, d_model)``; mask: ``(length, past + length)``. Returns a new x of
        the same shape, and the attention's weights ``(batch, n_heads, length, past + length)``, or
        None where it keeps a state.
        """
        h = self.sublayer_input(x, self.norm1)
        h, weights = self.attention(h, mask, positions, cache)
        x = self.add_and_norm(x, self.after1(h), self.norm1)
        h = self.sublayer_input(x, self.norm2)
        h = self.feed_forward(h)
        return self.add_and_norm(x, self.after2(h), self.norm2), weights


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
        norm = NORMS[plan.norm]
        self.embedding_norm = norm(plan.d_model) if plan.embedding_norm else nn.Identity()
        self.dropout = nn.Dropout(plan.dropout)
        self.layers = nn.ModuleList(Layer(plan, place) for place in range(plan.n_layers))
        self.norm = norm(plan.d_model) if plan.norm_first else nn.Identity()
        self.output = nn.Linear(plan.d_model, plan.vocab_size, bias=False)
        if plan.tied:
            self.output.weight = self.embedding.weight

    def forward(self, ids: Tensor, *, cache: Sequence[AnyCache] | None = None) -> Tensor:
        """ids: ``(batch, length)``, integers, padded at the end; cache: one per layer, see
        ``decoder_only.new_cache``. Returns logits ``(batch, length, vocab_size)``.

        Raises ValueError for ids that are not such integers and for a text that is too long,
        IndexError for ids outside the vocabulary.
        """
        check_ids(ids=ids)
        past = cache[0].length if cache else 0
        end = past + ids.size(1)
        check_length("text", past, ids.size(1), self.max_length)
        tokens = look_up(self.embedding, ids) * self.plan.d_model**0.5
        x = self.embedding_norm(self.positions.embed(tokens, past))
        x = self.dropout(x)  # (B, T, D)
        mask = causal_mask(end, ids.device, past=past)  # (T, past + T)
        for layer, its_cache in zip(self.layers, cache or [None] * len(self.layers), strict=True):
            x, _ = layer(x, mask, self.positions, its_cache)
        return self.output(self.norm(x))  # (B, T, V)
