"""The floors of the loss: those of the chapter by hand, and those of models that know no more."""

import math

import pytest
import torch
from torch.nn import functional as F

from attention_by_hand.exhibits.floors import floors
from transformer_lite.data.corpus import TWO_SENTENCES
from transformer_lite.training import least_loss, loss_function, make_batch
from transformer_lite.vocabulary import Vocabulary

ENGLISH = [english for _, english in TWO_SENTENCES]


def test_the_chapters_three_floors():
    by_hand = (math.log(10), 5 / 6 * math.log(6) + 1 / 6 * math.log(12), math.log(2) / 6)
    assert floors(ENGLISH) == pytest.approx(by_hand)


def test_they_are_the_losses_of_models_that_know_no_more():
    """The best model that reads nothing, and the best that reads only what it has written."""
    pairs = [("a", "b c"), ("d", "b c c"), ("e", "b")]
    batch = make_batch(pairs, *(Vocabulary.from_texts(side) for side in zip(*pairs, strict=True)))
    rows = [[token for token in row if token] for row in batch.target.tolist()]
    answers = [token for row in rows for token in row[1:]]
    counts = torch.bincount(torch.tensor(answers)).double()
    same = (counts / counts.sum()).log().expand(len(answers), -1)
    found = floors([english for _, english in pairs])
    assert found.counts == pytest.approx(F.nll_loss(same, torch.tensor(answers)).item())
    begun = [tuple(row[:t]) for row in rows for t in range(1, len(row))]
    right = [
        sum(other == (read, token) for other in zip(begun, answers, strict=True))
        / begun.count(read)
        for read, token in zip(begun, answers, strict=True)
    ]
    assert found.unread == pytest.approx(-sum(map(math.log, right)) / len(right))


def test_tokens_may_be_given_and_look_like_marks():
    assert floors([["b", "c"], ["b", "d"]]) == floors(["b c", "b d"])
    assert floors([["a", "b"]]).unread == 0


@pytest.mark.parametrize("label_smoothing", [0.0, 0.1, 0.6])
@pytest.mark.parametrize("n_tokens", [2, 9, 300])
def test_a_model_without_a_fault_has_the_loss_that_label_smoothing_leaves(
    label_smoothing, n_tokens
):
    """It is the least that training reaches, whatever the logits were."""
    torch.manual_seed(0)
    answers = torch.full((1, 1), n_tokens - 1)
    logits = torch.zeros(1, 1, n_tokens, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([logits], max_iter=200, line_search_fn="strong_wolfe")

    def loss():
        optimizer.zero_grad()
        found = loss_function(logits, answers, label_smoothing)
        found.backward()
        return found

    optimizer.step(loss)
    assert loss().item() == pytest.approx(least_loss(label_smoothing, n_tokens), abs=1e-4)
