"""The collapse that chapter 8 takes apart and the same model with warm-up, recorded step by step.

    python -m dev.make.two_runs

Trains both for the figures that replay them: see `attention_by_hand/studies/two_runs.py`.
"""

import base64
import json

import torch

from attention_by_hand import exhibits
from attention_by_hand.studies.two_runs import WARMUPS, Moment, record
from dev.make import note
from transformer_lite.files import write_whole

KEPT = exhibits.file_of("two_runs")


def stored(moment: Moment) -> dict:
    loss, maps, written = moment
    bytes_of = (255 * maps).round().to(torch.uint8).numpy()
    lines = [base64.b64encode(head.tobytes()).decode() for head in bytes_of]
    return {"loss": round(loss, 6), "maps": lines, "written": written}


def main() -> None:
    runs = {name: [stored(one) for one in record(warmup)] for name, warmup in WARMUPS.items()}
    write_whole(KEPT, (json.dumps(runs, indent=1) + "\n").encode())
    note(KEPT, __file__, [0])


if __name__ == "__main__":
    main()
