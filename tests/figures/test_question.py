"""The question: what the hand pulls is answered as torch answers, learnt as autograd learns, and
every dare is recognised.
"""

import re

import numpy as np
import pytest
import torch
from figure_examples import shown, state
from in_node import Node

from attention_by_hand.figures import Question
from attention_by_hand.figures.kit import FigureError
from attention_by_hand.figures.kit.figure import FIGURES

KEYS = [[1.0, -1.0], [0.0, 1.0], [1.0, 1.0]]


def pull(page, knob, across, up):
    """Pulls a knob of a plane to a place, in units of the plane."""
    plane = page.locator(".plane", has=page.locator(knob)).first
    box = plane.bounding_box()
    reach = 1.5 if "value" in knob else 2
    unit = box["width"] / (2 * (reach + 0.35))
    held = page.locator(knob).first.bounding_box()
    page.mouse.move(held["x"] + held["width"] / 2, held["y"] + held["height"] / 2)
    page.mouse.down()
    middle = [box["x"] + box["width"] / 2, box["y"] + box["width"] / 2]
    page.mouse.move(middle[0] + across * unit, middle[1] - up * unit, steps=4)
    page.mouse.up()


def shares(page):
    return np.array([float(share) for share in state(page)["shares"].split()])


@pytest.mark.parametrize("question", [(1, 1), (-0.3, 1.45), (0, 0)])
def test_a_question_is_answered_as_torch_answers_it(open_figures, question):
    figure = Question(question)
    page = open_figures(figure)
    keys = torch.tensor(KEYS, dtype=torch.float64)
    scores = keys @ torch.tensor(question, dtype=torch.float64)
    expected = scores.softmax(0)
    table = shown(page)["what each word is given"]
    assert np.allclose(table, torch.stack([scores, scores.exp(), expected], 1), atol=1e-4)
    assert np.allclose(shown(page)["the mixture"], (expected @ keys)[None], atol=1e-4)
    for mine, theirs in zip(figure.answer(), (scores, expected, expected @ keys), strict=True):
        assert np.allclose(mine, theirs)
    widths = page.locator("path.thread").evaluate_all(
        "all => all.map((path) => Number(path.getAttribute('stroke-width')))"
    )
    assert np.allclose(widths, np.maximum(0.75, 34 * expected.numpy()), atol=1e-3)


def test_a_step_of_learning_pushes_each_score_as_autograd_does():
    question = torch.tensor([0.4, -0.7], dtype=torch.float64, requires_grad=True)
    keys = torch.tensor(KEYS, dtype=torch.float64)
    values = torch.tensor([[0.5, 1.0], [-1.0, 0.2], [0.3, -0.9]], dtype=torch.float64)
    scores = keys @ question
    scores.retain_grad()
    loss = ((values[2] - scores.softmax(0) @ values) ** 2).sum()
    loss.backward()
    with Node([FIGURES / "question" / "moves.js"]) as node:
        learnt = node.evaluate(
            "([question, keys, values, target]) => moves.learn(question, keys, values, target, 1)",
            [question.tolist(), keys.tolist(), values.tolist(), values[2].tolist()],
        )
    assert np.allclose(learnt["pushes"], -scores.grad)
    assert np.allclose(learnt["question"], (question - question.grad).detach())


def test_let_it_learn_gives_more_and_more_to_the_word_that_was_wanted(open_figures):
    page = open_figures(Question())
    got = [shares(page)[1]]
    for _ in range(8):
        page.locator(".learn").click()
        got.append(shares(page)[1])
    assert (np.diff(got) > 0).all() and got[-1] > 0.5
    pushed = page.locator(".moves tr", has_text="pushed").locator("td").all_inner_texts()
    assert [text.startswith("−") for text in pushed] == [True, False, True]
    pull(page, ".knob.query", -1, 1)
    assert page.locator(".moves tr", has_text="pushed").is_hidden(), "nothing was pushed just now"


def test_each_dare_is_recognised_and_the_impossible_one_says_why(open_figures):
    page = open_figures(Question())
    half, equal, leave = page.locator(".dares button").all()[:3]
    line = page.locator(".dare")
    half.click()
    assert not half.evaluate("b => b.classList.contains('done')")
    pull(page, ".knob.query", -0.3, 1)
    assert shares(page)[1] == pytest.approx(0.543, abs=1e-3)
    assert not half.evaluate("b => b.classList.contains('done')"), "54 % are not half"
    pull(page, ".knob.query", -0.1, 1)
    assert "done" in half.get_attribute("class") and "red" in line.inner_text()
    equal.click()
    pull(page, ".knob.query", 0.05, 0.02)
    assert state(page)["across"] == state(page)["up"] == "0", "near nothing, it is nothing"
    assert "done" in equal.get_attribute("class")
    leave.click()
    asked = line.inner_text()
    pull(page, ".knob.query", 2, -2)
    assert line.inner_text() != asked and "98\u00a0%" in line.inner_text()


def test_the_mixture_never_leaves_the_triangle(open_figures):
    page = open_figures(Question(values=[[1, -1], [-1, 0.5], [1.5, 1.5]]))
    for across, up in ((2, 2), (-2, 2), (2, -2), (-2, -2), (0, 0)):
        pull(page, ".knob.query", across, up)
        inside = page.evaluate(
            """() => {
            const root = document.querySelector('.tl-figure').shadowRoot;
            const dot = root.querySelector('.dot');
            const svg = dot.ownerSVGElement;
            const at = svg.createSVGPoint();
            at.x = dot.cx.baseVal.value;
            at.y = dot.cy.baseVal.value;
            return svg.querySelector('.between').isPointInFill(at);
        }"""
        )
        assert inside


def test_a_key_decides_the_shares_and_a_value_what_is_mixed(open_figures):
    page = open_figures(Question())
    before = shares(page)
    mixture = shown(page)["the mixture"]
    pull(page, ".knob.value >> nth=1", -1, 1)
    assert (shares(page) == before).all(), "a value says nothing about whom to ask"
    moved = shown(page)["the mixture"]
    assert moved[0, 0] == pytest.approx(mixture[0, 0] - before[1], abs=1e-3)
    page.locator(".back").click()
    assert np.allclose(shown(page)["the mixture"], mixture)
    pull(page, ".knob.key >> nth=1", 0, 2)
    assert np.allclose(shares(page), [0.063, 0.468, 0.468], atol=6e-4)


def test_keys_and_values_are_moved_from_the_keyboard_and_say_where_they_are(open_figures):
    page = open_figures(Question())
    knob = page.locator(".knob.key").nth(1)
    knob.focus()
    for _ in range(4):
        page.keyboard.press("ArrowUp")
    assert re.search(r"red.*0\.00, 1\.20", knob.get_attribute("aria-label"))
    scores = shown(page)["what each word is given"][:, 0]
    assert scores.tolist() == pytest.approx([0, 1.2, 2])


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"question": (1, 2, 3)}, "question"),
        ({"question": (9, 0)}, "at most 2"),
        ({"keys": [[0, 1]]}, r"expected \(3, 2\)"),
        ({"values": [[0, 1.6]] * 3}, "at most 1.5"),
        ({"words": ["alone"]}, "two or more"),
        ({"wanted": 3}, "wanted=3"),
    ],
)
def test_what_it_cannot_show_is_refused(wrong, says):
    with pytest.raises(FigureError, match=says):
        Question(**wrong)
