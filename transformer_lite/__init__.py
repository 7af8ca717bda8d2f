"""The Transformer of *Attention Is All You Need*, small enough to read.

Every chapter of *Attention, by Hand* calls this package. Its modules are read in this order: ``attention``, ``masks``,
``positions``, ``layers``, ``model``, ``vocabulary``, ``training``, ``decoding``, ``translator``, ``two_sentences``.
``data`` holds what they learn from, ``tools`` what is run around them, ``figures`` and ``exercises`` what the chapters
show and ask.
"""

from .attention import AdditiveAttention, MultiHeadAttention, scaled_dot_product_attention
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
    "MultiHeadAttention",
    "Transformer",
    "TransformerConfig",
    "Translation",
    "Translator",
    "Vocabulary",
    "beam_search",
    "causal_mask",
    "greedy_decode",
    "greedy_decode_uncached",
    "load_translator",
    "noam_schedule",
    "padding_mask",
    "scaled_dot_product_attention",
    "sinusoidal_encoding",
    "train_two_sentences",
]
