"""Judged: a writer of single sentences, chapter 11's, that learns from judgements alone.

At each step the model writes some sentences, and a *judge*, a function of a text, gives each a
number: 1 or 0, or a length. Nobody shows it a better sentence. The logarithm of the probability of
what it wrote is pulled up or down by how far the judgement lies from the mean of the step's, in
units of their spread (Williams, 1992; Shao et al., 2024). A *leash* adds that many times the
divergence from the model that has only read, word by word.

The grammar is a judge that cannot be wrong: ``is_sentence`` knows all two million sentences there
are, as paths through a graph. ``recorded`` gives what ``python -m dev.make.judged`` has measured,
``reader`` the model that it begins with.

Shapes: ``B`` sentences, ``T`` tokens, ``V`` words.
"""

import copy
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from transformer_lite.data.grammar import splits
from transformer_lite.decoder_only import DecoderOnly, write
from transformer_lite.language_model import LanguageModel, load_language_model
from transformer_lite.training import gradient_steps, loss_function
from transformer_lite.vocabulary import BOS_ID, EOS_ID, PAD_ID, pad

from ..exhibits import stored
from .alone import ids_of

SENTENCES = 64  # that it writes at a step
LONGEST = 30  # of a sentence, in tokens with its begin mark
RATE = 1e-3
STEPS = 40
LEASH = 0.3
MEASURED = 300  # sentences that a measurement has it write
HELD_OUT = 200  # that it has not read
WORD = "not"  # of a judge who looks at a single one
FOLDER = Path(__file__).parents[1] / "models" / "judged"
LANGUAGE = FOLDER / "language.bin"

Judge = Callable[[str], float]


@cache
def reader() -> LanguageModel:
    """The model that has only read, with its words."""
    return load_language_model(FOLDER)


@cache
def language() -> list[tuple[bool, dict[str, int]]]:
    """All sentences, as paths from the first of some states: whether a sentence may end there, and
    the state behind each word that may come.
    """
    count, *numbers = np.fromfile(LANGUAGE, "<u2").tolist()
    lengths, rest = numbers[:count], iter(numbers[count:])
    tokens = reader().vocabulary.tokens
    rows = [[next(rest) for _ in range(length)] for length in lengths]
    return [
        (ends == 1, {tokens[word]: after for word, after in zip(way[::2], way[1::2], strict=True)})
        for ends, *way in rows
    ]


def is_sentence(text: str) -> bool:
    """Whether the grammar has it, or the corpus, whose German may lack its last mark."""
    ends, ways = language()[0]
    for word in text.split():
        if word not in ways:
            return False
        ends, ways = language()[ways[word]]
    return ends


def length(text: str) -> int:
    """A judge who likes whatever is longer."""
    return len(text.split())


def has_the_word(text: str) -> bool:
    """A judge who likes a single word, however the rest may be."""
    return WORD in text.split()


def texts_of(rows: Tensor) -> list[str]:
    """What rows of ids ``(n, T)`` say, without their marks."""
    vocabulary = reader().vocabulary
    return [vocabulary.detokenize(vocabulary.decode(row)) for row in rows]


def written(model: DecoderOnly, count: int, dice: torch.Generator) -> Tensor:
    """So many sentences, drawn word by word, (B, T), from the begin mark on."""
    return write(model, torch.full((count, 1), BOS_ID), LONGEST, temperature=1.0, generator=dice)


def pulls(judged: Tensor) -> Tensor:
    """How far each judgement lies from their mean, in units of their spread, (B): all 0 where all
    are the same.
    """
    return (judged - judged.mean()) / (judged.std() + 1e-6)


def judged_loss(
    model: DecoderOnly, rows: Tensor, pull: Tensor, before: DecoderOnly, leash: float = 0.0
) -> Tensor:
    """What a step makes smaller. rows (B, T), pull (B); before: the model at the other end of the
    leash.
    """
    read, wanted = rows[:, :-1], rows[:, 1:]
    real = wanted != PAD_ID
    logs = model(read).log_softmax(-1)  # (B, T - 1, V)
    chosen = logs.gather(-1, wanted[..., None]).squeeze(-1)
    loss = -(pull[:, None] * chosen)[real].sum() / real.sum()
    if leash:
        with torch.no_grad():
            old = before(read).log_softmax(-1)
        apart = (logs.exp() * (logs - old)).sum(-1)
        loss = loss + leash * apart[real].mean()
    return loss


def good_loss(model: DecoderOnly, rows: Tensor, judged: Tensor) -> Tensor:
    """Reading once more what was judged good, and nothing else (rejection sampling)."""
    good = rows[judged > 0]
    if not len(good):
        return 0 * model.output.weight.sum()
    return loss_function(model(good[:, :-1]), good[:, 1:])


def learn(
    model: DecoderOnly,
    judge: Judge,
    *,
    seed: int = 0,
    steps: int = STEPS,
    leash: float = 0.0,
    good_alone: bool = False,
    from_before: bool = False,
) -> Iterator[int]:
    """The steps of a judged model, counted from 0, which is yielded before the first. ``model``
    itself changes. good_alone: it only reads again what was judged good, see ``good_loss``;
    from_before: of what the model wrote before the first step, and not of what it writes now.
    """
    before = copy.deepcopy(model).requires_grad_(False)
    writer = before if from_before else model
    dice = torch.Generator().manual_seed(1 + seed)

    def drawn() -> tuple[Tensor, Tensor]:
        rows = written(writer, SENTENCES, dice)
        return rows, torch.tensor([float(judge(text)) for text in texts_of(rows)])

    def loss(batch: tuple[Tensor, Tensor]) -> Tensor:
        rows, judged = batch
        if good_alone:
            return good_loss(model, rows, judged)
        return judged_loss(model, rows, pulls(judged), before, leash)

    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    yield 0
    taken = gradient_steps(loss, (drawn() for _ in range(steps)), optimizer)
    for step, _ in enumerate(taken, start=1):
        yield step


class Measures(NamedTuple):
    """Of ``MEASURED`` sentences that a model has written: how many per cent are sentences of the
    language, how many different ones there are, how often the commonest of them comes, how many
    per cent are questions, how many words they have on average, how many per cent were not brought
    to an end; and the perplexity on sentences that it has never read.
    """

    right: float
    different: int
    commonest: int
    questions: float
    words: float
    unended: float
    perplexity: float


@cache
def held_out() -> tuple[Tensor, Tensor]:
    """Sentences that it has not read: what it is given, and what should come next, (B, T) both."""
    vocabulary = reader().vocabulary
    texts = [text for pair in splits().unseen[: HELD_OUT // 2] for text in pair[:2]]
    rows = [ids_of(text, vocabulary) for text in texts]
    return pad([[BOS_ID, *row] for row in rows]), pad([[*row, EOS_ID] for row in rows])


@torch.no_grad()
def measure(model: DecoderOnly) -> Measures:
    """Always with the same dice."""
    rows = written(model, MEASURED, torch.Generator().manual_seed(0))
    texts = texts_of(rows)
    counts = Counter(texts)
    read, wanted = held_out()

    def per_cent(kind: Callable[[str], bool]) -> float:
        return round(100 * sum(map(kind, texts)) / len(texts), 1)

    return Measures(
        right=per_cent(is_sentence),
        different=len(counts),
        commonest=counts.most_common(1)[0][1],
        questions=per_cent(lambda text: text.endswith("?")),
        words=round(sum(map(length, texts)) / len(texts), 2),
        unended=round(100 * (~(rows == EOS_ID).any(-1)).float().mean().item(), 1),
        perplexity=round(loss_function(model(read), wanted).exp().item(), 2),
    )


def recorded() -> dict:
    """The stored measurements: see ``dev/make/judged.py``."""
    return stored("judged")
