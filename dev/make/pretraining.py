"""What does a model know that has only read, and what is it good for?

    python -m dev.make.pretraining order
    python -m dev.make.pretraining pairs
    python -m dev.make.pretraining forgets

The speaker of chapter 11 is trained on sentences one by one. `order` asks it which of two is a
sentence, where in one of them two neighbours have changed places, and asks the same of models that
have learnt from labelled sentences alone. `pairs` trains it further on 400 pairs, and a fresh model
on the same pairs; both have the same learning rate and steps, and the best moment to stop, by the
loss of 100 more pairs. `forgets` asks how well it still goes on with a sentence of one language
once 200 steps have taught it pairs alone, and once half of their batches were sentences. Chapter 11
quotes the result, which is kept beside this file in pretraining.json.
"""

import copy
import json
import random
import sys
from pathlib import Path

import torch

from transformer_lite.data.grammar import splits
from transformer_lite.decoder_only import question_and_answer
from transformer_lite.decoding import evaluating
from transformer_lite.training import loss_function
from transformer_lite.vocabulary import BOS_ID, EOS_ID, PAD_ID, pad

from .alone import PAIRS, VOCABULARY, exact, fresh, ids_of, train
from .writing import one_by_one, speaker

SEEDS = (0, 1, 2)
EVERY = 50  # steps between two looks at a model that is taught
KEPT = Path(__file__).with_suffix(".json")
GERMAN = [pair[0] for pair in PAIRS]
GOOD, NO = VOCABULARY.encode(["good", "no"])


def swapped(words: list[int], dice: random.Random) -> list[int]:
    """The sentence with two neighbours in each other's places, but not the mark at its end."""
    place = dice.choice([i for i in range(len(words) - 2) if words[i] != words[i + 1]])
    return [*words[:place], words[place + 1], words[place], *words[place + 2 :]]


def likelihood(model, rows):
    """The log-probability of each text, from its first word to its end."""
    answers = pad([[*row, EOS_ID] for row in rows])
    with evaluating(model):
        shares = model(pad([[BOS_ID, *row] for row in rows])).log_softmax(-1)
    likelihoods = shares.gather(-1, answers.unsqueeze(-1)).squeeze(-1)
    return (likelihoods * (answers != PAD_ID)).sum(-1)


def labelled(rows):
    """Texts of (words, label), and the label as what comes after the last word."""
    texts = pad([[BOS_ID, *words] for words, _ in rows])
    answers = torch.full_like(texts, PAD_ID)
    for i, (words, label) in enumerate(rows):
        answers[i, len(words)] = label
    return texts, answers


def verdict(model, rows):
    """How much rather it says that each of these is a sentence."""
    texts, answers = labelled([(row, GOOD) for row in rows])
    with evaluating(model):
        logits = model(texts)[answers == GOOD]
    return logits[:, GOOD] - logits[:, NO]


def order() -> dict:
    dice = random.Random(1)
    right = [ids_of(pair.source) for pair in splits().unseen[:500]]
    wrong = [swapped(row, dice) for row in right]

    def per_cent(score, model):
        return round(100 * (score(model, right) > score(model, wrong)).float().mean().item(), 1)

    long_enough = [row for row in map(ids_of, GERMAN) if len(row) > 3]
    reader = speaker()
    result = {"has read": per_cent(likelihood, reader), "labels": {}}
    print(result, flush=True)
    for number in (100, 1000, 5000):
        result["labels"][str(number)] = []
        for seed in SEEDS:
            dice = random.Random(seed)
            drawn = dice.sample(long_enough, number)
            rows = [
                (row, GOOD) if i % 2 else (swapped(row, dice), NO) for i, row in enumerate(drawn)
            ]
            model = train(
                fresh(seed),
                lambda dice, rows=rows: labelled(dice.sample(rows, 64)),
                seed,
                best=2e-3,
                smoothing=0.0,
            )
            result["labels"][str(number)].append(per_cent(verdict, model))
            print(number, seed, result["labels"][str(number)], flush=True)
    return result


def best_of(start, few, more, seed):
    """The model with the lowest loss on ``more`` pairs, of one every 50 steps."""
    texts, answers = question_and_answer(more, VOCABULARY)
    best = {"loss": float("inf")}
    model = copy.deepcopy(start)

    def look(step):
        if step % EVERY:
            return
        with evaluating(model):
            loss = loss_function(model(texts), answers).item()
        if loss < best["loss"]:
            best.update(loss=loss, step=step, weights=copy.deepcopy(model.state_dict()))

    def batch(dice):
        return question_and_answer(dice.sample(few, 64), VOCABULARY)

    train(model, batch, seed, steps=700, best=8e-3, after=look)
    model.load_state_dict(best.pop("weights"))
    return model.eval(), best


def pairs() -> dict:
    tests = [pair[:2] for pair in splits().unseen[:200]]
    reader = speaker()
    result = {"pairs": 400, "alone": [], "has read": [], "losses": {"alone": [], "has read": []}}
    for seed in SEEDS:
        chosen = random.Random(seed).sample(PAIRS[40:], 500)
        few = chosen[:400]
        more = chosen[400:]
        for name, start in {"alone": fresh(seed), "has read": reader}.items():
            model, best = best_of(start, few, more, seed)
            result[name].append(exact(model, tests))
            result["losses"][name].append(round(best["loss"], 2))
            print(seed, name, best, result[name], flush=True)
    return result


def perplexity(model, rows):
    """Among how many equally likely tokens it hesitates, per token of these texts."""
    tokens = sum(len(row) + 1 for row in rows)  # each with its end
    return round((-likelihood(model, rows).sum() / tokens).exp().item(), 2)


def forgets() -> dict:
    tests = splits().unseen[:200]
    rows = [ids_of(text) for pair in tests for text in (pair.source, pair.target)]
    reader = speaker()
    result = {"pairs": 400, "has read": perplexity(reader, rows), "taught": [], "mixed": []}
    for seed in SEEDS:
        few = random.Random(seed).sample(PAIRS[40:], 500)[:400]

        def taught(dice, few=few):
            return question_and_answer(dice.sample(few, 64), VOCABULARY)

        def mixed(dice, taught=taught):
            return one_by_one(dice) if dice.random() < 0.5 else taught(dice)

        for name, batch in (("taught", taught), ("mixed", mixed)):
            start = copy.deepcopy(reader)
            model = train(start, batch, seed, steps=200, best=2e-3, smoothing=0.0)
            result[name].append(perplexity(model, rows))
            print(seed, name, result[name], flush=True)
    return result


def main() -> None:
    torch.set_num_threads(1)
    part = {"order": order, "pairs": pairs, "forgets": forgets}[sys.argv[1]]()
    result = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    result[sys.argv[1]] = part
    KEPT.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
