"""The figures where the reader meets them: on the built pages, moved by the keyboard, with every
other host blocked.
"""

import re

import numpy as np
import pytest
from figure_examples import shown

from attention_by_hand.exhibits.walkthrough import GLOSS, PRINTED, TABLE
from attention_by_hand.figures.kit import bundle
from attention_by_hand.figures.kit.figure import style
from attention_by_hand.studies.two_sentences import train_two_sentences
from transformer_lite import load_translator
from transformer_lite.data.corpus import TWO_SENTENCES


@pytest.fixture(scope="module")
def explorer():
    """(page, what its first explorer shows, the layer and head it opens on)"""
    translator, _ = train_two_sentences(seed=0, progress=False)
    return (
        "chapters/09-reading-attention.html",
        translator.translate_batch([german for german, _ in TWO_SENTENCES]),
        (0, 1),
    )


@pytest.fixture
def open_page(visit):
    opened = []

    def open_page(path, over="http"):
        opened.append(visit(path, over=over))
        opened[-1].page.wait_for_selector(".tl-figure .controls", state="attached")
        return opened[-1].page

    yield open_page
    for seen in opened:
        assert not seen.blocked and not seen.errors


def control(page, label, figure=None):
    figure = figure or page.locator(".tl-figure").first
    return figure.get_by_role("slider", name=label).or_(figure.get_by_role("combobox", name=label))


def test_every_control_of_the_explorer_shows_the_weights_it_says(open_page, explorer):
    path, results, (layer, head) = explorer
    page = open_page(path)
    state = {"sentence": 0, "attention": "cross", "layer": layer, "head": head}

    def assert_drawn():
        maps = getattr(results[state["sentence"]].attention, state["attention"])
        (table,) = shown(page).values()
        expected = maps[state["layer"]][0, state["head"]].numpy()
        assert table.shape == expected.shape and np.abs(table - expected).max() < 1e-2

    assert_drawn()
    figure = page.locator(".tl-figure").first
    for key, label, value in (
        ("ArrowRight", "head", 2),
        ("ArrowRight", "head", 3),
        ("ArrowDown", "layer", 1),
        ("ArrowUp", "layer", 0),
        ("ArrowLeft", "head", 2),
        ("Home", "head", 0),
    ):
        here = figure.get_by_role("gridcell", name=f"layer {state['layer']}, head {state['head']}")
        here.press(key)
        state[label] = value
        assert_drawn()
    for label, value in (
        ("attention", "encoder"),
        ("attention", "decoder"),
        ("sentence", 1),
        ("attention", "cross"),
    ):
        if label == "sentence":
            control(page, label).select_option(index=value)
        else:
            kinds = figure.get_by_role("radiogroup", name="attention")
            kinds.get_by_role("radio", name=value).click()
        state[label] = value
        assert_drawn()
    heads = figure.evaluate(
        """home => ['thead', 'tbody'].map((part) =>
            [...home.shadowRoot.querySelectorAll(`.numbers ${part} th`)]
                .map((th) => th.textContent))"""
    )
    assert heads[0] == results[1].source_tokens, "rows and columns carry the tokens"
    for head, read in zip(heads[1], results[1].decoder_tokens, strict=True):
        assert read in head


def test_by_hand_on_the_page_is_the_printed_arithmetic_and_follows_an_edit(open_page):
    page = open_page("chapters/02-query-key-value.html", over="file")
    kinds = page.locator(".tl-figure").evaluate_all(
        "all => all.map((figure) => figure.dataset.figure)"
    )
    printed = kinds.index("ByHand")
    figure = page.locator(".tl-figure").nth(printed)

    def tables():
        return {name.split(":")[0]: table for name, table in shown(page, printed).items()}

    names = {
        "Q = K = V": "Q",
        "scores": "scores",
        "scaled": "scaled",
        "weights": "weights",
        "output": "output",
    }
    for sentence in (0, 1):
        figure.get_by_role("radio").nth(sentence).click()
        for title, name in names.items():
            assert np.abs(tables()[title] - np.array(PRINTED[name, 8][sentence])).max() < 1e-8
    figure.locator(".panel.weights td[role=gridcell]").nth(4).click()
    assert figure.locator(".terms").inner_text().endswith("= 0.3400"), "as its table"

    before = tables()
    field = figure.get_by_label("x row 0 column 2", exact=True)
    field.fill("1.5")
    field.press("Enter")
    after = tables()
    assert np.abs(after["Q = K = V"][0] - before["Q = K = V"][0]).max() > 0.1
    assert np.array_equal(after["Q = K = V"][1:], before["Q = K = V"][1:])
    assert np.abs(after["weights"].sum(1) - 1).max() < 1e-7 and not np.array_equal(
        after["output"], before["output"]
    )


def test_embedding_lookup_keeps_one_row_of_the_table(open_page):
    page = open_page("chapters/01-words-to-vectors.html")
    table = {GLOSS[word].split(" · ")[1]: row for word, row in TABLE.items()}
    figure = page.locator(".tl-figure").nth(1)  # behind the prediction

    def word(text):
        return figure.get_by_role("radio", name=text)

    def assert_drawn(word, column):
        (products,) = shown(page, 1).values()
        expected = np.zeros((len(table), len(table[word])))
        expected[list(table).index(word)] = table[word]
        assert np.allclose(products, expected)
        assert figure.locator(".terms b").inner_text().strip() == f"= {table[word][column]:.2f}"
        assert figure.locator("button[aria-checked=true]").inner_text().startswith(word)

    assert_drawn("I", 0)
    word("I id").press("ArrowRight")
    assert_drawn("love", 0)
    figure.locator(".left button").first.press("End")
    assert_drawn("love", 3)
    word("love").press("ArrowDown")
    assert_drawn("turn", 3)
    word("red").click()
    assert_drawn("red", 3)
    word("red").press("ArrowLeft")
    assert_drawn("turn", 3)
    figure.locator("button.row").nth(2).click()
    assert_drawn("China", 3)


@pytest.mark.parametrize("over", ["http", "file"])
def test_the_live_translator_fetches_its_weights_when_the_reader_comes_and_translates(
    open_page, over
):
    page = open_page("chapters/09-reading-attention.html", over)
    figure = page.locator("[data-figure=LiveTranslator]")
    figure.locator("[data-state=waiting]").wait_for(state="attached")
    figure.scroll_into_view_if_needed()
    done = figure.locator("figure[data-state=done]")
    done.wait_for()
    figure.locator(".fresh").click()
    page.keyboard.insert_text("Heute kann sie meine Schwester nicht anrufen .")
    page.keyboard.press("Enter")
    figure.locator("figure[data-state=typing]").wait_for()
    done.wait_for()
    sentence = "heute kann sie meine Schwester nicht anrufen ."
    assert done.get_attribute("data-written") == load_translator().translate(sentence).text
    figure.locator("[data-part=positions]").first.click()
    address = figure.locator(".verdict a").get_attribute("href")
    assert address == "../chapters/06-positions.html"


def test_pages_refer_to_large_data_instead_of_carrying_them(site):
    pages = [path.read_text("utf-8") for path in site.rglob("*.html")]
    assert not any(
        "widget-state+json" in text or re.search('":"[A-Za-z0-9+/]{65536}', text) for text in pages
    )
    named = {name for text in pages for name in re.findall(r"_static/data/(\w+\.js)", text)}
    assert named and named <= {file.name for file in (site / "_static" / "data").iterdir()}


def test_a_page_has_each_module_of_its_figures_and_their_style_once(site):
    for path in site.rglob("*.html"):
        page = path.read_text("utf-8")
        rooms = set(re.findall(r'document\.figures\["(\w+)"\]', page))
        assert (rooms != set()) == ('<div class="tl-figure"' in page), path.name
        modules = re.findall(r"^const (\$\w+) = \(\(\) => \{$", page, re.M)
        assert len(modules) == len(set(modules)), path.name
        assert {f"${room}_figure" for room in rooms} <= set(modules), path.name
        assert page.count(bundle.quoted(style())) == (rooms != set()), path.name
