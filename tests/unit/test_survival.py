"""What goes wrong around a command: unreadable lines, full disks, impatient and rival users."""

import errno
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
import torch
from test_cli import DIGITS, ENVIRONMENT
from test_hostile_inputs import GOOD, TRANSLATOR, new_model

from dev import add_exercise
from transformer_lite import (
    beam_search,
    greedy_decode,
    greedy_decode_uncached,
    load_translator,
)
from transformer_lite.command_line import console
from transformer_lite.command_line.main import main
from transformer_lite.data.corpus import read_pairs
from transformer_lite.files import check_writable
from transformer_lite.train import loop, trainer
from transformer_lite.train.evaluation import bleu_tokenizer
from transformer_lite.train.recipe import Recipe, fitting_tokenizer
from transformer_lite.training import training_steps
from transformer_lite.vocabulary import BytePairVocabulary, split_words

NUMBERS = [(f"{a} {b}", f"{DIGITS[b]} {DIGITS[a]}") for a in DIGITS for b in DIGITS]
SMALL = "--epochs 2 --d-model 16 --d-ff 16 --n-layers 1 --n-heads 2".split()
RECIPE = Recipe(epochs=2, model=dict(d_model=16, d_ff=16, n_layers=1, n_heads=2))
CHINESE = [
    ("我爱中国", "i love china"),
    ("太阳变红", "the sun turns red"),
    ("我爱太阳", "i love the sun"),
] * 20


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The folder where commands run, with a translator, `model`, and `pairs.tsv`."""
    TRANSLATOR.save(tmp_path / "model")
    write_pairs(tmp_path / "pairs.tsv", NUMBERS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_pairs(path, pairs):
    path.write_text("".join("\t".join(pair) + "\n" for pair in pairs), encoding="utf-8")


@pytest.fixture
def run(place, monkeypatch, capsys):
    """Run a command with these bytes on stdin: its exit code, stdout and stderr."""

    def run(*words, stdin=b""):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(stdin)))
        return main(list(map(str, words))), *capsys.readouterr()

    return run


# One bad line never costs the others.


def test_a_bad_line_of_stdin_is_named_and_the_others_are_translated(run):
    good = b"ich mochte ein bier\n"
    lines = b"\xef\xbb\xbf" + good + b"K\xc3\xa4se\n\n" + good + b"\xfc\n" + good
    code, out, err = run("translate", "--model", "model", stdin=lines)
    sentence = out.splitlines()[0]
    assert code == 2 and out.splitlines() == [sentence, "", "", sentence, "", sentence] and sentence
    second, fifth, count = err.splitlines()
    assert second.startswith("error: line 2: unknown word 'Käse'") and fifth.startswith(
        "error: line 5: "
    )
    assert count == "error: 2 of 6 lines left out"
    _, out, err = run("translate", "--model", "model", stdin="ich\n".encode("utf-16-le"))
    assert out == "\n\n" and err.startswith("error: line 1: not text, since it has a null ")


@pytest.mark.parametrize(
    "lines",
    [
        ["ich mochte ein bier", "ein quux", "ich mochte ein cola"],
        ["", "ein bier", " \t ", "\u200b", "ich", "ich " * 300, "cola"],
        ["quux"] * 3,
        ["ich\rquux", "ich"],
    ],
)
def test_a_line_comes_out_for_a_line_that_comes_in(run, lines):
    text = "".join(line + "\n" for line in lines)
    code, out, err = run("translate", "-", "--model", "model", stdin=text.encode())
    answers = out.split("\n")
    assert len(answers) == len(lines) + 1 and answers[-1] == ""
    for number, (line, answer) in enumerate(zip(lines, answers, strict=False), start=1):
        refused = f"error: line {number}: " in err
        assert (answer == "") == (refused or not split_words(line)), line
    assert code == (2 if "error" in err else 0)


def test_a_bad_sentence_is_named_and_the_others_are_translated(run):
    code, out, err = run("translate", "ich", "Käse", "ein bier", "Tee", "--model", "model")
    first, third = (run("translate", x, "--model", "model")[1] for x in ("ich", "ein bier"))
    assert code == 2 and out == f"{first}\n{third}\n"
    assert (
        "2 of 4 left out: sentence 2: unknown word 'Käse'" in err
        and "sentence 4: unknown word 'Tee'" in err
    )


def test_a_bad_pair_is_named_and_the_others_are_scored(run, place):
    bad = "".join(f"wort{i}\tword\n" for i in range(7))
    (place / "mixed.tsv").write_text(
        GOOD + "\n" + bad + "ich " * 13 + "\tlong\n" + GOOD, encoding="utf-8"
    )
    code, out, err = run("evaluate", "--model", "model", "--pairs", "mixed.tsv", "--json")
    assert code == 2 and "line 2 is blank" in err
    assert "8 of 10 left out: line 3: unknown word 'wort0'" in err
    assert err.endswith("; line 8; line 9; line 10\n")
    scores = json.loads(out)["mixed.tsv"]
    assert scores["sentences"] == 2 and scores["left_out"] == 8


# Logs.


class Full(io.StringIO):
    """A log on a full disk."""

    def write(self, text):
        raise OSError(errno.ENOSPC, "No space left on device")


def closed():
    stream = io.StringIO()
    stream.close()
    return stream


@pytest.mark.parametrize("log", [Full, closed])
def test_a_log_that_cannot_be_written_costs_nothing(place, monkeypatch, log):
    monkeypatch.setattr(sys, "stderr", log())
    assert main(["train", "--pairs", "pairs.tsv", "--out", "new", *SMALL]) == 0
    assert (
        main(["translate", "Käse", "--model", "new"]) == 0
        and main(["translate", "Käse", "--model", "model"]) == 2
    )
    monkeypatch.setattr(sys, "stderr", log())
    trainer.train_translator(NUMBERS, RECIPE)
    names = {path.name for path in (place / "new").iterdir()}
    assert names == {"model.safetensors", "training.json"}


@pytest.mark.parametrize(
    ("main", "work", "words"),
    [
        (main, "transformer_lite.command_line.translate.load_translator", ["translate", "ich"]),
        (
            add_exercise.main,
            "dev.add_exercise.add",
            ["3.5", "--title", "A", "--difficulty", "easy", "--minutes", "5"],
        ),
    ],
)
def test_every_command_ends_alike(place, monkeypatch, capsys, main, work, words):
    monkeypatch.setattr("sys.argv", ["command", *words])
    for error, code, said in (
        (
            PermissionError(errno.EACCES, "Permission denied", "/here"),
            2,
            "error: /here: Permission denied\n",
        ),
        (ValueError("of two\nlines"), 2, "error: of two lines\n"),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 0, ""),
    ):
        monkeypatch.setattr(work, Mock(side_effect=error))
        assert (main(), capsys.readouterr().err) == (code, said)


def test_a_reader_that_has_left_is_no_error():
    """As a shell starts them: Python itself would exit with 120, and add a traceback."""
    script = "import sys; from console import *; sys.exit(exit_code(lambda: print('ja')))"
    environment = ENVIRONMENT | {"PYTHONPATH": str(Path(console.__file__).parent)}
    environment.pop("PYTHONUNBUFFERED", None)
    with subprocess.Popen([sys.executable, "-c", "pass"], stdin=subprocess.PIPE) as reader:
        reader.wait()
        found = subprocess.run(
            [sys.executable, "-c", script],
            stdout=reader.stdin,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
    assert (found.returncode, found.stderr) == (0, "")


# Disks.


def test_a_disk_that_fills_is_named_and_training_goes_on_from_its_checkpoint(
    run, place, monkeypatch
):
    words = ["train", "--pairs", "pairs.tsv", *SMALL, "--epochs", "120"]
    assert run(*words, "--out", "whole")[0] == 0
    synced = []
    before = os.fsync

    def fsync(file):
        synced.append(file)
        if len(synced) > 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        before(file)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        code, _, err = run(*words, "--out", "new")
    again = "python -m transformer_lite " + " ".join([*words, "--out", "new", "--resume"])
    said, error = err.splitlines()[-2:]
    assert code == 2 and said.endswith(
        f"what was learnt up to the last checkpoint is kept. To go on: {again}"
    )
    assert error == f"error: {Path('new', 'model.safetensors')}: No space left on device"
    assert [path.name for path in (place / "new").iterdir()] == ["checkpoint.pt"]
    assert run(*words, "--out", "new", "--resume")[0] == 0
    for name in ("model.safetensors", "training.json"):
        assert (place / "new" / name).read_bytes() == (place / "whole" / name).read_bytes()


@contextmanager
def nobody():
    """As a user without rights, if we are root."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.mark.skipif(
    not hasattr(os, "geteuid"), reason="folders of this system are not read-only by a mode"
)
def test_what_may_not_be_written_or_read_is_said_before_training(run, place, monkeypatch):
    monkeypatch.setattr(
        "transformer_lite.train.loop.run",
        lambda *_, **options: pytest.fail("it began"),
    )
    with tempfile.TemporaryDirectory() as folder:
        TRANSLATOR.save(folder)
        Path(folder, "model.safetensors").chmod(0)
        Path(folder, "new").mkdir(0o555)
        Path(folder).chmod(0o755)
        with nobody():
            code, _, err = run("train", "--out", f"{folder}/new/one", *SMALL)
            assert code == 2 and err.endswith(f"error: {folder}/new/one: Permission denied\n")
            code, _, err = run("translate", "ich", "--model", folder)
            assert (code, err) == (2, f"error: {folder}/model.safetensors: Permission denied\n")


def test_half_a_file_of_a_killed_training_is_no_hindrance(run, place):
    (place / "new").mkdir()
    (place / "new" / ".checkpoint.pt.7.tmp").write_bytes(b"half")
    assert run("train", "--pairs", "pairs.tsv", "--out", "new", *SMALL)[0] == 0


def test_what_cannot_be_written_is_named_before_the_work(place):
    check_writable(Path("new.txt"))
    for path in (".", "nowhere/x.txt"):
        with pytest.raises(ValueError, match=f"{path} cannot be written: it should be a file in"):
            check_writable(Path(path))


# Ctrl-C.


@pytest.fixture
def ctrl_c():
    """As at a terminal: a run in the background may have been told to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press(monkeypatch, at, times, signum=signal.SIGINT):
    """Press Ctrl-C in this step of the training, or send another signal."""

    def interrupted(model, batches, *options):
        for step, loss in enumerate(training_steps(model, batches, *options), start=1):
            for _ in range(times if step == at else 0):
                signal.raise_signal(signum)
            yield loss

    monkeypatch.setattr("transformer_lite.train.loop.training_steps", interrupted)


@pytest.mark.parametrize(
    ("at", "times", "said"),
    [
        (7, 1, "interrupted; nothing is lost. To go on: python -m transformer_lite train"),
        (7, 2, "interrupted before the first checkpoint: nothing has been saved"),
        (
            107,
            2,
            "interrupted; what was learnt up to the last checkpoint is kept. To go on: python",
        ),
    ],
)
def test_ctrl_c_says_what_is_lost(run, place, monkeypatch, ctrl_c, at, times, said):
    press(monkeypatch, at, times)
    code, _, err = run("train", "--pairs", "pairs.tsv", "--out", "new", *SMALL, "--epochs", "120")
    assert code == 130 and err.splitlines()[-1].startswith(said)
    assert (place / "new" / "checkpoint.pt").exists() == ("To go on" in said)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
@pytest.mark.skipif(os.name == "nt", reason="this system has no such signals")
def test_other_signals_are_treated_as_ctrl_c(run, place, monkeypatch, name):
    signum = getattr(signal, name)
    before = signal.signal(signum, signal.SIG_DFL)
    press(monkeypatch, 7, 1, signum)
    code, _, err = run("train", "--pairs", "pairs.tsv", "--out", "new", *SMALL, "--epochs", "120")
    assert signal.signal(signum, before) == signal.SIG_DFL
    assert code == 128 + signum and len(torch.load(place / "new/checkpoint.pt")["losses"]) == 7
    assert err.splitlines()[-1].startswith("interrupted; nothing is lost. To go on: python -m ")
    assert err.splitlines()[-1].endswith("--epochs 120 --resume")


@pytest.mark.parametrize(
    ("begun", "gone_on", "said"),
    [
        (["--pairs", "pairs.tsv"], [], "is of another training, .* resume with the same pairs"),
        ([], ["--pairs", "pairs.tsv"], "is of another training, .* resume with the same pairs"),
        (["--pairs", "pairs.tsv"], ["--pairs", "other.tsv"], "with pairs=25 pairs"),
        (
            ["--pairs", "pairs.tsv", "--valid", "5"],
            ["--pairs", "pairs.tsv", "--valid", "6"],
            "with held_out=5 pairs",
        ),
    ],
)
def test_what_is_missing_to_go_on_is_named(run, place, monkeypatch, ctrl_c, begun, gone_on, said):
    write_pairs(place / "other.tsv", NUMBERS[:20])
    words = ["train", "--out", "new", *SMALL[2:]]  # with as many epochs as fit the pairs
    press(monkeypatch, 3, 1)
    assert run(*words, *begun)[0] == 130
    code, _, err = run(*words, *gone_on, "--resume")
    assert code == 2 and re.search(said, err) and "epochs=" not in err


def test_the_least_loss_is_said_beside_the_loss(run):
    code, _, err = run("train", "--pairs", "pairs.tsv", "--out", "new", *SMALL)
    assert code == 0 and re.search(r"loss=\d\.\d+ \(least 0\.485\)", err)
    assert "a translator without a fault would have a loss of 0.485" in err
    words = ["train", "--pairs", "pairs.tsv", "--out", "other", *SMALL, "--label-smoothing", "0"]
    assert "without a fault" not in run(*words)[2]


def test_resuming_nothing_is_said(run):
    code, _, err = run("train", "--pairs", "pairs.tsv", "--out", "new", *SMALL, "--resume")
    assert code == 0 and "there is no unfinished training in new: it begins anew" in err
    assert "begins anew" not in run("train", "--pairs", "pairs.tsv", "--out", "newer", *SMALL)[2]


# Numbers.


def test_a_training_that_diverges_says_so_and_writes_nothing(run, place):
    words = ["train", "--pairs", "pairs.tsv", "--out", "new", *SMALL, "--epochs", 40]
    code, _, err = run(*words, "--learning-rate", 1e30)
    step = re.search(r"error: the training has diverged at step (\d+) \(loss nan\)", err)
    assert code == 2 and int(step[1]) < 10 and "lower learning_rate (it was 1e+30)" in err
    assert not any((place / "new").iterdir())


@pytest.mark.parametrize("last, said", [(10.0, False), (49.0, True)])
def test_the_last_twenty_steps_say_whether_something_was_learnt(monkeypatch, capsys, last, said):
    losses = [50.0] * 200 + [last] * 20
    monkeypatch.setattr(loop, "training_steps", lambda *_: iter(losses))
    trainer.train_translator(NUMBERS[:64], Recipe(epochs=220, model=RECIPE.model))
    assert ("the loss was 50.00 and is 49.00" in capsys.readouterr().err) is said


def test_weights_that_are_no_numbers_are_not_saved(tmp_path, monkeypatch):
    def poisoned(model, batches, *options):
        for step, loss in enumerate(training_steps(model, batches, *options), start=1):
            if step == 150:
                next(model.parameters()).data[1] = torch.nan
            yield 1.0 if step >= 150 else loss

    monkeypatch.setattr("transformer_lite.train.loop.training_steps", poisoned)
    with pytest.raises(FloatingPointError, match="diverged at step 200"):
        trainer.train_translator(
            NUMBERS, Recipe(epochs=300, model=RECIPE.model), folder=tmp_path, progress=False
        )
    state = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    assert len(state["losses"]) == 100 and all(
        weight.isfinite().all() for weight in state["model"].values()
    )


def test_training_leaves_the_callers_random_numbers_alone():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    trainer.train_translator(NUMBERS, RECIPE, progress=False)
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize("decode", [greedy_decode, greedy_decode_uncached, beam_search])
def test_decoding_keeps_the_mode_of_every_part(decode):
    model = new_model(dropout=0.5).train()
    model.encoder.eval()
    before = [module.training for module in model.modules()]
    source = torch.full((2, 3), 5)
    ids = [decode(model, source, max_length=4) for _ in range(4)]
    assert [module.training for module in model.modules()] == before
    model.eval()
    model.decoder.train()  # its parent is not in training
    ids += [decode(model, source, max_length=4) for _ in range(4)]
    assert model.decoder.training and not model.training
    assert all(torch.equal(found, ids[0]) for found in ids)


# Pairs as people have them.


def test_the_tokenizer_fits_the_pairs():
    assert fitting_tokenizer(NUMBERS)[0] == "word"
    assert fitting_tokenizer(CHINESE) == (
        "bpe",
        "the source is written without spaces between words",
    )
    assert fitting_tokenizer([pair[::-1] for pair in CHINESE])[1].startswith("the target is")
    assert (
        fitting_tokenizer([("ein 中国 Restaurant in Hamburg", "a chinese restaurant")])[0] == "word"
    )
    many = [(f"wort{i}", "word") for i in range(8100)]
    assert fitting_tokenizer(many) == ("bpe", "the source has 8104 different words, more than 8000")
    assert fitting_tokenizer(many[:7000])[0] == fitting_tokenizer(many, rare=0.5)[0] == "word"


def test_chinese_is_learnt_in_pieces_and_measured_in_characters(run, place):
    write_pairs(place / "zh.tsv", [pair[::-1] for pair in CHINESE])
    words = ["train", "--pairs", "zh.tsv", *SMALL, "--out"]
    code, _, err = run(*words, "new")
    assert (
        code == 0 and "--tokenizer bpe is chosen, since the target is written without spaces" in err
    )
    assert type(load_translator(place / "new").target_vocabulary) is BytePairVocabulary
    code, out, _ = run("evaluate", "--model", "new", "--pairs", "zh.tsv")
    assert code == 0 and "BLEU (of Chinese characters) " in out


@pytest.mark.parametrize(
    ("text", "tokenizer"),
    [
        ("the sun is red", "13a"),
        ("我爱中国", "zh"),
        ("漢" * 10 + "の", "zh"),
        ("漢" * 9 + "の", "char"),
        ("私はビールを飲みます", "char"),
        ("ฉันดื่มเบียร์", "char"),
        ("مرحبا", "13a"),
    ],
)
def test_bleu_counts_what_is_a_word_there(text, tokenizer):
    assert bleu_tokenizer([text]) == tokenizer


def test_a_text_without_spaces_is_learnt_in_words_of_at_most_24_letters():
    vocabulary = BytePairVocabulary.from_texts(["ab" * 20_000, "太阳变红" * 5_000])
    assert max(map(len, vocabulary.words)) == 24
    text = "太阳变红" * 30
    assert vocabulary.detokenize(vocabulary.tokenize(text)) == text


def test_a_file_in_another_encoding_is_refused_and_one_bad_line_is_not(tmp_path):
    lines = [("Käse", "cheese"), ("Öl", "oil"), ("Tür", "door"), ("ich", "i")]
    path = tmp_path / "pairs.tsv"
    text = "".join("\t".join(pair) + "\n" for pair in lines)
    path.write_bytes(text.encode("cp1252"))
    with pytest.raises(
        ValueError, match="3 lines are not, line 1 is not UTF-8. Save it as text in UTF-8"
    ):
        read_pairs(path)
    path.write_bytes(text.encode() + text.encode("cp1252"))
    reports = []
    assert (
        read_pairs(path, reports.append) == [*lines, ("ich", "i")]
        and "3 lines left out" in reports[0]
    )


def test_a_header_is_no_pair(tmp_path):
    path = tmp_path / "pairs.tsv"
    reports = []
    path.write_text("Deutsch\tEnglisch\nich\ti\nde\ten\n")
    assert read_pairs(path, reports.append) == [("ich", "i"), ("de", "en")]
    assert reports == [f"{path}: 2 pairs read, 1 line left out: line 1 is a header"]
    path.write_text("# sentences of week 3\n\nDeutsch\tEnglisch\nich\ti\n")
    assert read_pairs(path, reports.append) == [("ich", "i")]
    assert reports[1].startswith(f"{path}: 1 pair read, 3 lines left out: line 1 has 1 column ")
