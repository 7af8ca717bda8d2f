"""What the trainings of chapters 7, 10, 11 and 12 come to that their pages do not run themselves.

    python -m dev.make.other_runs

That takes about a minute on one thread. Each of these pages trains one seed, or one of several
models, and shows the others beside it. They are the studies of `attention_by_hand/studies/`, and
what they come to is kept in attention_by_hand/exhibits/other_runs.json.
"""

import json

import torch
from torch.nn import functional

from attention_by_hand import exhibits
from attention_by_hand.studies import alone
from attention_by_hand.studies.first_symbol import Attentive, Recurrent, keeping, names_the_first
from attention_by_hand.studies.friends import finds_the_friend
from attention_by_hand.studies.products import learn_products
from dev.make import note
from transformer_lite.data.grammar import splits

from .alone import PAIRS, TEXTS, VOCABULARY, fresh

KEPT = exhibits.file_of("other_runs")
SEEDS = 1, 2  # 0 is trained in the page


def friends() -> dict:
    """Chapter 7: the share of friends' things that one layer finds, and two."""
    return {
        "one layer": [finds_the_friend(1, 129, seed)[1] for seed in SEEDS],
        "two": [finds_the_friend(2, 32, seed)[1] for seed in SEEDS],
        "one layer, four times as long": finds_the_friend(1, 129, 0, steps=2400)[1],
    }


def recall() -> dict:
    """Chapter 10: the share of first symbols that are named, for each length."""
    kinds = {"attention": Attentive, "GRU": Recurrent}
    shares = {
        name: {n: [names_the_first(kind, n, seed) for seed in SEEDS] for n in (8, 32, 64)}
        for name, kind in kinds.items()
    }
    shares["GRU that begins by keeping"] = {
        32: [names_the_first(keeping, 32, seed) for seed in SEEDS]
    }
    return shares


def gaps() -> float:
    """Chapter 11: the share of gaps that a model fills which sees the left side alone."""
    torch.manual_seed(0)
    filler = alone.Filler(len(VOCABULARY), both_sides=False)
    alone.train(filler, alone.with_gaps([german for german, _ in PAIRS], VOCABULARY))
    unseen = [pair.source for pair in splits().unseen[:200]]
    return alone.filled(filler, unseen, VOCABULARY)[0]


def younger() -> dict:
    """Chapter 11: what models write that have learnt for less long, and what they expect."""
    batch = alone.one_by_one(TEXTS, VOCABULARY)
    drawn = {}
    for steps in (0, 30, 100, 200):
        model = fresh(seed=0)
        alone.train(model, batch, steps=steps, smoothing=0.0)
        drawn[steps] = alone.writes_and_expects(model, VOCABULARY)
    return drawn


def products() -> dict:
    """Chapter 12: the error of three networks that learn to multiply."""
    bends = {
        "ReLU": (functional.relu, False),
        "GELU": (functional.gelu, False),
        "SwiGLU": (functional.silu, True),
    }
    return {name: [learn_products(*bend, seed) for seed in SEEDS] for name, bend in bends.items()}


def rounded(found):
    """With four digits after the point, and names as JSON keeps them."""
    if isinstance(found, dict):
        return {str(name): rounded(part) for name, part in found.items()}
    if isinstance(found, list):
        return [rounded(part) for part in found]
    return found if isinstance(found, str) else round(found, 4)


def main() -> None:
    torch.set_num_threads(1)
    measured = {run.__name__: run() for run in (friends, recall, gaps, younger, products)}
    KEPT.write_text(json.dumps(rounded(measured), indent=1) + "\n", encoding="utf-8")
    note(KEPT, __file__, {"friends, recall, products": [*SEEDS], "others": [0]})


if __name__ == "__main__":
    main()
