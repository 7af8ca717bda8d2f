"""Does patience make up for a long path?

    python -m dev.make.patience

A plain GRU reads 32 random symbols and names the first, as in chapter 10, but it gets ten times as
many batches there as the page can wait for. Chapter 10 quotes the result, which is kept beside this
file in patience.json.
"""

import json
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

LENGTH = 32
BATCHES = (150, 1500)
SEEDS = range(3)
KEPT = Path(__file__).with_suffix(".json")


class Recurrent(nn.Module):
    """The GRU of chapter 10."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10, 32)
        self.output = nn.Linear(48, 10)
        self.layer = nn.GRU(32, 48, batch_first=True)

    def forward(self, ids: Tensor) -> Tensor:
        states, _ = self.layer(self.embedding(ids))
        return self.output(states[:, -1])


def right(batches: int, seed: int) -> float:
    """The share of 1,000 new rows whose first symbol it names after so many batches."""
    torch.manual_seed(seed)
    model = Recurrent()
    torch.manual_seed(100 + seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(batches):
        ids = torch.randint(10, (64, LENGTH))
        loss = cross_entropy(model(ids), ids[:, 0])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        ids = torch.randint(10, (1000, LENGTH))
        return round((model(ids).argmax(-1) == ids[:, 0]).float().mean().item(), 3)


def main() -> None:
    torch.set_num_threads(1)
    measured = {str(batches): [right(batches, seed) for seed in SEEDS] for batches in BATCHES}
    for batches, shares in measured.items():
        print(f"{batches:>5} batches", *(f"{share:.0%}" for share in shares))
    KEPT.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
