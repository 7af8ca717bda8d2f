"""A text of one's own: a file becomes a language model, which goes on with it."""

import base64
import gzip
import json
import math
import os
import re
import shlex
import signal
import subprocess
import sys
from dataclasses import replace
from functools import partial

import pytest
import torch
from conftest import ROOT

from attention_by_hand.exhibits import stored
from attention_by_hand.exhibits.book_text import book_text, paragraphs_of
from attention_by_hand.figures import Writer
from attention_by_hand.figures.writer import BOOK
from dev.make import own_text
from transformer_lite import load_translator
from transformer_lite.command_line.main import main, parser
from transformer_lite.data.text import EncodedText, hold_out_end, longest_shared, read_paragraphs
from transformer_lite.decoder_only import DecoderOnly
from transformer_lite.files import read_tensors, write_tensors
from transformer_lite.language_model import LanguageModel, load_language_model
from transformer_lite.train import loop
from transformer_lite.train.text import TextMeasure, TextRecipe, mean_loss, train_language_model
from transformer_lite.training import loss_function
from transformer_lite.translator import SHIPPED
from transformer_lite.variants import Decoder, Experts, Latent, Plan, State
from transformer_lite.vocabulary import BOS_ID, EOS_ID, BytePairVocabulary, Vocabulary

LINES = [f"the {animal} sat on the {place}, and then" for animal in "cat dog cow owl hen".split()
         for place in "mat hat wall roof".split()] * 3  # fmt: skip
SMALL = TextRecipe(
    steps=12,
    batch_size=4,
    warmup=4,
    pieces=60,
    model=dict(d_model=16, d_ff=16, n_layers=1, n_heads=2, max_length=12),
)
OPTIONS = "--batch-size 4 --warmup 4 --pieces 60 --d-model 16 --d-ff 16 --n-layers 1 --n-heads 2"
OPTIONS = f"{OPTIONS} --max-length 12".split()


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command in this process: its exit code, stdout and stderr."""

    def run(*arguments):
        code = main([*map(str, arguments)])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text("\n\n".join(LINES), encoding="utf-8")
    return tmp_path / "text.txt"


def test_a_file_becomes_a_model_that_goes_on_with_it(run, file):
    words = ["--text", file, "--out", "made", "--steps", 60, "--valid", 200, *OPTIONS]
    code, out, err = run("train", *words, "--beginning", "the owl")
    assert (code, out) == (0, "")
    assert "python -m transformer_lite write --model made TEXT" in err
    story = json.loads((file.parent / "made" / "training.json").read_text())
    measures = [TextMeasure(**measure) for measure in story["held_out"]]
    assert [measure.step for measure in measures] == [*range(6, 61, 6)]
    assert measures[-1].loss < 0.7 * measures[0].loss and len(story["losses"]) == 60
    assert all(measure.sample.startswith("the owl") for measure in measures)
    assert f"held out {measures[-1].loss:.3f} (perplexity" in err and measures[-1].sample in err
    assert sorted(os.listdir("made")) == ["model.safetensors", "training.json"]
    write = ["write", "the owl", "--model", "made", "--seed", 3]
    code, out, err = run(*write)
    assert (code, err) == (0, "") and out.startswith("the owl ") and out == run(*write)[1]
    learner = load_language_model("made")
    assert out == learner.write("the owl", seed=3) + "\n"
    assert out != run(*write[:-1], 4)[1]
    assert run(*write, "--temperature", 0)[1] == run(*write[:-1], 5, "--temperature", 0)[1]
    assert run(*write, "--top-k", 1)[1] == run(*write, "--temperature", 0)[1]
    assert run(*write, "--top-p", 0.01)[1] == run(*write, "--temperature", 0)[1]
    code, out, err = run(*write[:1], "the 犬", *write[2:], "--length", 1)
    assert (code, err) == (0, "1 letter it does not know, read as <unk>: '犬'\n")
    code, _, err = run("translate", "the", "--model", "made")
    assert code == 2 and "holds a language model, which does not translate" in err
    code, _, err = run("write", "the", "--model", SHIPPED)
    assert code == 2 and "holds a translator, which does not go on with a text" in err
    code, _, err = run("train", *words)
    assert code == 2 and "holds a finished model" in err


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        (b"", [], "text.txt holds no text: it is empty"),
        (b"\n \n\n", [], "holds no text"),
        (bytes(range(128, 256)), [], "line 1 of text.txt is not UTF-8: a text file in UTF-8 is"),
        (b"first\nsec\0nd", [], "line 2 of text.txt is not text, since it has a null character"),
        ("\u200b \u200b\n".encode() * 9, ["--valid", 9], "has nothing that can be read"),
        (b"too short", [], "too short for a held-out stretch: it has 9 letters, and 0 of them"),
        (b"a b " * 99, ["--valid", 396], "held-out stretch: it has 395 letters, and 396"),
        (b"a b " * 99, ["--valid", 0], "too short for a held-out stretch"),
        (b"one two " * 99, ["--valid", 9], "the held-out stretch is too short: it has "),
        (b"one two " * 99, ["--valid", 0.98], "the text is too short: it has "),
        (b"one two " * 99, ["--steps", 0], "steps must be"),
        (b"one two " * 99, ["--d-model", 9], "d_model must be even"),
        (b"one two " * 99, ["--tokenizer", "word"], "--tokenizer is for pairs"),
        (b"one two " * 99, ["--epochs", 3], "--epochs is for pairs"),
        (b"one two " * 99, ["--tie-embeddings"], "--tie-embeddings is for pairs"),
        (b"one two " * 99, ["--pairs", "text.txt"], "--text and --pairs are two kinds"),
        (b"one two " * 400, ["--valid", 999, "--beginning", "x " * 99], "has 198 tokens, this mo"),
    ],
    ids=range(17),
)
def test_what_cannot_be_learnt_is_refused_in_words(run, file, text, words, said):
    file.write_bytes(text)
    code, out, err = run("train", "--text", "text.txt", "--out", "out", *words)
    assert (code, out, err.count("\n")) == (2, "", 1) and said in err, err
    assert not (file.parent / "out").exists()


def test_options_of_a_text_are_refused_for_pairs_and_a_missing_folder_is_named(run, file):
    for words, said in (
        (["train", "--steps", 3], "--steps is for --text"),
        (["train", "--beginning", "x"], "--beginning is for --text"),
        (["train", "--text", "gone.txt"], "gone.txt: No such file"),
        (["write", "x", "--model", "gone"], "gone holds no model.safetensors"),
    ):
        code, _, err = run(*words)
        assert code == 2 and said in err
    assert "my-model" not in os.listdir()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--temperature -1", "temperature must be"),
        ("--top-k 0", "top_k must be"),
        ("--top-p 2", "top_p is a share"),
        ("--length 0", "length must be"),
        (f"--seed {10**30}", "seed must be a whole number of at least 0"),
        ("--seed -1", "seed must be a whole number of at least 0"),
    ],
)
def test_what_text_cannot_be_drawn_with_is_refused(run, tmp_path, options, said):
    untrained().save(tmp_path)
    code, out, err = run("write", "a", "--model", tmp_path, *options.split())
    assert (code, out) == (2, "") and said in err


@pytest.mark.parametrize("seed", [1.5, True, -1, 2**64, "1"])
def test_a_seed_that_is_none_is_named(seed):
    with pytest.raises(ValueError, match="seed must be a whole number of at least 0, at most"):
        untrained().write("a", seed=seed)
    assert untrained().write("a", seed=2**64 - 1)


def test_paragraphs_lie_between_blank_lines_or_are_lines(tmp_path):
    path = tmp_path / "t"
    for text, paragraphs in (
        ("\ufeffone\r\n two  2\r\n\r\n\r\nthree\r\n", ["one two 2", "three"]),
        ("one\ntwo\n", ["one", "two"]),
        ("one\ntwo\n\n\n", ["one", "two"]),
        ("\n\none\ntwo", ["one two"]),
    ):
        path.write_bytes(text.encode())
        assert read_paragraphs(path) == paragraphs


@pytest.mark.parametrize(
    ("text", "between"),
    [
        ("the cat sat on a mat " * 60, " "),
        ("the cat\nsat on a mat.\n\n" + "the dog sat " * 99, " "),
        ("cat\n" + "漢字" * 300, ""),
    ],
    ids=range(3),
)
def test_a_line_of_any_length_is_read_in_pieces(tmp_path, monkeypatch, text, between):
    monkeypatch.setattr("transformer_lite.data.text.MOST_LETTERS", 100)
    path = tmp_path / "t"
    path.write_text(text, encoding="utf-8")
    found = read_paragraphs(path)
    assert max(map(len, found)) <= 150 and len(found) > len(text) // 150
    assert "".join(between.join(found).split()) == "".join(text.split())


def test_more_letters_than_pieces_is_said(run, file):
    file.write_text("".join(map(chr, range(0x4E00, 0x4E00 + 300))) * 9, encoding="utf-8")
    words = ["train", "--text", file, "--steps", 1, "--valid", 200, *OPTIONS]
    err = run(*words, "--out", "a")[2]
    said = "there are 300 different letters, more than the 60 pieces that were asked for"
    assert said in err and "every letter is a token of its own" in err
    assert "different letters" not in run(*words, "--pieces", 310, "--out", "b")[2]
    pairs = file.with_name("pairs.tsv")
    pairs.write_text("".join(f"{a}人\tone\n" for a in file.read_text(encoding="utf-8")[:99]))
    words = ["train", "--pairs", pairs, "--pieces", 30, "--epochs", 1, "--out", "c"]
    assert "in the source there are 100 different letters" in run(*words)[2]


def test_the_end_of_a_text_is_held_out():
    text = ["a bb ccc", "dddd", "ee fff gg"]
    for valid, learnt, held_out in (
        (2, ["a bb ccc", "dddd", "ee fff"], ["gg"]),
        (9, ["a bb ccc", "dddd"], ["ee fff gg"]),
        (14, ["a bb"], ["ccc", "dddd", "ee fff gg"]),
        (2 / 21, ["a bb ccc", "dddd", "ee fff"], ["gg"]),
        (None, ["a bb ccc", "dddd", "ee fff"], ["gg"]),
    ):
        assert hold_out_end(text, valid) == (learnt, held_out)
    assert hold_out_end(["中文" * 20], 6) == (["中文" * 17], ["中文" * 3]), "without spaces"
    assert hold_out_end(["Hello world"], 8) == (["Hello"], ["world"])
    for valid in (0, 21, 0.999):
        with pytest.raises(ValueError, match="too short for a held-out stretch"):
            hold_out_end(text, valid)
    for valid, said in ((-1, "valid must be a whole number"), (True, "valid"), (1.5, "a share")):
        with pytest.raises(ValueError, match=said):
            hold_out_end(text, valid)


@pytest.mark.parametrize(
    ("text", "valid", "held_out"),
    [
        ("第一章 " + "漢字" * 2000, 0.05, 200),
        ("漢字" * 2000 + " 完", 0.05, 200),
        ("seq1 " + "ACGT" * 2000, 0.05, 400),
        ('{"id": 1, "data": "' + "0f" * 4000 + '"}', 0.05, 401),
        ("the cat sat " * 90 + "x" * 1000, 10, 10),
        ("aa bb cc dd", 0.5, 5),
        ("a b\nc d\n" + "\n".join(["unbreakable"] * 20), 30, 33),  # at the end of a paragraph
    ],
    ids=range(7),
)
def test_of_a_text_with_few_spaces_hardly_more_is_held_out_than_was_asked_for(
    text, valid, held_out
):
    learnt, aside = hold_out_end(text.split("\n"), valid)
    assert sum(map(len, aside)) == held_out
    assert "".join(learnt + aside).replace(" ", "") == re.sub(r"\s", "", text)


def test_a_stretch_begins_anywhere_and_is_asked_for_the_token_after_each():
    vocabulary = Vocabulary([*"abcdef"])
    data = EncodedText(["a b c", "d e"], vocabulary, 4)
    ids = [BOS_ID, 4, 5, 6, EOS_ID, BOS_ID, 7, 8, EOS_ID]
    assert data.ids.tolist() == ids and len(data) == 5
    batch = data.batch([0, 4])
    assert batch.source is None and batch.target.tolist() == [ids[:5], ids[4:]]


def test_the_longest_shared_run_is_one_of_whole_words():
    text = "the cat sat on the mat. the dog sat"
    for written, shared in (
        ("a dog sat on the mat. the owl", "sat on the mat. the"),
        ("the ca sat", "the"),
        ("owls fly", ""),
        ("", ""),
        (text, text),
    ):
        assert longest_shared(written, text) == shared


def untrained(**changes):
    sizes = dict(d_model=16, d_ff=16, n_layers=1, n_heads=2, max_length=8) | changes
    torch.manual_seed(0)
    vocabulary = BytePairVocabulary.from_texts(["a b c a b"] * 9, size=10)
    return LanguageModel(DecoderOnly(len(vocabulary), **sizes), vocabulary)


def test_a_text_may_be_longer_than_what_the_model_reads_at_once():
    learner = untrained()
    learner.model.output.weight.data[EOS_ID] = 0
    tokens = []
    learner.vocabulary.detokenize = lambda all_of_them: tokens.extend(all_of_them) or ""
    learner.write("a b", length=30, seed=1)
    assert len(tokens) == 33 or tokens[-1] == "<eos>" and len(tokens) > 8
    with pytest.raises(ValueError, match="has 12 tokens, this model takes at most 6"):
        learner.write("a b c " * 3)


def test_the_measures_are_the_mean_loss_with_dropout_off():
    learner = untrained(dropout=0.5, max_length=4)
    data = EncodedText(["a b c"] * 9, learner.vocabulary, 4)
    learner.model.train()
    found = mean_loss(learner, data)
    assert learner.model.training and found == mean_loss(learner, data)
    learner.model.eval()
    windows = [data.ids[i : i + 5].long() for i in range(0, len(data), 4)]
    losses = [loss_function(learner.model(one[None, :-1]), one[None, 1:]) for one in windows]
    assert found == pytest.approx(torch.stack(losses).mean().item())


def test_a_saved_language_model_is_the_same(tmp_path):
    learner = untrained()
    learner.save(tmp_path)
    copy = load_language_model(tmp_path)
    assert copy.vocabulary == learner.vocabulary and not copy.model.training
    for a, b in zip(copy.model.parameters(), learner.model.parameters(), strict=True):
        assert torch.equal(a, b)
    learner.model.norm = torch.nn.Identity()
    with pytest.raises(ValueError, match="norm"):
        learner.save(tmp_path)
    with pytest.raises(ValueError, match="holds a language model"):
        load_translator(tmp_path)


PLANS = {
    "as the paper has it": {},
    "experts, states and a latent": {
        "experts": Experts(4, 2, n_shared=1, balance=0.01),
        "latent": Latent(d_latent=6, d_rotary=4),
        "state": State(delta=True, convolution=2),
        "full_every": 2,
        "positions": "rotary",
        "norm": "rms",
        "tied": True,
    },
    "a table of positions, groups and a window": {
        "positions": "learned",
        "key_heads": 1,
        "window": 4,
        "embedding_norm": True,
    },
}


@pytest.mark.parametrize("choices", PLANS.values(), ids=PLANS)
def test_what_a_plan_describes_is_trained_saved_loaded_and_written_with(tmp_path, choices):
    plan = Plan(vocab_size=1, d_model=16, n_layers=2, n_heads=2, d_ff=16, max_length=12, **choices)
    train = partial(train_language_model, LINES, held_out=LINES[-9:], plan=plan, progress=False)
    learner, losses = train(SMALL, folder=tmp_path / "made")
    assert learner.model.plan == replace(plan, vocab_size=len(learner.vocabulary))
    assert losses[-1] < losses[0] and losses == train(SMALL)[1]
    if plan.experts:
        favour = learner.model.layers[0].feed_forward.router.favour
        assert 0.005 < favour.abs().max() < 0.125, "moved with each of the 12 steps"
    copy = load_language_model(tmp_path / "made")
    assert copy.model.plan == learner.model.plan and not copy.model.training
    for name, weight in learner.model.state_dict().items():
        assert torch.equal(weight, copy.model.state_dict()[name]), name
    assert copy.write("the owl", seed=1) == learner.write("the owl", seed=1)
    story = json.loads((tmp_path / "made" / "training.json").read_text())
    assert Plan.from_dict(story["training"]["plan"]) == learner.model.plan


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"d_ff": 10**6}, "such a model has .* weights, and it holds"),
        ({"n_layers": 3}, "such a model has .* weights, and it holds"),
        ({"n_layers": 10**9}, "n_layers must be"),
        ({"max_length": 10**9}, "max_length must be"),
        ({"n_heads": 3}, "is not divisible by n_heads=3"),
        ({"wings": 2}, "unexpected keyword argument 'wings'"),
        ({"experts": 5}, "does not describe a language model"),
        ({"vocab_size": 7}, "the model was made for 7"),
    ],
)
def test_a_file_with_another_plan_is_refused(tmp_path, change, said):
    vocabulary = BytePairVocabulary.from_texts(["a b c a b"] * 9, size=10)
    plan = Plan(len(vocabulary), d_model=16, n_layers=2, n_heads=2, d_ff=16, max_length=12)
    LanguageModel(Decoder(plan), vocabulary).save(tmp_path)
    tensors, note = read_tensors(tmp_path / "model.safetensors")
    note["plan"] |= change
    write_tensors(tmp_path / "model.safetensors", tensors, note)
    with pytest.raises(ValueError, match=said):
        load_language_model(tmp_path)


def test_processes_share_the_stretches_of_a_batch():
    data = LINES[:40]
    training = prepared(data)
    whole = list(training.batches(3, 0, 1))
    shares = [list(training.batches(3, rank, 3)) for rank in range(3)]
    assert len(whole) == SMALL.steps - 3
    for batch, *parts in zip(whole, *shares, strict=True):
        rows = [row for part in parts for row in part.target.tolist()]
        assert sorted(rows) == sorted(batch.target.tolist())
        assert [part.weight / 3 for part in parts] == pytest.approx([2 / 4, 1 / 4, 1 / 4])


def prepared(paragraphs, **options):
    from transformer_lite.train.text import prepare

    return prepare(paragraphs, SMALL, held_out=LINES[-9:], progress=False, **options)


def test_more_processes_than_stretches_are_refused(monkeypatch):
    monkeypatch.setattr("transformer_lite.train.text.rank_and_world", lambda: (0, 5))
    with pytest.raises(ValueError, match="5 processes cannot share batch_size=4"):
        prepared(LINES)


def test_learning_by_heart_is_told():
    training = prepared(LINES)
    for step, learnt, held_out in ((2, 3.0, 3.0), (4, 2.0, 2.9), (6, 1.0, 3.5)):
        training.measures.append(TextMeasure(step, learnt, held_out, ""))
    assert "from step 4 on the model has learnt its text by heart" in training.overfitting()
    training.measures.pop()
    assert training.overfitting() == ""


def test_a_training_that_is_interrupted_goes_on_to_the_same_end(run, file, monkeypatch, tmp_path):
    """With Ctrl-C after its seventh step, and then with --resume."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    words = ["train", "--text", file, "--steps", 24, "--valid", 200, *OPTIONS, "--out"]
    assert run(*words, "whole")[0] == 0
    steps = loop.training_steps

    def interrupted(*arguments):
        for step, loss in enumerate(steps(*arguments), start=1):
            if step == 7:
                signal.raise_signal(signal.SIGINT)
            yield loss

    with monkeypatch.context() as patch:
        patch.setattr(loop, "training_steps", interrupted)
        code, _, err = run(*words, "stopped")
    assert code == 130 and err.splitlines()[-1].endswith("stopped --resume")
    assert os.listdir("stopped") == ["checkpoint.pt"]
    for other, said in (
        (["train", "--resume", "--out", "stopped"], "is of another training"),
        ([*words, "stopped", "--resume", "--seed", 1], "--seed 0 and not --seed 1"),
        ([*words, "stopped"], "unfinished training"),
    ):
        code, _, err = run(*other)
        assert code == 2 and said in err, err
    assert run(*words, "stopped", "--resume")[0] == 0
    for name in ("model.safetensors", "training.json"):
        whole, stopped = (tmp_path / folder / name for folder in ("whole", "stopped"))
        assert whole.read_bytes() == stopped.read_bytes()


def test_a_recipe_refuses_what_makes_no_sense():
    for wrong, said in (
        (dict(steps=0), "steps"),
        (dict(model=dict(n_heads=5)), "n_heads"),
        (dict(model=dict(tie_embeddings=True)), "has no tie_embeddings"),
        (dict(model=dict(d_model=100_000, d_ff=100_000)), "too large to be trained here"),
        (dict(batch_size=0), "batch_size"),
    ):
        with pytest.raises(ValueError, match=said):
            TextRecipe(**wrong)


def test_the_same_seed_gives_the_same_model():
    losses = [
        train_language_model(
            LINES[:40], replace(SMALL, seed=seed), held_out=LINES[40:42], progress=False
        )[1]
        for seed in (1, 1, -1, 10**30)
    ]
    assert losses[0] == losses[1]
    assert len({*map(tuple, losses)}) == 3


def test_of_a_notebook_the_sentences_are_taken():
    told = """# A heading

The *first* sentence of [a link](x.ipynb) says `word`. With $x$ it is left out. **Two** of three!

| a | table |
|---|---|

> A place to rest.

1. One thing.
2. Another, at last (or not).

```sh
code
```
$$x = 1.$$
Not ended
"""
    cells = [
        {"cell_type": "markdown", "source": told.splitlines(keepends=True)},
        {"cell_type": "code", "source": ["Never. Ever."]},
    ]
    assert list(paragraphs_of({"cells": cells})) == [
        "The first sentence of a link says word. Two of three!",
        "A place to rest.",
        "One thing.",
        "Another, at last (or not).",
    ]


def test_the_books_prose_is_what_is_told_in_whole_sentences():
    book = book_text()
    text = "\n".join(book)
    assert len(text.split()) > 40_000
    assert not {*"$|`*{}\\"} & {*text} and "](" not in text
    assert sum(paragraph[-1] in '.?!)”"' for paragraph in book) == len(book)


@pytest.fixture(scope="module")
def recorded():
    return stored("own_text")


PAGE = json.loads((ROOT / "chapters" / "your-own-sentences.ipynb").read_text(encoding="utf-8"))
TOLD = "\n".join("".join(c["source"]) for c in PAGE["cells"] if c["cell_type"] == "markdown")


def test_the_model_that_has_read_the_book_is_the_one_of_the_recorded_run(recorded, budget):
    """The run is of the book as it stood then, and need not be made again when a page changes."""
    run = recorded["1/1"]
    learner = load_language_model(BOOK)
    assert sum(weight.numel() for weight in learner.model.parameters()) == run["weights"]
    assert list(run["texts"]) == ["0", "200", "2000"]
    assert own_text.written(learner) == run["texts"]["2000"]
    figure = Writer(BOOK)
    in_the_site = json.dumps([base64.b64encode(figure.weights).decode(), figure.words])
    budget("the packed writer of the book", len(gzip.compress(in_the_site.encode(), 9)), 250_000)


def test_what_the_page_says_of_the_book_and_of_a_ninth_of_it_is_what_was_measured(recorded):
    run, ninth = recorded["1/1"], recorded["1/9"]
    quoted = re.search(r"still means nothing: “(.+?)”", TOLD)[1]
    assert quoted in run["texts"]["2000"]
    assert min(run["measures"], key=lambda measure: measure[2]) == run["measures"][-1]
    _, learnt, aside = ninth["measures"][-1]
    pieces = TextRecipe().pieces
    assert math.exp(learnt) < 1.5 and math.exp(aside) > pieces, "worse than a guess"
    shared = {
        (name, whose): sum(story["shared"][whose]) / len(story["shared"][whose])
        for name, story in (("all", run), ("ninth", ninth))
        for whose in ("written", "held out")
    }
    assert shared["all", "written"] < shared["all", "held out"]
    assert shared["ninth", "written"] > 2 * shared["ninth", "held out"]
    assert sum(length > 5 for length in run["shared"]["written"]) == 1, "one exception"
    assert max(run["shared"]["written"]) == len(run["shared"]["longest"].split())
    assert ninth["shared"]["written"].count(own_text.WORDS) > 1, "some are copied whole"
    assert min(ninth["bits per letter"]) == ninth["bits per letter"][0], "at its best at first"


def test_the_commands_of_the_page_can_be_typed():
    typed = re.findall(r"-m transformer_lite ((?:train --text|write) .+)$", TOLD, re.M)
    assert len(typed) == 3
    for command in typed:
        assert parser().parse_args(shlex.split(command)).run


@pytest.mark.skipif(
    not (torch.distributed.is_available() and torch.distributed.is_gloo_available()),
    reason="this torch was built without gloo",
)
@pytest.mark.weekly  # as tests/unit/test_distributed.py has it of pairs
def test_two_processes_have_the_losses_of_one(file):
    command = ["transformer_lite", "train", "--text", str(file), "--steps", "20"]
    command += ["--dropout", "0", "--valid", "200", *OPTIONS, "--out"]
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    stories = []
    for name, start in (("one", []), ("two", torchrun)):
        done = subprocess.run(
            [sys.executable, *start, "-m", *command, name],
            env=os.environ | {"OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        stories.append(json.loads((file.parent / name / "training.json").read_text()))
    one, two = stories
    assert two["losses"] == pytest.approx(one["losses"], abs=1e-5)
    for mine, theirs in zip(one["held_out"], two["held_out"], strict=True):
        assert theirs["loss"] == pytest.approx(mine["loss"], abs=1e-4)
    assert done.stdout == "" and done.stderr.count("the language model is in two") == 1
