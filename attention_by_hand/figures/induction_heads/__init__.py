"""Induction heads: a small model that learns in the page to use the row that it is reading."""

from __future__ import annotations

import math
import re

import torch
from traitlets import Bytes, Dict, Int, List, Unicode

from transformer_lite.vocabulary import PAD_ID

from ...studies import induction
from ...studies.induction import LENGTH, LETTERS, SIZES, STEPS
from ..engine.pack import packed
from ..kit import Control, Figure, FigureError, Table, Thumbnail

LAYERS = ["lower", "upper"]
CONFIG = {
    "vocab_size": 1 + len(LETTERS),
    "d_ff": 0,  # no feed-forward networks
    "dropout": 0.0,
    "max_length": LENGTH,
    "norm_first": True,
    "pad_id": PAD_ID,
} | SIZES
CAPTION = (
    "Drag along the row to let another letter look, choose a head, and cut heads out. There are "
    "two layers of attention, two heads in each. In every text that they learn from, a stretch of "
    "letters comes twice, and the rest is drawn by lot. The curves are those of a recorded run, "
    "or of one that grows here. The row is yours."
)


class InductionHeads(Figure):
    """Grows heads that go on with a row which comes twice: `InductionHeads("kangarookang")`.

    text: up to 24 of the letters a to z. These can be read, set and observed: `text`; `place`, the
    letter that looks, counted from 0 (the last one unless given); `head`, whose arcs are shown,
    counted from the lower layer's first; `off`, the heads that are cut out, such as
    "layers.0.self_attention.1"; `seed` of the next run.

    Raises FigureError, a ValueError, for another text, and for a letter or a head that is not
    there.
    """

    title = "Induction heads"
    thumbnail = Thumbnail(".induction", width=700)
    addressed = ("off", "text", "place", "head", "seed")
    constants = {
        "letters": LETTERS,
        "length": LENGTH,
        "shortest": induction.SHORTEST,
        "longest": induction.LONGEST,
        "batch": induction.BATCH,
        "rate": induction.RATE,
        "steps": STEPS,
        "every": induction.EVERY,
        "held_out": {"seed": induction.HELD_OUT, "count": induction.HELD_OUT_TEXTS},
        "layers": LAYERS,
        "config": CONFIG,
    }

    weights = Bytes().tag(sync=True)  # the model of the recorded run, for the engine
    course = Dict().tag(sync=True)  # the recorded run, step by step
    opening = Dict().tag(sync=True)  # what the first row gives, until the engine has answered
    one_layer = Dict().tag(sync=True)  # the lowest loss of one layer, and after how many steps
    text = Unicode().tag(sync=True)  # the reader's row of letters
    place = Int(0).tag(sync=True)  # the letter that looks
    head = Int(2).tag(sync=True)  # the head whose arcs are shown
    seed = Int(1).tag(sync=True)  # of the next run
    off = List(Unicode()).tag(sync=True)  # the heads that are cut out

    def __init__(self, text: str = "kangarookang", *, caption: str = CAPTION, **settings):
        measured = induction.recorded()
        run = measured["runs"][0]
        self._model = induction.grown()
        self._run = run
        lower, upper = range(2)
        super().__init__(
            weights=packed(
                {"config": CONFIG}, dict(self._model.named_parameters()), precision="int8"
            ),
            course={
                "seed": run["seed"],
                "right": round(induction.right(self._model, induction.held_out()), 4),
                "steps": run["steps"],
                "loss": run["loss"],
                "back": [looks[lower] for looks in run["back"]],
                "behind": [looks[upper] for looks in run["behind"]],
            },
            one_layer={"loss": min(measured["one_layer"]), "steps": measured["longer"]},
            text=text,
            caption=caption,
            **({"place": max(0, len(text) - 1)} | settings),
        )
        self.opening = self._opening()

    def heads(self) -> list[str]:
        """All that can be cut out, by the names that `off` takes."""
        layers, heads = SIZES["n_layers"], SIZES["n_heads"]
        return [f"layers.{i}.self_attention.{j}" for i in range(layers) for j in range(heads)]

    def controls(self) -> list[Control]:
        return []  # its buttons are in the picture

    def check(self, trait, value):
        value = super().check(trait, value)
        if trait == "text" and not re.fullmatch(f"[a-z]{{0,{LENGTH}}}", value):
            raise FigureError(f"text={value!r}; expected up to {LENGTH} of the letters a to z")
        counts = {"place": max(1, len(self.text)), "head": len(self.heads())}
        if trait in counts and value not in range(counts[trait]):
            raise FigureError(f"{trait}={value} is out of range: 0 to {counts[trait] - 1} here")
        if trait == "off" and (unknown := [head for head in value if head not in self.heads()]):
            raise FigureError(f"off: {unknown[0]!r} is not known; expected some of {self.heads()}")
        return value

    @torch.no_grad()
    def _opening(self) -> dict:
        """Where the letter looks, a row for each head, and what would come after it."""
        if not self.text or self.off:
            return {}
        ids = torch.tensor([[1 + LETTERS.index(letter) for letter in self.text]])
        logits, maps = self._model(ids)
        rows = [head[self.place].tolist() for layer in maps for head in layer[0]]
        shares = logits[0, self.place, 1:].softmax(-1).tolist()
        return {
            "text": self.text,
            "place": self.place,
            "rows": [[round(x, 4) for x in row] for row in rows],
            "shares": [round(x, 4) for x in shares],
        }

    @property
    def alternative(self) -> str:
        lower, upper = self._run["without_a_layer"]
        return (
            f"The recorded run: {STEPS} steps, in which the loss on a stretch that comes a second "
            f"time falls from {self._run['loss'][0]:.2f} to {self._run['loss'][-1]:.2f}, most of "
            "it in the steps in which two heads of the lower layer begin to look one place back, "
            "and two of the upper layer after the earlier twin of a letter. Without the heads of "
            f"the lower layer the loss is {lower:.2f}, without those of the upper layer "
            f"{upper:.2f}; guessing among 26 letters has {math.log(len(LETTERS)):.2f}. With "
            "JavaScript, the model grows in the page."
        )

    def as_table(self) -> Table:
        course = self.course
        columns = [
            "loss",
            *(f"lower head {i}, one place back" for i in range(SIZES["n_heads"])),
            *(f"upper head {i}, after the twin" for i in range(SIZES["n_heads"])),
        ]
        rows = [
            [f"step {step}", loss, *back, *behind]
            for step, loss, back, behind in zip(
                course["steps"], course["loss"], course["back"], course["behind"], strict=True
            )
            if step % 40 == 0
        ]
        return Table("The recorded run", columns, rows)
