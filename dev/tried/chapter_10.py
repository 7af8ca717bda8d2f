"""Chapter 10: may a long path be learnt after all, and does attention save work?"""

from statistics import median

from torch import nn

from attention_by_hand.studies.first_symbol import Recurrent, keeping, names_the_first
from dev.tried import attempt


def percent(kind, length, seeds, **how):
    """What each seed names right, in per cent, from the worst to the best."""
    return sorted(round(100 * names_the_first(kind, length, seed, **how)) for seed in seeds)


def row(shares, **what):
    """A row: what was tried, and how its seeds came out."""
    return {**what, "worst": shares[0], "middle": round(median(shares)), "best": shares[-1]}


def wide(length):
    """A GRU whose state has twice as many numbers."""
    model = Recurrent(length)
    model.layer, model.output = nn.GRU(32, 96, batch_first=True), nn.Linear(96, 10)
    return model


@attempt(seeds=range(1), rates=(5e-3,), steps=2)
def gru_rates(seeds=range(6), rates=(2.5e-3, 5e-3, 1e-2, 2e-2, 4e-2), steps=150):
    """A plain GRU over 32 symbols, at other rates, and with a state of twice the width."""
    rows = [row(percent(Recurrent, 32, seeds, steps=steps, rate=r), rate=r) for r in rates]
    return [*rows, row(percent(wide, 32, seeds, steps=steps), rate=5e-3, state="twice as wide")]


@attempt(seeds=range(1), rates=(5e-3,), steps=2)
def gru_over_64(seeds=range(6), rates=(2e-2, 4e-2), steps=150):
    """A plain GRU over 64 symbols, at higher rates."""
    return [row(percent(Recurrent, 64, seeds, steps=steps, rate=r), rate=r) for r in rates]


@attempt(seeds=range(1), lengths=(8,), steps=2)
def gru_that_keeps(seeds=range(6), lengths=(32, 64), steps=150):
    """A GRU that begins by keeping, over longer rows."""
    return [row(percent(keeping, n, seeds, steps=steps), symbols=n) for n in lengths]


@attempt()
def whole_layers(lengths=(16, 64, 512, 1024, 4096), d=512):
    """Million multiplications of attention, of attention with its network, and of two others."""
    return [
        {
            "words": n,
            "attention": round((2 * n * n * d + 4 * n * d * d) / 1e6),
            "with its network": round((2 * n * n * d + 12 * n * d * d) / 1e6),
            "GRU": round(6 * n * d * d / 1e6),
            "LSTM": round(8 * n * d * d / 1e6),
        }
        for n in lengths
    ]


@attempt()
def saved_by_a_cache(lengths=(20, 100, 400, 1600), d=64, d_ff=256, source=10, layers=2):
    """Which part of what a cache saves are scores and mixing, in the chapter's translator."""
    rows = []
    for n in lengths:
        again, met = n * (n + 1) // 2, sum(t * t for t in range(n + 1))
        looks = 2 * layers * d * (met - again + source * (again - n))
        matrices = layers * (2 * d * d_ff + 6 * d * d) * (again - n)
        memory = layers * 2 * source * (n - 1) * d * d
        saved = looks + matrices + memory + 50 * d * (again - n)
        rows.append({"words": n, "scores and mixing, %": round(100 * looks / saved)})
    return rows
