"""Two runs, step by step: the collapse of chapter 8, and the same model with warm-up.

``recorded`` reads what ``python -m dev.make.two_runs`` has kept of both.
"""

import base64
from functools import cache

import numpy as np
import torch

from transformer_lite.data.corpus import TWO_SENTENCES
from transformer_lite.decoding import greedy_decode
from transformer_lite.model import Transformer, TransformerConfig
from transformer_lite.training import Batch, loss_function, make_batch, training_steps
from transformer_lite.vocabulary import PAD_ID, Vocabulary

from ..exhibits import stored

STEPS = 64
RATE = 0.01
WARMUPS = {"without warm-up": 0, "with warm-up": 48}  # in steps

MOST_WORDS = 9  # that are written where no end is

Moment = tuple[float, torch.Tensor, list[list[str]]]


def record(warmup: int, *, steps: int = STEPS, seed: int = 0) -> list[Moment]:
    """A run on the two sentences: the untrained model, and the model after each step. Each is its
    loss, the last layer's cross-attention for the first sentence, ``(heads, 6, 4)``, and the tokens
    that it writes for each.
    """
    languages = [Vocabulary.from_texts(texts) for texts in zip(*TWO_SENTENCES, strict=True)]
    batch = make_batch(TWO_SENTENCES, *languages)
    sizes = dict(d_model=128, d_ff=512, n_layers=2, n_heads=4, dropout=0.0)
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        model = Transformer(TransformerConfig(*map(len, languages), **sizes))
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    schedule = (lambda step: RATE * min(1, step / warmup)) if warmup else None
    moments = [_moment(model, batch, languages[1])]
    for _ in training_steps(model, [batch] * steps, optimizer, schedule):
        moments.append(_moment(model, batch, languages[1]))
    return moments


def _moment(model: Transformer, batch: Batch, english: Vocabulary) -> Moment:
    """How the model is now. It has no dropout, so that its mode does not matter."""
    with torch.no_grad():
        logits, maps = model(batch.source, batch.target[:, :-1], return_attention=True)
        written = greedy_decode(model, batch.source, MOST_WORDS).tolist()
    loss = loss_function(logits, batch.target[:, 1:]).item()
    tokens = [english.decode(id for id in ids if id != PAD_ID) for ids in written]
    return loss, maps.cross[-1][0], tokens


@cache
def recorded() -> dict[str, list[Moment]]:
    """What ``record`` gave for both runs, by name; weights of attention in steps of 1/255."""
    return {
        name: [(one["loss"], _maps(one["maps"]), one["written"]) for one in run]
        for name, run in stored("two_runs").items()
    }


def _maps(lines: list[str]) -> torch.Tensor:
    heads = [np.frombuffer(base64.b64decode(line), np.uint8) for line in lines]
    return torch.from_numpy(np.stack(heads).reshape(-1, 6, 4) / 255)
