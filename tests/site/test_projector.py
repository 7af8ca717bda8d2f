"""Projector mode: one key makes text and figures large and the rest quiet."""

import re

import pytest

AROUND = ".bd-sidebar-primary, .bd-sidebar-secondary, .bd-header-article, footer.bd-footer, .prev-next-footer"
LARGE = """() => {
  const [word, figure] = [document.querySelector("article p"), document.querySelector(".tl-figure")];
  const shown = figure.shadowRoot.querySelector(".figure");
  const height = shown.getBoundingClientRect().height / shown.offsetHeight;
  return [parseFloat(getComputedStyle(word).fontSize), height * parseFloat(getComputedStyle(shown).fontSize)];
}"""


def on(page):
    return page.evaluate("document.documentElement.classList.contains('projector')")


def around(page):
    return page.evaluate(
        f"[...document.querySelectorAll('{AROUND}')].filter((box) => box.checkVisibility()).length"
    )


@pytest.mark.parametrize("over", ["http", "file"])
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
    assert "is on" in page.locator(".projector-status[role=status]").text_content()
    wide = page.evaluate(
        "() => document.querySelector('.tl-figure').getBoundingClientRect().right - innerWidth"
    )
    assert wide <= 0

    typed = page.locator(
        "[data-figure=LiveTranslator] input:not([type=range], [type=checkbox])"
    ).first
    typed.press("End")
    typed.press("p")
    assert on(page) and typed.input_value().endswith("p")

    page.goto(re.sub(r"/[^/]+\.html$", "/05-masks.html", page.url))
    assert on(page) and around(page) == 0
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    assert on(page)
    page.locator("[data-figure=Masks] input[type=range]").first.press(
        "p"
    )  # a slider is no place to type
    assert not on(page) and around(page) >= 3
    page.keyboard.press("P")
    page.keyboard.press("Escape")
    assert not on(page) and "is off" in page.locator(".projector-status").text_content()
    page.reload()
    assert not on(page)
    assert [
        error for error in opened.errors if not error.startswith("not loaded")
    ] == []  # cut short by the next page


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
