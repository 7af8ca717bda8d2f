"""The decoder alone: torch's numbers, a cache that changes nothing, and draws from what it says."""

import itertools
import math
import sys

import pytest
import torch
from torch import nn

from transformer_lite import Vocabulary, causal_mask
from transformer_lite.decoder_only import (
    DecoderOnly,
    new_cache,
    probabilities,
    question_and_answer,
    write,
)
from transformer_lite.language_model import LanguageModel
from transformer_lite.training import loss_function
from transformer_lite.vocabulary import BOS_ID, EOS_ID, PAD_ID

SIZES = dict(d_model=16, d_ff=40, n_layers=3, n_heads=4)
IDS = torch.tensor([[5, 9, 4, 7, 7, 11], [4, 6, 10, 8, 5, 4]])


def make(seed=0, **changes):
    torch.manual_seed(seed)
    return DecoderOnly(12, **SIZES | changes).double()


def in_torch(model, norm_first):
    """torch's encoder with the same weights; under a causal mask it is a decoder alone."""
    layer = nn.TransformerEncoderLayer(
        16, 4, 40, dropout=0.0, batch_first=True, norm_first=norm_first
    )
    norm = nn.LayerNorm(16) if norm_first else None
    stack = nn.TransformerEncoder(layer, 3, norm, enable_nested_tensor=False).double()
    for theirs, ours in zip(stack.layers, model.layers, strict=True):
        attention = ours.self_attention
        parts = [attention.w_q, attention.w_k, attention.w_v]
        theirs.self_attn.in_proj_weight.data = torch.cat([part.weight for part in parts])
        theirs.self_attn.in_proj_bias.data.zero_()
        theirs.self_attn.out_proj.weight.data = attention.w_o.weight.data
        theirs.self_attn.out_proj.bias.data.zero_()
        theirs.linear1.load_state_dict(ours.feed_forward[0].state_dict())
        theirs.linear2.load_state_dict(ours.feed_forward[2].state_dict())
        theirs.norm1.load_state_dict(ours.norm1.state_dict())
        theirs.norm2.load_state_dict(ours.norm2.state_dict())
    return stack


@pytest.mark.parametrize("norm_first", [False, True])
def test_it_is_torchs_encoder_under_a_causal_mask(norm_first):
    model = make(norm_first=norm_first)
    for weight in model.norm.parameters():
        nn.init.normal_(weight)
    stack = in_torch(model, norm_first)
    if norm_first:
        stack.norm.load_state_dict(model.norm.state_dict())
    x = model.embedding(IDS) * 4 + model.positions[:6]
    expected = model.output(stack(x, mask=~causal_mask(6)))
    torch.testing.assert_close(model(IDS), expected)


def test_no_place_depends_on_a_later_one_and_padding_changes_nothing():
    model = make()
    other = IDS.clone()
    other[:, 4:] = 3
    torch.testing.assert_close(model(other)[:, :4], model(IDS)[:, :4], rtol=0, atol=0)
    padded = torch.cat((IDS, torch.full((2, 3), PAD_ID)), dim=1)
    torch.testing.assert_close(model(padded)[:, :6], model(IDS))


@pytest.mark.parametrize("steps", [[1] * 6, [6], [3, 3], [4, 1, 1]])
def test_with_a_cache_a_text_has_the_same_scores_and_maps(steps):
    model = make()
    whole, maps = model(IDS, return_attention=True)
    cache = new_cache(model)
    parts = [model(piece, cache=cache, return_attention=True) for piece in IDS.split(steps, dim=1)]
    torch.testing.assert_close(torch.cat([logits for logits, _ in parts], dim=1), whole)
    last = parts[-1][1]
    for found, expected in zip(last, maps, strict=True):
        torch.testing.assert_close(found, expected[:, :, -steps[-1] :])
        torch.testing.assert_close(found.sum(-1), torch.ones_like(found[..., 0]))


def test_a_pair_is_one_text_and_the_loss_counts_its_answer():
    vocabulary = Vocabulary(["ja", "nein", "yes", "no", "."])
    pairs = [("ja ja", "yes yes ."), ("nein", "no .")]
    texts, answers = question_and_answer(pairs, vocabulary)
    assert vocabulary.decode(texts[0]) == ["ja", "ja", "<bos>", "yes", "yes", "."]
    assert vocabulary.decode(answers[0]) == ["<pad>", "<pad>", "yes", "yes", ".", "<eos>"]
    assert vocabulary.decode(texts[1]) == ["nein", "<bos>", "no", ".", "<pad>", "<pad>"]
    assert vocabulary.decode(answers[1]) == ["<pad>", "no", ".", "<eos>", "<pad>", "<pad>"]
    _, all_of_it = question_and_answer(pairs, vocabulary, learn_question=True)
    assert vocabulary.decode(all_of_it[0]) == ["ja", "<bos>", "yes", "yes", ".", "<eos>"]


def test_it_learns_to_answer_and_writes_what_it_has_learnt():
    numbers = "eins zwei drei vier".split()
    answers = "one two three four".split()
    pairs = [
        (f"{numbers[i]} {numbers[j]}", f"{answers[j]} {answers[i]}")
        for i, j in itertools.product(range(4), repeat=2)
    ]
    vocabulary = Vocabulary([*numbers, *answers])
    torch.manual_seed(0)
    model = DecoderOnly(len(vocabulary), d_model=32, d_ff=64, n_layers=2, n_heads=4)
    texts, answer_ids = question_and_answer(pairs, vocabulary)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(150):
        loss = loss_function(model(texts), answer_ids)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    beginnings = texts[:, :3]  # two words and <bos>
    written = write(model, beginnings)
    assert [" ".join(vocabulary.decode(row[3:-1])) for row in written] == [b for _, b in pairs]
    assert (written[:, -1] == EOS_ID).all() and model.training


def uncached(model, beginning, longest):
    """The likeliest text, with the whole model run at every step."""
    ids = beginning
    while ids.size(1) < longest and EOS_ID not in ids[0, beginning.size(1) :]:
        logits = model(ids)[:, -1]
        logits[:, PAD_ID] = -torch.inf
        ids = torch.cat((ids, logits.argmax(-1, keepdim=True)), dim=1)
    return ids


@pytest.mark.parametrize("seed", range(8))
def test_what_is_written_together_is_what_is_written_alone_without_a_cache(seed):
    model = make(seed)
    written = write(model, IDS[:, :3], 20)
    for row, beginning in zip(written, IDS[:, :3], strict=True):
        alone = uncached(model, beginning[None], 20)[0]
        assert row[: len(alone)].tolist() == alone.tolist()
        assert (row[len(alone) :] == PAD_ID).all()


@pytest.mark.parametrize("longest", [3, 6])
@pytest.mark.parametrize("temperature", [0, 1.0])
def test_what_is_written_can_be_changed_and_learnt_from(longest, temperature):
    model = make()
    beginning = IDS[:, :3].int()
    written = write(model, beginning, longest, temperature=temperature)
    assert written.dtype == torch.int64
    written[:] = 4
    model(written).sum().backward()
    assert torch.equal(beginning, IDS[:, :3])


def test_what_may_be_drawn():
    logits = torch.tensor([2.0, 1.0, 4.0, 3.0]).double()
    shares = logits.softmax(-1)  # 0.087, 0.032, 0.644, 0.237
    torch.testing.assert_close(probabilities(logits), shares)
    torch.testing.assert_close(probabilities(logits, temperature=0.5), (2 * logits).softmax(-1))
    two = torch.tensor([0, 0, shares[2], shares[3]]).double()
    torch.testing.assert_close(probabilities(logits, top_k=2), two / two.sum())
    torch.testing.assert_close(probabilities(logits, top_p=0.7), two / two.sum())
    torch.testing.assert_close(
        probabilities(logits, top_p=0.6), torch.tensor([0.0, 0, 1, 0]).double()
    )
    torch.testing.assert_close(probabilities(logits, top_k=9, top_p=1.0), shares)
    # The temperature comes first: the share is one of what it makes.
    assert (probabilities(logits, top_p=0.8) > 0).sum() == 2
    assert (probabilities(logits, temperature=2.0, top_p=0.8) > 0).sum() == 3


def test_a_share_that_is_just_reached_is_enough():
    shares = probabilities(torch.tensor([0.5, 0.25, 0.25]).double().log(), top_p=0.5)
    assert shares.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize(
    ("temperature", "expected"),
    [(t, [0.0, 0, 1, 0]) for t in (5e-324, 1e-45, 1e-4)]
    + [(t, [1 / 3, 1 / 3, 1 / 3, 0]) for t in (1e39, sys.float_info.max)],
)
def test_any_finite_temperature_gives_shares(dtype, temperature, expected):
    logits = torch.tensor([1.0, 2.0, 3.0, -torch.inf], dtype=dtype)
    shares = probabilities(logits, temperature=temperature)
    assert shares.tolist() == pytest.approx(expected)
    for least in (dict(top_p=5e-324), dict(top_p=1e-300), dict(top_k=1)):
        kept = probabilities(logits, temperature=temperature, **least)
        assert kept.tolist() == [0, 0, 1, 0], "the likeliest is kept"


def test_unless_something_is_cut_every_token_may_be_drawn():
    torch.manual_seed(0)
    assert (probabilities(9 * torch.randn(50257)) > 0).all(), "though their sum is rounded"


def test_drawn_tokens_come_as_often_as_their_probability_says():
    model = make()
    beginning = IDS[:1, :3].expand(4000, 3)
    generator = torch.Generator().manual_seed(1)
    drawn = write(model, beginning, 4, temperature=1.0, top_k=5, generator=generator)[:, 3]
    logits = model(IDS[:1, :3])[0, -1].detach()
    logits[PAD_ID] = -torch.inf
    expected = probabilities(logits, top_k=5)
    counts = torch.bincount(drawn, minlength=12) / 4000
    assert (counts[expected == 0] == 0).all() and (counts > 0).sum() == 5
    torch.testing.assert_close(counts.double(), expected, atol=0.03, rtol=0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: probabilities(torch.zeros(4), temperature=0), "temperature"),
        (lambda: probabilities(torch.zeros(4), top_p=0), "top_p"),
        (lambda: probabilities(torch.zeros(4), top_k=0), "top_k"),
        (lambda: probabilities(torch.zeros(4), temperature=math.nan), "finite"),
        (lambda: probabilities(torch.zeros(4), temperature="1"), "temperature .* got '1'"),
        (lambda: probabilities(torch.zeros(4), top_p=math.nan), "top_p"),
        (lambda: probabilities(torch.tensor([0.0, math.nan])), "largest logit"),
        (lambda: write(make(), IDS, temperature=-0.5), "temperature"),
        (lambda: write(make(), IDS, top_k=0), "top_k"),
        (lambda: make(max_length=5)(IDS), "1 to 5 tokens"),
        (lambda: write(make(), IDS, 4), "max_length, which counts the beginning too.* least 6"),
        (lambda: write(make(), IDS, 999), "max_length.* at most 256; got 999"),
        (lambda: write(make(max_length=5), IDS), "beginning has 6 tokens.* reads at most 5"),
        (lambda: make()(IDS.double()), "int64 or int32"),
        (lambda: question_and_answer(["ja"], Vocabulary(["ja"])), "pair"),
    ],
)
def test_what_makes_no_sense_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_an_unknown_id_is_an_index_error():
    with pytest.raises(IndexError):
        make()(IDS + 99)
    assert BOS_ID in question_and_answer([("a", "a")], Vocabulary(["a"]))[0]


def test_where_a_text_gets_longer_than_what_is_read_its_first_half_is_forgotten(monkeypatch):
    read = []

    def to_the_end(model, ids, longest, **options):
        read.append(ids.size(1))
        return torch.cat((ids, ids.new_full((1, longest - ids.size(1)), 5)), dim=1)

    monkeypatch.setattr("transformer_lite.language_model.write", to_the_end)
    learner = LanguageModel(make(max_length=8), Vocabulary([*"abcdefgh"]))
    assert learner.write("a b", length=13) == "a b" + " b" * 13
    assert read == [3, 4, 4]  # with <bos>, then half of eight again and again
