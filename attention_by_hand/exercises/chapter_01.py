"""From words to vectors."""

import numpy as np
import torch

from . import Watch, array, close, exercise, expect, mistake, numbers, without

numbers(
    "1.1",
    (37_000 * 512, 30 * 9, 30 * 9 * 512),
    asks=("the table", "the ids", "x"),
    mistakes={
        (37_000 * 9, None, None): "the table has a row for each word of the vocabulary, not for "
        "each token of a sentence.",
        (37_000, None, None): "each of the table's 37,000 rows has D numbers.",
        (30 * 9 * 512, None, None): "the table does not grow with the batch: it has a row for each "
        "word of the vocabulary.",
        (37_000 * 512, 30 * 9 * 512, None): "an id is a single number for each token; the 512 come "
        "with the lookup.",
        (37_000 * 512, 9, None): "there is one id for each token of each of the 30 sentences.",
        (37_000 * 512, 30 * 9, 9 * 512): "that is one sentence of x; there are 30 side by side.",
    },
    otherwise=(
        "the table has 37,000 rows of D numbers.",
        "the table is right. There is one id for each token of each sentence.",
        "table and ids are right. x has D numbers for each token of each sentence.",
    ),
)


PICKS = {torch.Tensor.__getitem__, torch.index_select, torch.Tensor.index_select, torch.gather}
PICKS |= {torch.Tensor.gather, torch.take, torch.Tensor.take, torch.take_along_dim}
BY_HAND = "build the one-hot vectors yourself, with == and torch.arange."


@exercise("1.2")
@without(BY_HAND, torch.nn.functional, "one_hot", "embedding")
def lookup_by_multiplying(answer):
    torch.manual_seed(0)
    table = torch.randn(7, 5)
    ids = torch.tensor([3, 0, 4])  # the last rows of the table are not asked for
    rows = array(answer(ids, table))
    expect(rows.shape != (3, 7), "those are the one-hot vectors; multiply them with the table.")
    expect(
        close(rows, table[ids]),
        "three ids should give their three rows of the table, shape (3, 5).",
    )
    spoilt = table.clone()
    spoilt[6] = torch.nan  # 0 times nan is nan, so a product sees this row and an index does not
    expect(
        np.isnan(array(answer(ids, spoilt))).any(),
        "the right rows, but fetched, not multiplied. Build the one-hot vectors, as long as the "
        "table has rows, and multiply them with the whole table.",
    )

    def picks(function, arguments, result):
        fetched = function in PICKS and arguments[0] is table
        expect(not fetched, "the right rows, but fetched, not multiplied. Leave the index out.")

    with Watch(picks):
        answer(ids, table)
    table = torch.randn(8, 5)
    for ids in (
        torch.tensor([[1, 2, 3], [4, 5, 6]]),
        torch.tensor([[[1, 2], [0, 5]]]),
        torch.tensor(5),
    ):
        shape = tuple(ids.shape)
        wanted = (*ids.shape, 5)
        rows = array(answer(ids, table))
        expect(
            rows.shape == wanted,
            f"right for one sentence; a batch of shape {shape} should give {wanted}, yours is "
            f"{rows.shape}. ids[..., None] adds an axis at the end, whatever stands before it.",
        )
        expect(close(rows, table[ids]), "the shape is right for a batch, the rows are not.")


mistake(
    "1.2",
    "one-hot vectors",
    lambda ids, table: (ids[..., None] == torch.arange(len(table))).float(),
)
mistake(
    "1.2",
    "stopped with",
    lambda ids, table: (ids[:, None] == torch.arange(len(table))).float() @ table,
)
mistake("1.2", "three rows of the table", lambda ids, table: table[ids - 1])
mistake("1.2", "fetched, not multiplied", lambda ids, table: table[ids])
mistake("1.2", "Leave the index out", lambda ids, table: table[ids] + 0 * table.sum())


@mistake("1.2", "build the one-hot vectors yourself")
def _(ids, table):
    return torch.nn.functional.one_hot(ids, len(table)).to(table.dtype) @ table


@mistake("1.2", "adds an axis at the end")
def _(ids, table):
    return (ids.reshape(-1, 1) == torch.arange(len(table))).float() @ table


@mistake("1.2", "the rows are not")
def _(ids, table):
    rows = (ids.reshape(-1, 1) == torch.arange(len(table))).float() @ table
    return rows.flip(0).view(*ids.shape, -1) if ids.dim() > 1 else rows


@exercise("1.3")
def renumber_the_words(answer):
    torch.manual_seed(0)
    table = torch.randn(5, 3)
    new_id = torch.tensor([2, 0, 4, 1, 3])
    before = table.clone()
    renumbered = array(answer(table, new_id), (5, 3))
    expect(close(table, before), "your function changed the table it was given; fill a new one.")
    expect(
        not close(renumbered, table[new_id]),
        "that is table[new_id]: it puts row new_id[i] in place i. You need the other direction, "
        "row i in place new_id[i].",
    )
    ids = torch.tensor([0, 1, 2, 3, 4])
    expect(
        close(renumbered[new_id[ids]], table[ids]),
        "looking up new_id[i] in your table should give row i of the old one.",
    )
    table = torch.randn(4, 2)
    new_id = torch.tensor([3, 0, 1, 2])
    renumbered = array(answer(table, new_id), (4, 2))
    expect(
        close(renumbered[new_id], table),
        "right for one table, and wrong for another: take the rows from what is given.",
    )


mistake("1.3", "other direction", lambda table, new_id: table[new_id])


@mistake("1.3", "changed the table")
def _(table, new_id):
    table[new_id] = table.clone()
    return table


mistake("1.3", "should give row i", lambda table, new_id: table)


def _first_table_alone(table, new_id):
    result = torch.empty_like(table)
    result[new_id] = table
    return result if len(table) == 5 else table


mistake("1.3", "wrong for another", _first_table_alone)


@exercise("1.4")
def who_learns(answer):
    ids = torch.tensor([2, 0, 2])
    try:
        with torch.no_grad():
            gradient = array(answer(ids, 4, 3), (4, 3))
    except RuntimeError as error:
        expect(
            "does not require grad" not in str(error),
            "without running backward: count how often each word occurs.",
        )
        raise
    once = torch.zeros(4, 3)
    once[[0, 2]] = 1
    expect(
        not close(gradient, once),
        "word 2 occurs twice, so its row is used twice and its gradient is 2. (Assigning to the "
        "same row twice is not adding.)",
    )
    expect(
        not close(gradient, torch.ones(4, 3)),
        "only words that occur in the sentence receive a gradient.",
    )
    table = torch.zeros(4, 3, requires_grad=True)
    table[ids].sum().backward()
    expect(
        close(gradient, table.grad), "each occurrence of a word adds 1 to every number in its row."
    )
    ids = torch.tensor([4, 1, 4, 5, 4])
    table = torch.zeros(7, 2, requires_grad=True)
    table[ids].sum().backward()
    with torch.no_grad():
        gradient = array(answer(ids, 7, 2), (7, 2))
    expect(
        close(gradient, table.grad),
        "right for a word that occurs twice; one that occurs three times has gradient 3.",
    )


@mistake("1.4", "occurs twice")
def _(ids, n, d):
    g = torch.zeros(n, d)
    g[ids] += 1
    return g


mistake("1.4", "only words that occur", lambda ids, n, d: torch.ones(n, d))
mistake("1.4", "shape should be", lambda ids, n, d: torch.ones(d, n))


@mistake("1.4", "without running backward")
def _(ids, n, d):
    t = torch.zeros(n, d, requires_grad=True)
    t[ids].sum().backward()
    return t.grad


@mistake("1.4", "three times has gradient 3")
def _(ids, n, d):
    g = torch.zeros(n, d)
    for i in ids.tolist():
        g[i] = 1 + (g[i] > 0).float()
    return g


@mistake("1.4", "to every number in its row")
def _(ids, n, d):
    g = torch.zeros(n, d)
    for i in ids.tolist():
        g[i, 0] += 1
    return g


numbers(
    "1.5",
    (4 / 5, 12 / 13),
    asks=("after 10 steps", "after 20 steps"),
    within=2e-3,
    nearly=(0.02, "nearly: give three digits after the point."),
    mistakes={
        (1, 1): "what they have in common grows, "
        "but what set them apart at the beginning is still there.",
        (80, 92.3): "those are per cent; a cosine is at most 1, so divide them by 100.",
        (4, 12): "those are the dot products. Divide each by the lengths of both rows.",
        (0, 0): "that would be so if each were pushed in a direction of its own.",
        (4 / 5**0.5, 12 / 13**0.5): "divide the dot product by the "
        "lengths of both rows, not of one.",
        (0.22 / 1.22, None): "that is after one step. Ten steps add (1, 1) to each row.",
    },
    otherwise=(
        "after 10 steps the rows are (2, 1) and (1, 2).",
        "the first is right. After 20 steps the rows are (3, 2) and (2, 3).",
    ),
)
