"""Models as their makers published them; each total is asserted in ``tests/unit/test_bill.py``."""

from dataclasses import replace

from .plan import Experts, Latent, Plan

PAPER_BASE = Plan(
    vocab_size=37_000,
    d_model=512,
    n_layers=6,
    encoder_layers=6,
    n_heads=8,
    d_ff=2048,
    norm_first=False,
    tied=True,
    dropout=0.1,
)
GPT_2 = Plan(
    vocab_size=50_257,
    d_model=768,
    n_layers=12,
    n_heads=12,
    d_ff=3072,
    activation="gelu",
    positions="learned",
    max_length=1024,
    attention_bias="all",
    tied=True,
    dropout=0.1,
)
LLAMA_2_7B = Plan(
    vocab_size=32_000,
    d_model=4096,
    n_layers=32,
    n_heads=32,
    d_ff=11_008,
    activation="silu",
    gated=True,
    norm="rms",
    positions="rotary",
    max_length=4096,
    feed_forward_bias=False,
)
LLAMA_3_8B = replace(LLAMA_2_7B, vocab_size=128_256, key_heads=8, d_ff=14_336, max_length=8192)
MIXTRAL_8X7B = replace(
    LLAMA_3_8B, vocab_size=32_000, experts=Experts(n_experts=8, top_k=2), max_length=32_768
)
QWEN3_30B_A3B = replace(
    LLAMA_3_8B,
    vocab_size=151_936,
    d_model=2048,
    n_layers=48,
    key_heads=4,
    d_head=128,
    qk_norm=True,
    d_ff=768,
    experts=Experts(n_experts=128, top_k=8),
    max_length=40_960,
)
GPT_OSS_20B = replace(
    LLAMA_3_8B,
    vocab_size=201_088,
    d_model=2880,
    n_layers=24,
    n_heads=64,
    d_head=64,
    attention_bias="all",
    sink=True,
    window=128,
    full_every=2,
    d_ff=2880,
    experts=Experts(n_experts=32, top_k=4),
    feed_forward_bias=True,
    max_length=131_072,
)
DEEPSEEK_V3 = replace(
    LLAMA_2_7B,
    vocab_size=129_280,
    d_model=7168,
    n_layers=61,
    n_heads=128,
    d_head=128,
    latent=Latent(d_latent=512, d_rotary=64, d_query=1536),
    d_ff=18_432,
    experts=Experts(256, top_k=8, d_ff=2048, n_shared=1, dense_layers=3, balance=0.001),
    max_length=163_840,
)
PUBLISHED = {
    "paper's base model": PAPER_BASE,
    "GPT-2 small": GPT_2,
    "Llama 2 7B": LLAMA_2_7B,
    "Llama 3 8B": LLAMA_3_8B,
    "Mixtral 8x7B": MIXTRAL_8X7B,
    "Qwen3 30B-A3B": QWEN3_30B_A3B,
    "gpt-oss 20B": GPT_OSS_20B,
    "DeepSeek-V3": DEEPSEEK_V3,
}
