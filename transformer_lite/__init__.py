"""The Transformer of *Attention Is All You Need*, small enough to read.

Every chapter of *Attention, by Hand* calls this package, and each module is the code of one of them: ``attention``,
``masks``, ``positions``, ``layers``, ``model``, ``training``, ``decoding``, ``translator``.
"""

from .attention import AdditiveAttention, MultiHeadAttention, scaled_dot_product_attention
from .decoding import beam_search, greedy_decode
from .masks import causal_mask, padding_mask
from .model import AttentionMaps, Transformer, TransformerConfig
from .positions import sinusoidal_encoding
from .training import noam_schedule, train_two_sentences
from .translator import Translation, Translator, load_translator
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
    "load_translator",
    "noam_schedule",
    "padding_mask",
    "scaled_dot_product_attention",
    "sinusoidal_encoding",
    "train_two_sentences",
]
