"""Chapter 11: asking for the German, labels with patience, and heads that copy, in other runs."""

import random

from dev.make.alone import PAIRS, VOCABULARY, exact, fresh, ids_of, train
from dev.make.pretraining import GERMAN, GOOD, NO, labelled, swapped, verdict
from dev.tried import attempt
from transformer_lite.data.grammar import splits
from transformer_lite.decoder_only import question_and_answer


@attempt(seeds=range(1), steps=2, number=2)
def asked_for_german(seeds=range(3, 5), steps=470, number=300):
    """New combinations right, in more runs whose loss asks for the German too, or not."""
    new = [pair[:2] for pair in splits().compositional[:number]]
    rows = []
    for seed in seeds:
        row = {"seed": seed}
        for name, asked in (("English asked", False), ("German too", True)):

            def batch(dice, asked=asked):
                some = dice.sample(PAIRS, 64)
                return question_and_answer(some, VOCABULARY, learn_question=asked)

            row[f"{name}, %"] = exact(train(fresh(seed), batch, seed, steps=steps), new)
        rows.append(row)
    return rows


@attempt(ways=((2, 2e-3),), number=10)
def patient_labels(ways=((470, 1e-3), (1880, 1e-3)), number=5000):
    """The right order found by labels alone, after four times the steps."""
    dice = random.Random(0)
    long_enough = [row for row in map(ids_of, GERMAN) if len(row) > 3]
    drawn = dice.sample(long_enough, number)
    rows = [(row, GOOD) if i % 2 else (swapped(row, dice), NO) for i, row in enumerate(drawn)]
    dice = random.Random(1)
    right = [ids_of(pair.source) for pair in splits().unseen[:500]]
    wrong = [swapped(row, dice) for row in right]

    def batch(dice):
        return labelled(dice.sample(rows, min(64, number)))

    found = []
    for steps, rate in ways:
        model = train(fresh(0), batch, 0, steps=steps, best=rate, smoothing=0.0)
        better = (verdict(model, right) > verdict(model, wrong)).float().mean().item()
        found.append({"steps": steps, "rate": rate, "right order found, %": round(100 * better)})
    return found
