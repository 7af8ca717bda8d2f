"""Path lengths: what is dragged and counted. That the ways are those of layers:
test_teaching_figures.py.
"""

from itertools import pairwise

import numpy as np
import pytest
from figure_examples import state

from attention_by_hand.figures import PathLengths, Prediction
from attention_by_hand.figures.path_lengths import heard


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
    low, high = (float(axis.nth(i).get_attribute("y1")) for i in (0, 6))
    left, right = (
        float(chart.locator("text[text-anchor=middle]", has_text=f"{n}").last.get_attribute("x"))
        for n in (16, 64)
    )
    unit = (right - left) / 2  # of a doubling
    for name in ("recurrence", "convolution", "attention"):
        path = chart.locator(f"path.{name}").get_attribute("d")
        points = np.array([p.split() for p in path[1:].split("L")], dtype=float)
        n = 2 ** ((points[:, 0] - left) / unit + 4)
        steps = 2 ** ((low - points[:, 1]) * 6 / (low - high))
        assert np.allclose(n, np.arange(2, 65))
        assert np.allclose(steps, [PathLengths(i, 4).lengths[name] for i in range(2, 65)])
    drag(page, chart, left, left + np.log2(25 / 16) * unit)
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


@pytest.mark.parametrize("prediction", ["", "10.1"])
def test_seven_words_fill_the_chart_and_the_names_do_not_meet(open_figures, prediction):
    page = open_figures(PathLengths(prediction=prediction))
    dots = page.locator(".counts circle").evaluate_all(
        "all => all.map((dot) => Number(dot.getAttribute('cy')))"
    )
    assert min(np.abs(np.diff(dots))) > 12, "three points, not one"
    names = page.locator(".counts text.name").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect()).map((box) => [box.top, box.bottom])"
    )
    (*_, first), (second, *_) = sorted(names)[:2]
    assert first <= second + 4


def test_each_step_hears_one_letter_wrong():
    words = heard("habe", 63)
    assert words == heard("habe", 63) == PathLengths.constants["heard"] and words[0] == "habe"
    for before, after in pairwise(words):
        ((was, now),) = [pair for pair in zip(before, after, strict=True) if len({*pair}) == 2]
        assert (was in "aeiou") == (now in "aeiou"), "what sounds alike"
    assert heard("habe", 9, seed=1) != heard("habe", 9, seed=3)


def test_the_message_is_told_as_it_is_heard_after_so_many_steps(open_figures):
    figure = PathLengths(n=20, k=4)
    page = open_figures(figure, reduced_motion="reduce")
    words = heard("habe", 63)
    for step in (0, 1, 5, 19):
        page.get_by_role("slider", name="step").fill(str(step))
        for lane, length in zip(page.locator(".lane").all(), figure.lengths.values(), strict=True):
            word = words[min(step, length)]
            told = lane.locator(".told")
            assert told.text_content() == word
            wrong = "".join(told.locator(".wrong").all_text_contents())
            assert wrong == "".join(b for a, b in zip("habe", word, strict=True) if a != b)
            assert lane.locator("svg.chart").get_attribute("aria-label").endswith(word)
            svg, text = lane.locator("svg.chart").bounding_box(), told.bounding_box()
            assert svg["x"] <= text["x"] and text["x"] + text["width"] <= svg["x"] + svg["width"]
        assert f"heard as {word}" in page.locator("[role=status]").text_content()
        assert page.locator(".numbers td:last-child").last.text_content() == word
    assert [row[-1] for row in figure.as_table().rows] == [words[n] for n in (7, 19, 1)]


def test_on_a_desk_the_chart_stands_beside_the_ways(open_figures):
    page = open_figures(PathLengths())
    ways, counts = (page.locator(part).bounding_box() for part in (".lanes", ".counts"))
    assert counts["x"] > ways["x"] + ways["width"]
    assert page.locator(".tl-figure").bounding_box()["height"] < 600, "on one screen"


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
    assert ticks.all_text_contents() == ["2", "4", "16", "32", "64"]
    for box in (tick.bounding_box() for tick in ticks.all()):
        ends = box["x"] + box["width"], grip["x"] + grip["width"]
        assert box["x"] >= ends[1] or ends[0] <= grip["x"]
