"""Pictures for the page: one style for all plots, and attention as heat maps and as lines.

The interactive figures in ``figures`` show one head at a time; ``attention_grid`` shows all of
them, on paper.
"""

import base64
import html
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.textpath import TextPath
from torch import Tensor

from .palette import ABOVE, BELOW, COLOURS, WEIGHTS

WEIGHT_MAP = LinearSegmentedColormap.from_list("weights", WEIGHTS)
SIGNED_MAP = LinearSegmentedColormap.from_list(
    "signed", [[part / 255 for part in BELOW], "white", [part / 255 for part in ABOVE]]
)
# inches: wide enough for a sentence; on a desk its caption stands beside it
WIDTH = 4.4
# points: on a phone whose 360 pixels the picture fills, 12.3 pixels, and on a desk 14.4
LETTERS = 10.8
# The book's own letters, then the one that comes with matplotlib: the same on every machine
FAMILIES = ["Attention Sans", "DejaVu Sans"]
FAMILY_NAME = 1  # where a font's table of names keeps it
FONTS = sorted(Path(__file__).with_name("letters").glob("*.ttf"))


def use_style() -> None:
    """Draw from now on as the book does: small, without frames, in the colours of its figures.

    A picture is 4.4 inches wide unless ``figsize`` says otherwise, transparent, and in a notebook
    an SVG that carries its letters. They are about as high as those of the interactive figures.
    Lines are drawn in the colours of weights, raw scores, queries, keys and values, in this order;
    ``plots.COLOURS`` has all by their names.
    """
    for file in FONTS:
        font_manager.fontManager.addfont(file)
    sns.set_theme(
        context="notebook",
        style="ticks",
        palette=[COLOURS[name] for name in ("weight", "raw", "query", "key", "value")],
        rc={
            "figure.figsize": (WIDTH, 2.8),
            "figure.facecolor": "none",
            "axes.facecolor": "none",
            "savefig.facecolor": "none",
            "savefig.pad_inches": 0.02,
            "figure.constrained_layout.use": True,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlesize": LETTERS,
            "axes.labelsize": LETTERS,
            "font.family": FAMILIES,
            "font.size": LETTERS,
            "mathtext.fontset": "custom",
            **{f"mathtext.{shape}": FAMILIES[0] for shape in ("rm", "it", "cal", "sf", "tt")},
            "mathtext.bf": f"{FAMILIES[0]}:bold",
            "xtick.labelsize": LETTERS,
            "ytick.labelsize": LETTERS,
            "legend.fontsize": LETTERS,
            "legend.frameon": False,
            "lines.linewidth": 1.8,
            "svg.fonttype": "none",
            # 0.001, not a power: on a phone its exponent would be too small
            "axes.formatter.min_exponent": 100,
        },
    )
    try:
        from IPython import get_ipython
        from IPython.core.pylabtools import print_figure
        from matplotlib_inline.backend_inline import set_matplotlib_formats

        set_matplotlib_formats("svg")
        formatter = get_ipython().display_formatter.formatters["image/svg+xml"]
        formatter.for_type(Figure, lambda figure: with_letters(print_figure(figure, "svg")))
    except (ImportError, AttributeError):
        pass  # not in a notebook: a window or a file has its own format


def with_letters(svg: str) -> str:
    """The picture with the letters of its texts in it: browsers look nowhere else for them."""
    texts = re.sub("<[^>]*>", "", "".join(re.findall(r"<text\b.*?</text>", svg, re.DOTALL)))
    letters = {*map(ord, html.unescape(texts)), ord("\N{MINUS SIGN}")}
    is_bold = re.search("font-weight: (bold|[6-9]00)", svg)
    files = {file: letters for file in FONTS if is_bold or "bold" not in file.name}
    files[Path(font_manager.findfont(FAMILIES[1]))] = letters - _characters(FONTS[0])
    rules = (_face(file, frozenset(some & _characters(file))) for file, some in files.items())
    # Else some browsers round each letter's width up, and cut a long label at the picture's edge
    style = "text{text-rendering:geometricPrecision}" + "".join(rules)
    return re.sub(r"(<svg\b[^>]*>)", rf"\1<style>{style}</style>", svg, count=1)


@cache
def _characters(file: Path) -> set[int]:
    return {*TTFont(file).getBestCmap()}


@cache
def _face(file: Path, characters: frozenset[int]) -> str:
    """The rule of CSS that brings these characters of a font, if there are any."""
    if not characters:
        return ""
    font = TTFont(file)
    options = Options(
        hinting=False,
        name_IDs=[FAMILY_NAME],
        drop_tables=["GPOS", "GSUB", "GDEF", "BASE", "STAT", "FFTM"],
    )
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(font)
    font.flavor = "woff"
    data = io.BytesIO()
    font.save(data)
    rule = {
        "font-family": f"'{font['name'].getDebugName(FAMILY_NAME)}'",
        "font-weight": font["OS/2"].usWeightClass,
        "src": f"url(data:font/woff;base64,{base64.b64encode(data.getvalue()).decode()})",
    }
    return f"@font-face{{{';'.join(f'{name}:{value}' for name, value in rule.items())}}}"


def attention_map(
    weights: Tensor, queries: Sequence[str], keys: Sequence[str], ax: Axes | None = None
) -> Axes:
    """One attention map with its weights written in: rows are queries, columns keys. From eight
    columns on there is no room for the 0 before the point.

    weights: ``(len_q, len_k)`` in [0, 1]. queries, keys: their tokens. ax: where to draw, the
    current axes unless given. Raises ValueError for weights of another shape, and if there is not a
    label for each row and column.
    """
    _check_labels(weights, queries, keys)
    ax = ax or plt.gca()
    narrow = len(keys) > 7
    sns.heatmap(
        _array(weights),
        vmin=0,
        vmax=1,
        cmap=WEIGHT_MAP,
        cbar=False,
        square=True,
        ax=ax,
        annot=np.array([[_share(weight, narrow) for weight in row] for row in _array(weights)]),
        fmt="",
        annot_kws={"size": LETTERS},
        linewidths=1,
        xticklabels=_literal(keys),
        yticklabels=_literal(queries),
    )
    written = ax.texts[-weights.numel() :]
    for text, weight in zip(written, weights.flatten().tolist(), strict=True):
        # Where the maps for light and dark turn
        text.set_color("white" if weight > 0.44 else "black")
    ax.tick_params(length=0)
    ax.tick_params("y", rotation=0)
    ax.set(xlabel="key", ylabel="query")
    return ax


def numbers(
    block: Tensor, rows: Sequence[str] = (), ax: Axes | None = None, decimals: int = 1
) -> Axes:
    """A matrix with its numbers written in: blue above zero, orange below, paler the closer to it.

    block: ``(n, d)``. rows: a label for each of the n rows, or none. ax: where to draw, the current
    axes unless given. Raises ValueError if there are labels, but not one for each row.
    """
    if rows and len(rows) != len(block):
        raise ValueError(f"{len(block)} rows need as many labels, or none; got {len(rows)}")
    ax = ax or plt.gca()
    block = _array(block)
    # Half of the strongest tone is still pale enough to read a number on
    limit = 2 * abs(block).max() or 1
    written = np.array([[_signed(number, f".{decimals}f") for number in row] for row in block])
    sns.heatmap(
        block,
        vmin=-limit,
        vmax=limit,
        cmap=SIGNED_MAP,
        cbar=False,
        ax=ax,
        annot=written,
        fmt="",
        annot_kws={"size": LETTERS, "color": "black"},
        linewidths=1,
        xticklabels=False,
        yticklabels=_literal(rows) or False,
    )
    ax.tick_params(length=0)
    ax.tick_params("y", rotation=0)
    return ax


def _strip(ax: Axes, block: Tensor, role: str, title: str, of: Tensor) -> None:
    """A block in tones that would reach half as far again as the numbers of `of`: what is written
    on the strongest can still be read. Four columns have room for the numbers themselves.
    """
    limit = 1.5 * of.abs().max()
    look = {"vmin": -limit, "vmax": limit, "cmap": SIGNED_MAP}
    ax.pcolormesh(block.flip(0), **look, edgecolors="#bbbbbb", linewidth=0.4)
    ax.set_xlabel(title, color=COLOURS[role])
    ax.set(xticks=[], yticks=[])
    sns.despine(ax=ax, left=True, bottom=True)
    if block.size(1) > 4:
        return
    for (i, j), number in np.ndenumerate(block.flip(0).numpy()):
        middle = {"ha": "center", "va": "center", "color": "black"}
        ax.text(j + 0.5, i + 0.5, _signed(number, ".3g"), **middle)


def _signed_bars(ax: Axes, lengths: Tensor, role: str, title: str) -> None:
    """A bar for each number, from the top down, with the number at its end."""
    lengths = lengths.flip(0).numpy()
    ax.barh(range(len(lengths)), lengths, height=0.7, color=COLOURS[role])
    for i, length in enumerate(lengths):
        below = length < 0
        gap = -2 if below else 2
        ax.annotate(
            _signed(length, ".2f"),
            (length, i),
            (gap, 0),
            textcoords="offset points",
            ha="right" if below else "left",
            va="center",
        )
    ax.set_xlabel(title, color=COLOURS[role])
    low = min(lengths.min(), 0)
    high = max(lengths.max(), 0)
    room = 0.9 * (high - low)  # for a number at the end of the longest bar
    left = low - room if low < 0 else 0
    ax.set(xticks=[], yticks=[], ylim=(-0.5, len(lengths) - 0.5), xlim=(left, high + room))
    sns.despine(ax=ax, left=True, bottom=True)
    ax.axvline(0, color="#888888", linewidth=0.8)


def attention_row(
    query: Tensor, keys: Tensor, values: Tensor, words: Sequence[str], scale: float = 1.0
) -> Figure:
    """One query's attention, from left to right: its keys, their scores, their weights, and the
    values they pay out.

    query: ``(d_k,)``; keys: ``(len_k, d_k)``; values: ``(len_k, d_v)``; words: the tokens of the
    keys; scale: the factor on the scores. The query stands above the keys. Each value is drawn
    times its weight, and the sum of the column, which is the output, below it. Numbers above zero
    are blue, below zero orange; a bar below zero has its number at its end. Returns the figure.

    Raises ValueError if there are not as many words as keys.
    """
    if len(words) != len(keys):
        raise ValueError(f"{len(keys)} keys need as many words to label them; got {len(words)}")
    query, keys, values = (x.detach().cpu().double() for x in (query, keys, values))
    scores = keys @ query * scale
    weights = scores.softmax(0)
    shares = weights[:, None] * values
    n = len(words)
    figure, axes = plt.subplots(
        3, 4, figsize=(WIDTH, 0.27 * n + 1.3), height_ratios=[1, n, 1], width_ratios=[4, 3, 3, 4.4]
    )
    for ax in axes[[0, 0, 0, 2, 2, 2], [1, 2, 3, 0, 1, 2]]:
        ax.axis("off")

    _strip(axes[0, 0], query[None], "query", "query", query)
    _strip(axes[1, 0], keys, "key", "keys", keys)
    axes[1, 0].set_yticks([i + 0.5 for i in range(n)], _literal(words)[::-1])
    axes[1, 0].tick_params(length=0)
    _signed_bars(axes[1, 1], scores, "raw", "score")
    _signed_bars(axes[1, 2], weights, "weight", "weight")
    _strip(axes[1, 3], shares, "value", "faded values", values)
    _strip(axes[2, 3], shares.sum(0, keepdim=True), "value", "their sum", values)
    return figure


def runs(
    kinds: Mapping[str, Sequence[float]],
    colours: Sequence[str],
    ax: Axes | None = None,
    hollow: bool = False,
) -> Axes:
    """One row for each kind of training, from the top: a dot for each of its runs, on a thin line
    from the lowest to the highest. Of three neighbours one stands on it, one above and one below,
    so that none hides another.

    kinds: the results of each, by its name. colours: one for each. ax: where to draw, the current
    axes unless given. hollow: rings instead of dots.
    """
    ax = ax or plt.gca()
    for row, (results, colour) in enumerate(zip(kinds.values(), colours, strict=True)):
        ends = [min(results), max(results)]
        ax.plot(ends, [-row, -row], color=colour, linewidth=1, alpha=0.6, zorder=1)
        heights = [-row + (0, 0.2, -0.2)[n % 3] for n in range(len(results))]
        look = {"markerfacecolor": "none" if hollow else colour, "alpha": 1 if hollow else 0.75}
        ax.plot(sorted(results), heights, "o", color=colour, markersize=5.5, clip_on=False, **look)
    ax.set_yticks(range(0, -len(kinds), -1), _literal(kinds))
    ax.set_ylim(-len(kinds) + 0.5, 0.5)
    ax.tick_params("y", length=0)
    ax.spines["left"].set_visible(False)
    return ax


def name_lines(ax: Axes) -> None:
    """Write the label of each line at its right end, in its colour, as no legend can. Names that
    would touch move apart.
    """
    ax.figure.draw_without_rendering()  # so that heights are known
    named = [line for line in ax.lines if not line.get_label().startswith("_")]
    ends = {line: (line.get_xdata(False)[-1], line.get_ydata(False)[-1]) for line in named}
    points = 72 / ax.figure.dpi
    own = {line: points * ax.transData.transform(end)[1] for line, end in ends.items()}
    order = sorted(named, key=own.__getitem__)
    heights = [own[line] for line in order]
    for _ in range(50):
        for low in range(len(order) - 1):
            lacking = 1.4 * LETTERS - (heights[low + 1] - heights[low])
            if lacking > 0:
                heights[low] -= lacking / 2
                heights[low + 1] += lacking / 2
    for line, height in zip(order, heights, strict=True):
        offset = 6, height - own[line]
        look = {"color": line.get_color(), "va": "center"}
        ax.annotate(line.get_label(), ends[line], offset, textcoords="offset points", **look)


def words_above(
    ax: Axes,
    words: Sequence[str],
    first: float = 0.5,
    colour: str = "black",
    slant: int = 50,
) -> None:
    """The words of a table's columns above them and slanted, where they are read more easily than
    upright below. first: where the middle of the first column is. slant: in degrees; words over
    narrow columns must stand steeper, so as not to touch.
    """
    ax.xaxis.tick_top()
    look = {"rotation": slant, "ha": "left", "rotation_mode": "anchor", "color": colour}
    ax.set_xticks([n + first for n in range(len(words))], _literal(words), **look)
    ax.tick_params("x", length=0, pad=2)


def word_row(ax: Axes, words: Sequence[str], y: float, color: str = "#1b2430") -> list[float]:
    """Write a sentence across ``ax`` at the height ``y``; returns the x of each word's middle.

    The axes are in points, ``(0, 0)`` at the lower left, as ``lanes`` makes them. Words that do not
    fit are not cut: they come closer to each other.
    """
    words = _literal(words)
    widths = [TextPath((0, 0), word, size=LETTERS).get_extents().width for word in words]
    left, right = ax.get_xlim()
    left += 6  # a browser's font may be wider
    right -= 6
    gap = min(22.0, (right - left - sum(widths)) / max(1, len(words) - 1))
    x = (left + right - sum(widths) - gap * (len(words) - 1)) / 2
    middles = []
    for word, width in zip(words, widths, strict=True):
        middles.append(x + width / 2)
        ax.text(middles[-1], y, word, size=LETTERS, ha="center", va="center", color=color)
        x += width + gap
    return middles


def lanes(height: float) -> Axes:
    """An empty picture, as wide as the book and ``height`` inches high, measured in points."""
    _, ax = plt.subplots(figsize=(WIDTH, height))
    ax.set(xlim=(0, 72 * WIDTH), ylim=(0, 72 * height))
    ax.axis("off")
    return ax


def attention_lines(
    weights: Tensor, queries: Sequence[str], keys: Sequence[str], ax: Axes | None = None
) -> Axes:
    """Who looks where: the keys' sentence above, the queries' below, lines as thick as weights.

    weights: ``(len_q, len_k)`` in [0, 1]. queries, keys: their tokens. ax: what ``lanes`` made, a
    new one unless given. Raises ValueError for weights of another shape, and if there is not a
    token for each row and column.
    """
    _check_labels(weights, queries, keys)
    ax = ax or lanes(1.5)
    top = ax.get_ylim()[1]
    above = word_row(ax, keys, top - 10, COLOURS["key"])
    below = word_row(ax, queries, 10, COLOURS["query"])
    for row, x_query in zip(weights.tolist(), below, strict=True):
        for weight, x_key in zip(row, above, strict=True):
            if weight >= 0.01:  # a thinner line would not be seen
                line = dict(lw=4 * weight, alpha=0.25 + 0.75 * weight, solid_capstyle="round")
                ax.plot([x_query, x_key], [20, top - 20], color=COLOURS["weight"], **line)
    return ax


def _signed(number: float, form: str) -> str:
    """A number as text, with a proper minus sign instead of a hyphen."""
    return f"{number:{form}}".replace("-", "\N{MINUS SIGN}")


def _share(weight: float, narrow: bool) -> str:
    """A weight in hundredths: 0.95, or in a narrow cell .95, and 0 or 1 for what rounds to it."""
    written = _signed(weight, ".2f")
    if not narrow:
        return written
    return str(round(weight)) if round(weight, 2) in (0, 1) else written.replace("0.", ".", 1)


def _array(numbers: Tensor) -> np.ndarray:
    """The numbers as matplotlib takes them: numpy has no bfloat16."""
    return numbers.detach().cpu().double().numpy()


def _literal(words: Iterable) -> list[str]:
    """The words as matplotlib needs them: between two dollars it would see a formula."""
    return [str(word).replace("$", r"\$") for word in words]


def _check_labels(
    weights: Tensor, queries: Sequence[str], keys: Sequence[str], axes: str = "(len_q, len_k)"
) -> None:
    if weights.dim() != len(axes.split()):
        raise ValueError(f"a map has shape {axes}; got {tuple(weights.shape)}")
    *_, len_q, len_k = weights.shape
    if (len(queries), len(keys)) != (len_q, len_k):
        raise ValueError(
            f"the maps have {len_q} rows and {len_k} columns; got {len(queries)} queries and "
            f"{len(keys)} keys to label them"
        )


def attention_grid(
    maps: Sequence[Tensor], queries: Sequence[str], keys: Sequence[str], sentence: int = 0
) -> Figure:
    """Every head as a small heat map: layers from top to bottom, heads from left to right.

    maps: one ``(batch, n_heads, len_q, len_k)`` per layer, weights in [0, 1]. queries, keys: the
    tokens of that sentence of the batch, which label rows and columns. Returns the matplotlib
    figure.

    Raises ValueError for maps of another shape, and if there is not a label for each row and
    column.
    """
    if len(different := {tuple(map_.shape) for map_ in maps}) != 1:
        raise ValueError(
            f"all layers must have one shape, and one layer be there; got {sorted(different)}"
        )
    _check_labels(maps[0], queries, keys, "(batch, n_heads, len_q, len_k)")
    if not 0 <= sentence < len(maps[0]):
        raise ValueError(f"the batch has sentences 0 to {len(maps[0]) - 1}; got {sentence}")
    _, n_heads, len_q, len_k = maps[0].shape
    # inches: words stay as large as in other pictures
    cell = min(0.32, max(0.2, (WIDTH - 1.1) / (n_heads * len_k)))
    figure, axes = plt.subplots(
        len(maps),
        n_heads,
        figsize=(n_heads * len_k * cell + 1.2, len(maps) * (len_q * cell + 0.1) + 1.7),
        squeeze=False,
        sharex=True,
        sharey=True,
        layout="constrained",
    )
    for layer, row in enumerate(axes):
        for head, ax in enumerate(row):
            weights = _array(maps[layer][sentence, head])
            # Not seaborn's heatmap, which draws all maps anew for each to see whether labels
            # overlap.
            ax.pcolormesh(weights, vmin=0, vmax=1, cmap=WEIGHT_MAP)
            ax.set(xlim=(0, len_k), ylim=(len_q, 0), aspect="equal")
            ax.set_xticks([k + 0.5 for k in range(len_k)], _literal(keys), rotation=90)
            ax.set_yticks([q + 0.5 for q in range(len_q)], _literal(queries), va="center")
            ax.tick_params(length=0)
            sns.despine(ax=ax, left=True, bottom=True)
        row[0].set_ylabel(f"layer {layer}\nquery")
    for head, column in enumerate(axes.T):
        column[0].set_title(f"head {head}")
        column[-1].set_xlabel("key")
    figure.colorbar(
        axes[0, 0].collections[0], ax=axes, label="weight", location="bottom", shrink=0.6, aspect=30
    )
    return figure
