"""Choosing: an attention that reads the best few tokens, which a cheaper first look has found.

The models are those of ``memory``, with one attention: they read pairs of a key and a value, and
are asked for all of them. Beside the query and the key of its attention every token has a second,
shorter query and key. Their dot products are the first look, and the attention reads the tokens at
which it is largest (the lightning indexer of DeepSeek-V3.2, 2025, section 2.1, with one head).

``measured`` gives what ``python -m dev.make.choosing`` has measured.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lite.training import gradient_steps

from ..exhibits import stored
from .memory import (
    Attention,
    Reader,
    any_of,
    pairs_and_questions,
    up_and_down,
    with_the_one_before,
)

PAIRS = (4, 8, 16, 32)


class ChoosingAttention(Attention):
    """An ``Attention`` that reads the ``best`` tokens of its first look alone, or all of them while
    ``best`` is None.

    size: how many numbers the first look's queries and keys have. heard: its scores are added to
    those of the attention, so that a slope reaches it. After each call ``shares`` are the
    attention's, ``(batch, T, T)``, and ``missed`` says how far the first look's softmax is from
    them, for each token that asks, ``(batch, T)``.
    """

    def __init__(self, d_model: int, size: int, best: int | None = None, heard: bool = False):
        super().__init__(d_model, None)
        self.best = best
        self.heard = heard
        self.small_query = nn.Linear(2 * d_model, size, bias=False)
        self.small_key = nn.Linear(2 * d_model, size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        both = with_the_one_before(x)
        q, k, v = self.into(both).chunk(3, -1)
        known = both if self.heard else both.detach()  # what it learns is its own
        first = self.small_query(known) @ self.small_key(known).mT
        mask = self.chosen(first)
        scores = q @ k.mT / q.size(-1) ** 0.5
        if self.heard:
            scores = scores + first
        self.shares = scores.masked_fill(~mask, -torch.inf).softmax(-1)
        wanted = first.masked_fill(~mask, -torch.inf).log_softmax(-1)
        self.missed = -(self.shares.detach() * wanted.masked_fill(~mask, 0)).sum(-1)
        return self.out(self.shares @ v)

    def chosen(self, first: Tensor) -> Tensor:
        """True where a token may be read, ``(batch, T, T)``."""
        past = torch.ones(first.shape[-2:], dtype=torch.bool).tril()
        if self.best is None or self.best >= len(past):
            return past.expand_as(first)
        best = first.masked_fill(~past, -torch.inf).topk(self.best, -1).indices
        return torch.zeros_like(first, dtype=torch.bool).scatter(-1, best, True) & past


def chooser(size: int, reader: Reader | None = None, seed: int = 0, **options) -> Reader:
    """A ``Reader`` of one ``ChoosingAttention``: a new one, or one with all that a trained reader
    of one attention has learnt.
    """
    torch.manual_seed(seed)
    model = Reader(["all"])
    d_model = model.embedding.embedding_dim
    model.layers[0][1] = ChoosingAttention(d_model, size, **options)
    if reader is not None:
        model.load_state_dict(reader.state_dict(), strict=False)
    return model


def first_look(model: Reader) -> list[nn.Parameter]:
    """The weights of its first look."""
    attention = model.layers[0][1]
    return [attention.small_query.weight, attention.small_key.weight]


def learn(
    model: Reader,
    weights: list[nn.Parameter],
    *,
    answers: bool,
    imitating: bool,
    seed: int = 0,
    steps: int = 500,
    rate: float = 5e-3,
) -> Reader:
    """Train these weights on batches of 32 new texts.

    answers: the loss asks for the values; imitating: it asks the first look for the shares that the
    attention gives, where questions are asked.
    """
    torch.manual_seed(seed)
    batches = (pairs_and_questions(32, any_of(PAIRS)) for _ in range(steps))

    def loss(batch: tuple[Tensor, Tensor]) -> Tensor:
        texts, expected = batch
        asked = expected.size(1)
        scores = model(texts)[:, -asked:]
        wrong = F.cross_entropy(scores.flatten(0, 1), expected.flatten())
        return answers * wrong + imitating * model.layers[0][1].missed[:, -asked:].mean()

    for _ in gradient_steps(loss, batches, torch.optim.Adam(weights), up_and_down(rate, steps)):
        pass
    return model


def measured() -> dict:
    """The stored measurement, see ``dev/make/choosing.py``."""
    return stored("choosing")
