"""Chapter 11's training of a decoder alone, and its count of right translations, for the programs
beside this file that repeat them; and how the numbers of several seeds become lists.
"""

import random

import torch

import transformer_lite as tl
from transformer_lite.data.corpus import german_english
from transformer_lite.decoder_only import DecoderOnly, write
from transformer_lite.training import loss_function
from transformer_lite.vocabulary import BOS_ID, EOS_ID

PAIRS = german_english()
TEXTS = [text for pair in PAIRS for text in pair]
VOCABULARY = tl.Vocabulary.from_texts(TEXTS)


def ids_of(text: str) -> list[int]:
    return VOCABULARY.encode(VOCABULARY.tokenize(text))


def fresh(seed: int, n_layers: int = 2) -> DecoderOnly:
    torch.manual_seed(seed)
    return DecoderOnly(
        len(VOCABULARY), d_model=64, d_ff=192, n_layers=n_layers, n_heads=4, norm_first=False
    )


def train(model, batch, seed, *, steps=470, best=4e-3, smoothing=0.1, after=lambda step: None):
    """batch(dice) draws ids (B, T) and what should come after each; after(step) follows a step."""
    dice = random.Random(seed)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    warmup = min(200, steps // 2)
    for step in range(1, steps + 1):
        rise = step / warmup
        fall = (steps + 1 - step) / (steps + 1 - warmup)
        optimizer.param_groups[0]["lr"] = best * min(rise, fall)
        texts, answers = batch(dice)
        loss = loss_function(model(texts), answers, smoothing)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        after(step)
    return model.eval()


def exact(model, pairs) -> float:
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


def gather(lists: dict, one: dict) -> None:
    """Add what one seed has measured to the lists of all: each number to the list of its name."""
    for name, measured in one.items():
        if isinstance(measured, dict):
            gather(lists.setdefault(name, {}), measured)
        else:
            lists.setdefault(name, []).append(measured)
