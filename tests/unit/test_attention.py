"""Attention against torch's own, forward and backward, and against what a mask promises."""

import itertools
import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from transformer_lite import (
    AdditiveAttention,
    MultiHeadAttention,
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
    without_heads,
)
from transformer_lite.ablation import listening

TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-12}
sizes = st.integers(1, 6)
dtypes = st.sampled_from([torch.float32, torch.float64])


def random_mask(batch, len_q, len_k, seed):
    """A mask that leaves every query at least one key."""
    generator = torch.Generator().manual_seed(seed)
    mask = torch.rand(batch, 1, len_q, len_k, generator=generator) < 0.6
    mask[..., 0] |= ~mask.any(-1)
    return mask


def close(a, b, dtype):
    torch.testing.assert_close(a, b, atol=TOLERANCE[dtype], rtol=TOLERANCE[dtype])


@settings(max_examples=40, deadline=None)
@given(sizes, sizes, sizes, sizes, sizes, sizes, dtypes, st.booleans(), st.integers(0, 999))
def test_scaled_dot_product_equals_torch(batch, heads, len_q, len_k, d_k, d_v, dtype, masked, seed):
    torch.manual_seed(seed)
    inputs = [
        torch.randn(batch, heads, length, d, dtype=dtype, requires_grad=True)
        for length, d in ((len_q, d_k), (len_k, d_k), (len_k, d_v))
    ]
    mask = random_mask(batch, len_q, len_k, seed) if masked else None
    output, weights = scaled_dot_product_attention(*inputs, mask)
    expected = F.scaled_dot_product_attention(*inputs, mask)
    assert weights.shape == (batch, heads, len_q, len_k) and output.dtype == dtype
    close(output, expected, dtype)
    close(weights.sum(-1), torch.ones_like(weights[..., 0]), dtype)
    probe = torch.randn_like(output)
    for mine, theirs in zip(
        torch.autograd.grad(output, inputs, probe),
        torch.autograd.grad(expected, inputs, probe),
        strict=True,
    ):
        close(mine, theirs, dtype)


def test_the_scale_is_one_over_root_d_k_unless_given():
    query = torch.tensor([[1.0, 2.0, 3.0, 4.0]])
    key = torch.eye(4)
    _, weights = scaled_dot_product_attention(query, key, key)
    torch.testing.assert_close(weights, (query / 2).softmax(-1))
    _, weights = scaled_dot_product_attention(query, key, key, scale=1.0)
    torch.testing.assert_close(weights, query.softmax(-1))
    _, weights = scaled_dot_product_attention(query, key, key, scale=0.0)
    assert torch.equal(weights, torch.full_like(weights, 1 / key.size(-2)))


@settings(max_examples=25, deadline=None)
@given(
    sizes,
    st.integers(1, 4),
    st.integers(1, 4),
    sizes,
    sizes,
    dtypes,
    st.booleans(),
    st.booleans(),
    st.integers(0, 999),
)
def test_multi_head_equals_torch(batch, heads, d_head, len_q, len_k, dtype, masked, bias, seed):
    torch.manual_seed(seed)
    d_model = heads * d_head
    mine = MultiHeadAttention(d_model, heads, bias=bias).to(dtype)
    theirs = nn.MultiheadAttention(d_model, heads, bias=bias, batch_first=True, dtype=dtype)
    copy_attention(mine, theirs)
    query = torch.randn(batch, len_q, d_model, dtype=dtype, requires_grad=True)
    memory = torch.randn(batch, len_k, d_model, dtype=dtype, requires_grad=True)
    mask = random_mask(batch, len_q, len_k, seed) if masked else None
    # torch wants True = blocked, one mask a sentence and head.
    blocked = None if mask is None else ~mask.repeat_interleave(heads, 1).flatten(0, 1)
    output, weights = mine(query, memory, memory, mask)
    expected, expected_weights = theirs(
        query, memory, memory, attn_mask=blocked, average_attn_weights=False
    )
    close(output, expected, dtype)
    close(weights, expected_weights, dtype)
    fused, none = mine(query, memory, memory, mask, need_weights=False)
    assert none is None
    close(fused, output, dtype)
    probe = torch.randn_like(output)
    for a, b, c in zip(
        *(torch.autograd.grad(x, (query, memory), probe) for x in (output, expected, fused)),
        strict=True,
    ):
        close(a, b, dtype)
        close(a, c, dtype)
    (grad,) = torch.autograd.grad(mine(query, memory, memory, mask)[0], mine.w_k.weight, probe)
    (packed,) = torch.autograd.grad(
        theirs(query, memory, memory, attn_mask=blocked)[0], theirs.in_proj_weight, probe
    )
    close(grad, packed[d_model : 2 * d_model], dtype)


@pytest.mark.parametrize(
    "shape", [(), (5,), (5, 5), (1, 5, 5), (1, 1, 5), (2, 1, 1, 5), (2, 3, 5, 5)]
)
def test_a_mask_of_any_shape_that_broadcasts_means_the_same_on_both_paths(shape):
    torch.manual_seed(0)
    attention = MultiHeadAttention(12, 3)
    x = torch.randn(2, 5, 12)
    mask = torch.rand(shape) < 0.7
    full = mask.expand(2, 3, 5, 5)
    expected, weights = attention(x, x, x, full)
    assert (weights[~full] == 0).all()
    for need_weights in (True, False):
        close(attention(x, x, x, mask, need_weights=need_weights)[0], expected, torch.float32)


def test_with_its_weights_attention_has_a_second_derivative():
    torch.manual_seed(0)
    attention = MultiHeadAttention(8, 2).double()
    x = torch.randn(1, 3, 8, dtype=torch.float64, requires_grad=True)
    mask = torch.tensor([[False] * 3, [True, False, True], [True] * 3])

    def output(x):
        return attention(x, x, x, mask)[0]

    assert torch.autograd.gradgradcheck(output, (x,))
    assert torch.autograd.gradcheck(output, (x,), check_forward_ad=True)


@pytest.mark.parametrize("batches", [(1, 3), (3, 1), (3, 3)])
def test_one_query_may_ask_several_texts_and_several_one(batches):
    torch.manual_seed(0)
    attention = MultiHeadAttention(12, 3)
    query = torch.randn(batches[0], 4, 12)
    key = torch.randn(batches[1], 5, 12)
    mask = torch.rand(3, 1, 4, 5) < 0.7
    expected, weights = attention(query, key, key, mask)
    close(attention(query, key, key, mask, need_weights=False)[0], expected, torch.float32)
    assert weights.shape == (3, 3, 4, 5)


def copy_attention(mine: MultiHeadAttention, theirs: nn.MultiheadAttention) -> None:
    """Give torch's module the weights of ours."""
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat((mine.w_q.weight, mine.w_k.weight, mine.w_v.weight)))
        theirs.out_proj.weight.copy_(mine.w_o.weight)
        if theirs.in_proj_bias is not None:
            biases = [
                torch.zeros_like(linear.weight[:, 0]) if linear.bias is None else linear.bias
                for linear in (mine.w_q, mine.w_k, mine.w_v, mine.w_o)
            ]
            theirs.in_proj_bias.copy_(torch.cat(biases[:3]))
            theirs.out_proj.bias.copy_(biases[3])


def test_the_papers_attention_has_1048576_parameters():
    assert sum(p.numel() for p in MultiHeadAttention(512, 8).parameters()) == 1_048_576
    assert sum(p.numel() for p in MultiHeadAttention(512, 8, bias=True).parameters()) == 1_050_624


def test_additive_attention_is_its_formula():
    torch.manual_seed(0)
    attention = AdditiveAttention(3, 5, 7).double()
    query, key, value = (
        torch.randn(2, n, d, dtype=torch.float64) for n, d in ((4, 3), (6, 5), (6, 2))
    )
    mask = random_mask(2, 4, 6, 0)[:, 0]
    output, weights = attention(query, key, value, mask)
    w = attention.w_q.weight
    u = attention.w_k.weight
    v = attention.w_score.weight[0]
    for b, i in itertools.product(range(2), range(4)):
        scores = torch.stack([v @ torch.tanh(w @ query[b, i] + u @ key[b, j]) for j in range(6)])
        expected = scores.masked_fill(~mask[b, i], -math.inf).softmax(-1)
        torch.testing.assert_close(weights[b, i], expected)
        torch.testing.assert_close(output[b, i], expected @ value[b])


@pytest.mark.parametrize("need_weights", [True, False])
def test_a_row_that_may_attend_nowhere_is_zero_and_has_no_nan_gradient(need_weights):
    torch.manual_seed(0)
    attention = MultiHeadAttention(8, 2)
    x = torch.randn(2, 5, 8, requires_grad=True)
    mask = torch.ones(2, 1, 5, 5, dtype=torch.bool)
    mask[0, 0, 2] = False
    mask[1] = False
    with torch.autograd.detect_anomaly(check_nan=True):
        output, weights = attention(x, x, x, mask, need_weights=need_weights)
        output.sum().backward()
    assert output[0, 2].eq(0).all() and output[1].eq(0).all() and output[0, 0].ne(0).any()
    assert x.grad.isfinite().all() and all(p.grad.isfinite().all() for p in attention.parameters())
    if need_weights:
        assert weights[0, :, 2].eq(0).all() and weights[1].eq(0).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_masked_weights_are_exactly_zero_in_every_dtype(dtype):
    torch.manual_seed(0)
    x = torch.randn(1, 1, 4, 8).to(dtype)
    _, weights = scaled_dot_product_attention(100 * x, x, x, causal_mask(4))
    assert weights.triu(1).eq(0).all() and weights.isfinite().all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
def test_the_only_key_left_has_all_the_weight_however_low_its_score(dtype):
    query = torch.full((1, 1, 4), 1e4, dtype=dtype)
    key = torch.tensor([[[-1.0] * 4, [1.0] * 4]], dtype=dtype)  # scores -20,000 and 20,000
    _, weights = scaled_dot_product_attention(query, key, key, torch.tensor([True, False]))
    assert weights.tolist() == [[[1.0, 0.0]]]


def test_in_float16_scores_are_scaled_before_they_overflow():
    torch.manual_seed(0)
    query = torch.full((1, 2, 64), 40.0).half()  # 64 · 40² is 102,400, float16 ends at 65,504
    _, weights = scaled_dot_product_attention(query, -query, query, causal_mask(2))
    assert weights[0].tolist() == [[1.0, 0.0], [0.5, 0.5]]


@pytest.mark.parametrize("need_weights", [True, False])
def test_under_autocast_inputs_and_weights_may_differ_in_dtype(need_weights):
    torch.manual_seed(0)
    attention = MultiHeadAttention(16, 2)
    x = torch.randn(2, 4, 16)
    expected, _ = attention(x, x, x, causal_mask(4))
    with torch.autocast("cpu"):
        for dtype in (torch.float32, torch.bfloat16):
            given = x.to(dtype)
            output, _ = attention(given, given, given, causal_mask(4), need_weights=need_weights)
            torch.testing.assert_close(output.float(), expected, atol=0.03, rtol=0.03)


@pytest.mark.parametrize("need_weights", [True, False])
def test_without_heads_is_a_w_o_without_their_columns(need_weights):
    torch.manual_seed(0)
    attention = MultiHeadAttention(12, 3, d_v=5, bias=True)
    x = torch.randn(2, 4, 12)
    before, weights = attention(x, x, x)
    with pytest.raises(KeyError), without_heads(attention, 0, 2):
        found, same = attention(x, x, x, need_weights=need_weights)
        assert same is None or torch.equal(same, weights)
        raise KeyError
    assert torch.equal(attention(x, x, x)[0], before), "and it is over, whatever happens meanwhile"
    with torch.no_grad():
        attention.w_o.weight[:, :5] = attention.w_o.weight[:, 10:] = 0
    assert torch.allclose(found, attention(x, x, x)[0], atol=1e-6) and not torch.allclose(
        found, before, atol=1e-2
    )
    with (
        pytest.raises(ValueError, match="numbered 0 to 2; got 1, 3"),
        without_heads(attention, 1, 3),
    ):
        pass


def test_listening_hears_the_last_call_and_then_no_more():
    attention = MultiHeadAttention(12, 3)
    x = torch.randn(2, 4, 12)
    with pytest.raises(KeyError), listening({"all": attention, "out": attention.w_o}) as heard:
        attention(-x, x, x)
        output, _ = attention(x, x, x)
        raise KeyError
    attention(-x, x, x)
    assert heard["all"].inputs[0] is x and torch.equal(heard["all"].output[0], output)
    assert heard["out"].inputs[0].shape == (2, 4, 12) and torch.equal(heard["out"].output, output)


def test_masks_say_true_where_one_may_look():
    ids = torch.tensor([[5, 6, 0], [7, 0, 0]])
    assert padding_mask(ids).shape == (2, 1, 1, 3)
    assert padding_mask(ids)[:, 0, 0].tolist() == [[True, True, False], [True, False, False]]
    assert causal_mask(3, "meta").device.type == "meta"
    assert causal_mask(3).tolist() == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]
    assert torch.equal(causal_mask(5, past=3), causal_mask(5)[3:])
    both = padding_mask(ids) & causal_mask(3)
    assert both.shape == (2, 1, 3, 3) and both[1, 0].tolist() == [[True, False, False]] * 3


@pytest.mark.parametrize("length", [0, -1, 2.5, True])
def test_a_causal_mask_needs_a_length_and_a_query(length):
    with pytest.raises(ValueError, match="length must be a whole number of at least 1"):
        causal_mask(length)
    with pytest.raises(ValueError, match="past leaves no query: it must be 0 to 3; got 4"):
        causal_mask(4, past=4)
