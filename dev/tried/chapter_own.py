"""Your own sentences: how many pieces words are cut into."""

import random

from dev.tried import attempt
from transformer_lite.data.number_words import english_number, german_number
from transformer_lite.train.evaluation import evaluate
from transformer_lite.train.recipe import Recipe
from transformer_lite.train.trainer import train_translator


@attempt(sizes=(60,), pairs=40, epochs=1)
def numbers_of_pieces(sizes=(60, 120, 300, 500), pairs=1000, epochs=None):
    """The page's thousand number words, cut into fewer and more pieces; one seed."""
    drawn = random.Random(0).sample(range(1, 10_000), 200 + pairs)
    written = [(german_number(n), english_number(n)) for n in drawn]
    more = {} if epochs is None else {"epochs": epochs}
    rows = []
    for size in sizes:
        recipe = Recipe(tokenizer="bpe", pieces=size, rare=0.01, **more)
        translator, _ = train_translator(written[200:], recipe, progress=False)
        right = evaluate(translator, written[:200]).exact_match
        rows.append({"pieces": size, "right, %": round(right, 1)})
    return rows
