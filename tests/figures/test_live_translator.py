"""The live translator beside the package: what the page writes, shows and promises is what PyTorch
says.
"""

import copy
import gzip
import importlib.util
import math
import random
import re
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
import torch
from figure_examples import HOSTILE, shown, state
from torch import nn

import transformer_lite as tl
from transformer_lite import decoding
from transformer_lite import model as model_module
from transformer_lite.data.corpus import TWO_SENTENCES
from transformer_lite.data.glosses import glosses
from transformer_lite.data.grammar import generate
from transformer_lite.figures import LiveTranslator
from transformer_lite.figures.kit import FigureError
from transformer_lite.figures.live_translator import EXPERIMENTS, SWITCHES
from transformer_lite.vocabulary import BOS_ID, BytePairVocabulary, split_words

ROOT = Path(__file__).parents[2]
DONE = "[data-role=translation][data-state=done]"
WHY = "warum hast du gestern die neuen Bücher gelesen ?"


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


@pytest.fixture
def opened(open_figures, figure):
    page = open_figures(figure, reduced_motion="reduce")
    page.wait_for_selector(DONE)
    return page


def written(page):
    return page.locator(DONE).text_content()


def translate(page, sentence):
    field = page.locator("input[name=source]")
    field.fill(sentence)
    field.press("Enter")
    return written(page)


def move(page, label, value):
    """A slider of the panel, to a whole number."""
    page.locator(".controls").get_by_role("slider", name=label).fill(str(value))


def likeliest(page):
    """The top five of the chosen step: [(token, probability)], and the one that was written."""
    rows = page.locator("ol[aria-label='the likeliest words'] li")
    read = (
        "all => all.map((li) => [li.querySelector('.token').textContent, li.lastChild.textContent])"
    )
    found = rows.evaluate_all(read)
    chosen = page.locator("ol[aria-label='the likeliest words'] li.on .token").text_content()
    return {token: float(p) for token, p in found}, chosen


# ------------------------------------------------------------------------------- the same switches
# in PyTorch


def switched(model, off, monkeypatch):
    """A copy of the model without some of its parts."""
    model = copy.deepcopy(model)
    layers = [*model.encoder, *model.decoder]
    attentions = [m for m in model.modules() if isinstance(m, tl.MultiHeadAttention)]
    with torch.no_grad():
        for part in off:
            if part == "positions":
                model.positions.zero_()
            elif part == "feed_forward":
                for layer in layers:
                    for weight in layer.feed_forward[2].parameters():
                        weight.zero_()
            elif part == "scaling":
                for attention in attentions:
                    attention.w_q.weight *= math.sqrt(model.config.d_model / model.config.n_heads)
            elif part == "residuals":
                for layer in layers:
                    layer.add_and_norm = lambda x, found, norm: norm(found)
            elif part == "causal mask":

                def everything(length, device=None):
                    return torch.ones(length, length, dtype=torch.bool)  # noqa: E731

                monkeypatch.setattr(model_module, "causal_mask", everything)
            elif part.count(".") == 1:
                stack, layer = part.split(".")
                kept = [module for i, module in enumerate(getattr(model, stack)) if i != int(layer)]
                setattr(model, stack, nn.ModuleList(kept))
            else:
                name, head = part.rsplit(".", 1)
                size = model.config.d_model // model.config.n_heads
                model.get_submodule(name).w_o.weight[
                    :, size * int(head) : size * (int(head) + 1)
                ] = 0
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


def test_twenty_sentences_are_translated_as_the_package_translates_them(opened, translator, pairs):
    sentences = [pair.source for pair in pairs[:15]]
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
            const line = document.querySelector('.tl-figure').shadowRoot.querySelector('[data-role=translation]');
            window.seen = [];
            const note = () => { if (seen.at(-1) !== line.textContent) seen.push(line.textContent); };
            new MutationObserver(note).observe(line, { childList: true, subtree: true, attributes: true });
        }"""
    )
    page.locator("input[name=source]").press_sequentially(" ich möchte kein Bier .")
    page.locator("input[name=source]").fill("ich möchte kein Bier .")  # and no Enter
    assert page.locator("[data-role=translation]").get_attribute("data-state") == "typing"
    assert written(page) == "i do not want any beer ."
    words = "i do not want any beer .".split()
    steps = page.evaluate("seen")[-len(words) :]
    assert steps == [" ".join(words[: i + 1]) for i in range(len(words))]
    assert (
        page.locator("[role=status]")
        .text_content()
        .startswith("Translation: i do not want any beer .")
    )


def test_stepping_shows_the_probabilities_of_pytorch(opened, translator):
    translate(opened, WHY)
    tokens, rows = by_pytorch(translator, translator.model, WHY)
    for step, token in enumerate(tokens):
        move(opened, "word", step)
        top, chosen = likeliest(opened)
        assert chosen == token and state(opened)["step"] == str(step)
        values, ids = rows[step].topk(5)
        assert list(top.values()) == pytest.approx(values.tolist(), abs=1e-2)
        for name, p in top.items():
            assert rows[step, translator.target_vocabulary.ids[name]].item() == pytest.approx(
                p, abs=1e-2
            )


def test_every_map_is_the_attention_of_the_package_and_a_click_chooses_its_word(opened, translator):
    translate(opened, WHY)
    result = translator.translate(WHY)
    for i, kind in enumerate(["cross", "decoder", "encoder"]):
        opened.locator(".controls select").select_option(index=i)
        for layer, head in ((0, 0), (0, 3), (1, 1)):
            move(opened, "layer", layer)
            move(opened, "head", head)
            (numbers,) = shown(opened).values()
            assert (
                np.abs(numbers - getattr(result.attention, kind)[layer][0, head].numpy()).max()
                < 1e-2
            )
    opened.locator(".gloss button").nth(3).click()
    assert "gestern looked at" in opened.locator(".side").inner_text()
    opened.locator("[data-role=translation] button").nth(7).click()
    assert (
        state(opened)["kind"] == "cross"
        and "yesterday looked at" in opened.locator(".side").inner_text()
    )
    opened.locator(".controls select").select_option(index=1)
    opened.locator("[data-role=translation] button").nth(3).click()
    assert state(opened)["kind"] == "decoder", "which has this word too"
    move(opened, "word", len(result.tokens) - 1)
    assert opened.get_by_role("button", pressed=True, name="the end of the sentence").count() == 1
    for i, words in (
        (0, result.tokens),
        (2, result.source_tokens),
    ):  # a click chooses the row that it points to
        opened.locator(".controls select").select_option(index=i)
        box = opened.locator("canvas.pixels:visible").last.bounding_box()
        for row in (3, 1):
            opened.mouse.click(
                box["x"] + box["width"] / 2, box["y"] + box["height"] * (row + 0.5) / len(words)
            )
            assert f"{words[row]} looked at" in opened.locator(".side").inner_text()
    opened.locator("input[name='encoder.0.self_attention.2']").uncheck()
    move(opened, "layer", 0)
    move(opened, "head", 2)
    for i, off in enumerate((False, False, True)):
        opened.locator(".controls select").select_option(index=i)
        assert (opened.get_by_text("Switched off: it looks at nothing.").count() == 1) == off


# ----------------------------------------------------------------------------------------------------
# switches

PARTS = [*(name for name, *_ in SWITCHES), "encoder.1", "decoder.0", "encoder.0.self_attention.2"]
PARTS += ["decoder.0.self_attention.1", "decoder.1.cross_attention.3"]


@pytest.mark.parametrize("sentence", [WHY, "den Mann besucht die Frau ."])
def test_a_part_that_is_off_is_off_in_pytorch_too(opened, translator, monkeypatch, sentence):
    intact = translate(opened, sentence)
    changed_any = set()
    for parts in [
        *([part] for part in PARTS),
        PARTS[-2:],
        ["positions", *PARTS[-3:]],
    ]:  # alone and together
        for part in parts:
            opened.locator(f"input[name='{part}']").uncheck()
        with monkeypatch.context() as patch:
            tokens, rows = by_pytorch(
                translator, switched(translator.model, parts, patch), sentence
            )
        text = translator.target_vocabulary.detokenize(tokens)
        assert written(opened) == text, parts
        assert opened.locator("[data-role=intact]").text_content() == intact
        for step in {0, len(tokens) // 2, len(tokens) - 1}:
            move(opened, "word", step)
            top, chosen = likeliest(opened)
            assert chosen == tokens[step]
            assert list(top.values()) == pytest.approx(
                rows[step].topk(5).values.tolist(), abs=1e-2
            ), parts
        marked = opened.locator(".differs").count()
        assert (marked > 0) == (text != intact), parts
        if marked:
            changed_any.add(tuple(parts))
            style = "all => all.map((n) => getComputedStyle(n)).map((s) => s.fontWeight + s.textDecorationStyle)"
            words = opened.locator(".differs .token, .token.differs")
            assert set(words.evaluate_all(style)) == {"700wavy"} and words.count() == marked
        opened.get_by_role("button", name="Put everything back").click()
        assert written(opened) == intact
    assert len(changed_any) >= 4


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


@pytest.fixture
def in_words(browser):
    """`in_words(script, value)`: what JavaScript makes of a value with `words`, the module that
    compares words.
    """
    page = browser.new_page()
    code = (ROOT / "transformer_lite" / "figures" / "kit" / "words.js").read_text(encoding="utf-8")
    load = """async ([code, value]) => {
        const words = await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
        return (%s)(value);
    }"""
    yield lambda script, value: page.evaluate(load % script, [code, value])
    page.close()


def some_words(seed, n, longest=7):
    rng = random.Random(seed)
    return ["".join(rng.choices("abc", k=rng.randrange(1, longest + 1))) for _ in range(n)]


def test_as_few_words_are_marked_as_can_be(in_words):
    pairs = [*zip(some_words(0, 300), some_words(1, 300), strict=True)]
    marked = in_words("(pairs) => pairs.map(([a, b]) => words.differing([...a], [...b]))", pairs)
    for (a, b), differs in zip(pairs, marked, strict=True):
        kept = "".join(letter for letter, differ in zip(a, differs, strict=True) if not differ)
        assert len(kept) == in_both(a, b) == in_both(kept, b), (a, b, differs)


def test_the_three_nearest_words_are_offered_and_first_what_was_begun(in_words):
    known, typed = [*dict.fromkeys(some_words(2, 40))], some_words(3, 60)
    offered = in_words(
        "([known, typed]) => typed.map((word) => words.nearest(word, known))", [known, typed]
    )
    for word, found in zip(typed, offered, strict=True):
        far = {
            other: changes(word, other) * (0.1 if other.startswith(word) else 1) for other in known
        }
        assert [far[other] for other in found] == sorted(far.values())[:3], (word, found)


def test_each_switch_asks_a_question_and_links_to_its_chapter(opened):
    items = opened.locator(".parts li")
    assert items.count() == 9
    for text in items.all_inner_texts():
        assert "?" in text
    for address in items.locator("a").evaluate_all("all => all.map((a) => a.getAttribute('href'))"):
        assert (ROOT / "chapters" / f"{Path(address).stem}.ipynb").is_file()


def test_beam_and_temperature(opened, translator):
    sentence = "Tür"  # no sentence at all, so that there is something to be in doubt about
    intact = translate(opened, sentence)
    opened.locator("input[name=beam]").fill("4")
    assert written(opened) == translator.translate(sentence, beam=4).text != intact
    assert opened.get_by_text("With your changes: beam of 4", exact=True).is_visible()
    opened.get_by_role("button", name="Put everything back").click()
    opened.locator("input[name='encoder.1']").uncheck()
    written(opened)
    assert opened.get_by_text("With your changes: without encoder layer 1", exact=True).is_visible()
    opened.get_by_role("button", name="Put everything back").click()
    opened.locator("input[name=temperature]").fill("2")
    first = written(opened)
    assert opened.get_by_text("With your changes: temperature 2.0", exact=True).is_visible()
    move(opened, "word", 0)
    logits = by_pytorch(translator, translator.model, sentence)[1][0].log()
    hot = (logits / 2).softmax(-1).topk(4).values.tolist()
    assert list(likeliest(opened)[0].values())[:4] == pytest.approx(hot, abs=1e-2)
    opened.get_by_role("button", name="Draw again").click()
    assert (
        written(opened) != first and opened.locator("[data-role=intact]").text_content() == intact
    )


@pytest.mark.parametrize("number", range(len(EXPERIMENTS)))
def test_an_experiment_shows_what_it_promises(opened, number):
    experiment = EXPERIMENTS[number]
    opened.locator(".lab .row button").nth(number).click()
    assert not opened.get_by_text(experiment["answer"][:30]).is_visible()
    assert opened.get_by_text(experiment["question"][:30]).is_visible()
    opened.get_by_role("button", name="Set it up").click()
    assert written(opened) == experiment["changed"]
    assert opened.locator("[data-role=intact]").text_content() == experiment["intact"]
    assert opened.locator("input[name=source]").input_value() == experiment["source"]
    opened.get_by_text("Answer", exact=True).click()
    assert opened.get_by_text(experiment["answer"][:30]).is_visible()


def test_what_the_texts_of_the_experiments_add_is_true(translator, pairs, monkeypatch):
    off = partial(switched, translator.model, monkeypatch=monkeypatch)

    def text(sentence, *parts):
        return translator.target_vocabulary.detokenize(
            by_pytorch(translator, off(parts), sentence)[0]
        )

    man, woman = "der Mann besucht die Frau .", "die Frau besucht der Mann ."
    assert len(EXPERIMENTS) == 6
    assert text(man, "positions") == text(woman, "positions") == text(woman)
    assert text(EXPERIMENTS[3]["source"], "decoder.1") == "i do not want to swim ?"
    heads = [[tl.Translator(off([f"decoder.{i}.cross_attention.{j}"]), translator.source_vocabulary,
              translator.target_vocabulary) for j in range(4)] for i in range(2)]  # fmt: skip
    sample = pairs[:60]

    def right(one):
        found = one.translate_batch([pair.source for pair in sample])
        return sum(a.text == b.target for a, b in zip(found, sample, strict=True))

    scores = [right(one) for layer in heads for one in layer]
    assert scores.index(min(scores)) == 7 and sorted(scores)[1] > min(scores)


# ---------------------------------------------------------------------------------------------------
# the words


def test_an_unknown_word_is_said_at_once_with_the_nearest_ones(opened, translator):
    field = opened.locator("input[name=source]")
    field.fill("ich trinke heute Wassr .")
    problem = opened.locator(".problem")
    assert "Wassr is not one of the 206 words" in problem.inner_text()
    assert problem.get_by_role("button").first.inner_text() == "Wasser"
    assert opened.locator(".gloss .unknown").inner_text().split("\n")[0] == "Wassr"
    wanted = problem.get_by_role("button").first
    wanted.hover()
    opened.mouse.down()
    opened.locator(
        "[data-role=translation][data-state=refused]"
    ).wait_for()  # the pause ends while it is pressed
    opened.mouse.up()
    assert written(opened) == translator.translate("ich trinke heute Wasser .").text
    assert problem.inner_text() == ""
    field.fill("")
    assert "at least one word" in problem.inner_text()
    field.fill("ich " * 65)
    field.press("Enter")
    assert "at most 64" in problem.inner_text() and state(opened)["state"] == "refused"
    field.fill(HOSTILE[0])
    assert opened.locator(".gloss button > .token:first-child").all_inner_texts() == split_words(
        HOSTILE[0]
    )
    assert opened.locator("img").count() == 0


def test_a_refused_sentence_leaves_the_translation_before_it_whole(
    open_figures, figure, translator
):
    page = open_figures(figure)
    page.wait_for_selector(DONE)
    field, sentence = (
        page.locator("input[name=source]"),
        "ich weiß nicht , ob er morgen Abend schwimmen kann .",
    )
    field.fill(sentence)
    field.press("Enter")
    page.wait_for_selector("[data-role=translation][data-state=writing] button")
    field.fill("ich xyz zugemacht und noch mehr .")
    page.wait_for_selector("[data-role=translation][data-state=refused]")
    line = page.locator("[data-role=translation]")
    assert line.text_content() == translator.translate(sentence).text
    seen = page.locator(".gloss button").evaluate_all(
        "all => all.map((one) => one.style.getPropertyValue('--seen'))"
    )
    assert set(seen) == {"0%"}
    shown = state(page)
    page.locator(".gloss button").last.click()
    assert state(page) == shown, "the words above are not those that were read"


def test_the_chosen_word_is_marked_also_behind_a_token_that_is_no_word(opened):
    opened.locator("input[name=temperature]").fill("2")
    for _ in range(40):
        written(opened)
        if "<bos>" in opened.locator(".line").first.text_content():
            break
        opened.get_by_role("button", name="Draw again").click()
    else:
        raise AssertionError("no sentence with <bos> was drawn")
    for word in opened.locator("[data-role=translation] button").all():
        word.click()
        assert word.get_attribute("aria-pressed") == "true"
        assert opened.locator(".line [aria-pressed=true]").count() == 1


@pytest.mark.parametrize("width", [375, 1280])
def test_what_has_the_focus_is_not_covered_by_the_translation(open_figures, figure, width):
    page = open_figures(figure, reduced_motion="reduce", width=width)
    page.set_viewport_size({"width": width, "height": 800})
    page.wait_for_selector(DONE)
    page.locator(".parts input").last.focus()
    covered = """() => {
        const root = document.querySelector('.tl-figure').shadowRoot;
        const [one, over] = [root.activeElement, root.querySelector('.results')];
        const [box, panel] = [one.getBoundingClientRect(), over.getBoundingClientRect()];
        return [one.closest('.parts') !== null, panel.bottom - box.top > 1 && panel.top < box.bottom];
    }"""
    steps = 0
    while (found := page.evaluate(covered))[0]:
        assert not found[1], f"covered after {steps} steps back"
        page.keyboard.press("Shift+Tab")
        steps += 1
    assert steps > 15


def test_on_paper_the_words_stay_and_what_is_pressed_goes(opened, translator):
    opened.emulate_media(media="print")
    assert opened.locator("[data-role=translation] button").first.is_visible()
    assert (
        opened.locator(".gloss button").first.is_visible()
        and opened.locator(".verdict").is_visible()
    )
    assert not any(opened.locator(part).is_visible() for part in (".suggestions", ".parts", ".lab"))
    assert (
        opened.locator(".results").evaluate("panel => getComputedStyle(panel).position") == "static"
    )
    assert (
        opened.get_by_role("button", name="Translate").count()
        == opened.get_by_role("button", name="Save").count()
        == 0
    )


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
        source, target = pair.source.split(), pair.target.split()
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
    words = [tl.Vocabulary.from_texts(column) for column in zip(*TWO_SENTENCES, strict=True)]
    sizes = {
        "d_model": 16,
        "d_ff": 16,
        "n_layers": 3,
        "n_heads": 2,
        "max_length": 9,
        "norm_first": True,
    }
    figure = LiveTranslator(
        tl.Translator(tl.Transformer(tl.TransformerConfig(*map(len, words), **sizes)), *words)
    )
    assert (
        figure.sentences == ["ich mochte ein bier", "ich mochte ein cola"]
        and figure.experiments == []
    )
    page = open_figures(figure, reduced_motion="reduce")
    for sentence in figure.sentences:
        assert translate(page, sentence) == figure._translator.translate(sentence).text
    assert page.locator("input[name*=attention]").count() == 9 * 2
    page.locator("input[name=source]").fill("tee")
    assert "one of the 5 words" in page.locator(".problem").inner_text()


def test_a_translator_of_another_language_is_not_called_german(open_figures):
    pairs = [("la cola espera en la impresora", "the queue waits in the printer"), ("no hay", "no")]
    words = [tl.Vocabulary.from_texts(column) for column in zip(*pairs, strict=True)]
    config = tl.TransformerConfig(*map(len, words), d_model=16, d_ff=16, n_layers=1, n_heads=2)
    spanish = tl.Translator(tl.Transformer(config), *words)
    figure = LiveTranslator(spanish)
    assert figure.sentences == ["impresora"] and figure.gloss == {}, "cola is no coke, in is not to"
    page = open_figures(figure, LiveTranslator(spanish, ["la cola"], gloss={"cola": "queue"}))
    page.locator(DONE).nth(1).wait_for(state="attached")
    for kind in figure.kinds:
        page.locator(".controls select").first.select_option(kind)
        said = page.evaluate(
            "[...document.querySelectorAll('.tl-figure')].map((one) => one.shadowRoot.innerHTML)"
        )
        assert not re.findall(r"German|English|those of the package|lang=.(?:de|en)", "".join(said))
    assert "queue" in page.locator(".gloss").nth(1).inner_text()
    assert page.locator("input[name=source]").first.evaluate("one => one.lang") == ""


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


# -------------------------------------------------------------------------------------------- once
# on the whole site


@pytest.fixture(scope="module")
def book_data():
    spec = importlib.util.spec_from_file_location("book_data", ROOT / "_ext" / "book_data.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_weights_stand_once_on_the_site_and_come_when_the_reader_does(
    book_data, browser, figure, tmp_path
):
    data = tmp_path / "_static" / "data"
    address = lambda path, resource: f"../{path}"  # noqa: E731
    page_html = book_data.LARGE.sub(partial(book_data.moved, data, address), 2 * figure.snapshot())
    (file,) = data.iterdir()
    assert len(page_html) < 280_000
    weight = len(gzip.compress(file.read_bytes())) + len(
        gzip.compress(page_html[: len(page_html) // 2].encode())
    )
    assert weight <= 300_000
    file_of_page = tmp_path / "chapters" / "page.html"
    file_of_page.parent.mkdir()
    file_of_page.write_text(f"<meta charset=utf-8><p style='height:9000px'>{page_html}", "utf-8")

    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.goto(file_of_page.as_uri())
    first = page.locator(".tl-figure").first
    first.locator("[data-role=translation][data-state=waiting]").wait_for(state="attached")
    assert first.locator("[data-role=translation]").text_content() == "i closed the door today ."
    assert page.locator("head script").count() == 0
    first.scroll_into_view_if_needed()
    first.locator(DONE).wait_for()
    assert translate_in(first, "ich möchte ein Bier .") == "i would like a beer ."

    file.unlink()
    page.reload()
    first.scroll_into_view_if_needed()
    first.locator("[data-state=failed]").first.wait_for()
    assert "file is missing: reload the page" in first.locator(".verdict").inner_text()
    context.close()


def translate_in(home, sentence):
    home.locator("input[name=source]").fill(sentence)
    home.locator("input[name=source]").press("Enter")
    return home.locator(DONE).text_content()


def test_python_sees_what_the_page_does_and_sets_it(figure):
    assert (
        figure.written == ["i", "closed", "the", "door", "today", ".", "<eos>"]
        and figure.last_step == 6
    )
    assert set(PARTS) <= set(figure.parts()) and len(figure.parts()) == 5 + 4 + 24
