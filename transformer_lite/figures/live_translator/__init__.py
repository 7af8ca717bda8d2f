"""The live translator: a trained model that runs in the page, on any sentence, with any part of it
switched off.

The weights travel with the figure, 8 bits a number (see `engine`), and the browser computes. In a
built site a small extension moves them out of the pages into one file that all share, which is
fetched when the reader comes near.

`EXPERIMENTS` promise what the reader will see. A test sets up each of them in a page and compares,
word by word.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence

import numpy as np
from traitlets import Bool, Bytes, Dict, Float, Int, List, Unicode

from ...data.corpus import TWO_SENTENCES
from ...data.glosses import glosses
from ...translator import Translation, Translator, load_translator
from ...vocabulary import BytePairVocabulary
from ..engine.pack import pack, unpack
from ..kit import Control, Figure, FigureError, Table, choice
from ..machine_map.plan import SITE

KINDS = {"cross": "cross_attention", "decoder": "self_attention", "encoder": "self_attention"}
LARGEST = 2_000_000  # bytes; the shipped translator has 250,000

# What can be switched off as a whole: the engine's name, ours, the question that it answers, the
# chapter that asks it
SWITCHES = [
    ("positions", "positions", "Does it matter in which order the words stand?", "06-positions"),
    (
        "feed_forward",
        "feed-forward",
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
        "division by √dₖ",
        "What if the scores are four times too large?",
        "03-why-root-d-k",
    ),
    ("causal mask", "causal mask", "Who could see the future here?", "05-masks"),
]
# What is chosen from a list or set by a slider
CHOICES = {
    "layer": ("layers", "Could one layer less do the same?", "07-the-whole-transformer"),
    "head": ("heads", "Which head is missed, and by which word?", "04-many-heads"),
    "beam": ("beams", "Does it help to keep more than one beginning?", "08-training"),
    "temperature": (
        "temperature",
        "What if it draws each word by lot, instead of the likeliest?",
        "08-training",
    ),
}

SENTENCES = [
    "ich habe heute die Tür zugemacht .",
    "der Mann besucht die Frau .",
    "warum hast du gestern die neuen Bücher gelesen ?",
    "ich weiß nicht , ob er morgen Abend schwimmen kann .",
    "ich möchte kein Bier .",
    "ich mochte ein bier",
]

# intact and changed are what the two models write: the texts around them may rely on it.
EXPERIMENTS = [
    {
        "title": "Who visits whom?",
        "source": "der Mann besucht die Frau .",
        "off": ["positions"],
        "text": "The man visits the woman. Attention compares every word with every other, wherever they stand; only "
        "the positions that are added to the words tell it their order. Take them away.",
        "question": "Same words, no order. Who visits whom now, and how would the model know?",
        "intact": "the man is visiting the woman .",
        "changed": "the woman is visiting the man .",
        "answer": "Without positions a sentence is a bag of words. “die Frau besucht der Mann .” is the same bag, so "
        "both must get the same translation: here the woman became the visitor. Try it the other "
        "way round.",
    },
    {
        "title": "The head that knows when",
        "source": "warum hast du gestern die neuen Bücher gelesen ?",
        "off": ["decoder.1.cross_attention.3"],
        "text": "“gestern” stands fourth in German, and “yesterday” next to last in English. Switch off head 3 of the "
        "upper cross-attention, one of 24 heads.",
        "question": "Which one word will be missing?",
        "intact": "why did you read the new books yesterday ?",
        "changed": "why did you read the new books ?",
        "answer": "“yesterday” is gone and nothing else. Put the head back, click “yesterday” and look at that head: "
        "chapter 9 finds that no other head of the cross-attention is missed more.",
    },
    {
        "title": "A thought without feed-forward",
        "source": "sie muss meinen Bruder anrufen .",
        "off": ["feed_forward"],
        "text": "She has to call my brother. Attention only fetches and mixes. What a place makes of the mixture is "
        "the work of the feed-forward network. Take it out of every layer.",
        "question": "Will it still be English? Will it still be true?",
        "intact": "she has to call my brother .",
        "changed": "she does not have to call my brother .",
        "answer": "It is fluent, and it says the opposite. A sentence that reads well is no proof that it was "
        "translated well.",
    },
    {
        "title": "One layer less",
        "source": "ich weiß nicht , ob er morgen Abend schwimmen kann .",
        "off": ["decoder.0"],
        "text": "I do not know whether he can swim tomorrow evening. The decoder has two layers. Take out the lower "
        "one.",
        "question": "What does the upper layer save on its own?",
        "intact": "i do not know whether he can swim tomorrow evening .",
        "changed": "i can swim tomorrow .",
        "answer": "A few words of it: who, what and when, in an order that is English. How they belong together is "
        "lost. Then put it back and take out the upper one instead: that leaves English about "
        "something else.",
    },
    {
        "title": "Stuck",
        "source": "ich möchte ein Bier .",
        "off": ["residuals"],
        "text": "Each sub-layer adds what it found to what it was given. Leave out the sum, so that only what was "
        "found goes on.",
        "question": "What happens to a model that forgets at every step what it has just read?",
        "intact": "i would like a beer .",
        "changed": " ".join(["often"] * 64),
        "answer": "The same word, until there is no room left. The decoder no longer knows what it has just written, "
        "so every step looks like the one before. Training without the sums would be another "
        "story; this model was "
        "trained with them and relies on them.",
    },
    {
        "title": "A mask that nobody misses",
        "source": "er macht jetzt die Tür auf .",
        "off": ["causal mask"],
        "text": "The causal mask hides from each English word those that come after it. Take it away, in the model "
        "that has learnt with it.",
        "question": "Will the translation change? What is there to hide when words are written one by one?",
        "intact": "he is opening the door now .",
        "changed": "he is opening the door now .",
        "answer": "Not a word. The newest word has nothing after it that could be hidden; only the words before it may "
        "now look ahead, and they have been written already. The mask is there for training, where "
        "the whole answer "
        "lies on the table: see chapter 5.",
    },
]  # fmt: skip


class LiveTranslator(Figure):
    """A translator that runs in the reader's browser: `LiveTranslator()`, or
    `LiveTranslator(my_translator)`.

    translator: a `Translator`; the shipped one unless given. sentences: suggestions; the first is
    translated at once. A translator does not say what is said in its language, so give some with
    one of your own; without them its page begins with a single word.
    gloss: for each word of the source language what it means; the shipped translator has its own.

    `source` (a sentence), `off` (parts that are switched off: "positions", "feed_forward",
    "residuals", "scaling", "causal mask", a layer such as "encoder.0", a head such as
    "decoder.1.cross_attention.3"), `beam` (1 to 4), `temperature` (0 to 2), `kind`, `layer`, `head`
    and `step` can be read, set and observed; `written` has the tokens of the latest translation.

    Raises FigureError, a ValueError, for a translator of byte pairs (only whole words can be
    typed), one that needs more than 2 MB, and a sentence that it cannot read.
    """

    title = "Live translator"
    constants = {
        "site": SITE,
        "switches": SWITCHES,
        "choices": CHOICES,
        "attentions": KINDS,
        "beams": 4,
        "hottest": 2,
    }

    weights = Bytes().tag(sync=True)
    source = Unicode().tag(sync=True)
    german = Bool(True).tag(sync=True)  # to English; no other translator says what it speaks
    written = List(Unicode()).tag(sync=True)
    sentences, experiments, off = (List().tag(sync=True) for _ in range(3))
    gloss = Dict().tag(sync=True)
    sizes = Dict().tag(sync=True)
    knows_unknown = Bool(False).tag(sync=True)
    beam = Int(1).tag(sync=True)
    temperature = Float(0.0).tag(sync=True)
    seed = Int(0).tag(sync=True)
    kinds = List(Unicode()).tag(sync=True)
    kind = choice("kinds")
    layer, head, step = (Int(0).tag(sync=True) for _ in range(3))
    last_step = Int(0).tag(sync=True)

    def __init__(
        self,
        translator: Translator | None = None,
        sentences: Sequence[str] | None = None,
        *,
        gloss: Mapping[str, str] | None = None,
        caption: str | None = None,
    ):
        shipped = translator is None
        translator = load_translator() if shipped else translator
        words = translator.source_vocabulary
        if isinstance(words, BytePairVocabulary) or isinstance(
            translator.target_vocabulary, BytePairVocabulary
        ):
            raise FigureError(
                "this translator reads or writes pieces of words (byte pairs); in a page only "
                "whole words can be "
                "typed: train one with `train --tokenizer word`"
            )
        weights = pack(translator)
        if len(weights) > LARGEST:
            raise FigureError(
                f"this translator has {len(weights) / 1e6:.1f} MB, packed; at most "
                f"{LARGEST / 1e6:.0f} MB go into a "
                "page: train one with a smaller d_model, fewer layers or fewer words"
            )
        # As the page will have it: 8 bits a number
        model = copy.deepcopy(translator.model).cpu().eval()
        model.load_state_dict(unpack(weights), strict=False)
        self._translator = Translator(model, words, translator.target_vocabulary)
        if sentences is None:
            known = [
                german for german, _ in TWO_SENTENCES if set(german.split()) <= set(words.words)
            ]
            longest = max(words.words[:100], key=lambda word: (word.isalpha(), len(word)))
            sentences = SENTENCES if shipped else known or [longest]
        sentences = [sentences] if isinstance(sentences, str) else list(sentences)
        if not sentences:
            raise FigureError("sentences is empty; expected at least one to begin with")
        if gloss is None:
            gloss = glosses() if shipped else {}
        first = [self._translation(sentence) for sentence in sentences][0]
        config = model.config
        super().__init__(
            weights=weights, source=sentences[0], written=first.tokens, last_step=len(first.tokens) - 1,
            sentences=sentences, experiments=EXPERIMENTS if shipped else [],
            german=shipped, gloss=dict(gloss),
            knows_unknown=words.knows_unknown,
            sizes={"layers": config.n_layers, "heads": config.n_heads}, kinds=list(KINDS), kind="cross",
            layer=config.n_layers - 1,
            caption=caption or f"The whole model runs in your browser. Type {'German' if shipped else 'a sentence'}, "
            "with the words it knows; click a word to see what it looked at; switch a part off and "
            "see what breaks. "
            f"Its weights are {'those of the package, ' if shipped else ''}rounded to 8 bits.",
        )  # fmt: skip

    def _translation(self, sentence: str) -> Translation:
        try:
            return self._translator.translate(sentence)
        except ValueError as error:
            raise FigureError(f"{sentence!r} cannot be translated: {error}") from None

    def parts(self) -> list[str]:
        """All that can be switched off, by the names that `off` takes."""
        found = [name for name, *_ in SWITCHES]
        for stack, attentions in (
            ("encoder", ["self_attention"]),
            ("decoder", ["self_attention", "cross_attention"]),
        ):
            for layer in range(self.sizes["layers"]):
                found.append(f"{stack}.{layer}")
                for attention in attentions:
                    found += [
                        f"{stack}.{layer}.{attention}.{head}" for head in range(self.sizes["heads"])
                    ]
        return found

    def check(self, trait, value):
        value = super().check(trait, value)
        if trait == "source" and value:
            self._translation(value)
        if (
            trait == "off"
            and self.sizes
            and (unknown := [part for part in value if part not in self.parts()])
        ):
            raise FigureError(
                f"off={value!r}: {unknown[0]!r} is not known; expected some of {self.parts()}"
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
            Control("step", "word", max="last_step"),
            Control("step", "word by word", "play", max="last_step"),
            Control("kind", "attention", "select", options=self.kinds),
            Control("layer", "layer", max=self.sizes["layers"] - 1),
            Control("head", "head", max=self.sizes["heads"] - 1),
        ]

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
