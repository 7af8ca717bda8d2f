"""Should a decoder alone be asked for the question as well as for the answer?

    python benchmarks/question.py

The decoder alone of chapter 11 is trained as in the page, once with a loss that asks for the
English alone, once with one that asks for every word of the German too, from three seeds each. Then
it translates 300 unseen sentences and 300 in new combinations. The result is kept beside this file
in question.json.
"""

import json
import random
from pathlib import Path

import torch

import transformer_lite as tl
from transformer_lite.data.corpus import german_english
from transformer_lite.data.grammar import splits
from transformer_lite.decoder_only import DecoderOnly, question_and_answer, write
from transformer_lite.training import loss_function
from transformer_lite.vocabulary import BOS_ID, EOS_ID

STEPS = 470
SEEDS = range(3)
KEPT = Path(__file__).with_suffix(".json")
PAIRS = german_english()
VOCABULARY = tl.Vocabulary.from_texts(text for pair in PAIRS for text in pair)


def trained(seed: int, learn_question: bool) -> DecoderOnly:
    torch.manual_seed(seed)
    model = DecoderOnly(
        len(VOCABULARY), d_model=64, d_ff=192, n_layers=2, n_heads=4, norm_first=False
    )
    dice = random.Random(seed)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    for step in range(1, STEPS + 1):
        optimizer.param_groups[0]["lr"] = 4e-3 * min(step / 200, (STEPS + 1 - step) / (STEPS - 199))
        texts, answers = question_and_answer(
            dice.sample(PAIRS, 64), VOCABULARY, learn_question=learn_question
        )
        loss = loss_function(model(texts), answers, 0.1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


def exact(model: DecoderOnly, pairs) -> float:
    """The share of pairs, in per cent, whose answer is written word for word."""
    by_length: dict[int, list[tuple[list[int], list[int]]]] = {}
    for pair in pairs:
        question = [*VOCABULARY.encode(VOCABULARY.tokenize(pair.source)), BOS_ID]
        answer = [*VOCABULARY.encode(VOCABULARY.tokenize(pair.target)), EOS_ID]
        by_length.setdefault(len(question), []).append((question, answer))
    right = 0
    for length, group in by_length.items():
        written = write(model, torch.tensor([question for question, _ in group]), 40)
        for row, (_, answer) in zip(written.tolist(), group, strict=True):
            right += row[length : length + len(answer)] == answer
    return round(100 * right / len(pairs), 1)


def main() -> None:
    torch.set_num_threads(1)
    _, unseen, compositional = splits()
    rows = []
    for learn_question in (False, True):
        for seed in SEEDS:
            model = trained(seed, learn_question)
            row = {"learn_question": learn_question, "seed": seed}
            row |= {"unseen": exact(model, unseen[:300])}
            row |= {"compositional": exact(model, compositional[:300])}
            rows.append(row)
            print(row, flush=True)
    KEPT.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
