"""The parts of the kit that need no browser, in Node: guesses, numbers, words."""

import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from in_node import Node

from attention_by_hand.figures.kit import packed
from transformer_lite.vocabulary import split_words

KIT = Path(__file__).parents[2] / "attention_by_hand" / "figures" / "kit"


@pytest.fixture(scope="module")
def node():
    names = ("shared/guesses.js", "shared/words.js", "parts/packed.js")
    with Node(KIT / name for name in names) as node:
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


def test_of_words_that_are_replaced_the_last_stand_for_the_last(node):
    columns = node.evaluate("() => words.aligned(['has', 'it'], ['will', 'have', 'it'])")
    assert [(one["word"], one["was"]) for one in columns] == [
        ("", "will"),
        ("has", "have"),
        ("it", "it"),
    ]


def test_where_nothing_may_be_attended_to_every_weight_is_0(node):
    weights = "async (file) => (await import(file)).softmax([-Infinity, -Infinity])"
    assert node.evaluate(weights, (KIT / "parts" / "numbers.js").as_uri()) == [0, 0]


def test_guesses_that_no_browser_keeps_are_in_order_and_can_be_erased(node):
    answered = node.evaluate(
        """() => {
            globalThis.document = { dispatchEvent() {} };
            const guess = { place: 0, question: 'How many?', guess: '2', right: '3' };
            for (const number of ['5.10', '5.2', '6.1']) guesses.keep(number, guess);
            const all = guesses.answered(5);
            guesses.erase(['5.2']);
            return [all, guesses.answered(5)];
        }"""
    )
    assert answered == [["5.2", "5.10"], ["5.10"]]


def test_a_film_that_is_paused_while_it_learns_a_step_does_not_show_it(node):
    shown = node.evaluate(
        """async (file) => {
            const { filmOf } = await import(file);
            globalThis.matchMedia = () => ({ matches: true });
            const shown = [];
            let learnt;
            const film = {
                step: () => shown.at(-1) ?? 0,
                ended: () => false,
                reach: () => new Promise((resolve) => { learnt = resolve; }),
                show: (step) => shown.push(step),
            };
            const { play, pause } = filmOf(film, new AbortController().signal);
            play();
            pause();
            learnt(true);
            await new Promise((resolve) => setTimeout(resolve));
            return shown;
        }""",
        (KIT / "shared" / "film.js").as_uri(),
    )
    assert shown == [0, 0]


@pytest.mark.parametrize(
    ("read", "numbers", "data", "as_python"),
    [
        ("shareAt(bytes, i)", [0, 0.5, 1], packed.pack_shares, packed.read_shares),
        (
            "smallAt(bytes, i, 8)",
            [-8, 0.3, 8],
            lambda x: packed.pack_scaled(x, 8, packed.SMALL),
            lambda data: packed.read_scaled(data, 8, packed.SMALL),
        ),
        (
            "fineAt(bytes, i, 8)",
            [-8, 0.3, 8],
            lambda x: packed.pack_scaled(x, 8),
            lambda data: packed.read_scaled(data, 8),
        ),
        ("fixedAt(bytes, i)", [-126.9, -0.25, 3.5], packed.pack_fixed, packed.read_fixed),
    ],
)
def test_the_page_reads_the_numbers_that_python_packed(node, read, numbers, data, as_python):
    packed_bytes = data(np.array(numbers))
    ask = f"""(all) => {{
        const bytes = new DataView(Uint8Array.from(all).buffer);
        return [0, 1, 2].map((i) => packed.{read});
    }}"""
    known = as_python(packed_bytes)
    assert node.evaluate(ask, list(packed_bytes)) == pytest.approx(known.tolist())
    assert known == pytest.approx(numbers, abs=0.04)
