"""Friends: a question that one layer can hardly answer, and two can.

Each of four people has a name, a friend among the others, and a thing. The question is a name, and
the answer is what that one's friend holds: first the friend has to be found, and then the thing.
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm import tqdm

from transformer_lite.layers import EncoderLayer
from transformer_lite.training import gradient_steps

KINDS = 8  # of names, and of things


class Questions(NamedTuple):
    """names, friends, things: ``(batch, 4)``, of each person; who: ``(batch, 1)``; answers:
    ``(batch,)``. All are ids below ``KINDS``.
    """

    names: Tensor
    friends: Tensor
    things: Tensor
    who: Tensor
    answers: Tensor


class Friends(nn.Module):
    """Encoder layers that read four people and a question."""

    def __init__(self, n_layers: int, d_ff: int, d_model: int = 32, n_heads: int = 4):
        super().__init__()
        self.name = nn.Embedding(KINDS, d_model)
        self.friend = nn.Embedding(KINDS, d_model)
        self.thing = nn.Embedding(KINDS, d_model)
        self.who = nn.Embedding(KINDS, d_model)
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, n_heads, d_ff, dropout=0.0) for _ in range(n_layers)
        )
        self.say = nn.Linear(d_model, KINDS)

    def forward(self, asked: Questions) -> Tensor:
        """Scores for each thing, ``(batch, KINDS)``."""
        people = self.name(asked.names) + self.friend(asked.friends) + self.thing(asked.things)
        x = torch.cat((people, self.who(asked.who)), dim=1)  # (batch, 5, d_model)
        for layer in self.layers:
            x, _ = layer(x)
        return self.say(x[:, -1])


def ask(n: int, dice: torch.Generator) -> Questions:
    """n times four people and a name, and what that one's friend holds."""
    names = torch.rand(n, KINDS, generator=dice).argsort(1)[:, :4]
    things = torch.rand(n, KINDS, generator=dice).argsort(1)[:, :4]
    friend = (torch.arange(4) + torch.randint(1, 4, (n, 4), generator=dice)) % 4
    who = torch.randint(4, (n, 1), generator=dice)
    answers = things.gather(1, friend.gather(1, who))[:, 0]
    return Questions(names, names.gather(1, friend), things, names.gather(1, who), answers)


def finds_the_friend(
    n_layers: int,
    d_ff: int,
    seed: int,
    *,
    steps: int = 600,
    rate: float = 4e-3,
    d_model: int = 32,
    n_heads: int = 4,
) -> tuple[int, float]:
    """The number of weights, and the share of right answers to 2,000 new questions after ``steps``
    batches of 64.
    """
    torch.manual_seed(seed)
    model = Friends(n_layers, d_ff, d_model, n_heads)
    dice = torch.Generator().manual_seed(seed)
    batches = (ask(64, dice) for _ in tqdm(range(steps), leave=False))
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)

    def loss(asked: Questions) -> Tensor:
        return F.cross_entropy(model(asked), asked.answers)

    for _ in gradient_steps(loss, batches, optimizer):
        pass
    asked = ask(2000, dice)
    with torch.no_grad():
        right = (model(asked).argmax(-1) == asked.answers).float().mean().item()
    return sum(p.numel() for p in model.parameters()), right
