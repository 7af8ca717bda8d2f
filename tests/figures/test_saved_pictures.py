"""A figure's picture to post: what a hand needs is gone, and nothing else. How like the screen it
is: test_every_figure.py.
"""

import sys
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import pytest
from conftest import ROOT
from figure_examples import EXAMPLES, settled
from pictures import ALONE, AS_SAVED
from PIL import Image

from attention_by_hand.exhibits.walkthrough import SENTENCES, TABLE
from attention_by_hand.figures import EmbeddingLookup, LiveTranslator, Threads

sys.path.insert(0, str(ROOT / "_ext"))
from book_letters import rules  # noqa: E402

MAGENTA = [166, 30, 122]


@pytest.fixture
def framed():
    """`framed(page)`: the picture that the page's figure saves, (1260, 2400, 3)."""

    def framed(page):
        settled(page)
        with page.expect_download() as download:
            page.locator(".menu summary").first.click()
            page.get_by_role("button", name="Save as a picture").click()
        return np.asarray(Image.open(download.value.path()).convert("RGB")).astype(int)

    return framed


def count(picture, colour):
    return (np.abs(picture - colour).max(-1) < 12).sum()


def test_faded_words_stay_faded(open_figures, framed):
    at_rest, picked = Threads(), Threads()
    picked.source_word = 0
    pages = [open_figures(figure, reduced_motion="reduce") for figure in (at_rest, picked)]
    strong = [count(framed(page), MAGENTA) for page in pages]
    assert 0 < strong[1] < strong[0] / 4


def test_the_translator_keeps_its_text_and_loses_its_buttons(open_figures):
    page = open_figures(LiveTranslator())
    settled(page)
    page.locator(".layer-label").first.click()
    settled(page)
    page.evaluate(f"({ALONE})(0)")
    shown = page.locator(".saved").evaluate(
        "root => [...root.querySelectorAll('*')].filter((one) => !one.children.length)"
        ".filter((one) => one.checkVisibility()).map((one) => one.textContent)"
    )
    assert "zugemacht" in shown and "encoder" in shown
    assert not {"put everything back", "+", "⋯", "Save as a picture"} & {*shown}


def test_title_book_and_address_stand_around_it_on_the_ground_of_the_page(open_figures, framed):
    page = open_figures(Threads(), reduced_motion="reduce")
    plain = framed(page)
    assert (plain[[0, 0, -1, -1], [0, -1, 0, -1]] == 255).all(), "the corners"
    assert np.ptp(plain[40:130, 80:400]) > 100, "the title"
    assert np.ptp(plain[-90:-40, 80:300]) > 100, "the book"
    assert np.ptp(plain[-90:-40, 1200:]) == 0
    page.evaluate(
        "document.head.insertAdjacentHTML('beforeend', "
        '\'<meta property="og:url" content="https://book.example/index.html">\')'
    )
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    dark = framed(page)
    assert (dark[[0, 0, -1, -1], [0, -1, 0, -1]] <= 40).all(), "the corners"
    assert np.ptp(dark[-90:-40, 1800:]) > 100, "the address, where it has one"
    with page.expect_download() as download:
        page.locator(".menu summary").first.click()
        page.get_by_role("button", name="Save as an SVG").click()
    drawn = unquote(ElementTree.parse(download.value.path()).getroot()[0].get("href"))
    words = [*ElementTree.fromstring(drawn.partition(",")[2]).itertext()]
    assert f"{Threads.title} · Attention, by Hand book.example/" in words


def test_a_figure_enlarged_for_a_projector_is_saved_as_ever(open_figures, framed):
    page = open_figures(EXAMPLES["AttentionExplorer"].make())
    pictures = []
    for zoom in (1, 1.5):
        page.locator(".tl-figure").evaluate(
            "(home, zoom) => { home.style = `width: 560px; zoom: ${zoom}` }", zoom
        )
        page.wait_for_timeout(100)  # what watches its size follows
        pictures.append(framed(page))
    assert np.abs(pictures[0] - pictures[1]).mean() < 1


def test_letters_of_the_site_come_along(open_figures, framed, tmp_path):
    site = tmp_path / "_static"
    site.mkdir()
    letters = "".join(rules(ROOT / "_static"))
    (site / "letters.js").write_text(f"document.letters = `{letters}`", encoding="utf-8")
    figure = EmbeddingLookup(TABLE, SENTENCES)
    elsewhere = framed(open_figures(figure))
    page = open_figures(figure, html_attributes='data-content_root=""')
    assert np.abs(framed(page) - elsewhere).mean() > 1, "set in the book's letters"
    page.evaluate(f"({ALONE})(0)")
    text, wrong = page.evaluate(f"({AS_SAVED})(0)")
    assert not wrong and text.count("@font-face") == 4
