"""Recall: how much of a row of letters comes through one vector, and how much with attention.

A small network reads random letters, another writes them again. Both are recurrent: they go letter
by letter and carry a state of 64 numbers along (GRUs, as in Cho et al., 2014). What the writer may
look at besides its own state is the only difference between the two models that are compared: the
reader's last state, at every step the same, or an average of all its states, weighted by attention.
Both have the same weights, in number and in shape.

``measured`` gives what ``python -m dev.make.recall`` has measured: five models of each kind, and
three more of the first that practised longer.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lite.attention import scaled_dot_product_attention
from transformer_lite.training import gradient_steps

from ..exhibits import stored

LETTERS = "abcdefghijklmnopqrstuvwxyz"
START = len(LETTERS)  # what the writer reads before its first letter
LENGTHS = range(1, 21)  # that recall is measured at
TRAINED = range(2, 17)  # that the models are trained on
SEEDS = range(5)
LONGER = 2400  # steps, four times as many: what more practice makes of one vector
LONGER_AT = 8  # letters
LONGER_SEEDS = range(3)
PLAYED = (4, 6, 8, 10, 12, 16)  # letters, which a reader of the figure may try to keep as well
ROUNDS = 12  # rows of each for that


class Copier(nn.Module):
    """Reads a row of letters and writes it again.

    attend: whether the writer attends to all states of the reader, or is given the last one only.
    """

    def __init__(self, *, attend: bool, size: int = 64):
        super().__init__()
        self.attend = attend
        self.embedding = nn.Embedding(len(LETTERS) + 1, size)
        self.reader = nn.GRU(size, size, batch_first=True)
        self.writer = nn.GRU(size, size, batch_first=True)
        self.output = nn.Linear(2 * size, len(LETTERS))

    def read(self, letters: Tensor) -> tuple[Tensor, Tensor]:
        """letters: ids, ``(batch, length)``. Returns the reader's states, ``(batch, length,
        size)``, and the last one once more as the writer's first, ``(1, batch, size)``.
        """
        return self.reader(self.embedding(letters))

    def write(self, before: Tensor, memory: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """before: the ids that stand before those to be written, ``(batch, n)``; memory and state:
        what ``read`` gave.

        Returns scores for each letter, ``(batch, n, 26)``, and the writer's last state.
        """
        states, state = self.writer(self.embedding(before), state)  # (batch, n, size)
        if self.attend:
            attended, _ = scaled_dot_product_attention(states, memory, memory)  # (batch, n, size)
        else:
            # (batch, n, size): one vector, the same at every step
            attended = memory[:, -1:].expand_as(states)
        return self.output(torch.cat([states, attended], dim=-1)), state

    def forward(self, letters: Tensor) -> Tensor:
        """Scores for each letter, ``(batch, length, 26)``, given the right letters before it."""
        start = torch.full_like(letters[:, :1], START)
        return self.write(torch.cat([start, letters[:, :-1]], dim=1), *self.read(letters))[0]

    @torch.no_grad()
    def recall(self, letters: Tensor) -> Tensor:
        """What it writes by itself, letter by letter: ids, ``(batch, length)``."""
        memory, state = self.read(letters)
        written = torch.full_like(letters[:, :1], START)
        for _ in range(letters.size(1)):
            scores, state = self.write(written[:, -1:], memory, state)
            written = torch.cat([written, scores.argmax(-1)], dim=1)
        return written[:, 1:]


def rows(length: int, n: int) -> Tensor:
    """``n`` rows of random letters, as ids, ``(n, length)``."""
    return torch.randint(len(LETTERS), (n, length))


def train(*, attend: bool, seed: int = 0, steps: int = 600) -> Copier:
    """A ``Copier`` after ``steps`` batches of 64 new rows, each batch of a length from 2 to 16."""
    torch.manual_seed(seed)
    model = Copier(attend=attend)
    batches = (rows(TRAINED[torch.randint(len(TRAINED), ())], 64) for _ in range(steps))

    def loss(letters: Tensor) -> Tensor:
        return F.cross_entropy(model(letters).flatten(0, 1), letters.flatten())

    for _ in gradient_steps(loss, batches, torch.optim.Adam(model.parameters(), lr=5e-3)):
        pass
    return model


def measure(model: Copier, length: int, n: int = 500) -> float:
    """The share of letters that it writes right and in their place, in ``n`` rows so long."""
    torch.manual_seed(1000 + length)
    letters = rows(length, n)
    return (model.recall(letters) == letters).float().mean().item()


def measured() -> dict:
    """The stored measurement.

    ``lengths``; for each model, ``"one vector"`` and ``"attention"``, the recall at each length,
    one number per seed; ``examples``: for each length one row of letters, and what the two models
    of seed 0 wrote; ``rounds``: for each length of ``PLAYED`` some more such rows; and ``longer``:
    the recall, one number per seed, of models with one vector that took more steps.
    """
    return stored("recall")
