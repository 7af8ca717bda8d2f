"""The still picture of a figure, for readers without JavaScript: it shows the figure's own numbers
and words.
"""

import matplotlib
import numpy as np
import pytest
import torch
from figure_examples import EXAMPLES, untrained
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure as Canvas
from torch.nn.functional import linear

import transformer_lite as tl
from transformer_lite import figures, palette
from transformer_lite.data.recall import measured
from transformer_lite.figures.machine_plan import BOX, BOXES, OF

matplotlib.use("Agg")

WORDS = ["the", "cat", "sleeps", "<pad>"]


def still(figure):
    canvas = Canvas(figsize=(6, 4), layout="constrained")
    figure.picture(canvas)
    return canvas


def images(canvas):
    """The numbers of each image, in the order of drawing."""
    return [np.asarray(image.get_array()) for ax in canvas.axes for image in ax.images]


def curves(ax):
    return [np.array(line.get_xydata()) for line in ax.lines]


def texts(canvas):
    """{where: what is written} in each of the axes."""
    return [{text.get_position(): text.get_text() for text in ax.texts} for ax in canvas.axes]


def labels(ax):
    """Of the rows and of the columns."""
    return [
        [text.get_text() for text in ticks]
        for ticks in (ax.get_yticklabels(), ax.get_xticklabels())
    ]


def all_close(found, expected, tolerance=1e-6):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, np.asarray(other), atol=tolerance)


def shades(canvas):
    """The colour map of each image, and the numbers at its ends."""
    return [(image.get_cmap().name, *image.get_clim()) for ax in canvas.axes for image in ax.images]


def cells(matrix, form):
    return {(j, i): format(number, form) for (i, j), number in np.ndenumerate(np.asarray(matrix))}


def test_by_hand():
    x, weight, bias = torch.randn(2, 3, 4), torch.randn(4, 4), torch.randn(4)
    canvas = still(figures.ByHand(x, weight, bias, [list("abc"), list("def")], sentence=1))
    q = linear(x[1], weight, bias)
    output, weights = tl.scaled_dot_product_attention(q, q, q)
    stages = [x[1], q, q @ q.T, q @ q.T / 2, weights, output]
    all_close(images(canvas), stages, 1e-4)
    for ax, written, stage, found in zip(
        canvas.axes, texts(canvas), stages, images(canvas), strict=True
    ):
        assert written.keys() == cells(stage, ".4f").keys()
        assert written == cells(found, ".4f")
        low, high = ax.images[0].get_clim()
        assert high == -low >= 2 * np.abs(found).max(), (
            "white is zero, and black letters can be read everywhere"
        )
    assert [ax.get_title() for ax in canvas.axes] == [
        "x",
        "Q = K = V",
        "scores",
        "scaled",
        "weights",
        "output",
    ]


def test_embedding_lookup():
    canvas = still(EXAMPLES["EmbeddingLookup"].make())
    table = [[0.1, 0.2], [0.3, 0.4]]
    panels = [[[0, 1]], table, [table[1]]]
    all_close(images(canvas), panels)
    assert texts(canvas) == [cells(panel, "g") for panel in panels]
    assert [labels(ax)[0] for ax in canvas.axes] == [[], ["chá", "cup"], []]
    assert [ax.get_title() for ax in canvas.axes] == ["one-hot", "table", "row"]
    assert {(name, low) for name, low, _ in shades(canvas)} == {("Blues", 0)}
    assert all(high >= 1 for *_, high in shades(canvas))


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_one_attention_of_many(kind):
    """The explorer's and the live translator's."""
    source, read = ["ich", "mochte", "bier"], ["<bos>", "i"]
    sizes = {"encoder": (3, 3), "decoder": (2, 2), "cross": (2, 3)}
    maps = {name: list(torch.rand(2, 1, 3, *size).softmax(-1)) for name, size in sizes.items()}
    explorer = figures.AttentionExplorer.from_maps(**maps, source_tokens=source, target_tokens=read)
    explorer.kind, explorer.layer, explorer.head = kind, 1, 2
    canvas = still(explorer)
    all_close(images(canvas)[:1], [maps[kind][1][0, 2]], 0.003)
    expected = [source if kind == "encoder" else read, read if kind == "decoder" else source]
    assert labels(canvas.axes[0]) == expected
    assert canvas.axes[0].get_title() == f"{kind} attention, layer 1, head 2"
    assert (canvas.axes[0].get_xlabel(), canvas.axes[0].get_ylabel()) == ("key", "query")
    assert shades(canvas)[0] == ("Blues", 0, 1)

    live = figures.LiveTranslator(sentences="ich möchte ein Bier .")
    live.kind, live.layer, live.head = kind, 1, 2
    canvas = still(live)
    translation = tl.load_translator().translate("ich möchte ein Bier .")
    source, read, written = (
        translation.source_tokens,
        translation.decoder_tokens,
        translation.tokens,
    )
    all_close(images(canvas)[:1], [getattr(translation.attention, kind)[1][0, 2]], 0.05)
    assert labels(canvas.axes[0]) == [
        source if kind == "encoder" else written,
        read if kind == "decoder" else source,
    ]
    assert canvas.axes[0].get_title() == f"{kind} attention, layer 1, head 2"
    assert shades(canvas)[0] == ("Blues", 0, 1)


@pytest.mark.parametrize("off", [(), (1,), (0, 1, 2)])
def test_head_lanes(off):
    translation = untrained("a b c d e".split(), d_model=24, n_heads=3)
    figure = figures.HeadLanes(translation, layer=1, row=2)
    for head in off:
        setattr(figure, f"head_{head}", False)
    canvas = still(figure)

    heard, model = {}, translation.translator.model
    attention = model.decoder[1].cross_attention
    for name in ("w_q", "w_o"):
        module = getattr(attention, name)
        module.register_forward_hook(
            lambda _, given, output, name=name: heard.update({name: (given[0][0], output[0])})
        )
    encode = translation.translator.target_vocabulary.encode  # both sides have the same words
    ids = encode(translation.source_tokens), encode(translation.decoder_tokens)
    with torch.no_grad():
        maps = model(*(torch.tensor([row]) for row in ids), return_attention=True)[1].cross[1][
            0
        ]  # (H, T, S)
        x, queries = heard["w_q"]
        strips = heard["w_o"][0]  # (T, D)
        joined = strips.clone()
        for head in off:
            joined[:, 8 * head : 8 * head + 8] = 0
        output = attention.w_o(joined)
    expected = [x / x.abs().max()]
    for h in range(3):
        own = slice(8 * h, 8 * h + 8)
        strip = strips[:, own] / strips.abs().max()
        expected += [queries[:, own] / queries.abs().max(), maps[h], strip, strip * (h not in off)]
    expected.append(output / (output.abs().max() or 1))
    all_close(images(canvas), expected, 0.01)
    for ax in canvas.axes:
        (chosen,) = ax.patches
        assert (chosen.get_y(), chosen.get_height()) == (1.5, 1), "the query's row has a frame"
    named = [ax.get_ylabel() for ax in canvas.axes if ax.get_ylabel()]
    assert named == ["X", "queries", "map", "strip", "joined", "output"]
    assert [ax.get_title() for ax in canvas.axes if ax.get_title()] == [
        "head 0",
        "head 1",
        "head 2",
    ]
    assert [rows for rows, _ in map(labels, canvas.axes) if rows] == [
        translation.decoder_tokens
    ]  # of the first map
    maps = [2 + 4 * h for h in range(3)]
    assert [look == ("Blues", 0, 1) for look in shades(canvas)] == [i in maps for i in range(14)]
    assert {look[1:] for i, look in enumerate(shades(canvas)) if i not in maps} == {(-1, 1)}


def test_heads_in_memory():
    canvas = still(figures.HeadsInMemory(torch.arange(48.0).view(3, 16), n_heads=4))
    right = torch.arange(4).expand(3, 4)  # head h is given the h-th block of each word
    wrong = (
        torch.arange(4).repeat_interleave(3).view(3, 4)
    )  # a view as (heads, words) counts through the blocks
    all_close(images(canvas), [right, wrong])
    assert [ax.get_title() for ax in canvas.axes] == ["view, then transpose", "view alone"]


def test_machine_map():
    figure = EXAMPLES["MachineMap"].make()
    figure.written, figure.part = 2, "memory"
    canvas = still(figure)
    written = list(texts(canvas)[0].values())
    boxes = {patch: patch.get_facecolor()[:3] for patch in canvas.axes[0].patches}
    for box in BOXES:
        middle = box.x + BOX / 2, box.y + box.height / 2
        assert texts(canvas)[0][middle] == box.label
    for word, probability in figure.candidates():
        assert f"{word}  {probability:.3f}" in written
    source, read = (
        " ".join(words).split() for words in (figure.source_tokens, figure.decoder_tokens[:3])
    )
    assert [text.split() for text in written[-2:]] == [source, read]
    chosen = [patch for patch, colour in boxes.items() if np.allclose(colour, to_rgb("#fff4d6"))]
    assert [(patch.get_x(), patch.get_y()) for patch in chosen] == [
        (OF["memory"].x, OF["memory"].y)
    ]


@pytest.mark.parametrize("kind", ["none", "padding", "causal", "both"])
def test_masks(kind):
    figure = figures.Masks(WORDS, kind=kind)
    canvas = still(figure)
    ids = torch.tensor([[4, 5, 6, 0]])
    mask = torch.ones(4, 4, dtype=torch.bool)
    if kind in ("padding", "both"):
        mask = mask & tl.padding_mask(ids)[0, 0]
    if kind in ("causal", "both"):
        mask = mask & tl.causal_mask(4)
    x = torch.tensor(figure.x)
    _, weights = tl.scaled_dot_product_attention(x, x, x, mask)
    all_close(images(canvas), [weights])
    assert shades(canvas) == [("Blues", 0, 1)]
    assert texts(canvas) == [{(j, i): "×" for i, j in np.argwhere(~mask.numpy())}]
    assert labels(canvas.axes[0]) == [WORDS, WORDS]


def test_one_weight():
    ax = still(figures.OneWeight(weight=3.0, rate=0.05, steps=2)).axes[0]
    loss, path = curves(ax)
    given, wanted = figures.OneWeight.constants["input"], figures.OneWeight.constants["wanted"]
    weight, taken = torch.tensor(3.0, requires_grad=True), []
    for _ in range(3):
        found = (weight * given - wanted) ** 2
        taken.append([weight.item(), found.item()])
        (slope,) = torch.autograd.grad(found, weight)
        weight = (weight - 0.05 * slope).detach().requires_grad_()
    all_close([path, loss[:, 1]], [taken, (loss[:, 0] * given - wanted) ** 2], 1e-4)
    assert [loss[0, 0], loss[-1, 0]] == [figures.OneWeight.constants[end] for end in ("from", "to")]


def test_path_lengths():
    axes = still(figures.PathLengths(n=7, k=3, step=2)).axes
    assert [ax.get_title(loc="left") for ax in axes] == [
        "convolution: 3 steps", "recurrence: 6 steps", "attention: 1 step",
    ]  # fmt: skip
    ways = {"convolution": [0, 2, 4, 6], "recurrence": range(7), "attention": [0, 6]}
    for ax, places in zip(axes, ways.values(), strict=True):
        *_, whole, taken, now = curves(ax)
        assert [*whole[:, 0]] == [*places]
        assert [*taken[:, 0]] == [*places][:3]
        assert now[0, 0] == taken[-1, 0]
    layers = [
        {line[0, 1] for line in curves(ax) if len(line) == 7 and np.ptp(line[:, 1]) == 0}
        for ax in axes
    ]
    assert layers == [{0, 1, 2, 3}, {0}, {0, 1}], "the recurrence goes along one"
    heard = [sorted(line[:, 0]) for line in curves(axes[0]) if len(line) == 2]
    assert [2, 4] in heard and [3, 4] in heard and [1, 4] not in heard, "a width of 3"


def test_positions():
    all_close(images(still(EXAMPLES["Positions"].make()))[:1], [tl.sinusoidal_encoding(20, 16)])


def test_prediction():
    figure = EXAMPLES["Prediction"].make()
    (text,) = still(figure).texts
    assert text.get_text().split("\n") == [
        "What weight does the padding get?", "- 0 %", "- 9 %", "- 33 %", "Answer: 9 %. e⁰ is 1.",
    ]  # fmt: skip
    (text,) = still(figures.Predictions(5)).texts
    assert "With JavaScript, your predictions" in text.get_text()


def test_recall():
    ax = still(figures.Recall(length=8)).axes[0]
    *models, guess = curves(ax)
    found = measured()
    for line, name in zip(models, ("one vector", "attention"), strict=True):
        assert [*line[:, 0]] == found["lengths"][:8]
        np.testing.assert_allclose(line[:, 1], np.mean(found[name], axis=1)[:8])
    assert {*guess[:, 1]} == {1 / 26}


def test_softmax_scale():
    figure = figures.SoftmaxScale(d_k=256, n_keys=5, query=3)
    canvas = still(figure)
    raw = torch.from_numpy(figure.raw_scores(256)[3, :5])
    for ax, scores in zip(canvas.axes, (raw, raw / 16), strict=True):
        np.testing.assert_allclose([bar.get_height() for bar in ax.patches], scores.softmax(-1))
    assert ["√" in ax.get_title() for ax in canvas.axes] == [False, True]
    colours = [ax.patches[0].get_facecolor()[:3] for ax in canvas.axes]
    np.testing.assert_allclose(
        colours, [to_rgb(palette.COLOURS[role]) for role in ("raw", "scaled")]
    )


def test_training_playground():
    figure = EXAMPLES["TrainingPlayground"].make()
    figure.sentence = 1
    left, right = still(figure).axes
    rows, columns = labels(left)
    assert columns == list(figure.target_words)
    target = [word for word in figure.target[1] if word][:-1]
    assert rows == [figure.target_words[i] for i in target]
    look = figure._untrained()["logits"]
    logits = torch.tensor(look["data"]).view(look["shape"])[1, : len(target)]
    all_close(images(left.figure), [logits.softmax(-1)])
    assert shades(left.figure) == [("Blues", 0, 1)]
    assert [line[0, 1] for line in curves(right)] == [*figure.floors.values()]
    assert [*texts(right.figure)[1].values()] == [*figure.floors]


def test_training_replay():
    maps = torch.rand(2, 3, 2, 4, 5).softmax(-1)  # runs, epochs, heads, queries, keys
    losses = [[3.0, 2.0, 1.0], [4.0, 3.5, 3.0]]
    runs = {
        name: list(zip(history, run, strict=True))
        for name, history, run in zip("ab", losses, maps, strict=True)
    }
    canvas = still(figures.TrainingReplay(runs, rows="wxyz", columns="vwxyz", epoch=1, head=1))
    ax = canvas.axes[0]
    assert [[*line[:, 1]] for line in curves(ax)] == losses
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_yscale()) == ("epoch", "loss", "log")
    assert shades(canvas) == [("Blues", 0, 1)] * 2
    assert {text.get_text(): text.get_position() for text in ax.texts} == {
        "a": (2, 1.0),
        "b": (2, 3.0),
    }
    all_close(images(canvas), maps[:, 1, 1], 0.003)
