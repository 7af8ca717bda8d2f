"""A model as the page reads it.

`pack` writes a translator, `pack_writer` a decoder alone, and `unpack` reads either back. By
default a matrix becomes whole numbers of 8 bits, a quarter of its size, each row with the scale
that lets its largest number use them all.
"""

import json
from dataclasses import asdict

import numpy as np
import torch
from torch import Tensor

from transformer_lite.decoder_only import DecoderOnly
from transformer_lite.model import TransformerConfig
from transformer_lite.translator import Translator
from transformer_lite.vocabulary import BOS_ID, EOS_ID, PAD_ID, SPECIAL, UNK_ID, Vocabulary

SPECIAL_IDS = {
    "pad_id": PAD_ID,
    "bos_id": BOS_ID,
    "eos_id": EOS_ID,
    "unk_id": UNK_ID,
    "n_special_ids": len(SPECIAL),  # they come first in a vocabulary
}


def describe(config: TransformerConfig) -> dict:
    """What the page needs to know of a model: its configuration and the vocabulary's special
    ids.
    """
    return asdict(config) | SPECIAL_IDS


def describe_alone(model: DecoderOnly) -> dict:
    """The same of a decoder alone."""
    return SPECIAL_IDS | model.sizes


def pack(translator: Translator, precision: str = "int8") -> bytes:
    """A translator's config, words and weights: see ``packed``."""
    header = {
        "config": describe(translator.model.config),
        "source": translator.source_vocabulary.tokens,
        "target": translator.target_vocabulary.tokens,
    }
    return packed(header, translator.weights(), precision)


def pack_writer(model: DecoderOnly, vocabulary: Vocabulary, precision: str = "int8") -> bytes:
    """The same of a decoder alone."""
    header = {"config": describe_alone(model), "words": vocabulary.tokens}
    return packed(header, dict(model.named_parameters()), precision)


def packed(header: dict, weights: dict[str, Tensor], precision: str) -> bytes:
    """A line of JSON that says what follows, then the weights, little-endian, in the order of the
    model.

    precision: "int8" (matrices; by row, behind its scales in float16; vectors in float16) or
    "float32".

    Raises ValueError for another precision, and for weights that are not finite or too large for
    it.
    """
    if precision not in ("int8", "float32"):
        raise ValueError(f'precision must be "int8" or "float32"; got {precision!r}')
    arrays = {name: weight.detach().cpu().float().numpy() for name, weight in weights.items()}
    small = precision == "int8"
    kinds = {
        name: "float16" if small and weight.ndim == 1 else precision
        for name, weight in arrays.items()
    }
    header |= {"tensors": [[name, weight.shape, kinds[name]] for name, weight in arrays.items()]}
    parts = [json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode(), b"\n"]
    for name, weight in arrays.items():
        if not np.isfinite(weight).all() or (small and np.abs(weight).max() > 65504):
            raise ValueError(
                f"{name} has numbers that {precision} cannot hold: train the model again, more "
                "gently"
            )
        if kinds[name] == "int8":
            scale = (np.abs(weight).max(axis=1, keepdims=True) / 127).astype("<f2")
            whole = np.divide(weight, scale, out=np.zeros_like(weight), where=scale > 0)
            parts += [scale.tobytes(), whole.round().clip(-127, 127).astype("i1").tobytes()]
        else:
            parts.append(weight.astype({"float16": "<f2", "float32": "<f4"}[kinds[name]]).tobytes())
    return b"".join(parts)


def unpack(data: bytes) -> dict[str, Tensor]:
    """The weights that `pack` wrote, by name, float32: what the page computes with."""
    end = data.index(b"\n")
    at = end + 1
    weights = {}

    def numbers(count, kind):
        nonlocal at
        values = np.frombuffer(
            data, {"int8": "i1", "float16": "<f2", "float32": "<f4"}[kind], count, at
        )
        at += values.nbytes
        return values.astype(np.float32)

    for name, shape, kind in json.loads(data[:end])["tensors"]:
        scale = numbers(shape[0], "float16")[:, None] if kind == "int8" else 1
        weights[name] = torch.from_numpy(
            numbers(int(np.prod(shape)), kind).reshape(shape) * np.float32(scale)
        )
    return weights
