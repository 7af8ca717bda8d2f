"""Recall through one vector and with attention: the two models, what is stored of them, the lines
of attention, and the figure.
"""

import re

import matplotlib
import numpy as np
import pytest
import torch
from figure_examples import shown, state

from attention_by_hand import plots
from attention_by_hand.figures import Prediction, Recall
from attention_by_hand.studies import recall

matplotlib.use("Agg")


@pytest.mark.parametrize("attend", [False, True])
def test_it_learns_to_copy_short_rows_and_no_letter_is_read_before_it_is_written(
    attend, monkeypatch
):
    monkeypatch.setattr(recall, "TRAINED", [2])
    model = recall.train(attend=attend, steps=150)
    assert recall.measure(model, 2) > 0.9
    letters = recall.rows(2, 20)
    other = letters.clone()
    other[:, 1] = (other[:, 1] + 1) % 26
    with torch.no_grad():
        memory, state = model.read(letters)
        before = torch.cat([torch.full_like(letters[:, :1], recall.START), letters[:, :-1]], dim=1)
        assert torch.equal(model.write(before, memory, state)[0], model(letters))
    assert (model.recall(letters) == model(letters).argmax(-1)).float().mean() > 0.9
    assert (model.recall(other)[:, 1] == other[:, 1]).float().mean() > 0.8


def test_the_two_models_have_the_same_weights_and_only_one_looks_back():
    torch.manual_seed(0)
    one = recall.Copier(attend=False)
    both = recall.Copier(attend=True)
    both.load_state_dict(one.state_dict())
    letters = recall.rows(5, 3)
    memory, state = one.read(letters)
    first, looked = memory.clone(), memory.clone()
    first[:, 0] += 1  # a state that is not the last
    assert torch.equal(one.write(letters, first, state)[0], one.write(letters, memory, state)[0])
    looked[:, 0] += 1
    assert not torch.allclose(
        both.write(letters, looked, state)[0], both.write(letters, memory, state)[0]
    )


def test_what_is_stored_is_complete_and_its_examples_are_the_rows_that_it_says():
    found = recall.measured()
    assert found["lengths"] == list(recall.LENGTHS)
    for model in ("one vector", "attention"):
        assert [len(seeds) for seeds in found[model]] == [len(recall.SEEDS)] * len(recall.LENGTHS)
        assert all(0 <= share <= 1 for seeds in found[model] for share in seeds)
    assert all(
        min(a) > max(b)
        for a, b in list(zip(found["attention"], found["one vector"], strict=True))[3:]
    )
    for length, texts in zip(found["lengths"], found["examples"], strict=True):
        torch.manual_seed(length)
        assert texts[0] == "".join(recall.LETTERS[i] for i in recall.rows(length, 1)[0])
        assert [len(text) for text in texts] == [length] * 3
    for length, rows in zip(recall.PLAYED, found["rounds"], strict=True):
        torch.manual_seed(2000 + length)
        letters = recall.rows(length, recall.ROUNDS)
        assert [read for read, *_ in rows] == [
            "".join(recall.LETTERS[i] for i in r) for r in letters
        ]
        assert all([len(text) for text in texts] == [length] * 3 for texts in rows)
    assert all(
        max(found["one vector"][recall.LONGER_AT - 1]) < share < 0.9
        for share in found["longer"]["one vector"]
    )


def test_lines_are_as_thick_as_their_weights_and_join_the_right_words():
    weights = torch.tensor([[0.9, 0.1, 0.0], [0.0, 0.25, 0.75]])
    ax = plots.attention_lines(weights, ["a", "b"], ["x", "y", "z"])
    words = {text.get_text(): text.get_position() for text in ax.texts}
    drawn = {}
    for line in ax.lines:
        ends = tuple(line.get_xdata())
        query = next(word for word in "ab" if words[word][0] == ends[0])
        drawn[query, next(word for word in "xyz" if words[word][0] == ends[1])] = (
            line.get_linewidth()
        )
    assert {pair: round(width / 4, 2) for pair, width in drawn.items()} == {
        ("a", "x"): 0.9, ("a", "y"): 0.1, ("b", "y"): 0.25, ("b", "z"): 0.75,
    }  # fmt: skip
    assert words["x"][1] > words["a"][1]
    with pytest.raises(ValueError, match="2 rows and 3 columns; got 2 queries and 2 keys"):
        plots.attention_lines(weights, ["a", "b"], ["x", "y"])


# the figure

MODELS = ("one vector", "attention")


def names(page):
    """What stands at the end of each line."""
    return page.locator("text.name").evaluate_all(
        "all => all.map((name) => [...name.children].map((part) => part.textContent))"
    )


def drag(page, *lengths):
    """Drags from over one number of letters to over others, half way up the plot."""
    plot = page.locator("svg.chart")
    plot.scroll_into_view_if_needed()
    dots = plot.locator("g > circle.solid.attention")
    box = plot.bounding_box()
    to = lambda length: (  # noqa: E731
        box["x"] + float(dots.nth(length - 1).get_attribute("cx")),
        box["y"] + box["height"] / 2,
    )
    page.mouse.move(*to(lengths[0]))
    page.mouse.down()
    for length in lengths[1:]:
        page.mouse.move(*to(length))
    page.mouse.up()


@pytest.mark.parametrize("width", [360, 900])
def test_it_opens_where_the_two_models_are_far_apart(open_figures, width):
    page = open_figures(Recall(), width=width)
    assert state(page)["length"] == "16"
    assert names(page) == [["one vector", "25\u00a0%"], ["attention", "92\u00a0%"]]
    sizes = page.locator("svg.chart text:not(.guess)").evaluate_all(
        "all => all.map((text) => parseFloat(getComputedStyle(text).fontSize) * "
        "text.getScreenCTM().a)"
    )
    assert min(sizes) == pytest.approx(14) and max(sizes) == pytest.approx(14)


def test_it_shows_what_was_measured_up_to_where_it_is_dragged(open_figures):
    found = recall.measured()
    page = open_figures(Recall(length=8))
    ticks = page.locator("svg.chart").get_by_text(re.compile("^[0-9.]+$")).all_text_contents()
    assert sorted(map(float, ticks)) == [0, 4, 8, 12, 16, 20, 25, 50, 75, 100]
    for length in (8, 9, 20):
        drag(page, 4, 6, length)
        assert state(page)["length"] == page.locator("input[type=range]").input_value()
        assert page.locator("text.hold").text_content() == f"◂ {length} ▸"
        hidden = page.locator("svg.chart text[visibility=hidden]").all_text_contents()
        assert hidden == ([f"{length}"] if length in (8, 20) else ["8"]), (
            "nothing lies under the grip"
        )
        stored = np.array([found[model][length - 1] for model in MODELS])
        table = shown(page)["share of letters written right"]
        assert np.abs(table[:, 1:] - stored).max() < 1e-4
        assert np.abs(table[:, 0] - stored.mean(1)).max() < 1e-4
        shares = [f"{100 * mean:.0f}\u00a0%" for mean in stored.mean(1)]
        assert [share for _, share in names(page)] == shares
        said = f"{length} letters: one vector {shares[0]}, attention {shares[1]}"
        assert page.locator("[role=status]").inner_text() == said
        dots = page.locator("svg.chart g").evaluate_all(
            "all => all.filter((g) => g.getAttribute('visibility') === 'visible').length"
        )
        assert dots == 2 * length
        read, *written = page.locator(".written dd").all_text_contents()
        assert [read, *written] == found["examples"][length - 1]
        wrong = page.locator(".written s").count()
        assert wrong == sum(a != b for text in written for a, b in zip(read, text, strict=True))
    assert wrong > 5


@pytest.mark.parametrize("width", [360, 900])
def test_names_at_the_ends_of_the_lines_never_meet_and_nothing_below_moves(open_figures, width):
    page = open_figures(Recall(), width=width)
    below = page.get_by_text("After.").bounding_box()["y"]
    slider = page.get_by_role("slider", name="letters")
    for length in (1, 2, 3, 4, 16, 20):
        slider.fill(str(length))
        boxes = [name.bounding_box() for name in page.locator("text.name").all()]
        one, attention = boxes
        assert one["y"] >= attention["y"] + attention["height"] - 4
        assert all(box["x"] + box["width"] <= width for box in boxes)
        assert page.get_by_text("After.").bounding_box()["y"] == below


def asked():
    return Prediction("0.1", "How many?", low=0, high=8, answer=4.2, because="Measured.")


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_what_a_prediction_asks_is_not_shown_before_the_guess(open_figures, motion):
    page = open_figures(asked(), Recall(prediction="0.1"), reduced_motion=motion)
    question, figure = page.locator("figure").nth(0), page.locator("figure").nth(1)
    vector = figure.locator("g[visibility=visible] > circle.solid.vector")
    assert names(page) == [["one vector", "?"], ["attention", "92\u00a0%"]] and vector.count() == 3
    assert "25\u00a0%" not in figure.inner_text()
    assert figure.locator(".written s").count() == 0
    question.locator(".place input").fill("0")
    question.get_by_role("button", name="That is my guess").click()
    figure.locator("g:nth-child(17)[visibility=visible] > circle.vector").first.wait_for()
    assert names(page)[0] == ["one vector", "25\u00a0%"] and vector.count() == 16
    question.get_by_role("button", name="Erase my guess").click()
    assert names(page)[0] == ["one vector", "?"] and vector.count() == 3
    figure.get_by_role("button", name="Show it without a guess").click()
    figure.locator(".written s").first.wait_for()
    assert names(page)[0] == ["one vector", "25\u00a0%"]
    assert page.evaluate("localStorage.length") == 0


def no_words_meet(page):
    boxes = page.locator(".recall text:not(.hold)").evaluate_all(
        """all => all.filter((one) => one.checkVisibility({ visibilityProperty: true }))
            .map((one) => [one.textContent, one.getBoundingClientRect()])
            .map(([text, { left, right, top, bottom }]) => [text, left, right, top, bottom])"""
    )
    for i, (text, left, right, top, bottom) in enumerate(boxes):
        for other, left2, right2, top2, bottom2 in boxes[:i]:
            apart = right <= left2 or right2 <= left or bottom <= top2 + 3 or bottom2 <= top + 3
            assert apart, (text, other)


@pytest.mark.parametrize("length", [1, 3, 8, 12, 16, 20])
def test_no_words_in_the_plot_lie_over_others_on_a_phone(open_figures, length):
    no_words_meet(open_figures(Recall(length=length), width=390))


# the reader's turn


def flashed(page, length):
    """Begins a round with so many letters; once they have been seen, what a screen reader was told
    of them.
    """
    page.get_by_role("button", name=f"{length} letters", exact=True).click()
    said = page.locator("[role=status]").last.text_content()
    page.locator(".finish:enabled").wait_for()
    return said.removeprefix(f"{length} letters, said once: ").split(", ")


def frames(page):
    """Begins to gather what the tiles show, frame by frame."""
    page.locator(".tiles").evaluate(
        """tiles => {
            window.frames = [];
            new MutationObserver(() => frames.push([...tiles.children].map((t) => t.textContent)))
                .observe(tiles, { childList: true });
        }"""
    )


def rounds_of(length):
    return {rows[0]: rows for rows in recall.measured()["rounds"][recall.PLAYED.index(length)]}


def test_letters_are_seen_once_each_and_what_is_typed_is_held_against_both_models(open_figures):
    page = open_figures(Recall())
    floor = page.get_by_text("After.").bounding_box()["y"]
    frames(page)
    letters = flashed(page, 8)
    seen = page.evaluate("frames")
    assert seen[1:9] == [["" if i != j else letters[i] for i in range(8)] for j in range(8)]
    assert seen[0] == seen[9] == [""] * 8, "before and after there are none"
    assert page.locator("[role=status]").text_content() == "", "and none can be found again"
    page.keyboard.type("".join(letters[:4]).upper() + " " + letters[5] + "é;")
    assert page.locator(".tile").all_text_contents() == [*letters[:4], " ", letters[5], "", ""]
    page.keyboard.press("Enter")
    told = "5 of 8. One vector: 4.2. Attention: 7.9."
    assert page.locator(".told").inner_text() == told
    assert page.locator("[role=status]").text_content() == told
    kinds = page.locator(".tile").evaluate_all("all => all.map((tile) => tile.classList[1])")
    assert kinds == ["right"] * 4 + ["blank", "right", "blank", "blank"]
    models = page.locator(".written dd").all_text_contents()
    assert models == rounds_of(8)["".join(letters)], "what the models wrote of these letters"
    assert state(page)["length"] == "8" and page.get_by_text("After.").bounding_box()["y"] == floor
    page.keyboard.press("Enter")  # the focus is where the next round begins
    assert page.locator(".told").inner_text() == "Watch, and remember."


def test_the_reader_s_dots_lie_at_their_shares_and_stay(open_figures):
    page = open_figures(Recall(), reduced_motion="reduce")
    dots = page.locator("circle.reader")
    for length, right in ((6, 3), (4, 4), (4, 0)):
        letters = flashed(page, length)
        page.keyboard.type("".join(letters[:right]))
        page.get_by_role("button", name="That is all I remember").click()
        attention = page.locator("svg.chart g > circle.solid.attention").nth(length - 1)
        x, y = (float(dots.last.get_attribute(name)) for name in ("cx", "cy"))
        assert x == float(attention.get_attribute("cx"))
        ends = [page.locator("svg.chart line.axis").nth(i).get_attribute("y1") for i in (0, 4)]
        assert y == pytest.approx(np.interp(right / length, [0, 1], [float(end) for end in ends]))
        assert page.locator("text.reader").is_visible()
    page.get_by_role("slider", name="letters").fill("12")
    assert page.locator("text.reader").is_hidden(), "it is named where it is the last"
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_function(
        "document.querySelector('.tl-figure').shadowRoot.querySelector('svg').clientWidth < 390"
    )
    assert dots.count() == 3, "the dots of all rounds are drawn anew"


def test_on_a_phone_without_motion_the_letters_stand_still_and_a_tap_calls_the_keyboard(
    open_figures,
):
    page = open_figures(Recall(), width=390, has_touch=True, reduced_motion="reduce")
    floor = page.get_by_text("After.").bounding_box()["y"]
    frames(page)
    page.get_by_role("button", name="4 letters", exact=True).tap()
    field = page.get_by_role("textbox", name="4 letters")
    assert field.evaluate("field => field.getRootNode().activeElement === field")
    assert float(field.evaluate("field => parseFloat(getComputedStyle(field).fontSize)")) >= 16
    page.keyboard.type("mine")
    assert field.input_value() == "", "nobody writes along"
    page.locator(".finish:enabled").wait_for()
    letters = page.evaluate("frames")[1]
    assert all(letters) and page.evaluate("frames")[2:] == [[""] * 4]
    page.keyboard.type("".join(letters))
    assert page.get_by_text("After.").bounding_box()["y"] == floor
    page.get_by_role("button", name="That is all I remember").tap()
    assert page.locator(".told").inner_text().startswith("4 of 4. ")
    assert page.get_by_text("After.").bounding_box()["y"] == floor
    assert (
        page.locator(".play button:visible").evaluate_all(
            "all => Math.min(...all.map((button) => button.offsetHeight))"
        )
        >= 44
    )


def test_a_round_that_is_left_counts_for_nothing(open_figures):
    page = open_figures(Recall(), reduced_motion="reduce")
    page.get_by_role("button", name="6 letters", exact=True).click()
    page.keyboard.press("Escape")
    assert page.locator(".told").inner_text().startswith("Your turn.")
    assert page.locator("circle.reader").count() == 0 and state(page)["turn"] == ""
    assert page.get_by_role("button", name="6 letters", exact=True).evaluate(
        "button => button.getRootNode().activeElement === button"
    )
    assert page.get_by_role("button", name="Copy", exact=True).count() == 0


def test_a_round_gives_nothing_away_before_the_guess(open_figures):
    page = open_figures(asked(), Recall(prediction="0.1"), reduced_motion="reduce")
    letters = flashed(page, 8)
    page.keyboard.type("".join(letters))
    page.keyboard.press("Enter")
    told = page.locator(".told")
    assert told.inner_text() == "8 of 8. One vector: not before your guess. Attention: 7.9."
    page.locator(".place input").fill("0")
    page.get_by_role("button", name="That is my guess").click()
    page.wait_for_function(
        """() => [...document.querySelectorAll('.tl-figure')].some((home) =>
            home.shadowRoot.querySelector('.told')?.textContent.includes('One vector: 4.2.'))"""
    )


# Each round takes as long as its letters: one length always, the others once a week
@pytest.mark.parametrize(
    "length",
    [pytest.param(n, marks=[pytest.mark.weekly] * (n != 8)) for n in recall.PLAYED],
)
@pytest.mark.parametrize("share", [0, 0.5, 1])
def test_the_reader_s_name_lies_over_no_other_word_on_a_phone(open_figures, length, share):
    page = open_figures(Recall(), width=390, reduced_motion="reduce")
    page.get_by_role("slider", name="letters").fill(f"{length}")
    letters = flashed(page, length)
    page.keyboard.type("".join(letters[: round(share * length)]))
    page.keyboard.press("Enter")
    page.locator("text.reader").wait_for()
    no_words_meet(page)
