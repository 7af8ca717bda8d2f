"""Two lines of words, joined by threads as thick as the weights: where a translator looks before it
writes each word.

A heat map says that cell (3, 7) is 0.95. A thread says that *close* looks at *zugemacht*, and
threads that cross say that the two languages put their words in different orders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from traitlets import Bytes, Dict, Int, List, observe

from transformer_lite.translator import Translation, load_translator
from transformer_lite.vocabulary import SPECIAL

from ...exhibits.glosses import glosses
from ..kit import Figure, FigureError, Table, Thumbnail

# German that a reader of English can nearly read. None of it was in the translator's training.
SENTENCES = [
    "ich habe die rote Tür heute nicht zugemacht .",
    "der Mann trinkt morgen Abend heißen Tee .",
    "warum hast du gestern die neuen Bücher gelesen ?",
    "mein Bruder hat gestern ein rotes Auto gekauft .",
    "trinkt der neue Lehrer jetzt eine kalte Cola ?",
]
HEAD = 1  # the one that a reader sees first: in it nearly every word has one thick thread


class Threads(Figure):
    """Threads from the words that were written to the words that were read: `Threads()`, or
    `Threads(["der Mann trinkt Tee ."])`.

    sentences: German sentences for the shipped translator, or each a `Translation` of any.
    layer: whose cross-attention is shown; the last one unless given. gloss: for each word that was
    read what it means.

    `sentence` and `head` can be read, set and observed, and so can `source_word` and `target_word`,
    the word whose threads are picked out: -1 for none, and at most one of the two. Weights are
    shown in whole per cent.

    Raises FigureError, a ValueError, if there is no sentence, if one cannot be translated, or if
    the translations differ in their number of heads.
    """

    title = "Threads"
    thumbnail = Thumbnail(".picture", width=700, state="target_word=3")
    addressed = ("sentence", "head", "source_word", "target_word")

    weights = Bytes().tag(sync=True)  # per cent, by sentence, head, written word and read word
    sources = List().tag(sync=True)  # the words of each sentence that were read
    targets = List().tag(sync=True)  # the words of each sentence that were written
    gloss = Dict().tag(sync=True)  # what a word that was read means
    heads = Int(1).tag(sync=True)  # how many there are
    sentence = Int(0).tag(sync=True)  # which translation
    head = Int(0).tag(sync=True)  # whose threads are drawn
    source_word = Int(-1).tag(sync=True)  # the word that was read and is picked out, or -1
    target_word = Int(-1).tag(sync=True)  # the word that was written and is picked out, or -1

    def __init__(
        self,
        sentences: Sequence[str | Translation] | None = None,
        *,
        layer: int = -1,
        gloss: Mapping[str, str] | None = None,
        caption: str = "",
    ):
        sentences = SENTENCES if sentences is None else sentences
        sentences = [sentences] if isinstance(sentences, str | Translation) else sentences
        if not isinstance(sentences, Sequence):
            raise FigureError(
                "Threads needs a list of sentences or of what Translator.translate returns; got "
                f"{type(sentences).__name__}: Threads([translator.translate('...')])"
            )
        if not sentences:
            raise FigureError("sentences is empty; expected at least one")
        alignments = [_per_cent(translation, layer) for translation in _translated(sentences)]
        heads = {len(weights) for _, _, weights in alignments}
        if len(heads) > 1:
            raise FigureError(f"the translations have {sorted(heads)} heads; expected one number")
        (heads,) = heads
        self._weights = [weights for _, _, weights in alignments]
        super().__init__(
            sources=[source for source, _, _ in alignments],
            targets=[target for _, target, _ in alignments],
            weights=b"".join(weights.tobytes() for _, _, weights in alignments),
            gloss=dict(glosses() if gloss is None else gloss),
            heads=heads,
            head=min(HEAD, heads - 1),
            caption=caption,
        )

    def controls(self) -> list:
        return []  # the words and the dots under them are the controls

    def check(self, trait, value):
        value = super().check(trait, value)
        heads, written, read = self._weights[self.sentence].shape
        ends = {
            "sentence": (0, len(self._weights) - 1),
            "head": (0, heads - 1),
            "source_word": (-1, read - 1),
            "target_word": (-1, written - 1),
        }
        if trait not in ends:
            return value
        low, high = ends[trait]
        if not low <= value <= high:
            raise FigureError(f"{trait}={value!r} is out of range: {low} to {high} here")
        return value

    @observe("sentence", "source_word", "target_word")
    def _pick_one(self, change):
        """At most one word is picked out, and none of another sentence."""
        if change.name == "sentence" or (change.name == "target_word" and change.new >= 0):
            self.source_word = -1
        if change.name == "sentence" or (change.name == "source_word" and change.new >= 0):
            self.target_word = -1

    @property
    def alternative(self) -> str:
        source = self.sources[self.sentence]
        target = self.targets[self.sentence]
        weights = self._weights[self.sentence][self.head]
        most = [
            f"{word} at {source[row.argmax()]}" for word, row in zip(target, weights, strict=True)
        ]
        return (
            f"“{' '.join(source)}” over “{' '.join(target)}”, joined by threads. "
            f"Before it is written, each word looks most at one that was read: {', '.join(most)}."
        )

    def as_table(self) -> Table:
        weights = self._weights[self.sentence][self.head]
        rows = zip(self.targets[self.sentence], weights.tolist(), strict=True)
        return Table(
            "Where each English word looks, in per cent",
            self.sources[self.sentence],
            [[word, *row] for word, row in rows],
        )


def _translated(sentences: Sequence[str | Translation]) -> list[Translation]:
    texts = [sentence for sentence in sentences if isinstance(sentence, str)]
    for sentence in sentences:
        if not isinstance(sentence, str) and not hasattr(sentence, "attention"):
            raise FigureError(
                "Threads needs sentences or what Translator.translate returns; got "
                f"{type(sentence).__name__}: Threads([translator.translate('...')])"
            )
    try:
        translations = iter(load_translator().translate_batch(texts) if texts else [])
    except ValueError as error:
        raise FigureError(f"a sentence cannot be translated: {error}") from None
    return [next(translations) if isinstance(one, str) else one for one in sentences]


def _per_cent(translation: Translation, layer: int) -> tuple[list[str], list[str], np.ndarray]:
    """Words read, words written, and (heads, written, read) whole per cent; no end mark."""
    layers = translation.attention.cross
    if not -len(layers) <= layer < len(layers):
        raise FigureError(f"layer={layer} is out of range: 0 to {len(layers) - 1} here")
    target = list(translation.tokens)
    if target and target[-1] in SPECIAL:
        target.pop()
    weights = np.asarray(layers[layer].detach().cpu())[0, :, : len(target)]
    return list(translation.source_tokens), target, (100 * weights).round().astype(np.uint8)
