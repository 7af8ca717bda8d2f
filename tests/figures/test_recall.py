"""Recall through one vector and with attention: the two models, what is stored of them, and the
lines of attention.
"""

import matplotlib
import pytest
import torch

from transformer_lite import plots
from transformer_lite.data import recall

matplotlib.use("Agg")


@pytest.mark.parametrize("attend", [False, True])
def test_it_learns_to_copy_short_rows_and_no_letter_is_read_before_it_is_written(
    attend, monkeypatch
):
    monkeypatch.setattr(recall, "TRAINED", [2])
    model = recall.train(attend=attend, steps=150)
    assert recall.measure(model, 2) > 0.9
    letters = recall.rows(2, 20)
    other = letters.clone()
    other[:, 1] = (other[:, 1] + 1) % 26
    with torch.no_grad():
        memory, state = model.read(letters)
        before = torch.cat([torch.full_like(letters[:, :1], recall.START), letters[:, :-1]], dim=1)
        assert torch.equal(model.write(before, memory, state)[0], model(letters))
    assert (model.recall(letters) == model(letters).argmax(-1)).float().mean() > 0.9
    assert (model.recall(other)[:, 1] == other[:, 1]).float().mean() > 0.8


def test_the_two_models_have_the_same_weights_and_only_one_looks_back():
    torch.manual_seed(0)
    one = recall.Copier(attend=False)
    both = recall.Copier(attend=True)
    both.load_state_dict(one.state_dict())
    letters = recall.rows(5, 3)
    memory, state = one.read(letters)
    first, looked = memory.clone(), memory.clone()
    first[:, 0] += 1  # a state that is not the last
    assert torch.equal(one.write(letters, first, state)[0], one.write(letters, memory, state)[0])
    looked[:, 0] += 1
    assert not torch.allclose(
        both.write(letters, looked, state)[0], both.write(letters, memory, state)[0]
    )


def test_what_is_stored_is_complete_and_its_examples_are_the_rows_that_it_says():
    found = recall.measured()
    assert found["lengths"] == list(recall.LENGTHS)
    for model in ("one vector", "attention"):
        assert [len(seeds) for seeds in found[model]] == [len(recall.SEEDS)] * len(recall.LENGTHS)
        assert all(0 <= share <= 1 for seeds in found[model] for share in seeds)
    assert all(
        min(a) > max(b)
        for a, b in list(zip(found["attention"], found["one vector"], strict=True))[3:]
    )
    for length, texts in zip(found["lengths"], found["examples"], strict=True):
        torch.manual_seed(length)
        assert texts[0] == "".join(recall.LETTERS[i] for i in recall.rows(length, 1)[0])
        assert [len(text) for text in texts] == [length] * 3


def test_measuring_writes_what_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(recall, "STORED", tmp_path / "recall.json")
    monkeypatch.setattr(recall, "LENGTHS", range(1, 3))
    monkeypatch.setattr(recall, "SEEDS", range(2))
    monkeypatch.setattr(recall, "train", lambda attend, seed: recall.Copier(attend=attend))
    recall.main()
    recall.measured.cache_clear()
    try:
        found = recall.measured()
    finally:
        recall.measured.cache_clear()
    assert found["lengths"] == [1, 2] and [len(found[m]) for m in ("one vector", "attention")] == [
        2,
        2,
    ]
    assert [len(text) for text in found["examples"][1]] == [2, 2, 2]


def test_lines_are_as_thick_as_their_weights_and_join_the_right_words():
    weights = torch.tensor([[0.9, 0.1, 0.0], [0.0, 0.25, 0.75]])
    ax = plots.attention_lines(weights, ["a", "b"], ["x", "y", "z"])
    words = {text.get_text(): text.get_position() for text in ax.texts}
    drawn = {}
    for line in ax.lines:
        ends = tuple(line.get_xdata())
        query = next(word for word in "ab" if words[word][0] == ends[0])
        drawn[query, next(word for word in "xyz" if words[word][0] == ends[1])] = (
            line.get_linewidth()
        )
    assert {pair: round(width / 4, 2) for pair, width in drawn.items()} == {
        ("a", "x"): 0.9, ("a", "y"): 0.1, ("b", "y"): 0.25, ("b", "z"): 0.75,
    }  # fmt: skip
    assert words["x"][1] > words["a"][1]
    with pytest.raises(ValueError, match="2 rows and 3 columns; got 2 queries and 2 keys"):
        plots.attention_lines(weights, ["a", "b"], ["x", "y"])
