"""The loss, the loop, the recipe, and the translator that ships."""

import json
import math
from dataclasses import replace

import pytest
import torch

from transformer_lite import Transformer, load_translator, noam_schedule, train_two_sentences
from transformer_lite.data.corpus import TWO_SENTENCES, EncodedPairs, german_english
from transformer_lite.data.grammar import splits
from transformer_lite.tools.evaluation import evaluate
from transformer_lite.tools.recipe import Recipe
from transformer_lite.tools.trainer import batches, train_translator
from transformer_lite.training import Batch, loss_function, make_batch, training_steps
from transformer_lite.translator import SHIPPED
from transformer_lite.vocabulary import Vocabulary

SOURCE, TARGET = (Vocabulary.from_texts(pair[side] for pair in TWO_SENTENCES) for side in (0, 1))
WORDS = dict(zip("eins zwei drei vier fünf".split(), "one two three four five".split(), strict=True))
# All three-digit numbers, digit by digit.
NUMBERS = [(f"{a} {b} {c}", f"{WORDS[a]} {WORDS[b]} {WORDS[c]}") for a in WORDS for b in WORDS for c in WORDS]
SIZES = dict(d_model=16, d_ff=32, n_layers=1, n_heads=2, dropout=0.1)
SMALL = Recipe(epochs=3, batch_size=32, warmup=4, model=SIZES)


@pytest.fixture(autouse=True)
def one_thread():
    """Bit-identical sums need one order of summation."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_is_the_mean_cross_entropy_of_what_is_not_padding(smoothing):
    torch.manual_seed(0)
    logits, answer = torch.randn(2, 3, 5, dtype=torch.float64), torch.tensor([[4, 1, 2], [3, 0, 0]])
    log_p = logits.log_softmax(-1)
    terms = [
        -(1 - smoothing) * log_p[i, t, answer[i, t]] - smoothing * log_p[i, t].mean()
        for i, t in ((0, 0), (0, 1), (0, 2), (1, 0))
    ]
    torch.testing.assert_close(loss_function(logits, answer, smoothing), sum(terms) / 4)


def test_an_untrained_guess_costs_the_logarithm_of_the_vocabulary():
    assert loss_function(torch.zeros(1, 2, 7), torch.tensor([[3, 4]])).item() == pytest.approx(math.log(7))


def test_noam_rises_linearly_and_falls_with_the_root():
    assert noam_schedule(1) == pytest.approx(1.7469e-07, rel=1e-4)
    assert noam_schedule(4000) == pytest.approx((512 * 4000) ** -0.5)
    assert noam_schedule(2000) == pytest.approx(noam_schedule(4000) / 2)
    assert noam_schedule(16000) == pytest.approx(noam_schedule(4000) / 2)
    for bad in (dict(step=0), dict(step=1, d_model=0), dict(step=1, warmup=0)):
        with pytest.raises(ValueError, match="count from 1"):
            noam_schedule(**bad)


def test_a_batch_is_padded_and_the_target_framed():
    batch = make_batch([("ich mochte", "i want"), ("bier", "beer .")], SOURCE, TARGET)
    assert batch.source.tolist()[1][1:] == [0] and batch.target[:, 0].tolist() == [1, 1]
    assert batch.target[0].tolist() == [1, *TARGET.encode(["i", "want"]), 2]
    with pytest.raises(ValueError, match="unknown word 'wein'"):
        make_batch([("wein", "wine")], SOURCE, TARGET)


@pytest.mark.parametrize("seed", range(10))
def test_two_sentences_are_learnt_by_every_seed(seed):
    translator, losses = train_two_sentences(seed, progress=False)
    assert [translator.translate(german).text for german, _ in TWO_SENTENCES] == [e for _, e in TWO_SENTENCES]
    assert len(losses) == 64 and losses[-1] < 0.1 < 1.5 < losses[0]


def test_the_loop_sets_the_rate_weighs_the_loss_and_yields_it_before_the_step():
    model = Transformer(SMALL.config(len(SOURCE), len(TARGET)))
    model.dropout.p = 0.0
    batch = make_batch(TWO_SENTENCES, SOURCE, TARGET)
    optimizer = torch.optim.SGD(model.parameters(), lr=9.0)
    rates = []
    model.eval()
    plain = loss_function(model(batch.source, batch.target[:, :-1]), batch.target[:, 1:]).item()
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    weights = (1.0, 0.5)
    losses = []
    for loss in training_steps(model, [Batch(*batch[:2], w) for w in weights], optimizer, lambda step: 0.0 * step):
        losses.append(loss)
        rates.append(optimizer.param_groups[0]["lr"])
    assert losses == pytest.approx([plain, plain / 2]) and rates == [0.0, 0.0] and model.training
    next(training_steps(model, [batch], optimizer, lambda step: step / 4))
    assert optimizer.param_groups[0]["lr"] == 0.25


def test_batches_are_moved_to_the_model():
    """On the meta device nothing is computed, but a tensor left behind on the CPU is an error all the same."""
    with torch.device("meta"):
        model = Transformer(SMALL.config(len(SOURCE), len(TARGET)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    stepped = []
    optimizer.register_step_post_hook(lambda *_: stepped.append(True))
    with pytest.raises(RuntimeError, match="meta"):  # only reading the loss, after the step, cannot be done
        next(training_steps(model, [make_batch(TWO_SENTENCES, SOURCE, TARGET)], optimizer))
    assert stepped


def test_the_rate_rises_then_falls_to_almost_nothing():
    recipe = Recipe(learning_rate=1.0, warmup=200)
    rates = [recipe.learning_rate_at(step, 470) for step in range(1, 471)]
    assert rates[0] == 1 / 200 and rates[199] == 1.0 and 0 < rates[-1] < 0.005
    assert rates == sorted(rates[:200]) + sorted(rates[200:], reverse=True)
    assert [recipe.learning_rate_at(step, 4) for step in range(1, 5)] == pytest.approx([1 / 2, 1, 2 / 3, 1 / 3])
    assert recipe.learning_rate_at(1, 1) == 0.5 or recipe.learning_rate_at(1, 1) == 1.0


def encoded():
    return EncodedPairs(NUMBERS, *(Vocabulary.from_texts(pair[side] for pair in NUMBERS) for side in (0, 1)), 10)


def rows(batches):
    return [tuple(row) for batch in batches for row in batch.source.tolist()]


def test_every_epoch_has_every_pair_in_an_order_of_its_own():
    data = encoded()
    steps = list(batches(data, SMALL, 0))
    assert len(steps) == 12 and [len(batch.source) for batch in steps[:4]] == [32, 31, 31, 31]
    epochs = [rows(steps[i : i + 4]) for i in (0, 4, 8)]
    assert len({tuple(epoch) for epoch in epochs}) == 3
    assert all(sorted(epoch) == sorted(tuple(data.source(i)) for i in range(125)) for epoch in epochs)
    assert rows(batches(data, SMALL, 6)) == rows(steps[6:])


def test_processes_share_a_batch_by_its_tokens():
    pairs = [("eins " * (i % 5 + 1), "one " * (i % 5 + 1)) for i in range(33)]
    data = EncodedPairs(pairs, Vocabulary(["eins"]), Vocabulary(["one"]), 10)
    whole = list(batches(data, SMALL, 0))
    shares = [list(batches(data, SMALL, 0, rank, 3)) for rank in range(3)]
    for batch, *parts in zip(whole, *shares, strict=True):
        assert sorted(rows([batch])) == sorted(
            tuple(row + (0,) * (batch.source.size(1) - len(row))) for part in parts for row in rows([part])
        )
        tokens = [int((part.target[:, 1:] != 0).sum()) for part in parts]
        assert batch.weight == 1.0
        assert [part.weight / 3 for part in parts] == pytest.approx([n / sum(tokens) for n in tokens])


def test_the_same_seed_gives_the_same_translator():
    (one, losses), (same, again), (other, different) = (
        train_translator(NUMBERS, replace(SMALL, seed=seed), progress=False) for seed in (3, 3, 4)
    )
    assert losses == again and losses != different and len(losses) == 12
    for a, b in zip(one.model.parameters(), same.model.parameters(), strict=True):
        assert torch.equal(a, b)


def test_a_training_that_stops_goes_on_to_the_same_end(tmp_path, monkeypatch):
    recipe = replace(SMALL, epochs=40)  # 160 steps, a checkpoint after 100
    whole, losses = train_translator(NUMBERS, recipe, folder=tmp_path / "whole", progress=False)

    class Death(BaseException):
        pass

    def deadly(model, batches, *options, steps=130):
        for step, loss in enumerate(training_steps(model, batches, *options)):
            if step == steps:
                raise Death
            yield loss

    with monkeypatch.context() as patch, pytest.raises(Death):
        patch.setattr("transformer_lite.tools.trainer.training_steps", deadly)
        train_translator(NUMBERS, recipe, folder=tmp_path / "killed", progress=False)
    assert [path.name for path in (tmp_path / "killed").iterdir()] == ["checkpoint.pt"]
    with pytest.raises(FileExistsError, match="unfinished training: go on with --resume"):
        train_translator(NUMBERS, recipe, folder=tmp_path / "killed", progress=False)
    for pairs, other, message in (
        (NUMBERS[1:], recipe, "pairs=125 pairs.*not pairs=124 pairs"),
        (NUMBERS, replace(recipe, seed=1), "seed=0 and not seed=1"),
        (NUMBERS, replace(recipe, epochs=41), "epochs=40 and not epochs=41"),
    ):
        with pytest.raises(ValueError, match=message):
            train_translator(pairs, other, folder=tmp_path / "killed", resume=True, progress=False)

    torch.manual_seed(99)  # whatever has been drawn in between
    _, resumed = train_translator(NUMBERS, recipe, folder=tmp_path / "killed", resume=True, progress=False)
    assert resumed == losses
    for name in ("config.json", "model.safetensors", "training.json"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert not (tmp_path / "killed" / "checkpoint.pt").exists()
    for resume in (False, True):
        with pytest.raises(FileExistsError, match="finished translator: choose another folder"):
            train_translator(NUMBERS, recipe, folder=tmp_path / "killed", resume=resume, progress=False)


@pytest.mark.parametrize("tokenizer", ["word", "bpe"])
def test_own_pairs_are_learnt_and_the_unknown_is_not_refused(tmp_path, tokenizer):
    recipe = Recipe(tokenizer=tokenizer, epochs=120, rare=0.01, warmup=50, model=dict(d_model=32, d_ff=64))
    translator, _ = train_translator(NUMBERS, recipe, folder=tmp_path, progress=False)
    assert evaluate(translator, NUMBERS) == (125, 100.0, pytest.approx(100), pytest.approx(100))
    copy = load_translator(tmp_path)
    assert copy.translate("fünf vier eins").text == "five four one"
    assert copy.translate("eins unbekannt drei ☃").text


@pytest.mark.parametrize("bad", [dict(epochs=0), dict(batch_size=0), dict(tokenizer="letter")])
def test_a_bad_recipe_is_refused(bad):
    with pytest.raises(ValueError, match=f"{next(iter(bad))}"):
        train_translator(NUMBERS, Recipe(**bad), progress=False)


def test_scores_know_the_difference():
    translator, _ = train_two_sentences(0, progress=False)
    scores = evaluate(translator, [TWO_SENTENCES[0], ("ich mochte ein cola", "i want a  tea.")])
    assert scores.sentences == 2 and scores.exact_match == 50.0 and 50 < scores.bleu < 100 and 50 < scores.chrf < 100
    assert evaluate(translator, [("ich mochte ein cola", "i want  a coke.")]).exact_match == 100.0
    with pytest.raises(ValueError, match="nothing to evaluate"):
        evaluate(translator, [])


def test_the_shipped_translator_is_small_and_translates():
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 1_000_000
    translator = load_translator()
    assert translator.translate("ich mochte ein bier").text == "i want a beer ."
    assert translator.translate("ich mochte ein cola").text == "i want a coke ."
    assert translator.translate("Ich möchte ein Bier").text == "i would like a beer ."
    with pytest.raises(ValueError, match="unknown word 'Einhorn'"):
        translator.translate("ich möchte ein Einhorn .")
    assert evaluate(translator, [pair[:2] for pair in splits().unseen]).exact_match >= 99.5


def test_the_shipped_translator_is_what_the_recipe_makes(monkeypatch):
    """Its first steps are made again; the whole takes `python -m transformer_lite train`."""
    expected = json.loads((SHIPPED / "training.json").read_text(encoding="utf-8"))["losses"]
    losses = []

    class Enough(Exception):
        pass

    def first_steps(*arguments):
        for loss in training_steps(*arguments):
            losses.append(loss)
            if len(losses) == 15:
                raise Enough
            yield loss

    monkeypatch.setattr("transformer_lite.tools.trainer.training_steps", first_steps)
    with pytest.raises(Enough):
        train_translator(german_english(), Recipe(), progress=False)
    assert losses == pytest.approx(expected[:15], rel=1e-4)
    assert len(expected) == 470
