"""Why attention."""

import torch

from . import answered, array, close, exercise, expect, mistake, numbers, without

numbers(
    "0.1",
    (3, 5),
    asks=("the first number", "the second number"),
    within=0.02,
    nearly=(0.1, "nearly: the shares are exactly 0.25, 0.5 and 0.25."),
    mistakes={
        (4, 4): "that is the plain mean of the three states. The second one has the higher score, "
        "so it gets a larger share.",
        (0, 8): "that takes the best state alone. "
        "Attention gives every state a share, however small.",
        (12, 20): "those are the powers of e times the states. Divide the powers by their sum, 4, "
        "so that they become shares.",
        (0, 5.544): "those are the scores times the states. Turn the scores into shares first.",
        (5, 3): "these are the right numbers in the wrong order.",
    },
    otherwise=(
        "the powers are 1, 2 and 1. Add up the first numbers of the states, each by its share.",
        "the first number is right. Add up the second numbers of the states in the same way.",
    ),
)


@exercise("0.2")
def the_dictionary_with_attention(answer):
    weights = torch.tensor([[0.1, 0.7, 0.2], [0.6, 0.1, 0.3], [0.1, 0.2, 0.7], [0.2, 0.6, 0.2]])
    words = answered(answer(weights, ["red", "the", "door"]))
    expect(not isinstance(words, str), "return a list of words, not one string.")
    words = words.tolist() if hasattr(words, "tolist") else list(words)
    expect(
        words != [1, 0, 2, 1],
        "those are the places of the words in the source; look up the entry that stands there.",
    )
    expect(
        len(words) == 4,
        f"four rows should give four words; yours are {len(words)}. Along which axis of the "
        "weights do the words of the source lie?",
    )
    expect(
        words == ["the", "red", "door", "the"],
        "each row looks for its own largest weight, and takes the entry of that column.",
    )
    others = answered(answer(weights[[1, 0]].roll(1, -1), ["door", "the", "red"]))
    expect(
        list(others) == ["the", "red"],
        "right for four words, and wrong for two with other weights and entries: take both from "
        "what your function is given.",
    )


mistake("0.2", "places of the words", lambda weights, entries: weights.argmax(dim=-1))
mistake(
    "0.2",
    "not one string",
    lambda weights, entries: " ".join(entries[i] for i in weights.argmax(dim=-1)),
)
mistake("0.2", "from what your function", lambda weights, entries: ["the", "red", "door", "the"])
mistake(
    "0.2",
    "four rows",
    lambda weights, entries: [entries[i] for i in weights.argmax(dim=0).tolist()],
)
mistake(
    "0.2",
    "its own largest",
    lambda weights, entries: [entries[i] for i in weights.argmin(dim=-1).tolist()],
)


@exercise("0.3")
@without(
    "work the slope out with a pencil; torch is not asked.", torch.autograd, "backward", "grad"
)
def one_step_downhill(answer):
    # the error is -0.5, the slope -3
    w = 0.5
    x = 3.0
    y = 2.0
    rate = 0.1
    new_weight = array(answer(w, x, y, rate), ())
    expect(
        not close(new_weight, w - 0.3),
        "that is a step uphill: where the slope is negative, the weight should grow.",
    )
    expect(not close(new_weight, -3), "that is the slope; the step is the learning rate times it.")
    expect(
        not close(new_weight, 0.6),
        "the weight acts on the error through x: one more factor x is missing in the slope.",
    )
    expect(
        not close(new_weight, w + 0.15),
        "the square of an error e changes by 2e: a factor 2 is missing.",
    )
    expect(
        not close(new_weight, w - 0.1 * 0.25),
        "that steps by the loss itself; it is the slope that says which way.",
    )
    expect(
        close(new_weight, w + 0.3),
        "the slope of (w x - y)² is 2 (w x - y) x; the step goes against it.",
    )
    expect(
        close(array(answer(2.0, -1.0, 4.0, 0.5), ()), -4),
        "right for one case, not for a negative input.",
    )


@mistake("0.3", "torch is not asked")
def _(w, x, y, rate):
    weight = torch.tensor(w, requires_grad=True)
    (weight * x - y).square().backward()
    return w - rate * weight.grad.item()


mistake("0.3", "uphill", lambda w, x, y, rate: w + rate * 2 * (w * x - y) * x)
mistake("0.3", "factor x", lambda w, x, y, rate: w - rate * 2 * (w * x - y))
mistake("0.3", "a factor 2", lambda w, x, y, rate: w - rate * (w * x - y) * x)
mistake("0.3", "the loss itself", lambda w, x, y, rate: w - rate * (w * x - y) ** 2)
mistake("0.3", "that is the slope", lambda w, x, y, rate: 2 * (w * x - y) * x)
mistake("0.3", "the step goes against it", lambda w, x, y, rate: w - 2 * (w * x - y) * x)
mistake("0.3", "negative input", lambda w, x, y, rate: w - rate * 2 * (w * x - y) * abs(x))


numbers(
    "0.4",
    (1 / 32, 1 / 16),
    asks=("arrives in one step", "never arrives"),
    within=1e-4,
    nearly=(0.002, "nearly: give four digits after the point, or write it as a fraction."),
    mistakes={
        (0.125, 0.25): "those are the rates for an input of 2, as in the figure. The input stands "
        "in the slope twice.",
        (0.0625, 0.125): "one half of the figure's rates. But the input stands in the slope twice, "
        "in the error and in front of it, so twice the input makes the slope four times as steep.",
        (0.25, 0.5): "a larger input makes the slope steeper, so that smaller steps are enough.",
        (
            1 / 16,
            None,
        ): "that step goes exactly twice too far. The slope is 2 · 4 · (4w − y): do not "
        "lose the 2.",
        (1 / 32, 1 / 32): "at that rate it arrives at once. From which rate on does it land as far "
        "away as it was before?",
        (32, None): "a step takes 32 times the rate away from the distance; "
        "for which rate is that all of it?",
    },
    otherwise=(
        "write the slope as a number times the distance of w from y / 4.",
        "the first rate is right. It never arrives once a step goes twice as far as it should.",
    ),
)
