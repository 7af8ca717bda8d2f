"""The embedding lookup: what is pressed and what slides. Its numbers: test_teaching_figures.py."""

import pytest
from figure_examples import state

from attention_by_hand.exhibits.walkthrough import GLOSS, SENTENCES, TABLE
from attention_by_hand.figures import EmbeddingLookup

TEA = {"tea": [0.1, -0.2], "cup": [0.3, 0.4], "pot": [1, 2], "the": [0, 1]}


def focused(page):
    return page.evaluate(
        "document.querySelector('.tl-figure').shadowRoot.activeElement.textContent"
    )


def test_a_word_is_picked_in_its_sentence_by_mouse_and_keys(open_figures):
    page = open_figures(EmbeddingLookup(TABLE, SENTENCES))
    page.get_by_role("radio", name="红").click()
    assert (state(page)["sentence"], state(page)["position"], state(page)["id"]) == ("1", "2", "5")
    for key, word in (
        ("ArrowLeft", "变"),
        ("Home", "太阳"),
        ("ArrowUp", "我"),
        ("ArrowRight", "爱"),
    ):
        page.keyboard.press(key)
        assert focused(page).startswith(word) and state(page)["id"] == str([*TABLE].index(word))
        (checked,) = page.get_by_role("radio", checked=True).all_text_contents()
        assert checked == focused(page)
    stops = page.locator(".sentence button").evaluate_all("all => all.map((one) => one.tabIndex)")
    assert stops == [-1, 0, -1, -1, -1, -1]
    assert page.locator(".fetched .painted:visible").count() == 5, "of all words but one"


def test_a_row_of_the_table_leads_to_its_word(open_figures):
    page = open_figures(EmbeddingLookup(TEA, [["cup", "tea"], ["the", "cup"]]))
    rows = page.locator("button.row")
    found = []
    for row in (3, 1, 0):
        rows.nth(row).click()
        found.append((state(page)["sentence"], state(page)["position"], state(page)["id"]))
    assert found == [("1", "0", "3"), ("1", "1", "1"), ("0", "1", "0")], "here, if it stands here"
    assert rows.nth(2).is_disabled(), "in no sentence"
    rows.nth(0).press("ArrowDown")
    assert focused(page).startswith("1 cup")
    rows.nth(1).press("ArrowDown")
    assert focused(page).startswith("3 the")
    page.locator("tbody tr").nth(1).locator("td.number").nth(1).click()
    assert (state(page)["id"], state(page)["column"]) == ("1", "1")
    page.locator("tbody tr").nth(2).locator("td.number").first.click()
    assert (state(page)["id"], state(page)["column"]) == ("1", "0")


def test_a_pressed_mouse_drags_from_row_to_row(open_figures):
    page = open_figures(EmbeddingLookup(TABLE, SENTENCES))
    cell = lambda row: page.locator("tbody tr").nth(row).locator("td.number").nth(2)  # noqa: E731
    cell(0).hover()
    page.mouse.down()
    found = []
    for row in (1, 2, 4):
        cell(row).hover()
        found.append((state(page)["id"], state(page)["column"]))
    page.mouse.up()
    cell(5).hover()
    found.append((state(page)["id"], state(page)["column"]))
    assert found == [("1", "2"), ("2", "2"), ("4", "2"), ("4", "2")]


def test_the_row_that_is_kept_has_the_colours_of_what_is_left(open_figures):
    page = open_figures(EmbeddingLookup(TEA, [["cup", "tea"]]))
    grounds = lambda what: page.locator(what).evaluate_all(  # noqa: E731
        "all => all.map((one) => getComputedStyle(one).backgroundColor)"
    )
    for word in (0, 1):
        page.locator("button.row").nth(word).click()
        kept = grounds("tbody tr.on td.number")
        assert len(set(kept)) == 2 and kept == grounds(".left button")
        assert set(grounds("tbody tr:not(.on) td.number")) == {"rgba(0, 0, 0, 0)"}


def test_the_arrows_lead_into_a_shorter_sentence(open_figures):
    page = open_figures(EmbeddingLookup(TEA, [["cup", "tea", "cup"], ["tea"], ["tea", "cup"]]))
    buttons = page.locator(".sentence button")
    buttons.nth(2).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
    shown = state(page)
    assert (shown["sentence"], shown["position"]) == ("1", "0")
    assert buttons.nth(3).evaluate("button => button === button.getRootNode().activeElement")


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_the_row_slides_out_of_the_table_where_motion_is_welcome(open_figures, motion):
    page = open_figures(EmbeddingLookup(TABLE, SENTENCES), reduced_motion=motion)
    away = page.locator(".tl-figure").evaluate(
        """(home) => {
            const find = (what) => [...home.shadowRoot.querySelectorAll(what)];
            const [left] = find('.left');
            const cell = find('.panel tbody tr')[2].querySelector('td.number');
            find('button.row')[2].click();
            const [slide] = left.getAnimations();
            if (!slide) return null;
            slide.pause();
            return [0, 0.35].map((share) => {
                slide.currentTime = share * slide.effect.getTiming().duration;
                const [to, from] = [left, cell].map((node) => node.getBoundingClientRect());
                return [to.left - from.left, to.top - from.top];
            });
        }"""
    )
    if motion == "reduce":
        assert away is None
    else:
        (x, y), (out, along) = away
        assert [x, y, along] == pytest.approx([0, 0, 0], abs=1), "out of its row, sideways first"
        assert out > 20


@pytest.mark.parametrize("width", [390, 900])
@pytest.mark.parametrize("gloss", [{}, GLOSS])
def test_the_row_lands_under_its_word_and_nothing_else_moves(open_figures, width, gloss):
    page = open_figures(
        EmbeddingLookup(TABLE, SENTENCES, gloss=gloss), width=width, reduced_motion="reduce"
    )
    high = page.locator(".tl-figure").bounding_box()["height"]
    left, panel = page.locator(".left"), page.locator(".panel")
    table = panel.bounding_box()
    for button in page.locator(".sentence button").all():
        button.click()
        word, row = button.bounding_box(), left.bounding_box()
        assert row["y"] >= word["y"] + word["height"]
        assert row["x"] < word["x"] + word["width"] / 2 < row["x"] + row["width"]
        assert row["x"] + row["width"] < width - 15
        assert left.locator("button").nth(3).bounding_box()["y"] == row["y"], "on one line"
        left.locator("button").last.click()
        assert page.locator(".tl-figure").bounding_box()["height"] == high
        assert panel.bounding_box() == table


@pytest.mark.parametrize("narrower", ["0px", "-3px"])
@pytest.mark.parametrize("width", [360, 900])
def test_its_letters_and_targets_are_large_enough(open_figures, width, narrower):
    """In any font: in a narrow one letters stand closer."""
    page = open_figures(EmbeddingLookup(TABLE, SENTENCES, gloss=GLOSS), width=width)
    closer = f"<style>* {{ letter-spacing: {narrower} !important }}</style>"
    page.locator("figure").evaluate(
        "(figure, style) => figure.insertAdjacentHTML('beforeend', style)", closer
    )
    cells = page.locator(".panel :is(td, th, button)")
    sizes = "all => all.map((one) => parseFloat(getComputedStyle(one).fontSize))"
    assert min(cells.evaluate_all(sizes)) >= 14
    targets = page.locator(".body :is(button, td.number)")
    least = min(
        targets.evaluate_all("all => all.map((b) => Math.min(b.offsetWidth, b.offsetHeight))")
    )
    assert least >= (36 if width == 360 else 28)
    assert page.locator(".panel").evaluate("p => p.scrollWidth <= p.clientWidth"), "all is in sight"


def test_on_a_desk_the_sentences_and_the_sum_stand_beside_the_table(open_figures):
    page = open_figures(EmbeddingLookup(TABLE, SENTENCES, gloss=GLOSS), width=760)
    table, read, work = (page.locator(part).bounding_box() for part in (".panel", ".read", ".work"))
    assert min(read["x"], work["x"]) >= table["x"] + table["width"]
    assert abs(read["y"] - table["y"]) < 10, "the upper right is not blank"


@pytest.mark.parametrize("width", [360, 700, 900])
def test_a_wide_table_scrolls_and_leaves_room_for_the_words(open_figures, width):
    page = open_figures(
        EmbeddingLookup({"tea": [0.5] * 20, "cup": [1] * 20}, [["cup"]]), width=width
    )
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.locator(".work").bounding_box()["width"] > 250


def test_the_product_stands_on_paper(open_figures):
    page = open_figures(EmbeddingLookup(TABLE, SENTENCES))
    page.emulate_media(media="print")
    for what in ("button.row", ".left button", ".sentence button"):
        assert page.locator(what).first.is_visible()


def test_chinese_words_bring_their_letters(open_figures):
    page = open_figures(EmbeddingLookup(TABLE, SENTENCES))
    page.wait_for_function(
        "[...document.fonts].some((f) => /Signs/.test(f.family) && f.status === 'loaded')"
    )
    assert "d09GMg" in EmbeddingLookup(TABLE, SENTENCES).snapshot(), "a WOFF2 file in base64"
    assert "d09GMg" not in EmbeddingLookup(TEA, [["cup", "tea"]]).snapshot(), "English needs none"
