"""Many networks: the page sends tokens where the package's router sends them, and the load gets
even by the choice alone.
"""

import numpy as np
import pytest
import torch
from figure_examples import shown, state
from in_node import Node

from attention_by_hand.figures import ManyNetworks
from attention_by_hand.figures.kit import FigureError
from attention_by_hand.figures.kit.figure import FIGURES
from transformer_lite.variants import Experts, Plan
from transformer_lite.variants.networks import Router


def numbers(text):
    return [float(number) for number in text.split()]


@pytest.mark.parametrize("top_k", [2, 3])
def test_tokens_are_sent_where_the_package_sends_them(open_figures, top_k):
    figure = ManyNetworks((-0.4, 0.9), top_k=top_k)
    experts = Experts(8, top_k, balance=0.001)
    sizes = {"vocab_size": 9, "d_model": 2, "n_layers": 1, "n_heads": 1, "d_ff": 4}
    plan = Plan(**sizes, positions="none", feed_forward_bias=False, experts=experts)
    router = Router(plan).eval()
    favour = torch.tensor([-0.9, -0.4, 0, 0.2, 0.3, 0.8, 0.4, 0.6])
    with torch.no_grad():
        router.matrix.weight.copy_(torch.tensor(figure.matrix))
        router.favour.copy_(favour)
        figure.favour = favour.double().numpy().round(4).tolist()
        chosen, shares = router(torch.tensor([[figure.across, figure.up]]))
        sent, _ = router(torch.tensor(figure.points))
    load = torch.bincount(sent.flatten(), minlength=8)
    page = open_figures(figure)
    said = state(page)
    assert numbers(said["load"]) == load.tolist() == figure.load().tolist()
    assert sum(figure.load()) == top_k * len(figure.points)
    assert sorted(numbers(said["chosen"])) == sorted(chosen[0].tolist())
    of = dict(zip(numbers(said["chosen"]), numbers(said["shares"]), strict=True))
    for network, share in zip(chosen[0].tolist(), shares[0].tolist(), strict=True):
        assert of[network] == pytest.approx(share, abs=1e-3)
    table = shown(page)["the networks"]
    assert np.allclose(table[:, 0], load) and np.allclose(table[:, 1], favour, atol=0.005)
    lit = page.locator(".network.works .name").all_text_contents()
    assert sorted(map(int, lit)) == sorted((chosen[0] + 1).tolist())


def test_it_begins_out_of_balance_and_is_balanced_by_the_choice_alone(open_figures):
    page = open_figures(ManyNetworks(), reduced_motion="reduce")
    before = numbers(state(page)["load"])
    assert min(before) == 0 and max(before) > 80
    told = page.locator(".told")
    assert "6 and 8 none: weights that are held and never work" in told.text_content()
    page.get_by_role("button", name="balance the load").click()
    told.filter(has_text="Each is sent").wait_for()
    after = numbers(state(page)["load"])
    assert sum(after) == sum(before) == 320 and min(after) >= 32 and max(after) <= 48
    scores = np.array(ManyNetworks().matrix) @ [0.9, 0.7]
    powers = np.exp(scores[[int(i) for i in numbers(state(page)["chosen"])]])
    assert np.allclose(numbers(state(page)["shares"]), powers / powers.sum(), atol=1e-3)
    page.get_by_role("button", name="put all back").click()
    assert numbers(state(page)["load"]) == before
    assert not page.get_by_role("button", name="put all back").is_visible()


@pytest.mark.parametrize("top_k", [1, 2])
def test_bars_are_as_long_as_their_numbers_say(open_figures, top_k):
    page = open_figures(ManyNetworks(top_k=top_k))
    load = np.array(numbers(state(page)["load"]))
    tracks = [bar.bounding_box() for bar in page.locator(".track").all()]
    wide = np.array([bar.bounding_box()["width"] for bar in page.locator(".network .bar").all()])
    assert np.allclose(wide / wide.max(), load / load.max(), atol=0.01)
    equal = page.locator(".track").first.evaluate(
        "track => parseFloat(getComputedStyle(track, '::after').left)"
    )
    assert equal / wide.max() == pytest.approx(load.mean() / load.max(), abs=0.01)
    assert wide.max() < 0.9 * tracks[0]["width"], "the number stands after it"


@pytest.mark.parametrize("width", [390, 900])
def test_the_menu_lies_over_none_of_its_controls(open_figures, width):
    page = open_figures(ManyNetworks(), width=width)
    menu, controls = (page.locator(at).bounding_box() for at in (".menu summary", ".controls"))
    assert controls["x"] + controls["width"] <= menu["x"] + 1


def test_balance_goes_step_by_step_and_can_be_stopped(open_figures):
    page = open_figures(ManyNetworks())
    button = page.get_by_role("button", name="balance the load")
    button.click()
    page.get_by_role("button", name="put all back").wait_for()
    button.click()
    page.wait_for_timeout(150)
    stopped = shown(page)["the networks"]
    page.wait_for_timeout(200)
    assert np.array_equal(shown(page)["the networks"], stopped)


def test_the_token_is_pulled_by_hand(open_figures):
    page = open_figures(ManyNetworks())
    plane = page.locator(".plane").bounding_box()
    knob = page.locator(".knob.query").bounding_box()
    unit = plane["width"] / 4.7
    page.mouse.move(knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2)
    page.mouse.down()
    page.mouse.move(
        plane["x"] + plane["width"] / 2 - 1.2 * unit,
        plane["y"] + plane["width"] / 2 + 0.8 * unit,
        steps=4,
    )
    page.mouse.up()
    assert float(state(page)["across"]) == pytest.approx(-1.2, abs=0.06)
    assert float(state(page)["up"]) == pytest.approx(-0.8, abs=0.06)
    assert numbers(state(page)["chosen"])[0] == 4  # network 5 lies there


def test_the_plane_is_parted_where_the_first_choice_changes():
    figure = ManyNetworks(top_k=1)
    router = {
        "matrix": figure.matrix,
        "favour": [-0.9, -0.4, 0, 0.2, 0.3, 0.8, 0.4, 0.6],
        "top_k": 1,
    }
    with Node([FIGURES / "many_networks" / "routing.js"]) as node:
        first = "([i, router]) => routing.firstOf(i, router, 2)"
        parts = [node.evaluate(first, [i, router]) for i in range(8)]
        areas = []
        for part in parts:
            x, y = np.array(part).T if part else np.zeros((2, 0))
            areas.append(abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2)
        assert sum(areas) == pytest.approx(16)
        for i, part in enumerate(parts):
            if part:
                inside = np.mean(part, axis=0).tolist()
                sent = node.evaluate("(given) => routing.route(...given)", [inside, router])
                assert sent["chosen"] == [i]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"token": (3, 0)}, "token goes to 3"),
        ({"token": (1, 2, 3)}, "two numbers"),
        ({"points": [(0, 0)] * 301}, "expected 1 to 300 rows"),
        ({"matrix": [(1, 0)] * 3}, "expected 4 to 12 rows"),
        ({"matrix": [(9, 0)] * 4}, "matrix goes to 9"),
        ({"top_k": 5}, "top_k"),
    ],
)
def test_what_cannot_be_shown_is_refused(change, said):
    with pytest.raises(FigureError, match=said):
        ManyNetworks(**change)
