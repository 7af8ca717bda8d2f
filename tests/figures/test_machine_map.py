"""The machine: what it draws of a word on its way is what PyTorch computes, stop by stop; the small
pictures of it.
"""

import gzip
import re
import xml.etree.ElementTree as ET
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
import yaml
from figure_examples import HOSTILE, painted, resize, shown, state, untrained

import transformer_lite as tl
from attention_by_hand.figures import MachineMap, where
from attention_by_hand.figures.kit import FigureError, book
from attention_by_hand.figures.kit.book import SENTENCE, shipped
from attention_by_hand.figures.machine_map import plan as machine_plan
from attention_by_hand.figures.threads import SENTENCES

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def translation():
    return shipped()


@torch.no_grad()
def by_hand(translation):
    """What each box gives, (length, size), from the weights alone: no hook, and no layer's own
    forward.
    """
    translator, model = translation.translator, translation.translator.model
    ids = {
        "encoder": translator.source_vocabulary.encode(translation.source_tokens),
        "decoder": translator.target_vocabulary.encode(translation.decoder_tokens),
    }
    given = {}
    memory = None
    for tower, table in (("encoder", model.source_embedding), ("decoder", model.target_embedding)):
        x = given[f"{tower} embedding"] = 8 * table.weight[ids[tower]]
        x = given[f"{tower} position"] = x + tl.sinusoidal_encoding(len(x), 64)
        causal = torch.ones(len(x), len(x)).tril().bool() if tower == "decoder" else None
        for i, layer in enumerate(getattr(model, tower)):
            names = ["encoder self-attention", "encoder feed-forward"]
            if tower == "decoder":
                names = ["masked self-attention", "cross-attention", "decoder feed-forward"]
            for place, name in enumerate(names, start=1):
                if name.endswith("feed-forward"):
                    up, _, down = layer.feed_forward
                    found = F.relu(x @ up.weight.T + up.bias) @ down.weight.T + down.bias
                else:
                    attention = (
                        layer.cross_attention if name == "cross-attention" else layer.self_attention
                    )
                    keys, mask = (memory, None) if name == "cross-attention" else (x, causal)
                    found = attention(x[None], keys[None], keys[None], mask)[0][0]
                norm = getattr(layer, f"norm{place}")
                x = F.layer_norm(x + found, (64,), norm.weight, norm.bias)
                given[name, i], given[f"{tower} add & norm {place}", i] = found, x
        memory = given["memory"] = x if memory is None else memory
    given["scores"] = x @ model.output.weight.T
    given["softmax"] = given["scores"].softmax(-1)
    return given


def test_every_number_is_what_pytorch_computes(translation):
    figure = MachineMap()
    expected = by_hand(translation)
    checked = 0
    assert len(figure.stops) == 2 + 2 * 4 + 1 + 2 + 2 * 6 + 2
    for stop in figure.stops:
        box, i, rows = machine_plan.BOXES[stop["box"]], stop["layer"], stop["reads"]
        if rows[-1][1] == "softmax":
            continue
        numbers = expected[box.part, i] if (box.part, i) in expected else expected[box.part]
        np.testing.assert_allclose(
            figure.stage(rows[-1][1]), numbers.numpy(), atol=1e-2, err_msg=box.part
        )
        if len(rows) == 3:  # what goes in and what is found give what comes out
            before, found = (figure.stage(stage)[: len(numbers)] for _, stage in rows[:2])
            total = torch.tensor(before + found)
            if box.role == "norm":
                tower = "encoder" if box.side == "source" else "decoder"
                layer = getattr(translation.translator.model, tower)[i]
                norm = getattr(layer, f"norm{box.part[-1]}")
                total = F.layer_norm(total.float(), (64,), norm.weight, norm.bias).detach()
            np.testing.assert_allclose(total.numpy(), numbers.numpy(), atol=5e-2)
        checked += numbers.numel()
    assert checked > 15_000
    maps = translation.attention
    whole = torch.cat(
        [m.flatten() for kind in (maps.encoder, maps.decoder, maps.cross) for m in kind]
    )
    np.testing.assert_allclose(
        np.frombuffer(figure.weights, np.uint8) / 255, whole.numpy(), atol=1e-2
    )


def test_candidates_are_the_models(translation):
    probabilities = by_hand(translation)["softmax"]
    figure = MachineMap()
    assert [word for word, _ in figure.candidates()][:2] == ["close", "closed"]
    assert [round(p, 3) for _, p in figure.candidates()][:2] == [0.886, 0.005]
    for written, row in enumerate(probabilities):
        figure.written = written
        assert figure.decoder_word == written, "the newest word is shown"
        values, ids = row.topk(4)
        assert figure.candidates()[0][0] == translation.tokens[written]
        for (word, probability), i, value in zip(
            figure.candidates(), ids.tolist(), values.tolist(), strict=True
        ):
            assert probability == pytest.approx(value, abs=1e-3)
            assert row[figure.vocabulary.index(word)].item() == pytest.approx(
                row[i].item(), abs=1e-4
            )


def test_what_would_be_said_so_far_is_the_output_of_each_stage(translation):
    output = translation.translator.model.output.weight.detach()
    vocabulary = translation.translator.target_vocabulary.tokens
    given = by_hand(translation)
    for row, layer, place in product(range(len(translation.tokens)), (0, 1), (1, 2, 3)):
        shares = (given[f"decoder add & norm {place}", layer][row] @ output.T).softmax(-1)
        best = shares.topk(3)
        told = MachineMap(written=row).said_so_far(f"decoder.{layer}.norm{place}")
        assert [word for word, _ in told] == [vocabulary[i] for i in best.indices]
        assert np.allclose([share for _, share in told], best.values, atol=6e-4)
    with pytest.raises(FigureError, match="expected one of .'decoder.0.norm1'"):
        MachineMap().said_so_far("scores")


def test_it_is_light(budget):
    budget("MachineMap", len(gzip.compress(MachineMap().snapshot().encode())), 54_000)


def test_it_listens_to_a_model_of_ones_own_and_leaves_it_as_it_was():
    own = untrained("der Hund schläft".split(), n_layers=3, n_heads=4)
    model = own.translator.model.train()
    figure = MachineMap(own, layer=2, part="masked self-attention", caption="mine")
    assert figure.sizes == {"heads": 4, "d_model": 16, "layers": 3}
    assert (figure.part, figure.layer, figure.caption) == ("masked self-attention", 2, "mine")
    assert model.training and not any(m._forward_hooks for m in model.modules())
    MachineMap(own)  # its attention was asked for before
    assert figure.stage("scores").shape == (3, 7)


def test_positions_may_be_learnt():
    own = untrained("der Hund schläft".split())
    model = own.translator.model
    before = MachineMap(own).stage("encoder.position")
    model.positions = torch.nn.Parameter(model.positions + 1)
    np.testing.assert_allclose(MachineMap(own).stage("encoder.position"), before + 1, atol=2e-2)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: MachineMap("ein Satz"), "what Translator.translate returns; got str"),
        (lambda: MachineMap(untrained([str(i) for i in range(17)])), "1 to 16 tokens.*17 and 17"),
        (
            lambda: MachineMap(untrained(["a"] + list("bcdefghij"), d_model=512)),
            r"d_model=512.*makes [\d,]+ numbers",
        ),
        (lambda: MachineMap(untrained(["a"], norm_first=True)), "norm_first=True"),
        (lambda: MachineMap(broken()), "reaches nan"),
        (lambda: MachineMap(written=10), "written=10 is out of range: 0 to 9"),
        (lambda: MachineMap(part="dropout"), "not known|expected one of"),
        (lambda: MachineMap(layer=2), "layer=2 is out of range: 0 to 1"),
        (lambda: where("dropout"), r"where\('dropout'\): expected one of \['why'"),
    ],
)
def test_it_says_what_it_cannot_draw(make, message):
    with pytest.raises(FigureError, match=message):
        make()


def test_the_place_is_a_part_and_a_layer_and_a_stop():
    figure = MachineMap(part="encoder self-attention", layer=0)
    assert (figure.stop, figure.part, figure.layer) == (2, "encoder self-attention", 0)
    figure.layer = 1
    assert figure.stop == 6
    figure.part = "scores"
    assert (figure.stop, figure.part) == (figure.last_stop - 1, "scores")
    figure.stop = 0
    assert (figure.part, figure.layer) == ("encoder embedding", 0)
    with pytest.raises(FigureError, match="not known"):
        figure.part = "dropout"


def test_the_languages_may_be_others():
    figure = MachineMap(untrained(["chat"]), languages=("French", "Dutch"))
    labels = [control.label for control in figure.controls()]
    assert {"French word", "Dutch word"} < set(labels)


def broken():
    translation = untrained(["a", "b"])
    translation.translator.model.encoder[0].norm1.weight.data[0] = torch.nan
    return translation


# ---------------------------------------------------------------------------------------------
# in a browser

STILL = {"reduced_motion": "reduce"}


def candidates(page):
    texts = page.locator(".next li span:last-child").all_text_contents()
    words = page.locator(".next .token").evaluate_all("all => all.map((one) => one.title)")
    return dict(zip(words, map(float, texts), strict=True))


def row_of(page, stop):
    return page.locator(f'.row[data-stop="{stop}"]')


def test_writing_word_by_word_shows_the_models_candidates(open_figures, translation):
    probabilities = by_hand(translation)["softmax"]
    vocabulary = translation.translator.target_vocabulary.tokens
    page = open_figures(MachineMap(written=0, part="softmax"), **STILL)
    write = page.get_by_role("button", name="write the next word")
    for written, row in enumerate(probabilities):
        drawn = candidates(page)
        assert len(drawn) == 3 and next(iter(drawn)) == translation.tokens[written]
        for word, probability in drawn.items():
            assert row[vocabulary.index(word)].item() == pytest.approx(probability, abs=2e-3)
        visible = page.locator(".words.target .chip:visible").all_text_contents()
        assert visible == translation.decoder_tokens[: written + 1]
        assert state(page)["decoderWord"] == str(written)
        if written + 1 < len(probabilities):
            write.click()
    assert write.is_disabled(), "the sentence has ended"
    page.get_by_role("button", name="not", exact=True).click()
    assert candidates(page)["close"] == 0.886 and candidates(page)["closed"] == 0.005


def threads(page):
    """How thick the threads are, in the order in which they are drawn."""
    return page.locator(".threads path").evaluate_all(
        "all => all.map((one) => Number(one.getAttribute('stroke-width')))"
    )


def test_every_stop_shows_its_numbers_and_nothing_moves(open_figures, translation):
    figure = MachineMap()
    expected = by_hand(translation)
    page = open_figures(figure, width=360, **STILL)
    slider = page.get_by_role("slider", name="place on the way up")
    floor = page.get_by_text("After.").bounding_box()["y"]
    maps = {
        "encoder self-attention": "encoder",
        "masked self-attention": "decoder",
        "cross-attention": "cross",
    }
    slider.press("Home")
    for index, stop in enumerate(figure.stops):
        box, layer = machine_plan.BOXES[stop["box"]], stop["layer"]
        now = state(page)
        assert (now["stop"], now["part"], now["layer"]) == (str(index), box.part, str(layer))
        assert page.locator(".row.on").count() == 1, "one strip is lit"
        word = 7 if box.side == "source" else 3
        key = (box.part, layer) if (box.part, layer) in expected else box.part
        numbers = expected[key][word]
        tables = shown(page)
        np.testing.assert_allclose(
            tables["numbers"][:, -1], numbers.numpy(), atol=1e-2, err_msg=box.part
        )
        if box.part != "softmax":
            full = numbers.abs().max() if box.part == "scores" else 3
            strip = row_of(page, index).locator("canvas")
            np.testing.assert_allclose(painted(strip)[0], (numbers / full).clamp(-1, 1), atol=0.01)
        told = page.locator(".said").inner_text().replace("\u00a0", " ")
        if box.side == "target" and box.role == "norm":
            best = (numbers @ translation.translator.model.output.weight.T).softmax(-1).max(-1)
            likeliest = translation.translator.target_vocabulary.tokens[best.indices]
            assert told.startswith(
                f"If it stopped here: {likeliest} {round(100 * best.values.item())} %"
            )
        elif box.side == "source" or box.role == "plain":
            assert told == "", "before the first sub-layer there is nothing to say"
        if box.part in maps:
            weights = getattr(translation.attention, maps[box.part])[layer][0, :, word]
            weights = weights.T[: len(tables["weights"])]  # (keys, heads)
            np.testing.assert_allclose(tables["weights"], weights.numpy(), atol=1e-2)
            thick = tables["weights"][tables["weights"] > 0.021]
            np.testing.assert_allclose(threads(page), 4 * thick, atol=0.01)
            best = page.locator(".seen .best").inner_text()
            words = (
                translation.decoder_tokens if "masked" in box.part else translation.source_tokens
            )
            assert best == words[weights.sum(1).argmax()]
            assert f"comes from {best}." in page.locator(".says").inner_text()
        else:
            assert "weights" not in tables and not threads(page)
        assert page.get_by_text("After.").bounding_box()["y"] == floor, box.part
        slider.press("ArrowRight")


def test_what_is_still_to_come_is_pale(open_figures):
    figure = MachineMap(part="decoder position")
    page = open_figures(figure, **STILL)
    above = row_of(page, figure.stop + 1).locator("canvas")
    strength = np.abs(painted(above)).max()
    row_of(page, figure.stop + 1).click()
    assert state(page)["part"] == "masked self-attention"
    assert np.abs(painted(above)).max() > 3 * strength


def test_a_word_is_hidden_from_those_before_it(open_figures):
    page = open_figures(MachineMap(part="masked self-attention"), **STILL)
    page.get_by_role("button", name="did", exact=True).click()
    seen = page.locator(".seen li")
    assert seen.all_text_contents() == ["<bos>", "i", "did", "not"]
    assert page.locator(".seen .blocked").all_text_contents() == ["not"]


def test_the_ball_is_dragged_from_the_embedding_to_the_next_word(open_figures):
    figure = MachineMap(part="decoder embedding")
    page = open_figures(figure)
    first = figure.stop
    page.locator(".ball").scroll_into_view_if_needed()
    centre = lambda box: (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)  # noqa: E731
    x, y = centre(page.locator(".ball").bounding_box())
    page.mouse.move(x, y)
    page.mouse.down()
    for stop in range(first, figure.last_stop + 1):
        _, y = centre(row_of(page, stop).bounding_box())
        page.mouse.move(x, y)
        assert state(page)["stop"] == str(stop)
        assert centre(page.locator(".ball").bounding_box())[1] == pytest.approx(y, abs=1.5)
    page.mouse.up()
    page.mouse.move(x, y + 300)
    assert state(page)["part"] == "softmax", "it was let go"


def test_a_finger_drags_the_ball_and_not_the_page(open_figures):
    page = open_figures(MachineMap(part="decoder embedding"), width=360, has_touch=True)
    box = page.locator(".ball").bounding_box()
    page.evaluate("y => scrollTo(0, y - 500)", box["y"])
    before = page.evaluate("scrollY")
    box = page.locator(".ball").bounding_box()
    assert before > 0, "the page could scroll"
    finger = page.context.new_cdp_session(page)

    def touch(kind, *points):
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    x, y = box["x"] + 9, box["y"] + 9
    touch("touchStart", {"x": x, "y": y})
    for step in range(1, 16):
        touch("touchMove", {"x": x, "y": y - 20 * step})
    touch("touchEnd")
    assert state(page)["layer"] == "1" and page.evaluate("scrollY") == before


def test_a_german_word_is_sent_up_through_the_encoder(open_figures):
    page = open_figures(MachineMap(), **STILL)
    page.get_by_role("button", name="Tür", exact=True).click()
    now = state(page)
    assert (now["part"], now["sourceWord"], now["decoderWord"]) == ("memory", "4", "3")
    assert page.locator(".film-title").text_content().startswith("The word Tür on its way up")
    labels = page.locator(".tower:not(.away) .row .name").all_text_contents()
    layer = ["add & norm", "feed-forward", "add & norm", "self-attention"]
    assert labels == ["memory", *layer, *layer, "+ position", "embedding"]
    page.get_by_role("button", name="did", exact=True).click()
    assert state(page)["part"] == "softmax"
    assert page.locator(".tower:not(.away) .row").count() == 16


def test_on_a_wide_screen_both_towers_stand_beside_each_other(open_figures):
    """The one that does not speak is dimmed, and the memory leads from one to the other."""
    figure = MachineMap()
    page = open_figures(figure, width=900, **STILL)
    towers = [page.locator(f".tower.{side}") for side in ("source", "target")]
    left, right = (tower.bounding_box() for tower in towers)
    assert left["x"] + left["width"] < right["x"]
    assert left["y"] + left["height"] == right["y"] + right["height"], "both stand on the ground"

    def dimmed():
        return [float(t.evaluate("t => getComputedStyle(t).opacity")) < 1 for t in towers]

    assert dimmed() == [True, False]
    into = page.locator(".handed path.lit").bounding_box()
    asking = [
        i for i, stop in enumerate(figure.stops) if stop["reads"][-1][1][10:] == "cross_attention"
    ]
    ends = [row_of(page, i).bounding_box() for i in asking]
    assert into["y"] + into["height"] == pytest.approx(ends[0]["y"] + ends[0]["height"] / 2, abs=12)
    assert into["y"] == pytest.approx(ends[1]["y"] + ends[1]["height"] / 2, abs=12)
    memory = row_of(page, 10).locator("canvas")
    numbers = figure.stage("encoder.1.norm2")[7]
    np.testing.assert_allclose(painted(memory)[0], (numbers / 3).clip(-1, 1), atol=0.01)
    row_of(page, 2).click()
    assert state(page)["part"] == "encoder self-attention" and dimmed() == [False, True]
    ahead = np.abs(painted(row_of(page, figure.last_stop - 3).locator("canvas"))).max()
    assert ahead < 0.3, "what the decoder does is still to come"
    seen, list_ = (page.locator(part).bounding_box() for part in (".tower.target", ".seen"))
    assert list_["x"] + list_["width"] <= seen["x"], "what the encoder looks at is beside it"


def test_on_a_narrow_screen_one_tower_is_seen(open_figures):
    page = open_figures(MachineMap(), width=740, **STILL)
    assert page.locator(".row:visible").count() == 16
    assert page.locator(".handed path").count() == 0
    page.get_by_role("button", name="Tür", exact=True).click()
    assert page.locator(".row:visible").count() == 11


def test_the_walk_halts_ten_times_and_says_what_happens(open_figures):
    page = open_figures(MachineMap(), **STILL)
    walk = page.locator(".walk")
    assert walk.inner_text() == "Take the walk ›"
    parts, said = [], []
    for halt in range(1, 11):
        walk.click()
        parts.append(state(page)["part"])
        said.append(page.locator(".says").inner_text())
        assert walk.inner_text() == (f"Next › {halt} of 10" if halt < 10 else "Walk again ›")
    assert parts == [part for part, _ in machine_plan.WALK] and len(set(said)) == 10
    assert all("query" in said[i] and "key" in said[i] and "value" in said[i] for i in (2, 6, 7))
    walk.click()
    row_of(page, 1).click()  # aside: then on from there
    row_of(page, 4).click()
    assert walk.inner_text() == "Next ›"
    walk.click()
    assert state(page)["part"] == "memory"


CLICK = """row => {
    row.click();
    return row.getRootNode().querySelector('.body').getAttribute('aria-busy');
}"""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_the_strip_travels_unless_motion_is_not_wanted(open_figures, motion):
    figure = MachineMap(part="decoder embedding")
    page = open_figures(figure, reduced_motion=motion)
    top = row_of(page, figure.last_stop)
    busy = top.evaluate(CLICK)
    if motion == "reduce":
        assert busy is None and page.locator(".traveller").is_hidden()
    else:
        assert busy == "true"
        page.locator(".traveller").wait_for()
    assert state(page)["part"] == "softmax"
    assert page.locator(".traveller").is_hidden(), "it has arrived"


def test_play_goes_up_and_ends_at_the_top(open_figures):
    page = open_figures(MachineMap(part="decoder add & norm 3"))
    play = page.locator(".travel")
    play.click()
    assert play.inner_text() == "❚❚ pause"
    page.wait_for_function(
        "document.querySelector('.tl-figure').shadowRoot.querySelector('figure').dataset.part === "
        "'softmax'"
    )
    assert play.inner_text() == "▶ play"
    play.click()
    part = page.locator("figure").get_attribute("data-part")
    assert part == "decoder embedding", "again, from the bottom"
    page.get_by_role("button", name="did", exact=True).click()
    assert play.inner_text() == "▶ play", "a hand on the picture ends it"


def test_a_number_is_followed_by_the_pointer(open_figures):
    figure = MachineMap()
    page = open_figures(figure, **STILL)
    strip = row_of(page, figure.stop).locator("canvas")
    width = strip.bounding_box()["width"]
    strip.hover(position={"x": (12 + 0.5) / 64 * width, "y": 5})
    value = figure.stage("decoder.1.cross_attention")[3, 12]
    told = page.locator(".readout").inner_text().replace("−", "-")
    assert told == f"Number 12 after cross-attention, layer 1: {value:.2f}"
    page.mouse.move(0, 0)
    assert "Drag the ball" in page.locator(".readout").inner_text()


def test_a_link_holds_the_place_and_both_words(open_figures):
    page = open_figures(MachineMap(), **STILL)
    address = page.url + "#MachineMap?written=6&stop=24&source_word=2&decoder_word=5"
    page.goto("about:blank")
    page.goto(address)
    now = state(page)
    assert [now[name] for name in ("written", "stop", "sourceWord", "decoderWord")] == list("6") + [
        "24",
        "2",
        "5",
    ]
    assert page.locator(".words.target .chip:visible").count() == 7


def test_on_a_phone_all_can_be_read_and_pressed_and_no_word_is_cut(open_figures):
    figure = MachineMap()
    page = open_figures(figure, width=320, **STILL)
    german = page.get_by_role("slider", name="German word")
    assert german.get_attribute("aria-valuetext") == "zugemacht"
    parts = "cross-attention", "encoder feed-forward"
    for width, part in product((390, 360, 320), parts):
        resize(page, width)
        figure.part = part
        page.get_by_role("slider", name="place on the way up").fill(str(figure.stop))
        sizes = page.locator(".body *").evaluate_all(
            "all => all.map((node) => parseFloat(getComputedStyle(node).fontSize))"
        )
        assert min(sizes) >= 14
        pressed = page.locator(".walk, .travel, .write").evaluate_all(
            "all => all.map((one) => one.getBoundingClientRect().height)"
        )
        assert min(pressed) >= 44
        small = page.locator("button:visible").evaluate_all(
            "all => all.filter((one) => Math.min(one.offsetWidth, one.offsetHeight) < 24).length"
        )
        assert not small
        cut = page.locator(".next .token, .seen .token").evaluate_all(
            "all => all.filter((one) => one.scrollWidth > one.clientWidth).length"
        )
        assert page.locator(".next .token").count() == 3 and not cut
        over = page.locator(".tower:not(.away) .row").evaluate_all(
            """all => all.filter((row) => {
                const range = document.createRange();
                range.selectNodeContents(row.querySelector('.name'));
                const end = range.getBoundingClientRect().right;
                return end > row.lastChild.getBoundingClientRect().left;
            }).map((row) => row.textContent)"""
        )
        assert not over, "a name lies over its strip"


@pytest.mark.parametrize("site", ["", "https://example.org/book/"])
def test_links_lead_to_chapters_here_and_elsewhere(open_figures, monkeypatch, site):
    monkeypatch.setitem(MachineMap.constants, "site", site)
    figure = MachineMap(part="encoder self-attention")
    page = open_figures(figure, **STILL)
    links = "all => all.map((a) => a.getAttribute('href'))"
    addresses = page.locator(".links a").evaluate_all(links)
    assert len(addresses) == (3 if site else 0), "without an address nothing leads elsewhere"
    assert all(address.startswith(site) for address in addresses)
    assert page.locator(".links").inner_text() == "Chapter 2, 3, 4"
    page.evaluate("document.documentElement.dataset.content_root = '../'")
    row_of(page, 10).click()
    assert (
        page.locator(".links a").first.get_attribute("href")
        == "../chapters/07-the-whole-transformer.html"
    )


def test_a_long_sentence_of_hostile_words_is_drawn(open_figures):
    page = open_figures(MachineMap(untrained(HOSTILE), part="cross-attention"), width=360, **STILL)
    assert page.locator(".seen li").count() == len(HOSTILE)
    assert page.locator(".next li").count() == 3
    right = page.locator(".film").evaluate("film => film.getBoundingClientRect().right")
    ends = page.locator(".film .token").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().right)"
    )
    assert max(ends) <= right


# -----------------------------------------------------------------------------------------------
# the small pictures


@pytest.mark.parametrize("part", machine_plan.PARTS)
def test_a_small_picture_is_light_and_names_what_is_lit(part):
    picture = where(part)
    lit, name, says = machine_plan.PARTS[part]
    html = picture._repr_html_()
    assert 1000 < len(html.encode()) < 3000 and "<script" not in html and "<style" not in html
    tree = ET.fromstring(html)
    drawing = tree.find("svg")
    assert drawing.get("role") == "img" and drawing.get("aria-label")
    assert int(drawing.get("width")) <= 200, "it fits into a margin"
    bars = drawing.findall("rect")
    assert len(bars) == len(machine_plan.BOXES)
    blue = [bar for bar in bars if bar.get("fill") == "#1a6fc4"]
    assert len(blue) == len(lit), "the others follow the page from light to dark"
    labels = [text.text for text in drawing.findall("text")]
    named = [machine_plan.OF[box].label for box in lit] if lit != machine_plan.ALL else []
    assert sorted(labels) == sorted(["encoder", "decoder", *named])
    assert f"Where we are: {name}." in "".join(tree.itertext())
    assert repr(picture) == f"{name}: {says}"


def test_addresses_are_the_books(monkeypatch):
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    assert config["html"]["baseurl"] == book.SITE
    for site in ("", "https://example.org/book/"):
        monkeypatch.setattr(book, "SITE", site)
        page = where("masks")._repr_html_()
        assert re.findall('href="(.*?)"', page) == (
            [f"{site}chapters/07-the-whole-transformer.html"] if site else []
        )
    for page in book.PAGES.values():
        assert (ROOT / "chapters" / f"{page}.ipynb").is_file(), page
    used = {chapter for box in machine_plan.BOXES for chapter in box.chapters}
    assert used <= set(book.PAGES)


def test_the_sentence_is_the_front_pages():
    assert SENTENCE in SENTENCES
