"""The command line, as a newcomer, a script and an impatient user meet it."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
import torch

from attention_by_hand.studies.two_sentences import train_two_sentences
from transformer_lite import greedy_decode
from transformer_lite.command_line.console import as_typed
from transformer_lite.command_line.main import main
from transformer_lite.data.grammar import splits
from transformer_lite.train.recipe import SHIPPED_MODEL, Recipe
from transformer_lite.train.trainer import train_translator

COMMAND = [sys.executable, "-m", "transformer_lite"]
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1"}
DIGITS = dict(
    zip("eins zwei drei vier fünf".split(), "one two three four five".split(), strict=True)
)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The folder of a translator of two sentences."""
    folder = tmp_path_factory.mktemp("model")
    train_two_sentences(0, progress=False)[0].save(folder)
    return folder


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text(
        "\n".join(f"{a} {b}\t{DIGITS[b]} {DIGITS[a]}" for a in DIGITS for b in DIGITS),
        encoding="utf-8",
    )
    return path


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command in this process: its exit code, stdout and stderr."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["transformer_lite", *map(str, arguments)])
        try:
            code = main()
        except SystemExit as end:
            code = end.code
        return code, *capsys.readouterr()

    return run


def start(*arguments, **options):
    streams = dict(
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    )
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)], env=ENVIRONMENT, **(streams | options)
    )


@pytest.mark.parametrize("command", ["", "train", "translate", "evaluate", "pairs", "write"])
def test_help_explains(run, command):
    code, out, err = run(*command.split(), "--help")
    assert (code, err) == (0, "") and out.startswith("usage: python -m transformer_lite")


def test_translate_prints_one_translation_a_line(run, model):
    texts = "ich mochte ein cola", "Ich mochte ein Bier"
    for beam in (1, 3):
        code, out, err = run("translate", *texts, "--model", model, "--beam", beam)
        assert (code, out, err) == (0, "i want a coke .\ni want a beer .\n", "")


def test_the_words_that_a_translator_knows_are_printed(run, model):
    expected = (0, "ein\nich\nmochte\nbier\ncola\n", "")
    assert run("translate", "--words", "--model", model) == expected


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """The folders of translators that read words, and letters, that they do not know."""
    folders = []
    for tokenizer in ("word", "bpe"):
        recipe = Recipe(tokenizer=tokenizer, epochs=1, rare=0.01, model=dict(d_model=8, d_ff=8))
        folders.append(tmp_path_factory.mktemp("own"))
        pairs = [(f"{word} {word}", "a") for word in DIGITS]
        train_translator(pairs, recipe, progress=False)[0].save(folders[-1])
    return folders


def test_words_that_are_not_known_are_named(run, own, monkeypatch):
    words, pieces = own
    code, out, err = run("translate", "Onkel Otto: eins .", "zwei", "--model", words)
    assert (code, out.count("\n")) == (0, 2)
    said = "4 words it does not know, read as <unk>: Onkel, Otto, :, . (see train --tokenizer bpe)"
    assert err == f"sentence 1: {said}\n"
    lines = b"zwei\n\n" + b"acht neun " * 4 + b"\n"
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(lines)))
    code, out, err = run("translate", "--model", words)
    assert (code, out.count("\n")) == (0, 3)
    assert err.startswith("line 3: 8 words it does not know, read as <unk>: acht, neun (")
    err = run("translate", "eins zwei ☃", "--model", pieces)[2]
    assert err == "sentence 1: 1 letter it does not know, read as <unk>: ☃\n"
    assert run("translate", "eins vier", "--model", pieces)[2] == ""


def test_words_that_are_not_known_are_counted_where_they_cost_points(run, own, tmp_path):
    path = tmp_path / "p.tsv"
    path.write_text("eins Otto\ta\nzwei zwei\ta\nOtto Emil\ta\n")
    words = ["evaluate", "--model", own[0], "--pairs", path]
    code, out, err = run(*words)
    said = "3 words it does not know, read as <unk>: Otto, Emil (see train --tokenizer bpe)"
    assert (code, err) == (0, f"{path}: {said}\n") and "3 sentences" in out
    assert json.loads(run(*words, "--json")[1])[str(path)]["unknown"] == 3


def test_translate_answers_each_line_of_stdin_at_once(model):
    process = start("translate", "--model", model)
    patience = threading.Timer(60, process.kill)
    patience.start()
    for text, answer in (
        ("ich mochte ein bier", "i want a beer .\n"),
        ("ich mochte ein cola", "i want a coke .\n"),
    ):
        process.stdin.write(text + "\n")
        process.stdin.flush()
        assert process.stdout.readline() == answer
    out, err = process.communicate("Käse\n")
    patience.cancel()
    assert process.returncode == 2 and out == "\n"
    assert err.startswith("error: line 3: unknown word 'Käse'") and err.count("\n") == 1


def test_a_beam_is_for_each_sentence_wherever_it_comes_from(run, model, monkeypatch, tmp_path):
    asked = []

    def beam_search(model, source_ids, beam):
        asked.append(beam)
        return greedy_decode(model, source_ids)

    monkeypatch.setattr("transformer_lite.translator.beam_search", beam_search)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"ich mochte ein bier\n")))
    for text in (["ich mochte ein bier"], []):
        assert run("translate", *text, "--model", model, "--beam", 3) == (
            0,
            "i want a beer .\n",
            "",
        )
    path = tmp_path / "p.tsv"
    path.write_text("ich mochte ein bier\ti want a beer .\n")
    code, out, _ = run("evaluate", "--model", model, "--pairs", path, "--beam", 4)
    assert code == 0 and "1 sentence, 100.0 % exactly right" in out
    assert asked == [3, 3, 4]


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (RuntimeError("can't allocate memory"), ": can't allocate memory"),
        (MemoryError(), ""),
        (MemoryError("of 40 GB"), ": of 40 GB"),
    ],
)
def test_too_little_memory_is_said(run, monkeypatch, problem, said):
    monkeypatch.setattr(
        "transformer_lite.command_line.translate.load_translator", Mock(side_effect=problem)
    )
    assert run("translate", "ich") == (2, "", f"error: not enough memory{said}\n")


def test_a_fault_of_ours_is_not_hidden(run, monkeypatch):
    problem = RuntimeError("the size of tensor a must match")
    monkeypatch.setattr(
        "transformer_lite.command_line.translate.load_translator", Mock(side_effect=problem)
    )
    with pytest.raises(RuntimeError, match="the size of tensor a must match"):
        run("translate", "ich")


def test_without_torch_the_last_line_says_whom_to_ask(tmp_path):
    problem = "libgomp.so.1: cannot open"
    (tmp_path / "torch.py").write_text(f"raise ImportError({problem!r})")
    environment = ENVIRONMENT | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{Path(__file__).parents[2]}"}
    found = subprocess.run(
        [*COMMAND, "translate", "ich"], env=environment, capture_output=True, text=True
    )
    assert (found.returncode, found.stdout) == (1, "")
    *_, error, note = found.stderr.splitlines()
    assert error == f"ImportError: {problem}"
    assert note == "`python -m attention_by_hand.doctor` says what this machine lacks."


def test_evaluate_counts_and_scores(run, model, tmp_path):
    path = tmp_path / "p.tsv"
    path.write_text("ich mochte ein bier\ti want a beer .\nich mochte ein cola\ti want a tea .\n\n")
    code, out, err = run("evaluate", "--model", model, "--pairs", path, "--json")
    scores = json.loads(out)[str(path)]
    assert code == 0 and "line 3 is blank" in err
    assert (
        scores["sentences"] == 2
        and scores["exact_match"] == 50.0
        and scores.keys() >= {"bleu", "chrf"}
    )


def test_evaluate_asks_the_shipped_model_for_what_it_has_never_seen(run):
    code, out, err = run("evaluate", "--json")
    scores = json.loads(out)
    assert (code, err) == (0, "") and list(scores) == ["unseen", "compositional"]
    assert scores["unseen"]["sentences"] == 1000 and scores["unseen"]["exact_match"] >= 99.5


BAD = {
    "empty sentence": "translate EMPTY --model MODEL",
    "no beam": "translate ich --beam 0 --model MODEL",
    "half a beam": "translate ich --beam 0.5 --model MODEL",
    "too long": "translate LONG --model MODEL",
    "no such model": "translate ich --model TMP/none",
    "no such pairs": "train --out TMP/out --pairs TMP/none.tsv",
    "no pairs in file": "train --out TMP/out --pairs TMP/file",
    "no epochs": "train --out TMP/out --pairs TMP/pairs.tsv --epochs 0",
    "rate in words": "train --out TMP/out --pairs TMP/pairs.tsv --learning-rate high",
    "heads do not fit": "train --out TMP/out --pairs TMP/pairs.tsv --n-heads 3",
    "unknown tokenizer": "train --out TMP/out --pairs TMP/pairs.tsv --tokenizer letter",
    "out is finished": "train --out MODEL --pairs TMP/pairs.tsv",
    "resume finished": "train --out MODEL --pairs TMP/pairs.tsv --resume",
    "evaluate unknown": "evaluate --model MODEL --pairs TMP/pairs.tsv",
}


@pytest.mark.parametrize("words", BAD.values(), ids=BAD.keys())
def test_a_users_error_is_one_line(run, model, pairs, tmp_path, words):
    (tmp_path / "file").write_text("no pairs here\n")
    special = {"EMPTY": "", "LONG": "ich " * 300}
    arguments = [
        special.get(word, word).replace("TMP", str(tmp_path)).replace("MODEL", str(model))
        for word in words.split()
    ]
    code, out, err = run(*arguments)
    assert code == 2 and out == "" and "Traceback" not in err
    lines = [line for line in err.splitlines() if not line.startswith((" ", "usage:", "25 pairs"))]
    assert len(lines) == 1 and re.match(
        r"(python -m transformer_lite.*: )?error: .{20}", lines[0]
    ), err
    assert not (tmp_path / "out" / "model.safetensors").exists()


# The command, in a process that is killed as it puts its second checkpoint in place.
KILLED = """
import os, signal, sys
from transformer_lite.command_line.main import main

replace = os.replace

def replace_and_die(*paths):
    if os.path.exists(paths[1]):
        os.kill(os.getpid(), signal.SIGKILL)
    replace(*paths)

os.replace = replace_and_die
sys.exit(main())
"""


def test_killed_as_it_writes_a_training_goes_on_to_the_same_end(run, pairs, tmp_path):
    folder = tmp_path / "killed"
    small = "--epochs 220 --d-model 16 --d-ff 16 --n-layers 1 --n-heads 2".split()
    command = ["train", "--pairs", pairs, *small, "--out"]
    words = [sys.executable, "-c", KILLED, *command, folder]
    process = subprocess.run([*map(str, words)], env=ENVIRONMENT, capture_output=True)
    assert process.returncode == -signal.SIGKILL, process.stderr
    assert 0 < len(torch.load(folder / "checkpoint.pt")["losses"]) < 220
    assert run(*command, folder, "--resume")[0] == 0
    assert run(*command, tmp_path / "whole")[0] == 0
    for name in ("training.json", "model.safetensors"):
        assert (folder / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    assert not (folder / "checkpoint.pt").exists()


@pytest.fixture
def trainings(monkeypatch):
    """What ``train`` would train: the arguments of each training, which is not carried out."""
    calls = []
    monkeypatch.setattr(
        "transformer_lite.command_line.train.german_english", lambda: ["the shipped pairs"]
    )
    monkeypatch.setattr(
        "transformer_lite.command_line.train.train_translator",
        lambda pairs, recipe, **options: calls.append((pairs, recipe, options)) or ("", []),
    )
    return calls


def test_the_library_speaks_python_and_the_command_line_translates(run, pairs, tmp_path):
    train = "train", "--pairs", pairs, "--out", tmp_path / "new"
    code, _, err = run(*train, "--valid", 5000)
    assert code == 2 and "--valid 5000 leaves nothing to learn from" in err
    folder = tmp_path / "valid=3"
    folder.mkdir()
    (folder / "checkpoint.pt").touch()
    code, _, err = run(*train[:-1], folder)
    assert code == 2 and "go on with --resume, or choose" in err
    assert as_typed("a=3.tsv, resume=False", ["a_b", "resume"]) == "a=3.tsv, --resume False"
    assert as_typed("n_heads=3 of d_model=32", ["n_heads"]) == "--n-heads 3 of d_model=32"


def test_train_takes_the_shipped_recipe_and_for_own_pairs_rare_words_are_unknown(
    run, trainings, pairs, tmp_path
):
    assert run("train", "--out", tmp_path)[0] == 0
    own = ["--seed", 3, "--epochs", 7, "--tokenizer", "bpe", "--resume"]
    assert run("train", "--pairs", pairs, *own)[0] == 0
    learnt, recipe, options = trainings[0]
    assert (learnt, recipe) == (["the shipped pairs"], Recipe())
    assert (options["folder"], options["resume"]) == (tmp_path, False)
    learnt, recipe, options = trainings[1]
    assert len(learnt) == 25 and options["resume"]
    assert recipe == Recipe(seed=3, epochs=7, tokenizer="bpe", rare=0.01)


def test_a_number_of_pieces_asks_for_pieces_of_words(run, trainings, pairs):
    assert run("train", "--pairs", pairs, "--pieces", 120)[0] == 0
    assert trainings[0][1] == Recipe(tokenizer="bpe", pieces=120, rare=0.01)
    code, _, err = run("train", "--pairs", pairs, "--pieces", 120, "--tokenizer", "word")
    assert code == 2 and "--pieces is for --tokenizer bpe" in err
    assert run("train", "--pairs", pairs, "--pieces", 0)[0] == 2 and len(trainings) == 1


def test_what_is_held_out(run, trainings, pairs):
    unseen = [pair[:2] for pair in splits().unseen]
    for words, n_learnt, held_out in (
        ([], 1, unseen[:500]),
        (["--valid", 0], 1, []),
        (["--valid", 0.02], 1, unseen[:20]),
        (["--valid", 1000], 1, unseen),
    ):
        assert run("train", *words)[0] == 0
        learnt, _, options = trainings.pop()
        assert len(learnt) == n_learnt and options["held_out"] == held_out
    assert run("train", "--pairs", pairs, "--valid", 0.2)[0] == 0
    learnt, _, options = trainings.pop()
    assert (len(learnt), len(options["held_out"])) == (20, 5)
    assert "there are 1000 unseen sentences" in run("train", "--valid", 1001)[2]


@pytest.mark.parametrize("valid", ["1.0", "-1", "half"])
def test_what_cannot_be_held_out_is_refused(run, trainings, valid):
    code, _, err = run("train", f"--valid={valid}")
    assert code == 2 and "a whole number, or a share below 1" in err and not trainings


def test_threads_fit_the_model_or_are_as_asked(run, trainings, monkeypatch):
    numbers = []
    monkeypatch.setattr("torch.get_num_threads", lambda: 6)
    monkeypatch.setattr("torch.set_num_threads", numbers.append)
    for words in ([], ["--d-model", 256], ["--threads", 3], ["--d-model", 256, "--threads", 1]):
        assert run("train", *words)[0] == 0
    assert numbers == [1, 6, 3, 1]
    for wrong in (0, 1000):
        code, _, err = run("train", "--threads", wrong)
        assert code == 2 and "--threads must be a whole number" in err


def test_the_device_can_be_chosen(run, trainings, monkeypatch):
    checked = []
    monkeypatch.setattr("transformer_lite.train.distributed.check_device", checked.append)
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    for words in ([], ["--device", "cpu"], ["--device", "cuda:1"]):
        assert run("train", *words)[0] == 0
    devices = [options["device"] for _, _, options in trainings]
    assert devices == checked == ["cuda:0", "cpu", "cuda:1"]


@pytest.mark.parametrize("device", ["meta", "fly"])
def test_a_device_that_is_not_there_is_refused(run, trainings, device):
    code, out, err = run("train", "--device", device)
    assert (code, out, err.count("\n")) == (2, "", 1) and not trainings
    assert err.startswith(f"error: there is no device '{device}' to train on here: ")


def test_every_choice_of_a_recipe_can_be_made_on_the_command_line(run, trainings):
    arguments = []
    chosen = {}
    for name, default in SHIPPED_MODEL.items():
        if isinstance(default, bool):
            chosen[name] = not default
            arguments.append(f"--{'no-' * default}{name.replace('_', '-')}")
        elif not isinstance(default, str):
            chosen[name] = default // 2 if isinstance(default, int) else 0.25
            arguments += [f"--{name.replace('_', '-')}", chosen[name]]
    learning = dict(
        batch_size=7, learning_rate=0.001, warmup=9, label_smoothing=0.2, seed=5, epochs=3
    )
    for name, value in learning.items():
        arguments += [f"--{name.replace('_', '-')}", value]
    assert run("train", *arguments)[0] == 0
    assert trainings[0][1] == Recipe(**learning, model=chosen)
    assert chosen["norm_first"] and chosen["tie_embeddings"] and chosen["d_model"] == 32


def test_progress_is_a_log_where_there_is_no_terminal(run, pairs, tmp_path):
    pairs.write_text(
        "\ufeff" + pairs.read_text(encoding="utf-8") + "\nnonsense\n", encoding="utf-8"
    )
    code, out, err = run(
        "train", "--pairs", pairs, "--epochs", "3", "--out", tmp_path / "out", "--tokenizer", "bpe"
    )
    assert (code, out) == (0, "") and "\r" not in err
    assert "line 26 has 1 column " in err and "25 pairs" in err
    assert re.search(r"training: (\S+) of \1 tokens, .*token/s, 00:00 left, loss=\d", err)
    code, out, _ = run("translate", "eins zwei", "unbekannt ☃", "--model", tmp_path / "out")
    assert code == 0 and out.count("\n") == 2


def test_importing_the_package_and_translating_bring_in_nothing_heavy():
    """Not torch's compiler either, which comes with the first optimizer and takes a second."""
    heavy = (
        "sacrebleu",
        "tokenizers",
        "matplotlib",
        "seaborn",
        "ipywidgets",
        "anywidget",
        "torch._dynamo",
    )
    code = """if True:
        import sys, transformer_lite as tl, transformer_lite.command_line.main
        tl.load_translator().translate("ich möchte kein Bier .").attention
        print([module for module in sys.argv[1:] if module in sys.modules])
    """
    assert subprocess.check_output([sys.executable, "-c", code, *heavy], text=True).strip() == "[]"
