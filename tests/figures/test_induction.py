"""Induction heads: what is stored of the runs, and the figure in which one grows and is cut."""

import gzip
import re

import pytest
import torch
from conftest import program
from figure_examples import settled, shown, state

from attention_by_hand.figures import InductionHeads
from attention_by_hand.figures.engine.pack import unpack
from attention_by_hand.studies import induction
from attention_by_hand.studies.induction import LETTERS, SIZES, STEPS
from transformer_lite.ablation import without_heads

make_induction = program("induction")
RUNS = induction.recorded()["runs"]
LOWER = ["layers.0.self_attention.0", "layers.0.self_attention.1"]
UPPER = ["layers.1.self_attention.0", "layers.1.self_attention.1"]


def read(text, off=()):
    """What the model of the page gives: where each letter looks, (heads, T, T), and the shares of
    the letters that may come next, (T, 26).
    """
    model = induction.grown()
    model.load_state_dict(unpack(InductionHeads().weights))
    ids = torch.tensor([[1 + LETTERS.index(letter) for letter in text]])
    cut = [[int(part[-1]) for part in off if part.startswith(f"layers.{i}")] for i in range(2)]
    lower, upper = (layer.self_attention for layer in model.layers)
    with torch.no_grad(), without_heads(lower, *cut[0]), without_heads(upper, *cut[1]):
        logits, maps = model(ids)
    return torch.cat(maps, dim=1)[0], logits[0, :, 1:].softmax(-1)


# ---- What is stored


def test_what_is_stored_of_the_first_run_is_its_model(make_induction):
    model, texts = induction.grown(), induction.held_out()
    run = RUNS[0]
    assert make_induction.loss_of(model) == pytest.approx(run["loss"][-1], abs=1e-3)
    look = induction.looks(model, texts)
    assert torch.allclose(look.back, torch.tensor(run["back"][-1]), atol=1e-3)
    assert torch.allclose(look.behind, torch.tensor(run["behind"][-1]), atol=1e-3)
    for layer, heads in enumerate(run["without_a_head"]):
        for head, loss in enumerate(heads):
            found = make_induction.loss_without(model, layer, head)
            assert found == pytest.approx(loss, abs=2e-3)
        both = make_induction.loss_without(model, layer, 0, 1)
        assert both == pytest.approx(run["without_a_layer"][layer], abs=5e-3)


def test_every_seed_grows_both_kinds_of_head_as_its_loss_falls(make_induction):
    assert [run["seed"] for run in RUNS] == list(make_induction.SEEDS)
    for run in RUNS:
        assert run["steps"] == list(range(0, STEPS + 1, induction.EVERY))
        fallen = next(i for i, loss in enumerate(run["loss"]) if loss < 1.5)
        for kind, layer in (("back", 0), ("behind", 1)):
            most = [max(looks[layer]) for looks in run[kind]]
            assert most[fallen] > 1.5 * most[0], "it has begun to look by then"
            assert most[-1] > 1.5 * most[fallen] or most[fallen] > 0.4
        assert run["loss"][-1] < 0.5 < 3 < run["loss"][0]
        assert min(run["without_a_layer"]) > 3.5
        assert all(loss < 2 for layer in run["without_a_head"] for loss in layer)


def test_one_layer_stays_above_what_two_reach():
    found = induction.recorded()
    one = found["one_layer"] + found["one_wider_layer"]
    assert min(one) > 1.9 and found["longer"] == 4 * STEPS
    assert max(found["everywhere"]) < 0.8, "two layers learn it where every letter is asked too"


def test_the_program_measures_a_run_as_it_is_stored(monkeypatch, make_induction):
    monkeypatch.setattr(make_induction, "learn", lambda seed: induction.learn(seed, 20))
    course, model = make_induction.run(0)
    assert course["steps"] == [0, 10, 20] and course.keys() == RUNS[0].keys()
    assert course["loss"] == pytest.approx(RUNS[0]["loss"][:3], abs=0.02)
    assert isinstance(model, induction.AttentionOnly)


# ---- The figure in Python


def test_the_table_is_the_recorded_run():
    figure = InductionHeads()
    table = figure.as_table()
    assert table.rows[0][1] == RUNS[0]["loss"][0] and table.rows[-1][1] == RUNS[0]["loss"][-1]
    assert [row[0] for row in table.rows] == [f"step {n}" for n in range(0, STEPS + 1, 40)]
    assert table.rows[-1][2:] == RUNS[0]["back"][-1][0] + RUNS[0]["behind"][-1][1]
    for number in (RUNS[0]["loss"][-1], *RUNS[0]["without_a_layer"]):
        assert f"{number:.2f}" in figure.alternative


@pytest.mark.parametrize(
    "settings, said",
    [
        ({"text": "Abc"}, "a to z"),
        ({"text": "a" * 25}, "a to z"),
        ({"text": "abc", "place": 3}, "out of range"),
        ({"head": 4}, "out of range"),
        ({"off": ["layers.2.self_attention.0"]}, "not known"),
    ],
)
def test_what_it_cannot_show_is_refused(settings, said):
    with pytest.raises(ValueError, match=said):
        InductionHeads(**settings)


def test_it_is_light(budget):
    """All that a page takes for it: the engine too, which others share, and its weights."""
    budget("InductionHeads", len(gzip.compress(InductionHeads().snapshot().encode(), 9)), 58_000)


# ---- The figure in a browser


@pytest.fixture
def opened(open_figures):
    def opened(*args, **settings):
        page = open_figures(InductionHeads(*args, **settings), reduced_motion="reduce")
        settled(page)
        return page

    return opened


def type_row(page, text):
    page.get_by_role("textbox").fill(text)
    settled(page)


def cut(page, name):
    if not page.locator(".cuts").is_visible():
        page.get_by_text("Cut heads out", exact=True).click()
    page.get_by_role("switch", name=f"cut out: {name}", exact=True).click()
    settled(page)


def looks_shown(page):
    return shown(page)["where the letter looks"]


def test_a_typed_row_is_read_as_in_python(opened):
    page = opened("zz")
    for text in ("kangarookang", "abcdefgabc", "magicbeanmagicb"):
        type_row(page, text)
        weights, shares = read(text)
        found = state(page)
        best = LETTERS[shares[-1].argmax()]
        assert (found["text"], found["next"]) == (text, best)
        assert torch.allclose(
            torch.tensor(looks_shown(page), dtype=torch.float32), weights[:, -1], atol=2e-3
        )
        twin = text.index(text[-1]) + 1
        assert best == text[twin], "it goes on as after the earlier one"
        said = page.locator(".writes p").first.inner_text()
        assert f"{100 * shares[-1].max():.0f}\u00a0%" in said


def test_another_letter_looks_by_key_and_by_drag(opened):
    text = "kangarookang"
    page = opened(text)
    page.get_by_role("slider", name="letter that looks").press("ArrowLeft")
    settled(page)
    assert state(page)["place"] == "10"
    weights, _ = read(text)
    found = torch.tensor(looks_shown(page), dtype=torch.float32)
    assert torch.allclose(found, weights[:, 10, :11], atol=2e-3)
    box = page.locator(".arcs").bounding_box()
    page.mouse.click(box["x"] + 10, box["y"] + box["height"] - 30)
    settled(page)
    assert state(page)["place"] == "0"


def test_what_is_typed_is_made_a_row_of_letters(opened):
    page = opened()
    type_row(page, "Ab-C ü!")
    assert state(page)["text"] == "abc"
    type_row(page, "")
    assert state(page)["text"] == ""
    assert "Type a row" in page.locator(".looks").inner_text()


CUTS = [  # what is pressed, what is cut by it, and what is said of it
    ("lower 1", LOWER[1:], "makes up for"),
    ("both lower", LOWER, "copy the wrong one"),
    ("both upper", UPPER, "nobody asks"),
]


def test_a_cut_costs_what_it_costs_in_python_and_says_so(opened, make_induction):
    page = opened()
    for name, off, said in CUTS:
        cut(page, name)
        found = state(page)
        assert found["off"] == " ".join(off)
        model = induction.grown()
        layer = int(off[0].split(".")[1])
        heads = [int(part[-1]) for part in off]
        attention = model.layers[layer].self_attention
        with without_heads(attention, *heads):
            share = induction.right(model, induction.held_out())
        loss = make_induction.loss_without(model, layer, *heads)
        assert float(found["cut"]) == pytest.approx(loss, rel=0.02)
        told = page.locator(".cost").inner_text()
        assert said in told
        right = [int(number) for number in re.findall(r"(\d+)\u00a0%", told)]
        assert right == [pytest.approx(93, abs=1), pytest.approx(100 * share, abs=1)]
        _, shares = read("kangarookang", off)
        assert found["next"] == LETTERS[shares[-1].argmax()]
        cut(page, name)
        assert state(page)["off"] == ""


LEFT = [  # what is pressed, what is said to be cut, and why it costs what it costs
    (["lower 0", "upper 0"], "heads lower 0 and upper 0", "Each layer has one head left"),
    (
        ["both lower", "upper 1"],
        "heads lower 0, lower 1 and upper 1",
        "The upper head that is left still copies",
    ),
    (["both lower"], "heads lower 0 and lower 1", "The upper heads still copy"),
]


def test_what_is_said_fits_the_heads_that_are_left(opened):
    page = opened()
    for names, what, why in LEFT:
        for name in names:
            cut(page, name)
        told = page.locator(".cost").inner_text()
        assert f"Without {what} the loss" in told and why in told
        for name in names:
            cut(page, name)


def test_no_curve_runs_through_the_names_of_the_levels_on_a_phone(open_figures):
    page = open_figures(InductionHeads(), width=390)
    crossed = page.locator(".course svg").first.evaluate(
        """svg => {
            const line = svg.querySelector('.line.loss');
            const names = [...svg.querySelectorAll('.level + text')].map((text) => text.getBBox());
            const ways = Array.from({ length: 500 }, (_, i) =>
                line.getPointAtLength((line.getTotalLength() * i) / 499));
            return ways.filter(({ x, y }) => names.some((box) =>
                x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height)).length;
        }"""
    )
    assert crossed == 0


def test_a_model_grows_in_the_page_as_in_a_notebook_and_can_be_paused(
    opened, monkeypatch, make_induction
):
    monkeypatch.setattr(
        InductionHeads, "constants", InductionHeads.constants | {"every": 2, "steps": 8}
    )
    page = opened(seed=3)
    play = page.locator(".play")
    assert play.inner_text() == "▶ Grow it here"
    play.click()
    page.wait_for_function(
        """() => document.querySelector('.tl-figure').shadowRoot
            .querySelector('figure').dataset.state === 'grown'""",
        timeout=60_000,
    )
    settled(page)
    found = shown(page)["the run"]
    model = None
    for step, model in induction.learn(3, 8):
        if step % 2:
            continue
        look = induction.looks(model, induction.held_out())
        expected = [make_induction.loss_of(model), *look.back[0].tolist(), *look.behind[1].tolist()]
        assert found[step // 2].tolist() == pytest.approx(expected, abs=2e-3)
    assert model is not None and len(found) == 5
    ids = torch.tensor([[1 + LETTERS.index(letter) for letter in "kangarookang"]])
    with torch.no_grad():
        best = model(ids)[0][0, -1, 1:].argmax()
    assert state(page)["next"] == LETTERS[best], "the row is read by the model that has grown"
    assert play.inner_text() == "▶ Grow another"
    page.get_by_role("button", name="Recorded run").click()
    settled(page)
    page.wait_for_function(
        """() => document.querySelector('.tl-figure').shadowRoot
            .querySelector('figure').dataset.next === 'a'"""
    )
    assert state(page)["step"] == str(STEPS) and state(page)["state"] == "recorded"


def test_a_pause_holds_it_and_it_goes_on_from_there(opened):
    page = opened()
    play = page.locator(".play")
    play.click()
    grown = """(most) => {
        const home = document.querySelector('.tl-figure');
        const { step, state } = home.shadowRoot.querySelector('figure').dataset;
        return state !== 'recorded' && Number(step) >= most && Number(step) < 400;
    }"""
    page.wait_for_function(grown, arg=10, timeout=60_000)
    play.click()
    assert play.inner_text() == "▶ Go on"
    steps_seen = []
    while steps_seen[-2:] != 2 * steps_seen[-1:] or not steps_seen[1:]:  # it takes its last step
        page.wait_for_timeout(1500)
        steps_seen.append(int(state(page)["step"]))
    held = steps_seen[-1]
    assert held < STEPS and state(page)["state"] == "paused"
    play.click()
    page.wait_for_function(grown, arg=held + 10, timeout=60_000)
    play.click()
    steps = page.locator(".tl-figure").evaluate(
        """home => [...home.shadowRoot.querySelectorAll('.numbers table')[0].tBodies[0].rows]
            .map((row) => Number(row.querySelector('th').textContent))"""
    )
    assert steps == list(range(0, 10 * len(steps), 10)), "no step is lost, and none counted twice"


def test_its_heads_are_those_that_the_config_has():
    assert InductionHeads().heads() == LOWER + UPPER
    assert SIZES["n_layers"] * SIZES["n_heads"] == 4
