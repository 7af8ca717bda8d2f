"""The figure that writes: what it shows and draws is what `decoder_only.py` computes."""

import base64
import gzip
from pathlib import Path

import pytest
import torch
from figure_examples import settled, shown, state, unfold
from in_node import Node

from attention_by_hand import figures
from attention_by_hand.figures import Writer
from attention_by_hand.figures.engine.pack import unpack
from attention_by_hand.figures.kit import FigureError
from attention_by_hand.figures.writer import SHIPPED
from transformer_lite import Vocabulary
from transformer_lite.data.grammar import splits
from transformer_lite.decoder_only import DecoderOnly, probabilities, write
from transformer_lite.language_model import LanguageModel, load_language_model
from transformer_lite.translator import SHIPPED as SHIPPED_TRANSLATOR
from transformer_lite.vocabulary import BOS_ID, EOS_ID, PAD_ID, BytePairVocabulary

WRITER = Path(figures.__file__).parent / "writer"


def shipped():
    learner = load_language_model(SHIPPED)
    return learner.model, learner.vocabulary


@pytest.fixture(scope="module")
def packed():
    """The model as the page has it, and its words."""
    model, vocabulary = shipped()
    model.load_state_dict(unpack(Writer().weights))
    return model, vocabulary


def ids_of(vocabulary, text):
    return [vocabulary.tokens.index(word) for word in text.split()]


@torch.no_grad()
def logits_of(model, vocabulary, text):
    logits = model(torch.tensor([ids_of(vocabulary, text)]))[0, -1]
    logits[PAD_ID] = -1e4
    return logits


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()
    settled(page)


def bars(page):
    """What stands at each bar: word and share."""
    rows = page.locator(".row").all()
    return [row.locator(".token").inner_text() for row in rows]


def test_its_model_translates_and_is_small(packed, budget):
    model, vocabulary = packed
    right = 0
    held_out = splits(30_000).unseen[:60]
    for pair in held_out:
        question = [BOS_ID, *vocabulary.encode(vocabulary.tokenize(pair.source)), BOS_ID]
        answer = [*vocabulary.encode(vocabulary.tokenize(pair.target)), EOS_ID]
        found = write(model, torch.tensor([question]))[0].tolist()
        right += found == [*question, *answer]
    assert right >= 57
    budget("the packed writer", len(gzip.compress(Writer().weights, 9)), 200_000)


@torch.no_grad()
def test_it_has_the_choice_that_chapter_11_says(packed):
    """Among how many equally likely words, on average: some in German, hardly any after it."""
    model, vocabulary = packed
    entropies = {"German": [], "English": []}
    for pair in splits(30_000).unseen[:300]:
        german, english = (vocabulary.encode(vocabulary.tokenize(text)) for text in pair[:2])
        logs = model(torch.tensor([[BOS_ID, *german, BOS_ID, *english]]))[0].log_softmax(-1)
        found = -(logs.exp() * logs).sum(-1)
        entropies["German"].append(found[: len(german)])
        entropies["English"].append(found[len(german) + 1 :])
    words = {name: torch.cat(parts).mean().exp().item() for name, parts in entropies.items()}
    assert words["German"] > 4 and words["English"] < 1.02


@pytest.mark.parametrize("options", [{}, {"temperature": 0.5, "top_k": 4}, {"top_p": 1.0}])
def test_the_bars_are_pythons_probabilities(open_figures, packed, options):
    figure = Writer(**options)
    page = open_figures(figure)
    settled(page)
    logits = logits_of(*packed, "<bos> the old man")
    ways = {"temperature": figure.temperature, "top_k": figure.top_k, "top_p": figure.top_p}
    before = probabilities(logits, temperature=figure.temperature)
    drawn = probabilities(logits, **ways)
    ranked = before.argsort(descending=True)[:10]
    expected = torch.stack((before[ranked], drawn[ranked]), dim=1)
    table = torch.tensor(shown(page)["the next word"])
    assert (table - expected).abs().max() <= 6e-4
    assert bars(page) == [packed[1].tokens[i] for i in ranked]
    assert page.locator(".row.pale").count() == int((drawn[ranked] == 0).sum())
    assert state(page)["left"] == str(int((drawn > 0).sum()))
    texts = [row[0] for row in figure.as_table().rows]
    assert texts == bars(page)


@pytest.mark.parametrize("options", [{}, {"temperature": 1.8, "seed": 5}, {"temperature": 0.0}])
def test_it_writes_what_the_same_random_numbers_draw_in_python(open_figures, packed, options):
    page = open_figures(Writer(**options), reduced_motion="reduce")
    press(page, "Write on")
    figure = page.locator("figure")
    figure.locator(".body.over").wait_for()
    settled(page)
    found = state(page)["text"].split()
    model, vocabulary = packed
    text = "<bos> the old man".split()
    dice = torch.Generator().manual_seed(options.get("seed", 1))
    while text[-1] != "<eos>" and len(text) < 64:
        logits = logits_of(model, vocabulary, " ".join(text))
        heat = options.get("temperature", 1.0)
        shares = probabilities(
            logits, temperature=heat or 1e-4, top_p=0.9, top_k=None if heat else 1
        )
        order = shares.argsort(descending=True)
        place = (shares[order].cumsum(0) > torch.rand(1, generator=dice)).nonzero()[0]
        text.append(vocabulary.tokens[order[place]])
    assert found == text
    assert page.locator(".wrote").count() == len(text) - 4
    assert page.locator(".unread").all_inner_texts() == ["<eos>"], "its end mark asks nothing more"
    page.get_by_role("button", name="Draw a word").click(force=True)
    page.locator(".row").first.click(force=True)
    assert state(page)["text"].split() == text


def test_one_column_is_computed_for_each_word_and_the_cache_keeps_the_others(open_figures, packed):
    page = open_figures(Writer())
    settled(page)
    assert page.locator(".column").count() == page.locator(".column.fresh").count() == 4
    for words in (5, 6):
        press(page, "Draw a word")
        page.locator(f".column:nth-child({words})").wait_for()
        settled(page)
        assert state(page)["read"] == "1"
        assert page.locator(".column").count() == words
        assert page.locator(".column.fresh").all_inner_texts() == [state(page)["text"].split()[-1]]
    assert f"1 token. From the cache: {words - 1}." in page.locator(".cost").inner_text()
    unfold(page)
    page.get_by_role("switch", name="positions").click()
    settled(page)
    assert page.locator(".column.fresh").count() == words, "nothing that was kept is of use"
    assert state(page)["read"] == str(words)
    press(page, "Take back")
    assert page.locator(".column").count() == words - 1
    press(page, "i do not know")
    assert state(page)["read"] == "4", "of the text before only its begin mark is of use"


@pytest.mark.parametrize("part", ["positions", "layers.0.self_attention.1"])
def test_what_is_cut_out_is_cut_out_of_pythons_model_too(open_figures, packed, part):
    figure = Writer(temperature=1.0, top_p=1.0)
    page = open_figures(figure)
    settled(page)
    whole = shown(page)["the next word"]
    name = "positions" if part == "positions" else "head 1 of layer 0"
    unfold(page)
    page.get_by_role("switch", name=name).click()
    settled(page)
    assert state(page)["off"] == part
    figure.off = [part]
    rows = figure.as_table().rows
    before = logits_of(*packed, "<bos> the old man").softmax(-1)
    ids = {word: i for i, word in enumerate(packed[1].tokens)}
    assert [row[0] for row in rows] == bars(page)
    table = torch.tensor(shown(page)["the next word"])
    assert (table - torch.tensor([row[1:] for row in rows])).abs().max() <= 6e-4
    assert abs(table - torch.tensor(whole)).max() > 0.01
    seen = sum(share > 0.004 * 0.25 for share in before[[ids[row[0]] for row in rows]].tolist())
    assert page.locator(".track u:visible").count() == seen > 4, "and where each was before"
    page.get_by_role("switch", name=name).click()
    settled(page)
    assert (shown(page)["the next word"] == whole).all() and page.locator(
        ".track u:visible"
    ).count() == 0


def dragged(page, handle, to):
    """Drags a handle to a place and lets it go."""
    box = handle.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(*to, steps=5)
    page.mouse.up()


@pytest.mark.parametrize("width", [360, 390])
def test_on_a_phone_the_buttons_are_one_row_as_wide_as_the_text(open_figures, width):
    page = open_figures(Writer(), width=width, has_touch=True)
    settled(page)
    tops = page.locator(".buttons button").evaluate_all("all => all.map((b) => b.offsetTop)")
    assert len({*tops}) == 1, "one row of buttons"
    text, anew = (page.locator(part).bounding_box() for part in (".text", ".buttons > :last-child"))
    assert anew["x"] + anew["width"] <= text["x"] + text["width"] + 1
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.locator(".begin").last.tap()
    settled(page)
    assert state(page)["text"] == "<bos>", "the last beginning is reached by a scroll"


@pytest.mark.parametrize("layers, width", [(2, 304), (2, 360), (2, 760), (3, 360)])
def test_its_buttons_and_what_can_be_cut_stand_in_straight_rows(
    open_figures, in_pieces, layers, width
):
    page = open_figures(Writer() if layers == 2 else Writer(in_pieces), width=width)
    settled(page)
    tops = page.locator(".buttons button").evaluate_all("all => all.map((b) => b.offsetTop)")
    assert len({*tops}) == 1
    assert not page.locator(".head").first.is_visible(), "what a first visit does not need"
    unfold(page)
    heads = page.locator(".head").evaluate_all("all => all.map((b) => [b.offsetLeft, b.offsetTop])")
    for layer in range(layers):
        assert [left for left, _ in heads[4 * layer :][:4]] == [left for left, _ in heads[:4]]
    assert len({top for _, top in heads}) == layers
    box = page.locator(".body").bounding_box()
    last = page.locator(".head").last.bounding_box()
    assert last["x"] + last["width"] <= box["x"] + box["width"], "none is cut"


def test_the_lot_is_seen_to_fall_on_the_word_that_is_drawn(open_figures):
    page = open_figures(Writer())
    settled(page)
    hit = """() => {
        const root = document.querySelector('.tl-figure').shadowRoot;
        const [dart, piece] = ['.dart', '.pieces .hit'].map((one) => root.querySelector(one));
        if (!piece) return null;
        const from = parseFloat(piece.style.left);
        const at = parseFloat(dart.style.left);
        return [from <= at && at <= from + parseFloat(piece.style.width),
            root.querySelector('.row.hit .token').textContent];
    }"""
    page.get_by_role("button", name="Draw a word", exact=True).click()
    inside, word = page.wait_for_function(hit).json_value()
    assert inside
    settled(page)
    assert state(page)["text"] == f"<bos> the old man {word}"


def test_an_impatient_hand_gets_a_word_for_each_press(open_figures):
    """A lot lies for a moment where it fell; pressed again meanwhile, it is written at once."""
    page = open_figures(Writer(text="ich habe", temperature=0.7))
    settled(page)
    draw = page.get_by_role("button", name="Draw a word", exact=True)
    twice = "button => { button.click(); button.click(); }"
    for words in (2, 4):
        draw.evaluate(twice)
        page.wait_for_timeout(1500)
        settled(page)
        assert len(state(page)["text"].split()) == 3 + words
    page.get_by_role("button", name="Anew").click()
    draw.click()
    page.wait_for_timeout(100)
    page.get_by_role("button", name="Take back", exact=True).click()
    page.wait_for_timeout(900)
    assert len(state(page)["text"].split()) <= 3, "what is taken back is not written afterwards"


@pytest.mark.parametrize("motion, flights", [("no-preference", 1), ("reduce", 0)])
def test_a_word_comes_from_its_bar_to_its_place(open_figures, motion, flights):
    page = open_figures(Writer(), reduced_motion=motion)
    settled(page)
    page.locator(".tl-figure").evaluate(
        """home => {
            window.flown = [];
            new MutationObserver((all) => all.forEach(({ addedNodes }) => addedNodes.forEach(
                (node) => node.className === 'flying' && flown.push(node.textContent))))
                .observe(home.shadowRoot.querySelector('.body'), { childList: true });
        }"""
    )
    first = page.locator(".column").first.element_handle()
    word = bars(page)[1]
    page.locator(".row").nth(1).click()
    settled(page)
    page.locator(".flying").wait_for(state="detached")
    assert page.evaluate("flown") == [word] * flights
    assert page.locator(".column").last.inner_text() == word
    assert first.evaluate("node => node.isConnected"), "what stood there stays"


@pytest.mark.parametrize("width", [390, 900])
def test_the_lines_are_dragged_through_the_bars_and_the_strip(open_figures, width):
    page = open_figures(Writer(), width=width)
    settled(page)
    page.locator(".others").scroll_into_view_if_needed()
    rows = page.locator(".rows").bounding_box()
    dragged(page, page.locator(".across b"), (rows["x"] + 200, rows["y"] + 0.31 * rows["height"]))
    assert state(page)["topK"] == "3" and state(page)["left"] == "3"
    assert page.locator(".row.pale").count() == 7
    sums = [float(text.rstrip("\u00a0%")) for text in page.locator(".number").all_inner_texts()[:3]]
    assert sum(sums) == pytest.approx(100, abs=1), "the three share the place of all"
    dragged(page, page.locator(".across b"), (rows["x"] + 200, rows["y"] + rows["height"] + 30))
    assert state(page)["topK"] == "357"
    lot = page.locator(".lot").bounding_box()
    dragged(page, page.locator(".lot .line b"), (lot["x"] + lot["width"] / 4, lot["y"] + 9))
    assert float(state(page)["topP"]) == pytest.approx(0.25, abs=0.01)
    assert page.locator(".row:not(.pale)").count() == int(state(page)["left"]) < 4


def test_a_word_can_be_chosen_typed_and_taken_back(open_figures):
    page = open_figures(Writer())
    settled(page)
    third = bars(page)[2]
    page.locator(".row").nth(2).click()
    settled(page)
    assert state(page)["text"] == f"<bos> the old man {third}"
    assert page.locator(".drew").inner_text() == f"You chose “{third}”."
    press(page, "ich habe")
    field = page.get_by_role("textbox", name="type the next word")
    field.fill("Die")
    field.press("Enter")
    settled(page)
    assert state(page)["text"] == "<bos> ich habe die"
    field.fill("Raumfahrt")
    field.press("Enter")
    assert "does not know “Raumfahrt”" in page.locator(".drew").inner_text()
    assert state(page)["text"] == "<bos> ich habe die" and field.input_value() == "Raumfahrt"
    field.fill("")
    field.press("Backspace")
    settled(page)
    assert state(page)["text"] == "<bos> ich habe"


def test_a_head_that_is_pointed_at_shows_where_the_newest_token_looks(open_figures, packed):
    page = open_figures(Writer())
    settled(page)
    unfold(page)
    page.get_by_role("switch", name="head 2 of layer 1").hover()
    model, vocabulary = packed
    text = "<bos> the old man"
    with torch.no_grad():
        _, maps = model(torch.tensor([ids_of(vocabulary, text)]), return_attention=True)
    looks = page.locator(".column").evaluate_all(
        "all => all.map((one) => Number(one.style.getPropertyValue('--share')))"
    )
    assert looks == pytest.approx(maps[1][0, 2, -1].tolist(), abs=1e-4)
    most = text.split()[int(maps[1][0, 2, -1].argmax())]
    assert f"“man” looks most at “{most}”" in page.locator(".looks").inner_text()
    page.get_by_role("switch", name="head 2 of layer 1").click()
    settled(page)
    assert page.locator(".looks").inner_text() == "Head 2 of layer 1 is cut out."


@pytest.mark.parametrize("width", [360, 900])
def test_nothing_below_moves_while_it_writes_and_all_can_be_pressed(open_figures, width):
    page = open_figures(Writer(), width=width, reduced_motion="reduce")
    settled(page)
    after = page.get_by_text("After.")
    floor = after.bounding_box()["y"]
    small = page.locator(".body button").evaluate_all(
        "all => all.filter((one) => Math.min(one.offsetHeight, one.offsetWidth) < 24).length"
    )
    assert small == 0
    for beginning in ("nothing", "ich trinke Tee . <bos>"):
        press(page, beginning)
        for _ in range(40):
            if "over" in page.locator(".body").get_attribute("class"):
                break
            page.locator(".row").first.click()
            settled(page)
            assert after.bounding_box()["y"] == floor
    assert state(page)["text"].endswith("i am drinking tea . <eos>")


def test_before_its_weights_are_there_it_shows_the_first_answer_and_waits(open_figures):
    """On the site they come when the reader comes near, or not at all."""
    figure = Writer()
    snapshot = figure.snapshot()
    weights = base64.b64encode(figure.weights).decode()
    assert weights in snapshot
    figure.snapshot = lambda: snapshot.replace(weights, "")  # no bytes: the file was not there
    page = open_figures(figure)
    assert bars(page)[0] == figure.as_table().rows[0][0]
    assert "did not start: its file is missing" in page.locator(".cost").inner_text()


def test_with_weights_that_come_later_the_first_text_is_read_whole(open_figures, tmp_path):
    """And once: a second reading would find all of it in the cache."""
    figure = Writer()
    snapshot = figure.snapshot()
    weights = base64.b64encode(figure.weights).decode()
    (tmp_path / "weights.js").write_text(f'document.currentScript.data = "{weights}";')
    figure.snapshot = lambda: snapshot.replace(f'"{weights}"', '{"file": "weights.js"}')
    page = open_figures(figure)
    said = page.get_by_role("status").filter(has_text="Computed").inner_text()
    assert said == "Computed: all 4 tokens."
    assert state(page)["read"] == "4"


def test_what_it_cannot_show_is_refused():
    model, vocabulary = shipped()
    for wrong, said in (
        (lambda: Writer(model), "both the model and its vocabulary"),
        (lambda: Writer(model, Vocabulary(["a"])), "has 5 tokens, the model was made for 357"),
        (lambda: Writer(model, vocabulary, ["die Raumfahrt"]), "'Raumfahrt'"),
        (lambda: Writer(model, vocabulary, ["die " * 70]), "at most 63 tokens"),
        (lambda: Writer(model, vocabulary, []), "beginnings is empty"),
        (lambda: Writer(off=["layers.2"]), "layers.2"),
        (lambda: setattr(Writer(), "text", "Käsekuchen"), "Käsekuchen"),
    ):
        with pytest.raises(FigureError, match=said):
            wrong()
    other = DecoderOnly(5, d_model=8, d_ff=8, n_layers=1, n_heads=2)
    assert Writer(other, Vocabulary(["a"])).as_table().rows


def test_home_and_end_lead_along_the_heads_and_keys_of_the_browser_nowhere(open_figures):
    page = open_figures(Writer(), reduced_motion="reduce")
    unfold(page)
    heads = page.locator(".cuts button")
    at = "all => all.findIndex((one) => one === one.getRootNode().activeElement)"
    heads.first.focus()
    for key, place in [("Control+End", 0), ("End", heads.count() - 1), ("Home", 0)]:
        page.keyboard.press(key)
        assert heads.evaluate_all(at) == place


@pytest.fixture(scope="module")
def in_pieces():
    """A model of pieces of words, which has learnt nothing."""
    texts = ["the soft, softer door (a red one) doesn't fit; the 2nd fits: die Tür 爱你"] * 3
    vocabulary = BytePairVocabulary.from_texts(texts, size=70)
    torch.manual_seed(0)
    sizes = {"d_model": 16, "d_ff": 16, "n_layers": 3, "n_heads": 4, "max_length": 40}
    return LanguageModel(DecoderOnly(len(vocabulary), **sizes).eval(), vocabulary)


def test_the_page_cuts_a_text_into_pythons_pieces(in_pieces):
    texts = [
        "the softest door",
        " the  door\n(isn't)  red; 2nd!? ",
        "Ä <unk> <bos> x$y^z=1 ▁ the▁door",
        "Tu\u0308r die\u00adse 爱你爱你",
        "fit" * 30,
        "",
        " ",
        "the" + "—“door”…",
    ]
    texts += [text for pair in splits().unseen[:200] for text in pair[:2]]
    spaces = [sign for sign in map(chr, range(0x10000)) if sign.isspace()]
    texts += [f"the{sign}soft{sign}" for sign in [*spaces, "\ufeff", "\u180e", "\u200b", "\x1b"]]
    vocabulary = in_pieces.vocabulary
    figure = Writer(in_pieces)
    with Node([WRITER / "pieces.js"]) as node:
        found = node.evaluate(
            """({ texts, ...traits }) => {
                const { cut, join } = pieces.cuttingOf({ get: (name) => traits[name] }, "<bos>");
                return texts.map((text) => [cut(text), join(cut(text))]);
            }""",
            {"texts": texts, "words": figure.words, "merges": figure.merges, "pieces": True},
        )
    for text, (cut, joined) in zip(texts, found, strict=True):
        assert cut == vocabulary.tokenize(text), text
        assert joined == vocabulary.detokenize(cut), text


def test_with_pieces_one_draws_types_and_takes_back_as_with_words(open_figures, in_pieces):
    vocabulary = in_pieces.vocabulary
    figure = Writer(in_pieces, beginnings=["the softer door", ""], top_p=1.0)
    assert "▁ stands for the space" in figure.snapshot()
    page = open_figures(figure, reduced_motion="reduce")
    settled(page)
    begun = vocabulary.tokenize("the softer door")
    assert state(page)["text"].split() == ["<bos>", *begun] and "".join(begun) == "▁the▁softer▁door"
    carried, _ = in_pieces.model, in_pieces.vocabulary
    carried.load_state_dict(unpack(figure.weights))
    logits = logits_of(carried, vocabulary, " ".join(["<bos>", *begun]))
    best = logits.softmax(-1).argsort(descending=True)[:10]
    assert bars(page) == [vocabulary.tokens[i] for i in best]
    press(page, "Draw a piece")
    drawn = state(page)["text"].split()[-1]
    assert drawn in vocabulary.tokens and state(page)["read"] == "1"
    press(page, "Take back")
    field = page.get_by_role("textbox", name="type the next word")
    field.fill("fits;")
    field.press("Enter")
    settled(page)
    typed = vocabulary.tokenize("the softer door fits;")
    assert state(page)["text"].split()[1:] == typed
    field.fill("犬")
    field.press("Enter")
    assert page.locator(".drew").inner_text() == "It does not know “犬”."
    field.fill("")
    field.press("Backspace")
    settled(page)
    assert state(page)["text"].split()[1:] == typed[:-1]
    press(page, "nothing")
    assert state(page)["text"] == "<bos>"


def test_the_folder_of_a_training_is_enough(tmp_path, in_pieces):
    in_pieces.save(tmp_path)
    for given in (tmp_path, str(tmp_path), in_pieces):
        figure = Writer(given, beginnings=["the door"], written=["▁red"])
        assert figure.words == in_pieces.vocabulary.tokens and figure.text == "the door"
        assert "“the door red”" in figure.alternative and figure.as_table().rows
    with pytest.raises(FigureError, match="'犬' is unknown"):
        Writer(tmp_path, beginnings=["the 犬"])
    with pytest.raises(FigureError, match="holds a translator"):
        Writer(SHIPPED_TRANSLATOR)
    with pytest.raises(FigureError, match="holds no model"):
        Writer(tmp_path / "gone")
