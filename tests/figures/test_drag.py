"""Dragging: a finger drags sideways what it can scroll down, and what cannot work is refused."""

import os

import pytest
from figure_examples import EXAMPLES, settled, state, unfold

from attention_by_hand.figures import OneWeight, Question
from attention_by_hand.figures.kit import bundle
from attention_by_hand.figures.kit.figure import HERE


@pytest.fixture(scope="module")
def phone(browser, tmp_path_factory):
    """A phone, and the script that makes `drag` a global of its page."""
    folder = tmp_path_factory.mktemp("drag")
    kit = os.path.relpath(HERE.resolve(), folder.resolve())
    entry = folder / "entry.js"
    entry.write_text(
        f'import {{ drag }} from "{kit}/parts/drag.js";\nwindow.drag = drag;\n', "utf-8"
    )
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True)
    yield context.new_page(), bundle.script(entry)
    context.close()


@pytest.fixture
def page(phone):
    """A phone with a tall page, on which `drag` and an empty picture, `svg`, are globals."""
    page, script = phone
    page.set_content(
        "<body style='margin: 0; height: 3000px'><svg width=300 height=300>"
        "<circle cx=150 cy=150 r=60 /></svg>"
        f"<script>window.svg = document.querySelector('svg'); {script}</script>"
    )
    page.evaluate("scrollTo(0, 0)")
    return page


def finger(page, start, x, y):
    """A finger on a place of the window moves by so many pixels in ten steps, and is lifted."""
    session = page.context.new_cdp_session(page)

    def touch(kind, *points):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    left, top = start
    touch("touchStart", {"x": left, "y": top})
    for step in range(1, 11):
        touch("touchMove", {"x": left + x * step / 10, "y": top + y * step / 10})
    page.wait_for_timeout(80)  # or it would throw the page
    touch("touchEnd")


def swipe(page, x, y):
    """A finger on the circle moves by so many pixels; returns the moves it is told."""
    page.evaluate(
        "window.moves = 0; scrollTo(0, 0);"
        "drag(document.querySelector('circle'), { move: () => { moves += 1; } })"
    )
    finger(page, (150, 150), x, y)
    return page.evaluate("moves")


def test_a_finger_drags_a_part_of_a_picture_sideways_and_scrolls_down(page):
    assert swipe(page, 100, 12) >= 10
    assert page.evaluate("scrollY") == 0
    assert swipe(page, 12, -100) == 0
    assert page.evaluate("scrollY") > 50


TAPS = [
    (0, 0, "pointerup", 1),  # a tap
    (7, 0, "pointerup", 1),
    (7, 0, "pointercancel", 0),
    (12, 30, "pointercancel", 0),  # more down than along
    (30, 12, "pointercancel", 2),  # where it began, and where it is
]


def test_a_finger_that_has_not_gone_along_moves_something_only_as_a_tap(page):
    told = page.evaluate(
        """(taps) => taps.map(([x, y, end]) => {
            const node = svg.querySelector('circle').cloneNode();
            svg.append(node);
            node.setPointerCapture = () => {};
            let moves = 0;
            drag(node, { move: () => { moves += 1; } });
            const send = (kind, clientX, clientY) =>
                node.dispatchEvent(
                    new PointerEvent(kind, { pointerType: 'touch', clientX, clientY }));
            send('pointerdown', 0, 0);
            send('pointermove', x, y);
            send(end, x, y);
            return moves;
        })""",
        TAPS,
    )
    assert told == [moves for *_, moves in TAPS]


def test_only_the_first_button_drags(page):
    page.evaluate(
        "window.moves = 0;drag(document.querySelector('circle'), { move: () => { moves += 1; } })"
    )
    page.mouse.move(150, 150)
    for button, moves in [("right", 0), ("left", 2)]:
        page.mouse.down(button=button)
        page.mouse.move(150 + 10 * moves, 160)
        page.mouse.up(button=button)
        assert page.evaluate("moves") == moves


def test_what_a_finger_could_not_drag_is_refused(page):
    refused = """() => {
        try {
            drag(document.querySelector('circle'), { move() {}, axis: 'y' });
        } catch (error) {
            return error.message;
        }
    }"""
    assert "<circle> cannot be dragged along y" in page.evaluate(refused)
    page.evaluate("drag(svg, { move() {}, axis: 'y' })")
    assert page.evaluate("svg.style.touchAction") == "pan-x"


# What is dragged up and down, or anywhere, is a handle of its own: it does not scroll the page.
DRAGGED = """home => [...home.shadowRoot.querySelectorAll('.draggable, td:has(input)')].filter(
    (node) => node.checkVisibility() && !node.closest('.by-pencil') &&
        !['pan-x', 'none'].includes(getComputedStyle(node).touchAction))"""
INPUTS = """home => [...home.shadowRoot.querySelectorAll('input')].map((input) => input.value)"""


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_swipe_scrolls_the_page_and_changes_nothing_in_a_figure(open_figures, name):
    page = open_figures(EXAMPLES[name].make(), width=390, has_touch=True, reduced_motion="reduce")
    page.add_style_tag(content="body { padding: 2000px 0; }")
    unfold(page)
    home = page.locator(".tl-figure")
    shown = lambda: (state(page), home.evaluate(INPUTS))  # noqa: E731
    dragged = home.evaluate_handle(DRAGGED)
    sideways = []
    for i in range(min(2, dragged.evaluate("all => all.length"))):
        node = dragged.evaluate_handle(f"all => all[{i}]")
        for x, y in ((9, -160), (90, 10)):
            node.evaluate("node => node.scrollIntoView({ block: 'center', behavior: 'instant' })")
            left, top, width, height = node.evaluate(
                "n => { const b = n.getBoundingClientRect(); return [b.x, b.y, b.width, b.height] }"
            )
            before, scrolled = shown(), page.evaluate("scrollY")
            finger(page, (left + width * 0.4, top + height * 0.45), x, y)
            settled(page)
            if abs(y) > abs(x):
                assert shown() == before, (i, x, y)
                assert page.evaluate("scrollY") != scrolled
            else:
                sideways.append(shown() != before)
    if sideways and name != "TrainingPlayground":  # which has no step to go back to yet
        assert any(sideways)


def test_a_hand_shows_once_on_a_page_what_can_be_pulled(open_figures):
    page = open_figures(OneWeight(), Question(), reduced_motion="reduce")
    hand = page.locator("svg.ghost")
    hand.wait_for()
    at, ball = (one.bounding_box() for one in (hand, page.locator(".ball").first))
    assert ball["x"] < at["x"] + at["width"] and at["x"] < ball["x"] + ball["width"]
    assert ball["y"] < at["y"] + at["height"] and at["y"] < ball["y"] + ball["height"]
    page.mouse.click(1, 1)
    assert hand.count() == 0
    page.locator(".tl-figure").nth(1).evaluate("home => home.scrollIntoView({ block: 'center' })")
    page.wait_for_timeout(300)
    assert hand.count() == 0, "it has been shown"
