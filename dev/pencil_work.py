"""What stands ready on a sheet where pencil work would otherwise begin with a ruler: tables with
cells left out, a mask to mark, words to join by threads.

A table stands under the exercise with its title (`IN_EXERCISE`), or is a piece of work of its own,
for what a chapter computes before its exercises (`BESIDE`). What is left out is shown on the
solved sheet alone.
"""

import math
from collections.abc import Callable
from functools import cache
from html import escape
from typing import NamedTuple

from transformer_lite import load_translator

SENTENCE = "ich habe die rote Tür heute nicht zugemacht ."
WIDTH, HEIGHT = 600, 118  # of words to be joined, in units of the drawing
THINNEST = 0.04  # of all weights that are drawn as threads


class Left(NamedTuple):
    """What a cell leaves out, for a pencil."""

    answer: str


class Work(NamedTuple):
    """A piece of work that is no exercise: what it is called, what to do, and where."""

    title: str
    text: str
    room: Callable[[bool], str]


def number(value: float, digits: int = 2) -> str:
    """As a sheet shows it, with a true minus."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "\N{MINUS SIGN}")


def table(rows, solved: bool, head=()) -> str:
    """A table whose rows begin with what they are. A cell is a text, or `Left`."""

    def cell(content):
        if not isinstance(content, Left):
            return f"<td>{escape(content)}</td>"
        return f'<td class="left answer">{escape(content.answer) if solved else ""}</td>'

    lines = ["<tr>" + "".join(f"<th>{escape(name)}</th>" for name in head) + "</tr>"] * bool(head)
    for first, *rest in rows:
        lines.append(f"<tr><th>{escape(first)}</th>{''.join(map(cell, rest))}</tr>")
    return f"<table>{''.join(lines)}</table>"


def threads(above, below, joined, solved: bool) -> str:
    """Two rows of words, and on the solved sheet threads between them. joined: how strong the
    thread is from a word above to one below, {(i, j): 0 to 1}.
    """

    def places(words):
        return [WIDTH * (i + 0.5) / len(words) for i in range(len(words))]

    tops, bottoms = places(above), places(below)
    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}">']
    for (i, j), strength in joined.items() if solved else ():
        parts.append(
            f'<line class="answer" x1="{tops[i]:.0f}" y1="20" x2="{bottoms[j]:.0f}" '
            f'y2="{HEIGHT - 22}" stroke-width="{3 * strength:.2f}"/>'
        )
    for words, across, down in ((above, tops, 14), (below, bottoms, HEIGHT - 8)):
        for word, x in zip(words, across, strict=True):
            parts.append(f'<text x="{x:.0f}" y="{down}">{escape(word)}</text>')
    return "".join([*parts, "</svg>"])


@cache
def translated():
    """The sentence of the front page, translated; and of the row *not → close*, the query and the
    keys of head 1 in the upper layer, {"query": (16,), "key": (9, 16)}, with two digits.
    """
    translator = load_translator()
    result = translator.translate(SENTENCE)
    cross = translator.model.decoder[1].cross_attention
    made = {}
    hooks = [
        layer.register_forward_hook(lambda _, read, out, name=name: made.update({name: out[0]}))
        for name, layer in (("query", cross.w_q), ("key", cross.w_k))
    ]
    assert result.attention
    for hook in hooks:
        hook.remove()
    own = {name: out.detach()[:, 16:32].round(decimals=2) for name, out in made.items()}
    return result, own | {"query": own["query"][result.decoder_tokens.index("not")]}


def weights(head: int, writes: str) -> list[float]:
    """Of each German word, when this word is about to be written, in a head of the upper layer."""
    result, _ = translated()
    return result.attention.cross[1][0, head, result.tokens.index(writes)].tolist()


def products(word: str, left, solved: bool) -> str:
    """The query of "not", the key of a word and their products, without those at the places
    `left`.
    """
    result, numbers = translated()
    query, key = (
        numbers["query"].tolist(),
        numbers["key"][result.source_tokens.index(word)].tolist(),
    )
    found = [number(q * k) for q, k in zip(query, key, strict=True)]
    rows = (
        ["not", *map(number, query)],
        [word, *map(number, key)],
        ["product", *(Left(text) if i in left else text for i, text in enumerate(found))],
    )
    return table(rows, solved, ["place", *map(str, range(16))])


def the_row(solved: bool) -> str:
    """From sixteen products to the share of *zugemacht*."""
    result, numbers = translated()
    scores = {
        word: round((key @ numbers["query"]).item() / 4, 2)
        for word, key in zip(result.source_tokens, numbers["key"], strict=True)
    }
    best, second, third = sorted(scores, key=lambda word: scores[word], reverse=True)[:3]
    powers = {word: math.exp(score) for word, score in scores.items()}
    named = sum(powers[word] for word in (best, second, third))
    others = sum(powers.values()) - named
    steps = (
        ["score", Left(number(scores[best])), number(scores[second]), number(scores[third]), ""],
        [
            "e to the score",
            *(Left(number(powers[word], 1)) for word in (best, second, third)),
            number(others, 1),
        ],
        ["share", Left(number(powers[best] / (named + others), 3)), "", "", ""],
    )
    return products(best, (6, 12), solved) + table(
        steps, solved, ["", best, second, third, "the other six"]
    )


def lines_between(solved: bool) -> str:
    """The sentence and its translation, to be joined."""
    result, _ = translated()
    joined = {
        (j, i): weight
        for i, word in enumerate(result.tokens[:-1])
        for j, weight in enumerate(weights(1, word))
        if weight > THINNEST
    }
    return threads(result.source_tokens, result.tokens[:-1], joined, solved)


def cards(solved: bool) -> str:
    """The four heads of the upper layer, when *did* is about to be written."""
    german = translated()[0].source_tokens
    drawn = []
    for head in range(4):
        joined = {(j, 0): w for j, w in enumerate(weights(head, "did")) if w > THINNEST}
        picture = threads(german, ["i → did"], joined, solved)
        drawn.append(f"<figure>{picture}<figcaption>head {head}</figcaption></figure>")
    return f'<div class="cards">{"".join(drawn)}</div>'


def who_said_what(solved: bool) -> str:
    """What one row of weights brings, and what two rows do."""
    rows = (
        ["cat in the kitchen, dog in the garden", Left("(2, 4)"), Left("(4, 6)")],
        ["cat in the garden, dog in the kitchen", Left("(2, 4)"), Left("(0, 2)")],
    )
    return table(rows, solved, ["", "one row brings", "two rows bring"])


def mixture(solved: bool) -> str:
    """Three states, their scores, and what the writer is given of them."""
    states, shares, powers = ((4, 0), (0, 8), (8, 4)), (0.25, 0.5, 0.25), "121"
    rows = [
        [
            str(state),
            score,
            Left(power),
            Left(f"{share:g}"),
            Left(f"({share * state[0]:g}, {share * state[1]:g})"),
        ]
        for state, score, power, share in zip(
            states, ("0", "0.693", "0"), powers, shares, strict=True
        )
    ]
    return table(rows, solved, ["state", "score", "e to the score", "share", "share times state"])


def mask(solved: bool) -> str:
    """The cells of a decoder's mask: who (a row) may hear whom."""
    places = ["word 0", "word 1", "word 2", "word 3", "padding", "padding"]
    rows = [
        [place, *(Left("✓" * (key <= min(query, 3))) for key in range(6))]
        for query, place in enumerate(places)
    ]
    return table(rows, solved, ["who asks", *places])


def neurons(solved: bool) -> str:
    """What four neurons say in the four cases."""
    rows = []
    for past, denied in ((0, 0), (0, 1), (1, 0), (1, 1)):
        values = (
            max(0, past + denied - 1),
            max(0, past - denied),
            max(0, past - denied - 1),
            past - denied,
        )
        rows.append([f"{past}, {denied}", *(Left(number(value, 0)) for value in values)])
    return table(rows, solved, ["past, negated", "a", "b", "c", "d"])


def pairs(solved: bool) -> str:
    """The pairs of words that a head proposes, and those that are gold."""
    german, english = "ich habe die Tür zugemacht".split(), "i closed the door".split()
    proposed = {"i ich", "closed zugemacht", "the die", "door die"}
    gold = {"i ich", "closed habe", "closed zugemacht", "the die", "door Tür"}

    def mark(pair):
        return " ".join(["head"] * (pair in proposed) + ["gold"] * (pair in gold))

    rows = [[e, *(Left(mark(f"{e} {g}")) for g in german)] for e in english]
    return table(rows, solved, ["", *german])


def blocks(solved: bool) -> str:
    """The three running numbers of a softmax in blocks."""
    total, values = 0.5 * 1.96875 + 1 + 0.125, 0.5 * 4.125 + 1 * 2 + 0.125 * 5
    answers = "6", f"{total:g}", f"{values:g}", f"{values / total:.4f}"
    rows = (["3", "5", "1.96875", "4.125", ""], ["4", *map(Left, answers)])
    return table(rows, solved, ["after block", "largest score", "sum", "values", "mixture"])


def top_p(solved: bool) -> str:
    """Six words, of which the likeliest may be drawn."""
    so_far = ["0.40", "0.65", "0.80", "0.90", "0.96", "1.00"]
    rows = (
        ["probability", "0.40", "0.25", "0.15", "0.10", "0.06", "0.04"],
        ["added up", *map(Left, so_far)],
        ["now", *map(Left, ("0.50", "0.3125", "0.1875", "0", "0", "0"))],
    )
    return table(rows, solved)


def router(solved: bool) -> str:
    """Eight experts, two of which work."""
    scores = 2, 5, 1, 0, 3, 1, 2, 0
    best = sorted(scores)[-2:]
    total = sum(2**score for score in best)
    shares = [f"{2**score / total:g}" if score in best else "0" for score in scores]
    rows = (
        ["score", *map(str, scores)],
        ["power of 2", *(Left(str(2**score) if score in best else "") for score in scores)],
        ["share", *map(Left, shares)],
    )
    return table(rows, solved)


def a_state(solved: bool) -> str:
    """A state into which three words write, first a plain sum, then with half of it forgotten."""
    words = ((1, 0), 5), ((0, 1), 3), ((0.6, 0.8), 10)
    rows = []
    sums, halves = [0.0, 0.0], [0.0, 0.0]
    for key, value in words:
        sums = [s + value * k for s, k in zip(sums, key, strict=True)]
        halves = [s / 2 + value * k for s, k in zip(halves, key, strict=True)]
        told = f"({key[0]:g}, {key[1]:g}) brings {value}"
        cells = [f"({s[0]:g}, {s[1]:g})" for s in (sums, halves)]
        rows.append([told, Left(cells[0]), Left(f"{sums[0]:g}"), Left(cells[1]),
                     Left(f"{halves[0]:g}")])  # fmt: skip
    return table(rows, solved, ["", "sum", "to (1, 0)", "half forgotten", "to (1, 0)"])


IN_EXERCISE: dict[str, Callable[[bool], str]] = {
    "Two words at once": mixture,
    "The second best": lambda solved: products("Tür", (5, 7), solved),
    "Count the open cells": mask,
    "Past, and no negation": neurons,
    "How good a dictionary?": pairs,
    "One block more": blocks,
    "Draw by hand": top_p,
    "Two of eight": router,
}

BESIDE: dict[int, list[Work]] = {
    0: [
        Work(
            "Which word comes from which?",
            "Join each English word to the German word in which you would look for it.",
            lines_between,
        )
    ],
    2: [
        Work(
            "The row *not → close*",
            "The translator has written *not* and is about to write *close*. Here is its query "
            "beside the key of *zugemacht* (closed). Two products are yours. Then add up all "
            "sixteen, divide by 4, and take $e$ to the power of each score: what share does "
            "*zugemacht* have?",
            the_row,
        )
    ],
    4: [
        Work(
            "Who said what?",
            "Somebody asks where the cat is and where the dog is. *Kitchen* is the value "
            "$(4, 2)$, *garden* is $(0, 6)$. One row of weights takes half of each. Of two rows, "
            "the first brings the cat's first number, and the second the dog's second.",
            who_said_what,
        ),
        Work(
            "Four cards",
            "The translator has written *i* and is about to write *did*. Each card is a head. "
            "Draw a thread to every German word at which you think it looks.",
            cards,
        ),
    ],
    13: [
        Work(
            "A state instead of the past",
            "Three words write into a state of two numbers, which begins with zeros. Write it down "
            "after each of them, as a plain sum and with half of it forgotten before each word, "
            "and what who asks with $(1, 0)$ gets.",
            a_state,
        )
    ],
}
