"""What do norms on queries and keys hold back?

    python -m dev.make.query_norms

Trains the decoder alone of chapter 11, norms first, at its own rate and at larger ones, with an
RMSNorm on each head's queries and keys and without. On the way it notes the loss, the largest score
of all heads, and how much of its attention a word gives on average to the one that it looks at
most; at the end it counts the translations that are exactly right. Chapter 13 shows the results,
which come with the package, in attention_by_hand/exhibits/query_norms.json.
"""

import json
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor, nn

from attention_by_hand import exhibits
from transformer_lite.data.grammar import splits
from transformer_lite.decoder_only import question_and_answer
from transformer_lite.training import loss_function
from transformer_lite.variants import Decoder, GroupedAttention

from .alone import PAIRS, VOCABULARY, exact, train
from .variants import BASE

KEPT = Path(exhibits.__file__).with_name("query_norms.json")
SEEDS = range(3)
RATE = 4e-3  # chapter 11's
TIMES = (1, 4, 16, 64)
EVERY = 47  # steps between two looks
NAMES = {"without": False, "with": True}


class Look:
    """Keeps the scores and the attention that an attention has computed last."""

    def __init__(self, attention: GroupedAttention):
        self.attention = attention
        attention.register_forward_hook(self.keep)

    def keep(self, attention: nn.Module, given: tuple, found: tuple) -> None:
        self.given = given
        self.weights = found[1]

    def largest_score(self) -> float:
        """Of all words and all heads, without its sign."""
        x, mask, *_ = self.given
        plan = self.attention.plan
        q = self.attention.norm_q(self.attention.heads(self.attention.w_q(x), plan.n_heads))
        k = self.attention.norm_k(self.attention.heads(self.attention.w_k(x), plan.groups))
        scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
        return scores.masked_fill(~mask, 0).abs().max().item()

    def favourite(self) -> float:
        """What the word that is looked at most gets on average."""
        return self.weights.amax(-1).mean().item()


@torch.no_grad()
def look(model: Decoder, looks: list[Look], texts: Tensor, answers: Tensor) -> dict:
    loss = loss_function(model(texts), answers).item()
    return {
        "loss": round(loss, 3),
        "score": round(max(one.largest_score() for one in looks), 1),
        "favourite": round(sum(one.favourite() for one in looks) / len(looks), 3),
    }


def watched(times: float, normed: bool, seed: int, steps: int = 470) -> dict:
    """Train one model, and say what was seen on the way and what it can do."""
    unseen = [pair[:2] for pair in splits()[1][:200]]
    texts, answers = question_and_answer(unseen[:64], VOCABULARY)
    torch.manual_seed(seed)
    model = Decoder(replace(BASE, qk_norm=normed))
    looks = [Look(layer.attention) for layer in model.layers]
    seen = []

    def after(step: int) -> None:
        if step % EVERY == 0:
            seen.append(look(model, looks, texts, answers))

    train(
        model,
        lambda dice: question_and_answer(dice.sample(PAIRS, 64), VOCABULARY),
        seed,
        steps=steps,
        best=RATE * times,
        after=after,
    )
    curves = {name: [one[name] for one in seen] for name in ("loss", "score", "favourite")}
    return curves | {"exact": exact(model, unseen)}


def main() -> None:
    torch.set_num_threads(1)
    kept: dict[str, dict] = {"steps": [EVERY * i for i in range(1, 11)], "rates": {}}
    for seed in SEEDS:
        for times in TIMES:
            for name, normed in NAMES.items():
                one = watched(times, normed, seed)
                kept["rates"].setdefault(str(times), {}).setdefault(name, []).append(one)
                print(f"{times:3} times, {name:7} seed {seed}", one, flush=True)
                KEPT.write_text(json.dumps(kept) + "\n")


if __name__ == "__main__":
    main()
