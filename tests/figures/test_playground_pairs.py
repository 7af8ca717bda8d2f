"""The reader's own pairs in the training playground, and what is said of a run at its end."""

import json
from pathlib import Path

import pytest
from figure_examples import state
from in_node import Node

from attention_by_hand import figures
from attention_by_hand.figures import TrainingPlayground

FRENCH = ["le chat dort !", "the cat sleeps !", "le chien court", "the dog runs"]
FOLDER = Path(figures.__file__).parent / "training_playground"
TITLE = "Teach it two sentences of your own"


@pytest.fixture(scope="module")
def node():
    with Node([FOLDER / "lesson.js", FOLDER / "outcome.js"]) as node:
        yield node


def pairs_of(lines):
    return [(lines[0], lines[1]), (lines[2], lines[3])]


def lesson_of(node, figure, own):
    """What the page would teach this figure with these lines."""
    traits = figure.get_state(figure._travelling()) | {"own": own}
    constants = {name: figure.constants[name] for name in ("most", "others")}
    return node.evaluate(
        "([traits, constants]) => lesson.lessonOf({ get: (name) => traits[name] }, constants)",
        [traits, constants],
    )


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize(
    "lines",
    [
        FRENCH,
        ["ich sehe ein Haus .", "i see a house .", "ich sehe ein Auto .", "i see a car ."],
        ["a", "b b b", "c", "b"],
        ["你好", "hello", "a-b c's", "x , y"],
        ["same", "one", "same", "two"],
    ],
)
def test_a_reader_s_pairs_are_the_lesson_that_python_would_make_of_them(node, lines, alone):
    figure = TrainingPlayground(pairs_of(lines), alone=alone)
    found = lesson_of(node, TrainingPlayground(alone=alone), lines)
    assert found["isOwn"] and not found["measured"] and not found["failed"]
    for mine, name in (("sourceWords", "source_words"), ("targetWords", "target_words")):
        assert found[mine] == getattr(figure, name)
    assert found["source"] == figure.source and found["target"] == figure.target
    assert [name for name, _ in found["zones"]] == [name for name, _ in figure.zones]
    assert [loss for _, loss in found["zones"]] == pytest.approx(
        [loss for _, loss in figure.zones], abs=1e-12
    )
    sizes = {name: found["config"][name] for name in figure.config}
    assert sizes == figure.config


@pytest.mark.parametrize(
    ("own", "problem"),
    [
        (["a", "b", "", "d"], [2, "Pair 2, what it reads: this line is empty."]),
        (["a", " \u200b ", "c", ""], [1, "Pair 1, what it writes: this line is empty."]),
        (
            ["a", "b", "c", "d " * 13],
            [3, "Pair 2, what it writes: this line has 13 words and signs, and at most 12 fit."],
        ),
        (["a", "b", "c", "d " * 12], None),
        ([], [0, "Pair 1, what it reads: this line is empty."]),
    ],
)
def test_a_line_that_cannot_be_learnt_is_named(node, own, problem):
    found = node.evaluate("(lines) => lesson.problemIn(lines, 12)", own)
    assert (found and [found["line"], found["text"]]) == problem
    assert lesson_of(node, TrainingPlayground(), own)["isOwn"] == (problem is None)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        # "beer" or "coke" is what only the source decides: read at step 2, all right from step 3
        (["ia", "iab ia", "iab. iac", "iab. iac."], (2, 3)),
        (["", "iab. iac.", "iab. iac", "iab. iac."], (1, 3)),  # and again
        (["", "iab. iab.", "iac. iac.", "iab iac"], (3, None)),
        (["", "iab. iab.", "iab.", "iab. iab."], (None, None)),
    ],
)
def test_the_step_at_which_it_read_the_first_word_is_the_true_one(node, written, said):
    answers = [list("iab.") + ["end"], list("iac.") + ["end"]]

    def words(text):
        return [*text, "end"] if text.endswith(".") else list(text)

    looks = [{"written": [words(t) for t in (*text.split(), "", "")[:2]]} for text in written]
    told = node.evaluate(
        "([looks, answers]) => outcome.told(looks, answers, 3, true)", [looks, answers]
    )
    read, right = said
    first = f"It read the first word at step {read}." if read else "In 3 steps it has read no word."
    rest = f"Both sentences are right from step {right} on." if right else "Not all is right."
    assert told == f"{first} {rest}"
    before = node.evaluate(
        "([looks, answers]) => outcome.told(looks, answers, 1, false)", [looks, answers]
    )
    right = sum(a == b for row, answer in zip(looks[1]["written"], answers, strict=True)
                for a, b in zip(row, answer[:-1], strict=False))  # fmt: skip
    assert before == f"After step 1: {right} of 8 words are right."


def test_where_both_answers_are_the_same_it_is_not_said_to_have_read_no_word(node):
    answers = 2 * [["i", "a", "end"]]
    looks = [{"written": written} for written in ([["i"], ["i"]], answers, answers)]
    told = node.evaluate(
        "([looks, answers]) => outcome.told(looks, answers, 2, true)", [looks, answers]
    )
    assert told == "Both sentences are right from step 1 on. Nothing had to be read."


def fill(page, lines):
    page.get_by_text(TITLE).click()
    for field, line in zip(page.locator(".twin input").all(), lines, strict=True):
        field.fill(line)


def at_end(page):
    page.wait_for_function(
        """() => {
            const home = document.querySelector('.tl-figure');
            const { step, state } = home.shadowRoot.querySelector('figure').dataset;
            return step === '64' && state === 'idle';
        }""",
        timeout=60_000,
        polling=50,
    )
    return state(page)


def losses(page):
    rows = page.locator(".numbers table").last.locator("tbody td").all_text_contents()
    return [float(text) for text in rows]


def test_it_learns_them_as_if_it_had_been_given_them(open_figures):
    page = open_figures(TrainingPlayground(pairs_of(FRENCH)), reduced_motion="reduce")
    page.locator("[data-action=play]").click()
    given = at_end(page)["translations"], page.locator(".outcome").inner_text()
    expected = losses(page)
    page = open_figures(TrainingPlayground(), reduced_motion="reduce")
    first = state(page)["translations"]
    fill(page, FRENCH)
    page.get_by_role("button", name="Teach it these").click()
    assert (at_end(page)["translations"], page.locator(".outcome").inner_text()) == given
    assert losses(page) == pytest.approx(expected, abs=1e-4)
    assert json.loads(state(page)["translations"]) == [FRENCH[1], FRENCH[3]]
    assert page.locator(".promise .on").inner_text().startswith("Settings or sentences of your own")
    assert page.locator("text.ghost").count() == 0, "another lesson's curve says nothing of it"
    page.locator(".pill").last.click()
    page.locator("text.ghost").wait_for()
    assert page.locator("text.ghost").all_text_contents() == ["your own"]
    page.locator(".pill").first.click()
    page.get_by_role("button", name="The first ones again").click()
    at_end(page)
    page.locator(".scrub").press("Home")
    assert state(page)["translations"] == first
    assert "English" in page.locator("svg.losses").text_content()


def test_its_last_frame_says_the_steps_that_the_ball_meets(open_figures):
    page = open_figures(TrainingPlayground(), reduced_motion="reduce")
    assert page.locator(".outcome").inner_text().startswith("It has learnt nothing yet: 0 of 10")
    page.locator("[data-action=play]").click()
    at_end(page)
    told = page.locator(".outcome").inner_text()
    assert told in page.locator("[role=status]").text_content()
    page.locator(".scrub").press("Home")
    written = []
    for _ in range(16):
        written.append(json.loads(state(page)["translations"]))
        page.locator(".scrub").press("ArrowRight")
    right = [both == ["i want a beer .", "i want a coke ."] for both in written]
    read = [a.startswith("i want a beer") and b.startswith("i want a coke") for a, b in written]
    start = right[::-1].index(False)
    step = f"step {16 - start}" if read.index(True) != 16 - start else "then"
    first = f"It read the first word at step {read.index(True)}."
    assert told == f"{first} Both sentences are right from {step} on."


def test_a_clear_word_is_said_and_nothing_is_lost(open_figures):
    page = open_figures(TrainingPlayground(d_model=16), reduced_motion="reduce")
    fill(page, ["a", "b", "", "d"])
    before = state(page)
    page.locator(".twin input").first.press("Enter")
    problem = "Pair 2, what it reads: this line is empty."
    assert page.locator(".problem").inner_text() == problem
    assert page.locator("[role=status]").text_content() == problem
    field = page.get_by_label("pair 2, it reads")
    assert field.evaluate("field => field.getRootNode().activeElement === field")
    assert field.get_attribute("aria-invalid") == "true" and state(page) == before
    field.fill("c")
    assert page.locator(".problem").inner_text() == ""
    assert field.get_attribute("aria-invalid") == "false"


def test_a_press_on_a_tile_gives_each_line_of_a_pair_its_word(open_figures):
    page = open_figures(TrainingPlayground(), width=390, has_touch=True, reduced_motion="reduce")
    page.get_by_text(TITLE).tap()
    fields = page.locator(".twin input")
    given = ["ich mochte ein bier", "i want a beer .", "ich mochte ein cola", "i want a coke ."]
    assert [field.input_value() for field in fields.all()] == given
    page.get_by_role("button", name="Empty the lines").tap()
    for noun in ("Haus, house", "Bier, beer"):
        for tile in ("ich, i", "sehe, see", "ein, a", noun, "., ."):
            page.get_by_role("button", name=tile, exact=True).tap()
    lines = ["ich sehe ein Haus .", "i see a house .", "ich sehe ein Bier .", "i see a beer ."]
    assert [field.input_value() for field in fields.all()] == lines
    sizes = page.locator(".own button").evaluate_all(
        "all => all.filter((one) => one.checkVisibility()).map((one) => one.offsetHeight)"
    )
    assert min(sizes) >= 44
    page.get_by_role("button", name="Teach it these").tap()
    page.locator(".reads", has_text=lines[2]).wait_for()


def test_pairs_travel_in_the_address(open_figures):
    page = open_figures(TrainingPlayground(d_model=32), reduced_motion="reduce")
    page.evaluate(
        "own => { location.hash = `TrainingPlayground?own=${JSON.stringify(own)}`; }", FRENCH
    )
    page.locator(".reads", has_text="le chien court").wait_for()
    assert [field.input_value() for field in page.locator(".twin input").all()] == FRENCH
    page.evaluate('() => { location.hash = \'TrainingPlayground?own=["a","b"]\'; }')
    page.locator(".reads", has_text="ich mochte ein cola").wait_for()


COUNT = """() => {
    const { animate } = Element.prototype;
    window.dropped = [];
    Element.prototype.animate = function (...how) {
        dropped.push(this.textContent);
        return animate.apply(this, how);
    };
}"""


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_a_word_that_is_right_drops_into_its_place_once(open_figures, motion):
    page = open_figures(TrainingPlayground(), reduced_motion=motion)
    page.evaluate(COUNT)
    for step in range(1, 6):
        page.locator(".scrub").press("ArrowRight")
        page.locator(f"figure[data-step='{step}']").wait_for()
    dropped = page.evaluate("dropped")
    words = [word for text in json.loads(state(page)["translations"]) for word in text.split()]
    assert words == "i want a beer . i want a coke .".split()
    expected = set() if motion == "reduce" else set(words)
    assert set(dropped) == expected and len(dropped) < 16


def test_a_picture_of_the_end_has_only_what_came_of_it(open_figures):
    page = open_figures(TrainingPlayground())
    page.locator("figure.figure").evaluate("figure => figure.classList.add('saved')")
    for kept in (".sentences", ".outcome", "svg.losses"):
        assert page.locator(kept).is_visible()
    for gone in (".own", ".promise", "figcaption", ".play"):
        assert page.locator(gone).is_hidden()
