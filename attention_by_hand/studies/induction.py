"""Induction: two layers of attention alone, which learn to go on with a row that comes twice.

A text is 24 letters drawn by lot, in which a stretch of 7 to 11 letters comes a second time, at a
distance that differs from text to text. Nobody can guess a letter drawn by lot, so the loss asks
for the second stretch alone, from its second letter on. What is learnt cannot be a text, since no
text comes again: it is a way of using the text that is being read.

``recorded`` gives what ``python -m dev.make.induction`` has measured, and ``grown`` the model of
its run.

Shapes: ``B`` texts, ``T`` letters, ``H`` heads.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lite.attention import MultiHeadAttention
from transformer_lite.files import read_tensors
from transformer_lite.masks import causal_mask
from transformer_lite.positions import sinusoidal_encoding
from transformer_lite.training import gradient_steps
from transformer_lite.vocabulary import PAD_ID

from ..exhibits import stored

LETTERS = "abcdefghijklmnopqrstuvwxyz"  # their ids begin at 1: 0 is the padding
LENGTH = 24  # of a text
SHORTEST, LONGEST = 7, 11  # of the stretch
SIZES = {"d_model": 32, "n_layers": 2, "n_heads": 2}
RATE = 6e-3
BATCH = 32
STEPS = 480
EVERY = 10  # steps between two measurements
HELD_OUT, HELD_OUT_TEXTS = 999, 64  # the seed of the texts that are measured with, and how many
GROWN = Path(__file__).parents[1] / "models" / "induction" / "model.safetensors"


class Texts(NamedTuple):
    """Texts in which a stretch comes twice. ids ``(B, T)``; asked ``(B, T - 1)``, what should come
    after each letter, padding where nothing is asked; ``first`` and ``second``, ``(B,)``, where the
    two stretches begin, and ``length``, ``(B,)``, of each.
    """

    ids: Tensor
    asked: Tensor
    first: Tensor
    second: Tensor
    length: Tensor

    @property
    def read(self) -> Tensor:
        """What the model reads of them: all but the last letter, ``(B, T - 1)``."""
        return self.ids[:, :-1]


def draw_texts(count: int, dice: torch.Generator) -> Texts:
    """So many texts. The page draws the same from the same seed: ``texts.js`` of the figure."""
    draws = torch.rand(count, LENGTH + 3, generator=dice).double()

    def lot(column: int, choices: Tensor | int) -> Tensor:
        return (draws[:, column] * choices).long()

    ids = 1 + (draws[:, :LENGTH] * len(LETTERS)).long()
    length = SHORTEST + lot(LENGTH, LONGEST - SHORTEST + 1)
    between = lot(LENGTH + 1, LENGTH - 2 * length + 1)
    first = lot(LENGTH + 2, LENGTH - 2 * length - between + 1)
    second = first + length + between
    place = torch.arange(LENGTH).expand(count, -1)
    again = (place >= second[:, None]) & (place < (second + length)[:, None])
    twin = torch.where(again, place - (second - first)[:, None], place)
    ids = ids.gather(1, twin)
    known = again & (place > second[:, None])
    return Texts(ids, ids.where(known, PAD_ID)[:, 1:], first, second, length)


class AttentionLayer(nn.Module):
    """Attention and what it is added to; no feed-forward network."""

    def __init__(self, d_model: int, n_heads: int):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, n_heads)
        self.norm1 = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        h = self.norm1(x)
        h, weights = self.self_attention(h, h, h, mask)
        return x + h, weights


class AttentionOnly(nn.Module):
    """A decoder alone without feed-forward networks: letters in, scores for the next one out."""

    def __init__(self, d_model: int, n_layers: int, n_heads: int):
        super().__init__()
        vocab_size = 1 + len(LETTERS)
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=PAD_ID)
        self.layers = nn.ModuleList(AttentionLayer(d_model, n_heads) for _ in range(n_layers))
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size, bias=False)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        nn.init.zeros_(self.embedding.weight[PAD_ID])

    def forward(self, ids: Tensor) -> tuple[Tensor, list[Tensor]]:
        """ids ``(B, T)``. Returns logits ``(B, T, V)`` and a map ``(B, H, T, T)`` for each
        layer.
        """
        length, d_model = ids.size(1), self.embedding.embedding_dim
        x = self.embedding(ids) * d_model**0.5 + sinusoidal_encoding(length, d_model)
        maps = []
        for layer in self.layers:
            x, weights = layer(x, causal_mask(length))
            maps.append(weights)
        return self.output(self.norm(x)), maps


def loss_on(model: AttentionOnly, texts: Texts) -> Tensor:
    """The loss where something is asked, in nats a letter."""
    logits, _ = model(texts.read)
    return F.cross_entropy(logits.transpose(1, 2), texts.asked, ignore_index=PAD_ID)


@torch.no_grad()
def right(model: AttentionOnly, texts: Texts) -> float:
    """The share of what is asked that the likeliest letter answers."""
    logits, _ = model(texts.read)
    asked = texts.asked != PAD_ID
    return (logits.argmax(-1) == texts.asked)[asked].float().mean().item()


def learn(
    seed: int, steps: int = STEPS, *, everywhere: bool = False, **changes
) -> Iterator[tuple[int, AttentionOnly]]:
    """Yields (step, model), before the first step and after each. `everywhere` asks for all
    letters, those that nobody can guess too.
    """
    torch.manual_seed(seed)
    model = AttentionOnly(**(SIZES | changes))
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    dice = torch.Generator().manual_seed(1000 + seed)  # of the texts: as in `run.js` of the figure

    def batch() -> Texts:
        texts = draw_texts(BATCH, dice)
        return texts._replace(asked=texts.ids[:, 1:]) if everywhere else texts

    yield 0, model
    batches = (batch() for _ in range(steps))
    losses = gradient_steps(lambda texts: loss_on(model, texts), batches, optimizer)
    for step, _ in enumerate(losses, start=1):
        yield step, model


@cache
def held_out() -> Texts:
    return draw_texts(HELD_OUT_TEXTS, torch.Generator().manual_seed(HELD_OUT))


class Looks(NamedTuple):
    """How much of its weight each head puts, on average, on the letter one place back, and, where
    something is asked, on the letter behind the earlier twin: both (layers, heads).
    """

    back: Tensor
    behind: Tensor


@torch.no_grad()
def looks(model: AttentionOnly, texts: Texts) -> Looks:
    _, maps = model(texts.read)
    row, query = (texts.asked != PAD_ID).nonzero(as_tuple=True)
    key = query - (texts.second - texts.first)[row] + 1
    back = [layer.diagonal(-1, 2, 3).mean((0, 2)) for layer in maps]
    behind = [layer[row, :, query, key].mean(0) for layer in maps]
    return Looks(torch.stack(back), torch.stack(behind))


def recorded() -> dict:
    """The stored measurements: see ``dev/make/induction.py``."""
    return stored("induction")


def grown() -> AttentionOnly:
    """The model of the recorded run, at its end."""
    weights, _ = read_tensors(GROWN)
    model = AttentionOnly(**SIZES)
    model.load_state_dict(weights)
    return model.eval()
