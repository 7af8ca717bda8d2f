"""What is said of a number: right, a known mistake, rounded too early, or wrong in a new way."""

import pytest

from attention_by_hand.exercises.sheet import PER_CENT, Sheet

SHEET = Sheet(
    right=(0.25,),
    mistakes=(((0.5,), "halve it"), ((0.254,), "take the other one")),
    otherwise=("begin again",),
    within=0.001,
    nearly=(0.02, "round at the end"),
)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.2509, None),
        (0.504, "halve it"),  # known at five times what may be off of a right number
        (0.506, "begin again"),
        (0.26, "round at the end"),
        (0.28, "begin again"),
        (0.2555, "take the other one"),
        (0.2515, "round at the end"),  # nearer to the right number than to that mistake
        (25, PER_CENT),
        (24.6, PER_CENT),
        (26, "begin again"),
    ],
)
def test_a_number_gets_its_hint(value, said):
    assert SHEET.hint([value]) == said
