"""The live translator: a trained model that runs in the page, on any sentence, with any part of it
cut out.

The weights travel with the figure, 8 bits per number (see `engine`), and the browser computes. In a
built site a small extension moves them out of the pages into one file that all share, which is
fetched when the reader comes near.

`EXPERIMENTS` promise what the reader will see. A test plays each of them in a page and compares,
word by word.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence

import numpy as np
from traitlets import Bool, Bytes, Dict, Float, Int, List, Unicode

from transformer_lite.data.corpus import TWO_SENTENCES
from transformer_lite.translator import Translation, Translator, load_translator
from transformer_lite.vocabulary import EOS_ID, SPECIAL, BytePairVocabulary, Vocabulary

from ...exhibits.glosses import glosses
from ..engine.pack import pack, unpack
from ..kit import Control, Figure, FigureError, Table, Thumbnail, choice
from ..kit.book import SITE
from .words import kinds

ATTENTIONS = {
    "cross": "cross_attention",
    "decoder": "self_attention",
    "encoder": "self_attention",
}
LARGEST = 2_000_000  # bytes; the shipped translator has 250,000
CAPTION = (
    "A word in amber is new, above the one that it replaces. The bar under a word says how sure "
    "the translator was of it."
)
HEAD = 1  # whose threads a reader sees first: in it nearly every word has one thick thread

# What can be cut out in every layer at once: the engine's name, ours, the question that it answers,
# the chapter that asks it
SWITCHES = [
    (
        "positions",
        "positions",
        "Does it matter in which order the words stand?",
        "06-positions",
    ),
    (
        "feed_forward",
        "feed-forward networks",
        "What is left to do once words have been fetched?",
        "07-the-whole-transformer",
    ),
    (
        "residuals",
        "residual sums",
        "Must a layer keep what it was given?",
        "07-the-whole-transformer",
    ),
    (
        "scaling",
        "÷ √dₖ",
        "What if the scores are four times too large?",
        "03-why-root-d-k",
    ),
    ("causal mask", "causal mask", "Who could see the future here?", "05-masks"),
]
# What is cut out alone, or set by a slider: what it is called, its question, the chapter
CHOICES = {
    "layer": ("a layer", "Could one layer less do the same?", "07-the-whole-transformer"),
    "box": ("a box", "What does this box do for the others?", "07-the-whole-transformer"),
    "head": ("a head", "Which head is missed, and by which word?", "04-many-heads"),
    "beam": ("beam", "Does it help to go on with several translations at once?", "08-training"),
    "temperature": (
        "temperature",
        "What if it draws each word by lot, instead of the likeliest?",
        "11-the-decoder-alone",
    ),
}

SENTENCES = [
    "ich habe heute die Tür zugemacht .",
    "meine Mutter besucht die Frau .",
    "warum hast du gestern die neuen Bücher gelesen ?",
    "ich weiß nicht , ob er morgen Abend schwimmen kann .",
    "ich möchte kein Bier .",
    "ich mochte ein bier",
]

# Each is played: the sentence whole, then without what is off, then the question. A guess shows the
# answer, and `then` what proves it. intact, changed and proves are what the model writes.
EXPERIMENTS = [
    {
        "title": "Who visits whom?",
        "source": "meine Mutter besucht die Frau .",
        "off": ["positions"],
        "intact": "my mother is visiting the woman .",
        "changed": "the woman is visiting my mother .",
        "question": "Without positions the woman became the visitor. Now we turn the sentence "
        "round: die Frau besucht meine Mutter. Who will visit whom?",
        "choices": [
            "my mother visits the woman",
            "the woman visits my mother",
            "nobody visits anybody",
        ],
        "right": 1,
        "answer": "Without positions a sentence is a bag of words. Both sentences are the same "
        "bag, so both must get the same translation, and above it is.",
        "then": {"source": "die Frau besucht meine Mutter .", "off": ["positions"]},
        "proves": "the woman is visiting my mother .",
    },
    {
        "title": "One head of 24",
        "source": "warum hast du gestern die neuen Bücher gelesen ?",
        "off": ["decoder.1.cross_attention.3"],
        "intact": "why did you read the new books yesterday ?",
        "changed": "why did you read the new books ?",
        "question": "One head is cut, and only “yesterday” is gone. Where did this head look when "
        "it was the turn of “yesterday”?",
        "choices": ["at gestern", "at Bücher", "at gelesen"],
        "right": 0,
        "answer": "The head is back, and this is its thread. The three heads beside it look at "
        "gestern as well, and without any one of those no word is missing. The map cannot tell "
        "which is needed.",
        "then": {"off": [], "kind": 0, "layer": 1, "head": 3, "step": 7},
        "proves": "why did you read the new books yesterday ?",
    },
    {
        "title": "Attention alone",
        "source": "sie muss meinen Bruder anrufen .",
        "off": ["feed_forward"],
        "intact": "she has to call my brother .",
        "changed": "she does not have to call my brother .",
        "question": "Every feed-forward network is cut, so that only attention is left. The "
        "English is fluent. Is it also what the German says?",
        "choices": ["yes, it is", "no, the opposite"],
        "right": 1,
        "answer": "There is no “nicht” in the German. Attention fetches words, and what to make of "
        "them is worked out by the feed-forward networks. A sentence that reads well is no proof "
        "of a good translation.",
    },
    {
        "title": "One layer less",
        "source": "ich weiß nicht , ob er morgen Abend schwimmen kann .",
        "off": ["decoder.0"],
        "intact": "i do not know whether he can swim tomorrow evening .",
        "changed": "i can swim tomorrow .",
        "question": "The decoder works with its upper layer only, and saves a few words. What will "
        "it write if we cut the upper layer instead?",
        "choices": [
            "the whole translation",
            "English that says something else",
            "no words",
        ],
        "right": 1,
        "answer": "It says something about swimming, in English, and that is all. Neither layer "
        "can do the other’s work, because each has learnt to read what the other writes.",
        "then": {"off": ["decoder.1"]},
        "proves": "i do not want to swim ?",
    },
    {
        "title": "Without the sums",
        "source": "ich möchte ein Bier .",
        "off": ["residuals"],
        "intact": "i would like a beer .",
        "changed": " ".join(["often"] * 64),
        "question": "Each layer now passes on only what it has found, and no longer what it was "
        "given. Why does it write one word until there is no room left?",
        "choices": [
            "it forgets what it has just written",
            "it has seen this word most often",
            "the full stop is cut out",
        ],
        "right": 0,
        "answer": "The sums carry what it has just written, and they are gone. So every step looks "
        "like the one before. A model trained without them is another story, but this one relies "
        "on them.",
    },
    {
        "title": "Without the mask",
        "source": "er macht jetzt die Tür auf .",
        "off": ["causal mask"],
        "intact": "he is opening the door now .",
        "changed": "he is opening the door now .",
        "question": "The mask that hides later words is cut, and not a word changes. What is it "
        "for, then?",
        "choices": ["for long sentences", "for training", "for nothing"],
        "right": 1,
        "answer": "While it writes, nothing stands after the newest word that could be hidden. In "
        "training the whole answer lies on the table, and without the mask it would be copied. "
        "Chapter 5 tries it.",
    },
]


class LiveTranslator(Figure):
    """A translator that runs in the reader's browser: `LiveTranslator()`, or
    `LiveTranslator(my_translator)`.

    translator: a `Translator`; the shipped one unless given. sentences: suggestions; the first is
    translated at once. A translator does not say what is said in its language, so give some with
    one of your own; without them its page begins with a single word.
    gloss: for each word of the source language what it means; the shipped translator has its own.

    These can be read, set and observed: `source` (a sentence); `off` (parts that are cut out:
    "positions", "feed_forward", "residuals", "scaling", "causal mask", a layer such as "encoder.0",
    one of its boxes such as "encoder.0.feed_forward" or "decoder.1.cross_attention", a head such as
    "decoder.1.cross_attention.3"); `beam` (1 to 4); `temperature` (0 to 2) and the `seed` of its
    random choices; `kind`, `layer` and `head`, whose threads are drawn; `step`, the written word
    that is picked out, or `source_word`, one that was read, where it is not -1. `written` has the
    words of the latest translation, and `translated` the sentence that they translate.

    Raises FigureError, a ValueError, for a translator of byte pairs (only whole words can be
    typed), one that needs more than 2 MB, and a sentence that it cannot read.
    """

    title = "Live translator"
    thumbnail = Thumbnail(".live", width=700)
    addressed = (
        "source",
        "off",
        "temperature",
        "seed",
        "beam",
        "last_step",
        "step",
        "source_word",
    )
    constants = {
        "site": SITE,
        "switches": SWITCHES,
        "choices": CHOICES,
        "attentions": ATTENTIONS,
        "beams": 4,
        "hottest": 2,
    }

    weights = Bytes().tag(sync=True)  # the model, for the engine: see engine/pack.py
    source = Unicode().tag(sync=True)  # the sentence that stands there
    translated = Unicode().tag(sync=True)  # the sentence that `written` translates
    german = Bool(True).tag(sync=True)  # to English; no other translator says what it speaks
    written = List(Unicode()).tag(sync=True)  # the words of the latest translation
    opening = Dict().tag(sync=True)  # a head's weights in per cent, until the engine has its own
    sentences = List().tag(sync=True)  # suggestions
    experiments = List().tag(sync=True)  # what the pills play: see EXPERIMENTS
    off = List().tag(sync=True)  # the parts that are cut out
    gloss = Dict().tag(sync=True)  # what a word of the source means
    kin = List().tag(sync=True)  # words of one kind: see words.py
    sizes = Dict().tag(sync=True)  # layers, heads
    knows_unknown = Bool(False).tag(sync=True)  # whether any word may be typed
    beam = Int(1).tag(sync=True)  # how many beginnings are kept
    temperature = Float(0.0).tag(sync=True)  # 0 takes the likeliest word
    seed = Int(0).tag(sync=True)  # of the random choices
    kinds = List(Unicode()).tag(sync=True)  # the attentions that there are
    kind = choice("kinds")  # whose threads are drawn
    layer = Int(0).tag(sync=True)  # whose threads are drawn
    head = Int(0).tag(sync=True)  # whose threads are drawn
    step = Int(0).tag(sync=True)  # the written word that is picked out
    source_word = Int(-1).tag(sync=True)  # the word that was read and is picked out, or -1
    last_step = Int(0).tag(sync=True)  # the last written word

    def __init__(
        self,
        translator: Translator | None = None,
        sentences: Sequence[str] | None = None,
        *,
        gloss: Mapping[str, str] | None = None,
        caption: str | None = None,
    ):
        if not isinstance(translator, Translator | None):
            raise FigureError(
                f"LiveTranslator needs a Translator first; got {type(translator).__name__}. For "
                "the book's own with other sentences: LiveTranslator(sentences=['...'])"
            )
        shipped = translator is None
        translator = load_translator() if shipped else translator
        words = translator.source_vocabulary
        weights = _packed(translator)
        self._translator = _as_packed(translator, weights)
        if sentences is None:
            sentences = SENTENCES if shipped else _sentences_for(words)
        sentences = [sentences] if isinstance(sentences, str) else list(sentences)
        if not sentences:
            raise FigureError("sentences is empty; expected at least one to begin with")
        if gloss is None:
            gloss = glosses() if shipped else {}
        first = [self._translation(sentence) for sentence in sentences][0]
        config = translator.model.config
        words_written = _written(first)
        head = min(HEAD, config.n_heads - 1)
        super().__init__(
            weights=weights,
            source=sentences[0],
            translated=sentences[0],
            written=words_written,
            last_step=max(0, len(words_written) - 1),
            step=_longest_look(first, head),
            opening=_opening(first, head),
            sentences=sentences,
            experiments=EXPERIMENTS if shipped else [],
            german=shipped,
            gloss=dict(gloss),
            kin=kinds(set(words.words)) if shipped else [],
            knows_unknown=words.knows_unknown,
            sizes={"layers": config.n_layers, "heads": config.n_heads},
            kinds=list(ATTENTIONS),
            kind="cross",
            layer=config.n_layers - 1,
            head=head,
            caption=CAPTION if caption is None else caption,
        )

    def _translation(self, sentence: str) -> Translation:
        try:
            return self._translator.translate(sentence)
        except ValueError as error:
            raise FigureError(f"{sentence!r} cannot be translated: {error}") from None

    def parts(self) -> list[str]:
        """All that can be cut out, by the names that `off` takes."""
        names = [name for name, *_ in SWITCHES]
        for stack, attentions in (
            ("encoder", ["self_attention"]),
            ("decoder", ["self_attention", "cross_attention"]),
        ):
            for layer in range(self.sizes["layers"]):
                boxes = [f"{stack}.{layer}.{box}" for box in (*attentions, "feed_forward")]
                names += [f"{stack}.{layer}", *boxes]
                for box in boxes[:-1]:
                    names += [f"{box}.{head}" for head in range(self.sizes["heads"])]
        return names

    def check(self, trait, value):
        value = super().check(trait, value)
        if trait == "source" and value:
            self._translation(value)
        if trait == "off" and self.sizes:
            known = self.parts()
            for part in value:
                if part not in known:
                    raise FigureError(
                        f"off={value!r}: {part!r} is not known; expected some of {known}"
                    )
        for name, low, high in (
            ("beam", 1, self.constants["beams"]),
            ("temperature", 0, self.constants["hottest"]),
        ):
            if trait == name and not low <= value <= high:
                raise FigureError(f"{name}={value!r} is out of range: {low} to {high}")
        return value

    def controls(self) -> list[Control]:
        return [
            Control("step", "word", max="last_step", on_page=False),
            Control("kind", "attention", "select", options=self.kinds, on_page=False),
            Control("layer", "layer", max=self.sizes["layers"] - 1, on_page=False),
            Control("head", "head", max=self.sizes["heads"] - 1, on_page=False),
        ]

    @property
    def alternative(self) -> str:
        return (
            f"“{self.source}”, translated: “{' '.join(self.written)}”. With JavaScript, the "
            "sentence can be changed, and each part of the translator cut out."
        )

    def as_table(self) -> Table:
        translation = self._translation(self.source)
        queries = translation.source_tokens if self.kind == "encoder" else translation.tokens
        keys = translation.decoder_tokens if self.kind == "decoder" else translation.source_tokens
        maps = getattr(translation.attention, self.kind)[self.layer]
        caption = (
            f"{self.kind} attention, layer {self.layer}, head {self.head}: a row for each query"
        )
        rows = np.asarray(maps[0, self.head])
        return Table(
            caption, keys, [[query, *row] for query, row in zip(queries, rows, strict=True)]
        )


def _packed(translator: Translator) -> bytes:
    """The translator's weights, as the page gets them. Raises FigureError for one that a page
    cannot have.
    """
    vocabularies = translator.source_vocabulary, translator.target_vocabulary
    if any(isinstance(words, BytePairVocabulary) for words in vocabularies):
        raise FigureError(
            "this translator reads or writes pieces of words (byte pairs); in a page only whole "
            "words can be typed: train one with `train --tokenizer word`"
        )
    weights = pack(translator)
    if len(weights) > LARGEST:
        raise FigureError(
            f"this translator has {len(weights) / 1e6:.1f} MB, packed; at most "
            f"{LARGEST / 1e6:.0f} MB go into a page: train one with a smaller d_model, fewer "
            "layers or fewer words"
        )
    return weights


def _as_packed(translator: Translator, weights: bytes) -> Translator:
    """The translator as the page has it: 8 bits per number."""
    model = copy.deepcopy(translator.model).cpu().eval()
    model.load_state_dict(unpack(weights), strict=False)
    return Translator(model, translator.source_vocabulary, translator.target_vocabulary)


SEVERAL = 4  # words of a vocabulary, which begins with the most frequent ones


def _sentences_for(words: Vocabulary) -> list[str]:
    """What a translator that is not the shipped one begins with."""
    known = [german for german, _ in TWO_SENTENCES if set(german.split()) <= set(words.words)]
    own = [word for word in words.words if word.isalpha()] or words.words
    return known or [" ".join(own[:SEVERAL])]


def _written(translation: Translation) -> list[str]:
    """The words, without the mark of the end."""
    ended = translation.tokens[-1:] == [SPECIAL[EOS_ID]]
    return translation.tokens[:-1] if ended else list(translation.tokens)


def _opening(translation: Translation, head: int) -> dict:
    """Where each word looks, in this head of the last layer."""
    layer = len(translation.attention.cross) - 1
    weights = np.asarray(translation.attention.cross[layer][0, head])
    return {"layer": layer, "head": head, "percents": np.rint(100 * weights).astype(int).tolist()}


def _longest_look(translation: Translation, head: int) -> int:
    """The written word that looks farthest along the sentence, in this head of the last layer."""
    words = len(_written(translation))
    weights = np.asarray(translation.attention.cross[-1][0, head])[:words]
    if not words:
        return 0
    # From the word's share of its line to that of what it looks at
    here = np.arange(words)[:, None] / words
    there = np.arange(weights.shape[1]) / weights.shape[1]
    return int((weights * np.abs(here - there)).max(axis=1).argmax())
