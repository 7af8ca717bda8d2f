"""The loss, the loop, the recipe, and the translator that ships."""

import json
import math
import signal
from dataclasses import asdict, fields, replace
from types import SimpleNamespace

import pytest
import torch
from number_words import NUMBERS

from attention_by_hand.studies.two_sentences import train_two_sentences
from transformer_lite import Transformer, TransformerConfig, load_translator, noam_schedule
from transformer_lite.data.corpus import TWO_SENTENCES, EncodedPairs, german_english
from transformer_lite.data.grammar import splits
from transformer_lite.train import loop, trainer
from transformer_lite.train.evaluation import evaluate
from transformer_lite.train.interrupt import deferred_interrupt
from transformer_lite.train.recipe import SHIPPED_MODEL, Recipe
from transformer_lite.train.trainer import batches, train_translator
from transformer_lite.training import Batch, loss_function, make_batch, training_steps
from transformer_lite.translator import SHIPPED
from transformer_lite.vocabulary import PAD_ID, Vocabulary, split_words

SOURCE, TARGET = (Vocabulary.from_texts(pair[side] for pair in TWO_SENTENCES) for side in (0, 1))
SIZES = dict(d_model=16, d_ff=32, n_layers=1, n_heads=2, dropout=0.1)
SMALL = Recipe(epochs=3, batch_size=32, warmup=4, model=SIZES)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_is_the_mean_cross_entropy_of_what_is_not_padding(smoothing):
    torch.manual_seed(0)
    logits = torch.randn(2, 3, 5, dtype=torch.float64)
    answer = torch.tensor([[4, 1, 2], [3, 0, 0]])
    log_p = logits.log_softmax(-1)
    terms = [
        -(1 - smoothing) * log_p[i, t, answer[i, t]] - smoothing * log_p[i, t].mean()
        for i, t in ((0, 0), (0, 1), (0, 2), (1, 0))
    ]
    torch.testing.assert_close(loss_function(logits, answer, smoothing), sum(terms) / 4)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize(("length", "size"), [(2, 37_000), (20_000, 50)])
def test_the_loss_of_short_floats_does_not_overflow(dtype, length, size):
    torch.manual_seed(0)
    logits = torch.randn(1, length, size, dtype=dtype)
    answer = torch.randint(1, size, (1, length))
    loss = loss_function(logits, answer, 0.1)
    torch.testing.assert_close(loss, loss_function(logits.float(), answer, 0.1))


@pytest.mark.parametrize("smoothing", [-0.1, 1.0, math.nan, "x"])
def test_what_is_no_share_does_not_smooth(smoothing):
    with pytest.raises(ValueError, match="label_smoothing is a share"):
        loss_function(torch.zeros(1, 2, 7), torch.tensor([[3, 4]]), smoothing)


def test_noam_rises_linearly_and_falls_with_the_root():
    assert noam_schedule(1) == pytest.approx(1.7469e-07, rel=1e-4)
    assert noam_schedule(4000) == pytest.approx((512 * 4000) ** -0.5)
    assert noam_schedule(2000) == pytest.approx(noam_schedule(4000) / 2)
    assert noam_schedule(16000) == pytest.approx(noam_schedule(4000) / 2)
    assert (
        noam_schedule(1, d_model=1, warmup=1) == 1 and noam_schedule(4, d_model=1, warmup=1) == 0.5
    )
    assert noam_schedule(1e100, 1, 1e100) == pytest.approx(1e-50)
    for bad in ("step", "d_model", "warmup"):
        for number in (0, math.nan, 10**400, "1"):
            with pytest.raises(ValueError, match=f"{bad} must be a number from 1 to 1e100"):
                noam_schedule(**{"step": 1} | {bad: number})


def test_a_batch_is_padded_and_the_target_framed():
    batch = make_batch([("ich mochte", "i want"), ("bier", "beer .")], SOURCE, TARGET)
    assert batch.source.tolist()[1][1:] == [0] and batch.target[:, 0].tolist() == [1, 1]
    assert batch.target[0].tolist() == [1, *TARGET.encode(["i", "want"]), 2]
    with pytest.raises(ValueError, match="unknown word 'wein'"):
        make_batch([("wein", "wine")], SOURCE, TARGET)


def test_padding_teaches_nothing():
    """A padded batch has the mean loss and gradients of its sentences' tokens, each alone."""
    torch.manual_seed(0)
    model = Transformer(replace(SMALL.config(len(SOURCE), len(TARGET)), dropout=0.0)).double()
    pairs = [("ich", "i"), ("ich mochte ein", "i want a beer")]  # two and five tokens to guess
    batches = [make_batch(some, SOURCE, TARGET) for some in (pairs, pairs[:1], pairs[1:])]
    assert (batches[0].target == PAD_ID).sum() == 3
    results = []
    for batch in batches:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
        (loss,) = training_steps(model, [batch], optimizer)
        results.append((loss, [p.grad.clone() for p in model.parameters()]))
    (loss, grads), (one, ones), (two, twos) = results
    assert loss == pytest.approx((2 * one + 5 * two) / 7, rel=1e-9)
    for (name, _), grad, a, b in zip(model.named_parameters(), grads, ones, twos, strict=True):
        torch.testing.assert_close(grad, (2 * a + 5 * b) / 7, msg=name)
        if "embedding" in name:
            assert not grad[PAD_ID].any()


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(n, marks=pytest.mark.weekly) for n in range(1, 10))]
)
def test_two_sentences_are_learnt_by_every_seed(seed):
    translator, losses = train_two_sentences(seed, progress=False)
    assert [translator.translate(german).text for german, _ in TWO_SENTENCES] == [
        e for _, e in TWO_SENTENCES
    ]
    assert len(losses) == 64 and losses[-1] < 0.1 < 1.5 < losses[0]


def test_the_loop_sets_the_rate_weighs_the_loss_and_yields_it_before_the_step():
    model = Transformer(replace(SMALL.config(len(SOURCE), len(TARGET)), dropout=0.0))
    batch = make_batch(TWO_SENTENCES, SOURCE, TARGET)
    optimizer = torch.optim.SGD(model.parameters(), lr=9.0)
    rates = []
    model.eval()
    plain = loss_function(model(batch.source, batch.target[:, :-1]), batch.target[:, 1:]).item()
    weights = (1.0, 0.5)
    losses = []
    for loss in training_steps(
        model, [Batch(*batch[:2], w) for w in weights], optimizer, lambda step: 0.0 * step
    ):
        losses.append(loss)
        rates.append(optimizer.param_groups[0]["lr"])
    assert losses == pytest.approx([plain, plain / 2]) and rates == [0.0, 0.0] and model.training
    next(training_steps(model, [batch], optimizer, lambda step: step / 4))
    assert optimizer.param_groups[0]["lr"] == 0.25


def test_batches_are_moved_to_the_model():
    """On the meta device nothing is computed, but a tensor left behind on the CPU is an error."""
    with torch.device("meta"):
        model = Transformer(SMALL.config(len(SOURCE), len(TARGET)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    stepped = []
    optimizer.register_step_post_hook(lambda *_: stepped.append(True))
    # Only reading the loss, after the step, cannot be done
    with pytest.raises(RuntimeError, match="meta"):
        next(training_steps(model, [make_batch(TWO_SENTENCES, SOURCE, TARGET)], optimizer))
    assert stepped


def test_the_rate_rises_then_falls_to_almost_nothing():
    recipe = Recipe(learning_rate=1.0, warmup=200)
    rates = [recipe.learning_rate_at(step, 470) for step in range(1, 471)]
    assert rates[0] == 1 / 200 and rates[199] == 1.0 and 0 < rates[-1] < 0.005
    assert rates == sorted(rates[:200]) + sorted(rates[200:], reverse=True)
    assert [recipe.learning_rate_at(step, 4) for step in range(1, 5)] == pytest.approx(
        [1 / 2, 1, 2 / 3, 1 / 3]
    )


@pytest.mark.parametrize(("warmup", "n_steps"), [(0, 5), (200, 1), (1, 5), (3, 5)])
def test_every_training_reaches_its_highest_rate(warmup, n_steps):
    recipe = Recipe(learning_rate=0.5, warmup=warmup)
    assert max(recipe.learning_rate_at(step, n_steps) for step in range(1, n_steps + 1)) == 0.5


def encoded():
    return EncodedPairs(
        NUMBERS, *(Vocabulary.from_texts(pair[side] for pair in NUMBERS) for side in (0, 1)), 10
    )


def rows(batches):
    return [tuple(row) for batch in batches for row in batch.source.tolist()]


def test_every_epoch_has_every_pair_in_an_order_of_its_own():
    data = encoded()
    steps = list(batches(data, SMALL, 0))
    assert len(steps) == 12 and [len(batch.source) for batch in steps[:4]] == [32, 31, 31, 31]
    epochs = [rows(steps[i : i + 4]) for i in (0, 4, 8)]
    assert len({tuple(epoch) for epoch in epochs}) == 3
    assert all(
        sorted(epoch) == sorted(tuple(data.source(i)) for i in range(125)) for epoch in epochs
    )
    assert rows(batches(data, SMALL, 6)) == rows(steps[6:])


def test_processes_share_a_batch_by_its_tokens():
    pairs = [("eins " * (i % 5 + 1), "one " * (i % 5 + 1)) for i in range(33)]
    data = EncodedPairs(pairs, Vocabulary(["eins"]), Vocabulary(["one"]), 10)
    whole = list(batches(data, SMALL, 0))
    shares = [list(batches(data, SMALL, 0, rank, 3)) for rank in range(3)]
    for batch, *parts in zip(whole, *shares, strict=True):
        assert sorted(rows([batch])) == sorted(
            tuple(row + (0,) * (batch.source.size(1) - len(row)))
            for part in parts
            for row in rows([part])
        )
        tokens = [int((part.target[:, 1:] != 0).sum()) for part in parts]
        assert batch.weight == 1.0
        assert [part.weight / 3 for part in parts] == pytest.approx(
            [n / sum(tokens) for n in tokens]
        )


def test_processes_draw_their_own_dropout():
    draws = []
    for rank in (0, 1):
        next(batches(encoded(), SMALL, 0, rank, 2))
        draws.append(torch.rand(4))
    assert not torch.equal(*draws)


def test_the_same_seed_gives_the_same_translator():
    (one, losses), (same, again), (other, different) = (
        train_translator(NUMBERS, replace(SMALL, seed=seed), progress=False) for seed in (3, 3, 4)
    )
    assert losses == again and losses != different and len(losses) == 12
    for a, b in zip(one.model.parameters(), same.model.parameters(), strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize("tokenizer", ["word", "bpe"])
def test_own_pairs_are_learnt_and_the_unknown_is_not_refused(tmp_path, tokenizer):
    recipe = Recipe(
        tokenizer=tokenizer, epochs=120, rare=0.01, warmup=50, model=dict(d_model=32, d_ff=64)
    )
    translator, _ = train_translator(NUMBERS, recipe, folder=tmp_path, progress=False)
    assert evaluate(translator, NUMBERS) == (125, 100.0, pytest.approx(100), pytest.approx(100))
    copy = load_translator(tmp_path)
    assert copy.translate("fünf vier eins").text == "five four one"
    assert copy.translate("eins unbekannt drei ☃").text


def test_each_process_needs_a_pair_of_every_batch(monkeypatch):
    monkeypatch.setattr(trainer, "rank_and_world", lambda: (0, 3))
    with pytest.raises(
        ValueError, match="3 processes cannot share batches of 2 pairs: start fewer"
    ):
        # Five in two batches
        train_translator(NUMBERS[:5], replace(SMALL, batch_size=4), progress=False)


def test_a_training_without_progress_writes_nothing(capsys):
    train_translator(NUMBERS[:5], replace(SMALL, epochs=1), progress=False)
    assert capsys.readouterr() == ("", "")


def another(choice):
    """A value that this choice of a model may have as well."""
    return (
        not choice if isinstance(choice, bool) else choice // 2 if isinstance(choice, int) else 0.25
    )


def test_every_choice_of_the_model_can_be_made_and_reaches_it(tmp_path):
    names = [field.name for field in fields(TransformerConfig)][2:]
    chosen = {
        name: another(SHIPPED_MODEL[name])
        for name in names
        if not isinstance(SHIPPED_MODEL[name], str)
    }
    assert chosen["tie_embeddings"] and chosen["norm_first"]
    recipe = replace(SMALL, epochs=1, model=chosen)
    model = train_translator(NUMBERS, recipe, folder=tmp_path, progress=False)[0].model
    assert {name: getattr(model.config, name) for name in chosen} == chosen
    assert (
        model.output.weight is model.target_embedding.weight
        and len(model.encoder) == chosen["n_layers"]
    )
    record = json.loads((tmp_path / "training.json").read_text())["training"]
    assert (
        record == recipe.to_dict() | {"pairs": record["pairs"]} and chosen.items() <= record.items()
    )
    with pytest.raises(ValueError, match="a model has no d_modell to choose, only d_model, d_ff"):
        Recipe(model=dict(d_modell=3))


def test_what_is_not_chosen_is_the_shipped_translators():
    config = asdict(load_translator().model.config)
    assert Recipe().to_dict().items() >= {name: config[name] for name in SHIPPED_MODEL}.items()
    assert Recipe(model=dict(n_layers=1)).sizes == SHIPPED_MODEL | dict(n_layers=1)


def test_pairs_longer_than_the_model_takes_are_left_out(tmp_path):
    pairs = [("eins", "one"), ("eins eins", "one one"), ("eins " * 3, "one")]
    for longest, left in ((3, "3 pairs"), (2, "1 pair")):  # of two words and <eos>, 2 is too few
        recipe = Recipe(epochs=1, model=SIZES | dict(max_length=longest))
        folder = tmp_path / left
        train_translator(pairs, recipe, folder=folder, progress=False)
        record = json.loads((folder / "training.json").read_text())["training"]
        assert record["pairs"].startswith(f"{left}, ")


@pytest.fixture
def ctrl_c_interrupts():
    """As at a terminal: a run in the background may have been told to ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="this system has no such signal")
def test_what_nohup_ignores_is_no_wish_to_end():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with deferred_interrupt() as wish:
        signal.raise_signal(signal.SIGHUP)
    assert not wish.is_set() and signal.signal(signal.SIGHUP, before) == signal.SIG_IGN


def test_ctrl_c_pressed_twice_does_not_wait(ctrl_c_interrupts):
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), deferred_interrupt() as pressed:
        assert not pressed.is_set()
        signal.raise_signal(signal.SIGINT)
        assert pressed.is_set()
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
    with deferred_interrupt():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


@pytest.fixture
def clock(monkeypatch):
    """A clock that moves with the steps, in which nothing is learnt, and not otherwise."""
    clock = SimpleNamespace(now=1000.0, a_step=0.0, saved=[])

    def steps(model, batches, *options):
        for _ in batches:
            clock.now += clock.a_step
            yield 1.0

    def save(path, model, optimizer, losses, *others):
        clock.saved.append(len(losses))

    monkeypatch.setattr(loop.time, "monotonic", lambda: clock.now)
    monkeypatch.setattr(loop, "training_steps", steps)
    monkeypatch.setattr(loop, "save_checkpoint", save)
    return clock


@pytest.mark.parametrize(
    ("a_step", "batch_size", "saved"),
    [
        (0.0, 5, [100, 200, 205]),
        (25.0, 13, [2, 4, 6]),
        (25.0, 5, [3, 5, 8, 10]),
        (61.0, 5, [1, 2, 3]),
        (2.5, 13, [4, 8, 12]),  # in epochs of five seconds
    ],
)
def test_a_checkpoint_is_saved_after_a_minute_and_after_an_epoch(
    tmp_path, clock, a_step, batch_size, saved
):
    clock.a_step = a_step
    recipe = replace(SMALL, epochs=41, batch_size=batch_size)
    train_translator(NUMBERS[:25], recipe, folder=tmp_path / "new", progress=False)
    assert clock.saved[: len(saved)] == saved


@pytest.mark.parametrize(
    ("a_step", "said"),
    [
        (0.1, "less than a minute here"),
        (0.5, "about 1 minute here"),
        (1.0, "about 2 minutes here"),
        (100.0, "about 3 hours here"),
    ],
)
def test_how_long_it_will_take_is_said_before_it_is_learnt(capsys, clock, a_step, said):
    clock.a_step = a_step
    train_translator(NUMBERS[:25], replace(SMALL, epochs=25, batch_size=5))
    tokens = 25 * sum(len(split_words(target)) + 1 for _, target in NUMBERS[:25])
    left = tokens * 119 // 125
    assert f"{left} tokens to guess in 119 steps: {said}" in capsys.readouterr().err


BAD = [
    dict(epochs=0), dict(batch_size=0), dict(tokenizer="letter"), dict(learning_rate=0.0),
    dict(learning_rate=math.nan), dict(learning_rate=math.inf), dict(learning_rate=1e39),
    dict(learning_rate=1e-320), dict(learning_rate=10**400),
    dict(warmup=-1), dict(label_smoothing=1.0), dict(rare=-0.1), dict(model=dict(dropout=1.0)),
    dict(model=dict(n_heads=3)), dict(model=dict(max_length=0)),
    dict(learning_rate=True), dict(batch_size=True), dict(model=dict(dropout="x")),
]  # fmt: skip


@pytest.mark.parametrize("bad", BAD, ids=str)
def test_a_bad_recipe_is_refused(bad):
    with pytest.raises(ValueError, match=next(iter(bad.get("model", bad)))):
        Recipe(**bad)


def test_the_ends_of_a_recipe_can_be_had():
    small = dict(d_model=2, d_ff=1, n_heads=1, n_layers=100)
    least = dict(epochs=1, batch_size=1, warmup=0, label_smoothing=0.0, rare=0.0)
    assert Recipe(**least, model=small).sizes["n_layers"] == 100


def test_scores_know_the_difference():
    translator, _ = train_two_sentences(0, progress=False)
    scores = evaluate(translator, [TWO_SENTENCES[0], ("ich mochte ein cola", "i want a  tea.")])
    assert (
        scores.sentences == 2
        and scores.exact_match == 50.0
        and 50 < scores.bleu < 100
        and 50 < scores.chrf < 100
    )
    assert evaluate(translator, [("ich mochte ein cola", "i want  a coke.")]).exact_match == 100.0
    with pytest.raises(ValueError, match="nothing to evaluate"):
        evaluate(translator, [])


def test_the_shipped_translator_is_small_and_translates(caplog):
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 1_000_000
    translator = load_translator()
    assert translator.translate("ich mochte ein bier").text == "i want a beer ."
    assert translator.translate("ich mochte ein cola").text == "i want a coke ."
    assert translator.translate("Ich möchte ein Bier").text == "i would like a beer ."
    with pytest.raises(ValueError, match="unknown word 'Einhorn'"):
        translator.translate("ich möchte ein Einhorn .")
    assert evaluate(translator, [pair[:2] for pair in splits().unseen]).exact_match >= 99.5
    assert not caplog.records  # sacrebleu warns of the space before each full stop, which is meant


def test_the_shipped_translator_is_what_the_recipe_makes(monkeypatch):
    """Its first steps are made again; the whole takes `python -m transformer_lite train`."""
    record = json.loads((SHIPPED / "training.json").read_text(encoding="utf-8"))
    expected = record["losses"]
    data = []
    losses = []

    class Enough(Exception):
        pass

    def first_steps(model, batches, optimizer, *options):
        # Section 5.3
        assert (optimizer.defaults["betas"], optimizer.defaults["eps"]) == ((0.9, 0.98), 1e-9)
        for loss in training_steps(model, batches, optimizer, *options):
            losses.append(loss)
            if len(losses) == 15:
                raise Enough
            yield loss

    def encoded(*arguments):
        data.append(EncodedPairs(*arguments))
        return data[0]

    monkeypatch.setattr(loop, "training_steps", first_steps)
    monkeypatch.setattr(trainer, "EncodedPairs", encoded)
    with pytest.raises(Enough):
        train_translator(german_english(), Recipe(), progress=False)
    today = Recipe(epochs=5).to_dict() | {"pairs": f"6000 pairs, fingerprint {data[0].fingerprint}"}
    # Later choices have defaults
    assert record["training"] == {name: today[name] for name in record["training"]}
    assert losses == pytest.approx(expected[:15], rel=1e-4)
    assert len(expected) == 470
