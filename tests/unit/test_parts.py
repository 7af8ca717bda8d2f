"""The parts of models of 2024 to 2026, each against its formula written out."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.functional import rms_norm, silu
from torch.utils.checkpoint import checkpoint

from transformer_lite.attention import masked_softmax, scaled_dot_product_attention
from transformer_lite.decoder_only import DecoderOnly, new_cache
from transformer_lite.masks import causal_mask
from transformer_lite.training import Batch, training_steps
from transformer_lite.variants import (
    POSITIONS,
    Decoder,
    Experts,
    GroupedAttention,
    Latent,
    LatentAttention,
    Layer,
    Mixture,
    Plan,
    Router,
    State,
    StateAttention,
    all_at_once,
    even_out,
    recurrence,
    rotate,
    softmax_with_sink,
)

SMALL = Plan(vocab_size=13, d_model=16, n_layers=3, n_heads=4, d_ff=40, positions="rotary")
ROTARY = POSITIONS["rotary"](SMALL)
CAUSAL = causal_mask(7)
close = torch.testing.assert_close


def made(part, **changes):
    """A part of a small plan in float64, away from where it begins."""
    torch.manual_seed(1)
    module = part(replace(SMALL, **changes)).double().eval()
    for weight in module.parameters():
        if weight.dim() == 1:
            weight.data += 0.3 * torch.randn_like(weight)
    return module


def numbers(*shape, seed=2):
    dice = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, dtype=torch.float64, generator=dice)


def small_decoder():
    """The decoder alone of chapter 11, as small as the plan."""
    sizes = dict(d_model=16, d_ff=40, n_layers=3, n_heads=4, dropout=0.5)
    return DecoderOnly(13, **sizes)


X = numbers(2, 7, 16)


@pytest.mark.parametrize("n_shared", [0, 2])
@pytest.mark.parametrize("balance", [0.0, 0.1])
def test_a_mixture_is_a_sum_over_all_networks_with_zeros_for_those_not_chosen(n_shared, balance):
    experts = Experts(n_experts=5, top_k=2, d_ff=9, n_shared=n_shared, balance=balance)
    mixture = made(Mixture, experts=experts, gated=True, activation="silu")
    chosen, shares = mixture.router(X)
    assert chosen.shape == shares.shape == (2, 7, 2)
    close(shares.sum(dim=-1), torch.ones(2, 7, dtype=torch.float64))
    of_all = torch.zeros(2, 7, 5, dtype=torch.float64).scatter(-1, chosen, shares)
    expected = sum(of_all[..., i, None] * network(X) for i, network in enumerate(mixture.networks))
    close(mixture(X), expected + sum(network(X) for network in mixture.shared))
    assert len(mixture.shared) == n_shared and mixture.networks[0].into.out_features == 9


def test_a_router_takes_the_best_and_shares_among_them_or_among_all():
    among_them = made(Router, experts=Experts(6, 3))
    scores = X @ among_them.matrix.weight.T + among_them.matrix.bias
    best = scores.sort(dim=-1, descending=True)
    chosen, shares = among_them(X)
    assert torch.equal(chosen, best.indices[..., :3])
    close(shares, best.values[..., :3].softmax(dim=-1))
    among_all = made(Router, experts=Experts(6, 3, softmax_over="all"))
    close(among_all(X)[1], scores.softmax(dim=-1).gather(-1, chosen))


def test_only_those_that_are_chosen_are_asked():
    mixture = made(Mixture, experts=Experts(5, 2))
    asked = []
    for network in mixture.networks:
        network.register_forward_hook(lambda _, inputs, __: asked.append(len(inputs[0])))
    mixture.router.matrix.bias.data[3] = -1000
    mixture(X)
    assert sum(asked) == 2 * 14 and len(asked) == 4, "two for each token, and never the third"


def test_the_favour_of_an_expert_counts_for_the_choice_alone():
    router = made(Router, experts=Experts(4, 2, balance=0.1))
    router.favour.data = torch.tensor([0.0, 100.0, 0.0, 0.0], dtype=torch.float64)
    before = router.favour.clone()
    chosen, shares = router(X)
    assert (chosen == 1).any(dim=-1).all()
    close(shares, router.matrix(X).gather(-1, chosen).softmax(dim=-1))
    router.even_out()
    assert torch.equal(router.favour, before), "outside of training nothing is counted"
    router.train()(X)
    assert torch.equal(router.favour, before), "a pass moves nothing"
    router.even_out()
    moved = router.favour - before
    assert moved[1] < 0 and moved[chosen.flatten().bincount().argmin()] > 0
    close(moved.abs().max(), torch.tensor(0.1, dtype=torch.float64))


@pytest.mark.parametrize("balance, even", [(0.0, False), (0.02, True)])
def test_balance_spreads_tokens_that_are_all_alike(balance, even):
    router = made(Router, experts=Experts(4, 1, balance=balance, softmax_over="all")).train()
    tokens = numbers(400, 16) / 2 + numbers(16, seed=5)
    for _ in range(300):
        chosen, _ = router(tokens)
        router.even_out()
    load = chosen.flatten().bincount(minlength=4) / 400
    assert (load.max() < 0.32) == even and (load.min() > 0.18) == even


def checkpointed(reentrant):
    return lambda router: checkpoint(lambda x: router(x)[1], TOKENS, use_reentrant=reentrant)


def in_two_halves(router):
    return torch.cat([router(half)[1] for half in TOKENS.chunk(2)])


def with_a_look(router):
    with torch.no_grad():
        for _ in range(3):
            router(-9 * TOKENS)
    return router(TOKENS)[1]


TOKENS = numbers(10, 16).requires_grad_()
PASSES = {
    "with gradient checkpointing": checkpointed(False),
    "with the older checkpointing": checkpointed(True),
    "in two halves": in_two_halves,
    "with looks in between": with_a_look,
}


@pytest.mark.parametrize("passes", PASSES.values(), ids=PASSES)
def test_the_balance_moves_once_a_step_whatever_the_passes(passes):
    once, others = (
        made(Router, experts=Experts(4, 1, softmax_over="all", balance=0.3)).train()
        for _ in range(2)
    )
    begun = once.favour.clone()
    for step in range(5):
        for router, run in ((once, lambda router: router(TOKENS)[1]), (others, passes)):
            run(router).sum().backward()
            even_out(router)
        assert torch.equal(once.favour, others.favour), step
    assert (once.favour - begun).abs().max() > 0.25
    even_out(once)
    assert torch.equal(once.favour, others.favour), "without a pass nothing moves"


def test_a_step_of_training_moves_the_balance_once():
    model = Decoder(replace(SMALL, experts=Experts(4, 2, balance=0.1)))
    before = [layer.feed_forward.router.favour.clone() for layer in model.layers]
    batch = Batch(None, torch.randint(4, 13, (2, 8)))
    for _ in training_steps(model, [batch], torch.optim.Adam(model.parameters())):
        even_out(model)
    for layer, favour in zip(model.layers, before, strict=True):
        moved = (layer.feed_forward.router.favour - favour).abs()
        assert moved.max() == pytest.approx(0.1) and layer.feed_forward.router.load.sum() == 0


def test_experts_stand_in_the_layers_that_the_plan_says():
    plan = replace(SMALL, n_layers=6, experts=Experts(4, 2, dense_layers=2, every=2))
    networks = [type(layer.feed_forward).__name__ for layer in Decoder(plan).layers]
    assert networks == ["TwoLayers"] * 3 + ["Mixture", "TwoLayers", "Mixture"]


def test_shared_experts_count_by_the_share_that_a_token_computes():
    mixture = made(Mixture, experts=Experts(4, 2, n_shared=1, shared_gate=True))
    gate = mixture.shared_gate.weight
    with_them = mixture(X)
    shared = mixture.shared[0](X)
    mixture.shared = torch.nn.ModuleList()
    close(with_them - mixture(X), (X @ gate.T).sigmoid() * shared)


@pytest.mark.parametrize("d_query", [None, 6])
@pytest.mark.parametrize("sink", [False, True])
def test_latent_attention_is_attention_with_keys_and_values_written_out(d_query, sink):
    latent = Latent(d_latent=5, d_rotary=4, d_query=d_query)
    attention = made(LatentAttention, latent=latent, d_head=6, d_v=3, sink=sink)
    output, weights = attention(X, CAUSAL, ROTARY)

    def heads(x, size):
        return x.unflatten(-1, (4, size)).transpose(1, 2)

    own, key = (X @ attention.w_latent.weight.T).split((5, 4), dim=-1)
    own = rms_norm(own, (5,), attention.norm_latent.weight, 1e-5)
    key = rotate(key)[:, None].expand(2, 4, 7, 4)
    keys = torch.cat((heads(attention.w_k(own), 6), key), dim=-1)
    values = heads(attention.w_v(own), 3)
    queries = heads(attention.w_q(X), 10)
    queries = torch.cat((queries[..., :6], rotate(queries[..., 6:])), dim=-1)
    if sink:
        scores = queries @ keys.transpose(-2, -1) / 10**0.5
        expected = softmax_with_sink(scores, CAUSAL, attention.sink)
        found = expected @ values
    else:
        found, expected = scaled_dot_product_attention(queries, keys, values, CAUSAL)
    close(weights, expected)
    close(output, attention.w_o(found.transpose(1, 2).flatten(2)))


def test_a_score_from_a_latent_depends_on_the_distance_alone():
    attention = made(LatentAttention, latent=Latent(d_latent=5, d_rotary=4))
    same = X[:, :1].expand(2, 7, 16)
    scores = attention(same, torch.ones_like(CAUSAL), ROTARY)[1].log()
    scores = scores - scores.diagonal(dim1=-2, dim2=-1)[..., None]
    close(scores[..., 1:, 1:], scores[..., :-1, :-1])
    assert not torch.allclose(scores[..., 0, 0], scores[..., 0, 5])


def test_queries_and_keys_are_normed_head_by_head_before_they_are_turned():
    attention = made(GroupedAttention, qk_norm=True, key_heads=2)
    _, weights = attention(X, CAUSAL, ROTARY)
    q = attention.w_q(X).unflatten(-1, (4, 4)).transpose(1, 2)
    k = attention.w_k(X).unflatten(-1, (2, 4)).transpose(1, 2).repeat_interleave(2, dim=1)
    q = rotate(rms_norm(q, (4,), attention.norm_q.weight, 1e-5))
    k = rotate(rms_norm(k, (4,), attention.norm_k.weight, 1e-5))
    close(weights, masked_softmax(q @ k.transpose(-2, -1) / 2, CAUSAL))
    attention.w_q.weight.data *= 1000
    attention.w_k.weight.data *= 1000
    close(attention(X, CAUSAL, ROTARY)[1], weights, atol=1e-3, rtol=0)


def test_a_sink_is_one_more_column_of_the_softmax():
    scores = numbers(2, 4, 7, 7)
    sink = numbers(4)
    weights = softmax_with_sink(scores, CAUSAL, sink)
    for head in range(4):
        for i in range(7):
            row = torch.cat((scores[0, head, i, : i + 1], sink[head, None]))
            close(weights[0, head, i, : i + 1], row.softmax(dim=-1)[:-1])
            assert (weights[0, head, i, i + 1 :] == 0).all()
    nowhere = softmax_with_sink(scores, CAUSAL, torch.full((4,), -1e9, dtype=torch.float64))
    close(nowhere, masked_softmax(scores, CAUSAL))
    hidden = softmax_with_sink(scores, torch.zeros_like(CAUSAL), sink)
    assert (hidden == 0).all(), "all of it is the sink's"


@pytest.mark.parametrize(
    "part, latent", [(GroupedAttention, None), (LatentAttention, Latent(5, 4))]
)
def test_a_window_is_a_mask(part, latent):
    wide = made(part, latent=latent)
    narrow = made(lambda plan: part(plan, window=3), latent=latent)
    near = CAUSAL & ~causal_mask(7).tril(-3)
    close(narrow(X, CAUSAL, ROTARY), wide(X, near, ROTARY))


def test_every_third_layer_looks_at_the_whole_text():
    windows = Decoder(replace(SMALL, n_layers=7, window=2, full_every=3)).layers
    assert [layer.attention.window for layer in windows] == [2, 2, None, 2, 2, None, 2]
    states = Decoder(replace(SMALL, n_layers=4, state=State(), full_every=3)).layers
    assert [type(layer.attention).__name__ for layer in states] == [
        *("StateAttention", "StateAttention", "GroupedAttention", "StateAttention")
    ]


def test_a_gate_at_the_output_multiplies_what_the_heads_have_found():
    for part, changes in ((GroupedAttention, {}), (LatentAttention, {"latent": Latent(5, 4)})):
        attention = made(part, output_gate=True, **changes)
        gate = (X @ attention.w_gate.weight.T).sigmoid()
        attention.w_o.weight.data = torch.eye(16, dtype=torch.float64)
        gated, _ = attention(X, CAUSAL, ROTARY)
        attention.w_gate = None
        close(gated, gate * attention(X, CAUSAL, ROTARY)[0])


def test_a_norm_after_a_sublayer_stands_before_the_sum():
    layer = made(Layer, norm_after=True, norm="rms")
    norms = [layer.norm1, layer.norm2, layer.after1, layer.after2]
    first, second, after_first, after_second = (
        lambda x, norm=norm: rms_norm(x, (16,), norm.weight, 1e-5) for norm in norms
    )
    x = X + after_first(layer.attention(first(X), CAUSAL, ROTARY)[0])
    expected = x + after_second(layer.feed_forward(second(x)))
    close(layer(X, CAUSAL, ROTARY)[0], expected)


def inputs_of_a_state(length, write):
    q, k = (torch.nn.functional.normalize(numbers(2, 3, length, 4, seed=s), dim=-1) for s in (3, 4))
    v = numbers(2, 3, length, 5, seed=5)
    shares = numbers(2, 2, 3, length, seed=6).sigmoid()
    return q, k, v, shares[0].log(), shares[1] if write else None


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("length", [1, 2, 9])
@pytest.mark.parametrize("before", [False, True])
def test_the_loop_of_a_state_and_its_table_are_equal(write, length, before):
    given = inputs_of_a_state(length, write)
    state = numbers(2, 3, 4, 5, seed=7) if before else None
    output, after = recurrence(*given, state)
    at_once, after_at_once = all_at_once(*given, state)
    close(at_once, output)
    close(after_at_once, after)
    assert output.shape == (2, 3, length, 5) and after.shape == (2, 3, 4, 5)


RESETS = {
    "nothing kept now and then": lambda keep: keep.where(keep > -1, -torch.inf),
    "nothing kept ever": lambda keep: torch.full_like(keep, -torch.inf),
    "nothing kept at first": lambda keep: keep.index_fill(-1, torch.tensor(0), -torch.inf),
    "deep resets": lambda keep: keep.where(keep > -1, -30),
    "nearly all kept": lambda keep: keep / 1000,
}


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("reset", RESETS.values(), ids=RESETS)
def test_where_a_token_keeps_nothing_the_table_is_the_loop_too(reset, write):
    q, k, v, keep, write = inputs_of_a_state(200, write)
    before = numbers(2, 3, 4, 5, seed=7)
    for dtype, bound in ((torch.float64, 1e-12), (torch.float32, 3e-6)):
        given = [x if x is None else x.to(dtype) for x in (q, k, v, reset(keep), write, before)]
        given[3].requires_grad_()
        for one, other in zip(recurrence(*given), all_at_once(*given), strict=True):
            assert (one - other).abs().max() < bound * one.abs().max()
        other.sum().backward()
        assert given[3].grad.isfinite().all()


@pytest.mark.parametrize("run", [recurrence, all_at_once])
def test_without_forgetting_it_is_attention_without_its_softmax(run):
    q, k, v, *_ = inputs_of_a_state(9, write=False)
    output, state = run(q, k, v, torch.zeros(2, 3, 9, dtype=torch.float64))
    close(output, (q @ k.transpose(-2, -1)).tril() @ v)
    close(state, sum(k[:, :, t, :, None] * v[:, :, t, None, :] for t in range(9)))


@pytest.mark.parametrize("run", [recurrence, all_at_once])
def test_what_is_forgotten_fades_at_each_token(run):
    q, k, v, *_ = inputs_of_a_state(4, write=False)
    v[:, :, 1:] = 0  # only the first token writes
    half = torch.full((2, 3, 4), 0.5, dtype=torch.float64).log()
    _, after_one = run(q[:, :, :1], k[:, :, :1], v[:, :, :1], half[..., :1])
    _, after_four = run(q, k, v, half)
    close(after_four, after_one / 8)


@pytest.mark.parametrize("run", [recurrence, all_at_once])
def test_the_delta_rule_puts_a_value_in_the_place_of_the_one_before(run):
    key = torch.nn.functional.normalize(numbers(1, 1, 1, 4), dim=-1)
    keys = key.expand(1, 1, 3, 4)
    values = numbers(1, 1, 3, 5)
    keep = torch.zeros(1, 1, 3, dtype=torch.float64)
    found, _ = run(keys, keys, values, keep, torch.ones_like(keep))
    close(found, values)
    added, _ = run(keys, keys, values, keep)
    close(added, values.cumsum(dim=2))
    half, _ = run(keys, keys, values, keep, torch.full_like(keep, 0.5))
    close(half[..., 1, :], values[..., 0, :] / 4 + values[..., 1, :] / 2)


@pytest.mark.parametrize("delta", [False, True])
def test_a_state_layer_by_its_formula(delta):
    state = State(delta=delta, n_heads=4, key_heads=2, d_key=3, d_value=5)
    attention = made(StateAttention, state=state, output_gate=True)
    q, k = (
        matrix(X).unflatten(-1, (2, 3)).transpose(1, 2).repeat_interleave(2, dim=1)
        for matrix in (attention.w_q, attention.w_k)
    )
    q, k = (x / x.norm(dim=-1, keepdim=True) for x in (q, k))
    v = attention.w_v(X).unflatten(-1, (4, 5)).transpose(1, 2)
    forget = attention.forget
    keep = (1 + forget.matrix(X).exp()) ** -forget.rate.exp()
    write = (X @ attention.w_write.weight.T).sigmoid().transpose(1, 2) if delta else None
    read, _ = recurrence(q, k, v, keep.log().transpose(1, 2), write)
    read = rms_norm(read, (5,), attention.norm.weight, 1e-5).transpose(1, 2).flatten(2)
    output, weights = attention(X, CAUSAL, ROTARY)
    close(output, attention.w_o(read * attention.w_gate(X).sigmoid()))
    assert weights is None


def test_a_short_convolution_mixes_each_number_with_those_right_before():
    convolution = made(StateAttention, state=State(convolution=3)).convolution
    x = numbers(2, 7, 48)
    weight = convolution.weight  # (48, 3), the last column for the token itself
    padded = torch.cat((torch.zeros(2, 2, 48, dtype=torch.float64), x), dim=1)
    expected = sum(padded[:, i : i + 7] * weight[:, i] for i in range(3))
    mixed, before = convolution(x)
    close(mixed, silu(expected))
    assert torch.equal(before, x[:, -2:])
    close(convolution(x[:, 4:], x[:, 2:4])[0], mixed[:, 4:])


def test_at_first_a_state_forgets_little():
    torch.manual_seed(0)
    attention = StateAttention(replace(SMALL, state=State())).double()
    keep = attention.forget(torch.zeros(1, 1, 16, dtype=torch.float64)).exp().flatten()
    close(keep[[0, -1]], torch.tensor([0.881, 0.998], dtype=torch.float64), atol=1e-3, rtol=0)


@pytest.mark.parametrize(
    "value, says",
    [
        (lambda: Experts(0, 1), "n_experts must be a whole number of at least 1"),
        (lambda: Experts(4, 5), "top_k must be a whole number of at least 1, at most 4; got 5"),
        (lambda: Experts(4, 0), "top_k"),
        (lambda: Experts(4, 2, d_ff=0), "d_ff"),
        (lambda: Experts(4, 2, n_shared=-1), "n_shared"),
        (lambda: Experts(4, 2, dense_layers=-1), "dense_layers"),
        (lambda: Experts(4, 2, every=0), "every"),
        (lambda: Experts(4, 2, balance=-0.1), "balance must be a number of at least 0; got -0.1"),
        (lambda: Experts(4, 2, balance=float("nan")), "balance must be a number"),
        (lambda: Experts(4, 2, softmax_over="best"), "softmax_over is one of chosen, all"),
        (lambda: Experts(4, 2, shared_gate=1), "shared_gate is True or False; got 1"),
        (lambda: Experts(4, 1), 'top_k=1 say softmax_over="all"'),
        (lambda: Latent(0), "d_latent"),
        (lambda: Latent(4, -2), "d_rotary"),
        (lambda: Latent(4, 2, 0), "d_query"),
        (lambda: State(forget="yes"), "forget is True or False"),
        (lambda: State(delta=None), "delta is True or False"),
        (lambda: State(n_heads=0), "n_heads"),
        (lambda: State(key_heads=0), "key_heads"),
        (lambda: State(d_key=0), "d_key"),
        (lambda: State(d_value=0), "d_value"),
        (lambda: State(convolution=1), "convolution must be a whole number of at least 2"),
        (lambda: Router(SMALL), r"give it experts=Experts\(n_experts, top_k\)"),
        (lambda: Mixture(SMALL), "this plan has no experts"),
        (lambda: LatentAttention(SMALL), r"give it latent=Latent\(d_latent, d_rotary\)"),
        (lambda: StateAttention(SMALL), r"give it state=State\(\)"),
    ],
)
def test_what_does_not_fit_is_refused(value, says):
    with pytest.raises(ValueError, match=says):
        value()


@pytest.mark.parametrize("make", [lambda: Decoder(replace(SMALL, dropout=0.5)), small_decoder])
def test_dropout_falls_on_the_embedded_text_too(make):
    model = make().train()
    read = []
    model.layers[0].register_forward_pre_hook(lambda _, inputs: read.append(inputs[0]))
    model(torch.ones(4, 7, dtype=torch.int64))
    model.eval()(torch.ones(4, 7, dtype=torch.int64))
    training, writing = ((x == 0).double().mean().item() for x in read)
    assert 0.35 < training < 0.65 and writing == 0


@pytest.mark.parametrize("make", [lambda: Decoder(SMALL), small_decoder])
def test_ids_outside_the_vocabulary_are_named(make):
    with pytest.raises(IndexError, match="ids are 0 to 12; got 3 to 13"):
        make()(torch.tensor([[3, 13]]))


@pytest.mark.parametrize("make", [lambda: Decoder(SMALL), small_decoder])
def test_a_step_with_a_cache_asks_for_its_own_rows_of_the_mask(make):
    model = make().eval()
    seen = []
    model.layers[0].register_forward_pre_hook(lambda _, inputs: seen.append(inputs[1]))
    cache = new_cache(model)
    ids = torch.arange(3, 11)[None]
    with torch.no_grad():
        for new in (ids[:, :5], ids[:, 5:6], ids[:, 6:]):
            model(new, cache=cache)
    assert [tuple(mask.shape) for mask in seen] == [(5, 5), (1, 6), (2, 8)]
    assert torch.equal(torch.cat([seen[1][:, :6], seen[2][:, :6]]), torch.ones(3, 6) == 1)
    assert torch.equal(seen[2], causal_mask(8)[6:])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"n_heads": np.int64(2)}, r"n_heads must be a whole number .*: write int\(n_heads\)"),
        ({"n_layers": True}, "n_layers must be a whole number .*; got True$"),
        ({"dropout": False}, "dropout is a share, 0 <= dropout < 1; got False"),
        ({"dropout": True}, "dropout is a share, 0 <= dropout < 1; got True"),
    ],
)
def test_a_plan_says_what_is_wrong_with_a_number_of_the_wrong_kind(changes, words):
    with pytest.raises(ValueError, match=words):
        replace(SMALL, **changes)
