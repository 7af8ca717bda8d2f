"""Keys and values from a latent are what they say, and the stored numbers are theirs."""

import json

import pytest
from conftest import ROOT, program

latent = program("latent")
STORED = json.loads(
    (ROOT / "attention_by_hand" / "exhibits" / "latent.json").read_text(encoding="utf-8")
)


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
