"""Query, key and value by hand."""

import numpy as np

from ..walkthrough import BIAS, INVENTED_WEIGHTS, PRINTED, SENTENCES, TABLE, WEIGHT
from . import answered, array, close, exercise, expect

X = np.array([[TABLE[word] for word in sentence] for sentence in SENTENCES])  # (2, 3, 4)
W, B = np.array(WEIGHT), np.array(BIAS)


def softmax(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@exercise("2.1")
def red_meets_sun(answer):
    q = X[1] @ W.T + B
    value = array(answer, ())
    expect(not close(value, q[2] @ q[0] / 2, 5e-4), "that is already divided by 2; the score comes before the scaling.")
    expect(
        not close(value, q[1] @ q[0], 5e-4),
        "that is the score of 变 (turn). 红 (red) is the last word of its sentence: row 2.",
    )
    expect(
        not close(value, X[1, 2] @ X[1, 0], 5e-4), "those are the words themselves; a score multiplies rows of Q and K."
    )
    expect(not close(value, q[2] @ q[2], 5e-4), "that is 红 (red) with itself; the key is that of 太阳 (sun), row 0.")
    expect(close(value, q[2] @ q[0], 5e-5), "multiply the four numbers of Q's row 2 by those of K's row 0 and add up.")


@exercise("2.2")
def softmax_of_rows(answer):
    scores = np.array(PRINTED["scaled", 8])
    weights = array(answer(scores), scores.shape)
    total = weights.sum()
    expect(
        not close(weights.sum(axis=-2), 1) or close(weights.sum(axis=-1), 1),
        "your columns sum to 1. A row is one query sharing itself out among the keys: the sum runs along the "
        "last axis.",
    )
    expect(
        not close(weights.sum(axis=(-2, -1)), 1) and not close(total, 1),
        f"all your weights together sum to 1, so each row sums to about {weights[0, 0].sum():.2f}. "
        "The sum runs along the last axis only; keepdims=True keeps the shapes fitting.",
    )
    expect(close(weights.sum(axis=-1), 1), f"your rows should sum to 1; the first sums to {weights[0, 0].sum():.4f}.")
    expect(close(weights, softmax(scores)), "your rows sum to 1, but softmax takes exp() of each score first.")
    big = array(answer(np.array([[1000.0, 1001.0]])))
    expect(
        np.isfinite(big).all(),
        "right for small scores, but exp(1000) overflows. Subtract each row's largest score first: the result is "
        "the same.",
    )


@exercise("2.3")
def self_attention(answer):
    query = X @ W.T + B
    expected = softmax(query @ query.transpose(0, 2, 1) / 2) @ query
    output = array(answer(X, W, B), expected.shape)
    for wrong, hint in (
        (softmax(query @ query.transpose(0, 2, 1)) @ query, "you left out the division by √d_k, here 2."),
        (softmax(query @ query.transpose(0, 2, 1) / 4) @ query, "you divided by d_k = 4; it is its square root, 2."),
        (softmax(query @ query.transpose(0, 2, 1) / 2) @ X, "the weights average the rows of V, not the words x."),
        (
            softmax(query @ query.transpose(0, 2, 1) / 2, -2) @ query,
            "your softmax runs down the columns; use the last axis.",
        ),
    ):
        expect(not close(output, wrong), hint)
    untransposed = X @ W + B
    wrong = softmax(untransposed @ untransposed.transpose(0, 2, 1) / 2) @ untransposed
    expect(not close(output, wrong), "you computed x W + b. The rule of this chapter, and of nn.Linear, is x Wᵀ + b.")
    expect(
        close(output, expected),
        "not yet the source's numbers. Compare Q, scores, weights and output one after another.",
    )
    other = np.random.default_rng(0).normal(size=(1, 5, 9))
    other_weight = np.random.default_rng(1).normal(size=(9, 9))
    query = other @ other_weight.T
    expected = softmax(query @ query.transpose(0, 2, 1) / 3) @ query
    expect(
        close(array(answer(other, other_weight, np.zeros(9)), expected.shape), expected),
        "right for this example, but not for five words of nine numbers: is the 2 in your code √d_k in general?",
    )


@exercise("2.4")
def gap_of_invented_weights(answer):
    value = array(answer(np.array(INVENTED_WEIGHTS), B), ())
    expect(
        not close(value, 0.1, 1e-4),
        "that is how far the row sums are from 1. The surplus weight multiplies the bias: which entry of b "
        "suffers most?",
    )
    expect(
        not close(value, 1.1 * np.abs(B).max(), 1e-4), "count only what is too much: a row sum of 1.1 exceeds 1 by 0.1."
    )
    expect(
        close(value, 0.1 * np.abs(B).max(), 1e-6), "expand A(xWᵀ + b) row by row: it is (Ax)Wᵀ + (sum of the row)·b."
    )
    fair = np.full((2, 3, 3), 1 / 3)
    expect(
        close(array(answer(fair, B), ()), 0, 1e-9), "right here, but for weights whose rows sum to 1 it should be 0."
    )


@exercise("2.5")
def cosine_attention(answer):
    query = X @ W.T + B
    weights = array(answer(query, query), (2, 3, 3))
    expect(close(weights.sum(-1), 1), "the rows of your weights should sum to 1: end with a softmax.")
    unit = query / np.linalg.norm(query, axis=-1, keepdims=True)
    expect(
        not close(weights, softmax(query @ unit.transpose(0, 2, 1))),
        "you normalised the keys only. That is enough to change the winner, but a cosine needs both lengths gone.",
    )
    expect(
        not close(weights, softmax(query @ query.transpose(0, 2, 1))),
        "those are plain dot products: divide every query and every key by its length first.",
    )
    wrong = query / np.linalg.norm(query, axis=-2, keepdims=True)
    expect(
        not close(weights, softmax(wrong @ wrong.transpose(0, 2, 1))),
        "you divided each column by its length. A word is a row: take the norm along the last axis.",
    )
    expect(
        close(weights, softmax(unit @ unit.transpose(0, 2, 1))),
        "score = cosine of query and key, then softmax; no √d_k.",
    )
    answered(answer)
