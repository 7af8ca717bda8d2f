"""Keys and values from a latent are what they say, and the stored numbers are theirs."""

import json

import pytest
import torch
from conftest import ROOT, program

from transformer_lite.cache import KeyValueCache
from transformer_lite.masks import causal_mask

latent = program("latent")
STORED = json.loads(
    (ROOT / "attention_by_hand" / "exhibits" / "latent.json").read_text(encoding="utf-8")
)


@torch.no_grad()
def test_the_cache_keeps_a_latent_and_a_turned_key(latent):
    torch.manual_seed(0)
    model = latent.from_latent(24, 8).eval()
    attention = model.layers[0].attention
    x = torch.randn(2, 7, 64)
    whole, _ = attention(x, causal_mask(7), model.positions)
    cache = KeyValueCache()
    mask = causal_mask(7)
    steps = [
        attention(x[:, t : t + 1], mask[t : t + 1, : t + 1], model.positions, cache)[0]
        for t in range(7)
    ]
    torch.testing.assert_close(torch.cat(steps, 1), whole, atol=1e-5, rtol=1e-4)
    assert cache.keys.shape == (2, 1, 7, 24)
    assert cache.values.shape == (2, 1, 7, 8)
    assert cache.keys[0, 0, 0].numel() + cache.values[0, 0, 0].numel() == STORED["latent"]["kept"]


@torch.no_grad()
def test_the_keys_matrix_can_be_moved_to_the_query():
    torch.manual_seed(0)
    w_k = torch.randn(16, 24)
    q = torch.randn(16)
    c = torch.randn(24)
    torch.testing.assert_close(q @ (w_k @ c), (w_k.T @ q) @ c, atol=1e-4, rtol=1e-4)


@torch.no_grad()
def test_a_shared_head_is_a_latent_that_all_heads_copy():
    torch.manual_seed(0)
    heads, d = 4, 16
    q = torch.randn(heads, 5, d)
    k, v = torch.randn(2, 5, d)
    shared = (q @ k.T).softmax(-1) @ v
    c = torch.cat((k, v), -1)
    first_half = torch.eye(2 * d)[:d].expand(heads, -1, -1)
    second_half = torch.eye(2 * d)[d:].expand(heads, -1, -1)
    from_latent = (q @ (first_half @ c.T)).softmax(-1) @ (second_half @ c.T).transpose(1, 2)
    torch.testing.assert_close(shared, from_latent)


@torch.no_grad()
def test_a_turn_stands_between_the_query_and_the_matrix(latent):
    """The pencil's example: for each distance another query meets the latent."""
    w_k = torch.tensor([[1.0, 1.0], [0.0, 2.0]])
    c = torch.tensor([1.0, 2.0])
    q = torch.tensor([3.0, 1.0])
    quarter = torch.tensor([[0.0, -1.0], [1.0, 0.0]])
    moved = []
    for steps in range(4):
        moved.append((w_k.T @ q).tolist())
        key = w_k @ c
        for _ in range(steps):
            key = quarter.T @ key
        assert torch.tensor([3.0, 1.0]) @ key == torch.tensor(moved[-1]) @ c
        q = quarter @ q
    assert moved == [[3, 5], [-1, 5], [-3, -5], [1, -5]]


def test_the_stored_sizes_are_those_of_the_models(latent):
    assert list(STORED) == list(latent.KINDS)
    for name, (kept, make) in latent.KINDS.items():
        row = STORED[name]
        assert row["kept"] == kept
        assert row["weights"] == sum(weight.numel() for weight in make().parameters())
        assert len(row["unseen"]) == len(row["compositional"]) <= len(latent.SEEDS)


def test_four_heads_are_the_rotary_model_of_the_other_changes(latent):
    others = json.loads(latent.KEPT.with_name("variants.json").read_text(encoding="utf-8"))
    assert STORED["4 key heads"] == {"kept": 128, **others["changes"]["rotary"]}


@pytest.mark.weekly
def test_the_stored_shares_come_from_this_code(latent):
    """One of the models, since all are trained alike."""
    _, make = latent.KINDS["latent"]
    shares = latent.measure(make, seed=0)
    assert shares["unseen"] == pytest.approx(STORED["latent"]["unseen"][0], abs=3)


def test_the_story_of_the_latent():
    """At equal cache nothing shows, and four heads of their own do better than both."""
    n = len(STORED["latent"]["compositional"])
    assert n >= 5
    mean = {name: sum(row["compositional"][:n]) / n for name, row in STORED.items()}
    assert abs(mean["latent"] - mean["1 key head"]) < 5
    assert max(mean["latent"], mean["1 key head"]) + 2 < mean["4 key heads"]
