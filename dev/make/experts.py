"""What are many networks good for, of which a router lets only a few work?

    python -m dev.make.experts [facts|balance|rule]

`facts` lets networks learn random facts by heart: one that is as narrow as each of eight experts,
eight experts with a router that lets one or two of them work for a fact, and one wide network that
holds as much as all eight. `balance` gives all facts a large common part, so that the router favours
some experts from the start, and tries two ways to even them out: a bias on the choice (DeepSeek-V3)
and a second loss (Switch). `rule` asks something else of the same networks: the answers follow one
rule, and what counts are answers that they have not seen. Without a word it does all three. Chapter
13 shows the results, which come with the package, in attention_by_hand/exhibits/experts.json.
"""

import json
import sys
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attention_by_hand import exhibits
from transformer_lite.variants import Experts, Mixture, Plan
from transformer_lite.variants.networks import TwoLayers

KEPT = Path(exhibits.__file__).with_name("experts.json")
SEEDS = range(5)
SIZE = 32  # numbers that ask, and answers to choose from
NARROW = 16
MANY = 8
STEPS = 1500
RATE = 1e-2
MODELS = {
    "one narrow": {"d_ff": NARROW},
    "one narrow, with the router's weights": {"d_ff": NARROW + 4},
    "eight, one at work": {"top_k": 1},
    "eight, two at work": {"top_k": 2},
    "one wide": {"d_ff": MANY * NARROW},
}
EVENED = {
    "nothing": {},
    "bias": {"balance": 0.01},
    "second loss": {"second_loss": 0.1},
}
COMMON = (0, 1, 2, 4)  # how much larger than its own numbers the common part of a fact is
FACTS = (800, 1600, 3200)
RULE_SEEN = (800, 3200)
RULE_UNSEEN = 2000


def network(d_ff: int = NARROW, top_k: int = 0, balance: float = 0.0, many: int = MANY):
    """One network, or many and a router that lets ``top_k`` of them work."""
    experts = Experts(many, top_k, balance=balance, softmax_over="all") if top_k else None
    plan = Plan(vocab_size=SIZE, d_model=SIZE, n_layers=1, n_heads=1, d_ff=d_ff, experts=experts)
    return Mixture(plan) if experts else TwoLayers(plan)


def held_and_used(model: nn.Module) -> tuple[int, int]:
    """How many weights there are, and how many of them one fact meets."""
    held = sum(p.numel() for p in model.parameters() if p.requires_grad)
    if isinstance(model, TwoLayers):
        return held, held
    each = sum(p.numel() for p in model.networks[0].parameters())
    asleep = model.router.experts.n_experts - model.router.experts.top_k
    return held, held - asleep * each


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


def load(model: Mixture, asked: Tensor) -> Tensor:
    """How many facts each expert works for."""
    chosen, _ = model.router(asked)
    return torch.bincount(chosen.flatten(), minlength=len(model.networks))


def unevenness(model: Mixture, asked: Tensor) -> Tensor:
    """The second loss of Switch: 1 if all experts have equally much to do, and more if not."""
    part = load(model, asked) / (len(asked) * model.router.experts.top_k)
    likely = model.router.matrix(asked).softmax(-1).mean(0)
    return len(model.networks) * (part * likely).sum()


def train(
    model: nn.Module, asked: Tensor, answers: Tensor, *, second_loss=0.0, steps=STEPS, rate=RATE
) -> nn.Module:
    """All facts at every step; the rate falls to zero over the second half."""
    learnt = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(learnt, lr=rate)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate * min(1, 2 * (steps - step) / steps)
        loss = cross_entropy(model(asked), answers)
        if second_loss:
            loss = loss + second_loss * unevenness(model, asked)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


@torch.no_grad()
def known(model: nn.Module, asked: Tensor, answers: Tensor) -> float:
    """The share, in per cent, that it answers right."""
    right = model(asked).argmax(-1) == answers
    return round(100 * right.float().mean().item(), 1)


def by_heart(seeds=SEEDS, numbers=FACTS, models=MODELS) -> dict:
    """For each model its weights, and of each number of facts the share that it knows."""
    measured = {}
    for name, shape in models.items():
        held, used = held_and_used(network(**shape))
        measured[name] = {"held": held, "used": used, "known": {}}
        for number in numbers:
            shares = []
            for seed in seeds:
                torch.manual_seed(seed)
                model = train(network(**shape), *facts(number, seed))
                shares.append(known(model, *facts(number, seed)))
            measured[name]["known"][str(number)] = shares
            print(f"{name:40} {number} facts", *shares, flush=True)
    return measured


def balance(seeds=SEEDS, commons=COMMON, number=FACTS[0]) -> dict:
    """For each common part and each way to even out: what is known, and each expert's facts."""
    measured: dict[str, dict] = {}
    for common in commons:
        for name, how in EVENED.items():
            shares = []
            loads = []
            for seed in seeds:
                torch.manual_seed(seed)
                asked, answers = facts(number, seed, common)
                model = network(top_k=1, balance=how.get("balance", 0.0))
                train(model, asked, answers, second_loss=how.get("second_loss", 0.0))
                shares.append(known(model, asked, answers))
                loads.append(sorted(load(model, asked).tolist(), reverse=True))
            measured.setdefault(str(common), {})[name] = {"known": shares, "load": loads}
            print(f"common part {common}, {name:12}", *shares, *loads, flush=True)
    return measured


def rule(seeds=SEEDS, numbers=RULE_SEEN, rates=(RATE, RATE / 4)) -> dict:
    """For each model, what it answers right of the examples that it saw, and of others."""
    measured: dict[str, dict] = {}
    for rate in rates:
        for number in numbers:
            for name, shape in MODELS.items():
                seen = []
                unseen = []
                for seed in seeds:
                    torch.manual_seed(seed)
                    asked, answers = ruled(number + RULE_UNSEEN, seed)
                    even = 0.01 if "top_k" in shape else 0.0
                    model = network(**shape, balance=even)
                    train(model, asked[:number], answers[:number], steps=600, rate=rate)
                    seen.append(known(model, asked[:number], answers[:number]))
                    unseen.append(known(model, asked[number:], answers[number:]))
                key = f"{number:,} examples, rate {rate}"
                measured.setdefault(key, {})[name] = {"seen": seen, "unseen": unseen}
                print(f"{key}, {name:40}", *seen, "unseen", *unseen, flush=True)
    return measured


def main() -> None:
    torch.set_num_threads(1)
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    measures = {"facts": by_heart, "balance": balance, "rule": rule}
    for name, measure in measures.items():
        if name in (sys.argv[1:] or measures):
            kept[name] = measure()
            KEPT.write_text(json.dumps(kept) + "\n")


if __name__ == "__main__":
    main()
