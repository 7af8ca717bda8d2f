"""The map of the machine: what it draws is what PyTorch computes, box by box; its small
pictures.
"""

import gzip
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
import yaml
from figure_examples import HOSTILE, painted, shown, state, untrained

import transformer_lite as tl
from transformer_lite.figures import MachineMap, where
from transformer_lite.figures.kit import FigureError
from transformer_lite.figures.machine_map import SENTENCE, shipped
from transformer_lite.figures.machine_map import plan as machine_plan

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
    given, memory = {}, None
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
    figure, expected = MachineMap(), by_hand(translation)
    checked = 0
    for box, layers in zip(machine_plan.BOXES, figure.reads, strict=True):
        for i, rows in enumerate(layers):
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
                    norm = getattr(
                        getattr(translation.translator.model, tower)[i], f"norm{box.part[-1]}"
                    )
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


def test_it_is_light(budget):
    budget("MachineMap", len(gzip.compress(MachineMap().snapshot().encode())), 54_000)


def test_it_listens_to_a_model_of_ones_own_and_leaves_it_as_it_was():
    own = untrained("der Hund schläft".split(), n_layers=3, n_heads=4)
    model = own.translator.model.train()
    figure = MachineMap(own, layer=2, part="masked self-attention", caption="mine")
    assert (figure.last_layer, figure.sizes["heads"], figure.caption) == (2, 4, "mine")
    assert model.training and not any(m._forward_hooks for m in model.modules())
    MachineMap(own)  # its attention was asked for before
    assert figure.stage("scores").shape == (3, 7)


def test_positions_may_be_learnt():
    own = untrained("der Hund schläft".split())
    model, before = own.translator.model, MachineMap(own).stage("encoder.position")
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
        (lambda: where("dropout"), r"where\('dropout'\): expected one of \['why'"),
    ],
)
def test_it_says_what_it_cannot_draw(make, message):
    with pytest.raises(FigureError, match=message):
        make()


def broken():
    translation = untrained(["a", "b"])
    translation.translator.model.encoder[0].norm1.weight.data[0] = torch.nan
    return translation


# -----------------------------------------------------------------------------------------------------
# in a browser


def read_candidates(page):
    texts = page.locator(".next text:not(.tag)").all_text_contents()
    return dict(zip(texts[::2], map(float, texts[1::2]), strict=True))


def test_writing_word_by_word_shows_the_models_candidates(open_figures, translation):
    probabilities = by_hand(translation)["softmax"]
    vocabulary = translation.translator.target_vocabulary.tokens
    page = open_figures(MachineMap(written=0))
    slider = page.get_by_role("slider", name="words written")
    for written, row in enumerate(probabilities):
        drawn = read_candidates(page)
        assert len(drawn) == 4 and next(iter(drawn)) == translation.tokens[written]
        for word, probability in drawn.items():
            full = [token for token in vocabulary if token.startswith(word.rstrip("…"))]
            assert any(
                abs(row[vocabulary.index(token)].item() - probability) < 2e-3 for token in full
            )
        visible = page.locator(".words.target .chip:visible").all_text_contents()
        assert visible == translation.decoder_tokens[: written + 1]
        assert state(page)["decoderWord"] == str(written)
        slider.press("ArrowRight")
    slider.press("Home")
    for _ in range(3):
        slider.press("ArrowRight")
    assert read_candidates(page)["close"] == 0.886 and read_candidates(page)["closed"] == 0.005


def test_a_long_candidate_is_shortened_to_its_room(open_figures):
    long = ["Geschwindigkeitsmesser", "Donaudampfschifffahrt"]
    page = open_figures(MachineMap(untrained(long)))
    drawn = [word for word in read_candidates(page) if "…" in word]
    assert drawn and all(
        any(token.startswith(word.removesuffix("…")) for token in long) for word in drawn
    )
    assert min(map(len, drawn)) >= 6, "as many letters as have room"
    widths = page.locator(".next text:not(.tag)").evaluate_all(
        "all => all.map((one) => one.getBBox().width)"
    )
    assert max(widths) <= 56


def bars(page, side):
    """How thick the bar under each word of a sentence is, in pixels."""
    shadows = page.locator(f".words.{side} .chip").evaluate_all(
        "all => all.map((one) => one.style.boxShadow)"
    )
    return [float(re.search(r"-([\d.]+)px", shadow)[1]) if shadow else 0 for shadow in shadows]


@pytest.mark.parametrize("width", [360, 760])
def test_every_box_opens_with_its_numbers_and_nothing_moves(open_figures, translation, width):
    figure, expected = MachineMap(), by_hand(translation)
    page = open_figures(figure, width=width)
    floor = page.get_by_text("After.").bounding_box()["y"]
    maps = {
        "encoder self-attention": "encoder",
        "masked self-attention": "decoder",
        "cross-attention": "cross",
    }
    for box in machine_plan.BOXES:
        page.locator(f'.box[data-part="{box.part}"]').click()
        assert state(page)["part"] == box.part
        word = 7 if box.side == "source" else 3
        numbers = expected[box.part, 1] if (box.part, 1) in expected else expected[box.part]
        tables = shown(page)
        np.testing.assert_allclose(
            tables["numbers"][:, -1], numbers[word].numpy(), atol=1e-2, err_msg=box.part
        )
        strip = page.locator(".line canvas").last
        if box.part != "softmax":  # which has no signs
            full = numbers[word].abs().max() if box.part == "scores" else 3
            np.testing.assert_allclose(
                painted(strip)[0], (numbers[word] / full).clamp(-1, 1), atol=0.01
            )
        if box.part in maps:
            weights = getattr(translation.attention, maps[box.part])[1][0, :, word]  # (heads, keys)
            np.testing.assert_allclose(
                tables["weights"], weights.T[: len(tables["weights"])].numpy(), atol=1e-2
            )
            cells = page.locator(".below td:not(:empty):not(.blocked)").all_text_contents()
            assert len(cells) == tables["weights"].size
            np.testing.assert_allclose(
                [float(c) for c in cells], tables["weights"].ravel(), atol=1e-2
            )
            drawn = {side: bars(page, side) for side in ("source", "target")}
            looked = drawn.pop("target" if box.part == "masked self-attention" else "source")
            means = 4 * weights.mean(0).numpy()  # pixels, under each word that is looked at
            np.testing.assert_allclose(
                looked[: len(means)], np.where(means > 0.08, means, 0), atol=0.06
            )
            assert not any(drawn.popitem()[1]), "the other sentence is not looked at"
        else:
            assert "weights" not in tables and not any(bars(page, "source") + bars(page, "target"))
            assert page.locator(".below canvas").count() == (9 if box.side == "source" else 4)
        assert page.get_by_text("After.").bounding_box()["y"] == floor, box.part
        assert page.evaluate("document.documentElement.scrollWidth") == width
    for side, word, at in (("source", "Tür", "sourceWord"), ("target", "did", "decoderWord")):
        page.get_by_role("button", name=word).click()
        chips = page.locator(f".words.{side} .chip").all_text_contents()
        assert state(page)[at] == str(chips.index(word))
    page.locator('.box[data-part="masked self-attention"]').click()
    assert page.locator(".below td.blocked").count() == 4, (
        "the next word is hidden from this one, in every head"
    )


def test_the_boxes_and_the_strip_answer_to_keys(open_figures):
    figure = MachineMap()
    page = open_figures(figure)
    page.locator('.box[data-part="cross-attention"]').focus()
    for key, part in [
        ("ArrowUp", "decoder add & norm 2"),
        ("ArrowDown", "cross-attention"),
        ("ArrowLeft", "encoder feed-forward"),
        ("ArrowLeft", "encoder feed-forward"),
        ("ArrowUp", "encoder add & norm 2"),
        ("End", "memory"),
        ("ArrowUp", "memory"),
        ("Home", "encoder embedding"),
        ("ArrowRight", "decoder embedding"),
        ("End", "softmax"),
    ]:
        page.keyboard.press(key)
        focused = page.evaluate(
            "document.querySelector('.tl-figure').shadowRoot.activeElement.dataset.part"
        )
        assert focused == part == state(page)["part"]
    page.keyboard.press("ArrowDown")
    strip = page.get_by_role("slider", name=re.compile("^scores, the numbers of"))
    best = figure.vocabulary.index("close")
    strip.press("Home")
    for _ in range(best):
        strip.press("ArrowRight")
    score = figure.stage("scores")[3, best]
    assert (
        page.locator(".readout").inner_text()
        == f"word {best}, close: scores of all words {score:.2f}"
    )
    assert strip.get_attribute("aria-valuenow") == str(best)
    strip.press("End")
    assert strip.get_attribute("aria-valuenow") == str(len(figure.vocabulary) - 1)
    box = page.locator(".line canvas").last.bounding_box()
    page.mouse.click(box["x"] + 1, box["y"] + 5)
    assert strip.get_attribute("aria-valuenow") == "0"


def test_text_is_large_enough_on_a_phone(open_figures):
    page = open_figures(MachineMap(), width=360)
    sizes = page.locator(".towers text").evaluate_all(
        "all => all.map((t) => parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a)"
    )
    assert min(sizes) >= 9
    inside = page.locator(".box").evaluate_all(
        """all => all.every((box) => {
            const [face, text] = ['.face', 'text'].map((part) => box.querySelector(part).getBoundingClientRect());
            return text.left > face.left && text.right < face.right && text.top > face.top && text.bottom < face.bottom;
        })"""
    )
    assert inside, "a name is wider than its box"


@pytest.mark.parametrize("site", ["", "https://example.org/book/"])
def test_links_lead_to_chapters_here_and_elsewhere(open_figures, monkeypatch, site):
    monkeypatch.setitem(MachineMap.constants, "site", site)
    figure = MachineMap(part="encoder self-attention")
    page = open_figures(figure)
    links = "all => all.map((a) => a.getAttribute('href'))"
    addresses = page.locator(".links a").evaluate_all(links)
    assert len(addresses) == (3 if site else 0), "without an address nothing leads elsewhere"
    assert all(address.startswith(site) for address in addresses)
    assert "chapter" in page.locator(".links").inner_text()
    page.evaluate("document.documentElement.dataset.content_root = '../'")
    page.locator('.box[data-part="memory"]').click()
    assert (
        page.locator(".links a").first.get_attribute("href")
        == "../chapters/07-the-whole-transformer.html"
    )


def test_a_long_sentence_of_hostile_words_is_drawn(open_figures):
    page = open_figures(MachineMap(untrained(HOSTILE), part="softmax"), width=360)
    assert page.locator(".next text").count() == 9
    widest = page.locator(".next text:not([text-anchor])").evaluate_all(
        "all => Math.max(...all.map((t) => t.getBBox().width))"
    )
    assert widest < 60


# -----------------------------------------------------------------------------------------------
# the small pictures


@pytest.mark.parametrize("part", machine_plan.PARTS)
def test_a_small_picture_is_light_and_has_a_text(part):
    picture = where(part)
    html = picture._repr_html_()
    assert 1500 < len(html.encode()) < 3000 and "<script" not in html and "<style" not in html
    tree = ET.fromstring(html.replace("<br>", "<br/>"))
    drawing = tree.find("svg")
    assert drawing.get("role") == "img" and drawing.get("aria-label")
    assert drawing.get("stroke") == "currentColor", "it follows the page from light to dark"
    lit = drawing.findall("path")[-1].get("d").count("M")
    assert lit == len(machine_plan.PARTS[part][0])
    assert repr(picture).startswith(machine_plan.PARTS[part][1])
    assert set(machine_plan.PARTS[part][0]) <= set(machine_plan.OF)


def test_addresses_are_the_books(monkeypatch):
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    assert config["html"]["baseurl"] == machine_plan.SITE
    for site in ("", "https://example.org/book/"):
        monkeypatch.setattr(machine_plan, "SITE", site)
        page = where("masks")._repr_html_()
        assert re.findall('href="(.*?)"', page) == ([f"{site}index.html"] if site else [])
    for page in machine_plan.PAGES.values():
        assert (ROOT / "chapters" / f"{page}.ipynb").is_file(), page
    used = {chapter for box in machine_plan.BOXES for chapter in box.chapters}
    assert used <= set(machine_plan.PAGES)


def test_the_sentence_is_the_front_pages():
    assert SENTENCE in (ROOT / "index.ipynb").read_text("utf-8")
