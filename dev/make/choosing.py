"""What does an attention lose that reads only what a cheaper first look has chosen?

    python -m dev.make.choosing

Trains small readers of up to 32 pairs (``attention_by_hand/studies/choosing.py``) and asks each for
32, while it may read the best 1, 2, 4, 8, 16 or 32 tokens of its first look, or all. ``taught``:
the reader has learnt with an attention that reads everything, and stays as it is; the first look,
of 1, 2, 4 or 8 numbers, learns to give the shares that the attention gives. ``together``: both go
on with the best four. The others begin from nothing with the best four: ``answers`` has the loss of
the answers alone, ``heard`` too, but there the first look's scores are added to the attention's,
and ``both`` learns from the answers and from the shares. What is measured is kept after each seed,
and a program that was stopped goes on from there. The results come with the package, in
attention_by_hand/exhibits/choosing.json.
"""

import json

import torch
from torch import Tensor

from attention_by_hand import exhibits
from attention_by_hand.studies.choosing import chooser, first_look, learn
from attention_by_hand.studies.memory import Reader, pairs_and_questions, recalled, train
from dev.make import note
from transformer_lite.files import write_whole

KEPT = exhibits.file_of("choosing")
SEEDS = range(10)
SIZES = (1, 2, 4, 8)
BEST = (1, 2, 4, 8, 16, 32, None)
PAIRS = 32
FEW = 4  # tokens that are read while both learn
SIZE = 4  # numbers of the first look where the ways of learning are compared


def by_best(model: Reader) -> list[float]:
    """The share of 32 pairs that it recalls, for each number of tokens in BEST."""
    found = []
    for best in BEST:
        model.layers[0][1].best = best
        found.append(round(recalled(model, PAIRS), 3))
    return found


@torch.no_grad()
def overlooked(model: Reader) -> list[int]:
    """How many questions it answers right of those whose value the first look leaves out of its
    best four, and how many these are, of 100 times 32.
    """
    torch.manual_seed(1000 * PAIRS)
    ids, answers = pairs_and_questions(100, PAIRS)
    attention = model.layers[0][1]
    attention.best = None
    wanted = _shares(model, ids)[:, -PAIRS:].argmax(-1, keepdim=True)
    attention.best = FEW
    read = _shares(model, ids)[:, -PAIRS:] > 0
    missed = ~read.gather(-1, wanted).squeeze(-1)
    right = model(ids)[:, -PAIRS:].argmax(-1) == answers
    return [int(right[missed].sum()), int(missed.sum())]


def _shares(model: Reader, ids: Tensor) -> Tensor:
    norm, attention = model.layers[0]
    attention(norm(model.embedding(ids)))
    return attention.shares


def of_seed(seed: int) -> dict:
    reader = train(["all"], seed=seed)
    found: dict = {"overlooked": {}}
    for size in SIZES:
        model = chooser(size, reader, seed=seed)
        learn(model, first_look(model), answers=False, imitating=True, seed=seed, rate=1e-2)
        found[f"taught, {size}"] = by_best(model)
        if size < max(SIZES):
            found["overlooked"][size] = overlooked(model)
        if size == SIZE:
            model.layers[0][1].best = FEW
            learn(model, [*model.parameters()], answers=True, imitating=True, seed=seed)
            found["together"] = by_best(model)
    for name, imitating, heard in (
        ("answers", False, False),
        ("heard", False, True),
        ("both", True, False),
    ):
        model = chooser(SIZE, seed=seed, best=FEW, heard=heard)
        weights = [*model.parameters()]
        learn(model, weights, answers=True, imitating=imitating, seed=seed, steps=1000)
        found[name] = by_best(model)
    return found


def main() -> None:
    torch.set_num_threads(1)
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else []
    for seed in SEEDS[len(kept) :]:
        kept.append(of_seed(seed))
        print(seed, kept[-1], flush=True)
        write_whole(KEPT, json.dumps(kept).encode() + b"\n")
    note(KEPT, __file__, [*SEEDS])


if __name__ == "__main__":
    main()
