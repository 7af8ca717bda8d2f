"""What do the changes since 2017 do at the size of this book, over several seeds?

    python benchmarks/variants.py [changes|longer]

`changes` trains the decoder alone of chapter 11, norms first, once for each change and seed, and
counts the translations that are exactly right. `longer` trains it on texts of several translated
sentences, cut at 48 tokens, and asks for the loss of the English behind that place too, for each
kind of positions. Without a word it does both. Chapter 12 prints the results, which come with
the package, in transformer_lite/data/variants.json.
"""

import json
import random
import sys
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

import transformer_lite as tl
from transformer_lite.data.corpus import german_english
from transformer_lite.data.grammar import splits
from transformer_lite.decoder_only import question_and_answer, write
from transformer_lite.training import loss_function
from transformer_lite.variants import Decoder, Plan, weights
from transformer_lite.vocabulary import BOS_ID, EOS_ID, PAD_ID

SEEDS = range(3)
STEPS = 470
KEPT = Path(tl.__file__).parent / "data" / "variants.json"
PAIRS = german_english()
VOCABULARY = tl.Vocabulary.from_texts(text for pair in PAIRS for text in pair)
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
    "SwiGLU": {"activation": "silu", "gated": True, "d_ff": 128},
    "1 key head": {"key_heads": 1},
    "tied": {"tied": True},
    "Llama's": LLAMA,
}
POSITIONS = {
    "waves": {},
    "learned": {"positions": "learned"},
    "rotary": {"positions": "rotary"},
    "by distance": {"positions": "bias"},
    "none": {"positions": "none"},
}
TRAINED, TRIED = 48, 144


def ids_of(text: str) -> list[int]:
    return VOCABULARY.encode(VOCABULARY.tokenize(text))


def train(plan: Plan, batch, seed: int, steps: int = STEPS, smoothing: float = 0.1) -> Decoder:
    """The training of chapter 11. batch(dice) draws ids (B, T) and what should come after each."""
    torch.manual_seed(seed)
    model = Decoder(plan)
    dice = random.Random(seed)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    for step in range(1, steps + 1):
        fall = (steps + 1 - step) / (steps + 1 - 200)
        optimizer.param_groups[0]["lr"] = 4e-3 * min(step / 200, fall)
        texts, answers = batch(dice)
        loss = loss_function(model(texts), answers, smoothing)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


def exact(model: Decoder, pairs) -> float:
    """The share of pairs, in per cent, whose answer is written word for word."""
    by_length: dict[int, list] = {}
    for question, answer in pairs:
        beginning = [*ids_of(question), BOS_ID]
        by_length.setdefault(len(beginning), []).append((beginning, [*ids_of(answer), EOS_ID]))
    right = 0
    for length, group in by_length.items():
        texts = write(model, torch.tensor([beginning for beginning, _ in group]), 40)
        for row, (_, answer) in zip(texts.tolist(), group, strict=True):
            right += row[length : length + len(answer)] == answer
    return round(100 * right / len(pairs), 1)


def change_by_change() -> dict:
    """For each change its weights, and the exact shares of each seed."""
    _, unseen, compositional = splits()
    found = {
        name: {"weights": sum(weights(replace(BASE, **changes)).values())}
        | {"unseen": [], "compositional": []}
        for name, changes in CHANGES.items()
    }
    for seed in SEEDS:
        for name, changes in CHANGES.items():
            model = train(
                replace(BASE, **changes),
                lambda dice: question_and_answer(dice.sample(PAIRS, 64), VOCABULARY),
                seed,
            )
            for split, sentences in (("unseen", unseen), ("compositional", compositional)):
                share = exact(model, [pair[:2] for pair in sentences[:300]])
                found[name][split].append(share)
                print(f"{name:30} seed {seed} {split:13} {share}", flush=True)
    return found


def running_text(pairs, length: int, dice: random.Random) -> tuple[list[int], list[int]]:
    """Translated pairs one after the other, so many tokens of them, and what comes after each of
    them in the English; behind a German token stands padding.
    """
    ids: list[int] = []
    asked: list[int] = []
    while len(ids) <= length:
        german, english = dice.choice(pairs)
        question, answer = ids_of(german), [*ids_of(english), EOS_ID]
        ids += [*question, BOS_ID, *answer]
        asked += [PAD_ID] * (len(question) + 1) + answer
    return ids[:length], asked[1 : length + 1]


def batch_of(pairs, length: int, size: int, dice: random.Random) -> tuple[Tensor, Tensor]:
    rows = [running_text(pairs, length, dice) for _ in range(size)]
    return torch.tensor([ids for ids, _ in rows]), torch.tensor([asked for _, asked in rows])


def longer_texts() -> dict:
    """The mean loss of an English token in each 16 places, for each kind of positions and seed."""
    pairs = [pair[:2] for pair in splits()[1]]
    texts, asked = batch_of(pairs, TRIED, 200, random.Random(0))
    counted = (asked != PAD_ID).unflatten(1, (-1, 16)).sum((0, 2))
    found: dict[str, list] = {name: [] for name in POSITIONS}
    for seed in SEEDS:
        for name, changes in POSITIONS.items():
            model = train(
                replace(BASE, max_length=TRIED, **changes),
                lambda dice: batch_of(PAIRS, TRAINED, 24, dice),
                seed,
                smoothing=0.0,
            )
            with torch.no_grad():
                losses = cross_entropy(
                    model(texts).transpose(1, 2), asked, ignore_index=PAD_ID, reduction="none"
                )
            curve = losses.unflatten(1, (-1, 16)).sum((0, 2)) / counted
            found[name].append([round(loss, 3) for loss in curve.tolist()])
            print(f"{name:12} seed {seed}", *found[name][-1], flush=True)
    return found


def main() -> None:
    torch.set_num_threads(1)
    asked = sys.argv[1:] or ["changes", "longer"]
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    for name, measure in (("changes", change_by_change), ("longer", longer_texts)):
        if name in asked:
            kept[name] = measure()
            KEPT.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
