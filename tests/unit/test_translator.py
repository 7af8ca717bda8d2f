"""Text in, text and attention out."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from attention_by_hand.studies.two_sentences import train_two_sentences
from transformer_lite import Transformer, TransformerConfig, Translator, Vocabulary, load_translator
from transformer_lite import translator as translator_module

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


def test_a_sentence_has_from_one_token_to_as_many_as_the_model_reads(translator):
    longest = translator.model.config.max_length
    assert len(translator.translate("ich " * longest).source_tokens) == longest
    for text, said in ((" \n", "empty"), ("ich " * (longest + 1), f"at most {longest}")):
        with pytest.raises(ValueError, match=said):
            translator.translate(text)


def test_a_vocabulary_must_fit_the_model(translator):
    with pytest.raises(ValueError, match="made for 9"):
        Translator(translator.model, Vocabulary(["a"]), translator.target_vocabulary)


# Saving over another translator.


def another(translator, value):
    """The same sizes, other words, and weights that are all this number."""
    words = Vocabulary(reversed(translator.source_vocabulary.words))
    model = Transformer(translator.model.config)
    for weight in model.parameters():
        weight.data.fill_(value)
    return Translator(model, words, translator.target_vocabulary)


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
