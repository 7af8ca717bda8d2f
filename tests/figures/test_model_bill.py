"""The bill of a model: its numbers are those of `variants`, and its text is dragged."""

import re
from itertools import product

import pytest
from figure_examples import spoken, state

from attention_by_hand.figures import ModelBill
from attention_by_hand.figures.model_bill import BITS, CARDS, LENGTHS, PLANS
from transformer_lite.variants import LLAMA_2_7B, cache_bytes, weights


def gigabytes(text):
    number, unit = text.split()
    return float(number) / {"GB": 1, "MB": 1000}[unit]


def written(page, place):
    """The gigabytes that are written of a model: of the weights, of the cache, and of both."""
    row = page.get_by_role("radio").and_(page.locator(".bars button")).nth(place)
    texts = [*row.locator(".parts b").all_inner_texts(), row.locator(".sum").text_content()]
    return [gigabytes(text) for text in texts]


def drag_end(page, *exponents):
    """Drags the end of the text along these places of the axis."""
    text = page.locator("svg.text")
    text.scroll_into_view_if_needed()
    box = text.bounding_box()
    axis = text.locator("line.axis").first
    left, right = (float(axis.get_attribute(end)) for end in ("x1", "x2"))
    unit = text.evaluate("svg => svg.getScreenCTM().a")
    y = box["y"] + box["height"] / 3
    for i, exponent in enumerate(exponents):
        page.mouse.move(box["x"] + (left + (right - left) * exponent / 10) * unit, y)
        if i == 0:
            page.mouse.down()
    page.mouse.up()


def test_it_opens_where_the_cache_is_more_than_the_weights(open_figures):
    figure = ModelBill()
    held, cache = figure.sizes()
    assert held == 2 * 6_738_415_616 and cache == cache_bytes(LLAMA_2_7B, 32_768) > held
    page = open_figures(figure)
    says = page.locator(".says").inner_text()
    assert says == figure.alternative and {"32,768", "17.2", "more", "weights"} <= spoken(says)
    assert written(page, 1) == [13.5, 17.2, 30.7]
    over = page.locator("rect.over:not([hidden])")
    assert over.count() == 1, "of the three, one does not fit on the card"
    kept = page.locator("rect.kept").nth(1)
    ends = [
        sum(float(part.get_attribute(side)) for side in ("x", "width")) for part in (over, kept)
    ]
    assert ends[0] == pytest.approx(ends[1], abs=0.02)
    assert "of up to 4,096 tokens" in page.locator("div.beyond").inner_text()


@pytest.mark.parametrize("place", range(len(PLANS)))
def test_every_number_is_that_of_the_package(open_figures, place):
    name, plan = list(PLANS.items())[place]
    figure = ModelBill(name, tokens=128)
    page = open_figures(figure)
    slider = page.get_by_role("slider", name="tokens")
    for exponent, tokens in enumerate(LENGTHS):
        slider.fill(str(exponent))
        figure.exponent = exponent
        held = 2 * sum(weights(plan).values())
        cache = cache_bytes(plan, tokens)
        assert written(page, place) == pytest.approx(
            [float(f"{x / 1e9:.3g}") for x in (held, cache, held + cache)]
        )
        assert page.locator(".says").inner_text() == figure.alternative
        bars = [
            [
                float(page.locator(f"rect.{part}").nth(place).get_attribute(side))
                for side in ("x", "width")
            ]
            for part in ("held", "kept")
        ]
        assert bars[1][0] == pytest.approx(sum(bars[0]), abs=0.02), "one next to the other"
        axis = page.locator(".foot line.axis")
        wide = float(axis.get_attribute("x2")) - float(axis.get_attribute("x1"))
        assert [w * 90 / wide for _, w in bars] == pytest.approx(
            [held / 1e9, cache / 1e9], abs=0.01
        )
        assert (page.locator("div.beyond").inner_text() != "") == (tokens > plan.max_length)
    table = page.locator(".numbers table").evaluate(
        "t => [t.caption.textContent, ...[...t.tBodies[0].rows].map((row) => "
        "[...row.cells].map((cell) => cell.textContent))]"
    )
    assert table == [figure.as_table().caption, *figure.as_table().rows]


@pytest.mark.parametrize("width", [360, 900])
def test_the_end_of_the_text_is_dragged_and_moved_with_keys(open_figures, width):
    page = open_figures(ModelBill(), width=width)
    drag_end(page, 8, 5, 4.2)
    assert state(page)["exponent"] == "4"
    assert "At 2,048 tokens" in page.locator(".says").inner_text()
    drag_end(page, 4, 30)
    assert state(page)["exponent"] == "10", "no further than the axis"
    slider = page.get_by_role("slider", name="tokens")
    slider.press("Home")
    assert state(page)["exponent"] == "0"
    slider.press("ArrowRight")
    assert "At 256 tokens" in page.locator(".says").inner_text()
    assert slider.get_attribute("aria-valuetext") == "256"


def test_another_model_is_chosen_and_gpt_2_has_not_read_so_far(open_figures):
    page = open_figures(ModelBill(tokens=1024))
    page.get_by_role("radio", name="GPT-2 small").click()
    assert written(page, 0) == pytest.approx([0.249, 0.0377, 0.287])
    assert page.locator(".parts").first.inner_text() == "249 MB + 37.7 MB", "small ones in MB"
    assert page.locator("div.beyond").inner_text() == ""
    dashed = page.locator("line.beyond")
    assert dashed.get_attribute("x1") == dashed.get_attribute("x2")
    page.get_by_role("radio", name="GPT-2 small").press("ArrowRight")
    assert "Llama 2 7B" in page.locator(".says").inner_text()
    page.get_by_role("radio", name="GPT-2 small").click()
    drag_end(page, 3, 4)
    assert "has never read so far" in page.locator("div.beyond").inner_text()
    assert float(dashed.get_attribute("x1")) < float(dashed.get_attribute("x2"))


@pytest.mark.parametrize("width", [320, 360, 900])
def test_its_letters_and_targets_are_large_enough_and_apart(open_figures, width):
    page = open_figures(ModelBill(), width=width, reduced_motion="reduce")
    texts = page.locator(".bill svg text")
    sizes = texts.evaluate_all(
        "all => all.map((text) => parseFloat(getComputedStyle(text).fontSize) * "
        "text.getScreenCTM().a)"
    )
    assert min(sizes) > 11.9
    boxes = page.locator("svg.text text").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect()).map((box) => [box.left, box.right])"
    )
    assert all(right + 4 < left for (_, right), (left, _) in zip(boxes, boxes[1:], strict=False))
    buttons = page.locator(".bars button").evaluate_all(
        "all => all.map((b) => Math.min(b.offsetWidth, b.offsetHeight))"
    )
    assert min(buttons) >= 44
    for end, card in product(("Home", "End"), range(len(CARDS))):
        page.get_by_role("slider", name="tokens").press(end)
        page.get_by_role("slider", name="card").fill(str(card))
        sums = page.locator(".sum").evaluate_all(
            """all => all.map((sum) => {
                const bar = sum.closest("svg").getBoundingClientRect();
                const text = sum.getBoundingClientRect();
                const card = sum.closest("svg").querySelector("rect.card").getBoundingClientRect();
                return [text.left > card.right || text.right < card.left, text.right <= bar.right];
            })"""
        )
        assert sums == [[True, True]] * 3, "no line runs through what a bar is together"


def test_what_it_cannot_show_is_refused():
    with pytest.raises(ValueError, match="1000 is not one of"):
        ModelBill(tokens=1000)
    with pytest.raises(ValueError, match="card=12 is not one of"):
        ModelBill(card=12)
    with pytest.raises(ValueError, match="bits=32 is not one of"):
        ModelBill(bits=32)
    with pytest.raises(ValueError, match=re.escape("paper's base model")):
        ModelBill("paper's base model")
    figure = ModelBill(tokens=131_072)
    assert figure.tokens == 131_072
    with pytest.raises(ValueError, match="out of range"):
        figure.exponent = 11


def test_the_tab_key_stops_at_the_model_that_is_chosen(open_figures):
    page = open_figures(ModelBill())
    page.evaluate("location.hash = 'ModelBill?model=2'")
    page.wait_for_function(
        "document.querySelector('.tl-figure').shadowRoot.querySelector('[data-model=\"2\"]')"
    )
    stops = page.locator(".bars [role=radio]").evaluate_all("all => all.map((one) => one.tabIndex)")
    assert stops == [-1, -1, 0]


def test_the_card_is_dragged_to_another_and_moved_with_keys(open_figures):
    page = open_figures(ModelBill(), reduced_motion="reduce")
    head = page.locator(".head svg")
    head.scroll_into_view_if_needed()
    box, axis = head.bounding_box(), page.locator(".foot line.axis")
    left, right = (float(axis.get_attribute(end)) for end in ("x1", "x2"))
    at = lambda size: box["x"] + left + (right - left) * size / 90  # noqa: E731
    found = []
    page.mouse.move(at(24), box["y"] + 12)
    page.mouse.down()
    for size in (50, 75, 60, 17, 2):
        page.mouse.move(at(size), box["y"] + 12)
        found.append(state(page)["card"])
        line = page.locator(".bars rect.card").nth(1).bounding_box()
        assert line["x"] == pytest.approx(at(int(found[-1])), abs=1.5), "the line has moved"
    page.mouse.up()
    assert found == ["24", "80", "80", "16", "8"]
    slider = page.get_by_role("slider", name="card")
    slider.press("End")
    assert state(page)["card"] == "80" and slider.get_attribute("aria-valuetext") == "80 GB"
    assert page.locator("rect.over:not([hidden])").count() == 0, "all fit on the largest"


def test_it_says_what_fits_on_the_card(open_figures):
    page = open_figures(ModelBill())
    for (i, card), (j, bits), (k, name) in product(*map(enumerate, (CARDS, BITS, PLANS))):
        page.get_by_role("slider", name="card").fill(str(i))
        page.get_by_role("radio", name=f"{bits} bits").click()
        page.locator(".bars button").nth(k).click()
        figure = ModelBill(name, card=card, bits=bits)
        held, _ = figure.sizes()
        assert (figure.card_place, figure.bits_place) == (i, j)
        assert held == sum(weights(PLANS[name]).values()) * bits / 8
        assert written(page, k)[0] == pytest.approx(float(f"{held / 1e9:.3g}"))
        said = spoken(page.locator(".fitting").inner_text())
        assert {f"{card}", *spoken(name)} <= said
        if figure.room < 1:
            assert "small" in said and held > card * 1e9
        elif name == "GPT-2 small":
            assert "1,024" in said
        else:
            (tokens,) = (int(w.replace(",", "")) for w in said if re.search(r"\d,\d", w))
            assert f"{figure.room}".startswith(f"{tokens}".rstrip("0")), "rounded down"
            assert len(f"{tokens}".rstrip("0")) <= 2 and len(f"{tokens}") == len(f"{figure.room}")


@pytest.mark.parametrize("width", [360, 900])
def test_fewer_bits_shrink_the_bars_and_the_content_fills_its_card(open_figures, width):
    page = open_figures(ModelBill(), width=width, reduced_motion="reduce")
    wide, kept = [], set()
    for bits in BITS:
        page.get_by_role("radio", name=f"{bits} bits").click()
        bar = page.locator("rect.held").nth(1)
        wide.append(float(bar.get_attribute("width")))
        kept.add(page.locator("rect.kept").nth(1).get_attribute("width"))
    assert len(kept) == 1
    assert wide == pytest.approx([wide[0], wide[0] / 2, wide[0] / 4], abs=0.02)
    body, bars = (page.locator(part).bounding_box() for part in (".body", ".bars button >> nth=0"))
    assert bars["width"] > body["width"] - 2
