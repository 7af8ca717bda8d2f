"""The parts of the kit that need no browser: words, in Node."""

from pathlib import Path

import pytest
from in_node import Node

KIT = Path(__file__).parents[2] / "transformer_lite" / "figures" / "kit"


@pytest.fixture(scope="module")
def node():
    with Node([KIT / "words.js"]) as node:
        yield node


@pytest.mark.parametrize(
    ("typed", "known", "best"),
    [
        ("TÜR", ["TÜ", "tür"], "tür"),
        ("bier", ["biene", "BIER"], "BIER"),
        ("mude", ["Mann", "müde", "muss"], "müde"),
    ],
)
def test_a_near_word_is_near_in_capitals_and_without_its_dots(node, typed, known, best):
    ask = "([typed, known]) => words.nearest(typed, known)"
    assert node.evaluate(ask, [typed, known])[0] == best
