"""The field for an answer: for every sheet, the same hints in the page as in a notebook."""

import pytest
from contents import NUMBERS
from in_node import Node

from attention_by_hand import exercises
from attention_by_hand.exercises.sheet import number_in
from attention_by_hand.figures import Answer
from attention_by_hand.figures.kit import FigureError
from attention_by_hand.figures.kit.figure import FIGURES


@pytest.fixture(scope="module")
def sheets():
    for chapter in NUMBERS:
        exercises.load(chapter)
    return exercises.SHEETS


# What the field says of each of these answers: the index of an option, or what is typed
SAID = """(home, [answers, isChoice]) => {
    const all = (part) => [...home.shadowRoot.querySelectorAll(part)];
    return answers.map((answer) => {
        if (isChoice) all('input[type=radio]')[answer[0]].click();
        else all('input[type=text]').forEach((field, i) => {
            field.value = answer[i];
            field.dispatchEvent(new Event('input', { bubbles: true }));
        });
        all('button').find((one) => one.textContent === 'Check').click();
        return all('.verdict')[0].textContent;
    });
}"""


def test_the_page_says_what_the_notebook_says(open_figures, sheets):
    figures = [Answer(number, **vars(sheet)) for number, sheet in sheets.items()]
    homes = open_figures(*figures).locator(".tl-figure").all()
    for home, (number, sheet) in zip(homes, sheets.items(), strict=True):
        filled = [
            [right if value is None else value for value, right in zip(p, sheet.right, strict=True)]
            for p, _ in sheet.mistakes
        ]
        answers = [list(sheet.right), *filled]
        if not sheet.options:
            answers.append([value + 1234.5 for value in sheet.right])
            answers.append([round(100 * r) if abs(r) <= 1 else r for r in sheet.right])
            # Beside each mistake, where it is known still, and where the right number is nearer
            answers += [[v + 4 * sheet.within for v in values] for values in filled]
            answers += [
                [v + 0.55 * (r - v) for v, r in zip(values, sheet.right, strict=True)]
                for values in filled
            ]
        typed = [[int(a[0])] if sheet.options else [repr(value) for value in a] for a in answers]
        hints = [sheet.hint(values) for values in answers]
        expected = ["✓ Right." if hint is None else f"Not yet: {hint}" for hint in hints]
        assert home.evaluate(SAID, [typed, bool(sheet.options)]) == expected, number


# What readers write, and the number that both homes read in it; None where there is none.
TYPED = {
    "2.5": 2.5,
    "2,5": 2.5,
    " 5/2 ": 2.5,
    "+2.5": 2.5,
    "-2.5": -2.5,
    "−2.5": -2.5,
    "– 2.5": -2.5,
    "‑2,5": -2.5,
    "－2.5": -2.5,
    "−5⁄2": -2.5,
    "5/−2": -2.5,
    "(2.5)": 2.5,
    "[5/2]": 2.5,
    ".5": 0.5,
    "5.": 5,
    "1e-3": 1e-3,
    "1e−3": 1e-3,
    "2.5E+3": 2500,
    "−1e−3": -1e-3,
    "18944000": 18_944_000,
    "18 944 000": 18_944_000,
    "18\u2009944\u2009000": 18_944_000,
    "18\u202f944\u202f000": 18_944_000,
    "18\u00a0944\u00a0000": 18_944_000,
    "18'944'000": 18_944_000,
    "18’944’000": 18_944_000,
    "18_944_000": 18_944_000,
    "18,944,000": 18_944_000,
    "−18,944,000": -18_944_000,
    "18,944.5": 18_944.5,
    "1,000/3": 1000 / 3,
    "0,250": 0.25,
    "\u200b2.5\ufeff": 2.5,
    "\u200e−2.5": -2.5,
    "": None,
    " ": None,
    "-": None,
    "two": None,
    "½": None,
    "٢٫٥": None,
    "10²": None,
    "37000*512": 37000 * 512,
    "37,000 · 512": 37000 * 512,
    "64×5 + 10": 330,
    "1+2+3+4+4+4": 18,
    "2*(3+4)": 14,
    "(1+2)/(3+4)": 3 / 7,
    "2^−3": 0.125,
    "−2**2": -4,
    "1/2/4": 0.125,
    "18.944.000": 18_944_000,
    "1.234,5": 1234.5,
    "25 %": 0.25,
    "73.1%": 0.731,
    "(2": 2,
    "2*": None,
    "2 + * 3": None,
    "1/(1/0)": None,
    "9^9^9": None,
    "(-8)^(1/3)": None,
    "1,2,3": None,
    "e": None,
    "1/": None,
    "/2": None,
    "1/0": None,
    "0/0": None,
    "1e999": None,
    "inf": None,
    "nan": None,
    "0x10": None,
    "1.2.3": None,
    "--2": None,
}


IN_PAGE = "(texts) => texts.map(typed.numberIn).map((n) => (Number.isNaN(n) ? null : n))"


@pytest.fixture(scope="module")
def typed_js():
    with Node([FIGURES / "kit" / "parts" / "typed.js"]) as node:
        yield node


@pytest.mark.parametrize(("text", "number"), TYPED.items(), ids=map(ascii, TYPED))
def test_a_number_is_read_alike_in_a_notebook_and_in_the_page(typed_js, text, number):
    assert number_in(text) == number
    assert typed_js.evaluate(IN_PAGE, [text]) == [number]


def test_no_sign_is_read_in_one_home_alone(typed_js):
    """Any of the first 65,536 beside a digit, before it and within it."""
    signs = [chr(code) for code in range(0x10000) if not 0xD800 <= code < 0xE000]
    texts = [form.replace("?", sign) for form in ("?2", "2?", "2?5", "2?5?1") for sign in signs]
    assert typed_js.evaluate(IN_PAGE, texts) == [number_in(text) for text in texts]


ANSWERED = {
    "5/2": ("right", "Right"),
    "−2.5": ("hint", "y"),
    "6.25": ("hint", "x"),
    "two": ("missing", "“two” cannot be read as one."),
    "x" * 99: ("missing", f"“{'x' * 40}…” cannot be read"),
    "": ("missing", "A number is asked for, such as 0.25 or −1/4."),
}


def test_what_is_written_is_answered(open_figures):
    page = open_figures(Answer("3.1", right=[2.5], mistakes=[([6.25], "x")], otherwise=["y"]))
    for text, (verdict, said) in ANSWERED.items():
        page.get_by_role("textbox").fill(text)
        page.get_by_role("textbox").press("Enter")
        assert page.locator("figure").get_attribute("data-verdict") == verdict
        assert said in page.locator(".verdict").text_content()
        focused = page.evaluate("document.activeElement.shadowRoot.activeElement?.tagName")
        assert focused == "INPUT"
        page.get_by_role("textbox").fill("3")
        assert page.locator(".verdict").text_content() == ""


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
