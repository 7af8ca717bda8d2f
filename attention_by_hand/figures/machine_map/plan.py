"""The plan of the machine: its two towers as boxes, which a word passes from the bottom up.
`MachineMap` draws them with their numbers, `where` as a small picture.
"""

from __future__ import annotations

import html
from dataclasses import asdict, dataclass

from ..kit import FigureError, book


@dataclass(frozen=True)
class Box:
    """One part of the machine: its role (which colours it), its stage (the sub-layer whose numbers
    it shows), what it does, and who explains it.

    In `says`, `{word}` is the word that passes, `{best}` and `{share}` are the word it looks at
    most and how much that is; the others are named in text.js.
    """

    part: str
    label: str
    role: str
    side: str
    stage: str
    says: str
    chapters: tuple[str, ...]


LOOK_UP = (
    "Every word has a row of {size} numbers in a table that was learnt in training. This is the "
    "row of {word}, times √{size}. Blue is above zero, orange below."
)
ADD = (
    "The strip just found is added to the one from before, so that {word} is changed and not "
    "replaced. Then the sum is brought back to a common size."
)
FEED = (
    "Now {word} works alone. A small network widens its {size} numbers, sets every negative one "
    "to 0 and narrows them again. It looks at no other word."
)
BOXES = [
    Box("encoder embedding", "embedding", "plain", "source", "embedding", LOOK_UP, ("1",)),
    Box(
        "encoder position", "+ position", "plain", "source", "position",
        "The place of {word} in its sentence is added, written as waves. Without them, the encoder "
        "would not know in which order the words stand.",
        ("6",),
    ),
    Box(
        "encoder self-attention", "self-attention", "attention", "source", "self_attention",
        "{word} sends a {query} to every {source} word, and each answers with its {key}. The "
        "better the two fit, the thicker the thread, and the more of that word’s {value} comes "
        "back along it. The most, {share}, comes from {best}.",
        ("2", "3", "4"),
    ),
    Box("encoder add & norm 1", "add & norm", "norm", "source", "norm1", ADD, ("7",)),
    Box("encoder feed-forward", "feed-forward", "feed", "source", "feed_forward", FEED, ("7",)),
    Box("encoder add & norm 2", "add & norm", "norm", "source", "norm2", ADD, ("7",)),
    Box(
        "memory", "memory", "memory", "source", "memory",
        "After {layers}, this is what the encoder hands over for {word}. Every cross-attention "
        "makes its {keys} and {values} from such strips.",
        ("7", "9"),
    ),
    Box("decoder embedding", "embedding", "plain", "target", "embedding", LOOK_UP, ("1",)),
    Box(
        "decoder position", "+ position", "plain", "target", "position",
        "The place of {word} in its sentence is added, written as waves. Without them, the decoder "
        "would know the order by its mask alone.",
        ("6",),
    ),
    Box(
        "masked self-attention", "masked attention", "attention", "target", "self_attention",
        "{word} sends its {query} to itself and to the {target} words before it, because a mask "
        "hides those that come later. The better a {key} fits, the more of that word’s {value} "
        "comes back. The most, {share}, comes from {best}.",
        ("5",),
    ),
    Box("decoder add & norm 1", "add & norm", "norm", "target", "norm1", ADD, ("7",)),
    Box(
        "cross-attention", "cross-attention", "attention", "target", "cross_attention",
        "Here {word} looks at the {source}: its {query} meets the {key} of every {source} word. "
        "The better the two fit, the thicker the thread, and the more of that word’s {value} "
        "comes back. The most, {share}, comes from {best}.",
        ("7", "9"),
    ),
    Box("decoder add & norm 2", "add & norm", "norm", "target", "norm2", ADD, ("7",)),
    Box("decoder feed-forward", "feed-forward", "feed", "target", "feed_forward", FEED, ("7",)),
    Box("decoder add & norm 3", "add & norm", "norm", "target", "norm3", ADD, ("7",)),
    Box(
        "scores", "scores", "out", "target", "scores",
        "The strip is compared with every {target} word, {vocabulary} in all. The higher its "
        "score, the better a word fits as the next one.",
        ("7", "8"),
    ),
    Box(
        "softmax", "next word", "out", "target", "softmax",
        "The softmax turns the scores into probabilities, which add up to 1. After {word} the "
        "likeliest word is {next}.",
        ("2", "8"),
    ),
]  # fmt: skip
OF = {box.part: box for box in BOXES}
INNER = {  # the sub-layers of a layer, from the bottom up
    tower: [
        box.stage for box in BOXES if box.side == side and box.role in ("attention", "norm", "feed")
    ]
    for tower, side in (("encoder", "source"), ("decoder", "target"))
}

# The guided walk: the boxes where it halts, and whether in the first layer or in the last.
WALK = [
    ("encoder embedding", "first"),
    ("encoder position", "first"),
    ("encoder self-attention", "first"),
    ("encoder add & norm 1", "first"),
    ("memory", "last"),
    ("decoder embedding", "first"),
    ("masked self-attention", "first"),
    ("cross-attention", "last"),
    ("decoder feed-forward", "last"),
    ("softmax", "last"),
]


def drawing() -> dict:
    """The plan for JavaScript."""
    return {"boxes": [asdict(box) for box in BOXES], "pages": book.PAGES, "site": book.SITE}


ALL = tuple(OF)
ATTENTIONS = ("encoder self-attention", "masked self-attention", "cross-attention")
EMBEDDINGS = ("encoder embedding", "decoder embedding")
POSITIONS = ("encoder position", "decoder position")
ALONE = (
    "decoder embedding",
    "decoder position",
    "masked self-attention",
    "decoder add & norm 1",
    "decoder feed-forward",
    "decoder add & norm 3",
    "scores",
    "softmax",
)
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
    "alone": (
        ALONE,
        "The decoder alone",
        "What is left when the encoder goes, and with it the attention that asked it.",
    ),
    "today": (
        ALONE,
        "What has changed",
        "The decoder alone once more, and in each of its boxes what stands there today.",
    ),
    "judged": (
        ALONE,
        "Judged",
        "No box is new: the numbers in all of them follow a judge.",
    ),
}

# The small picture, in pixels: a box that is lit has room for its name, another has none.
SMALL_WIDTH = 200
SMALL_TOWERS = {"source": ("encoder", 0, 88), "target": ("decoder", 92, 108)}  # name, x, width
FOOT = 16
LIT_HEIGHT = 18
UNLIT_HEIGHT = 7
GAP = 3


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

    def _heights(self, side: str) -> list[tuple[Box, int]]:
        """The boxes of a tower from the bottom up. Names are written where they tell one box from
        another: not where all are lit.
        """
        lit = self.lit if self.lit != ALL else ()
        boxes = [box for box in BOXES if box.side == side]
        return [(box, LIT_HEIGHT if box.part in lit else UNLIT_HEIGHT) for box in boxes]

    def _tower(self, side: str, floor: int) -> str:
        name, x, width = SMALL_TOWERS[side]
        middle = x + width / 2
        marks = [f'<text x="{middle:g}" y="{floor + 12}" fill="currentColor">{name}</text>']
        for box, tall in self._heights(side):
            floor -= tall + GAP
            lit = box.part in self.lit
            look = 'fill="#1a6fc4"' if lit else 'fill="currentColor" opacity=".22"'
            place = f'x="{x}" y="{floor}" width="{width}" height="{tall}" rx="2"'
            marks.append(f"<rect {place} {look}/>")
            if tall == LIT_HEIGHT:
                label = html.escape(box.label)
                marks.append(f'<text x="{middle:g}" y="{floor + 13}" fill="#fff">{label}</text>')
        return "".join(marks)

    def _drawing(self) -> str:
        floor = max(sum(tall + GAP for _, tall in self._heights(side)) for side in SMALL_TOWERS)
        height = floor + FOOT
        towers = "".join(self._tower(side, floor) for side in SMALL_TOWERS)
        lit = "every box" if self.lit == ALL else ", ".join(self.lit)
        return (
            '<svg role="img" aria-label="The two towers of the Transformer; lit: '
            f'{html.escape(lit)}" '
            f'width="{SMALL_WIDTH}" height="{height}" viewBox="0 0 {SMALL_WIDTH} {height}" '
            'style="flex:none" '
            'font-family="Attention Sans,system-ui,sans-serif" font-size="12" text-anchor="middle">'
            f"{towers}</svg>"
        )

    def _repr_html_(self) -> str:
        page = f"chapters/{book.PAGES['7']}.html"
        link = f'href="{book.SITE}{page}"' if book.SITE else f'hidden="" data-page="{page}"'
        return (
            '<div class="tl-where" '
            'style="display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;margin:8px 0">'
            f"{self._drawing()}"
            '<p style="flex:1 1 180px;margin:0;max-width:34em">'
            f"<strong>Where we are: {self.name}.</strong> {html.escape(self.says)} "
            f'<a style="color:inherit" {link}>The whole machine</a></p></div>'
        )


def where(part: str) -> Where:
    """The machine with one part lit, for the head of a chapter: `where("masks")`.

    part: "why", "embedding", "attention", "scale", "heads", "masks", "positions", "whole",
    "training", "reading", "costs", "alone", "today" or "judged". Raises FigureError for another.
    """
    return Where(part)
