"""One sentence, four switches: take a part out of a trained translator and see what becomes of its
translation.

The weights travel with the figure and the browser computes, as in the live translator; a built site
has them once for both. What the texts say of the translations, a test reads off the page.
"""

from __future__ import annotations

from collections.abc import Sequence

from traitlets import Bytes, Dict, List

from transformer_lite.translator import load_translator

from ...exhibits.glosses import glosses
from ..engine.pack import pack, unpack
from ..kit import Figure, FigureError, Table, Thumbnail
from ..kit.book import SITE

SENTENCE = "der Mann trinkt morgen Abend heißen Tee ."

# The engine's name of a part, what a reader may call it, its name in the book, the chapter, and
# what is seen when this part alone is off; stars are around words of the sentences
SWITCHES = [
    (
        "positions",
        "word order",
        "positions",
        "06-positions",
        "Nothing tells it any more which word stands where. It asks instead of telling, and begins "
        "again and again.",
    ),
    (
        "decoder.1.cross_attention.3",
        "one look of 24",
        "a head",
        "04-many-heads",
        "To write *will*, this one looked only at *morgen* (tomorrow). Without it, tomorrow "
        "evening is told in the present.",
    ),
    (
        "feed_forward",
        "working it out",
        "feed-forward networks",
        "07-the-whole-transformer",
        "Looking only fetches words; what to make of them is worked out here. Now it asks whether "
        "the man will *visit* hot tea.",
    ),
    (
        "scaling",
        "a division by 4",
        "√dₖ",
        "03-why-root-d-k",
        "It has learnt with the division. Without it every comparison comes out four times as "
        "large, so each look falls on hardly more than one word. It says *hot* and cannot let go.",
    ),
]


class BreakIt(Figure):
    """A translation that falls apart: `BreakIt()`, or `BreakIt(off=[])` with every part in its
    place.

    `off` lists the parts that are switched off, by the names in `SWITCHES`; it can be read, set and
    observed. Raises FigureError, a ValueError, for a part that has no switch.
    """

    title = "Break it"
    thumbnail = Thumbnail(".body", width=700)
    constants = {"site": SITE, "switches": SWITCHES}
    addressed = ("off",)

    weights = Bytes().tag(sync=True)  # the model, for the engine: see engine/pack.py
    source = List().tag(sync=True)  # the words of the sentence
    written = List().tag(sync=True)  # its translation with every part in its place
    disordered = List().tag(sync=True)  # without positions: it is seen before the weights are there
    off = List().tag(sync=True)  # the parts that are switched off
    gloss = Dict().tag(sync=True)  # what a word of the source means

    def __init__(self, *, off: Sequence[str] = ("positions",), caption: str = ""):
        translator = load_translator()
        weights = pack(translator)
        translation = translator.translate(SENTENCE)
        # As the page will write without positions; this translator is ours alone.
        translator.model.load_state_dict(unpack(weights), strict=False)
        translator.model.positions.zero_()
        meaning = glosses()
        super().__init__(
            weights=weights,
            source=translation.source_tokens,
            written=translation.tokens[:-1],
            disordered=translator.translate(SENTENCE).tokens[:-1],
            off=list(off),
            gloss={word: meaning[word] for word in translation.source_tokens if word in meaning},
            caption=caption,
        )

    def controls(self) -> list:
        return []  # the switches are in the picture

    def check(self, trait, value):
        value = super().check(trait, value)
        known = [part for part, *_ in SWITCHES]
        if trait == "off" and not {*value} <= {*known}:
            raise FigureError(
                f"off={value!r} has a part without a switch; expected some of {known}"
            )
        return value

    @property
    def alternative(self) -> str:
        return (
            "A translation, whole and without word order. With JavaScript, four parts of the "
            "translator can be switched off."
        )

    def as_table(self) -> Table:
        return Table(
            "What becomes of " + " ".join(self.source),
            ["it writes"],
            [
                ["with every part in its place", " ".join(self.written)],
                ["without word order", " ".join(self.disordered)],
            ],
        )
