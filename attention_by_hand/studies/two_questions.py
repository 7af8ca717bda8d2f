"""Two questions: one attention is asked by two names at once, and must say the thing of each."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lite.attention import MultiHeadAttention
from transformer_lite.training import gradient_steps

NAMES, THINGS = 12, 12
PEOPLE = 6  # of them in each example


class TwoQuestions(nn.Module):
    """bend: whether a second matrix follows, and between the two what is below 0 becomes 0."""

    def __init__(self, n_heads: int, bend: bool = False, d_model: int = 32):
        super().__init__()
        self.name = nn.Embedding(NAMES, d_model)
        self.thing = nn.Embedding(THINGS, d_model)
        self.first = nn.Embedding(NAMES, d_model)
        self.second = nn.Embedding(NAMES, d_model)
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.say = nn.Linear(d_model, 2 * THINGS)
        if bend:
            self.say = nn.Sequential(nn.Linear(d_model, d_model), nn.ReLU(), self.say)

    def forward(self, names: Tensor, things: Tensor, who: Tensor) -> tuple[Tensor, Tensor]:
        """Scores for the things of both, ``(B, 2, 12)``, and the weights, ``(B, H, 1, 6)``."""
        people = self.name(names) + self.thing(things)  # (B, 6, D)
        query = self.first(who[:, 0]) + self.second(who[:, 1])
        mixture, weights = self.attention(query[:, None], people, people)
        return self.say(mixture[:, 0]).unflatten(-1, (2, -1)), weights


def questions(n: int, g: torch.Generator) -> tuple[tuple[Tensor, ...], Tensor, Tensor]:
    """n times six people with things: what the model is given, the two places that are asked for,
    and what those two hold, both ``(n, 2)``.
    """
    names = torch.rand(n, NAMES, generator=g).argsort(1)[:, :PEOPLE]
    things = torch.randint(THINGS, (n, PEOPLE), generator=g)
    two = torch.rand(n, PEOPLE, generator=g).argsort(1)[:, :2]
    return (names, things, names.gather(1, two)), two, things.gather(1, two)


def learnt(n_heads: int, seed: int, *, bend=False, steps=400, rate=3e-3, falling=False):
    """A trained model, and the generator from which its next questions come. falling: whether the
    rate falls to 0.
    """
    torch.manual_seed(seed)
    g = torch.Generator().manual_seed(seed)
    model = TwoQuestions(n_heads, bend)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)

    def loss(asked: tuple[tuple[Tensor, ...], Tensor, Tensor]) -> Tensor:
        given, _, answers = asked
        return F.cross_entropy(model(*given)[0].flatten(0, 1), answers.flatten())

    def rate_at(step: int) -> float:
        return rate * (1 - step / (steps + 1))

    drawn = (questions(64, g) for _ in range(steps))
    for _ in gradient_steps(loss, drawn, optimizer, rate_at if falling else None):
        pass
    return model, g


@torch.no_grad()
def asked(model: TwoQuestions, g: torch.Generator, n: int = 2000) -> tuple[Tensor, Tensor, Tensor]:
    """What it says to n new questions, what is right, and the weight that its head 0 gives to each
    of the two, all ``(n, 2)``.
    """
    given, two, answers = questions(n, g)
    scores, weights = model(*given)
    return scores.argmax(-1), answers, weights[:, 0, 0].gather(1, two)
