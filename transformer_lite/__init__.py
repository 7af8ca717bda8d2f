"""The Transformer of *Attention Is All You Need*, small enough to read.

It is the package that the chapters of *Attention, by Hand* build, read and call. Its modules are
read in this order: ``attention``, ``cache``, ``masks``, ``positions``, ``layers``, ``model``,
``vocabulary``, ``training``, ``decoding``, ``translator``, ``decoder_only``,
``language_model``, ``variants``.
``ablation`` takes heads out of a model that has been trained.

Around them, ``data`` is what there is to learn from, ``train`` carries a training out, and
``command_line`` does both from a terminal. ``checks`` says what is refused and in which words, and
``files`` writes whole files.

Public are the modules that are read, ``data`` and ``train``, with every name in them that begins
with a letter; the names you need most can be had from the package itself. ``checks``, ``files`` and
``command_line`` serve this repository alone, and may change without notice.
"""

try:
    import torch  # noqa: F401
except ImportError as error:
    error.add_note("`python -m attention_by_hand.doctor` says what this machine lacks.")
    raise

# isort: split
from . import (
    ablation,
    attention,
    cache,
    decoder_only,
    decoding,
    language_model,
    layers,
    masks,
    model,
    positions,
    training,
    translator,
    variants,
    vocabulary,
)
from .ablation import without_heads
from .attention import AdditiveAttention, MultiHeadAttention, scaled_dot_product_attention
from .decoder_only import DecoderOnly
from .decoding import beam_search, greedy_decode, greedy_decode_uncached
from .language_model import LanguageModel, load_language_model
from .masks import causal_mask, padding_mask
from .model import AttentionMaps, Transformer, TransformerConfig
from .positions import sinusoidal_encoding
from .training import noam_schedule
from .translator import Translation, Translator, load_translator
from .vocabulary import Vocabulary

__all__ = [
    "AdditiveAttention",
    "AttentionMaps",
    "DecoderOnly",
    "LanguageModel",
    "MultiHeadAttention",
    "Transformer",
    "TransformerConfig",
    "Translation",
    "Translator",
    "Vocabulary",
    "ablation",
    "attention",
    "beam_search",
    "cache",
    "causal_mask",
    "decoder_only",
    "decoding",
    "greedy_decode",
    "greedy_decode_uncached",
    "language_model",
    "layers",
    "load_language_model",
    "load_translator",
    "masks",
    "model",
    "noam_schedule",
    "padding_mask",
    "positions",
    "scaled_dot_product_attention",
    "sinusoidal_encoding",
    "training",
    "translator",
    "variants",
    "vocabulary",
    "without_heads",
]
