"""An attention that chooses reads what its first look prefers, and the stored numbers are its."""

import pytest
import torch

from attention_by_hand.studies import choosing, memory
from dev.make import choosing as measuring

STORED = choosing.measured()


def texts(pairs=8):
    torch.manual_seed(0)
    return memory.pairs_and_questions(3, pairs)[0]


def test_who_reads_everything_is_an_attention():
    torch.manual_seed(0)
    reader = memory.Reader(["all"])
    model = choosing.chooser(size=4, reader=reader)
    torch.testing.assert_close(model(texts()), reader(texts()))


@pytest.mark.parametrize("best", (1, 4))
def test_the_best_of_the_past_are_read_and_nothing_else(best):
    model = choosing.chooser(size=4, best=best)
    norm, attention = model.layers[0]
    x = norm(model.embedding(texts()))
    attention(x)
    both = memory.with_the_one_before(x)
    first = attention.small_query(both) @ attention.small_key(both).mT
    for query in range(x.size(1)):
        read = attention.shares[:, query] > 0
        past = first[:, query, : query + 1]
        least = past.topk(min(best, query + 1)).values[:, -1:]
        assert torch.equal(read[:, : query + 1], past >= least)
        assert not read[:, query + 1 :].any()


@pytest.mark.parametrize("heard", (False, True))
def test_a_slope_reaches_the_first_look_only_where_its_scores_are_heard(heard):
    model = choosing.chooser(size=4, best=4, heard=heard)
    model(texts()).sum().backward()
    slopes = [weight.grad for weight in choosing.first_look(model)]
    assert all((slope is not None) == heard for slope in slopes)


def test_to_imitate_moves_the_first_look_alone():
    model = choosing.chooser(size=4)
    model(texts())
    model.layers[0][1].missed.sum().backward()
    moved = {name for name, weight in model.named_parameters() if weight.grad is not None}
    assert moved == {"layers.0.1.small_query.weight", "layers.0.1.small_key.weight"}


@pytest.mark.weekly
def test_the_stored_numbers_are_those_of_this_code():
    reader = memory.train(["all"], seed=0)
    model = choosing.chooser(2, reader, seed=0)
    weights = choosing.first_look(model)
    choosing.learn(model, weights, answers=False, imitating=True, seed=0, rate=1e-2)
    assert measuring.by_best(model) == pytest.approx(STORED[0]["taught, 2"], abs=0.05)


def test_everybody_who_reads_everything_recalls_all():
    assert len(STORED) == len(measuring.SEEDS)
    for run in STORED:
        assert run["taught, 1"][-1] > 0.98 and run["taught, 8"][0] > 0.98
