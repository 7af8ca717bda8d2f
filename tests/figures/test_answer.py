"""The field for an answer: for every sheet, the same hints in the page as in a notebook."""

import pytest

from transformer_lite import exercises
from transformer_lite.figures import Answer
from transformer_lite.figures.kit import FigureError

CHAPTERS = range(13)


@pytest.fixture(scope="module")
def sheets():
    for chapter in CHAPTERS:
        exercises.load(chapter)
    return exercises.SHEETS


def test_the_page_says_what_the_notebook_says(open_figures, sheets):
    figures = [Answer(number, **vars(sheet)) for number, sheet in sheets.items()]
    page = open_figures(*figures)
    for index, (number, sheet) in enumerate(sheets.items()):
        figure = page.locator(".tl-figure").nth(index)
        filled = [
            [right if value is None else value for value, right in zip(p, sheet.right, strict=True)]
            for p, _ in sheet.mistakes
        ]
        elsewhere = [value + 1234.5 for value in sheet.right]
        for values in [list(sheet.right), *filled, *([] if sheet.options else [elsewhere])]:
            if sheet.options:
                figure.get_by_role("radio").nth(int(values[0])).check()
            else:
                for i, value in enumerate(values):
                    figure.get_by_role("textbox").nth(i).fill(repr(value))
            figure.get_by_role("button", name="Check").click()
            hint = sheet.hint(values)
            said = "✓ Right." if hint is None else f"Not yet: {hint}"
            assert figure.locator(".verdict").text_content() == said, (number, values)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("2.5", "right"),
        ("2,5", "right"),
        (" 5/2 ", "right"),
        ("−2.5", "hint"),
        ("6.25", "hint"),
        ("two", "missing"),
        ("", "missing"),
        ("1/2/3", "missing"),
    ],
)
def test_a_number_may_be_written_in_several_ways(open_figures, text, verdict):
    page = open_figures(Answer("3.1", right=[2.5], mistakes=[([6.25], "x")], otherwise=["y"]))
    page.get_by_role("textbox").fill(text)
    page.get_by_role("textbox").press("Enter")
    assert page.locator("figure").get_attribute("data-verdict") == verdict
    focused = page.evaluate("document.activeElement.shadowRoot.activeElement?.tagName")
    assert focused == "INPUT"
    page.get_by_role("textbox").fill("3")
    assert page.locator(".verdict").text_content() == ""


def test_thousands_may_be_apart_or_have_commas(open_figures):
    page = open_figures(Answer("1.2", right=[18_944_000], mistakes=[], otherwise=["y"]))
    for text in ("18,944,000", "18 944 000", "18944000", "18'944'000"):
        page.get_by_role("textbox").fill(text)
        page.get_by_role("button", name="Check").click()
        assert page.locator(".verdict").text_content() == "✓ Right."


def test_a_sheet_that_does_not_fit_is_refused():
    with pytest.raises(FigureError, match="as many names"):
        Answer("1.1", right=[1, 2], mistakes=[], otherwise=["one hint"], asks=["a", "b"])


def test_all_that_a_thumb_presses_is_44_pixels_high(open_figures):
    number = Answer("3.1", right=[2.5], mistakes=[], otherwise=["y"])
    choice = Answer("3.2", right=[1], mistakes=[], otherwise=["y"], options=["one", "two"])
    page = open_figures(number, choice, width=390)
    low = page.locator(".answer :is(button, .option, input[type=text])").evaluate_all(
        "all => all.map((one) => one.offsetHeight).filter((height) => height < 44)"
    )
    assert low == []
