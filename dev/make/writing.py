"""How often is what a language model draws a sentence of its language?

    python -m dev.make.writing

The speaker of chapter 11 writes 300 sentences in each of several ways. The grammar can list its
whole language, so that each of them is looked up. Chapter 11 quotes the result, which is kept
beside this file in writing.json.
"""

import json
import random
from pathlib import Path

import torch

from transformer_lite.data.grammar import every_pair
from transformer_lite.decoder_only import DecoderOnly, write
from transformer_lite.vocabulary import BOS_ID, EOS_ID, pad

from .alone import TEXTS, VOCABULARY, fresh, ids_of, train

KEPT = Path(__file__).with_suffix(".json")
SENTENCES = 300
WAYS = {
    "temperature 1": {"temperature": 1.0},
    "temperature 0.5": {"temperature": 0.5},
    "temperature 2": {"temperature": 2.0},
    "top-k 5": {"temperature": 1.0, "top_k": 5},
    "top-p 0.9": {"temperature": 1.0, "top_p": 0.9},
}


def one_by_one(dice: random.Random) -> tuple[torch.Tensor, torch.Tensor]:
    """A batch of sentences, each a text of its own, and what comes after each token."""
    rows = [ids_of(text) for text in dice.sample(TEXTS, 64)]
    return pad([[BOS_ID, *row] for row in rows]), pad([[*row, EOS_ID] for row in rows])


def speaker() -> DecoderOnly:
    """The model that chapter 11 trains on sentences one by one."""
    return train(fresh(0), one_by_one, 0, smoothing=0.0)


def main() -> None:
    torch.set_num_threads(1)
    model = speaker()
    language = set(TEXTS)
    n_pairs = 0
    for pair in every_pair():
        language |= {pair.source, pair.target}
        n_pairs += 1
    result = {"pairs": n_pairs, "sentences": SENTENCES, "per_cent": {}}
    for name, options in WAYS.items():
        dice = torch.Generator().manual_seed(0)
        rows = write(model, torch.full((SENTENCES, 1), BOS_ID), 30, generator=dice, **options)
        texts = [VOCABULARY.detokenize(VOCABULARY.decode(row)) for row in rows]
        found = sum(text in language for text in texts)
        result["per_cent"][name] = round(100 * found / SENTENCES, 1)
        print(f"{name:16}{result['per_cent'][name]:5.1f} %")
    KEPT.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
