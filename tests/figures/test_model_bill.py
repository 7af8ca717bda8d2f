"""The bill of a model: its numbers are those of `variants`, and its text is dragged."""

import re
from itertools import product

import pytest
from figure_examples import resize, spoken, state

from attention_by_hand.figures import ModelBill
from attention_by_hand.figures.model_bill import BITS, CARDS, DENSE, LENGTHS, MIXTURES, PLANS
from transformer_lite.variants import LLAMA_2_7B, cache_bytes, used_weights, weights

MOST = 90  # gigabytes on the axis


def gigabytes(text):
    number, unit = text.split()
    return float(number.replace(",", "")) / {"GB": 1, "MB": 1000}[unit]


# What the figure shows of each of these models in its state: its numbers, where its bars lie, what
# is said of it
READ = """(home, states) => {
    const all = (part) => [...home.shadowRoot.querySelectorAll(part)];
    const put = (name, value) => {
        const slider = all('.controls input[type=range]')
            .find((one) => one.labels[0].textContent.startsWith(name));
        slider.value = value;
        slider.dispatchEvent(new Event('input'));
    };
    const axis = all('.foot line.axis')[0];
    const [left, right] = ['x1', 'x2'].map((end) => Number(axis.getAttribute(end)));
    const bar = (part, place) => {
        const [x, wide] = ['x', 'width'].map((name) =>
            Number(all(`rect.${part}`)[place].getAttribute(name)));
        return [x - left, wide].map((length) => length / (right - left));
    };
    return states.map(({ model, exponent, card, bits }) => {
        all('.bars button')[model].click();
        all('[role=radio]').find((one) => one.textContent.trim() === `${bits} bits`).click();
        put('tokens', exponent);
        put('card', card);
        const row = all('.bars button')[model];
        const numbers = [...row.querySelectorAll('.parts b'), row.querySelector('.sum')];
        const [said, beyond] = ['.fitting', 'div.beyond'].map((part) => all(part)[0]);
        return {
            written: numbers.map((one) => one.textContent),
            bars: Object.fromEntries(['used', 'held', 'kept'].map((one) => [one, bar(one, model)])),
            torn: !all('.tear')[model].hasAttribute('hidden'),
            said: said.innerText,
            high: said.getBoundingClientRect().height,
            beyond: beyond.innerText,
        };
    });
}"""


def read(page, states):
    """What `READ` finds, with numbers for what is written and in gigabytes of the axis."""
    found = page.locator(".tl-figure").evaluate(READ, states)
    for one in found:
        one["written"] = [gigabytes(text) for text in one["written"]]
        one["bars"] = {name: [MOST * x for x in bar] for name, bar in one["bars"].items()}
    return found


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


def said(page):
    return page.locator(".fitting").inner_text()


def length(page):
    return page.locator(".numbers caption").text_content()


def test_it_opens_where_the_cache_is_more_than_the_weights(open_figures):
    figure = ModelBill()
    held, cache = figure.sizes()
    assert held == 2 * 6_738_415_616 and cache == cache_bytes(LLAMA_2_7B, 32_768) > held
    page = open_figures(figure)
    assert said(page) == figure.alternative and {"24", "Llama", "20,000"} <= spoken(said(page))
    assert written(page, 1) == [13.5, 17.2, 30.7]
    keys = ["weights", "cache, in 16 bits", "the card", "too much for it"]
    assert page.locator(".keys li").all_inner_texts() == keys
    over = page.locator("rect.over:not([hidden])")
    assert over.count() == 1, "of the three, one does not fit on the card"
    kept = page.locator("rect.kept").nth(1)
    ends = [
        sum(float(part.get_attribute(side)) for side in ("x", "width")) for part in (over, kept)
    ]
    assert ends[0] == pytest.approx(ends[1], abs=0.02)
    assert "of up to 4,096 tokens" in page.locator("div.beyond").inner_text()


@pytest.mark.parametrize("names", [DENSE, MIXTURES], ids=["dense", "mixtures"])
def test_every_number_is_that_of_the_package(open_figures, names):
    figure = ModelBill(names[0], models=names)
    page = open_figures(figure)
    states = [
        {"model": place, "exponent": exponent, "card": figure.card_place, "bits": 16}
        for place in range(len(names))
        for exponent in range(len(LENGTHS))
    ]
    for at, found in zip(states, read(page, states), strict=True):
        figure.model, figure.exponent = names[at["model"]], at["exponent"]
        plan, tokens = PLANS[figure.model], LENGTHS[at["exponent"]]
        held = 2 * sum(weights(plan).values()) / 1e9
        whole = plan.experts is None  # of a mixture's table of tokens, a row
        used = 2 * sum(used_weights(plan, whole_tables=whole).values()) / 1e9
        cache = cache_bytes(plan, tokens) / 1e9
        together = held + cache
        assert found["written"] == pytest.approx(
            [float(f"{x:.3g}") for x in (held, cache, together)]
        )
        assert found["said"] == figure.alternative
        ends = [0, used, held, together]
        for part, start, end in zip(("used", "held", "kept"), ends, ends[1:], strict=False):
            shown = min(start, MOST), min(end, MOST) - min(start, MOST)
            assert found["bars"][part] == pytest.approx(shown, abs=0.01), (at, part)
        assert found["torn"] == (together > MOST)
        # The text that the card has room for, too, may be longer than the model was made for
        longest = max(tokens, 0 if plan.positions == "learned" else figure.room)
        assert (found["beyond"] != "") == (longest > plan.max_length)
    table = page.locator(".numbers table").evaluate(
        "t => [t.caption.textContent, ...[...t.tBodies[0].rows].map((row) => "
        "[...row.cells].map((cell) => cell.textContent))]"
    )
    assert table == [figure.as_table().caption, *figure.as_table().rows]


def test_the_end_of_the_text_is_dragged_and_moved_with_keys(open_figures):
    page = open_figures(ModelBill(), width=360)
    drag_end(page, 8, 5, 4.2)
    assert state(page)["exponent"] == "4"
    assert length(page) == "Memory at 2,048 tokens"
    drag_end(page, 4, 30)
    assert state(page)["exponent"] == "10", "no further than the axis"
    slider = page.get_by_role("slider", name="tokens")
    slider.press("Home")
    assert state(page)["exponent"] == "0"
    slider.press("ArrowRight")
    assert length(page) == "Memory at 256 tokens"
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
    assert "Llama 2 7B" in said(page)
    page.get_by_role("radio", name="GPT-2 small").click()
    drag_end(page, 3, 4)
    assert "has never read so far" in page.locator("div.beyond").inner_text()
    assert float(dashed.get_attribute("x1")) < float(dashed.get_attribute("x2"))


@pytest.mark.parametrize("width", [320, 900])
@pytest.mark.parametrize("name", ["Llama 2 7B", "DeepSeek-V3"])
def test_its_letters_and_targets_are_large_enough_and_apart(open_figures, width, name):
    figure = ModelBill(name)
    page = open_figures(figure, width=width, reduced_motion="reduce")
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
        assert sums == [[True, True]] * len(figure.names), "no line runs through a bar's number"


def test_what_it_cannot_show_is_refused():
    with pytest.raises(ValueError, match="1000 is not one of"):
        ModelBill(tokens=1000)
    with pytest.raises(ValueError, match="card=12 is not one of"):
        ModelBill(card=12)
    with pytest.raises(ValueError, match="bits=32 is not one of"):
        ModelBill(bits=32)
    with pytest.raises(ValueError, match=re.escape("paper's base model")):
        ModelBill("paper's base model")
    with pytest.raises(ValueError, match="GPT-5"):
        ModelBill(models=["GPT-5"])
    with pytest.raises(ValueError, match="Llama 2 7B"):
        ModelBill("Llama 2 7B", models=["Llama 3 8B"])
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


@pytest.mark.parametrize("names", [DENSE, MIXTURES], ids=["dense", "mixtures"])
def test_it_says_what_fits_on_the_card(open_figures, names):
    page = open_figures(ModelBill(names[0], models=names))
    assert page.locator(".bars button").count() == len(names)
    choices = [*product(CARDS, BITS, names)]
    exponent = ModelBill().exponent
    states = [
        {"model": names.index(n), "exponent": exponent, "card": CARDS.index(c), "bits": b}
        for c, b, n in choices
    ]
    for (card, bits, name), found in zip(choices, read(page, states), strict=True):
        figure = ModelBill(name, card=card, bits=bits, models=names)
        plan = PLANS[name]
        held, _ = figure.sizes()
        assert held == sum(weights(plan).values()) * bits / 8
        assert found["written"][0] == pytest.approx(float(f"{held / 1e9:.3g}"))
        assert found["said"] == figure.alternative
        words = spoken(found["said"])
        assert {f"{card}", *spoken(name)} <= words
        if plan.experts:
            used = figure.used() / 1e9
            assert {f"{used:.3g}", f"{float(f'{held / 1e9:.3g}'):,g}"} <= words
        if figure.room < 1:
            assert "small" in words and held > card * 1e9
        elif name == "GPT-2 small":
            assert "1,024" in words
        else:
            room = figure.room
            assert held + cache_bytes(plan, room) <= card * 1e9
            assert held + cache_bytes(plan, room + 1) > card * 1e9, "not one token more"
            (tokens,) = (int(w.replace(",", "")) for w in words if re.fullmatch(r"\d+,[\d,]+", w))
            assert f"{room}".startswith(f"{tokens}".rstrip("0")), "rounded down"
            assert len(f"{tokens}".rstrip("0")) <= 2 and len(f"{tokens}") == len(f"{room}")


def test_a_mixture_stands_beside_the_others_and_a_dense_model(open_figures):
    figure = ModelBill("gpt-oss 20B", bits=4)
    assert figure.names == ["Llama 3 8B", *(n for n, plan in PLANS.items() if plan.experts)]
    page = open_figures(figure)
    assert page.locator(".keys li").count() == 5
    held, used = (20_914_757_184 / 2e9, 3_608_310_144 / 2e9)
    at = {"model": 3, "exponent": figure.exponent, "card": figure.card_place, "bits": 4}
    bars = read(page, [at])[0]["bars"]
    assert bars["used"][1] == pytest.approx(used, abs=0.01)
    assert bars["used"][1] + bars["held"][1] == pytest.approx(held, abs=0.01)
    assert {"1.8", "10.5"} <= spoken(said(page))
    deepseek = written(page, 4)
    assert deepseek[1] == pytest.approx(2 * 61 * (512 + 64) * 32_768 / 1e9, abs=0.01)
    assert page.locator(".tear:not([hidden])").count() == 1, "DeepSeek-V3 leaves the picture"
    fits = [row.get_attribute("hidden") is not None for row in page.locator("rect.over").all()]
    assert fits == [True, False, True, True, False], "with four bits, two of the four fit at home"
    dark, pale = (
        page.locator(f"rect.{part}").nth(3).evaluate("bar => getComputedStyle(bar).fill")
        for part in ("used", "held")
    )
    assert dark != pale


def test_windows_leave_a_cache_that_grows_in_every_other_layer_alone():
    figure = ModelBill("gpt-oss 20B", tokens=128)
    _, short = figure.sizes()
    figure.exponent += 1
    _, twice = figure.sizes()
    assert twice == short * 1.5


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


def test_what_is_said_of_mixtures_takes_the_same_height(open_figures):
    page = open_figures(ModelBill(MIXTURES[-1]), reduced_motion="reduce")
    states = [
        {"model": model, "exponent": ModelBill().exponent, "card": card, "bits": bits}
        for model, card, bits in product(range(len(MIXTURES)), range(len(CARDS)), BITS)
    ]
    for width in (320, 390, 460, 620, 900):
        resize(page, width)
        assert len({found["high"] for found in read(page, states)}) == 1, width
