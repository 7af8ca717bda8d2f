"""A translator is a trained model with its two vocabularies: text in, text and attention out."""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

import torch
from torch import Tensor

from .decoding import beam_search, check_beam, evaluating, greedy_decode
from .files import check_shapes, read_shapes, read_tensors, shapes, write_tensors, write_whole
from .model import AttentionMaps, Transformer, TransformerConfig
from .vocabulary import BOS_ID, EOS_ID, PAD_ID, Vocabulary, check_several, pad, quote

SHIPPED = Path(__file__).parent / "models" / "german-english"


@dataclass
class Translation:
    """A translated sentence.

    text: the translation, its tokens joined. source_tokens: what the encoder read.
    tokens: what the decoder wrote, step by step, ``<eos>`` included unless it ran out of room.
    alignment: gold pairs (source token, target token) where they are known, for pictures.
    translator: whose translation this is; it is asked for ``attention``.
    """

    source_tokens: list[str]
    tokens: list[str]
    alignment: tuple[tuple[int, int], ...] = ()
    translator: "Translator" = field(repr=False, kw_only=True)

    @property
    def text(self) -> str:
        return self.translator.target_vocabulary.detokenize(self.tokens)

    @property
    def decoder_tokens(self) -> list[str]:
        """What the decoder had just read when it wrote each of ``tokens``: ``<bos>``, then the
        tokens before.
        """
        return ["<bos>", *self.tokens[:-1]]

    @cached_property
    def attention(self) -> AttentionMaps:
        """The weights of every layer and head, computed when asked for: one ``(1, n_heads, len_q,
        len_k)`` a layer.

        Queries of ``decoder`` and ``cross`` are the ``decoder_tokens``, keys of ``cross`` the
        ``source_tokens``.
        """
        translator = self.translator
        source_ids = torch.tensor(
            [translator.source_vocabulary.encode(self.source_tokens)], device=translator.device
        )
        target_ids = torch.tensor(
            [translator.target_vocabulary.encode(self.decoder_tokens)], device=translator.device
        )
        with evaluating(translator.model):
            maps = translator.model(source_ids, target_ids, return_attention=True)[1]
        # Tensors that were made while evaluating can be neither changed nor differentiated; their
        # copies can.
        return AttentionMaps(*([weights.clone() for weights in layers] for layers in maps))


class Translator:
    """Text in, ``Translation`` out.

    Raises ValueError if a vocabulary does not have the size that the model was made for.
    """

    def __init__(
        self, model: Transformer, source_vocabulary: Vocabulary, target_vocabulary: Vocabulary
    ):
        for name, vocabulary, size in (
            ("source", source_vocabulary, model.config.source_vocab_size),
            ("target", target_vocabulary, model.config.target_vocab_size),
        ):
            if len(vocabulary) != size:
                raise ValueError(
                    f"the {name} vocabulary has {len(vocabulary)} tokens, the model was made for {size}"
                )
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
        """Translate sentences side by side, which is much faster than one after the other. Raises
        as ``translate``.
        """
        check_several(texts)
        check_beam(beam)
        sources = [self.read(text) for text in texts]
        if not sources:
            return []
        source_ids = pad([ids for _, ids in sources]).to(self.device)
        target_ids = (
            beam_search(self.model, source_ids, beam)
            if beam > 1
            else greedy_decode(self.model, source_ids)
        )
        return [
            Translation(tokens, self._written(row), translator=self)
            for (tokens, _), row in zip(sources, target_ids.tolist(), strict=True)
        ]

    def read(self, text: str) -> tuple[list[str], list[int]]:
        """The tokens of a sentence and their ids, as the encoder reads them. Raises as
        ``translate``.
        """
        tokens, longest = self.source_vocabulary.tokenize(text), self.model.config.max_length
        if not tokens:
            raise ValueError(f"the sentence {quote(text)} is empty: give at least one word")
        if len(tokens) > longest:
            raise ValueError(
                f"the sentence has {len(tokens)} tokens, this model takes at most {longest}: split it into shorter ones"
            )
        return tokens, self.source_vocabulary.encode(tokens)

    def _written(self, row: list[int]) -> list[str]:
        end = row.index(EOS_ID) + 1 if EOS_ID in row else len(row)
        return self.target_vocabulary.decode(row[:end])

    def save(self, folder: str | os.PathLike) -> None:
        """Write ``config.json`` and ``model.safetensors`` into a folder, each whole or not at all.

        Raises ValueError for weights that are no finite numbers; a translator that is there already
        stays as it is.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        description = {
            "config": asdict(self.model.config),
            "source": self.source_vocabulary.to_dict(),
            "target": self.target_vocabulary.to_dict(),
        }
        text = json.dumps(description, ensure_ascii=False, indent=1)
        write_tensors(
            folder / "model.safetensors", self.weights(), {"config": _digest(description)}
        )
        write_whole(folder / "config.json", text.encode())

    @classmethod
    def load(cls, folder: str | os.PathLike) -> "Translator":
        """Read what ``save`` wrote, as numbers of torch's default dtype; nothing in the files is
        executed.

        Raises FileNotFoundError if a file is missing, and ValueError if one is damaged or does not
        fit the other.
        """
        folder = Path(folder)
        for name in ("config.json", "model.safetensors"):
            if not (folder / name).exists():
                raise FileNotFoundError(
                    f"{folder} holds no {name}: is it the folder of a finished `train`?"
                )
        path = folder / "model.safetensors"
        given = {_name_of_today(name): shape for name, shape in read_shapes(path).items()}
        with _describing_a_translator(folder / "config.json"):
            description = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            config = TransformerConfig(**_config_of_today(description["config"]))
            vocabularies = [
                Vocabulary.from_dict(description[side]) for side in ("source", "target")
            ]
            _check_layers(config, given)
        # Compared before a model is made: no small file makes a model of many weights, whatever the
        # configuration says.
        large = _large_weights(config)
        check_shapes(path, {name: given[name] for name in given.keys() & large.keys()}, large)
        with _describing_a_translator(folder / "config.json"):
            translator = cls(Transformer(config), *vocabularies)
        check_shapes(path, given, shapes(translator.weights()))
        weights, metadata = read_tensors(path)
        if metadata != {"config": _digest(description)}:
            raise ValueError(
                f"{path} and config.json are of two different translators: train or save it again"
            )
        weights = {_name_of_today(name): weight for name, weight in weights.items()}
        translator.model.load_state_dict(
            weights, strict=False
        )  # a tied output layer is not among them
        translator.model.eval()
        return translator

    def weights(self) -> dict[str, Tensor]:
        """The weights by name; a tied output layer is the target embedding and stands only under
        that name.
        """
        # torch.compile puts the model into a shell and this before its names.
        return {
            name.removeprefix("_orig_mod."): weight
            for name, weight in self.model.named_parameters()
        }


def _digest(description: dict) -> str:
    """A short fingerprint, which ties the weights to the words that they were trained for."""
    return hashlib.sha256(json.dumps(description, sort_keys=True).encode()).hexdigest()[:16]


@contextmanager
def _describing_a_translator(path: Path) -> Iterator[None]:
    """Whatever is wrong with what a file says becomes a ValueError that names it."""
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path} does not describe a translator: {error}") from error


def _check_layers(config: TransformerConfig, given: dict[str, tuple[int, ...]]) -> None:
    layers = len({name.split(".")[1] for name in given if name.startswith("encoder.")})
    if config.n_layers != layers:
        raise ValueError(
            f"it has n_layers={config.n_layers}, and model.safetensors has the weights of {layers}"
        )


def _large_weights(config: TransformerConfig) -> dict[str, tuple[int, int]]:
    """The shapes on which the size of a model hangs, by name."""
    words = {
        "source_embedding": config.source_vocab_size,
        "target_embedding": config.target_vocab_size,
    }
    large = {f"{name}.weight": (size, config.d_model) for name, size in words.items()}
    for layer in (
        f"{stack}.{i}" for stack in ("encoder", "decoder") for i in range(config.n_layers)
    ):
        large[f"{layer}.self_attention.w_q.weight"] = config.d_model, config.d_model
        large[f"{layer}.feed_forward.0.weight"] = config.d_ff, config.d_model
    return large


def _config_of_today(config: dict) -> dict:
    """Without the special ids that a configuration held at first: they are the vocabulary's."""
    config = dict(config)
    for name, standard in {"pad_id": PAD_ID, "bos_id": BOS_ID, "eos_id": EOS_ID}.items():
        saved = config.pop(name, standard)
        if type(saved) is not int or saved != standard:
            raise ValueError(
                f"it was trained with {name}={saved}, where {name}={standard} is the rule: train it again"
            )
    return config


def _name_of_today(name: str) -> str:
    """What was first called ``residuals.0.norm`` is ``norm1``."""
    return re.sub(r"residuals\.(\d)\.norm", lambda found: f"norm{int(found[1]) + 1}", name)


def load_translator(folder: str | os.PathLike = SHIPPED) -> Translator:
    """The German-English translator that comes with the package, or one that you have saved."""
    return Translator.load(folder)
