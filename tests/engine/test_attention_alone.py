"""Attention alone in the page is `AttentionOnly`: the same texts, weights, losses and steps."""

import base64

import pytest
import torch
from in_node import Node
from test_engine import ENGINE, NAMES, close

from attention_by_hand.figures import InductionHeads
from attention_by_hand.figures.engine.pack import unpack
from attention_by_hand.figures.induction_heads import CONFIG
from attention_by_hand.studies import induction
from attention_by_hand.studies.induction import (
    SIZES,
    AttentionOnly,
    draw_texts,
    grown,
    held_out,
    learn,
    looks,
    loss_on,
)
from transformer_lite.ablation import without_heads

FIGURE = ENGINE.parent / "induction_heads"
HOW = InductionHeads.constants


@pytest.fixture(scope="module")
def page():
    engine = [ENGINE / f"{name}.js" for name in (*NAMES, "decoder_only")]
    with Node([*engine, FIGURE / "texts.js", FIGURE / "measures.js"]) as node:
        yield node


def dice(seed):
    return torch.Generator().manual_seed(seed)


def test_a_seed_gives_the_same_texts_on_both_sides(page):
    found = page.evaluate(
        """([how, seed]) => {
            const drawn = texts.drawTexts(200, new random.Random(seed), how);
            return [drawn.map(({ ids }) => ids), texts.batchOf(drawn, 0)];
        }""",
        [HOW, 7],
    )
    expected = draw_texts(200, dice(7))
    assert found[0] == expected.ids.tolist()
    assert found[1] == {"texts": expected.read.tolist(), "answers": expected.asked.tolist()}


def test_in_each_text_a_stretch_comes_twice_and_only_what_can_be_known_is_asked():
    texts = draw_texts(500, dice(0))
    distances = texts.second - texts.first
    assert len(set(distances.tolist())) > 8, "or one layer could do it by place alone"
    for ids, asked, first, second, length in zip(*texts, strict=True):
        again = slice(second, second + length)
        assert torch.equal(ids[first : first + length], ids[again])
        assert first + length <= second and second + length <= induction.LENGTH
        known = torch.zeros(induction.LENGTH - 1, dtype=torch.bool)
        known[second : second + length - 1] = True
        assert torch.equal(asked != 0, known) and torch.equal(asked[known], ids[1:][known])


GROW = """([config, how, seed, steps]) => {
    const trainer = new training.Trainer(config, { seed, rate: how.rate });
    const dice = new random.Random(1000 + seed);
    const batch = () => texts.batchOf(texts.drawTexts(how.batch, dice, how), config.pad_id);
    const named = (read) =>
        Object.fromEntries(Object.entries(trainer.weights).map(([n, w]) => [n, numbers(read(w))]));
    const before = named((w) => w);
    const losses = [];
    let grads = null;
    const adam = trainer.adam.bind(trainer);
    trainer.adam = () => { grads ??= named((w) => w.grad); adam(); };
    for (let step = 0; step < steps; step++) losses.push(finish(trainer.learn(batch())));
    return { before, grads, losses, after: named((w) => w) };
}"""


@pytest.mark.parametrize("layers, heads", [(2, 2), (1, 4), (3, 1)])
def test_first_weights_loss_gradients_and_step_are_pytorchs(page, layers, heads):
    sizes = SIZES | {"n_layers": layers, "n_heads": heads}
    found = page.evaluate(GROW, [CONFIG | sizes, HOW, 3, 1])
    grown = learn(3, 1, **sizes)
    _, model = next(grown)
    names = [name for name, _ in model.named_parameters()]
    assert list(found["before"]) == names
    for name, weight in model.named_parameters():
        close(found["before"][name], weight.detach(), 1e-6)
    loss = loss_on(model, draw_texts(induction.BATCH, dice(1003)))
    assert found["losses"] == [pytest.approx(loss.item(), abs=1e-5)]
    loss.backward()
    for name, weight in model.named_parameters():
        close(found["grads"][name], weight.grad, 2e-5 * weight.grad.abs().max().item())
    model.zero_grad()
    next(grown)
    for name, weight in model.named_parameters():
        close(found["after"][name], weight.detach(), 1e-4)


def test_from_the_seed_alone_it_grows_as_in_a_notebook(page):
    losses = []
    model = None
    for step, model in learn(5, 20):
        if step < 20:
            batches = draw_texts(induction.BATCH * 20, dice(1005))
            part = slice(step * induction.BATCH, (step + 1) * induction.BATCH)
            batch = type(batches)(*(field[part] for field in batches))
            losses.append(loss_on(model, batch).item())
    found = page.evaluate(GROW, [CONFIG, HOW, 5, 20])
    assert found["losses"] == pytest.approx(losses, abs=2e-3)
    assert isinstance(model, AttentionOnly)


def test_where_heads_look_and_what_a_cut_costs_are_measured_alike(page):
    figure = InductionHeads()
    model = grown()
    model.load_state_dict(unpack(figure.weights))  # as the page has it, in eight bits
    found = page.evaluate(
        """([data, how, off]) => {
            const { config, weights: its } = opened(data);
            const { seed, count } = how.held_out;
            const held = texts.drawTexts(count, new random.Random(seed), how);
            const asked = texts.batchOf(held, config.pad_id);
            const look = (off) =>
                new decoder_only.DecoderOnly(config, its, { off }).forward(asked.texts);
            const lost = ({ logits }) => measures.lossOf(logits, asked.answers, config.pad_id);
            const whole = look([]);
            return { ...measures.looksOf(whole.maps, held), lost: [lost(whole), lost(look(off))] };
        }""",
        [base64.b64encode(figure.weights).decode(), HOW, figure.heads()[:1]],
    )
    expected = looks(model, held_out())
    close(found["back"], expected.back, 1e-4)
    close(found["behind"], expected.behind, 1e-4)
    whole, cut = found["lost"]
    with torch.no_grad():
        assert whole["loss"] == pytest.approx(loss_on(model, held_out()).item(), abs=1e-4)
        assert whole["right"] == pytest.approx(induction.right(model, held_out()), abs=1e-3)
        with without_heads(model.layers[0].self_attention, 0):
            assert cut["loss"] == pytest.approx(loss_on(model, held_out()).item(), abs=1e-4)
            assert cut["right"] == pytest.approx(induction.right(model, held_out()), abs=1e-3)
    assert cut["loss"] > whole["loss"] + 0.1 and cut["right"] < whole["right"]
