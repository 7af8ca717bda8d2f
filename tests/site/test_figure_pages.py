"""A figure's own page: what stands on it, where its address leads, and how it looks in a frame of
somebody else's page.
"""

import re

import pytest
from bs4 import BeautifulSoup
from conftest import ROOT
from contents import homes_of
from figure_examples import settled, state

from dev.make.thumbnails import THUMBNAILS

CONFIG = (ROOT / "_config.yml").read_text(encoding="utf-8")
FRAMED = "<!doctype html><title>Slides</title><h1>A slide</h1>{}"


@pytest.fixture(scope="module")
def wall(soup):
    """The links of the gallery's wall: {address of a page: title}."""
    cards = soup("chapters/gallery.html").select("#all-at-a-glance tbody td:nth-child(2) a")
    return {card["href"].removeprefix("../"): card.get_text() for card in cards}


def test_the_gallery_leads_to_every_page_from_its_wall_and_from_its_sections(soup, wall):
    assert len(wall) == len(THUMBNAILS)
    gallery = soup("chapters/gallery.html")
    for page, title in wall.items():
        links = gallery.select(f'section[id] a[href="../{page}"]')
        assert [link.get_text() for link in links] == [title, f"{title}, on its page"]
    assert len(gallery.select("#all-at-a-glance tbody img")) == len(wall)
    (fold,) = (fold for fold in gallery.select("details") if fold.find(id="threads"))
    assert fold.find(id="with-data-of-your-own") and not fold.find(id="all-at-a-glance")


def test_the_front_page_leads_to_what_one_plays_with_longest(soup):
    links = [link["href"] for link in soup("index.html").select('article a[href^="figures/"]')]
    assert links == ["figures/live-translator.html", "figures/training-playground.html"]


def test_a_page_has_its_figure_alone_with_two_sentences_and_where_it_is_used(soup, wall):
    for page, title in wall.items():
        tree = soup(page)
        (figure,) = tree.select(".tl-figure")
        assert tree.h1.get_text() == title and len(tree.select(".words > p")) == 1
        homes = [link["href"] for link in tree.select("footer li a")]
        chapters = [f"{number:02}-" for number in homes_of(figure["data-figure"])]
        found = re.findall(r"\.\./chapters/(\d\d-)", " ".join(homes))
        assert homes and found == chapters
        (source,) = re.findall(r'src="(.+?)"', tree.textarea.get_text())
        assert source.endswith(page)


def test_a_page_says_to_other_sites_what_it_is(site, soup, wall):
    for page, title in wall.items():
        said = {
            meta.get("property") or meta.get("name"): meta["content"]
            for meta in soup(page).select("head meta[content]")
        }
        assert said["og:title"] == title
        words = " ".join(soup(page).select_one(".words p").get_text().split())
        assert said["description"] == said["og:description"] == words
        if "og:image" in said:
            assert said["og:image"].endswith(page.replace(".html", ".webp"))


def test_pages_are_not_in_the_contents_and_no_search_finds_them(site, soup):
    assert not soup("index.html").select('.bd-sidebar-primary a[href*="figures/"]')
    assert '"figures/' not in (site / "searchindex.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("over", ["http", "file"])
def test_a_state_in_the_address_is_shown_and_is_in_the_line_to_copy(visit, over):
    seen = visit("figures/recall.html#Recall?length=9", over=over)
    page = seen.page
    assert state(page)["length"] == "9"
    line = page.get_by_label("copy this line")
    (source,) = re.findall('src="(.+?)"', line.input_value())
    assert source == (page.url if over == "http" else "figures/recall.html#Recall?length=9")
    height = int(re.search(r'height="(\d+)"', line.input_value())[1])
    assert height > page.locator(".tl-figure").bounding_box()["height"]
    page.evaluate("location.hash = '#Recall?length=12'")
    page.wait_for_function("document.querySelector('textarea').value.includes('length=12')")
    line.focus()
    assert line.evaluate("line => line.selectionEnd - line.selectionStart") > 50
    assert not seen.errors and not seen.blocked


def test_the_line_is_copied(visit):
    page = visit("figures/masks.html", permissions=["clipboard-read", "clipboard-write"]).page
    page.get_by_role("button", name="Copy the line").click()
    page.get_by_text("The line is copied.").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.get_by_label("copy this line").input_value()
    page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject())")
    page.get_by_role("button", name="Copy the line").click()
    page.get_by_text("The line is selected: copy it.").wait_for()
    assert page.evaluate("document.activeElement.id") == "embed"


def test_the_line_works_in_a_page_on_another_server_at_any_width(visit, tmp_path):
    shown = visit("figures/break-it.html").page
    line = shown.get_by_label("copy this line").input_value()
    slides = tmp_path / "slides.html"
    slides.write_text(FRAMED.format(line), "utf-8")
    shown.goto(slides.as_uri())
    frame = shown.frame_locator("iframe")
    frame.get_by_role("switch", name="word order").click()
    frame.get_by_text("All four are in").wait_for()
    for part in ("header", "footer", "h1"):
        assert not frame.locator(part).is_visible()
    assert frame.get_by_role("link", name="Attention, by Hand").is_visible()
    inside = shown.frames[1]
    assert inside.evaluate("document.querySelector('base').target") == "_blank"
    for width in (1000, 360):
        shown.set_viewport_size({"width": width, "height": 900})
        inside.wait_for_function(
            "document.documentElement.scrollHeight <= innerHeight"
            " && document.documentElement.scrollWidth <= innerWidth"
        )


def test_from_a_file_the_line_has_no_address_and_the_page_says_so(visit):
    page = visit("figures/masks.html", over="file").page
    assert page.get_by_text("a file on your device").is_visible()
    assert not visit("figures/masks.html").page.get_by_text("a file on your device").is_visible()


@pytest.mark.parametrize("over", ["http", "file"])
def test_the_menu_of_a_figure_opens_its_page_in_the_same_state(visit, over):
    page = visit("chapters/10-why-self-attention.html", over=over).page
    figure = page.locator("[data-figure=PathLengths]").first
    figure.get_by_role("slider", name="words n").press("ArrowLeft")
    words = figure.evaluate("home => home.shadowRoot.querySelector('figure').dataset.words")
    figure.locator(".menu summary").click()
    figure.get_by_role("button", name="Open on its own page").click()
    page.wait_for_url("**/figures/path-lengths.html#PathLengths?*")
    assert state(page)["words"] == words
    page.locator(".menu summary").click()
    assert page.get_by_role("button", name="Copy link").is_visible()
    assert page.get_by_role("button", name="Open on its own page").count() == 0


def test_the_page_is_dark_where_the_reader_chose_so(visit):
    page = visit("figures/threads.html", color_scheme="light").page
    theme = "document.documentElement.dataset.theme"
    assert page.evaluate(theme) == "light"
    page.evaluate("localStorage.mode = 'dark'")
    page.reload()
    settled(page)
    assert page.evaluate(theme) == "dark"
    dark = page.locator("figure.figure").evaluate("it => it.classList.contains('dark')")
    assert dark


def test_a_page_reads_without_javascript(site, visit):
    page = visit("figures/recall.html", java_script_enabled=False).page
    assert page.get_by_role("table").is_visible()
    assert not page.get_by_role("button", name="Copy the line").is_visible()


def test_a_page_is_light(site, wall):
    """Without the weights of a model, which are a file of their own: see `book_data`."""
    for page in wall:
        text = (site / page).read_text(encoding="utf-8")
        assert len(text) < 250_000, page
        scripts = BeautifulSoup(text, "html.parser").select("script[src]")
        assert scripts == [], page
