"""The language: all its sentences, some drawn at random, and what is kept out of training."""

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain, islice
from typing import NamedTuple

from ...checks import check_whole
from .clauses import Each
from .constructions import TURNS
from .lexicon import ADJECTIVES, NOUNS, VERBS

# words in the longest sentences
MAX_SOURCE = 12
MAX_TARGET = 14


class Pair(NamedTuple):
    """A German sentence, its English translation and their alignment, with single spaces."""

    source: str  # "ich möchte ein Bier ."
    target: str  # "i would like a beer ."
    # (source word, target word), both counted from 0, in order
    alignment: tuple[tuple[int, int], ...]


class Splits(NamedTuple):
    """Three tuples of pairs that have no German sentence in common; see ``splits``."""

    train: tuple[Pair, ...]
    unseen: tuple[Pair, ...]
    compositional: tuple[Pair, ...]


def aligned(german: str, english: str, end: str) -> Pair:
    """Take the links off the words, and align the words that share one."""
    source, target = (
        [word.partition(":") for word in f"{words} {end}:{end}".split()]
        for words in (german, english)
    )
    return Pair(
        " ".join(word for word, _, _ in source),
        " ".join(word for word, _, _ in target),
        tuple(
            (i, j)
            for i, (_, _, links) in enumerate(source)
            for j, (_, _, others) in enumerate(target)
            if not {*links}.isdisjoint(others)
        ),
    )


def sentences(construction, each: Each) -> Iterator[Pair]:
    for german, english, end in construction(each):
        if len(german.split()) < MAX_SOURCE and len(english.split()) < MAX_TARGET:
            yield aligned(german, english, end)


def every_pair() -> Iterator[Pair]:
    """The whole language, each German sentence once; listing it takes about a minute."""
    seen = set()
    for construction in TURNS:
        for pair in sentences(construction, lambda options: options):
            if pair.source not in seen:
                seen.add(pair.source)
                yield pair


def in_random_order(seed: int) -> Iterator[Pair]:
    """The whole language, each German sentence once: drawn at first, then listed and shuffled."""
    rng = random.Random(seed)
    seen: set[str] = set()
    repeats = 0
    while repeats < 1000:
        [construction] = rng.choices(list(TURNS), list(TURNS.values()))
        pair = None
        while pair is None:  # a choice may turn out not to make sense
            pair = next(
                sentences(construction, lambda options: [rng.choice(options)] if options else []),
                None,
            )
        repeats += 1
        if pair.source not in seen:
            repeats = 0
            seen.add(pair.source)
            yield pair
    rest = [pair for pair in every_pair() if pair.source not in seen]
    rng.shuffle(rest)
    yield from rest


def generate(n: int, seed: int = 0) -> list[Pair]:
    """``n`` different pairs, drawn at random; the same ones for the same seed.

    Raises ValueError if the grammar holds fewer, and for an ``n`` below 0.
    """
    check_whole("n", n, least=0)
    pairs = list(islice(in_random_order(seed), n))
    if len(pairs) < n:
        raise ValueError(f"the grammar holds {len(pairs)} different sentences; got n={n}")
    return pairs


# A verb or adjective, and the noun it never meets in training
HELD_OUT = [
    ("trinken", "Wein"), ("essen", "Äpfel"), ("kaufen", "Zeitung"), ("suchen", "Katze"),
    ("aufmachen", "Koffer"), ("gut", "Kaffee"), ("neu", "Haus"), ("rot", "Koffer"),
]  # fmt: skip


def is_held_out(pair: Pair) -> bool:
    """Whether a combination of ``HELD_OUT`` occurs, told by the English, with its fewer forms."""
    words = pair.target.split()
    for word, noun in HELD_OUT:
        thing = NOUNS[noun].english
        if word in ADJECTIVES and f"{ADJECTIVES[word][0]} {thing}" in pair.target:
            return True
        if (
            word in VERBS
            and thing in words
            and any(form.split()[0] in words for form in VERBS[word].english)
        ):
            return True
    return False


@cache
def splits(
    n_train: int = 6000, n_unseen: int = 1000, n_compositional: int = 1000, seed: int = 0
) -> Splits:
    """Pairs to train on, and two tuples to test on; no German sentence occurs twice.

    ``unseen`` is more of the same. Every sentence of ``compositional`` has a combination of
    ``HELD_OUT``, which the other two never have. ``train`` has every word of both; those of
    ``compositional`` it has at least once in 300 pairs, so that it is the combination that is new
    and not the word.

    Raises ValueError if the grammar does not hold that many sentences, and for an ``n_train`` below
    1 or another number below 0.
    """
    check_whole("n_train", n_train, least=1)
    check_whole("n_unseen", n_unseen, least=0)
    check_whole("n_compositional", n_compositional, least=0)
    pairs = in_random_order(seed)
    train: list[Pair] = []
    held_out: list[Pair] = []
    for pair in pairs:
        side = held_out if is_held_out(pair) else train
        side.append(pair)
        if len(train) == n_train:
            break
    counts = [Counter(word for pair in train for word in pair[side].split()) for side in (0, 1)]
    unseen: list[Pair] = []
    compositional: list[Pair] = []
    for pair in chain(held_out, pairs):
        if len(unseen) == n_unseen and len(compositional) == n_compositional:
            break
        rarest = min(counts[side][word] for side in (0, 1) for word in pair[side].split())
        if is_held_out(pair):
            if len(compositional) < n_compositional and rarest >= max(1, n_train // 300):
                compositional.append(pair)
        elif len(unseen) < n_unseen and rarest >= 1:
            unseen.append(pair)
    if (len(train), len(unseen), len(compositional)) != (n_train, n_unseen, n_compositional):
        raise ValueError(
            f"the grammar has no {n_train} pairs to train on and, in the same words, {n_unseen} "
            f"unseen and {n_compositional} compositional ones: at most {len(train)}, {len(unseen)} "
            f"and {len(compositional)}"
        )
    return Splits(tuple(train), tuple(unseen), tuple(compositional))
