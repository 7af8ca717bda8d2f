"""What has changed since 2017, one choice each, and what a model with these choices costs.

A ``Plan`` says what a decoder alone is built from. ``Decoder`` builds it; ``weights``,
``cache_bytes`` and ``multiplications`` are its bill. The rooms are read in this order: ``plan`` and
``choices``, of which a model is put together; its parts, ``attention``, ``state`` and ``networks``;
``decoder``; then ``bill``, and ``published``, the plans of models that you know. Chapters 12 and 13
build each of the parts in the open.

Shapes: ``B`` batch, ``T`` length, ``D`` d_model, ``H`` heads, ``G`` key heads.
"""

from .attention import GroupedAttention, LatentAttention, softmax_with_sink
from .bill import cache_bytes, multiplications, used_weights, weights
from .choices import (
    ACTIVATIONS,
    NORMS,
    POSITIONS,
    Bias,
    Learned,
    Positions,
    Rotary,
    Waves,
    distance_bias,
    rotate,
)
from .decoder import Decoder, Layer
from .networks import NETWORKS, Gated, Mixture, Router, TwoLayers, even_out
from .plan import Experts, Latent, Plan, State
from .published import (
    DEEPSEEK_V3,
    GPT_2,
    GPT_OSS_20B,
    LLAMA_2_7B,
    LLAMA_3_8B,
    MIXTRAL_8X7B,
    PAPER_BASE,
    PUBLISHED,
    QWEN3_30B_A3B,
)
from .state import Forget, ShortConvolution, StateAttention, all_at_once, recurrence

__all__ = [  # in the order in which they are read
    "Plan",
    "Experts",
    "Latent",
    "State",
    "Positions",
    "Waves",
    "Learned",
    "Rotary",
    "Bias",
    "rotate",
    "distance_bias",
    "GroupedAttention",
    "LatentAttention",
    "softmax_with_sink",
    "StateAttention",
    "Forget",
    "ShortConvolution",
    "recurrence",
    "all_at_once",
    "TwoLayers",
    "Gated",
    "Router",
    "even_out",
    "Mixture",
    "Layer",
    "Decoder",
    "weights",
    "used_weights",
    "cache_bytes",
    "multiplications",
    "POSITIONS",
    "NORMS",
    "ACTIVATIONS",
    "NETWORKS",
    "PUBLISHED",
    "PAPER_BASE",
    "GPT_2",
    "LLAMA_2_7B",
    "LLAMA_3_8B",
    "MIXTRAL_8X7B",
    "QWEN3_30B_A3B",
    "GPT_OSS_20B",
    "DEEPSEEK_V3",
]
