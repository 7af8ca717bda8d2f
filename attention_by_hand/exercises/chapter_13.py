"""Checks for chapter 13: experts, caches that keep less, and a state."""

import torch

from . import answered, array, close, exercise, expect, mistake, numbers

numbers(
    "13.1",
    (0.8, 0.2, 42, 18),
    asks=("the larger share", "the smaller share", "millions held", "millions used"),
    mistakes={
        (32 / 66, 8 / 66, None, None): "the shares are made among the two that work: "
        "the other six powers do not count.",
        (5 / 8, 3 / 8, None, None): "the scores themselves are not the shares: take powers of 2 "
        "first.",
        (0.2, 0.8, None, None): "the larger share comes first.",
        (0.8, 0.2, 18, 18): "a word uses so many, but all eight experts have to be held.",
        (0.8, 0.2, 42, 42): "only two of the eight experts of a layer work for a word.",
        (0.8, 0.2, 42, 12): "two experts work in *each* of the four layers.",
        (0.8, 0.2, 32, None): "the 10 million outside of the experts are held as well.",
        (0.8, 0.2, 42, 8): "the 10 million outside of the experts are used by every word.",
    },
    otherwise=(
        "the powers of the two largest scores, 5 and 3, are 32 and 8; divide each by their sum.",
        "the powers of the two largest scores, 5 and 3, are 32 and 8; divide each by their sum.",
        "four layers of eight experts, and the rest.",
        "four layers of two experts, and the rest.",
    ),
    within=0.004,
)

TOKENS = 131_072
A_TOKEN = 2 * 8 * 128 * 2  # bytes in a layer
BY_WINDOWS = (40 * 1024 + 8 * TOKENS) * A_TOKEN
BY_LATENT = 48 * TOKENS * (512 + 64) * 2

numbers(
    "13.2",
    (BY_WINDOWS, BY_LATENT),
    asks=("bytes with windows", "bytes with a latent"),
    mistakes={
        (48 * TOKENS * A_TOKEN, None): "that is the cache without any window.",
        (48 * 1024 * A_TOKEN, None): "8 of the layers keep the whole text.",
        (40 * 1024 * A_TOKEN, None): "the 8 layers that see all keep something too.",
        (8 * TOKENS * A_TOKEN, None): "the 40 layers with a window keep 1,024 tokens each.",
        (BY_WINDOWS / 2, None): "there is a key *and* a value, and a number takes 2 bytes: one "
        "factor 2 is missing.",
        (4.46e9, 7.25e9): "nearly: all digits are asked for.",
        (BY_WINDOWS / 1e9, BY_LATENT / 1e9): "those are gigabytes; bytes are asked for.",
        (BY_WINDOWS / 1e6, BY_LATENT / 1e6): "those are megabytes; bytes are asked for.",
        (BY_WINDOWS, 2 * BY_LATENT): "key and value are made from *one* latent: it is kept once.",
        (BY_WINDOWS, BY_LATENT / 2): "a number takes 2 bytes.",
        (BY_WINDOWS, 48 * TOKENS * 512 * 2): "the short key that is turned is kept as well.",
        (BY_WINDOWS, TOKENS * 576 * 2): "every one of the 48 layers keeps its own latent.",
        (BY_WINDOWS, 8 * BY_LATENT): "all heads share the latent: their number does not matter.",
    },
    otherwise=(
        "40 layers keep 1,024 tokens and 8 keep all, each token with 2 · 8 · 128 numbers "
        "of 2 bytes.",
        "48 layers, each with 512 + 64 numbers of 2 bytes for every token.",
    ),
    within=0.5,
)


def _route(scores, bias, k, *, chosen_by="both", shares_of="scores", among="chosen", dim=-1):
    """The shares as they should be, or with one of the likely mistakes."""
    by = {"both": scores + bias, "scores": scores, "least": -(scores + bias)}[chosen_by]
    chosen = torch.zeros_like(scores, dtype=torch.bool).scatter(
        -1, by.topk(k, dim=-1).indices, True
    )
    mixed = scores + bias if shares_of == "both" else scores
    if among == "all":
        return mixed.softmax(dim) * chosen
    if among == "equal":
        return chosen / k
    return mixed.masked_fill(~chosen, -torch.inf).softmax(dim)


SLIPS_OF_ROUTE = {
    "bias in the shares": (dict(shares_of="both"), "the bias has entered the shares: it says who "
                           "is chosen, and not how loud."),
    "without the bias": (dict(chosen_by="scores"), "you have chosen by the scores alone: the bias "
                         "helps to be chosen."),
    "among all": (dict(among="all"), "the shares of a row do not sum to 1: the softmax is taken "
                  "among the chosen alone."),
    "equal": (dict(among="equal"), "the chosen do not get equal shares: a softmax of their scores "
              "makes them."),
    "the worst": (dict(chosen_by="least"), "those are the experts with the lowest sums."),
}  # fmt: skip


@exercise("13.3")
def chosen_with_the_bias(answer):
    torch.manual_seed(0)
    for rows, experts, k in ((6, 5, 2), (4, 8, 3)):
        scores = torch.randn(rows, experts, dtype=torch.float64)
        bias = 2 * torch.randn(experts, dtype=torch.float64)
        shares = array(answered(answer(scores.clone(), bias.clone(), k)), (rows, experts))
        for options, hint in SLIPS_OF_ROUTE.values():
            expect(not close(shares, _route(scores, bias, k, **options), 1e-9), hint)
        expect(
            ((shares > 0).sum(1) == k).all(),
            f"in each row {k} experts have a share above 0, and the others have 0.",
        )
        expect(
            close(shares, _route(scores, bias, k), 1e-6),
            "the right number of experts is chosen, but the shares differ, and not in a way that "
            "we know. Print one row, and do it with a pencil.",
        )


for _name, (_options, _hint) in SLIPS_OF_ROUTE.items():
    mistake(
        "13.3",
        _hint[:40],
        lambda scores, bias, k, options=_options: _route(scores, bias, k, **options),
    )
mistake("13.3", "have a share above 0", lambda scores, bias, k: scores.softmax(-1))
mistake("13.3", "have a share above 0", lambda scores, bias, k: _route(scores, bias, 2))
mistake("13.3", "not in a way that", lambda scores, bias, k: 2 * _route(scores, bias, k))


def _written_over(keys, values, queries, *, erase=True, late=False, keep=1.0, all_of_it=False):
    """The answers as they should be, or with one of the likely mistakes."""
    state = keys.new_zeros(values.size(1), keys.size(1))
    answers = []
    for key, value, query in zip(keys, values, queries, strict=True):
        if late:
            answers.append(state @ query)
        old = state @ key if erase else 0 * value
        state = keep * state + torch.outer(value - old, key)
        if not late:
            answers.append(state @ query)
    if all_of_it:
        return queries @ state.T
    return torch.stack(answers)


SLIPS_OF_STATE = {
    "adds": (dict(erase=False), "the old value is still there: take `state @ key` away from the "
             "new value before you write it."),
    "asks first": (dict(late=True), "a word asks after it has written, so it finds its own value "
                   "too."),
    "at the end": (dict(all_of_it=True), "the early words ask the state of the end: they must not "
                   "hear of what comes after them."),
}  # fmt: skip


@exercise("13.4")
def written_over(answer):
    torch.manual_seed(0)
    keys, queries = (torch.nn.functional.normalize(torch.randn(7, 4), dim=-1) for _ in range(2))
    values = torch.randn(7, 3)
    right = _written_over(keys, values, queries)
    answers = array(answered(answer(keys.clone(), values.clone(), queries.clone())), (7, 3))
    for options, hint in SLIPS_OF_STATE.values():
        expect(not close(answers, _written_over(keys, values, queries, **options), 1e-5), hint)
    expect(
        close(answers, right, 1e-5),
        "the numbers differ, and not in a way that we know. Try two words with the same key: who "
        "asks with it afterwards must get the second value.",
    )
    few = keys[:4].clone(), values[:4, :2].clone(), queries[:4].clone()
    expect(
        close(array(answer(*few), (4, 2)), _written_over(*few), 1e-5),
        "right for seven words, and wrong for four: take all sizes from what is given.",
    )


for _name, (_options, _hint) in SLIPS_OF_STATE.items():
    mistake(
        "13.4",
        _hint[:40],
        lambda keys, values, queries, options=_options: _written_over(
            keys, values, queries, **options
        ),
    )
mistake("13.4", "wrong for four", lambda k, v, q: _written_over(k, v, q, keep=float(len(k) > 4)))
mistake("13.4", "not in a way that", lambda k, v, q: _written_over(k, v, q, keep=0.5))
