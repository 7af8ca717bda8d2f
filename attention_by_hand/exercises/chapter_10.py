"""Checks for chapter 10: how far, how deep, how dear."""

from . import array, close, exercise, expect, mistake, numbers

numbers(
    "10.1",
    15,
    mistakes={
        12: "a width of 5 includes the word itself: it reaches 4 words back, not 5.",
        30: "a causal convolution looks back only: "
        "all 4 other words are before it, not 2 on each side.",
        60: "60 would be a width of 2, or a recurrent network.",
        61 / 4: "you divided all 61 words by 4, and the last one is among them: "
        "how many are to be crossed?",
        16: "the first of 61 words is 60 words back: count the gaps, not the words.",
    },
    otherwise="each layer reaches 4 words further back.",
)


@exercise("10.2")
def even_length(function):
    for d, d_ff in ((512, 1536), (64, 96)):
        length = float(array(function(d, d_ff), ()))
        expect(
            length != d,
            "n = d compares with a recurrent layer; here it is the rest of the encoder layer.",
        )
        expect(length != 2 * d, "that leaves out the feed-forward network.")
        expect(length != d_ff, "that leaves out the four projections.")
        expect(
            length != 6 * d or d_ff == 4 * d,
            f"6d holds for d_ff = 4d only; here d = {d} and d_ff = {d_ff}.",
        )
        expect(length != 4 * d + 2 * d_ff, "scores and mixing are two products: n²d each.")
        expect(
            close(length, 2 * d + d_ff, 0.01),
            f"for d = {d} and d_ff = {d_ff} yours is {length:g}: write down both sides first.",
        )


mistake("10.2", "a recurrent layer", lambda d, d_ff: d)
mistake("10.2", "the feed-forward network", lambda d, d_ff: 2 * d)
mistake("10.2", "the four projections", lambda d, d_ff: d_ff)
mistake("10.2", "two products", lambda d, d_ff: 4 * d + 2 * d_ff)
mistake("10.2", "d_ff = 4d only", lambda d, d_ff: 6 * d)
mistake("10.2", "write down both sides", lambda d, d_ff: d + d_ff)
mistake("10.2", "write down both sides", lambda d, d_ff: 2 * d + d_ff / 2)


@exercise("10.3")
def windowed(function):
    for n, window, depth in ((100, 8, 3), (6, 4, 5), (3, 5, 1)):
        reach, scores = (float(x) for x in array(function(n, window, depth), (2,)))
        right = min(depth * (window - 1), n - 1)
        total = sum(min(i + 1, window) for i in range(n))
        case = f"for {n} words, a window of {window} and {depth} layers"
        expect(
            (reach, scores) != (total, right),
            f"{case}: return the words back first, then the scores.",
        )
        expect(
            reach != min(depth * window, n - 1) or reach == right,
            f"{case}: a window includes the word itself.",
        )
        expect(reach <= n - 1, f"{case}: nothing comes from before the first word.")
        expect(
            reach == right,
            f"{case}, the message comes from at most {right} words back; yours is {reach:g}.",
        )
        expect(
            scores != n * window or scores == total,
            f"{case}: the first words have fewer words to see.",
        )
        expect(scores == total, f"{case}, there are {total} scores; yours are {scores:g}.")


mistake("10.3", "includes the word itself", lambda n, w, depth: (min(depth * w, n - 1), n * w))
mistake("10.3", "fewer words to see", lambda n, w, depth: (min(depth * (w - 1), n - 1), n * w))
mistake(
    "10.3",
    "before the first word",
    lambda n, w, depth: (depth * (w - 1), sum(min(i + 1, w) for i in range(n))),
)
mistake("10.3", "at most 21 words back", lambda n, w, depth: (w - 1, n * w))
mistake(
    "10.3",
    "there are 772 scores",
    lambda n, w, depth: (min(depth * (w - 1), n - 1), n * (n + 1) // 2),
)


@mistake("10.3", "the words back first")
def _(n, w, depth):
    return sum(min(i + 1, w) for i in range(n)), min(depth * (w - 1), n - 1)


numbers(
    "10.4",
    (12_288_000, 3_072_000),
    asks=("with 8 key heads", "with 2 key heads"),
    mistakes={
        (6_144_000, 1_536_000): "a key and also a value is kept for each word, and a number takes "
        "2 bytes: one of the two factors 2 is missing.",
        (2_048_000, 512_000): "that is what one layer keeps; there are 6.",
        (1_536_000, None): "that is one head; there are 8 in each layer.",
        (24_576_000, 6_144_000): "that is twice as much: one of the two factors 2, for key and "
        "value or for the bytes, is in it once too often.",
        (12.288, 3.072): "those are megabytes; bytes are asked for.",
        (12_288, 3_072): "that is for one word; the text has 1,000.",
        (12_288_000, 12_288_000): "the query heads are still 8, but queries are not kept: with 2 "
        "key heads there are 2 heads of keys and values to keep.",
        (12_288_000, 6_144_000): "2 key heads in place of 8 are a quarter, not a half.",
        (18_432_000, None): "queries are used once and thrown away; only keys and values are kept.",
    },
    otherwise=(
        "2 (key and value) · words · layers · heads · numbers · bytes.",
        "count the heads of keys and values, not those of queries.",
    ),
)

numbers(
    "10.5",
    (2.109375, 4.6875, 20 / 9),
    asks=("the sum", "the values", "the mixture"),
    within=0.0005,
    nearly=(0.006, "very near; give three digits after the point."),
    mistakes={
        (3.09375, 6.75, None): "6 is larger than 5: what was summed up before has to shrink first.",
        (4.21875, 9.375, None): "you took the powers with 5 subtracted, which gives 2 and 0.25. "
        "The mixture is right, but the largest score is 6 now.",
        (5.0625, 10.875, None): "the old sums have to shrink, by 2 to the power 5 − 6; you "
        "doubled them.",
        (2.109375, 4.6875, 4.6875): "the mixture is the values divided by the sum.",
        (2.109375, 6.75, None): "the values before shrink as the sum does: multiply them by 0.5.",
        (2.109375, 9.0625, None): "each new value is multiplied by its power, 1 and 0.125.",
    },
    otherwise=(
        "the sum: 0.5 times the old one, then the two new powers, "
        "with 6 subtracted from each score.",
        "the values: 0.5 times the old ones, then each new value times its power.",
        "the mixture: the values divided by the sum.",
    ),
)
