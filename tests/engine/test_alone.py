"""The decoder alone in the page is `DecoderOnly`: the same scores, words, draws and gradients."""

import base64
import random

import pytest
import torch
from in_node import Node
from test_engine import ENGINE, NAMES, close

from attention_by_hand.figures.engine.pack import describe_alone, pack_writer, unpack
from attention_by_hand.figures.writer import SHIPPED
from attention_by_hand.studies.judged import judged_loss
from transformer_lite import Vocabulary
from transformer_lite.data.grammar import splits
from transformer_lite.decoder_only import DecoderOnly, probabilities, write
from transformer_lite.language_model import load_language_model
from transformer_lite.training import loss_function
from transformer_lite.vocabulary import BOS_ID, EOS_ID, PAD_ID

TEXTS = torch.tensor([[4, 5, 6, 7, 8], [5, 9, 4, 0, 0], [10, 0, 0, 0, 0]])
ANSWERS = torch.tensor([[0, 6, 7, 8, 2], [9, 4, 2, 0, 0], [2, 0, 0, 0, 0]])


@pytest.fixture(scope="module")
def page():
    with Node(ENGINE / f"{name}.js" for name in (*NAMES, "decoder_only")) as node:
        yield node


@pytest.fixture(scope="module")
def shipped():
    learner = load_language_model(SHIPPED)
    return learner.model, learner.vocabulary


@pytest.fixture(scope="module")
def beginnings(shipped):
    """500, of the grammar's texts: nothing, German, a whole question, English."""
    _, vocabulary = shipped
    dice = random.Random(0)
    found = []
    for pair in splits().compositional[:500]:
        german, english = (vocabulary.encode(vocabulary.tokenize(text)) for text in pair[:2])
        text = dice.choice([german, [*german, BOS_ID], [*german, BOS_ID, *english], english])
        found.append([BOS_ID, *text[: dice.randint(0, len(text))]])
    return found


def carried(model, vocabulary, precision="float32"):
    """What the page gets, and the model that has exactly its weights."""
    data = pack_writer(model, vocabulary, precision)
    sizes = {key: value for key, value in describe_alone(model).items() if "_id" not in key}
    same = DecoderOnly(**sizes)
    same.load_state_dict(unpack(data))
    return base64.b64encode(data).decode(), same.eval()


def random_model(seed=0, **changes):
    torch.manual_seed(seed)
    sizes = {"d_model": 16, "d_ff": 24, "n_layers": 2, "n_heads": 4, "max_length": 12} | changes
    model = DecoderOnly(11, **sizes)
    for name, weight in model.named_parameters():  # or names of norms could be exchanged
        if "norm" in name or "bias" in name:
            torch.nn.init.normal_(weight, float("norm" in name and "weight" in name), 0.1)
    return carried(model, Vocabulary([*"abcdefg"]))


READ = """([data, texts, off = []]) => {
    const { config, weights } = opened(data);
    const { logits, maps } = new decoder_only.DecoderOnly(config, weights, { off }).forward(texts);
    return { logits: numbers(logits), maps: maps.map((map) => map && numbers(map)) };
}"""


@pytest.mark.parametrize("precision", ["float32", "int8"])
def test_logits_and_attention_of_the_shipped_model(page, shipped, beginnings, precision):
    data, model = carried(*shipped, precision)
    for text in beginnings[:20]:
        with torch.no_grad():
            logits, maps = model(torch.tensor([text]), return_attention=True)
        found = page.evaluate(READ, [data, [text]])
        close(found["logits"], logits, 1e-4)
        for expected, map in zip(maps, found["maps"], strict=True):
            close(map, expected, 1e-4)


def test_what_comes_later_changes_nothing_before_unless_the_mask_is_off(page):
    data, _ = random_model()
    run = """([data, off]) => {
        const { config, weights } = opened(data);
        const model = new decoder_only.DecoderOnly(config, weights, { off });
        const first = (text) => numbers(model.forward([text]).logits).slice(0, 11);
        return [first([4, 5, 6]), first([4, 5, 7])];
    }"""
    one, other = page.evaluate(run, [data, []])
    assert one == other
    one, other = page.evaluate(run, [data, ["causal mask"]])
    assert one != other


WRITE = """([data, beginnings, options = {}]) => {
    const { config, weights } = opened(data);
    return beginnings.map((text) => {
        const model = new decoder_only.DecoderOnly(config, weights);
        return [...decoding.write(model, text, options)].map(({ id }) => id);
    });
}"""


@pytest.mark.parametrize("number", [50, pytest.param(500, marks=pytest.mark.weekly)])
def test_beginnings_go_on_alike(page, shipped, beginnings, number):
    """With the weights as pages carry them, in eight bits."""
    data, model = carried(*shipped, "int8")
    assert len(beginnings) == 500
    beginnings = beginnings[:: 500 // number]
    found = page.evaluate(WRITE, [data, beginnings])
    for text, ids in zip(beginnings, found, strict=True):
        expected = write(model, torch.tensor([text]))[0, len(text) :].tolist()
        assert ids == expected, text
    assert len({tuple(ids) for ids in found}) > number / 2


READ_ON = """async ([data, texts, off]) => {
    const answers = [];
    const served = new Promise((resolve) => {
        const take = server.serve((answer) => {
            answers.push(answer);
            if (answers.length === texts.length + 1) resolve();
        });
        const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
        take({ id: 0, ask: "load", bytes });
        texts.forEach((text, i) => take({ id: i + 1, ask: "read", text, off: off[i] }));
    });
    await served;
    return answers.slice(1).map(({ answer: { logits, maps, read } }) => ({
        logits: numbers(logits),
        read,
        shape: maps[1].shape,
        last: numbers(maps[1].data.slice(-maps[1].shape[3])),
    }));
}"""


def test_the_desk_keeps_what_need_not_be_read_again(page, shipped, beginnings):
    data, model = carried(*shipped)
    text = max(beginnings, key=len)
    texts = [text[:n] for n in (3, 5, 6, 6, 4, 7, 7, 8)]
    texts[5] = [*text[:2], *text[3:8]]  # one word is gone
    off = [[], [], [], *[["positions"]] * 4, []]
    found = page.evaluate(READ_ON, [data, texts, off])
    assert [answer["read"] for answer in found] == [3, 2, 1, 6, 1, 5, 5, 8]
    for answer, ids, cut in zip(found, texts, off, strict=True):
        assert answer["shape"] == [1, 4, answer["read"], len(ids)]
        with torch.no_grad():
            positions = model.positions.clone()
            model.positions *= not cut
            logits, maps = model(torch.tensor([ids]), return_attention=True)
            model.positions.copy_(positions)
        close(answer["logits"], logits[0, -1], 1e-4)
        close(answer["last"], maps[1][0, -1, -1], 1e-5)


PARTS = ["positions", "feed_forward", "layers.1", "layers.0.self_attention.2"]


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_is_off_is_a_part_taken_out(page, part):
    data, model = random_model(3)
    with torch.no_grad():
        whole = model(TEXTS)
        if part == "positions":
            model.positions.zero_()
        elif part == "layers.1":
            del model.layers[1]
        elif part == "feed_forward":
            for layer in model.layers:
                layer.feed_forward[2].weight.zero_()
                layer.feed_forward[2].bias.zero_()
        else:
            model.layers[0].self_attention.w_o.weight[:, 8:12] = 0
        expected = model(TEXTS)
    assert (whole - expected).abs().max() > 1e-3
    close(page.evaluate(READ, [data, TEXTS.tolist(), [part]])["logits"], expected, 1e-5)


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("n_layers", [1, 2, 3])
def test_every_gradient_of_a_training_step(page, n_layers, norm_first):
    data, model = random_model(n_layers, n_layers=n_layers, norm_first=norm_first)
    model = model.double()
    loss = loss_function(model(TEXTS), ANSWERS)
    loss.backward()
    found = page.evaluate(
        """([data, texts, answers]) => {
            const { config, weights } = opened(data);
            const model = new decoder_only.DecoderOnly(config, weights);
            const [loss, notes] = tensor.record(() =>
                tensor.crossEntropy(model.forward(texts).logits, answers, config.pad_id));
            finish(tensor.propagate(loss, notes));
            const grads = Object.entries(weights).map(([name, { grad }]) => [name, numbers(grad)]);
            return { loss: loss.data[0], grads: Object.fromEntries(grads) };
        }""",
        [data, TEXTS.tolist(), ANSWERS.tolist()],
    )
    assert found["loss"] == pytest.approx(loss.item(), abs=1e-6)
    expected = dict(model.named_parameters())
    assert list(found["grads"]) == list(expected)
    for name, weight in expected.items():
        close(found["grads"][name], weight.grad, 1e-5 * weight.grad.abs().max().item())


@pytest.mark.parametrize("norm_first", [False, True])
def test_from_the_seed_alone_it_learns_as_in_a_notebook(page, norm_first):
    torch.manual_seed(7)
    sizes = {"d_model": 16, "d_ff": 24, "n_layers": 2, "n_heads": 4, "norm_first": norm_first}
    model = DecoderOnly(11, **sizes)
    config = describe_alone(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    losses = []
    for _ in range(30):
        loss = loss_function(model(TEXTS), ANSWERS)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    found = page.evaluate(
        """([config, batch]) => {
            const trainer = new training.Trainer(config, { seed: 7 });
            return Array.from({ length: 30 }, () => finish(trainer.learn(batch)));
        }""",
        [config, {"texts": TEXTS.tolist(), "answers": ANSWERS.tolist()}],
    )
    assert found == pytest.approx(losses, abs=1e-5)
    assert losses[-1] < losses[0] / 2


WAYS = [
    {},
    {"temperature": 2.0},
    {"top_k": 5},
    {"top_p": 0.9},
    {"temperature": 1.7, "top_k": 12, "top_p": 0.8},
    {"top_p": 0.01},
]


@pytest.mark.parametrize("options", WAYS)
def test_words_are_drawn_from_the_same_probabilities(page, shipped, beginnings, options):
    """The same random numbers give the token at which the probabilities' sum exceeds them."""
    data, model = carried(*shipped, "int8")
    texts = [text for text in beginnings if len(text) < 40][:40]
    dice = random.Random(1)
    chances = [[dice.random() for _ in range(25)] for _ in texts]
    found = page.evaluate(
        """([data, texts, chances, options]) => {
            const { config, weights } = opened(data);
            const model = new decoder_only.DecoderOnly(config, weights);
            return texts.map((text, i) => {
                const { logits } = model.forward([text]);
                const last = logits.data.slice(-config.vocab_size);
                const shares = decoding.probabilities(last, options);
                const drawn = chances[i].map((chance) => decoding.draw(shares, chance));
                return { shares: numbers(shares), drawn };
            });
        }""",
        [data, texts, chances, options],
    )
    different = set()
    for text, answer, chance in zip(texts, found, chances, strict=True):
        with torch.no_grad():
            shares = probabilities(model(torch.tensor([text]))[0, -1], **options)
        close(answer["shares"], shares, 1e-5)
        sums = shares.double().cumsum(0)
        for x, drawn in zip(chance, answer["drawn"], strict=True):
            expected = int((sums > x).nonzero()[0]) if sums[-1] > x else int(shares.nonzero()[-1])
            near = (sums - x).abs().min() < 1e-5  # between two tokens, to the last bits
            assert drawn == expected or near
            different.add(drawn)
    assert len(different) > 10


def test_a_seed_repeats_what_is_drawn_and_padding_never_is(page):
    data, model = random_model()
    model.output.weight.data[PAD_ID] = 9 * model.output.weight.data[4]
    data = base64.b64encode(pack_writer(model, Vocabulary([*"abcdefg"]), "float32")).decode()
    runs = [
        page.evaluate(WRITE, [data, [[4, 5]] * 20, {"temperature": 2, "seed": seed}])
        for seed in (1, 1, 2)
    ]
    assert runs[0] == runs[1] != runs[2]
    assert all(PAD_ID not in ids for run in runs for ids in run)
    assert all(len(ids) <= model.max_length - 2 for run in runs for ids in run)


def test_many_texts_are_drawn_at_once_as_they_would_be_one_token_after_the_other(page):
    data, model = random_model(max_length=9)
    found = page.evaluate(
        """([data, count, longest, seed]) => {
            const { config, weights } = opened(data);
            const model = new decoder_only.DecoderOnly(config, weights);
            return finish(decoding.writeMany(model, count, longest, new random.Random(seed)));
        }""",
        [data, 40, 8, 3],
    )
    dice = torch.Generator().manual_seed(3)
    texts = [[BOS_ID] for _ in range(40)]
    for length in range(1, 8):
        for text in texts:
            if len(text) == length and text[-1] != EOS_ID:
                with torch.no_grad():
                    scores = model(torch.tensor([text]))[0, -1]
                scores[PAD_ID] = -torch.inf
                sums = scores.softmax(-1).double().cumsum(0)
                text.append(int((sums > torch.rand(1, generator=dice)).nonzero()[0]))
    assert found == texts and len({len(text) for text in texts}) > 3


@pytest.mark.parametrize("leash", [0, 0.7])
def test_a_step_on_judged_texts_is_pytorchs(page, leash):
    data, model = random_model()
    _, before = random_model(1)
    rows = torch.cat((TEXTS[:, :1], ANSWERS), dim=1)
    pulls = torch.tensor([1.2, -0.3, -0.9])
    loss = judged_loss(model, rows, pulls, before, leash)
    loss.backward()
    found = page.evaluate(
        """([data, other, texts, answers, pulls, leash]) => {
            const { config, weights } = opened(data);
            const old = opened(other);
            const before = new decoder_only.DecoderOnly(config, old.weights);
            const trainer = new training.Trainer(config, { rate: 1e-3 }, weights);
            const grads = {};
            const adam = trainer.adam.bind(trainer);
            trainer.adam = () => {
                for (const [name, { grad }] of Object.entries(weights)) grads[name] = numbers(grad);
                adam();
            };
            const loss = finish(trainer.pull({ texts, answers, pulls, leash }, before));
            return { loss, grads };
        }""",
        [
            data,
            base64.b64encode(pack_writer(before, Vocabulary([*"abcdefg"]), "float32")).decode(),
            rows[:, :-1].tolist(),
            rows[:, 1:].tolist(),
            pulls.tolist(),
            leash,
        ],
    )
    assert found["loss"] == pytest.approx(loss.item(), abs=1e-5)
    for name, weight in model.named_parameters():
        close(found["grads"][name], weight.grad, 2e-5 * weight.grad.abs().max().item() + 1e-7)
