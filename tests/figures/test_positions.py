"""Positions: what is dragged, and what waits for a guess. Its numbers: test_teaching_figures.py."""

import math

import numpy as np
import pytest
from figure_examples import shown, state

from attention_by_hand.figures import Positions, Prediction
from transformer_lite.positions import sinusoidal_encoding


def drag(page, what, start, *ends):
    """Drags from one place of a part to others, each (right, down) as a share of its size."""
    part = page.locator(what)
    part.scroll_into_view_if_needed()
    box = part.bounding_box()
    to = lambda x, y: (box["x"] + x * box["width"], box["y"] + y * box["height"])  # noqa: E731
    page.mouse.move(*to(*start))
    page.mouse.down()
    for end in ends:
        page.mouse.move(*to(*end))
    page.mouse.up()


def test_the_table_is_pressed_for_a_pair_and_dragged_for_a_position(open_figures):
    page = open_figures(Positions(d_model=16, length=20, shows="the table"))
    drag(page, ".map", (2.5 / 20, 10.5 / 16), (14.5 / 20, 3.5 / 16))
    assert state(page) == {"position": "14", "pair": "5", "shift": "2", "known": "true"}
    drag(page, ".map", (0.5, 3.5 / 16), (1.4, 0.5))
    assert (state(page)["position"], state(page)["pair"]) == ("19", "1")


def test_the_knob_of_the_column_is_dragged_for_a_position_alone(open_figures):
    page = open_figures(Positions(d_model=16, length=20, position=2, pair=3, shows="the table"))
    knob = page.locator(".column i").bounding_box()
    table = page.locator(".map").bounding_box()
    page.mouse.move(knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2)
    page.mouse.down()
    for position in (9, 14):
        page.mouse.move(table["x"] + table["width"] * (position + 0.5) / 20, table["y"] + 30)
        assert state(page) == {
            "position": f"{position}",
            "pair": "3",
            "shift": "2",
            "known": "true",
        }


@pytest.mark.parametrize(
    ("view", "picture"), [("one hand", "chosen pair"), ("two positions", "dot product")]
)
def test_the_curves_are_dragged_sideways_along_their_axis(open_figures, view, picture):
    page = open_figures(Positions(d_model=16, length=20, shows=view))
    curve = f"[aria-label*='{picture}']"
    seen = []
    for position in (0, 7, 19):
        width = page.locator(curve).evaluate("chart => chart.viewBox.baseVal.width")
        x = 38 + (width - 48) * (position + 0.5) / 20  # between the two ends of the axis
        drag(page, curve, (0.5, 0.4), (x / width, 0.6))
        seen.append(int(state(page)["position"]))
        at = page.locator(f"{curve} line.now").evaluate("line => line.x1.baseVal.value")
        assert abs(at - x) < 1.5, "under the finger"
    assert seen == [0, 7, 19]


def test_one_clock_is_seen_first_and_all_others_come_by_a_press(open_figures):
    page = open_figures(Positions(d_model=32, length=50))
    clocks = page.locator(".clock, .dial").filter(visible=True)
    assert clocks.count() == 1 and page.locator(".clock .hand").filter(visible=True).count() == 1
    page.get_by_role("radio", name="all 16 hands").click()
    assert clocks.count() == 17
    page.get_by_role("slider", name="shift").fill("3")
    assert page.get_by_role("radio", name="two positions").get_attribute("aria-checked") == "true"
    assert page.locator(".clock .hand").filter(visible=True).count() == 2


def test_its_headings_leave_the_menu_room(open_figures):
    page = open_figures(Positions(d_model=64, length=100, position=10), width=760)
    range_of = """node => {
        const range = document.createRange();
        range.selectNodeContents(node);
        const { right, top } = range.getBoundingClientRect();
        return [right, top];
    }"""
    for view in page.get_by_role("radio").all():
        view.click()
        menu = page.locator(".menu").bounding_box()
        for heading in page.locator(".title").filter(visible=True).all():
            right, top = heading.evaluate(range_of)
            assert right <= menu["x"] or top >= menu["y"] + menu["height"]


def hand(page, kind):
    """Where a hand of the clock ends, as a share of its picture, and the angle from twelve."""
    node = page.locator(f".clock line.{kind}")
    x, y = node.evaluate("line => [line.x2.baseVal.value, line.y2.baseVal.value]")
    return math.atan2(x, -y)


def on_the_clock(angle):
    return 0.5 + math.sin(angle) / 3.1, 0.5 - math.cos(angle) / 2.84


@pytest.mark.parametrize("pair, steps", [(0, 1), (2, 7), (2, -9)])
def test_the_hands_are_dragged_round(open_figures, pair, steps):
    view = "two positions"
    figure = Positions(d_model=16, length=40, position=12, pair=pair, shift=1, shows=view)
    page = open_figures(figure)
    turn = 10000 ** (-2 * pair / 16)
    start = hand(page, "now")
    way = [on_the_clock(start + turn * steps * i / 8) for i in range(9)]
    drag(page, ".clock", *way)
    assert state(page)["position"] == str(12 + steps)
    assert math.cos(hand(page, "now") - start - turn * steps) == pytest.approx(1)
    start = hand(page, "then")
    drag(page, ".clock", *(on_the_clock(start + turn * steps * i / 8) for i in range(9)))
    assert state(page)["shift"] == str(1 + steps)
    assert state(page)["position"] == str(12 + steps), "only the hand that is dragged"


def test_a_finger_turns_a_hand_by_going_sideways(open_figures):
    page = open_figures(Positions(position=10), width=390, has_touch=True)
    clock = page.locator(".clock")
    clock.scroll_into_view_if_needed()
    box = clock.bounding_box()
    right, down = on_the_clock(hand(page, "now"))
    x, y = box["x"] + right * box["width"], box["y"] + down * box["height"]
    finger = page.context.new_cdp_session(page)

    def touch(kind, *points):
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", {"x": x, "y": y})
    for step in range(1, 9):
        touch("touchMove", {"x": x - 3 * step, "y": y})
    touch("touchEnd")
    assert state(page)["position"] == "6"


def test_a_small_clock_is_pressed_for_its_pair(open_figures):
    page = open_figures(Positions(d_model=64, length=20, pair=0, shows="all hands"))
    chosen = page.locator(".dial").evaluate_all(
        "all => all.map((dial) => dial.classList.contains('now')).indexOf(true)"
    )
    assert chosen == 0 and page.locator(".dial").count() == 32
    drag(page, ".dials svg", (3.5 / 8, 2.5 / 4))
    assert state(page)["pair"] == "19"
    assert page.locator(".dial.now").count() == 1
    drag(page, ".dials svg", (3.5 / 8, 2.5 / 4), (0.5 / 8, 0.5 / 4), (1.4, 1.4))
    assert state(page)["pair"] == "31" and "hand 31" in page.locator(".pairs").inner_text()


@pytest.mark.parametrize("d_model", [4, 16, 64, 512])
def test_all_hands_turn_as_the_position_is_dragged(open_figures, d_model):
    page = open_figures(Positions(d_model=d_model, length=20, position=3, pair=1))
    for position in (3, 17):
        page.get_by_role("slider", name="position").fill(str(position))
        ends = page.locator(".dial line").evaluate_all(
            "all => all.map(({x1, y1, x2, y2}) => [x2, x1, y1, y2].map((at) => at.baseVal.value))"
        )
        apart = max(1, d_model // 64)
        package = sinusoidal_encoding(20, d_model)[position].view(-1, 2)[::apart].tolist()
        found = [[(right - x) / 0.4, (y - up) / 0.4] for right, x, y, up in ends]
        assert np.abs(np.array(found) - package).max() < 1e-4
        assert page.locator(".dial").count() == min(32, d_model // 2)
        assert page.locator(".dial.now").count() == 1


def test_the_dot_products_wait_for_a_guess(open_figures):
    question = Prediction(
        "6.2", "Which is larger?", ["10 and 13", "10 and 7"], answer=1, because="Distance."
    )
    figure = Positions(length=20, position=10, shows="two positions", prediction="6.2")
    page = open_figures(question, figure)
    ask, figure = (page.locator(".tl-figure").nth(i) for i in range(2))
    curve = figure.locator("[aria-label^='dot product'] path")
    numbers = figure.locator(".numbers table").nth(1).locator("tbody td")
    assert curve.get_attribute("d") is None and set(numbers.all_text_contents()) == {"?"}
    ask.get_by_role("radio").first.check()
    ask.get_by_role("button", name="That is my guess").click()
    products = shown(page, 1)["dot product of the position with every position"][:, 0]
    assert np.argmax(products) == 10 and curve.get_attribute("d").count("L") == 19
    ask.get_by_role("button", name="Erase my guess").click()
    assert curve.get_attribute("d") is None
    figure.get_by_role("button", name="Show it without a guess").click()
    assert curve.get_attribute("d").count("L") == 19
    assert figure.get_by_role("button", name="Show it without a guess").count() == 0


@pytest.mark.parametrize("width", [320, 360, 390, 900])
def test_its_letters_are_large_enough(open_figures, width):
    page = open_figures(Positions(), width=width)
    sizes = page.locator("svg text").evaluate_all(
        "all => all.map((text) => parseFloat(getComputedStyle(text).fontSize) * "
        "text.getScreenCTM().a)"
    )
    assert min(sizes) > 11.9


@pytest.mark.parametrize("prediction", ["", "6.2"])
def test_on_a_phone_the_clock_stands_beside_its_buttons_and_nothing_moves(open_figures, prediction):
    figure = Positions(length=100, position=10, shows="two positions", prediction=prediction)
    page = open_figures(figure, width=390, has_touch=True)
    clock, pairs, terms, products = (
        page.locator(part).bounding_box()
        for part in (".clock", ".pairs", ".terms", ".products svg")
    )
    assert clock["x"] + clock["width"] <= pairs["x"]
    for shift in (-50, 50):
        page.get_by_role("slider", name="shift").fill(str(shift))
        assert page.locator(".terms").bounding_box() == terms, "and nothing moves as it is turned"
    if not prediction:
        return
    page.get_by_role("button", name="Show it without a guess").tap()
    assert page.locator(".products path").get_attribute("d").count("L") == 99
    assert page.locator(".products svg").bounding_box() == products
