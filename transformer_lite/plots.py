"""Pictures for the page: the heat maps of attention, many at once.

The interactive figures in ``figures`` show one head at a time; these show all of them, on paper.
"""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import seaborn as sns
from matplotlib.figure import Figure
from torch import Tensor


def attention_grid(maps: Sequence[Tensor], queries: Sequence[str], keys: Sequence[str], sentence: int = 0) -> Figure:
    """Every head of every layer as a small heat map: layers from top to bottom, heads from left to right.

    maps: one ``(batch, n_heads, len_q, len_k)`` a layer, weights in [0, 1]. queries, keys: the tokens of that sentence
    of the batch, which label rows and columns. Returns the matplotlib figure.

    Raises ValueError if the labels are not as many as the rows and columns that they stand for.
    """
    _, n_heads, len_q, len_k = maps[0].shape
    if (len(queries), len(keys)) != (len_q, len_k):
        raise ValueError(
            f"the maps have {len_q} rows and {len_k} columns; got {len(queries)} queries and {len(keys)} keys to "
            "label them"
        )
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
                cmap="YlGnBu",
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
