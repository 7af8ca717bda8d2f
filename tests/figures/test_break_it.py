"""Four switches and one sentence: what the page writes is what the texts say it writes."""

import re

import pytest
from figure_examples import settled, state

from attention_by_hand.figures import BreakIt, LiveTranslator, Threads
from attention_by_hand.figures.break_it import SENTENCE, SWITCHES
from attention_by_hand.figures.kit import FigureError
from transformer_lite import load_translator
from transformer_lite.ablation import without_heads
from transformer_lite.data.grammar import splits

WHOLE = "the man will drink hot tea tomorrow evening ."
HEAD = "decoder.1.cross_attention.3"
BROKEN = {
    "positions": "will the man drink hot tea tomorrow evening the hot tea tomorrow evening the tea "
    "tomorrow evening the man tomorrow evening .",
    HEAD: "the man is drinking hot tea tomorrow evening .",
    "feed_forward": "will the man visit hot tea tomorrow evening .",
    "scaling": "the man will drink hot hot hot hot tea tomorrow evening .",
}


@pytest.fixture(scope="module")
def figure():
    return BreakIt(off=[])


@pytest.fixture
def page(open_figures, figure):
    page = open_figures(figure, reduced_motion="reduce")
    settled(page)
    return page


def turn(page, part):
    page.get_by_role("switch").nth([name for name, *_ in SWITCHES].index(part)).click()
    settled(page)


def test_it_is_a_sentence_of_the_threads_that_is_new_to_the_translator(figure):
    assert SENTENCE.split() in Threads().sources
    assert SENTENCE not in {pair.source for pair in splits().train}
    assert " ".join(figure.written) == WHOLE
    assert figure.weights == LiveTranslator().weights, "a built site has them once"


def test_it_opens_broken_without_waiting_for_the_weights(open_figures):
    figure = BreakIt()
    figure.weights = b""  # as where they have not come yet
    page = open_figures(figure)
    assert state(page) == {"off": "positions", "written": BROKEN["positions"]}


@pytest.mark.parametrize("part", BROKEN)
def test_each_switch_breaks_the_translation_as_the_text_says_and_mends_it(page, part):
    assert state(page)["written"] == WHOLE
    turn(page, part)
    assert state(page)["written"] == BROKEN[part] and state(page)["off"] == part
    verdict = page.locator(".verdict").inner_text()
    said = next(text for name, *_, text in SWITCHES if name == part)
    assert verdict.startswith(said.replace("*", "")) and "Chapter" in verdict
    page.get_by_role("button", name="Put everything back").click()
    settled(page)
    assert state(page)["written"] == WHOLE and page.locator(".changed").count() == 0


def test_old_words_fade_until_the_new_ones_are_there(page):
    seen = page.locator(".translation")
    seen.evaluate(
        "line => { window.wasOld = false; new MutationObserver(() => {"
        " window.wasOld ||= line.classList.contains('old'); })"
        ".observe(line, { attributes: true }); }"
    )
    turn(page, HEAD)
    assert page.evaluate("window.wasOld") and "old" not in seen.get_attribute("class")


def test_a_saved_picture_keeps_what_is_said_and_not_the_button(page):
    turn(page, HEAD)
    page.locator("figure.figure").evaluate("root => root.classList.add('saved')")
    assert page.locator(".verdict").is_visible()
    assert page.get_by_role("button", name="Put everything back").is_hidden()


def test_what_the_texts_say_of_the_head_and_the_scores_holds():
    translator = load_translator()
    translation = translator.translate(SENTENCE)
    look = translation.attention.cross[1][0, 3, translation.tokens.index("will")]
    assert look[translation.source_tokens.index("morgen")] > 0.99
    config = translator.model.config
    assert (config.d_model // config.n_heads) ** 0.5 == 4
    assert config.n_layers * config.n_heads * 3 == 24
    with without_heads(translator.model.decoder[1].cross_attention, 3):
        assert translator.translate(SENTENCE).text == BROKEN[HEAD]


def test_new_words_stand_out_and_the_intact_ones_are_struck_below(page):
    turn(page, HEAD)
    assert page.locator(".changed bdi").all_inner_texts() == ["is", "drinking"]
    assert page.locator("s").all_inner_texts() == ["will", "drink"]
    turn(page, HEAD)
    turn(page, "feed_forward")
    assert page.locator(".changed bdi").all_inner_texts() == ["will", "–", "visit"]
    assert page.locator("s").all_inner_texts() == ["", "will", "drink"]


def test_several_parts_can_be_off_and_a_text_without_end_is_cut(page):
    for part in ("positions", "feed_forward"):
        turn(page, part)
    assert len(state(page)["written"].split()) == 64
    assert page.locator(".rest").inner_text() == "… 64 words"
    assert page.locator(".verdict").inner_text().startswith("Two are off")


@pytest.mark.parametrize("width", [390, 760])
def test_what_is_said_stands_right_under_the_translation(open_figures, figure, width):
    page = open_figures(figure, width=width, reduced_motion="reduce")
    for part in [None, *BROKEN]:
        if part:
            turn(page, part)
        last = page.locator(".translation > *").last.bounding_box()
        verdict = page.locator(".verdict").bounding_box()
        assert verdict["y"] - last["y"] - last["height"] <= 12, part
        if part:
            turn(page, part)


def test_nothing_below_moves_while_it_is_used(open_figures, figure):
    for width in (360, 760, 1000):
        page = open_figures(figure, width=width, reduced_motion="reduce")
        below = page.get_by_text("After.").bounding_box()["y"]
        for part in BROKEN:
            turn(page, part)
            assert page.get_by_text("After.").bounding_box()["y"] == below, (width, part)
            turn(page, part)
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_state_has_an_address(page):
    page.evaluate("""location.hash = '#BreakIt?off=["scaling","no such part"]'""")
    page.wait_for_function(
        "document.querySelector('.tl-figure').shadowRoot.querySelector('figure').dataset.off"
    )
    assert state(page)["written"] == BROKEN["scaling"] and state(page)["off"] == "scaling"
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Copy link").click()
    assert re.search(r"#BreakIt\?off=.*scaling", page.evaluate("location.href"))


def test_a_part_without_a_switch_is_refused():
    figure = BreakIt()
    figure.off = ["positions"]
    with pytest.raises(FigureError, match="residuals"):
        figure.off = ["residuals"]
    assert figure.off == ["positions"]
