"""The thread, with a pencil: a box is judged when it is left, each slip is named under it, each
right line makes the thread longer, and the share at the end is the model's.
"""

import numpy as np
import pytest
import torch
from figure_examples import resize, shown, state

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
    """Types numbers into the boxes that are open, Enter after each, and returns what is said."""
    for number in numbers:
        page.keyboard.type(str(number))
        page.keyboard.press("Enter")
    return page.locator(".verdict").inner_text()


def begin(page):
    """The first box that is open has the focus."""
    page.locator(".box:enabled:not([readonly])").first.focus()


def threads(page):
    """How thick each thread is, in pixels, and how much of it is drawn, from 0 to 1."""
    return page.locator(".spun").evaluate_all(
        """all => all.map((path) => [Number(path.getAttribute('stroke-width')),
            1 - Number(path.getAttribute('stroke-dashoffset'))])"""
    )


def test_the_numbers_lead_to_the_share_that_the_model_computes(open_figures, figure, row):
    page = open_figures(figure)
    query, keys, _, weights = row
    asks, closed = (x.numpy().round(2) for x in (query, keys[7]))
    products = asks * closed
    places = sorted(products.argsort()[-2:])
    begin(page)
    answer(page, *(f"{products[place]:.2f}" for place in places))
    answer(page, f"{products.sum():.2f}")
    answer(page, f"{products.sum() / 4:.2f}")
    scores = keys.numpy().round(2) @ asks / 4
    best = scores.argsort()[::-1][:3]
    answer(page, *(f"{np.exp(scores[i].round(2)):.3g}" for i in best))
    assert page.locator(".share").inner_text() == "?\N{NO-BREAK SPACE}%"
    said = answer(page, f"{100 * weights[7]:.1f}".replace(".", ","))
    assert state(page) == {"step": "5"} and "95" in said
    assert page.locator(".share").inner_text() == "95\N{NO-BREAK SPACE}%"
    widths, lengths = np.transpose(threads(page))
    assert np.allclose(sorted(widths), sorted(13 * weights[weights > 0.01]), atol=0.05)
    assert set(lengths) == {1}
    assert np.allclose(shown(page)["score and share of each word"][:, 1], weights, atol=2e-3)


def test_the_thread_grows_with_each_right_line(open_figures, figure, row):
    page = open_figures(figure)
    begin(page)
    grown = [threads(page)]
    for numbers in (("7.36", "9.64"), ("24.72",), ("6.18",), ("483", "16.6", "8.33")):
        answer(page, *numbers)
        grown.append(threads(page))
    share = row[3][7].item()
    assert grown[0] == []
    for step, ((thick, drawn),) in enumerate(grown[1:], 1):
        assert (thick, drawn) == pytest.approx((13 * share * step / 5, step / 5), abs=0.01)


@pytest.mark.parametrize(
    ("step", "numbers", "says"),
    [
        (0, ("-7.36",), "sign"),
        (0, ("5.43",), "Multiply"),
        (0, ("7.36", "96.4"), "point"),
        (0, ("7.36", "1"), "−2.82"),
        (1, ("15.08",), "second"),
        (1, ("17.00",), "two alone"),
        (2, ("1.545",), "root"),
        (2, ("98.88",), "Divide"),
        (3, ("16.8",), "exponent"),
        (3, ("483", "16.61", "132"), "power of 10"),
        (4, ("55.6",), "scores"),
        (4, ("1871",), "above"),
        (4, ("many",), "many"),
    ],
)
def test_each_slip_is_named_and_nothing_opens(open_figures, figure, step, numbers, says):
    figure.step = step
    page = open_figures(figure)
    begin(page)
    assert says in answer(page, *numbers)
    assert state(page) == {"step": str(step)}
    assert page.locator("[role=status]").inner_text() == page.locator(".verdict").inner_text()


@pytest.mark.parametrize("share", ["0.949", "94.9 %", "95", "94,9", "0.95"])
def test_a_share_may_be_written_in_any_way(open_figures, figure, share):
    figure.step = 4
    page = open_figures(figure)
    begin(page)
    answer(page, share)
    assert state(page) == {"step": "5"}


@pytest.mark.parametrize(
    ("step", "numbers", "with_two"), [(0, ["7.4", "9.6"], "9.64"), (2, ["6.2"], "6.18")]
)
def test_to_one_digit_is_right_and_two_are_taken(open_figures, figure, step, numbers, with_two):
    figure.step = step
    page = open_figures(figure)
    begin(page)
    assert f"Right, to one digit: take two, {with_two}." in answer(page, *numbers)
    assert state(page) == {"step": str(step + 1)}
    values = page.locator(".box.right").evaluate_all("all => all.map((one) => one.value)")
    assert values[-1] == with_two


@pytest.mark.parametrize("leave", ["Tab", "Enter", "touch"])
def test_a_box_is_judged_when_it_is_left_and_only_then(open_figures, figure, leave):
    page = open_figures(figure)
    boxes = page.locator(".box")
    boxes.first.focus()
    page.keyboard.type("7.3")
    assert page.locator(".box:is(.right, .wrong)").count() == 0
    page.keyboard.type("6")
    if leave == "touch":
        page.get_by_text("Before.").click()
    else:
        page.keyboard.press(leave)
    assert boxes.first.get_attribute("class") == "box right"
    assert "Right." in page.locator(".verdict").inner_text()
    second = "document.activeElement.shadowRoot?.activeElement?.ariaLabel ?? ''"
    assert ("place 12" in page.evaluate(second)) == (leave != "touch")


def test_the_tab_key_goes_through_all_boxes_of_a_line_and_on_to_the_next(open_figures, figure):
    page = open_figures(figure)
    begin(page)
    for number in ("7.36", "9.64", "24.72", "6.18", "483", "16.6", "8.33", "94.9"):
        page.keyboard.type(number)
        page.keyboard.press("Tab")
    assert state(page) == {"step": "5"}


@pytest.mark.parametrize("width", [320, 390, 767])
@pytest.mark.parametrize("step", range(5))
def test_what_is_said_stands_under_the_box_and_every_number_is_whole(
    open_figures, figure, step, width
):
    figure.step = step
    page = open_figures(figure, width=width)
    box = page.locator(".box:enabled:not([readonly])").first
    box.fill("-1")
    box.press("Enter")
    one, other = box.bounding_box(), page.locator(".verdict").bounding_box()
    assert 0 <= other["y"] - one["y"] - one["height"] < 12
    assert "Not yet" in page.locator(".verdict").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") == width
    cut = page.locator(".box, .sheet td").evaluate_all(
        """all => all.filter((one) => one.scrollWidth > one.clientWidth + 1)
            .map((one) => one.value ?? one.textContent)"""
    )
    assert cut == []


def test_what_was_said_stays_when_the_window_changes_as_a_phone_s_does_for_its_keys(
    open_figures, figure
):
    page = open_figures(figure, width=390)
    begin(page)
    said = answer(page, "-7.36")
    resize(page, 360, 400)
    assert page.locator(".verdict").inner_text() == said


def test_whoever_has_no_pencil_has_it_filled_in_by_one_button(open_figures, figure):
    page = open_figures(figure)
    page.locator(".give").focus()
    for _ in range(5):
        page.keyboard.press("Enter")
    assert len(threads(page)) == 3
    share = page.locator(".box").last
    assert float(share.input_value()) == pytest.approx(94.9, abs=0.1)


def test_no_text_is_small(open_figures, figure):
    page = open_figures(figure, width=390)
    sizes = page.locator(".figure > figcaption, .body *").evaluate_all(
        """all => all.filter((one) => one.checkVisibility() && (one.value
            || [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())))
            .map((one) => parseFloat(getComputedStyle(one).fontSize))"""
    )
    assert min(sizes) >= 14


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
