"""One weight: it steps as torch does, the ball is dragged, a click is a step."""

import re

import numpy as np
import pytest
import torch
from figure_examples import shown, state

from attention_by_hand.figures import OneWeight, Prediction


def minus(value):
    return f"{value:.2f}".replace("-", "−")


def middle(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def at(page, weight):
    """Where in the window this weight is, on the axis."""
    ends = [
        middle(page.locator(".curve text", has_text=re.compile(f"^{n}$")).last)[0] for n in "04"
    ]
    return ends[0] + (ends[1] - ends[0]) * weight / 4


@pytest.mark.parametrize("weight", [3.5, 0.2])
def test_it_steps_as_torch_does(open_figures, weight):
    figure = OneWeight(weight=weight, rate=0.2, steps=4)
    page = open_figures(figure)
    w = torch.tensor(weight, dtype=torch.float64, requires_grad=True)
    table = shown(page)["weight, loss and slope after each step"]
    for weight, loss, slope in table[:5]:
        error = (2 * w - 3) ** 2
        (gradient,) = torch.autograd.grad(error, w)
        assert np.allclose(
            (weight, loss, slope), (w.item(), error.item(), gradient.item()), atol=1e-4
        )
        w = (w - 0.2 * gradient).detach().requires_grad_()
    assert figure.path()[-1] == pytest.approx(table[4, 0], abs=1e-4)
    (now, loss, slope), (then, _, _) = table[4:6]
    factor = minus(slope) if slope >= 0 else f"({minus(slope)})"
    assert page.locator(".sums p").all_inner_texts() == [
        f"after 4 steps: weight {minus(now)}",
        f"answer 2 · {minus(now)} = {minus(2 * now)}, wanted 3",
        f"loss {minus(loss)}, slope {minus(slope)}",
        f"next weight {minus(now)} − 0.20 · {factor} = {minus(then)}",
    ]
    said = f"after 4 steps: weight {minus(now)}, loss {minus(loss)}, slope {minus(slope)}"
    assert page.locator("[role=status]").inner_text() == said
    dots = page.locator(".curve circle:not(.grip, [visibility=hidden])")
    places = dots.evaluate_all(
        "all => all.map((dot) => ['cx', 'cy'].map((name) => Number(dot.getAttribute(name))))"
    )
    way = re.findall(r"[\d.]+", page.locator("path.way").get_attribute("d"))
    assert len(places) == 5
    assert np.abs(np.array(way, dtype=float) - np.ravel(places)).max() < 0.1, (
        "a line from dot to dot"
    )
    assert [dot.get_attribute("class").split()[0] for dot in dots.all()] == ["been"] * 4 + ["ball"]


@pytest.mark.parametrize("width", [360, 900])
def test_it_opens_after_three_steps_that_are_seen(open_figures, width):
    page = open_figures(OneWeight(), width=width)
    assert state(page) == {"weight": "-0.50", "rate": "0.20", "steps": "3"}
    assert page.locator(".curve .been[visibility=visible]").count() == 3
    assert page.locator(".curve .ball").is_visible()
    texts = page.locator(".curve text")
    assert not any("-" in text for text in texts.all_text_contents())
    sizes = texts.evaluate_all(
        "all => all.map((text) => parseFloat(getComputedStyle(text).fontSize) * "
        "text.getScreenCTM().a)"
    )
    assert np.allclose(sizes, 12)


def test_the_ball_is_dragged_and_a_click_is_a_step(open_figures):
    page = open_figures(OneWeight(), reduced_motion="reduce")
    ball = page.locator(".curve .ball")
    x, y = middle(ball)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(at(page, 2), y)
    page.mouse.move(at(page, 0.32), y)
    page.mouse.up()
    assert state(page) == {"weight": "0.30", "rate": "0.20", "steps": "0"}
    assert middle(ball)[0] == pytest.approx(at(page, 0.3), abs=1)
    page.locator(".curve").click(position={"x": 200, "y": 60})
    assert state(page)["steps"] == "1"
    page.locator(".curve .grip").click()
    assert state(page) == {"weight": "0.30", "rate": "0.20", "steps": "2"}, "no drag, a step"
    one = page.get_by_role("button", name="One step")
    for _ in range(10):
        one.click()
    assert state(page)["steps"] == "12" and one.is_disabled()
    page.locator(".curve").click(position={"x": 200, "y": 60})
    assert state(page)["steps"] == "12"
    page.get_by_role("button", name="From the start").click()
    assert state(page) == {"weight": "0.30", "rate": "0.20", "steps": "0"}
    x, y = middle(ball)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 2000, y)
    page.mouse.up()
    assert state(page)["weight"] == "4.00"


def test_on_a_phone_a_finger_holds_the_ball_beside_it_and_all_is_on_one_screen(open_figures):
    options = ["arrive sooner and sooner", "arrive later and later"]
    page = open_figures(
        Prediction("0.3", "What?", options, answer=1, because="So."),
        OneWeight(prediction="0.3"),
        width=390,
        has_touch=True,
    )
    page.get_by_role("radio").first.check()
    page.get_by_role("button", name="That is my guess").click()
    ball = page.locator(".curve .ball")
    ball.scroll_into_view_if_needed()
    x, y = middle(ball)
    finger = page.context.new_cdp_session(page)

    def touch(kind, *points):
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", {"x": x - 15, "y": y + 10})
    for to in (x - 30, at(page, 0.32)):
        touch("touchMove", {"x": to, "y": y})
    page.wait_for_timeout(300)  # a finger that leaves in a swing takes the next tap with it
    touch("touchEnd")
    assert state(page, 1) == {"weight": "0.30", "rate": "0.20", "steps": "0"}
    figure = page.locator(".tl-figure").nth(1)
    rates = page.locator("svg.rates")
    box = rates.bounding_box()
    assert box["y"] + box["height"] - figure.bounding_box()["y"] < 760
    page.get_by_role("button", name="One step").tap()
    assert state(page, 1)["steps"] == "1"
    assert page.get_by_role("button", name="One step").bounding_box()["height"] >= 44


@pytest.mark.parametrize("width", [360, 744])
def test_what_leaves_the_picture_is_said_beside_it_and_nothing_moves(open_figures, width):
    page = open_figures(OneWeight(weight=0.5, rate=0.3, steps=0), width=width)
    below = page.get_by_text("After.").bounding_box()["y"]
    one = page.get_by_role("button", name="One step")
    place = one.bounding_box()
    left = page.locator(".beside .left")
    for steps in range(1, 13):
        one.click()
        away = steps > 2
        assert (left.inner_text() != "") == away
        assert page.locator(".curve .ball").is_hidden() == away
        assert one.bounding_box() == place
        assert page.get_by_text("After.").bounding_box()["y"] == below
    assert "left" not in page.locator(".curve").text_content()


def test_the_rate_is_dragged_on_the_chart_that_shows_what_each_rate_takes(open_figures):
    options = ["arrive sooner and sooner", "arrive later and later"]
    page = open_figures(
        Prediction("0.2", "What?", options, answer=1, because="So."), OneWeight(prediction="0.2")
    )
    chart = page.locator("svg.rates")
    assert chart.is_hidden()
    page.get_by_role("radio").first.check()
    page.get_by_role("button", name="That is my guess").click()
    chart.scroll_into_view_if_needed()
    ends = [middle(chart.get_by_text(re.compile(f"^{n}$")).last)[0] for n in ("0", "0\\.3")]
    y = middle(chart)[1]
    page.mouse.move(ends[0] + 5, y)
    page.mouse.down()
    for rate in (0.2, 0.126):
        page.mouse.move(ends[0] + (ends[1] - ends[0]) * rate / 0.3, y)
    page.mouse.up()
    assert state(page, 1)["rate"] == "0.13"
    assert chart.get_attribute("aria-label").endswith("at a rate of 0.13 after 2 steps")
