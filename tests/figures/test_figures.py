"""The explorer and attention by hand: their traits in Python, and what a browser draws, number by
number; and the look of all figures. What every figure must do is in `test_every_figure.py`.
"""

import json
import math
import re
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from figure_examples import pixels, shown, state

import transformer_lite as tl
from attention_by_hand import figures
from attention_by_hand.figures import AttentionExplorer, ByHand
from attention_by_hand.figures.kit import figure as base

# The two sentences of chapter 2, with the weight and bias of its source.
X = [
    [
        [0.9535, 0.0033, 0.7889, 0.8760],
        [0.1234, 0.1995, 0.0506, 0.4779],
        [0.6134, 0.7662, 0.2646, 0.5671],
    ],
    [
        [0.8491, 0.1763, 0.7975, 0.6957],
        [0.3699, 0.2550, 0.1919, 0.4196],
        [0.6227, 0.5930, 0.1368, 0.7236],
    ],
]
W = [
    [-0.2665, -0.3861, -0.4229, -0.1167],
    [0.0900, 0.0633, 0.0439, -0.3031],
    [0.4027, -0.3294, 0.2227, -0.4405],
    [0.2106, 0.1568, -0.2439, -0.0705],
]
B = [0.4796, 0.0029, -0.4205, -0.1166]
WORDS = [["我", "爱", "中国"], ["太阳", "变", "红"]]


def softmax(scores):
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def translation(source, emitted, *, layers=2, heads=3, seed=0, alignment=()):
    """What a translator returns, with random attention of the right shapes."""
    random = np.random.default_rng(seed)
    decoder = ["<bos>", *emitted[:-1]]

    def maps(rows, cols, causal=False):
        scores = [3 * random.normal(size=(1, heads, rows, cols)) for _ in range(layers)]
        hidden = np.triu(np.full((rows, cols), -np.inf), 1) if causal else 0
        return [torch.tensor(softmax(s + hidden)) for s in scores]

    s, t = len(source), len(decoder)
    attention = SimpleNamespace(encoder=maps(s, s), decoder=maps(t, t, True), cross=maps(t, s))
    return SimpleNamespace(
        source_tokens=source, decoder_tokens=decoder, tokens=emitted, text=" ".join(emitted[:-1]),
        attention=attention, alignment=alignment,
    )  # fmt: skip


BEER = translation(
    "ich mochte ein bier".split(),
    "i want a beer <eos>".split(),
    alignment=((0, 0), (3, 1), (2, 2), (1, 3)),
)
LONG = translation(
    "gestern hat sie kein buch gekauft".split(),
    "yesterday she bought no book . <eos>".split(),
    seed=1,
)


def weights_of(result, kind, layer, head):
    return getattr(result.attention, kind)[layer][0, head].numpy()


def hand_chain(x, weight, bias):
    q = np.array(x) @ np.array(weight).T + np.array(bias)
    scores = q @ q.T
    scaled = scores / math.sqrt(len(bias))
    weights = softmax(scaled)
    return {"Q": q, "scores": scores, "scaled": scaled, "weights": weights, "output": weights @ q}


# ---------------------------------------------------------------------------------------------
# with a kernel


def test_traits_can_be_set_and_observed_and_other_ends_pull_them_in():
    explorer = AttentionExplorer([BEER, LONG])
    seen = []
    explorer.observe(lambda change: seen.append(change["new"]), "head")
    explorer.head = 2
    assert seen == [2]
    explorer.sentence, explorer.row = 1, 6
    assert explorer.last_row == 6
    explorer.sentence = 0
    assert (explorer.row, explorer.last_row) == (4, 4)
    explorer.set_state({"kind": 0})  # what a browser sends: the index of the option
    assert explorer.kind == "encoder" and explorer.last_row == 3 and explorer.row == 3
    assert explorer.get_state("kind") == {"kind": 0}


def test_hand_accepts_arrays_and_edits():
    figure = ByHand(torch.tensor(X[0]), torch.tensor(W), torch.tensor(B), WORDS[0])
    assert figure.x == [X[0]], "a float32 is shown as the number that was written"
    figure.x = np.array([X[1]])
    assert figure.x == [X[1]] and figure.original["x"] == [X[0]]
    figure.step, figure.column = "Q", 3
    figure.step = "scores"
    assert (figure.column, figure.last_column) == (2, 2)


@pytest.mark.parametrize(
    "trait, value, message",
    [
        ("kind", "self", "expected one of"),
        ("layer", 2, "0 to 1"),
        ("head", -1, "0 to 2"),
        ("row", 5, "0 to 4"),
        ("sentence", 1, "out of range"),
    ],
)
def test_explorer_refuses_what_it_cannot_show(trait, value, message):
    explorer = AttentionExplorer(BEER)
    with pytest.raises(ValueError, match=message):
        setattr(explorer, trait, value)
    assert getattr(explorer, trait) == ("cross" if trait == "kind" else 0)
    with pytest.raises((ValueError, TypeError)):
        AttentionExplorer(BEER, **{trait: value})


def changed(**parts):
    result = SimpleNamespace(**vars(translation(BEER.source_tokens, BEER.tokens)))
    result.attention = SimpleNamespace(**vars(result.attention))
    for name, value in parts.items():
        setattr(
            result.attention if name in ("encoder", "decoder", "cross") else result, name, value
        )
    return result


@pytest.mark.parametrize(
    "result, message",
    [
        (
            changed(cross=[m * 0.9 for m in BEER.attention.cross]),
            "^cross layer 0, head 0, query 0: .* sum to 0.9",
        ),
        (
            [BEER, changed(cross=[m * 0.9 for m in BEER.attention.cross])],
            "^translation 1: cross layer 0, head 0, que",
        ),
        (changed(cross=[m * float("nan") for m in BEER.attention.cross]), "sum to nan"),
        (
            changed(source_tokens=["ich", "mochte"]),
            r"encoder layer 0 is 4 x 4 .* there are 2 source tokens",
        ),
        (changed(decoder=BEER.attention.cross), "decoder layer 0 is 5 x 4"),
        (
            changed(cross=[m[0] for m in BEER.attention.cross]),
            r"has shape \(3, 5, 4\); expected \(1, n_heads",
        ),
        (
            changed(encoder=[BEER.attention.encoder[0], BEER.attention.encoder[1][:, :2]]),
            r"heads; got \[3, 2\]",
        ),
        (changed(tokens=["i"]), "5 decoder tokens, but 1 emitted"),
        (changed(alignment=((0, 9),)), r"\(0, 9\) lies outside"),
        ([], "at least one"),
        ([BEER, changed(encoder=[])], "the same kinds"),
    ],
)
def test_explorer_says_what_is_wrong_with_a_result(result, message):
    with pytest.raises(ValueError, match=message):
        AttentionExplorer(result)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((X, W, B[:3], WORDS), "expected weight"),
        ((X, [row[:3] for row in W], B, WORDS), "expected weight"),
        ((X, W, [0, 0, 0, float("inf")], WORDS), r"bias\[3\] is inf"),
        ((X, W, B, [["one"], ["two"]]), r"tokens has \[1, 1\] words"),
        ((X[0][0], W, B), "expected 2 or 3 axes"),
        (([[1, 2], [3]], W, B), "not a rectangle of numbers|inhomogeneous"),
    ],
)
def test_hand_says_what_is_wrong(arguments, message):
    with pytest.raises(ValueError, match=message):
        ByHand(*arguments)


TRANSLATOR = tl.load_translator()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AttentionExplorer(["Paul kauft ein Buch"]), r"needs what Translator.translate"),
        (lambda: AttentionExplorer("Paul kauft ein Buch"), r"needs what Translator.translate"),
        (lambda: AttentionExplorer(TRANSLATOR), r"got Translator: AttentionExplorer\("),
        (lambda: figures.HeadLanes("ich trinke Tee ."), r"needs what Translator.translate"),
        (lambda: figures.MachineMap("ich trinke Tee ."), r"needs what Translator.translate"),
        (lambda: figures.Threads(TRANSLATOR), r"got Translator: Threads\(\["),
        (lambda: figures.Threads([1]), r"got int: Threads\(\["),
        (lambda: figures.LiveTranslator("ich trinke Tee ."), r"LiveTranslator\(sentences="),
        (lambda: figures.LiveTranslator(["ich trinke Tee ."]), r"LiveTranslator\(sentences="),
        (lambda: figures.EmbeddingLookup(["tea"], [["tea"]]), "table is a list; expected the num"),
        (lambda: figures.EmbeddingLookup({"tea": [1.0]}, "tea"), "expected a list of words"),
        (lambda: figures.EmbeddingLookup({"tea": [1.0]}, ["tea"]), "expected a list of words"),
        (lambda: figures.Masks("ich trinke Tee"), r"expected words: \['ich', 'trinke', 'Tee'\]"),
        (lambda: figures.Writer(TRANSLATOR, TRANSLATOR.source_vocabulary), "needs a DecoderOnly"),
        (lambda: figures.TrainingPlayground(["ein Bier"]), r"expected \(source, target\)"),
        (lambda: figures.TrainingReplay([1.0, 0.5]), "runs is a list; expected the steps"),
        (lambda: ByHand("tea", [[1.0]], [1.0]), "x is not a rectangle of numbers"),
        (lambda: figures.HeadsInMemory("tea"), "x is not a rectangle of numbers"),
    ],
)
def test_a_wrong_first_argument_is_answered_in_a_sentence(make, message):
    with pytest.raises(base.FigureError, match=message):
        make()


def test_threads_take_one_sentence_or_translation():
    sentence = "ich trinke Tee ."
    one, other = figures.Threads(sentence), figures.Threads(TRANSLATOR.translate(sentence))
    assert one.sources == other.sources == [sentence.split()]


def test_hand_refuses_another_shape_and_numbers_that_are_not_finite():
    figure = ByHand(X, W, B, WORDS)
    for value, message in [
        (X[:1], "made with"),
        (np.full((2, 3, 4), np.nan), "finite"),
        ("abc", "numbers"),
    ]:
        with pytest.raises(ValueError, match=message):
            figure.x = value
    for trait, value in [("step", "values"), ("row", 3), ("column", 4), ("sentence", 2)]:
        with pytest.raises(ValueError, match="expected one of|out of range"):
            setattr(figure, trait, value)
    assert figure.x == X and figure.step == "weights"


def test_a_query_that_may_look_nowhere_is_shown_as_zeros():
    maps = torch.full((1, 1, 2, 2), 0.5)
    maps[..., 1, :] = 0
    explorer = AttentionExplorer.from_maps(encoder=[maps], source_tokens=["a", "b"])
    assert explorer.weights == bytes([128, 128, 0, 0])


def test_maps_of_a_model_of_ones_own():
    maps = BEER.attention.encoder
    explorer = AttentionExplorer.from_maps(encoder=maps, source_tokens=BEER.source_tokens)
    assert explorer.kinds == ["encoder"] and explorer.kind == "encoder"


# ---------------------------------------------------------------------------------------------
# in a browser


def picture(page, selector=".map[aria-selected=true] canvas", index=0):
    """The pixels of a canvas, (rows, cols, 3)."""
    return pixels(page.locator(".tl-figure").nth(index).locator(selector))[..., :3]


def luminance(rgb):
    channel = np.asarray(rgb) / 255
    linear = np.where(channel <= 0.04045, channel / 12.92, ((channel + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def assert_shows(page, expected, index=0, dark=False):
    """The table holds these weights and the picture is darker (in the dark: lighter) wherever a
    weight is larger.
    """
    (table,) = shown(page, index).values()
    assert table.shape == expected.shape
    assert np.abs(table - expected).max() < 1e-2
    light = luminance(picture(page, index=index)) * (-1 if dark else 1)
    order = np.argsort(expected, axis=None)
    bytes_, light = np.rint(255 * expected).flat[order], light.flat[order]
    assert (np.diff(light)[np.diff(bytes_) > 3] < 0).all() and np.ptp(light) > 0.3


def head(page, layer, head, index=0):
    """A map of the explorer's grid."""
    figure = page.locator(".tl-figure").nth(index)
    return figure.locator(".map", has_text=f"layer {layer}, head {head}")


def test_explorer_is_moved_by_the_picture_alone_and_by_keys(open_figures):
    page = open_figures(AttentionExplorer([BEER, LONG]))
    assert page.locator(".controls input").count() == 0, "no slider on a page"
    assert_shows(page, weights_of(BEER, "cross", 0, 0))

    head(page, 0, 0).focus()
    for number in (1, 2, 2):  # the end holds
        page.keyboard.press("ArrowRight")
        assert_shows(page, weights_of(BEER, "cross", 0, number))
    page.keyboard.press("ArrowDown")
    assert_shows(page, weights_of(BEER, "cross", 1, 2))

    page.locator(".target .word").first.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert state(page)["row"] == "3"
    row = weights_of(BEER, "cross", 1, 2)[3]
    best = BEER.source_tokens[row.argmax()]
    most = f"{round(255 * row.max()) / 255:.2f}"
    told = page.locator(".query").text_content()
    assert told.startswith(f"a → beer takes {most} from {best}")
    spoken = page.locator("[aria-live=polite]").inner_text()
    assert f"query 3 “a → beer” takes {most} from “{best}”" in spoken

    page.get_by_role("radio", name="cross-attention").focus()
    for kind in ("decoder", "encoder"):
        page.keyboard.press("ArrowLeft")
        assert state(page)["kind"] == kind
        assert_shows(page, weights_of(BEER, kind, 1, 2))
    page.get_by_role("combobox", name="sentence").focus()
    page.keyboard.press("ArrowDown")
    assert_shows(page, weights_of(LONG, "encoder", 1, 2))
    page.locator(".target .word").nth(5).click()
    assert state(page)["row"] == "5"
    page.get_by_role("radio", name="cross-attention").click()
    assert_shows(page, weights_of(LONG, "cross", 1, 2))
    page.locator(".target .word").nth(6).click()
    assert state(page)["row"] == "6"


def test_explorer_outlines_the_true_alignment_until_told_not_to(open_figures):
    page = open_figures(AttentionExplorer(BEER))
    assert page.locator("rect.truth").count() == 4 * 6, "in each head"
    outlined = (
        head(page, 1, 2)
        .locator("rect.truth")
        .evaluate_all(
            "all => all.map((r) => [Math.floor(r.x.baseVal.value), Math.floor(r.y.baseVal.value)])"
        )
    )
    assert outlined == [[0, 0], [3, 1], [2, 2], [1, 3]], "a key is a column, a query a row"
    note = page.locator(".explorer .note")
    assert "true alignment" not in note.inner_text()
    page.get_by_role("radio", name="encoder").click()
    assert "The true alignment joins source and target" in note.inner_text(), (
        "why the box outlines nothing"
    )
    page.get_by_role("radio", name="cross-attention").click()
    page.get_by_role("switch", name="outline the true alignment").press("Space")
    assert page.locator("rect.truth").count() == 0


def test_another_sentence_or_attention_moves_nothing_below_the_explorer(open_figures):
    page = open_figures(AttentionExplorer([BEER, LONG]), width=360)
    height = lambda: page.locator(".tl-figure").bounding_box()["height"]  # noqa: E731
    before = height()
    for sentence in (1, 0):
        page.get_by_role("combobox", name="sentence").select_option(index=sentence)
        for kind in ("encoder", "decoder", "cross-attention"):
            page.get_by_role("radio", name=kind).click()
            assert height() == before, (sentence, kind)


def test_on_a_phone_a_thumb_finds_the_heads_and_a_tap_is_answered_in_sight(open_figures):
    page = open_figures(AttentionExplorer(BEER), width=390, has_touch=True)
    boxes = [page.locator(".map").nth(i).bounding_box() for i in range(6)]
    assert min(min(box["width"], box["height"]) for box in boxes) >= 44
    assert len({box["y"] for box in boxes}) == 2, "the heads of a layer beside each other"
    page.locator(".target .word").nth(2).tap()
    assert state(page)["row"] == "2"
    line = page.locator(".query").bounding_box()
    assert 0 <= line["y"] <= page.viewport_size["height"] - line["height"], "the answer to a tap"


def test_all_heads_are_large_and_no_map_reaches_into_another(open_figures):
    for result in (BEER, LONG):
        page = open_figures(AttentionExplorer(result), width=900)
        boxes = page.locator(".plot").evaluate_all(
            "all => all.map((one) => one.getBoundingClientRect().toJSON())"
        )
        assert len(boxes) == 6 and min(box["width"] for box in boxes) > 90
        for layer in (boxes[:3], boxes[3:]):
            assert all(a["right"] < b["left"] for a, b in zip(layer, layer[1:], strict=False))
        names = page.locator(".names .row.label").evaluate_all(
            "all => all.map((one) => one.getBoundingClientRect().right)"
        )
        assert max(names) <= boxes[0]["left"]


def chosen(page):
    """What is marked in each head: [x, y, width, height] in cells."""
    return page.locator(".map").evaluate_all(
        """all => all.map((map) => [...map.querySelectorAll('rect.chosen')].map((r) =>
            ['x', 'y', 'width', 'height'].map((name) => Number(r.getAttribute(name)))))"""
    )


def test_a_word_that_is_pressed_is_marked_in_every_head(open_figures):
    page = open_figures(AttentionExplorer(BEER))
    weights = weights_of(BEER, "cross", 0, 0)
    page.locator(".target .word").nth(2).click()
    page.mouse.move(1, 1)
    assert chosen(page) == [[[0, 2, 4, 1]]] * 6, "the row of the query"
    page.locator(".source .word").nth(1).click()
    page.mouse.move(1, 1)
    assert chosen(page) == [[[1, 0, 1, 5]]] * 6, "the column of the key"
    giving = weights[:, 1]
    taker = BEER.decoder_tokens[giving.argmax()]
    told = page.locator(".query").text_content()
    assert told.startswith(f"mochte gives {giving.max():.2f} to {taker} →")
    page.locator(".names .row.label").nth(4).click()
    assert state(page)["row"] == "4" and chosen(page) == [[[0, 4, 4, 1]]] * 6
    page.locator(".header .col.label .token", has_text="bier").first.click()
    assert chosen(page) == [[[3, 0, 1, 5]]] * 6


def test_the_threads_are_those_of_the_chosen_head(open_figures):
    page = open_figures(AttentionExplorer(BEER))
    for layer, number in ((0, 0), (1, 2)):
        head(page, layer, number).locator("p").click()
        page.mouse.move(1, 1)
        weights = weights_of(BEER, "cross", layer, number)
        drawn = page.locator(".picture path").evaluate_all(
            "all => all.map((path) => Number(path.style.getPropertyValue('--weight-of')))"
        )
        shares = np.rint(255 * weights.ravel()) / 255
        assert drawn == pytest.approx(shares[shares >= 0.04], abs=1e-3)


def test_a_mouse_on_a_map_shows_its_threads_until_it_leaves(open_figures):
    page = open_figures(AttentionExplorer(BEER))
    head(page, 1, 2).locator("p").hover()
    assert (state(page)["layer"], state(page)["head"]) == ("1", "2")
    (table,) = shown(page).values()
    assert np.abs(table - weights_of(BEER, "cross", 1, 2)).max() < 1e-2
    assert head(page, 0, 0).get_attribute("aria-selected") == "true"
    page.mouse.move(1, 1)
    assert_shows(page, weights_of(BEER, "cross", 0, 0))


def test_the_heads_are_a_grid_moved_in_by_key_and_by_click(open_figures):
    page = open_figures(AttentionExplorer(BEER))
    grid = page.get_by_role("grid", name="all heads: a layer in each row, a head in each column")
    assert grid.get_by_role("row").count() == 2
    assert grid.get_by_role("row").first.get_by_role("gridcell").count() == 3
    assert page.get_by_role("application").count() == 0
    assert page.locator(".map[tabindex='0']").count() == 1
    head(page, 0, 0).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert_shows(page, weights_of(BEER, "cross", 1, 1))
    row = weights_of(BEER, "cross", 1, 1)[0]
    best = BEER.source_tokens[row.argmax()]
    heard = f"layer 1, head 1: “<bos> → i”, most from “{best}”, {row.max():.2f}"
    selected = grid.get_by_role("gridcell", selected=True)
    assert selected.get_attribute("aria-label") == heard
    head(page, 0, 2).locator("p").click()
    assert_shows(page, weights_of(BEER, "cross", 0, 2))


def test_pointing_previews_a_cell_and_clicking_keeps_its_head_and_row(open_figures):
    page = open_figures(AttentionExplorer(BEER))
    plot = head(page, 0, 1).locator(".plot")
    box = plot.bounding_box()

    def at(row, col):
        return {"x": (col + 0.5) * box["width"] / 4, "y": (row + 0.5) * box["height"] / 5}

    plot.hover(position=at(2, 3))
    weight = weights_of(BEER, "cross", 0, 1)[2, 3]
    assert chosen(page) == [[[0, 2, 4, 1], [3, 2, 1, 1]]] * 6, "the row, and the cell in it"
    assert page.locator(".query").text_content() == f"want → a takes {weight:.2f} from bier"
    assert (state(page)["row"], state(page)["head"]) == ("2", "1")
    page.mouse.move(1, 1)
    assert (state(page)["row"], state(page)["head"]) == ("0", "0")
    plot.click(position=at(3, 1))
    page.mouse.move(1, 1)
    assert (state(page)["row"], state(page)["head"]) == ("3", "1")
    assert chosen(page) == [[[0, 3, 4, 1]]] * 6


def test_a_map_of_64_by_64_and_its_labels_stay_on_the_page(open_figures):
    words = [f"word{i}" for i in range(64)]
    maps = [
        torch.softmax(torch.randn(1, 2, 64, 64, generator=torch.Generator().manual_seed(0)), -1)
    ]
    page = open_figures(
        AttentionExplorer.from_maps(encoder=maps, source_tokens=words, head=1), width=360
    )
    (table,) = shown(page).values()
    assert np.abs(table - maps[0][0, 1].numpy()).max() < 1e-2
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    # Some of the labels are shown, the chosen one among them, and none reaches into another.
    shown_rows = page.locator(".names >> nth=1").locator(".label.row:not([hidden])")
    page.locator(".target .word").first.focus()
    for row in range(1, 8):
        page.keyboard.press("ArrowDown")
        tops = shown_rows.evaluate_all("all => all.map((one) => one.getBoundingClientRect().top)")
        assert f"word{row}" in shown_rows.all_text_contents() and len(tops) >= 14
        assert min(np.diff(tops)) > 11.9, row


@pytest.mark.parametrize("spacing", ["0", "0.12em"])
def test_a_long_row_label_is_whole_when_a_reader_sets_text_wider(open_figures, spacing):
    words = ["Geschwindigkeitsmesser", "ist"]
    explorer = AttentionExplorer.from_maps(
        encoder=[torch.full((1, 1, 2, 2), 0.5)], source_tokens=words
    )
    page = open_figures(explorer, body_attributes=f'style="letter-spacing: {spacing}"')
    (label,) = page.locator(".row", has_text=words[0]).all()
    assert label.locator(".token").evaluate("token => token.scrollWidth <= token.clientWidth")
    assert "tight" not in label.get_attribute("class").split()


def evaluate(text):
    """The value of a piece of arithmetic as the figure writes it."""
    for written, python in [("−", "-"), ("×", "*"), ("exp", "math.exp")]:
        text = text.replace(written, python)
    return eval(text, {"math": math})


def off_by_its_digits(text):
    """How far a piece of arithmetic may be from what is meant, since each number in it is rounded:
    by half of its last digit.
    """
    value = evaluate(text)
    ends = [number.end() for number in re.finditer(r"\d\.\d+", text)]
    return sum(abs(evaluate(f"{text[:end]}5{text[end:]}") - value) for end in ends)


def assert_hand(page, x, weight=W, bias=B, index=0):
    """Every table equals numpy's, and the arithmetic shown, worked out again, gives the cell it is
    shown for.
    """
    expected = hand_chain(x, weight, bias)
    tables = shown(page, index)
    for (name, values), table in zip(expected.items(), tables.values(), strict=True):
        assert np.abs(table - values).max() < 1e-6, name
    where = state(page, index)
    cell = expected[where["step"]][int(where["row"]), int(where["column"])]
    text = page.locator(".terms").nth(index).inner_text()
    pieces = text.lstrip("= ").split("=")
    assert len(pieces) > 1 and evaluate(pieces[-1].strip()) == round(cell, 4)
    for piece in map(str.strip, pieces):
        assert abs(evaluate(piece) - cell) < 1e-6 + off_by_its_digits(piece), piece
    assert set(re.findall(r"\.(\d{5,})", text)) == set(), "as many digits as in the tables"
    chosen = page.locator(".tl-figure").nth(index).locator("td.chosen")
    assert abs(evaluate(chosen.inner_text()) - cell) <= 0.5e-4 + 1e-9


def test_by_hand_every_step_equals_numpy_by_clicks_and_keys(open_figures):
    page = open_figures(ByHand(X, W, B, WORDS))
    assert state(page)["step"] == "weights", "it opens where the text asks"
    assert page.locator(".controls input").count() == 0
    for step in ("Q", "scores", "scaled", "weights", "output"):
        page.locator(f".panel.{step} td[role=gridcell]").first.click()
        assert_hand(page, X[0])
        if step == "Q":
            assert page.locator(".terms").inner_text().endswith("−0.2116")
        for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
            page.keyboard.press(key)
            assert_hand(page, X[0])
        assert (state(page)["step"], state(page)["row"], state(page)["column"]) == (step, "1", "2")
        if step == "weights":  # small enough to be shown as they are
            powers = np.exp(hand_chain(X[0], W, B)["scaled"][1])
            assert (
                "({:.4f} + {:.4f} + {:.4f})".format(*powers) in page.locator(".terms").inner_text()
            )
        assert f"{step}, row 1, column 2" in page.locator("[aria-live=polite]").inner_text()
    assert page.locator(".panel.output td[tabindex='0']").count() == 1, "one stop of the tab key"
    page.locator(".panel.scores .title").click()
    assert (state(page)["step"], state(page)["row"], state(page)["column"]) == ("scores", "1", "2")
    page.get_by_role("radio", checked=True).focus()
    page.keyboard.press("ArrowRight")
    assert_hand(page, X[1])
    assert "太阳" in page.get_by_role("grid", name="scores Q").inner_text()


def test_by_hand_marks_the_operands_and_leads_an_arrow_from_each(open_figures):
    page = open_figures(ByHand(X, W, B, WORDS, step="output", row=2, column=1))
    marked = lambda grid, mark: page.locator(f".panel.{grid} .{mark}").count()  # noqa: E731
    assert (marked("weights", "op-a"), marked("Q", "op-b"), marked("x", "op-a")) == (3, 3, 0)
    page.locator(".panel.Q td[role=gridcell]").first.click()
    assert (
        marked("x", "op-a"),
        marked("W", "op-b"),
        marked("b", "op-b"),
        marked("weights", "op-a"),
    ) == (4, 4, 1, 0)
    for step, arrows in (("scores", 2), ("scaled", 1), ("weights", 2), ("output", 2)):
        page.locator(f".panel.{step} td[role=gridcell]").last.click()
        tips = page.locator(".from-a .tip, .from-b .tip")
        assert tips.count() == arrows
        ends = page.evaluate(
            """() => {
                const root = document.querySelector('.tl-figure').shadowRoot;
                const cell = root.querySelector('td.chosen').getBoundingClientRect();
                const near = ({ left, right, top, bottom }) =>
                    Math.max(cell.left - right, left - cell.right,
                             cell.top - bottom, top - cell.bottom);
                return [...root.querySelectorAll('.from-a .tip, .from-b .tip')].map(
                    (tip) => near(tip.getBoundingClientRect()));
            }"""
        )
        assert max(ends) < 6, f"{step}: the arrows end at the cell"


def test_by_hand_leads_along_the_chain_and_what_is_not_taken_stands_back(open_figures):
    page = open_figures(ByHand(X, W, B, WORDS, step="Q", row=1, column=2))
    needed = {
        "Q": ["x", "W", "b", "Q"],
        "scores": ["Q", "scores"],
        "scaled": ["scores", "scaled"],
        "weights": ["scaled", "weights"],
        "output": ["Q", "weights", "output"],
    }
    for step, strong in needed.items():
        assert state(page)["step"] == step
        assert_hand(page, X[0])
        panels = page.locator(".panel:not(.aside)").evaluate_all(
            "all => all.map((panel) => panel.className.replace('panel ', ''))"
        )
        assert panels == strong
        page.get_by_role("button", name="Next").click()
    assert (state(page)["step"], state(page)["row"], state(page)["column"]) == ("Q", "1", "2")


def test_a_number_is_changed_by_dragging_it(open_figures):
    page = open_figures(ByHand(X, W, B, WORDS))
    cell = page.locator(".panel.W td:has(input)").nth(5)
    cell.hover()
    page.mouse.down()
    box = cell.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x + 30, y, steps=3)
    page.mouse.up()
    weight = json.loads(json.dumps(W))
    weight[1][1] = 0.3633
    assert page.get_by_label("W row 1 column 1").input_value() == "0.3633"
    assert_hand(page, X[0], weight)
    page.mouse.move(x + 60, y)
    assert_hand(page, X[0], weight)
    cell.click()  # which does not move: the field opens
    page.keyboard.press("PageDown")
    weight[1][1] = 0.2633
    assert page.get_by_label("W row 1 column 1").input_value() == "0.2633"
    assert_hand(page, X[0], weight)


def test_what_a_change_has_moved_is_framed(open_figures):
    page = open_figures(ByHand(X, W, B, WORDS))
    moved = lambda: [page.locator(f".panel.{m} .moved").count() for m in ("Q", "scores", "output")]  # noqa: E731
    assert moved() == [0, 0, 0]
    page.get_by_label("x row 1 column 2").fill("0.7")
    assert moved() == [4, 5, 12], "a row of Q, a row and a column of the scores, all of the output"
    page.locator(".panel.scores td[role=gridcell]").first.click()
    assert moved() == [0, 0, 0]
    page.get_by_role("radio").nth(1).click()
    assert moved() == [0, 0, 0], "another sentence is no change of a number"


def test_by_hand_on_a_phone_has_two_digits_and_nothing_is_cut(open_figures):
    page = open_figures(ByHand(X, W, B, WORDS), width=390)
    assert page.locator("td.chosen").inner_text() == "0.33"
    assert page.get_by_label("x row 0 column 0").input_value() == "0.95"
    page.get_by_label("x row 0 column 0").focus()
    assert page.get_by_label("x row 0 column 0").input_value() == "0.9535"
    page.get_by_label("x row 0 column 1").focus()
    page.wait_for_timeout(50)
    assert page.get_by_label("x row 0 column 0").input_value() == "0.95"
    lefts = [page.locator(f".panel.{name}").bounding_box() for name in ("x", "Q")]
    assert lefts[0]["y"] == lefts[1]["y"], "Q stands beside the words that it is of"
    cut = page.locator(".panel").evaluate_all(
        "all => all.filter((panel) => panel.scrollWidth > panel.clientWidth).length"
    )
    assert cut == 0


def test_by_hand_edits_recompute_everything_and_can_be_taken_back(open_figures):
    page = open_figures(ByHand(X, W, B, WORDS, step="weights"))
    field = page.get_by_label("x row 0 column 1")
    field.fill("-2.5")
    edited = json.loads(json.dumps(X[0]))
    edited[0][1] = -2.5
    assert_hand(page, edited)
    for text in ("abc", "", "1e999", "Infinity", "NaN"):
        field.fill(text)
        field.press("Enter")
        assert field.input_value() == "−2.5000"
        assert "not a finite number" in page.get_by_role("alert").inner_text()
        assert_hand(page, edited)
    page.get_by_label("W row 3 column 0").fill("12")
    page.get_by_label("b 2").fill("0.125")
    weight = json.loads(json.dumps(W))
    bias = list(B)
    weight[3][0], bias[2] = 12, 0.125
    assert_hand(page, edited, weight, bias)
    page.get_by_label("x row 0 column 0").fill("1e4")  # where exp alone would overflow
    edited[0][0] = 1e4
    tables = shown(page)
    assert (
        np.abs(
            tables["weights: softmax by row"] - hand_chain(edited, weight, bias)["weights"]
        ).max()
        < 1e-6
    )
    page.get_by_role("button", name="Reset").click()
    assert_hand(page, X[0])
    field.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.type("0.5")
    edited = json.loads(json.dumps(X[0]))
    edited[1][1] = 0.5
    assert_hand(page, edited)
    page.keyboard.press("Home")  # within the text; then a letter is selected, and another
    for _ in range(2):
        page.keyboard.press("Shift+ArrowRight")
    focused = page.get_by_label("x row 1 column 1")
    assert focused.evaluate(
        "field => [field.matches(':focus'), field.selectionStart, field.selectionEnd]"
    ) == [
        True,
        0,
        2,
    ]
    page.keyboard.press("Escape")
    assert_hand(page, X[0])
    page.keyboard.press("Home")
    assert page.get_by_label("x row 1 column 0").evaluate("field => field.matches(':focus')"), (
        "where all is selected"
    )


def test_keys_leave_the_browser_its_own(open_figures):
    page = open_figures(AttentionExplorer(LONG))
    prevented = """([node, key]) =>
        !node.dispatchEvent(
            new KeyboardEvent('keydown', {...key, bubbles: true, cancelable: true}))"""
    for node in (head(page, 0, 1), page.locator(".target .word").nth(2)):
        for held, ours in (
            ({}, True),
            ({"altKey": True}, False),
            ({"ctrlKey": True}, False),
            ({"metaKey": True}, False),
        ):
            key = {"key": "ArrowLeft"} | held
            assert page.evaluate(prevented, [node.element_handle(), key]) == ours


def test_two_figures_on_a_page_do_not_touch_each_other(open_figures):
    page = open_figures(
        AttentionExplorer(BEER), AttentionExplorer(LONG, head=1), ByHand(X, W, B, WORDS)
    )
    head(page, 0, 0).press("ArrowRight")
    head(page, 0, 1, index=1).press("ArrowDown")
    assert_shows(page, weights_of(BEER, "cross", 0, 1), 0)
    assert_shows(page, weights_of(LONG, "cross", 1, 1), 1)
    assert state(page, 2)["step"] == "weights"
    assert page.evaluate("Object.keys(window).filter((k) => /figure|model|home/i.test(k))") == []
    assert page.evaluate("document.querySelectorAll('[id]').length") == 0


@pytest.mark.parametrize(
    "figure", [AttentionExplorer(BEER), ByHand(X, W, B, WORDS)], ids=["explorer", "hand"]
)
def test_light_and_dark_follow_the_page_and_stay_legible(open_figures, figure):
    look = """() => {
        const figure = document.querySelector('.tl-figure').shadowRoot.querySelector('figure');
        const style = getComputedStyle(figure);
        const probe = figure.appendChild(document.createElement('i'));
        const colour = (name) => {
            probe.style.color = `var(--${name})`;
            return getComputedStyle(probe).color.match(/\\d+/g).map(Number);
        };
        const roles = ['query', 'key', 'value', 'weight', 'raw', 'scaled'];
        const names = ['surface', 'panel', 'ink', 'muted', 'accent', 'mark', ...roles];
        const named = names.map((name) => [name, colour(name)]);
        probe.remove();
        return [figure.classList.contains('dark'), Object.fromEntries(named)];
    }"""
    page = open_figures(figure, html_attributes='data-theme="dark"', color_scheme="light")
    assert page.evaluate(look)[0] is True, "dark from the start, on a dark page"
    for node, attribute, value, scheme, dark in [
        ("documentElement", "data-theme", "dark", "light", True),
        ("documentElement", "data-theme", "light", "dark", False),
        ("documentElement", "theme", "dark", "light", True),
        ("body", "data-jp-theme-light", "false", "light", True),
        ("body", "data-jp-theme-light", "true", "dark", False),
        ("body", "class", "", "dark", True),
        ("body", "class", "", "light", False),
    ]:
        page.evaluate("""() => {
            document.documentElement.removeAttribute('data-theme');
            document.documentElement.removeAttribute('theme');
            delete document.body.dataset.jpThemeLight;
        }""")
        page.emulate_media(color_scheme=scheme)
        page.evaluate(f"document.{node}.setAttribute('{attribute}', '{value}')")
        page.wait_for_function(
            "dark => dark === "
            "!!document.querySelector('.tl-figure').shadowRoot.querySelector('figure.dark')",
            arg=dark,
        )
        is_dark, colours = page.evaluate(look)
        assert is_dark is dark, (attribute, value, scheme)
        for ground in ("surface", "panel"):
            for text in colours.keys() - {"surface", "panel"}:
                pair = sorted((luminance(colours[ground]), luminance(colours[text])))
                assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5, (dark, ground, text)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.locator("figure.dark").wait_for()
    if isinstance(figure, AttentionExplorer):
        assert_shows(page, weights_of(BEER, "cross", 0, 0), dark=True)


def test_numbers_stay_legible_in_the_light_and_out_of_it(open_figures):
    for theme in ("light", "dark"):
        page = open_figures(ByHand(X, W, B, WORDS), html_attributes=f"data-theme={theme}")
        worst = page.evaluate(
            """() => {
                const home = document.querySelector('.tl-figure');
                const figure = home.shadowRoot.querySelector('figure');
                const parse = (c) => c.match(/[\\d.]+/g)
                    .map((part) => part * (c.startsWith('color(') ? 255 : 1));
                const cells = [...figure.querySelectorAll('.panel :is(td, input)')];
                return cells.map((cell) => {
                    const [r, g, b, alpha = 1] = parse(getComputedStyle(cell).backgroundColor);
                    const under = parse(getComputedStyle(figure).backgroundColor);
                    const ground = [r, g, b].map((v, i) => alpha * v + (1 - alpha) * under[i]);
                    return [ground, parse(getComputedStyle(cell).color).slice(0, 3)];
                });
            }"""
        )
        for ground, ink in worst:
            pair = sorted((luminance(ground), luminance(ink)))
            assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5


def test_phone_by_touch(open_figures):
    page = open_figures(
        AttentionExplorer(BEER), ByHand(X, W, B, WORDS), width=360, has_touch=True, is_mobile=True
    )
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    plot = head(page, 1, 1).locator(".plot")
    box = plot.bounding_box()
    plot.tap(position={"x": 0.6 * box["width"], "y": 0.9 * box["height"]})
    assert (state(page)["layer"], state(page)["head"], state(page)["row"]) == ("1", "1", "4")
    page.locator(".panel.scores td[role=gridcell]").nth(8).tap()
    assert (state(page, 1)["step"], state(page, 1)["row"]) == ("scores", "2")
    small = page.evaluate(
        """() => [...document.querySelectorAll('.tl-figure')].flatMap((h) =>
            [...h.shadowRoot.querySelectorAll('button, select, input')]
                .filter((n) => n.type !== 'checkbox')
                .filter((n) => Math.min(n.offsetWidth, n.offsetHeight) < 24)).length"""
    )
    assert small == 0


def test_tables_have_headers_with_scope(open_figures):
    page = open_figures(AttentionExplorer(BEER), ByHand(X, W, B, WORDS))
    page.locator(".menu summary").first.click()
    page.get_by_role("button", name="Show the numbers").click()
    assert page.locator(".numbers table").first.is_visible()
    scopes = (
        page.locator(".numbers table")
        .first.locator("th")
        .evaluate_all("all => all.map((th) => th.scope)")
    )
    assert scopes == ["col"] * 4 + ["row"] * 5
    assert (
        page.locator(".numbers table").first.locator("th[scope=row]").nth(3).inner_text()
        == "a → beer"
    )


def test_a_control_needs_a_trait():
    class WithoutTrait(ByHand):
        @classmethod
        def controls(cls):
            return [base.Control("width", "width")]

    with pytest.raises(base.FigureError, match="has a control of 'width', but no such trait"):
        WithoutTrait(X, W, B, WORDS)


def test_tensors_that_learn_are_numbers_too():
    assert base.as_numbers("x", torch.ones(2, requires_grad=True), 1) == [1.0, 1.0]
