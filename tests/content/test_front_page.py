"""The first page is understood at once: its first screen, its words, and the chapters as cards."""

import re

import pytest
from conftest import ROOT
from reading import PARAGRAPH, up_to, words

pytestmark = pytest.mark.site

CARDS = sorted((ROOT / "_static" / "cards").glob("card-*.svg"))
# What nobody knows who has not read the book
JARGON = re.compile(r"attention\b(?!, by Hand)|head|layer|query|\bkey|softmax|decoder|token", re.I)


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1280, 720), (390, 844)])
def test_the_first_screen_has_title_threads_and_button_and_no_jargon(visit, width, height):
    page = visit("index.html", width=width, reduced_motion="reduce").page
    page.set_viewport_size({"width": width, "height": height})
    shown = [
        page.locator("h1"),
        page.locator("h1 + p"),
        page.locator("h1 + p + p"),
        page.locator(".tl-figure").first.locator(".picture"),
        page.locator(".tl-figure").first.locator(".sentence"),
        page.get_by_role("link", name="Compute one of these threads yourself"),
    ]
    bottoms = [box["y"] + box["height"] for box in (one.bounding_box() for one in shown)]
    assert bottoms == sorted(bottoms) and bottoms[-1] <= height
    words = " ".join(one.inner_text() for one in shown)
    assert not JARGON.search(words), words
    assert {"book", "chapters", "afternoon", "break"} <= {*re.findall(r"\w+", words)}
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_it_is_short_up_to_the_cards(site):
    page = up_to(site / "index.html", "how-the-book-works")
    ids = [section["id"] for section in page.select("section section")]
    assert ids == ["break-it", "where-to-start", "the-chapters"]
    chapters = page.find("section", id="the-chapters")
    cards = chapters.select_one(":scope > :has(table)")
    after = words(cards, *cards.find_next_siblings())
    assert words(page) - after <= 450 and after > 100
    assert not [p.get_text() for p in page.find_all("p") if words(p) > PARAGRAPH]


def test_each_chapter_is_a_card_that_leads_to_it(visit):
    page = visit("index.html", width=1280).page
    cards = page.locator("#the-chapters tbody tr")
    assert cards.count() == len(CARDS) == len([*(ROOT / "chapters").glob("[01]*.ipynb")])
    for n in range(cards.count()):
        card = cards.nth(n)
        picture = card.locator("img.in-light")
        assert picture.get_attribute("src").endswith(f"card-{n:02}.svg")
        box = card.bounding_box()
        card.scroll_into_view_if_needed()
        middle = "([x, y]) => document.elementFromPoint(x, y).closest('a')?.getAttribute('href')"
        box = card.bounding_box()
        at = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 3]
        assert page.evaluate(middle, at).startswith(f"chapters/{n:02}-")
    left = cards.evaluate_all("all => all.map(card => card.getBoundingClientRect().left)")
    right = cards.evaluate_all("all => all.map(card => card.getBoundingClientRect().right)")
    assert round(right[-1]) == round(max(right)), "the last row is full"
    assert left[0] == min(left) and left.count(min(left)) > 1


def test_the_pictures_of_the_cards_are_small_and_without_letters():
    for path in [*CARDS, *(ROOT / "_static" / "wall").iterdir()]:
        drawn = path.read_text(encoding="utf-8")
        assert len(drawn) <= 12_000 and "<text" not in drawn and "font" not in drawn, path.name


def test_the_front_page_breaks_a_translation_with_the_weights_of_the_live_translator(visit):
    page = visit("index.html", width=1280, reduced_motion="reduce").page
    figure = page.locator(".tl-figure").nth(1)
    figure.scroll_into_view_if_needed()
    figure.get_by_role("switch", name="word order").click()
    figure.get_by_role("switch").last.click()
    figure.get_by_text("cannot let go").wait_for()
    assert figure.locator(".changed bdi").all_inner_texts() == ["hot"] * 3
