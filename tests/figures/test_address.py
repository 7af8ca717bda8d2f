"""Where the address of a figure leads: to the figure, which stays at the top of the window until
the page has settled or the reader moves.
"""

import json
import re
from types import SimpleNamespace

import pytest
from conftest import ROOT
from figure_examples import EXAMPLES, state

from attention_by_hand.figures import Recall

TOP = "document.querySelectorAll('.tl-figure')[1].getBoundingClientRect().top"
# What comes late, such as letters and pictures, makes the page above the figure longer.
GROW = "document.querySelector('p').style.paddingBottom = '700px'"


@pytest.fixture
def arrived(open_figures):
    """A page with three figures of a kind, opened at an address that asks for the second."""
    page = open_figures(Recall(), Recall(), Recall())
    address = f"{page.url}#Recall-2?length=16"
    page.goto("about:blank")
    page.goto(address)
    return page


def shown(page):
    page.wait_for_timeout(100)
    return page.evaluate(TOP)


def test_an_address_leads_to_its_figure_also_while_the_page_grows(arrived):
    assert abs(shown(arrived)) < 2
    arrived.evaluate(GROW)
    assert abs(shown(arrived)) < 2


def test_a_reader_who_has_begun_to_scroll_is_not_held(arrived):
    assert abs(shown(arrived)) < 2
    arrived.mouse.wheel(0, 100)
    assert shown(arrived) < -50
    there = arrived.evaluate(TOP)
    arrived.evaluate(GROW)
    assert shown(arrived) == pytest.approx(there, abs=2)  # the browser itself keeps the place


def test_a_page_that_has_settled_grows_as_any_page_does_until_the_address_changes(arrived):
    arrived.wait_for_timeout(2500)
    arrived.evaluate("scrollTo(0, 0)")  # as by a screen reader or a remote, which no event tells of
    arrived.evaluate(GROW)
    assert shown(arrived) > 800
    arrived.evaluate("location.hash = '#Recall-2?length=17'")
    assert abs(shown(arrived)) < 2


def test_after_a_reload_the_reader_is_where_they_were(arrived):
    arrived.mouse.wheel(0, 10)  # and is let go
    arrived.wait_for_timeout(100)
    arrived.evaluate("scrollTo(0, 40)")
    arrived.reload()
    arrived.wait_for_timeout(300)
    assert arrived.evaluate("scrollY") == 40


@pytest.fixture
def linked(open_figures):
    """A page whose text has a link to a state of its figure."""
    page = open_figures(Recall(length=3))
    page.evaluate(
        """() => {
        const link = document.createElement('a');
        Object.assign(link, { href: '#Recall?length=16', textContent: 'sixteen' });
        document.querySelector('p').append(link);
        document.body.style.paddingBottom = '2000px';
    }"""
    )
    return page


def test_a_word_of_the_text_lights_its_part_and_a_click_leaves_it_so(linked):
    word = linked.locator("a", has_text="sixteen")
    word.hover()
    assert state(linked)["length"] == "16"
    linked.mouse.move(5, 700)
    assert state(linked)["length"] == "3"
    word.focus()
    assert state(linked)["length"] == "16"
    word.blur()
    assert state(linked)["length"] == "3"
    word.click()
    linked.mouse.move(5, 700)
    assert state(linked)["length"] == "16"
    assert linked.evaluate("scrollY") == 0, "what is in sight stays where it is"


def test_a_figure_that_is_out_of_sight_is_brought_by_each_click_on_its_word(linked):
    word = linked.locator("a", has_text="sixteen")
    linked.evaluate("document.querySelector('p').style.paddingBottom = '1500px'")
    for _ in range(2):
        linked.evaluate("scrollTo(0, 0)")
        word.click()
        linked.wait_for_function("Math.abs(scrollY - 1500) < 100")


PULLED = re.compile(r'<a class="pulled" href="#(\w+)\?')


def test_a_number_of_a_sentence_is_pulled_and_its_figure_answers_there(open_figures):
    """And what the sentence says first is what the figure says of it."""
    chapters = (json.loads(page.read_text("utf-8")) for page in ROOT.glob("chapters/*.ipynb"))
    cells = ["".join(cell["source"]) for page in chapters for cell in page["cells"]]
    texts = {found[1]: cell for cell in cells if (found := PULLED.search(cell))}
    assert len(texts) >= 3
    parts = [part for name in texts for part in (EXAMPLES[name].make().snapshot(), texts[name])]
    page = open_figures(*(SimpleNamespace(snapshot=lambda part=part: part) for part in parts))
    for index, kind in enumerate(texts):
        number = page.locator("a.pulled").nth(index)
        sentence = page.locator(f"output[for={kind}]").or_(number)
        first = sentence.all_inner_texts()
        number.press("ArrowLeft")
        pulled = sentence.all_inner_texts()
        assert len(first) > 1 and all(map(str.__ne__, pulled, first)), kind
        number.press("ArrowRight")
        again = sentence.all_inner_texts()
        assert [text.split() for text in again] == [text.split() for text in first]
    box = number.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 45, box["y"] + 5)
    page.mouse.up()
    assert number.text_content() == number.get_attribute("aria-valuetext") != again[0]
