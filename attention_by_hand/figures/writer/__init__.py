"""A decoder alone that writes in the page: the next word's distribution, drawn from as the reader
wants, and the cache that grows with the text.

It is a model of chapter 11's sizes, see `model.py`, and the browser computes, with the engine. Its
text begins with `<bos>`. It has read German sentences that are followed by `<bos>` and their
translation, and English sentences alone.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Sequence
from pathlib import Path

import torch
from traitlets import Bool, Bytes, Dict, Float, Int, List, Unicode

from transformer_lite.decoder_only import DecoderOnly, probabilities
from transformer_lite.language_model import LanguageModel, load_language_model
from transformer_lite.vocabulary import (
    BOS_ID,
    EOS_ID,
    PAD_ID,
    SPECIAL,
    UNK_ID,
    BytePairVocabulary,
    Vocabulary,
)

from ..engine.pack import SPECIAL_IDS, pack_writer, unpack
from ..kit import Control, Figure, FigureError, Table, Thumbnail

SHIPPED = Path(__file__).parents[2] / "models" / "writer"
BOOK = SHIPPED.with_name("book")  # the model that has read this book: see dev/make/own_text.py
BEGINNINGS = [
    "the old man",
    "i do not know",
    "ich habe",
    "ich trinke Tee . <bos>",
    "",
]
LARGEST = 2_000_000  # bytes; the shipped model has 140,000
ROWS = 10  # words with a bar of their own
BEGIN, END = SPECIAL[BOS_ID], SPECIAL[EOS_ID]
CAPTION = (
    "Draw a word, or press one to write it yourself. The bars say what may come next. Drag the "
    "line between the bars (top-k) or the one in the strip (top-p): what is cut fades, and the "
    "rest share its place. Under a word, amber was computed last, and grey stood in the cache."
)


OF_PIECES = " The mark ▁ stands for the space before a word."


class Writer(Figure):
    """A model that goes on with a text in the reader's browser: `Writer()`, `Writer("our-model",
    beginnings=["how it", "may begin"])`, or `Writer(model, vocabulary, ["how it", "may begin"])`.

    model: the folder that `train --text` has made, a `LanguageModel`, or a `DecoderOnly` whose
    texts begin with `<bos>`; vocabulary: the words of the latter, or its pieces of words;
    beginnings: what a reader may begin with, the first of them at once. In a beginning `<bos>` may
    stand again.

    These can be read, set and observed: `text`, the beginning, and `written`, the tokens that have
    been written since; `temperature` (0 to 2; at 0 the likeliest word is taken), `top_k` and
    `top_p`; `seed` of its random choices; `off`, the parts that are cut out, "positions" or a head
    such as "layers.1.self_attention.2".

    Raises FigureError, a ValueError, for words that the model does not know, a text without room
    to go on, a vocabulary of another size than the model's, a model whose parts are not the
    paper's, and one that needs more than 2 MB.
    """

    title = "Writer"
    thumbnail = Thumbnail(".writer", width=700)
    addressed = ("text", "written", "seed", "off")
    constants = {"rows": ROWS, "hottest": 2, "begin": BEGIN, "end": END} | SPECIAL_IDS

    weights = Bytes().tag(sync=True)  # the model, for the engine: see engine/pack.py
    words = List(Unicode()).tag(sync=True)  # the vocabulary
    pieces = Bool(False).tag(sync=True)  # whether it is one of pieces of words
    merges = List(List(Int())).tag(sync=True)  # then the ids of the neighbours that are joined
    beginnings = List(Unicode()).tag(sync=True)  # what a reader may begin with
    text = Unicode().tag(sync=True)  # the beginning
    written = List(Unicode()).tag(sync=True)  # the tokens that have been written since
    opening = Dict().tag(sync=True)  # the first logits, until the engine has its own
    sizes = Dict().tag(sync=True)  # of the model, its longest text and its vocabulary
    temperature = Float(1.0).tag(sync=True)  # 0 takes the likeliest word
    top_p = Float(0.9).tag(sync=True)  # the share of probability that is kept
    top_k = Int(1).tag(sync=True)  # how many words are kept
    seed = Int(1).tag(sync=True)  # of the random choices
    off = List(Unicode()).tag(sync=True)  # the parts that are cut out

    def __init__(
        self,
        model: str | os.PathLike | LanguageModel | DecoderOnly | None = None,
        vocabulary: Vocabulary | None = None,
        beginnings: Sequence[str] | None = None,
        *,
        caption: str | None = None,
        **settings,
    ):
        if beginnings is None:
            beginnings = BEGINNINGS if model is None else [""]
        model, vocabulary = _with_vocabulary(model, vocabulary)
        if not isinstance(model, DecoderOnly):
            raise FigureError(
                f"Writer needs a DecoderOnly and its vocabulary; got {type(model).__name__}"
            )
        if len(vocabulary) != model.embedding.num_embeddings:
            raise FigureError(
                f"the vocabulary has {len(vocabulary)} tokens, the model was made for "
                f"{model.embedding.num_embeddings}"
            )
        beginnings = [beginnings] if isinstance(beginnings, str) else list(beginnings)
        if not beginnings:
            raise FigureError("beginnings is empty; expected at least one")
        weights = pack_writer(model, vocabulary)
        if len(weights) > LARGEST:
            raise FigureError(f"this model has {len(weights) / 1e6:.1f} MB, packed; at most 2 MB")
        self._model = _carried(model, weights)
        self._vocabulary = vocabulary
        for beginning in beginnings:
            self._ids(beginning)
        config = {"layers": len(model.layers), "heads": model.layers[0].self_attention.n_heads}
        settings = {"text": beginnings[0], "top_k": len(vocabulary)} | settings
        super().__init__(
            weights=weights,
            words=vocabulary.tokens,
            pieces=isinstance(vocabulary, BytePairVocabulary),
            merges=_merges(vocabulary),
            beginnings=beginnings,
            sizes=config | {"longest": model.max_length, "vocabulary": len(vocabulary)},
            caption=_caption(vocabulary) if caption is None else caption,
            **settings,
        )
        self.opening = {
            "text": self.text,
            "written": self.written,
            "off": self.off,
            "logits": [round(x, 3) for x in self._logits().tolist()],
        }

    def _ids(self, text: str, written: Sequence[str] = ()) -> list[int]:
        """The text as the model reads it, with room for one more token."""
        known = self._vocabulary
        words = [word for part in text.split(BEGIN) for word in (BEGIN, *known.tokenize(part))]
        try:
            ids = [BOS_ID if word == BEGIN else known.encode([word])[0] for word in words]
            ids += [known.tokens.index(word) for word in written]
        except ValueError as error:
            raise FigureError(f"{text!r} cannot be read: {error}") from None
        if UNK_ID in ids:
            raise FigureError(f"{text!r} cannot be read: {words[ids.index(UNK_ID)]!r} is unknown")
        if len(ids) >= self._model.max_length:
            raise FigureError(
                f"a text has at most {self._model.max_length - 1} tokens; this one has {len(ids)}"
            )
        return ids

    @torch.no_grad()
    def _logits(self) -> torch.Tensor:
        """The logits of the next token, (V), with what is off taken out."""
        model = _without(self._model, self.off)
        logits = model(torch.tensor([self._ids(self.text, self.written)]))[0, -1]
        logits[PAD_ID] = -1e4  # no word, and JSON knows no infinity
        return logits

    def parts(self) -> list[str]:
        """All that can be cut out, by the names that `off` takes."""
        heads = [
            f"layers.{layer}.self_attention.{head}"
            for layer in range(self.sizes["layers"])
            for head in range(self.sizes["heads"])
        ]
        return ["positions", *heads]

    def check(self, trait, value):
        value = super().check(trait, value)
        if trait == "text":
            self._ids(value)
        if trait == "written":
            self._ids("", value)
        if trait == "off" and self.sizes:
            unknown = [part for part in value if part not in self.parts()]
            if unknown:
                raise FigureError(
                    f"off={value!r}: {unknown[0]!r} is not known; expected some of {self.parts()}"
                )
        return value

    def controls(self) -> list[Control]:
        return [
            Control("temperature", "temperature", max=2, step=0.1, on_page=False),
            Control("top_k", "top-k", min=1, max=len(self._vocabulary), by_picture=True),
            Control("top_p", "top-p", min=0.01, max=1, step=0.01, by_picture=True),
        ]

    @property
    def alternative(self) -> str:
        return (
            f"A text, “{self._as_written()}”, and how likely "
            "each word is to come next. With JavaScript, it is written on, word by word."
        )

    def _as_written(self) -> str:
        if self.pieces:
            known = self._vocabulary
            return known.detokenize(known.decode(self._ids(self.text, self.written)))
        return " ".join([BEGIN, *self.text.split(), *self.written])

    def as_table(self) -> Table:
        logits = self._logits()
        heat = self.temperature or 1e-6
        before = probabilities(logits, temperature=heat)
        drawn = probabilities(logits, temperature=heat, top_k=self.top_k, top_p=self.top_p)
        rows = [
            [self.words[i], before[i].item(), drawn[i].item()]
            for i in before.argsort(descending=True)[:ROWS].tolist()
        ]
        return Table("The likeliest next words", ["probability", "as it is drawn"], rows)


def _with_vocabulary(
    model: str | os.PathLike | LanguageModel | DecoderOnly | None, vocabulary: Vocabulary | None
) -> tuple[DecoderOnly, Vocabulary]:
    """A model and its vocabulary, of what a reader gives."""
    if model is None and vocabulary is None:
        model = SHIPPED
    try:
        if isinstance(model, str | os.PathLike):
            model = load_language_model(model)
    except (ValueError, OSError) as error:
        raise FigureError(str(error)) from error
    if isinstance(model, LanguageModel):
        model, vocabulary = model.model, model.vocabulary
    if model is None or vocabulary is None:
        raise FigureError("give both the model and its vocabulary, or neither")
    return model, vocabulary


def _merges(vocabulary: Vocabulary) -> list[list[int]]:
    """The ids of the neighbours that a vocabulary of pieces joins, in its order."""
    if not isinstance(vocabulary, BytePairVocabulary):
        return []
    return [[vocabulary.ids[piece] for piece in pair] for pair in vocabulary.merges]


def _caption(vocabulary: Vocabulary) -> str:
    return CAPTION + (OF_PIECES if isinstance(vocabulary, BytePairVocabulary) else "")


def _carried(model: DecoderOnly, weights: bytes) -> DecoderOnly:
    """The model as the page has it: 8 bits per number."""
    carried = copy.deepcopy(model).cpu().float().eval()
    try:
        carried.load_state_dict(unpack(weights))
    except RuntimeError as error:
        raise FigureError(f"the page has only the paper's parts: {error}") from None
    return carried


def _without(model: DecoderOnly, off: Sequence[str]) -> DecoderOnly:
    """A copy with these parts taken out through their weights."""
    if not off:
        return model
    model = copy.deepcopy(model)
    for part in off:
        if part == "positions":
            model.positions.zero_()
        else:
            _, layer, _, head = part.split(".")
            attention = model.layers[int(layer)].self_attention
            attention.w_o.weight.data.view(attention.w_o.weight.size(0), attention.n_heads, -1)[
                :, int(head)
            ] = 0
    return model
