"""What chapter 6 concludes, tried again: a head set by hand and three that are trained, room for
words beside positions, and a translator that never had positions.
"""

from unittest import mock

import torch
import torch.nn.functional as F
from torch import nn

import transformer_lite as tl
from dev.tried import attempt
from transformer_lite.data.corpus import german_english
from transformer_lite.data.grammar import splits
from transformer_lite.train.evaluation import evaluate
from transformer_lite.train.recipe import Recipe
from transformer_lite.train.trainer import train_translator


def turn_by(places, rows):
    """Each row of an encoding, turned on by its number of places."""
    hands = rows.shape[-1] // 2
    omega = 10000 ** (-torch.arange(hands, dtype=rows.dtype) / hands)
    angle = places[:, None] * omega
    sine, cosine = rows[..., 0::2], rows[..., 1::2]
    turned = torch.empty_like(rows)
    turned[..., 0::2] = sine * angle.cos() + cosine * angle.sin()
    turned[..., 1::2] = cosine * angle.cos() - sine * angle.sin()
    return turned


@attempt(places=50, factors=(30,))
def set_by_hand(places=2000, factors=(1, 10, 30)):
    """At how many places the head set by hand looks most at the word before."""
    table = tl.sinusoidal_encoding(places, 64, dtype=torch.float64)
    query = turn_by(-torch.ones(places, dtype=torch.float64), table)
    scores = query @ table.T
    rows = []
    for factor in factors:
        weights = (factor * scores / 8).softmax(-1)
        right = weights.argmax(-1)[1:] == torch.arange(places - 1)
        rows.append(
            {
                "places": places,
                "factor": factor,
                "right": int(right.sum()),
                "of": places - 1,
                "least weight": round(weights.diagonal(-1).min().item(), 3),
            }
        )
    return rows


def trained_head(x, seed, turned, steps, seen=48):
    """The share of the places seen, and of the others, at which a trained head looks left."""
    places = torch.arange(len(x), dtype=x.dtype)
    w_q, w_k = nn.Linear(64, 64, bias=False), nn.Linear(64, 64, bias=False)

    def scores(x):
        query, key = w_q(x), w_k(x)
        if turned:
            query, key = (turn_by(places[: len(x)], rows) for rows in (query, key))
        return query @ key.T / 8

    adam = torch.optim.Adam([p for p in (w_q.weight, w_k.weight, x) if p.requires_grad], lr=3e-3)
    for _ in range(steps):
        loss = F.cross_entropy(scores(x[:seen])[1:], torch.arange(seen - 1))
        adam.zero_grad()
        loss.backward()
        adam.step()
    with torch.no_grad():
        right = scores(x).argmax(-1)[1:] == torch.arange(len(x) - 1)
    return right[: seen - 1].float().mean().item(), right[seen - 1 :].float().mean().item()


@attempt(seeds=range(1), lengths=(96,), steps=(2,))
def trained_heads(seeds=range(3, 7), lengths=(96, 400), steps=(500,)):
    """Where three trained heads look at the places that they have not seen."""
    rows = []
    for length in lengths:
        for n in steps:
            for seed in seeds:
                torch.manual_seed(seed)
                own = nn.Parameter(torch.randn(length, 64))
                one_word = torch.randn(1, 64).expand(length, 64)
                waves = tl.sinusoidal_encoding(length, 64)
                row = {"places": length, "steps": n, "seed": seed}
                for name, x, turned in (
                    ("learned", own, False),
                    ("waves", waves, False),
                    ("turned", one_word, True),
                ):
                    known, new = trained_head(x, seed, turned, n)
                    row |= {
                        f"{name}, seen (%)": round(100 * known),
                        f"{name}, new (%)": round(100 * new),
                    }
                rows.append(row)
    return rows


@attempt(counts=(4,))
def room(counts=(2, 4, 8)):
    """How much of the translator's word vectors lies where its positions lie, beside chance."""
    model = tl.load_translator().model
    held = torch.linalg.svd(model.positions[:16])
    rows = []
    for count in counts:
        directions = held.Vh[:count]
        share = held.S.square()[:count].sum() / held.S.square().sum()
        row = {
            "directions": count,
            "hold of the positions (%)": round(100 * share.item(), 1),
            "chance (%)": round(100 * count / 64, 1),
        }
        for name, table in (
            ("German", model.source_embedding),
            ("English", model.target_embedding),
        ):
            words = table.weight.detach()[4:]
            inside = (words @ directions.T).square().sum() / words.square().sum()
            row[f"{name} words (%)"] = round(100 * inside.item(), 1)
        rows.append(row)
    return rows


@attempt(seeds=range(1), epochs=1, learnt=64, count=2)
def never_had_positions(seeds=range(1), epochs=5, learnt=6000, count=1000):
    """How many sentences a translator gets right that was trained without positions."""
    pairs, made = german_english()[:learnt], tl.Transformer.__init__

    def without_positions(model, config):
        made(model, config)
        model.positions.zero_()

    rows = []
    for seed in seeds:
        recipe = Recipe(seed=seed, epochs=epochs)
        with mock.patch.object(tl.Transformer, "__init__", without_positions):
            translator, _ = train_translator(pairs, recipe, progress=False)
        known = translator.source_vocabulary.ids
        row = {"seed": seed}
        for name in ("unseen", "compositional"):
            some = [
                p
                for p in getattr(splits(), name)[:count]
                if all(word in known for word in p.source.split())
            ]
            row |= {name: len(some)}
            if some:
                row[f"{name} right (%)"] = round(evaluate(translator, some).exact_match, 1)
        rows.append(row)
    return rows
