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
    assert np.allclose(sizes, 14)


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


@pytest.mark.parametrize("width", [360, 744, 760, 900])
def test_a_camera_keeps_the_ball_in_the_picture_and_says_how_far_it_is(open_figures, width):
    figure = OneWeight(weight=0.5, rate=0.3, steps=0)
    page = open_figures(figure, width=width, reduced_motion="reduce")
    below = page.get_by_text("After.").bounding_box()["y"]
    one = page.get_by_role("button", name="One step")
    place = one.bounding_box()
    left = page.locator(".beside .left")
    chart = page.locator("svg.curve").bounding_box()
    valley = []
    for steps in range(1, 13):
        one.click()
        figure.steps = steps
        weight = figure.path()[-1]
        away = not -1 <= weight <= 4
        x, y = middle(page.locator(".curve .ball"))
        assert chart["x"] < x < chart["x"] + chart["width"]
        assert chart["y"] < y < chart["y"] + chart["height"]
        far = abs(weight - 1.5)
        times = f"{far:.1f}" if far < 10 else f"{far:.0f}"
        said = f"The weight stands at {minus(weight)}, {times} times as far from the valley"
        assert left.inner_text().startswith(said) if away else left.inner_text() == ""
        assert page.locator("rect.first-view").is_visible() == away
        ends = page.locator(".curve path.line").bounding_box()
        valley.append(ends["width"])
        assert one.bounding_box() == place
        assert page.get_by_text("After.").bounding_box()["y"] == below
    assert page.locator("[role=status]").inner_text().endswith(left.inner_text())
    assert valley[-1] < valley[0] / 12, "a hair"
    page.get_by_role("button", name="From the start").click()
    assert page.locator(".curve path.line").bounding_box()["width"] == valley[0]


def test_the_axes_say_what_is_seen(open_figures):
    figure = OneWeight(rate=0.3, steps=9)
    page = open_figures(figure, reduced_motion="reduce")
    lines = page.locator(".curve g line.axis")
    ticks = page.locator(".curve g text").evaluate_all(
        """all => all.map((one) => [one.textContent, one.getAttribute('text-anchor'),
            Number(one.getAttribute('x')), Number(one.getAttribute('y')) - 4])"""
    )
    number = lambda text: float(text.replace("−", "-").replace(",", ""))  # noqa: E731
    up = [(number(text), y) for text, anchor, _, y in ticks if anchor == "end"]
    along = [(number(text), x) for text, anchor, x, _ in ticks[:-1] if anchor == "middle"]
    assert len(up) == lines.count() and min(len(up), len(along)) >= 3
    ball = page.locator(".curve .ball")
    at = [float(ball.get_attribute(name)) for name in ("cx", "cy")]
    weight = figure.path()[-1]
    for scale, place, value in ((along, at[0], weight), (up, at[1], (2 * weight - 3) ** 2)):
        slope, begin = np.polyfit(*np.array(scale).T, 1)
        assert slope * value + begin == pytest.approx(place, abs=0.1)


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_the_picture_grows_smoothly_where_motion_is_welcome(open_figures, motion):
    page = open_figures(OneWeight(rate=0.3, steps=8), reduced_motion=motion)
    seen = page.locator(".tl-figure").evaluate(
        """async (home) => {
            const frame = () => home.shadowRoot.querySelector('.first-view');
            const wide = () => Number(frame().getAttribute('width'));
            const seen = [wide()];
            home.shadowRoot.querySelector('.step').click();
            const begun = performance.now();
            while (performance.now() - begun < 1500) {
                if (wide() !== seen.at(-1)) seen.push(wide());
                await new Promise(requestAnimationFrame);
            }
            return seen;
        }"""
    )
    assert seen == sorted(seen, reverse=True) and seen[-1] < seen[0] / 1.8
    assert (len(seen) == 2) == (motion == "reduce")


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
