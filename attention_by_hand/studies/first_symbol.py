"""The first symbol of a row: how far back can a network be taught to remember?

Rows of random symbols, 0 to 9, are read to their end, and the last place has to name the first
symbol. ``Attentive`` can look at it, and ``Recurrent``, a GRU, has to carry it along.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm import tqdm

from transformer_lite.layers import EncoderLayer
from transformer_lite.positions import sinusoidal_encoding
from transformer_lite.training import gradient_steps

SYMBOLS = 10


class Attentive(nn.Module):
    """One encoder layer, for rows of ``length`` symbols."""

    positions: Tensor  # a buffer

    def __init__(self, length: int):
        super().__init__()
        self.embedding = nn.Embedding(SYMBOLS, 32)
        self.output = nn.Linear(32, SYMBOLS)
        self.layer = EncoderLayer(32, 2, 64, dropout=0.0)
        self.register_buffer("positions", sinusoidal_encoding(length, 32))

    def forward(self, ids: Tensor) -> Tensor:
        """ids ``(batch, length)``. Returns scores for each symbol, ``(batch, SYMBOLS)``."""
        x = self.embedding(ids) + self.positions
        x, _ = self.layer(x, need_weights=False)
        return self.output(x[:, -1])  # the last place answers


class Recurrent(nn.Module):
    """A GRU, for rows of any length."""

    def __init__(self, length: int):
        super().__init__()
        self.embedding = nn.Embedding(SYMBOLS, 32)
        self.output = nn.Linear(48, SYMBOLS)
        self.layer = nn.GRU(32, 48, batch_first=True)

    def forward(self, ids: Tensor) -> Tensor:
        """ids ``(batch, length)``. Returns scores for each symbol, ``(batch, SYMBOLS)``."""
        states, _ = self.layer(self.embedding(ids))
        return self.output(states[:, -1])


def keeping(length: int) -> Recurrent:
    """A GRU that begins by keeping 98 % of its state at each step."""
    model = Recurrent(length)
    with torch.no_grad():
        # the second third of the biases is the update gate's
        model.layer.bias_ih_l0[48:96] += 4
    return model


def names_the_first(
    kind: Callable[[int], nn.Module],
    length: int,
    seed: int,
    steps: int = 150,
    rate: float = 5e-3,
) -> float:
    """``steps`` batches of 64 rows; then the share of 1,000 new rows whose first symbol it
    names.
    """
    torch.manual_seed(seed)
    model = kind(length)
    torch.manual_seed(100 + seed)  # the same batches for every model
    rows = (torch.randint(SYMBOLS, (64, length)) for _ in tqdm(range(steps), leave=False))
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)

    def loss(ids: Tensor) -> Tensor:
        return F.cross_entropy(model(ids), ids[:, 0])

    for _ in gradient_steps(loss, rows, optimizer):
        pass
    with torch.no_grad():
        ids = torch.randint(SYMBOLS, (1000, length))
        return (model(ids).argmax(-1) == ids[:, 0]).float().mean().item()


def gradient_ratio(kind: Callable[[int], nn.Module], length: int) -> float:
    """Before training: the gradient at the first symbol over that at the last."""
    torch.manual_seed(0)
    model = kind(length)
    embedded = []

    def keep(module, inputs, output):
        output.retain_grad()
        embedded.append(output)

    model.embedding.register_forward_hook(keep)
    ids = torch.randint(SYMBOLS, (32, length))
    F.cross_entropy(model(ids), ids[:, 0]).backward()
    size = embedded[0].grad.norm(dim=-1).mean(dim=0)  # (length,)
    return (size[0] / size[-1]).item()
