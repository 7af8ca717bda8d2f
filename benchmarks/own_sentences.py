"""What comes of a file of one's own pairs?

    python benchmarks/own_sentences.py numbers
    python benchmarks/own_sentences.py catalogues

Trains the translators of the page "Your own sentences", each from three seeds. `numbers` learns
number words, cut in several ways and from several numbers of pairs. `catalogues` learns the German
messages of the programs on this machine, once with some of all programs' messages held out and once
with all messages of some programs. The page quotes the result, which is kept beside this file in
own_sentences.json.
"""

import json
import random
import sys
from pathlib import Path

import torch

from transformer_lite.data.catalogues import catalogue_pairs
from transformer_lite.data.number_words import english_number, german_number
from transformer_lite.train.evaluation import evaluate
from transformer_lite.train.recipe import Recipe
from transformer_lite.train.trainer import train_translator
from transformer_lite.vocabulary import UNK_ID

SEEDS = (0, 1, 2)
RESULT = Path(__file__).with_suffix(".json")
CUTS = {
    "whole words": {"tokenizer": "word", "rare": 0.01},
    "4,000 pieces": {"tokenizer": "bpe", "pieces": 4000},
    "120 pieces": {"tokenizer": "bpe", "pieces": 120},
}
PROGRAMS = ("tar", "apt", "libc")  # those held out whole


def exactly_right(pairs, held_out, **options) -> dict:
    """The per cent of the held-out pairs that come out word for word, from each seed."""
    found = {"exact": [], "chrf": [], "steps": 0}
    for seed in SEEDS:
        recipe = Recipe(seed=seed, **options)
        translator, losses = train_translator(pairs, recipe, progress=False)
        scores = evaluate(translator, held_out)
        found["exact"].append(round(scores.exact_match, 1))
        found["chrf"].append(round(scores.chrf, 1))
        found["steps"] = len(losses)
    unknown = [translator.source_vocabulary.encode(t) for t in tokens(translator, held_out)]
    found["with an unknown word"] = sum(UNK_ID in row for row in unknown)
    print(len(pairs), options, found, flush=True)
    return found


def tokens(translator, pairs):
    return [translator.source_vocabulary.tokenize(source) for source, _ in pairs]


def numbers() -> dict:
    drawn = random.Random(0).sample(range(1, 10_000), 1200)
    pairs = [(german_number(n), english_number(n)) for n in drawn]
    held_out, pairs = pairs[:200], pairs[200:]
    cuts = {name: exactly_right(pairs, held_out, **cut) for name, cut in CUTS.items()}
    sizes = {
        str(n): exactly_right(pairs[:n], held_out, **CUTS["120 pieces"]) for n in (100, 200, 400)
    }
    return {"held_out": 200, "cuts": cuts, "pairs": sizes | {"1000": cuts["120 pieces"]}}


def catalogues() -> dict:
    found = catalogue_pairs()
    pairs = [pair for of_one in found.values() for pair in of_one]
    random.Random(0).shuffle(pairs)
    held_out, pairs = pairs[:500], pairs[500:]
    result = {
        "catalogues": len(found),
        "pairs": len(pairs) + 500,
        "some of all": exactly_right(pairs, held_out, **CUTS["whole words"]),
    }
    others = [pair for name, of_one in found.items() if name not in PROGRAMS for pair in of_one]
    for name in PROGRAMS:
        if name in found:
            result[name] = exactly_right(others, found[name], **CUTS["whole words"])
    return result


def main() -> None:
    torch.set_num_threads(1)
    part = {"numbers": numbers, "catalogues": catalogues}[sys.argv[1]]
    result = json.loads(RESULT.read_text()) if RESULT.exists() else {}
    result[sys.argv[1]] = part()
    RESULT.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
