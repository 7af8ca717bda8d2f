"""A layer that keeps a state in place of the past: linear attention, with forgetting.

Without its softmax, attention is a sum of ``(q · k) v`` over all that came before, which is ``q``
times a table, the sum of every key times its value. The table is all that has to be kept, and it
never grows. Where all is kept forever, its entries lie on top of each other, so that what is there
fades a little at each token.

Shapes: ``B`` batch, ``T`` length, ``D`` d_model, ``H`` heads, ``d`` numbers in a key, ``v`` in a
value.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize, silu, softplus

from ..cache import StateCache
from ..masks import causal_mask
from .choices import NORMS, Positions
from .plan import Plan


def recurrence(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    log_keep: Tensor,
    write: Tensor | None = None,
    state: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Linear attention one token after the other: forget, write, read (Gated Delta Networks, 2024,
    sections 2.1 and 3.1).

    q, k: ``(batch, n_heads, length, d)``; v: ``(batch, n_heads, length, d_v)``. log_keep:
    ``(batch, n_heads, length)``, the logarithm of the share of the state that each token keeps.
    write: ``(batch, n_heads, length)``, from 0 to 1. With it, what the key finds is taken out of
    the state by that share, and as much of the new value is put in (the delta rule); without it,
    the value is added to what is there. state: ``(batch, n_heads, d, d_v)``, of the tokens before
    these; zeros unless given.

    Returns what each query reads, ``(batch, n_heads, length, d_v)``, and the state after the last
    token.
    """
    if state is None:
        state = _empty_state(k, v)
    outputs = []
    for t in range(q.size(2)):
        query, key, value = (x[:, :, t, None] for x in (q, k, v))  # (B, H, 1, d or v)
        state = state * log_keep[:, :, t, None, None].exp()
        if write is not None:
            value = write[:, :, t, None, None] * (value - key @ state)
        state = state + key.transpose(-2, -1) @ value
        outputs.append(query @ state)
    return torch.cat(outputs, dim=2), state


def all_at_once(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    log_keep: Tensor,
    write: Tensor | None = None,
    state: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """What ``recurrence`` computes, without its loop: a table of ``length · length`` says how much
    each token finds of what each earlier one has written. Takes and returns the same.
    """
    if state is None:
        state = _empty_state(k, v)
    kept = _kept(log_keep).to(q.dtype)  # (B, H, T, T)
    of_state = log_keep.cumsum(dim=-1, dtype=_wide(log_keep)).exp().to(q.dtype)[..., None]
    if write is not None:
        v = _corrected(k, v - of_state * (k @ state), kept, write)
    output = (q @ k.transpose(-2, -1) * kept) @ v + of_state * (q @ state)
    at_the_end = kept[..., -1, :, None]
    state = of_state[..., -1:, :] * state + (at_the_end * k).transpose(-2, -1) @ v
    return output, state


def _kept(log_keep: Tensor) -> Tensor:
    """What is left at token ``i`` of what token ``j`` has written, ``(batch, n_heads, i, j)``; 0
    for later ones.

    It is summed up for each ``j`` alone: a difference of two sums would lose its last figures
    beside a token that keeps hardly anything, and be no number beside one that keeps nothing.
    """
    length = log_keep.size(-1)
    at_or_before = causal_mask(length, log_keep.device).T  # token i at or before j
    steps = log_keep[..., None].expand(*log_keep.shape, length)
    since = steps.masked_fill(at_or_before, 0.0).cumsum(dim=-2, dtype=_wide(log_keep))
    return since.exp().tril()


def _corrected(k: Tensor, v: Tensor, kept: Tensor, write: Tensor) -> Tensor:
    """What the delta rule writes, ``(batch, n_heads, length, d_v)``: each value less what its key
    finds of all that was written before, which is a triangular system of equations.

    It is solved in float32 at least: torch has no solver for half precision.
    """
    finds = (k @ k.transpose(-2, -1) * kept).tril(-1)
    write = write[..., None]
    known = write * finds
    wanted = write * v
    wide = _wide(wanted)
    solved = torch.linalg.solve_triangular(
        known.to(wide), wanted.to(wide), upper=False, unitriangular=True
    )
    return solved.to(wanted.dtype)


def _wide(x: Tensor) -> torch.dtype:
    """A dtype for sums: float32, or x's own if it is wider."""
    return torch.promote_types(x.dtype, torch.float32)


def _empty_state(k: Tensor, v: Tensor) -> Tensor:
    """Zeros, ``(batch, n_heads, d, d_v)``, for these keys and values."""
    return k.new_zeros(*k.shape[:2], k.size(-1), v.size(-1))


class Forget(nn.Module):
    """What share of its state each head keeps, as a logarithm: minus a rate of its own, times a
    number above 0 that is computed from the token (Dao and Gu, 2024, as in Gated Delta Networks).
    """

    def __init__(self, d_model: int, n_heads: int):
        super().__init__()
        self.matrix = nn.Linear(d_model, n_heads)
        self.rate = nn.Parameter(torch.zeros(n_heads))  # its logarithm
        # Of the heads, the first begins by forgetting 12 % of its state at a token, the last 0.2 %.
        self.matrix.bias.data = -torch.linspace(2, 6, n_heads)

    def forward(self, x: Tensor) -> Tensor:
        """x: ``(batch, length, d_model)``. Returns ``(batch, n_heads, length)``."""
        return (-self.rate.exp() * softplus(self.matrix(x))).transpose(1, 2)


class ShortConvolution(nn.Module):
    """Each number is mixed with what stood in its place at the tokens right before, by weights of
    its own, and bent (Gated Delta Networks, 2024, section 3.4).

    width: how many numbers a token has; length: how many tokens are mixed, its own included.
    """

    def __init__(self, width: int, length: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, length) / length**0.5)

    def forward(self, x: Tensor, before: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """x: ``(batch, T, width)``; before: the ``length - 1`` tokens before these, zeros unless
        given. Returns the shape of x, and the last ``length - 1`` tokens.
        """
        earlier = self.weight.size(1) - 1
        if before is None:
            before = x.new_zeros(x.size(0), earlier, x.size(2))
        x = torch.cat((before, x), dim=1)
        near = x.unfold(1, earlier + 1, 1)  # (B, T, width, length)
        return silu((near * self.weight).sum(dim=-1)), x[:, -earlier:].clone()


class StateAttention(nn.Module):
    """Linear attention in several heads, each with a state of its own (``State``).

    Queries and keys have length 1, and what is read is brought to one size by an RMSNorm, as in
    Gated Delta Networks (2024, section 3.4). The order of the tokens is in the state, so that the
    plan's positions have nothing to do here.

    Raises ValueError for a plan without a state.
    """

    def __init__(self, plan: Plan):
        super().__init__()
        if plan.state is None:
            raise ValueError("this plan has no state: give it state=State()")
        self.n_heads, self.d, self.v = plan.size_of_state
        self.widths = plan.state_inputs
        self.w_q, self.w_k, self.w_v = (
            nn.Linear(plan.d_model, width, bias=False) for width in self.widths
        )
        wide = self.n_heads * self.v
        self.w_o = nn.Linear(wide, plan.d_model, bias=False)
        self.w_gate = nn.Linear(plan.d_model, wide, bias=False) if plan.output_gate else None
        self.forget = Forget(plan.d_model, self.n_heads) if plan.state.forget else None
        delta = plan.state.delta
        self.w_write = nn.Linear(plan.d_model, self.n_heads, bias=False) if delta else None
        length = plan.state.convolution
        self.convolution = ShortConvolution(sum(self.widths), length) if length else None
        self.norm = NORMS["rms"](self.v)

    def new_cache(self) -> StateCache:
        """An empty cache for a text."""
        return StateCache()

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        positions: Positions | None = None,
        cache: StateCache | None = None,
    ) -> tuple[Tensor, None]:
        """x: ``(batch, length, d_model)``. No mask is needed, since a state has no future in it.

        Returns the output, ``(batch, length, d_model)``, and None, since there are no weights.
        """
        cache = cache or StateCache()
        q, k, v = self.inputs(x, cache)
        log_keep = x.new_zeros(q.shape[:3]) if self.forget is None else self.forget(x)
        write = None if self.w_write is None else self.w_write(x).sigmoid().transpose(1, 2)
        run = recurrence if x.size(1) == 1 else all_at_once
        read, state = run(q, k, v, log_keep, write, cache.state)
        cache.update(state, x.size(1))
        read = self.norm(read).transpose(1, 2).flatten(2)  # (B, T, H · v)
        if self.w_gate is not None:
            read = read * self.w_gate(x).sigmoid()
        return self.w_o(read), None

    def inputs(self, x: Tensor, cache: StateCache) -> tuple[Tensor, Tensor, Tensor]:
        """Queries and keys ``(batch, n_heads, length, d)``, and values ``(batch, n_heads, length,
        v)``.
        """
        made = torch.cat((self.w_q(x), self.w_k(x), self.w_v(x)), dim=-1)
        if self.convolution is not None:
            made, cache.before = self.convolution(made, cache.before)
        q, k, v = made.split(self.widths, dim=-1)
        q, k = (
            normalize(part.unflatten(-1, (-1, self.d)), dim=-1).transpose(1, 2) for part in (q, k)
        )
        copies = self.n_heads // q.size(1)
        q = q.repeat_interleave(copies, dim=1)
        k = k.repeat_interleave(copies, dim=1)
        return q, k, v.unflatten(-1, (-1, self.v)).transpose(1, 2)
