"""The threads of the front page: real weights, reached by pointer, finger and keys."""

import re

import numpy as np
import pytest
from figure_examples import settled, spoken, state, untrained

import transformer_lite as tl
from attention_by_hand.exhibits.glosses import glosses
from attention_by_hand.figures import Threads
from attention_by_hand.figures.kit import FigureError
from attention_by_hand.figures.threads import SENTENCES
from transformer_lite.data.grammar import splits

CLOSE = 3  # the fourth word of the first sentence: i did not close ...
SENTENCE = ".sentence"


@pytest.fixture(scope="module")
def figure():
    return Threads()


@pytest.fixture
def page(open_figures, figure):
    return open_figures(figure, reduced_motion="reduce")


def sentence(page):
    return re.sub(r"\s+", " ", page.locator(SENTENCE).inner_text())


def test_the_weights_are_those_of_the_shipped_translator_in_whole_per_cent(figure):
    for n, translation in enumerate(tl.load_translator().translate_batch(SENTENCES)):
        assert translation.tokens == [*figure.targets[n], "<eos>"]
        expected = translation.attention.cross[-1][0, :, :-1].numpy()
        assert np.abs(figure._weights[n] - 100 * expected).max() <= 0.5
    assert figure.weights == b"".join(weights.tobytes() for weights in figure._weights)


def test_the_sentences_are_new_to_the_translator_and_each_word_has_its_gloss(figure):
    assert not {pair.source for pair in splits().train} & {*SENTENCES}
    assert {word for text in SENTENCES for word in text.split()} - {*".?"} <= glosses().keys()
    assert [" ".join(words) for words in figure.targets] == [
        "i did not close the red door today .",
        "the man will drink hot tea tomorrow evening .",
        "why did you read the new books yesterday ?",
        "my brother bought a red car yesterday .",
        "is the new teacher drinking a cold coke now ?",
    ]


def test_a_lower_layer_and_other_translators_can_be_shown():
    (translation,) = tl.load_translator().translate_batch(SENTENCES[:1])
    lower = Threads([translation], layer=0)
    expected = translation.attention.cross[0][0, :, :-1].numpy()
    assert np.abs(lower._weights[0] - 100 * expected).max() <= 0.5
    assert Threads([untrained("ab"), untrained("cde")]).heads == 2


@pytest.mark.parametrize(
    ("sentences", "options", "word"),
    [
        ([], {}, "empty"),
        (["ich habe die Pizza ."], {}, "Pizza"),
        (["er liest .", None], {}, "heads"),
        (["er liest ."], {"layer": 2}, "layer"),
    ],
)
def test_what_cannot_be_shown_is_refused(sentences, options, word):
    sentences = [untrained("ab") if one is None else one for one in sentences]
    with pytest.raises(FigureError, match=word):
        Threads(sentences, **options)


def test_at_most_one_word_is_picked_out_and_none_that_is_not_there():
    figure = Threads()
    figure.target_word = CLOSE
    figure.source_word = 7
    assert (figure.source_word, figure.target_word) == (7, -1)
    figure.sentence = 1
    assert figure.source_word == -1
    for trait in ("sentence", "head", "source_word", "target_word"):
        with pytest.raises(FigureError, match="out of range"):
            setattr(figure, trait, 99)


def test_a_word_says_where_it_looks_and_a_german_word_who_looks_at_it(page):
    page.locator(".target .word").nth(CLOSE).hover()
    assert {"close", "95", "zugemacht"} <= spoken(sentence(page))
    assert page.locator(".word.lit .token").all_inner_texts() == ["zugemacht", "close"]
    page.locator(".source .word").nth(7).hover()
    assert {"zugemacht", "closed", "close", "95"} <= spoken(sentence(page))
    assert page.locator(".meant:visible").all_inner_texts() == ["closed"]
    page.mouse.move(0, 0)
    assert sentence(page).startswith("Nobody told it")


@pytest.mark.parametrize(("width", "shown"), [(760, True), (390, False)])
def test_at_rest_each_german_word_has_its_meaning_where_there_is_room(
    open_figures, figure, width, shown
):
    page = open_figures(figure, width=width, reduced_motion="reduce")
    settled(page)
    meant = page.locator(".meant:visible")
    assert meant.count() == (len(figure.sources[0]) - 1) * shown, "a full stop has none"
    boxes = [meant.nth(n).bounding_box() for n in range(meant.count())]
    ends = [0] + [box["x"] + box["width"] for box in boxes]
    assert all(end <= box["x"] for end, box in zip(ends[:-1], boxes, strict=True))
    page.locator(".target .word").nth(CLOSE).hover()
    assert meant.all_inner_texts() == ["closed"]


def test_threads_are_as_thick_as_the_weights_they_stand_for(page, figure):
    weights = figure._weights[0][1]
    drawn = page.locator("svg path").evaluate_all(
        "all => all.map((path) => parseFloat(getComputedStyle(path).strokeWidth))"
    )
    assert np.allclose(sorted(drawn), sorted(0.13 * weights[weights >= 4]), atol=0.01)
    page.locator(".looks .dot").first.click()
    assert state(page)["head"] == "0" and page.locator("svg path").count() != len(drawn)


def test_the_keys_lead_along_a_line_and_along_the_thickest_thread(page):
    page.keyboard.press("Tab")  # the menu
    page.keyboard.press("Tab")
    assert state(page)["word"] == "source 0"
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert state(page)["word"] == "target 4", "die is joined to the"
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")
    assert state(page)["word"] == "source 0"
    page.keyboard.press("Enter")
    page.locator(".dot").first.focus()
    assert state(page)["word"] == "source 0", "it is chosen"
    page.locator(".source .word").first.press("Escape")
    assert state(page)["word"] == ""


def test_a_finger_picks_a_word_and_lets_it_go(open_figures, figure):
    page = open_figures(figure, width=360, has_touch=True, reduced_motion="reduce")
    word = page.locator(".target .word").nth(CLOSE)
    word.tap()
    assert "attention to zugemacht" in sentence(page)
    box = page.locator(SENTENCE).bounding_box()
    assert box["y"] + box["height"] < 640, "the answer is in sight of the finger"
    word.tap()
    assert sentence(page).startswith("Nobody")
    small = page.locator("button").evaluate_all(
        "all => all.filter((one) => one.checkVisibility() && one.offsetHeight < 24).length"
    )
    assert small == 0


def test_it_writes_itself_word_by_word_once_and_then_rests(open_figures, figure):
    page = open_figures(figure)
    seen = "home => home.shadowRoot.querySelectorAll('.target .word:not(.unwritten)').length"
    home = page.locator(".tl-figure")
    assert home.evaluate(seen) < len(figure.targets[0])
    settled(page)
    assert home.evaluate(seen) == len(figure.targets[0])
    assert sentence(page).startswith("Nobody")


def test_who_wants_no_motion_sees_it_at_rest(page, figure):
    assert page.locator(".target .word:visible").count() == len(figure.targets[0])
    page.locator(".others .dot").nth(2).click()
    assert page.locator(".target .word:visible").count() == len(figure.targets[2])


# How far sideways a thread at most begins from the middle of a German word, in pixels
ASTRAY = """home => {
    const root = home.shadowRoot;
    const middles = [...root.querySelectorAll(".source .word")]
        .map((word) => word.getBoundingClientRect()).map(({ left, right }) => (left + right) / 2);
    const ends = [...root.querySelectorAll("path")].flatMap((path) =>
        [0, path.getTotalLength()].map((at) =>
            path.getPointAtLength(at).matrixTransform(path.getScreenCTM())));
    const upper = ends.filter(({ y }) => y < Math.min(...ends.map((end) => end.y)) + 20);
    return Math.max(...upper.map(({ x }) => Math.min(...middles.map((m) => Math.abs(m - x)))));
}"""


def test_on_paper_it_rests_and_each_thread_still_ends_at_its_word(open_figures, figure):
    page = open_figures(figure)
    assert page.locator(".picture.writing").count() == 1
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".picture.writing, path.unwritten").count() == 0
    page.emulate_media(media="print")
    drawn = page.locator(".picture").bounding_box()["width"]
    page.set_viewport_size({"width": 680, "height": 990})
    assert page.locator(".picture").bounding_box()["width"] == drawn > 670
    assert page.locator(".tl-figure").evaluate(ASTRAY) < 3
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert page.locator(".picture").bounding_box()["width"] < 670


def test_an_address_picks_a_word_and_a_wrong_one_does_no_harm(open_figures, figure):
    for end, word in (
        ("sentence=0&head=1&target_word=3", "target 3"),
        ("sentence=9&head=-2&target_word=77&source_word=1.5", ""),
    ):
        page = open_figures(figure, reduced_motion="reduce")
        page.evaluate(f"location.hash = '#Threads?{end}'")
        page.wait_for_function("location.hash")
        page.wait_for_timeout(100)
        assert state(page)["word"] == word and state(page)["sentence"] == "0"


def test_a_chosen_way_of_looking_says_what_it_is(page):
    page.locator(".looks .dot").nth(2).click()
    page.mouse.move(0, 0)
    assert {"four", "third"} <= spoken(sentence(page))
    page.locator(".others .dot").nth(1).click()
    assert sentence(page).startswith("Nobody told it")


@pytest.mark.parametrize("width", [360, 390, 776])
def test_the_dots_are_named_where_they_stand(open_figures, figure, width):
    page = open_figures(figure, width=width)
    names = [page.locator(f".{dots} span").bounding_box() for dots in ("looks", "others")]
    assert all(name["width"] > 60 for name in names)
    assert names[0]["x"] + names[0]["width"] < names[1]["x"]
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_at_rest_its_pairs_are_told_and_it_is_named_by_its_sentence(open_figures):
    figure = Threads()
    page = open_figures(figure, reduced_motion="reduce")
    told = page.locator("[role=status]")
    pairs = figure.alternative.partition("at one that was read: ")[2]
    assert pairs in told.inner_text()
    assert page.get_by_role("figure", name=" ".join(figure.sources[0])).count() == 1
    page.locator(".target .word").first.focus()
    page.keyboard.press("ArrowRight")
    assert pairs not in told.inner_text()
