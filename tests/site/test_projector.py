"""Projector mode: one key makes text and figures large and the rest quiet, two go from part to
part.
"""

import re

import pytest

AROUND = (
    ".bd-sidebar-primary, .bd-sidebar-secondary, .bd-header-article, footer.bd-footer, "
    ".prev-next-footer"
)
LARGE = """() => {
  const [word, figure] = [document.querySelector("article section > p"),
      document.querySelector(".tl-figure")];
  const shown = figure.shadowRoot.querySelector(".figure");
  const height = shown.getBoundingClientRect().height / shown.offsetHeight;
  return [parseFloat(getComputedStyle(word).fontSize),
      height * parseFloat(getComputedStyle(shown).fontSize)];
}"""


def on(page):
    return page.evaluate("document.documentElement.classList.contains('projector')")


def around(page):
    return page.evaluate(
        f"[...document.querySelectorAll('{AROUND}')].filter((box) => box.checkVisibility()).length"
    )


@pytest.mark.parametrize("over", ["http", pytest.param("file", marks=pytest.mark.weekly)])
def test_one_key_makes_a_page_large_and_quiet_and_the_next_page_too(visit, over):
    opened = visit("chapters/09-reading-attention.html", over=over)
    page = opened.page
    text, figure = page.evaluate(LARGE)
    assert around(page) >= 3 and not on(page)
    page.keyboard.press("p")
    assert on(page) and around(page) == 0
    large_text, large_figure = page.evaluate(LARGE)
    assert large_text >= 24 and large_text > 1.3 * text and large_figure > 1.3 * figure
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    notice = page.locator(".projector-notice[role=status]")
    assert "Escape leaves it" in notice.text_content()
    assert notice.evaluate("(box) => getComputedStyle(box).opacity") == "1", "seen by all at first"
    wide = page.evaluate(
        "() => document.querySelector('.tl-figure').getBoundingClientRect().right - innerWidth"
    )
    assert wide <= 0

    page.locator("[data-figure=LiveTranslator] .source .chip").first.click()
    typed = page.locator("[data-figure=LiveTranslator] input[name=source]")
    typed.press("End")
    typed.press("p")
    assert on(page) and typed.input_value().endswith("p")

    page.goto(re.sub(r"/[^/]+\.html$", "/05-masks.html", page.url))
    assert on(page) and around(page) == 0
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    assert on(page)
    # A slider is no place to type
    page.locator("[data-figure=Masks] input[type=range]").first.press("p")
    assert not on(page) and around(page) >= 3
    page.keyboard.press("P")
    page.keyboard.press("Escape")
    assert not on(page) and "is off" in page.locator(".projector-notice").text_content()
    page.reload()
    assert not on(page)
    assert opened.errors == []


def test_it_can_be_switched_with_the_mouse_and_what_is_read_stays_in_sight(visit):
    page = visit("chapters/05-masks.html").page
    page.locator("#a-leak-test").evaluate(
        "(heading) => heading.scrollIntoView({ behavior: 'instant' })"
    )
    page.keyboard.press("p")
    assert (
        -300
        < page.locator("#a-leak-test > h2").evaluate("(h) => h.getBoundingClientRect().top")
        < 600
    )
    page.get_by_role("button", name="leave projector mode").click()
    assert not on(page)
    page.get_by_role("button", name="projector mode (p)").click()
    assert on(page)
    page.keyboard.press("Control+p")
    assert on(page)


PARTS = """() => [
    ...document.querySelectorAll("article :is(h1, h2, h3, .tl-figure, .cell_output img)")]
  .filter((part) => part.checkVisibility())
  .map((part) => Math.round(part.getBoundingClientRect().top))"""


def test_a_remote_goes_from_part_to_part_and_leaves_out_nothing(visit):
    page = visit("chapters/05-masks.html").page
    page.keyboard.press("p")
    height = page.evaluate("innerHeight")
    for key in ("PageDown", "PageUp"):
        stood = set()
        at = page.evaluate("scrollY")
        before = None
        while at != before:
            page.keyboard.press(key)
            before = at
            at = page.evaluate("scrollY")
            assert abs(at - before) <= height
            assert before > 0 or at == before or at > height / 8, "one sees that it moves"
            tops = page.evaluate(PARTS)
            stood.update(i for i, top in enumerate(tops) if abs(top - 16) <= 2)
        # Where one begins need not be gone to
        first = {0} if key == "PageDown" else {len(tops) - 1}
        assert stood | first == set(range(len(tops))) and len(tops) > 20


@pytest.mark.parametrize(
    "chapter", ["04-many-heads", pytest.param("07-the-whole-transformer", marks=pytest.mark.weekly)]
)
def test_the_first_press_is_seen_to_move_the_page(visit, chapter):
    page = visit(f"chapters/{chapter}.html").page
    page.keyboard.press("p")
    page.keyboard.press("PageDown")
    assert page.evaluate("scrollY") > page.evaluate("innerHeight") / 8


def test_a_remote_turns_from_a_slider_whose_arrow_keys_stay_its_own(visit):
    page = visit("chapters/05-masks.html").page
    slider = page.locator("[data-figure=Masks] input[type=range]").first
    slider.press("Home")
    page.keyboard.press("p")
    before = page.evaluate("scrollY")
    page.keyboard.press("ArrowRight")
    value = slider.input_value()
    assert page.evaluate("scrollY") == before and value != slider.get_attribute("min")
    page.keyboard.press("PageDown")
    assert page.evaluate("scrollY") != before and slider.input_value() == value
    page.keyboard.press("Escape")
    page.keyboard.press("PageUp")
    assert slider.input_value() != value, "without the mode the key is the slider's again"


def test_who_writes_does_not_enter_it(visit):
    page = visit("search.html").page
    field = page.locator(".bd-search input:visible").first
    field.press("p")
    assert not on(page) and field.input_value() == "p"
