"""Heads in memory: the blocks, what is pressed, what glides, and what waits for a guess. That they
are read where torch reads them: test_teaching_figures.py.
"""

import pytest
import torch
from figure_examples import state

from attention_by_hand.figures import HeadsInMemory, Prediction

Y = torch.arange(48.0).view(3, 16)  # three words in four heads of four numbers
STEPS = ["projected", "view", "transpose", "contiguous", "wrong view"]


def grid(page, board):
    """The texts of a board's blocks, by row and column as they lie on the page."""
    blocks = page.locator(f"{board} .block").evaluate_all(
        "all => all.map((b) => [Math.round(b.offsetTop), Math.round(b.offsetLeft), b.textContent])"
    )
    tops = sorted({top for top, _, _ in blocks})
    return [[text for _, _, text in sorted(b for b in blocks if b[0] == top)] for top in tops]


def words_and_parts(y):
    """What each block of a tensor (rows, columns, 4) is called: where its numbers stand in Y."""
    return [[f"{int(b[0]) // 16},{int(b[0]) % 16 // 4}" for b in row] for row in y.tolist()]


def colours(page, nodes):
    background = "all => all.map((b) => getComputedStyle(b).backgroundColor)"
    return page.locator(nodes).evaluate_all(background)


def test_a_head_that_has_its_own_blocks_is_of_one_colour(open_figures):
    page = open_figures(HeadsInMemory(Y, n_heads=4), reduced_motion="reduce")
    assert len(set(colours(page, ".tensor .part.block"))) == 4
    for step, mixed in (("wrong view", True), ("transpose", False)):
        page.get_by_role("radio", name=step, exact=True).click()
        names = colours(page, ".tensor .head.part")
        assert len(set(names)) == 4
        rows = {
            (name, tuple(colours(page, f".tensor .block[aria-label*='head {head},']")))
            for head, name in enumerate(names)
        }
        assert all(set(blocks) == {name} for name, blocks in rows) != mixed
        right = page.locator(".block.right").all_inner_texts()
        assert sorted(right) == (["0,0", "2,3"] if mixed else [])


def test_it_opens_on_the_wrong_view(open_figures):
    page = open_figures(HeadsInMemory(Y, n_heads=4))
    assert state(page)["step"] == "wrong view"
    assert page.get_by_role("radio", checked=True).all_inner_texts() == ["wrong view"]
    assert grid(page, ".tensor") == words_and_parts(Y.view(4, 3, 4))


@pytest.mark.parametrize("step", STEPS)
def test_the_boards_hold_the_blocks_that_torch_puts_there(open_figures, step):
    page = open_figures(HeadsInMemory(Y, n_heads=4), reduced_motion="reduce")
    page.get_by_role("radio", name=step, exact=True).click()
    right = Y.view(3, 4, 4).transpose(0, 1)
    tensor = {"transpose": right, "contiguous": right, "wrong view": Y.view(4, 3, 4)}
    assert grid(page, ".tensor") == words_and_parts(tensor.get(step, Y.view(3, 4, 4)))
    memory = right.contiguous() if step == "contiguous" else Y
    assert grid(page, ".memory") == words_and_parts(memory.reshape(3, 4, 4))


def test_a_pressed_block_shows_where_it_lies_and_a_copy_flies_there(open_figures):
    page = open_figures(HeadsInMemory(Y, n_heads=4))
    pressed = page.locator(".tensor .block", has_text="2,1")
    end = page.locator(".memory .block", has_text="2,1").bounding_box()
    start = pressed.bounding_box()
    flight = page.locator(".tl-figure").evaluate(
        """async (home) => {
            const find = (board) => [...home.shadowRoot.querySelectorAll(`${board} .block`)].find(
                (block) => block.textContent === '2,1');
            find('.tensor').click();
            const copy = home.shadowRoot.querySelector('.flying');
            const [animation] = copy.getAnimations();
            animation.pause();
            const at = (share) => {
                animation.currentTime = share * animation.effect.getTiming().duration;
                const { x, y } = copy.getBoundingClientRect();
                return [x, y];
            };
            const ends = [at(0), at(0.9999)];
            animation.finish();
            await animation.finished;
            return ends;
        }"""
    )
    assert flight[0] == pytest.approx([start["x"], start["y"]], abs=1)
    assert flight[1] == pytest.approx([end["x"], end["y"]], abs=1)
    page.locator(".flying").wait_for(state="detached")
    assert (state(page)["head"], state(page)["token"], state(page)["offset"]) == ("3", "0", "36")
    for board in (".tensor", ".memory"):
        assert page.locator(f"{board} .chosen").inner_text() == "2,1"
    page.locator(".memory .block", has_text="0,2").click()
    assert (state(page)["head"], state(page)["token"]) == ("0", "2")


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_blocks_glide_to_their_new_places_where_motion_is_welcome(open_figures, motion):
    page = open_figures(HeadsInMemory(Y, n_heads=4), reduced_motion=motion)
    moving = page.locator(".tl-figure").evaluate(
        """(home) => {
            home.shadowRoot.querySelectorAll('.choices button')[2].click();
            const block = home.shadowRoot.querySelectorAll('.tensor .block')[3];
            getComputedStyle(block).left;
            const glides = block.getAnimations().length > 0;
            block.click();
            return [glides, !!home.shadowRoot.querySelector('.flying')];
        }"""
    )
    assert moving == [motion == "no-preference"] * 2


def test_arrow_keys_lead_from_block_to_block_as_they_lie(open_figures):
    page = open_figures(HeadsInMemory(Y, n_heads=4, head=1))
    page.locator(".tensor .chosen").focus()
    found = []
    for key in ("ArrowRight", "ArrowDown", "Home"):
        page.keyboard.press(key)
        found.append((state(page)["head"], state(page)["token"]))
        focused = page.evaluate(
            "document.querySelector('.tl-figure').shadowRoot.activeElement.ariaLabel"
        )
        assert "head {}, token {},".format(*found[-1]) in focused
    assert found == [("1", "1"), ("2", "1"), ("2", "0")]
    page.get_by_role("radio", name="view", exact=True).click()
    page.locator(".tensor .chosen").press("ArrowRight")
    assert (state(page)["head"], state(page)["token"]) == ("3", "0"), "there, heads go across"
    stops = page.locator(".tensor .block").evaluate_all("all => all.map((one) => one.tabIndex)")
    assert sorted(stops) == [-1] * 11 + [0]


def test_how_many_are_in_their_place_waits_for_a_guess(open_figures):
    question = Prediction("4.1", "How many?", ["half", "fewer"], answer=1, because="Two rows.")
    page = open_figures(question, HeadsInMemory(Y, n_heads=4, prediction="4.1"))
    ask, figure = (page.locator(".tl-figure").nth(i) for i in range(2))
    verdict = figure.locator(".verdict")
    assert "How many are where they belong?" in verdict.inner_text()
    assert state(page, 1)["agree"] == "?"
    assert figure.locator(".block.right").count() == 0, "nor is it shown"
    ask.get_by_role("radio").last.check()
    ask.get_by_role("button", name="That is my guess").click()
    right = (Y.view(4, 3, 4) == Y.view(3, 4, 4).transpose(0, 1)).all(-1).sum()
    assert verdict.inner_text().startswith(f"{right} of 12 blocks")
    assert figure.locator("text.guess").is_visible()
    ask.get_by_role("button", name="Erase my guess").click()
    figure.get_by_role("button", name="Show it without a guess").click()
    assert verdict.inner_text().startswith(f"{right} of 12 blocks")


@pytest.mark.parametrize("width", [390, 900])
def test_the_largest_sentence_fits(open_figures, width):
    page = open_figures(HeadsInMemory(torch.randn(16, 1024), n_heads=16), width=width)
    blocks = page.locator(".block")
    assert blocks.evaluate_all("all => all.every((b) => b.scrollWidth <= b.clientWidth)")
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("width", [360, 900])
def test_its_letters_and_targets_are_large_enough(open_figures, width):
    page = open_figures(HeadsInMemory(torch.randn(9, 512), n_heads=8), width=width)
    blocks = page.locator(".block")
    assert min(blocks.evaluate_all("all => all.map((b) => b.offsetWidth)")) >= 24
    assert min(blocks.evaluate_all("all => all.map((b) => b.offsetHeight)")) >= 24
    sizes = "all => all.map((b) => parseFloat(getComputedStyle(b).fontSize))"
    assert min(blocks.evaluate_all(sizes)) >= 14
    assert blocks.evaluate_all("all => all.every((b) => b.scrollWidth <= b.clientWidth)")


def test_the_blocks_stand_on_paper(open_figures):
    page = open_figures(HeadsInMemory(Y, n_heads=4))
    page.emulate_media(media="print")
    assert page.locator(".tensor .block").first.is_visible()
    assert page.get_by_role("radio", name="wrong view").is_visible()
