"""A translator is a trained model with its two vocabularies: text in, text and attention out."""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

import torch
from torch import Tensor

from .checks import check_several, quote
from .decoding import beam_search, check_beam, evaluating, greedy_decode
from .files import (
    FILE,
    check_format,
    check_shapes,
    filled,
    read_tensors,
    shapes,
    write_tensors,
    wrong_description,
)
from .model import AttentionMaps, Transformer, TransformerConfig
from .vocabulary import EOS_ID, UNK_ID, Vocabulary, check_vocabulary_size, pad

SHIPPED = Path(__file__).parent / "models" / "german-english"
FORMAT = 1  # of that file; one more with every change that an older package could not read


@dataclass
class Translation:
    """A translated sentence.

    text: the translation, its tokens joined. source_tokens: what the encoder read.
    tokens: what the decoder wrote, step by step, ``<eos>`` included unless it ran out of room.
    alignment: gold pairs (source token, target token) where they are known, for pictures.
    unknown: those of the source tokens that were read as ``<unk>``.
    translator: the one that made it and computes its ``attention``.
    """

    source_tokens: list[str]
    tokens: list[str]
    alignment: tuple[tuple[int, int], ...] = ()
    unknown: tuple[str, ...] = ()
    translator: "Translator" = field(repr=False, kw_only=True)

    @property
    def text(self) -> str:
        return self.translator.target_vocabulary.detokenize(self.tokens)

    @property
    def decoder_tokens(self) -> list[str]:
        """The last token read when each of ``tokens`` was written, from ``<bos>`` on."""
        return ["<bos>", *self.tokens[:-1]]

    @cached_property
    def attention(self) -> AttentionMaps:
        """The weights of every layer and head, computed when they are first asked for: one ``(1,
        n_heads, len_q, len_k)`` per layer.

        Queries of ``decoder`` and ``cross`` are the ``decoder_tokens``, keys of ``cross`` the
        ``source_tokens``.
        """
        translator = self.translator
        source = translator.source_vocabulary.encode(self.source_tokens)
        target = translator.target_vocabulary.encode(self.decoder_tokens)
        source_ids = torch.tensor([source], device=translator.device)
        target_ids = torch.tensor([target], device=translator.device)
        with evaluating(translator.model):
            return translator.model(source_ids, target_ids, return_attention=True)[1]


class Translator:
    """Text in, ``Translation`` out.

    Threads may share one whose model is in evaluation mode, as ``load`` leaves it. A model in
    training mode is switched for each sentence, see ``decoding.evaluating``.

    Raises ValueError if a vocabulary does not have the size that the model was made for.
    """

    def __init__(
        self, model: Transformer, source_vocabulary: Vocabulary, target_vocabulary: Vocabulary
    ):
        check_vocabulary_size("source", source_vocabulary, model.config.source_vocab_size)
        check_vocabulary_size("target", target_vocabulary, model.config.target_vocab_size)
        self.model = model
        self.source_vocabulary = source_vocabulary
        self.target_vocabulary = target_vocabulary

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    def translate(self, text: str, *, beam: int = 1) -> Translation:
        """Translate one sentence, greedily or with ``beam`` beams.

        Raises ValueError for an empty sentence, a word that the vocabulary does not hold, a
        sentence of more than ``max_length`` tokens and a ``beam`` below 1 or above 1000.
        """
        return self.translate_batch([text], beam=beam)[0]

    def translate_batch(self, texts: Sequence[str], *, beam: int = 1) -> list[Translation]:
        """Translate sentences side by side, which is much faster than one after the other.

        Raises the same errors as ``translate``.
        """
        check_several(texts)
        check_beam(beam)
        sources = [self.read(text) for text in texts]
        if not sources:
            return []
        source_ids = pad([ids for _, ids in sources]).to(self.device)
        if beam > 1:
            target_ids = beam_search(self.model, source_ids, beam)
        else:
            target_ids = greedy_decode(self.model, source_ids)
        return [
            Translation(
                tokens,
                self._written(row),
                unknown=tuple(token for token, i in zip(tokens, ids, strict=True) if i == UNK_ID),
                translator=self,
            )
            for (tokens, ids), row in zip(sources, target_ids.tolist(), strict=True)
        ]

    def read(self, text: str) -> tuple[list[str], list[int]]:
        """The tokens of a sentence and their ids, as the encoder reads them.

        Raises the same errors as ``translate``.
        """
        tokens = self.source_vocabulary.tokenize(text)
        longest = self.model.config.max_length
        if not tokens:
            raise ValueError(f"the sentence {quote(text)} is empty: give at least one word")
        if len(tokens) > longest:
            raise ValueError(
                f"the sentence has {len(tokens)} tokens, this model takes at most {longest}: "
                "split it into shorter ones"
            )
        return tokens, self.source_vocabulary.encode(tokens)

    def _written(self, row: list[int]) -> list[str]:
        end = row.index(EOS_ID) + 1 if EOS_ID in row else len(row)
        return self.target_vocabulary.decode(row[:end])

    def save(self, folder: str | os.PathLike) -> None:
        """Write ``model.safetensors`` into a folder: the weights, configuration and vocabularies.

        It is one file and is replaced in one step. Whoever reads it meanwhile, or after a crash,
        finds the old translator or the new one, whole.

        Raises ValueError for what ``load`` would refuse: weights that are not finite, and weights
        that are not those of a ``Transformer`` with this configuration.
        """
        folder = Path(folder)
        weights = self.weights()
        with torch.device("meta"):
            expected: dict[str, Tensor] = dict(Transformer(self.model.config).named_parameters())
        check_shapes("what is to be saved", shapes(weights), shapes(expected))
        note = {
            "format": FORMAT,
            "config": asdict(self.model.config),
            "source": self.source_vocabulary.to_dict(),
            "target": self.target_vocabulary.to_dict(),
        }
        folder.mkdir(parents=True, exist_ok=True)
        write_tensors(folder / FILE, weights, note)

    @classmethod
    def load(cls, folder: str | os.PathLike) -> "Translator":
        """Read what ``save`` wrote, in torch's default dtype. Nothing in the file is executed.

        Raises FileNotFoundError if there is no such file, and ValueError if it is of a newer format
        than this package reads, or damaged. A file has a checksum, so that a single wrong bit is
        noticed; the first ones had none, in which a changed number is not.
        """
        path = Path(folder) / FILE
        if not path.is_file() and folder == SHIPPED:
            raise FileNotFoundError(f"the package has lost its {path}: install it again")
        if not path.is_file():
            raise FileNotFoundError(
                f"{folder} holds no {FILE}: is it the folder of a finished training?"
            )
        weights, note = read_tensors(path)
        check_format(path, note, FORMAT)
        if "vocabulary" in note:
            raise ValueError(
                f"{path} holds a language model, which does not translate: load_language_model "
                "loads it, to go on with a text"
            )
        with wrong_description(path, "a translator"):
            source = Vocabulary.from_dict(note["source"])
            target = Vocabulary.from_dict(note["target"])
            config = TransformerConfig(**note["config"])
            check_vocabulary_size("source", source, config.source_vocab_size)
            check_vocabulary_size("target", target, config.target_vocab_size)
        outline = {
            "source_embedding.weight": (config.source_vocab_size, config.d_model),
            "target_embedding.weight": (config.target_vocab_size, config.d_model),
            f"encoder.{config.n_layers - 1}.feed_forward.0.bias": (config.d_ff,),
        }
        return cls(filled(path, lambda: Transformer(config), weights, outline), source, target)

    def weights(self) -> dict[str, Tensor]:
        """The weights by name; a tied output layer stands under the target embedding's alone."""
        # torch.compile puts the model into a shell and this before its names.
        weights: dict[str, Tensor] = {
            name.removeprefix("_orig_mod."): weight
            for name, weight in self.model.named_parameters()
        }
        if self.model.config.tie_embeddings and "output.weight" in weights:
            # load_state_dict(..., assign=True) has made two of them, equal until one is trained.
            if torch.equal(weights["output.weight"], weights["target_embedding.weight"]):
                del weights["output.weight"]
        return weights


def load_translator(folder: str | os.PathLike = SHIPPED) -> Translator:
    """The German-English translator that comes with the package, or one that you have saved."""
    return Translator.load(folder)
