"""The plan of the machine: its two towers as boxes and arrows, drawn large by `MachineMap` and
small by `where`.

Coordinates run from the upper left corner. A word enters at the bottom of its tower and rises
through the boxes; the encoder's result, the memory, crosses over into the decoder.
"""

from __future__ import annotations

import html
from dataclasses import asdict, dataclass

from ..kit import FigureError

# Where links lead from outside the book's own site; "" as long as that is nowhere
SITE = ""
PAGES = {
    "1": "01-words-to-vectors",
    "2": "02-query-key-value",
    "3": "03-why-root-d-k",
    "4": "04-many-heads",
    "5": "05-masks",
    "6": "06-positions",
    "7": "07-the-whole-transformer",
    "8": "08-training",
    "9": "09-reading-attention",
}

WIDTH = 332
HEIGHT = 400
BOX = 128  # the width of a box
# where the boxes of encoder and decoder begin
LEFT = 16
RIGHT = 180
FLOOR = HEIGHT - 12  # below it, words enter


@dataclass(frozen=True)
class Box:
    """One part of the machine: where it stands, its role (which colours it), what it does, and who
    explains it.
    """

    part: str
    label: str
    role: str
    side: str
    x: int
    y: int
    height: int
    says: str
    chapters: tuple[str, ...]


def _box(side, part, label, role, above_floor, height, chapters, says):
    x = LEFT if side == "source" else RIGHT
    return Box(
        part, label, role, side, x, FLOOR - above_floor - height, height, says, tuple(chapters)
    )


ADD = "Adds what was found to what was there, and normalises the sum: mean 0, variance 1, a learnt gain and bias."
FEED = "Each word alone: up to more numbers, every negative one set to 0, and back. No word sees another here."
LOOK_UP = (
    "Fetches the row of this word from a table that was learnt, and multiplies it by √d_model."
)
PLACE = (
    "Adds the waves of the word's place in the sentence. Without them the encoder knows no word order, and the decoder "
    "only what its mask tells."
)
BOXES = [
    _box("source", "encoder embedding", "embedding", "plain", 0, 26, "1", LOOK_UP),
    _box("source", "encoder position", "+ position", "plain", 32, 26, "6", PLACE),
    _box(
        "source", "encoder self-attention", "self-attention", "attention", 76, 34, "234",
        "Each source word asks all source words, in several heads, and takes a weighted average of their values.",
    ),
    _box("source", "encoder add & norm 1", "add & norm", "norm", 114, 24, "7", ADD),
    _box("source", "encoder feed-forward", "feed-forward", "feed", 150, 34, "7", FEED),
    _box("source", "encoder add & norm 2", "add & norm", "norm", 188, 24, "7", ADD),
    _box(
        "source", "memory", "memory", "memory", 234, 28, "79",
        "What the encoder hands over: one vector for each source word. Every cross-attention takes its keys and "
        "values from here.",
    ),
    _box("target", "decoder embedding", "embedding", "plain", 0, 26, "1", LOOK_UP),
    _box("target", "decoder position", "+ position", "plain", 32, 26, "6", PLACE),
    _box(
        "target", "masked self-attention", "masked attention", "attention", 76, 34, "5",
        "Each word written so far asks itself and the words before it. A mask hides what comes later.",
    ),
    _box("target", "decoder add & norm 1", "add & norm", "norm", 114, 24, "7", ADD),
    _box(
        "target", "cross-attention", "cross-attention", "attention", 150, 34, "79",
        "Each word written so far asks the memory: here the translation looks at the source.",
    ),
    _box("target", "decoder add & norm 2", "add & norm", "norm", 188, 24, "7", ADD),
    _box("target", "decoder feed-forward", "feed-forward", "feed", 224, 34, "7", FEED),
    _box("target", "decoder add & norm 3", "add & norm", "norm", 262, 24, "7", ADD),
    _box(
        "target", "scores", "scores", "out", 308, 28, "78",
        "One score for each word of the target language: how well the vector fits as the one that comes next.",
    ),
    _box(
        "target", "softmax", "softmax", "out", 344, 28, "28",
        "Turns the scores into probabilities that add up to 1. The likeliest word is written.",
    ),
]  # fmt: skip
OF = {box.part: box for box in BOXES}
FRAMES = [
    (3, FLOOR - 218, 147, 150),
    (174, FLOOR - 292, 147, 224),
]  # a layer of each tower: x, y, width, height


def _wires():
    """The arrows, as (kind, points): what flows up, what goes round a sub-layer, what the memory
    gives, what is read again.
    """

    def middle(part):
        return OF[part].y + OF[part].height / 2

    wires = []
    for x, side in ((LEFT, "source"), (RIGHT, "target")):
        tower = [box for box in BOXES if box.side == side]
        centre = x + BOX / 2
        rim = 9 if side == "source" else 315
        wires.append(("flow", [(centre, HEIGHT), (centre, FLOOR)]))
        for below, above in zip(tower, tower[1:], strict=False):
            wires.append(("flow", [(centre, below.y), (centre, above.y + above.height)]))
            if above.role == "norm":
                edge = x if side == "source" else x + BOX
                start = below.y + below.height + 4
                end = above.y + above.height / 2
                wires.append(("round", [(centre, start), (rim, start), (rim, end), (edge, end)]))
    across = (LEFT + BOX + RIGHT) / 2
    memory = middle("memory")
    asked = middle("cross-attention")
    wires.append(
        ("memory", [(LEFT + BOX, memory), (across, memory), (across, asked), (RIGHT, asked)])
    )
    out = middle("softmax")
    wires.append(("flow", [(RIGHT, out), (LEFT + BOX + 8, out)]))
    rim = WIDTH - 4
    down = HEIGHT - 4
    wires.append(
        ("again", [(RIGHT + BOX, out), (rim, out), (rim, down), (RIGHT + BOX / 2 + 4, down)])
    )
    return wires


WIRES = _wires()


def path(points) -> str:
    """An arrow along these points as an SVG path, its head included."""
    (x0, y0), (x, y) = points[-2:]
    across = (x > x0) - (x < x0)
    up = (y > y0) - (y < y0)
    head = [(x - 5 * across - 3 * side * up, y - 5 * up - 3 * side * across) for side in (1, -1)]
    head.insert(1, (x, y))
    return "".join("M" + "L".join(f"{px:g} {py:g}" for px, py in line) for line in (points, head))


def drawing() -> dict:
    """The plan for JavaScript."""
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "box": BOX,
        "boxes": [asdict(box) for box in BOXES],
        "frames": FRAMES,
        "wires": [[kind, path(points)] for kind, points in WIRES],
        "pages": PAGES,
        "site": SITE,
    }


ALL = tuple(OF)
ATTENTIONS = ("encoder self-attention", "masked self-attention", "cross-attention")
EMBEDDINGS = ("encoder embedding", "decoder embedding")
POSITIONS = ("encoder position", "decoder position")
PARTS = {  # for `where`: the boxes that are lit, a name, a sentence
    "why": (
        ("memory", "cross-attention"),
        "Why attention",
        "Each new word looks back at the whole source.",
    ),
    "embedding": (EMBEDDINGS, "Embedding", "At the foot of both towers, a word becomes a vector."),
    "attention": (
        ATTENTIONS,
        "Attention",
        "Words ask words, in three places. One equation serves all three.",
    ),
    "scale": (ATTENTIONS, "The scale", "Inside each attention, every score is divided by √dₖ."),
    "heads": (ATTENTIONS, "Heads", "Each attention is several attentions, side by side."),
    "masks": (
        ATTENTIONS,
        "Masks",
        "Each attention hides padding; the decoder's first one also hides what comes later.",
    ),
    "positions": (POSITIONS, "Positions", "Above the embedding, each word is told its place."),
    "whole": (ALL, "The whole machine", "Every box and every arrow."),
    "training": (
        ALL,
        "Training",
        "What comes out at the top is compared with the true word; every box changes a little.",
    ),
    "reading": (ATTENTIONS, "Reading attention", "The weights of every head, in all three places."),
    "costs": (
        ATTENTIONS,
        "What it costs",
        "Attention, beside the older ways to bring words together.",
    ),
}


class Where:
    """A small picture of the machine with one part lit; a notebook shows it as HTML, a terminal as
    a sentence.
    """

    def __init__(self, part: str):
        if part not in PARTS:
            raise FigureError(f"where({part!r}): expected one of {list(PARTS)}")
        self.lit, self.name, self.says = PARTS[part]

    def __repr__(self) -> str:
        return f"{self.name}: {self.says}"

    def _repr_html_(self) -> str:
        def boxes(lit):
            chosen = [box for box in BOXES if (box.part in self.lit) == lit]
            return "".join(f"M{box.x} {box.y}h{BOX}v{box.height}h-{BOX}z" for box in chosen)

        def wires(lit):
            crossing = "memory" in self.lit  # its arrow is lit with it
            return "".join(
                path(points) for kind, points in WIRES if (crossing and kind == "memory") == lit
            )

        link = f'href="{SITE}index.html"' if SITE else 'hidden="" data-page="index.html"'
        lit = "every box" if self.lit == ALL else ", ".join(self.lit)
        return (
            '<div class="tl-where" style="display:flex;gap:16px;align-items:center;margin:8px 0">'
            f'<svg role="img" aria-label="The two towers of the Transformer; lit: {lit}" width="133" height="160" '
            f'viewBox="-2 0 {WIDTH + 2} {HEIGHT}" style="flex:none" fill="none" stroke="currentColor" stroke-width="2">'
            f'<path opacity=".45" d="{wires(False)}"/><path opacity=".6" stroke-width="2.5" d="{boxes(False)}"/>'
            f'<path stroke="#1f7fd6" stroke-width="4" d="{wires(True)}"/>'
            f'<path fill="#1f7fd6" stroke="#1f7fd6" stroke-width="3" d="{boxes(True)}"/></svg>'
            f'<p style="margin:0;max-width:34em"><strong>Where we are: {self.name}.</strong> {html.escape(self.says)}'
            f'<br><a style="color:inherit" {link}>The whole machine</a></p></div>'
        )


def where(part: str) -> Where:
    """The machine with one part lit, for the head of a chapter: `where("masks")`.

    part: "why", "embedding", "attention", "scale", "heads", "masks", "positions", "whole",
    "training", "reading" or "costs". Raises FigureError for another.
    """
    return Where(part)
