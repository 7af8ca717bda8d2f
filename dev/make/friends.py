"""Can one layer say what a friend holds, if it is wide enough?

    python -m dev.make.friends

Chapter 7 asks one layer and two, with equally many weights, for the thing of a friend. Here the
single layer gets ten times the steps, and then a wide one gets four times the weights as well.
Chapter 7 quotes the shares of right answers, which are kept beside this file in friends.json.
"""

import json
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from transformer_lite.layers import EncoderLayer

ONE_LAYER = {  # numbers per word, heads, width of the network, steps, rate
    "as in the page": (32, 4, 129, 6000, 4e-3),
    "wide": (64, 8, 256, 8000, 2e-3),
}
SEEDS = range(3)
KEPT = Path(__file__).with_suffix(".json")


class Friends(nn.Module):
    """Chapter 7's model, with one layer."""

    def __init__(self, d_model: int, heads: int, d_ff: int):
        super().__init__()
        self.name = nn.Embedding(8, d_model)
        self.friend = nn.Embedding(8, d_model)
        self.thing = nn.Embedding(8, d_model)
        self.whose = nn.Embedding(8, d_model)
        self.layer = EncoderLayer(d_model, heads, d_ff, 0.0)
        self.say = nn.Linear(d_model, 8)

    def forward(self, names: Tensor, friends: Tensor, things: Tensor, whose: Tensor) -> Tensor:
        people = self.name(names) + self.friend(friends) + self.thing(things)
        x, _ = self.layer(torch.cat((people, self.whose(whose)), dim=1))
        return self.say(x[:, -1])


def ask(n: int, g: torch.Generator) -> tuple[tuple[Tensor, ...], Tensor]:
    """n times four people and a name, and what that one's friend holds."""
    names = torch.rand(n, 8, generator=g).argsort(1)[:, :4]
    things = torch.rand(n, 8, generator=g).argsort(1)[:, :4]
    friend = (torch.arange(4) + torch.randint(1, 4, (n, 4), generator=g)) % 4
    who = torch.randint(4, (n, 1), generator=g)
    question = names, names.gather(1, friend), things, names.gather(1, who)
    return question, things.gather(1, friend.gather(1, who))[:, 0]


def right(size: tuple[int, int, int], steps: int, rate: float, seed: int) -> tuple[int, float]:
    """How many weights it has, and its share of right answers to 2,000 new questions."""
    torch.manual_seed(seed)
    g = torch.Generator().manual_seed(seed)
    model = Friends(*size)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    for _ in range(steps):
        question, answer = ask(64, g)
        loss = cross_entropy(model(*question), answer)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    question, answer = ask(2000, g)
    with torch.no_grad():
        share = (model(*question).argmax(-1) == answer).float().mean().item()
    return sum(p.numel() for p in model.parameters()), round(share, 3)


def main() -> None:
    torch.set_num_threads(1)
    measured = {}
    for name, (*size, steps, rate) in ONE_LAYER.items():
        runs = [right(tuple(size), steps, rate, seed) for seed in SEEDS]
        measured[name] = {"weights": runs[0][0], "steps": steps, "right": [r for _, r in runs]}
        print(name, measured[name])
    KEPT.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
