"""Looking up: a small attention learns to find one of eight keys. Is it found by chance's start, or
does the start have to be undone first?
"""

from collections.abc import Iterator
from itertools import islice

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lite.attention import scaled_dot_product_attention
from transformer_lite.training import gradient_steps

RATES = {"look up": 1e-3, "match": 3e-3}  # of Adam
TRIED = 20  # batches after training


class DotAttention(nn.Module):
    """Dot-product attention behind two projections that keep the variance.

    scale: the factor on the scores; 1/√d unless given. larger: how many times as large the scores
    begin.
    """

    def __init__(self, d: int, scale: float | None, larger: float = 1.0):
        super().__init__()
        self.w_q, self.w_k = (nn.Linear(d, d, bias=False) for _ in range(2))
        self.scale = scale
        for layer in (self.w_q, self.w_k):
            nn.init.normal_(layer.weight, std=(larger / d) ** 0.5)

    def forward(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """The mixtures, as many as queries, and the weights, ``(B, T_q, T_k)``."""
        q, k = self.w_q(query), self.w_k(key)
        return scaled_dot_product_attention(q, k, value, scale=self.scale)


def batches(task: str, d: int, seed: int, n=8, size=32) -> Iterator[tuple[Tensor, ...]]:
    """Without end: queries ``(size, 1, d)``, keys ``(size, n, d)``, a label for each key as one-hot
    values ``(size, n, n)``, and the right labels ``(size,)``.

    task: "look up" has one code for each of n symbols, and the query is that of one; "match" has
    new keys each time, and the query is one of them, turned and with noise.
    """
    g = torch.Generator().manual_seed(seed)
    codes = torch.randn(n, d, generator=g)
    turn = torch.linalg.qr(torch.randn(d, d, generator=g)).Q
    each = torch.arange(size)
    while True:
        place = torch.randint(n, (size,), generator=g)
        if task == "look up":
            keys = codes[torch.rand(size, n, generator=g).argsort(1)]
            query = keys[each, place]
        else:
            keys = torch.randn(size, n, d, generator=g)
            noise = 0.5 * torch.randn(size, d, generator=g)
            query = (keys[each, place] + noise) @ turn
        labels = torch.rand(size, n, generator=g).argsort(1)
        yield query[:, None], keys, F.one_hot(labels, n).float(), labels[each, place]


def share_right(task: str, model: nn.Module, d: int, seed: int, steps=300, optimizer=None) -> float:
    """Train for some steps, with Adam at the task's rate unless another optimizer is given; the
    share of right labels in the twenty batches after them.
    """
    # Raw, many a weight ends below 1e-38. Such numbers slow a processor down; let them be 0.
    torch.set_flush_denormal(True)
    optimizer = optimizer or torch.optim.Adam(model.parameters(), lr=RATES[task])
    drawn = batches(task, d, seed)

    def loss(batch: tuple[Tensor, ...]) -> Tensor:
        *given, wanted = batch
        output, _ = model(*given)
        return F.nll_loss((output[:, 0] + 1e-9).log(), wanted)

    for _ in gradient_steps(loss, islice(drawn, steps), optimizer):
        pass
    right = []
    with torch.no_grad():
        for *given, wanted in islice(drawn, TRIED):
            output, _ = model(*given)
            right.append(output[:, 0].argmax(-1) == wanted)
    return torch.cat(right).float().mean().item()
