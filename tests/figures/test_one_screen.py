"""What is pressed and what answers are on one screen, a phone's or a small laptop's, so that nobody
scrolls to see what a press has done.
"""

import pytest
import torch
from figure_examples import EXAMPLES, settled

from attention_by_hand.exhibits.walkthrough import GLOSS, SENTENCES, TABLE
from attention_by_hand.figures import (
    EmbeddingLookup,
    HeadLanes,
    HeadsInMemory,
    LiveTranslator,
    MachineMap,
    Positions,
    SoftmaxScale,
    TrainingReplay,
    Writer,
)

SCREEN = 740  # of pixels, as high as that of a small phone
PHONE, DESK = 390, 760


def lookup():
    return EmbeddingLookup(TABLE, SENTENCES, gloss=GLOSS)


def positions(prediction=""):
    return lambda: Positions(length=100, position=10, prediction=prediction)


@pytest.mark.parametrize(
    ("make", "width", "parts"),
    [
        (EXAMPLES["AttentionExplorer"].make, PHONE, (".picture", ".query", ".map >> nth=1")),
        (EXAMPLES["ByHand"].make, PHONE, (".panel.x", ".panel.output")),
        (lookup, PHONE, (".panel", ".work")),
        (lookup, DESK, (".tl-figure",)),
        (HeadLanes, PHONE, (".card >> nth=0", ".card >> nth=-1")),
        (lambda: HeadsInMemory(torch.randn(5, 64), n_heads=8), PHONE, (".choices", ".verdict")),
        (LiveTranslator, PHONE, (".line.target", ".says", "[data-part=positions] >> nth=0")),
        (LiveTranslator, DESK, (".tl-figure",)),
        (MachineMap, PHONE, (".says", ".walk")),
        (MachineMap, PHONE, (".words.target", ".write")),
        (positions(), PHONE, ("canvas >> nth=0", ".clock", ".products svg")),
        (positions("6.2"), PHONE, ("canvas >> nth=0", ".clock", ".products svg")),
        (lambda: SoftmaxScale(d_k=512), PHONE, (".controls >> nth=0", ".size >> nth=0")),
        (TrainingReplay, PHONE, ("svg.losses", ".written")),
        (TrainingReplay, DESK, (".tl-figure",)),
        (Writer, PHONE, (".text", ".others")),
    ],
)
def test_control_and_answer_are_on_one_screen(open_figures, make, width, parts):
    page = open_figures(make(), width=width, has_touch=width == PHONE, reduced_motion="reduce")
    settled(page)
    boxes = [page.locator(part).bounding_box() for part in parts]
    top = min(box["y"] for box in boxes)
    assert max(box["y"] + box["height"] for box in boxes) - top <= SCREEN
