"""Why attention."""

from unittest.mock import patch

import torch

from . import Hint, answered, array, close, exercise, expect, mistake


@exercise("0.1")
def the_dictionary_with_attention(answer):
    weights = torch.tensor([[0.1, 0.7, 0.2], [0.6, 0.1, 0.3], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7]])
    found = answered(answer(weights, ["red", "the", "door"]))
    expect(not isinstance(found, str), "return a list of words, not one string.")
    found = found.tolist() if hasattr(found, "tolist") else list(found)
    expect(
        found != [1, 0, 1, 2],
        "those are the places of the words in the source; look up the entry that stands there.",
    )
    expect(len(found) == 4, f"four rows should give four words; yours are {len(found)}.")
    expect(
        found == ["the", "red", "the", "door"],
        "each row looks for its own largest weight, and takes the entry of that column.",
    )


mistake("0.1", "places of the words", lambda weights, entries: weights.argmax(dim=-1))
mistake(
    "0.1",
    "not one string",
    lambda weights, entries: " ".join(entries[i] for i in weights.argmax(dim=-1)),
)
mistake(
    "0.1",
    "four rows",
    lambda weights, entries: [entries[i % 3] for i in weights.argmax(dim=0).tolist()],
)
mistake(
    "0.1",
    "its own largest",
    lambda weights, entries: [entries[i] for i in weights.argmin(dim=-1).tolist()],
)


@exercise("0.2")
def what_the_writer_is_given(answer):
    scores = torch.tensor([0.0, 1.0, -2.0])
    memory = torch.tensor([[1.0, 0.0, 2.0, 4.0], [3.0, -1.0, 0.0, 1.0], [0.0, 5.0, 1.0, -2.0]])
    found = array(answer(scores.clone(), memory.clone()))
    expect(
        found.shape != (3, 4),
        "those are the three states, each taken by its share: add them up, and one vector is left.",
    )
    expect(
        found.shape == (4,),
        f"the average of states of 4 numbers has the shape (4,); yours is {found.shape}.",
    )
    expect(
        not close(found, memory.mean(dim=0)),
        "that is the mean of all states, as if their shares were equal: use scores.",
    )
    expect(
        not close(found, scores @ memory, 1e-5),
        "the scores are no shares yet: take their softmax first.",
    )
    expect(
        not close(found, scores.exp() @ memory, 1e-5),
        "the powers of e have to be divided by their sum to become shares.",
    )
    expect(
        close(found, scores.softmax(dim=0) @ memory, 1e-5),
        "each state times its share, all added up.",
    )
    large = torch.tensor([1000.0, 999.0, 0.0])
    expect(
        close(array(answer(large.clone(), memory.clone())), large.softmax(dim=0) @ memory, 1e-5),
        "right for small scores; but e to the power of 1000 is too large to be a number. Subtract "
        "the largest score "
        "from all of them first: no share changes.",
    )

    def not_by_hand(*args, **kwargs):
        raise Hint("right, but torch's softmax did it: write it out, with torch.exp and a sum.")

    with (
        patch.object(torch, "softmax", not_by_hand),
        patch.object(torch.Tensor, "softmax", not_by_hand),
        patch.object(torch.nn.functional, "softmax", not_by_hand),
    ):
        answer(scores.clone(), memory.clone())


mistake("0.2", "three states", lambda scores, memory: scores.softmax(dim=0)[:, None] * memory)
mistake(
    "0.2",
    "one array of numbers",
    lambda scores, memory: (scores.softmax(dim=0) @ memory, scores.softmax(dim=0)),
)
mistake("0.2", "no shares yet", lambda scores, memory: scores @ memory)
mistake("0.2", "mean of all", lambda scores, memory: memory.mean(dim=0))
mistake("0.2", "divided by their sum", lambda scores, memory: scores.exp() @ memory)
mistake(
    "0.2", "has the shape (4,)", lambda scores, memory: memory.T @ scores.softmax(dim=0)[:, None]
)
mistake("0.2", "all added up", lambda scores, memory: scores.sigmoid() @ memory)
mistake("0.2", "write it out", lambda scores, memory: scores.softmax(dim=0) @ memory)
mistake(
    "0.2",
    "too large to be a number",
    lambda scores, memory: scores.exp() / scores.exp().sum() @ memory,
)


@exercise("0.3")
def one_step_downhill(answer):
    # the error is -0.5, the slope -3
    w = 0.5
    x = 3.0
    y = 2.0
    rate = 0.1
    found = array(answer(w, x, y, rate), ())
    expect(
        not close(found, w - 0.3),
        "that is a step uphill: where the slope is negative, the weight should grow.",
    )
    expect(not close(found, -3), "that is the slope; the step is the learning rate times it.")
    expect(
        not close(found, 0.6),
        "the weight acts on the error through x: one more factor x is missing in the slope.",
    )
    expect(
        not close(found, w + 0.15), "the square of an error e changes by 2e: a factor 2 is missing."
    )
    expect(
        not close(found, w - 0.1 * 0.25),
        "that steps by the loss itself; it is the slope that says which way.",
    )
    expect(
        close(found, w + 0.3), "the slope of (w x - y)² is 2 (w x - y) x; the step goes against it."
    )
    expect(
        close(array(answer(2.0, -1.0, 4.0, 0.5), ()), -4),
        "right for one case, not for a negative input.",
    )


mistake("0.3", "uphill", lambda w, x, y, rate: w + rate * 2 * (w * x - y) * x)
mistake("0.3", "factor x", lambda w, x, y, rate: w - rate * 2 * (w * x - y))
mistake("0.3", "a factor 2", lambda w, x, y, rate: w - rate * (w * x - y) * x)
mistake("0.3", "the loss itself", lambda w, x, y, rate: w - rate * (w * x - y) ** 2)
mistake("0.3", "that is the slope", lambda w, x, y, rate: 2 * (w * x - y) * x)
mistake("0.3", "the step goes against it", lambda w, x, y, rate: w - 2 * (w * x - y) * x)
mistake("0.3", "negative input", lambda w, x, y, rate: w - rate * 2 * (w * x - y) * abs(x))
