"""What do several heads, and the division by the root of d_k, do to a translator?

Run: python -m dev.make.heads, some fifty minutes on one thread. The shipped translator's recipe,
with four heads of 16 numbers or one of 64, with the scores divided or raw, from several seeds and
for fewer epochs than it takes to learn all. All have equally many weights. Divided scores begin
small, and raw ones large. A third kind of plan parts the two: scores that are divided and begin
large, or raw and begin small, because the first matrices of queries and keys are drawn larger or
smaller. Of each: how many of 500 sentences with unseen combinations it writes exactly. Chapters 3
and 4 print the result, which is kept in attention_by_hand/exhibits/heads.json.
"""

import json
import math

import torch

import transformer_lite as tl
from attention_by_hand import exhibits
from dev.make import note
from transformer_lite.data.corpus import german_english
from transformer_lite.data.grammar import splits
from transformer_lite.train.evaluation import evaluate
from transformer_lite.train.loop import finish, run
from transformer_lite.train.recipe import Recipe
from transformer_lite.train.trainer import prepare

KEPT = exhibits.file_of("heads")
BOTH = (True, False)
PLANS = [(2, heads, divided, divided, range(5)) for heads in (4, 1) for divided in BOTH]
PLANS += [(5, heads, divided, divided, range(3)) for divided in BOTH for heads in (4, 1)]
PLANS += [(2, heads, divided, not divided, range(3)) for heads in (4, 1) for divided in BOTH]


def attentions(model):
    return [part for part in model.modules() if isinstance(part, tl.MultiHeadAttention)]


def do_not_divide(model):
    """Undo the division: queries that are larger by the root of d_k give raw scores."""
    for part in attentions(model):
        root = math.sqrt(part.d_k)
        part.w_q.register_forward_hook(lambda _, x, q, root=root: q * root)


def begin_with(model, power):
    """Draw the first matrices so that the first scores are larger by this power of d_k."""
    for part in attentions(model):
        for matrix in (part.w_q, part.w_k):
            matrix.weight.data *= part.d_k ** (power / 2)


def measure(epochs, heads, divided, small, seed):
    """Train with scores that are divided or raw, and that begin small or large."""
    recipe = Recipe(seed=seed, epochs=epochs, model={"n_heads": heads})
    training = prepare(german_english(), recipe, progress=False)
    if not divided:
        do_not_divide(training.model)
    if small != divided:
        begin_with(training.model, -0.5 if small else 0.5)
    run(training)
    translator = finish(training)
    sentences = [pair[:2] for pair in splits().compositional[:500]]
    return {
        "epochs": epochs,
        "heads": heads,
        "divided": divided,
        "small_at_first": small,
        "seed": seed,
        "steps": len(training.losses),
        "weights": sum(weight.numel() for weight in translator.model.parameters()),
        "exact_match": round(evaluate(translator, sentences).exact_match, 1),
    }


def named(epochs, heads, divided, small):
    return f"{epochs} epochs" if divided == small else f"{epochs} epochs, the other start"


def main() -> None:
    torch.set_num_threads(1)
    rows = []
    for epochs, heads, divided, small, seeds in PLANS:
        for seed in seeds:
            rows.append(measure(epochs, heads, divided, small, seed))
            print(rows[-1], flush=True)
    KEPT.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    note(KEPT, __file__, {named(*plan): [*seeds] for *plan, seeds in PLANS})


if __name__ == "__main__":
    main()
