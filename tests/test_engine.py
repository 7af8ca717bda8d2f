"""The engine in the page is the package's model: the same numbers, words, gradients and losses, in a real browser.

Its modules are loaded one by one, as a browser does it, so a mismatch has a line number.
"""

import base64
from pathlib import Path

import pytest
import torch

from transformer_lite import Transformer, TransformerConfig, Vocabulary, load_translator, train_two_sentences
from transformer_lite.data.corpus import TWO_SENTENCES
from transformer_lite.data.grammar import splits
from transformer_lite.figures.engine import describe, pack, unpack
from transformer_lite.training import loss_function, make_batch
from transformer_lite.translator import Translator

ENGINE = Path(__file__).parents[1] / "transformer_lite" / "figures" / "engine"
MODULES = "decoding", "random", "server", "tensor", "training", "transformer", "weights"


@pytest.fixture(scope="module")
def page(browser):
    """A page with every module of the engine as a variable, and a few words to use them with."""
    context = browser.new_context()
    page = context.new_page()

    def answer(route):
        file = ENGINE / route.request.url.rsplit("/", 1)[1]
        if file.suffix == ".js":
            route.fulfill(body=file.read_text("utf-8"), content_type="text/javascript")
        else:
            route.fulfill(body="<!doctype html><title>engine</title>", content_type="text/html")

    page.route("**/*", answer)
    page.goto("http://engine.test/")
    page.evaluate(
        """async (names) => {
            for (const name of names) window[name] = await import(`./${name}.js`);
            window.finish = (work) => {
                for (;;) {
                    const { done, value } = work.next();
                    if (done) return value;
                }
            };
            window.numbers = (x) => Array.from(x.data ?? x);
            window.opened = (text) => weights.unpack(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
        }""",
        list(MODULES),
    )
    yield page
    context.close()


@pytest.fixture(scope="module")
def shipped():
    return load_translator()


def carried(translator, precision="float32"):
    """What the page gets, and the translator that has exactly the weights which the page will have."""
    data = pack(translator, precision)
    model = Transformer(translator.model.config)
    model.load_state_dict(unpack(data), strict=False)
    vocabularies = translator.source_vocabulary, translator.target_vocabulary
    return base64.b64encode(data).decode(), Translator(model.eval(), *vocabularies)


def random_model(seed=0, **changes):
    torch.manual_seed(seed)
    sizes = {"d_model": 16, "d_ff": 24, "n_layers": 2, "n_heads": 4, "dropout": 0.0} | changes
    model = Transformer(TransformerConfig(11, 13, **sizes))
    for name, weight in model.named_parameters():  # LayerNorm's and biases too, or their names could be exchanged
        if "norm" in name or "bias" in name:
            torch.nn.init.normal_(weight, float("norm" in name and "weight" in name), 0.3)
    return Translator(model.eval(), Vocabulary("abcdefg"), Vocabulary("abcdefghi"))


SOURCE = torch.tensor([[4, 5, 6, 7, 8], [5, 9, 4, 0, 0], [10, 0, 0, 0, 0]])
TARGET = torch.tensor([[1, 5, 6, 7], [1, 8, 12, 0], [1, 0, 0, 0]])
PADDED = torch.tensor([[4, 5, 6], [0, 0, 0]])  # the second source is nothing but padding


def close(found, expected, tolerance):
    found = torch.tensor(found).view(expected.shape)
    assert (found - expected).abs().max().item() <= tolerance


@pytest.mark.parametrize("precision, tolerance", [("float32", 1e-4), ("int8", 1e-3)])
def test_logits_and_attention_of_the_shipped_translator(page, shipped, precision, tolerance):
    data, translator = carried(shipped, precision)
    with torch.no_grad():
        logits, maps = translator.model(SOURCE, TARGET, return_attention=True)
    found = page.evaluate(
        """([data, source, target]) => {
            const { config, weights } = opened(data);
            const { logits, encoder, decoder, cross } = new transformer.Transformer(config, weights).forward(
                source, target);
            return { logits: numbers(logits), maps: [encoder, decoder, cross].map((kind) => kind.map(numbers)) };
        }""",
        [data, SOURCE.tolist(), TARGET.tolist()],
    )
    close(found["logits"], logits, tolerance)
    for expected, kind in zip(maps, found["maps"], strict=True):
        for layer, map in zip(expected, kind, strict=True):
            close(map, layer, tolerance)


TRANSLATE = """([data, sentences, beam]) => {
    const { config, weights } = opened(data);
    const model = new transformer.Transformer(config, weights);
    return sentences.map((source) => {
        if (beam === 1) return Array.from(decoding.greedy(model, source), ({ id }) => id);
        return Array.from(decoding.beamSearch(model, source, beam)).at(-1)[0].ids.slice(1);
    });
}"""


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize("split", ["unseen", "compositional"])
def test_a_thousand_translations_are_the_same_with_stored_and_with_full_weights(page, shipped, split, beam):
    data, translator = carried(shipped, "int8")
    texts = [german for german, *_ in getattr(splits(), split)]
    assert len(texts) == 1000
    encode, decode = shipped.source_vocabulary, shipped.target_vocabulary
    sources = [encode.encode(encode.tokenize(text)) for text in texts]
    found = page.evaluate(TRANSLATE, [data, sources, beam])
    for model in (translator, shipped):
        expected = [decode.encode(x.tokens) for x in model.translate_batch(texts, beam=beam)]
        different = [text for text, ids, wanted in zip(texts, found, expected, strict=True) if ids != wanted]
        assert not different


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_from_the_seed_alone_the_page_has_the_notebooks_losses(page, seed):
    translator, losses = train_two_sentences(seed, progress=False)
    batch = make_batch(TWO_SENTENCES, translator.source_vocabulary, translator.target_vocabulary)
    found = page.evaluate(
        """([config, seed, batch]) => {
            const trainer = new training.Trainer(config, { seed });
            return Array.from({ length: 64 }, () => finish(trainer.learn(batch)));
        }""",
        [describe(translator.model.config), seed, {"source": batch.source.tolist(), "target": batch.target.tolist()}],
    )
    assert found == pytest.approx(losses, abs=1e-5)


GRADIENTS = """([data, source, target]) => {
    const { config, weights } = opened(data);
    const before = target.map((row) => row.slice(0, -1)), answers = target.map((row) => row.slice(1));
    const model = new transformer.Transformer(config, weights);
    const [loss, notes] = tensor.record(() =>
        tensor.crossEntropy(model.forward(source, before).logits, answers, config.pad_id));
    finish(tensor.propagate(loss, notes));
    const grads = Object.entries(weights).map(([name, { grad }]) => [name, numbers(grad)]);
    return { loss: loss.data[0], grads: Object.fromEntries(grads) };
}"""


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("n_layers", range(1, 7))
def test_every_gradient_of_a_training_step(page, n_layers, norm_first, tied):
    translator = random_model(n_layers, n_layers=n_layers, norm_first=norm_first, tie_embeddings=tied)
    data, translator = carried(translator)
    for source, target in ((SOURCE, TARGET), (PADDED, TARGET[:2])):
        translator.model.zero_grad()
        loss = loss_function(translator.model(source, target[:, :-1]), target[:, 1:])
        loss.backward()
        found = page.evaluate(GRADIENTS, [data, source.tolist(), target.tolist()])
        assert found["loss"] == pytest.approx(loss.item(), abs=1e-6)
        expected = dict(translator.model.named_parameters())
        assert found["grads"].keys() == expected.keys()
        for name, weight in expected.items():
            close(found["grads"][name], weight.grad, 1e-5 * weight.grad.abs().max().item())
