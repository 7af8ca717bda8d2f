"""The thread, with a pencil: each right number opens the next step, each slip is named, and the
share at the end is the model's.
"""

import numpy as np
import pytest
import torch
from figure_examples import shown, state

import transformer_lite as tl
from attention_by_hand.figures import Pencil
from attention_by_hand.figures.kit import FigureError


@pytest.fixture(scope="module")
def row():
    """The query of "not", the keys of the German words, and what the model itself makes of them."""
    translator = tl.load_translator()
    result = translator.translate("ich habe die rote Tür heute nicht zugemacht .")
    cross = translator.model.decoder[1].cross_attention
    read = []
    hooks = [
        layer.register_forward_hook(lambda module, given, made: read.append(given[0][0].detach()))
        for layer in (cross.w_q, cross.w_k)
    ]
    maps = result.attention.cross[1][0, 1]
    for hook in hooks:
        hook.remove()
    at = result.decoder_tokens.index("not")
    query = read[0][at] @ cross.w_q.weight.detach()[16:32].T
    keys = read[1] @ cross.w_k.weight.detach()[16:32].T
    return query, keys, result.source_tokens, maps[at]


@pytest.fixture
def figure(row):
    query, keys, words, _ = row
    return Pencil(query, keys, words, asks="not", writes="close")


def answer(page, *numbers):
    """Types numbers into the step that is open, presses Check, and returns what is said."""
    for field, number in zip(page.locator(".open input").all(), numbers, strict=True):
        field.fill(str(number))
    page.locator(".open button[type=submit]").click()
    return page.locator(".verdict").inner_text()


def test_the_numbers_lead_to_the_share_that_the_model_computes(open_figures, figure, row):
    page = open_figures(figure)
    query, keys, _, weights = row
    asks, closed = (x.numpy().round(2) for x in (query, keys[7]))
    products = asks * closed
    places = sorted(products.argsort()[-2:])
    assert [text for text in page.locator("td.yours").all_inner_texts()] == ["?", "?"]
    answer(page, *(f"{products[place]:.2f}" for place in places))
    answer(page, f"{products.sum():.2f}")
    answer(page, f"{products.sum() / 4:.2f}")
    scores = keys.numpy().round(2) @ asks / 4
    best = scores.argsort()[::-1][:3]
    answer(page, *(f"{np.exp(scores[i].round(2)):.3g}" for i in best))
    assert page.locator(".thread path").count() == 0
    said = answer(page, f"{100 * weights[7]:.1f}".replace(".", ","))
    assert state(page) == {"step": "5"} and "95" in said
    widths = page.locator(".thread path").evaluate_all(
        "all => all.map((path) => Number(path.getAttribute('stroke-width')))"
    )
    assert np.allclose(widths, 13 * weights[weights > 0.01], atol=0.05)
    assert np.allclose(shown(page)["score and share of each word"][:, 1], weights, atol=2e-3)


@pytest.mark.parametrize(
    ("step", "numbers", "says"),
    [
        (0, ("-7.36", "9.64"), "sign"),
        (0, ("5.43", "9.64"), "Multiply"),
        (0, ("7.36", "96.4"), "point"),
        (0, ("7.36", "1"), "−2.82"),
        (1, ("15.08",), "second"),
        (1, ("17.00",), "two alone"),
        (2, ("1.545",), "root"),
        (2, ("98.88",), "Divide"),
        (3, ("16.8", "16.61", "8.33"), "exponent"),
        (3, ("483", "16.61", "132"), "power of 10"),
        (4, ("55.6",), "scores"),
        (4, ("1871",), "above"),
        (4, ("many",), "many"),
    ],
)
def test_each_slip_is_named_and_nothing_opens(open_figures, figure, step, numbers, says):
    figure.step = step
    page = open_figures(figure)
    assert says in answer(page, *numbers)
    assert state(page) == {"step": str(step)}


def test_a_share_may_be_given_as_a_part_of_one(open_figures, figure):
    figure.step = 4
    page = open_figures(figure)
    answer(page, "0.949")
    assert state(page) == {"step": "5"}


def test_whoever_has_no_pencil_has_it_filled_in(open_figures, figure):
    page = open_figures(figure)
    for _ in range(5):
        page.locator(".open .give").click()
    assert page.locator(".thread path").count() == 3
    share = page.locator(".steps li").last.locator("input")
    assert float(share.input_value()) == pytest.approx(94.9, abs=0.1)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"query": torch.ones(2, 2)}, "query"),
        ({"keys": torch.ones(3, 4)}, r"expected \(4, 4\)"),
        ({"words": list("abc")}, "four or more"),
        ({"step": 6}, "step=6"),
    ],
)
def test_what_it_cannot_show_is_refused(wrong, says):
    right = {"query": torch.ones(4), "keys": torch.eye(4), "words": list("abcd")}
    with pytest.raises(FigureError, match=says):
        Pencil(**right | wrong, asks="a", writes="b")
