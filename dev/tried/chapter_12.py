"""Chapter 12: the first steps of a tall stack, the bias by distance, means and gates, once more."""

import random
from itertools import product
from statistics import median

import torch
import torch.nn.functional as F
from torch import nn

import transformer_lite as tl
from attention_by_hand.studies.products import Network
from dev.make import variants
from dev.make.alone import PAIRS, train
from dev.tried import attempt
from transformer_lite.data.grammar import splits
from transformer_lite.layers import EncoderLayer
from transformer_lite.training import gradient_steps
from transformer_lite.variants import Positions
from transformer_lite.vocabulary import PAD_ID

RATE = 3e-3


def full(step):
    return RATE


def without_the_first(step):
    return RATE * (step > 1)


def first_alone(step):
    """The full rate in the first step, and then the warm-up of the chapter."""
    return RATE * (1 if step == 1 else min(1, step / 12))


def warm_up(step):
    return RATE * min(1, step / 12)


RATES = {
    "the full rate": full,
    "no first step": without_the_first,
    "a first step, then a warm-up": first_alone,
    "a warm-up": warm_up,
}


def tall_stack(seed, rate, steps, norm_first=False, n_layers=24):
    """The loss of a tall stack after so many steps on 128 answers to be learnt by heart."""
    torch.manual_seed(seed)
    layers = nn.ModuleList(
        EncoderLayer(64, 4, 192, dropout=0.0, norm_first=norm_first) for _ in range(n_layers)
    )
    last = nn.LayerNorm(64) if norm_first else nn.Identity()
    output = nn.Linear(64, 50)
    words, answers = torch.randn(8, 16, 64), torch.randint(50, (128,))
    model = nn.ModuleList([*layers, last, output])

    def loss(x):
        for layer in layers:
            x, _ = layer(x, tl.causal_mask(16), need_weights=False)
        return F.cross_entropy(output(last(x)).flatten(0, 1), answers)

    optimizer = torch.optim.Adam(model.parameters())
    return list(gradient_steps(loss, [words] * steps, optimizer, rate))[-1]


@attempt(seeds=range(1), steps=2, n_layers=2)
def tall_first_steps(seeds=range(5), steps=24, n_layers=24):
    """24 layers with their norms after the sums, whose first steps are taken in four ways."""
    rows = []
    for name, rate in RATES.items():
        losses = sorted(tall_stack(seed, rate, steps, n_layers=n_layers) for seed in seeds)
        rows.append({"steps with": name, **ends(losses)})
    losses = sorted(tall_stack(seed, full, steps, True, n_layers) for seed in seeds)
    return [*rows, {"steps with": "the full rate, norms first", **ends(losses)}]


def ends(numbers):
    """The smallest, the middle and the largest of sorted numbers."""
    low, middle, high = (round(n, 3) for n in (numbers[0], median(numbers), numbers[-1]))
    return {"lowest": low, "middle": middle, "highest": high}


@attempt(seeds=range(1), rates=(6e-3,), steps=(2,))
def gate_and_bends(seeds=range(3, 5), rates=(2e-3, 6e-3, 2e-2), steps=(600, 2400)):
    """How large the error of products is beside ReLU's, at other rates and after more steps."""
    kinds = {"ReLU": (F.relu, False), "GELU": (F.gelu, False), "SwiGLU": (F.silu, True)}
    rows = []
    for rate in rates:
        for number in steps:
            errors = {
                name: sum(products(*kind, seed, rate, number) for seed in seeds) / len(seeds)
                for name, kind in kinds.items()
            }
            shares = {f"{n}, %": round(100 * errors[n] / errors["ReLU"]) for n in kinds}
            rows.append({"rate": rate, "steps": number, **shares})
    return rows


def products(bend, gated, seed, rate, steps):
    """``studies.products.learn_products`` at another rate."""
    torch.manual_seed(seed)
    model = Network(bend, gated)

    def error(x):
        return (model(x) - x * x.roll(1, -1)).square().mean()

    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    for _ in gradient_steps(error, (torch.randn(128, 16) for _ in range(steps)), optimizer):
        pass
    with torch.no_grad():
        return error(torch.randn(4000, 16)).item()


class Sight(Positions):
    """A bias by distance with these slopes, one for each of the first heads, and none in others."""

    def __init__(self, plan, slopes):
        super().__init__(plan)
        self.slopes = torch.tensor([*slopes, *[0.0] * (plan.n_heads - len(slopes))])

    def bias(self, scores):
        length, keys = scores.shape[-2:]
        distance = torch.arange(keys - length, keys)[:, None] - torch.arange(keys)
        return scores - self.slopes[:, None, None] * distance


@attempt(seeds=range(1), slopes=((1.0, 0.25),), steps=2, texts=2)
def free_sight(seeds=range(1), slopes=((1.0, 0.25), (0.25,)), steps=470, texts=200):
    """The loss where the needed words stand far back, with other slopes in some of four heads."""
    asked, answers = variants.far_batch([p[:2] for p in splits().unseen], texts, random.Random(0))
    rows = []
    for some, seed in product(slopes, seeds):
        model = variants.fresh(seed, max_length=160, positions="none")
        model.positions = Sight(model.plan, some)
        train(
            model,
            lambda dice: variants.far_batch(PAIRS, 24, dice),
            seed,
            steps=steps,
            smoothing=0.0,
        )
        lost = variants.losses_of(model, asked, answers).sum() / (answers != PAD_ID).sum()
        shown = ", ".join(f"{slope:g}" for slope in some)
        rows.append({"slopes": shown, "seed": seed, "loss": round(lost.item(), 2)})
    return rows


@attempt(sentences=2)
def means_of_vectors(sentences=200):
    """How often the mean is more than a quarter of a vector's length, in unseen sentences."""
    translator = tl.load_translator()
    shares = []

    def look(norm, inputs, output):
        x = inputs[0]
        shares.append((x.mean(-1).abs() * x.size(-1) ** 0.5 / x.norm(dim=-1)).mean().item())

    for module in translator.model.modules():
        if isinstance(module, nn.LayerNorm):
            module.register_forward_hook(look)
    rows = []
    for pair in splits().unseen[:sentences]:
        shares.clear()
        translator.translate(pair.source)
        rows.append(100 * sum(share > 0.25 for share in shares) / len(shares))
    rows.sort()
    ends = {"lowest, %": rows[0], "middle, %": median(rows), "highest, %": rows[-1]}
    return [{name: round(share) for name, share in ends.items()}]
