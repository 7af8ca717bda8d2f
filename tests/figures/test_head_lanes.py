"""Heads in lanes: what it shows is what the trained layer computes, and for every choice of heads
what is then said.
"""

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from figure_examples import painted, pixels, resize, shown, spoken, state, unfold, untrained

from attention_by_hand.figures import HeadLanes
from attention_by_hand.figures.kit import FigureError
from attention_by_hand.figures.kit.book import shipped


@pytest.fixture(scope="module")
def translation():
    return shipped()


@pytest.fixture(scope="module")
def layer(translation):
    """The upper cross-attention, what comes into it and what comes out: its input (10, 64), weights
    (4, 10, 9) and each head's strip, (4, 10, 16), from its matrices alone.
    """
    model = translation.translator.model
    attention = model.decoder[1].cross_attention
    given = {}
    hook = attention.register_forward_pre_hook(
        lambda _, inputs: given.update(x=inputs[0][0], memory=inputs[1][0])
    )
    ask(translation)
    hook.remove()
    with torch.no_grad():
        q, k, v = (
            (given[name] @ matrix.weight.T).unflatten(1, (4, 16)).transpose(0, 1)
            for name, matrix in (
                ("x", attention.w_q),
                ("memory", attention.w_k),
                ("memory", attention.w_v),
            )
        )
        weights = (q @ k.transpose(1, 2) / 4).softmax(-1)
    return attention, given["x"], q, weights, weights @ v


@torch.no_grad()
def ask(translation):
    """The probabilities of the next word after each English word, (10, V)."""
    translator = translation.translator
    source = torch.tensor([translator.source_vocabulary.encode(translation.source_tokens)])
    target = torch.tensor([translator.target_vocabulary.encode(translation.decoder_tokens)])
    return translator.model(source, target)[0].softmax(-1)


@pytest.fixture(scope="module")
def silenced(translation):
    """The probabilities for each choice of heads, (16, 10, V): the others' columns of W^O are set
    to zero.
    """
    matrix = translation.translator.model.decoder[1].cross_attention.w_o.weight.data
    whole = matrix.clone()
    found = []
    for choice in range(16):
        for head in range(4):
            if not choice >> head & 1:
                matrix[:, 16 * head : 16 * head + 16] = 0
        found.append(ask(translation))
        matrix.copy_(whole)
    return torch.stack(found)


def test_the_lanes_are_the_layers(layer):
    figure = HeadLanes()
    (attention, x, queries, weights, strips) = layer
    joined = strips.transpose(0, 1).flatten(1)
    painted = np.frombuffer(figure.painted, np.int8).reshape(3, 10, 64) / 127
    stages = {"x": x, "queries": queries.transpose(0, 1).flatten(1), "strips": joined}
    for (name, expected), found in zip(stages.items(), painted, strict=True):
        np.testing.assert_allclose(
            found * figure.most[name], expected, atol=figure.most[name] / 200, err_msg=name
        )
    maps = np.frombuffer(figure.weights, np.uint8).reshape(4, 10, 9) / 255
    np.testing.assert_allclose(maps, weights, atol=1 / 500)
    with torch.no_grad():
        for off in (), (1,), (0, 3), (0, 1, 2, 3):
            kept = joined.clone()
            for head in off:
                kept[:, 16 * head : 16 * head + 16] = 0
            added = sum((figure.part(h) for h in range(4) if h not in off), np.zeros((10, 64)))
            np.testing.assert_allclose(added, attention.w_o(kept), atol=1e-3)


def test_the_lanes_are_painted_as_the_layers_numbers(open_figures, layer):
    attention, x, queries, weights, strips = layer
    page = open_figures(HeadLanes(numbers=True), color_scheme="light")
    with torch.no_grad():
        output = attention.w_o(strips.transpose(0, 1).flatten(1))
    expected = {"X: 10 rows of 64 numbers": x, "the output: 10 rows of 64 numbers": output}
    for head in range(4):
        expected |= {
            f"head {head}: 10 queries": queries[head],
            f"head {head}: its strip": strips[head],
        }
    most = {"queries": queries.abs().max(), "strip": strips.abs().max()}
    for label, numbers in expected.items():
        found = painted(page.get_by_role("img", name=label, exact=True).locator("canvas"))
        largest = most.get(label.split()[-1], numbers.abs().max())
        np.testing.assert_allclose(found, numbers / largest, atol=0.012, err_msg=label)
    joined = [painted(canvas) for canvas in page.locator(".joined canvas").all()]
    np.testing.assert_allclose(joined, strips / most["strip"], atol=0.012)
    for head in range(4):
        map_ = page.get_by_role("img", name=f"head {head}: its map").locator("canvas")
        tones = pixels(map_)[..., :3].sum(-1)
        bytes_ = np.rint(255 * weights[head].numpy())
        order = np.argsort(bytes_, axis=None)
        apart = np.diff(bytes_.flat[order]) > 3
        assert (np.diff(tones.flat[order])[apart] < 0).all(), "the larger a weight, the darker"


def test_the_page_says_what_the_model_says_for_every_choice_of_heads(
    open_figures, translation, layer, silenced
):
    attention, _, _, weights, strips = layer
    page = open_figures(HeadLanes(), color_scheme="light", reduced_motion="reduce")
    lane = page.locator(".tl-figure")

    def check(row, off):
        assert state(page) == state(page) | {
            "row": str(row),
            "on": "".join("01"[h not in off] for h in range(4)),
        }
        tables = shown(page)
        written = translation.translator.target_vocabulary.encode(translation.tokens)[row]
        order = sorted(range(16), key=lambda n: (-n.bit_count(), n))
        expected = silenced[order, row]
        chosen = expected[:, written].numpy()
        others = expected.index_fill(1, torch.tensor([written]), 0).max(-1).values.numpy()
        found = tables["probability of the next word, for each choice of heads"]
        np.testing.assert_allclose(found, np.stack([chosen, others], 1), atol=1e-4)
        heights = lane.locator(".column i").evaluate_all(
            "all => all.map((bar) => bar.offsetHeight / (bar.parentElement.clientHeight - 18))"
        )
        np.testing.assert_allclose(heights, chosen.clip(4 / 56), atol=0.02)
        wins = lane.locator(".choice").evaluate_all(
            "all => all.map((one) => one.classList.contains('wins'))"
        )
        assert wins == list(chosen > others)
        now = order.index(sum(1 << h for h in range(4) if h not in off))
        bars = lane.locator(".bars b").all_text_contents()
        assert bars == [f"{p[now]:.2f}" for p in (chosen, others)]
        widths = lane.locator(".bars").evaluate(
            """list => ['i', 's'].map((bar) => {
                const { width } = list.querySelector(bar).getBoundingClientRect();
                return width / list.querySelector('span').clientWidth; })"""
        )
        np.testing.assert_allclose(widths, [chosen[now], chosen[0]], atol=0.01)

        np.testing.assert_allclose(tables["weights of the query"], weights[:, row].T, atol=2.6e-3)
        with torch.no_grad():
            parts = [
                strips[h, row] @ attention.w_o.weight[:, 16 * h : 16 * h + 16].T for h in range(4)
            ]
        both = [sum((parts[h] for h in range(4) if h not in off), torch.zeros(64)), sum(parts)]
        np.testing.assert_allclose(
            tables["the output row, part by part"], torch.stack([*parts, *both], 1), atol=1.5e-3
        )

    check(1, [])
    assert "“did” 0.91" in page.locator("[role=status]").inner_text()
    card = lambda h: lane.get_by_role("switch", name=f"head {h}")  # noqa: E731
    card(1).click()
    card(3).press("Space")
    check(1, [1, 3])
    assert card(1).get_attribute("aria-checked") == "false"
    assert {"0.91", "1", "3", "habe"} <= spoken(lane.locator(".loss").inner_text())
    lane.get_by_role("radio", name="i", exact=True).press("End")
    check(9, [1, 3])
    unfold(page)
    lane.locator(".choice").last.click()
    check(9, [0, 1, 2, 3])
    page.keyboard.press("ArrowLeft")  # from column to column
    check(9, [0, 1, 2])
    lane.get_by_role("radio", name="close").click()
    check(4, [0, 1, 2])


def test_each_head_has_a_thread_as_thick_as_its_weight_to_each_word_and_a_wire(open_figures, layer):
    weights = layer[3]
    page = open_figures(HeadLanes())
    for head in range(4):
        lane = page.locator(".lane").nth(head)
        found = lane.locator("path").evaluate_all(
            "all => all.map((path) => [+path.getAttribute('stroke-width') / 11,"
            "+path.getAttribute('d').split(' ').at(-1) - 0.5])"
        )
        expected = np.rint(255 * weights[head, 1].numpy()) / 255
        thick = [[weight, key] for key, weight in enumerate(expected) if weight >= 0.02]
        np.testing.assert_allclose(found, thick, atol=1e-3)
        best = lane.locator(".best").inner_text()
        assert best == shipped().source_tokens[expected.argmax()]
    wire = page.locator(".lane > .wire").nth(2)
    style = "node => getComputedStyle(node).borderLeftStyle"
    assert wire.evaluate(style) == "solid"
    page.locator(".card").nth(2).click()
    assert wire.evaluate(style) == "dashed"


def test_a_head_that_is_cut_has_no_numbers_from_its_queries_on(open_figures):
    page = open_figures(HeadLanes(numbers=True))
    page.get_by_role("switch", name="head 2").click()
    off = page.locator(".block.off canvas")
    assert off.count() == 5, "queries, map, strip, joined and its part of the sum"
    assert not any(pixels(canvas)[..., 3].any() for canvas in off.all())
    page.locator(".block.map").first.click(position={"x": 20, "y": 2 + 3.5 * 16})
    assert state(page)["row"] == "3"


def test_the_picture_is_the_only_control_on_a_page(open_figures):
    page = open_figures(HeadLanes())
    assert page.locator(".controls").is_hidden() and page.locator(".controls *").count() == 0
    assert len(HeadLanes().view.children[0].children) == 5, "with a kernel there are five widgets"
    page.evaluate("location.hash = '#HeadLanes?row=4&head_2=false'")
    page.wait_for_function(
        """() => {
            const home = document.querySelector('.tl-figure');
            return home.shadowRoot.querySelector('figure').dataset.row === '4';
        }"""
    )
    assert state(page)["on"] == "1101"


# At each word and with some choices of heads: how high the figure is, how many German words are
# cut, and how wide the threads' picture is
AT_EACH_WORD = """home => {
    const all = (part) => [...home.shadowRoot.querySelectorAll(part)];
    return all('.asks button').flatMap((word, row) => [7, 15, 0].map((choice) => {
        all('.asks button')[row].click();
        all('.choice')[choice].click();
        const cut = all('.card .word .token').filter((one) => one.scrollWidth > one.clientWidth);
        return [home.getBoundingClientRect().height, cut.length,
            all('.card svg')[0].getBoundingClientRect().width];
    }));
}"""


def test_no_word_and_no_cut_moves_what_is_below_and_no_german_word_is_cut(open_figures):
    page = open_figures(HeadLanes())
    for width in (900, 760, 390):
        resize(page, width)
        before = page.locator(".tl-figure").bounding_box()["height"]
        found = page.locator(".tl-figure").evaluate(AT_EACH_WORD)
        highs, cut, threads = zip(*found, strict=True)
        assert len(found) == 30 and {*highs} == {before}, width
        assert not any(cut) and min(threads) >= 18, width


def test_python_reads_and_sets_it(translation, silenced):
    figure = HeadLanes(translation, row=3, head_0=False, caption="mine")
    assert figure.on == [False, True, True, True] and figure.caption == "mine"
    vocabulary = translation.translator.target_vocabulary
    figure.head_0, figure.row = True, 1
    word, probability = figure.candidates()[0]
    assert (word, round(probability, 4)) == ("did", round(silenced[15, 1].max().item(), 4))
    figure.head_0 = figure.head_1 = figure.head_3 = False
    best = silenced[4, 1].max(-1)
    word, probability = figure.candidates()[0]
    assert word == vocabulary.decode([best.indices.item()])[0] != "did"
    assert probability == pytest.approx(best.values.item(), abs=1e-4)
    assert f"comes {word!r}" in figure.alternative and "on: 2." in figure.alternative


def test_it_leaves_a_model_of_ones_own_as_it_was():
    own = untrained("der Hund schläft".split(), n_layers=3, n_heads=2, norm_first=True)
    model = own.translator.model.train()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    figure = HeadLanes(own, layer=0)
    assert [control.trait for control in figure.controls()] == ["row", "head_0", "head_1"]
    assert model.training and not any(
        m._forward_hooks or m._forward_pre_hooks for m in model.modules()
    )
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


def test_it_is_light(budget):
    """Its own code and data; what all figures share, and the picture for a page without scripts,
    come on top.
    """
    data = re.search(
        r'<script type="application/json">(.*?)</script>', HeadLanes().snapshot(), re.S
    )[1]
    carried = json.loads(data)
    del carried["state"]["frame"]
    module = Path(__file__).parents[2] / "attention_by_hand/figures/head_lanes"
    files = (*module.glob("*.js"), module / "style.css")
    own = json.dumps(carried) + "".join(file.read_text("utf-8") for file in files)
    budget("HeadLanes", len(gzip.compress(own.encode())), 20_800)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: HeadLanes("ein Satz"), "what Translator.translate returns; got str"),
        (lambda: HeadLanes(untrained([str(i) for i in range(17)])), "16 tokens.*17 and 17"),
        (lambda: HeadLanes(untrained("ab", n_heads=8)), "4 heads.*n_heads=8"),
        (lambda: HeadLanes(untrained("ab", d_model=256)), "128.*numbers a token.*d_model=256"),
        (lambda: HeadLanes(untrained("ab"), layer=2), "layer=2 is out of range: 0 to 1"),
        (lambda: HeadLanes(untrained("ab"), row=2), "row=2 is out of range: 0 to 1"),
        (
            lambda: HeadLanes(untrained("ab"), hed_0=False),
            "hed_0: no such head; there are head_0 to head_",
        ),
        (lambda: HeadLanes(untrained("ab"), head_4=False), "head_4: no such head"),
    ],
)
def test_it_says_what_is_wrong(make, message):
    with pytest.raises(FigureError, match=message):
        make()
