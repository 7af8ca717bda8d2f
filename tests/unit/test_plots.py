"""The pictures of the chapters draw the numbers that they are given."""

import base64
import io
import re
import subprocess
import sys

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from fontTools.ttLib import TTFont
from IPython.core.pylabtools import print_figure

from attention_by_hand import plots
from transformer_lite import scaled_dot_product_attention

WORDS = ["the", "red", "door", "opens", "."]


def test_attention_row_draws_the_packages_weights_and_output():
    torch.manual_seed(0)
    query, keys, values = torch.randn(3), torch.randn(5, 3), torch.randn(5, 4)
    output, weights = scaled_dot_product_attention(query[None], keys, values)
    figure = plots.attention_row(query, keys, values, WORDS, scale=3**-0.5)
    drawn = {ax.get_xlabel(): ax for ax in figure.axes}
    assert [label.get_text() for label in drawn["keys"].get_yticklabels()] == WORDS[::-1], (
        "the first word on top"
    )
    bars = [bar.get_width() for bar in drawn["weight"].patches][::-1]
    assert np.allclose(bars, weights[0], atol=1e-6)
    written = [float(text.get_text().replace("−", "-")) for text in drawn["their sum"].texts]
    assert np.allclose(written, output[0], rtol=0.01)
    faded = drawn["faded values"].collections[0].get_array().reshape(5, 4)[::-1]
    assert np.allclose(faded, weights[0, :, None] * values, atol=1e-6)
    plt.close(figure)


def test_a_bar_below_zero_has_its_number_on_its_own_side():
    keys = torch.tensor([[2.0], [-1.0]])
    figure = plots.attention_row(torch.ones(1), keys, keys, ["a", "b"])
    (scores,) = (ax for ax in figure.axes if ax.get_xlabel() == "score")
    placed = {note.get_text(): (note.xy[0], note.get_ha()) for note in scores.texts}
    assert placed == {"2.00": (2, "left"), "−1.00": (-1, "right")}
    assert scores.get_xlim()[0] < -1
    plt.close(figure)


def test_the_first_query_of_a_map_is_its_first_row():
    ax = plots.attention_map(torch.tensor([[0.9, 0.1], [0.2, 0.8]]), "ab", "cd")
    assert [text.get_text() for text in ax.texts] == ["0.90", "0.10", "0.20", "0.80"]
    heights = [ax.transData.transform(text.get_position())[1] for text in ax.texts]
    assert heights[0] == heights[1] > heights[2]
    plt.close(ax.figure)


def test_a_map_of_many_columns_writes_its_weights_short():
    weights = torch.tensor([[0.954, 0.04, -0.002, 1.0, -0.25, 0.0, 0.0, 0.0]])
    words = [str(column) for column in range(8)]
    wide, narrow = (
        plots.attention_map(weights[:, :n], ["q"], words[:n], plt.subplots()[1]).texts
        for n in (7, 8)
    )
    assert [text.get_text() for text in wide[:2]] == ["0.95", "0.04"]
    assert " ".join(text.get_text() for text in narrow) == ".95 .04 0 1 −.25 0 0 0"
    plt.close("all")


def test_every_run_has_a_dot_of_its_own_in_the_row_of_its_kind():
    ax = plots.runs({"a": [3, 1, 1], "b": [2]}, ["red", "blue"], plt.subplots()[1])
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    assert [[*line.get_xdata()] for line in dots] == [[1, 1, 3], [2]]
    assert len({*zip(dots[0].get_xdata(), dots[0].get_ydata(), strict=True)}) == 3, "none is hidden"
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    assert [[*line.get_xdata()] for line in ax.lines if line not in dots] == [[1, 3], [2, 2]]
    plt.close(ax.figure)


def test_lines_are_named_at_their_ends_and_no_name_covers_another(styled):
    ax = plots.plt.gca()
    for name, end in (("a", 1.0), ("b", 1.01), ("c", 0)):
        ax.plot([0, 1], [0, end], label=name)
    plots.name_lines(ax)
    ax.figure.draw_without_rendering()
    boxes = {text.get_text(): text.get_window_extent() for text in ax.texts}
    assert boxes["b"].y0 >= boxes["a"].y1 > boxes["a"].y0 > boxes["c"].y1
    assert all(box.x0 > ax.transData.transform((1, 0))[0] for box in boxes.values())
    assert [text.get_color() for text in ax.texts] == [ax.lines[n].get_color() for n in (2, 0, 1)]


def test_words_stand_above_the_columns_of_a_map():
    ax = plots.attention_map(torch.eye(2), "ab", "cd", plt.subplots()[1])
    plots.words_above(ax, ["$c", "d"])
    ax.figure.draw_without_rendering()
    top = ax.get_window_extent().y1
    assert [label.get_text() for label in ax.get_xticklabels()] == [r"\$c", "d"]
    assert all(label.get_window_extent().y0 > top for label in ax.get_xticklabels())
    plt.close(ax.figure)


def test_numbers_writes_every_number():
    block = torch.tensor([[1.25, -0.5], [0.0, 3.0]])
    _, own = plt.subplots()
    ax = plots.numbers(block, ["a", "b"], own, decimals=2)
    assert [text.get_text() for text in ax.texts] == ["1.25", "−0.50", "0.00", "3.00"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    plt.close(ax.figure)


def test_maps_in_half_precision_are_drawn():
    weights = torch.rand(2, 2).softmax(-1).to(torch.bfloat16)
    plt.close(plots.attention_map(weights, "ab", "cd").figure)
    plt.close(plots.attention_lines(weights, "ab", "cd").figure)
    plt.close(plots.attention_grid([weights[None, None]], "ab", "cd"))
    plt.close(plots.attention_row(weights[0], weights, weights, "ab"))


GRID = torch.rand(1, 1, 2, 2)


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (lambda: plots.attention_map(GRID[0], "ab", "cd"), r"has shape \(len_q, len_k\)"),
        (lambda: plots.attention_grid([GRID[0]], "ab", "cd"), r"\(batch, n_heads, len_q, len_k\)"),
        (lambda: plots.attention_grid([], "ab", "cd"), "all layers must have one shape"),
        (lambda: plots.attention_grid([GRID, GRID[..., :1]], "ab", "cd"), "must have one shape"),
        (lambda: plots.attention_grid([GRID], "ab", "cd", sentence=1), "sentences 0 to 0; got 1"),
        (lambda: plots.attention_row(GRID[0, 0, 0], GRID[0, 0], GRID[0, 0], "a"), "as many words"),
        (lambda: plots.numbers(GRID[0, 0], ["a"]), "2 rows need as many labels, or none; got 1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, said):
    with pytest.raises(ValueError, match=said):
        draw()


def test_attention_grid_draws_every_head_of_every_layer():
    maps = [torch.rand(2, 3, 4, 5).softmax(-1) for _ in range(2)]
    figure = plots.attention_grid(maps, WORDS[:4], WORDS, sentence=1)
    figure.canvas.draw()
    drawn = [ax for ax in figure.axes if ax.get_aspect() == 1]
    assert len(drawn) == 2 * 3
    for number, ax in enumerate(drawn):
        layer, head = divmod(number, 3)
        assert np.allclose(ax.collections[0].get_array().reshape(4, 5), maps[layer][1, head])
        assert ax.collections[0].get_clim() == (0, 1), "one scale for all"
        assert ax.get_xlim() == (0, 5) and ax.get_ylim() == (4, 0), "the first query on top"
    assert [label.get_text() for label in drawn[3].get_xticklabels()] == WORDS
    assert [label.get_text() for label in drawn[3].get_yticklabels()] == WORDS[:4]
    assert [ax.get_title() for ax in drawn[:3]] == ["head 0", "head 1", "head 2"]
    assert [drawn[0].get_ylabel(), drawn[3].get_ylabel()] == ["layer 0\nquery", "layer 1\nquery"]
    plt.close(figure)


def test_what_a_layer_has_just_made_can_be_drawn():
    x = torch.ones(3, 2, requires_grad=True)
    plt.close(plots.attention_row(x[0], x, x, WORDS[:3]))


def test_dollars_and_underscores_are_no_formulas():
    words = ["$\\frac{$", "_x", "a$b$c"]
    weights = torch.full((1, 1, 3, 3), 1 / 3)
    for figure in (
        plots.attention_grid([weights], words, words),
        plots.attention_row(torch.ones(2), torch.ones(3, 2), torch.ones(3, 2), words),
        plots.attention_map(weights[0, 0], words, words).figure,
    ):
        figure.canvas.draw()
        plt.close(figure)


@pytest.fixture
def styled():
    """The book's style, for one test."""
    with plt.rc_context():
        plots.use_style()
        yield
    plt.close("all")


def characters(svg):
    """{weight: the characters} of the fonts in a picture."""
    found = {}
    for weight, data in re.findall(
        r"font-weight:(\d+);src:url\(data:font/woff;base64,(.+?)\)", svg
    ):
        font = TTFont(io.BytesIO(base64.b64decode(data)))
        found[weight] = found.get(weight, "") + "".join(map(chr, font.getBestCmap()))
    return found


def test_a_plot_brings_its_letters(styled, recwarn, caplog):
    axes = plots.attention_map(torch.ones(1, 2) / 2, ["我"], ["é", "⟲"])
    svg = plots.with_letters(print_figure(axes.figure, "svg"))
    found = characters(svg)
    assert found.keys() == {"400"} and {*"我é⟲0.5−"} <= {*found["400"]}
    assert len(found["400"]) < 25, "and no others"
    axes.set_title("中国", fontweight="bold")
    assert {*"中国"} <= {*characters(plots.with_letters(print_figure(axes.figure, "svg")))["700"]}
    # matplotlib would say that it lacks a glyph, or a weight
    assert not [*recwarn, *caplog.records]


def test_a_formula_in_a_plot_has_letters_of_the_book(styled):
    plt.gca().set_title(r"$W^2 \|J\|$")
    families = re.findall('font-family: ([^;"]+)', print_figure(plt.gcf(), "svg"))
    assert {family.partition(",")[0] for family in families} == {"'Attention Sans'"}


def test_a_notebook_shows_plots_with_their_letters():
    code = (
        "from IPython.core.interactiveshell import InteractiveShell;"
        "shell = InteractiveShell.instance();"
        "from attention_by_hand import plots; plots.use_style(); import matplotlib.pyplot as plt;"
        "print(shell.display_formatter.format(plt.gca().figure)[0]['image/svg+xml'])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert {*"0.246810"} <= {*characters(shown.stdout)["400"]}, shown.stderr
