"""The Transformer of *Attention Is All You Need*, small enough to read.

Every chapter of *Attention, by Hand* calls this package. Its modules are read in this order:
``attention``, ``masks``, ``positions``, ``layers``, ``model``, ``vocabulary``, ``training``,
``decoding``, ``translator``, ``two_sentences``, ``ablation``. ``data`` holds what they learn from,
``files`` how it is kept, ``tools`` what is run around them, ``plots``, ``figures`` and
``exercises`` what the chapters show and ask.
"""

from importlib import import_module

# The names that can be had directly, as `tl.causal_mask`. A module is imported when it is first
# asked for, so that `python -m transformer_lite doctor` runs on a machine where torch is missing or
# broken.
HOMES = {
    "attention": ("AdditiveAttention", "MultiHeadAttention", "scaled_dot_product_attention"),
    "masks": ("causal_mask", "padding_mask"),
    "positions": ("sinusoidal_encoding",),
    "layers": (),
    "model": ("AttentionMaps", "Transformer", "TransformerConfig"),
    "vocabulary": ("Vocabulary",),
    "training": ("noam_schedule",),
    "decoding": ("beam_search", "greedy_decode", "greedy_decode_uncached"),
    "translator": ("Translation", "Translator", "load_translator"),
    "two_sentences": ("train_two_sentences",),
    "ablation": ("without_heads",),
}
__all__ = [name for names in HOMES.values() for name in names]


def __getattr__(name: str):
    for module, names in HOMES.items():
        if name == module:
            return import_module(f".{module}", __name__)
        if name in names:
            return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *HOMES, *__all__})
