"""Products: three feed-forward networks of 3,072 weights learn to multiply neighbours."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from transformer_lite.training import gradient_steps


class Network(nn.Module):
    """bend: what is done to each inner number; gated: whether the bent ones are factors of others,
    which costs a third matrix and leaves 64 inner numbers of 96.
    """

    def __init__(self, bend: Callable[[Tensor], Tensor], gated: bool):
        super().__init__()
        width = 64 if gated else 96
        self.bend = bend
        self.into = nn.Linear(16, width, bias=False)
        self.gate = nn.Linear(16, width, bias=False) if gated else None
        self.out = nn.Linear(width, 16, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """x ``(..., 16)``; so is the answer."""
        if self.gate is None:
            return self.out(self.bend(self.into(x)))
        return self.out(self.bend(self.gate(x)) * self.into(x))


def learn_products(
    bend: Callable[[Tensor], Tensor], gated: bool, seed: int, steps: int = 600
) -> float:
    """The mean squared error, on 4,000 new vectors, of a network that was to give each number times
    the one after it.
    """
    torch.manual_seed(seed)
    model = Network(bend, gated)

    def error(x: Tensor) -> Tensor:
        return (model(x) - x * x.roll(1, -1)).square().mean()

    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
    for _ in gradient_steps(error, (torch.randn(128, 16) for _ in range(steps)), optimizer):
        pass
    with torch.no_grad():
        return error(torch.randn(4000, 16)).item()
