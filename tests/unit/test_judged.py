"""A writer that is judged: its judges, its loss, and what is stored of its runs."""

import copy
import random

import pytest
import torch

from attention_by_hand.studies import judged
from dev.make.judged import RUNS, SEEDS, graph
from transformer_lite.data.grammar import splits
from transformer_lite.training import loss_function
from transformer_lite.vocabulary import PAD_ID

STORED = judged.recorded()


def test_the_grammar_judges_as_it_writes():
    texts = [text for pair in splits().unseen + splits().compositional for text in pair[:2]]
    assert all(map(judged.is_sentence, texts))
    dice = random.Random(0)
    others = [" ".join(dice.sample(words, len(words))) for words in map(str.split, texts)]
    assert sum(map(judged.is_sentence, others)) < 0.05 * len(others)
    assert not judged.is_sentence("") and not judged.is_sentence("i know whether .")


def test_a_graph_has_its_rows_and_no_others():
    dice = random.Random(0)
    rows = {tuple(dice.choices(range(4), k=dice.randint(1, 5))) for _ in range(300)}
    found = graph(sorted(rows))

    def paths(state, path=()):
        ends, *ways = found[state]
        if ends:
            yield path
        for word, after in zip(ways[::2], ways[1::2], strict=True):
            yield from paths(after, (*path, word))

    assert sorted(paths(0)) == sorted(rows)
    assert len({tuple(state) for state in found}) == len(found) < 100, "none is there twice"


@torch.no_grad()
def test_pulled_by_one_is_read_and_pulled_by_none_is_left():
    model = judged.reader().model
    rows = judged.written(model, 8, torch.Generator().manual_seed(0))
    read = loss_function(model(rows[:, :-1]), rows[:, 1:])
    assert judged.judged_loss(model, rows, torch.ones(8), model) == pytest.approx(read.item())
    assert judged.judged_loss(model, rows, torch.zeros(8), model, 1.0) == pytest.approx(0, abs=1e-6)
    assert judged.pulls(torch.ones(8)).tolist() == [0] * 8
    pulls = judged.pulls(torch.tensor([1.0, 0, 0, 1, 1, 0, 0, 0]))
    assert pulls.mean() == pytest.approx(0, abs=1e-6) and pulls.std() == pytest.approx(1, abs=1e-4)
    good = torch.tensor([1.0, 0, 0, 0, 0, 0, 0, 0])
    alone = loss_function(model(rows[:1, :-1]), rows[:1, 1:])
    assert judged.good_loss(model, rows, good) == pytest.approx(alone.item(), abs=1e-5)
    assert judged.good_loss(model, rows, 0 * good) == 0
    assert (rows[:, -1] == PAD_ID).any(), "or padding was not tried"


def test_judgements_make_what_is_judged_good_likelier():
    model = copy.deepcopy(judged.reader().model)
    dice = torch.Generator().manual_seed(5)

    def share():
        texts = judged.texts_of(judged.written(model, 100, dice))
        return sum(map(judged.has_the_word, texts)) / 100

    before = share()
    assert [*judged.learn(model, judged.has_the_word, steps=6)] == [*range(7)]
    assert share() > before + 0.2


def test_what_is_stored_of_the_model_is_what_it_measures():
    measured = judged.measure(judged.reader().model)
    first = STORED["no leash"][0]
    assert measured.right == pytest.approx(first["right"][0], abs=3)
    assert measured.questions == pytest.approx(first["questions"][0], abs=3)
    assert measured.perplexity == pytest.approx(first["perplexity"][0], abs=0.1)


def last(name, what):
    return [run[what][-1] for run in STORED[name]]


def test_what_is_concluded_of_the_runs_holds_for_each():
    assert {name: len(runs) for name, runs in STORED.items()} == dict.fromkeys(RUNS, len(SEEDS))
    first = STORED["no leash"]
    assert all(run["steps"][-1] == judged.STEPS for runs in STORED.values() for run in runs)
    assert max(run["right"][0] for run in first) < 50 and min(last("no leash", "right")) > 90
    assert min(run["different"][0] for run in first) > 290
    assert max(last("no leash", "different")) < 100
    asks = sorted(last("no leash", "questions"))
    assert asks[-2] < 2 and asks[-1] > 95, "which kind of sentence is left, chance decides"
    for run, leashed in zip(first, STORED["leash"], strict=True):
        assert run["right"][0] + 20 < leashed["right"][-1] < run["right"][-1]
        assert leashed["different"][-1] > 280
        assert run["perplexity"][0] < leashed["perplexity"][-1] < run["perplexity"][-1] / 1.5
    assert min(last("good of before", "different")) > 290
    assert max(last("good of before", "right")) < min(last("leash", "right"))
    assert max(last("good of its own", "different")) < 220
    assert min(last("length", "unended")) > 99 and max(last("length", "right")) == 0
    assert max(last("one word", "right")) < 20 < 50 < min(last("one word, leash", "right"))
