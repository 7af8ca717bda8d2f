"""Training playground: a Transformer that learns a few sentences in the reader's own browser, from
random numbers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import torch
from torch import nn
from traitlets import Bool, Dict, Float, Int, List, Unicode

from transformer_lite.data.corpus import TWO_SENTENCES
from transformer_lite.decoder_only import DecoderOnly, write
from transformer_lite.decoding import greedy_decode
from transformer_lite.masks import padding_mask
from transformer_lite.model import Transformer, TransformerConfig
from transformer_lite.vocabulary import BOS_ID, EOS_ID, Vocabulary, pad, split_words

from ...exhibits.floors import ZONES, zones
from ...studies.two_runs import recorded
from ..engine.pack import describe, describe_alone
from ..kit import Control, Figure, FigureError, Table, Thumbnail, choice

MOST_PAIRS = 8
# What a reader may press in place of typing: a word, and its translation
TILES = (
    ("ich", "i"),
    ("sehe", "see"),
    ("kaufe", "buy"),
    ("ein", "a"),
    ("kein", "no"),
    ("Haus", "house"),
    ("Auto", "car"),
    ("Buch", "book"),
    ("Bier", "beer"),
    (".", "."),
)
MOST_TOKENS = 12
OWN_SETTINGS = "Build your own"

ZONES_OF_OTHERS = (*ZONES[:3], "below translations alone")

DEFAULT = {
    "layers": 2,
    "d_model": 64,
    "heads": "4",
    "rate": "0.003",
    "warmup": 0,
    "norm": "post-norm",
    "dropout": 0.0,
    "no_layer_norm": False,
    "no_feed_forward": False,
}
COLLAPSE = DEFAULT | {"d_model": 128, "rate": "0.01"}  # chapter 8's
# What the texts say of ten seeds is measured by benchmarks/engine.py, and tested with two of them.
PRESETS = {
    "the chapter’s run": {
        "settings": DEFAULT,
        "text": "The chapter’s own run, number for number. It learns with ten of ten seeds (0 to "
        "9): both sentences are right from step 2 on with the quickest, from step 5 on with "
        "the slowest.",
    },
    "the collapse": {
        "settings": COLLAPSE,
        "text": "Twice as wide, and with a high rate from the first step on. It fails with ten of "
        "ten seeds (0 to 9). After one step all words leave the encoder as almost the same "
        "vector, and the large steps that follow keep them so.",
    },
    "… with warm-up": {
        "settings": COLLAPSE | {"warmup": 48},
        "text": "The same model, but its rate climbs to 0.01 over 48 steps. It learns with ten of "
        "ten seeds (0 to 9): both sentences are right from step 3 on with the quickest, "
        "from step 7 on with the slowest.",
    },
    "… with LayerNorm first": {
        "settings": COLLAPSE | {"norm": "pre-norm"},
        "text": "The same rate from the first step on, but LayerNorm stands before each sub-layer. "
        "It learns with ten of ten seeds (0 to 9), not equally soon: from step 5 on with "
        "the quickest, only from step 38 on with the slowest.",
    },
    "… with smaller steps": {
        "settings": COLLAPSE | {"rate": "0.001"},
        "text": "The same model with a rate of a tenth. It learns with ten of ten seeds (0 to 9): "
        "both sentences are right from step 2 on with the quickest, from step 5 on "
        "with the slowest.",
    },
}
# Of the decoder alone, with the same ten seeds
PRESETS_ALONE = {
    "two layers": {
        "settings": DEFAULT,
        "text": "The settings of chapter 8’s run, but one stack instead of two. It learns with ten "
        "of ten seeds (0 to 9): both sentences are right from step 6 on with the quickest, "
        "from step 8 on with the slowest.",
    },
    "one layer": {
        "settings": DEFAULT | {"layers": 1},
        "text": "A single layer is enough for two sentences. It learns with ten of ten seeds (0 to "
        "9): both are right from step 6 on with the quickest, from step 13 on with the slowest.",
    },
    "16 numbers wide": {
        "settings": DEFAULT | {"d_model": 16},
        "text": "Two layers with a quarter of the width. It learns with ten of ten seeds (0 to 9), "
        "more slowly: from step 16 on with the quickest, only from step 44 on with the slowest.",
    },
}
OWN = (
    "Settings or sentences of your own: nothing is promised. Try several seeds before you conclude "
    "anything, because a single run may learn, or fail, by chance."
)


def _caption(alone, measured):
    """What to watch for; where the presets are measured, over how many seeds."""
    kind = "A decoder alone" if alone else "A Transformer"
    caption = (
        "Press play, and watch what it writes. "
        f"{kind} learns in this page, from random numbers. The first steps are shown slowly, "
        "because it learns most in them. Drag the ball back along the curve to see again what it "
        "wrote at any step. The loss is in nats a token, and each step shows the model after it."
    )
    if measured:
        caption += (
            " Ten seeds of ten are not all seeds: one in four could still go the other way (at "
            "95 % confidence)."
        )
    return caption


class TrainingPlayground(Figure):
    """Learns as the reader watches: the two sentences, or `TrainingPlayground([(german, english),
    ...])`.

    A sentence is a text or a list of tokens, at most 12 of them; there are at most 8 pairs. What is
    shown at a step, its loss too, is of the model after so many steps, without dropout. With the
    default settings the losses are those of `train_two_sentences(seed)`, and `zones` names what
    lies between the floors of `exhibits.floors`: each is a name and the loss that it
    reaches down to. The settings can be given, read, set and observed: `layers` (1 to 6, of the
    encoder and again of the decoder), `d_model` (16 to 128), `heads` ("1", "2", "4"), `rate` (of
    learning, "0.0003" to "0.03"), `warmup` (0 to 64 steps), `norm` ("post-norm", "pre-norm"),
    `dropout` (0 to 0.3), `seed` (0 to 99), `no_layer_norm` and `no_feed_forward`. So can what "Look
    inside" shows: `sentence`, `layer` and `head` (of the cross-attention).

    The reader can teach it two pairs of their own, and `own` then holds the four lines: what is
    read, what is written, and both again.

    `failed` are the losses of a recorded collapse, the first of the earlier runs.

    alone: a decoder alone learns the pairs, each as one text with `<bos>` between its two halves.
    Both share a vocabulary, and the loss counts what stands behind the mark.

    prediction: the number of the `Prediction` that asked at which of the three floors the loss
    hesitates; the reader's guess is drawn along the floor that it names, and no earlier run before
    that.

    Raises FigureError, a ValueError, for other settings, and for what is not a pair, and for pairs
    that are too many, empty or too long.
    """

    title = "Training playground"
    thumbnail = Thumbnail(".curve")
    choices = {
        "heads": ["1", "2", "4"],
        "rate": ["0.0003", "0.0005", "0.001", "0.002", "0.003", "0.005", "0.01", "0.02", "0.03"],
        "norm": ["post-norm", "pre-norm"],
    }
    constants = {
        "choices": choices,
        "presets": PRESETS,
        "collapse": "the collapse",
        "own": OWN,
        "round": 64,
        "most": MOST_TOKENS,
        "tiles": TILES,
        "others": ZONES_OF_OTHERS,
    }
    head_counts, rates, norms = choices.values()
    addressed = ("own",)

    config = Dict().tag(sync=True)  # the model that learns, as engine/pack.py describes it
    untrained = Dict().tag(sync=True)  # what the model computes before the first step
    source = List().tag(sync=True)  # ids of the sentences that are read
    target = List().tag(sync=True)  # ids of the sentences that are written
    source_words = List().tag(sync=True)  # the vocabulary that is read
    target_words = List().tag(sync=True)  # the vocabulary that is written
    zones = List().tag(sync=True)  # names of floors of the loss, and where each ends
    own = List().tag(sync=True)  # a reader's two pairs: read, written, read, written; or none
    failed = List().tag(sync=True)  # the losses of a recorded collapse
    layers = Int(0).tag(sync=True)  # of the encoder, and again of the decoder
    d_model = Int(0).tag(sync=True)  # numbers of a word
    warmup = Int(0).tag(sync=True)  # steps until the learning rate is full
    seed = Int(0).tag(sync=True)  # of the weights and of dropout
    sentence = Int(0).tag(sync=True)  # which pair is looked into
    layer = Int(0).tag(sync=True)  # whose cross-attention is shown
    head = Int(0).tag(sync=True)  # whose map is shown
    last_layer = Int(0).tag(sync=True)  # layers - 1
    last_head = Int(0).tag(sync=True)  # heads - 1
    dropout = Float(0.0).tag(sync=True)  # the share of numbers that are dropped
    heads = choice("head_counts", "4")  # how many there are
    rate = choice("rates", "0.003")  # the learning rate
    norm = choice("norms", "post-norm")  # where LayerNorm stands
    prediction = Unicode().tag(sync=True)  # the number of the question that came before, if any
    no_layer_norm = Bool(False).tag(sync=True)  # whether the model has none
    no_feed_forward = Bool(False).tag(sync=True)  # whether the model has none
    measured = Bool(False).tag(sync=True)  # whether the pairs are the book's own two
    alone = Bool(False).tag(sync=True)  # whether a decoder alone learns

    def __init__(
        self,
        pairs: Sequence[tuple[str | Sequence[str], str | Sequence[str]]] = TWO_SENTENCES,
        *,
        alone: bool = False,
        prediction: str = "",
        caption: str | None = None,
        **settings,
    ):
        measured = pairs is TWO_SENTENCES
        pairs = [
            [_tokens(sentence, number) for sentence in pair]
            for number, pair in enumerate(_checked(pairs), start=1)
        ]
        sides = [[pair[side] for pair in pairs] for side in (0, 1)]
        known = [sides[0] + sides[1]] * 2 if alone else sides
        vocabularies = [_vocabulary(sentences) for sentences in known]
        sources, targets = (
            [vocabulary.encode(tokens) for tokens in sentences]
            for vocabulary, sentences in zip(vocabularies, sides, strict=True)
        )
        targets = [[BOS_ID, *ids, EOS_ID] for ids in targets]
        for name in ("heads", "rate"):
            if isinstance(settings.get(name), (int, float)):
                settings[name] = f"{settings[name]:g}"
        if unknown := settings.keys() - DEFAULT.keys() - {"seed", "sentence", "layer", "head"}:
            raise FigureError(
                f"{', '.join(sorted(unknown))}: no such setting; there are {', '.join(DEFAULT)}, "
                "seed, sentence, layer and head"
            )
        self._sentences = [" ".join(tokens) for tokens in sides[0]]
        settings = DEFAULT | settings
        settings.setdefault(
            "layer", max(0, settings["layers"] - 1) if isinstance(settings["layers"], int) else 0
        )
        levels = zones(sides[1], ZONES if measured else ZONES_OF_OTHERS)
        if alone:
            self.constants = self.constants | {"presets": PRESETS_ALONE}
            levels[0][1] = math.log(len(vocabularies[1]))  # German words could be guessed too
        super().__init__(
            source=pad(sources).tolist(),
            target=pad(targets).tolist(),
            source_words=vocabularies[0].tokens,
            target_words=vocabularies[1].tokens,
            failed=[round(loss, 4) for loss, *_ in _collapse()] if measured and not alone else [],
            zones=levels,
            caption=caption or _caption(alone, measured),
            prediction=prediction,
            measured=measured,
            alone=alone,
            **settings,
        )
        with torch.random.fork_rng(devices=[]):
            self.config = describe_alone(self._alone()) if alone else describe(self._config())

    def controls(self) -> list[Control]:
        return [
            Control("layers", "layers", min=1, max=6, fold=OWN_SETTINGS),
            Control("d_model", "width d_model", min=16, max=128, step=16, fold=OWN_SETTINGS),
            Control("heads", "heads", "select", options=self.head_counts, fold=OWN_SETTINGS),
            Control("rate", "learning rate", "select", options=self.rates, fold=OWN_SETTINGS),
            Control("warmup", "warm-up", max=64, step=8, fold=OWN_SETTINGS),
            Control("norm", "LayerNorm", "select", options=self.norms, fold=OWN_SETTINGS),
            Control("dropout", "dropout", max=0.3, step=0.05, fold=OWN_SETTINGS),
            Control("seed", "seed", max=99, fold=OWN_SETTINGS),
            Control("no_layer_norm", "without LayerNorm", "check", fold=OWN_SETTINGS),
            Control("no_feed_forward", "without feed-forward", "check", fold=OWN_SETTINGS),
            Control("sentence", "sentence", "select", options=self._sentences, on_page=False),
            Control(
                "layer",
                "layer shown",
                max="last_layer",
                by=["layers"],
                ends=[0, 0, 1, 2, 3, 4, 5],
                on_page=False,
            ),
            Control(
                "head",
                "head shown",
                max="last_head",
                by=["heads"],
                ends=[0, 1, 3],
                on_page=False,
            ),
        ]

    def snapshot(self) -> str:
        self.untrained = self._untrained()
        return super().snapshot()

    def as_table(self) -> Table:
        return Table("What a loss may mean", ["reaches down to a loss of"], self.zones)

    def _sizes(self, longest: int) -> dict:
        """The model's, as set now; what it writes may be a few words longer than the longest."""
        return {
            "d_model": self.d_model,
            "d_ff": 4 * self.d_model,
            "n_layers": self.layers,
            "n_heads": int(self.heads),
            "dropout": self.dropout,
            "max_length": longest + 3,
            "norm_first": self.norm == "pre-norm",
        }

    def _config(self) -> TransformerConfig:
        longest = max(len(ids) for ids in (*self.source, *self.target))
        return TransformerConfig(
            len(self.source_words), len(self.target_words), **self._sizes(longest)
        )

    def _alone(self) -> DecoderOnly:
        longest = len(self.source[0]) + len(self.target[0])
        return DecoderOnly(len(self.target_words), **self._sizes(longest))

    def _untrained(self) -> dict:
        """What the page's engine would find before the first step, with the settings that it holds
        for.
        """
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            model = (self._alone() if self.alone else Transformer(self._config())).eval()
        for name, module in model.named_modules():
            if self.no_layer_norm and isinstance(module, nn.LayerNorm):
                module.forward = lambda x: x
            if self.no_feed_forward and name.endswith("feed_forward"):
                module.forward = torch.zeros_like
        with torch.no_grad():
            look = self._look_alone(model) if self.alone else self._look(model)
        return {"settings": self.get_state([*DEFAULT, "seed"])} | look

    def _questions(self) -> list[list[int]]:
        """The sentences to translate, without padding."""
        return [[i for i in ids if i] for ids in self.source]

    def _look(self, model: Transformer) -> dict:
        source = torch.tensor(self.source)
        target = torch.tensor(self.target)
        logits, maps = model(source, target[:, :-1], return_attention=True)
        memory, _ = model.encode(source, padding_mask(source))
        written = [
            greedy_decode(model, torch.tensor([ids]))[0].tolist() for ids in self._questions()
        ]
        return {
            "logits": _carried(logits),
            "memory": _carried(memory),
            "cross": [_carried(weights) for weights in maps.cross],
            "written": written,
        }

    def _look_alone(self, model: DecoderOnly) -> dict:
        """Its logits and maps at the places behind each question, its maps with all columns."""
        halves = zip(self._questions(), self.target, strict=True)
        texts = pad([ids + target[:-1] for ids, target in halves])
        logits, maps = model(texts, return_attention=True)
        rows = len(self.target[0]) - 1

        def behind(x):
            starts = map(len, self._questions())
            parts = [one.narrow(-2, start, rows) for one, start in zip(x, starts, strict=True)]
            return _carried(torch.stack(parts))

        written = []
        for ids in self._questions():
            beginning = torch.tensor([[*ids, BOS_ID]])
            written.append(write(model, beginning)[0, len(ids) + 1 :].tolist())
        return {
            "logits": behind(logits),
            "cross": [behind(weights) for weights in maps],
            "written": written,
        }


def _carried(x: torch.Tensor) -> dict:
    """A tensor as the engine has it, to five digits."""
    return {"shape": list(x.shape), "data": [round(value, 5) for value in x.flatten().tolist()]}


def _checked(pairs) -> list:
    pairs = list(pairs)
    if not 1 <= len(pairs) <= MOST_PAIRS:
        raise FigureError(
            f"TrainingPlayground takes 1 to {MOST_PAIRS} sentence pairs; got {len(pairs)}"
        )
    for number, pair in enumerate(pairs, start=1):
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise FigureError(
                f"pair {number} is {pair!r}; expected (source, target), two sentences"
            )
    return pairs


def _tokens(sentence: str | Sequence[str], pair: int) -> list[str]:
    """The tokens of a text, or the ones given."""
    tokens = split_words(sentence) if isinstance(sentence, str) else sentence
    if not isinstance(tokens, (list, tuple)) or not all(isinstance(token, str) for token in tokens):
        raise FigureError(
            f"a sentence of pair {pair} is {sentence!r}; expected a text or a list of tokens"
        )
    if not 1 <= len(tokens) <= MOST_TOKENS:
        raise FigureError(
            f"a sentence of pair {pair} has {len(tokens)} tokens; expected 1 to {MOST_TOKENS}: "
            f"{' '.join(tokens[:MOST_TOKENS])!r}"
        )
    return list(tokens)


def _vocabulary(sentences: list[list[str]]) -> Vocabulary:
    """Their tokens, in the order of `Vocabulary.from_texts`."""
    counts = Counter(token for tokens in sentences for token in tokens)
    try:
        return Vocabulary(sorted(counts, key=lambda token: (-counts[token], token)))
    except ValueError as error:  # a special token
        raise FigureError(str(error)) from None


def _collapse() -> list:
    """The recorded run that failed, step by step."""
    return recorded()["without warm-up"]
