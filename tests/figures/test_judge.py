"""The judge: the page judges as Python does, and a model learns in it from what is said of it."""

import base64
import random

import pytest
import torch
from figure_examples import settled, shown, spoken, state
from in_node import Node

from attention_by_hand.figures import Judge
from attention_by_hand.figures.kit.figure import FIGURES
from attention_by_hand.studies import judged
from transformer_lite.data.grammar import splits

QUICK = {"batch": 16, "measured": 40, "round": 2, "rounds": 2, "taught": 2, "shown": 6}
WAITING = """() => document.querySelector('.tl-figure').shadowRoot.querySelector('figure')
    .dataset.state === 'waiting'"""


def test_its_judges_and_pulls_are_pythons():
    figure = Judge()
    ids = judged.reader().vocabulary.ids
    dice = random.Random(0)
    texts = [text for pair in splits().unseen[:200] for text in pair[:2]]
    texts += [" ".join(dice.sample(words, len(words))) for words in map(str.split, texts)]
    rows = [[ids[word] for word in text.split()] for text in texts]
    given = [3.0, 1, 4, 1, 5, None]
    with Node([FIGURES / "judge" / "judges.js"]) as page:
        found, pulls = page.evaluate(
            """([language, liked, rows, given]) => {
                const bytes = Uint8Array.from(atob(language), (c) => c.charCodeAt(0));
                const grammar = judges.grammarOf(new DataView(bytes.buffer));
                const all = judges.judgesOf(grammar, liked);
                return [rows.map((row) => all.map((judge) => judge(row))), judges.pullsOf(given)];
            }""",
            [base64.b64encode(figure.language).decode(), figure.liked, rows, given],
        )
    for text, (grammar, length, word) in zip(texts, found, strict=True):
        assert grammar == judged.is_sentence(text), text
        assert (length, word) == (judged.length(text), judged.has_the_word(text))
    assert pulls[:-1] == pytest.approx(judged.pulls(torch.tensor(given[:-1])).tolist(), abs=1e-5)
    assert pulls[-1] == 0, "what was not judged pulls at nothing"


def test_it_refuses_another_judge_and_begins_where_the_recorded_run_does():
    assert Judge("the grammar").judge == 1
    for wrong in ({"judge": 4}, {"leash": 1.5}):
        with pytest.raises(ValueError, match="out of range"):
            Judge(**wrong)
    figure = Judge()
    run = judged.recorded()["no leash"][0]
    assert figure.as_table().rows[-1] == [
        "step 40",
        *(run[name][-1] for name in Judge.constants["lines"]),
    ]
    assert len(figure.opening) == 20 and f"{run['right'][0]:.0f} %" in figure.alternative


def test_a_reader_judges_and_goes_back_and_the_grammar_goes_on(open_figures, monkeypatch):
    monkeypatch.setattr(Judge, "constants", Judge.constants | QUICK)
    monkeypatch.setattr("attention_by_hand.figures.judge.SHOWN", QUICK["shown"])
    page = open_figures(Judge(), reduced_motion="reduce")
    learn = page.get_by_role("button", name="Learn from what I said")
    before = page.locator(".written .text").all_text_contents()
    assert len(before) == 6 and learn.get_attribute("aria-disabled") == "true"
    assert {*page.locator(".written .text").evaluate_all("all => all.map((one) => one.lang)")} == {
        "en",
        "de",
    }
    rows = page.locator(".written li")
    for i, name in enumerate(["good", "bad", "bad"]):
        rows.nth(i).get_by_role("button", name=name).click()
    assert {"1", "good", "2", "bad"} <= spoken(page.locator(".buttons").inner_text())
    marks = page.locator(".mark").all_text_contents()
    assert [mark == "✓" for mark in marks[:3]] == [*map(judged.is_sentence, before[:3])]
    assert marks[3:] == ["", "", ""], "the grammar waits for the reader"
    learn.click()
    page.wait_for_function(WAITING, timeout=60_000)
    assert state(page)["step"] == "2" and len(shown(page)["the run"]) == 2
    assert page.locator(".written .text").all_text_contents() != before
    page.get_by_role("radio", name="the grammar").click()
    page.get_by_role("button", name="Let it judge").click()
    page.wait_for_function(WAITING, timeout=60_000)
    assert state(page)["step"] == "6"
    texts = page.locator(".written .text").all_text_contents()
    marks = page.locator(".mark").all_text_contents()
    assert [mark == "✓" for mark in marks] == [*map(judged.is_sentence, texts)]
    said = page.locator(".told").inner_text()
    assert f"After 6 steps {float(state(page)['right']):.0f}\u00a0% are" in said
    page.get_by_role("button", name="Back to before").click()
    settled(page)
    assert page.locator(".written .text").all_text_contents() == before
    assert state(page)["state"] == "recorded"
