"""What comes of a text of one's own? This book reads itself.

    python -m dev.make.own_text 1
    python -m dev.make.own_text 9

Trains the package's language model on the prose of the chapters, as `train --text` does, or on one
in so many of its paragraphs. The page "Your own sentences" shows what comes of it, which is kept in
own_text.json, and its `Writer` the model that has read all, which is stored in half precision. Both
are of the book as it stood when this was run: a page that is changed later changes nothing here.
"""

import json
import math
import random
import sys
import time
from pathlib import Path

import torch

from attention_by_hand import exhibits
from attention_by_hand.exhibits.book_text import book_text
from attention_by_hand.figures.writer import BOOK
from dev.make import note
from transformer_lite.data.text import hold_out_end, longest_shared
from transformer_lite.language_model import LanguageModel, load_language_model
from transformer_lite.train.loop import finish, run
from transformer_lite.train.text import TextRecipe, prepare

ROOT = Path(__file__).parents[2]
KEPT = exhibits.file_of("own_text")
BEGINNINGS = ("Attention is", "A reader is", "Each head")
TEMPERATURE = 0.5  # of these texts; those that are compared with the book have the usual one
SEEDS = range(40)  # of texts that are compared with the book
WORDS = 30  # of each of them
SHOWN = (0, 200, 2000)  # after how many steps the page shows texts


def written(learner: LanguageModel) -> list[str]:
    """How it goes on with each of the beginnings."""
    return [
        learner.write(one, length=50, temperature=TEMPERATURE, seed=seed)
        for seed, one in enumerate(BEGINNINGS)
    ]


def learn(paragraphs: list[str], held_out: list[str]) -> tuple[dict, LanguageModel]:
    """A model of these paragraphs, and its story."""
    recipe = TextRecipe()
    training = prepare(paragraphs, recipe, held_out=held_out, beginning=BEGINNINGS[0])
    learner = training.learner
    texts = {0: written(learner)}
    measure = training.measure

    def watched():
        texts[len(training.losses)] = written(learner)
        return measure()

    training.measure = watched
    began = time.process_time()
    run(training)
    seconds = time.process_time() - began
    finish(training)
    letters = sum(map(len, held_out))
    per_letter = len(training.held_out.ids) / letters / math.log(2)
    return {
        "letters": sum(map(len, paragraphs)),
        "words": sum(len(one.split()) for one in paragraphs),
        "tokens": len(training.data.ids),
        "weights": sum(weight.numel() for weight in learner.model.parameters()),
        "seconds": round(seconds),
        "measures": [
            [one.step, round(one.training_loss, 3), round(one.loss, 3)] for one in training.measures
        ],
        "bits per letter": [round(one.loss * per_letter, 3) for one in training.measures],
        "texts": {step: texts[step] for step in SHOWN},
        "shared": shared(learner, paragraphs, held_out),
    }, learner


def shared(learner: LanguageModel, paragraphs: list[str], held_out: list[str]) -> dict:
    """The longest runs of words that texts of the model, and passages of the book that it has not
    read, have in common with what it has read.
    """
    read = " ".join(paragraphs)
    own = " ".join(held_out).split()
    dice = random.Random(0)
    starts = [dice.randrange(len(own) - WORDS) for _ in SEEDS]
    passages = {
        "written": [learner.write("", length=150, seed=seed) for seed in SEEDS],
        "held out": [" ".join(own[start:]) for start in starts],
    }
    found = {
        name: [longest_shared(" ".join(text.split()[:WORDS]), read) for text in texts]
        for name, texts in passages.items()
    }
    longest = max(found["written"], key=lambda run: len(run.split()))
    lengths = {name: [len(run.split()) for run in runs] for name, runs in found.items()}
    return lengths | {"longest": longest}


def main() -> None:
    torch.set_num_threads(1)
    one_in = int(sys.argv[1])
    paragraphs, held_out = hold_out_end(book_text())
    places = sorted(random.Random(0).sample(range(len(paragraphs)), len(paragraphs) // one_in))
    story, learner = learn([paragraphs[place] for place in places], held_out)
    if one_in == 1:
        LanguageModel(learner.model.half(), learner.vocabulary).save(BOOK)
        story["texts"][SHOWN[-1]] = written(load_language_model(BOOK))
    else:
        del story["texts"]  # the page shows those of the whole book
    result = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    result |= {"held out": sum(map(len, held_out)), "beginnings": BEGINNINGS, f"1/{one_in}": story}
    KEPT.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    note(KEPT, __file__, [0])


if __name__ == "__main__":
    main()
