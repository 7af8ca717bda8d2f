"""The Transformer of *Attention Is All You Need*, small enough to read.

Every chapter of *Attention, by Hand* calls this package. Its modules are read in this order:
``attention``, ``masks``, ``positions``, ``layers``, ``model``, ``vocabulary``, ``training``,
``decoding``, ``translator``, ``decoder_only``, ``variants``. ``two_sentences`` and ``ablation`` are
the two experiments that several chapters share.

Around them, ``checks`` says what is refused and in which words, ``data`` is what they learn from,
``train`` carries a training out, ``cli`` is the command line, ``plots`` and ``figures`` draw what
the chapters show, and ``exercises`` checks what they ask.
"""

import sys

# `python -m transformer_lite` imports what it needs by itself, to say so where torch is missing.
if sys.argv[:1] != ["-m"]:
    from . import (
        ablation,
        attention,
        decoder_only,
        decoding,
        layers,
        masks,
        model,
        positions,
        training,
        translator,
        two_sentences,
        variants,
        vocabulary,
    )
    from .ablation import without_heads
    from .attention import AdditiveAttention, MultiHeadAttention, scaled_dot_product_attention
    from .decoder_only import DecoderOnly
    from .decoding import beam_search, greedy_decode, greedy_decode_uncached
    from .masks import causal_mask, padding_mask
    from .model import AttentionMaps, Transformer, TransformerConfig
    from .positions import sinusoidal_encoding
    from .training import noam_schedule
    from .translator import Translation, Translator, load_translator
    from .two_sentences import train_two_sentences
    from .vocabulary import Vocabulary

__all__ = [
    "AdditiveAttention",
    "AttentionMaps",
    "DecoderOnly",
    "MultiHeadAttention",
    "Transformer",
    "TransformerConfig",
    "Translation",
    "Translator",
    "Vocabulary",
    "ablation",
    "attention",
    "beam_search",
    "causal_mask",
    "decoder_only",
    "decoding",
    "greedy_decode",
    "greedy_decode_uncached",
    "layers",
    "load_translator",
    "masks",
    "model",
    "noam_schedule",
    "padding_mask",
    "positions",
    "scaled_dot_product_attention",
    "sinusoidal_encoding",
    "train_two_sentences",
    "training",
    "translator",
    "two_sentences",
    "variants",
    "vocabulary",
    "without_heads",
]
