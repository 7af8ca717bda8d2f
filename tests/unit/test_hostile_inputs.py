"""No hostile input ends in a traceback: what is typed, what files hold, what the package is called
with.

Each row of the tables is an input and what is said of it. The command line is called in this
process; anything but words and an exit code fails the row.
"""

import gzip
import io
import json
import math
import shutil
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

import transformer_lite as tl
from dev.add_exercise import main as exercises
from transformer_lite import figures
from transformer_lite.cli import main
from transformer_lite.data.corpus import TWO_SENTENCES, EncodedPairs, read_pairs
from transformer_lite.train.evaluation import evaluate
from transformer_lite.train.recipe import Recipe
from transformer_lite.train.trainer import train_translator
from transformer_lite.training import make_batch
from transformer_lite.vocabulary import BytePairVocabulary, encode_target

SOURCE, TARGET = (tl.Vocabulary.from_texts(pair[side] for pair in TWO_SENTENCES) for side in (0, 1))
SIZES = dict(d_model=8, d_ff=16, n_layers=1, n_heads=2, dropout=0.0, max_length=12)


def new_model(**changes):
    torch.manual_seed(0)
    return tl.Transformer(
        tl.TransformerConfig(len(SOURCE), len(TARGET), **(SIZES | changes))
    ).eval()


TRANSLATOR = tl.Translator(new_model(), SOURCE, TARGET)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a translator, `model`, and files of pairs; a row may break its own copy of the
    translator.
    """
    folder = tmp_path_factory.mktemp("place")
    TRANSLATOR.save(folder / "model")
    for name, content in PAIRS.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    for name in ("foreign", "unfinished", "empty"):
        (folder / name).mkdir()
    (folder / "foreign" / "model.safetensors").write_text("precious")
    (folder / "unfinished" / "checkpoint.pt").write_bytes(b"PK\x03\x04 nothing")
    return folder


GOOD = "ich mochte ein bier\ti want a beer .\n"
UMLAUTS = "".join(f"{w} schön\tnice {w}\n" for w in ("Käse", "Öl", "Tür", "Bär"))
PAIRS = {
    "good.tsv": GOOD * 4,
    "empty.tsv": "",
    "blank.tsv": "\n \n\t\n",
    "one-column.tsv": "ich\nmochte\n",
    "three-columns.tsv": "a\tb\tc\n" * 3,
    "commas.csv": "ich,i\n" * 3,
    "header.tsv": "source\ttarget\n",
    "halves.tsv": "ich\t\n\ti\n",
    "binary.tsv": bytes(range(256)) * 8,
    "zeros.tsv": b"\0" * 1000,
    "utf-16.tsv": GOOD.encode("utf-16") * 2,
    "utf-32.tsv": GOOD.encode("utf-32"),
    "cp1252.tsv": (GOOD * 9).encode() + UMLAUTS.encode("cp1252"),
    "gbk.tsv": (GOOD * 9).encode()
    + ("你好\thello\n我爱你\ti love you\n中文\tchinese\n谢谢\tthanks\n".encode("gbk")),
    "cp850.tsv": (UMLAUTS * 3).encode("cp850"),
    "gzip.tsv": gzip.compress(GOOD.encode(), mtime=0),
    "unknown.tsv": "Käse\tcheese\n" * 3,
    "mixed.tsv": GOOD + "Käse\tcheese\n" + GOOD + "ich " * 13 + "\tlong\n",
    "long.tsv": "ich " * 5000 + "\ti\n",
    "wide.tsv": "x" * 300_000 + "\ty\n",
    "no-cells.ipynb": '{"cells": 5, "nbformat": 4}',
    "escape.tsv": "\x1b[31mrot\tred\n",
}

# What is typed, the exit code, and a part of what is said.
TYPED = [
    ("", 2, "arguments are required"),
    ("fly", 2, "invalid choice: 'fly'"),
    ("--fly", 2, "required"),
    ("-1", 2, "invalid choice"),
    ("TRAIN", 2, "invalid choice"),
    ("train translate", 2, "unrecognized arguments"),
    ("--version", 0, "transformer_lite "),
    ("--help", 0, "usage"),
    ("train --fly", 2, "unrecognized arguments"),
    ("train --pairs", 2, "expected one argument"),
    ("train --out", 2, "expected one argument"),
    ("train --seed x", 2, "invalid int value"),
    ("train --seed 1.5", 2, "invalid int value"),
    ("train --epochs 0", 2, "must be a whole number of at least 1"),
    ("train --epochs -3", 2, "must be a whole number of at least 1"),
    ("train --epochs 1e3", 2, "invalid int value"),
    ("train --batch-size 0", 2, "must be a whole number of at least 1"),
    ("train --batch-size -64", 2, "must be a whole number of at least 1"),
    ("train --learning-rate 0", 2, "learning_rate must be a number above 0"),
    ("train --learning-rate -1", 2, "learning_rate must be a number above 0"),
    ("train --learning-rate nan", 2, "learning_rate must be a number above 0"),
    ("train --learning-rate inf", 2, "learning_rate must be a number above 0"),
    ("train --learning-rate 1e999", 2, "learning_rate must be a number above 0"),
    ("train --learning-rate fast", 2, "invalid float value"),
    ("train --warmup -1", 2, "warmup must be a whole number of at least 0"),
    ("train --warmup 0.5", 2, "invalid int value"),
    ("train --label-smoothing 1", 2, "label_smoothing is a share"),
    ("train --label-smoothing -0.1", 2, "label_smoothing is a share"),
    ("train --label-smoothing nan", 2, "label_smoothing is a share"),
    ("train --tokenizer letter", 2, "invalid choice: 'letter'"),
    ("evaluate --model model --beam 0", 2, "beam must be at least 1"),
    ("train --d-model 0", 2, "d_model must be a whole number of at least 1"),
    ("train --d-model 15", 2, "d_model must be even"),
    ("train --d-model 30", 2, "not divisible by n_heads=4"),
    ("train --d-model 1000000000", 2, "at most 100000"),
    ("train --d-model 100000 --n-heads 1", 2, "too large to be trained here"),
    ("train --d-ff 0", 2, "d_ff must be"),
    ("train --d-ff 10000000", 2, "at most 100000"),
    ("train --d-ff 100000 --d-model 100000 --n-heads 7", 2, "try n_heads=5"),
    ("train --n-layers 0", 2, "n_layers must be"),
    ("train --n-layers 1000000", 2, "at most 100000"),
    ("train --n-layers 99999", 2, "n_layers must be at most 100"),
    ("train --n-heads 0", 2, "n_heads must be"),
    ("train --n-heads 3", 2, "try n_heads=2"),
    ("train --n-heads 1000000000", 2, "n_heads must be"),
    ("train --n-heads 99999", 2, "try n_heads=64"),
    ("train --dropout 1", 2, "0 <= dropout < 1"),
    ("train --dropout nan", 2, "0 <= dropout < 1"),
    ("train --max-length 0", 2, "max_length must be"),
    (f"train --max-length {10**30}", 2, "max_length must be"),
    (f"train --seed {'9' * 5000}", 2, "invalid int value"),
    ("train --norm-first=maybe", 2, "ignored explicit argument"),
    ("train --out EMPTY --pairs good.tsv", 2, "--out is empty: name a new folder"),
    ("train --out BLANK --pairs good.tsv", 2, "--out is empty"),
    ("train --out NUL --pairs good.tsv", 2, "null byte"),
    ("train --out LONGNAME --pairs good.tsv", 2, "File name too long"),
    ("train --out good.tsv --pairs good.tsv", 2, "is a file: name a folder"),
    ("train --out good.tsv/new --pairs good.tsv", 2, "Not a directory"),
    ("train --out model --pairs good.tsv", 2, "holds a finished translator"),
    ("train --out model --pairs good.tsv --resume", 2, "holds a finished translator"),
    (
        "train --out foreign --pairs good.tsv",
        2,
        "holds other files (model.safetensors): name a new folder",
    ),
    ("train --out foreign --pairs good.tsv --resume", 2, "holds other files"),
    ("train --out . --pairs good.tsv", 2, "holds other files"),
    ("train --out unfinished --pairs good.tsv", 2, "unfinished training: go on with --resume"),
    ("train --out unfinished --pairs good.tsv --resume", 2, "checkpoint.pt is damaged"),
    ("train --out /proc/nothing --pairs good.tsv", 2, "/proc/nothing"),
    ("translate", 0, ""),
    ("translate ich --model model --beam 0", 2, "beam must be at least 1"),
    ("translate --model model --beam 0", 2, "error: beam must be at least 1"),
    ("translate ich --model model --beam -1", 2, "beam must be at least 1"),
    ("translate ich --model model --beam 0.5", 2, "invalid int value"),
    ("translate ich --model model --beam 1000000", 2, "at most 1000"),
    ("translate ich --model EMPTY", 2, "config.json"),
    ("translate ich --model nowhere", 2, "nowhere holds no config.json"),
    ("translate ich --model good.tsv", 2, "good.tsv"),
    ("translate ich --model NUL", 2, r"a\x00b holds no config.json"),
    ("translate ich --model LONGNAME", 2, "File name too long"),
    ("translate ich --model empty", 2, "holds no config.json"),
    ("translate ich --model unfinished", 2, "holds no config.json"),
    ("translate Käse --model model", 2, "unknown word 'Käse' (position 0)"),
    ("translate EMPTY --model model", 2, "is empty: give at least one word"),
    ("translate BLANK --model model", 2, "is empty"),
    ("translate NUL --model model", 2, "unknown word"),
    ("translate SURROGATE --model model", 2, "not valid Unicode"),
    ("translate ESCAPE --model model", 2, r"unknown word '\x1b'"),
    ("translate MEGABYTE --model model", 2, "xxx...xxx"),
    ("translate LONG --model model", 2, "13 tokens, this model takes at most 12"),
    ("translate <pad> --model model", 2, "unknown word"),
    ("translate <eos> --model model", 2, "unknown word"),
    ("translate 😀 --model model", 2, "unknown word '😀'"),
    ("translate ich Käse ein --model model", 2, "1 of 3 left out: sentence 2: unknown word 'Käse'"),
    ("translate Käse Tür --model model", 2, "2 of 2 left out: sentence 1: unknown word 'Käse'"),
    ("evaluate ich", 2, "unrecognized arguments"),
    ("evaluate --model model --pairs nowhere.tsv", 2, "there is no file 'nowhere.tsv'"),
    ("evaluate --model model --pairs EMPTY", 2, "there is no file ''"),
    ("evaluate --model model --pairs empty", 2, "Is a directory"),
    ("evaluate --model model --pairs NUL", 2, r"there is no file "),
    ("evaluate --model model --pairs LONGNAME", 2, "File name too long"),
    (
        "evaluate --model model --pairs unknown.tsv",
        2,
        "3 of 3 left out: line 1: unknown word 'Käse'",
    ),
    ("evaluate --model model --pairs mixed.tsv", 2, "2 of 4 left out: line 2: unknown word 'Käse'"),
    ("evaluate --model model --pairs mixed.tsv", 2, "line 4: the sentence has 13 tokens"),
    ("evaluate --model model --pairs mixed.tsv --json", 2, '"left_out": 2'),
    ("evaluate --model model --pairs long.tsv", 2, "5000 tokens"),
    ("evaluate --model model --pairs wide.tsv", 2, "xxx...xxx"),
    ("evaluate --model model --pairs escape.tsv", 2, r"unknown word '\x1b'"),
    *(
        (f"{command} --pairs {name}", 2, said)
        for command in ("train --out new", "evaluate --model model")
        for name, said in {
            "empty.tsv": "holds no sentence pair (source, tab, target on a line): it is empty",
            "blank.tsv": "line 1 is blank",
            "one-column.tsv": "line 1 has 1 column instead of 2",
            "three-columns.tsv": "line 1 has 3 columns instead of 2",
            "commas.csv": "line 1 has 1 column instead of 2",
            "header.tsv": "line 1 is a header",
            "halves.tsv": "line 1 has an empty target; line 2 has an empty source",
            "binary.tsv": "not UTF-8",
            "zeros.tsv": "UTF-16, perhaps",
            "utf-16.tsv": "not UTF-8",
            "utf-32.tsv": "not UTF-8",
            "cp1252.tsv": "is not in UTF-8: 4 lines are not, line 10 is not UTF-8. Save it as UTF-8",
            "gbk.tsv": "GB18030",
            "cp850.tsv": "is not in UTF-8",
            "gzip.tsv": "not UTF-8",
        }.items()
    ),
    ("train --out new --pairs long.tsv", 2, "no pair to learn from is left"),
    ("exercises", 2, "required: number"),
    ("exercises x --title t --difficulty easy --minutes 3", 2, "numbered like 3.5"),
    ("exercises 99.1 --title t --difficulty easy --minutes 3", 2, "there is no chapter 99"),
    (
        "exercises 3.99 --title t --difficulty easy --minutes 3",
        2,
        "is not the next exercise of chapter 3",
    ),
    (
        "exercises 3.5 --title t --difficulty easy --minutes -5",
        2,
        "minutes should be 1 or more",
    ),
    ("exercises 3.5 --title t --difficulty easy --minutes x", 2, "invalid int value"),
    ("exercises 3.5 --title t --difficulty hard --minutes 3", 2, "invalid choice: 'hard'"),
    ("doctor --fly", 2, "unrecognized arguments"),
    ("doctor well", 2, "unrecognized arguments"),
]
SPECIAL = {
    "EMPTY": "", "BLANK": " \t ", "NUL": "a\0b", "SURROGATE": "ich \udcfc", "ESCAPE": "\x1b[31mrot",
    "LONG": "ich " * 13, "MEGABYTE": "x" * 1_000_000, "LONGNAME": "n" * 5000,
}  # fmt: skip


@pytest.fixture
def run(place, monkeypatch, capsys):
    """Run a command in `place`, with nothing but a blank line on stdin; its exit code and all that
    it said.
    """
    monkeypatch.chdir(place)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"\n")))

    def run(*words):
        try:
            if words[:1] == ("exercises",):
                monkeypatch.setattr(sys, "argv", list(words))
                code = exercises()
            else:
                code = main(words)
        except SystemExit as end:
            code = end.code
        return code, *capsys.readouterr()

    return run


@pytest.mark.parametrize(
    ("words", "code", "said"), TYPED, ids=[f"{row[0][:60]} {row[2][:20]}" for row in TYPED]
)
def test_what_is_typed(run, place, words, code, said):
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    found, out, err = run(*(SPECIAL.get(word, word) for word in words.split()))
    assert found == code and said in " ".join((out + err).split()), (found, out, err[:2000])
    assert "Traceback" not in err and len(err) < 8000
    shutil.rmtree(place / "new", ignore_errors=True)
    assert before == {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}


# How config.json is changed, and what is said. `config`, `source` and `target` are its parts.
SETTINGS = [
    (lambda d: d.clear(), "config"),
    (lambda d: d.pop("config"), "config"),
    (lambda d: d.pop("source"), "source"),
    (lambda d: d.update(config=None), "does not describe a translator"),
    (lambda d: d.update(config=[]), "does not describe a translator"),
    (lambda d: d.update(config="x"), "does not describe a translator"),
    (lambda d: d.update(source=None), "does not describe a translator"),
    (lambda d: d.update(source=[]), "does not describe a translator"),
    (
        lambda d: d.update(source={"words": None, "knows_unknown": False}),
        "does not describe a translator",
    ),
    (
        lambda d: d.update(source={"words": {}, "knows_unknown": False}),
        "vocabulary has 4 tokens, the model was made",
    ),
    (lambda d: d.update(target={"bpe": {}}), "no tokenizer"),
    (lambda d: d.update(target={"bpe": None}), "no tokenizer"),
    (lambda d: d.update(target={"bpe": [1, 2]}), "no tokenizer"),
    (lambda d: d.update(target={}), "does not describe a translator"),
    (lambda d: d["source"].update(words=[1, 2, 3, 4, 5]), "words are strings; got 1"),
    (lambda d: d["source"].update(words=[None] * 5), "words are strings; got None"),
    (lambda d: d["source"].update(words=[[]] * 5), "words are strings; got []"),
    (lambda d: d["source"].update(words=["a"] * 5), "each word may stand once"),
    (lambda d: d["source"].update(words=["<pad>", "b", "c", "d", "e"]), "each word may stand once"),
    (lambda d: d["source"].update(words="words"), "got one string: ['words']"),
    (
        lambda d: d["source"]["words"].pop(),
        "the source vocabulary has 8 tokens, the model was made for 9",
    ),
    (lambda d: d["source"]["words"].reverse(), "two different translators"),
    (lambda d: d["source"].update(knows_unknown=True), "two different translators"),
    (lambda d: d.update(more=1), "two different translators"),
    (lambda d: d["config"].update(more=1), "unexpected keyword"),
    (lambda d: d["config"].update(d_model=10**7), "d_model must be"),
    (lambda d: d["config"].update(d_model=80_000), "should have (16, 80000)"),
    (lambda d: d["config"].update(d_model=-8), "d_model must be"),
    (lambda d: d["config"].update(d_model=8.0), "d_model must be"),
    (lambda d: d["config"].update(d_model="8"), "d_model must be"),
    (lambda d: d["config"].update(d_model=None), "d_model must be"),
    (lambda d: d["config"].update(d_model=True), "d_model must be"),
    (lambda d: d["config"].update(d_model=10), "should have (16, 10)"),
    (lambda d: d["config"].update(d_ff=10**7), "d_ff must be"),
    (lambda d: d["config"].update(d_ff=100_000), "should have (100000, 8)"),
    (lambda d: d["config"].update(d_ff=17), "should have (17, 8)"),
    (lambda d: d["config"].update(n_layers=10**6), "n_layers must be"),
    (
        lambda d: d["config"].update(n_layers=100_000),
        "it has n_layers=100000, and model.safetensors has",
    ),
    (lambda d: d["config"].update(n_layers=2), "it has n_layers=2, and model.safetensors has"),
    (lambda d: d["config"].update(n_layers=0), "n_layers must be"),
    (lambda d: d["config"].update(n_heads=10**9), "n_heads must be"),
    (lambda d: d["config"].update(n_heads=99_991), "try n_heads=8"),
    (lambda d: d["config"].update(n_heads=3), "try n_heads=2"),
    (lambda d: d["config"].update(n_heads=4), "two different translators"),
    (lambda d: d["config"].update(max_length=10**30), "max_length must be"),
    (lambda d: d["config"].update(max_length=10**9), "max_length must be"),
    (lambda d: d["config"].update(max_length=100_000), "two different translators"),
    (lambda d: d["config"].update(max_length=math.inf), "max_length must be"),
    (lambda d: d["config"].update(source_vocab_size=10**9), "source_vocab_size must be"),
    (lambda d: d["config"].update(source_vocab_size=10**6), "and should have (1000000, 8)"),
    (lambda d: d["config"].update(target_vocab_size=2), "target_vocab_size must be"),
    (lambda d: d["config"].update(dropout=math.nan), "0 <= dropout < 1"),
    (lambda d: d["config"].update(dropout=2), "0 <= dropout < 1"),
    (lambda d: d["config"].update(dropout="0"), "does not describe a translator"),
    (lambda d: d["config"].update(norm_first=True), "it lacks decoder_norm"),
    (lambda d: d["config"].update(tie_embeddings=True), "it holds output.weight"),
    (lambda d: d["config"].update(pad_id=True), "pad_id=True, where pad_id=0 is the rule"),
    (lambda d: d["config"].update(bos_id=True), "bos_id=True, where bos_id=1 is the rule"),
    (lambda d: d["config"].update(eos_id=-1), "eos_id=-1, where eos_id=2 is the rule"),
    (lambda d: d["config"].update(eos_id=[2]), "eos_id=[2], where"),
]
TEXTS = [
    (b"", "does not describe a translator"),
    (b"null", "does not describe a translator"),
    (b"[]", "does not describe a translator"),
    (b"3", "does not describe a translator"),
    (b"{", "does not describe a translator"),
    (b"\xff\xfe{\x00", "does not describe a translator"),
    (b"\x00" * 100, "does not describe a translator"),
    (b"[" * 100_000, "does not describe a translator"),
    (b'{"a":' * 100_000, "does not describe a translator"),
    (b'{"config": {"d_model": ' + b"9" * 5000 + b"}}", "does not describe a translator"),
]


def overwrite(content):
    return lambda path: path.write_bytes(content)


def change(convert, note=True):
    """Another tensor in place of each, with the note that was there, or none."""

    def changed(path):
        from safetensors import safe_open

        with safe_open(path, "pt") as file:
            kept = json.loads(file.metadata()["note"])
        kept.pop("checksum")  # as version 0.2 wrote it
        save_file(
            {name: convert(x) for name, x in load_file(path).items()},
            path,
            {"note": json.dumps(kept)},
        )

    return changed


def flip(place):
    def flipped(path):
        content = bytearray(path.read_bytes())
        content[place] ^= 1
        path.write_bytes(content)

    return flipped


def without(name):
    return lambda path: save_file(
        {n: x for n, x in load_file(path).items() if n != name}, path, {"note": "{}"}
    )


def noted(note):
    return lambda path: save_file(load_file(path), path, {"note": note})


def become_a_folder(path):
    path.unlink()
    path.mkdir()


# What is done to model.safetensors, and what is said.
WEIGHTS = [
    (overwrite(b""), "is damaged"),
    (overwrite(b"\x00" * 100), "is damaged"),
    (overwrite(b"\xff" * 100), "is damaged"),
    (overwrite(b"PK\x03\x04" * 50), "is damaged"),
    (overwrite(b"\x80\x04cposix\nsystem\n"), "is damaged"),
    (overwrite((2**60).to_bytes(8, "little") + b"{}"), "is damaged"),
    (overwrite((8).to_bytes(8, "little") + b"{}      "), "is damaged"),
    (overwrite((8).to_bytes(8, "little") + b"[[[[[[[["), "is damaged"),
    (flip(0), "is damaged"),
    (flip(7), "is damaged"),
    (flip(20), "is damaged"),
    (flip(-1), "wrong checksum"),
    (flip(-1000), "wrong checksum"),
    (flip(-5000), "wrong checksum"),
    (noted("{"), "is damaged"),
    (noted("[]"), "its note is no JSON object"),
    (noted("[" * 100_000), "is damaged"),
    (noted('{"checksum": 5}'), "wrong checksum"),
    (noted("{}"), "two different translators"),
    (noted('{"config": "x"}'), "two different translators"),
    (without("output.weight"), "it lacks output.weight"),
    (without("encoder.0.norm1.weight"), "it lacks encoder.0.norm1.weight"),
    (change(lambda x: x.to(torch.int64)), "is torch.int64"),
    (change(lambda x: x.to(torch.uint8)), "is torch.uint8"),
    (change(lambda x: x > 0), "is torch.bool"),
    (change(lambda x: x * math.nan), "holds nan or inf"),
    (change(lambda x: x + math.inf), "holds nan or inf"),
    (change(lambda x: x[:-1]), "should have"),
    (change(lambda x: x[None].clone()), "should have"),
    (become_a_folder, "Is a directory"),
]


def copied(place):
    shutil.rmtree(place / "copy", ignore_errors=True)
    return shutil.copytree(place / "model", place / "copy")


@pytest.mark.parametrize(
    ("change", "said"), SETTINGS, ids=[f"{i} {row[1]}" for i, row in enumerate(SETTINGS)]
)
def test_what_config_json_says(run, place, change, said):
    path = copied(place) / "config.json"
    description = json.loads(path.read_text(encoding="utf-8"))
    change(description)
    path.write_text(json.dumps(description), encoding="utf-8")
    is_refused(run, said)


@pytest.mark.parametrize(("content", "said"), TEXTS, ids=range(len(TEXTS)))
def test_what_config_json_is(run, place, content, said):
    (copied(place) / "config.json").write_bytes(content)
    is_refused(run, said)


@pytest.mark.parametrize(
    ("change", "said"), WEIGHTS, ids=[f"{i} {row[1]}" for i, row in enumerate(WEIGHTS)]
)
def test_what_the_weights_are(run, place, change, said):
    change(copied(place) / "model.safetensors")
    is_refused(run, said)


def is_refused(run, said):
    code, out, err = run("translate", "ich mochte ein bier", "--model", "copy")
    assert (code, out) == (2, "") and said in err and err.count("\n") == 1 and len(err) < 2000, err[
        :2000
    ]


def test_an_old_translator_has_no_checksum_and_is_read(run, place):
    change(lambda x: x)(copied(place) / "model.safetensors")
    assert run("translate", "ich mochte ein bier", "--model", "copy")[0] == 0


def many_layers(config, weights):
    """A hundred thousand can be named in a few megabytes, and would take terabytes."""
    config["n_layers"] = 3
    weights |= {
        f"{stack}.{i}.x": torch.zeros(1) for stack in ("encoder", "decoder") for i in (1, 2)
    }


def wide_vectors(config, weights):
    """Few of them take little, and attention's matrices the square."""
    config |= {"d_model": 1000, "d_ff": 1}
    for name in [
        name for name in weights if name.endswith(("embedding.weight", "feed_forward.0.weight"))
    ]:
        weights[name] = torch.zeros(len(weights[name]) if "embedding" in name else 1, 1000)


@pytest.mark.parametrize(
    ("swell", "said"),
    [
        (many_layers, "it lacks decoder.1.feed_forward.0.weight, of shape (16, 8)"),
        (wide_vectors, "self_attention.w_q.weight has shape (8, 8) and should have (1000, 1000)"),
    ],
)
def test_a_small_file_does_not_make_a_large_model(run, place, monkeypatch, swell, said):
    folder = copied(place)
    description = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    weights = load_file(folder / "model.safetensors")
    swell(description["config"], weights)
    (folder / "config.json").write_text(json.dumps(description), encoding="utf-8")
    save_file(weights, folder / "model.safetensors", {"note": "{}"})
    monkeypatch.setattr(
        "transformer_lite.translator.Transformer", lambda config: pytest.fail("it was made")
    )
    is_refused(run, said)


IDS = torch.full((1, 3), 5)
ONE = [("ich", "i")]
PIECES = BytePairVocabulary.from_texts(["ich mochte ein bier"] * 3, size=40)

# A call, and what is said.
CALLED = [
    (lambda: TRANSLATOR.translate(None), "a sentence is a string; got None"),
    (lambda: TRANSLATOR.translate(5), "a sentence is a string; got 5"),
    (lambda: TRANSLATOR.translate(b"ich"), "a sentence is a string; got b'ich'"),
    (lambda: TRANSLATOR.translate(["ich"]), "a sentence is a string; got ['ich']"),
    (lambda: TRANSLATOR.translate(""), "is empty"),
    (lambda: TRANSLATOR.translate("\ud800"), "not valid Unicode"),
    (lambda: TRANSLATOR.translate("ich", beam=0), "beam must be at least 1"),
    (lambda: TRANSLATOR.translate("ich", beam=1.0), "at least 1 and at most 1000, a whole number; got 1.0"),
    (lambda: TRANSLATOR.translate("ich", beam=2.5), "a whole number; got 2.5"),
    (lambda: TRANSLATOR.translate("ich", beam=True), "a whole number; got True"),
    (lambda: TRANSLATOR.translate("ich", beam="4"), "a whole number; got '4'"),
    (lambda: TRANSLATOR.translate("ich", beam=None), "a whole number; got None"),
    (lambda: TRANSLATOR.translate("ich", beam=10**9), "at most 1000"),
    (lambda: TRANSLATOR.translate_batch([], beam=0), "beam must be at least 1"),
    (lambda: tl.Vocabulary("abc"), "got one string: ['abc'] would be a list"),
    (lambda: tl.Vocabulary.from_texts("ein Bier"), "got one string: ['ein Bier'] would be a list"),
    (lambda: BytePairVocabulary.from_texts("ein Bier"), "got one string: ['ein Bier'] would be a list"),
    (lambda: TRANSLATOR.translate_batch("ich"), "a list of texts is needed; got one string"),
    (lambda: TRANSLATOR.translate_batch(["ich", None]), "a sentence is a string; got None"),
    (lambda: TRANSLATOR.translate_batch([["ich"]]), "a sentence is a string; got ['ich']"),
    (lambda: tl.Translator(new_model(), TARGET, SOURCE), "the model was made for"),
    (lambda: tl.Vocabulary([1, 2]), "words are strings; got 1"),
    (lambda: tl.Vocabulary(["a", None]), "words are strings; got None"),
    (lambda: tl.Vocabulary(["a", "a"]), "each word may stand once"),
    (lambda: tl.Vocabulary(["<eos>"]), "each word may stand once"),
    (lambda: SOURCE.tokenize(None), "a sentence is a string"),
    (lambda: SOURCE.encode(["x" * 10_000]), "xxx...xxx"),
    (lambda: SOURCE.encode([None]), "a list of tokens, which are strings; got [None]"),
    (lambda: SOURCE.encode("ich"), "a list of tokens, which are strings; got 'ich'"),
    (lambda: SOURCE.decode([99]), "the vocabulary from 0 to 8"),
    (lambda: SOURCE.decode([-1]), "ids run from -1"),
    (lambda: SOURCE.decode([4.0]), "ids are whole numbers"),
    (lambda: SOURCE.decode(["4"]), "ids are whole numbers"),
    (lambda: SOURCE.decode([None]), "ids are whole numbers"),
    (lambda: SOURCE.decode(torch.tensor([4.5])), "ids are whole numbers"),
    (lambda: PIECES.tokenize("\udcfc"), "not valid Unicode"),
    (lambda: PIECES.tokenize(None), "a sentence is a string"),
    (lambda: BytePairVocabulary("{}"), "no tokenizer"),
    (lambda: BytePairVocabulary.from_texts([None]), "a sentence is a string"),
    (lambda: encode_target(TARGET, None), "a sentence is a string"),
    (lambda: make_batch([("ich", "Käse")], SOURCE, TARGET), "unknown word 'Käse'"),
    (lambda: make_batch(("ich", "i"), SOURCE, TARGET), "two strings; pair 0 is 'ich'"),
    (lambda: make_batch([], SOURCE, TARGET), "at least one pair"),
    (lambda: make_batch(None, SOURCE, TARGET), "a list of pairs is needed; got None"),
    (lambda: tl.Vocabulary.from_texts(["a b"], rare=5), "rare is a share, 0 <= rare < 1; got 5"),
    (lambda: tl.Vocabulary.from_texts(["a b"], rare=-1), "rare is a share"),
    (lambda: tl.Vocabulary.from_texts(["a b"], rare=math.nan), "rare is a share"),
    (lambda: tl.greedy_decode(new_model(), [[5, 6]]), "source_ids must be a tensor; got list"),
    (lambda: tl.greedy_decode(new_model(), np.full((1, 3), 5)), "source_ids must be a tensor; got ndarray"),
    (lambda: tl.greedy_decode(new_model(), None), "source_ids must be a tensor; got NoneType"),
    (lambda: tl.greedy_decode(new_model(), IDS[:0]), "there is no sentence to decode"),
    (lambda: tl.greedy_decode_uncached(new_model(), IDS[:0]), "there is no sentence to decode"),
    (lambda: tl.beam_search(new_model(), IDS[:0]), "there is no sentence to decode"),
    (lambda: tl.greedy_decode(new_model(), IDS[:, :0]), "at least one token long"),
    (lambda: tl.greedy_decode(new_model(), IDS[0]), "source_ids are (batch, length)"),
    (lambda: tl.greedy_decode(new_model(), IDS.float()), "integers"),
    (lambda: tl.greedy_decode(new_model(), IDS.bool()), "integers"),
    (lambda: tl.greedy_decode(new_model(), IDS + 4), "the vocabulary from 0 to 8"),
    (lambda: tl.greedy_decode(new_model(), IDS - 9), "ids run from -4"),
    (lambda: tl.greedy_decode(new_model(), IDS.repeat(1, 5)), "at most max_length=12"),
    (lambda: tl.greedy_decode(new_model(), IDS, 0), "between 1 and the model's 12"),
    (lambda: tl.greedy_decode(new_model(), IDS, 13), "between 1 and the model's 12"),
    (lambda: tl.greedy_decode(new_model(), IDS, 2.5), "between 1 and the model's 12"),
    (lambda: tl.greedy_decode(new_model(), IDS, "3"), "between 1 and the model's 12"),
    (lambda: tl.beam_search(new_model(), IDS, beam=2.0), "a whole number; got 2.0"),
    (lambda: tl.beam_search(new_model(), IDS, beam=1001), "at most 1000"),
    (lambda: tl.beam_search(new_model(), IDS, length_penalty=math.nan), "length_penalty must be a number from"),
    (lambda: tl.beam_search(new_model(), IDS, length_penalty=600), "length_penalty must be a number from"),
    (lambda: tl.beam_search(new_model(), IDS, length_penalty=10**400), "length_penalty must be a number from"),
    (lambda: tl.greedy_decode_uncached(new_model(), torch.tensor(5)), "source_ids are (batch, length)"),
    (lambda: tl.beam_search(new_model(), torch.tensor(5)), "source_ids are (batch, length)"),
    (lambda: tl.beam_search(new_model(), IDS, length_penalty=None), "length_penalty must be a number from"),
    (lambda: new_model()(np.full((1, 3), 5), IDS), "integers in a tensor"),
    (lambda: new_model()([[5, 6]], [[5, 6]]), "integers in a tensor"),
    (lambda: new_model()(None, IDS), "integers in a tensor"),
    (lambda: new_model()(IDS, np.full((1, 3), 5)), "ids must be int64 or int32"),
    (lambda: new_model()(IDS, [[5, 6, 5]]), "ids must be int64 or int32"),
    (lambda: new_model().decode(IDS, None, None), "must be tensors; got NoneType"),
    (lambda: new_model().decode(IDS, torch.ones(3, 16), None), "key must have shape (batch, length, "),
    (lambda: new_model()(IDS, IDS.repeat(2, 1)), "same number of sentences; got 1 and 2"),
    (lambda: new_model()(IDS.to(torch.int16), IDS), "ids must be int64 or int32"),
    (lambda: tl.TransformerConfig(9, 9, d_model=np.int64(8)), "d_model must be a whole number"),
    (lambda: tl.TransformerConfig(9, 9, n_layers=True), "n_layers must be a whole number"),
    (lambda: tl.TransformerConfig(9, 9, max_length=10**30), "max_length must be a whole number"),
    (lambda: tl.TransformerConfig(9, 9, norm_first="no"), "norm_first is True or False; got 'no'"),
    (lambda: tl.TransformerConfig(9, 9, tie_embeddings=None), "tie_embeddings is True or False; got None"),
    (lambda: tl.TransformerConfig("9", 9), "source_vocab_size must be a whole number"),
    (lambda: tl.MultiHeadAttention(8, 10**9), "try n_heads=8"),
    (lambda: tl.padding_mask([[1]]), "integers in a tensor"),
    (lambda: tl.causal_mask(0), "at least 1"),
    (lambda: Recipe(seed="x"), "seed must be a whole number; got 'x'"),
    (lambda: Recipe(seed=None), "seed must be a whole number; got None"),
    (lambda: Recipe(epochs=1.5), "epochs must be a whole number"),
    (lambda: Recipe(batch_size=2.5), "batch_size must be a whole number"),
    (lambda: Recipe(learning_rate=math.inf), "learning_rate must be a number above 0"),
    (lambda: Recipe(learning_rate="x"), "learning_rate must be a number above 0; got 'x'"),
    (lambda: Recipe(label_smoothing=None), "label_smoothing is a share"),
    (lambda: Recipe(rare="x"), "rare is a share"),
    (lambda: Recipe(model={"n_layers": 101}), "n_layers must be at most 100"),
    (lambda: Recipe(model={"d_model": 50_000}), "too large to be trained here"),
    (lambda: Recipe(model={"depth": 3}), "a model has no depth to choose"),
    (lambda: train_translator(["ab", "cd"]), "two strings; pair 0 is 'ab'"),
    (lambda: train_translator("ab"), "two strings; pair 0 is 'a'"),
    (lambda: train_translator([("a", "b", "c")]), "two strings; pair 0 is ('a', 'b', 'c')"),
    (lambda: train_translator([("a", "b"), ("a",)]), "two strings; pair 1 is ('a',)"),
    (lambda: train_translator([("a", None)]), "two strings; pair 0 is ('a', None)"),
    (lambda: train_translator([(1, 2)]), "two strings; pair 0 is (1, 2)"),
    (lambda: train_translator([None]), "two strings; pair 0 is None"),
    (lambda: train_translator([]), "no pair to learn from"),
    (lambda: train_translator([("", "")]), "no pair to learn from"),
    (lambda: train_translator([("a", "\udcfc")]), "not valid Unicode"),
    (lambda: evaluate(TRANSLATOR, []), "nothing to evaluate"),
    (lambda: evaluate(TRANSLATOR, None), "a list of pairs is needed; got None"),
    (lambda: evaluate(TRANSLATOR, ["ab"]), "two strings; pair 0 is 'ab'"),
    (lambda: evaluate(TRANSLATOR, [("ich", "i", "j")]), "two strings; pair 0 is"),
    (lambda: evaluate(TRANSLATOR, [("ich", None)]), "two strings; pair 0 is"),
    (lambda: evaluate(TRANSLATOR, ONE, beam=0), "beam must be at least 1"),
    (lambda: EncodedPairs([("ich " * 9, "i")], SOURCE, TARGET, 5), "all have over 5 tokens on a side, or none"),
    (lambda: read_pairs("/nowhere/at/all"), "there is no file"),
    (lambda: tl.load_translator("/nowhere"), "/nowhere holds no config.json"),
    (lambda: tl.noam_schedule(0), "count from 1"),
    (lambda: figures.Masks([]), "Masks"),
    (lambda: figures.Masks(kind="sideways"), "expected one of"),
    (lambda: figures.Positions(d_model=3), "even"),
    (lambda: figures.HeadsInMemory(torch.full((3, 8), math.nan), n_heads=2), "x[0, 0] is nan; expected finite"),
    (lambda: figures.HeadsInMemory(torch.ones(3, 8), n_heads=3), "not divisible by n_heads=3"),
    (lambda: figures.HeadsInMemory(torch.ones(8), n_heads=2), "x has shape (8,); expected 2 or 3 axes"),
    (lambda: figures.EmbeddingLookup({"a": [1.0]}, []), "no sentence was given"),
    (lambda: figures.EmbeddingLookup({"a": [1.0]}, [["b"]]), "expected at least one word"),
    (lambda: figures.EmbeddingLookup({"a": [math.inf]}, [["a"]]), "expected finite numbers"),
    (lambda: figures.ByHand(torch.ones(1, 2, 3), torch.ones(4, 4), torch.ones(4), ["a", "b"]), "expected weight (d_k"),
    (lambda: figures.AttentionExplorer([]), "no translation was given"),
    (
        lambda: figures.AttentionExplorer.from_maps(encoder=[torch.ones(1, 1, 2, 2)], source_tokens=["a", "b"]),
        "expected a softmax",
    ),
    (
        lambda: figures.AttentionExplorer.from_maps(encoder=[torch.eye(3)[None, None]], source_tokens=["a", "b"]),
        "but there are 2 source tokens",
    ),
    (lambda: figures.LiveTranslator(TRANSLATOR, "Käse"), "cannot be translated"),
    (lambda: figures.LiveTranslator(TRANSLATOR, []), "sentences is empty"),
    (lambda: figures.TrainingReplay({}, rows="ab", columns="cd"), "run"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "said"), CALLED, ids=[f"{i} {row[1]}" for i, row in enumerate(CALLED)]
)
def test_what_is_called(call, said):
    with pytest.raises((ValueError, IndexError, FileNotFoundError)) as caught:
        call()
    assert said in str(caught.value) and len(str(caught.value)) < 1000
