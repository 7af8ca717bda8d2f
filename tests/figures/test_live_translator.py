"""The live translator beside the package: what the page writes, shows and promises is what PyTorch
says.
"""

import copy
import gzip
import importlib.util
import json
import math
import random
import re
from functools import cache, partial
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest
import torch
from conftest import opener
from figure_examples import HOSTILE, resize, settled, shown, spoken, state, unfold
from in_node import Node
from torch import nn

import transformer_lite as tl
from attention_by_hand.exhibits.glosses import glosses
from attention_by_hand.figures import LiveTranslator
from attention_by_hand.figures.kit import FigureError
from attention_by_hand.figures.live_translator import ATTENTIONS, EXPERIMENTS, SENTENCES, SWITCHES
from attention_by_hand.figures.live_translator.words import kinds
from transformer_lite import decoding
from transformer_lite import model as model_module
from transformer_lite.data.corpus import TWO_SENTENCES
from transformer_lite.data.grammar import generate
from transformer_lite.vocabulary import BOS_ID, BytePairVocabulary, split_words

ROOT = Path(__file__).parents[2]
DONE = "figure[data-state=done]"
WHY = "warum hast du gestern die neuen Bücher gelesen ?"
SURE = "how sure it was of each word"


@pytest.fixture(scope="module")
def figure():
    return LiveTranslator()


@pytest.fixture(scope="module")
def translator(figure):
    """What the page has: the shipped translator with its weights rounded to 8 bits."""
    return figure._translator


@pytest.fixture(scope="module")
def pairs():
    """Sentences of the grammar, most of them new to the translator."""
    return generate(1500, seed=7)


@pytest.fixture(scope="module")
def kept_page(tabs, tmp_path_factory, figure):
    """A page with the translator, and its state at first."""
    with opener(tabs, tmp_path_factory.mktemp("translator")) as open_figures:
        page = open_figures(figure, reduced_motion="reduce")
        page.wait_for_selector(DONE)
        yield page, state(page)


AS_IT_OPENS = {"source": SENTENCES[0], "off": [], "beam": 1, "temperature": 0, "step": 1}
AS_IT_OPENS |= {"kind": 0, "layer": 1, "head": 1, "source_word": -1, "seed": 0}


@pytest.fixture
def opened(kept_page):
    """The page as it opens: by its address, or where that does not bring everything back, anew."""
    page, first = kept_page
    page.mouse.move(0, 0)
    page.emulate_media(media="null")
    query = urlencode({trait: json.dumps(value) for trait, value in AS_IT_OPENS.items()})
    page.evaluate("hash => { location.hash = hash; }", f"LiveTranslator?{query}")
    left_open = page.locator("input[name=source], .try:visible, .answer:visible").count()
    unfold(page)
    if left_open or state(page) != first:
        address = page.url.partition("#")[0]
        page.goto("about:blank")
        page.goto(address)
        page.wait_for_selector(DONE)
        unfold(page)
    return page


def words(page, line="target"):
    """The words of a line, as they are to be read."""
    return page.locator(f".{line} .word .token").all_inner_texts()


def written(page):
    page.wait_for_selector(DONE)
    return page.locator("figure").first.get_attribute("data-written")


def type_in(page, sentence):
    page.locator(".fresh").first.click()
    page.keyboard.insert_text(sentence)
    page.keyboard.press("Enter")


def translate(page, sentence):
    type_in(page, sentence)
    return written(page)


def cut(page, *parts):
    for part in parts:
        page.locator(f"[data-part='{part}']").first.click()
    return written(page)


def put_back(page):
    page.get_by_role("button", name="put everything back").click()
    return written(page)


def look_at(page, kind, layer, head):
    """Has the threads of this head drawn."""
    layers = page.locator("select[name=look] option").count() // len(ATTENTIONS)
    place = list(ATTENTIONS).index(kind) * layers + layers - 1 - layer
    page.locator("select[name=look]").select_option(index=place)
    page.locator(".looks .dot").nth(head).click()


def verdict(page):
    return page.locator(".verdict").inner_text()


def said(page):
    return re.sub(r"\s+", " ", page.locator(".sentence").inner_text())


# ------------------------------------------------------------------------------- the same switches
# in PyTorch


def silenced(module):
    """Its last step gives zeros."""
    for weight in module.parameters():
        weight.zero_()


def without_part(model, part):
    """Takes out a layer, one of its boxes or a head, in place."""
    stack, layer, *inside = part.split(".")
    if not inside:
        kept = [one for i, one in enumerate(getattr(model, stack)) if i != int(layer)]
        setattr(model, stack, nn.ModuleList(kept))
    elif inside == ["feed_forward"]:
        silenced(model.get_submodule(part)[2])
    elif len(inside) == 1:
        model.get_submodule(part).w_o.weight.zero_()
    else:
        name, head = part.rsplit(".", 1)
        size = model.config.d_model // model.config.n_heads
        columns = slice(size * int(head), size * (int(head) + 1))
        model.get_submodule(name).w_o.weight[:, columns] = 0


@torch.no_grad()
def switched(model, off, monkeypatch):
    """A copy of the model without some of its parts."""
    model = copy.deepcopy(model)
    layers = [*model.encoder, *model.decoder]
    attentions = [m for m in model.modules() if isinstance(m, tl.MultiHeadAttention)]
    for part in off:
        if part == "positions":
            model.positions.zero_()
        elif part == "feed_forward":
            for layer in layers:
                silenced(layer.feed_forward[2])
        elif part == "scaling":
            for attention in attentions:
                attention.w_q.weight *= math.sqrt(model.config.d_model / model.config.n_heads)
        elif part == "residuals":
            for layer in layers:
                layer.add_and_norm = lambda x, found, norm: norm(found)
        elif part == "causal mask":

            def everything(length, device=None):
                return torch.ones(length, length, dtype=torch.bool)

            monkeypatch.setattr(model_module, "causal_mask", everything)
        else:
            without_part(model, part)
    return model


@torch.no_grad()
def by_pytorch(translator, model, sentence):
    """Greedy decoding without any cache: the tokens, and the probabilities (steps, V) that they
    were chosen by.
    """
    source = torch.tensor([translator.source_vocabulary.encode(sentence.split())])
    ids, rows = [BOS_ID], []
    while len(ids) <= model.config.max_length and ids[-1] != decoding.EOS_ID:
        rows.append(model(source, torch.tensor([ids]))[0, -1].softmax(-1))
        ids.append(rows[-1].argmax().item())
    return translator.target_vocabulary.decode(ids[1:]), torch.stack(rows)


# ------------------------------------------------------------------------------------------------
# translations


def test_it_opens_on_closed_and_its_thread(opened):
    assert words(opened, "source") == SENTENCES[0].split()
    assert (
        words(opened, "target.lit") == [] and words(opened) == "i closed the door today .".split()
    )
    assert opened.locator(".word.lit .token").all_inner_texts() == ["zugemacht", "closed"]
    assert {"closed", "93", "zugemacht"} <= spoken(said(opened))


def test_a_sentence_is_translated_as_the_package_translates_it(opened, translator, pairs):
    sentences = [pair.source for pair in pairs[:3]]
    sentences += [
        "ich mochte ein bier",
        "Ich möchte ein Bier",
        "Trinkst du Tee?",
        "mo\u0308chtest  du\tTee ?",
        "Tür",
    ]
    sentences += ["warum hast du die tür nicht zugemacht ?"]
    for sentence in sentences:
        assert translate(opened, sentence) == translator.translate(sentence).text
    assert state(opened)["state"] == "done"


def test_a_pause_translates_and_the_words_are_written_one_by_one(open_figures, figure):
    page = open_figures(figure)
    page.wait_for_selector(DONE)
    page.evaluate(
        """() => {
            const home = document.querySelector('.tl-figure');
            const line = home.shadowRoot.querySelector('.line.target');
            const there = () => [...line.querySelectorAll('.word:not(.unwritten) .token')];
            window.seen = [];
            const note = () => {
                const text = there().map((word) => word.textContent).join(' ');
                if (seen.at(-1) !== text) seen.push(text);
            };
            const all = { childList: true, subtree: true, attributes: true };
            new MutationObserver(note).observe(line, all);
        }"""
    )
    page.locator(".fresh").click()
    page.keyboard.insert_text("ich möchte kein Bier .")  # and no Enter
    assert page.locator("figure").get_attribute("data-state") == "typing"
    assert written(page) == "i do not want any beer ."
    expected = "i do not want any beer .".split()
    steps = page.evaluate("seen")[-len(expected) :]
    assert steps == [" ".join(expected[: i + 1]) for i in range(len(expected))]
    assert page.locator("[role=status]").text_content() == "It writes: i do not want any beer ."


def test_each_word_says_how_sure_it_was_as_pytorch_does(opened, translator):
    translate(opened, WHY)
    tokens, rows = by_pytorch(translator, translator.model, WHY)
    named = translator.target_vocabulary.decode
    for step, token in enumerate(tokens[:-1]):
        opened.locator(".target .word").nth(step).click()
        (first, second), (best, next_one) = rows[step].topk(2)
        assert state(opened)["step"] == str(step) and named([best.item()]) == [token]
        other = {"<eos>": "the end"}.get(*2 * named([next_one.item()]))
        found = re.search(r"It was (\d+) % sure, and next came (.+), (under 1|\d+) %", said(opened))
        assert found and found[2] == other
        assert int(found[1]) == pytest.approx(100 * first.item(), abs=1.5)
        assert float(found[3].removeprefix("under ")) == pytest.approx(100 * second.item(), abs=1.5)
    probabilities = [row.max().item() for row in rows[:-1]]
    assert shown(opened)[SURE][:, 0] == pytest.approx(probabilities, abs=1e-2)


def test_every_thread_is_the_attention_of_the_package(opened, translator):
    translate(opened, WHY)
    result = translator.translate(WHY)
    lengths = {"cross": (9, 9), "decoder": (9, 9), "encoder": (9, 9)}
    for kind in ATTENTIONS:
        for layer, head in ((0, 0), (0, 3), (1, 1)):
            look_at(opened, kind, layer, head)
            height, width = lengths[kind]
            expected = getattr(result.attention, kind)[layer][0, head, :height, :width].numpy()
            (weights, _) = shown(opened).values()
            assert np.abs(weights - expected).max() < 1e-2
            drawn = opened.locator(".picture svg path").evaluate_all(
                "all => all.map((one) => Number(one.style.getPropertyValue('--weight-of')))"
            )
            # A word's look at itself is no thread, and a written word is read one step later
            own = np.eye(height, width, 1 if kind == "decoder" else 0, dtype=bool)
            if kind == "decoder":
                own[:, 0] = True
            threads = expected if kind == "cross" else expected[~own]
            thick = np.sort(threads[threads > 0.05].ravel())
            assert np.sort(drawn)[-len(thick) :] == pytest.approx(thick, abs=1e-2)


@torch.no_grad()
def streams(model, source, ids):
    """The decoder's vectors after each of its norms, (norms, T, D)."""
    found = []
    for layer in model.decoder:
        for norm in (layer.norm1, layer.norm2, layer.norm3):
            norm.register_forward_hook(lambda *given: found.append(given[-1][0]))
    model(source, ids)
    return torch.stack(found)


def test_what_it_would_say_so_far_is_what_pytorch_reads_there(opened, translator, monkeypatch):
    part = "decoder.0.cross_attention"
    for off in ([], [part]):
        text = cut(opened, *off) if off else written(opened)
        step = min(3, len(text.split()) - 1)
        opened.locator(".target .word").nth(step).click()
        opened.locator(".so-far").evaluate("fold => { fold.open = true; }")
        model = switched(translator.model, off, monkeypatch)
        source = torch.tensor([translator.source_vocabulary.encode(SENTENCES[0].split())])
        ids = torch.tensor([[BOS_ID, *translator.target_vocabulary.encode(text.split())]])
        shares = model.output(streams(model, source, ids)[:, step]).softmax(-1)  # (6, V)
        best = shares.topk(3)
        tokens = translator.target_vocabulary.tokens
        cells = opened.locator(".so-far td:not(thead td)").all_inner_texts()
        expected = [
            f"{tokens[i]} {100 * share:.0f}\N{NO-BREAK SPACE}%"
            for ids, row in zip(best.indices, best.values, strict=True)
            for i, share in zip(ids, row, strict=True)
        ]
        assert cells == expected
        before = ["<bos>", *text.split()][: step + 1]
        assert " ".join(before) in opened.locator(".so-far .title").inner_text()
    opened.locator(".so-far").evaluate("fold => { fold.open = false; }")
    assert put_back(opened) == translator.translate(SENTENCES[0]).text


def test_a_word_that_was_read_says_who_looks_at_it(opened, translator):
    translate(opened, WHY)
    look_at(opened, "cross", 1, 3)
    opened.locator(".source .chip").nth(3).hover()
    assert said(opened).startswith("gestern (yesterday) is where it looks to write yesterday (")
    opened.mouse.move(0, 0)
    assert said(opened).startswith("To write ")


# ---------------------------------------------------------------------------------------------
# cuts

# The feed-forward network has no place of its own
ANYWHERE = [name for name, *_ in SWITCHES if name != "feed_forward"]
HEADS = ["decoder.0.self_attention.1", "decoder.1.cross_attention.3"]
# A switch, a layer, a box; two heads, and they with a switch. Each part by itself: test_engine.py
CUTS = [["positions"], ["encoder.1"], ["decoder.1.cross_attention"], HEADS, ["positions", *HEADS]]


def test_a_part_that_is_cut_is_out_in_pytorch_too(opened, translator, monkeypatch):
    intact = translate(opened, WHY)
    changed_any = 0
    for parts in CUTS:
        cut(opened, *parts)
        with monkeypatch.context() as patch:
            tokens, rows = by_pytorch(translator, switched(translator.model, parts, patch), WHY)
        text = translator.target_vocabulary.detokenize(tokens)
        assert written(opened) == text, parts
        probabilities = [row.max().item() for row in rows[: min(24, len(text.split()))]]
        assert shown(opened)[SURE].ravel() == pytest.approx(probabilities, abs=1e-2), parts
        assert (opened.locator(".changed, .gone").count() > 0) == (text != intact), parts
        changed_any += text != intact
        if len(words(opened)) == len(text.split()):
            marked = opened.locator(".target .changed .token").all_inner_texts()
            kept = len(text.split()) - len(marked)
            assert kept == in_both(tuple(text.split()), tuple(intact.split())), parts
            struck = [was for was in opened.locator(".target s").all_inner_texts() if was]
            assert len(struck) == len(intact.split()) - kept, parts
        assert put_back(opened) == intact
    assert changed_any >= 3


@cache
def in_both(a, b):
    """The length of a longest common subsequence."""
    if not a or not b:
        return 0
    return in_both(a[1:], b[1:]) + 1 if a[0] == b[0] else max(in_both(a[1:], b), in_both(a, b[1:]))


@cache
def changes(a, b):
    """How many letters must be put in, left out or exchanged to make one word the other."""
    if not a or not b:
        return len(a + b)
    return min(changes(a[1:], b) + 1, changes(a, b[1:]) + 1, changes(a[1:], b[1:]) + (a[0] != b[0]))


def test_a_head_that_is_pointed_at_shows_its_threads_and_a_click_cuts_it(opened, translator):
    head = opened.locator("[data-part='decoder.1.cross_attention.3']")
    before = state(opened)
    head.hover()
    assert state(opened)["head"] == before["head"], "only a glance"
    weights = translator.translate(SENTENCES[0]).attention.cross[1][0, 3, 1]
    best = SENTENCES[0].split()[weights.argmax()]
    assert f"to {best}" in said(opened)
    head.click()
    settled(opened)
    assert head.get_attribute("aria-checked") == "false"
    assert {"cut", "nothing"} <= spoken(said(opened))
    assert {"Without", "3", "cross", "upper", "decoder"} <= spoken(verdict(opened))
    opened.mouse.move(0, 0)
    assert f"to {best}" not in said(opened)
    head.click()
    settled(opened)
    assert state(opened)["off"] == ""


def test_what_lies_in_a_part_is_cut_with_it_and_a_press_puts_the_part_back(opened):
    cut(opened, "decoder.0")
    boxes = opened.locator("[data-part$='.feed_forward']")
    inside = opened.locator("[data-part^='decoder.0']")
    assert {part.get_attribute("aria-checked") for part in inside.all()} == {"false"}
    cut(opened, "decoder.0.cross_attention.2")
    assert state(opened)["off"] == ""
    opened.locator(".pill").nth(2).click()  # all feed-forward networks
    opened.locator(".try").first.wait_for()
    assert {part.get_attribute("aria-checked") for part in boxes.all()} == {"false"}
    cut(opened, "decoder.1.feed_forward")
    assert state(opened)["off"] == ""
    cut(opened, "encoder.0.feed_forward")
    assert state(opened)["off"] == "encoder.0.feed_forward"


def test_each_cut_asks_a_question_and_links_to_its_chapter(opened):
    for part, _, question, _ in SWITCHES:
        if part in ANYWHERE:
            cut(opened, part)
            assert question in verdict(opened)
            assert re.search(r"Chapter \d+ →", verdict(opened)), part
            put_back(opened)


def test_a_beam_and_temperature(opened, translator):
    sentence = "Tür"  # no sentence at all, so that there is something to be in doubt about
    intact = translate(opened, sentence)
    opened.locator("input[name=beam]").fill("4")
    assert written(opened) == translator.translate(sentence, beam=4).text != intact
    assert verdict(opened).startswith("With a beam of 4:")
    put_back(opened)
    opened.locator("input[name=temperature]").fill("2")
    first = written(opened)
    assert verdict(opened).startswith("Drawn by lot at temperature 2.0:")
    assert "Chapter 11" in verdict(opened)
    logits = by_pytorch(translator, translator.model, sentence)[1][0].log()
    hot = (logits / 2).softmax(-1)
    word = translator.target_vocabulary.ids[first.split()[0]]
    assert shown(opened)[SURE][0, 0] == pytest.approx(hot[word].item(), abs=1e-2)
    opened.locator("button[name=again]").click()
    assert written(opened) != first
    assert put_back(opened) == intact


# ---------------------------------------------------------------------------------------------
# experiments


@pytest.mark.parametrize("width", [360, 710])
def test_an_experiment_shows_what_it_promises_answers_after_a_guess_and_moves_nothing(
    opened, width
):
    resize(opened, width)
    below = lambda: opened.get_by_text("After.").evaluate("one => one.offsetTop")  # noqa: E731
    floor = below()
    for number, experiment in enumerate(EXPERIMENTS):
        opened.locator(".pill").nth(number).click()
        tries = opened.locator(".try")
        tries.first.wait_for()
        assert below() == floor, number
        assert written(opened) == experiment["changed"]
        assert opened.locator(".card p").inner_text() == experiment["question"]
        assert tries.all_inner_texts() == experiment["choices"]
        assert experiment["answer"][:30] not in opened.locator("figure").inner_text()
        assert " ".join(words(opened, "source")) == experiment["source"]
        struck = [was for was in opened.locator(".target s").all_inner_texts() if was]
        assert set(struck) <= set(experiment["intact"].split())
        assert bool(struck) == (experiment["intact"] != experiment["changed"])
        wrong = (experiment["right"] + 1) % len(experiment["choices"])
        tries.nth(wrong).click()
        told = opened.locator(".answer")
        right = experiment["choices"][experiment["right"]]
        expected = f"You said: {experiment['choices'][wrong]}. But it is: {right}: "
        assert told.inner_text() == expected + experiment["answer"]
        assert told.evaluate("one => one.getRootNode().activeElement === one")
        settled(opened)
        assert written(opened) == experiment.get("proves", experiment["changed"])
        assert below() == floor, number
        opened.locator(".pill").nth(number).click()
        assert not told.is_visible() and opened.locator(".pill[aria-pressed=true]").count() == 0
    assert opened.evaluate("document.documentElement.scrollWidth") == width
    small = opened.locator("button, select, input, summary").evaluate_all(
        """all => all.filter((one) => one.checkVisibility())
            .filter((one) => one.offsetHeight < 24 || one.offsetWidth < 24)
            .map((one) => one.outerHTML)"""
    )
    assert small == []
    cut(opened, "positions")
    stops = opened.locator("button, select, input, summary, a").evaluate_all(
        "all => all.filter((one) => one.checkVisibility() && one.tabIndex >= 0).length"
    )
    assert 10 < stops <= 40, "few stops of the tab key"


def test_an_experiment_plays_whole_then_cut_then_asks(open_figures, figure):
    page = open_figures(figure)
    page.wait_for_selector(DONE)
    page.evaluate(
        """() => {
            const figure = document.querySelector('.tl-figure').shadowRoot.querySelector('figure');
            window.seen = [];
            const note = () => {
                const asks = figure.querySelector('.try') ? 'asks' : '';
                const now = [figure.dataset.off, figure.dataset.written, asks].join('|');
                if (figure.dataset.state === 'done' && seen.at(-1) !== now) seen.push(now);
            };
            new MutationObserver(note).observe(figure, { childList: true, subtree: true,
                attributes: true });
        }"""
    )
    experiment = EXPERIMENTS[1]
    page.locator(".pill").nth(1).click()
    page.locator(".try").first.wait_for()
    (part,) = experiment["off"]
    assert page.evaluate("seen")[-3:] == [
        f"|{experiment['intact']}|",
        f"{part}|{experiment['changed']}|",
        f"{part}|{experiment['changed']}|asks",
    ]


def test_who_does_something_else_ends_an_experiment(open_figures, figure):
    page = open_figures(figure)
    page.wait_for_selector(DONE)
    unfold(page)
    page.locator(".pill").first.click()
    page.locator("[data-part='residuals']").click()
    page.wait_for_timeout(2500)
    settled(page)
    assert page.locator(".try").count() == 0 and state(page)["off"] == "residuals"


def test_what_the_texts_of_the_experiments_add_is_true(translator, pairs, monkeypatch):
    off = partial(switched, translator.model, monkeypatch=monkeypatch)

    def text(sentence, *parts):
        return translator.target_vocabulary.detokenize(
            by_pytorch(translator, off(parts), sentence)[0]
        )

    mother, woman = EXPERIMENTS[0]["source"], EXPERIMENTS[0]["then"]["source"]
    assert len(EXPERIMENTS) == 6
    assert text(mother, "positions") == text(woman, "positions") == text(woman)
    assert text(EXPERIMENTS[3]["source"], "decoder.1") == EXPERIMENTS[3]["proves"]
    heads = [[tl.Translator(off([f"decoder.{i}.cross_attention.{j}"]), translator.source_vocabulary,
              translator.target_vocabulary) for j in range(4)] for i in range(2)]  # fmt: skip
    sample = pairs[:60]

    def right(one):
        found = one.translate_batch([pair.source for pair in sample])
        return sum(a.text == b.target for a, b in zip(found, sample, strict=True))

    scores = [right(one) for layer in heads for one in layer]
    assert scores.index(min(scores)) == 7 and sorted(scores)[1] > min(scores)
    yesterday = EXPERIMENTS[1]
    looks = translator.translate(yesterday["source"]).attention.cross[1][0, :, 7, 3]
    assert looks.min() > 0.97, "all four heads look at gestern"
    for head in range(3):
        assert text(yesterday["source"], f"decoder.1.cross_attention.{head}") == yesterday["intact"]


# ---------------------------------------------------------------------------------------------
# the words


@pytest.fixture(scope="module")
def node():
    figures = ROOT / "attention_by_hand" / "figures"
    with Node([figures / "kit" / "shared" / "words.js"]) as node:
        yield node


def some_words(seed, n, longest=7):
    rng = random.Random(seed)
    return ["".join(rng.choices("abc", k=rng.randrange(1, longest + 1))) for _ in range(n)]


def test_as_few_words_are_marked_as_can_be(node):
    pairs = [*zip(some_words(0, 300), some_words(1, 300), strict=True)]
    ask = "(pairs) => pairs.map(([a, b]) => words.aligned([...a], [...b]))"
    for (a, b), columns in zip(pairs, node.evaluate(ask, pairs), strict=True):
        assert "".join(column["word"] for column in columns) == a
        assert "".join(column["was"] for column in columns) == b
        kept = sum(column["word"] == column["was"] for column in columns)
        assert kept == in_both(a, b), (a, b, columns)


def test_the_three_nearest_words_are_offered_and_first_what_was_begun(node):
    known = [*dict.fromkeys(some_words(2, 40))]
    typed = some_words(3, 60)
    ask = "([known, typed]) => typed.map((word) => words.nearest(word, known))"
    for word, found in zip(typed, node.evaluate(ask, [known, typed]), strict=True):
        far = {
            other: changes(word, other) * (0.1 if other.startswith(word) else 1) for other in known
        }
        assert [far[other] for other in found] == sorted(far.values())[:3], (word, found)
    within = "([known, typed]) => typed.map((word) => words.nearest(word, known, 1))"
    for word, found in zip(typed, node.evaluate(within, [known, typed]), strict=True):
        near = [other for other in known if changes(word, other) <= 1]
        assert set(near[:1]) <= set(known) and (found == []) <= (near == [])


def test_words_of_a_kind_are_known_and_each_stands_with_others(translator):
    known = set(translator.source_vocabulary.words)
    for inside, outside in kinds(known):
        assert set(inside) <= known and inside, outside
        assert not {*outside} & known, outside


OFFERED = {
    "Wassr": "Wasser",  # as it is spelt
    "Pizza": "Brot",  # as to its kind
    "dog": "Hund",  # in English
    "Tisch": "Tür",  # nothing is near: what stood there
}


def test_a_near_word_is_offered_in_place_and_the_old_translation_does_not_stand(opened, translator):
    sentence = "ich habe heute die {} zugemacht ."

    def change(typed):
        translate(opened, SENTENCES[0])
        opened.locator(".source .chip").nth(4).click()
        opened.keyboard.press("Control+A")
        opened.keyboard.insert_text(typed)

    for typed, offered in OFFERED.items():
        change(typed)
        opened.wait_for_selector("figure[data-state=refused]")
        assert f"It has not learnt {typed}. Perhaps" in opened.locator(".help").inner_text()
        assert opened.locator(".target .word:visible").count() == 0
        assert opened.locator(".sentence:visible").count() == 0
        offer = opened.locator(".offers button").first
        assert offer.inner_text() == offered
        offer.click()
        assert " ".join(words(opened, "source")) == sentence.format(offered)
        assert written(opened) == translator.translate(sentence.format(offered)).text
        assert opened.locator(".target .word:visible").count() == len(written(opened).split())
    change("wasser")  # known with a capital
    assert written(opened) == translator.translate(sentence.format("wasser")).text


def test_other_words_of_its_kind_are_offered_for_a_known_one(opened, translator):
    opened.locator(".source .chip").nth(4).click()
    assert opened.locator(".offers button").all_inner_texts() == ["Fenster", "Haus"]
    opened.locator(".offers button").first.click()
    sentence = "ich habe heute die Fenster zugemacht ."
    assert " ".join(words(opened, "source")) == sentence
    assert written(opened) == translator.translate(sentence).text


@pytest.mark.parametrize("key", ["", "Delete", "Alt+ArrowLeft"])
def test_an_empty_field_that_has_no_focus_leaves_no_word_behind(opened, translator, key):
    before = words(opened, "source")
    opened.locator(".source .add").click()
    opened.locator("input[name=source]").evaluate(
        """field => field.addEventListener('blur', (event) => event.stopImmediatePropagation(),
            { capture: true, once: true })"""
    )
    other = opened.locator(".source .chip").nth(3)
    if key:
        other.press(key)
    else:
        other.click()
        opened.keyboard.press("Escape")
    sentence = {
        "": before,
        "Delete": [*before[:3], *before[4:]],
        "Alt+ArrowLeft": [*before[:2], before[3], before[2], *before[4:]],
    }[key]
    assert words(opened, "source") == sentence
    assert written(opened) == translator.translate(" ".join(sentence)).text


def test_what_is_no_sentence_is_said_kindly(opened):
    opened.locator(".fresh").click()
    assert "Type German" in opened.locator(".help").inner_text()
    opened.wait_for_selector("figure[data-state=refused]")
    opened.keyboard.insert_text("ich " * 65)
    opened.wait_for_selector("figure[data-state=refused]")
    assert "65 words, and it takes at most 64" in opened.locator(".help").inner_text()
    opened.keyboard.press("Escape")
    assert written(opened) == "i closed the door today ."
    type_in(opened, HOSTILE[0])
    opened.wait_for_selector("figure[data-state=refused]")
    assert words(opened, "source") == split_words(HOSTILE[0])
    assert opened.locator("img").count() == 0


def test_the_keys_change_the_sentence(opened):
    opened.reload()  # no word of an earlier sentence is still to be drawn, and takes the focus
    opened.wait_for_selector(DONE)
    first = opened.locator(".source .chip").first
    first.focus()

    def sentence():
        opened.evaluate("() => new Promise(requestAnimationFrame)")  # what a key has done is drawn
        return " ".join(words(opened, "source"))

    opened.keyboard.press("ArrowRight")
    assert sentence() == "ich habe heute die Tür zugemacht ."
    opened.keyboard.press("Alt+ArrowRight")
    assert sentence() == "ich heute habe die Tür zugemacht ."
    opened.keyboard.press("Alt+ArrowLeft")
    opened.keyboard.press("ArrowRight")
    opened.keyboard.press("Delete")
    assert sentence() == "ich habe die Tür zugemacht ."
    opened.keyboard.press("End")
    opened.keyboard.press("ArrowLeft")
    opened.keyboard.type("auf")  # a letter begins a new word in the place of the old one
    opened.keyboard.press("Enter")
    assert sentence() == "ich habe die Tür auf ."
    opened.keyboard.press("Enter")
    opened.keyboard.press("End")
    opened.keyboard.type(" heute")
    opened.keyboard.press("Enter")
    assert sentence() == "ich habe die Tür auf heute ."
    opened.keyboard.press("Enter")
    for _ in range(6):
        opened.keyboard.press("Backspace")  # the word, and once more the one before it
    opened.keyboard.press("Escape")
    assert sentence() == "ich habe die Tür auf heute ."


def test_a_finger_picks_a_word_and_touches_it_again_to_change_it(open_figures, figure):
    page = open_figures(figure, width=390, has_touch=True, reduced_motion="reduce")
    page.wait_for_selector(DONE)
    door = page.locator(".source .chip").nth(4)
    door.tap()
    assert said(page).startswith("Tür (door) is where it looks to write door")
    assert page.locator("input[name=source]").count() == 0
    door.tap()
    assert page.locator("input[name=source]").input_value() == "Tür"
    page.keyboard.press("Escape")
    settled(page)
    page.locator("[data-part='positions']").first.tap()
    settled(page)
    assert verdict(page).startswith("Without positions: ")


def test_on_a_phone_words_answer_and_machine_stand_in_this_order(open_figures, figure):
    page = open_figures(figure, width=390, has_touch=True, reduced_motion="reduce")
    page.wait_for_selector(DONE)
    edge = lambda part: page.locator(part).evaluate("one => one.getBoundingClientRect().bottom")  # noqa: E731
    order = [
        edge(part) for part in (".picture", ".pills", ".says", "[data-part=positions] >> nth=0")
    ]
    assert order == sorted(order)
    height = page.locator("figure").bounding_box()["height"]
    page.locator(".source .chip").nth(1).click()
    page.locator(".offers button").first.wait_for()
    assert page.locator("figure").bounding_box()["height"] == height, "as a word is changed, too"
    page.keyboard.press("Escape")
    assert not page.locator(".head").first.is_visible(), "not before somebody cuts finer"
    unfold(page)
    parts = page.locator(".part").evaluate_all(
        "all => all.filter((one) => one.checkVisibility()).map((one) => one.dataset.part)"
    )
    assert sorted(set(parts)) == sorted(
        page.locator(".part").evaluate_all(
            "all => [...new Set(all.map((one) => one.dataset.part))]"
        )
    ), "each part can still be cut"
    page.locator(".part[tabindex='0']").focus()
    for _ in parts[1:]:
        page.keyboard.press("ArrowRight")
    focused = "document.querySelector('.tl-figure').shadowRoot.activeElement.dataset.part"
    assert page.evaluate(focused) == parts[-1], "arrow keys pass over what is not shown"


# ------------------------------------------------------------------------------------------------
# its shape and its address


def test_every_state_has_an_address(open_figures, figure, opened):
    translate(opened, "die Frau besucht meine Mutter .")
    cut(opened, "positions", "encoder.0.self_attention.2")
    opened.locator("input[name=temperature]").fill("0.7")
    settled(opened)
    opened.locator(".target .word").nth(2).click()
    look_at(opened, "cross", 0, 2)
    expected = state(opened)
    opened.locator(".menu summary").click()
    opened.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    opened.get_by_role("button", name="Copy link").click()
    address = opened.evaluate("window.copied ?? location.href")
    page = open_figures(figure, reduced_motion="reduce")
    page.wait_for_selector(DONE)
    page.evaluate("(hash) => { location.hash = hash; }", address.partition("#")[2])
    page.wait_for_function(
        "document.querySelector('.tl-figure').shadowRoot.querySelector('figure').dataset.off"
    )
    assert state(page) == expected
    assert " ".join(words(page, "source")) == "die Frau besucht meine Mutter ."
    page.reload()
    page.wait_for_selector(DONE)
    assert state(page) == expected, "also where it is opened with it"


def test_a_wrong_address_does_no_harm(open_figures, figure):
    page = open_figures(figure, reduced_motion="reduce")
    end = (
        'off=["no such part",null,"scaling"]&beam=99&temperature=-3&layer=7&step=88&source_word=-5'
    )
    page.goto(f"{page.url}#LiveTranslator?{end}")
    page.reload()
    page.wait_for_selector(DONE)
    assert state(page)["off"] == "scaling" and state(page)["layer"] == "1"
    assert page.locator("input[name=beam]").input_value() == "4"
    page.goto(f'{page.url.partition("#")[0]}#LiveTranslator?source="ich esse Pizza ."')
    page.wait_for_selector("figure[data-state=refused]")
    assert page.locator(".offers button").count() > 0


@pytest.mark.parametrize(("side", "by"), [("source", "address"), ("target", "keys")])
def test_a_shorter_sentence_arrives_under_the_pointer(opened, side, by):
    page = opened
    long = state(page)["written"]
    page.locator(f".line.{side} .word").last.hover()
    if by == "address":
        page.evaluate("""location.hash = '#LiveTranslator?source="ich trinke Tee ."'""")
    else:
        for _ in range(4):
            page.locator(".line.source .word").first.press("Delete")
        page.locator(f".line.{side} .word").last.hover()
    page.wait_for_function(
        "long => document.querySelector('.tl-figure').shadowRoot.querySelector('figure')"
        ".dataset.written !== long",
        arg=long,
    )
    assert state(page)["state"] == "done"
    assert "undefined" not in page.locator(".says").inner_text()


def test_a_head_that_is_cut_leaves_the_ghost_of_where_it_looked(opened):
    drawn = "all => all.map((path) => [path.getAttribute('d'), getComputedStyle(path).stroke])"
    threads = opened.locator(".picture path")
    whole = threads.evaluate_all(drawn)
    cut(opened, "decoder.1.cross_attention.1")
    ghost = threads.evaluate_all(drawn)
    assert whole and [d for d, _ in ghost] == [d for d, _ in whole], "not a word has changed"
    assert {stroke for _, stroke in ghost} == {"rgb(86, 96, 110)"}
    put_back(opened)
    assert threads.evaluate_all(drawn) == whole
    cut(opened, "causal mask", "decoder.1.cross_attention.1")  # many words change


def test_on_a_phone_a_question_covers_no_half_of_a_part(open_figures, figure):
    page = open_figures(figure, width=390, has_touch=True, reduced_motion="reduce")
    state(page)
    page.get_by_role("button", name="Who visits whom?").click()
    page.locator(".card").wait_for()
    card = page.locator(".card").bounding_box()
    for part in page.locator(".part:visible").all():
        box = part.bounding_box()
        assert box["y"] >= card["y"] + card["height"] or box["y"] + box["height"] <= card["y"]
    cut_off = "all => all.filter((one) => one.scrollWidth > one.clientWidth).length"
    assert page.locator(".source .meant").evaluate_all(cut_off) == 0


def test_what_fails_later_is_not_said_to_be_the_start(open_figures, figure):
    page = open_figures(figure, reduced_motion="reduce")
    state(page)
    page.evaluate("() => { Worker.prototype.postMessage = () => { throw new Error('a fault'); }; }")
    page.locator(".machine .part").first.click()
    assert state(page)["state"] == "failed"
    assert "The translator stopped: a fault." in page.locator(".verdict").inner_text()


def test_on_paper_the_words_stay_and_what_is_pressed_goes(opened):
    opened.emulate_media(media="print")
    assert opened.locator(".target .word").first.is_visible()
    assert opened.locator(".source .word").first.is_visible()
    assert not any(opened.locator(part).is_visible() for part in (".pills", ".choosing", ".top"))


def test_each_german_word_has_its_english(translator, pairs):
    table = glosses()
    assert [word for word in translator.source_vocabulary.words if word not in table] == [
        ".",
        "?",
        ",",
    ]
    assert [table[w] for w in ("Tür", "zugemacht", "macht", "kaltes")] == [
        "door",
        "closed",
        "opens, closes",
        "cold",
    ]
    assert all(
        len({*words}) == len(words) for words in (english.split(", ") for english in table.values())
    )
    aligned = {}
    for pair in pairs:
        source = pair.source.split()
        target = pair.target.split()
        for s, t in pair.alignment:
            aligned.setdefault(source[s], set()).add(target[t][:3])  # "calls" as well as "calling"
    own = {
        word: {english[:3] for english in re.split("[ ,]+", table.get(word, ""))}
        for word in aligned
    }
    unlike = {word for word in aligned if word.isalpha() and not aligned[word] & own[word]}
    # Small words that English has no word for, or another in each sentence
    assert unlike == set("an nach bin bist ist sind muss musst müssen kein keinen".split())


# ------------------------------------------------------------------------------------------------
# your own, and not


def test_a_translator_of_ones_own(open_figures):
    torch.manual_seed(1)
    columns = [tl.Vocabulary.from_texts(column) for column in zip(*TWO_SENTENCES, strict=True)]
    sizes = {
        "d_model": 16,
        "d_ff": 16,
        "n_layers": 3,
        "n_heads": 2,
        "max_length": 9,
        "norm_first": True,
    }
    config = tl.TransformerConfig(*map(len, columns), **sizes)
    figure = LiveTranslator(tl.Translator(tl.Transformer(config), *columns))
    assert figure.sentences == ["ich mochte ein bier", "ich mochte ein cola"]
    assert figure.experiments == []
    page = open_figures(figure, reduced_motion="reduce")
    for sentence in figure.sentences:
        tokens = figure._translator.translate(sentence).tokens
        assert translate(page, sentence).split() == [one for one in tokens if one != "<eos>"]
    assert page.locator(".head").count() == 9 * 2 and page.locator(".pill").count() == 0
    page.locator(".source .chip").last.click()
    page.keyboard.insert_text("tee")
    assert page.locator(".help").inner_text().startswith("It has not learnt tee.")
    assert page.locator(".offers button").all_inner_texts() == ["cola"], "which stood there"


def test_a_translator_of_another_language_is_not_called_german(open_figures):
    pairs = [("la cola espera en la impresora", "the queue waits in the printer"), ("no hay", "no")]
    columns = [tl.Vocabulary.from_texts(column) for column in zip(*pairs, strict=True)]
    config = tl.TransformerConfig(*map(len, columns), d_model=16, d_ff=16, n_layers=1, n_heads=2)
    spanish = tl.Translator(tl.Transformer(config), *columns)
    figure = LiveTranslator(spanish)
    assert figure.sentences == ["la cola en espera"] and figure.gloss == {}, (
        "cola is no coke, in is not to"
    )
    page = open_figures(figure, LiveTranslator(spanish, ["la cola"], gloss={"cola": "queue"}))
    page.locator(DONE).nth(1).wait_for(state="attached")
    for place in range(len(figure.kinds)):
        page.locator("select[name=look]").first.select_option(index=place)
        all_said = page.evaluate(
            "[...document.querySelectorAll('.tl-figure')].map((one) => one.shadowRoot.innerHTML)"
        )
        assert not re.findall(r"German|English|lang=.(?:de|en)", "".join(all_said))
    assert "queue" in page.locator(".line.source").nth(1).inner_text()
    assert page.locator(".source .chip").first.evaluate("one => one.lang") == ""


def test_what_it_cannot_show_is_refused(figure):
    words = tl.Vocabulary([f"w{i}" for i in range(50)])
    sizes = {"d_model": 256, "d_ff": 1024, "n_layers": 3, "n_heads": 4}
    large = tl.Translator(tl.Transformer(tl.TransformerConfig(54, 54, **sizes)), words, words)
    with pytest.raises(FigureError, match=r"has 5\.\d MB, packed; at most 2 MB"):
        LiveTranslator(large)
    pieces = BytePairVocabulary.from_texts(["ich mochte ein bier"] * 3, size=40)
    config = tl.TransformerConfig(len(pieces), len(pieces), 16, 16, 1, 2)
    with pytest.raises(FigureError, match="--tokenizer word"):
        LiveTranslator(tl.Translator(tl.Transformer(config), pieces, pieces))
    with pytest.raises(FigureError, match="'biere' cannot be translated: unknown word"):
        LiveTranslator(sentences=["biere"])
    with pytest.raises(FigureError, match="sentences is empty"):
        LiveTranslator(sentences=[])
    one = LiveTranslator()
    for trait, value, message in (
        ("off", ["encoder.2"], "'encoder.2' is not known"),
        ("beam", 5, "out of range: 1 to 4"),
        ("temperature", -1.0, "out of range: 0 to 2"),
        ("source", "ich trinke biere", "unknown word"),
    ):
        with pytest.raises(FigureError, match=message):
            setattr(one, trait, value)
    assert one.off == [] and one.beam == 1 and one.source == figure.source


# once on the whole site


@pytest.fixture(scope="module")
def book_data():
    spec = importlib.util.spec_from_file_location("book_data", ROOT / "_ext" / "book_data.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_weights_stand_once_on_the_site_and_come_when_the_reader_does(
    book_data, browser, figure, tmp_path, monkeypatch
):
    data = tmp_path / "_static" / "data"
    address = lambda path, resource: f"../{path}"  # noqa: E731
    page_html = book_data.LARGE.sub(partial(book_data.moved, data, address), 2 * figure.snapshot())
    (file,) = data.iterdir()
    one = page_html[: len(page_html) // 2]
    weight = len(gzip.compress(file.read_bytes())) + len(gzip.compress(one.encode()))
    assert weight <= 300_000
    monkeypatch.setenv("BOOK_BUILD", "1")
    page_html = book_data.LARGE.sub(partial(book_data.moved, data, address), 2 * figure.snapshot())
    page_html = book_data.with_code(page_html)
    assert len(page_html) < 350_000
    file_of_page = tmp_path / "chapters" / "page.html"
    file_of_page.parent.mkdir()
    file_of_page.write_text(f"<meta charset=utf-8><p style='height:9000px'>{page_html}", "utf-8")

    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.goto(file_of_page.as_uri())
    first = page.locator(".tl-figure").first
    first.locator("[data-state=waiting]").wait_for(state="attached")
    assert words(first) == "i closed the door today .".split()
    assert {"closed", "93", "zugemacht"} <= spoken(first.locator(".sentence").text_content())
    assert first.locator(".picture svg path").count() > 6
    assert page.locator("head script").count() == 0
    first.scroll_into_view_if_needed()
    first.locator(DONE).wait_for()
    first.locator(".others .dot").nth(1).click()
    first.locator(DONE).wait_for()
    assert words(first) == "my mother is visiting the woman .".split()

    file.unlink()
    page.reload()
    first.scroll_into_view_if_needed()
    first.locator("[data-state=failed]").first.wait_for()
    assert "file is missing, so reload the page" in first.locator(".verdict").inner_text()
    context.close()


def test_python_sees_what_the_page_does_and_sets_it(figure):
    assert figure.written == ["i", "closed", "the", "door", "today", "."] and figure.last_step == 5
    assert figure.step == 1, "the word that looks farthest"
    # Everywhere; a layer of each stack; its boxes; their heads
    assert {part for parts in CUTS for part in parts} <= set(figure.parts())
    assert len(figure.parts()) == 5 + 4 + 10 + 24
