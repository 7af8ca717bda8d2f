"""Does patience make up for a long path?

    python -m dev.make.patience

A plain GRU reads 32 random symbols and names the first, as in chapter 10, but it gets ten times as
many batches there as the page can wait for. Chapter 10 quotes the result, which is kept beside this
file in patience.json.
"""

import json
from pathlib import Path

import torch

from attention_by_hand.studies.first_symbol import Recurrent, names_the_first

LENGTH = 32
BATCHES = (150, 1500)
SEEDS = range(3)
KEPT = Path(__file__).with_suffix(".json")


def right(batches: int, seed: int) -> float:
    return round(names_the_first(Recurrent, LENGTH, seed, steps=batches), 3)


def main() -> None:
    torch.set_num_threads(1)
    measured = {str(batches): [right(batches, seed) for seed in SEEDS] for batches in BATCHES}
    for batches, shares in measured.items():
        print(f"{batches:>5} batches", *(f"{share:.0%}" for share in shares))
    KEPT.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
