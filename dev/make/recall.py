"""How much of a row of letters comes through one vector, and how much with attention?

    python -m dev.make.recall

Trains five models of each kind, and three more with one vector that practise longer, for chapter 0
and its figure: see `attention_by_hand/exhibits/recall.py`.
"""

import json

import torch
from tqdm import tqdm

from attention_by_hand.exhibits.recall import (
    LENGTHS,
    LETTERS,
    LONGER,
    LONGER_AT,
    LONGER_SEEDS,
    SEEDS,
    STORED,
    measure,
    rows,
    train,
)
from transformer_lite.files import write_whole


def main() -> None:
    measurement = {"lengths": list(LENGTHS), "examples": []}
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
    for length in LENGTHS:
        torch.manual_seed(length)
        letters = rows(length, 1)
        example = [letters, *(model.recall(letters) for model in first.values())]
        measurement["examples"].append(["".join(LETTERS[i] for i in row[0]) for row in example])
    write_whole(STORED, (json.dumps(measurement, indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
