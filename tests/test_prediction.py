"""Predictions commit: the answer shows after the guess, the guess is kept in the browser, hands can be counted."""

import pytest

from transformer_lite.figures import Prediction, Predictions, Recall, SoftmaxScale

CHOICE = dict(options=["0 %", "9 %", "33 %"], answer=1, because="The power of 0 is 1.")


def question(number="5.1"):
    return Prediction(number, "What weight does the padding get?", **CHOICE)


def test_a_guess_comes_before_the_answer_is_kept_and_can_be_erased(open_figures):
    page = open_figures(question(), Predictions(5))
    root, collected = page.locator("figure").nth(0), page.locator("figure").nth(1)
    assert "The power of 0" not in root.inner_text() and "not predicted anything" in collected.inner_text()
    commit = root.get_by_role("button", name="That is my guess")
    assert commit.is_disabled()
    root.get_by_role("radio", name="33 %").check()
    commit.click()
    assert "Your guess was 33 %. The answer: 9 %. The power of 0 is 1." in root.locator(".answer").inner_text()
    assert "your guess" in root.locator(".answer svg").text_content()
    assert "9 %; your guess: 33 %." in collected.inner_text()
    page.reload()
    assert "Your guess was 33 %" in root.locator(".answer").inner_text()
    collected.get_by_role("button", name="Erase my predictions").click()
    assert root.locator(".answer").inner_text() == "" and "not predicted anything" in collected.inner_text()
    assert page.evaluate("localStorage.length") == 0


def test_a_number_is_placed_on_a_scale(open_figures):
    page = open_figures(Prediction("3.1", "How large?", low=0, high=40, answer=24, because="It is √(2 · 8) · 6."))
    root = page.locator("figure")
    root.locator("input[type=range]").fill("61")
    root.get_by_role("button", name="That is my guess").click()
    assert "You were right. The answer: 24." in root.locator(".answer").inner_text()


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
        mark = figures[showing].locator("g:not([style*=none]) > .guess")
        assert mark.count() == 0
        figures[asking].locator("input[type=range]").fill(str(percent))
        figures[asking].get_by_role("button", name="That is my guess").click()
        mark.wait_for(state="attached")
        at = {name: mark.get_attribute(name) for name in ("cx", "cy", "y1")}
        if showing == 1:  # beside the models' dots, over 8 letters
            over = figures[1].locator("circle.solid.raw").nth(7)
            half, none = (
                float(figures[1].locator("text", has_text=tick).first.get_attribute("y")) for tick in ("0.5", "0")
            )
            assert at["cx"] == over.get_attribute("cx")
            assert float(at["cy"]) == pytest.approx((half + none) / 2 - 4, abs=0.01)
        else:
            ticks = figures[3].locator("section").first.locator("line.axis")
            ends = {float(y) for y in ticks.evaluate_all("all => all.map((line) => line.getAttribute('y1'))")}
            top, half, *_ = sorted(y for y in ends if y > 4)
            assert float(at["y1"]) == pytest.approx((top + half) / 2, abs=0.01)
    figures[0].get_by_role("button", name="Erase my guess").click()
    figures[1].locator("g[style*=none] > .guess").wait_for(state="attached")
    assert figures[3].locator("g[style*=none] > .guess").count() == 0


def test_class_mode_counts_hands_and_keeps_no_guess(open_figures):
    page = open_figures(question())
    root = page.locator("figure")
    root.get_by_label("class mode").check()
    for option, hands in {"0 %": 21, "9 %": 4, "33 %": 15}.items():
        root.get_by_label(f"hands for {option}").fill(str(hands))
    root.get_by_role("button", name="Show the answer").click()
    bars = root.locator(".answer rect")
    widths = [float(bars.nth(i).get_attribute("width")) for i in range(3)]
    assert widths == pytest.approx([110, 110 * 4 / 21, 110 * 15 / 21])
    assert "Your guess" not in root.locator(".answer").inner_text()
    assert page.evaluate("localStorage.length") == 0


def test_without_javascript_question_and_answer_both_stand():
    assert "What weight does the padding get? The answer: 9 %. The power of 0 is 1." in question().alternative


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
