"""What has changed since 2017: every bill against published totals, every part against torch."""

import dataclasses

import pytest
import torch
from torch import nn

from transformer_lite.decoder_only import DecoderOnly, new_cache, write
from transformer_lite.model import Transformer, TransformerConfig
from transformer_lite.variants import (
    GPT_2,
    LLAMA_2_7B,
    LLAMA_3_8B,
    PAPER_BASE,
    POSITIONS,
    Decoder,
    Gated,
    GroupedAttention,
    Plan,
    cache_bytes,
    distance_bias,
    multiplications,
    rotate,
    weights,
)

SMALL = Plan(vocab_size=13, d_model=16, n_layers=3, n_heads=4, d_ff=40)
IDS = torch.tensor([[5, 9, 4, 7, 7, 11], [4, 6, 10, 8, 5, 4]])
CHANGES = [
    {},
    {"norm": "rms"},
    {"norm_first": False},
    {"positions": "learned", "max_length": 20},
    {"positions": "rotary"},
    {"positions": "bias"},
    {"positions": "none"},
    {"activation": "gelu"},
    {"gated": True, "activation": "silu"},
    {"gated": True, "activation": "silu", "feed_forward_bias": False},
    {"key_heads": 2},
    {"key_heads": 1, "d_head": 6, "positions": "rotary"},
    {"attention_bias": "qkv", "key_heads": 2},
    {"attention_bias": "all"},
    {"tied": True},
    {"window": 2},
]


def plan(**changes):
    return dataclasses.replace(SMALL, **changes)


def make(**changes):
    torch.manual_seed(0)
    return Decoder(plan(**changes)).double().eval()


LLAMA = LLAMA_3_8B
PUBLISHED = {
    "GPT-2 small": (GPT_2, 124_439_808),
    "Llama 2 7B": (LLAMA_2_7B, 6_738_415_616),
    "Llama 3 8B": (LLAMA_3_8B, 8_030_261_248),
    "GPT-2 XL": (
        dataclasses.replace(GPT_2, d_model=1600, n_layers=48, n_heads=25, d_ff=6400),
        1_557_611_200,
    ),
    "GPT-2 medium": (
        dataclasses.replace(GPT_2, d_model=1024, n_layers=24, n_heads=16, d_ff=4096),
        354_823_168,
    ),
    "Llama 2 70B": (
        dataclasses.replace(
            LLAMA_2_7B, d_model=8192, n_layers=80, n_heads=64, key_heads=8, d_ff=28_672
        ),
        68_976_648_192,
    ),
    "Llama 3.2 1B, tied": (
        dataclasses.replace(LLAMA, d_model=2048, n_layers=16, d_ff=8192, tied=True),
        1_235_814_400,
    ),
    "GPT-1, norms after the sums": (
        dataclasses.replace(GPT_2, vocab_size=40_478, max_length=512, norm_first=False),
        116_534_784,
    ),
    "Mistral 7B": (dataclasses.replace(LLAMA, vocab_size=32_000, window=4096), 7_241_732_096),
    "TinyLlama 1.1B": (
        dataclasses.replace(
            LLAMA, vocab_size=32_000, d_model=2048, n_layers=22, key_heads=4, d_ff=5632
        ),
        1_100_048_384,
    ),
    "Gemma 2B": (
        dataclasses.replace(
            LLAMA,
            vocab_size=256_000,
            d_model=2048,
            n_layers=18,
            n_heads=8,
            key_heads=1,
            d_head=256,
            d_ff=16_384,
            activation="gelu",
            tied=True,
        ),
        2_506_172_416,
    ),
    "Gemma 7B, whose heads are wider than its vectors": (
        dataclasses.replace(
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
    "Qwen2 0.5B, with biases on q, k and v": (
        dataclasses.replace(
            LLAMA,
            vocab_size=151_936,
            d_model=896,
            n_layers=24,
            n_heads=14,
            key_heads=2,
            d_ff=4864,
            attention_bias="qkv",
            tied=True,
        ),
        494_032_768,
    ),
    "Qwen2.5 7B": (
        dataclasses.replace(
            LLAMA,
            vocab_size=152_064,
            d_model=3584,
            n_layers=28,
            n_heads=28,
            key_heads=4,
            d_ff=18_944,
            attention_bias="qkv",
        ),
        7_615_616_512,
    ),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_bill_is_what_was_published(name):
    its_plan, total = PUBLISHED[name]
    assert sum(weights(its_plan).values()) == total


@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_the_bill_is_what_the_model_has(changes):
    boxes = weights(plan(**changes))
    model = make(**changes)
    assert sum(boxes.values()) == sum(weight.numel() for weight in model.parameters())
    assert boxes["attention"] == sum(
        weight.numel() for layer in model.layers for weight in layer.attention.parameters()
    )
    assert boxes["feed-forward"] == sum(
        weight.numel() for layer in model.layers for weight in layer.feed_forward.parameters()
    )


@pytest.mark.parametrize("norm_first", [False, True])
def test_the_papers_model_is_counted_as_the_package_builds_it(norm_first):
    sizes = dict(source_vocab_size=1000, target_vocab_size=1000)
    model = Transformer(TransformerConfig(**sizes, norm_first=norm_first))
    config = model.config
    same = dataclasses.replace(
        PAPER_BASE,
        vocab_size=1000,
        d_model=config.d_model,
        d_ff=config.d_ff,
        n_heads=config.n_heads,
        n_layers=config.n_layers,
        encoder_layers=config.n_layers,
        norm_first=norm_first,
    )
    counted = sum(weights(same).values()) - weights(same)["embedding"]
    stacks = [model.encoder, model.encoder_norm, model.decoder, model.decoder_norm]
    assert counted == sum(weight.numel() for part in stacks for weight in part.parameters())
    with pytest.raises(ValueError, match="encoder"):
        Decoder(same)
    with pytest.raises(ValueError, match="encoder"):
        multiplications(same, 1)


@pytest.mark.parametrize("norm_first", [True, False])
def test_without_changes_it_is_the_decoder_alone(norm_first):
    ours = make(norm_first=norm_first)
    theirs = DecoderOnly(
        13, d_model=16, d_ff=40, n_layers=3, n_heads=4, norm_first=norm_first
    ).double()
    state = {
        name.replace("attention.", "self_attention."): weight
        for name, weight in ours.state_dict().items()
    }
    theirs.load_state_dict(state)
    torch.testing.assert_close(ours(IDS), theirs(IDS))


@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_no_place_depends_on_a_later_one_and_a_cache_changes_nothing(changes):
    model = make(**changes)
    whole = model(IDS)
    changed = IDS.clone()
    changed[:, -1] = 6
    torch.testing.assert_close(model(changed)[:, :-1], whole[:, :-1])
    cache = new_cache(model)
    steps = [model(IDS[:, start:end], cache=cache) for start, end in ((0, 3), (3, 4), (4, 6))]
    torch.testing.assert_close(torch.cat(steps, dim=1), whole)
    held = sum(own.keys.numel() + own.values.numel() for own in cache)
    assert held == 2 * cache_bytes(model.plan, 6, bytes_each=1)  # two texts


@pytest.mark.parametrize("window", [None, 1, 2, 3, 5, 99])
@pytest.mark.parametrize("positions", ["waves", "rotary", "bias"])
@pytest.mark.parametrize("steps", [[1] * 6, [4, 1, 1], [2, 3, 1], [6]])
def test_a_cache_takes_what_the_bill_says(window, positions, steps):
    model = make(window=window, positions=positions, key_heads=2)
    cache = new_cache(model)
    written = [model(piece, cache=cache) for piece in IDS.split(steps, dim=1)]
    torch.testing.assert_close(torch.cat(written, dim=1), model(IDS))
    kept = [x for its in cache for x in (its.keys, its.values)]
    taken = sum(x.untyped_storage().nbytes() for x in kept) / len(IDS)
    assert taken == cache_bytes(model.plan, 6, kept[0].element_size())
    assert all(its.length == 6 for its in cache)


def test_it_writes():
    texts = write(make(positions="rotary", key_heads=2), IDS, 10)
    assert texts.shape == (2, 10) and torch.equal(texts[:, :6], IDS)


@pytest.mark.parametrize("positions", ["rotary", "bias"])
def test_a_weight_depends_on_the_distance_alone(positions):
    torch.manual_seed(0)
    attention = GroupedAttention(plan()).double()
    scheme = POSITIONS[positions](plan())
    x = torch.randn(1, 1, 16, dtype=torch.float64).expand(1, 12, 16)
    mask = torch.ones(12, 12, dtype=torch.bool)
    scores = attention(x, mask, scheme)[1].log()
    scores = scores - scores.diagonal(dim1=-2, dim2=-1)[..., None]
    torch.testing.assert_close(scores[..., 1:, 1:], scores[..., :-1, :-1])
    assert not torch.allclose(scores[..., 0, 0], scores[..., 0, 5])


def test_rotary_keeps_lengths_and_starts_anywhere():
    x = torch.randn(2, 7, 8, dtype=torch.float64)
    turned = rotate(x)
    torch.testing.assert_close(turned.norm(dim=-1), x.norm(dim=-1))
    torch.testing.assert_close(turned[:, 0], x[:, 0])
    torch.testing.assert_close(rotate(x[:, 3:], 3), turned[:, 3:])
    by_one = rotate(torch.tensor([[1.0, 0.0]], dtype=torch.float64), 1)
    angle = torch.tensor(1.0, dtype=torch.float64)
    torch.testing.assert_close(by_one[0], torch.stack((angle.cos(), -angle.sin())))


def test_the_slopes_of_a_bias_by_distance():
    bias = distance_bias(8, 3)
    assert bias[0].tolist() == [[0.0, 0.5, 1.0], [-0.5, 0.0, 0.5], [-1.0, -0.5, 0.0]]
    assert bias[7, 2, 0] == -2 / 256
    assert torch.equal(distance_bias(8, 1, 2), bias[:, 2:])


def test_few_key_heads_are_many_that_are_repeated():
    few = make(key_heads=2)
    many = make()
    state = few.state_dict()
    for name, weight in state.items():
        if "w_k" in name or "w_v" in name:
            heads = weight.unflatten(0, (2, 4)).repeat_interleave(2, dim=0)
            state[name] = heads.flatten(0, 1)
    many.load_state_dict(state)
    torch.testing.assert_close(few(IDS), many(IDS))


def test_a_gated_network_by_its_formula():
    torch.manual_seed(0)
    network = Gated(plan(gated=True, activation="silu")).double()
    x = torch.randn(3, 16, dtype=torch.float64)
    g, i, o = network.gate, network.into, network.out
    opened = nn.functional.silu(x @ g.weight.T + g.bias)
    expected = (opened * (x @ i.weight.T + i.bias)) @ o.weight.T + o.bias
    torch.testing.assert_close(network(x), expected)


def test_a_window_bounds_the_cache_and_the_reach():
    narrow = plan(window=2)
    assert cache_bytes(narrow, 5) == cache_bytes(SMALL, 2)
    assert multiplications(narrow, 5) == multiplications(SMALL, 2)
    one_layer = make(window=2, n_layers=1, positions="none")
    changed = IDS.clone()
    changed[:, 3] = 12
    same = one_layer(changed) == one_layer(IDS)
    assert same.all(dim=-1)[0].tolist() == [True, True, True, False, False, True]


def test_multiplications_are_those_of_the_matrices_and_of_the_scores():
    model = make(key_heads=2, gated=True)
    matrices = sum(
        module.weight.numel() for module in model.modules() if isinstance(module, nn.Linear)
    )
    assert multiplications(model.plan, 10) == matrices + 3 * 2 * 10 * 16


@pytest.mark.parametrize(
    "changes, says",
    [
        ({"d_model": 18}, "n_heads"),
        ({"key_heads": 3}, "key_heads=3"),
        ({"positions": "rotary", "d_head": 5}, "even"),
        ({"vocab_size": 0}, "vocab_size"),
        ({"window": 0}, "window"),
        ({"encoder_layers": -1}, "encoder_layers"),
        ({"positions": "rotery"}, "positions is one of waves, learned, rotary, bias, none; got"),
        ({"norm": "Layer"}, "norm is one of layer, rms; got 'Layer'"),
        ({"attention_bias": "ALL"}, "attention_bias is one of none, qkv, all"),
        ({"activation": None}, "activation is one of relu, gelu, silu; got None"),
        ({"positions": ["waves"]}, "positions is one of"),
        *(
            ({name: odd}, f"{name} is True or False; got {odd!r}")
            for name in ("gated", "norm_first", "feed_forward_bias", "tied")
            for odd in ("no", 0, None)
        ),
        ({"dropout": 1.5}, "dropout is a share"),
        ({"dropout": float("nan")}, "dropout is a share"),
    ],
)
def test_what_does_not_fit_is_refused(changes, says):
    with pytest.raises(ValueError, match=says):
        plan(**changes)


def test_a_text_that_is_too_long_is_refused():
    with pytest.raises(ValueError, match="1 to 5 tokens"):
        make(max_length=5)(IDS)
    with pytest.raises(ValueError, match="tokens"):
        cache_bytes(SMALL, -1)
    for size in (0, -2, float("nan"), float("inf"), "2"):
        with pytest.raises(ValueError, match="bytes_each"):
            cache_bytes(SMALL, 1, size)
