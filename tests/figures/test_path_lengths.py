"""Path lengths: what is dragged and counted. That the ways are those of layers:
test_teaching_figures.py.
"""

import re

import numpy as np
import pytest
from figure_examples import state

from attention_by_hand.figures import PathLengths, Prediction


def drag(page, svg, *xs):
    """Drags half way down a picture from one x to others, in its own units."""
    svg.scroll_into_view_if_needed()
    box = svg.bounding_box()
    unit = svg.evaluate("svg => svg.getScreenCTM().a")
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + xs[0] * unit, y)
    page.mouse.down()
    for x in xs[1:]:
        page.mouse.move(box["x"] + x * unit, y)
    page.mouse.up()


def places(lane):
    """Where the words of a lane stand: the two ends."""
    return [float(lane.locator(".way").get_attribute("d").split("M")[1].split()[0]),
            float(lane.locator(".goal").get_attribute("cx"))]  # fmt: skip


def test_it_opens_under_way(open_figures):
    assert PathLengths().step == 2 and PathLengths(n=2).step == 1
    page = open_figures(PathLengths())
    assert page.locator(".count").all_inner_texts() == [
        "2 of 3 steps",
        "2 of 6 steps",
        "arrived: 1 step",
    ]


@pytest.mark.parametrize(
    "lane, word, step", [(0, 2, 1), (0, 6, 3), (1, 4, 4), (1, 0, 0), (2, 6, 1)]
)
def test_the_message_is_dragged_to_another_word(open_figures, lane, word, step):
    page = open_figures(PathLengths(step=2 if lane < 2 else 0))
    found = page.locator(".lane").nth(lane)
    first, last = places(found)
    at = lambda place: first + (last - first) * place / 6  # noqa: E731
    drag(page, found.locator("svg.chart"), at(3), at(word + 0.2))
    assert state(page)["step"] == str(step)
    message = found.locator(".message")
    end = round((float(message.get_attribute("cx")) - first) / (last - first) * 6)
    assert end == min(6, step * {0: 2, 1: 1, 2: 6}[lane])
    drag(page, found.locator("svg.chart"), at(3), last + 500)
    assert found.locator(".count").inner_text().startswith("arrived")


def test_the_count_at_every_length_is_drawn_and_the_length_is_dragged(open_figures):
    page = open_figures(PathLengths(k=4))
    chart = page.locator(".counts svg")
    axis = chart.locator("line.axis")
    low, high = (float(axis.nth(i).get_attribute("y1")) for i in (0, 3))
    left, right = (
        float(chart.locator("text", has_text=re.compile(f"^{n}$")).last.get_attribute("x"))
        for n in (16, 64)
    )
    unit = (right - left) / 48
    for name in ("recurrence", "convolution", "attention"):
        path = chart.locator(f"path.{name}").get_attribute("d")
        points = np.array([p.split() for p in path[1:].split("L")], dtype=float)
        n = (points[:, 0] - left) / unit + 16
        steps = (low - points[:, 1]) * 60 / (low - high)
        assert np.allclose(n, np.arange(2, 65))
        assert np.allclose(steps, [PathLengths(i, 4).lengths[name] for i in range(2, 65)])
    drag(page, chart, left, left + 9 * unit)
    assert state(page)["words"] == "25"
    assert (
        page.locator(".counts .note")
        .inner_text()
        .endswith("first of 25 words to the last: recurrence 24, convolution 8, attention 1")
    )
    page.get_by_role("radio", name="2", exact=True).click()
    assert "convolution 24" in page.locator(".counts .note").inner_text()
    drag(page, chart, left, -500)
    assert (state(page)["words"], state(page)["step"]) == ("2", "1"), "no further than it goes"


@pytest.mark.parametrize("width", [360, 900])
def test_its_letters_and_targets_are_large_enough(open_figures, width):
    page = open_figures(PathLengths(k=2), width=width)
    texts = page.locator(".counts svg text")
    sizes = texts.evaluate_all(
        "all => all.map((text) => parseFloat(getComputedStyle(text).fontSize) * "
        "text.getScreenCTM().a)"
    )
    assert min(sizes) > 11.9
    names = page.locator(".counts text.name")
    tops = names.evaluate_all("all => all.map((one) => one.getBoundingClientRect().top)")
    assert min(np.diff(sorted(tops))) >= 15, "also where two ways are one"
    buttons = page.locator(".body button:not([hidden])").evaluate_all(
        "all => all.map((b) => Math.min(b.offsetWidth, b.offsetHeight))"
    )
    assert min(buttons) >= 28


def test_the_counts_of_longer_sentences_wait_for_a_guess(open_figures):
    question = Prediction("10.1", "How many?", ["1", "500"], answer=1, because="Two a layer.")
    page = open_figures(question, PathLengths(n=9, prediction="10.1"))
    ask, figure = (page.locator(".tl-figure").nth(i) for i in range(2))
    line = figure.locator("path.recurrence")
    lengths = lambda: line.get_attribute("d").count("L") + 2  # noqa: E731
    assert lengths() == 9
    figure.get_by_role("slider", name="words n").fill("12")
    assert lengths() == 12
    ask.get_by_role("radio").first.check()
    ask.get_by_role("button", name="That is my guess").click()
    assert lengths() == 64
    ask.get_by_role("button", name="Erase my guess").click()
    figure.get_by_role("button", name="Show it without a guess").click()
    assert lengths() == 64


def test_the_message_is_sent_from_the_first_word_wherever_it_stands(open_figures):
    page = open_figures(PathLengths())
    assert state(page)["step"] == "2"
    page.get_by_role("button", name="Send the message").click()
    assert state(page)["step"] == "0", "the press is answered at once"


def test_no_number_of_the_axis_lies_half_under_the_grip(open_figures):
    page = open_figures(PathLengths(), width=390)
    grip = page.locator("rect.hold").bounding_box()
    ticks = page.locator(".counts text[text-anchor=middle]:not(.hold):visible")
    assert ticks.all_text_contents() == ["32", "48", "64"]
    for tick in ticks.all():
        assert tick.bounding_box()["x"] >= grip["x"] + grip["width"]
