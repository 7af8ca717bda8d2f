"""Positions."""

import math

import torch

from ..positions import sinusoidal_encoding
from . import answered, array, close, exercise, expect, mistake


@exercise("6.1")
def two_places(answer):
    value = array(answer, ())
    right = math.cos(100) + math.cos(1)
    expect(
        not close(value, math.cos(math.radians(100)) + math.cos(math.radians(1)), 5e-4),
        "your calculator counts in degrees; these angles are in radians.",
    )
    expect(
        not close(value, math.cos(100), 5e-4) and not close(value, math.cos(1), 5e-4),
        "that is one hand of the two; add what the other contributes.",
    )
    expect(
        not close(value, 2 * math.cos(100), 5e-4),
        "the second hand is a hundred times slower than the first: it has turned by 100 · 0.01.",
    )
    expect(
        not close(value, math.sin(100) + math.sin(1), 5e-4),
        "sin a sin b + cos a cos b is the cosine of a - b, not its sine.",
    )
    expect(
        not close(value, math.cos(106) + math.cos(1.06), 5e-4),
        "you added the two positions; what counts is their difference, 100.",
    )
    expect(
        not close(value, right / 2, 5e-4),
        "a dot product adds the hands up; it does not average them.",
    )
    rough = close(value, right, 1e-2) and not close(value, right, 1e-4)
    expect(not rough, "nearly: give four digits after the point, and round only at the end.")
    expect(
        close(value, right, 1e-4),
        "add up cos(distance · ω) over the two hands, with ω = 1 and ω = 0.01.",
    )


mistake("6.1", "degrees", math.cos(math.radians(100)) + math.cos(math.radians(1)))
mistake("6.1", "one hand of the two", math.cos(100))
mistake("6.1", "added the two positions", math.cos(106) + math.cos(1.06))
mistake("6.1", "not its sine", math.sin(100) + math.sin(1))
mistake("6.1", "a hundred times slower", 2 * math.cos(100))
mistake("6.1", "does not average", (math.cos(100) + math.cos(1)) / 2)
mistake("6.1", "ω = 1 and ω = 0.01", math.cos(100) + math.cos(10))
mistake("6.1", "round only at the end", 1.40)


@exercise("6.2")
def once_around(answer):
    i = 3
    d = 64
    value = array(answer(i, d), ())
    share = 10000 ** (2 * i / d)
    expect(
        not close(value, 1 / share),
        "that is ω, the turn per position; how many positions make a turn of 2π?",
    )
    expect(
        not close(value, share),
        "after that many positions the hand has turned by 1. A full turn is 2π.",
    )
    expect(not close(value, 360 * share), "the angles are in radians: a full turn is 2π, not 360.")
    expect(
        not close(value, 2 * math.pi / share),
        "you multiplied 2π by ω; a slower hand has the smaller ω and needs more positions, so "
        "divide.",
    )
    expect(
        not close(value, 2 * math.pi * 10000 ** (i / d)),
        "i counts hands, and hand i stands in columns 2i and 2i + 1: the exponent is 2i/D.",
    )
    expect(
        not close(value, 2 * math.pi * 10000 ** (4 * i / d)),
        "you doubled twice: i counts hands, so the exponent is 2i/D.",
    )
    expect(
        not close(value, 2 * math.pi * 10000 ** (2 * i / (d - 2))),
        "with D - 2 in the exponent the last hand would reach 2π · 10000; the formula divides by D "
        "and stops short.",
    )
    right = 2 * math.pi * share
    rounded = math.floor(right), math.ceil(right)
    expect(
        value not in rounded, "a period need not be a whole number of positions: do not round it."
    )
    expect(
        close(value / right, 1, 1e-5),
        "hand i has turned by pos · ω; set that equal to 2π and solve for pos.",
    )
    right = 2 * math.pi * 10000 ** (510 / 512)
    expect(
        close(array(answer(255, 512), ()) / right, 1, 1e-5),
        "right for hand 3 of 32, but not for hand 255 of 256.",
    )


mistake("6.2", "that is ω", lambda i, d_model: 10000 ** (-2 * i / d_model))
mistake("6.2", "turned by 1", lambda i, d_model: 10000 ** (2 * i / d_model))
mistake("6.2", "2π, not 360", lambda i, d_model: 360 * 10000 ** (2 * i / d_model))
mistake("6.2", "so divide", lambda i, d_model: 2 * math.pi * 10000 ** (-2 * i / d_model))
mistake("6.2", "doubled twice", lambda i, d_model: 2 * math.pi * 10000 ** (4 * i / d_model))
mistake("6.2", "solve for pos", lambda i, d_model: 2 * i * d_model)
mistake("6.2", "not for hand 255", lambda i, d_model: 2 * math.pi * 10000 ** (i / 32))
mistake(
    "6.2", "i counts hands, and hand i", lambda i, d_model: 2 * math.pi * 10000 ** (i / d_model)
)
mistake("6.2", "stops short", lambda i, d_model: 2 * math.pi * 10000 ** (2 * i / (d_model - 2)))
mistake(
    "6.2", "do not round it", lambda i, d_model: math.ceil(2 * math.pi * 10000 ** (2 * i / d_model))
)


@exercise("6.3")
def catch_the_wrong_axis(answer):
    def table(length, d_model):
        return sinusoidal_encoding(length, d_model + d_model % 2)[:, :d_model]

    def noise(length, d_model):
        return torch.randn(length, d_model, generator=torch.Generator().manual_seed(0))

    def right(x):
        return x + table(x.size(1), x.size(2))

    def learned(x):
        return x + noise(x.size(1), x.size(2))

    def scaled(x):
        return x * math.sqrt(x.size(-1)) + table(x.size(1), x.size(2))

    def sentence_axis(x):
        return x + table(x.size(0), x.size(2))[:, None]

    def running_on(x):
        return x + table(x.size(0) * x.size(1), x.size(2)).view(x.shape)

    def constant(x):
        return x + noise(1, x.size(2))

    def in_pairs(x):
        return x + table(x.size(1), x.size(2))[torch.arange(x.size(1)) // 2]

    def in_turns(x):
        return x + table(x.size(1), x.size(2))[torch.arange(x.size(1)) % 2]

    def faster_and_faster(x):
        pace = torch.outer(
            torch.arange(x.size(0)) + 1, torch.arange(x.size(1))
        )  # (B, T): 0 1 2, then 0 2 4
        return x + table(int(pace.max()) + 1, x.size(2))[pace]

    expect(
        answered(answer(right)),
        "you refused one that does what it should: x + table[: number of words].",
    )
    expect(not answer(lambda x: x), "you accepted a function that adds nothing at all.")
    expect(
        not answer(sentence_axis),
        "you accepted the one that gives all words of a sentence the same vector. Compare the "
        "places of a sentence "
        "with each other.",
    )
    expect(
        not answer(running_on),
        "you accepted one that goes on counting into the next sentence. Compare the sentences with "
        "each other.",
    )
    expect(not answer(constant), "you accepted one that adds the same vector at every place.")
    expect(
        answer(scaled),
        "you refused one that multiplies the words by √D first. Let the words be zeros, and only "
        "what is added is "
        "left.",
    )
    expect(
        answer(learned),
        "you refused a learned table. The vectors need not be the sines and cosines, only "
        "different from each other.",
    )
    expect(
        not answer(in_pairs) and not answer(in_turns),
        "you accepted one that gives two places of a sentence the same vector. Take three words or "
        "more and compare "
        "each place with every other.",
    )
    expect(
        not answer(faster_and_faster),
        "you accepted one that gives only the first places of all sentences the same vector. "
        "Compare all places.",
    )


@mistake("6.3", "Compare the places")
def _(add):
    x = torch.randn(3, 4, 64)
    return not torch.equal(add(x), x)


@mistake("6.3", "goes on counting")
def _(add):
    a = add(torch.zeros(3, 4, 64))
    return not torch.equal(a[:, 0], a[:, 1])


@mistake("6.3", "adds nothing")
def _(add):
    a = add(torch.zeros(3, 4, 64))
    return torch.equal(a[0], a[1])


@mistake("6.3", "by √D first")
def _(add):
    x = torch.randn(3, 4, 64)
    a = add(x) - x
    return torch.allclose(a[0], a[1], atol=1e-5) and not torch.allclose(a[:, 0], a[:, 1], atol=1e-5)


@mistake("6.3", "learned table")
def _(add):
    a = add(torch.zeros(2, 4, 64))
    return torch.allclose(a, sinusoidal_encoding(4, 64).expand(2, 4, 64))


@mistake("6.3", "two places of a sentence")
def _(add):
    a = add(torch.zeros(2, 4, 8))
    return torch.equal(a[0], a[1]) and not torch.equal(a[:, 0], a[:, 1])


@mistake("6.3", "refused one that does what it should")
def _(add):
    a = add(torch.zeros(2, 4, 8))
    return not torch.equal(a[0], a[1])


@mistake("6.3", "the same vector at every place")
def _(add):
    a = add(torch.zeros(2, 4, 8))
    return torch.equal(a[0], a[1]) and bool(a.any())


@mistake("6.3", "only the first places")
def _(add):
    a = add(torch.zeros(2, 4, 8))
    return torch.equal(a[0, 0], a[1, 0]) and len(a[0].unique(dim=0)) == 4


def turned(x, sign=1):
    """Each word of x (T, D) turned by its place; the other way round where the sign is -1."""
    table = sinusoidal_encoding(*x.shape, dtype=x.dtype)
    sine = sign * table[:, 0::2]
    cosine = table[:, 1::2]
    a = x[:, 0::2]
    b = x[:, 1::2]
    return torch.stack((cosine * a + sine * b, cosine * b - sine * a), dim=-1).flatten(1)


@exercise("6.4")
def turned_queries_and_keys(answer):
    torch.manual_seed(0)
    length = 5
    d = 8
    query = torch.randn(length, d, dtype=torch.float64)
    key = torch.randn(length, d, dtype=torch.float64)
    table = sinusoidal_encoding(length, d, dtype=torch.float64)

    def scores(q, k):
        return q @ k.T / math.sqrt(d)

    found = array(answer(query.clone(), key.clone()), (length, length))
    expect(
        not close(found, scores(query, key)),
        "those are the scores without any turning: every position used R_0 or none.",
    )
    expect(
        not close(found, scores(query + table, key + table)),
        "you added the positions to queries and keys. Here nothing is added: they are turned.",
    )
    expect(
        not close(found, scores(turned(query), key))
        and not close(found, scores(query, turned(key))),
        "you turned only one of the two. Then the score depends on that word's place, not on the "
        "distance.",
    )
    expect(
        not close(found, scores(turned(query), turned(key, -1)))
        and not close(found, scores(turned(query, -1), turned(key))),
        "query and key turn in opposite directions, so their places add up. Turn both the same "
        "way.",
    )
    expect(
        not close(found, scores(turned(query), turned(key)) * math.sqrt(d)),
        "right, but not divided by √D yet.",
    )
    expect(
        close(found, scores(turned(query), turned(key))),
        "turn row m of the query with rotation(m, D) @ query[m], row n of the key likewise, then "
        "take all dot "
        "products and divide by √D.",
    )


mistake("6.4", "only one of the two", lambda q, k: turned(q) @ k.T / math.sqrt(q.size(-1)))


@mistake("6.4", "nothing is added")
def _(q, k):
    places = sinusoidal_encoding(*q.shape)
    return (q + places) @ (k + places).T / math.sqrt(q.size(-1))


mistake(
    "6.4", "opposite directions", lambda q, k: turned(q) @ turned(k, -1).T / math.sqrt(q.size(-1))
)
mistake("6.4", "without any turning", lambda q, k: q @ k.T / math.sqrt(q.size(-1)))
mistake("6.4", "turn row m of the query", lambda q, k: turned(q) @ turned(k).T / q.size(-1))
mistake("6.4", "not divided by √D yet", lambda q, k: turned(q) @ turned(k).T)
