"""What is pressed and what answers are on one screen, a phone's or a small laptop's, so that nobody
scrolls to see what a press has done.
"""

import pytest
import torch
from answers import SCREENS, Answer, answers
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
    view = "two positions"
    return lambda: Positions(length=100, position=10, shows=view, prediction=prediction)


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
        (positions(), PHONE, (".choices", ".clock", ".products svg")),
        (positions("6.2"), PHONE, (".choices", ".clock", ".products svg")),
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


# Controls of which more than half of what they change is off the screen, by the beginning of their
# name, each with its reason, on both screens or on one. Whoever mends one takes it out of here.
ALL_OVER = "it gives the figure another sentence or another model, so that all of it changes"
SAID = "what is now written is said beside the switch; the words above are taller than a phone"
OFF = {
    "ByHand": {"d e f": ALL_OVER},
    "InductionHeads": {"▶ Grow it here": ALL_OVER},
    "Judge": dict.fromkeys(
        ("the grammar", "length"), "each of twenty sentences gets its mark, and they fill a screen"
    ),
    "LiveTranslator": {
        "One head of 24": ALL_OVER,
        "beam": ALL_OVER,
        "positions": SAID,
        "upper decoder layer": SAID,
        "feed-forward in": SAID,
        "cross-attention in": SAID,
        "self-attention in": SAID,
        "residual sums": SAID,
        "head ": SAID,
        "÷ √dₖ": SAID,
    },
    "Masks phone": {"both": "on a phone the last words are 30 pixels below the edge"},
    "MachineMap desk": dict.fromkeys(
        "ich habe die rote Tür heute nicht zugemacht .".split(),
        "the encoder stands on the ground beside the decoder, further from the words than half a "
        "screen, so of its strips only the upper ones are on it",
    ),
    "MachineMap phone": dict.fromkeys(
        ("ich", "Take the walk"),
        "the other tower comes, with all its names, higher than half a phone",
    ),
    "TrainingPlayground": dict.fromkeys(("layers", "ich mochte ein"), ALL_OVER),
    "Writer phone": {
        **dict.fromkeys(("i do not know", "ich habe", "ich trinke Tee", "nothing"), ALL_OVER),
        **dict.fromkeys(("positions", "head "), "on a phone the sums are 30 pixels below the edge"),
    },
}


WEEKLY = [pytest.param(screen, True, marks=pytest.mark.weekly) for screen in SCREENS]


@pytest.mark.parametrize(("screen", "every"), [("phone", False), *WEEKLY])
@pytest.mark.parametrize("name", EXAMPLES)
def test_what_a_control_changes_is_on_the_screen(open_figures, name, screen, every):
    page = open_figures(EXAMPLES[name].make(), reduced_motion="reduce")
    known = (*OFF.get(name, ()), *OFF.get(f"{name} {screen}", ()))
    # Its parts stay cut, so that what one sees depends on all that was pressed before.
    every = every or name == "LiveTranslator"
    found = answers(page, SCREENS[screen], every)
    found = [one for one in found if not one.control.startswith(known)]
    assert [one for one in found if not one.is_seen] == []


def test_an_answer_that_is_mostly_off_the_screen_is_not_seen():
    assert Answer("a", texts=1, texts_off=("b",)).is_seen
    assert not Answer("a", texts=1, texts_off=("b", "c")).is_seen
    assert not Answer("a", texts=2, texts_off=("b",), marks_off=("c", "d")).is_seen
