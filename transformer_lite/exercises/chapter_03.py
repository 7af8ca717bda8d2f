"""Checks for chapter 3: why the scores are divided by √d_k."""

import math

import numpy as np
import torch

from . import array, close, exercise, expect, mistake


@exercise("3.1")
def spread(answer):
    value = float(array(answer, ()))
    expect(not close(value, 6.25), "6.25 is the variance; the standard deviation is its root.")
    expect(
        not close(value, 10),
        "10 would be right for numbers with standard deviation 1; these have 0.5.",
    )
    expect(
        not close(value, 5),
        "you used the 0.5 of one of the two vectors; both numbers of each product have it.",
    )
    expect(
        not close(value, 25),
        "the variances of the hundred products add up, not their standard deviations.",
    )
    expect(
        close(value, 2.5) or not close(value, 2.5, 0.1),
        "very near, as random draws come near: what is it exactly?",
    )
    expect(
        close(value, 2.5),
        "begin with one product: its variance is the product of the two variances.",
    )


mistake("3.1", "is the variance", 6.25)
mistake("3.1", "what is it exactly", 2.497)
mistake("3.1", "begin with one product", 0.25)
mistake("3.1", "standard deviation 1", 10)
mistake("3.1", "one of the two vectors", 5.0)
mistake("3.1", "not their standard deviations", 25)


@exercise("3.2")
def jacobian(function):
    p = torch.tensor([[0.7, 0.2, 0.1], [0.25, 0.25, 0.5]], dtype=torch.float64)
    right = torch.stack(
        [torch.autograd.functional.jacobian(lambda s: s.softmax(-1), row.log()) for row in p]
    )
    found = array(function(p), (2, 3, 3))
    expect(
        not close(found, torch.diag_embed(p)),
        "that is only diag(p); subtract the products of all pairs.",
    )
    expect(
        not close(found, right * torch.eye(3)),
        "the diagonal is right and the rest is 0: raising one score also lowers the weights of the "
        "others.",
    )
    expect(
        not close(found, torch.diag_embed(p) + p[..., :, None] * p[..., None, :]),
        "check the sign: raising one score lowers the weights of the others.",
    )
    expect(
        close(found, right, 1e-8), "compare with torch.autograd.functional.jacobian for one row."
    )
    one = array(function(p[0]))
    expect(one.shape == (3, 3), f"one row (3,) should give a matrix (3, 3); yours is {one.shape}.")
    expect(
        close(one, right[0]),
        "right for two rows, wrong for one row alone: count the axes from the end.",
    )
    more = torch.arange(40, dtype=torch.float64).sin().reshape(2, 4, 5).softmax(-1)
    right = torch.diag_embed(more) - more[..., :, None] * more[..., None, :]
    found = array(function(more), (2, 4, 5, 5))
    expect(
        close(found, right),
        "right for weights (2, 3), wrong for (2, 4, 5): count the axes from the end.",
    )


mistake("3.2", "only diag(p)", lambda p: torch.diag_embed(p))
mistake("3.2", "lowers the weights of the others", lambda p: torch.diag_embed(p * (1 - p)))
mistake("3.2", "check the sign", lambda p: torch.diag_embed(p) + p[..., :, None] * p[..., None, :])
mistake("3.2", "compare with torch", lambda p: p[..., :, None] - p[..., :, None] * p[..., None, :])
mistake("3.2", "wrong for one row alone", lambda p: torch.diag_embed(p) - p[..., None] * p[:, None])
mistake(
    "3.2",
    "wrong for (2, 4, 5)",
    lambda p: torch.diag_embed(p) - p[..., None] * p[..., None, :] * (p.dim() < 3),
)


@mistake("3.2", "should give a matrix (3, 3)")
def _(p):
    rows = p.view(-1, p.size(-1))
    return torch.diag_embed(rows) - rows[:, :, None] * rows[:, None, :]


mistake("3.2", "stopped with", lambda p: torch.diag(p) - torch.outer(p, p))
mistake("3.2", "The size of tensor", lambda p: p[..., :, None] * (torch.eye(3) - p[..., None, :]))


@exercise("3.3")
def evenness(function):
    rows = [
        [0.25] * 4,
        [0.7, 0.1, 0.1, 0.1],
        [1.0, 0.0, 0.0, 0.0],
        [0.5, 0.5, 0.0, 0.0],
        [0.5, 0.3, 0.2, 0.0],
    ]
    weights = torch.tensor(rows, dtype=torch.float64)
    right = torch.special.entr(weights).sum(-1) / math.log(4)
    found = array(function(weights), (5,))
    expect(
        np.isnan(found).tolist() != [False, False, True, False, False],
        "the single winner gives nan: ln n counts all n keys, those of weight 0 too. You divided "
        "by ln 1, which is 0.",
    )
    expect(
        not np.isnan(found).any(),
        "a weight of 0 gives nan: a computer takes 0 · ln 0 for 0 · (−∞); here it is 0.",
    )
    expect(
        not close(found, right * math.log(4)),
        "that is the entropy itself; divide it by its maximum, ln n.",
    )
    expect(
        not close(found, right * 2),
        "that is the entropy in bits; as a share of the maximum, the unit cancels.",
    )
    expect(
        not close(found, -right), "the sign is turned round: ln of a weight below 1 is negative."
    )
    expect(
        not close(found[:3], right[:3]) or close(found, right),
        "a weight of 0 adds nothing, but the rest of its row counts: (½, ½, 0, 0) should give ½.",
    )
    expect(close(found, right), "equal shares should give 1, a single winner 0.")
    found = array(function(weights[4:, :3]), (1,))
    right = right[4:] * math.log(4) / math.log(3)
    expect(
        close(found, right), "the maximum is ln n, whatever n is and whatever the other rows say."
    )


mistake("3.3", "gives nan", lambda w: -(w * w.log()).sum(-1) / math.log(w.size(-1)))
mistake("3.3", "ln 1, which is 0", lambda w: torch.special.entr(w).sum(-1) / (w > 0).sum(-1).log())
mistake("3.3", "divide it by its maximum", lambda w: torch.special.entr(w).sum(-1))
mistake("3.3", "in bits", lambda w: torch.special.entr(w).sum(-1) / math.log(2))
mistake("3.3", "a single winner 0", lambda w: 1 / w.square().sum(-1) / w.size(-1))
mistake(
    "3.3",
    "sign is turned round",
    lambda w: torch.special.xlogy(w, w).sum(-1) / math.log(w.size(-1)),
)
mistake(
    "3.3",
    "the rest of its row counts",
    lambda w: (-(w * w.log()).sum(-1) / math.log(w.size(-1))).nan_to_num(),
)
mistake("3.3", "whatever n is", lambda w: torch.special.entr(w).sum(-1) / math.log(4))


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


mistake("3.4", "vectors of variance 1", lambda q, k: torch.tensor(q.size(-1) ** -0.5))
mistake("3.4", "c²", lambda q, k: 1 / (q @ k.T).var())
mistake("3.4", "one over that", lambda q, k: (q @ k.T).std())
mistake("3.4", "the order of the keys", lambda q, k: -1 / (q @ k.T).std())
mistake("3.4", "measured from the mean", lambda q, k: 1 / (q @ k.T).square().mean().sqrt())
mistake("3.4", "a standard deviation of", lambda q, k: 1 / (q[:1] @ k.T).std())
