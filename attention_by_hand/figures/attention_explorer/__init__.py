"""The attention explorer: every head of every layer of a trained model, on the reader's own
sentences.

A weight in [0, 1] travels as one byte, round(255 w), so that all heads of a sentence fit on a page;
the maps, the threads and the table of numbers are all made from these bytes, in the browser.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
from traitlets import Bool, Bytes, Int, List, Unicode

from ..kit import Control, Figure, FigureError, Table, Thumbnail, choice
from ..kit.packed import pack_shares, read_shares

KINDS = ("encoder", "decoder", "cross")


def as_maps(kind: str, layers: Sequence, rows: int, cols: int, where: str) -> np.ndarray:
    """The maps of one kind as a float array (layers, heads, rows, cols), checked: one (1, n_heads,
    rows, cols) tensor per layer, each row a distribution over the keys, or zeros where the mask
    leaves none.
    """
    arrays = []
    for i, layer in enumerate(layers):
        if hasattr(layer, "detach"):
            array = layer.detach().float().cpu().numpy()
        else:
            array = np.asarray(layer, dtype=float)
        name = f"{where}{kind} layer {i}"
        if array.ndim != 4 or array.shape[0] != 1:
            raise FigureError(
                f"{name} has shape {array.shape}; expected (1, n_heads, len_q, len_k), one sentence"
            )
        if array.shape[2:] != (rows, cols):
            queries = "source" if kind == "encoder" else "decoder"
            keys = "decoder" if kind == "decoder" else "source"
            raise FigureError(
                f"{name} is {array.shape[2]} x {array.shape[3]} (queries x keys), "
                f"but there are {rows} {queries} tokens and {cols} {keys} tokens"
            )
        sums = array.sum(-1)
        wrong = np.argwhere(~((np.abs(sums - 1) < 1e-3) | (sums == 0)) | ~(array > -1e-6).all(-1))
        if len(wrong):
            _, head, row = wrong[0]
            raise FigureError(
                f"{name}, head {head}, query {row}: the weights sum to {sums[0, head, row]:.4g} "
                f"and the smallest is {array[0, head, row].min():.4g}; expected a softmax: sum 1, "
                "or all 0 (before any dropout)"
            )
        arrays.append(array[0])
    if len({a.shape for a in arrays}) > 1:
        raise FigureError(
            f"{where}{kind}: every layer must have as many heads; got {[len(a) for a in arrays]}"
        )
    return np.stack(arrays)


class AttentionExplorer(Figure):
    """All heads of a model as heat maps, and the sentence with the threads of one of them:
    `AttentionExplorer(translator.translate("ich mochte ein bier"))`.

    `results` is one translation or a list of them, each with `source_tokens`, `decoder_tokens`
    (what the decoder reads, from `<bos>`), `tokens` (what it emits at each of those positions),
    `attention` with `encoder`, `decoder` and `cross`: one (1, n_heads, len_q, len_k) tensor per
    layer; and, where known, `alignment`: pairs (source position, target position), outlined on the
    cross-attention map.

    `kind`, `layer`, `head`, `row` (the query), `sentence` and `gold` (the outlines) can be read,
    set and observed. Raises FigureError, a ValueError, where maps and tokens do not match or a row
    of weights sums to neither 1 nor 0.
    """

    title = "Attention explorer"
    thumbnail = Thumbnail(".explorer", width=900, state="row=4")

    sentences = List().tag(sync=True)  # each with its words and where its maps begin
    weights = Bytes().tag(sync=True)  # uint8, round(255 w), map after map
    kinds = List(Unicode()).tag(sync=True)  # the attentions that there are
    kind = choice("kinds")  # encoder, decoder or cross
    layer = Int(0).tag(sync=True)  # in which that head is
    head = Int(0).tag(sync=True)  # whose threads are drawn
    row = Int(0).tag(sync=True)  # the query that is picked out
    sentence = Int(0).tag(sync=True)  # which translation
    last_layer = Int(0).tag(sync=True)  # of this kind
    last_head = Int(0).tag(sync=True)  # of this kind
    last_row = Int(0).tag(sync=True)  # of this kind in this sentence
    gold = Bool(True).tag(sync=True)  # whether known alignments are outlined

    def __init__(
        self,
        results,
        *,
        kind: str | None = None,
        layer: int = 0,
        head: int = 0,
        caption: str | None = None,
    ):
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        if not results:
            raise FigureError("no translation was given; AttentionExplorer needs at least one")
        for result in results:
            if not hasattr(result, "attention"):
                raise FigureError(
                    "AttentionExplorer needs what Translator.translate or translate_batch returns, "
                    f"with the attention in it; got {type(result).__name__}: "
                    "AttentionExplorer(translator.translate('...'))"
                )
        present = [[k for k in KINDS if len(getattr(r.attention, k, None) or ())] for r in results]
        kinds = present[0]
        if not kinds or any(p != kinds for p in present):
            raise FigureError(f"every translation must have maps of the same kinds; got {present}")
        kind = kind or kinds[-1]
        if kind not in kinds:
            raise FigureError(f"kind={kind!r}: expected one of {kinds}")
        sentences = []
        chunks = []
        start = 0
        for index, result in enumerate(results):
            where = f"translation {index}: " if len(results) > 1 else ""
            entry = self._sentence(result, where)
            for name in kinds:
                rows = len(entry["source" if name == "encoder" else "target"])
                cols = len(entry["target" if name == "decoder" else "source"])
                maps = as_maps(name, getattr(result.attention, name), rows, cols, where)
                shape = dict(zip(("layers", "heads", "rows", "cols"), maps.shape, strict=True))
                entry["maps"][name] = {"start": start, **shape}
                chunks.append(pack_shares(maps.clip(0, 1)))
                start += maps.size
            sentences.append(entry)
        super().__init__(
            sentences=sentences,
            weights=b"".join(chunks),
            kinds=kinds,
            kind=kind,
            layer=layer,
            head=head,
            caption=caption
            or "Press a word to find it in every head, and a head to see its threads. Each row of "
            "a map shows where one query looks: the stronger the colour, the more of that key's "
            "value it takes; a row adds up to 1. Which heads follow the word order, which look "
            "for one word?",
        )

    @classmethod
    def from_maps(
        cls, *, encoder=(), decoder=(), cross=(), source_tokens=(), target_tokens=(), **options
    ):
        """The explorer of any model's maps, one (1, n_heads, len_q, len_k) tensor per layer, and
        the tokens.
        """
        attention = SimpleNamespace(encoder=list(encoder), decoder=list(decoder), cross=list(cross))
        result = SimpleNamespace(
            attention=attention, source_tokens=source_tokens, decoder_tokens=target_tokens
        )
        return cls(result, **options)

    @staticmethod
    def _sentence(result, where: str) -> dict:
        source = [str(t) for t in result.source_tokens]
        target = [str(t) for t in result.decoder_tokens]
        emits = [str(t) for t in getattr(result, "tokens", None) or ()]
        if emits and len(emits) != len(target):
            raise FigureError(
                f"{where}{len(target)} decoder tokens, but {len(emits)} emitted tokens; expected "
                "as many"
            )
        alignment = [[int(s), int(t)] for s, t in getattr(result, "alignment", None) or ()]
        for s, t in alignment:
            if not (0 <= s < len(source) and 0 <= t < len(target)):
                raise FigureError(
                    f"{where}alignment ({s}, {t}) lies outside {len(source)} source and "
                    f"{len(target)} target tokens"
                )
        text = " ".join(source) or " ".join(target)
        return {
            "text": text,
            "source": source,
            "target": target,
            "emits": emits,
            "alignment": alignment,
            "maps": {},
        }

    def controls(self) -> list[Control]:
        texts = [s["text"] if len(s["text"]) < 60 else s["text"][:58] + "…" for s in self.sentences]

        def within(size: str) -> dict:
            ends = [[s["maps"][kind][size] - 1 for kind in self.kinds] for s in self.sentences]
            return {"by": ["sentence", "kind"], "ends": ends}

        controls = [
            Control("sentence", "sentence", "select", options=texts),
            Control("kind", "attention", "select", options=self.kinds, on_page=False),
            Control("layer", "layer", max="last_layer", **within("layers"), on_page=False),
            Control("head", "head", max="last_head", **within("heads"), on_page=False),
            Control("row", "query", max="last_row", **within("rows"), on_page=False),
            Control(
                "row", "queries in turn", "play", max="last_row", **within("rows"), on_page=False
            ),
        ]
        if any(s["alignment"] for s in self.sentences):
            controls.append(Control("gold", "outline the true alignment", "check", on_page=False))
        return controls

    def as_table(self) -> Table:
        entry = self.sentences[self.sentence]
        shape = entry["maps"][self.kind]
        size = shape["rows"] * shape["cols"]
        start = shape["start"] + (self.layer * shape["heads"] + self.head) * size
        weights = read_shares(self.weights, size, start)
        queries = entry["source" if self.kind == "encoder" else "target"]
        keys = entry["target" if self.kind == "decoder" else "source"]
        caption = (
            f"{self.kind} attention, layer {self.layer}, head {self.head}: a row for each query"
        )
        rows = weights.reshape(shape["rows"], shape["cols"])
        return Table(
            caption, keys, [[query, *row] for query, row in zip(queries, rows, strict=True)]
        )
