"""The drawings of the gallery's wall: one for each figure, in the hand of the chapters' cards.

    python -m dev.make.wall

writes `_static/wall/threads.svg` and so on, small and without letters. Each shows what its figure
is about, and what one can do there is in amber.
"""

import math
import random

import torch

import transformer_lite as tl
from attention_by_hand.figures.threads import SENTENCES
from attention_by_hand.palette import COLOURS, HEADS
from dev.make.cards import (
    BLUE,
    GREY,
    KEY,
    QUERY,
    STATIC,
    dot,
    line,
    number,
    places,
    rect,
    svg,
    thread,
)
from transformer_lite.files import write_whole

AMBER = "#d98c1f"
GREEN = COLOURS["value"]
PALE = 'opacity=".35"'


def frame(x, y, width, height, colour, more="") -> str:
    """The outline of a box, with round corners."""
    x, y, width, height = map(number, (x, y, width, height))
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5" fill="none" '
        f'stroke="{colour}" stroke-width="2" {more}/>'
    )


def arc(x, to_x, y, height, colour, width) -> str:
    """From one place of a row to another, over what stands between."""
    middle, top = number((x + to_x) / 2), number(y - 2 * height)
    return (
        f'<path d="M{number(x)} {number(y)}Q{middle} {top} {number(to_x)} {number(y)}" '
        f'fill="none" stroke="{colour}" stroke-width="{number(width)}" stroke-linecap="round"/>'
    )


def cell(x, y, width, height, weight) -> str:
    """The stronger the larger its weight, on light pages and on dark ones."""
    box = rect(x, y, width, height, BLUE, 3)
    return box.replace("/>", f' opacity="{number(max(0.2, weight))}"/>')


def words(xs, y, colour, width=20) -> list[str]:
    return [rect(x - width / 2, y, width, 8, colour, 4) for x in xs]


def threads(cross) -> list[str]:
    """Two sentences, the threads between them, and one that is picked out."""
    xs = places(9)
    drawn = []
    for i, row in enumerate(cross[1, :9]):
        lit = i == 3
        for j, weight in enumerate(row):
            if weight > 0.1:
                one = thread(
                    xs[i], 130, xs[j], 30, AMBER if lit else BLUE, (9 if lit else 5) * weight
                )
                drawn.append(one if lit else one.replace(".85", ".55"))
    return [*words(xs, 18, KEY), *words(xs, 134, QUERY), *drawn]


def break_it(cross) -> list[str]:
    """Four switches, one of them off, and a sentence that cannot let go of a word."""
    drawn = words(places(7, 40), 18, KEY, 26)
    for n, x in enumerate(places(4, 40)):
        off = n == 1
        drawn += [
            rect(x - 22, 58, 44, 24, GREY if off else BLUE, 12),
            dot(x - 10 if off else x + 10, 70, 9, "#ffffff"),
        ]
    said = [QUERY, QUERY, *[AMBER] * 5]
    return drawn + [
        rect(x - 13, 122, 26, 12, c, 5) for x, c in zip(places(7, 40), said, strict=True)
    ]


def one_weight(cross) -> list[str]:
    """A ball in a valley, and where it has been."""
    curve = [(x, 138 - 116 * ((x - 160) / 130) ** 2) for x in range(34, 287, 4)]
    steps = [curve[at] for at in (4, 12, 19, 25)]
    been = [dot(x, y - 9, 4, AMBER) for x, y in steps[:-1]]
    return [line(curve, BLUE), *been, dot(steps[-1][0], steps[-1][1] - 12, 11, AMBER)]


def recall(cross) -> list[str]:
    """A row of letters, what attention keeps of it, and what one vector keeps."""
    drawn = []
    for y, kept, colour in ((18, 8, KEY), (68, 8, BLUE), (118, 4, GREY)):
        for n, x in enumerate(places(8)):
            box = (x - 13, y, 26, 24)
            drawn.append(
                rect(*box, colour, 5) if n < kept else frame(*box, GREY, 'stroke-dasharray="4 4"')
            )
    return drawn


def embedding_lookup(cross) -> list[str]:
    """A column with a single 1, and the row of the table that it leaves."""
    draw = random.Random(1)
    drawn = [line([(74, 67), (116, 67)], AMBER, 3)]
    for r in range(6):
        y = 12 + 23 * r
        drawn.append(rect(52, y, 18, 18, AMBER if r == 2 else GREY, 4))
        for c in range(5):
            weight = 0.3 + 0.7 * draw.random()
            drawn.append(cell(122 + 31 * c, y, 28, 18, weight if r == 2 else 0.25 * weight))
    return drawn


def arrow(x, y, to_x, to_y, colour, width=3.5) -> str:
    turn = math.atan2(to_y - y, to_x - x)
    ends = [
        (to_x - 11 * math.cos(turn + bend), to_y - 11 * math.sin(turn + bend))
        for bend in (0.45, -0.45)
    ]
    head = line([ends[0], (to_x, to_y), ends[1]], colour, width, 'stroke-linecap="round"')
    return line([(x, y), (to_x, to_y)], colour, width) + head


def question(cross) -> list[str]:
    """Three keys from one point, and a question with a handle."""
    keys = [(206, 36), (258, 82), (104, 50)]
    asked = (226, 128)
    return [
        *(arrow(150, 112, x, y, KEY) for x, y in keys),
        line([(150, 112), asked], QUERY, 4),
        dot(*asked, 15, AMBER),
        dot(*asked, 8, "#ffffff"),
        dot(150, 112, 5, GREY),
    ]


def pencil(cross) -> list[str]:
    """A thread that a pencil has drawn half-way."""
    way = [(60 + 200 * t, 30 + 100 * (3 * t**2 - 2 * t**3)) for t in (n / 40 for n in range(41))]
    x, y = way[22]
    body = [(x + 5, y - 13), (x + 62, y - 70), (x + 78, y - 54), (x + 21, y + 3)]
    lead = [(x, y + 8), (x + 5, y - 13), (x + 21, y + 3)]
    shapes = "".join(
        f'<path d="M{"L".join(f"{number(a)} {number(b)}" for a, b in corners)}Z" fill="{colour}"/>'
        for corners, colour in ((body, AMBER), (lead, GREY))
    )
    return [
        *words([60], 12, KEY, 34),
        *words([260], 140, QUERY, 34),
        line(way[22:], GREY, 2.5, 'stroke-dasharray="5 6"'),
        line(way[:23], BLUE, 8, 'stroke-linecap="round"'),
        shapes,
    ]


def one_slope(cross) -> list[str]:
    """Boxes one below the other, and the message that goes down through them."""
    steps = [(60 + 50 * n, 16 + 30 * n) for n in range(5)]
    ways = [
        f'<path d="M{number(x + 26)} {number(y + 8)}Q{number(x + 50)} {number(y + 8)} '
        f'{number(x + 50)} {number(y + 26)}" fill="none" stroke="{AMBER}" '
        f'stroke-width="{number(7 - 1.4 * n)}" stroke-linecap="round"/>'
        for n, (x, y) in enumerate(steps[:-1])
    ]
    boxes = [frame(x - 26, y - 8, 48, 18, BLUE if n else AMBER) for n, (x, y) in enumerate(steps)]
    return [*ways, *boxes]


def by_hand(cross) -> list[str]:
    """Three tables, and the cells that one number comes from."""
    drawn = []
    for left, lit in (
        (30, [(1, 0), (1, 1), (1, 2)]),
        (128, [(0, 1), (1, 1), (2, 1)]),
        (226, [(1, 1)]),
    ):
        for r in range(3):
            for c in range(3):
                chosen = AMBER if (r, c) in lit else GREY
                cell = rect(left + 22 * c, 48 + 22 * r, 19, 19, chosen, 3)
                drawn.append(cell if chosen == AMBER else cell.replace("/>", f" {PALE}/>"))
    return [
        *drawn,
        dot(112, 79, 4, BLUE),
        line([(203, 75), (217, 75)], BLUE),
        line([(203, 84), (217, 84)], BLUE),
    ]


def softmax_scale(cross) -> list[str]:
    """Scores that lie apart, of which one takes all, and the same scores nearer together."""
    scores = [-1.7, -1.2, -0.8, -0.4, -0.1, 0.2, 0.5, 0.9, 1.9]
    drawn = []
    for y, wide, colour in ((52, 66, GREY), (116, 20, BLUE)):
        shares = torch.tensor(scores).mul(wide / 18).softmax(0).tolist()
        drawn.append(line([(20, y), (300, y)], GREY, 1.2))
        for score, share in zip(scores, shares, strict=True):
            drawn.append(
                dot(160 + wide * score, y, 4 + 26 * share**0.7, AMBER if share > 0.5 else colour)
            )
    return drawn


def head_lanes(cross) -> list[str]:
    """Four heads side by side, one of them switched off, and the word that comes of it."""
    drawn = []
    for n, (colour, x) in enumerate(zip(HEADS, places(4, 16), strict=True)):
        off = n == 2
        drawn.append(
            frame(
                x - 32, 12, 64, 92, GREY if off else colour, 'stroke-dasharray="5 5"' if off else ""
            )
        )
        if off:
            drawn.append(
                line([(x - 14, 44), (x + 14, 72)], AMBER)
                + line([(x + 14, 44), (x - 14, 72)], AMBER)
            )
        else:
            to = (x - 18, x + 4, 0, x + 18)[n]
            drawn += [thread(x, 90, to, 28, colour, 7), thread(x, 90, 2 * x - to, 28, colour, 2)]
    return [
        *drawn,
        rect(16, 124, 288, 14, GREY, 7).replace("/>", f" {PALE}/>"),
        rect(16, 124, 176, 14, BLUE, 7),
    ]


def heads_in_memory(cross) -> list[str]:
    """Words cut into heads, and the same blocks one after the other in memory."""
    drawn = []
    for word in range(3):
        for head, colour in enumerate(HEADS):
            drawn.append(rect(82 + 40 * head, 14 + 25 * word, 36, 20, colour, 3))
            drawn.append(rect(22 + 23.2 * (4 * word + head), 120, 20, 22, colour, 3))
    return [
        *drawn,
        line([(160, 94), (160, 112)], AMBER, 3),
        line([(152, 105), (160, 113), (168, 105)], AMBER, 3),
    ]


def masks(cross) -> list[str]:
    """Each may look at itself and at what came before; what comes later is crossed out."""
    drawn, size, left = [], 22, 94
    for i in range(6):
        for j in range(6):
            x, y = left + j * size, 14 + i * size
            if j <= i:
                drawn.append(rect(x, y, size - 2, size - 2, BLUE if i != 3 else AMBER))
            else:
                cross_out = ([(x + 6, y + 6), (x + 14, y + 14)], [(x + 14, y + 6), (x + 6, y + 14)])
                drawn += [line(stroke, GREY, 2) for stroke in cross_out]
    return drawn


def clock(x, y, radius, turns, colour) -> list[str]:
    """A clock whose hand has gone on, with where it stood before."""
    face = f'<circle cx="{x}" cy="{y}" r="{radius}" fill="none" stroke="{GREY}" stroke-width="2"/>'
    hands = []
    for turn in turns:
        angle = 2 * math.pi * turn - math.pi / 2
        tip = (x + 0.82 * radius * math.cos(angle), y + 0.82 * radius * math.sin(angle))
        last = turn == turns[-1]
        hand = line(
            [(x, y), tip], colour if last else GREY, 5 if last else 2, 'stroke-linecap="round"'
        )
        hands.append(hand)
    return [face, *hands]


def positions(cross) -> list[str]:
    """Three clocks: a hand that runs, one that walks, and one that hardly moves."""
    speeds = (0.21, 0.07, 0.02)
    drawn = []
    for x, speed, colour in zip((62, 160, 258), speeds, (AMBER, BLUE, QUERY), strict=True):
        drawn += clock(x, 80, 42, [speed * step for step in range(4)], colour)
    return drawn


def machine_map(cross) -> list[str]:
    """Two towers, and a ball on its way up."""
    drawn = [line([(105, 42), (105, 26), (160, 26), (160, 94), (186, 94)], KEY, 2.5)]
    for left, rows in ((62, "..#-#-"), (188, "..##-##-")):
        drawn += [
            rect(left, 138 - 16 * n, 86, 11, BLUE if kind == "#" else GREY, 4)
            for n, kind in enumerate(rows)
        ]
    return [*drawn, line([(290, 148), (290, 20)], GREY, 2), dot(290, 74, 12, AMBER)]


def falling(x, width, height, start=0.0) -> list[tuple[float, float]]:
    return [
        (x + width * t, 20 + height * (1 - math.exp(-4 * t)))
        for t in (n / 40 for n in range(int(40 * start), 41))
    ]


def training_playground(cross) -> list[str]:
    """A loss that falls through four bands, to where both sentences are right."""
    bands = [cell(24, 14 + 33 * n, 272, 31, 0.1 + 0.12 * n) for n in range(4)]
    return [*bands, line(falling(34, 252, 118), BLUE, 4), dot(286, 135.8, 9, AMBER)]


def training_replay(cross) -> list[str]:
    """Two trainings of one model: one collapses, the other does not."""
    stays = [(34 + 252 * t, 20 + 24 * (1 - math.exp(-9 * t))) for t in (n / 40 for n in range(41))]
    return [
        line([(28, 12), (28, 146), (300, 146)], GREY, 1.5),
        line(stays, GREY, 4),
        line(falling(34, 252, 118), BLUE, 4),
        line([(84, 12), (84, 146)], AMBER, 2.5, 'stroke-dasharray="5 5"'),
        dot(84, 42, 7, AMBER) + dot(84, 80, 7, AMBER),
    ]


def attention_explorer(cross) -> list[str]:
    """The maps of eight heads, one of them chosen."""
    drawn = [frame(94, 8, 62, 66, AMBER)]
    for n in range(8):
        left, top = 30 + 68 * (n % 4), 13 + 74 * (n // 4)
        rows = cross[n % 4, 1 + 4 * (n // 4) :, 1 + 4 * (n // 4) :][:4, :4].tolist()
        for i, row in enumerate(rows):
            drawn += [cell(left + 14 * j, top + 14 * i, 12, 12, w) for j, w in enumerate(row)]
    return drawn


def live_translator(cross) -> list[str]:
    """What one types, the threads, and what comes out."""
    xs = places(6, 52)
    drawn = [
        frame(30, 10, 260, 28, AMBER),
        *words(xs[:5], 20, KEY, 26),
        line([(258, 16), (258, 32)], AMBER, 2.5),
    ]
    drawn += [
        thread(xs[i], 120, xs[j], 44, BLUE, w)
        for i, j, w in ((0, 0, 6), (1, 1, 5), (2, 4, 7), (3, 2, 6), (4, 3, 6))
    ]
    return [*drawn, *words(xs[:5], 126, QUERY, 26)]


def path_lengths(cross) -> list[str]:
    """From the first word to the last: word by word, in leaps, or at once."""
    xs = places(9)
    drawn = [arc(xs[n], xs[n + 1], 132, 7, GREY, 3) for n in range(8)]
    drawn += [arc(xs[n], xs[n + 2], 128, 20, GREEN, 3) for n in range(0, 8, 2)]
    return [
        *drawn,
        arc(xs[0], xs[8], 122, 52, BLUE, 4),
        *(dot(x, 136, 6, KEY if n in (0, 8) else GREY) for n, x in enumerate(xs)),
        dot(160, 70, 9, AMBER),
    ]


def writer(cross) -> list[str]:
    """A text, and the words that may come next."""
    drawn = [*words([42, 82, 122], 76, QUERY, 34), line([(146, 66), (146, 94)], AMBER, 3)]
    for n, share in enumerate((0.9, 0.55, 0.3, 0.2, 0.12)):
        y = 18 + 28 * n
        drawn += [
            line([(150, 80), (172, y + 8)], GREY, 1.5),
            rect(176, y, 120 * share, 16, BLUE if n else AMBER, 4),
        ]
    return drawn


def induction_heads(cross) -> list[str]:
    """A row that comes twice: the last letter looks behind its twin."""
    xs = places(9)
    row = [HEADS[0], HEADS[1], HEADS[2], HEADS[3]] * 2
    boxes = [rect(x - 13, 108, 26, 26, colour, 5) for x, colour in zip(xs, row, strict=False)]
    return [
        *boxes,
        frame(xs[8] - 13, 108, 26, 26, GREY, 'stroke-dasharray="4 4"'),
        arc(xs[7], xs[4], 102, 26, AMBER, 6),
        arc(xs[7], xs[3], 102, 40, GREY, 2),
    ]


def model_bill(cross) -> list[str]:
    """Three models, weights and cache, against the line of a graphics card."""
    drawn = []
    for n, (held, kept) in enumerate(((38, 20), (120, 96), (136, 42))):
        y = 22 + 42 * n
        drawn += [rect(30, y, held, 26, GREY, 4), rect(30 + held + 2, y, kept, 26, KEY, 4)]
    return [*drawn, line([(226, 10), (226, 152)], AMBER, 3, 'stroke-dasharray="6 5"')]


def many_networks(cross) -> list[str]:
    """A plane parted among eight networks, and a token that two of them work for."""
    draw = random.Random(3)
    colours = [*HEADS, GREY, QUERY, GREEN, KEY]
    drawn = []
    for n, colour in enumerate(colours):
        angle = 2 * math.pi * (n + 0.5) / 8
        for _ in range(6):
            far, turn = 24 + 44 * draw.random(), angle + 0.6 * (draw.random() - 0.5)
            drawn.append(dot(104 + far * math.cos(turn), 80 + far * math.sin(turn), 4, colour))
        busy = n in (0, 1)
        box = rect(214 + 42 * (n % 2), 14 + 35 * (n // 2), 34, 26, colour, 5)
        drawn.append(box if busy else box.replace("/>", f" {PALE}/>"))
    token = (146, 98)
    return [
        *drawn,
        line([token, (212, 27)], AMBER, 3),
        line([token, (254, 27)], AMBER, 2),
        dot(*token, 10, AMBER),
    ]


def judge(cross) -> list[str]:
    """Sentences with a good or a bad mark, and what becomes of good and different ones."""
    draw, drawn = random.Random(4), []
    for n, good in enumerate((True, False, True, True, False)):
        y = 20 + 30 * n
        xs = [60 + 30 * i for i in range(draw.randint(3, 4))]
        drawn += words(xs, y - 4, BLUE if good else GREY, 22)
        drawn.append(dot(26, y, 8, AMBER) if good else dot(26, y, 3, GREY))
    rise = [(200 + 4 * t, 130 - 110 * (1 - math.exp(-t / 8))) for t in range(25)]
    fall = [(200 + 4 * t, 24 + 80 * (1 - math.exp(-t / 10))) for t in range(25)]
    return [*drawn, line(rise, BLUE, 5), line(fall, GREY, 5)]


DRAWINGS = [
    threads,
    break_it,
    one_weight,
    recall,
    embedding_lookup,
    question,
    pencil,
    by_hand,
    softmax_scale,
    head_lanes,
    heads_in_memory,
    masks,
    positions,
    machine_map,
    one_slope,
    training_playground,
    training_replay,
    attention_explorer,
    live_translator,
    path_lengths,
    writer,
    induction_heads,
    judge,
    model_bill,
    many_networks,
]


def main() -> None:
    translation = tl.load_translator().translate(SENTENCES[0])
    cross = translation.attention.cross[-1][0]
    (STATIC / "wall").mkdir(exist_ok=True)
    for draw in DRAWINGS:
        name = draw.__name__.replace("_", "-")
        write_whole(STATIC / "wall" / f"{name}.svg", svg(*draw(cross)).encode())


if __name__ == "__main__":
    main()
