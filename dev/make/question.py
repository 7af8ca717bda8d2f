"""Should a decoder alone be asked for the question as well, and does it need more layers?

    python -m dev.make.question

The decoder alone of chapter 11 is trained as in the page, once with a loss that asks for the
English alone, once with one that asks for every word of the German too, and once with four layers
instead of two, from three seeds each. Then it translates 300 unseen sentences and 300 in new
combinations. The result is kept beside this file in question.json.
"""

import json
from pathlib import Path

import torch

from transformer_lite.data.grammar import splits
from transformer_lite.decoder_only import question_and_answer

from .alone import PAIRS, VOCABULARY, exact, fresh, train

SEEDS = range(3)
KEPT = Path(__file__).with_suffix(".json")


def main() -> None:
    torch.set_num_threads(1)
    _, *tests = splits()
    unseen, compositional = ([pair[:2] for pair in pairs[:300]] for pairs in tests)
    rows = []
    for learn_question, n_layers in ((False, 2), (True, 2), (False, 4)):

        def batch(dice, learn_question=learn_question):
            return question_and_answer(
                dice.sample(PAIRS, 64), VOCABULARY, learn_question=learn_question
            )

        for seed in SEEDS:
            model = train(fresh(seed, n_layers), batch, seed)
            row = {"learn_question": learn_question, "layers": n_layers, "seed": seed}
            row |= {"unseen": exact(model, unseen)}
            row |= {"compositional": exact(model, compositional)}
            rows.append(row)
            print(row, flush=True)
    KEPT.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
