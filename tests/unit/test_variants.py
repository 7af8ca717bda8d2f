"""What has changed since 2017: every plan against its bill, its cache and what it writes."""

import dataclasses

import pytest
import torch
from torch import nn

from transformer_lite.decoder_only import DecoderOnly, new_cache
from transformer_lite.model import Transformer, TransformerConfig
from transformer_lite.variants import (
    PAPER_BASE,
    POSITIONS,
    Decoder,
    Experts,
    Gated,
    GroupedAttention,
    Latent,
    Plan,
    Router,
    State,
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
    {"norm": "layer_without_bias", "norm_after": True},
    {"norm": "layer_without_weights"},
    {"embedding_norm": True},
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
    {"window": 2, "full_every": 2},
    {"d_v": 6, "key_heads": 2, "attention_bias": "qkv"},
    {"norm_after": True},
    {"qk_norm": True, "positions": "rotary", "key_heads": 2},
    {"sink": True},
    {"output_gate": True, "d_v": 6},
    {"experts": Experts(n_experts=5, top_k=2)},
    {
        "experts": Experts(5, 3, d_ff=7, n_shared=2, dense_layers=1, balance=0.1),
        "gated": True,
        "feed_forward_bias": False,
    },
    {"experts": Experts(4, 1, n_shared=1, every=2, softmax_over="all", shared_gate=True)},
    {"latent": Latent(d_latent=5)},
    {"latent": Latent(d_latent=5, d_rotary=4), "positions": "rotary", "window": 2, "sink": True},
    {
        "latent": Latent(d_latent=5, d_rotary=4, d_query=6),
        "positions": "rotary",
        "d_head": 7,
        "d_v": 3,
        "output_gate": True,
    },
    {"state": State()},
    {"state": State(forget=False), "full_every": 3},
    {"state": State(delta=True), "d_v": 6},
    {
        "state": State(True, True, n_heads=6, key_heads=3, d_key=3, d_value=5, convolution=3),
        "full_every": 2,
        "output_gate": True,
    },
    {  # much of it at once
        "state": State(delta=True),
        "full_every": 2,
        "latent": Latent(d_latent=5, d_rotary=4, d_query=6),
        "positions": "rotary",
        "sink": True,
        "norm": "rms",
        "norm_after": True,
        "experts": Experts(n_experts=5, top_k=2, n_shared=1, dense_layers=1, balance=0.1),
        "tied": True,
    },
]


def plan(**changes):
    return dataclasses.replace(SMALL, **changes)


def make(**changes):
    """A model that has left its beginning, where gains are 1 and sinks 0."""
    torch.manual_seed(0)
    model = Decoder(plan(**changes)).double().eval()
    for weight in model.parameters():
        if weight.dim() == 1:
            weight.data += 0.3 * torch.randn_like(weight)
    return model


def kept(cache):
    """All tensors that caches keep."""
    return [x for its in cache for x in vars(its).values() if isinstance(x, torch.Tensor)]


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
    taken = sum(x.untyped_storage().nbytes() for x in kept(cache))
    assert taken == 2 * cache_bytes(model.plan, 6, bytes_each=8)  # two texts


@pytest.mark.parametrize("window", [None, 1, 2, 3, 5, 99])
@pytest.mark.parametrize("positions", ["waves", "rotary", "bias"])
@pytest.mark.parametrize("steps", [[1] * 6, [4, 1, 1], [2, 3, 1], [6]])
def test_a_cache_takes_what_the_bill_says(window, positions, steps):
    model = make(window=window, positions=positions, key_heads=2)
    cache = new_cache(model)
    written = [model(piece, cache=cache) for piece in IDS.split(steps, dim=1)]
    torch.testing.assert_close(torch.cat(written, dim=1), model(IDS))
    taken = sum(x.untyped_storage().nbytes() for x in kept(cache)) / len(IDS)
    assert taken == cache_bytes(model.plan, 6, 8)
    assert all(its.length == 6 for its in cache)


@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_a_gradient_reaches_every_weight_that_is_used(changes):
    model = make(**changes).train()
    used = set()
    for name, part in model.named_modules():
        if isinstance(part, Router):
            note = lambda _, __, out, name=name: used.update(  # noqa: E731
                f"{name.removesuffix('router')}networks.{i}." for i in out[0].flatten().tolist()
            )
            part.register_forward_hook(note)
    torch.nn.functional.cross_entropy(model(IDS).flatten(0, 1), IDS.flatten()).backward()
    for name, weight in model.named_parameters():
        idle = ".networks." in name and not name.startswith(tuple(used))
        if idle or name.endswith("favour"):
            assert weight.grad is None, name
        elif name.endswith("w_k.bias"):  # it raises all scores of a query by the same
            assert weight.grad is not None
        else:
            assert weight.grad.abs().max() > 1e-9, name


HALVES = [
    *CHANGES,
    {
        "experts": Experts(5, 2, n_shared=2, shared_gate=True),
        "gated": True,
        "activation": "silu",
        "norm": "rms",
    },
]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("changes", HALVES, ids=str)
@torch.no_grad()
def test_half_precision_and_autocast_read_a_text_whole_and_token_by_token(changes, dtype):
    wanted = make(**changes).float()(IDS)
    scale = wanted.abs().max()

    def read(model):
        cache = new_cache(model)
        parts = [model(IDS[:, :4], cache=cache)]
        parts += [model(IDS[:, t : t + 1], cache=cache) for t in (4, 5)]
        return model(IDS), torch.cat(parts, dim=1)

    with torch.autocast("cpu", dtype=dtype):
        mixed = read(make(**changes).float())
    for found in (*mixed, *read(make(**changes).to(dtype))):
        assert found.dtype == dtype
        # A token may be given to other experts where two scores are nearly the same.
        apart = (found - wanted).abs().amax(dim=-1) / scale
        assert apart.median() < 0.05, apart


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
        ({"positions": "rotery"}, "positions is one of waves, learned, rotary, bias, none; got"),
        ({"attention_bias": "ALL"}, "attention_bias is one of none, qkv, all"),
        ({"gated": "no"}, "gated is True or False; got 'no'"),
        ({"sink": 1}, "sink is True or False; got 1"),
        ({"dropout": 1.5}, "dropout is a share"),
        ({"d_v": 0}, "d_v must be a whole number of at least 1"),
        ({"experts": 8}, r"experts is None or Experts\(n_experts=8, top_k=2\); got 8"),
        ({"full_every": 2}, "give window or state"),
        ({"full_every": 1, "window": 2}, "full_every must be a whole number of at least 2"),
        ({"window": 2, "state": State()}, "leave one out"),
        ({"latent": Latent(4), "qk_norm": True}, "leave out key_heads, qk_norm"),
        (
            {"latent": Latent(4, 3), "positions": "rotary"},
            "d_rotary must be even and at least 2; got 3",
        ),
        ({"experts": Experts(4, 2, dense_layers=3)}, "none of the n_layers=3 has experts"),
        ({"state": State(key_heads=3)}, "4 heads cannot share key_heads=3"),
        ({"state": State(), "encoder_layers": 1}, "with an encoder has no experts, latent, state"),
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
    with pytest.raises(ValueError, match="bytes_each"):
        cache_bytes(SMALL, 1, 0)
