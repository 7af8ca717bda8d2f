"""What do the changes since 2017 do at the size of this book, over several seeds?

    python -m dev.make.variants [changes|longer|far|dropout]

`changes` trains the decoder alone of chapter 11, norms first, ten times for each change, and counts
the translations that are exactly right. Two changes take weights away; each is tried a second time
with a feed-forward network so much wider that there are as many weights as before. `longer` trains
it on texts of several translated sentences, cut at 48 tokens, and asks for the loss of the English
behind that place too, for each kind of positions, and twice more for rotary positions that are
slowed after the training, all hands to a third or, with a larger base, chiefly the slow ones. `far`
puts four German sentences before their four translations, so that what an English word needs stands
some forty tokens back, and also tries a bias in the two nearest-sighted heads alone, which leaves
the other two as far a sight as they like. `dropout` trains on few pairs, which come again and
again, and on all, with numbers set to zero at random and without.
Without a word it does all four. Chapter 12 shows the results, which come with the package, in
attention_by_hand/exhibits/variants.json.
"""

import json
import random
import sys
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence

from attention_by_hand import exhibits
from dev.make import note
from transformer_lite.data.grammar import splits
from transformer_lite.decoder_only import question_and_answer
from transformer_lite.variants import (
    Decoder,
    Plan,
    Positions,
    Rotary,
    distance_bias,
    weights,
)
from transformer_lite.vocabulary import BOS_ID, EOS_ID, PAD_ID

from .alone import PAIRS, VOCABULARY, exact, ids_of, train

SEEDS = {"changes": range(10), "longer": range(3), "far": range(3), "dropout": range(3)}
KEPT = exhibits.file_of("variants")
BASE = Plan(vocab_size=len(VOCABULARY), d_model=64, n_layers=2, n_heads=4, d_ff=192)
LLAMA = {
    "norm": "rms",
    "positions": "rotary",
    "activation": "silu",
    "gated": True,
    "d_ff": 128,
    "feed_forward_bias": False,
    "key_heads": 2,
}
CHANGES = {
    "as in chapter 11, norms first": {},
    "RMSNorm": {"norm": "rms"},
    "rotary": {"positions": "rotary"},
    "SwiGLU": {"activation": "silu", "gated": True, "d_ff": 128},
    "2 key heads": {"key_heads": 2},
    "1 key head": {"key_heads": 1},
    "1 key head, wider": {"key_heads": 1, "d_ff": 240},
    "tied": {"tied": True},
    "tied, wider": {"tied": True, "d_ff": 281},
    "Llama's": LLAMA,
}
TRAINED = 48
TRIED = 144
AT_ONCE = 4
FEW = 400


class Slowed(Rotary):
    """Rotary encoding whose places are ``TRAINED / TRIED``, a third of a step, apart."""

    def turn(self, x: Tensor, past: int) -> Tensor:
        return turned(x, past, slower=TRIED / TRAINED)


class LargerBase(Rotary):
    """Rotary encoding whose slowest hand turns a third as fast, and whose fastest as before."""

    def turn(self, x: Tensor, past: int) -> Tensor:
        d = x.size(-1)
        return turned(x, past, base=10000 * (TRIED / TRAINED) ** (d / (d - 2)))


class HalfFree(Positions):
    """A bias by distance in the two heads of the largest slopes, and none in the others."""

    def bias(self, scores: Tensor) -> Tensor:
        _, n_heads, length, keys = scores.shape
        biased = torch.arange(n_heads)[:, None, None] < 2
        return scores + biased * distance_bias(n_heads, length, keys - length)


# Each scheme of positions by the name that the page gives it.
SCHEMES = {
    "waves": "waves",
    "learned": "learned",
    "rotary": "rotary",
    "by distance": "bias",
    "none": "none",
}
SLOWER = {"rotary, slowed": Slowed, "rotary, larger base": LargerBase}
FREE = "by distance, two heads free"


def fresh(seed: int, **changes) -> Decoder:
    torch.manual_seed(seed)
    return Decoder(replace(BASE, **changes))


def change_by_change() -> dict:
    """For each change its weights, and the exact shares of each seed."""
    _, unseen, compositional = splits()
    measured = {
        name: {"weights": sum(weights(replace(BASE, **changes)).values())}
        | {"unseen": [], "compositional": []}
        for name, changes in CHANGES.items()
    }
    for seed in SEEDS["changes"]:
        for name, changes in CHANGES.items():
            model = train(
                fresh(seed, **changes),
                lambda dice: question_and_answer(dice.sample(PAIRS, 64), VOCABULARY),
                seed,
            )
            for split, sentences in (("unseen", unseen), ("compositional", compositional)):
                share = exact(model, [pair[:2] for pair in sentences[:300]])
                measured[name][split].append(share)
                print(f"{name:30} seed {seed} {split:13} {share}", flush=True)
    return measured


def running_text(pairs, length: int, dice: random.Random) -> tuple[list[int], list[int]]:
    """Translated pairs one after the other, so many tokens of them, and what comes after each of
    them in the English; behind a German token stands padding.
    """
    ids: list[int] = []
    answers: list[int] = []
    while len(ids) <= length:
        german, english = dice.choice(pairs)
        question = ids_of(german)
        answer = [*ids_of(english), EOS_ID]
        ids += [*question, BOS_ID, *answer]
        answers += [PAD_ID] * (len(question) + 1) + answer
    return ids[:length], answers[1 : length + 1]


def batch_of(pairs, length: int, size: int, dice: random.Random) -> tuple[Tensor, Tensor]:
    rows = [running_text(pairs, length, dice) for _ in range(size)]
    return torch.tensor([ids for ids, _ in rows]), torch.tensor([answers for _, answers in rows])


def longer_texts() -> dict:
    """The mean loss of an English token in each 16 places, for each kind of positions and seed."""
    pairs = [pair[:2] for pair in splits()[1]]
    texts, answers = batch_of(pairs, TRIED, 200, random.Random(0))
    counted = (answers != PAD_ID).unflatten(1, (-1, 16)).sum((0, 2))
    curves: dict[str, list] = {name: [] for name in (*SCHEMES, *SLOWER)}

    def note(name: str, model: Decoder) -> None:
        losses = losses_of(model, texts, answers)
        curve = losses.unflatten(1, (-1, 16)).sum((0, 2)) / counted
        curves[name].append([round(loss, 3) for loss in curve.tolist()])
        print(f"{name:15} seed {seed}", *curves[name][-1], flush=True)

    for seed in SEEDS["longer"]:
        for name, positions in SCHEMES.items():
            model = train(
                fresh(seed, max_length=TRIED, positions=positions),
                lambda dice: batch_of(PAIRS, TRAINED, 24, dice),
                seed,
                smoothing=0.0,
            )
            note(name, model)
            if name == "rotary":
                for other, scheme in SLOWER.items():
                    model.positions = scheme(model.plan)
                    note(other, model)
    return curves


def turned(x: Tensor, first: int, slower: float = 1, base: float = 10000) -> Tensor:
    """Rotary encoding with its places closer together, or with another base."""
    d = x.size(-1)
    places = torch.arange(first, first + x.size(-2)) / slower
    angles = torch.outer(places, base ** (-torch.arange(0, d, 2) / d))
    even = x[..., 0::2]
    odd = x[..., 1::2]
    cos = angles.cos()
    sin = angles.sin()
    return torch.stack((even * cos + odd * sin, odd * cos - even * sin), dim=-1).flatten(-2)


def losses_of(model: Decoder, texts: Tensor, answers: Tensor) -> Tensor:
    with torch.no_grad():
        return cross_entropy(
            model(texts).transpose(1, 2), answers, ignore_index=PAD_ID, reduction="none"
        )


def far_batch(pairs, size: int, dice: random.Random) -> tuple[Tensor, Tensor]:
    """Four German sentences, their four translations, and what comes after each English token."""
    rows = []
    for _ in range(size):
        some = [dice.choice(pairs) for _ in range(AT_ONCE)]
        ids = [token for german, _ in some for token in ids_of(german)]
        answers = [PAD_ID] * len(ids)
        for _, english in some:
            ids += [BOS_ID, *ids_of(english)]
            answers += [*ids_of(english), EOS_ID]
        rows.append((torch.tensor(ids), torch.tensor(answers)))
    texts, answers = (
        pad_sequence(column, batch_first=True, padding_value=PAD_ID)
        for column in zip(*rows, strict=True)
    )
    return texts, answers


def far_questions() -> dict:
    """The mean loss of an English token whose German stands far back, by positions and seed."""
    texts, answers = far_batch([pair[:2] for pair in splits()[1]], 200, random.Random(0))
    names = ("waves", "rotary", "by distance", FREE, "none")
    curves: dict[str, list] = {name: [] for name in names}
    for seed in SEEDS["far"]:
        for name in names:
            model = fresh(seed, max_length=160, positions=SCHEMES.get(name, "none"))
            if name == FREE:
                model.positions = HalfFree(model.plan)
            train(model, lambda dice: far_batch(PAIRS, 24, dice), seed, smoothing=0.0)
            losses = losses_of(model, texts, answers)
            curves[name].append(round((losses.sum() / (answers != PAD_ID).sum()).item(), 3))
            print(f"{name:19} seed {seed}", curves[name][-1], flush=True)
    return curves


def with_and_without_dropout() -> dict:
    """The exact shares of each seed, for few pairs and all, without dropout and with some."""
    unseen = [pair[:2] for pair in splits()[1][:300]]
    measured: dict[str, dict] = {}
    for number in (FEW, len(PAIRS)):
        some = random.Random(0).sample(PAIRS, number)
        for dropout in (0.0, 0.1):
            shares = []
            for seed in SEEDS["dropout"]:
                model = train(
                    fresh(seed, dropout=dropout),
                    lambda dice, some=some: question_and_answer(dice.sample(some, 64), VOCABULARY),
                    seed,
                )
                shares.append(exact(model, unseen))
                print(f"{number:5} pairs, dropout {dropout}, seed {seed}", shares[-1], flush=True)
            measured.setdefault(f"{number:,} pairs", {})[str(dropout)] = shares
    return measured


def main() -> None:
    torch.set_num_threads(1)
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    measures = {
        "changes": change_by_change,
        "longer": longer_texts,
        "far": far_questions,
        "dropout": with_and_without_dropout,
    }
    for name, measure in measures.items():
        if name in (sys.argv[1:] or measures):
            kept[name] = measure()
            KEPT.write_text(json.dumps(kept, indent=1) + "\n")
    note(KEPT, __file__, {what: [*seeds] for what, seeds in SEEDS.items()})


if __name__ == "__main__":
    main()
