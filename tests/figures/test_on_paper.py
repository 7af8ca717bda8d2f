"""Figures on paper: laid out for the sheet before it is printed, so that what is placed by
measuring lies where it belongs, and laid out anew for the screen afterwards.
"""

import ctypes

import pytest
from figure_examples import EXAMPLES, resize, settled
from pypdfium2 import PdfDocument, raw

from attention_by_hand.palette import COLOURS

SHEET = 680  # pixels, of A4 without its margins
# Nothing may happen between the two: an observer would come too late for a printer.
ON_PAPER = """home => {
    dispatchEvent(new Event("beforeprint"));
    const found = (%s)(home.shadowRoot, (node) => node.getBoundingClientRect());
    dispatchEvent(new Event("afterprint"));
    return found;
}"""
# How far the ball is from the strip that is shown, and each thread from its word, in pixels
ASTRAY = """(root, box) => {
    const middle = (node) => (box(node).top + box(node).bottom) / 2;
    const ball = middle(root.querySelector(".ball")) - middle(root.querySelector(".row.on"));
    const words = [...root.querySelectorAll(".seen li")].map(middle);
    const ends = [...root.querySelectorAll(".threads path")].map((path) => {
        const end = path.getPointAtLength(path.getTotalLength());
        const { y } = end.matrixTransform(path.getScreenCTM());
        return Math.min(...words.map((word) => Math.abs(word - y)));
    });
    return [Math.abs(ball), ...ends];
}"""


# How wide all figures are before they are printed, on paper, and afterwards
WIDE = """all => {
    const wide = () => all.map((home) => home.getBoundingClientRect().width);
    const before = wide();
    dispatchEvent(new Event("beforeprint"));
    const onPaper = wide();
    dispatchEvent(new Event("afterprint"));
    return [before, onPaper, wide()];
}"""


def test_it_is_as_wide_as_the_sheet_and_then_again_as_the_page(open_figures):
    page = open_figures(*(example.make() for example in EXAMPLES.values()))
    for width in (390, 1280):
        resize(page, width)
        settled(page)
        before, on_paper, after = page.locator(".tl-figure").evaluate_all(WIDE)
        assert before == after
        # One shows nothing: the predictions, as long as there are none
        shown = {name: w for name, w in zip(EXAMPLES, on_paper, strict=True) if w}
        assert shown == pytest.approx(dict.fromkeys(shown, SHEET))
        assert EXAMPLES.keys() - shown.keys() == {"Predictions"}


@pytest.mark.parametrize("width", [390, 900])
def test_the_machine_s_ball_stands_at_its_strip_and_each_thread_ends_at_a_word(open_figures, width):
    page = open_figures(EXAMPLES["MachineMap"].make(), width=width, reduced_motion="reduce")
    settled(page)
    astray = page.locator(".tl-figure").evaluate(ON_PAPER % ASTRAY)
    assert len(astray) > 4 and max(astray) < 6


def stroked(sheet):
    """The lines on a sheet of a PDF, by their colour: [(left, bottom, right, top), ...]."""
    lines = {}
    for line in sheet.get_objects([raw.FPDF_PAGEOBJ_PATH]):
        fill, stroke = ctypes.c_int(), ctypes.c_int()
        raw.FPDFPath_GetDrawMode(line, fill, stroke)
        if stroke.value:
            parts = [ctypes.c_uint() for _ in range(4)]
            raw.FPDFPageObj_GetStrokeColor(line, *parts)
            colour = "#" + "".join(f"{part.value:02x}" for part in parts[:3])
            lines.setdefault(colour, []).append(line.get_bounds())
    return lines


@pytest.mark.parametrize("width", [390, 900])
def test_the_arrows_of_the_operands_end_at_the_chosen_cell_of_the_sheet(open_figures, width):
    page = open_figures(EXAMPLES["ByHand"].make(), width=width)
    lines = stroked(PdfDocument(page.pdf(format="A4", print_background=True))[0])
    left, _, right, top = lines["#1b2430"][-1]  # around the cell
    for name in ("query", "key"):
        tip = lines[COLOURS[name]][-1]
        assert left < tip[0] < tip[2] < right and abs(tip[1] - top) < 4
