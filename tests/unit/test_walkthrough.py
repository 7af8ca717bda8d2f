"""The worked example of chapters 1 and 2: every digit that its source printed."""

import numpy as np
import pytest
import torch

from attention_by_hand.exhibits.walkthrough import (
    BIAS,
    PRINTED,
    SENTENCES,
    TABLE,
    WEIGHT,
)
from transformer_lite import scaled_dot_product_attention


@pytest.fixture(scope="module")
def steps():
    x = torch.tensor(
        [[TABLE[word] for word in sentence] for sentence in SENTENCES], dtype=torch.float64
    )
    projection = torch.nn.Linear(4, 4).double()
    projection.weight.data = torch.tensor(WEIGHT, dtype=torch.float64)
    projection.bias.data = torch.tensor(BIAS, dtype=torch.float64)
    with torch.no_grad():
        query = projection(x)
        output, weights = scaled_dot_product_attention(query, query, query)
    scores = query @ query.transpose(1, 2)
    return {
        "Q": query,
        "scores": scores,
        "scaled": scores / 2,
        "weights": weights,
        "output": output,
    }


@pytest.mark.parametrize(("name", "decimals"), PRINTED)
def test_every_printed_digit(steps, name, decimals):
    printed = PRINTED[name, decimals]
    assert np.array_equal(steps[name].numpy().round(decimals), np.array(printed))
    assert np.array(printed).shape == steps[name].shape
