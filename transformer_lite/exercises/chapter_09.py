"""Reading attention."""

import math
from types import SimpleNamespace

import torch

from . import answered, array, close, exercise, expect


@exercise("9.1")
def who_is_looked_at_most(answer):
    torch.manual_seed(0)
    maps = [torch.rand(1, 3, 4, 5).softmax(-1) for _ in range(2)]
    result = SimpleNamespace(
        source_tokens=list("abcde"),
        tokens=list("wxyz"),
        decoder_tokens=list("vwxy"),
        attention=SimpleNamespace(cross=maps),
    )
    found = list(answered(answer(result, 1, 2)))
    expect(
        len(found) == 4,
        f"the decoder takes 4 steps here, so the list has 4 tokens; yours has {len(found)}. A row is a query.",
    )
    expect(not isinstance(found[0], int | torch.Tensor), "those are positions; look their tokens up in source_tokens.")
    expect(
        all(t in "abcde" for t in found), "cross-attention has *source* tokens as keys, so the answer is made of those."
    )
    expect(
        found != [result.source_tokens[i] for i in maps[1][0, 2].argmin(-1).tolist()], "those get the *least* weight."
    )
    expect(
        found == [result.source_tokens[i] for i in maps[1][0, 2].argmax(-1).tolist()],
        "take the map of the layer and head asked for, cross[layer][0, head], and the largest weight of each row.",
    )


@exercise("9.2")
def how_flat_is_a_map(answer):
    flat, sharp = torch.full((2, 4), 0.25), torch.eye(4)
    mixed = torch.tensor([[[0.5, 0.5, 0.0, 0.0], [0.7, 0.1, 0.1, 0.1]]])
    found = array(answer(sharp))
    expect(
        torch.tensor(found).isfinite().all(),
        "0 · ln 0 came out as nan, and it should count as 0: torch.xlogy(p, p) does.",
    )
    expect(not close(array(answer(flat)), math.log(4)), "that is the entropy itself; divide it by its maximum, ln T_k.")
    expect(not close(array(answer(flat)), -1), "the sign: ln p is negative, so the sum needs a minus.")
    expect(close(array(answer(flat), (2,)), 1), "a row that looks at all keys alike should give 1.")
    expect(close(found, 0), "a row that looks at one key should give 0.")
    entropy = -torch.xlogy(mixed, mixed).sum(-1) / math.log(4)
    expect(close(array(answer(mixed), (1, 2)), entropy, 1e-5), "right for flat and for sharp rows, not in between.")


@exercise("9.3")
def detect_swapped_labels(answer):
    torch.manual_seed(0)
    tokens = list("abcd")
    right = torch.rand(4, 4).masked_fill(~torch.ones(4, 4, dtype=torch.bool).tril(), -math.inf).softmax(-1)
    expect(answered(answer(right, tokens)), "you refused a map that is right: causal, with rows that sum to 1.")
    expect(not answer(torch.rand(4, 4).softmax(-1), tokens), "you accepted a map whose queries look at the future.")
    expect(not answer(right.T, tokens), "you accepted a map with queries and keys swapped: its columns sum to 1.")
    expect(not answer(1.1 * right, tokens), "you accepted rows that sum to 1.1.")
    expect(not answer(right, tokens[:3]), "you accepted three tokens for a map of four.")
