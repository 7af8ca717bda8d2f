"""Masks: what is pressed in the picture. That its numbers are the package's:
test_teaching_figures.py.
"""

import numpy as np
import pytest
from figure_examples import shown, state

from attention_by_hand.figures import Masks

TOKENS = ["<bos>", "i", "did", "not", "close", "<pad>", "<pad>"]


def focused(page):
    return page.evaluate(
        "document.querySelector('.tl-figure').shadowRoot.activeElement.textContent"
    )


def test_the_four_masks_are_buttons_and_one_tab_stop(open_figures):
    page = open_figures(Masks(TOKENS))
    for kind, forbidden in (("none", 0), ("padding", 14), ("causal", 21), ("both", 24)):
        page.get_by_role("radio", name=kind).click()
        assert state(page)["kind"] == kind
        assert page.get_by_role("radio", checked=True).all_inner_texts() == [kind]
        assert page.locator("td.blocked").count() == forbidden
    page.keyboard.press("ArrowLeft")
    assert state(page)["kind"] == "causal" and focused(page) == "causal"
    stops = page.locator(".choices button").evaluate_all("all => all.map((one) => one.tabIndex)")
    assert stops == [-1, -1, 0, -1]


def test_a_pressed_word_becomes_padding_and_is_a_word_again(open_figures):
    page = open_figures(Masks(TOKENS))
    words = page.locator("button.word")
    assert state(page)["length"] == "5"
    words.nth(2).click()
    assert state(page)["length"] == "2"
    assert (
        words.evaluate_all("all => all.map((one) => one.ariaPressed)")
        == ["false"] * 2 + ["true"] * 5
    )
    weights = shown(page)["weights after the mask"]
    assert (weights[:, 2:] == 0).all() and (weights[1, :2] > 0).all()
    words.nth(6).click()
    assert state(page)["length"] == "7" and (shown(page)["weights after the mask"][6] > 0).all()
    words.nth(6).press("ArrowUp")
    assert focused(page) == "5 <pad>"
    assert words.first.is_disabled(), "one word remains"


def along(page, mark):
    """How far along their axes these marks lie, from 0 to 1; nothing where there is none."""
    return page.locator(f".move {mark}").evaluate_all(
        """all => all.map((one) => getComputedStyle(one).visibility === "hidden" ? null :
            (one.offsetLeft + one.offsetWidth / 2) / one.parentElement.offsetWidth)"""
    )


def test_the_arrow_beside_a_word_turns_it_and_dots_say_who_notices(open_figures):
    page = open_figures(Masks(TOKENS, kind="none"), reduced_motion="reduce")
    page.get_by_role("button", name="turn the vector of word 4").click()
    assert state(page)["changed"] == "4"
    moved = shown(page)["how far each output moves"][:, 0]
    others = [i for i in range(7) if i != 4]
    rings = np.array(along(page, ".free"), float)
    assert np.allclose(rings[others] / rings[others[0]], moved[others] / moved[0], atol=0.05)
    assert np.allclose(rings[others], np.array(along(page, ".dot"), float)[others], atol=0.02)
    assert along(page, ".dot")[4] is None, "the word's own output always moves"
    named = page.get_by_text("the turned word itself").locator("visible=true")
    assert named.count() == 1, "why its row has no dot"
    assert named.locator("xpath=ancestor::tr").get_attribute("class") == "changed"
    assert page.locator("tr.leak").count() == 4
    page.get_by_role("radio", name="both").click()
    assert page.locator("tr.leak").count() == 0
    assert page.locator(".move > span").all_inner_texts()[:4] == ["0"] * 4
    dots = np.array(along(page, ".dot"), float)
    assert np.allclose(dots[:4], 0, atol=0.02)
    masked = shown(page)["how far each output moves"][:, 0]
    scale = moved[0] / rings[0]
    assert np.allclose(dots[others], masked[others] / scale, atol=0.02), (
        "on one scale with the rings"
    )


@pytest.mark.parametrize("width", [390, 900])
def test_with_and_without_a_mask_are_compared_on_one_axis_that_no_mask_changes(open_figures, width):
    page = open_figures(Masks(TOKENS), width=width, reduced_motion="reduce")
    rings = along(page, ".free")
    ticks = page.locator(".ticks span").all_text_contents()
    for kind in ("none", "padding", "causal"):
        page.get_by_role("radio", name=kind).click()
        assert along(page, ".free") == rings
        assert page.locator(".ticks span").all_text_contents() == ticks
        assert max(at for at in along(page, ".dot") if at is not None) <= 1.01


@pytest.mark.parametrize("width", [360, 900])
def test_its_letters_and_targets_are_large_enough(open_figures, width):
    page = open_figures(Masks(TOKENS), width=width)
    cells = page.locator(".panel :is(td, th)")
    assert (
        min(cells.evaluate_all("a => a.map((x) => parseFloat(getComputedStyle(x).fontSize))")) >= 14
    )
    sizes = page.locator(".body button").evaluate_all(
        "all => all.map((b) => Math.min(b.offsetWidth, b.offsetHeight))"
    )
    assert min(sizes) >= 24
    panel = page.locator(".panel")
    assert panel.evaluate("p => p.scrollWidth <= p.clientWidth"), "all is in sight"


def test_on_paper_the_words_stand_and_what_only_a_hand_needs_does_not(open_figures):
    page = open_figures(Masks(TOKENS))
    page.emulate_media(media="print")
    assert page.locator("button.word").first.is_visible()
    assert not page.locator("button.turn").first.is_visible()


def test_sixteen_words_and_their_axes_are_in_sight(open_figures):
    page = open_figures(Masks([f"word{i}" for i in range(16)]), width=900)
    assert page.locator(".panel").evaluate("p => p.scrollWidth <= p.clientWidth")


@pytest.mark.parametrize("width", [320, 390])
def test_on_a_phone_the_axes_are_as_wide_as_the_weights(open_figures, width):
    page = open_figures(Masks(TOKENS), width=width)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.locator(".panel").evaluate("p => p.scrollWidth <= p.clientWidth"), "all is in sight"
    axis = page.locator(".move .axis").last.bounding_box()
    dot = page.locator(".move .dot").last.bounding_box()
    weight = page.locator("td.weight").last.bounding_box()
    assert axis["width"] > 0.6 * width and dot["height"] >= 10
    assert dot["y"] >= weight["y"] + weight["height"], "it lies under its row"
