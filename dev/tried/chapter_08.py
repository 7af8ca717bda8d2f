"""What chapter 8 concludes, tried again: the collapse and its first step, the repairs, the loss on
its way, the beams, what is learnt by heart.
"""

import torch
import torch.nn.functional as F

import transformer_lite as tl
from dev.tried import attempt
from transformer_lite.data.corpus import TWO_SENTENCES, german_english
from transformer_lite.data.grammar import splits
from transformer_lite.train.evaluation import evaluate
from transformer_lite.train.recipe import Recipe
from transformer_lite.train.trainer import train_translator
from transformer_lite.training import loss_function, make_batch, training_steps

GERMAN, ENGLISH = (tl.Vocabulary.from_texts(side) for side in zip(*TWO_SENTENCES, strict=True))
BATCH = make_batch(TWO_SENTENCES, GERMAN, ENGLISH)
READ, ANSWER = BATCH.target[:, :-1], BATCH.target[:, 1:]
LEARNT = 0.01  # a loss below which both sentences are written


def train(schedule, seed, steps, **changes):
    """The chapter's model on two sentences, at the rate of each step, and its last loss."""
    torch.manual_seed(seed)
    sizes = {"d_model": 128, "d_ff": 512, "n_layers": 2, "n_heads": 4, "dropout": 0.0} | changes
    model = tl.Transformer(tl.TransformerConfig(len(GERMAN), len(ENGLISH), **sizes))
    optimizer = torch.optim.Adam(model.parameters(), lr=schedule(1))
    for _ in training_steps(model, [BATCH] * steps, optimizer, schedule):
        pass
    model.eval()
    with torch.no_grad():
        loss = loss_function(model(BATCH.source, READ), ANSWER).item()
    return model, loss


def likeness(model):
    """The mean cosine of the German tokens as they leave the encoder."""
    with torch.no_grad():
        memory, _ = model.encode(BATCH.source, None)
    directions = F.normalize(memory.flatten(0, 1), dim=1)
    table = directions @ directions.T
    return ((table.sum() - len(table)) / (table.numel() - len(table))).item()


def warm(lr, warmup):
    return lambda step: lr * min(1, step / warmup)


def first(count, small, large):
    """One rate for the first steps and another for the rest."""
    return lambda step: small if step <= count else large


SWAPS = {
    "0.01 throughout": first(0, 0.0, 1e-2),
    "first step left out, then 0.01": first(1, 0.0, 1e-2),
    "first step 0.0001, then 0.01": first(1, 1e-4, 1e-2),
    "5 steps of 0.0001, then 0.01": first(5, 1e-4, 1e-2),
    "48 steps of 0.0001, then 0.01": first(48, 1e-4, 1e-2),
    "first step 0.01, then 0.001": first(1, 1e-2, 1e-3),
    "5 steps of 0.01, then 0.001": first(5, 1e-2, 1e-3),
    "20 steps of 0.01, then 0.001": first(20, 1e-2, 1e-3),
    "64 steps of 0.01, then 0.001": first(64, 1e-2, 1e-3),
}


@attempt(seeds=range(1), steps=3)
def swaps(seeds=range(10), steps=128):
    """Whether the first step makes the collapse: leave it out, and take it alone."""
    rows = []
    for name, schedule in SWAPS.items():
        losses = [train(schedule, seed, steps)[1] for seed in seeds]
        rows.append(
            {
                "rates": name,
                "learnt": sum(loss < LEARNT for loss in losses),
                "of": len(losses),
                "lowest": round(min(losses), 3),
                "highest": round(max(losses), 3),
            }
        )
    return rows


@attempt(seeds=range(1), steps=3, lengths=(2,))
def slower(seeds=range(10), steps=128, lengths=(8, 16)):
    """How long a warm-up has to be."""
    rows = []
    for warmup in lengths:
        losses = [train(warm(1e-2, warmup), seed, steps)[1] for seed in seeds]
        rows.append(
            {
                "steps of warm-up": warmup,
                "learnt": sum(x < LEARNT for x in losses),
                "of": len(losses),
                "highest": round(max(losses), 3),
            }
        )
    return rows


@attempt(seeds=range(1), sizes=((16, 2),), rates=(1e-2,), steps=2)
def too_large(
    seeds=range(5),
    sizes=((32, 2), (64, 2), (128, 2), (64, 6)),
    rates=(3e-3, 4.5e-3, 7e-3, 1e-2),
    steps=64,
):
    """At which widths and heights a rate is too large."""
    rows = []
    for d_model, n_layers in sizes:
        for rate in rates:
            changes = {"d_model": d_model, "d_ff": 4 * d_model, "n_layers": n_layers}
            losses = [train(first(0, 0.0, rate), seed, steps, **changes)[1] for seed in seeds]
            rows.append(
                {
                    "numbers": d_model,
                    "layers": n_layers,
                    "rate": rate,
                    "learnt": sum(x < LEARNT for x in losses),
                    "of": len(losses),
                    "losses": " ".join(f"{x:.3f}" for x in losses),
                }
            )
    return rows


def right(model, pairs, width=1):
    """Which of the sentences come out right, with a beam of this width."""
    written = model.translate_batch([pair.source for pair in pairs], beam=width)
    return [w.text == pair.target for w, pair in zip(written, pairs, strict=True)]


@attempt(seeds=range(1), learnt=64, count=3)
def beam(seeds=range(2), learnt=6000, count=1000, widths=(2,)):
    """Greedy decoding beside a beam, on all unseen sentences, in models of one epoch."""
    rows = []
    for seed in seeds:
        recipe = Recipe(seed=seed, epochs=1)
        model, _ = train_translator(german_english()[:learnt], recipe, progress=False)
        known = model.source_vocabulary.ids
        unseen = [p for p in splits().unseen[:count] if all(w in known for w in p.source.split())]
        greedy = right(model, unseen)
        for width in widths:
            now = right(model, unseen, width)
            pairs = list(zip(greedy, now, strict=True))
            rows.append(
                {
                    "seed": seed,
                    "beam": width,
                    "of": len(pairs),
                    "greedy right": sum(greedy),
                    "beam right": sum(now),
                    "mended": pairs.count((False, True)),
                    "spoilt": pairs.count((True, False)),
                }
            )
    return rows


@attempt(seeds=range(1), counts=(8,), steps=2)
def by_heart(seeds=range(1, 4), counts=(64,), steps=120):
    """Where the loss of sentences put aside turns, and how many of them come out right."""
    shipped = tl.load_translator()
    vocabularies = shipped.source_vocabulary, shipped.target_vocabulary
    unseen = splits().unseen[:200]
    aside = make_batch([(p.source, p.target) for p in unseen], *vocabularies)
    answers = aside.target[:, 1:]
    rows = []
    for count in counts:
        few = [pair for pair in german_english() if pair not in TWO_SENTENCES][:count]
        learnt = make_batch(few, *vocabularies)
        for seed in seeds:
            torch.manual_seed(seed)
            parrot = tl.Transformer(shipped.model.config)
            adam = torch.optim.Adam(parrot.parameters(), lr=3e-3)
            curve, others, tokens = [], [], []
            for loss in training_steps(parrot, [learnt] * steps, adam):
                curve.append(loss)
                with torch.no_grad():
                    logits = parrot(aside.source, aside.target[:, :-1])
                others.append(loss_function(logits, aside.target[:, 1:]).item())
                tokens.append((logits.argmax(-1) == answers)[answers != 0].float().mean().item())
            turn = others.index(min(others))
            written = tl.Translator(parrot.eval(), *vocabularies)
            rows.append(
                {
                    "sentences": count,
                    "seed": seed,
                    "last loss": round(curve[-1], 3),
                    "turn after step": turn + 1,
                    "lowest": round(others[turn], 2),
                    "at the end": round(others[-1], 2),
                    "tokens right then": round(tokens[turn], 2),
                    "tokens right at the end": round(tokens[-1], 2),
                    "unseen right (%)": round(evaluate(written, unseen).exact_match, 1),
                }
            )
    return rows
