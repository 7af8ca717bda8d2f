"""Dragging: a finger drags sideways what it can scroll down, and what cannot work is refused."""

import os

import pytest

from transformer_lite.figures.kit import bundle
from transformer_lite.figures.kit.figure import HERE


@pytest.fixture
def page(browser, tmp_path):
    """A phone with a tall page, on which `drag` and an empty picture, `svg`, are globals."""
    kit = os.path.relpath(HERE.resolve(), tmp_path.resolve())
    entry = tmp_path / "entry.js"
    entry.write_text(f'import {{ drag }} from "{kit}/drag.js";\nwindow.drag = drag;\n', "utf-8")
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True)
    page = context.new_page()
    page.set_content(
        "<body style='margin: 0; height: 3000px'><svg width=300 height=300>"
        "<circle cx=150 cy=150 r=60 /></svg>"
        f"<script>window.svg = document.querySelector('svg'); {bundle.script(entry)}</script>"
    )
    yield page
    context.close()


def swipe(page, x, y):
    """A finger on the circle moves by so many pixels in ten steps; returns the moves it is told."""
    page.evaluate(
        "window.moves = 0; scrollTo(0, 0);"
        "drag(document.querySelector('circle'), { move: () => { moves += 1; } })"
    )
    finger = page.context.new_cdp_session(page)

    def touch(kind, *points):
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", {"x": 150, "y": 150})
    for step in range(1, 11):
        touch("touchMove", {"x": 150 + x * step / 10, "y": 150 + y * step / 10})
    touch("touchEnd")
    return page.evaluate("moves")


def test_a_finger_drags_a_part_of_a_picture_sideways_and_scrolls_down(page):
    assert swipe(page, 100, 12) >= 10
    assert page.evaluate("scrollY") == 0
    swipe(page, 12, -100)
    assert page.evaluate("scrollY") > 50


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
