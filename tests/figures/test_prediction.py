"""Predictions commit: the answer shows after the guess, the guess is kept in the browser, hands can
be counted.
"""

import ast
import json
import re

import numpy as np
import pytest
import torch
from predictions import CHAPTERS, page_of

from attention_by_hand.figures import (
    HeadsInMemory,
    OneWeight,
    PathLengths,
    Positions,
    Prediction,
    Predictions,
    Recall,
    SoftmaxScale,
    TrainingPlayground,
)

CHOICE = dict(options=["0 %", "9 %", "33 %"], answer=1, because="The power of 0 is 1.")


def question(number="5.1"):
    return Prediction(number, "What weight does the padding get?", **CHOICE)


def guess(root, option=None, button="That is my guess"):
    if option is not None:
        root.get_by_role("radio", name=option).check()
    root.get_by_role("button", name=button).click()


def test_a_guess_comes_before_the_answer_is_kept_and_can_be_erased(open_figures):
    page = open_figures(question(), Predictions(5))
    root, collected = page.locator("figure").nth(0), page.locator("figure").nth(1)
    assert "The power of 0" not in root.inner_text() and "✓" not in root.inner_text()
    assert "The power of 0" not in root.aria_snapshot()
    assert collected.is_hidden()
    assert root.get_by_role("button", name="That is my guess").is_disabled()
    guess(root, "33 %")
    said = root.locator(".answer")
    assert said.inner_text() == "The answer: 9\u00a0%. The power of 0 is 1."
    assert root.locator(".row").all_inner_texts() == [
        "0\u00a0%",
        "9\u00a0%\n✓",
        "33\u00a0%\nyour guess",
    ]
    assert "9\u00a0%; your guess: 33\u00a0%." in collected.inner_text()
    page.reload()
    said.filter(has_text="The answer").wait_for()
    assert said.inner_text() == "The answer: 9\u00a0%. The power of 0 is 1."
    collected.get_by_role("button", name="Erase my predictions").click()
    assert said.inner_text() == "" and collected.get_by_role("listitem").count() == 0
    assert "are erased" in collected.inner_text()
    assert page.evaluate("localStorage.length") == 0
    guess(root, "9 %")
    assert said.inner_text() == "You were right. The answer: 9\u00a0%. The power of 0 is 1."
    assert root.locator(".row").nth(1).inner_text() == "9\u00a0%\n✓ your guess"
    assert "9\u00a0%; you were right." in collected.inner_text()
    assert "are erased" not in collected.inner_text()
    root.get_by_role("button", name="Erase my guess").click()
    assert collected.is_hidden() and "✓" not in root.inner_text()


def test_the_guesses_of_all_chapters_are_listed_in_order_and_erased_together(open_figures):
    page = open_figures(question("10.1"), question("5.1"), Predictions(), Predictions(5))
    for place, option in enumerate(["33 %", "9 %"]):
        guess(page.locator("figure").nth(place), option)
    every, chapter_5 = page.locator("figure").nth(2), page.locator("figure").nth(3)
    said = every.get_by_role("listitem").all_inner_texts()
    assert [words.split(".")[0] for words in said] == ["Chapter 5", "Chapter 10"]
    assert "you were right" in said[0] and "your guess: 33" in said[1]
    assert "Chapter" not in chapter_5.get_by_role("listitem").inner_text()
    every.get_by_role("button", name="Erase my predictions", exact=True).click()
    assert "Your predictions are erased." in every.inner_text()
    assert page.evaluate("localStorage.length") == 0


def test_on_a_phone_a_thumb_finds_each_answer_and_the_button(open_figures):
    scale = Prediction("5.2", "How many?", low=0, high=40, answer=24, because="So.")
    page = open_figures(question(), scale, width=390)
    pressed = page.locator(".option, .commit, .place input").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().height)"
    )
    assert len(pressed) == 6 and min(pressed) >= 44


def test_what_waits_for_a_guess_moves_nothing_as_it_is_shown(open_figures):
    waiting = [
        HeadsInMemory(torch.randn(9, 512), n_heads=8, prediction="4.2"),
        PathLengths(n=7, k=3, prediction="10.1"),
        Positions(length=100, position=10, shows="two positions", prediction="6.2"),
        Recall(prediction="0.1"),
    ]
    for width in (390, 760):
        page = open_figures(*waiting, width=width, reduced_motion="reduce")
        for home in page.locator(".tl-figure").all():
            before = home.bounding_box()["height"]
            home.get_by_role("button", name="Show it without a guess").click()
            assert home.bounding_box()["height"] == before, (width, home)


def test_on_paper_a_question_has_no_room_for_an_answer_that_is_not_given(open_figures):
    page = open_figures(question())
    below = page.locator("figure .below")
    page.emulate_media(media="print")
    assert below.is_hidden()
    page.emulate_media(media="screen")
    guess(page.locator("figure"), "33 %")
    page.emulate_media(media="print")
    assert "The power of 0 is 1." in below.inner_text()


def test_the_unit_of_each_scale_is_set_off_from_its_number():
    code = "\n".join(
        "".join(cell["source"])
        for chapter in CHAPTERS.glob("[0-9]*.ipynb")
        for cell in json.loads(chapter.read_text("utf-8"))["cells"]
    )
    units = re.findall(r'^    unit="(.*)",$', code, re.M)
    assert len(units) > 4 and all(unit.startswith(" ") for unit in units)


SCALE = dict(low=0, high=40, answer=24, because="It is √(2 · 8) · 6.")
LONG = ["the first word", "the word after that one, or the one behind it, as it may be", "none"]
ASKED = {
    "options": Prediction("5.1", "Which?", LONG, answer=1, because="So. " * 40),
    "sizes": Prediction("5.2", "Which?", LONG, answer=1, because="So.", sizes=[4, 8, 0]),
    "scale": Prediction("5.3", "How large?", **SCALE),
}


@pytest.mark.parametrize("width", [360, 744])
def test_what_is_below_does_not_move_and_a_second_enter_erases_nothing(open_figures, width):
    page = open_figures(*ASKED.values(), width=width)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for root in page.locator("figure").all():
        for radio in root.get_by_role("radio").all()[:1]:
            radio.check()
        for slider in root.get_by_role("slider").all():
            slider.fill("61")
        height = root.bounding_box()["height"]
        root.get_by_role("button", name="That is my guess").focus()
        page.keyboard.press("Enter")
        assert root.bounding_box()["height"] == height
        assert root.locator(".answer").evaluate("text => text.matches(':focus')")
        page.keyboard.press("Enter")
        assert "The answer" in root.locator(".answer").inner_text()
        page.keyboard.press("Tab")
        assert root.locator(".again").evaluate("button => button.matches(':focus')")
        page.keyboard.press("Enter")
        assert root.locator(".answer").inner_text() == ""
        assert root.bounding_box()["height"] == height


def test_the_answer_shows_what_was_measured_of_each_option(open_figures):
    asked = Prediction(
        "2.1", "Where?", ["here", "there", "nowhere"], answer=1, because="So.", sizes=[0.4, 0.8, 0]
    )
    page = open_figures(asked)
    root = page.locator("figure")
    widths = "all => all.map((bar) => bar.getBoundingClientRect().width)"
    bars = root.locator(".bar i")
    assert bars.evaluate_all(widths) == [0, 0, 0], "not before the guess"
    guess(root, "nowhere")
    here, there, nowhere = bars.evaluate_all(widths)
    assert here == pytest.approx(there / 2) and there > 200 and nowhere == 0
    assert root.locator(".row").all_inner_texts() == [
        "here\n0.4",
        "there\n✓\n0.8",
        "nowhere\nyour guess\n0",
    ]


@pytest.mark.parametrize(
    "sizes", [[1], [1, 2, -1], [0, 0, 0], [1, 2, float("nan")], [1, 2, float("inf")]]
)
def test_sizes_that_do_not_fit_are_refused(sizes):
    with pytest.raises(ValueError, match="sizes are one number an option"):
        Prediction("5.1", "What?", **CHOICE, sizes=sizes)


def test_guess_and_answer_stand_on_one_line(open_figures):
    page = open_figures(Prediction("3.1", "How large?", **SCALE), Predictions(3))
    root, collected = page.locator("figure").nth(0), page.locator("figure").nth(1)
    slider = root.get_by_role("slider", name="How large?")
    reading = root.locator("output")
    truth = root.locator(".beneath b")
    waiting = slider.get_attribute("aria-valuetext"), reading.inner_text()
    assert waiting == ("not moved yet", ""), "where it waits is no guess"
    commit = root.get_by_role("button", name="That is my guess")
    assert commit.is_disabled() and slider.input_value() == "50"
    slider.fill("61")
    assert slider.get_attribute("aria-valuetext") == reading.inner_text() == "24.4"
    guess(root)
    assert "You were right. The answer: 24." in root.locator(".answer").inner_text()
    for percent, said, listed, written in (
        (55, "You were right.", "24; you were right.", "22"),
        (54, "Your guess was 21.6.", "24; your guess: 21.6.", "21.6"),
        (100, "Your guess was 40.", "24; your guess: 40.", "40"),
    ):
        root.get_by_role("button", name="Erase my guess").click()
        assert truth.inner_text() == "" and root.locator("i.on-scale").is_hidden()
        assert commit.is_disabled(), "asked again, it waits again"
        slider.fill(str(percent))
        guess(root)
        assert said in root.locator(".answer").inner_text(), (
            "a twentieth of the scale beside it is near enough"
        )
        assert f"How large? {listed}" in collected.inner_text()
        assert reading.inner_text() == f"your guess: {written}"
        assert truth.inner_text() == "the answer: 24"
    line = slider.bounding_box()
    tick = root.locator("i.on-scale").bounding_box()
    assert tick["x"] + tick["width"] / 2 == pytest.approx(
        line["x"] + 8 + 0.6 * (line["width"] - 16), abs=1
    )
    assert abs(tick["y"] + tick["height"] / 2 - line["y"] - line["height"] / 2) < 8


@pytest.mark.parametrize(
    "refused", ["get() { throw new DOMException('no cookies') }", "value: null"]
)
def test_without_storage_guesses_last_as_long_as_the_page(open_figures, refused):
    page = open_figures(
        *(
            Prediction(f"1.{i}", f"Question {i}?", ["a", "b"], answer=1, because="So.")
            for i in (1, 2)
        ),
        Predictions("1"),
    )
    page.evaluate(f"Object.defineProperty(window, 'localStorage', {{ {refused} }})")
    figures = [page.locator("figure").nth(i) for i in range(3)]
    for i in (0, 1):
        figures[i].get_by_label("b", exact=True).check()
        figures[i].get_by_role("button", name="That is my guess").click()
    assert all("You were right" in figure.locator(".answer").inner_text() for figure in figures[:2])
    assert figures[2].get_by_role("listitem").count() == 2
    figures[0].get_by_role("button", name="Erase my guess").click()
    assert (
        figures[2].get_by_role("listitem").count() == 1
        and not figures[0].get_by_label("b", exact=True).is_checked()
    )
    assert figures[0].get_by_label("a", exact=True).evaluate("radio => radio.matches(':focus')")
    figures[2].get_by_role("button", name="Erase").click()
    erased = figures[2].get_by_text("are erased")
    assert erased.evaluate("note => note.matches(':focus')"), "focus is not lost"
    assert figures[1].locator(".answer").inner_text() == ""


WHOLE = {
    "question": "Question?",
    "guess": "b",
    "right": "b",
    "hit": True,
    "place": 1,
    "share": None,
}


KEPT = [  # what is kept; whether the question is answered, and how many guesses are listed
    (WHOLE, True, 1),
    (WHOLE | {"place": 2}, False, 1),
    (WHOLE | {"place": 0.5}, False, 0),
    (WHOLE | {"question": "Another?"}, False, 1),
    (WHOLE | {"right": None}, False, 0),
    (None, False, 0),
]


def test_what_another_edition_kept_is_no_guess(open_figures):
    page = open_figures(
        Prediction("1.1", "Question?", ["a", "b"], answer=1, because="So."), Predictions(1)
    )
    asked, collected = page.locator("figure").all()
    for text, answered, listed in [*((json.dumps(k), *rest) for k, *rest in KEPT), ("{", False, 0)]:
        page.evaluate(
            """text => {
                localStorage.setItem('attention-by-hand/prediction/1.1', text);
                document.dispatchEvent(new CustomEvent('attention-by-hand:prediction'));
            }""",
            text,
        )
        assert (asked.locator(".answer").inner_text() != "") == answered, text
        assert collected.get_by_role("listitem").count() == listed, text


def test_a_guess_is_drawn_into_the_figure_that_follows_and_goes_when_it_is_erased(open_figures):
    asked = dict(low=0, high=100, because="Measured.")
    page = open_figures(
        Prediction("0.1", "How many?", answer=50, **asked),
        Recall(length=12, prediction="0.1"),
        Prediction("3.1", "How large?", answer=82, **asked),
        SoftmaxScale(prediction="3.1"),
    )
    figures = [page.locator("figure").nth(i) for i in range(4)]
    for asking, showing, percent in ((0, 1, 25), (2, 3, 75)):
        mark = figures[showing].locator("g:not([hidden]) > .guess:not(text)")
        assert mark.count() == 0 and figures[showing].locator("text.guess").is_hidden()
        figures[asking].locator("input[type=range]").fill(str(percent))
        figures[asking].get_by_role("button", name="That is my guess").click()
        mark.wait_for(state="attached")
        at = {name: mark.get_attribute(name) for name in ("cx", "cy", "y1")}
        if showing == 1:  # beside the models' dots, over 8 letters
            over = figures[1].locator("g > circle.solid.vector").nth(7)
            half, none = (
                float(figures[1].locator("text", has_text=tick).first.get_attribute("y"))
                for tick in (re.compile("^50$"), re.compile("^0$"))
            )
            assert at["cx"] == over.get_attribute("cx")
            assert float(at["cy"]) == pytest.approx((half + none) / 2 - 4, abs=0.01)
        else:
            ticks = figures[3].locator("section").first.locator("line.axis")
            ends = {
                float(y)
                for y in ticks.evaluate_all("all => all.map((line) => line.getAttribute('y1'))")
            }
            top, half, *_ = sorted(y for y in ends if y > 4)
            assert float(at["y1"]) == pytest.approx((top + half) / 2, abs=0.01)
        assert figures[showing].locator("text.guess").is_visible()
    figures[0].get_by_role("button", name="Erase my guess").click()
    figures[1].locator("g[hidden] > .guess:not(text)").wait_for(state="attached")
    assert figures[3].locator("g[hidden] > .guess").count() == 0


def asked(number, figure):
    """The question of this number as its chapter asks it; the chapter's figure of this name has to
    know of it.
    """
    chapter = CHAPTERS / f"{page_of(number)}.ipynb"
    cells = ["".join(cell["source"]) for cell in json.loads(chapter.read_text("utf-8"))["cells"]]
    assert any(
        re.search(rf'^{figure}\(.*prediction="{number}"', cell, re.MULTILINE | re.DOTALL)
        for cell in cells
    )
    (cell,) = (cell for cell in cells if f'    "{number}",' in cell)
    call = ast.parse(cell[cell.index("Prediction(\n") :]).body[0].value
    named = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
    return Prediction(*map(ast.literal_eval, call.args), **named)


# Gives each answer in turn and erases it: whether anything was drawn before and after, and what the
# figure showed.
EACH_ANSWER = """(home, behind) => {
    const [question, figure] = [home.shadowRoot, behind.shadowRoot];
    const size = (part) => {
        const { width, height } = part.getBoundingClientRect();
        return Math.max(width, height);
    };
    const seen = (what) => [...figure.querySelectorAll(what)].filter((part) => size(part) > 0);
    const marks = () => seen('.guess, .ways .key').length;
    return [...question.querySelectorAll('input[type=radio]')].map((radio) => {
        const before = marks();
        radio.click();
        question.querySelector('.commit').click();
        const [mark] = seen('g > .guess:not(text)');
        const words = seen('text.guess, .ways .key').map((one) => one.textContent);
        const named = ({ name, value }) => [name, Number(value) || value];
        const at = mark && Object.fromEntries([...mark.attributes].map(named));
        const said = mark?.ownerSVGElement.nextSibling.textContent;
        question.querySelector('.again').click();
        return { before, at, words, said, after: marks(), option: radio.parentElement.textContent };
    });
}"""


def points(path):
    """The points of an SVG path, (points, 2)."""
    return np.array(re.findall(r"-?[\d.]+", path), dtype=float).reshape(-1, 2)


def test_each_answer_has_its_place_in_the_figure_that_follows(open_figures):
    figures = {
        "0.3": OneWeight(weight=3, rate=0.05, prediction="0.3"),
        "4.2": HeadsInMemory(torch.ones(9, 512), prediction="4.2"),
        "6.2": Positions(length=100, position=10, shows="two positions", prediction="6.2"),
        "8.1": TrainingPlayground(prediction="8.1"),
        "10.1": PathLengths(prediction="10.1"),
    }
    page = open_figures(
        *(one for n, figure in figures.items() for one in (asked(n, type(figure).__name__), figure))
    )
    homes = page.locator(".tl-figure")
    found = {}
    behind = {}
    assert (
        page.locator("text.guess").evaluate_all(
            "all => all.map((one) => one.getBoundingClientRect().width)"
        )
        == [0] * 5
    )
    for i, number in enumerate(figures):
        behind[number] = homes.nth(2 * i + 1)
        answers = homes.nth(2 * i).evaluate(EACH_ANSWER, behind[number].element_handle())
        if number == "8.1":  # what names no floor is drawn along none
            *answers, nowhere = answers
            assert nowhere["option"] == "at none of them" and (
                nowhere.get("at"),
                nowhere["words"],
            ) == (None, [])
        assert len(answers) >= 3
        for answer in answers:
            assert answer["before"] == answer["after"] == 0 and answer["words"] == ["your guess"], (
                answer
            )
            assert f"? Your guess: {answer['option']}. The answer: " in answer["said"]
        found[number] = [answer["at"] for answer in answers]

    def drawn(number, what, *names):
        """Numbers that stand in attributes of parts of the figure behind a question: a list for
        each part.
        """
        parts = behind[number].locator(what)
        texts = parts.evaluate_all(
            "(all, names) => all.map((one) => names.map((n) => one.getAttribute(n)))", names
        )
        return [[float(text) for text in part] for part in texts]

    def path(number, what):
        return points(behind[number].locator(what).get_attribute("d"))

    # 0.3: the true counts from a weight of 3; the answers fall, fall and leave at the top, and rise
    (left, right, low), *_, (_, _, high) = drawn("0.3", "section line.axis", "x1", "x2", "y1")
    unit = np.array([0.3 / (right - left), -50 / (low - high)])
    true = (path("0.3", "section path.needed") - [left, low]) * unit
    needed = [
        next(n for n in range(99) if (3 * (1 - 8 * rate / 100) ** n) ** 2 < 0.01)
        for rate in range(1, 25)
    ]
    assert np.allclose(true, [*zip(np.arange(1, 25) / 100, needed, strict=True)], atol=0.05), (
        "from 0.25 on never"
    )
    sooner, both, later = ((points(at["d"]) - [left, low]) * unit for at in found["0.3"])
    assert (np.diff(sooner[:, 1]) < 0).all() and (np.diff(later[:, 1]) > 0).all()
    assert (
        sooner[-1, 0] == later[-1, 0] == pytest.approx(0.3)
        and sooner[-1, 1] < 5
        and later[-1, 1] > 40
    )
    assert (
        both[2] == pytest.approx([0.125, 3])
        and both[0, 1] > 40
        and both[-1] == pytest.approx([0.24, 50])
    )

    # 4.2: shares of the 72 blocks; and the two that are at their place
    ((left, right),) = drawn("4.2", "section line.axis", "x1", "x2")
    reach = [(points(at["d"])[[0, 2], 0] - left) * 72 / (right - left) for at in found["4.2"]]
    assert np.allclose(reach, [[72, 72], [36, 36], [9, 9], [0, 9]])
    assert (
        behind["4.2"]
        .locator("section svg")
        .get_attribute("aria-label")
        .startswith("2 of 72 blocks")
    )
    ((start, width),) = drawn("4.2", "section rect.mark", "x", "width")
    assert start == left and width * 72 / (right - left) == pytest.approx(2)

    # 6.2: a line through the two positions, level where they are equal; and the two on the curve,
    # which is drawn with a guess only
    homes.nth(4).get_by_role("radio").first.check()
    homes.nth(4).get_by_role("button", name="That is my guess").click()
    curve = path("6.2", "[aria-label^='dot product'] path.second")
    beside = drawn("6.2", "[aria-label^='dot product'] circle", "cx", "cy")
    assert np.allclose(beside, curve[[7, 13]], atol=0.06) and beside[0][1] == pytest.approx(
        beside[1][1]
    )
    assert drawn("6.2", "[aria-label^='dot product'] line.now", "x1") == [
        [pytest.approx(sum(c[0] for c in beside) / 2)]
    ]
    for at, tilt in zip(found["6.2"], (-1, 1, 0), strict=True):  # up is less
        assert (at["y1"] + at["y2"]) / 2 == pytest.approx(beside[0][1]) and at["x1"] < beside[0][
            0
        ] < beside[1][0] < at["x2"]
        assert np.sign(at["y2"] - at["y1"]) == tilt

    # Where a figure shows something else, the answer has no place in it
    others = {
        "6.2": ("position", {"2": 0, "3": 1, "96": 1, "97": 0}),
        "10.1": ("width k", {"4": 0, "3": 1}),
    }
    for number, (control, states) in others.items():
        question = homes.nth(2 * list(figures).index(number))
        if number != "6.2":
            question.get_by_role("radio").first.check()
            question.get_by_role("button", name="That is my guess").click()
        for value, marks in states.items():
            behind[number].get_by_role("slider", name=control).fill(value)
            assert behind[number].locator("g:not([hidden]) > .guess:not(text)").count() == marks, (
                number,
                value,
            )

    # 8.1: along the floor that it names, where its zone ends
    zones = np.array(drawn("8.1", "rect.zone", "x", "width", "y", "height"))[:3]
    guesses = [[at[name] for name in ("x1", "x2", "y1", "y2")] for at in found["8.1"]]
    left, wide, top, high = zones.T
    floors = np.stack([left, left + wide, top + high, top + high], 1)
    assert np.array(guesses) == pytest.approx(floors)

    # 10.1: the way of the message if a thousand words took so many layers: at once, tripling, two
    # words a layer, one
    way = path("10.1", "section >> nth=0 >> path.way")
    word, layer = (way[-1] - way[0]) / [6, 3]
    steps = [((points(at["d"]) - way[0]) / [word, layer]).round(2).tolist() for at in found["10.1"]]
    assert steps == [
        [[0, 0], [6, 1]],
        [[0, 0], [2, 1], [6, 2]],
        [[0, 0], [2, 1], [4, 2], [6, 3]],
        [[0, 0], [1, 1], [2, 2], [3, 3]],
    ]


def test_paper_is_not_told_where_a_guess_is_kept(open_figures):
    page = open_figures(question(), Predictions(5))
    guess(page.locator("figure").first, "9 %")
    told = page.get_by_text("this browser")
    assert told.filter(visible=True).count() == 2
    page.emulate_media(media="print")
    assert told.filter(visible=True).count() == 0


PROJECTED = dict(html_attributes="class=projector")


def test_hands_are_counted_on_a_projector_only(open_figures):
    page = open_figures(question())
    count = page.get_by_role("button", name="Count hands")
    assert count.is_hidden() and page.get_by_label("hands for 9 %").is_hidden()
    page.evaluate("document.documentElement.classList.add('projector')")
    count.click()
    assert page.get_by_label("hands for 9 %").is_visible()
    page.evaluate("document.documentElement.classList.remove('projector')")
    page.get_by_label("hands for 9 %").wait_for(state="hidden")
    assert count.is_hidden() and page.get_by_role("radio").count() == 3


def test_class_mode_counts_hands_in_the_rows_and_keeps_no_guess(open_figures):
    page = open_figures(question(), **PROJECTED)
    root = page.locator("figure")
    root.get_by_role("button", name="Count hands").click()
    for option, hands in {"0 %": 21, "9 %": 4, "33 %": 15}.items():
        root.get_by_label(f"hands for {option}").fill(str(hands))
    guess(root, button="Show the answer")
    widths = root.locator(".bar i").evaluate_all(
        "all => all.map((bar) => bar.getBoundingClientRect().width)"
    )
    assert [width / widths[0] for width in widths] == pytest.approx([1, 4 / 21, 15 / 21], abs=1e-3)
    assert root.locator(".row").all_inner_texts() == [
        "0\u00a0%\n21",
        "9\u00a0%\n✓\n4",
        "33\u00a0%\n15",
    ]
    assert root.inner_text().count("33\u00a0%") == 1, "no option is listed twice"
    assert "Your guess" not in root.locator(".answer").inner_text()
    assert page.evaluate("localStorage.length") == 0
    root.get_by_role("button", name="Ask again").click()
    assert [field.input_value() for field in root.get_by_role("spinbutton").all()] == ["0"] * 3


def test_class_mode_counts_hands_for_each_tenth_of_a_scale(open_figures):
    page = open_figures(Prediction("3.1", "How large?", **SCALE), **PROJECTED)
    root = page.locator("figure")
    root.get_by_role("button", name="Count hands").click()
    root.get_by_label("hands for 20 to 24").fill("6")
    root.get_by_label("hands for 24 to 28").fill("3")
    guess(root, button="Show the answer")
    bars = root.locator(".column i")
    heights = bars.evaluate_all("all => all.map((bar) => bar.getBoundingClientRect().height)")
    assert heights[5] == 64 and heights[6] == 32 and sum(heights) == 96
    assert bars.evaluate_all("all => all.findIndex((bar) => bar.matches('.right'))") == 6


def test_a_count_that_is_no_class_is_shown_as_it_is_counted(open_figures):
    page = open_figures(question(), **PROJECTED)
    page.get_by_role("button", name="Count hands").click()
    counter = page.get_by_label("hands for 0 %")
    for typed, counted in (("1500", "999"), ("-3", "0"), ("2.4", "2")):
        counter.fill(typed)
        counter.blur()
        assert counter.input_value() == counted


def test_without_javascript_question_and_answer_both_stand():
    assert (
        "What weight does the padding get? The answer: 9 %. The power of 0 is 1."
        in question().alternative
    )


@pytest.mark.parametrize(
    "arguments, message",
    [
        (dict(options=["one"], answer=0), "two to twelve"),
        (dict(options=["a", "b"], answer=2), "index of the right one"),
        (dict(low=0, high=1, answer=2), "between low and high"),
        (dict(answer=0), "two ends of a scale"),
    ],
)
def test_what_cannot_be_asked_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Prediction("1.1", "?", because="", **arguments)
