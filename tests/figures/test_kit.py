"""The parts of the kit that need no browser: words, in Node."""

import sys
import unicodedata
from pathlib import Path

import pytest
from in_node import Node

from transformer_lite.vocabulary import split_words

KIT = Path(__file__).parents[2] / "attention_by_hand" / "figures" / "kit"


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


def test_the_page_finds_the_words_that_python_finds(node):
    """Around and within every sign, space and mark, and all that cannot be seen; beside emoji."""
    letters = map(chr, range(sys.maxunicode + 1))
    kinds = {"Cc", "Cf", "Mn", "Me", "Pc", "Pd", "Po", "Sk", "So", "Zs", "Zl", "Zp"}
    signs = [letter for letter in letters if unicodedata.category(letter) in kinds]
    assert "\u00ad" in signs and "\u0085" in signs
    texts = [f"a{sign}b{sign}{sign} {sign}\u200d\u2764\ufe0f 1{sign}\u20e3" for sign in signs]
    found = node.evaluate("(texts) => texts.map(words.split)", texts)
    for text, words in zip(texts, found, strict=True):
        assert words == split_words(text), ascii(text)
