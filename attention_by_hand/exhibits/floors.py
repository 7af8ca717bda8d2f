"""What the loss is for a model that lacks something: the floors that it falls past as it learns."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from transformer_lite.vocabulary import BOS_ID, EOS_ID, SPECIAL, split_words

# Where a loss lies that is between two floors, from the top down. What such a model knows it does
# not say: both languages may be half learnt.
ZONES = (
    "above even guessing",
    "below even guessing",
    "below word counts",
    "below English alone",
)


class Floors(NamedTuple):
    """A loss for each kind of ignorance, in nats per token, from the highest to the lowest."""

    evenly: float
    counts: float
    unread: float


def floors(targets: Sequence[str | Sequence[str]]) -> Floors:
    """The floors for these translations, each a text or a list of its tokens.

    ``evenly``: every token of the vocabulary, the special ones included, is equally likely.
    ``counts``: each token is as likely as it is frequent, whatever stands before it.
    ``unread``: the translations are known by heart, the sentences to translate are not read; 0
    where no two translations begin alike.
    """
    rows = [split_words(text) if isinstance(text, str) else list(text) for text in targets]
    rows = [[BOS_ID, *row, EOS_ID] for row in rows]  # the ids cannot be taken for words
    answers = Counter(token for row in rows for token in row[1:])
    beginnings = Counter(tuple(row[:t]) for row in rows for t in range(1, len(row)))
    continued = Counter(tuple(row[: t + 1]) for row in rows for t in range(1, len(row)))
    n = answers.total()
    words = len(answers) - 1 + len(SPECIAL)  # all but the end mark, which is special
    return Floors(
        evenly=math.log(words),
        counts=sum(count / n * math.log(n / count) for count in answers.values()),
        unread=sum(
            count / n * math.log(beginnings[row[:-1]] / count) for row, count in continued.items()
        ),
    )


def zones(targets: Sequence[str | Sequence[str]], names: Sequence[str] = ZONES) -> list:
    """What lies between the floors of these translations: [name, its lowest loss]."""
    lower = [*floors(targets), 0.0]
    return [[name, float(loss)] for name, loss in zip(names, lower, strict=True)]
