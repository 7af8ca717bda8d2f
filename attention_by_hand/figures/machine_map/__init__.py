"""The machine: the film of one word, whose vector is a strip of numbers that rises through a tower
of a Transformer and changes at each stage.

The translator runs once, with a hook on each of its modules. A decoder's vector depends on no later
word, so this one run holds what the decoder computes at every step of writing. A number of a vector
travels as two bytes, its whole part and its 256ths, all whole parts first; a weight as one,
round(255 w).

After each sub-layer of the decoder it is told what would be written if the vectors stopped there:
the output matrix and the softmax, applied early. Elsewhere this is called a logit lens.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from traitlets import Bytes, Dict, Int, List, Unicode

from transformer_lite.ablation import listening

from ..attention_explorer import KINDS
from ..kit import Control, Figure, FigureError, Table, Thumbnail
from ..kit.book import shipped
from ..kit.packed import pack_fixed, pack_shares, read_fixed
from .plan import BOXES, INNER, OF, WALK, Box, drawing

MOST_TOKENS = 16
MOST_NUMBERS = 60_000
SAID = 3  # words that are told of each stage


class MachineMap(Figure):
    """The whole Transformer at work on one sentence, as the way of one word through it:
    `MachineMap()`, or `MachineMap(translator.translate("..."))`.

    `translation` is what a `Translator` returns; the shipped translator's of the front page's
    sentence unless given. `part` and `layer` say where the word stands on its way, and `languages`
    what the two languages are called. `stop` (the place on the way through both towers, from 0),
    `written` (how many words the decoder has written), `source_word` and `decoder_word` (which
    words rise) can be read, set and observed; `part` and `layer` can be read and set too, but not
    observed.

    Raises FigureError, a ValueError, for anything but a translation, for more than 16 tokens on a
    side, for a model whose numbers would be too many to travel with a page (it says how many), for
    a pre-norm model, whose towers are built otherwise, and for numbers that are not finite.
    """

    title = "The machine"
    thumbnail = Thumbnail(".stack", width=900, state="stop=21")
    constants = drawing()

    stop = Int(0).tag(sync=True)  # the place on the way through both towers
    written = Int(0).tag(sync=True)  # how many words the decoder has written
    source_word = Int(0).tag(sync=True)  # which word rises through the encoder
    decoder_word = Int(0).tag(sync=True)  # which word rises through the decoder
    last_stop = Int(0).tag(sync=True)  # the top
    last_written = Int(0).tag(sync=True)  # the last step of writing
    last_read = Int(0).tag(sync=True)  # the last word that the decoder has read
    sizes = Dict().tag(sync=True)  # heads, d_model, layers
    languages = List(Unicode()).tag(sync=True)  # what the two are called
    source_tokens = List(Unicode()).tag(sync=True)  # what the encoder reads
    decoder_tokens = List(Unicode()).tag(sync=True)  # what the decoder reads, from <bos>
    tokens = List(Unicode()).tag(sync=True)  # what is written after each of them
    vocabulary = List(Unicode()).tag(sync=True)  # all words that may be written
    numbers = Bytes().tag(sync=True)  # of all stages: see kit/packed.py
    weights = Bytes().tag(sync=True)  # uint8, round(255 w): all maps, layer by layer
    stages = Dict().tag(sync=True)  # where in numbers the rows of a stage begin
    said = Dict().tag(sync=True)  # by stage and row: [id, share in thousandths]
    stops = List(Dict()).tag(sync=True)  # the places on the way, from below: see _stops
    walk = List(Int()).tag(sync=True)  # the stops where the guided walk halts

    def __init__(
        self,
        translation=None,
        *,
        part: str = "cross-attention",
        layer: int | None = None,
        written: int | None = None,
        source_word: int | None = None,
        languages: tuple[str, str] = ("German", "English"),
        caption: str | None = None,
    ):
        translation = shipped() if translation is None else translation
        stages, maps = _checked(translation)
        config = translation.translator.model.config
        tokens = list(translation.tokens)
        written = min(3, len(tokens) - 1) if written is None else written
        if not 0 <= written < len(tokens):
            raise FigureError(f"written={written!r} is out of range: 0 to {len(tokens) - 1} here")
        if source_word is None:  # where the last layer looks
            source_word = int(maps[-1][:, written].max(axis=0).argmax())
        last = config.n_layers - 1
        stops = _stops(config.n_layers)
        walk = [_place(stops, name, {"first": 0, "last": last}[which]) for name, which in WALK]
        super().__init__(
            languages=list(languages),
            source_tokens=list(translation.source_tokens),
            decoder_tokens=list(translation.decoder_tokens),
            tokens=tokens,
            vocabulary=list(translation.translator.target_vocabulary.tokens),
            sizes={"heads": config.n_heads, "d_model": config.d_model, "layers": config.n_layers},
            **_travelling(stages, maps),
            said=_said(stages, translation.translator.model.output.weight),
            stops=stops,
            stop=_place(stops, part, last if layer is None else layer),
            walk=walk,
            last_stop=len(stops) - 1,
            last_written=len(tokens) - 1,
            written=written,
            source_word=source_word,
            decoder_word=written,
            last_read=written,
            caption=caption
            or "Drag the ball, or send another word up. One word at a time rises through the "
            "machine, as a strip of numbers to which each part adds what it finds. Where it "
            "passes an attention, threads lead to the words it looks at.",
        )
        self.observe(self._newest, "written")

    @property
    def part(self) -> str:
        """The box where the word stands."""
        return BOXES[self.stops[self.stop]["box"]].part

    @part.setter
    def part(self, part: str) -> None:
        self.stop = _place(self.stops, part, self.layer)

    @property
    def layer(self) -> int:
        """The layer where the word stands: below all layers the first, above them the last."""
        return self.stops[self.stop]["layer"]

    @layer.setter
    def layer(self, layer: int) -> None:
        self.stop = _place(self.stops, self.part, layer)

    def _newest(self, _) -> None:
        """Another step shows the word that the decoder read last: it decides what is written
        next.
        """
        self.decoder_word = self.written

    def controls(self) -> list[Control]:
        source, target = self.languages
        reads = {"by": ["written"], "ends": list(range(len(self.tokens)))}
        controls = [
            Control("written", "words written", max="last_written"),
            Control("stop", "place on the way up", max="last_stop"),
            Control("source_word", f"{source} word", max=len(self.source_tokens) - 1),
            Control("decoder_word", f"{target} word", max="last_read", **reads),
        ]
        return [replace(control, by_picture=True) for control in controls]

    @property
    def alternative(self) -> str:
        place = self.part
        if BOXES[self.stops[self.stop]["box"]].role not in ("plain", "memory", "out"):
            place += f", layer {self.layer}"
        word = self.decoder_tokens[self.decoder_word]
        if OF[self.part].side == "source":
            word = self.source_tokens[self.source_word]
        return (
            f"The {self.sizes['d_model']} numbers of the word {word} on their way up, "
            f"which have come as far as {place}"
        )

    def stage(self, name: str) -> np.ndarray:
        """The numbers of one stage as the page has them: (length, size), to 1/256."""
        numbers = read_fixed(self.numbers)
        begin = self.stages[name]
        rows = (
            max(len(self.source_tokens), len(self.tokens))
            if name == "positions"
            else len(self.tokens)
        )
        if name.startswith("encoder"):
            rows = len(self.source_tokens)
        cols = len(self.vocabulary) if name == "scores" else self.sizes["d_model"]
        return numbers[begin : begin + rows * cols].reshape(rows, cols)

    def candidates(self, most: int = 4) -> list[tuple[str, float]]:
        """The likeliest next words after the chosen one, with their probabilities."""
        powers = np.exp(self.stage("scores")[self.decoder_word])
        best = np.argsort(-powers, kind="stable")[:most]
        return [(self.vocabulary[i], float(powers[i] / powers.sum())) for i in best]

    def said_so_far(self, stage: str) -> list[tuple[str, float]]:
        """The likeliest next words after the chosen one if its vector stopped at this stage, such
        as "decoder.1.norm2", with their probabilities to three digits. Raises FigureError for a
        stage after which none is told.
        """
        if stage not in self.said:
            raise FigureError(f"stage={stage!r} is not known: expected one of {[*self.said]}")
        return [(self.vocabulary[i], n / 1000) for i, n in self.said[stage][self.decoder_word]]

    def as_table(self) -> Table:
        read = " ".join(self.decoder_tokens[: self.decoder_word + 1])
        rows = [[word, probability] for word, probability in self.candidates()]
        return Table(f"What may come after {read}", ["probability"], rows)


def _checked(translation) -> tuple[dict[str, np.ndarray], list[np.ndarray]]:
    """The stages and the weights of the whole sentence. Raises FigureError for what cannot be
    drawn.
    """
    if not hasattr(translation, "translator"):
        raise FigureError(
            "MachineMap needs what Translator.translate returns; got "
            f"{type(translation).__name__}: MachineMap(translator.translate('...'))"
        )
    lengths = [len(translation.source_tokens), len(translation.decoder_tokens)]
    if max(lengths) > MOST_TOKENS or not translation.tokens:
        raise FigureError(
            f"MachineMap draws 1 to {MOST_TOKENS} tokens on each side; this sentence has "
            f"{lengths[0]} and {lengths[1]}: give a shorter one"
        )
    config = translation.translator.model.config
    if config.norm_first:
        raise FigureError(
            "MachineMap draws post-norm towers; this model was made with norm_first=True"
        )
    stages, maps = run(translation)
    amount = sum(stage.size for stage in (*stages.values(), *maps))
    if amount > MOST_NUMBERS:
        raise FigureError(
            f"with d_model={config.d_model}, {config.n_layers} layers and a vocabulary of "
            f"{config.target_vocab_size}, this sentence makes {amount:,} numbers; a page "
            f"carries at most {MOST_NUMBERS:,}: give a shorter sentence or a smaller model"
        )
    for name, stage in stages.items():
        if not np.abs(stage).max() < 127:  # also where it is not a number
            raise FigureError(
                f"{name} reaches {np.abs(stage).max():.4g}; MachineMap shows numbers between ±127"
            )
    return stages, maps


def _travelling(stages: dict[str, np.ndarray], maps: list[np.ndarray]) -> dict:
    """The numbers and the weights as the traits that travel, and where each stage begins."""
    starts = np.cumsum([0, *(stage.size for stage in stages.values())]).tolist()
    weights = np.concatenate([one.ravel() for one in maps])
    return {
        "stages": dict(zip(stages, starts, strict=False)),
        "numbers": pack_fixed(np.concatenate([stage.ravel() for stage in stages.values()])),
        "weights": pack_shares(weights),
    }


def _said(stages: dict[str, np.ndarray], output: torch.Tensor) -> dict[str, list]:
    """For each norm of the decoder and each row the ids of the likeliest words and their shares, if
    the output matrix read the vectors there.
    """
    said = {}
    for name in (name for name in stages if name.startswith("decoder") and ".norm" in name):
        scores = torch.from_numpy(stages[name]) @ output.detach().float().cpu().T  # (T, V)
        shares, ids = scores.softmax(-1).topk(min(SAID, scores.size(-1)))
        rows = zip(ids.tolist(), shares.tolist(), strict=True)
        said[name] = [
            [[word, round(1000 * share)] for word, share in zip(*row, strict=True)] for row in rows
        ]
    return said


def _vectors(output) -> np.ndarray:
    """What a module gives of the one sentence: (length, size). An attention also gives weights."""
    vectors = output[0] if isinstance(output, tuple) else output
    return vectors[0].detach().float().cpu().numpy()


def run(translation) -> tuple[dict[str, np.ndarray], list[np.ndarray]]:
    """Runs the translator on the whole sentence and listens: the stages, (length, size) each, by
    name, and the weights of encoder, decoder and cross-attention, (n_heads, len_q, len_k) each,
    layer by layer.
    """
    translator = translation.translator
    model = translator.model
    modules = {
        "encoder.embedding": model.source_embedding,
        "decoder.embedding": model.target_embedding,
    }
    for tower, names in INNER.items():
        for i, layer in enumerate(getattr(model, tower)):
            modules |= {f"{tower}.{i}.{name}": getattr(layer, name) for name in names}
    modules["scores"] = model.output
    with listening(modules) as tapped:
        attention = type(translation)(
            list(translation.source_tokens), list(translation.tokens), translator=translator
        ).attention  # a translation of its own: another's may have been asked before
    heard = {name: _vectors(part.output) for name, part in tapped.items()}
    scale = model.config.d_model**0.5
    longest = max(len(heard["encoder.embedding"]), len(heard["decoder.embedding"]))
    heard["positions"] = positions = model.positions[:longest].detach().float().cpu().numpy()
    for tower in INNER:
        heard[f"{tower}.embedding"] = heard[f"{tower}.embedding"] * scale
        heard[f"{tower}.position"] = (
            heard[f"{tower}.embedding"] + positions[: len(heard[f"{tower}.embedding"])]
        )
    maps = [layer[0].float().cpu().numpy() for kind in KINDS for layer in getattr(attention, kind)]
    return heard, maps


def _stops(layers: int) -> list[dict]:
    """All places on the way, the encoder's and then the decoder's, from the bottom up.

    Each is a box, its layer, and as `reads` (caption, stage) of what it reads, the last being what
    comes out.
    """
    stops = []
    for side in ("source", "target"):
        tower = [(i, box) for i, box in enumerate(BOXES) if box.side == side]
        inner = [(i, box) for i, box in tower if box.role in ("attention", "norm", "feed")]
        below = [(i, box, 0) for i, box in tower if box.role == "plain"]
        within = [(i, box, layer) for layer in range(layers) for i, box in inner]
        above = [(i, box, layers - 1) for i, box in tower if box.role in ("memory", "out")]
        stops += [
            {"box": i, "layer": layer, "reads": _reads(box, layer, layers)}
            for i, box, layer in (*below, *within, *above)
        ]
    return stops


def _place(stops: list[dict], part: str, layer: int) -> int:
    """The stop at this part: in this layer, if the part stands in a layer."""
    if part not in OF:
        raise FigureError(f"part={part!r} is not known: expected one of {list(OF)}")
    places = {stop["layer"]: i for i, stop in enumerate(stops) if BOXES[stop["box"]].part == part}
    if len(places) == 1 and OF[part].role in ("plain", "memory", "out"):
        return places.popitem()[1]
    if layer not in places:
        raise FigureError(f"layer={layer!r} is out of range: 0 to {max(places)} here")
    return places[layer]


def _reads(box: Box, layer: int, layers: int) -> list[tuple[str, str]]:
    """What goes into a box of this layer and what comes out, as (caption, stage)."""
    tower = "encoder" if box.side == "source" else "decoder"
    inner = INNER[tower]
    top = f"{tower}.{layers - 1}.{inner[-1]}"
    around = {
        "embedding": [("its row × √d_model", f"{tower}.embedding")],
        "position": [
            ("before", f"{tower}.embedding"),
            ("+ its place", "positions"),
            ("= after", f"{tower}.position"),
        ],
        "memory": [("the memory", top)],
        "scores": [("before", top), ("scores of all words", "scores")],
        "softmax": [("scores", "scores"), ("probabilities", "softmax")],
    }
    if box.stage in around:
        return around[box.stage]
    below = f"{tower}.{layer - 1}.{inner[-1]}" if layer else f"{tower}.position"
    chain = [below, *(f"{tower}.{layer}.{stage}" for stage in inner)]
    place = chain.index(f"{tower}.{layer}.{box.stage}")
    if box.role != "norm":
        return [("before", chain[place - 1]), ("found", chain[place])]
    before, found, after = chain[place - 2 : place + 1]
    return [("before", before), ("+ found", found), ("→ after", after)]
