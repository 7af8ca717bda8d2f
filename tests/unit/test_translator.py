"""Text in, text and attention out."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from transformer_lite import (
    Transformer,
    TransformerConfig,
    Translator,
    Vocabulary,
    load_translator,
    train_two_sentences,
)

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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty: give at least one word"),
        (" \n", "empty"),
        ("ich mochte Käse", r"unknown word 'Käse' \(position 2\); the vocabulary has 5 words"),
        ("ich " * 257, "has 257 tokens, this model takes at most 256: split it"),
    ],
)
def test_what_cannot_be_translated_is_refused(translator, text, message):
    with pytest.raises(ValueError, match=message):
        translator.translate(text)
    with pytest.raises(ValueError, match="beam must be at least 1"):
        translator.translate(BEER, beam=0)


def test_a_vocabulary_must_fit_the_model(translator):
    with pytest.raises(
        ValueError, match="the source vocabulary has 5 tokens, the model was made for 9"
    ):
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
    Translator(model, translator.source_vocabulary, translator.target_vocabulary).save(tmp_path)
    with pytest.raises(ValueError, match="it holds positions, which the model does not have"):
        load_translator(tmp_path)
    monkeypatch.setattr("transformer_lite.translator.Transformer", LearnedPositions)
    read = load_translator(tmp_path).model.state_dict()
    assert read.keys() == model.state_dict().keys()
    assert all(torch.equal(read[name], weight) for name, weight in model.state_dict().items())


def test_too_little_memory_is_no_fault_of_the_files(monkeypatch):
    def failing(config):
        raise RuntimeError("not enough memory")

    monkeypatch.setattr("transformer_lite.translator.Transformer", failing)
    with pytest.raises(RuntimeError, match="^not enough memory$"):
        load_translator()
