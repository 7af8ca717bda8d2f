"""Pairs that are held out: never learnt from, only measured on.

The loss of the pairs that a model learns from falls whether it understands or only memorises. Both
are told apart by pairs that it has never seen.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

from ..checks import number_of
from ..data.corpus import EncodedPairs, encode_pair
from ..decoding import evaluating
from ..training import loss_function
from ..translator import Translator
from ..vocabulary import split_words
from .evaluation import exact_matches

ONE_IN = 20  # sentences are held out by default,
AT_LEAST = 10  # or none, where these would be fewer,
AT_MOST = 500  # and never more: they are translated again and again


class Measure(NamedTuple):
    """How good a model was after an epoch.

    step, epoch: how far the training was. training_loss: the mean since the measure before. loss:
    of the held-out pairs, with the same label smoothing, so that both can be compared. exact: how
    many of the ``sentences`` held out were translated word for word.
    """

    step: int
    epoch: int
    training_loss: float
    loss: float
    exact: int
    sentences: int


def hold_out(
    pairs: Sequence[tuple[str, str]], valid: int | float | None = None, seed: int = 0
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Split pairs at random into those to learn from and those to measure on.

    valid: how many different source sentences to hold out, a whole number, or their share, below 1;
    unless given, one in 20, but at most 500, and none if these are fewer than 10. All pairs of a
    source sentence stay together, so that no held-out sentence is learnt from; what differs only in
    its spaces, its capitals or what cannot be seen is the same sentence.

    Raises ValueError if nothing would be left to learn from, for a number below 0, and for a share
    that is not between 0 and 1, or too small to hold out one.
    """
    keys = [sentence_of(pair[0]) for pair in pairs]
    sources = list(dict.fromkeys(keys))
    if valid is None:
        number = min(len(sources) // ONE_IN, AT_MOST)
        number = number if number >= AT_LEAST else 0
    else:
        number = number_of(valid, len(sources))
    if number and number >= len(sources):
        raise ValueError(
            f"valid={valid} leaves nothing to learn from: there are only {len(sources)} "
            "different source sentences"
        )
    chosen = set(random.Random(f"{seed} held out").sample(sources, number))
    learnt = [pair for pair, key in zip(pairs, keys, strict=True) if key not in chosen]
    held_out = [pair for pair, key in zip(pairs, keys, strict=True) if key in chosen]
    return learnt, held_out


def sentence_of(text: str) -> tuple[str, ...]:
    """The same for all texts that a translator may read as the same words."""
    return tuple(word.casefold() for word in split_words(text))


class HeldOut:
    """Pairs to measure a translator on, without those that are too long for it."""

    def __init__(self, pairs: Sequence[tuple[str, str]], translator: Translator):
        source = translator.source_vocabulary
        target = translator.target_vocabulary
        max_length = translator.model.config.max_length
        self.translator = translator
        self.pairs = [pair for pair in pairs if encode_pair(pair, source, target, max_length)]
        if not self.pairs:
            raise ValueError(f"all held-out pairs have over {max_length} tokens on a side, or none")
        self.data = EncodedPairs(self.pairs, source, target, max_length)

    def loss(self, batch_size: int, label_smoothing: float) -> float:
        """The mean cross-entropy of all tokens, with dropout off."""
        model = self.translator.model
        total = 0.0
        with evaluating(model):
            for start in range(0, len(self.data), batch_size):
                rows = range(start, min(start + batch_size, len(self.data)))
                batch = self.data.batch(rows)
                source = batch.source.to(self.translator.device)
                target = batch.target.to(self.translator.device)
                logits = model(source, target[:, :-1])
                loss = loss_function(logits, target[:, 1:], label_smoothing)
                total += loss.item() * self.data.n_target_tokens(rows)
        return total / self.data.n_target_tokens(range(len(self.data)))

    def exact(self) -> int:
        """How many are translated word for word."""
        return exact_matches(self.translator, self.pairs)
