"""The bill of a model: published totals, what one token uses, what a text leaves behind."""

from dataclasses import replace

import pytest

from transformer_lite.variants import (
    DEEPSEEK_V3,
    GPT_2,
    GPT_OSS_20B,
    LLAMA_2_7B,
    LLAMA_3_8B,
    MIXTRAL_8X7B,
    QWEN3_30B_A3B,
    Experts,
    Latent,
    State,
    cache_bytes,
    multiplications,
    used_weights,
    weights,
)

LLAMA = LLAMA_3_8B
OF_128 = replace(GPT_OSS_20B.experts, n_experts=128)
GPT_OSS_120B = replace(GPT_OSS_20B, n_layers=36, experts=OF_128)
PUBLISHED = {
    "GPT-2 small": (GPT_2, 124_439_808),
    "Llama 2 7B": (LLAMA_2_7B, 6_738_415_616),
    "Llama 3 8B": (LLAMA_3_8B, 8_030_261_248),
    "Llama 3.2 1B, tied": (
        replace(LLAMA, d_model=2048, n_layers=16, d_ff=8192, tied=True),
        1_235_814_400,
    ),
    "GPT-1, norms after the sums": (
        replace(GPT_2, vocab_size=40_478, max_length=512, norm_first=False),
        116_534_784,
    ),
    "MPT-7B, norms without biases": (
        replace(
            LLAMA_2_7B,
            vocab_size=50_432,
            d_ff=16_384,
            gated=False,
            activation="gelu",
            norm="layer_without_bias",
            positions="bias",
            tied=True,
        ),
        6_649_286_656,
    ),
    "OLMo-7B of 2024, norms without weights": (
        replace(LLAMA_2_7B, vocab_size=50_304, norm="layer_without_weights"),
        6_888_095_744,
    ),
    "BLOOM-560m, a norm after the embedding": (
        replace(
            GPT_2,
            vocab_size=250_880,
            d_model=1024,
            n_layers=24,
            n_heads=16,
            d_ff=4096,
            positions="bias",
            embedding_norm=True,
        ),
        559_214_592,
    ),
    "Gemma 7B, whose heads are wider than its vectors": (
        replace(
            LLAMA,
            vocab_size=256_000,
            d_model=3072,
            n_layers=28,
            n_heads=16,
            key_heads=16,
            d_head=256,
            d_ff=24_576,
            activation="gelu",
            tied=True,
        ),
        8_537_680_896,
    ),
    "Gemma 3 1B, with norms on queries and keys too": (
        replace(
            LLAMA,
            vocab_size=262_144,
            d_model=1152,
            n_layers=26,
            n_heads=4,
            key_heads=1,
            d_head=256,
            qk_norm=True,
            norm_after=True,
            d_ff=6912,
            window=512,
            full_every=6,
            tied=True,
        ),
        999_885_952,
    ),
}


# All weights, and those that one token uses, both tables of tokens counted, as the sizes give them
# that the makers published.
MIXTURES = {
    "Mixtral 8x7B": (MIXTRAL_8X7B, 46_702_792_704, 12_879_925_248),
    "Qwen3 30B-A3B": (QWEN3_30B_A3B, 30_532_122_624, 3_353_032_704),
    "gpt-oss 20B": (GPT_OSS_20B, 20_914_757_184, 4_187_440_704),
    "gpt-oss 120B": (GPT_OSS_120B, 116_829_156_672, 5_711_982_912),
    "DeepSeek-V3, without its layer for the token after next": (
        DEEPSEEK_V3,
        671_026_419_200,
        37_552_297_472,
    ),
    "Qwen3-Next 80B-A3B, states in three layers of four": (
        replace(
            LLAMA,
            vocab_size=151_936,
            d_model=2048,
            n_layers=48,
            n_heads=16,
            key_heads=2,
            d_head=256,
            qk_norm=True,
            output_gate=True,
            state=State(
                delta=True, n_heads=32, key_heads=16, d_key=128, d_value=128, convolution=4
            ),
            full_every=4,
            d_ff=512,
            experts=Experts(512, 10, n_shared=1, shared_gate=True),
        ),
        79_674_391_296,
        3_874_929_408,
    ),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_bill_is_what_was_published(name):
    its_plan, total = PUBLISHED[name]
    assert sum(weights(its_plan).values()) == total
    all_of_it = used_weights(its_plan, whole_tables=True)
    assert all_of_it == weights(its_plan), "all of it works for every token"


@pytest.mark.parametrize("name", MIXTURES)
def test_the_bill_of_a_mixture_is_what_its_published_sizes_give(name):
    its_plan, held, used = MIXTURES[name]
    boxes = weights(its_plan)
    assert sum(boxes.values()) == held
    working = used_weights(its_plan, whole_tables=True)
    assert sum(working.values()) == used
    assert {box for box in boxes if boxes[box] != working[box]} == {"feed-forward"}


# What the makers name, in billions, for one token. The first three count the whole table of tokens,
# of which a token reads a row, and the others do not.
NAMED = {
    "Mixtral 8x7B": (MIXTRAL_8X7B, True, 12.9),
    "Qwen3 30B-A3B": (QWEN3_30B_A3B, True, 3.3),
    "gpt-oss 20B": (GPT_OSS_20B, False, 3.6),
    "gpt-oss 120B": (GPT_OSS_120B, False, 5.1),
    "DeepSeek-V3": (DEEPSEEK_V3, False, 37),
}


@pytest.mark.parametrize("name", NAMED)
def test_makers_count_what_a_token_uses_in_two_ways(name):
    its_plan, whole_tables, billions = NAMED[name]
    used = {whole: sum(used_weights(its_plan, whole_tables=whole).values()) for whole in (0, 1)}
    assert used[1] - used[0] == (its_plan.vocab_size - 1) * its_plan.d_model
    step = 1 if billions == 37 else 0.1
    assert abs(used[whole_tables] / 1e9 - billions) < 0.6 * step
    assert abs(used[not whole_tables] / 1e9 - billions) > 0.5 * step


def test_a_tied_table_is_used_as_a_whole():
    used, held = used_weights(GPT_2), weights(GPT_2)
    assert used["embedding"] == held["embedding"], "its rows are what the last vector meets"
    assert used["positions"] == 768


def test_a_latent_is_all_that_deepseek_keeps_of_a_token():
    assert cache_bytes(DEEPSEEK_V3, 1000, bytes_each=1) == 1000 * 61 * (512 + 64)
    written_out = replace(DEEPSEEK_V3, latent=None)
    assert cache_bytes(written_out, 1000, bytes_each=1) == 1000 * 61 * 2 * 128 * 128


@pytest.mark.parametrize("tokens", [1, 127, 128, 129, 5000])
def test_windows_stop_growing_and_every_other_layer_does_not(tokens):
    in_windows = cache_bytes(replace(GPT_OSS_20B, full_every=None), tokens)
    whole = cache_bytes(replace(GPT_OSS_20B, window=None, full_every=None), tokens)
    assert in_windows == whole * min(tokens, 128) / tokens
    assert cache_bytes(GPT_OSS_20B, tokens) == (in_windows + whole) / 2


def test_a_state_takes_the_same_after_the_first_token_as_after_the_last():
    plan = replace(GPT_2, state=State(d_key=32), n_layers=5)
    assert cache_bytes(plan, 1) == cache_bytes(plan, 1000) == 5 * 12 * 32 * 64 * 2
    assert multiplications(plan, 1) == multiplications(plan, 1000)
    never_fading = replace(plan, state=State(forget=False, d_key=32))
    corrected = replace(plan, state=State(delta=True, d_key=32))
    table = 5 * 12 * 32 * 64
    one_share = 5 * 768 * 12  # the matrix that computes it
    assert multiplications(plan, 9) - multiplications(never_fading, 9) == table + one_share
    assert multiplications(corrected, 9) - multiplications(plan, 9) == table + one_share
    mixed = replace(plan, full_every=3)  # the third layer alone looks at all
    assert cache_bytes(mixed, 1000) == 4 * 12 * 32 * 64 * 2 + 1000 * 2 * 12 * 64 * 2


@pytest.mark.parametrize("tokens", [1, 1000])
def test_multiplications_are_those_of_what_is_used(tokens):
    experts = Experts(n_experts=8, top_k=2, n_shared=1, balance=0.001)
    many, three = (
        multiplications(replace(GPT_2, **changes), tokens)
        for changes in ({"experts": experts}, {"d_ff": 3 * GPT_2.d_ff})
    )
    assert many - three == GPT_2.n_layers * 8 * 768, "the router"
    latents = replace(GPT_2, attention_bias="none", latent=Latent(d_latent=64, d_rotary=16))
    looking = 12 * 12 * (64 + 16 + 64) * tokens
    matrices = 768 * (64 + 16) + 768 * 12 * (64 + 16) + 64 * 12 * (64 + 64) + 12 * 64 * 768
    network = 2 * 768 * 3072
    assert multiplications(latents, tokens) == (looking + 12 * (matrices + network) + 768 * 50_257)
