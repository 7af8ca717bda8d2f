"""Can one layer say what a friend holds, if it is wide enough?

    python -m dev.make.friends

Chapter 7 asks one layer and two, with equally many weights, for the thing of a friend. Here the
single layer gets ten times the steps, and then a wide one gets four times the weights as well.
Chapter 7 quotes the shares of right answers, which are kept beside this file in friends.json.
"""

import json
from pathlib import Path

import torch

from attention_by_hand.studies.friends import finds_the_friend

ONE_LAYER = {
    "as in the page": {"d_ff": 129, "steps": 6000},
    "wide": {"d_ff": 256, "steps": 8000, "rate": 2e-3, "d_model": 64, "n_heads": 8},
}
SEEDS = range(3)
KEPT = Path(__file__).with_suffix(".json")


def main() -> None:
    torch.set_num_threads(1)
    measured = {}
    for name, how in ONE_LAYER.items():
        runs = [finds_the_friend(1, seed=seed, **how) for seed in SEEDS]
        right = [round(share, 3) for _, share in runs]
        measured[name] = {"weights": runs[0][0], "steps": how["steps"], "right": right}
        print(name, measured[name])
    KEPT.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
