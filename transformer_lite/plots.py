"""Pictures for the page: one style for all plots of the book, and the heat maps of attention.

The interactive figures in ``figures`` show one head at a time; ``attention_grid`` shows all of them, on paper.
"""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from torch import Tensor

from .figures.palette import COLOURS, WEIGHTS

WEIGHT_MAP = LinearSegmentedColormap.from_list("weights", WEIGHTS)
WIDTH = 4.4  # inches: on a phone such a picture is shown at three quarters, and its letters are still 9 pixels high


def use_style() -> None:
    """Draw from now on as the book does: small vector pictures without frames, in the colours of its figures.

    A picture is 4.4 inches wide unless ``figsize`` says otherwise, transparent, and in a notebook an SVG. The first
    three colours of lines are those of query, key and value: ``plots.COLOURS`` has all by their names.
    """
    sns.set_theme(
        context="notebook",
        style="ticks",
        palette=[COLOURS[name] for name in ("weight", "raw", "query", "key", "value")],
        rc={
            "figure.figsize": (WIDTH, 2.8),
            "figure.facecolor": "none",
            "axes.facecolor": "none",
            "savefig.facecolor": "none",
            "figure.constrained_layout.use": True,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlesize": 10,
            "axes.labelsize": 10,
            "font.size": 10,
            "xtick.labelsize": 9.5,
            "ytick.labelsize": 9.5,
            "legend.fontsize": 9.5,
            "legend.frameon": False,
            "lines.linewidth": 1.8,
            "svg.fonttype": "none",
        },
    )
    try:
        from matplotlib_inline.backend_inline import set_matplotlib_formats

        set_matplotlib_formats("svg")
    except (ImportError, AttributeError):  # not in a notebook: a window or a file has its own format
        pass


def attention_map(weights: Tensor, queries: Sequence[str], keys: Sequence[str], ax: Axes | None = None) -> Axes:
    """One attention map with its weights written in: rows are queries, columns keys.

    weights: ``(len_q, len_k)`` in [0, 1]. queries, keys: their tokens. ax: where to draw, a new picture unless given.
    Raises ValueError if the labels are not as many as the rows and columns that they stand for.
    """
    _check_labels(weights, queries, keys)
    ax = ax or plt.gca()
    sns.heatmap(
        weights.detach().cpu().numpy(), vmin=0, vmax=1, cmap=WEIGHT_MAP, cbar=False, square=True, ax=ax, annot=True,
        fmt=".2f", annot_kws={"size": 9}, linewidths=1, xticklabels=keys, yticklabels=queries,
    )  # fmt: skip
    ax.tick_params(length=0)
    ax.tick_params("y", rotation=0)
    ax.set(xlabel="key", ylabel="query")
    return ax


def _check_labels(weights: Tensor, queries: Sequence[str], keys: Sequence[str]) -> None:
    *_, len_q, len_k = weights.shape
    if (len(queries), len(keys)) != (len_q, len_k):
        raise ValueError(
            f"the maps have {len_q} rows and {len_k} columns; got {len(queries)} queries and {len(keys)} keys to "
            "label them"
        )


def attention_grid(maps: Sequence[Tensor], queries: Sequence[str], keys: Sequence[str], sentence: int = 0) -> Figure:
    """Every head of every layer as a small heat map: layers from top to bottom, heads from left to right.

    maps: one ``(batch, n_heads, len_q, len_k)`` a layer, weights in [0, 1]. queries, keys: the tokens of that sentence
    of the batch, which label rows and columns. Returns the matplotlib figure.

    Raises ValueError if the labels are not as many as the rows and columns that they stand for.
    """
    _check_labels(maps[0], queries, keys)
    _, n_heads, len_q, len_k = maps[0].shape
    size = 0.32
    figure, axes = plt.subplots(
        len(maps),
        n_heads,
        figsize=(n_heads * (len_k * size + 0.3) + 1.6, len(maps) * (len_q * size + 0.4) + 0.9),
        squeeze=False,
        sharex=True,
        sharey=True,
        layout="constrained",
    )
    for layer, row in enumerate(axes):
        for head, ax in enumerate(row):
            weights = maps[layer][sentence, head].detach().cpu().numpy()
            sns.heatmap(
                weights,
                vmin=0,
                vmax=1,
                cmap=WEIGHT_MAP,
                cbar=False,
                square=True,
                ax=ax,
                xticklabels=keys,
                yticklabels=queries,
            )
            ax.set_title(f"layer {layer}, head {head}", fontsize="medium")
            ax.tick_params(length=0)
            ax.tick_params("x", rotation=90)
            ax.tick_params("y", rotation=0)
    figure.colorbar(axes[0, 0].collections[0], ax=axes, label="weight", shrink=0.6, pad=0.02)
    figure.supylabel("query")
    figure.supxlabel("key")
    return figure
