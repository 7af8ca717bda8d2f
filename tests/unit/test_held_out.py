"""Pairs that are held out: which ones, what is measured on them, and what is said of it."""

import json
import re
import unicodedata
from dataclasses import replace

import pytest
import torch
from number_words import NUMBERS, WORDS

from transformer_lite import load_translator
from transformer_lite.train import loop
from transformer_lite.train.held_out import HeldOut, Measure, hold_out
from transformer_lite.train.recipe import Recipe
from transformer_lite.train.trainer import prepare, train_translator
from transformer_lite.training import training_steps

LEARNT, UNSEEN = NUMBERS[:100], NUMBERS[100:]
SMALL = Recipe(
    epochs=30,
    batch_size=32,
    warmup=4,
    model=dict(d_model=16, d_ff=32, n_layers=1, n_heads=2, dropout=0.2),
)


def test_a_held_out_sentence_is_never_learnt_from():
    pairs = [(f"satz {i % 300}", f"sentence {i}") for i in range(400)]
    learnt, held_out = hold_out(pairs, 30)
    assert sorted(learnt + held_out) == sorted(pairs)
    assert len({source for source, _ in held_out}) == 30
    assert not {source for source, _ in held_out} & {source for source, _ in learnt}
    assert hold_out(pairs, 30) == (learnt, held_out) != hold_out(pairs, 30, seed=1)


@pytest.mark.parametrize(
    "again",
    [
        lambda text: unicodedata.normalize("NFD", text),
        lambda text: text.replace(" .", "."),
        lambda text: text.replace(" ", "\u00a0 "),
        lambda text: text.capitalize(),
        str.upper,
        lambda text: text.replace("Käse", "Kä\u00adse") + "\u200b",
    ],
    ids=["composition", "mark", "spaces", "first capital", "all capitals", "unseen"],
)
def test_what_the_model_reads_as_one_sentence_stays_on_one_side(again):
    pairs = [(f"der Käse {i} ist süß .", f"cheese {i}") for i in range(100)]
    twins = [(again(source), target) for source, target in pairs]
    learnt, held_out = hold_out(pairs + twins, 50)
    assert sorted(target for _, target in held_out[:50]) == sorted(t for _, t in held_out[50:])
    assert len(held_out) == len(learnt) == 100


@pytest.mark.parametrize(
    ("n_pairs", "valid", "expected"),
    [
        (199, None, 0),
        (200, None, 10),
        (10_000, None, 500),
        (40_000, None, 500),
        (50, 0.1, 5),
        (50, 0, 0),
        (50, 49, 49),
        (1, 0, 0),
    ],
)
def test_how_many_are_held_out(n_pairs, valid, expected):
    learnt, held_out = hold_out([(f"satz {i}", "sentence") for i in range(n_pairs)], valid)
    assert (len(learnt), len(held_out)) == (n_pairs - expected, expected)


def test_measuring_changes_nothing_of_what_is_learnt(tmp_path):
    """With dropout, whose draws a measure must leave alone."""
    plain, losses = train_translator(LEARNT, SMALL, progress=False)
    measured, same = train_translator(
        LEARNT, SMALL, held_out=UNSEEN, folder=tmp_path, progress=False
    )
    assert losses == same
    for a, b in zip(plain.model.parameters(), measured.model.parameters(), strict=True):
        assert torch.equal(a, b)
    record = json.loads((tmp_path / "training.json").read_text())
    assert record["losses"] == losses
    assert record["training"]["held_out"].startswith("25 pairs, fingerprint ")
    entries = record["held_out"]
    assert [entry["epoch"] for entry in entries] == list(range(3, 31, 3))
    assert [entry["step"] for entry in entries] == list(range(12, 121, 12))
    assert entries[1]["training_loss"] == pytest.approx(sum(losses[12:24]) / 12)
    # The last entry is of the weights that were saved.
    saved = HeldOut(UNSEEN, load_translator(tmp_path))
    assert entries[-1]["loss"] == pytest.approx(saved.loss(7, SMALL.label_smoothing))
    assert (entries[-1]["exact"], entries[-1]["sentences"]) == (saved.exact(), 25)


@pytest.mark.parametrize(
    ("valid", "words"),
    [
        (-1, "valid must be a whole number of at least 0"),
        (True, "valid must be a whole number"),
        (1.5, "valid is a share, 0 <= valid < 1; got 1.5"),
        (0.0001, "valid=0.0001 holds out none of 100: give a larger share"),
        (100, "valid=100 leaves nothing to learn from"),
        (0.999, "valid=0.999 leaves nothing to learn from"),
    ],
)
def test_a_number_that_cannot_be_held_out_is_refused_in_words(valid, words):
    with pytest.raises(ValueError, match=words):
        hold_out(NUMBERS[:100], valid)
    assert hold_out(NUMBERS[:100], 0) == (NUMBERS[:100], [])


def test_equal_recipes_are_one_key():
    assert len({SMALL, replace(SMALL), replace(SMALL, epochs=31)}) == 2


def test_the_held_out_loss_is_that_of_training_without_dropout():
    translator, _ = train_translator(LEARNT, replace(SMALL, epochs=1), progress=False)
    translator.model.train()
    # One word in the first twenty pairs, three in the others
    pairs = [*zip(WORDS, WORDS.values(), strict=True)] * 4 + LEARNT[:12]
    held_out = HeldOut(pairs, translator)
    for module in translator.model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    optimizer = torch.optim.SGD(translator.model.parameters(), lr=0.0)
    batch = held_out.data.batch(range(32))
    [expected] = training_steps(translator.model, [batch], optimizer, label_smoothing=0.1)
    for module in translator.model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.5
    assert held_out.loss(10, 0.1) == pytest.approx(expected, rel=1e-5)
    assert translator.model.training


def test_a_training_that_stops_goes_on_with_its_measures(tmp_path, monkeypatch):
    """Also where a checkpoint and a measure follow the same step, as here after 100."""
    recipe = replace(SMALL, epochs=50)
    train_translator(LEARNT, recipe, held_out=UNSEEN, folder=tmp_path / "whole", progress=False)

    class Death(BaseException):
        pass

    def deadly(*arguments):
        for step, loss in enumerate(training_steps(*arguments), start=1):
            if step == 110:
                raise Death
            yield loss

    options = dict(held_out=UNSEEN, folder=tmp_path / "killed", progress=False)
    with monkeypatch.context() as patch, pytest.raises(Death):
        patch.setattr(loop, "training_steps", deadly)
        train_translator(LEARNT, recipe, **options)
    with pytest.raises(ValueError, match="held_out=25 pairs"):
        train_translator(LEARNT, recipe, resume=True, **options | dict(held_out=UNSEEN[1:]))
    train_translator(LEARNT, recipe, resume=True, **options)
    for name in ("training.json", "model.safetensors"):
        killed, whole = (tmp_path / folder / name for folder in ("killed", "whole"))
        assert killed.read_bytes() == whole.read_bytes(), name


def test_held_out_pairs_that_do_not_fit_are_left_out_or_refused(tmp_path):
    long = ("eins " * 100, "one " * 100)
    short = replace(SMALL, epochs=1)
    train_translator(LEARNT, short, held_out=[long, *UNSEEN], folder=tmp_path, progress=False)
    assert json.loads((tmp_path / "training.json").read_text())["held_out"][0]["sentences"] == 25
    with pytest.raises(ValueError, match="all held-out pairs have over 64 tokens"):
        train_translator(LEARNT, short, held_out=[long], progress=False)
    with pytest.raises(ValueError, match="unknown word 'sechs'"):
        train_translator(LEARNT, short, held_out=[("sechs", "six")], progress=False)


def test_each_measure_is_shown(capsys):
    train_translator(LEARNT, replace(SMALL, epochs=2), held_out=UNSEEN)
    err = capsys.readouterr().err
    assert "100 pairs (0 more are too long or empty), 25 held out" in err
    for epoch in (1, 2):
        line = rf"^epoch {epoch} of 2: loss \d\.\d+, held out \d\.\d+, \d+ of 25 held-out sentences"
        assert re.search(line, err, re.MULTILINE)


def overfitting(*losses):
    """What a training says of itself whose measures have these losses, of training and held out."""
    training = prepare(LEARNT, SMALL, progress=False)
    training.measures = [Measure(10 * i, i, *pair, 0, 9) for i, pair in enumerate(losses, start=1)]
    return training.overfitting()


def test_overfitting_is_said_where_one_loss_falls_and_the_other_rises():
    said = overfitting((3.0, 3.0), (2.0, 2.5), (1.5, 2.6), (1.0, 3.5))
    assert "overfitting: from epoch 2 on" in said
    assert "fell from 2.00 to 1.00" in said and "rose from 2.50 to 3.50" in said


@pytest.mark.parametrize(
    "losses",
    [
        [],
        [(3.0, 3.0)],
        [(3.0, 3.0), (2.0, 2.5), (1.0, 2.5)],
        [(3.0, 3.0), (2.0, 2.5), (1.9, 2.6)],
        [(3.0, 3.0), (2.0, 2.5), (2.1, 3.5)],
    ],
    ids=["nothing", "one", "no rise", "a rise that may be chance", "both rise"],
)
def test_nothing_is_said_without_overfitting(losses):
    assert overfitting(*losses) == ""


def test_a_translator_that_learns_by_heart_is_told_on(monkeypatch, capsys):
    rising = iter(range(1, 99))
    monkeypatch.setattr(HeldOut, "loss", lambda *_: next(rising))
    train_translator(LEARNT, SMALL, held_out=UNSEEN)
    assert "this is overfitting" in capsys.readouterr().err
