"""Checks for chapter 3: why the scores are divided by √d_k."""

import torch

from . import array, close, exercise, expect, mistake, numbers

numbers(
    "3.1",
    2.5,
    mistakes={
        6.25: "6.25 is the variance; the standard deviation is its root.",
        10: "10 would be right for numbers with standard deviation 1; these have 0.5.",
        5: "you used the 0.5 of one of the two vectors; both numbers of each product have it.",
        25: "the variances of the hundred products add up, not their standard deviations.",
    },
    otherwise="begin with one product: its variance is the product of the two variances.",
    nearly=(0.1, "very near, as random draws come near: what is it exactly?"),
)
mistake("3.1", "what is it exactly", 2.497)
mistake("3.1", "begin with one product", 0.25)


numbers(
    "3.2",
    (0.25, -0.15, -0.1),
    mistakes={
        (0.25, 0.15, 0.1): "check the signs: the first weight takes its gain from the other two.",
        (25, -15, -10): "those are per cent; weights are shares of 1, and so are their rates.",
        (0.25, 0, 0): "the first is right, but its gain comes from somewhere: the others fall.",
        (0.25, -0.125, -0.125): "the others do not fall alike; each falls by its own share of it.",
        (0.25, 0.21, 0.16): "those are the slopes of each weight with its own score; here only the "
        "first score grows.",
        (0.5, -0.3, -0.2): "the rates are products of two weights; those are the weights.",
    },
    otherwise=(
        "the first rises with its own score, at p (1 - p).",
        "the second falls, at the product of its weight and the first one's.",
        "the third falls, at the product of its weight and the first one's.",
    ),
    asks=("first weight", "second weight", "third weight"),
    within=1e-6,
)
mistake("3.2", "rises with its own score", (0.5, -0.15, -0.1))
mistake("3.2", "the second falls", (0.25, -0.06, -0.1))
mistake("3.2", "the third falls", (0.25, -0.15, -0.06))


@exercise("3.3")
def jacobian(function):
    p = torch.tensor([[0.7, 0.2, 0.1], [0.25, 0.25, 0.5]], dtype=torch.float64)
    right = torch.stack(
        [torch.autograd.functional.jacobian(lambda s: s.softmax(-1), row.log()) for row in p]
    )
    jacobians = array(function(p), (2, 3, 3))
    expect(
        not close(jacobians, torch.diag_embed(p)),
        "that is only diag(p); subtract the products of all pairs.",
    )
    expect(
        not close(jacobians, right * torch.eye(3)),
        "the diagonal is right and the rest is 0: "
        "raising one score also lowers the weights of the others.",
    )
    expect(
        not close(jacobians, torch.diag_embed(p) + p[..., :, None] * p[..., None, :]),
        "check the sign: raising one score lowers the weights of the others.",
    )
    expect(
        close(jacobians, right, 1e-8),
        "compare with torch.autograd.functional.jacobian for one row.",
    )
    one = array(function(p[0]))
    expect(one.shape == (3, 3), f"one row (3,) should give a matrix (3, 3); yours is {one.shape}.")
    expect(
        close(one, right[0]),
        "right for two rows, wrong for one row alone: count the axes from the end.",
    )
    more = torch.arange(40, dtype=torch.float64).sin().reshape(2, 4, 5).softmax(-1)
    right = torch.diag_embed(more) - more[..., :, None] * more[..., None, :]
    jacobians = array(function(more), (2, 4, 5, 5))
    expect(
        close(jacobians, right),
        "right for weights (2, 3), wrong for (2, 4, 5): count the axes from the end.",
    )


mistake("3.3", "only diag(p)", lambda p: torch.diag_embed(p))
mistake("3.3", "lowers the weights of the others", lambda p: torch.diag_embed(p * (1 - p)))
mistake("3.3", "check the sign", lambda p: torch.diag_embed(p) + p[..., :, None] * p[..., None, :])
mistake("3.3", "compare with torch", lambda p: p[..., :, None] - p[..., :, None] * p[..., None, :])
mistake("3.3", "wrong for one row alone", lambda p: torch.diag_embed(p) - p[..., None] * p[:, None])
mistake(
    "3.3",
    "wrong for (2, 4, 5)",
    lambda p: torch.diag_embed(p) - p[..., None] * p[..., None, :] * (p.dim() < 3),
)


@mistake("3.3", "should give a matrix (3, 3)")
def _(p):
    rows = p.view(-1, p.size(-1))
    return torch.diag_embed(rows) - rows[:, :, None] * rows[:, None, :]


mistake("3.3", "stopped with", lambda p: torch.diag(p) - torch.outer(p, p))
mistake("3.3", "The size of tensor", lambda p: p[..., :, None] * (torch.eye(3) - p[..., None, :]))


@exercise("3.4")
def fitting_scale(function):
    generator = torch.Generator().manual_seed(3)
    queries = 0.5 + 0.4 * torch.randn(50, 16, generator=generator, dtype=torch.float64)
    keys = 1 + 3 * torch.randn(40, 16, generator=generator, dtype=torch.float64)
    scores = queries @ keys.T
    factor = float(array(function(queries, keys), ()))
    expect(
        not close(factor, 1 / 4, 1e-3),
        "1/√d is the factor for vectors of variance 1; these have others. Look at the scores "
        "themselves.",
    )
    expect(
        not close(factor, (1 / scores.var()).item(), 1e-3),
        "you divided by the variance; a factor c multiplies the variance by c².",
    )
    expect(
        not close(factor, scores.std().item(), 1e-2),
        "that is the spread of the scores; the factor that removes it is one over that.",
    )
    expect(
        not close(factor, (1 / scores.square().mean().sqrt()).item(), 1e-3),
        "that brings the mean square to 1; a variance is measured from the mean, and the mean "
        "score is not 0 here.",
    )
    expect(factor > 0, "a negative factor turns the order of the keys round.")
    spread = (factor * scores).std().item()
    expect(
        abs(spread - 1) < 0.002,
        f"with your factor the scores have a standard deviation of {spread:.3f}, not 1.",
    )
    factor = float(array(function(2 * queries[:20], keys[:30]), ()))
    spread = (factor * (2 * queries[:20] @ keys[:30].T)).std().item()
    expect(
        abs(spread - 1) < 0.002,
        f"right for some queries and keys, and for others the scores get {spread:.3f}, not 1.",
    )


mistake("3.4", "vectors of variance 1", lambda q, k: torch.tensor(q.size(-1) ** -0.5))
mistake("3.4", "c²", lambda q, k: 1 / (q @ k.T).var())
mistake("3.4", "one over that", lambda q, k: (q @ k.T).std())
mistake("3.4", "the order of the keys", lambda q, k: -1 / (q @ k.T).std())
mistake("3.4", "measured from the mean", lambda q, k: 1 / (q @ k.T).square().mean().sqrt())
mistake("3.4", "and for others", lambda q, k: 1 / (q @ k.T).std() if len(q) == 50 else 1.0)
mistake("3.4", "a standard deviation of", lambda q, k: 1 / (q[:1] @ k.T).std())
