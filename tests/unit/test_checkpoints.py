"""Files that survive a crash, and files that must not be trusted."""

import errno
import json
import os
import pickle

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from attention_by_hand.figures.engine.pack import pack
from transformer_lite import Transformer, TransformerConfig, Translator, Vocabulary
from transformer_lite.data.corpus import TWO_SENTENCES
from transformer_lite.files import write_whole
from transformer_lite.train.checkpoints import CHECKPOINT, load_checkpoint, save_checkpoint
from transformer_lite.train.held_out import Measure
from transformer_lite.training import make_batch, training_steps
from transformer_lite.translator import FORMAT

SOURCE, TARGET = (Vocabulary.from_texts(pair[side] for pair in TWO_SENTENCES) for side in (0, 1))
IDENTITY = {"seed": 0, "pairs": "2 pairs"}
MEASURE = Measure(step=4, epoch=2, training_loss=2.0, loss=2.5, exact=1, sentences=2)


def new_translator(seed=0, **changes):
    torch.manual_seed(seed)
    sizes = dict(
        d_model=8, d_ff=16, n_layers=1, n_heads=2, dropout=0.0, max_length=12, tie_embeddings=True
    )
    return Translator(
        Transformer(TransformerConfig(len(SOURCE), len(TARGET), **(sizes | changes))),
        SOURCE,
        TARGET,
    )


def train(model, optimizer, steps):
    return list(
        training_steps(model, [make_batch(TWO_SENTENCES, SOURCE, TARGET)] * steps, optimizer)
    )


def new_training(seed=0, **changes):
    model = new_translator(seed, **changes).model
    return model, torch.optim.Adam(model.parameters(), lr=1e-2)


@pytest.fixture
def checkpoint(tmp_path):
    model, optimizer = new_training()
    losses = train(model, optimizer, 5)
    save_checkpoint(tmp_path / CHECKPOINT, model, optimizer, losses, IDENTITY, [MEASURE])
    return tmp_path / CHECKPOINT


def test_a_training_goes_on_as_if_nothing_had_happened(checkpoint):
    model, optimizer = new_training(seed=1)
    losses, measures = load_checkpoint(checkpoint, model, optimizer, IDENTITY)
    assert [Measure(*numbers) for numbers in measures] == [MEASURE]
    losses += train(model, optimizer, 5)
    expected, optimizer = new_training()
    assert losses == train(expected, optimizer, 10)
    for a, b in zip(model.parameters(), expected.parameters(), strict=True):
        assert torch.equal(a, b)


def test_a_missing_checkpoint_is_named(tmp_path):
    with pytest.raises(
        FileNotFoundError,
        match="no unfinished training in .*: start it without resume=True",
    ):
        load_checkpoint(tmp_path / CHECKPOINT, *new_training(), IDENTITY)


def test_a_crash_while_writing_leaves_the_old_file(tmp_path, monkeypatch):
    write_whole(tmp_path / "x", b"old")
    with monkeypatch.context() as patch, pytest.raises(OSError, match="disk full"):
        patch.setattr(
            os, "fsync", lambda fd: (_ for _ in ()).throw(OSError(errno.ENOSPC, "disk full"))
        )
        write_whole(tmp_path / "x", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["x"] and (
        tmp_path / "x"
    ).read_bytes() == b"old"
    write_whole(tmp_path / "x", b"newer")
    assert [path.name for path in tmp_path.iterdir()] == ["x"] and (
        tmp_path / "x"
    ).read_bytes() == b"newer"
    with pytest.raises(FileNotFoundError, match="gone/x'$"):  # and not the neighbour's name
        write_whole(tmp_path / "gone" / "x", b"new")


class Trap:
    """Unpickling this makes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def truncate(path):
    path.write_bytes(path.read_bytes()[:-7])


def truncate_header(path):
    path.write_bytes(path.read_bytes()[:40])


def empty(path):
    path.write_bytes(b"")


def pickle_instead(path):
    path.write_bytes(pickle.dumps({"weight": Trap(path.parent / "sprung")}, protocol=2))


def torch_save_instead(path):
    torch.save({"weight": Trap(path.parent / "sprung")}, path)


def text_instead(path):
    path.write_text("weights\n" * 100)


def foreign_tensors(path):
    save_file({"layer.weight": torch.zeros(3, 3)}, path)


def damaged_note(path):
    save_file(load_file(path), path, {"note": "{"})


def foreign_dict(path):
    torch.save({"layer.weight": torch.zeros(3, 3)}, path)


def foreign_list(path):
    torch.save([1, 2], path)


def no_losses(path):
    state = torch.load(path)
    del state["losses"]
    torch.save(state, path)


DAMAGE = [
    truncate,
    truncate_header,
    empty,
    pickle_instead,
    torch_save_instead,
    text_instead,
    foreign_tensors,
]


@pytest.mark.parametrize("damage", [*DAMAGE, foreign_dict, foreign_list, no_losses])
def test_a_damaged_or_foreign_checkpoint_is_refused_and_never_run(checkpoint, damage):
    damage(checkpoint)
    model, optimizer = new_training()
    before = [p.clone() for p in model.parameters()]
    with pytest.raises(
        ValueError, match="checkpoint.pt is damaged, or was not written by this package"
    ):
        load_checkpoint(checkpoint, model, optimizer, IDENTITY)
    assert not (checkpoint.parent / "sprung").exists()
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))


def test_too_little_memory_is_no_fault_of_a_checkpoint(checkpoint, monkeypatch):
    def failing(*_, **__):
        raise MemoryError

    monkeypatch.setattr(torch, "load", failing)
    model, optimizer = new_training()
    with pytest.raises(MemoryError):
        load_checkpoint(checkpoint, model, optimizer, {})


def test_of_what_differs_the_setting_is_named_before_the_pairs_that_depend_on_it(tmp_path):
    model, optimizer = new_training()
    save_checkpoint(
        tmp_path / "c",
        model,
        optimizer,
        train(model, optimizer, 1),
        {"pairs": "a", "held_out": "c", "tokenizer": "word"},
        [],
    )
    with pytest.raises(ValueError, match="tokenizer=word and not tokenizer=bpe"):
        load_checkpoint(tmp_path / "c", model, optimizer, {"pairs": "b", "tokenizer": "bpe"})


def test_of_the_pairs_and_the_epochs_that_follow_from_them_the_pairs_are_named(tmp_path):
    model, optimizer = new_training()
    begun = {"pairs": "a", "held_out": "c", "epochs": 5, "seed": 10**90}
    save_checkpoint(tmp_path / "c", model, optimizer, train(model, optimizer, 1), begun, [])
    for changes, said in (
        ({"pairs": "b", "epochs": 6}, "pairs=a and not pairs=b"),
        ({"held_out": "d", "pairs": "b", "epochs": 6}, "held_out=c and not held_out=d"),
        ({"epochs": 6}, "epochs=5 and not epochs=6"),
        ({"seed": 0}, f"seed=1{'0' * 59} and not seed=0;"),
    ):
        with pytest.raises(ValueError, match=said):
            load_checkpoint(tmp_path / "c", model, optimizer, begun | changes)


def test_a_checkpoint_of_another_shape_or_training_is_refused(checkpoint):
    with pytest.raises(
        ValueError, match=r"does not fit the model: .*shape \(16,\) and should have \(24,\)"
    ):
        load_checkpoint(checkpoint, *new_training(d_ff=24), IDENTITY)
    with pytest.raises(ValueError, match="it lacks decoder.1"):
        load_checkpoint(checkpoint, *new_training(n_layers=2), IDENTITY)
    with pytest.raises(ValueError, match="another training, with seed=0 and not seed=1"):
        load_checkpoint(checkpoint, *new_training(), IDENTITY | {"seed": 1})
    with pytest.raises(
        ValueError, match="another training, with norm_first=None and not norm_first=True"
    ):
        load_checkpoint(checkpoint, *new_training(), IDENTITY | {"norm_first": True})


@pytest.mark.parametrize("tie", [True, False])
def test_a_saved_translator_is_the_same_translator(tmp_path, tie):
    translator = new_translator(tie_embeddings=tie)
    translator.save(tmp_path / "new" / "folder")
    copy = Translator.load(tmp_path / "new" / "folder")
    assert copy.model.config == translator.model.config and not copy.model.training
    assert (copy.source_vocabulary, copy.target_vocabulary) == (SOURCE, TARGET)
    for (name, a), (_, b) in zip(
        copy.model.state_dict().items(), translator.model.state_dict().items(), strict=True
    ):
        assert torch.equal(a, b), name
    assert (copy.model.output.weight is copy.model.target_embedding.weight) == tie
    assert [p.name for p in (tmp_path / "new" / "folder").iterdir()] == ["model.safetensors"]


def test_a_translator_whose_numbers_have_gone_does_not_replace_a_good_one(tmp_path):
    translator = new_translator()
    translator.save(tmp_path)
    good = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    translator.model.output.weight.data[0, 0] = torch.nan
    with pytest.raises(ValueError, match="target_embedding.weight .* holds nan or inf"):
        translator.save(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == good


def test_a_compiled_model_is_saved_under_its_own_names(tmp_path):
    translator = new_translator()
    translator.model = torch.compile(translator.model)
    translator.save(tmp_path)
    weights = Translator.load(tmp_path).model.output.weight
    assert torch.equal(weights, translator.model.output.weight)
    assert pack(translator) == pack(Translator.load(tmp_path)), "and packed for the page"


@pytest.mark.parametrize("damage", [*DAMAGE, damaged_note])
def test_a_damaged_translator_is_refused_and_never_run(tmp_path, damage):
    new_translator().save(tmp_path)
    damage(tmp_path / "model.safetensors")
    with pytest.raises(
        ValueError, match="model.safetensors is damaged, or was not written by this package"
    ):
        Translator.load(tmp_path)
    assert not (tmp_path / "sprung").exists()


def test_a_translators_words_and_sizes_can_be_read_without_the_package(tmp_path):
    new_translator().save(tmp_path)
    with safe_open(tmp_path / "model.safetensors", "pt") as file:
        note = json.loads(file.metadata()["note"])
    assert note["format"] == FORMAT and note["config"]["d_model"] == 8
    assert note["source"] == {"words": SOURCE.words, "knows_unknown": False}
