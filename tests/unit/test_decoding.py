"""Greedy decoding and beam search against their definitions, which recompute everything."""

import itertools
import math
from functools import partial

import pytest
import torch
from test_model import random_ids, small_model

from transformer_lite import (
    beam_search,
    decoding,
    greedy_decode,
    greedy_decode_uncached,
    load_translator,
)
from transformer_lite.data.grammar import splits
from transformer_lite.decoding import _penalty
from transformer_lite.vocabulary import pad


def recompute(model, source, limit):
    """Greedy decoding of one sentence after another: what any batch must come to."""
    return [
        ends(greedy_decode_uncached(model, row[row != 0][None], limit)[0].tolist())
        for row in source
    ]


def ends(row, eos_id=2):
    return row[: row.index(eos_id) + 1] if eos_id in row else row


@pytest.mark.parametrize("seed", range(4))
def test_greedy_equals_recomputing_every_prefix(seed):
    model = small_model(seed=seed).eval()
    source = random_ids(4, 7, 11, seed=seed)
    expected = recompute(model, source, 8)
    assert [ends(row) for row in greedy_decode(model, source, 8).tolist()] == expected
    assert torch.equal(greedy_decode_uncached(model, source, 8), greedy_decode(model, source, 8))


def test_the_plainest_loop_is_the_argmax_of_the_models_own_scores():
    model = small_model(seed=2).eval()
    source = random_ids(3, 6, 11)
    written = greedy_decode_uncached(model, source, 6)
    scores = model(source, torch.cat((torch.ones(3, 1, dtype=torch.int64), written[:, :-1]), dim=1))
    scores[..., 0] = -torch.inf
    for row, best in zip(written.tolist(), scores.argmax(-1).tolist(), strict=True):
        assert ends(row) == best[: len(ends(row))]


@pytest.mark.parametrize(
    "decode", [greedy_decode, greedy_decode_uncached, partial(beam_search, beam=1)]
)
def test_a_trained_model_ends_its_sentences_and_pads_behind_them(decode):
    """A random model hardly ever ends by itself."""
    translator = load_translator()
    model, vocabulary = translator.model, translator.source_vocabulary
    source = pad([vocabulary.encode(vocabulary.tokenize(pair[0])) for pair in splits().unseen[:12]])
    expected = recompute(model, source, 20)
    longest = max(map(len, expected))
    assert all(row[-1] == 2 for row in expected) and min(map(len, expected)) < longest
    assert decode(model, source, max_length=20).tolist() == [
        row + [0] * (longest - len(row)) for row in expected
    ]


@pytest.mark.parametrize("seed", range(8))
def test_no_model_writes_padding_inside_a_sentence(seed):
    model = small_model(seed=seed).eval()
    # Without a rule against it, it would often be chosen
    model.output.weight.data[0] = 5 * model.output.weight.data[3]
    source = random_ids(4, 7, 11, seed=seed)
    rows = [ends(row) for row in greedy_decode(model, source, 8).tolist()]
    assert all(0 not in row for row in rows)
    for other in (greedy_decode_uncached(model, source, 8), beam_search(model, source, 1, 8)):
        assert [ends(row) for row in other.tolist()] == rows


@pytest.mark.parametrize("decode", [greedy_decode, greedy_decode_uncached, beam_search])
def test_what_is_written_can_be_changed_and_learnt_from(decode):
    model = small_model()
    source = random_ids(3, 5, 11)
    ids = decode(model, source, max_length=6)
    ids[:, -1] = 4
    model(source, ids).sum().backward()
    assert all(weight.grad is not None for weight in model.parameters())


@pytest.mark.parametrize("decode", [greedy_decode, greedy_decode_uncached, beam_search])
def test_ids_of_either_integer_are_read_and_int64_is_written(decode):
    model = small_model(seed=1).eval()
    source = random_ids(3, 5, 11)
    written = decode(model, source.int(), max_length=6)
    assert written.dtype == torch.int64 and torch.equal(
        written, decode(model, source, max_length=6)
    )


@pytest.mark.parametrize("decode", [greedy_decode, greedy_decode_uncached, beam_search])
def test_sentences_of_one_token_take_one_column(decode):
    model = small_model(seed=1).eval()
    model.decoder[
        -1
    ].norm3.weight.data.zero_()  # its output is the bias, so <eos> comes first whatever is read
    model.decoder[-1].norm3.bias.data = model.output.weight.data[2].clone()
    model.output.weight.data[2] *= 20
    assert decode(model, random_ids(3, 5, 11), max_length=6).tolist() == [[2]] * 3


@pytest.mark.parametrize("decode", [greedy_decode, beam_search])
def test_the_memory_is_projected_once_and_then_each_token(decode):
    model = small_model(seed=2).eval()
    source = random_ids(2, 5, 11)
    model.output.weight.data[2] = 0.0
    lengths = {"self": [], "cross": []}
    for name, kept in lengths.items():
        attention = getattr(model.decoder[1], f"{name}_attention")
        for projection in (attention.w_k, attention.w_v):
            projection.register_forward_pre_hook(
                lambda _, inputs, kept=kept: kept.append(inputs[0].size(1))
            )
    steps = decode(model, source, max_length=6).size(1)
    assert lengths == {"self": [1, 1] * steps, "cross": [5, 5]} and steps > 2


def test_the_length_penalty_is_that_of_the_paper_it_comes_from():
    """Wu et al. (2016), equation 14: 1 for a sentence of one token, and 2^α for one of seven."""
    assert _penalty(torch.tensor([1, 7]), 0.6).tolist() == pytest.approx([1.0, 2**0.6])


def log_probability(model, source, sentence):
    target = torch.tensor([[1, *sentence]])
    log_p = model(source, target[:, :-1]).log_softmax(-1)
    return log_p.gather(-1, target[:, 1:, None]).sum().item()


@pytest.mark.parametrize(("limit", "beam"), [(2, 13), (3, 13 * 13)])
@pytest.mark.parametrize("seed", [3, 5])
def test_a_beam_as_wide_as_everything_finds_the_best_sentence(limit, beam, seed):
    model = small_model(seed=seed).eval()
    source = random_ids(1, 4, 11, seed=seed)
    words = [w for w in range(13) if w not in (0, 2)]
    finished = [(*s, 2) for n in range(limit) for s in itertools.product(words, repeat=n)]
    with torch.no_grad():
        found = beam_search(model, source, beam, max_length=limit, length_penalty=0.0)
        best = max(finished, key=lambda s: log_probability(model, source, s))
    assert tuple(ends(found[0].tolist())) == best


def beam_by_definition(model, source, beam, limit, strength):
    """Beam search in lists: extend each beginning by each word, keep the best, rank what ended."""

    def score(tokens, total):
        return total / ((5 + len(tokens)) / 6) ** strength

    beams, ended = [((), 0.0)], []
    for _ in range(limit):
        candidates = [(tokens, total) for tokens, total in beams if 2 in tokens]
        for tokens, total in beams:
            if 2 not in tokens:
                log_p = model(source, torch.tensor([[1, *tokens]]))[0, -1].log_softmax(-1).tolist()
                candidates += [
                    ((*tokens, word), total + log_p[word]) for word in range(1, len(log_p))
                ]
        beams = sorted(candidates, key=lambda candidate: -score(*candidate))[:beam]
        ended += [candidate for candidate in beams if 2 in candidate[0]]
    return list(max(ended or beams, key=lambda candidate: score(*candidate))[0])


def test_a_sentence_that_ended_is_not_lost_when_those_that_pushed_it_out_end_worse(monkeypatch):
    model = small_model().eval()
    chances = torch.full((13, 13), 0.0)
    for before, after in {
        1: {2: 0.4, 4: 0.55},
        4: {5: 0.5, 6: 0.5},
        5: {2: 0.3},
        6: {2: 0.3},
    }.items():
        chances[before, 4:] = (1 - sum(after.values())) / 9
        for token, chance in after.items():
            chances[before, token] = chance
    monkeypatch.setattr(decoding, "new_cache", lambda model: [])
    monkeypatch.setattr(model, "decode", lambda ids, *_, **__: (chances.log()[ids], None, None))
    ranks = [
        math.log(p) / ((5 + n) / 6) ** 3
        for p, n in ((0.4, 1), (0.55 * 0.5, 2), (0.55 * 0.5 * 0.3, 3))
    ]
    assert ranks[1] > ranks[0] > ranks[2], "the second pushes the first out, and ends as the third"
    assert beam_search(model, random_ids(1, 4, 11), 2, 8, length_penalty=3).tolist() == [[2]]


def test_beam_search_is_its_definition():
    expected, found = {}, {}
    for seed in range(8):
        model = small_model(seed=seed).eval()
        # Sure of its words, and with a share for <eos> at every step: sentences of 1 to 6 tokens
        # compete.
        model.decoder[-1].norm3.bias.data[0] = 3.0
        model.output.weight.data *= 4
        model.output.weight.data[:, 0] = 0.0
        model.output.weight.data[2, 0] = 2 / 3
        for layer in model.decoder:  # what was written before counts beside the last word
            layer.self_attention.w_o.weight.data *= 2
        source = random_ids(3, 5, 11, seed=seed)
        for strength in (-10, 0.0, 0.6, 2.0, 10):
            with torch.no_grad():
                rows = [
                    beam_by_definition(model, row[row != 0][None], 3, 6, strength) for row in source
                ]
            expected[strength, seed] = rows
            ids = beam_search(model, source, 3, 6, length_penalty=strength)
            found[strength, seed] = [ends(row) for row in ids.tolist()]
    assert found == expected
    for strength in (0.6, 2.0):
        changed = [seed for seed in range(8) if expected[strength, seed] != expected[0.0, seed]]
        assert len(changed) >= 2, "a search that forgot the penalty would pass"


def test_one_beam_is_greedy_and_sentences_do_not_disturb_each_other():
    model = small_model(seed=1).eval()
    model.output.weight.data[2] *= 2
    source = random_ids(4, 7, 11)
    greedy = greedy_decode(model, source, 9)
    one = beam_search(model, source, beam=1, max_length=9)
    assert [ends(r) for r in greedy.tolist()] == [ends(r) for r in one.tolist()]
    together = beam_search(model, source, beam=3, max_length=9)
    for i, row in enumerate(source):
        alone = beam_search(model, row[row != 0][None], beam=3, max_length=9)
        assert ends(together[i].tolist()) == ends(alone[0].tolist())


def test_a_beam_is_a_whole_number_from_1_to_1000():
    model = small_model().eval()
    source = random_ids(1, 3, 11)
    assert len(beam_search(model, source, 1000, max_length=1)) == 1
    for beam in (0, 1001, 2.0, True):
        with pytest.raises(ValueError, match="beam"):
            beam_search(model, source, beam)
