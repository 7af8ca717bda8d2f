"""What are many networks good for, of which a router lets only a few work?

    python -m dev.make.experts [facts|balance|rule|more]

`facts` lets networks learn random facts by heart: one that is as narrow as each of eight experts,
eight experts with a router that lets one or two of them work for a fact, and one wide network that
holds as much as all eight. `balance` gives all facts a large common part, so that the router
favours some experts from the start, and tries two ways to even them out: a bias on the choice
(DeepSeek-V3) and a second loss (Switch). `rule` asks something else of the same networks: the
answers follow one rule, and what counts are answers that they have not seen. `more` asks it after
fifty times as many examples. Without a word it does all four. Chapter 13 shows the results, which
come with the package, in attention_by_hand/exhibits/experts.json.
"""

import json
import sys
from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attention_by_hand import exhibits
from dev.make import note
from transformer_lite.training import gradient_steps
from transformer_lite.variants import Experts, Plan
from transformer_lite.variants.networks import Router, TwoLayers, even_out

from .alone import gather

KEPT = exhibits.file_of("experts")
SEEDS = range(5)
SIZE = 32  # numbers that ask, and answers to choose from
NARROW = 16
MANY = 8
STEPS = 800
RATE = 1e-2
MODELS = {
    "one narrow": {"d_ff": NARROW},
    "one narrow, with the router's weights": {"d_ff": NARROW + 4},
    "eight, one at work": {"top_k": 1},
    "eight, two at work": {"top_k": 2},
    "one wide": {"d_ff": MANY * NARROW},
}
BIAS = 0.1  # by which a step moves it
UNEVEN = {
    "no common part": {"common": 0},
    "nothing": {},
    "bias": {"balance": BIAS},
    "second loss": {"second_loss": 0.1},
}
FACTS = (800,)
COMMON = 2  # how much larger than its own numbers the common part of a fact is
FEW = ((800, RATE, 400), (800, RATE / 4, 400))  # examples, rate, steps
MORE = ((40_000, RATE, 1000),)
AT_ONCE = 800  # examples in a batch
UNSEEN = 2000


class SideBySide(nn.Module):
    """Many networks as wide as ``NARROW``, and a router that lets ``top_k`` of them work.

    All are computed, and what was not chosen counts nothing: at this size that is quicker than to
    pick, and the answer is a ``Mixture``'s.
    """

    def __init__(self, top_k: int, balance: float = 0.0, width: int = NARROW):
        super().__init__()
        experts = Experts(MANY, top_k, balance=balance, softmax_over="all")
        self.router = Router(plan(width, experts))
        networks = [TwoLayers(plan(width)) for _ in range(MANY)]
        self.w_in = stacked([network[0].weight for network in networks])  # (E, d_ff, 32)
        self.b_in = stacked([network[0].bias for network in networks])
        self.w_out = stacked([network[2].weight for network in networks])  # (E, 32, d_ff)
        self.b_out = stacked([network[2].bias for network in networks])

    def forward(self, asked: Tensor) -> Tensor:
        """asked: ``(N, 32)``. Returns the same shape."""
        chosen, shares = self.router(asked)
        share = torch.zeros(len(asked), MANY).scatter(-1, chosen, shares)  # (N, E)
        bent = (asked @ self.w_in.transpose(1, 2) + self.b_in[:, None]).relu()  # (E, N, d_ff)
        answers = bent @ self.w_out.transpose(1, 2) + self.b_out[:, None]  # (E, N, 32)
        return (share.T[:, :, None] * answers).sum(0)


def plan(d_ff: int, experts: Experts | None = None) -> Plan:
    return Plan(vocab_size=SIZE, d_model=SIZE, n_layers=1, n_heads=1, d_ff=d_ff, experts=experts)


def stacked(weights: list) -> nn.Parameter:
    return nn.Parameter(torch.stack([weight.detach() for weight in weights]))


def network(d_ff: int = NARROW, top_k: int = 0, balance: float = 0.0) -> nn.Module:
    """One network, or many and a router that lets ``top_k`` of them work."""
    return SideBySide(top_k, balance, d_ff) if top_k else TwoLayers(plan(d_ff))


def held_and_used(model: nn.Module) -> tuple[int, int]:
    """How many weights there are, and how many of them one fact meets."""
    held = sum(p.numel() for p in model.parameters() if p.requires_grad)
    if isinstance(model, TwoLayers):
        return held, held
    router = sum(p.numel() for p in model.router.parameters() if p.requires_grad)
    return held, router + (held - router) * model.router.experts.top_k // MANY


def facts(number: int, seed: int, common: float = 0.0) -> tuple[Tensor, Tensor]:
    """Random vectors, ``(number, 32)``, and a random answer to each, one of 32."""
    dice = torch.Generator().manual_seed(1000 + seed)
    asked = torch.randn(number, SIZE, generator=dice)
    answers = torch.randint(SIZE, (number,), generator=dice)
    return asked + common * torch.randn(SIZE, generator=dice), answers


def ruled(number: int, seed: int) -> tuple[Tensor, Tensor]:
    """Random vectors, and of 32 sums of their numbers, always the same, the largest."""
    dice = torch.Generator().manual_seed(2000 + seed)
    sums = torch.randn(SIZE, SIZE, generator=dice)
    asked = torch.randn(number, SIZE, generator=dice)
    return asked, (asked @ sums).argmax(-1)


def load(model: SideBySide, asked: Tensor) -> Tensor:
    """How many facts each expert works for."""
    chosen, _ = model.router(asked)
    return torch.bincount(chosen.flatten(), minlength=MANY)


def unevenness(model: SideBySide, asked: Tensor) -> Tensor:
    """The second loss of Switch: 1 if all experts have equally much to do, and more if not."""
    part = load(model, asked) / (len(asked) * model.router.experts.top_k)
    likely = model.router.matrix(asked).softmax(-1).mean(0)
    return MANY * (part * likely).sum()


def batches(number: int, steps: int) -> Iterator[Tensor]:
    """Places in a list of that length: all of them at every step, or in turn, shuffled anew."""
    dice = torch.Generator().manual_seed(0)
    parts: list[Tensor] = []
    for _ in range(steps):
        if not parts:
            order = torch.randperm(number, generator=dice) if number > AT_ONCE else slice(None)
            parts = list(torch.arange(number)[order].split(AT_ONCE))
        yield parts.pop()


def train(
    model: nn.Module, asked: Tensor, answers: Tensor, *, second_loss=0.0, steps=STEPS, rate=RATE
) -> nn.Module:
    """Up to 800 facts at every step; the rate falls to zero over the second half."""
    learnt = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(learnt, lr=rate)

    def loss(batch: Tensor) -> Tensor:
        found = cross_entropy(model(asked[batch]), answers[batch])
        return found + second_loss * unevenness(model, asked[batch]) if second_loss else found

    def falling(step: int) -> float:
        return rate * min(1, 2 * (steps - step + 1) / steps)

    for _ in gradient_steps(loss, batches(len(asked), steps), optimizer, falling):
        even_out(model)
    return model.eval()


@torch.no_grad()
def known(model: nn.Module, asked: Tensor, answers: Tensor) -> float:
    """The share, in per cent, that it answers right."""
    right = model(asked).argmax(-1) == answers
    return round(100 * right.float().mean().item(), 1)


def by_heart(seed: int) -> dict:
    """For each model and each number of facts the share that it knows."""
    shares: dict[str, dict] = {name: {} for name in MODELS}
    for number in FACTS:
        asked, answers = facts(number, seed)
        for name, shape in MODELS.items():
            torch.manual_seed(seed)
            model = train(network(**shape), asked, answers)
            shares[name][f"{number:,} facts"] = known(model, asked, answers)
    return shares


def balance(seed: int) -> dict:
    """For each way to even out what is known, and how many facts each expert works for."""
    measured = {}
    for name, how in UNEVEN.items():
        asked, answers = facts(FACTS[0], seed, how.get("common", COMMON))
        torch.manual_seed(seed)
        model = network(top_k=1, balance=how.get("balance", 0.0))
        train(model, asked, answers, second_loss=how.get("second_loss", 0.0))
        measured[name] = {
            "known": known(model, asked, answers),
            "load": sorted(load(model, asked).tolist(), reverse=True),
        }
    return measured


def found(seed: int, ways: tuple) -> dict:
    """For each model, what it answers right of the examples that it saw, and of others."""
    measured: dict[str, dict] = {}
    for number, rate, steps in ways:
        asked, answers = ruled(number + UNSEEN, seed)
        for name, shape in MODELS.items():
            torch.manual_seed(seed)
            even = BIAS if "top_k" in shape else 0.0
            model = network(**shape, balance=even)
            train(model, asked[:number], answers[:number], steps=steps, rate=rate)
            measured.setdefault(f"{number:,} examples, rate {rate}", {})[name] = {
                "seen": known(model, asked[:number], answers[:number]),
                "unseen": known(model, asked[number:], answers[number:]),
            }
    return measured


def rule(seed: int) -> dict:
    return found(seed, FEW)


def more(seed: int) -> dict:
    return found(seed, MORE)


def main() -> None:
    torch.set_num_threads(1)
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    kept["weights"] = {name: held_and_used(network(**shape)) for name, shape in MODELS.items()}
    measures = {"facts": by_heart, "balance": balance, "rule": rule, "more": more}
    wanted = sys.argv[1:] or list(measures)
    for name in wanted:
        kept[name] = {}
    for seed in SEEDS:
        for name in wanted:
            one = measures[name](seed)
            print(name, "seed", seed, json.dumps(one), flush=True)
            gather(kept[name], one)
            KEPT.write_text(json.dumps(kept) + "\n")
    note(KEPT, __file__, [*SEEDS])


if __name__ == "__main__":
    main()
