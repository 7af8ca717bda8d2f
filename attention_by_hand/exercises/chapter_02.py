"""Query, key and value by hand."""

import numpy as np

from ..exhibits.walkthrough import BIAS, PRINTED, SENTENCES, TABLE, WEIGHT
from . import array, close, exercise, expect, mistake, numbers

X = np.array([[TABLE[word] for word in sentence] for sentence in SENTENCES])  # (2, 3, 4)
W = np.array(WEIGHT)
B = np.array(BIAS)


def softmax(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


numbers(
    "2.1",
    (2.81, 0.643),
    within=4e-3,
    nearly=(0.06, "nearly: give two digits after the point."),
    mistakes={
        (11.23, None): "that is the sum of the sixteen products; the score is a quarter of it.",
        (1.7, None): "those are two products of sixteen; the other fourteen make 4.42 together.",
        (1.35, None): "minus times minus is plus: the product at place 5 adds to the sum.",
        (None, 0.033): "that is its share beside “zugemacht”, whose power is no longer in the sum.",
        (None, 0.57): "those are shares of the scores; the softmax takes powers of them first.",
        (None, 0.667): "“nicht” is not the only one left: six others have 0.9 together.",
        (None, 64.3): "give a share of 1, not per cent.",
    },
    otherwise=(
        "multiply query and key of “Tür” at the places 5 and 7, add 4.42, and divide by 4.",
        "divide the power of the score of “Tür” by the sum of all powers that are left.",
    ),
    asks=("score", "share"),
)


@exercise("2.2")
def softmax_of_rows(answer):
    scores = np.array(PRINTED["scaled", 8])
    weights = array(answer(scores.copy()), scores.shape)
    total = weights.sum()
    expect(
        not close(weights.sum(axis=-2), 1) or close(weights.sum(axis=-1), 1),
        "your columns sum to 1. A row is one query sharing itself out among the keys: the sum runs "
        "along the last axis.",
    )
    expect(
        not close(weights.sum(axis=(-2, -1)), 1) and not close(total, 1),
        f"all your weights together sum to 1, so each row sums to about {weights[0, 0].sum():.2f}. "
        "The sum runs along the last axis only; keepdims=True keeps the shapes fitting.",
    )
    expect(
        close(weights.sum(axis=-1), 1),
        f"your rows should sum to 1; the first sums to {weights[0, 0].sum():.4f}.",
    )
    expect(
        close(weights, softmax(scores)),
        "your rows sum to 1, but softmax takes exp() of each score first, and whatever is "
        "subtracted before that must be the same for a whole row.",
    )
    big = np.array([[1000.0, 1001.0, 0.0, 0.0], [1000.0, 0.0, 0.0, 0.0], [3.0, 2.0, 1.0, 0.0]])
    weights = array(answer(big.copy()), big.shape)
    expect(
        np.isfinite(weights).all(),
        "right for small scores, but exp(1000) overflows, and a row of exp(-1000) alone sums to 0. "
        "Subtract from each row its own largest score first: the result is the same.",
    )
    expect(
        close(weights, softmax(big)),
        "nothing overflows, but scores of 1000 and 1001 now get the wrong shares.",
    )


@mistake("2.2", "columns sum to 1")
def _(s):
    p = np.exp(s)
    return p / p.sum(axis=-2, keepdims=True)


@mistake("2.2", "all your weights together")
def _(s):
    p = np.exp(s)
    return p / p.sum(axis=(-2, -1), keepdims=True)


mistake("2.2", "exp() of each score", lambda s: s / s.sum(axis=-1, keepdims=True))
mistake("2.2", "your rows should sum to 1; the first", np.exp)


@mistake("2.2", "overflows")
def _(s):
    p = np.exp(s)
    return p / p.sum(axis=-1, keepdims=True)


@mistake("2.2", "wrong shares")
def _(s):
    p = np.exp(np.clip(s, -50, 50))
    return p / p.sum(axis=-1, keepdims=True)


@exercise("2.3")
def self_attention(answer):
    query = X @ W.T + B
    expected = softmax(query @ query.transpose(0, 2, 1) / 2) @ query
    output = answer(X.copy(), W.copy(), B.copy())
    expect(not isinstance(output, tuple), "return the output alone, without the weights.")
    output = array(output, expected.shape)
    for wrong, hint in (
        (
            softmax(query @ query.transpose(0, 2, 1)) @ query,
            "you left out the division by √d_k, here 2.",
        ),
        (
            softmax(query @ query.transpose(0, 2, 1) / 4) @ query,
            "you divided by d_k = 4; it is its square root, 2.",
        ),
        (
            softmax(query @ query.transpose(0, 2, 1) / 2) @ X,
            "the weights average the rows of V, not the words x.",
        ),
        (
            softmax(query @ query.transpose(0, 2, 1) / 2, -2) @ query,
            "your softmax runs down the columns; use the last axis.",
        ),
    ):
        expect(not close(output, wrong), hint)
    untransposed = X @ W + B
    wrong = softmax(untransposed @ untransposed.transpose(0, 2, 1) / 2) @ untransposed
    expect(
        not close(output, wrong),
        "you computed x W + b. The rule of this chapter, and of nn.Linear, is x Wᵀ + b.",
    )
    expect(
        close(output, expected),
        "not yet the source's numbers. Compare Q, scores, weights and output one after another.",
    )
    draw = np.random.default_rng(0).normal
    other = draw(size=(2, 5, 9))
    other_weight = draw(size=(8, 9)) / 3
    other_bias = draw(size=8)
    query = other @ other_weight.T + other_bias
    scores = query @ query.transpose(0, 2, 1)
    output = array(answer(other.copy(), other_weight.copy(), other_bias.copy()), (2, 5, 8))
    expect(
        not close(output, softmax(scores / 3) @ query, 1e-5),
        "you divided by the root of 9, the numbers of a word; "
        "d_k counts the numbers of a query, here 8.",
    )
    expect(
        close(output, softmax(scores / np.sqrt(8)) @ query, 1e-5),
        "right for this example, but not for five words of nine numbers and queries of eight: is "
        "the 2 in your code √d_k in general?",
    )


@mistake("2.3", "left out the division")
def _(x, weight, bias):
    q = x @ weight.T + bias
    return softmax(q @ q.transpose(0, 2, 1)) @ q


@mistake("2.3", "not the words x")
def _(x, weight, bias):
    q = x @ weight.T + bias
    return softmax(q @ q.transpose(0, 2, 1) / 2) @ x


@mistake("2.3", "x W + b")
def _(x, weight, bias):
    q = x @ weight + bias
    return softmax(q @ q.transpose(0, 2, 1) / 2) @ q


@mistake("2.3", "√d_k in general")
def _(x, weight, bias):
    q = x @ weight.T + bias
    return softmax(q @ q.transpose(0, 2, 1) / 2) @ q


@mistake("2.3", "the numbers of a word")
def _(x, weight, bias):
    q = x @ weight.T + bias
    return softmax(q @ q.transpose(0, 2, 1) / np.sqrt(x.shape[-1])) @ q


@mistake("2.3", "without the weights")
def _(x, weight, bias):
    q = x @ weight.T + bias
    weights = softmax(q @ q.transpose(0, 2, 1) / np.sqrt(len(bias)))
    return weights @ q, weights


@mistake("2.3", "it is its square root")
def _(x, weight, bias):
    q = x @ weight.T + bias
    return softmax(q @ q.transpose(0, 2, 1) / len(bias)) @ q


@mistake("2.3", "down the columns")
def _(x, weight, bias):
    q = x @ weight.T + bias
    return softmax(q @ q.transpose(0, 2, 1) / np.sqrt(len(bias)), axis=-2) @ q


@mistake("2.3", "one after another")
def _(x, weight, bias):
    q = x @ weight.T
    return softmax(q @ q.transpose(0, 2, 1) / np.sqrt(len(bias))) @ q


numbers(
    "2.4",
    0.12,
    within=1e-6,
    mistakes={
        0.08: "that is the row with too much. A row sum may also be less than 1, and here it is "
        "farther from it.",
        0.3: "that is how far the row sum is from 1. "
        "It multiplies b: which entry of b suffers most?",
        0.03: "the largest entry of b is the one that is farthest from 0, whatever its sign.",
        0.48: "count only what is too much: a row sum of 1.2 exceeds 1 by 0.2.",
        0.28: "count only what is missing: a row sum of 0.7 falls short of 1 by 0.3.",
        -0.12: "the size is right; how far apart two numbers are has no sign.",
        0.15: "each entry of b makes a gap of its own; do not add them up.",
    },
    otherwise="expand A(xWᵀ + b) row by row: it is (Ax)Wᵀ + (sum of the row) · b.",
)


@exercise("2.5")
def cosine_attention(answer):
    query = X @ W.T + B
    weights = array(answer(query.copy(), query.copy()), (2, 3, 3))
    expect(
        close(weights.sum(-1), 1),
        "the rows of your weights should sum to 1: end with a softmax over the last axis.",
    )
    unit = query / np.linalg.norm(query, axis=-1, keepdims=True)
    expect(
        not close(weights, softmax(query @ unit.transpose(0, 2, 1))),
        "you normalised the keys only. That is enough to change the winner, but a cosine needs "
        "both lengths gone.",
    )
    expect(
        not close(weights, softmax(query @ query.transpose(0, 2, 1))),
        "those are plain dot products: divide every query and every key by its length first.",
    )
    wrong = query / np.linalg.norm(query, axis=-2, keepdims=True)
    expect(
        not close(weights, softmax(wrong @ wrong.transpose(0, 2, 1))),
        "you divided each column by its length. "
        "A word is a row: take the norm along the last axis.",
    )
    expect(
        close(weights, softmax(unit @ unit.transpose(0, 2, 1))),
        "score = cosine of query and key, then softmax; no √d_k.",
    )
    key = np.random.default_rng(0).normal(size=(2, 5, 4))
    expected = softmax(
        unit @ (key / np.linalg.norm(key, axis=-1, keepdims=True)).transpose(0, 2, 1)
    )
    expect(
        close(array(answer(query.copy(), key.copy()), (2, 3, 5)), expected),
        "right where query and key are the same, but not for five other keys.",
    )


mistake("2.5", "plain dot products", lambda q, k: softmax(q @ k.transpose(0, 2, 1)))


@mistake("2.5", "keys only")
def _(q, k):
    k = k / np.linalg.norm(k, axis=-1, keepdims=True)
    return softmax(q @ k.transpose(0, 2, 1))


@mistake("2.5", "each column")
def _(q, k):
    k = k / np.linalg.norm(k, axis=-2, keepdims=True)
    return softmax(k @ k.transpose(0, 2, 1))


@mistake("2.5", "shape should be (2, 3, 5)")
def _(q, k):
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return softmax(q @ q.transpose(0, 2, 1))


@mistake("2.5", "end with a softmax")
def _(q, k):
    q, k = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (q, k))
    return q @ k.transpose(0, 2, 1)


@mistake("2.5", "no √d_k")
def _(q, k):
    q, k = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (q, k))
    return softmax(q @ k.transpose(0, 2, 1) / 2)
