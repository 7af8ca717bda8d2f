"""Memory: small models that read pairs, and are asked for them later.

A pair is a key and its value, one token each. A question is a key that has been read before, and
its answer is the value that came with it. The models are decoders of one head, and differ in what
their layers keep of the text: all keys and values, those of a window, or a state, a matrix that
stays as large as it is, into which each token writes and from which it reads (linear attention).

``measured`` gives what ``python -m dev.make.memory`` has measured.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lite.attention import scaled_dot_product_attention
from transformer_lite.training import gradient_steps

from ..exhibits import stored

KEYS = 64  # tokens 0 to 63 are keys,
VALUES = 16  # the next ones are values,
OTHERS = 16  # and the last ones mean nothing


def step(state: Tensor, k: Tensor, v: Tensor, keep=1.0, write=None) -> Tensor:
    """The state after one more token. state: ``(d, d)``; k, of length 1, and v: ``(d,)``.

    keep: the share of the state that is not forgotten. write: how much of what the state has under
    this key is replaced by the value (the delta rule), or None if the value is added to it.
    """
    state = keep * state
    if write is not None:
        v = write * (v - state @ k)
    return state + torch.outer(v, k)


def read_states(q: Tensor, k: Tensor, v: Tensor, keep: Tensor, write: Tensor | None) -> Tensor:
    """What each token reads with its query after its own ``step``, from zeros on, all at once.

    q, k, v: ``(batch, T, d)``; keep and write: ``(batch, T, 1)``. Returns ``(batch, T, d)``.
    """
    total = keep.log().cumsum(1)
    left = (total - total.transpose(1, 2)).tril().exp().tril()  # at token i of what j has written
    if write is not None:
        # The step of token i takes away what those before have written under its key.
        found = (write * left * (k @ k.transpose(1, 2))).tril(-1)
        v = torch.linalg.solve_triangular(found, write * v, upper=False, unitriangular=True)
    return (left * (q @ k.transpose(1, 2))) @ v


def with_the_one_before(x: Tensor) -> Tensor:
    """Each token's numbers and those of the token before it, ``(batch, T, 2 * d)``. Keys and values
    are made from both, so that a value can be kept under the key that stands before it.
    """
    before = F.pad(x, (0, 0, 1, 0))[:, :-1]
    return torch.cat((x, before), -1)


class Attention(nn.Module):
    """Looks at all tokens so far, or at the last ``window`` of them."""

    def __init__(self, d_model: int, window: int | None):
        super().__init__()
        self.window = window
        self.into = nn.Linear(2 * d_model, 3 * d_model, bias=False)
        self.out = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.into(with_the_one_before(x)).chunk(3, -1)
        mask = torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril()
        if self.window is not None:
            mask = mask.triu(1 - self.window)
        return self.out(scaled_dot_product_attention(q, k, v, mask)[0])


class State(nn.Module):
    """Reads from a state. rule: how a token writes, ``sum``, ``forgetting``, ``delta`` or ``both``.
    How much is kept and how much is written, each token says itself.
    """

    def __init__(self, d_model: int, rule: str):
        super().__init__()
        self.rule = rule
        self.into = nn.Linear(2 * d_model, 3 * d_model, bias=False)
        self.keep = nn.Linear(2 * d_model, 1)
        nn.init.constant_(self.keep.bias, 4.0)  # at the start 98 % of the state is kept
        self.write = nn.Linear(2 * d_model, 1)
        self.norm = nn.RMSNorm(d_model)  # what is read grows with what has been written
        self.out = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        both = with_the_one_before(x)
        q, k, v = self.into(both).chunk(3, -1)
        q = F.normalize(q, dim=-1)
        k = F.normalize(k, dim=-1)
        forgets = self.rule in ("forgetting", "both")
        keep = torch.sigmoid(self.keep(both)) if forgets else torch.ones_like(x[..., :1])
        write = torch.sigmoid(self.write(both)) if self.rule in ("delta", "both") else None
        return self.out(self.norm(read_states(q, k, v, keep, write)))


class Reader(nn.Module):
    """A decoder. kinds: what each layer has, ``all``, a window's size or the rule of a state."""

    def __init__(self, kinds: list, d_model: int = 16):
        super().__init__()
        self.embedding = nn.Embedding(KEYS + VALUES + OTHERS, d_model)
        self.layers = nn.ModuleList()
        for kind in kinds:
            if kind == "all" or isinstance(kind, int):
                mixer = Attention(d_model, None if kind == "all" else kind)
            else:
                mixer = State(d_model, kind)
            network = nn.Sequential(
                nn.Linear(d_model, 2 * d_model), nn.ReLU(), nn.Linear(2 * d_model, d_model)
            )
            norm = nn.LayerNorm(d_model)
            self.layers += [
                nn.Sequential(norm, mixer),
                nn.Sequential(nn.LayerNorm(d_model), network),
            ]
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, VALUES)

    def forward(self, ids: Tensor) -> Tensor:
        """ids: ``(batch, T)``. Returns scores for each value, ``(batch, T, VALUES)``."""
        x = self.embedding(ids)
        for layer in self.layers:
            x = x + layer(x)
        return self.output(self.norm(x))


def pairs_and_questions(texts: int, pairs: int, between: int = 0) -> tuple[Tensor, Tensor]:
    """Texts of so many pairs, then so many tokens that mean nothing, then all keys once more in
    another order; and what should be answered to these, ``(texts, pairs)``.
    """
    keys = torch.rand(texts, KEYS).argsort(-1)[:, :pairs]
    values = torch.randint(VALUES, (texts, pairs))
    told = torch.stack((keys, KEYS + values), -1).flatten(1)
    others = KEYS + VALUES + torch.randint(OTHERS, (texts, between))
    order = torch.rand(texts, pairs).argsort(-1)
    return torch.cat((told, others, keys.gather(1, order)), 1), values.gather(1, order)


def any_of(numbers) -> int:
    return numbers[torch.randint(len(numbers), ())]


def up_and_down(rate: float, steps: int) -> Callable[[int], float]:
    """The learning rate at each step: it rises over fifty to ``rate``, and falls to the last."""
    return lambda step: rate * min(step / 50, (steps - step + 1) / (steps - 50))


def train(
    kinds: list,
    pairs=(4, 8, 16, 32),
    between=(0,),
    *,
    seed: int = 0,
    steps: int = 500,
    rate: float = 5e-3,
    d_model: int = 16,
) -> Reader:
    """A ``Reader`` after so many batches of 32 new texts. pairs, between: the numbers of pairs and
    of other tokens of which each batch draws one.
    """
    torch.manual_seed(seed)
    model = Reader(kinds, d_model)
    batches = (pairs_and_questions(32, any_of(pairs), any_of(between)) for _ in range(steps))

    def loss(batch: tuple[Tensor, Tensor]) -> Tensor:
        texts, answers = batch
        scores = model(texts)[:, -answers.size(1) :]
        return F.cross_entropy(scores.flatten(0, 1), answers.flatten())

    optimizer = torch.optim.Adam(model.parameters())
    for _ in gradient_steps(loss, batches, optimizer, up_and_down(rate, steps)):
        pass
    return model


@torch.no_grad()
def recalled(model: Reader, pairs: int, between: int = 0, texts: int = 100) -> float:
    """The share of questions that it answers right."""
    torch.manual_seed(1000 * pairs + between)
    ids, answers = pairs_and_questions(texts, pairs, between)
    return (model(ids)[:, -pairs:].argmax(-1) == answers).float().mean().item()


def measured() -> dict:
    """The stored measurement, see ``dev/make/memory.py``."""
    return stored("memory")
