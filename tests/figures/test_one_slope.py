"""One slope, with a pencil: its slopes are those of PyTorch's backward, slips are named, and the
step lowers the loss by about what the slope says.
"""

import pytest
import torch
from figure_examples import state
from torch.nn.functional import logsigmoid
from torch.optim import SGD

from attention_by_hand.figures import OneSlope

RATE = OneSlope.constants["rate"]
NUMBERS, VALUES = (
    torch.tensor(OneSlope.constants[name], dtype=torch.float64) for name in ("numbers", "values")
)


def loss_of(weight):
    return -logsigmoid((weight * NUMBERS).softmax(-1) @ VALUES)


@pytest.mark.parametrize("weight", [0.0, -0.7, 1.3])
def test_its_slopes_are_those_of_backward(weight):
    weight = torch.tensor(weight, dtype=torch.float64, requires_grad=True)
    score = weight * NUMBERS[1]
    share = torch.stack([weight * NUMBERS[0], score]).softmax(-1)[1]
    mixture = (1 - share) * VALUES[0] + share * VALUES[1]
    parts = [weight, score, share, mixture, -logsigmoid(mixture)]
    slopes = torch.autograd.grad(parts[-1], parts)
    assert torch.isclose(parts[-1], loss_of(weight))
    found = torch.tensor([row[1:] for row in OneSlope().way(weight.item())], dtype=torch.float64)
    expected = torch.stack([torch.stack(parts), torch.stack(slopes)], dim=1)
    assert torch.allclose(found, expected)


def test_five_boxes_lead_to_a_step_and_more_steps_learn(open_figures):
    page = open_figures(OneSlope())
    said = page.locator(".verdict")

    def answer(number):
        page.keyboard.type(f"{number:.2f}")
        page.keyboard.press("Enter")

    at_weight, at_score, at_share, at_mixture = (slope for _, _, slope in OneSlope().way()[:4])
    page.locator(".box:enabled").focus()
    for slope, slip, hint in (
        (at_mixture, -at_mixture, "sign"),
        (at_share, 2 * at_mixture, "sum"),
        (at_score, at_share / 2, "0.50 alone"),
        (at_weight, at_score / 2, "divided"),
        (-RATE * at_weight, RATE * at_weight, "uphill"),
    ):
        answer(slip)
        assert hint in said.inner_text()
        page.keyboard.press("ControlOrMeta+a")
        answer(slope)
    assert state(page) == {"step": "5", "taken": "0"}

    weight = torch.zeros((), dtype=torch.float64, requires_grad=True)
    optimizer = SGD([weight], lr=RATE)
    losses = []
    for _ in range(21):
        losses.append(loss_of(weight))
        optimizer.zero_grad()
        losses[-1].backward()
        optimizer.step()
    lower, promised = losses[0] - losses[1], RATE * at_weight**2
    assert f"lower by {lower:.3f}" in said.inner_text()
    assert f"promised {promised:.3f}" in said.inner_text()
    for _ in range(2):
        page.get_by_role("button", name="more steps").click()
    share = (weight * NUMBERS).softmax(-1)[1]
    assert f"the weight is {weight:.2f}: {100 * share:.0f}" in said.inner_text()
    assert state(page) == {"step": "5", "taken": "20"}
