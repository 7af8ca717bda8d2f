"""Checks for chapter 4: cutting vectors into heads, and putting them together again."""

import torch

from ..attention import MultiHeadAttention, scaled_dot_product_attention
from . import Hint, answered, array, close, exercise, expect, mistake


@exercise("4.1")
def place(answer):
    expect(
        array(answer).shape != (),
        "three numbers are asked for: which sentence, which word and which column of y.",
    )
    b, t, column = array(answer, (3,))
    expect(
        (b, t, column) != (2, 5, 458),
        "head and word are exchanged: after the transpose, the head stands second.",
    )
    expect(column != 10, "10 is the place within the head; in y, five heads stand before this one.")
    expect(
        column != 394,
        "heads are counted from 0: before head 5 there are five heads of 64, not six.",
    )
    expect(column == 330, f"the column is 64 · head + place within the head; yours is {column:g}.")
    expect((b, t) == (2, 7), f"the sentence is 2 and the word 7; yours are {b:g} and {t:g}.")


mistake("4.1", "head and word are exchanged", (2, 5, 458))
mistake("4.1", "five heads stand before", (2, 7, 10))
mistake("4.1", "counted from 0", (2, 7, 394))
mistake("4.1", "64 · head + place", (2, 7, 645))
mistake("4.1", "the word 7", (2, 5, 330))
mistake("4.1", "three numbers are asked for", 330)
mistake("4.1", "yours is 330.7", (2, 7, 330.7))


@exercise("4.2")
def join_heads(function):
    y = torch.arange(2 * 3 * 20.0).view(2, 3, 20)
    heads = y.view(2, 3, 5, 4).transpose(1, 2)  # (2, 5, 3, 4)
    found = array(function(heads.contiguous()), (2, 3, 20))
    expect(
        not close(found, heads.contiguous().view(2, 3, 20)),
        "the shape is right, but words and heads are mixed: move the words before the heads first.",
    )
    expect(
        not close(found, heads.permute(0, 2, 3, 1).reshape(2, 3, 20)),
        "the numbers of the heads are interleaved: put the heads before their numbers, head 0 "
        "first.",
    )
    expect(close(found, y), "cutting y into heads and joining them should give y back.")
    other = torch.randn(
        1, 8, 5, 3
    )  # 120 numbers too, so that a view with fixed sizes comes as far as the hint
    expect(
        array(function(other)).shape == (1, 5, 24),
        "it works for one size only; take the sizes from the tensor.",
    )


mistake("4.2", "words and heads are mixed", lambda x: x.contiguous().view(x.size(0), x.size(2), -1))
mistake("4.2", "interleaved", lambda x: x.permute(0, 2, 3, 1).flatten(2))
mistake("4.2", "shape should be", lambda x: x.transpose(1, 2))
mistake("4.2", "should give y back", lambda x: x.flip(1).transpose(1, 2).flatten(2))
mistake("4.2", "stopped with", lambda x: x.transpose(1, 2).view(x.size(0), x.size(2), -1))
mistake("4.2", "one size only", lambda x: x.transpose(1, 2).contiguous().view(-1, 3, 20))


def _right(y, n_heads):
    return y.view(*y.shape[:2], n_heads, -1).transpose(1, 2)


def _last_word_wrong(y, n_heads):
    heads = _right(y, n_heads).clone()
    heads[-1, :, -1] = heads[-1, :, -1].flip(0)
    return heads


def _one_wrong(y, n_heads, place, number):
    heads = _right(y, n_heads).clone()
    heads[place, place, place, number] += 1
    return heads


def _interleaved(y, n_heads):
    return y.view(*y.shape[:2], -1, n_heads).permute(0, 3, 1, 2)


@exercise("4.3")
def splits_well(function):
    for n_heads in (2, 4):
        answer = function(lambda y, n=n_heads: _right(y, n), n_heads)
        expect(
            answered(answer),
            f"view and transpose into {n_heads} heads is right, and your function says it is not.",
        )
        wrong = {
            "the view without a transpose": lambda y, n=n_heads: y.view(
                y.size(0), n, y.size(1), -1
            ),
            "heads made of every n-th column": lambda y, n=n_heads: _interleaved(y, n),
            "a split that is wrong only for the last word of the last sentence": lambda y, n=n_heads: (
                _last_word_wrong(y, n)
            ),
            "the numbers of every head in reverse order": lambda y, n=n_heads: _right(y, n).flip(
                -1
            ),
            "a single wrong number, the last of the first slice": lambda y, n=n_heads: _one_wrong(
                y, n, 0, -1
            ),
            "a single wrong number, the first of the last slice": lambda y, n=n_heads: _one_wrong(
                y, n, -1, 0
            ),
            "the right numbers in a tensor of the wrong shape": lambda y, n=n_heads: y.view(
                *y.shape[:2], n, -1
            ),
        }
        for name, split in wrong.items():
            try:
                accepted = function(split, n_heads)
            except RuntimeError as error:
                raise Hint(
                    f"your function stopped at {name}: compare the shapes first. ({error})"
                ) from None
            expect(not accepted, f"your function accepts {name}.")


@mistake("4.3", "only for the last word")
def _(split, n):
    y = torch.randn(2, 5, 8)
    return torch.equal(split(y)[0, 1, 0], y[0, 0, 8 // n : 16 // n])


@mistake("4.3", "accepts the view without a transpose")
def _(split, n):
    y = torch.randn(2, 5, 8)
    return split(y).shape == (2, n, 5, 8 // n)


@mistake("4.3", "compare the shapes first")
def _(split, n):
    y = torch.randn(2, 5, 8)
    return bool((split(y) == _right(y, n)).all())


mistake("4.3", "says it is not", lambda split, n: False)


@mistake("4.3", "the last of the first slice")
def _(split, n):
    y = torch.arange(3 * 5 * n * 7).view(3, 5, n * 7)
    heads = split(y)
    return heads.shape == (3, n, 5, 7) and torch.equal(heads[..., 0].transpose(1, 2), y[..., ::7])


@exercise("4.4")
def looped(function):
    torch.manual_seed(4)
    x = torch.randn(2, 5, 12)
    matrices = [torch.randn(12, 12) / 2 for _ in range(4)]

    def attention(n_heads):
        package = MultiHeadAttention(12, n_heads)
        for layer, matrix in zip(
            (package.w_q, package.w_k, package.w_v, package.w_o), matrices, strict=True
        ):
            layer.weight.data.copy_(matrix)
        return package(x, x, x)[0].detach()

    def cut_by_columns():
        outputs = []
        for h in range(3):
            q, k, v = (x @ w[:, 4 * h : 4 * h + 4] for w in matrices[:3])
            outputs.append(scaled_dot_product_attention(q, k, v)[0])
        return torch.cat(outputs, dim=-1) @ matrices[3].T

    found = array(function(x, *matrices, 3), (2, 5, 12))
    expect(
        not close(found, attention(1), 1e-4),
        "that is a single head with all 12 numbers; give each head its 4.",
    )
    without_w_o = attention(3) @ torch.linalg.inv(matrices[3]).T
    expect(
        not close(found, without_w_o, 1e-3),
        "the last matrix is missing: W^O mixes what the heads have found.",
    )
    expect(
        not close(found, without_w_o @ matrices[3], 1e-3),
        "the heads are right; W^O is a weight of nn.Linear too, so multiply by its transpose.",
    )
    expect(
        not close(found, cut_by_columns(), 1e-4),
        "you cut the columns of the matrices; nn.Linear computes x Wᵀ, so head h has the rows d·h "
        "to d·(h+1) - 1.",
    )
    expect(
        close(found, attention(3), 1e-4),
        "head h has rows d·h to d·(h+1) - 1 of W^Q, W^K and W^V, and its own softmax.",
    )


@mistake("4.4", "a single head")
def _(x, a, b, c, o, n):
    return scaled_dot_product_attention(x @ a.T, x @ b.T, x @ c.T)[0] @ o.T


@mistake("4.4", "W^O mixes")
def _(x, a, b, c, o, n):
    rows = torch.arange(len(a)).view(n, -1)
    found = [scaled_dot_product_attention(*(x @ w[r].T for w in (a, b, c)))[0] for r in rows]
    return torch.cat(found, dim=-1)


@mistake("4.4", "you cut the columns")
def _(x, a, b, c, o, n):
    columns = torch.arange(len(a)).view(n, -1)
    found = [scaled_dot_product_attention(*(x @ w[:, i] for w in (a, b, c)))[0] for i in columns]
    return torch.cat(found, dim=-1) @ o.T


@mistake("4.4", "multiply by its transpose")
def _(x, a, b, c, o, n):
    rows = torch.arange(len(a)).view(n, -1)
    found = [scaled_dot_product_attention(*(x @ w[r].T for w in (a, b, c)))[0] for r in rows]
    return torch.cat(found, dim=-1) @ o


@mistake("4.4", "its own softmax")
def _(x, a, b, c, o, n):
    rows = torch.arange(len(a)).view(n, -1)
    found = [
        scaled_dot_product_attention(*(x @ w[r].T for w in (a, b, c)), scale=len(a) ** -0.5)[0]
        for r in rows
    ]
    return torch.cat(found, dim=-1) @ o.T
