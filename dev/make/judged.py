"""What does a writer become that learns from judgements?

    python -m dev.make.judged [language|runs]

`language` lists every sentence of the grammar and of chapter 11's corpus, and keeps them as a graph
in attention_by_hand/models/judged/language.bin, which takes most of the minutes. `runs` trains the
writer of `attention_by_hand/studies/judged.py` from each seed, keeps the first one beside the graph
for the figure, and then lets each judge judge it, with and without a leash. What is measured is
kept after each run, and a program that was stopped goes on from there. Without a word it does both.
"""

import copy
import json
import sys
from collections.abc import Iterable
from os.path import commonprefix

import numpy as np
import torch

from attention_by_hand import exhibits
from attention_by_hand.studies import alone, judged
from attention_by_hand.studies.judged import FOLDER, LEASH, STEPS
from dev.make import note
from transformer_lite.data.grammar import every_pair
from transformer_lite.files import write_whole
from transformer_lite.language_model import LanguageModel

from .alone import TEXTS, VOCABULARY, fresh

KEPT = exhibits.file_of("judged")
GROWN = FOLDER
SEEDS = range(10)
EVERY = 5  # steps between two measurements of the plain run
RUNS = {
    "no leash": {"judge": judged.is_sentence},
    "leash": {"judge": judged.is_sentence, "leash": LEASH},
    "good of before": {"judge": judged.is_sentence, "good_alone": True, "from_before": True},
    "good of its own": {"judge": judged.is_sentence, "good_alone": True},
    "length": {"judge": judged.length},
    "one word": {"judge": judged.has_the_word},
    "one word, leash": {"judge": judged.has_the_word, "leash": LEASH},
}


def graph(rows: Iterable[tuple[int, ...]]) -> list[list[int]]:
    """The least graph of these rows, which come in their order (Daciuk et al., 2000): for each
    state 1 where a row may end or else 0, and then a number, the state behind it, and so on.
    """
    ends, ways = [0], [{}]  # of each state that is not known yet to be like another
    known: dict = {}
    path, before = [0], ()

    def settle(depth: int) -> None:
        """No more words will come behind the states deeper than this."""
        while len(path) > depth + 1:
            state = path.pop()
            like = known.setdefault((ends[state], *ways[state].items()), state)
            ways[path[-1]][before[len(path) - 1]] = like
            if like != state:  # the newest state, as those behind it have settled
                ends.pop()
                ways.pop()

    for row in rows:
        settle(len(commonprefix([row, before])))
        for word in row[len(path) - 1 :]:
            ways[path[-1]][word] = len(ways)
            path.append(len(ways))
            ends.append(0)
            ways.append({})
        ends[path[-1]] = 1
        before = row
    settle(0)
    return [
        [end, *(number for way in its.items() for number in way)]
        for end, its in zip(ends, ways, strict=True)
    ]


def packed(states: list[list[int]]) -> bytes:
    """How many states there are, how many numbers each has, and then all of them, in 16 bits."""
    numbers = [len(states), *map(len, states), *(number for state in states for number in state)]
    return np.array(numbers, "<u2").tobytes()


def keep_language() -> None:
    texts = set(TEXTS)
    for pair in every_pair():
        texts |= {pair.source, pair.target}
    rows = sorted(tuple(VOCABULARY.ids[word] for word in text.split()) for text in texts)
    states = graph(rows)
    print(f"{len(rows):,} sentences, {len(states):,} states")
    GROWN.mkdir(exist_ok=True)
    write_whole(GROWN / "language.bin", packed(states))


def writer(seed: int):
    """Chapter 11's model of single sentences."""
    batch = alone.one_by_one(TEXTS, VOCABULARY)
    return alone.train(fresh(seed), batch, seed=seed, smoothing=0.0)


def course(name: str, seed: int, model) -> dict:
    """The measures of a run, at its end or, of the first of RUNS, at every few steps."""
    found: dict = {}
    for step in judged.learn(model, seed=seed, **RUNS[name]):
        if step == STEPS or (name == "no leash" and step % EVERY == 0):
            measured = judged.measure(model)._asdict()
            for what, value in {"steps": step, **measured}.items():
                found.setdefault(what, []).append(value)
    rows = judged.written(model, 4, torch.Generator().manual_seed(2))
    return found | {"texts": judged.texts_of(rows)}


def keep_runs() -> None:
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    for seed in SEEDS:
        if all(len(kept.get(name, [])) > seed for name in RUNS):
            continue
        read = writer(seed)
        if seed == 0:
            LanguageModel(read, VOCABULARY).save(GROWN)
        for name in RUNS:
            runs = kept.setdefault(name, [])
            if len(runs) > seed:
                continue
            runs.append(course(name, seed, copy.deepcopy(read)))
            print(name, seed, runs[-1], flush=True)
            write_whole(KEPT, json.dumps(kept).encode() + b"\n")
    note(KEPT, __file__, [*SEEDS])


def main() -> None:
    torch.set_num_threads(1)
    asked = sys.argv[1:] or ["language", "runs"]
    if "language" in asked:
        keep_language()
    if "runs" in asked:
        keep_runs()


if __name__ == "__main__":
    main()
