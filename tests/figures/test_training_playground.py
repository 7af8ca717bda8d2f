"""The training playground: the chapter's run in the page, what its presets promise, its film and
its ball.
"""

import json
import re

import pytest
import torch
from figure_examples import resize, shown, state, unfold

from attention_by_hand.exhibits.floors import floors
from attention_by_hand.figures import Prediction, TrainingPlayground
from attention_by_hand.figures.training_playground import COLLAPSE, PRESETS, PRESETS_ALONE
from attention_by_hand.studies.two_sentences import train_two_sentences
from transformer_lite.data.corpus import TWO_SENTENCES
from transformer_lite.decoder_only import DecoderOnly, question_and_answer, write
from transformer_lite.training import loss_function, make_batch
from transformer_lite.vocabulary import BOS_ID, PAD_ID, Vocabulary

ENGLISH = [english for _, english in TWO_SENTENCES]
OURS, COLLAPSES, *REPAIRS = PRESETS
UNEVEN = [("eins zwei drei", "three two one"), ("zwei", "two"), ("drei eins", "one three")]


@pytest.fixture
def open_calm(open_figures):
    """Without motion a run is not slowed down for the eye."""
    return lambda *figures, **options: open_figures(*figures, reduced_motion="reduce", **options)


def press(page, action):
    page.locator(f'[data-action="{action}"]').click()


def choose(page, preset):
    """Other models are folded until the first run has ended."""
    pill = page.locator(f'[data-preset="{preset}"]')
    if not pill.is_visible():
        page.get_by_text("Other models to train").click()
    pill.click()


def at_rest(page, known="alike", **expected):
    """The figure's state, once it says what is expected, `known` is there and nothing runs."""
    page.wait_for_function(
        """([known, expected]) => {
            const home = document.querySelector('.tl-figure');
            const { dataset } = home.shadowRoot.querySelector('figure');
            return dataset.state === 'idle' && dataset[known] !== '' &&
                Object.entries(expected).every(([name, value]) => dataset[name] === value);
        }""",
        arg=[known, {name: str(value) for name, value in expected.items()}],
        timeout=60_000,
        polling=50,
    )
    return state(page)


def written(found):
    return json.loads(found["translations"])


def losses(page):
    rows = page.locator(".numbers table").last.locator("tbody td").all_text_contents()
    return [float(text) for text in rows]


def here(page):
    """The zone that is marked."""
    return " ".join(page.locator("text.zone.here tspan").all_text_contents())


def words_in_the_picture(page):
    """Asks, on a desk and on a phone, that zones are named inside the picture, that no words meet,
    and that the label of what is shown stands above it.
    """
    for width in (900, 390):
        resize(page, width)
        plot = page.locator("rect.zone").last.bounding_box()
        for zone in page.locator("text.zone").all():
            box = zone.bounding_box()
            assert plot["x"] < box["x"] and box["x"] + box["width"] < plot["x"] + plot["width"]
        boxes = page.locator("svg.losses :is(text.zone, text.ghost, text.now)").evaluate_all(
            """all => all.map((one) => [one.textContent, one.getBoundingClientRect()])
                .map(([text, { left, right, top, bottom }]) => [text, left, right, top, bottom])"""
        )
        for i, (text, left, right, top, bottom) in enumerate(boxes):
            for other, left2, right2, top2, bottom2 in boxes[:i]:
                apart = right <= left2 or right2 <= left or bottom <= top2 + 4 or bottom2 <= top + 4
                assert apart, (text, other)
    label, plot = (page.locator(part).first.bounding_box() for part in ("text.now", ".zone0"))
    assert label["y"] + label["height"] <= plot["y"] + 6 and plot["x"] - 1 <= label["x"]


def test_the_default_run_is_the_notebooks(open_calm, seed=0):
    """From the first loss to the last probability, weight of attention and word."""
    translator, expected = train_two_sentences(seed, progress=False)
    page = open_calm(TrainingPlayground(seed=seed, layer=1, head=3, sentence=1))
    press(page, "play")
    found = at_rest(page, step=64)
    assert losses(page)[:64] == pytest.approx(expected, abs=1e-5) and len(losses(page)) == 65
    assert float(found["loss"]) == pytest.approx(losses(page)[-1], abs=1e-6)
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
    probabilities = tables["probability of each word (columns) at each place (rows)"]
    assert torch.tensor(probabilities).sub(logits[1].softmax(-1)).abs().max() < 1e-3
    assert torch.tensor(tables["cross-attention"]).sub(maps.cross[1][1, 3]).abs().max() < 1e-3
    unit = torch.nn.functional.normalize(memory.flatten(0, 1), dim=1)
    cosines = unit @ unit.T
    assert (
        torch.tensor(tables["cosine of the encoder's vectors"]).sub(cosines[4:, 4:]).abs().max()
        < 1e-3
    )
    assert float(found["alike"]) == pytest.approx((cosines.sum().item() - 8) / 56, abs=1e-3)


def test_what_stands_there_before_the_first_step_is_what_the_engine_would_find(open_calm):
    """Python's numbers of the untrained model, and the page's, for settings that change
    everything.
    """
    settings = {"layers": 3, "d_model": 16, "heads": 2, "norm": "pre-norm", "seed": 3}
    for more in ({}, {"no_layer_norm": True, "no_feed_forward": True}):
        figure = TrainingPlayground(**settings, **more)
        page = open_calm(figure)
        stored = state(page)
        tables = shown(page)
        figure = TrainingPlayground(**settings | {"seed": 4}, **more)
        page = open_calm(figure)
        unfold(page)
        assert state(page)["loss"] != stored["loss"]
        page.get_by_role("slider", name="seed").press("ArrowLeft")
        found = at_rest(page, seed=3)
        for name in ("loss", "alike"):
            assert float(found.pop(name)) == pytest.approx(float(stored.pop(name)), abs=1e-4)
        assert found == stored
        for name, table in shown(page).items():
            assert table == pytest.approx(tables[name], abs=1e-4)


@pytest.mark.parametrize(
    "names",
    [[COLLAPSES, REPAIRS[0]], pytest.param([*REPAIRS[1:], OURS], marks=pytest.mark.weekly)],
)
def test_the_presets_do_what_their_texts_say_and_no_words_meet(open_calm, names):
    """A preset plays at once; after one step its encoder has all words alike, or not. With more
    seeds, and without a page, tests/engine trains them.
    """
    for name in names:
        seed = int(name != COLLAPSES)  # or its label would lie on that of the recorded collapse
        page = open_calm(TrainingPlayground(seed=seed))
        assert not page.locator(".pill").first.is_visible()
        choose(page, name)
        found = at_rest(page, step=64)
        assert found["seed"] == f"{seed}"
        assert page.locator(f'[data-preset="{name}"]').get_attribute("aria-pressed") == "true"
        assert page.locator(".promise .on").inner_text() == PRESETS[name]["text"]
        collapses = name == COLLAPSES
        assert (written(found) == ENGLISH) == (not collapses), name
        assert (float(found["loss"]) > 0.5) == collapses
        words_in_the_picture(page)
        page.locator(".scrub").press("Home")
        page.locator(".scrub").press("ArrowRight")
        assert (float(at_rest(page, step=1)["alike"]) > 0.97) == collapses, name
    unfold(page)
    cut = page.locator(".inside .panel").evaluate_all(
        """panels => panels.flatMap((panel) => {
            const edge = panel.getBoundingClientRect().right;
            const words = [...panel.querySelectorAll('.turned')];
            return words.filter((word) => word.getBoundingClientRect().right > edge);
        }).length"""
    )
    assert cut == 0, "words that are cut on a phone"
    page.get_by_role("slider", name="dropout").press("ArrowRight")
    assert "of your own" in page.locator(".promise .on").inner_text()


def test_the_collapse_is_the_chapters():
    """As wide, as fast and with as many layers as the one that the text takes apart."""
    assert {name for name in COLLAPSE if COLLAPSE[name] != PRESETS[OURS]["settings"][name]} == {
        "d_model",
        "rate",
    }
    assert (COLLAPSE["layers"], COLLAPSE["d_model"], COLLAPSE["rate"]) == (2, 128, "0.01")


# Gathers when each step is drawn.
WATCH = """() => {
    const root = document.querySelector('.tl-figure').shadowRoot.querySelector('figure');
    window.seen = [];
    new MutationObserver(() => {
        const { step } = root.dataset;
        if (step !== seen.at(-1)?.[0]) seen.push([step, performance.now()]);
    }).observe(root, { attributes: true });
}"""


def test_the_steps_in_which_it_learns_are_shown_slowly_and_the_rest_fast(open_figures):
    page = open_figures(TrainingPlayground())
    page.evaluate(WATCH)
    press(page, "play")
    page.wait_for_function("seen.length > 14", timeout=60_000)
    press(page, "play")  # a pause
    steps, times = zip(*page.evaluate("seen"), strict=True)
    assert [*map(int, steps[:15])] == [*range(15)], "each step is drawn"
    waits = [after - before for before, after in zip(times, times[1:], strict=False)]
    assert min(waits[1:3]) > 750, "both sentences are right from step 3 on"
    assert waits[3] > waits[6] > waits[9] > waits[12] and waits[12] < 400
    assert at_rest(page)["step"] in steps[14:]


def test_the_ball_goes_back_and_what_it_meets_is_not_learnt_again(open_calm):
    page = open_calm(TrainingPlayground(d_model=16))
    assert state(page)["step"] == "0" and not page.workers and here(page) == "above even guessing"
    page.locator(".scrub").press("ArrowRight")  # at its end, it learns one step
    one = at_rest(page, step=1)
    assert len(page.workers) == 1
    press(page, "play")
    end = at_rest(page, step=64)
    assert here(page) == "below English alone"
    whole = losses(page)
    plot = page.locator("svg.losses")
    box = plot.bounding_box()
    ball = page.locator(".ball").bounding_box()
    page.mouse.move(ball["x"] + 8, ball["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 3, box["y"] + 40, steps=4)
    page.mouse.up()
    back = state(page)
    step = int(back["step"])
    assert 10 < step < 40 and float(back["loss"]) == pytest.approx(whole[step], abs=1e-6)
    page.locator(".scrub").press("Home")
    page.locator(".scrub").press("ArrowRight")
    again = at_rest(page, step=1)
    assert again == one | {"taken": "64"}
    assert page.locator(".scrub").get_attribute("aria-valuetext").startswith("step 1, loss ")
    press(page, "play")  # goes on from there, and shows what it knows
    assert at_rest(page, step=64) == end and losses(page) == whole
    press(page, "play")  # and from the beginning, once it has come to the end
    assert at_rest(page, step=64) == end and losses(page) == whole


def test_more_steps_and_ghosts_of_earlier_runs(open_calm):
    page = open_calm(TrainingPlayground(d_model=16))
    assert page.locator("[data-action=more]").is_hidden()
    press(page, "play")
    at_rest(page, step=64)
    press(page, "more")  # the axis grows
    at_rest(page, step=128)
    assert {"0", "32", "64", "96", "128"} <= {*page.locator("svg.losses text").all_text_contents()}
    before = losses(page)
    unfold(page)
    page.get_by_role("slider", name="seed").press("ArrowRight")
    assert state(page)["step"] == "0" and at_rest(page, taken=0) and len(losses(page)) == 1
    assert page.locator("text.ghost").all_text_contents() == [COLLAPSES, "your own"]
    assert page.locator("path.ghost").last.get_attribute("d").count("L") == 128
    press(page, "play")
    at_rest(page, step=64)
    assert losses(page) != before[:65]
    page.get_by_role("slider", name="seed").press("ArrowLeft")  # the first one again
    press(page, "play")
    at_rest(page, step=64)
    assert losses(page) == before[:65], "the same seed, the same run"
    assert page.locator("text.ghost").count() == 2, "it is no ghost of itself"


def test_a_recorded_collapse_stands_there_at_first_but_not_before_a_guess(open_calm):
    asking = Prediction("8.1", "Where?", ["1.907: there", "nowhere"], answer=1, because="So.")
    page = open_calm(asking, TrainingPlayground(prediction="8.1"))
    ghost = page.locator("path.ghost")
    assert ghost.count() == 0
    page.get_by_role("radio", name="nowhere").check()
    page.get_by_role("button", name="That is my guess").click()
    ghost.wait_for(state="attached")
    assert page.locator("text.ghost").all_text_contents() == [COLLAPSES]
    assert ghost.get_attribute("d").count("L") == 64
    choose(page, COLLAPSES)
    assert ghost.count() == 0, "it is no ghost of itself"


def test_dropout_changes_what_is_learnt_and_not_what_is_shown_of_it(open_calm):
    runs = []
    for dropout in (0, 0.3):
        page = open_calm(TrainingPlayground(d_model=32, dropout=dropout))
        untrained = state(page)
        press(page, "play")
        found = at_rest(page, step=64)
        runs.append((untrained["loss"], losses(page), written(found)))
    (plain_loss, plain, _), (loss, rough, words) = runs
    assert plain_loss == loss and plain[0] == rough[0] and plain[5] != rough[5]
    assert words == ENGLISH


def test_a_run_that_bursts_stops_and_says_so(open_calm):
    """Six layers without LayerNorm, at the highest rate."""
    page = open_calm(TrainingPlayground(layers=6, no_layer_norm=True, rate=0.03))
    press(page, "play")
    page.wait_for_function(
        """() => {
            const home = document.querySelector('.tl-figure');
            const { dataset } = home.shadowRoot.querySelector('figure');
            return dataset.state === 'idle' && dataset.loss === '' && dataset.step !== '0';
        }""",
        timeout=60_000,
        polling=50,
    )
    assert int(state(page)["step"]) < 64 and written(state(page)) != ENGLISH
    assert "the weights have burst" in page.locator("text.now").text_content()
    page.locator(".scrub").press("Home")
    assert float(at_rest(page, step=0)["loss"]) > 0


def test_pairs_of_ones_own(open_calm):
    pairs = [
        ("guten Morgen", "good morning"),
        (list("abc"), list("cba")),
        ("guten Abend !", "good evening !"),
    ]
    page = open_calm(TrainingPlayground(pairs, d_model=32, sentence=1))
    unfold(page)
    assert page.locator(".cross thead .token").all_inner_texts() == list("abc")
    rows = ["<bos> → c", "c → b", "b → a", "a → <eos>"]
    assert page.locator(".cross tbody th .token").all_inner_texts() == rows
    # what was measured holds for the two sentences, and so does "English"
    assert "of your own" in page.locator(".promise .on").inner_text()
    assert "English" not in page.locator("svg.losses").text_content()
    press(page, "play")
    assert written(at_rest(page, step=64)) == ["good morning", "c b a", "good evening !"]
    page.locator(".inside .choices button").first.click()
    assert page.locator(".cross thead .token").all_inner_texts() == ["guten", "Morgen"]


def learning(texts, answers, words, *, seed=0, layers=2, d_model=64):
    """A decoder alone by PyTorch, and its logits, before each of 64 steps and after the last."""
    torch.manual_seed(seed)
    sizes = {"d_model": d_model, "d_ff": 4 * d_model, "n_layers": layers, "n_heads": 4}
    model = DecoderOnly(words, norm_first=False, **sizes)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(64):
        logits = model(texts)
        yield model, logits.detach()
        optimizer.zero_grad()
        loss_function(logits, answers).backward()
        optimizer.step()
    yield model, model(texts).detach()


@pytest.mark.parametrize(
    "pairs",
    [TWO_SENTENCES, pytest.param(UNEVEN, marks=pytest.mark.weekly)],
    ids=["two sentences", "uneven"],
)
def test_a_decoder_alone_learns_as_in_a_notebook(open_calm, pairs):
    """Every loss, and at the end the words, the probabilities and the maps of PyTorch's."""
    figure = TrainingPlayground(pairs, alone=True, layer=1, head=3, sentence=1, seed=4)
    vocabulary = Vocabulary.from_texts(text for pair in pairs for text in pair)
    assert figure.target_words == figure.source_words == vocabulary.tokens
    texts, answers = question_and_answer(pairs, vocabulary)
    steps = list(learning(texts, answers, len(vocabulary), seed=4))
    expected = [loss_function(logits, answers).item() for _, logits in steps]
    model, _ = steps[-1]

    page = open_calm(figure)
    tables = shown(page)  # Python's, of the untrained model
    press(page, "play")
    found = at_rest(page, known="loss", step=64)
    assert losses(page)[:64] == pytest.approx(expected[:64], abs=1e-4)
    german, english = pairs[1]
    question = vocabulary.encode(vocabulary.tokenize(german))
    answer = vocabulary.encode(vocabulary.tokenize(english))
    assert written(found) == [translation for _, translation in pairs]
    with torch.no_grad():
        text = torch.tensor([[*question, BOS_ID, *answer]])
        logits, maps = model(text, return_attention=True)
        goes_on = write(model, text[:, : len(question) + 1])[0, len(question) + 1 : -1]
    assert goes_on.tolist() == answer
    learnt = shown(page)
    name = "probability of each word (columns) at each place (rows)"
    rows = logits[0, len(question) :].softmax(-1)
    assert torch.tensor(learnt[name]).sub(rows).abs().max() < 1e-3
    map_ = maps[1][0, 3, len(question) :]
    assert torch.tensor(learnt["attention"]).sub(map_).abs().max() < 1e-3
    assert set(learnt) == set(tables) and "cosine of the encoder's vectors" not in learnt

    # What Python said of the untrained model is what the engine finds
    page.locator(".scrub").press("Home")
    page = open_calm(TrainingPlayground(pairs, alone=True, layer=1, head=3, sentence=1, seed=5))
    unfold(page)
    page.get_by_role("slider", name="seed").press("ArrowLeft")
    at_rest(page, known="loss", step=0)
    for name, table in shown(page).items():
        assert table == pytest.approx(tables[name], abs=1e-4)


def test_a_decoder_alone_learns_as_chapter_11_tells():
    """By PyTorch, whose steps the figure has: see above."""
    vocabulary = Vocabulary.from_texts(text for pair in TWO_SENTENCES for text in pair)
    texts, answers = question_and_answer(TWO_SENTENCES, vocabulary)
    questions = texts[:, :5]  # with the mark
    said = []
    for model, _ in learning(texts, answers, len(vocabulary)):
        rows = write(model, questions, 12)[:, 5:]
        said.append([vocabulary.detokenize(vocabulary.decode(row)) for row in rows])
    assert all(first == second and first in ENGLISH for first, second in said[1:6])
    assert said[0][0] not in ENGLISH and said[6:] == [ENGLISH] * 59
    with torch.no_grad():
        _, maps = model(texts, return_attention=True)
    words = vocabulary.decode(texts[0])
    on_bier = maps[1][0, :, words.index("a"), words.index("bier")]
    assert (on_bier > 0.95).sum() == 3


@pytest.mark.parametrize("seeds", [1, pytest.param(10, marks=pytest.mark.weekly)])
@pytest.mark.parametrize("name", PRESETS_ALONE)
def test_the_presets_of_a_decoder_alone_learn_when_their_texts_say(name, seeds):
    """By PyTorch as well. It writes both sentences once the likeliest token is right everywhere."""
    vocabulary = Vocabulary.from_texts(text for pair in TWO_SENTENCES for text in pair)
    texts, answers = question_and_answer(TWO_SENTENCES, vocabulary)
    asked = answers != PAD_ID
    sizes = {size: PRESETS_ALONE[name]["settings"][size] for size in ("layers", "d_model")}
    since = []
    for seed in range(seeds):
        steps = learning(texts, answers, len(vocabulary), seed=seed, **sizes)
        right = [torch.equal(x.argmax(-1)[asked], answers[asked]) for _, x in steps]
        since.append(len(right) - right[::-1].index(False))
    told = [int(step) for step in re.findall(r"from step (\d+) on", PRESETS_ALONE[name]["text"])]
    assert told[0] <= min(since) <= max(since) <= told[1] <= 64
    assert seeds < 10 or [min(since), max(since)] == told


def test_the_presets_of_a_decoder_alone_are_pressed_and_no_words_meet(open_calm):
    page = open_calm(TrainingPlayground(alone=True, seed=1))
    assert page.locator("text.ghost").count() == 0
    for name in reversed(PRESETS_ALONE):
        choose(page, name)
        assert written(at_rest(page, known="loss", step=64)) == ENGLISH
        assert page.locator(".promise .on").inner_text() == PRESETS_ALONE[name]["text"]
        words_in_the_picture(page)


def test_a_small_map_is_chosen_with_a_click_or_the_arrow_keys(open_calm):
    page = open_calm(TrainingPlayground(d_model=16))
    unfold(page)
    maps = page.locator(".maps button")
    assert maps.count() == 8 and state(page)["layer"] == "1"
    maps.nth(2).click()
    assert (state(page)["layer"], state(page)["head"]) == ("0", "2")
    maps.nth(2).press("ArrowDown")
    assert (state(page)["layer"], state(page)["head"]) == ("1", "2")
    assert page.locator(".maps button[tabindex='0']").count() == 1
    tables = shown(page)["cross-attention"]
    assert tables.sum(1) == pytest.approx(1, abs=1e-3)


def test_the_zones_lie_between_the_floors(open_figures):
    figure = TrainingPlayground()
    assert [lower for _, lower in figure.zones] == pytest.approx([*floors(ENGLISH), 0])
    page = open_figures(figure)
    heights = page.locator("rect.zone").evaluate_all("all => all.map((r) => r.getBBox().height)")
    assert len(heights) == 4 and min(heights) > 3
    page = open_figures(TrainingPlayground([("a", "b")]))  # nothing to be read from the source
    assert page.locator("rect.zone").count() == 3


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
