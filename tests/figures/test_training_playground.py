"""The training playground: the chapter's run in the page, what its presets promise, and its
buttons.
"""

import json
import math

import pytest
import torch
from figure_examples import shown, state

from transformer_lite import train_two_sentences
from transformer_lite.data.corpus import TWO_SENTENCES
from transformer_lite.figures import TrainingPlayground
from transformer_lite.figures.training_playground import PRESETS
from transformer_lite.training import make_batch

ENGLISH = [english for _, english in TWO_SENTENCES]


def press(page, action):
    page.locator(f'[data-action="{action}"]').click()


def at_rest(page, **expected):
    """The figure's state, once it says what is expected and nothing runs."""
    page.wait_for_function(
        """(expected) => {
            const { dataset } = document.querySelector('.tl-figure').shadowRoot.querySelector('figure');
            return dataset.state === 'idle' && dataset.alike !== '' &&
                Object.entries(expected).every(([name, value]) => dataset[name] === value);
        }""",
        arg={name: str(value) for name, value in expected.items()},
        timeout=60_000,
        polling=50,
    )
    return state(page)


def written(found):
    return json.loads(found["translations"])


def losses(page):
    rows = page.locator(".numbers table").last.locator("tbody td").all_text_contents()
    return [float(text) for text in rows]


# From now on, `seen` gathers the steps that are drawn; and time passes by being asked for, on any
# machine alike.
WATCH = """() => {
    let asked = 0;
    performance.now = () => asked++;
    const root = document.querySelector('.tl-figure').shadowRoot.querySelector('figure');
    window.seen = new Set();
    new MutationObserver(() => seen.add(root.dataset.step)).observe(root, { attributes: true });
}"""


def test_the_default_run_is_the_notebooks(open_figures, seed=0):
    """From the first loss to the last probability, weight of attention and word."""
    translator, expected = train_two_sentences(seed, progress=False)
    page = open_figures(figure := TrainingPlayground(seed=seed, layer=1, head=3, sentence=1))
    named = [f"{name} {loss:.{4 if loss < 1 else 2}f}" for name, loss in figure.floors.items()]
    assert page.locator("line.level ~ text").all_text_contents() == named
    page.evaluate(WATCH)
    press(page, "train")
    found = at_rest(page, step=64)
    drawn = page.evaluate("[...seen].map(Number)")
    assert drawn == sorted(drawn) and (drawn[0], drawn[-1]) == (0, 64)
    assert 8 < len(drawn) < 64, "it is drawn while it learns, and learns in between"
    assert losses(page) == pytest.approx(expected, abs=1e-5)
    assert float(found["loss"]) == pytest.approx(expected[-1], abs=1e-5)
    assert (
        written(found)
        == [translator.translate(german).text for german, _ in TWO_SENTENCES]
        == ENGLISH
    )
    batch = make_batch(TWO_SENTENCES, translator.source_vocabulary, translator.target_vocabulary)
    with torch.no_grad():
        logits, maps = translator.model(batch.source, batch.target[:, :-1], return_attention=True)
        memory, _ = translator.model.encode(batch.source, None)
    tables = shown(page)
    probabilities = tables["probability of each word (columns) after each word (rows)"]
    assert torch.tensor(probabilities).sub(logits[1].softmax(-1)).abs().max() < 1e-3
    assert torch.tensor(tables["cross-attention"]).sub(maps.cross[1][1, 3]).abs().max() < 1e-3
    unit = torch.nn.functional.normalize(memory.flatten(0, 1), dim=1)
    cosines = unit @ unit.T
    assert (
        torch.tensor(tables["cosine of the encoder's vectors"]).sub(cosines[4:, 4:]).abs().max()
        < 1e-3
    )
    assert float(found["alike"]) == pytest.approx((cosines.sum().item() - 8) / 56, abs=1e-3)


def test_what_stands_there_before_the_first_step_is_what_the_engine_would_find(open_figures):
    """Python's numbers of the untrained model, and the page's, for settings that change
    everything.
    """
    settings = {"layers": 3, "d_model": 16, "heads": 2, "norm": "pre-norm", "seed": 3}
    for more in ({}, {"no_layer_norm": True, "no_feed_forward": True}):
        figure = TrainingPlayground(**settings, **more)
        page = open_figures(figure)
        stored, tables = state(page), shown(page)
        figure = TrainingPlayground(**settings | {"seed": 4}, **more)
        page = open_figures(figure)
        assert state(page)["loss"] != stored["loss"]
        page.get_by_role("slider", name="seed").press("ArrowLeft")
        found = at_rest(page, seed=3)
        for name in ("loss", "alike"):
            assert float(found.pop(name)) == pytest.approx(float(stored.pop(name)), abs=1e-4)
        assert found == stored
        for name, table in shown(page).items():
            assert table == pytest.approx(tables[name], abs=1e-4)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_presets_do_what_their_texts_say(open_figures, seed):
    page = open_figures(TrainingPlayground(seed=seed))
    for name in PRESETS:
        page.locator(f'[data-preset="{name}"]').click()
        assert state(page)["seed"] == str(seed)
        assert page.locator(f'[data-preset="{name}"]').get_attribute("aria-pressed") == "true"
        assert page.locator(".promise .on").inner_text() == PRESETS[name]["text"]
        at_rest(page, step=0)
        press(page, "step")
        first = at_rest(page, step=1)
        press(page, "train")
        last = at_rest(page, step=64)
        collapses = name == "collapse"
        assert (float(first["alike"]) > 0.99) == (float(last["alike"]) > 0.999) == collapses, name
        assert (written(last) == ENGLISH) == (not collapses), name
        if collapses:
            assert float(last["loss"]) > 1 and all(
                sentence.endswith("…") for sentence in written(last)
            )
    page.get_by_role("slider", name="dropout").press("ArrowRight")
    assert "of your own" in page.locator(".promise .on").inner_text()


def test_pause_step_and_start_again(open_figures):
    page = open_figures(TrainingPlayground(d_model=16))
    assert state(page)["step"] == "0" and state(page)["state"] == "idle"
    press(page, "pause")  # nothing runs: nothing happens
    assert not page.workers
    press(page, "step")
    one = at_rest(page, step=1)
    assert len(page.workers) == 1
    press(page, "step")
    at_rest(page, step=2)
    page.get_by_role("checkbox", name="slow motion").check()
    press(page, "train")
    page.wait_for_function(
        "Number(document.querySelector('.tl-figure').shadowRoot.querySelector('figure').dataset.step) > 3"
    )
    assert state(page)["state"] == "training"
    press(page, "pause")
    paused = at_rest(page)
    step = int(paused["step"])
    assert 3 < step < 64 and len(losses(page)) == step
    spoken = page.locator("[role=status]").inner_text()
    assert spoken.startswith(f"step {step}, loss {float(paused['loss']):.4f}. “")
    page.get_by_role("checkbox", name="slow motion").uncheck()
    press(page, "train")  # goes on where it stood, to the end of the round
    at_rest(page, step=64)
    whole = losses(page)
    steps = page.locator("svg[aria-label^='loss of each step'] text")
    assert {"0", "16", "32", "48", "64"} <= {*steps.all_text_contents()}
    press(page, "train")  # and on: the axis grows
    at_rest(page, step=128)
    assert {"0", "32", "64", "96", "128"} <= {*steps.all_text_contents()}
    assert losses(page)[:64] == whole and losses(page)[0] == pytest.approx(
        float(one["loss"]), abs=1e-6
    )
    press(page, "train")
    press(page, "reset")  # while it runs
    assert (state(page)["step"], state(page)["state"]) == ("0", "idle") and not losses(page)
    press(page, "train")
    at_rest(page, step=64)
    assert losses(page) == whole  # the same seed, the same run


def test_another_setting_starts_again(open_figures):
    page = open_figures(TrainingPlayground(d_model=16))
    press(page, "step")
    before = at_rest(page, step=1)
    page.get_by_role("slider", name="seed").press("ArrowRight")
    assert state(page)["step"] == "0" and not losses(page)
    press(page, "step")
    assert at_rest(page, step=1)["loss"] != before["loss"]


def test_dropout_makes_the_losses_rough_and_the_page_shows_the_model_without_it(open_figures):
    runs = []
    for dropout in (0, 0.3):
        page = open_figures(TrainingPlayground(d_model=32, dropout=dropout))
        untrained = state(page)
        press(page, "train")
        found = at_rest(page, step=64)
        runs.append((untrained["loss"], losses(page), written(found)))
    (plain_loss, plain, _), (loss, rough, words) = runs
    assert plain_loss == loss and plain != rough
    falls = [sum(b > a for a, b in zip(run, run[1:], strict=False)) for run in (plain, rough)]
    assert falls[0] < falls[1] and words == ENGLISH


def test_a_run_that_bursts_stops_and_says_so(open_figures):
    """Six layers without LayerNorm, at the highest rate."""
    page = open_figures(TrainingPlayground(layers=6, no_layer_norm=True, rate=0.03))
    press(page, "train")
    page.wait_for_function(
        """() => {
            const { dataset } = document.querySelector('.tl-figure').shadowRoot.querySelector('figure');
            return dataset.state === 'idle' && dataset.loss === '' && dataset.step !== '0';
        }""",
        timeout=60_000,
        polling=50,
    )
    assert int(state(page)["step"]) < 64 and written(state(page)) != ENGLISH
    assert "the weights have burst" in page.locator(".counter").inner_text()
    press(page, "reset")
    assert float(at_rest(page, step=0)["loss"]) > 0


def test_pairs_of_ones_own(open_figures):
    pairs = [
        ("guten Morgen", "good morning"),
        (list("abc"), list("cba")),
        ("guten Abend !", "good evening !"),
    ]
    page = open_figures(TrainingPlayground(pairs, d_model=32, sentence=1))
    assert page.locator(".cross thead .token").all_inner_texts() == list("abc")
    assert page.locator(".cross tbody th .token").all_inner_texts() == [*"cba", "<eos>"]
    assert (
        "of your own" in page.locator(".promise .on").inner_text()
    )  # what was measured holds for the two sentences
    press(page, "train")
    assert written(at_rest(page, step=64)) == ["good morning", "c b a", "good evening !"]


def test_the_floors_of_the_chapter_and_of_other_pairs():
    figure = TrainingPlayground()
    assert list(figure.floors.values()) == pytest.approx([2.302585, 1.907284, 0.115525], abs=1e-6)
    three = TrainingPlayground(
        [*TWO_SENTENCES, ("ich mochte ein tee", "i want a tea .")]
    )  # exercise 8.1
    assert list(three.floors.values()) == pytest.approx(
        [math.log(11), 5 / 6 * math.log(6) + 1 / 6 * math.log(18), math.log(3) / 6], abs=1e-6
    )
    assert TrainingPlayground([("a", "b")]).floors["ignores the source"] == 0


@pytest.mark.parametrize(
    "pairs, message",
    [
        ([], "1 to 8 sentence pairs; got 0"),
        ([("a", "b")] * 9, "1 to 8 sentence pairs; got 9"),
        ([("a", "b", "c")], "pair 1 is .* expected"),
        (["ab"], "pair 1 is 'ab'; expected"),
        ([("a", "b"), ("a " * 13, "b")], "pair 2 has 13 tokens; expected 1 to 12"),
        ([("a", " ")], "pair 1 has 0 tokens"),
        ([("a", 3)], "pair 1 is 3; expected a text or a list of tokens"),
        ([(["a", 3], "b")], "expected a text or a list of tokens"),
        ([(["<pad>"], "b")], "<pad>"),
    ],
)
def test_bad_pairs_are_refused(pairs, message):
    with pytest.raises(ValueError, match=message):
        TrainingPlayground(pairs)


@pytest.mark.parametrize(
    "setting, message",
    [
        ({"layers": 7}, "layers=7 is out of range"),
        ({"rate": 0.1}, "rate='0.1' is not known"),
        ({"heads": 3}, "heads='3' is not known"),
        ({"dropout": 0.5}, "out of range"),
        ({"width": 3}, "width: no such setting"),
    ],
)
def test_bad_settings_are_refused(setting, message):
    with pytest.raises(ValueError, match=message):
        TrainingPlayground(**setting)
