"""What do norms on queries and keys hold back?

    python -m dev.make.query_norms [repeats|language]

Trains models at their usual learning rate and at larger ones, with an RMSNorm on each head's
queries and keys and without. On the way it notes the loss, the largest score of all heads, and how
much of its attention a word gives on average to the one that it looks at most. `repeats` does so
for the smallest head, which has to say the letter before a mark once more (see `sinks.py`),
`language` for the decoder alone of chapter 11, norms first, whose exact translations it counts.
Without a word it does both. Chapter 13 shows the results, which come with the package, in
attention_by_hand/exhibits/query_norms.json.
"""

import json
import sys
from dataclasses import replace

import torch
from torch import Tensor

from attention_by_hand import exhibits
from dev.make import note
from transformer_lite.data.grammar import splits
from transformer_lite.decoder_only import question_and_answer
from transformer_lite.training import loss_function
from transformer_lite.variants import Decoder

from . import sinks
from .alone import PAIRS, VOCABULARY, exact, gather, train
from .variants import BASE

KEPT = exhibits.file_of("query_norms")
SEEDS = {"repeats": range(5), "language": range(2)}
RATE = {"repeats": 0.01, "language": 4e-3}
TIMES = {"repeats": (1, 4, 16, 64), "language": (1, 16)}
LOOKS = 10  # on the way
NAMES = {"without": False, "with": True}


class Look(sinks.Look):
    """Says of the text that an attention has seen last how large its scores were."""

    def largest_score(self) -> float:
        """Of all words and all heads, without its sign."""
        x, _, positions, *_ = self.given
        of, plan = self.attention, self.attention.plan
        q = positions.turn(of.norm_q(of.heads(of.w_q(x), plan.n_heads)), past=0)
        k = positions.turn(of.norm_k(of.heads(of.w_k(x), plan.groups)), past=0)
        scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
        return scores.tril().abs().max().item()

    def favourite(self) -> float:
        """What the word that is looked at most gets on average."""
        return self.weights.amax(-1).mean().item()


class Watch:
    """What is seen of a model at ``LOOKS`` of its steps, always on the same texts."""

    def __init__(self, steps: int, texts: Tensor, answers: Tensor):
        self.every = steps // LOOKS
        self.texts = texts
        self.answers = answers
        self.seen: dict[str, list] = {"loss": [], "score": [], "favourite": []}

    def of(self, model: Decoder) -> Decoder:
        self.model = model
        self.looks = [Look(layer.attention) for layer in model.layers]
        return model

    @torch.no_grad()
    def after(self, step: int) -> None:
        if step % self.every:
            return
        loss = loss_function(self.model(self.texts), self.answers).item()
        favourites = [look.favourite() for look in self.looks]
        self.seen["loss"].append(round(loss, 3))
        self.seen["score"].append(round(max(look.largest_score() for look in self.looks), 1))
        self.seen["favourite"].append(round(sum(favourites) / len(favourites), 3))


def repeats(times: float, normed: bool, seed: int, steps: int = 400) -> dict:
    """Train the smallest head, and say what was seen on the way and what it can do."""
    texts = sinks.repeating(100, True, torch.Generator().manual_seed(98))
    watch = Watch(steps, texts[:, :-1], texts[:, 1:])
    rate = RATE["repeats"] * times
    plan = replace(sinks.SMALL, qk_norm=normed)
    how = {"steps": steps, "rate": rate, "begin": watch.of, "after": watch.after}
    model = sinks.learn_to_repeat(plan, seed, **how)
    seen = sinks.seen(model)
    names = ("loss at a mark", "loss elsewhere", "letter before, at a mark")
    return watch.seen | {name: seen[name] for name in names}


def language(times: float, normed: bool, seed: int, steps: int = 470) -> dict:
    """Train one decoder alone, and say what was seen on the way and what it can do."""
    unseen = [pair[:2] for pair in splits()[1][:100]]
    watch = Watch(steps, *question_and_answer(unseen[:64], VOCABULARY))
    torch.manual_seed(seed)
    model = watch.of(Decoder(replace(BASE, qk_norm=normed)))
    train(
        model,
        lambda dice: question_and_answer(dice.sample(PAIRS, 64), VOCABULARY),
        seed,
        steps=steps,
        best=RATE["language"] * times,
        after=watch.after,
    )
    return watch.seen | {"exact": exact(model, unseen)}


def main() -> None:
    torch.set_num_threads(1)
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    measures = {"repeats": repeats, "language": language}
    for task in sys.argv[1:] or measures:
        kept[task] = {}
        for seed in SEEDS[task]:
            for times in TIMES[task]:
                for name, normed in NAMES.items():
                    one = measures[task](times, normed, seed)
                    print(f"{task}, {times:2} times, {name:7} seed {seed}", one, flush=True)
                    gather(kept[task], {f"{times} times": {name: one}})
                    KEPT.write_text(json.dumps(kept) + "\n")
    note(KEPT, __file__, {task: [*seeds] for task, seeds in SEEDS.items()})


if __name__ == "__main__":
    main()
