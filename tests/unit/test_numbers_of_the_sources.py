"""Numbers that the paper and the tutorials state, found again in what the package computes."""

import pytest
import torch

from transformer_lite import scaled_dot_product_attention, sinusoidal_encoding


def scores_of(weights):
    """The score of a key beside a key of zeros, whose score is 0, from the two weights."""
    return (weights[..., 0] / weights[..., 1]).log()


@pytest.mark.parametrize("d_k", [2, 64, 256])
def test_scores_vary_by_d_k_and_scaled_ones_by_1(d_k):
    generator = torch.Generator().manual_seed(d_k)
    raw, scaled = [], []
    for _ in range(8):
        q, k = torch.randn(2, 10_000, 1, d_k, generator=generator, dtype=torch.float64)
        keys = torch.cat((k, torch.zeros_like(k)), dim=1)  # (10000, 2, d_k)
        _, weights = scaled_dot_product_attention(q, keys, keys)
        scaled.append(scores_of(weights))
        # An unscaled score of 100 leaves nothing of the other weight, so look at a hundredth of it.
        _, weights = scaled_dot_product_attention(q, keys, keys, scale=0.01)
        raw.append(100 * scores_of(weights))
    assert abs(torch.cat(raw).var().item() / d_k - 1) < 0.02
    assert abs(torch.cat(scaled).var().item() - 1) < 0.02


def test_all_positions_are_equally_long():
    table = sinusoidal_encoding(1024, 512)
    assert (table.double() ** 2).sum(-1).sub(256).abs().max() < 1e-3
    assert table[1, [0, 1, 2, 3, 510, 511]].tolist() == pytest.approx(
        [0.84147098, 0.54030231, 0.82185619, 0.56969501, 0.00010366, 0.99999999], abs=1e-7
    )
