"""What does a layer recall that keeps all, a window, or a state?

    python -m dev.make.memory [capacity|overwritten|windows|states|refuted]

`capacity` and `overwritten` need no training: they write pairs with random keys into a state, once
or again and again, and ask for each value. `windows` trains decoders of four layers on four pairs
that are asked for some tokens later, with a window of eight in every layer, in all but one, and in
none, and on a single pair. `states` trains decoders of one layer, with attention or a state, and of
three layers, on up to 32 pairs. `refuted` trains some of both once more, twice as wide, longer, or
at another rate. Without a word it does all five. What is measured is kept after each training run,
and a program that was stopped goes on from there. The results come with the package, in
attention_by_hand/exhibits/memory.json.
"""

import json
import sys
from functools import partial
from itertools import product

import torch
import torch.nn.functional as F
from torch import Tensor

from attention_by_hand import exhibits
from attention_by_hand.studies.memory import VALUES, recalled, step, train
from dev.make import note

KEPT = exhibits.file_of("memory")
SEEDS = range(5)
SIZES = (8, 16, 32, 64)
WRITTEN = (2, 4, 8, 16, 32, 64, 128, 256)
ASKED = 2000  # so many questions or a few more for each size and number of pairs
TIMES = (1, 2, 4, 8)
RULES = {
    "sum": {},
    "forgetting": {"keep": 0.95},
    "delta": {"write": 1.0},
}
BETWEEN = (0, 4, 8, 16, 24, 32, 64, 100)
PAIRS = (4, 8, 16, 32, 64)
WINDOWS = {
    "everywhere": [8, 8, 8, 8],
    "all but the first": ["all", 8, 8, 8],
    "all but the third": [8, 8, "all", 8],
    "all but the last": [8, 8, 8, "all"],
    "nowhere": ["all", "all", "all", "all"],
}
STATES = {
    "attention": ["all"],
    "sum": ["sum"],
    "three sums": ["sum", "sum", "sum"],
    "attention after two sums": ["sum", "sum", "all"],
    "delta": ["delta"],
    "attention before two sums": ["all", "sum", "sum"],
    "forgetting": ["forgetting"],
}
OTHER_WAYS = {
    "twice as wide": {"wider": 2},
    "three times as long": {"longer": 3},
    "a lower rate": {"rate": 2e-3},
}


def unit(*shape: int) -> Tensor:
    return F.normalize(torch.randn(*shape), dim=-1)


def filled(keys: Tensor, values: Tensor, rule: dict) -> Tensor:
    """The state into which these pairs have been written, one after the other."""
    state = torch.zeros(values.size(1), keys.size(1))
    for k, v in zip(keys, values, strict=True):
        state = step(state, k, v, **rule)
    return state


def nearest(read: Tensor, values: Tensor) -> Tensor:
    """Which of the values has the largest dot product with what was read."""
    return (read @ values.T).argmax(-1)


def capacity() -> dict:
    """For each size and rule, and for attention, the share of pairs whose own value is nearest to
    what is read with their key, by the number of pairs.
    """
    torch.manual_seed(0)
    shares: dict[str, dict] = {str(d): {name: [] for name in (*RULES, "softmax")} for d in SIZES}
    for d in SIZES:
        for pairs in WRITTEN:
            right = {name: 0 for name in shares[str(d)]}
            repeats = -(-ASKED // pairs)
            for _ in range(repeats):
                keys = unit(pairs, d)
                values = unit(pairs, d)
                reads = {name: keys @ filled(keys, values, rule).T for name, rule in RULES.items()}
                reads["softmax"] = (d**0.5 * keys @ keys.T).softmax(-1) @ values
                for name, read in reads.items():
                    found = nearest(read, values) == torch.arange(pairs)
                    right[name] += int(found.sum())
            for name, count in right.items():
                shares[str(d)][name].append(round(count / (repeats * pairs), 3))
    return shares


def overwritten() -> dict:
    """For each rule the share of eight keys that give their newest of 16 values, by how often each
    was written, each time with a value drawn anew.
    """
    torch.manual_seed(0)
    d, n_keys, repeats = 16, 8, 100
    shares: dict[str, list] = {name: [] for name in RULES}
    for times in TIMES:
        right = dict.fromkeys(RULES, 0)
        for _ in range(repeats):
            keys = unit(n_keys, d)
            values = unit(VALUES, d)
            which = torch.cat([torch.randperm(n_keys) for _ in range(times)])
            what = torch.randint(VALUES, which.shape)
            newest = what[-n_keys:][which[-n_keys:].argsort()]
            for name, rule in RULES.items():
                read = keys @ filled(keys[which], values[what], rule).T
                right[name] += int((nearest(read, values) == newest).sum())
        for name, count in right.items():
            shares[name].append(round(count / (repeats * n_keys), 3))
    return shares


def by_distance(
    kinds: list, seed: int, pairs: int = 4, wider: int = 1, longer: int = 1, rate: float = 5e-3
):
    """The share recalled after each number of tokens in ``BETWEEN``."""
    model = train(
        kinds, (pairs,), BETWEEN[:-1], seed=seed, steps=500 * longer, d_model=32 * wider, rate=rate
    )
    return [round(recalled(model, pairs, between), 3) for between in BETWEEN]


def by_pairs(kinds: list, seed: int, wider: int = 1, longer: int = 1, rate: float = 5e-3):
    """The share recalled of each number of pairs in ``PAIRS``, the last one never met before."""
    model = train(kinds, PAIRS[:-1], seed=seed, steps=500 * longer, d_model=16 * wider, rate=rate)
    return [round(recalled(model, pairs), 3) for pairs in PAIRS]


def trained() -> dict[str, dict]:
    """For each measurement that trains, what to call with a seed, by the name of the row."""
    everywhere = WINDOWS["everywhere"]
    windows = {name: partial(by_distance, kinds) for name, kinds in WINDOWS.items()}
    windows["everywhere, one pair"] = partial(by_distance, everywhere, pairs=1)
    refuted = {}
    for how, way in OTHER_WAYS.items():
        refuted[f"windows everywhere, {how}"] = partial(by_distance, everywhere, **way)
        for rule in ("sum", "delta"):
            refuted[f"{rule}, {how}"] = partial(by_pairs, STATES[rule], **way)
    states = {name: partial(by_pairs, kinds) for name, kinds in STATES.items()}
    return {"windows": windows, "states": states, "refuted": refuted}


def main() -> None:
    torch.set_num_threads(1)
    asked = sys.argv[1:]
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    for name, measure in (("capacity", capacity), ("overwritten", overwritten)):
        if name in (asked or [name]):
            kept[name] = measure()
            KEPT.write_text(json.dumps(kept, indent=1) + "\n")
    for name, rows in trained().items():
        if name not in (asked or [name]):
            continue
        for seed, (row, run) in product(SEEDS, rows.items()):
            measured = kept.setdefault(name, {}).setdefault(row, [])
            if seed < len(measured):
                continue
            measured.append(run(seed=seed))
            print(f"{row:35} seed {seed}", *measured[-1], flush=True)
            KEPT.write_text(json.dumps(kept, indent=1) + "\n")
    note(KEPT, __file__, [*SEEDS])


if __name__ == "__main__":
    main()
