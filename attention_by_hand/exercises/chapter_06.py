"""Positions."""

import math

import torch

from transformer_lite.positions import sinusoidal_encoding

from . import Watch, answered, array, close, exercise, expect, mistake, numbers


def turn_of(exponent, whole=2 * math.pi):
    """How many positions a hand with this exponent needs for a whole turn."""
    return whole * 10000**exponent


numbers(
    "6.1",
    (turn_of(16 / 64), turn_of(32 / 64)),
    asks=("hand 8", "hand 16"),
    mistakes={
        (turn_of(16 / 64, 1), turn_of(32 / 64, 1)): "after that many positions the hand has turned "
        "by 1. A full turn is 2π.",
        (1 / turn_of(16 / 64, 1), 1 / turn_of(32 / 64, 1)): "that is ω, the turn per position; how "
        "many positions make a turn of 2π?",
        (turn_of(16 / 64, 360), turn_of(32 / 64, 360)): "the angles are in radians: a full turn is "
        "2π, not 360.",
        (turn_of(-16 / 64), turn_of(-32 / 64)): "you multiplied 2π by ω; a slower hand has the "
        "smaller ω and needs more positions, so divide.",
        (turn_of(8 / 64), turn_of(16 / 64)): "i counts hands, and hand i stands in columns 2i and "
        "2i + 1: the exponent is 2i/D.",
        (turn_of(32 / 64), turn_of(64 / 64)): "you doubled twice: "
        "i counts hands, so the exponent is 2i/D.",
        (turn_of(16 / 62), turn_of(32 / 62)): "with D - 2 in the exponent the last hand would "
        "reach 2π · 10000; the formula divides by D and stops short.",
        (turn_of(32 / 64), turn_of(16 / 64)): "you exchanged the two: hand 16 is the slower one.",
        (turn_of(14 / 64), turn_of(30 / 64)): "hands are counted from 0: hand 8 is the ninth.",
    },
    otherwise=(
        "hand 8 has turned by pos · ω, with ω = 1 / 10000^(16/64); set that equal to 2π.",
        "hand 8 is right. Hand 16 has ω = 1 / 10000^(32/64).",
    ),
    within=0.01,
    nearly=(1, "nearly: a period need not be a whole number; give two digits after the point."),
)
mistake("6.1", "set that equal to 2π", (8 * 64, 16 * 64))
mistake("6.1", "Hand 16 has", (turn_of(16 / 64), 2 * turn_of(16 / 64)))
mistake("6.1", "need not be a whole number", (63, 628))


OMEGA = (1, 0.01)  # of the two hands of D = 4


def hands(distance):
    """The dot product of two places of D = 4 that are so far apart."""
    return sum(math.cos(distance * omega) for omega in OMEGA)


numbers(
    "6.2",
    hands(100),
    mistakes={
        hands(math.radians(100)): "your calculator counts in degrees; these angles are in radians.",
        math.cos(100): "that is the fast hand alone; add what the slow one contributes.",
        math.cos(1): "that is the slow hand alone; add what the fast one contributes.",
        2 * math.cos(100): "the second hand is a hundred times slower than the first: it has "
        "turned by 100 · 0.01.",
        math.sin(100) + math.sin(1): "sin a sin b + cos a cos b is the cosine of a - b, "
        "not its sine.",
        hands(106): "you added the two positions; what counts is their difference, 100.",
        hands(100) / 2: "a dot product adds the hands up; it does not average them.",
    },
    otherwise="add up cos(distance · ω) over the two hands, with ω = 1 and ω = 0.01.",
    within=1e-4,
    nearly=(1e-2, "nearly: give four digits after the point, and round only at the end."),
)
mistake("6.2", "ω = 1 and ω = 0.01", math.cos(100) + math.cos(10))
mistake("6.2", "round only at the end", 1.40)


def waves(length, d_model):
    """The table of sines and cosines, for an odd d_model too."""
    return sinusoidal_encoding(length, d_model + d_model % 2)[:, :d_model]


def noise(length, d_model):
    """A table as it might have been learned."""
    return torch.randn(length, d_model, generator=torch.Generator().manual_seed(0))


def right(x):
    return x + waves(x.size(1), x.size(2))


def learned(x):
    return x + noise(x.size(1), x.size(2))


def scaled(x):
    return x * math.sqrt(x.size(-1)) + waves(x.size(1), x.size(2))


def along_the_sentences(x):
    return x + waves(x.size(0), x.size(2))[:, None]


def running_on(x):
    return x + waves(x.size(0) * x.size(1), x.size(2)).view(x.shape)


def constant(x):
    return x + noise(1, x.size(2))


def two_by_two(x):
    return x + waves(x.size(1), x.size(2))[torch.arange(x.size(1)) // 2]


def in_turns(x):
    return x + waves(x.size(1), x.size(2))[torch.arange(x.size(1)) % 2]


def faster_and_faster(x):
    sentence = torch.arange(x.size(0))
    place = torch.arange(x.size(1))
    pace = torch.outer(sentence + 1, place)  # (B, T): 0 1 2, then 0 2 4
    return x + waves(int(pace.max()) + 1, x.size(2))[pace]


@exercise("6.3")
def catch_the_wrong_axis(answer):
    expect(
        answered(answer(right)),
        "you refused one that does what it should: x + table[: number of words].",
    )
    expect(not answer(lambda x: x), "you accepted a function that adds nothing at all.")
    expect(
        not answer(along_the_sentences),
        "you accepted the one that gives all words of a sentence the same vector. Compare the "
        "places of a sentence with each other.",
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
        "what is added is left.",
    )
    expect(
        answer(learned),
        "you refused a learned table. The vectors need not be the sines and cosines, only "
        "different from each other.",
    )
    expect(
        not answer(two_by_two) and not answer(in_turns),
        "you accepted one that gives two places of a sentence the same vector. Take three words or "
        "more and compare each place with every other.",
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


def pairs(x):
    """The first and the second number of each pair of neighbours, (T, D/2) each."""
    return x[:, 0::2], x[:, 1::2]


def joined(a, b):
    """The pairs side by side again, (T, D)."""
    return torch.stack((a, b), dim=-1).flatten(1)


def turned(x, sign=1):
    """Each row of x (T, D) turned by its place; the other way round where the sign is -1."""
    sine, cosine = pairs(sinusoidal_encoding(*x.shape, dtype=x.dtype))
    a, b = pairs(x)
    return joined(cosine * a + sign * sine * b, cosine * b - sign * sine * a)


def turned_in_halves(x):
    """As `turned`, but number j belongs to number j + D/2."""
    half = x.size(1) // 2
    a, b = pairs(turned(joined(x[:, :half], x[:, half:])))
    return torch.cat((a, b), dim=1)


def turned_at_one_speed(x):
    """As `turned`, but all hands turn as hand 0 does."""
    angle = torch.arange(len(x), dtype=x.dtype)[:, None]
    a, b = pairs(x)
    return joined(angle.cos() * a + angle.sin() * b, angle.cos() * b - angle.sin() * a)


@exercise("6.4")
def turn_without_a_matrix(answer):
    torch.manual_seed(0)
    x = torch.randn(5, 8, dtype=torch.float64)
    table = sinusoidal_encoding(5, 8, dtype=torch.float64)
    rows = array(answer(x.clone()), (5, 8))
    expect(not close(rows, x), "your rows come back as they were: nothing has turned.")
    expect(
        not close(rows, x + table),
        "you added the positions to the rows. Here nothing is added: each pair is turned.",
    )
    expect(
        not close(rows, turned(x, -1)),
        "your hands turn backwards: in (6.2) the minus stands before the sine in the second row.",
    )
    expect(
        not close(rows, turned_in_halves(x)),
        "you made pairs of number j and number j + D/2, as some models do. Here the two numbers of "
        "a pair stand side by side.",
    )
    expect(
        not close(rows, turned_at_one_speed(x)),
        "all your hands turn at the speed of the first; each pair has its own ω.",
    )
    expect(
        not close(rows, torch.cat(pairs(turned(x)), dim=1)),
        "the numbers are right and stand in the wrong columns: "
        "put the two of a pair side by side again.",
    )
    expect(
        close(rows, turned(x)),
        "turn the pair (a, b) of columns 2i and 2i + 1 by the angle pos · ω of its place and its "
        "hand: a cos + b sin, then b cos - a sin.",
    )
    expect(
        array(answer(x[:3].clone())).shape == (3, 8),
        "right for five rows, but not for three: take the number of places from x.",
    )
    wide = torch.randn(3, 14, dtype=torch.float64)
    expect(
        close(array(answer(wide.clone())), turned(wide)),
        "right for rows of 8 numbers, and wrong for 14: take D from x.",
    )

    def matrix(function, arguments, result):
        square = isinstance(result, torch.Tensor) and result.shape[-2:] == (14, 14)
        expect(not square, "you built a matrix of D × D. Each pair needs two sines and cosines.")

    with Watch(matrix):
        answer(wide.clone())


mistake("6.4", "nothing has turned", lambda x: x)
mistake("6.4", "nothing is added", lambda x: x + sinusoidal_encoding(*x.shape))
mistake("6.4", "turn backwards", lambda x: turned(x, -1))
mistake("6.4", "j + D/2", turned_in_halves)
mistake("6.4", "each pair has its own ω", turned_at_one_speed)
mistake("6.4", "in the wrong columns", lambda x: torch.cat(pairs(turned(x)), dim=1))
mistake("6.4", "turn the pair (a, b)", lambda x: x * sinusoidal_encoding(*x.shape))


@mistake("6.4", "take D from x")
def _(x):
    return turned(x) if x.size(1) == 8 else x


@mistake("6.4", "a matrix of D × D")
def _(x):
    rows = torch.eye(x.size(1), dtype=x.dtype)
    matrices = torch.stack([turned(row.expand(len(x), -1)) for row in rows], dim=1)  # (T, D, D)
    return (x[:, None] @ matrices)[:, 0]


@mistake("6.4", "not for three")
def _(x):
    return turned(torch.cat((x, torch.zeros(5 - len(x), 8, dtype=x.dtype))))
