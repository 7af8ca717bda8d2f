"""Do all models that begin from Xavier's numbers translate without looking?

    python -m dev.make.starts

Chapter 9 trains three models from each of two starts. Here are twenty of each: the weight of the
best head on the noun where the drink is written, and the lower probability of the right drink with
the noun hidden from the cross-attention. Chapter 9 quotes starts.json, which is kept beside this
file.
"""

import json
from pathlib import Path

import torch

import transformer_lite as tl
from transformer_lite.data.corpus import TWO_SENTENCES
from transformer_lite.training import make_batch, training_steps

SEEDS = range(20)
DRINK = 3  # the row that writes the drink
NOUN = 3  # the last of four German words
KEPT = Path(__file__).with_suffix(".json")


def measure(seed: int, xavier: bool) -> tuple[float, float]:
    german, english = (tl.Vocabulary.from_texts(side) for side in zip(*TWO_SENTENCES, strict=True))
    batch = make_batch(TWO_SENTENCES, german, english)
    torch.manual_seed(seed)
    sizes = {"d_model": 64, "d_ff": 256, "n_layers": 2, "n_heads": 4, "dropout": 0.0}
    model = tl.Transformer(tl.TransformerConfig(len(german), len(english), **sizes))
    if xavier:
        for name, parameter in model.named_parameters():
            if parameter.dim() > 1 and "embedding" not in name:
                torch.nn.init.xavier_uniform_(parameter)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    list(training_steps(model, [batch] * 64, optimizer))
    model.eval()
    with torch.no_grad():
        read = batch.target[:, :-1]
        _, maps = model(batch.source, read, return_attention=True)
        best = max(layer[0, :, DRINK, NOUN].max().item() for layer in maps.cross)
        memory, _ = model.encode(batch.source, None)
        seen = torch.arange(4) != NOUN
        logits, *_ = model.decode(read, memory, seen[None, None, None])
        drinks = torch.tensor(english.encode(["beer", "coke"]))
        hidden = logits[:, DRINK].softmax(-1)[[0, 1], drinks].min().item()
    return round(best, 2), round(hidden, 2)


def main() -> None:
    torch.set_num_threads(1)
    measured = {}
    for name in ("PyTorch's", "Xavier's"):
        best, hidden = zip(*(measure(seed, name == "Xavier's") for seed in SEEDS), strict=True)
        measured[name] = {"best head": best, "noun hidden": hidden}
        print(name, measured[name])
    KEPT.write_text(json.dumps(measured) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
