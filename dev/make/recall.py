"""How much of a row of letters comes through one vector, and how much with attention?

    python -m dev.make.recall

Trains five models of each kind, and three more with one vector that practise longer, for chapter 0
and its figure: see `attention_by_hand/studies/recall.py`.
"""

import json

import torch
from tqdm import tqdm

from attention_by_hand import exhibits
from attention_by_hand.studies.recall import (
    LENGTHS,
    LETTERS,
    LONGER,
    LONGER_AT,
    LONGER_SEEDS,
    PLAYED,
    ROUNDS,
    SEEDS,
    measure,
    rows,
    train,
)
from dev.make import note
from transformer_lite.files import write_whole

KEPT = exhibits.file_of("recall")


def told(models, length, n, seed):
    """``n`` rows of so many letters as texts, each with what the models write of it."""
    torch.manual_seed(seed)
    letters = rows(length, n)
    written = [letters, *(model.recall(letters) for model in models)]
    return [
        ["".join(LETTERS[i] for i in row) for row in each] for each in zip(*written, strict=True)
    ]


def main() -> None:
    measurement = {"lengths": list(LENGTHS), "examples": [], "rounds": []}
    first = {}
    with tqdm(total=2 * len(SEEDS) + len(LONGER_SEEDS), desc="recall", unit="model") as bar:
        for name, attend in (("one vector", False), ("attention", True)):
            shares = []
            for seed in SEEDS:
                model = train(attend=attend, seed=seed)
                first.setdefault(name, model)
                shares.append([round(measure(model, length), 4) for length in LENGTHS])
                bar.update()
            measurement[name] = list(zip(*shares, strict=True))  # (lengths, seeds)
        measurement["longer"] = {"steps": LONGER, "length": LONGER_AT, "one vector": []}
        for seed in LONGER_SEEDS:
            model = train(attend=False, seed=seed, steps=LONGER)
            measurement["longer"]["one vector"].append(round(measure(model, LONGER_AT), 4))
            bar.update()
    models = first.values()
    measurement["examples"] = [told(models, length, 1, length)[0] for length in LENGTHS]
    measurement["rounds"] = [told(models, length, ROUNDS, 2000 + length) for length in PLAYED]
    write_whole(KEPT, (json.dumps(measurement, indent=1) + "\n").encode())
    note(KEPT, __file__, {"both": [*SEEDS], "longer": [*LONGER_SEEDS]})


if __name__ == "__main__":
    main()
