"""A chapter can be read: its main line is short, broken by pictures and open code that fits, and
nothing is cut.
"""

import pytest
from conftest import ROOT
from reading import read

pytestmark = pytest.mark.site

CHAPTERS = sorted(path.stem for path in (ROOT / "chapters").glob("[01]*.ipynb"))
OPEN_LINES = 86  # of a chapter, in the mean of all, before their exercises

# Boxes of the main line whose contents are wider than they are, with whether they scroll by
# themselves.
WIDE = """() => [
    ...document.querySelectorAll('article :is(pre, div.math, table, img, .cell_output)')]
    .filter((box) => box.offsetWidth && !box.closest('.tl-figure, details:not([open])'))
    .filter((box) => box.scrollWidth > box.clientWidth + 1)
    .map((box) => {
        let scrolls = box;
        while (scrolls && !['auto', 'scroll'].includes(getComputedStyle(scrolls).overflowX)) {
            scrolls = scrolls.parentElement;
        }
        return [box.textContent.trim().slice(0, 60), Boolean(scrolls)];
    })"""


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_main_line_is_short_and_broken_by_things_to_look_at(site, chapter):
    assert read(site / "chapters" / f"{chapter}.html").too_much() == []


def test_what_stays_open_of_the_code_is_the_lesson(site):
    assert sum(
        sum(read(site / "chapters" / f"{chapter}.html").cells) for chapter in CHAPTERS
    ) <= OPEN_LINES * len(CHAPTERS)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_nothing_is_cut_on_a_desk_and_what_is_wide_scrolls_on_a_phone(visit, chapter):
    page = visit(f"chapters/{chapter}.html").page
    assert page.evaluate(WIDE) == []
    page.set_viewport_size({"width": 360, "height": 740})
    page.wait_for_function("document.documentElement.clientWidth <= 360")
    assert [text for text, scrolls in page.evaluate(WIDE) if not scrolls] == []
