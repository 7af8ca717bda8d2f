"""Judge: a model that writes learns in the page from what is judged good and bad."""

from __future__ import annotations

import torch
from traitlets import Bytes, Dict, Float, Int, List, Unicode

from transformer_lite.data.grammar import splits
from transformer_lite.vocabulary import BOS_ID, EOS_ID, PAD_ID

from ...studies import judged
from ..engine.pack import pack_writer
from ..kit import Control, Figure, Table, Thumbnail

SHOWN = 20  # sentences to be judged
OPENING = 15  # the seed of the first ones, of which more than half are English
TAUGHT = 3  # steps on the sentences that the reader has judged: more would learn these by heart
ROUND = 5  # steps between two measurements
ROUNDS = 5  # that a judge goes through by itself
LINES = ["right", "different", "questions"]  # of what is measured
JUDGES = ["you", "the grammar", "length", f"“{judged.WORD}”"]
CAPTION = "Say “good” or “bad” to some sentences, and let the model learn; or let another judge."


class Judge(Figure):
    """A writer of single sentences that the reader judges: `Judge()`, `Judge("the grammar")`.

    It is chapter 11's, after it has read. Each round takes a few steps, see `studies.judged`. These
    can be read, set and observed: `judge`, who judges, one of its names or their number; `leash`, 0
    to 1, how much it costs to leave the model that has only read; `seed` of what is drawn.

    Raises FigureError, a ValueError, for a judge that is not known and a leash out of range.
    """

    title = "Be the judge"
    thumbnail = Thumbnail(".course", width=420)
    addressed = ("judge", "seed")
    constants = {
        "judges": JUDGES,
        "shown": SHOWN,
        "taught": TAUGHT,
        "round": ROUND,
        "rounds": ROUNDS,
        "batch": judged.SENTENCES,
        "measured": judged.MEASURED,
        "longest": judged.LONGEST,
        "rate": judged.RATE,
        "steps": judged.STEPS,
        "lines": LINES,
        "pad_id": PAD_ID,
        "bos_id": BOS_ID,
        "eos_id": EOS_ID,
    }

    weights = Bytes().tag(sync=True)  # the model that has read, for the engine
    vocabulary = List(Unicode()).tag(sync=True)  # the tokens by their ids
    german = List(Int()).tag(sync=True)  # the ids that only German has, by which it is told
    language = Bytes().tag(sync=True)  # the graph of all sentences, numbers of 16 bits
    liked = Int().tag(sync=True)  # the id of the word that one judge likes
    course = Dict().tag(sync=True)  # the recorded run, at every few steps
    opening = List(List(Int())).tag(sync=True)  # what it writes before anybody has judged
    judge = Int(0).tag(sync=True)  # who judges
    leash = Float(0).tag(sync=True)  # how much it costs to leave the old model
    seed = Int(1).tag(sync=True)  # of what is drawn

    def __init__(self, judge: int | str = 0, *, caption: str = CAPTION, **settings):
        model, vocabulary = judged.reader().model, judged.reader().vocabulary
        sides = [{word for text in side for word in text.split()} for side in _sides()]
        rows = judged.written(model, SHOWN, torch.Generator().manual_seed(OPENING))
        run = judged.recorded()["no leash"][0]
        super().__init__(
            weights=pack_writer(model, vocabulary),
            vocabulary=vocabulary.tokens,
            german=sorted(vocabulary.ids[word] for word in sides[0] - sides[1]),
            language=judged.LANGUAGE.read_bytes(),
            liked=vocabulary.ids[judged.WORD],
            course={name: run[name] for name in ("steps", *LINES)} | {"ended": run["texts"]},
            opening=[[i for i in row if i != PAD_ID] for row in rows.tolist()],
            judge=JUDGES.index(judge) if judge in JUDGES else judge,
            caption=caption,
            **settings,
        )

    def controls(self) -> list[Control]:
        return [
            Control("judge", "who judges", "select", options=JUDGES, on_page=False),
            Control("leash", "leash", max=1, step=0.1),
        ]

    @property
    def alternative(self) -> str:
        first, last = ({name: self.course[name][at] for name in LINES} for at in (0, -1))
        return (
            f"A recorded run in which the grammar judged, {judged.STEPS} steps without a leash. "
            f"Before it, {first['right']:.0f} % of what the model writes are sentences of the "
            f"language, {first['different']} of {judged.MEASURED} are different, and "
            f"{first['questions']:.0f} % are questions; after it {last['right']:.0f} %, "
            f"{last['different']} and {last['questions']:.0f} %. With JavaScript, the reader "
            "judges, and the model learns in the page."
        )

    def as_table(self) -> Table:
        columns = ["right, %", f"different of {judged.MEASURED}", "questions, %"]
        names = ("steps", *LINES)
        rows = [
            [f"step {step}", *found]
            for step, *found in zip(*(self.course[name] for name in names), strict=True)
        ]
        return Table("The recorded run", columns, rows)


def _sides() -> tuple[list[str], list[str]]:
    """The German and the English of the pairs that chapter 11's texts are made of."""
    pairs = splits().train
    return [pair.source for pair in pairs], [pair.target for pair in pairs]
