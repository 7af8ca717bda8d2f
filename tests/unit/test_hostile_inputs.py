"""Hostile input is refused in words. Each row is an input and a part of what is said of it."""

import io
import json
import math
import shutil
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

import transformer_lite as tl
from attention_by_hand import figures
from attention_by_hand.figures import writer
from transformer_lite import translator
from transformer_lite.cache import KeyValueCache
from transformer_lite.command_line.main import main
from transformer_lite.data.corpus import TWO_SENTENCES, EncodedPairs
from transformer_lite.decoder_only import DecoderOnly, new_cache, write
from transformer_lite.files import FILE
from transformer_lite.language_model import LanguageModel, load_language_model
from transformer_lite.layers import DecoderLayer, EncoderLayer
from transformer_lite.train.recipe import Recipe
from transformer_lite.train.trainer import train_translator
from transformer_lite.training import make_batch
from transformer_lite.variants import Plan
from transformer_lite.vocabulary import BytePairVocabulary, pad

SOURCE, TARGET = (tl.Vocabulary.from_texts(pair[side] for pair in TWO_SENTENCES) for side in (0, 1))
SIZES = dict(d_model=8, d_ff=16, n_layers=1, n_heads=2, dropout=0.0, max_length=12)


def new_model(**changes):
    torch.manual_seed(0)
    return tl.Transformer(
        tl.TransformerConfig(len(SOURCE), len(TARGET), **(SIZES | changes))
    ).eval()


TRANSLATOR = tl.Translator(new_model(), SOURCE, TARGET)

GOOD = "ich mochte ein bier\ti want a beer .\n"
CHINESE = "你好\thello\n我爱你\ti love you\n中文\tchinese\n谢谢\tthanks\n"
PAIRS = {
    "good.tsv": GOOD * 4,
    "blank.tsv": "\n \n\t\n",
    "binary.tsv": bytes(range(256)) * 8,
    "gbk.tsv": (GOOD * 9).encode() + CHINESE.encode("gbk"),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a translator, `model`, and files of pairs."""
    folder = tmp_path_factory.mktemp("place")
    TRANSLATOR.save(folder / "model")
    for name, content in PAIRS.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    for name in ("foreign", "empty"):
        (folder / name).mkdir()
    (folder / "foreign" / "song.txt").write_text("precious")
    return folder


# What is typed, the exit code, and a part of what is said.
TYPED = [
    ("", 2, "arguments are required"),
    ("fly", 2, "invalid choice: 'fly'"),
    ("train --seed 1.5", 2, "invalid int value"),
    ("train --d-model 15", 2, "even"),
    ("train --d-model 100000 --n-heads 1", 2, "too large"),
    ("train --out EMPTY --pairs good.tsv", 2, "--out is empty"),
    ("train --out NUL --pairs good.tsv", 2, "null byte"),
    ("train --out LONGNAME --pairs good.tsv", 2, "File name too long"),
    ("train --out good.tsv --pairs good.tsv", 2, "is a file"),
    ("train --out foreign --pairs good.tsv", 2, "other files (song.txt)"),
    ("translate ich --model NUL", 2, r"a\x00b holds no model.safetensors"),
    ("translate ich --model empty", 2, "holds no model.safetensors"),
    ("translate SURROGATE --model model", 2, "not valid Unicode"),
    ("translate ESCAPE --model model", 2, r"unknown word '\x1b'"),
    ("translate MEGABYTE --model model", 2, "xxx...xxx"),
    ("evaluate --model model --pairs empty", 2, "Is a directory"),
    ("train --out new --pairs blank.tsv", 2, "line 1 is blank"),
    ("train --out new --pairs binary.tsv", 2, "is not in UTF-8: 9 lines are not"),
    ("train --out new --pairs gbk.tsv", 2, "Save it as text in UTF-8"),
]
SPECIAL = {
    "EMPTY": "",
    "NUL": "a\0b",
    "SURROGATE": "ich \udcfc",
    "ESCAPE": "\x1b[31mrot",
    "MEGABYTE": "x" * 1_000_000,
    "LONGNAME": "n" * 5000,
}


@pytest.fixture
def run(place, monkeypatch, capsys):
    """Run a command in `place`, with a blank line on stdin: its exit code and all that it said."""
    monkeypatch.chdir(place)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"\n")))

    def run(*words):
        try:
            code = main(words)
        except SystemExit as end:
            code = end.code
        return code, *capsys.readouterr()

    return run


@pytest.mark.parametrize(("words", "expected", "said"), TYPED, ids=[row[0][:60] for row in TYPED])
def test_what_is_typed(run, place, words, expected, said):
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    code, out, err = run(*(SPECIAL.get(word, word) for word in words.split()))
    assert code == expected and said in " ".join((out + err).split()), (code, out, err[:2000])
    assert "Traceback" not in err and len(err) < 8000
    shutil.rmtree(place / "new", ignore_errors=True)
    assert before == {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}


def of_note(change):
    """Change the note of model.safetensors. No checksum is left, as in old files."""

    def changed(path):
        with safe_open(path, "pt") as file:
            note = json.loads(file.metadata()["note"])
        del note["sha256"]
        change(note)
        save_file(load_file(path), path, {"note": json.dumps(note)})

    return changed


def of_weights(change):
    """Change each tensor, beside the note that was there. No checksum is left, as in old files."""

    def changed(path):
        with safe_open(path, "pt") as file:
            note = json.loads(file.metadata()["note"])
        del note["sha256"]
        tensors = {name: change(x) for name, x in load_file(path).items()}
        save_file(tensors, path, {"note": json.dumps(note)})

    return changed


def become(content):
    return lambda path: path.write_bytes(content)


# What is done to model.safetensors, and a part of what is said.
FILES = [
    (become(b"\xff" * 100), "is damaged"),
    (lambda path: save_file(load_file(path), path, {"note": "[" * 100_000}), "is damaged"),
    (of_weights(lambda x: x.to(torch.uint8)), "is torch.uint8"),
    (of_weights(lambda x: x + math.inf), "holds nan or inf"),
    (of_weights(lambda x: x[:-1]), "should have"),
    (of_note(lambda note: note.pop("source")), "does not describe"),
    (of_note(lambda note: note.update(config=None)), "does not describe"),
    (of_note(lambda note: note["source"].update(words=["a"] * 5)), "may stand once"),
    (of_note(lambda note: note["source"]["words"].pop()), "made for 9"),
    (of_note(lambda note: note["config"].update(more=1)), "unexpected keyword"),
    (of_note(lambda note: note["config"].update(norm_first=True)), "it lacks decoder_norm"),
    (of_note(lambda note: note["config"].update(d_model=100_000)), "should have ("),
    (of_note(lambda note: note["config"].update(n_layers=100_000)), "n_layers must be"),
    (of_note(lambda note: note["config"].update(dropout=math.nan)), "dropout is a share"),
]


@pytest.mark.parametrize(("change", "said"), FILES, ids=range(len(FILES)))
def test_what_a_file_holds(run, place, change, said):
    shutil.rmtree(place / "copy", ignore_errors=True)
    shutil.copytree(place / "model", place / "copy")
    change(place / "copy" / "model.safetensors")
    code, out, err = run("translate", "ich mochte ein bier", "--model", "copy")
    assert (code, out, err.count("\n")) == (2, "", 1) and said in err and len(err) < 2000, err[:999]


# What is done to the file of a writer, and a part of what is said.
WRITERS = [
    (become(b""), "is damaged"),
    (of_weights(lambda x: x[:-1]), "should have"),
    (of_note(lambda note: note.pop("format")), "has format None, this package reads 1"),
    (of_note(lambda note: note.update(format=2)), "has format 2"),
    (of_note(lambda note: note.pop("vocabulary")), "a language model: 'vocabulary'"),
    (of_note(lambda note: note["vocabulary"]["words"].pop()), "made for 9"),
    (of_note(lambda note: note["vocabulary"].update(words="abcde")), "would be a list"),
    (of_note(lambda note: note.update(config=None)), "not describe a language model"),
    (of_note(lambda note: note["config"].update(more=1)), "does not describe a model"),
    (of_note(lambda note: note["config"].pop("d_ff")), "a language model: 'd_ff'"),
    (of_note(lambda note: note["config"].update(n_heads=3)), "n_heads"),
    (of_note(lambda note: note["config"].update(dropout=math.nan)), "dropout"),
    (of_note(lambda note: note["config"].update(n_layers=100_000)), "does not "),
    (of_note(lambda note: note["config"].update(d_model=100_000)), "should have ("),
    (of_note(lambda note: note["config"].update(norm_first=False)), "which the model does not"),
]


@pytest.mark.parametrize(("change", "said"), WRITERS, ids=range(len(WRITERS)))
def test_what_the_file_of_a_writer_holds(tmp_path, change, said):
    LanguageModel(alone(), tl.Vocabulary(list("abcde"))).save(tmp_path)
    change(tmp_path / "model.safetensors")
    with pytest.raises(ValueError, match="model.safetensors") as caught:
        load_language_model(tmp_path)
    assert said in str(caught.value) and len(str(caught.value)) < 2000


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
@pytest.mark.parametrize("load", [load_language_model, tl.load_translator])
def test_only_a_file_is_read(tmp_path, load):
    """A device could fill the memory, and a pipe make us wait for ever."""
    (tmp_path / "endless").mkdir()
    (tmp_path / "endless" / "model.safetensors").symlink_to("/dev/zero")
    for name in ("endless", "missing", "."):
        with pytest.raises(FileNotFoundError, match="holds no model.safetensors"):
            load(tmp_path / name)


def test_a_changed_number_is_noticed(place, tmp_path):
    shutil.copytree(place / "model", tmp_path / "model")
    path = tmp_path / "model" / "model.safetensors"
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match="wrong checksum"):
        tl.load_translator(path.parent)


@pytest.mark.parametrize("shipped", [translator.SHIPPED, writer.SHIPPED])
def test_what_comes_with_the_package_has_a_checksum(shipped):
    with safe_open(shipped / FILE, "pt") as file:
        assert len(json.loads(file.metadata()["note"])["sha256"]) == 64


def test_a_package_that_has_lost_its_translator_says_so(monkeypatch):
    monkeypatch.setattr("pathlib.Path.is_file", lambda path: False)
    with pytest.raises(FileNotFoundError, match="package has lost .*: install it again"):
        tl.load_translator()


IDS = torch.full((1, 3), 5)
x = torch.zeros(2, 4, 16)
mask = torch.ones(2, 4, 4).bool()
dot = tl.scaled_dot_product_attention
heads = tl.MultiHeadAttention(16, 4)


def with_cache():
    """A mask of the new token alone, where three more are remembered."""
    cache = KeyValueCache()
    heads(x[:, :3], x[:, :3], x[:, :3], cache=cache)
    heads(x[:, :1], x[:, :1], x[:, :1], torch.ones(1, 3).bool(), cache=cache)


def alone():
    return DecoderOnly(9, d_model=8, d_ff=16, n_layers=1, n_heads=2, max_length=12)


def read_cache(model):
    """A cache that has three tokens."""
    cache = new_cache(model)
    model(IDS, cache=cache)
    return cache


# A call, and a part of what is said.
CALLED = [
    (lambda: dot(x, x[..., :6], x), "agree in d_k"),
    (lambda: heads(x, x, x[:, :3], need_weights=False), "each key needs its value"),
    (lambda: dot(x[0, 0], x, x), "(length, size)"),
    (lambda: dot(x.long(), x, x), "got torch.int64"),
    (lambda: dot(x.numpy(), x, x), "got ndarray"),
    (lambda: heads(x.double(), x.double(), x.double()), ".to()"),
    (lambda: heads(x[..., :8], x, x), "query must have shape (batch, length, 16)"),
    (lambda: tl.AdditiveAttention(4, 16, 6)(x, x, x), "query must have shape (..., length, 4)"),
    (lambda: dot(x, x, x, mask.float()), "mask == 0"),
    (lambda: dot(x, x, x, mask[:, :3]), "does not fit"),
    (lambda: heads(x, x, x, mask), "mask.unsqueeze(1)"),
    (with_cache, "does not fit"),
    (lambda: tl.MultiHeadAttention(30, 8), "try n_heads=6"),
    (lambda: tl.MultiHeadAttention(16.0, 4), "d_model must be a whole number"),
    (lambda: tl.AdditiveAttention(4, 16, 0), "d_hidden must be"),
    (lambda: EncoderLayer(16, 4, 40, dropout=math.nan), "dropout is a share"),
    (lambda: DecoderLayer(16, 4, 40, dropout=1.0), "dropout is a share"),
    (lambda: tl.MultiHeadAttention(16, 4, bias="none"), "bias is True or False"),
    (lambda: tl.MultiHeadAttention(8, 2, d_k=3, d_v=-1), "d_v must be"),
    (lambda: tl.padding_mask(IDS.float()), "int64 or int32"),
    (lambda: tl.sinusoidal_encoding(4, 5), "try 6"),
    (lambda: tl.sinusoidal_encoding(-1, 4), "length must be a whole number of at least 0"),
    (lambda: new_model()(np.full((1, 3), 5), IDS), "ids must be"),
    (lambda: new_model()(IDS, IDS + 90), "ids are 0 to"),
    (lambda: new_model()(IDS.repeat(1, 5), IDS), "1 to 12 tokens in this model; this one has 15"),
    (lambda: new_model()(IDS, IDS[:, :0]), "1 to 12 tokens in this model; this one has 0"),
    (lambda: tl.greedy_decode(new_model(), IDS[0]), "source_ids must be"),
    (lambda: write(alone(), IDS.float()), "beginning must be"),
    (lambda: EncoderLayer(8, 2, 16)(x), "x must have shape (batch, length, 8)"),
    (lambda: DecoderLayer(16, 2, 16)(x, x[..., :8]), "memory must have shape"),
    (lambda: new_model().decode(IDS[:1], x[:1], None), "memory must have shape (batch, length, 8)"),
    (lambda: alone()(IDS.repeat(1, 5), cache=read_cache(alone())), "has 3 and 15 more"),
    (lambda: Plan(9, d_model=30, n_layers=1, n_heads=2, d_ff=4, positions="rotary"), "n_heads"),
    (lambda: new_model()(IDS, IDS.repeat(2, 1)), "1 source and 2 target sentences"),
    (lambda: tl.greedy_decode(new_model(), IDS[:0]), "no sentence"),
    (lambda: tl.greedy_decode(new_model(), IDS, 13), "max_length must be"),
    (lambda: tl.beam_search(new_model(), IDS, length_penalty=math.nan), "length_penalty must be"),
    (lambda: tl.beam_search(new_model(), IDS, length_penalty=10.5), "length_penalty must be"),
    (
        lambda: tl.beam_search(new_model(max_length=9000), IDS, length_penalty=10),
        "length_penalty=10 is too strong for sentences of up to 9000 tokens",
    ),
    (lambda: tl.Vocabulary("abc"), "would be a list"),
    (lambda: SOURCE.encode("ich"), "tokens are a list of strings"),
    (lambda: SOURCE.decode([99]), "from 0 to 8"),
    (lambda: pad([[1.5]]), "whole numbers"),
    (lambda: pad([]), "nothing to pad"),
    (lambda: SOURCE.tokenize(None), "a sentence is a string"),
    (lambda: BytePairVocabulary("{}"), "no tokenizer"),
    (lambda: make_batch([("a", "b"), ("a",)], SOURCE, TARGET), "pair 1 is ('a',)"),
    (lambda: make_batch([], SOURCE, TARGET), "at least one pair"),
    (lambda: Recipe(seed="x"), "seed must be a whole number"),
    (lambda: Recipe(model={"n_layers": 101}), "at most 100"),
    (lambda: train_translator([("", "")]), "no pair to learn from"),
    (lambda: EncodedPairs([("ich " * 9, "i")], SOURCE, TARGET, 5), "over 5 tokens"),
    (lambda: figures.HeadsInMemory(torch.full((3, 8), math.nan), n_heads=2), "nan"),
    (lambda: figures.AttentionExplorer([]), "no translation"),
    (
        lambda: figures.AttentionExplorer.from_maps(
            encoder=[torch.ones(1, 1, 2, 2)], source_tokens=["a", "b"]
        ),
        "softmax",
    ),
]


def test_the_longest_text_is_read():
    model = new_model()
    longest = IDS.repeat(1, 4)
    assert model(longest, longest).shape == (1, 12, len(TARGET))
    assert alone()(longest).shape == (1, 12, 9)
    assert tl.greedy_decode(model, longest, 12).size(1) <= 12
    assert write(alone(), longest).tolist() == longest.tolist()


@pytest.mark.parametrize(
    ("call", "said"), CALLED, ids=[f"{i} {c[1]}" for i, c in enumerate(CALLED)]
)
def test_what_is_called(call, said):
    with pytest.raises((ValueError, IndexError)) as caught:
        call()
    assert said in str(caught.value) and len(str(caught.value)) < 1000
