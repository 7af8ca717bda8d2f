"""Alone: chapter 11's models of one text, how they are trained, and what they are asked.

A *batch function* draws the ids of 64 texts, ``(64, T)``, and what should come after each, of the
same shape, from dice (``random.Random``).
"""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import torch
from torch import Tensor, nn
from tqdm import tqdm

from transformer_lite.decoder_only import DecoderOnly, question_and_answer, write
from transformer_lite.layers import EncoderLayer
from transformer_lite.masks import causal_mask, padding_mask
from transformer_lite.positions import sinusoidal_encoding
from transformer_lite.training import gradient_steps, loss_function
from transformer_lite.vocabulary import BOS_ID, EOS_ID, PAD_ID, UNK_ID, Vocabulary, pad

SIZES = {"d_model": 64, "d_ff": 192, "n_layers": 2, "n_heads": 4}
EXPECTED = ["is", "has", "sometimes", "will", "knows", "needs", "would", "wants"]

Model = TypeVar("Model", bound=nn.Module)
BatchFunction = Callable[[random.Random], tuple[Tensor, Tensor]]
Pairs = Sequence[tuple[str, str]]


def ids_of(text: str, vocabulary: Vocabulary) -> list[int]:
    return vocabulary.encode(vocabulary.tokenize(text))


def fresh(vocabulary: Vocabulary, seed: int, **changes: int) -> DecoderOnly:
    """Such a model before it has learnt anything."""
    torch.manual_seed(seed)
    return DecoderOnly(len(vocabulary), norm_first=False, **(SIZES | changes))


def training(
    model: nn.Module,
    batch: BatchFunction,
    *,
    steps: int = 470,
    seed: int = 0,
    smoothing: float = 0.1,
    best: float = 4e-3,
) -> Iterator[float]:
    """A step for each batch, at a rate that rises to ``best`` and falls again; yields its loss."""
    dice = random.Random(seed)
    warmup = min(200, steps // 2)

    def rate(step: int) -> float:
        return best * min(step / warmup, (steps + 1 - step) / (steps + 1 - warmup))

    def loss(drawn: tuple[Tensor, Tensor]) -> Tensor:
        texts, answers = drawn
        return loss_function(model(texts), answers, smoothing)

    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    yield from gradient_steps(loss, (batch(dice) for _ in range(steps)), optimizer, rate)


def train(model: Model, batch: BatchFunction, *, steps: int = 470, **how) -> Model:
    """The model after its ``training``."""
    for _ in tqdm(training(model, batch, steps=steps, **how), total=steps, leave=False):
        pass
    return model.eval()


def translations(pairs: Pairs, vocabulary: Vocabulary) -> BatchFunction:
    """Question, mark and answer as one text."""
    return lambda dice: question_and_answer(dice.sample(pairs, 64), vocabulary)


def one_by_one(sentences: Sequence[str], vocabulary: Vocabulary) -> BatchFunction:
    """Single sentences, from ``<bos>`` to ``<eos>``."""

    def batch(dice: random.Random) -> tuple[Tensor, Tensor]:
        rows = [ids_of(text, vocabulary) for text in dice.sample(sentences, 64)]
        return pad([[BOS_ID, *row] for row in rows]), pad([[*row, EOS_ID] for row in rows])

    return batch


def with_gaps(texts: Sequence[str], vocabulary: Vocabulary) -> BatchFunction:
    """Sentences with ``<unk>`` for one of their words, which alone is asked for."""

    def batch(dice: random.Random) -> tuple[Tensor, Tensor]:
        asked, answers = [], []
        for text in dice.sample(texts, 64):
            words = ids_of(text, vocabulary)
            gap = dice.randrange(len(words))
            asked.append([*words[:gap], UNK_ID, *words[gap + 1 :]])
            answers.append([word if place == gap else PAD_ID for place, word in enumerate(words)])
        return pad(asked), pad(answers)

    return batch


class Filler(nn.Module):
    """Encoder layers that guess a word, from both sides or from the left alone."""

    def __init__(self, vocab_size: int, both_sides: bool):
        super().__init__()
        d_model = SIZES["d_model"]
        self.both_sides = both_sides
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=PAD_ID)
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, SIZES["n_heads"], SIZES["d_ff"], dropout=0.0)
            for _ in range(SIZES["n_layers"])
        )
        self.output = nn.Linear(d_model, vocab_size, bias=False)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(self, ids: Tensor) -> Tensor:
        """ids ``(batch, T)``. Returns scores for each token, ``(batch, T, vocab_size)``."""
        length, d_model = ids.size(1), self.embedding.embedding_dim
        x = self.embedding(ids) * d_model**0.5 + sinusoidal_encoding(length, d_model)
        mask = padding_mask(ids) if self.both_sides else causal_mask(length)
        for layer in self.layers:
            x, _ = layer(x, mask)
        return self.output(x)


@torch.no_grad()
def filled(filler: nn.Module, texts: Sequence[str], vocabulary: Vocabulary) -> tuple[float, int]:
    """The share of gaps that it fills rightly, each word of each text once, and their number."""
    right = gaps = 0
    for text in texts:
        words = ids_of(text, vocabulary)
        rows = torch.tensor([words] * len(words)).fill_diagonal_(UNK_ID)  # a gap in each
        guesses = filler(rows).argmax(-1).diagonal()
        right += int((guesses == torch.tensor(words)).sum())
        gaps += len(words)
    return right / gaps, gaps


def exact(model: DecoderOnly, pairs: Pairs, vocabulary: Vocabulary) -> float:
    """The share of pairs, in per cent, whose answer is written word for word."""
    by_length: dict[int, list] = {}  # beginnings of one length are written together
    for question, answer in pairs:
        beginning = [*ids_of(question, vocabulary), BOS_ID]
        wanted = [*ids_of(answer, vocabulary), EOS_ID]
        by_length.setdefault(len(beginning), []).append((beginning, wanted))
    right = 0
    for length, group in by_length.items():
        texts = write(model, torch.tensor([beginning for beginning, _ in group]), 40)
        for row, (_, wanted) in zip(texts.tolist(), group, strict=True):
            right += row[length : length + len(wanted)] == wanted
    return 100 * right / len(pairs)


def writes_and_expects(model: DecoderOnly, vocabulary: Vocabulary) -> dict[str, list]:
    """Two texts that it draws, always with the same dice, and its chances of the ``EXPECTED`` words
    after "the old man".
    """
    dice = torch.Generator().manual_seed(2)
    rows = write(model, torch.full((4, 1), BOS_ID), 10, temperature=1.0, generator=dice)
    written = [vocabulary.detokenize(vocabulary.decode(row)) for row in rows]
    begun = torch.tensor([[BOS_ID, *ids_of("the old man", vocabulary)]])
    with torch.no_grad():
        chances = model(begun)[0, -1].softmax(-1)
    ids = [vocabulary.ids[word] for word in EXPECTED]
    return {"written": [written[1], written[3]], "expects": chances[ids].tolist()}
