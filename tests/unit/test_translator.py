"""Text in, text and attention out."""

import errno
import os
import subprocess
import sys
from dataclasses import replace

import pytest
import torch
from torch import nn

from attention_by_hand.studies.two_sentences import train_two_sentences
from transformer_lite import Transformer, TransformerConfig, Translator, Vocabulary, load_translator
from transformer_lite import translator as translator_module
from transformer_lite.files import read_tensors

BEER, COKE = "ich mochte ein bier", "ich mochte ein cola"


@pytest.fixture(scope="module")
def translator():
    return train_two_sentences(0, progress=False)[0]


def test_a_translation_has_its_text_and_its_tokens(translator):
    translation = translator.translate("Ich mochte  ein Bier")
    assert translation.text == "i want a beer ."
    assert translation.source_tokens == ["Ich", "mochte", "ein", "Bier"]
    assert translation.tokens == ["i", "want", "a", "beer", ".", "<eos>"]
    assert translation.decoder_tokens == ["<bos>", "i", "want", "a", "beer", "."]


def test_training_leaves_the_caller_s_random_numbers_alone():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    losses = train_two_sentences(7, epochs=2, progress=False)[1]
    assert torch.equal(torch.rand(3), expected)
    assert train_two_sentences(7, epochs=2, progress=False)[1] == losses, (
        "the seed decides, not what came before"
    )


@pytest.mark.parametrize("beam", [1, 3])
def test_a_batch_is_its_sentences_one_by_one(translator, beam):
    texts = [BEER, "bier", COKE, "mochte ich ein cola ein bier"]
    together = translator.translate_batch(texts, beam=beam)
    alone = [translator.translate(text, beam=beam) for text in texts]
    assert [(x.text, x.tokens) for x in together] == [(x.text, x.tokens) for x in alone]
    assert translator.translate_batch([]) == []


@pytest.mark.parametrize("beam", [1, 3])
def test_what_is_written_ends_with_its_sentence_and_not_with_the_batch(beam):
    short, long = load_translator().translate_batch(
        [BEER, "heute liest er die Zeitung ."], beam=beam
    )
    assert short.tokens == ["i", "want", "a", "beer", ".", "<eos>"]
    assert long.tokens == ["today", "he", "is", "reading", "the", "newspaper", ".", "<eos>"]


def test_without_a_beam_the_likeliest_word_is_taken_at_every_step():
    torch.manual_seed(0)
    words = Vocabulary(list("abcdefgh"))
    config = TransformerConfig(len(words), len(words), 16, 16, 1, 2, max_length=6)
    translator = Translator(Transformer(config), words, words)
    texts = list("abcdefgh")
    plain, one, four = (
        [x.tokens for x in translator.translate_batch(texts, **beam)]
        for beam in ({}, {"beam": 1}, {"beam": 4})
    )
    assert plain == one != four and [translator.translate(text).tokens for text in texts] == one


def test_attention_is_that_of_the_steps_that_wrote_the_translation(translator):
    translation = translator.translate(BEER)
    maps = translation.attention
    assert [m.shape for m in maps.encoder] == [(1, 4, 4, 4)] * 2
    assert [m.shape for m in maps.decoder] == [(1, 4, 6, 6)] * 2
    assert [m.shape for m in maps.cross] == [(1, 4, 6, 4)] * 2
    source = torch.tensor([translator.source_vocabulary.encode(BEER.split())])
    target = torch.tensor([translator.target_vocabulary.encode(translation.decoder_tokens)])
    logits, expected = translator.model.eval()(source, target, return_attention=True)
    assert translator.target_vocabulary.decode(logits[0].argmax(-1).tolist()) == translation.tokens
    for kind in range(3):
        for mine, other in zip(maps[kind], expected[kind], strict=True):
            torch.testing.assert_close(mine, other)
    maps.cross[0][0, 0] = 0  # a reader may change what he has been given
    (maps.cross[1] * torch.ones(1, requires_grad=True)).sum().backward()


def test_attention_is_read_without_dropout_and_leaves_the_mode_alone(translator):
    model = Transformer(replace(translator.model.config, dropout=0.5)).train()
    other = Translator(model, translator.source_vocabulary, translator.target_vocabulary)
    one, two = (other.translate(BEER).attention.cross[1] for _ in range(2))
    assert torch.equal(one, two) and model.training


@pytest.mark.parametrize(("text", "word"), [(" \n", "empty"), ("ich " * 257, "at most 256")])
def test_what_cannot_be_translated_is_refused(translator, text, word):
    with pytest.raises(ValueError, match=word):
        translator.translate(text)


def test_a_sentence_may_be_as_long_as_the_model_reads(translator):
    longest = translator.model.config.max_length
    assert len(translator.translate("ich " * longest).source_tokens) == longest
    with pytest.raises(ValueError, match=f"tokens, this model takes at most {longest}"):
        translator.translate("ich " * (longest + 1))


def test_a_vocabulary_must_fit_the_model(translator):
    with pytest.raises(ValueError, match="made for 9"):
        Translator(translator.model, Vocabulary(["a"]), translator.target_vocabulary)


def test_a_part_that_somebody_adds_to_the_model_is_saved_and_read(
    translator, tmp_path, monkeypatch
):
    class LearnedPositions(Transformer):
        def __init__(self, config):
            super().__init__(config)
            self.positions = nn.Parameter(self.positions)

    model = LearnedPositions(translator.model.config)
    model.load_state_dict(translator.model.state_dict(), strict=False)
    model.positions.data.normal_()
    other = Translator(model, translator.source_vocabulary, translator.target_vocabulary)
    with pytest.raises(ValueError, match="holds positions"):
        other.save(tmp_path)
    monkeypatch.setattr("transformer_lite.translator.Transformer", LearnedPositions)
    other.save(tmp_path)
    read = load_translator(tmp_path).model.state_dict()
    assert read.keys() == model.state_dict().keys()
    assert all(torch.equal(read[name], weight) for name, weight in model.state_dict().items())


def test_too_little_memory_is_no_fault_of_the_files(monkeypatch):
    def failing(config):
        raise RuntimeError("not enough memory")

    monkeypatch.setattr("transformer_lite.translator.Transformer", failing)
    with pytest.raises(RuntimeError, match="^not enough memory$"):
        load_translator()


# Saving over another translator.


def another(translator, value):
    """The same sizes, other words, and weights that are all this number."""
    words = Vocabulary(reversed(translator.source_vocabulary.words))
    model = Transformer(translator.model.config)
    for weight in model.parameters():
        weight.data.fill_(value)
    return Translator(model, words, translator.target_vocabulary)


def test_a_disk_that_fills_while_saving_leaves_the_old_translator(
    translator, tmp_path, monkeypatch
):
    def full(file):
        raise OSError(errno.ENOSPC, "No space left on device")

    translator.save(tmp_path)
    with monkeypatch.context() as patch, pytest.raises(OSError, match="No space"):
        patch.setattr(os, "fsync", full)
        another(translator, 1.0).save(tmp_path)
    assert load_translator(tmp_path).translate(BEER).text == "i want a beer ."
    assert [path.name for path in tmp_path.iterdir()] == ["model.safetensors"]


def test_every_file_that_a_save_replaces_makes_a_whole_translator(
    translator, tmp_path, monkeypatch
):
    """Whoever reads, or whatever kills us, between two renames finds one of the two."""
    old = translator
    new = another(translator, 1.0)
    old.save(tmp_path)
    replace_file = os.replace
    found = []

    def replace_and_read(*paths):
        replace_file(*paths)
        found.append(load_translator(tmp_path))

    monkeypatch.setattr(os, "replace", replace_and_read)
    new.save(tmp_path)
    assert found and all(
        one.source_vocabulary == new.source_vocabulary
        and all(weight.eq(1.0).all() for weight in one.weights().values())
        for one in found
    )


REPLACED = """
import os, sys
path, *others = sys.argv[1:]
parent = os.getppid()
print("ready", flush=True)
while os.getppid() == parent:
    for other in others:
        os.link(other, path + ".new")
        os.replace(path + ".new", path)
"""


def test_who_reads_while_others_save_finds_one_of_the_two(translator, tmp_path):
    """Its words and its weights come from one moment."""
    old, new = another(translator, 0.5), another(translator, 1.0)
    new.source_vocabulary = translator.source_vocabulary
    for name, one in (("old", old), ("new", new), ("read", old)):
        one.save(tmp_path / name)
    paths = [str(tmp_path / name / "model.safetensors") for name in ("read", "old", "new")]
    process = subprocess.Popen(
        [sys.executable, "-c", REPLACED, *paths], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "ready\n"
        for _ in range(200):
            weights, note = read_tensors(tmp_path / "read" / "model.safetensors")
            saved = old if note["source"] == old.source_vocabulary.to_dict() else new
            assert torch.equal(weights["output.weight"], saved.model.output.weight)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def tied(translator):
    torch.manual_seed(0)
    model = Transformer(replace(translator.model.config, tie_embeddings=True))
    return Translator(model, translator.source_vocabulary, translator.target_vocabulary)


def untie(translator):
    translator.model.output.weight = nn.Parameter(translator.model.output.weight + 1)


def normalise_weights(translator):
    nn.utils.parametrizations.weight_norm(translator.model.output)


@pytest.mark.parametrize("change", [untie, normalise_weights])
def test_what_could_not_be_loaded_is_not_saved(translator, tmp_path, change):
    translator.save(tmp_path)
    before = (tmp_path / "model.safetensors").read_bytes()
    other = tied(translator)
    change(other)
    with pytest.raises(ValueError, match="what is to be saved does not fit the model"):
        other.save(tmp_path)
    assert (tmp_path / "model.safetensors").read_bytes() == before


def test_a_tied_model_whose_weights_were_assigned_is_saved(translator, tmp_path):
    other = tied(translator)
    other.model.load_state_dict(other.model.state_dict(), assign=True)
    assert other.model.output.weight is not other.model.target_embedding.weight
    other.save(tmp_path)
    read = load_translator(tmp_path).model
    assert read.output.weight is read.target_embedding.weight
    assert torch.equal(read.output.weight, other.model.output.weight)


def test_a_translator_of_a_newer_format_is_not_misread(translator, tmp_path, monkeypatch):
    newer = translator_module.FORMAT + 1
    with monkeypatch.context() as patch:
        patch.setattr(translator_module, "FORMAT", newer)
        translator.save(tmp_path)
    with pytest.raises(ValueError, match=f"has format {newer}, this package reads .*: update"):
        load_translator(tmp_path)


def test_a_translator_of_an_older_format_is_read(translator, tmp_path, monkeypatch):
    translator.save(tmp_path)
    monkeypatch.setattr(translator_module, "FORMAT", translator_module.FORMAT + 1)
    assert load_translator(tmp_path).translate(BEER).text == "i want a beer ."


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_only_a_file_is_opened(tmp_path):
    """A device could fill the memory, and a pipe make us wait for ever."""
    (tmp_path / "model.safetensors").symlink_to(os.devnull)
    with pytest.raises(FileNotFoundError, match="holds no model.safetensors"):
        load_translator(tmp_path)
