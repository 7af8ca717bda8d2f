"""A chapter can be read: it is short, broken by pictures and open code, and nothing is cut."""

import pytest
from conftest import ROOT
from reading import ALL_CHAPTERS, ALL_WAYS, WAYS, read, up_to, words

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


PAGE = """<article class="bd-article"><section id="page"><h1>A title<a class="headerlink">#</a></h1>
<p>Three words here <span class="math">x + y</span></p><div class="math">x + y + z</div>
<section id="way"><h2>The way</h2><table><tr><td>two words</td></tr></table>
<div class="cell"><div class="cell_input"><pre>one line\n\nof code</pre></div>
<div class="cell_output"><pre>printed words</pre></div></div>
<div class="cell"><div class="cell_output"><div class="tl-figure"><p>PRESS</p></div></div>
<p class="book-caption">A caption</p></div>
<details><summary>Closed</summary><p>LONG</p></details><p>LONG</p></section>
<section id="the-workshop"><h2>The workshop</h2><p>Here it is proved</p></section>
<section id="later"><h2>Later</h2><p>more</p></section>
<section id="exercises"><h2>Exercises</h2><p>not counted</p></section></section></article>"""


def test_words_are_what_stands_open_before_the_exercises(tmp_path):
    page = tmp_path / "03-page.html"
    page.write_text(PAGE.replace("LONG", "word " * 111), encoding="utf-8")
    reading = read(page)
    before = 2 + 4 + 2 + 2 + 2 + 111
    assert (reading.way, reading.words) == (before, before + 6 + 2)
    assert (reading.run, reading.cells) == (2 + 111 + 6 + 2, [2])
    (long,) = reading.too_much()
    assert long.startswith("paragraph of more than 110 words: 111, 'word word")
    assert words(up_to(page, "way")) == 6


@pytest.mark.site
def test_the_ways_are_an_afternoon_and_the_chapters_a_book(site):
    pages = [read(site / "chapters" / f"{chapter}.html") for chapter in CHAPTERS]
    assert len(pages) == len(WAYS)
    assert sum(page.way or page.words for page in pages) <= ALL_WAYS
    assert sum(page.words for page in pages) <= ALL_CHAPTERS


@pytest.mark.site
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_main_line_is_short_and_broken_by_things_to_look_at(site, chapter):
    assert read(site / "chapters" / f"{chapter}.html").too_much() == []


@pytest.mark.site
def test_what_stays_open_of_the_code_is_the_lesson(site):
    assert sum(
        sum(read(site / "chapters" / f"{chapter}.html").cells) for chapter in CHAPTERS
    ) <= OPEN_LINES * len(CHAPTERS)


@pytest.mark.site
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_nothing_is_cut_on_a_desk_and_what_is_wide_scrolls_on_a_phone(visit, chapter):
    page = visit(f"chapters/{chapter}.html").page
    assert page.evaluate(WIDE) == []
    page.set_viewport_size({"width": 360, "height": 740})
    page.wait_for_function("document.documentElement.clientWidth <= 360")
    assert [text for text, scrolls in page.evaluate(WIDE) if not scrolls] == []
