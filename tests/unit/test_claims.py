"""A claim says nothing where it holds, and shows a box and goes on where it does not."""

import numpy as np
import pytest
import torch

from attention_by_hand.claims import OTHERWISE, claim


@pytest.fixture
def shown(monkeypatch):
    shown = []
    monkeypatch.setattr("attention_by_hand.claims.display", shown.append)
    return shown


@pytest.mark.parametrize("holds", [True, np.bool_(True), torch.tensor(0.1) < 1, 1])
def test_what_holds_is_not_spoken_of(shown, holds):
    claim("hiding the noun changes nothing", holds, 0.1)
    assert shown == []


@pytest.mark.parametrize("holds", [False, np.bool_(False), torch.tensor(0.1) > 1])
def test_what_does_not_hold_is_shown_with_what_came_out(shown, holds):
    claim("less than <a tenth> is left", holds, torch.tensor(0.146831), 3, "beer")
    data, metadata = shown[0]._repr_mimebundle_()
    assert "less than &lt;a tenth&gt; is left" in data["text/html"]
    assert "less than <a tenth> is left" in data["text/plain"] == repr(shown[0])
    for text in data.values():
        assert "0.1468, 3, beer" in text
    assert metadata[OTHERWISE]["found"] == ["0.1468", "3", "beer"]


def test_a_claim_begins_with_its_words(shown):
    with pytest.raises(TypeError, match="begins with words, not with True"):
        claim(True, "hiding the noun changes nothing")
