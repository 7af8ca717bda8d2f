"""Checks for chapter 4: cutting vectors into heads, and putting them together again."""

from functools import partial

import torch

from . import Hint, answered, array, choice, close, exercise, expect, mistake, numbers

choice(
    "4.1",
    (
        "the number of learned weights",
        "the numbers in a head's query",
        "the attention weights of a sentence",
        "the numbers in the output for each word",
    ),
    2,
    hints={
        0: "the four matrices stay as they are, (64, 64) each; they are only cut into more pieces.",
        1: "8 heads share the 64 numbers, so each of them has fewer than before.",
        3: "W^O brings what the heads have found back to the 64 numbers of a word.",
    },
)


numbers(
    "4.2",
    (2, 7, 330),
    mistakes={
        (2, 5, 458): "head and word are exchanged: after the transpose, the head stands second.",
        (
            None,
            None,
            10,
        ): "10 is the place within the head; in y, five heads stand before this one.",
        (
            None,
            None,
            394,
        ): "heads are counted from 0: before head 5 there are five heads of 64, not six.",
        (
            None,
            None,
            85,
        ): "a head's 64 numbers lie together; you counted as if the 8 heads took turns.",
    },
    otherwise=(
        "the first axis is the sentence, in both tensors.",
        "the word is 7: after the transpose it stands third.",
        "the column is 64 · head + place within the head.",
    ),
    asks=("sentence", "word", "column"),
)
mistake("4.2", "64 · head + place", (2, 7, 645))
mistake("4.2", "the word is 7", (2, 5, 330))
mistake("4.2", "3 numbers are asked for", 330)
mistake("4.2", "the first axis", (5, 7, 330))


@exercise("4.3")
def join_heads(function):
    y = torch.arange(2 * 3 * 20.0).view(2, 3, 20)
    heads = y.view(2, 3, 5, 4).transpose(1, 2)  # (2, 5, 3, 4)
    joined = array(function(heads.contiguous()), (2, 3, 20))
    expect(
        not close(joined, heads.contiguous().view(2, 3, 20)),
        "the shape is right, but words and heads are mixed: move the words before the heads first.",
    )
    expect(
        not close(joined, heads.permute(0, 2, 3, 1).reshape(2, 3, 20)),
        "the numbers of the heads are interleaved: "
        "put the heads before their numbers, head 0 first.",
    )
    expect(close(joined, y), "cutting y into heads and joining them should give y back.")
    # 120 numbers too, so that a view with fixed sizes comes as far as the hint
    other = torch.randn(1, 8, 5, 3)
    expect(
        array(function(other)).shape == (1, 5, 24),
        "it works for one size only; take the sizes from the tensor.",
    )


mistake("4.3", "words and heads are mixed", lambda x: x.contiguous().view(x.size(0), x.size(2), -1))
mistake("4.3", "interleaved", lambda x: x.permute(0, 2, 3, 1).flatten(2))
mistake("4.3", "shape should be", lambda x: x.transpose(1, 2))
mistake("4.3", "should give y back", lambda x: x.flip(1).transpose(1, 2).flatten(2))
mistake("4.3", "stopped with", lambda x: x.transpose(1, 2).view(x.size(0), x.size(2), -1))
mistake("4.3", "one size only", lambda x: x.transpose(1, 2).contiguous().view(-1, 3, 20))


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


def _wrong_in_the_middle(y, n_heads):
    heads = _right(y, n_heads).clone()
    heads[tuple(size // 2 for size in heads.shape)] += 1
    return heads


def _interleaved(y, n_heads):
    return y.view(*y.shape[:2], -1, n_heads).permute(0, 3, 1, 2)


WRONG_SPLITS = {
    "the view without a transpose": lambda y, n_heads: y.view(y.size(0), n_heads, y.size(1), -1),
    "heads made of every n-th column": _interleaved,
    "a split that is wrong only for the last word of the last sentence": _last_word_wrong,
    "the numbers of every head in reverse order": lambda y, n_heads: _right(y, n_heads).flip(-1),
    "a single wrong number, the last of the first slice": partial(_one_wrong, place=0, number=-1),
    "a single wrong number, the first of the last slice": partial(_one_wrong, place=-1, number=0),
    "a single wrong number in the middle": _wrong_in_the_middle,
    "the right numbers in a tensor of the wrong shape": lambda y, n_heads: y.view(
        *y.shape[:2], n_heads, -1
    ),
}


@exercise("4.4")
def splits_well(function):
    for n_heads in (2, 4):
        answer = function(lambda y, n=n_heads: _right(y, n), n_heads)
        expect(
            answered(answer),
            f"view and transpose into {n_heads} heads is right, and your function says it is not.",
        )
        for name, wrong_split in WRONG_SPLITS.items():
            split = partial(wrong_split, n_heads=n_heads)
            try:
                accepted = function(split, n_heads)
            except RuntimeError as error:
                raise Hint(
                    f"your function stopped at {name}: compare the shapes first. ({error})"
                ) from None
            expect(not accepted, f"your function accepts {name}.")


@mistake("4.4", "only for the last word")
def _(split, n):
    y = torch.randn(2, 5, 8)
    return torch.equal(split(y)[0, 1, 0], y[0, 0, 8 // n : 16 // n])


@mistake("4.4", "accepts the view without a transpose")
def _(split, n):
    y = torch.randn(2, 5, 8)
    return split(y).shape == (2, n, 5, 8 // n)


@mistake("4.4", "compare the shapes first")
def _(split, n):
    y = torch.randn(2, 5, 8)
    return bool((split(y) == _right(y, n)).all())


mistake("4.4", "says it is not", lambda split, n: False)


@mistake("4.4", "the last of the first slice")
def _(split, n):
    y = torch.arange(3 * 5 * n * 7).view(3, 5, n * 7)
    heads = split(y)
    return heads.shape == (3, n, 5, 7) and torch.equal(heads[..., 0].transpose(1, 2), y[..., ::7])


@mistake("4.4", "in the middle")
def _(split, n):
    y = torch.arange(4 * 5 * n * 3).view(4, 5, n * 3)
    ends = [0, -1]
    heads = split(y)
    whole = heads.shape == (4, n, 5, 3)
    return whole and all(torch.equal(heads[b, :, t].flatten(), y[b, t]) for b in ends for t in ends)


@exercise("4.5")
def proposals_of(function):
    torch.manual_seed(4)
    joined = torch.randn(5, 12)
    w_o = torch.randn(12, 12)

    def right(n_heads):
        strips = joined.view(5, n_heads, -1)
        rows = w_o.T.view(n_heads, -1, 12)
        return torch.einsum("thd,hdo->hto", strips, rows)

    proposals = array(function(joined, w_o, 3), (3, 5, 12))
    expect(
        not close(proposals, joined.view(5, 3, 4).transpose(0, 1) @ w_o.view(3, 4, 12), 1e-3),
        "you cut the rows of the weight; nn.Linear stores it the other way round, so a strip meets "
        "its columns.",
    )
    expect(
        not close(proposals, (joined @ w_o.T).expand(3, 5, 12), 1e-3),
        "that is the whole output for every head; each head has a strip of its own.",
    )
    expect(
        not close(proposals.sum(0), joined @ w_o, 1e-3),
        "they sum to joined @ w_o, and they should sum to joined @ w_o.T.",
    )
    expect(
        close(proposals.sum(0), joined @ w_o.T, 1e-3),
        "the sum over the heads should be joined @ w_o.T.",
    )
    expect(
        close(proposals, right(3), 1e-3),
        "the sum is right and the parts are not: head h has the numbers d·h to d·(h+1) - 1.",
    )
    expect(
        close(array(function(joined, w_o, 4), (4, 5, 12)), right(4), 1e-3),
        "right for three heads, wrong for four: take the sizes from the tensors.",
    )


@mistake("4.5", "you cut the rows")
def _(joined, w_o, n):
    d = joined.size(-1) // n
    strips = [slice(d * h, d * (h + 1)) for h in range(n)]
    return torch.stack([joined[:, s] @ w_o[s] for s in strips])


@mistake("4.5", "they sum to joined @ w_o,")
def _(joined, w_o, n):
    whole = joined @ w_o
    return torch.stack([whole / n] * n)


@mistake("4.5", "sum is right and the parts are not")
def _(joined, w_o, n):
    return torch.stack([joined[:, h::n] @ w_o[:, h::n].T for h in range(n)])


@mistake("4.5", "wrong for four")
def _(joined, w_o, n):
    strips = [slice(4 * h, 4 * (h + 1)) for h in range(3)]
    parts = [joined[:, s] @ w_o[:, s].T for s in strips]
    return torch.stack(parts + [parts[0]] * (n - 3))


mistake("4.5", "the whole output for every head", lambda j, w, n: torch.stack([j @ w.T] * n))
mistake("4.5", "should be joined @ w_o.T", lambda j, w, n: torch.zeros(n, *j.shape))
