"""What comes of a file of one's own pairs?

    python -m dev.make.own_sentences numbers
    python -m dev.make.own_sentences catalogues

Trains the translators of the page "Your own sentences", each from three seeds. `numbers` learns
number words, cut in several ways and from several numbers of pairs. `catalogues` learns the German
messages of the programs on this machine, but for all of three programs and some of the others. The
page quotes the result, which is kept beside this file in own_sentences.json.
"""

import json
import math
import random
import sys
from collections import Counter
from pathlib import Path

import torch

from transformer_lite.data.catalogues import catalogue_pairs
from transformer_lite.data.number_words import english_number, german_number
from transformer_lite.train.evaluation import evaluate
from transformer_lite.train.recipe import Recipe
from transformer_lite.train.trainer import train_translator
from transformer_lite.vocabulary import UNK_ID, split_words

SEEDS = (0, 1, 2)
KEPT = Path(__file__).with_suffix(".json")
CUTS = {
    "whole words": {"tokenizer": "word", "rare": 0.01},
    "4,000 pieces": {"tokenizer": "bpe", "pieces": 4000},
    "120 pieces": {"tokenizer": "bpe", "pieces": 120},
}
PROGRAMS = ("tar", "apt", "libc")  # those held out whole
OFTEN = {
    "once": (1, 1),
    "2 to 8 times": (2, 8),
    "9 to 49 times": (9, 49),
    "more often": (50, math.inf),
}


def exactly_right(pairs, tests, **options) -> dict:
    """For each list of held-out pairs the per cent that come out word for word, from each seed, and
    how many of its sentences have a word that the vocabulary does not know.
    """
    shares = {name: {"sentences": len(held_out), "exact": []} for name, held_out in tests.items()}
    for seed in SEEDS:
        recipe = Recipe(seed=seed, **options)
        translator, losses = train_translator(pairs, recipe, progress=False)
        for name, held_out in tests.items():
            exact = evaluate(translator, held_out).exact_match
            shares[name]["exact"].append(round(exact, 1))
            words = translator.source_vocabulary
            rows = [words.encode(words.tokenize(source)) for source, _ in held_out]
            shares[name]["with an unknown word"] = sum(UNK_ID in row for row in rows)
        print(len(pairs), len(losses), options, seed, shares, flush=True)
    return shares


def how_often(pairs) -> dict[str, int]:
    """How many different words of the sources occur once, 2 to 8 times, and so on."""
    counts = Counter(word for source, _ in pairs for word in split_words(source))
    return {
        name: sum(low <= n <= most for n in counts.values()) for name, (low, most) in OFTEN.items()
    }


def numbers() -> dict:
    drawn = random.Random(0).sample(range(1, 10_000), 1200)
    pairs = [(german_number(n), english_number(n)) for n in drawn]
    tests = {"held out": pairs[:200]}
    pairs = pairs[200:]
    cuts = {name: exactly_right(pairs, tests, **cut) for name, cut in CUTS.items()}
    few = CUTS["120 pieces"]
    sizes = {str(n): exactly_right(pairs[:n], tests, **few) for n in (100, 200, 400)}
    return {"cuts": cuts, "pairs": sizes | {"1000": cuts["120 pieces"]}}


def catalogues() -> dict:
    by_program = catalogue_pairs()
    tests = {name: by_program.pop(name) for name in PROGRAMS}
    pairs = [pair for of_a_program in by_program.values() for pair in of_a_program]
    random.Random(0).shuffle(pairs)
    tests["other messages"] = pairs[:500]
    pairs = pairs[500:]
    return {
        "pairs": len(pairs),
        "words": how_often(pairs),
        "whole words": exactly_right(pairs, tests, **CUTS["whole words"]),
        "2,000 pieces": exactly_right(pairs, tests, tokenizer="bpe", pieces=2000),
    }


def main() -> None:
    torch.set_num_threads(1)
    part = {"numbers": numbers, "catalogues": catalogues}[sys.argv[1]]()
    result = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    result[sys.argv[1]] = part
    KEPT.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
