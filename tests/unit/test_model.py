"""Layers and the whole model against torch's; masks without leaks; the cache is exact."""

from dataclasses import fields

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_attention import close, copy_attention
from torch import nn

from transformer_lite import (
    Transformer,
    TransformerConfig,
    causal_mask,
    padding_mask,
    sinusoidal_encoding,
)
from transformer_lite.decoding import beam_search, evaluating, greedy_decode, new_cache
from transformer_lite.layers import DecoderLayer, EncoderLayer, Parts


def copy_layer(mine, theirs):
    """Give torch's encoder or decoder layer the weights of ours."""
    copy_attention(mine.self_attention, theirs.self_attn)
    if isinstance(mine, DecoderLayer):
        copy_attention(mine.cross_attention, theirs.multihead_attn)
    theirs.linear1.load_state_dict(mine.feed_forward[0].state_dict())
    theirs.linear2.load_state_dict(mine.feed_forward[2].state_dict())
    for name, norm in mine.named_children():
        if isinstance(norm, nn.LayerNorm):
            getattr(theirs, name).load_state_dict(norm.state_dict())


def randomize_norms(module):
    """LayerNorms start as the identity map; a parity test should see them do something."""
    for norm in module.modules():
        if isinstance(norm, nn.LayerNorm):
            nn.init.normal_(norm.weight)
            nn.init.normal_(norm.bias)


@settings(max_examples=15, deadline=None)
@given(
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 5),
    st.integers(1, 5),
    st.booleans(),
    st.integers(0, 99),
)
@example(1, 1, 2, 2, False, 1)
def test_layers_equal_torch(heads, d_head, len_s, len_t, norm_first, seed):
    torch.manual_seed(seed)
    dtype = torch.float64
    d_model = 2 * heads * d_head
    d_ff = 5
    source_ids = torch.randint(0, 3, (3, len_s))
    source_ids[:, 0] = 1
    source_mask = padding_mask(source_ids)
    x, y = (
        torch.randn(3, len_s, d_model, dtype=dtype),
        torch.randn(3, len_t, d_model, dtype=dtype, requires_grad=True),
    )

    options = dict(dropout=0.0, batch_first=True, norm_first=norm_first, dtype=dtype)
    mine = EncoderLayer(d_model, heads, d_ff, 0.0, norm_first).to(dtype)
    randomize_norms(mine)
    theirs = nn.TransformerEncoderLayer(d_model, heads, d_ff, **options)
    copy_layer(mine, theirs)
    memory, weights = mine(x, source_mask)
    close(memory, theirs(x, src_key_padding_mask=source_ids == 0), dtype)
    assert weights.shape == (3, heads, len_s, len_s)

    mine = DecoderLayer(d_model, heads, d_ff, 0.0, norm_first).to(dtype)
    randomize_norms(mine)
    theirs = nn.TransformerDecoderLayer(d_model, heads, d_ff, **options)
    copy_layer(mine, theirs)
    memory = memory.detach().requires_grad_()
    output, _, cross = mine(y, memory, causal_mask(len_t), source_mask)
    expected = theirs(
        y, memory, tgt_mask=~causal_mask(len_t), memory_key_padding_mask=source_ids == 0
    )
    close(output, expected, dtype)
    assert cross.shape == (3, heads, len_t, len_s)
    probe = torch.randn_like(output)
    for a, b in zip(
        *(torch.autograd.grad(o, (y, memory), probe) for o in (output, expected)), strict=True
    ):
        close(a, b, dtype)


def small_model(norm_first=False, seed=0, **changes):
    torch.manual_seed(seed)
    sizes = dict(
        d_model=16,
        d_ff=24,
        n_layers=2,
        n_heads=4,
        dropout=0.0,
        max_length=12,
        norm_first=norm_first,
    )
    model = Transformer(TransformerConfig(11, 13, **(sizes | changes)))
    randomize_norms(model)
    return model


def random_ids(batch, length, size, seed=0):
    """Ids with padding at the end of all rows but the first."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(3, size, (batch, length), generator=generator)
    for row in range(1, batch):
        ids[row, max(1, length - row) :] = 0
    return ids


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_whole_model_equals_nn_transformer(norm_first, dtype):
    model = small_model(norm_first).to(dtype)
    config = model.config
    shape = (config.d_model, config.n_heads, config.d_ff)
    options = dict(dropout=0.0, batch_first=True, norm_first=norm_first, dtype=dtype)
    norms = [
        nn.LayerNorm(config.d_model, dtype=dtype) if norm_first else nn.Identity() for _ in range(2)
    ]
    for mine, other in zip((model.encoder_norm, model.decoder_norm), norms, strict=True):
        other.load_state_dict(mine.state_dict())
    theirs = nn.Transformer(
        config.d_model,
        config.n_heads,
        batch_first=True,
        custom_encoder=nn.TransformerEncoder(
            nn.TransformerEncoderLayer(*shape, **options), 2, norms[0], False
        ),
        custom_decoder=nn.TransformerDecoder(
            nn.TransformerDecoderLayer(*shape, **options), 2, norms[1]
        ),
    )
    for mine, other in (
        (model.encoder, theirs.encoder.layers),
        (model.decoder, theirs.decoder.layers),
    ):
        for a, b in zip(mine, other, strict=True):
            copy_layer(a, b)
    source, target = random_ids(3, 7, 11), random_ids(3, 5, 13, seed=1)

    def torch_logits():
        x = model.embed(source, model.source_embedding)
        y = model.embed(target, model.target_embedding)
        hidden = theirs(
            x, y, tgt_mask=~causal_mask(5), src_key_padding_mask=source == 0,
            tgt_key_padding_mask=target == 0,
            memory_key_padding_mask=source == 0,
        )  # fmt: skip
        return model.output(hidden)

    logits, maps = model(source, target, return_attention=True)
    close(logits, torch_logits(), dtype)
    close(model(source, target), logits, dtype)
    assert [m.shape for m in maps.cross] == [(3, 4, 5, 7)] * 2


def test_no_later_and_no_padded_token_is_noticed():
    model = small_model()
    source, target = random_ids(3, 7, 11), random_ids(3, 6, 13, seed=1)
    logits = model(source, target)
    later = target.clone()
    later[:, 3:] = 12
    assert torch.equal(model(source, later)[:, :3], logits[:, :3])
    longer = torch.cat((source, torch.zeros(3, 2, dtype=torch.int64)), dim=1)
    torch.testing.assert_close(model(longer, target), logits, atol=1e-5, rtol=1e-5)
    _, maps = model(source, target, return_attention=True)
    for cross in maps.cross:
        hidden = (source == 0)[:, None, None, :].expand_as(cross)
        assert cross[hidden].eq(0).all() and cross[~hidden].ne(0).any()
    for decoder in maps.decoder:
        assert decoder.triu(1).eq(0).all()
        torch.testing.assert_close(decoder.sum(-1), torch.ones_like(decoder[..., 0]))


@pytest.mark.parametrize("norm_first", [False, True])
def test_one_token_at_a_time_equals_all_at_once(norm_first):
    model = small_model(norm_first).eval()
    source = random_ids(3, 7, 11)
    target = torch.randint(3, 13, (3, 6))
    logits = model(source, target)
    mask = padding_mask(source)
    memory = model.encode(source, mask)[0]
    cache = new_cache(model)
    steps = [model.decode(target[:, t : t + 1], memory, mask, cache=cache)[0] for t in range(4)]
    steps.append(model.decode(target[:, 4:], memory, mask, cache=cache)[0])
    torch.testing.assert_close(torch.cat(steps, dim=1), logits, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("tie_embeddings", [False, True])
def test_hooks_fire_on_every_module_in_training_and_in_decoding(norm_first, tie_embeddings):
    """The standard way to look inside a model sees all of it, whatever the model is doing."""
    model = small_model(norm_first, tie_embeddings=tie_embeddings, dropout=0.1)
    fired = set()
    source, target = random_ids(2, 4, 11), random_ids(2, 4, 13, seed=1)
    # These only hold other modules
    lists = {name for name, module in model.named_modules() if isinstance(module, nn.ModuleList)}
    every = {name for name, _ in model.named_modules()} - lists
    for name, module in model.named_modules():
        module.register_forward_hook(lambda *_, name=name: fired.add(name))
    model.train()(source, target).sum().backward()
    assert fired == every
    for decode in (greedy_decode, beam_search):
        fired.clear()
        decode(model, source, max_length=3)
        assert fired == every - {""}, "all but the whole, whose halves are called one by one"


def test_dropout_falls_on_what_a_sub_layer_adds_and_not_on_the_sum():
    """With dropout near 1 a sub-layer adds almost nothing: x itself must come through."""
    for make, n_inputs in ((EncoderLayer, 1), (DecoderLayer, 2)):
        torch.manual_seed(0)
        layer = make(16, 2, 8, dropout=1 - 1e-9, norm_first=True).train()
        x = torch.randn(2, 3, 16)
        assert torch.equal(layer(*[x] * n_inputs)[0], x)


def test_a_layer_is_made_of_the_parts_that_it_is_given():
    def gated(d_model, d_ff):
        return nn.Sequential(nn.Linear(d_model, 2 * d_ff), nn.GLU(), nn.Linear(d_ff, d_model))

    for make in (EncoderLayer, DecoderLayer):
        layer = make(16, 2, 8, parts=Parts(nn.RMSNorm, gated))
        kinds = [type(module) for module in layer.modules()]
        assert nn.LayerNorm not in kinds and nn.ReLU not in kinds and nn.GLU in kinds


@pytest.mark.parametrize("field", fields(TransformerConfig), ids=lambda field: field.name)
def test_every_field_of_the_configuration_is_checked_and_explained(field):
    """A new choice without a check, or without words for the command line, is noticed here."""
    for bad in ("3", None, -1, 10**9):
        with pytest.raises(ValueError, match=field.name):
            TransformerConfig(**{"source_vocab_size": 9, "target_vocab_size": 9, field.name: bad})
    assert field.metadata["help"]


def test_padding_has_no_vector_and_learns_none():
    model = small_model()
    source, target = random_ids(3, 7, 11), random_ids(3, 5, 13, seed=1)
    model(source, target).square().sum().backward()
    for embedding in (model.source_embedding, model.target_embedding):
        assert embedding.weight[0].eq(0).all() and embedding.weight[1:].ne(0).any(1).all()
        assert embedding.weight.grad[0].eq(0).all() and embedding.weight.grad.ne(0).any()


def test_a_model_that_is_exported_takes_batches_of_any_size():
    model = Transformer(TransformerConfig(9, 9, 8, 8, 1, 2, max_length=8)).eval()
    batch, read, written = (
        torch.export.Dim(name, min=2, max=8) for name in ("batch", "read", "written")
    )
    source, target = torch.randint(3, 9, (3, 5)), torch.randint(3, 9, (3, 4))
    exported = torch.export.export(
        model, (source, target), dynamic_shapes=({0: batch, 1: read}, {0: batch, 1: written})
    ).module()
    source, target = torch.randint(3, 9, (4, 7)), torch.randint(3, 9, (4, 6))
    torch.testing.assert_close(exported(source, target), model(source, target))


def test_positions_are_computed_and_not_learnt_or_saved():
    model = small_model()
    assert not any("positions" in name for name in model.state_dict())
    torch.testing.assert_close(model.positions, sinusoidal_encoding(12, 16))


def test_embeddings_begin_with_unit_variance_and_positions_are_the_papers():
    model = Transformer(
        TransformerConfig(1000, 1000, d_model=64, d_ff=8, n_layers=1, n_heads=1, dropout=0.0)
    )
    ids = torch.arange(3, 1000)[:, None]
    tokens = model.embed(ids, model.source_embedding)[:, 0] - sinusoidal_encoding(1, 64)
    assert tokens.var().item() == pytest.approx(1.0, abs=0.02)
    at_five = model.embed(torch.full((1, 6), 7), model.source_embedding)[0, 5]
    at_zero = model.embed(torch.tensor([[7]]), model.source_embedding)[0, 0]
    moved = sinusoidal_encoding(6, 64)[5] - sinusoidal_encoding(1, 64)[0]
    torch.testing.assert_close(at_five - at_zero, moved)


def test_sinusoids_are_the_formula():
    assert sinusoidal_encoding(0, 4).shape == (0, 4)
    table = sinusoidal_encoding(4, 4, dtype=torch.float64)
    expected = [
        [0, 1, 0, 1],
        [0.84147098, 0.54030231, 0.00999983, 0.99995000],
        [0.90929743, -0.41614684, 0.01999867, 0.99980001],
        [0.14112001, -0.98999250, 0.02999550, 0.99955003],
    ]
    torch.testing.assert_close(
        table, torch.tensor(expected, dtype=torch.float64), atol=5e-9, rtol=0
    )


def test_tied_embeddings_are_one_matrix():
    model = Transformer(
        TransformerConfig(11, 13, d_model=8, d_ff=8, n_layers=1, n_heads=2, tie_embeddings=True)
    )
    assert model.output.weight is model.target_embedding.weight
    untied = Transformer(TransformerConfig(11, 13, d_model=8, d_ff=8, n_layers=1, n_heads=2))
    count = [sum(p.numel() for p in m.parameters()) for m in (model, untied)]
    assert count[1] - count[0] == 13 * 8


def test_dropout_falls_in_eleven_places_and_only_in_training():
    """After each embedding with its positions, and on what each sub-layer adds (section 5.4)."""
    model = small_model(dropout=0.5)
    falls = []
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            assert module.p == 0.5
            module.register_forward_hook(
                lambda module, inputs, output: falls.append((inputs[0], output))
            )
    source, target = random_ids(2, 4, 11), random_ids(2, 3, 13)
    model.train()(source, target)
    assert len(falls) == 2 + 2 * 2 + 2 * 3
    assert all((after == 0).any() and not torch.equal(before, after) for before, after in falls)
    embedded = model.source_embedding(source) * 4 + model.positions[:4]  # √16 = 4
    torch.testing.assert_close(
        falls[0][0], embedded, msg="dropout comes after the positions are added"
    )
    with evaluating(model):
        assert torch.equal(model(source, target), model(source, target))
    assert model.training


def test_the_papers_base_model_has_its_size():
    """With vocabularies of 6 and 9 tokens and no tying, that is 44,113,920 weights."""
    with torch.device("meta"):
        model = Transformer(TransformerConfig(6, 9))
    assert sum(p.numel() for p in model.parameters()) == 44_113_920
