"""Experts, norms of queries and keys, sinks: the stored numbers come from these programs."""

import json
from dataclasses import replace

import pytest
import torch
from conftest import ROOT, program

from transformer_lite import attention
from transformer_lite.variants import Decoder, Mixture
from transformer_lite.variants import attention as variants_attention

alone, experts = program("alone"), program("experts")
query_norms, sinks = program("query_norms"), program("sinks")
KEPT = ROOT / "attention_by_hand" / "exhibits"
EXPERTS, NORMS, SINKS = (
    json.loads((KEPT / f"{name}.json").read_text(encoding="utf-8"))
    for name in ("experts", "query_norms", "sinks")
)


def test_lists_have_a_number_for_each_seed(alone):
    lists: dict = {}
    for seed in (1, 2):
        alone.gather(lists, {"a": {"b": seed}, "c": [seed]})
    assert lists == {"a": {"b": [1, 2]}, "c": [[1], [2]]}


@pytest.mark.parametrize("top_k", [1, 2])
def test_side_by_side_is_a_mixture(top_k, experts):
    torch.manual_seed(0)
    model = experts.network(top_k=top_k)
    mixture = Mixture(experts.plan(experts.NARROW, model.router.experts))
    mixture.router = model.router
    for i, network in enumerate(mixture.networks):
        network[0].weight.data, network[0].bias.data = model.w_in[i].data, model.b_in[i].data
        network[2].weight.data, network[2].bias.data = model.w_out[i].data, model.b_out[i].data
    asked, _ = experts.facts(50, 0)
    assert torch.allclose(model(asked), mixture(asked), atol=1e-5)


def test_the_facts_were_learnt_by_this_code(experts):
    torch.manual_seed(0)
    asked, answers = experts.facts(800, 0)
    model = experts.train(experts.network(), asked, answers)
    stored = EXPERTS["facts"]["one narrow"]["800 facts"][0]
    assert experts.known(model, asked, answers) == pytest.approx(stored, abs=5)
    for name, shape in experts.MODELS.items():
        assert EXPERTS["weights"][name] == list(experts.held_and_used(experts.network(**shape)))


def test_the_scores_were_seen_by_this_code(query_norms):
    seen = query_norms.repeats(1, False, 0)
    stored = NORMS["repeats"]["1 times"]["without"]
    for name in ("loss", "score"):
        assert seen[name][0] == pytest.approx(stored[name][0][0], rel=0.1), name
    assert seen["loss elsewhere"] == pytest.approx(stored["loss elsewhere"][0], abs=0.01)


@pytest.mark.parametrize("changes", [{}, {"qk_norm": True}, {"positions": "waves"}])
def test_the_scores_seen_are_those_that_the_softmax_gets(changes, monkeypatch, query_norms, sinks):
    given = []

    def spy(scores, mask):
        given.append(scores.masked_fill(~mask, 0).abs().max().item())
        return attention.masked_softmax(scores, mask)

    monkeypatch.setattr(variants_attention, "masked_softmax", spy)
    model = Decoder(replace(sinks.SMALL, **changes))
    look = query_norms.Look(model.layers[0].attention)
    model(sinks.repeating(5, True, torch.Generator().manual_seed(0)))
    assert look.largest_score() == pytest.approx(given[-1], rel=1e-5)


def test_the_writer_was_asked_by_this_code(monkeypatch, sinks):
    monkeypatch.setattr(sinks, "UNSEEN", sinks.UNSEEN[:40])
    stored = SINKS["stored"]
    seen = sinks.stored()
    for layer, heads in seen["writer"].items():
        assert heads["first"] == pytest.approx(stored["writer"][layer]["first"], abs=0.05)
        assert heads["size"] == pytest.approx(stored["writer"][layer]["size"], abs=0.1)
    hidden = seen["writer, one place hidden"]
    assert hidden["none"]["right"] > hidden["first"]["right"] > hidden["second"]["right"]


def test_a_place_is_hidden_and_then_seen_again(sinks):
    model = Decoder(sinks.SMALL).eval()
    ids = torch.tensor([[5, 6, 7, 8]])
    look = sinks.Look(model.layers[0].attention)
    before = model(ids)
    with sinks.hidden(model, 0):
        model(ids)
    assert (look.weights[..., 1:, 0] == 0).all() and (look.weights[..., 0, 0] == 1).all()
    assert torch.equal(model(ids), before)


def test_a_letter_comes_again_after_its_mark(sinks):
    texts = sinks.repeating(50, True, torch.Generator().manual_seed(0))
    for row, place in (texts[:, :-1] == sinks.MARK).nonzero().tolist():
        assert texts[row, place - 1] == texts[row, place + 1] != sinks.MARK
    assert (texts[:, 0] == sinks.BOS_ID).all()
