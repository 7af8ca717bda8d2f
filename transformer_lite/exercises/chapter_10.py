"""Checks for chapter 10: how far, how deep, how dear."""

import torch

from ..attention import scaled_dot_product_attention
from ..masks import causal_mask
from . import answered, array, close, exercise, expect, mistake


@exercise("10.1")
def layers(answer):
    found = float(array(answer, ()))
    expect(found != 12, "a width of 5 includes the word itself: it reaches 4 words back, not 5.")
    expect(
        found != 30,
        "a causal convolution looks back only: all 4 other words are before it, not 2 on each "
        "side.",
    )
    expect(found != 60, "60 would be a width of 2, or a recurrent network.")
    expect(
        found != 61 / 4,
        "you divided all 61 words by 4, and the last one is among them: how many are to be "
        "crossed?",
    )
    expect(found != 16, "the first of 61 words is 60 words back: count the gaps, not the words.")
    expect(found == 15, "each layer reaches 4 words further back.")


mistake("10.1", "includes the word itself", 12)
mistake("10.1", "looks back only", 30)
mistake("10.1", "a width of 2", 60)
mistake("10.1", "count the gaps", 16)
mistake("10.1", "to be crossed", 61 / 4)
mistake("10.1", "4 words further back", 14)


@exercise("10.2")
def even_length(function):
    for d, d_ff in ((512, 1536), (64, 96)):
        found = float(array(function(d, d_ff), ()))
        expect(
            found != d,
            "n = d compares with a recurrent layer; here it is the rest of the encoder layer.",
        )
        expect(found != 2 * d, "that leaves out the feed-forward network.")
        expect(found != d_ff, "that leaves out the four projections.")
        expect(
            found != 6 * d or d_ff == 4 * d,
            f"6d holds for d_ff = 4d only; here d = {d} and d_ff = {d_ff}.",
        )
        expect(found != 4 * d + 2 * d_ff, "scores and mixing are two products: n²d each.")
        expect(
            close(found, 2 * d + d_ff, 0.01),
            f"for d = {d} and d_ff = {d_ff} yours is {found:g}: write down both sides first.",
        )


mistake("10.2", "a recurrent layer", lambda d, d_ff: d)
mistake("10.2", "the feed-forward network", lambda d, d_ff: 2 * d)
mistake("10.2", "the four projections", lambda d, d_ff: d_ff)
mistake("10.2", "two products", lambda d, d_ff: 4 * d + 2 * d_ff)
mistake("10.2", "d_ff = 4d only", lambda d, d_ff: 6 * d)
mistake("10.2", "write down both sides", lambda d, d_ff: d + d_ff)
mistake("10.2", "write down both sides", lambda d, d_ff: 2 * d + d_ff / 2)


@exercise("10.3")
def windowed(function):
    for n, window, depth in ((100, 8, 3), (6, 4, 5), (3, 5, 1)):
        reach, scores = (float(x) for x in array(function(n, window, depth), (2,)))
        right = min(depth * (window - 1), n - 1)
        total = sum(min(i + 1, window) for i in range(n))
        case = f"for {n} words, a window of {window} and {depth} layers"
        expect(
            (reach, scores) != (total, right),
            f"{case}: return the words back first, then the scores.",
        )
        expect(
            reach != min(depth * window, n - 1) or reach == right,
            f"{case}: a window includes the word itself.",
        )
        expect(reach <= n - 1, f"{case}: nothing comes from before the first word.")
        expect(
            reach == right,
            f"{case}, the message comes from at most {right} words back; yours is {reach:g}.",
        )
        expect(
            scores != n * window or scores == total,
            f"{case}: the first words have fewer words to see.",
        )
        expect(scores == total, f"{case}, there are {total} scores; yours are {scores:g}.")


mistake("10.3", "includes the word itself", lambda n, w, depth: (min(depth * w, n - 1), n * w))
mistake("10.3", "fewer words to see", lambda n, w, depth: (min(depth * (w - 1), n - 1), n * w))
mistake(
    "10.3",
    "before the first word",
    lambda n, w, depth: (depth * (w - 1), sum(min(i + 1, w) for i in range(n))),
)
mistake("10.3", "at most 21 words back", lambda n, w, depth: (w - 1, n * w))
mistake(
    "10.3",
    "there are 772 scores",
    lambda n, w, depth: (min(depth * (w - 1), n - 1), n * (n + 1) // 2),
)


@mistake("10.3", "the words back first")
def _(n, w, depth):
    return sum(min(i + 1, w) for i in range(n)), min(depth * (w - 1), n - 1)


@exercise("10.4")
def depends(function):
    causal = causal_mask(5)

    def attend(x):
        return scaled_dot_product_attention(x, x, x, causal)[0]

    def next_word(x):
        """Output i is minus input i + 1; the last is minus the first."""
        return -x.roll(-1, 0)

    def difference(x):
        """Two numbers of output i are plus and minus the difference of two numbers of input i +
        1.
        """
        gap = x[:, 0] - x[:, 1]
        return torch.stack((gap, -gap, torch.zeros_like(gap)), dim=1).roll(-1, 0)

    def first_number_only(x):
        """Output i takes its last number from input 0's first number, the rest from itself."""
        return torch.cat((x[:, 1:], 1e-4 * x[:1, :1].expand(len(x), 1)), dim=1)

    eye = torch.eye(5, dtype=torch.bool)
    rights = {
        "attention with a causal mask": (attend, causal),
        "a shift by one word": (next_word, eye.roll(-1, 0)),
        "a difference that comes once with plus and once with minus": (difference, eye.roll(-1, 0)),
        "the squares of the words": (torch.square, eye),
        "a function whose last number comes from word 0": (
            first_number_only,
            eye | (torch.arange(5) == 0),
        ),
    }
    for name, (f, right) in rights.items():
        found = answered(function(f, 5, 3))
        expect(
            isinstance(found, torch.Tensor),
            f"return a tensor; yours is of type {type(found).__name__}.",
        )
        expect(
            tuple(found.shape) == (5, 5),
            f"the shape should be (5, 5); yours is {tuple(found.shape)}.",
        )
        expect(found.dtype == torch.bool, f"True or False for each pair; yours is {found.dtype}.")
        expect(
            torch.equal(right, right.T) or not torch.equal(found, right.T),
            f"for {name}, rows and columns are exchanged: rows are outputs.",
        )
        expect(
            torch.equal(found, right),
            f"it is wrong for {name}: look at all numbers of a place one by one, at small and at "
            "negative ones too, "
            "and from an x of random numbers (at 0 a square has the slope 0, and 0 · nan is nan).",
        )


@mistake("10.4", "rows are outputs")
def _(f, n, d):
    j = torch.autograd.functional.jacobian(f, torch.randn(n, d))
    return (j != 0).any(3).any(1).T


@mistake("10.4", "all numbers of a place")
def _(f, n, d):
    j = torch.autograd.functional.jacobian(f, torch.randn(n, d))
    return j[:, 0, :, 0] != 0


@mistake("10.4", "wrong for the squares")
def _(f, n, d):
    return (torch.autograd.functional.jacobian(f, torch.zeros(n, d)) != 0).any(3).any(1)


@mistake("10.4", "shape should be")
def _(f, n, d):
    j = torch.autograd.functional.jacobian(f, torch.randn(n, d))
    return j != 0


@mistake("10.4", "return a tensor")
def _(f, n, d):
    j = torch.autograd.functional.jacobian(f, torch.randn(n, d))
    return (j != 0).any(3).any(1).tolist()


@mistake("10.4", "True or False")
def _(f, n, d):
    j = torch.autograd.functional.jacobian(f, torch.randn(n, d))
    return (j != 0).any(3).any(1).int()


@mistake("10.4", "once with plus and once with minus")
def _(f, n, d):
    j = torch.autograd.functional.jacobian(f, torch.randn(n, d))
    return j.sum((1, 3)) != 0
