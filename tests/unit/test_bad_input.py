"""Bad input is refused with a ValueError or IndexError that says what was given and what was
expected.
"""

import numpy as np
import pytest
import torch

import transformer_lite as tl
from transformer_lite import attention as attention_module
from transformer_lite import train_two_sentences
from transformer_lite.decoding import KeyValueCache
from transformer_lite.layers import DecoderLayer, EncoderLayer


def rand(*shape, dtype=torch.float32, device="cpu"):
    return torch.zeros(*shape, dtype=dtype, device=device)


CONFIG = dict(d_model=16, d_ff=16, n_layers=1, n_heads=2, max_length=8)


def model(**changes):
    return tl.Transformer(tl.TransformerConfig(11, 13, **(CONFIG | changes))).eval()


def ids(*shape, value=3, dtype=torch.int64):
    return torch.full(shape, value, dtype=dtype)


def attention(*arguments, **options):
    return tl.MultiHeadAttention(16, 2)(*arguments, **options)


def decoder(*arguments):
    return DecoderLayer(16, 2, 8)(*arguments, need_weights=False)


def refused(query, key, value):
    """What is said of tensors on two devices once torch has refused them; meta tensors it lets
    pass.
    """
    attention_module._explain(query, key, value, None)


def cached():
    """A mask that counts the new token alone, where three are remembered."""
    one, cache = tl.MultiHeadAttention(16, 2), KeyValueCache()
    one(*[rand(1, 3, 16)] * 3, cache=cache)
    one(*[rand(1, 1, 16)] * 3, torch.ones(1, 3).bool(), cache=cache)


dot = tl.scaled_dot_product_attention
mask_of_ones = torch.ones(4, 4)
not_to = "does not broadcast to the scores'"
even = "d_model must be even: sines and cosines pair up; got"

# A name, the call, a part of the message.
BAD = [
    ("d_k differs", lambda: dot(rand(4, 8), rand(4, 6), rand(4, 6)), "agree in d_k"),
    ("a value short", lambda: dot(rand(4, 8), rand(5, 8), rand(4, 8)), "each key needs its value"),
    ("vectors", lambda: dot(rand(8), rand(8), rand(8)), "end in the axes"),
    ("integers", lambda: dot(*[rand(4, 8, dtype=torch.int64)] * 3), "floating dtype"),
    ("two dtypes", lambda: dot(rand(4, 8), rand(4, 8, dtype=torch.float64), rand(4, 8)), "share one floating dtype"),
    ("two devices", lambda: refused(rand(4, 8), rand(4, 8, device="meta"), rand(4, 8)), "on one device"),
    ("batches differ", lambda: dot(rand(2, 4, 8), rand(3, 4, 8), rand(3, 4, 8)), "must match"),
    ("float mask", lambda: dot(*[rand(4, 8)] * 3, mask_of_ones), "mask must be bool"),
    ("integer mask", lambda: dot(*[rand(4, 8)] * 3, mask_of_ones.long()), "use mask.bool()"),
    ("mask too small", lambda: dot(*[rand(4, 8)] * 3, mask_of_ones[:3].bool()), "does not broadcast"),
    (
        "mask with a batch too many",
        lambda: dot(*[rand(2, 4, 8)] * 3, torch.ones(3, 4, 4).bool()),
        f"{not_to} (2, 4, 4)",
    ),
    (
        "mask of batches that broadcast",
        lambda: dot(rand(2, 1, 5, 8), *[rand(3, 4, 8)] * 2, torch.ones(4, 5, 4).bool()),
        f"{not_to} (2, 3, 5, 4)",
    ),
    (
        "mask of more heads",
        lambda: attention(*[rand(3, 4, 16)] * 3, torch.ones(5, 4, 4).bool()),
        f"{not_to} (3, 2, 4, 4)",
    ),
    ("mask with an axis too many", lambda: dot(*[rand(2, 4, 8)] * 3, torch.ones(1, 1, 4, 4).bool()), not_to),
    ("mask with a batch", lambda: dot(*[rand(4, 8)] * 3, torch.ones(2, 4, 4).bool()), "does not broadcast"),
    ("mask on another device", lambda: dot(*[rand(4, 8)] * 3, mask_of_ones.bool().to("meta")), "on one device"),
    ("arrays", lambda: dot(*[np.zeros((4, 8))] * 3), "must be tensors; got ndarray: use torch.as_tensor"),
    ("arrays and a scale", lambda: dot(*[np.zeros((2, 4, 8))] * 3, scale=1.0), "must be tensors; got ndarray"),
    ("an array as mask", lambda: dot(*[rand(4, 8)] * 3, np.ones((4, 4), bool)), "must be tensors; got ndarray"),
    ("a list as mask", lambda: attention(*[rand(2, 4, 16)] * 3, [True]), "must be tensors; got list"),
    (
        "an array as mask, fused",
        lambda: attention(*[rand(2, 4, 16)] * 3, np.ones((4, 4), bool), need_weights=False),
        "must be tensors; got ndarray",
    ),
    ("no key", lambda: attention(rand(2, 4, 16), None, None), "must be tensors; got NoneType"),
    ("no query", lambda: tl.AdditiveAttention(8, 8, 8)(None, rand(4, 8), rand(4, 8)), "must be tensors; got NoneType"),
    ("mask without the tokens before", cached, f"{not_to} (1, 2, 1, 4)"),
    ("heads do not divide", lambda: tl.MultiHeadAttention(30, 8), "try n_heads=6"),
    ("heads do not divide for the values", lambda: tl.MultiHeadAttention(30, 8, d_k=4), "try n_heads=6"),
    ("no heads", lambda: tl.MultiHeadAttention(16, 0), "at least 1"),
    ("no d_k", lambda: tl.MultiHeadAttention(8, 2, d_k=0, d_v=3), "at least 1; got d_model=8, n_heads=2, d_k=0"),
    ("d_v < 0", lambda: tl.MultiHeadAttention(8, 2, d_k=3, d_v=-1), "d_v=-1"),
    ("d_k of 0", lambda: tl.scaled_dot_product_attention(*[torch.ones(2, 0)] * 3), "d_k, their last axis, and"),
    ("no model", lambda: tl.MultiHeadAttention(0, 1), "at least 1"),
    ("query too narrow", lambda: attention(rand(2, 3, 8), rand(2, 3, 16), rand(2, 3, 16)), "query must have shape"),
    ("key without batch", lambda: attention(rand(2, 3, 16), rand(3, 16), rand(2, 3, 16)), "key must have shape"),
    ("value too wide", lambda: attention(rand(2, 3, 16), rand(2, 3, 16), rand(2, 3, 17)), "value must have shape"),
    ("float64 into float32", lambda: attention(*[rand(2, 3, 16, dtype=torch.float64)] * 3), "move one to the other"),
    (
        "float mask, fused",
        lambda: attention(*[rand(2, 4, 16)] * 3, mask_of_ones, need_weights=False),
        "mask must be bool",
    ),
    (
        "keys without values, fused",
        lambda: attention(rand(2, 3, 16), rand(2, 3, 16), rand(2, 4, 16), need_weights=False),
        "each key needs its value",
    ),
    ("decoder layer's input", lambda: decoder(rand(2, 3, 8), rand(2, 3, 16)), "query must have shape"),
    ("decoder layer's memory", lambda: decoder(rand(2, 3, 16), rand(2, 3, 8)), "key must have shape"),
    ("decoder layer's batch", lambda: decoder(rand(2, 3, 16), rand(3, 3, 16)), "must match"),
    ("decoder layer's mask", lambda: decoder(*[rand(2, 4, 16)] * 2, mask_of_ones), "mask must be bool"),
    (
        "decoder layer's mask of the memory",
        lambda: decoder(*[rand(2, 4, 16)] * 2, None, mask_of_ones[:3].bool()),
        "does not broadcast",
    ),
    ("batch of the memory", lambda: attention(rand(2, 3, 16), rand(3, 3, 16), rand(3, 3, 16)), "must match"),
    (
        "additive query",
        lambda: tl.AdditiveAttention(4, 5, 6)(rand(2, 5), rand(2, 5), rand(2, 5)),
        "query must have shape",
    ),
    ("additive key", lambda: tl.AdditiveAttention(4, 5, 6)(rand(2, 4), rand(2, 4), rand(2, 5)), "key must have shape"),
    ("additive lengths", lambda: tl.AdditiveAttention(4, 5, 6)(rand(2, 4), rand(3, 5), rand(2, 5)), "each key needs"),
    ("padding of floats", lambda: tl.padding_mask(torch.ones(2, 3)), "must be integers"),
    ("padding of one sentence", lambda: tl.padding_mask(ids(3)), "(batch, length)"),
    ("no length", lambda: tl.causal_mask(0), "at least 1"),
    ("odd d_model", lambda: tl.sinusoidal_encoding(4, 5), f"{even} 5, try 6"),
    ("no d_model", lambda: tl.sinusoidal_encoding(4, 0), f"{even} 0, try 2"),
    ("negative d_model", lambda: tl.sinusoidal_encoding(4, -3), f"{even} -3, try 2"),
    ("negative length", lambda: tl.sinusoidal_encoding(-1, 4), "not be negative"),
    ("layer of odd heads", lambda: EncoderLayer(16, 3, 8), "try n_heads=2"),
    ("decoder layer of odd heads", lambda: DecoderLayer(16, 5, 8), "try n_heads=4"),
    ("config: heads", lambda: model(n_heads=3), "not divisible"),
    ("config: odd d_model", lambda: model(d_model=15, n_heads=3), "must be even"),
    ("config: no layers", lambda: model(n_layers=0), "n_layers must be"),
    ("config: half a layer", lambda: model(n_layers=1.5), "whole number"),
    ("config: dropout", lambda: model(dropout=1.0), "dropout is a share"),
    ("config: empty vocabulary", lambda: tl.TransformerConfig(0, 5), "source_vocab_size"),
    ("config: no room for <eos>", lambda: tl.TransformerConfig(11, 2), "target_vocab_size must be"),
    ("id too large", lambda: model()(ids(1, 3, value=11), ids(1, 3)), "vocabulary from 0 to 10"),
    ("target id too large", lambda: model()(ids(1, 3), ids(1, 3, value=13)), "vocabulary from 0 to 12"),
    ("negative id", lambda: model()(ids(1, 3, value=-1), ids(1, 3)), "ids run from -1"),
    ("sentence too long", lambda: model()(ids(1, 9), ids(1, 3)), "max_length=8"),
    ("target too long", lambda: model()(ids(1, 3), ids(1, 9)), "max_length=8"),
    ("no tokens", lambda: model()(ids(1, 3), ids(1, 0)), "at least one token"),
    ("batches differ", lambda: model()(ids(2, 3), ids(3, 3)), "same number of sentences"),
    ("float ids", lambda: model()(torch.ones(1, 3), ids(1, 3)), "integers"),
    ("ids of one sentence", lambda: model()(ids(3), ids(3)), "(batch, length)"),
    ("ids elsewhere", lambda: model()(ids(1, 3).to("meta"), ids(1, 3).to("meta")), "move one with .to()"),
    ("beam 0", lambda: tl.beam_search(model(), ids(1, 3), beam=0), "at least 1"),
    ("decode for ever", lambda: tl.greedy_decode(model(), ids(1, 3), 9), "between 1 and the model's 8"),
    ("step 0", lambda: tl.noam_schedule(0), "count from 1"),
    ("no warm-up", lambda: tl.noam_schedule(1, warmup=0), "count from 1"),
    ("a word twice", lambda: tl.Vocabulary(["a", "b", "a"]), "['a']"),
    ("a special word", lambda: tl.Vocabulary(["<eos>"]), "['<eos>']"),
    ("no tokens", lambda: tl.Vocabulary(["Bier"]).encode(None), "give a list of tokens, which are strings; got None"),
    ("no words", lambda: tl.Vocabulary(None), "a list of texts is needed; got None"),
    ("unknown word", lambda: tl.Vocabulary(["Bier"]).encode(["Bier", "Käse"]), "'Käse' (position 1)"),
    ("unknown id", lambda: tl.Vocabulary(["Bier"]).decode([5]), "vocabulary from 0 to 4"),
    ("negative id of a word", lambda: tl.Vocabulary(["Bier"]).decode([-1]), "ids run from -1"),
    ("vocabulary of another model", lambda: tl.Translator(model(), *[tl.Vocabulary(["a"])] * 2), "made for 11"),
    ("no sentence", lambda: train_two_sentences(progress=False)[0].translate("  "), "at least one word"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "message"), [case[1:] for case in BAD], ids=[case[0] for case in BAD]
)
def test_bad_input_is_refused_in_words(call, message):
    with pytest.raises((ValueError, IndexError)) as caught:
        call()
    assert message in str(caught.value)


def test_autocast_is_not_blamed_for_a_mask():
    x = rand(2, 4, 16).bfloat16()
    with torch.autocast("cpu"):
        attention(x, x, x, need_weights=False)
        with pytest.raises(ValueError, match=r"mask of shape \(3, 3\) does not broadcast"):
            attention(x, x, x, torch.ones(3, 3).bool())
    with pytest.raises(ValueError, match="move one to the other"):
        attention(x, x, x)


@pytest.mark.parametrize(
    "mask", [None, torch.tensor(True), mask_of_ones.bool(), torch.ones(2, 1, 1, 4).bool()]
)
@pytest.mark.parametrize("need_weights", [True, False])
def test_an_error_that_is_not_the_inputs_is_passed_on(monkeypatch, need_weights, mask):
    def failing(*_):
        raise RuntimeError("not enough memory")

    monkeypatch.setattr(attention_module, "masked_softmax", failing)
    monkeypatch.setattr(attention_module.nn.functional, "scaled_dot_product_attention", failing)
    x, heads = rand(2, 4, 16), rand(2, 2, 4, 8)
    calls = [
        lambda: attention(x, x, x, mask, need_weights=need_weights),
        lambda: dot(heads, heads, heads, mask),
        lambda: tl.AdditiveAttention(8, 8, 8)(heads, heads, heads, mask),
    ]
    for call in calls:
        with pytest.raises(RuntimeError, match="not enough memory"):
            call()
