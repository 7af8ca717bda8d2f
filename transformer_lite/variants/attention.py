"""Attention whose keys and values take less room, and what may stand in its softmax.

``GroupedAttention`` lets several heads share one head of keys and values; ``LatentAttention`` makes
those of all heads from one small vector. Either may have a window, a sink and a gate.

Shapes: ``B`` batch, ``T`` length, ``D`` d_model, ``H`` heads, ``G`` key heads, ``d`` numbers in a
query and ``v`` in a value, ``c`` in a latent, ``r`` of them turned.
"""

import torch
from torch import Tensor, nn

from ..attention import masked_softmax
from ..cache import KeyValueCache, LatentCache
from .choices import NORMS, Positions
from .plan import Plan


def softmax_with_sink(scores: Tensor, mask: Tensor, sink: Tensor) -> Tensor:
    """The weights of scores ``(batch, n_heads, length, keys)`` beside one more score, that of each
    head's sink, ``(n_heads,)``, which has no value to mix (gpt-oss, 2025, section 2.2).

    mask: bool, ``(length, keys)``; ``True`` = may attend. Returns the shape of the scores. The
    weights of a query sum to less than 1: what is missing is the sink's.
    """
    column = sink[:, None, None].expand(*scores.shape[:-1], 1)
    scores = torch.cat((scores, column), dim=-1)
    mask = torch.cat((mask, mask.new_ones(len(mask), 1)), dim=-1)
    return masked_softmax(scores, mask)[..., :-1]


class Attention(nn.Module):
    """What both kinds have: a window, a softmax that may have a sink, and an output that may have a
    gate.

    window: how many tokens a query may look at, itself included; all of them if it is None.
    """

    def __init__(self, plan: Plan, window: int | None):
        super().__init__()
        self.plan = plan
        self.window = window
        wide = plan.n_heads * plan.size_of_value
        self.sink = nn.Parameter(torch.zeros(plan.n_heads)) if plan.sink else None
        self.w_gate = nn.Linear(plan.d_model, wide, bias=False) if plan.output_gate else None

    def weigh(self, scores: Tensor, mask: Tensor, past: int, positions: Positions) -> Tensor:
        """The weights of scores ``(batch, n_heads, length, kept + length)``, before which ``past``
        tokens have been read. mask: ``(length, past + length)``.
        """
        if self.window is not None:
            mask = mask.triu(past + 1 - self.window)
        mask = mask[:, mask.size(1) - scores.size(-1) :]  # a cache has forgotten the others
        scores = positions.bias(scores)
        if self.sink is None:
            return masked_softmax(scores, mask)
        return softmax_with_sink(scores, mask, self.sink)

    def gated(self, found: Tensor, x: Tensor) -> Tensor:
        """What the heads have found, ``(batch, n_heads, length, v)``, side by side: ``(batch,
        length, n_heads · v)``, each number times its share if there is a gate. x: the layer's
        input.
        """
        found = found.transpose(1, 2).flatten(2)
        return found if self.w_gate is None else found * self.w_gate(x).sigmoid()


class GroupedAttention(Attention):
    """Causal attention whose heads of queries share fewer heads of keys and values (Ainslie et al.,
    2023, section 2.2).
    """

    def __init__(self, plan: Plan, window: int | None = None):
        super().__init__(plan, window)
        d = plan.size_of_head
        v = plan.size_of_value
        bias = plan.attention_bias != "none"
        self.w_q = nn.Linear(plan.d_model, plan.n_heads * d, bias=bias)
        self.w_k = nn.Linear(plan.d_model, plan.groups * d, bias=bias)
        self.w_v = nn.Linear(plan.d_model, plan.groups * v, bias=bias)
        self.w_o = nn.Linear(plan.n_heads * v, plan.d_model, bias=plan.attention_bias == "all")
        norm = NORMS["rms"] if plan.qk_norm else nn.Identity
        self.norm_q = norm(d)
        self.norm_k = norm(d)

    def new_cache(self) -> KeyValueCache:
        """An empty cache for a text."""
        return KeyValueCache()

    def forward(
        self,
        x: Tensor,
        mask: Tensor,
        positions: Positions,
        cache: KeyValueCache | None = None,
    ) -> tuple[Tensor, Tensor]:
        """x: ``(batch, length, d_model)``; mask: ``(length, past + length)``.

        Returns the output, ``(batch, length, d_model)``, and the weights ``(batch, n_heads, length,
        past + length)``. With a window a cache keeps its tokens alone, and the weights are over
        these and the new ones.
        """
        past = cache.length if cache else 0
        q = self.heads(self.w_q(x), self.plan.n_heads)  # (B, H, T, d)
        k = self.heads(self.w_k(x), self.plan.groups)  # (B, G, T, d)
        v = self.heads(self.w_v(x), self.plan.groups)  # (B, G, T, v)
        q = positions.turn(self.norm_q(q), past)
        k = positions.turn(self.norm_k(k), past)
        if cache is not None:
            k, v = cache.append(k, v)  # (B, G, past + T, d or v)
            if self.window is not None:
                cache.keep(self.window)
        copies = self.plan.n_heads // self.plan.groups
        k = k.repeat_interleave(copies, dim=1)
        v = v.repeat_interleave(copies, dim=1)
        scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5  # (B, H, T, past + T)
        weights = self.weigh(scores, mask, past, positions)
        return self.w_o(self.gated(weights @ v, x)), weights

    @staticmethod
    def heads(x: Tensor, n_heads: int) -> Tensor:
        """``(batch, length, n_heads · d)`` cut into ``(batch, n_heads, length, d)``."""
        return x.unflatten(-1, (n_heads, -1)).transpose(1, 2)


class LatentAttention(Attention):
    """Causal attention whose keys and values are made from one latent for each token, multi-head
    latent attention (DeepSeek-V2, 2024, section 2.1; DeepSeek-V3, 2024, equations 1 to 11).

    A head's key is ``W_K c``, and so a query meets it as ``q · W_K c = (W_Kᵀ q) · c``: every head
    brings its query down to the latents, mixes the latents themselves, and makes one value of the
    mixture. Keys and values are never written out, and latents are all that a text leaves behind.
    A key that is turned by its place would need another ``W_K`` at each, so what rotary turns are
    further numbers: some of each query, and one key for all heads, which is cached too.

    Raises ValueError for a plan without a latent.
    """

    def __init__(self, plan: Plan, window: int | None = None):
        super().__init__(plan, window)
        if plan.latent is None:
            raise ValueError("this plan has no latent: give it latent=Latent(d_latent, d_rotary)")
        self.latent = plan.latent
        c = plan.latent.d_latent
        r = plan.latent.d_rotary
        d = plan.size_of_head
        v = plan.size_of_value
        self.w_latent = nn.Linear(plan.d_model, c + r, bias=False)
        self.norm_latent = NORMS["rms"](c)
        self.w_k = nn.Linear(c, plan.n_heads * d, bias=False)
        self.w_v = nn.Linear(c, plan.n_heads * v, bias=False)
        wide = plan.n_heads * (d + r)
        self.w_q = self.queries_from(plan.d_model, plan.latent.d_query, wide)
        self.w_o = nn.Linear(plan.n_heads * v, plan.d_model, bias=False)

    @staticmethod
    def queries_from(d_model: int, d_query: int | None, wide: int) -> nn.Module:
        """One matrix, or two with a latent and its norm between them."""
        if d_query is None:
            return nn.Linear(d_model, wide, bias=False)
        down = nn.Linear(d_model, d_query, bias=False)
        return nn.Sequential(down, NORMS["rms"](d_query), nn.Linear(d_query, wide, bias=False))

    def new_cache(self) -> LatentCache:
        """An empty cache for a text."""
        return LatentCache()

    def forward(
        self, x: Tensor, mask: Tensor, positions: Positions, cache: LatentCache | None = None
    ) -> tuple[Tensor, Tensor]:
        """x: ``(batch, length, d_model)``; mask: ``(length, past + length)``.

        Returns the output, ``(batch, length, d_model)``, and the weights ``(batch, n_heads, length,
        past + length)``. With a window a cache keeps its tokens alone, and the weights are over
        these and the new ones.
        """
        past = cache.length if cache else 0
        n_heads = self.plan.n_heads
        d = self.plan.size_of_head
        r = self.latent.d_rotary
        latents, key = self.w_latent(x).split((self.latent.d_latent, r), dim=-1)
        latents = self.norm_latent(latents)  # (B, T, c)
        key = positions.turn(key[:, None], past)[:, 0]  # (B, T, r), of all heads
        if cache is not None:
            latents, key = cache.append(latents, key)  # (B, past + T, c), (B, past + T, r)
            if self.window is not None:
                cache.keep(self.window)
        queries = self.w_q(x).unflatten(-1, (n_heads, d + r)).transpose(1, 2)
        asked, turned = queries.split((d, r), dim=-1)  # (B, H, T, d), (B, H, T, r)
        turned = positions.turn(turned, past)
        down = self.w_k.weight.unflatten(0, (n_heads, d))  # (H, d, c)
        up = self.w_v.weight.unflatten(0, (n_heads, -1)).transpose(1, 2)  # (H, c, v)
        latents = latents[:, None]  # the same for every head, like the key
        key = key[:, None]
        scores = asked @ down @ latents.transpose(-2, -1) + turned @ key.transpose(-2, -1)
        weights = self.weigh(scores / (d + r) ** 0.5, mask, past, positions)
        found = weights @ latents @ up  # (B, H, T, v)
        return self.w_o(self.gated(found, x)), weights
