"""The pictures of the first page: one for each chapter's card, and the card of the book itself.

    python -m dev.make.cards

writes `_static/cards/card-00.svg` and so on, small and without words, each drawn from what its
chapter is about, and `_static/card.png`, 1200 by 630, which other sites show beside a link: the
figure `Threads` at that size, as Chromium draws it. Only the second needs a browser.
"""

import math
import shutil
from pathlib import Path

import torch

import transformer_lite as tl
from attention_by_hand.exhibits.walkthrough import TABLE
from attention_by_hand.figures import Threads
from attention_by_hand.figures.threads import SENTENCES
from attention_by_hand.palette import COLOURS, HEADS, WEIGHTS
from attention_by_hand.studies.two_sentences import train_two_sentences
from transformer_lite.files import write_whole

STATIC = Path(__file__).parents[2] / "_static"
WIDTH = 320
HEIGHT = 160
QUERY = COLOURS["query"]
KEY = COLOURS["key"]
BLUE = COLOURS["weight"]
GREY = "#9aa5b1"


def svg(*shapes: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}">{"".join(shapes)}</svg>\n'
    )


def number(x: float) -> str:
    return f"{x:.1f}".rstrip("0").rstrip(".")


def rect(x, y, width, height, fill, radius=2) -> str:
    x, y, width, height = map(number, (x, y, width, height))
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" fill="{fill}"/>'


def line(points, colour, width=3.0, more="") -> str:
    path = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    return (
        f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="{number(width)}" '
        f'stroke-linejoin="round" {more}/>'
    )


def dot(x, y, radius, colour) -> str:
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" fill="{colour}"/>'


def thread(x, y, to_x, to_y, colour, width) -> str:
    middle = number((y + to_y) / 2)
    x, y, to_x, to_y = map(number, (x, y, to_x, to_y))
    return (
        f'<path d="M{x} {y}C{x} {middle} {to_x} {middle} {to_x} {to_y}" fill="none" '
        f'stroke="{colour}" '
        f'stroke-width="{number(width)}" stroke-linecap="round" opacity=".85"/>'
    )


def shade(weight: float) -> str:
    return WEIGHTS[round(float(weight) * (len(WEIGHTS) - 1))]


def places(n: int, margin: float = 28) -> list[float]:
    """The middles of n things side by side."""
    return [margin + (i + 0.5) * (WIDTH - 2 * margin) / n for i in range(n)]


def why_attention(cross) -> str:
    """The threads of one head between words that are only bars."""
    tops = places(9)
    shapes = [rect(x - 10, 18, 20, 8, KEY, 4) for x in tops]
    shapes += [rect(x - 10, 134, 20, 8, QUERY, 4) for x in tops]
    for x, row in zip(tops, cross[1, :9], strict=True):
        shapes += [thread(x, 130, tops[j], 30, BLUE, 6 * w) for j, w in enumerate(row) if w > 0.1]
    return svg(*shapes)


def words_to_vectors(cross) -> str:
    """A table of vectors, one row of which is taken out."""
    shapes = []
    for r, vector in enumerate(TABLE.values()):
        out = 56 if r == 2 else 0
        shapes.append(rect(34 + out, 14 + 23 * r, 46, 14, KEY if out else GREY, 7))
        shapes += [
            rect(92 + out + 40 * c, 12 + 23 * r, 37, 18, shade(x)) for c, x in enumerate(vector)
        ]
    return svg(*shapes)


def query_key_value(cross) -> str:
    """One that asks, nine that answer, and how much each of them gets."""
    row = cross[1, 3]
    shapes = [rect(WIDTH / 2 - 14, 128, 28, 20, QUERY, 6)]
    for x, weight in zip(places(9), row, strict=True):
        shapes.append(line([(WIDTH / 2, 126), (x, 96)], GREY, 1.2))
        shapes += [
            rect(x - 11, 80, 22, 14, KEY, 5),
            rect(x - 11, 74 - 60 * weight, 22, 60 * weight + 1, BLUE),
        ]
    return svg(*shapes)


def why_root_d_k(cross) -> str:
    """The same scores, once as they are and once divided: a spike and a range of hills."""
    torch.manual_seed(3)
    scores = torch.randn(12, 64) @ torch.randn(64)
    shapes = []
    for left, colour, shares in (
        (24, COLOURS["raw"], scores.softmax(0)),
        (172, BLUE, (scores / 8).softmax(0)),
    ):
        shapes += [
            rect(left + 10.4 * i, 142 - 2 - 118 * p, 8, 2 + 118 * p, colour)
            for i, p in enumerate(shares.tolist())
        ]
    return svg(*shapes)


def many_heads(cross) -> str:
    """Where four heads look for one word."""
    tops = places(9)
    shapes = [rect(x - 10, 18, 20, 8, KEY, 4) for x in tops]
    for h, colour in enumerate(HEADS):
        start = WIDTH / 2 + 16 * (h - 1.5)
        shapes += [
            thread(start, 128, tops[j], 30, colour, 7 * w)
            for j, w in enumerate(cross[h, 1])
            if w > 0.05
        ]
        shapes.append(dot(start, 136, 6, colour))
    return svg(*shapes)


def masks(cross) -> str:
    """Each may look at itself and at what came before."""
    n = 7
    size = 19
    left = (WIDTH - n * size) / 2
    cells = [(i, j) for i in range(n) for j in range(n)]
    return svg(
        *(
            rect(
                left + j * size, 13 + i * size, size - 2, size - 2, shade(0.85 if j <= i else 0.05)
            )
            for i, j in cells
        )
    )


def positions(cross) -> str:
    """Four waves, each slower than the one before."""
    shapes = []
    for i in range(4):
        wave = 2 * math.pi * 8 / 2**i / WIDTH
        points = [(x, 28 + 35 * i - 12 * math.sin(wave * x)) for x in range(14, WIDTH - 12, 4)]
        shapes.append(line(points, BLUE if i % 2 else QUERY, 2.5))
    shapes.append(line([(190, 10), (190, 150)], GREY, 1.5, 'stroke-dasharray="4 4"'))
    return svg(*shapes)


def whole_transformer(cross) -> str:
    """Two towers, from below: embedding, position, then attention (blue) and feed-forward."""
    towers = {52: "..#-#-", 182: "..##-##-"}
    shapes = []
    for left, boxes in towers.items():
        shapes += [
            rect(left, 138 - 18 * n, 86, 13, BLUE if box == "#" else GREY, 4)
            for n, box in enumerate(boxes)
        ]
    memory = [(95, 46), (95, 36), (160, 36), (160, 91), (180, 91)]
    return svg(*shapes, line(memory, KEY, 2.5))


def training(cross) -> str:
    """The loss of the two sentences, as it falls."""
    _, losses = train_two_sentences(seed=0, epochs=30, progress=False)
    step = (WIDTH - 56) / (len(losses) - 1)
    points = [(28 + step * i, 140 - 120 * loss / max(losses)) for i, loss in enumerate(losses)]
    ball = points[len(points) // 6]
    return svg(
        line([(28, 12), (28, 144), (WIDTH - 20, 144)], GREY, 1.5),
        line(points, BLUE, 3),
        dot(*ball, 7, "#d98c1f"),
    )


def reading_attention(cross) -> str:
    """One head's map."""
    size = 15
    left = (WIDTH - 9 * size) / 2
    return svg(
        *(
            rect(left + j * size, 12 + i * size, size - 1, size - 1, shade(w))
            for i, row in enumerate(cross[1, :9])
            for j, w in enumerate(row)
        )
    )


def why_self_attention(cross) -> str:
    """From the last word to the first: step by step, or at once."""
    xs = places(9)
    chain = [(x, 128) for x in xs]
    arcs = [
        f'<path d="M{number(xs[-1])} 116Q{number((x + xs[-1]) / 2)} '
        f"{number(116 - 0.75 * (xs[-1] - x))} "
        f'{number(x)} 116" fill="none" stroke="{BLUE}" stroke-width="2.5" opacity=".8"/>'
        for x in xs[:-1]
    ]
    return svg(
        line(chain, "#d98c1f", 3),
        *arcs,
        *(dot(x, 128, 7, QUERY if i < 8 else KEY) for i, x in enumerate(xs)),
    )


def decoder_alone(cross) -> str:
    """One row of words: each new one looks back at the question and at the answer so far."""
    xs = places(10)
    arcs = [
        f'<path d="M{number(xs[7])} 104Q{number((x + xs[7]) / 2)} '
        f'{number(104 - 0.6 * (xs[7] - x))} {number(x)} 104" fill="none" '
        f'stroke="{BLUE}" stroke-width="{width}" opacity=".8"/>'
        for x, width in zip(xs[:7], (1, 1, 1.5, 6, 1, 1.5, 3), strict=True)
    ]
    marks = [KEY] * 5 + ["#d98c1f"] + [QUERY] * 2 + [GREY] * 2
    return svg(
        *arcs,
        *(rect(x - 9, 112, 18, 10, colour, 4) for x, colour in zip(xs, marks, strict=True)),
    )


def what_has_changed(cross) -> str:
    """A layer of 2017 beside one of today: the same boxes, and what is new in amber."""
    shapes = []
    for left, colours in ((52, [GREY] * 6), (182, ["#d98c1f", "#d98c1f", GREY] * 2)):
        heights = (26, 9, 13) if left == 52 else (13, 26, 9)
        y = 146.0
        for height, colour in zip(heights * 2, colours, strict=True):
            y -= height + 5
            shapes.append(rect(left, y, 86, height, colour, 4))
    return svg(*shapes)


def a_model_of_this_year(cross) -> str:
    """One word, eight networks, and two of them at work."""
    xs = places(8)
    at_work = {2: 6, 5: 2.5}  # how strong a share each has
    shapes = [line([(WIDTH / 2, 124), (x, 62)], GREY, 1.2) for x in xs]
    shapes += [line([(WIDTH / 2, 124), (xs[i], 62)], BLUE, w) for i, w in at_work.items()]
    shapes += [
        rect(x - 13, 22, 26, 40, "#d98c1f" if i in at_work else GREY, 5) for i, x in enumerate(xs)
    ]
    return svg(*shapes, rect(WIDTH / 2 - 24, 124, 48, 16, QUERY, 6))


def judged(cross) -> str:
    """Sentences that are only bars: many different ones, and then the same again and again."""
    lengths = (92, 60, 108, 76, 50, 98, 68)
    heights = [18 + 19 * i for i in range(len(lengths))]
    shapes = [rect(24, y, length, 11, GREY, 5) for y, length in zip(heights, lengths, strict=True)]
    shapes += [rect(196, y, 92, 11, BLUE, 5) for y in heights]
    arrow = [line([(146, 80), (178, 80)], GREY), line([(168, 72), (178, 80), (168, 88)], GREY)]
    return svg(*shapes, *arrow)


CHAPTERS = [
    why_attention,
    words_to_vectors,
    query_key_value,
    why_root_d_k,
    many_heads,
    masks,
    positions,
    whole_transformer,
    training,
    reading_attention,
    why_self_attention,
    decoder_alone,
    what_has_changed,
    a_model_of_this_year,
    judged,
]

PAGE = """<!doctype html><meta charset="utf-8"><html data-theme="light"><style>
body {{ width: 1200px; height: 630px; margin: 0; padding: 44px 62px; box-sizing: border-box;
  background: #fff;
  font-family: system-ui, sans-serif; overflow: hidden; }}
h1 {{ margin: 0; color: #1c2530; font-size: 76px; line-height: 84px; letter-spacing: -0.02em; }}
h1 + p {{ margin: 4px 0 0; color: #4d5a68; font-size: 29px; line-height: 40px; }}
</style><body><h1>Attention, by Hand</h1>
<p>Before each word, a Transformer looks back. Compute where.</p>
{figure}"""
LARGE = """
.figure { padding-top: 24px; }
.menu, .bar, .sentence, figcaption { display: none !important; }
.picture { --thick: 16px !important; grid-template-rows: auto 272px auto; }
.word { font-size: 34px; min-height: 46px; line-height: 46px; padding: 0 0.2em; }
.word { opacity: 1 !important; }
.line { gap: 0.3em; }
.meant { display: none; }
path, .picked path:not(.lit) { opacity: 0.55; }
path.lit { stroke: #d98c1f; opacity: 1; }
"""


def card() -> bytes:
    """The picture of the book: its threads, one of them picked out."""
    from playwright.sync_api import sync_playwright

    figure = Threads()
    figure.target_word = figure.targets[0].index("close")
    names = ["chromium-headless-shell", "chromium", "google-chrome"]
    browser = next(filter(None, map(shutil.which, names)))
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": 1200, "height": 630}, reduced_motion="reduce")
        page.set_content(PAGE.format(figure=figure.snapshot()))
        page.locator(".tl-figure").evaluate(
            """(home, rules) => {
                home.shadowRoot.querySelector('style').textContent += rules;
                home.shadowRoot.querySelector('svg').append(home.shadowRoot.querySelector('path.lit'));
                home.style.maxWidth = '1080px'; // the resize lays the threads anew
            }""",
            LARGE,
        )
        page.wait_for_timeout(300)
        picture = page.screenshot()
        chromium.close()
    return picture


def main() -> None:
    translation = tl.load_translator().translate(SENTENCES[0])
    cross = translation.attention.cross[-1][0].tolist()
    (STATIC / "cards").mkdir(exist_ok=True)
    for n, draw in enumerate(CHAPTERS):
        picture = draw(torch.tensor(cross))
        write_whole(STATIC / "cards" / f"card-{n:02}.svg", picture.encode())
    write_whole(STATIC / "card.png", card())


if __name__ == "__main__":
    main()
