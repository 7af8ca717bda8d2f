"""How often is what a language model draws a sentence of its language?

    python benchmarks/writing.py

The speaker of chapter 11 writes 300 sentences in each of several ways. The grammar can list its
whole language, so that each of them is looked up. Chapter 11 quotes the result, which is kept
beside this file in writing.json.
"""

import json
import random
from pathlib import Path

import torch

import transformer_lite as tl
from transformer_lite.data.corpus import german_english
from transformer_lite.data.grammar import every_pair
from transformer_lite.decoder_only import DecoderOnly, write
from transformer_lite.training import loss_function
from transformer_lite.vocabulary import BOS_ID, EOS_ID, pad

STEPS = 470
WAYS = {
    "temperature 1": {"temperature": 1.0},
    "temperature 0.5": {"temperature": 0.5},
    "temperature 2": {"temperature": 2.0},
    "top-k 5": {"temperature": 1.0, "top_k": 5},
    "top-p 0.9": {"temperature": 1.0, "top_p": 0.9},
}


def speaker(vocabulary: tl.Vocabulary, sentences: list[str]) -> DecoderOnly:
    """The model that chapter 11 trains on sentences one by one."""
    torch.manual_seed(0)
    model = DecoderOnly(
        len(vocabulary), d_model=64, d_ff=192, n_layers=2, n_heads=4, norm_first=False
    )
    dice = random.Random(0)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    for step in range(1, STEPS + 1):
        optimizer.param_groups[0]["lr"] = 4e-3 * min(step / 200, (STEPS + 1 - step) / (STEPS - 199))
        rows = [vocabulary.encode(vocabulary.tokenize(t)) for t in dice.sample(sentences, 64)]
        logits = model(pad([[BOS_ID, *row] for row in rows]))
        loss = loss_function(logits, pad([[*row, EOS_ID] for row in rows]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


def main() -> None:
    torch.set_num_threads(1)
    pairs = german_english()
    sentences = [text for pair in pairs for text in pair]
    vocabulary = tl.Vocabulary.from_texts(sentences)
    model = speaker(vocabulary, sentences)
    language = set(sentences)
    n_pairs = 0
    for pair in every_pair():
        language |= {pair.source, pair.target}
        n_pairs += 1
    result = {"pairs": n_pairs, "sentences": 300, "per_cent": {}}
    for name, options in WAYS.items():
        dice = torch.Generator().manual_seed(0)
        rows = write(model, torch.full((300, 1), BOS_ID), 30, generator=dice, **options)
        texts = [vocabulary.detokenize(vocabulary.decode(row)) for row in rows]
        result["per_cent"][name] = round(100 * sum(text in language for text in texts) / 300, 1)
        print(f"{name:16}{result['per_cent'][name]:5.1f} %")
    Path(__file__).with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
