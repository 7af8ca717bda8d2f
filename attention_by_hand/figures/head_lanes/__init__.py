"""Heads in lanes: a trained layer's cross-attention, from X to its output, with a switch for each
head.

W^O is linear: each row of the output is the sum of what it makes of each head's strip alone, the
head's part. So the output for any choice of heads is added up in the browser. What is then written
is not: for every choice the translator runs again, and its probabilities travel. A number that is
only painted travels as one byte, one that is added up as two.
"""

from __future__ import annotations

from itertools import compress

import numpy as np
import torch
from traitlets import Bool, Bytes, Dict, Int, List, Unicode

from transformer_lite.ablation import listening, without_heads
from transformer_lite.decoding import evaluating

from ... import palette
from ..kit import Control, Figure, FigureError, Table, Thumbnail
from ..kit.book import shipped
from ..kit.packed import SMALL, pack_scaled, pack_shares, read_scaled, read_shares

MOST_HEADS = len(palette.HEADS)
MOST_TOKENS = 16
MOST_NUMBERS = 128


CAPTIONS = {
    False: "A card is a head of the cross-attention: the thicker a thread, the more it takes of "
    "that word. A head that is cut sends zeros. In the fold, a full dot is a head that is on; "
    "where a bar is hollow, another word is likelier.",
    True: "From X, a row for each English word, to the output. Each lane is one head: its queries, "
    "its map (the keys and values come from the German side), its strip. A head that is cut sends "
    "zeros: one part less in the sum. Blue is above zero, orange below.",
}


class HeadLanes(Figure):
    """The heads of one cross-attention: `HeadLanes()`, or `HeadLanes(translator.translate("..."))`.

    Each head is a card with its threads from the word that asks, and is cut by a click on it. With
    `numbers=True` each is a lane instead, with all the numbers from X to the output.

    `translation` is what a `Translator` returns; the shipped translator's of the front page's
    sentence unless given.
    layer: of the decoder, the last unless given. `row` (the query), and `head_0` to `head_3`
    (whether a head is on) can be read, set and observed.

    Raises FigureError, a ValueError, for anything but a translation, for more than 16 tokens on a
    side, 4 heads or 128 numbers per token, for a layer, row or head that is not there, and for
    numbers that are not finite.
    """

    title = "Heads in lanes"
    thumbnail = Thumbnail(".body", width=700)

    source_tokens = List(Unicode()).tag(sync=True)  # what the encoder reads
    decoder_tokens = List(Unicode()).tag(sync=True)  # what the decoder reads, from <bos>
    tokens = List(Unicode()).tag(sync=True)  # what is written after each of them
    rivals = List(Unicode()).tag(sync=True)  # words that come second, or first where a head is cut
    sizes = Dict().tag(sync=True)  # n_heads, d_model
    row = Int(0).tag(sync=True)  # the query: a place in decoder_tokens
    last_row = Int(0).tag(sync=True)  # the last query
    head_0 = Bool(True).tag(sync=True)  # whether head 0 is on
    head_1 = Bool(True).tag(sync=True)  # whether head 1 is on
    head_2 = Bool(True).tag(sync=True)  # whether head 2 is on
    head_3 = Bool(True).tag(sync=True)  # whether head 3 is on
    numbers = Bool(False).tag(sync=True)  # whether the numbers are shown, and not the threads
    most = Dict().tag(sync=True)  # the largest size of a number of each kind
    painted = Bytes().tag(sync=True)  # int8: x, queries, strips, (len_t, d_model) each
    parts = Bytes().tag(sync=True)  # int16: (n_heads, len_t, d_model)
    weights = Bytes().tag(sync=True)  # uint8, round(255 w): (n_heads, len_t, len_s)
    odds = Bytes().tag(sync=True)  # uint16: (2 ** n_heads, len_t, 3), see _odds

    def __init__(
        self,
        translation=None,
        *,
        layer: int | None = None,
        row: int | None = None,
        numbers: bool = False,
        caption: str | None = None,
        **heads,
    ):
        translation = shipped() if translation is None else translation
        layer = _checked(translation, layer, heads)
        read = list(translation.decoder_tokens)
        config = translation.translator.model.config
        super().__init__(
            source_tokens=list(translation.source_tokens),
            decoder_tokens=read,
            tokens=list(translation.tokens),
            sizes={"n_heads": config.n_heads, "d_model": config.d_model},
            last_row=len(read) - 1,
            row=min(1, len(read) - 1) if row is None else row,
            numbers=numbers,
            caption=caption or CAPTIONS[numbers],
            **_packed(translation, layer),
            **heads,
        )

    def controls(self) -> list[Control]:
        heads = [
            Control(f"head_{h}", f"head {h}", "check", on_page=False)
            for h in range(self.sizes["n_heads"])
        ]
        return [Control("row", "query", max="last_row", on_page=False), *heads]

    @property
    def on(self) -> list[bool]:
        """Of each head, whether it is on."""
        return [getattr(self, f"head_{h}") for h in range(self.sizes["n_heads"])]

    def part(self, head: int) -> np.ndarray:
        """What W^O makes of one head's strip alone, as the page has it: (len_t, d_model)."""
        parts = read_scaled(self.parts, self.most["parts"])
        return parts.reshape(self.sizes["n_heads"], -1, self.sizes["d_model"])[head]

    def candidates(self) -> list[tuple[str, float]]:
        """What is written after the query with the heads that are on: the word that all heads
        together write and the likeliest other word, each with its probability, the likelier of the
        two first.
        """
        odds = np.frombuffer(self.odds, "<u2").reshape(-1, len(self.tokens), 3)
        chosen, rival, other = odds[sum(on << h for h, on in enumerate(self.on)), self.row]
        both = [
            (self.tokens[self.row], float(chosen) / 65535),
            (self.rivals[rival], float(other) / 65535),
        ]
        return sorted(both, key=lambda word: -word[1])

    @property
    def alternative(self) -> str:
        word, probability = self.candidates()[0]
        on = ", ".join(str(h) for h in compress(range(MOST_HEADS), self.on)) or "none"
        return (
            f"{self.title}, first state: {self.sizes['n_heads']} heads, each with its threads from "
            f"{self.decoder_tokens[self.row]!r} to the words it looks at; W^O adds up what they "
            f"found. Heads that are on: {on}. After {self.decoder_tokens[self.row]!r} comes "
            f"{word!r}, probability {probability:.2f}."
        )

    def as_table(self) -> Table:
        heads = range(self.sizes["n_heads"])
        maps = read_shares(self.weights).reshape(len(heads), len(self.tokens), -1)
        caption = f"Where each head looks from {self.decoder_tokens[self.row]}"
        rows = [[f"head {head}", *maps[head, self.row]] for head in heads]
        return Table(caption, self.source_tokens, rows)


def _checked(translation, layer: int | None, heads: dict) -> int:
    """The layer that is shown, the last unless given. Raises FigureError for what cannot be."""
    if not hasattr(translation, "translator"):
        raise FigureError(
            f"HeadLanes needs what Translator.translate returns; got {type(translation).__name__}: "
            "HeadLanes(translator.translate('...'))"
        )
    config = translation.translator.model.config
    lengths = [len(translation.source_tokens), len(translation.decoder_tokens)]
    if (
        not 1 <= max(lengths) <= MOST_TOKENS
        or config.n_heads > MOST_HEADS
        or config.d_model > MOST_NUMBERS
    ):
        raise FigureError(
            f"HeadLanes draws up to {MOST_TOKENS} tokens on each side, {MOST_HEADS} heads and "
            f"{MOST_NUMBERS} numbers a token; got {lengths[0]} and {lengths[1]} tokens, "
            f"n_heads={config.n_heads} and d_model={config.d_model}: give a shorter sentence or a "
            "smaller model"
        )
    if unknown := heads.keys() - {f"head_{h}" for h in range(config.n_heads)}:
        raise FigureError(
            f"{', '.join(sorted(unknown))}: no such head; there are head_0 to "
            f"head_{config.n_heads - 1}"
        )
    last = config.n_layers - 1
    layer = last if layer is None else layer
    if layer not in range(config.n_layers):
        raise FigureError(f"layer={layer!r} is out of range: 0 to {last} here")
    return layer


def _packed(translation, layer: int) -> dict:
    """What the layer computes, as the traits that travel."""
    stages, weights, parts, odds = _run(translation, layer)
    if not all(np.isfinite(numbers).all() for numbers in (*stages.values(), parts, odds)):
        raise FigureError(f"layer {layer} of the decoder computes numbers that are not finite")
    most = {
        name: float(np.abs(stage).max()) or 1.0
        for name, stage in (stages | {"parts": parts}).items()
    }
    painted = [pack_scaled(stage, most[name], SMALL) for name, stage in stages.items()]
    ids = sorted({int(i) for i in odds[..., 1].flat})
    odds[..., 1] = np.searchsorted(ids, odds[..., 1])
    odds[..., ::2] *= 65535
    return {
        "rivals": [translation.translator.target_vocabulary.tokens[i] for i in ids],
        "most": most,
        "painted": b"".join(painted),
        "parts": pack_scaled(parts, most["parts"]),
        "weights": pack_shares(weights),
        "odds": np.rint(odds).astype("<u2").tobytes(),
    }


def _run(translation, layer: int):
    """Runs the translator on the whole sentence, once for each choice of heads of this layer, and
    listens.

    Returns the stages "x", "queries" and "strips", (len_t, d_model) each; the weights (n_heads,
    len_t, len_s); each head's part of the output (n_heads, len_t, d_model); and the odds (2 **
    n_heads, len_t, 3): for each choice, whose bit h says that head h is on, the probability of the
    word that all heads together write, the id of the likeliest other word and its probability.
    """
    translator = translation.translator
    model = translator.model
    attention = translator.model.decoder[layer].cross_attention
    ids = [
        torch.tensor([vocabulary.encode(tokens)], device=translator.device)
        for vocabulary, tokens in (
            (translator.source_vocabulary, translation.source_tokens),
            (translator.target_vocabulary, translation.decoder_tokens),
        )
    ]
    written = torch.tensor(
        translator.target_vocabulary.encode(translation.tokens), device=translator.device
    )

    def odds(*off: int) -> torch.Tensor:
        with without_heads(attention, *off):
            probabilities = model(*ids)[0].softmax(-1)  # (T, V)
        chosen = probabilities.gather(1, written[:, None])[:, 0]
        rival = probabilities.scatter(1, written[:, None], -1).max(-1)
        return torch.stack([chosen, rival.indices, rival.values], dim=-1)  # (T, 3)

    n_heads = attention.n_heads
    with evaluating(model):
        modules = {"attention": attention, "w_q": attention.w_q, "w_o": attention.w_o}
        with listening(modules) as heard:
            maps = model(*ids, return_attention=True)[1].cross[layer][0]  # (H, T, S)
        all_odds = torch.stack(
            [odds(*[h for h in range(n_heads) if not n >> h & 1]) for n in range(2**n_heads)]
        )
        strips = heard["w_o"].inputs[0][0]  # (T, H·d_v)
        per_strip = strips.unflatten(-1, (n_heads, -1)).transpose(0, 1)  # (H, T, d_v)
        per_head = attention.w_o.weight.unflatten(1, (n_heads, -1)).transpose(0, 1)  # (H, D, d_v)
        parts = per_strip @ per_head.transpose(1, 2)  # (H, T, D)
    stages = {
        "x": heard["attention"].inputs[0][0],
        "queries": heard["w_q"].output[0],
        "strips": strips,
    }
    stages = {name: stage.double().cpu().numpy() for name, stage in stages.items()}
    return stages, *(tensor.double().cpu().numpy() for tensor in (maps, parts, all_odds))
