"""The small models of memory keep what they say, and the stored numbers are theirs."""

import pytest
import torch
import torch.nn.functional as F

from attention_by_hand.studies import memory
from dev.make import memory as measuring

STORED = memory.measured()


@pytest.mark.parametrize("delta", (False, True), ids=("added", "delta rule"))
def test_all_at_once_is_step_by_step(delta):
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 1, 20, 8)
    k = F.normalize(k, dim=-1)
    keep = torch.rand(1, 20, 1)
    write = torch.rand(1, 20, 1) if delta else None
    state = torch.zeros(8, 8)
    read = []
    for t in range(20):
        state = memory.step(state, k[0, t], v[0, t], keep[0, t], write[0, t] if delta else None)
        read.append(state @ q[0, t])
    at_once = memory.read_states(q, k, v, keep, write)
    torch.testing.assert_close(torch.stack(read), at_once[0], atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("kind", ("all", 3, "sum", "forgetting", "delta", "both"))
def test_no_layer_looks_ahead(kind):
    torch.manual_seed(0)
    model = memory.Reader([kind, kind])
    texts, _ = memory.pairs_and_questions(2, 4)
    other = texts.clone()
    other[:, 6:] = memory.KEYS
    torch.testing.assert_close(model(texts)[:, :6], model(other)[:, :6])


@torch.no_grad()
def test_windows_hand_on_as_far_as_they_reach():
    """Two windows of 3 see 2 back each, and each of the two layers one more by the token before."""
    torch.manual_seed(0)
    model = memory.Reader([3, 3])
    text = torch.zeros(1, 12, dtype=torch.int64)
    for place in range(12):
        other = text.clone()
        other[0, place] = 1
        heard = not torch.equal(model(text)[0, -1], model(other)[0, -1])
        assert heard == (11 - place <= 2 * (2 + 1)), place


def test_a_question_is_a_key_and_its_answer_that_keys_value():
    torch.manual_seed(0)
    texts, answers = memory.pairs_and_questions(5, pairs=4, between=3)
    assert texts.shape == (5, 2 * 4 + 3 + 4)
    for text, answer in zip(texts.tolist(), answers.tolist(), strict=True):
        known = dict(zip(text[0:8:2], text[1:8:2], strict=True))
        assert [known[key] - memory.KEYS for key in text[-4:]] == answer


def test_the_stored_capacities_come_from_this_code(monkeypatch):
    monkeypatch.setattr(measuring, "SIZES", (8,))
    monkeypatch.setattr(measuring, "WRITTEN", measuring.WRITTEN[:5])
    for name, shares in measuring.capacity()["8"].items():
        assert shares == pytest.approx(STORED["capacity"]["8"][name][:5], abs=0.005)


def test_the_stored_overwritings_come_from_this_code(monkeypatch):
    monkeypatch.setattr(measuring, "TIMES", measuring.TIMES[:2])
    for name, shares in measuring.overwritten().items():
        assert shares == pytest.approx(STORED["overwritten"][name][:2], abs=0.005)


def test_the_stored_recalls_come_from_this_code():
    """One of the models, since all are trained alike."""
    shares = measuring.by_pairs(measuring.STATES["sum"], seed=0)
    assert shares == pytest.approx(STORED["states"]["sum"][0], abs=0.06)


def means(name: str, row: str) -> list[float]:
    """Over the seeds, at each number of tokens between or of pairs."""
    seeds = STORED[name][row]
    return [sum(column) / len(seeds) for column in zip(*seeds, strict=True)]


def test_the_story_of_windows():
    """One fact comes as far as four windows reach, four facts not even that, and a layer that sees
    all finds them everywhere, whichever it is.
    """
    reach = 4 * 8  # each layer 7 back, and one more by the token before
    for between, share in zip(
        measuring.BETWEEN, means("windows", "everywhere, one pair"), strict=True
    ):
        assert share > 0.95 if between + 1 <= reach else share < 0.2, between
    four = means("windows", "everywhere")
    assert four[0] < 0.9 and max(four[2:]) < 0.5
    for row in list(measuring.WINDOWS)[1:]:
        assert min(means("windows", row)) > 0.95, row


def test_the_story_of_states():
    """A state loses pairs and attention does not, nor does one attention among states."""
    fewest, *_, last_trained, _ = range(len(measuring.PAIRS))
    rule = {name: means("states", name) for name in measuring.STATES}
    assert min(rule["attention"]) > 0.98
    assert rule["sum"][fewest] > 0.95 and rule["sum"][last_trained] < 0.65
    assert rule["sum"][last_trained] + 0.05 < rule["delta"][last_trained] < 0.8
    assert rule["three sums"][last_trained] < rule["sum"][last_trained] + 0.05
    assert min(rule["attention after two sums"] + rule["attention before two sums"]) > 0.98


def test_the_story_of_random_keys():
    """The sum recalls most where each key is written once, and the delta rule where keys get new
    values.
    """
    pairs = measuring.WRITTEN.index(32)
    once = {rule: shares[pairs] for rule, shares in STORED["capacity"]["16"].items()}
    assert once["delta"] < once["forgetting"] < once["sum"] < 0.7 < 0.99 < once["softmax"]
    again = {rule: shares[-1] for rule, shares in STORED["overwritten"].items()}
    assert again["sum"] < 0.3 < again["forgetting"] < 0.7 < 0.8 < again["delta"]
