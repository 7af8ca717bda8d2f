"""Two layers of attention grow heads that go on with a row that comes twice. How surely?

    python -m dev.make.induction

Trains the model of `attention_by_hand/studies/induction.py` from ten seeds, and measures how far
the loss falls, where its heads look, and what each of them is worth. The first seed is the run that
the figure shows before a reader grows one, and its weights are kept. Then one layer tries the same
for four times as long, also twice as wide, and two layers are asked for every letter, those that
nobody can guess too. At last the two models of chapter 11 are asked whether they have such heads,
with rows of words that come twice, from three seeds each.
"""

import json
import random

import torch
import torch.nn.functional as F

from attention_by_hand import exhibits
from attention_by_hand.studies.induction import (
    EVERY,
    GROWN,
    SIZES,
    STEPS,
    held_out,
    learn,
    looks,
    loss_on,
)
from dev.make import note
from transformer_lite.ablation import without_heads
from transformer_lite.decoder_only import question_and_answer
from transformer_lite.files import write_tensors, write_whole
from transformer_lite.vocabulary import BOS_ID, EOS_ID, pad

from .alone import PAIRS, TEXTS, VOCABULARY, fresh, ids_of, train

KEPT = exhibits.file_of("induction")
SEEDS = range(10)
FEWER = range(3)
LONGER = 4 * STEPS
WORDS = 10  # of a row that comes twice
ROWS = 200
WIDER = {"d_model": 64, "n_heads": 4}
HEADS = range(SIZES["n_heads"])


def rounded(x):
    return [rounded(y) for y in x] if isinstance(x, list) else round(x, 4)


@torch.no_grad()
def loss_of(model) -> float:
    return loss_on(model, held_out()).item()


def loss_without(model, layer: int, *heads: int) -> float:
    with without_heads(model.layers[layer].self_attention, *heads):
        return loss_of(model)


def run(seed: int) -> tuple[dict, torch.nn.Module]:
    """What is measured of one model as it grows and at its end, and the model."""
    course = {"seed": seed, "steps": [], "loss": [], "back": [], "behind": []}
    model = None
    for step, model in learn(seed):
        if step % EVERY:
            continue
        look = looks(model, held_out())
        course["steps"].append(step)
        course["loss"].append(loss_of(model))
        course["back"].append(look.back.tolist())
        course["behind"].append(look.behind.tolist())
    layers = range(SIZES["n_layers"])
    course["without_a_head"] = [[loss_without(model, i, head) for head in HEADS] for i in layers]
    course["without_a_layer"] = [loss_without(model, i, *HEADS) for i in layers]
    return {name: rounded(x) for name, x in course.items()}, model


def lowest(seed: int, **changes) -> float:
    """The lowest loss of a longer run."""
    found = learn(seed, LONGER, **changes)
    return min(loss_of(model) for step, model in found if step % EVERY == 0)


def singles(dice):
    """Single sentences, as the second model of chapter 11 reads them."""
    rows = [ids_of(text) for text in dice.sample(TEXTS, 64)]
    return pad([[BOS_ID, *row] for row in rows]), pad([[*row, EOS_ID] for row in rows])


def translations(dice):
    return question_and_answer(dice.sample(PAIRS, 64), VOCABULARY)


@torch.no_grad()
def asked_of(model) -> dict:
    """The loss on the first and on the second of two equal rows of English words, from the second
    word on, and how much each head looks one place back, and behind the twin.
    """
    words = sorted({word for pair in PAIRS for word in ids_of(pair[1])})
    dice = random.Random(0)
    rows = torch.tensor([[dice.choice(words) for _ in range(WORDS)] for _ in range(ROWS)])
    text = torch.cat([torch.full((ROWS, 1), BOS_ID), rows, rows], dim=1)
    logits, maps = model(text, return_attention=True)
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), text[:, 1:], reduction="none")
    first, second = losses[:, 1:WORDS].mean(), losses[:, 1 + WORDS :].mean()
    query = torch.arange(WORDS + 1, 2 * WORDS)
    found: dict = {"first": first.item(), "second": second.item()}
    found["back"] = [layer.diagonal(-1, 2, 3).mean((0, 2)).tolist() for layer in maps]
    found["behind"] = [
        layer[:, :, query, query - WORDS + 1].mean((0, 2)).tolist() for layer in maps
    ]
    found["evenly"] = (1 / (query + 1)).mean().item()
    return {name: rounded(x) for name, x in found.items()}


def main() -> None:
    torch.set_num_threads(1)
    runs = []
    for seed in SEEDS:
        course, model = run(seed)
        if seed == 0:
            GROWN.parent.mkdir(exist_ok=True)
            write_tensors(GROWN, dict(model.named_parameters()), {"seed": seed, "steps": STEPS})
        runs.append(course)
        print(seed, course["loss"][-1], course["back"][-1], course["behind"][-1], flush=True)
    found = {"runs": runs, "longer": LONGER}
    found["one_layer"] = [lowest(seed, n_layers=1) for seed in FEWER]
    found["one_wider_layer"] = [lowest(seed, n_layers=1, **WIDER) for seed in FEWER]
    found["everywhere"] = [lowest(seed, everywhere=True) for seed in FEWER]
    print(found["one_layer"], found["one_wider_layer"], found["everywhere"], flush=True)
    found["chapter_11"] = {
        name: [asked_of(train(fresh(seed), batch, seed, smoothing=smoothing)) for seed in FEWER]
        for name, batch, smoothing in (
            ("translator", translations, 0.1),
            ("single sentences", singles, 0.0),
        )
    }
    write_whole(KEPT, json.dumps(found).encode() + b"\n")
    note(KEPT, __file__, {"the model": [*SEEDS], "others": [*FEWER]})


if __name__ == "__main__":
    main()
