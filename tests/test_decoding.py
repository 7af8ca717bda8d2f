"""Greedy decoding and beam search against decoding that recomputes everything and searches everything."""

import itertools
from functools import partial

import pytest
import torch
from test_model import random_ids, small_model

from transformer_lite import beam_search, greedy_decode, load_translator
from transformer_lite.data.grammar import splits
from transformer_lite.vocabulary import pad


def recompute(model, source, limit):
    """Greedy decoding in its plainest form: run the whole model again for every token, one sentence at a time."""
    sentences = []
    for row in source:
        row, ids = row[row != 0][None], torch.tensor([[model.config.bos_id]])
        while ids.size(1) <= limit and ids[0, -1] != model.config.eos_id:
            ids = torch.cat((ids, model(row, ids)[:, -1:].argmax(-1)), dim=1)
        sentences.append(ids[0, 1:].tolist())
    return sentences


def ends(row, eos_id=2):
    return row[: row.index(eos_id) + 1] if eos_id in row else row


@pytest.mark.parametrize("seed", range(4))
def test_greedy_equals_recomputing_every_prefix(seed):
    model = small_model(seed=seed).eval()
    source = random_ids(4, 7, 11, seed=seed)
    with torch.no_grad():
        expected = recompute(model, source, 8)
    assert [ends(row) for row in greedy_decode(model, source, 8).tolist()] == expected


@pytest.mark.parametrize("decode", [greedy_decode, partial(beam_search, beam=1)])
def test_a_trained_model_ends_its_sentences_and_pads_behind_them(decode):
    """A random model hardly ever ends by itself."""
    translator = load_translator()
    model, vocabulary = translator.model, translator.source_vocabulary
    source = pad([vocabulary.encode(vocabulary.tokenize(pair[0])) for pair in splits().unseen[:12]])
    with torch.no_grad():
        expected = recompute(model, source, 20)
    longest = max(map(len, expected))
    assert all(row[-1] == 2 for row in expected) and min(map(len, expected)) < longest
    assert decode(model, source, max_length=20).tolist() == [row + [0] * (longest - len(row)) for row in expected]


@pytest.mark.parametrize("seed", range(8))
def test_no_model_writes_padding_inside_a_sentence(seed):
    model = small_model(seed=seed).eval()
    model.output.weight.data[0] = 5 * model.output.weight.data[3]  # without a rule against it, it would often be chosen
    ids = greedy_decode(model, random_ids(4, 7, 11, seed=seed), 8).tolist()
    assert all(0 not in ends(row) for row in ids)
    assert [ends(row) for row in beam_search(model, random_ids(4, 7, 11, seed=seed), 1, 8).tolist()] == [
        ends(row) for row in ids
    ]


def test_the_mode_is_kept():
    model = small_model().train()
    assert greedy_decode(model, random_ids(3, 5, 11), 8).dtype == torch.int64
    assert model.training


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


def test_one_beam_is_greedy_and_sentences_do_not_disturb_each_other():
    model = small_model(seed=1).eval()
    model.output.weight.data[2] *= 2
    source = random_ids(4, 7, 11)
    greedy, one = greedy_decode(model, source, 9), beam_search(model, source, beam=1, max_length=9)
    assert [ends(r) for r in greedy.tolist()] == [ends(r) for r in one.tolist()]
    together = beam_search(model, source, beam=3, max_length=9)
    for i, row in enumerate(source):
        alone = beam_search(model, row[row != 0][None], beam=3, max_length=9)
        assert ends(together[i].tolist()) == ends(alone[0].tolist())


BAD_CALLS = [
    lambda model, ids: beam_search(model, ids, beam=0),
    lambda model, ids: greedy_decode(model, ids, 0),
    lambda model, ids: greedy_decode(model, ids, 13),
    lambda model, ids: greedy_decode(model, ids.float()),
]


@pytest.mark.parametrize("call", BAD_CALLS)
def test_bad_arguments_are_refused(call):
    with pytest.raises(ValueError):
        call(small_model(), random_ids(1, 3, 11))
