"""Checks for chapter 5: padding, the future, and what leaks."""

import torch

from transformer_lite.attention import scaled_dot_product_attention
from transformer_lite.masks import causal_mask, padding_mask

from . import answered, exercise, expect, mistake, numbers

numbers(
    "5.1",
    (0.7311, 0.2689, 0, 0),
    mistakes={
        (73.1, 26.9, 0, 0): "those are per cent; weights are shares of 1, so divide them by 100.",
        (0.110, 0.040, 0.810, 0.040): "that is the softmax without a mask; "
        "the last two may not be seen.",
        (0.110, 0.040, 0, 0): "you masked after the softmax, so your weights sum to less than 1.",
        (0.610, 0.224, 0.083, 0.083): "a score of 0 still gets e⁰ = 1; "
        "the forbidden scores become −∞.",
        (0.667, 0.333, 0, 0): "softmax shares by e to the power of the score, not by the score.",
        (0.269, 0.731, 0, 0): "you exchanged the two: the first has the larger score.",
        (7.389, 2.718, 0, 0): "those are the powers of e; divide each by their sum.",
        (2, 1, None, None): "those are the scores; the weights are their softmax.",
        (
            0.881,
            0.119,
            0,
            0,
        ): "that is e² : 1; the second score is 1, so it brings e to the power of 1.",
    },
    otherwise=(
        "the first two share 1 as e² : e¹.",
        "the first two share 1 as e² : e¹, and they sum to 1.",
        "the third may not be seen, so its weight is exactly 0.",
        "the fourth may not be seen, so its weight is exactly 0.",
    ),
    asks=("first weight", "second weight", "third weight", "fourth weight"),
    within=2e-3,
    nearly=(0.01, "very near; give three decimals."),
)
mistake("5.1", "as e² : e¹.", (0.6, 0.269, 0, 0))
mistake("5.1", "they sum to 1", (0.731, 0.4, 0, 0))
mistake("5.1", "4 numbers are asked for", (0.731, 0.269))


numbers(
    "5.2",
    18,
    mistakes={
        21: "that is the causal mask alone; the last two columns are padding and closed.",
        24: "that is the padding mask alone; the causal mask closes what comes later.",
        10: "you left out the rows of padding; padding hides keys, and those two rows may look at "
        "the four words.",
        36: "that is every cell; both masks close some.",
        14: "there are two rows of padding, and each of them sees the four words.",
        16: "four words see 1, 2, 3 and 4 keys, not 4 each.",
    },
    otherwise="add up row by row: how many real words does each place see, itself included?",
)
mistake("5.2", "add up row by row", 12)


@exercise("5.3")
def window_mask(function):
    mask = answered(function(6, 3))
    expect(
        isinstance(mask, torch.Tensor) and mask.dtype == torch.bool,
        "a mask is a bool tensor, True = may attend.",
    )
    expect(mask.shape == (6, 6), f"the shape should be (6, 6); yours is {tuple(mask.shape)}.")
    right = causal_mask(6) & ~torch.ones(6, 6, dtype=torch.bool).tril(-3)
    expect(
        not torch.equal(mask, ~right),
        "your True and False are exchanged: here True means may attend.",
    )
    expect(not torch.equal(mask, right.T), "rows are queries: yours look at the words after them.")
    expect(
        not torch.equal(mask, causal_mask(6) & ~torch.ones(6, 6, dtype=torch.bool).tril(-4)),
        "that is one word too many: a window of 3 is the word itself and two before it.",
    )
    expect(not mask.triu(1).any(), "some queries see later words.")
    for row in range(6):
        keys, seen = (m[row].nonzero()[:, 0].tolist() for m in (right, mask))
        expect(
            keys == seen,
            f"with a window of 3, row {row} should see the keys {keys}; yours sees {seen}.",
        )
    expect(
        torch.equal(function(4, 9), causal_mask(4)),
        "a window wider than the sentence should be the causal mask.",
    )


mistake("5.3", "exchanged", lambda n, w: ~(causal_mask(n) & ~torch.ones(n, n).tril(-w).bool()))
mistake(
    "5.3", "rows are queries", lambda n, w: (causal_mask(n) & ~torch.ones(n, n).tril(-w).bool()).T
)
mistake(
    "5.3", "one word too many", lambda n, w: causal_mask(n) & ~torch.ones(n, n).tril(-w - 1).bool()
)
mistake("5.3", "bool tensor", lambda n, w: torch.ones(n, n).tril())
mistake("5.3", "shape should be (6, 6)", lambda n, w: causal_mask(n)[None])
mistake(
    "5.3", "see later words", lambda n, w: (torch.arange(n)[:, None] - torch.arange(n)).abs() < w
)
mistake(
    "5.3",
    "wider than the sentence",
    lambda n, w: causal_mask(n) & ~torch.ones(n, n).tril(-3).bool(),
)


@mistake("5.3", "row 3 should see the keys [1, 2, 3]; yours sees [3]")
def _(n, w):
    i = torch.arange(n) // w
    return causal_mask(n) & (i[:, None] == i)


@mistake("5.3", "row 0 should see the keys [0]; yours sees []")
def _(n, w):
    m = torch.zeros(n, n).bool()
    for i in range(n):
        m[i, i - w + 1 : i + 1] = True
    return m


@exercise("5.4")
def torch_masks(function):
    ids = torch.tensor([[4, 7, 2, 5], [3, 2, 0, 0]])
    masks = answered(function(ids))
    expect(
        isinstance(masks, tuple | list) and len(masks) == 2,
        "return two masks: attn_mask and key_padding_mask.",
    )
    attention, padding = masks
    expect(
        [tuple(getattr(mask, "shape", ())) for mask in masks] != [(2, 4), (4, 4)],
        "return attn_mask first, then key_padding_mask.",
    )
    for name, mask in (("attn_mask", attention), ("key_padding_mask", padding)):
        expect(
            isinstance(mask, torch.Tensor),
            f"{name} should be a tensor of torch; yours is a {type(mask).__name__}.",
        )
        expect(
            mask.dtype == torch.bool,
            f"{name} should be a bool tensor: torch adds a mask of floats to the scores, and "
            "refuses one of integers.",
        )
    expect(
        attention.shape == (4, 4), f"attn_mask should be (4, 4); yours is {tuple(attention.shape)}."
    )
    expect(
        padding.shape == (2, 4),
        "key_padding_mask should be (2, 4), without axes for heads and queries; yours is "
        f"{tuple(padding.shape)}.",
    )
    expect(
        not torch.equal(attention, causal_mask(4)),
        "attn_mask: there, True means blocked. Turn it round.",
    )
    expect(
        not torch.equal(padding, ids != 0),
        "key_padding_mask: there, True means padding. Turn it round.",
    )
    expect(
        torch.equal(attention, ~causal_mask(4)),
        "attn_mask should be True above the diagonal, and only there.",
    )
    expect(
        torch.equal(padding, ids == 0),
        "key_padding_mask should be True for the padding, and only there.",
    )
    more = torch.tensor([[6, 2, 0, 0, 0], [3, 4, 5, 6, 2], [9, 8, 2, 0, 0]])
    attention, padding = function(more)
    expect(
        torch.equal(attention, ~causal_mask(5)) and torch.equal(padding, more == 0),
        "right for two sentences of 4 words, wrong for three of 5: take the sizes from ids.",
    )


mistake("5.4", "attn_mask: there", lambda ids: (causal_mask(ids.size(1)), ids == 0))
mistake("5.4", "True means padding", lambda ids: (~causal_mask(ids.size(1)), ids != 0))
mistake("5.4", "without axes", lambda ids: (~causal_mask(ids.size(1)), ~padding_mask(ids)))
mistake("5.4", "should be a bool tensor", lambda ids: ((~causal_mask(ids.size(1))).int(), ids == 0))
mistake("5.4", "attn_mask first", lambda ids: (ids == 0, ~causal_mask(ids.size(1))))
mistake(
    "5.4",
    "a tensor of torch",
    lambda ids: ((~causal_mask(ids.size(1))).numpy(), (ids == 0).numpy()),
)
mistake("5.4", "take the sizes from ids", lambda ids: (~causal_mask(4), ids == 0))
mistake("5.4", "return two masks", lambda ids: ids == 0)
mistake(
    "5.4",
    "attn_mask should be (4, 4)",
    lambda ids: (~causal_mask(ids.size(1)).expand(len(ids), -1, -1), ids == 0),
)
mistake(
    "5.4",
    "above the diagonal",
    lambda ids: (torch.ones(ids.size(1), ids.size(1)).triu() > 0, ids == 0),
)
mistake("5.4", "for the padding, and only there", lambda ids: (~causal_mask(ids.size(1)), ids < 3))


def _attend(x, mask):
    return scaled_dot_product_attention(x, x, x, mask)[0]


@exercise("5.5")
def leaks(function):
    torch.manual_seed(5)
    causal = causal_mask(6)
    off_by_one = torch.ones(6, 6, dtype=torch.bool).tril(1)

    def opened(query, key):
        mask = causal.clone()
        mask[query, key] = True
        return mask

    honest = {
        "attention with a causal mask": lambda x: _attend(x, causal),
        "the input itself": lambda x: x.clone(),
        "two layers with a causal mask": lambda x: _attend(_attend(x, causal), causal),
    }
    leaky = {
        "attention without a mask": lambda x: _attend(x, None),
        "a causal mask that is off by one": lambda x: _attend(x, off_by_one),
        "a mask in which only word 4 sees word 5": lambda x: _attend(x, opened(4, 5)),
        "attention plus a millionth of the mean word": lambda x: (
            _attend(x, causal) + 1e-6 * x.mean(1, keepdim=True)
        ),
        "a mask in which only word 0 sees word 1": lambda x: _attend(x, opened(0, 1)),
        "a mask in which only word 0 sees word 5": lambda x: _attend(x, opened(0, 5)),
        "attention plus the mean of the squares": lambda x: (
            _attend(x, causal) + x.square().mean(1, keepdim=True)
        ),
    }
    for name, f in honest.items():
        answer = function(f)
        if answer is None:
            answered(function(leaky["attention without a mask"]))  # a blank answers nothing at all
            expect(False, f"you answer None for {name}: return False where there is no leak.")
        expect(
            not answer,
            f"you report a leak in {name}: there is none. (0 · nan is nan: try finite inputs.)",
        )
    for name, f in leaky.items():
        expect(bool(function(f)), f"you overlook the leak in {name}.")


@mistake("5.5", "only word 4 sees word 5")
def _(f):
    x = torch.randn(1, 6, 8)
    y = x.clone()
    y[0, 1] += 1
    return not torch.equal(f(x)[0, :1], f(y)[0, :1])


@mistake("5.5", "millionth")
def _(f):
    x = torch.randn(1, 6, 8)
    y = x.clone()
    y[0, 5] += 1
    return not torch.allclose(f(x)[0, :5], f(y)[0, :5], atol=1e-3)


@mistake("5.5", "only word 0 sees word 1")
def _(f):
    x = torch.randn(1, 6, 8)
    y = x.clone()
    y[0, 4:] += 1
    return not torch.equal(f(x)[0, :4], f(y)[0, :4]) or leaks_last(f, x)


def leaks_last(f, x):
    y = x.clone()
    y[0, 5] += 1
    return not torch.equal(f(x)[0, :5], f(y)[0, :5])


@mistake("5.5", "only word 0 sees word 5")
def _(f):
    x = torch.randn(1, 6, 8)
    for p in range(1, 6):
        y = x.clone()
        y[0, p] += 1
        if not torch.equal(f(x)[0, p - 1], f(y)[0, p - 1]):
            return True
    return False


@mistake("5.5", "mean of the squares")
def _(f):
    x = torch.randn(1, 6, 8)
    for p in range(1, 6):
        y = x.clone()
        y[0, p] *= -1
        if not torch.equal(f(x)[0, :p], f(y)[0, :p]):
            return True
    return False


@mistake("5.5", "return False where there is no leak")
def _(f):
    x = torch.randn(1, 6, 8)
    for p in range(1, 6):
        y = x.clone()
        y[0, p] += 1
        if not torch.equal(f(x)[0, :p], f(y)[0, :p]):
            return True


@mistake("5.5", "there is none")
def _(f):
    x = torch.randn(1, 6, 8)
    return not torch.equal(f(x), x)
