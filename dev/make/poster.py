"""All that a Transformer computes for one sentence, on one sheet.

`python -m dev.make.poster` writes `_static/poster/transformer.pdf`, a sheet of the size A2: both
towers of the shipped translator, the numbers of every word at every stage, the weights of attention
as threads, and the words that may come next. `--folder` takes another place and writes an SVG too,
`--sentence` takes another German sentence.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Curve

from attention_by_hand import plots
from attention_by_hand.figures.machine_map import run
from attention_by_hand.figures.machine_map.plan import INNER
from attention_by_hand.palette import COLOURS, HEADS
from transformer_lite import load_translator

HOME = Path(__file__).parents[2] / "_static" / "poster"
SENTENCE = "ich habe die rote Tür heute nicht zugemacht ."
A2 = 23.39, 16.54  # inches
INK, MUTED, LINE = "#1b2430", "#56606e", "#c3cad3"
LEAST = 0.05  # of a weight that is drawn
STRIP, ABOVE = 0.17, 0.37  # inches: the height of a strip, and from one to the next
BAND = 1.72  # inches: the height of an attention's threads
THICKEST = 6  # points, of a thread with all the weight
APART = 0.11  # inches, from one head's thread to the next's
BEND = [Curve.MOVETO, Curve.CURVE4, Curve.CURVE4, Curve.CURVE4]
BOTTOM = 1.75  # inches, of the lowest strips
ENCODER, DECODER = (2.45, 10.3), (13.15, 22.9)  # inches: from where to where the columns stand

LEGEND = """\
Each word is a column, and rises from the bottom.
Its 64 numbers begin as a row of a table, to which its place is added.
In each attention it asks the words below, and takes from them, by share.
What it takes is written into its stream: added, and brought to one size.
In the feed-forward network it is alone with its own numbers.
The decoder asks its own words, and then the German.
At the top, its 64 numbers become a score for each English word.
What is written there goes in at the bottom, one column to the right.""".split("\n")
NAMES = {
    "self_attention": "self-attention",
    "cross_attention": "attention to the German",
    "feed_forward": "feed-forward network",
}


class Tower:
    """The columns of one tower, drawn from below: each word is a stream into which sub-layers
    write.
    """

    def __init__(self, ax, ends, words, labels):
        left, right = ends
        self.ax, self.words, self.labels = ax, words, labels
        self.step = (right - left) / len(words)
        self.centres = left + self.step * (np.arange(len(words)) + 0.5)
        self.y = BOTTOM
        self.streams = []
        for x, word in zip(self.centres, words, strict=True):
            ax.text(x, BOTTOM - 0.28, word, ha="center", va="center", size=15, color=INK)

    def label(self, text, y, weight="normal"):
        self.ax.text(
            self.labels, y, text, ha="right", va="center", size=10.5, color=MUTED, weight=weight
        )

    def strips(self, numbers, text, *, written=False):
        """A strip for each word; what is written into the stream stands beside it, with a plus."""
        limit = np.abs(numbers).max()
        width = self.step * (0.72 if written else 0.86)
        for x, row in zip(self.centres, numbers, strict=True):
            left = x - self.step * 0.43 + (self.step * 0.14 if written else 0)
            extent = (left, left + width, self.y, self.y + STRIP)
            self.ax.imshow(
                row[None],
                cmap=plots.SIGNED_MAP,
                vmin=-limit,
                vmax=limit,
                extent=extent,
                aspect="auto",
                interpolation="none",
                zorder=3,
            )
            edges = [left, left, left + width, left + width, left]
            heights = [self.y, self.y + STRIP, self.y + STRIP, self.y, self.y]
            self.ax.plot(edges, heights, color=LINE, lw=0.5, zorder=4)
            if written:
                self.ax.text(
                    left - 0.06,
                    self.y + STRIP / 2,
                    "+",
                    ha="center",
                    va="center",
                    size=11,
                    color=INK,
                    zorder=4,
                )
        self.label(text, self.y + STRIP / 2)
        self.y += ABOVE

    def threads(self, weights, below, text):
        """All weights of an attention, (heads, asking, asked), as threads from `below`, the places
        of the asked words, up to the words that ask.
        """
        bottom, top = self.y - ABOVE + STRIP + 0.06, self.y + BAND - 0.1
        turn = (bottom + top) / 2
        drawn = np.argwhere(weights >= LEAST)
        for head, i, j in drawn[np.argsort(-weights[tuple(drawn.T)], kind="stable")]:
            shift = APART * (head - (len(weights) - 1) / 2)
            a, b = (below[j] + shift, bottom), (self.centres[i] + shift, top)
            path = Curve([a, (a[0], turn), (b[0], turn), b], BEND)
            self.ax.add_patch(
                PathPatch(
                    path,
                    fc="none",
                    ec=HEADS[head % len(HEADS)],
                    lw=THICKEST * weights[head, i, j],
                    alpha=0.6,
                    zorder=2,
                    capstyle="round",
                )
            )
        self.label(text, (bottom + top) / 2, "bold")
        self.y += BAND

    def close(self):
        """The stream of each word, behind all that was drawn."""
        for x in self.centres:
            self.ax.plot([x, x], [BOTTOM, self.y], color=LINE, lw=2.2, zorder=1)


def layers(tower, side, stages, maps, arrive=lambda tower: tower.centres):
    """All layers of a tower: where it looks, what that finds, and the stream after it. `arrive`
    brings the memory in and says where its words stand.
    """
    inner = INNER[side]
    for layer in range(len(maps["own"])):
        for name in (name for name in inner if not name.startswith("norm")):
            title = f"layer {layer}: {NAMES[name]}"
            if name == "self_attention":
                tower.threads(maps["own"][layer], tower.centres, title)
            elif name == "cross_attention":
                tower.threads(maps["cross"][layer], arrive(tower), title)
            found = "what it gives" if "attention" in name else title
            tower.strips(stages[f"{side}.{layer}.{name}"], found, written=True)
            norm = inner[inner.index(name) + 1]
            tower.strips(stages[f"{side}.{layer}.{norm}"], "added, and normalised")


def next_words(ax, tower, scores, vocabulary, tokens, most=3):
    """The likeliest next words over each column, the one that is written in bold."""
    for x, row, written in zip(tower.centres, scores, tokens, strict=True):
        powers = np.exp(row - row.max())
        shares = powers / powers.sum()
        for rank, i in enumerate(np.argsort(-shares, kind="stable")[:most]):
            y = tower.y + 0.62 - 0.24 * rank
            left = x - tower.step * 0.43
            ax.barh(
                y,
                tower.step * 0.86 * shares[i],
                left=left,
                height=0.2,
                align="center",
                color=COLOURS["weight"],
                alpha=0.3,
                zorder=2,
            )
            ax.text(
                x,
                y,
                f"{vocabulary[i]}  {round(100 * shares[i])} %",
                ha="center",
                va="center",
                size=10,
                color=INK,
                weight="bold" if vocabulary[i] == written else "normal",
                zorder=3,
            )
    tower.label("the next word", tower.y + 0.4, "bold")


def draw(translation):
    """The sheet: a figure of matplotlib."""
    plots.use_style()
    stages, maps = run(translation)
    layers_of = translation.translator.model.config.n_layers
    encoder_maps, decoder_maps, cross_maps = (
        maps[i * layers_of : (i + 1) * layers_of] for i in range(3)
    )
    figure = plt.figure(figsize=A2, facecolor="white")
    figure.set_layout_engine("none")
    ax = figure.add_axes((0, 0, 1, 1))
    encoder = Tower(ax, ENCODER, translation.source_tokens, ENCODER[0] - 0.1)
    decoder = Tower(ax, DECODER, translation.decoder_tokens, DECODER[0] - 0.1)
    for tower, side in ((encoder, "encoder"), (decoder, "decoder")):
        tower.strips(stages[f"{side}.embedding"], "the row of its table")
        tower.strips(stages[f"{side}.position"], "and its place")
    layers(encoder, "encoder", stages, {"own": encoder_maps})
    memory = encoder.y - ABOVE + STRIP / 2

    def arrive(tower):
        """The German words once more, where the decoder asks them."""
        left, right = DECODER
        below = left + (right - left) * (np.arange(len(encoder.words)) + 0.5) / len(encoder.words)
        tower.y += 0.16
        for x, word in zip(below, encoder.words, strict=True):
            ax.text(
                x,
                tower.y - ABOVE + STRIP,
                word,
                ha="center",
                va="center",
                size=10.5,
                color=COLOURS["key"],
                zorder=5,
                bbox={"fc": "white", "ec": "none", "pad": 0.8},
            )
        height = tower.y - ABOVE + STRIP
        gap = ENCODER[1] + 0.3
        ax.plot(
            [ENCODER[1] + 0.05, gap, gap],
            [memory, memory, height],
            color=COLOURS["key"],
            lw=3,
            zorder=1,
            solid_joinstyle="round",
        )
        ax.annotate(
            "",
            (left + 0.1, height),
            (gap, height),
            zorder=1,
            arrowprops={
                "arrowstyle": "-|>",
                "lw": 3,
                "color": COLOURS["key"],
                "shrinkA": 0,
                "shrinkB": 0,
            },
        )
        tower.y += 0.12
        return below

    layers(decoder, "decoder", stages, {"own": decoder_maps, "cross": cross_maps}, arrive)
    vocabulary = translation.translator.target_vocabulary.tokens
    next_words(ax, decoder, stages["scores"], vocabulary, translation.tokens)
    for tower in (encoder, decoder):
        tower.close()
    ax.text(
        sum(ENCODER) / 2,
        encoder.y + 0.15,
        "the memory: all that the decoder will know of the German",
        ha="center",
        size=13,
        color=COLOURS["key"],
    )
    for i, line in enumerate(LEGEND):
        ax.text(0.7, 14.35 - 0.36 * i, line, size=15, color=INK)
    weights = sum(one.numel() for one in translation.translator.model.parameters())
    ax.text(
        0.7,
        15.75,
        "All that a Transformer computes for one sentence",
        size=34,
        weight="bold",
        color=INK,
    )
    source, target = " ".join(translation.source_tokens), translation.text
    ax.text(0.7, 15.28, f"{source}   →   {target}", size=20, color=INK)
    ax.text(
        0.7,
        0.55,
        f"A translator with {weights:,} weights. A strip is the "
        f"{translation.translator.model.config.d_model} numbers of one word, blue above zero and "
        "orange below. A thread is a weight of attention, as thick as it is large, in the colour "
        f"of its head; those under {round(100 * LEAST)} % are left out.",
        size=12,
        color=MUTED,
    )
    ax.text(
        A2[0] - 0.7, 0.55, "Attention, by Hand", size=12, ha="right", color=MUTED, weight="bold"
    )
    for name, tower in (("The encoder reads", encoder), ("The decoder writes", decoder)):
        ax.text(
            tower.centres[0] - tower.step / 2,
            BOTTOM - 0.72,
            name,
            size=16,
            weight="bold",
            color=INK,
        )
    ax.set(xlim=(0, A2[0]), ylim=(0, A2[1]), aspect="auto")
    ax.axis("off")
    return figure


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m dev.make.poster", description=__doc__)
    parser.add_argument("--folder", type=Path, default=HOME, help="where the files go")
    parser.add_argument("--sentence", default=SENTENCE, help="in German, of up to 12 words")
    options = parser.parse_args(arguments)
    if not options.folder.is_dir():
        parser.error(f"{options.folder} is no folder; make it first")
    figure = draw(load_translator().translate(options.sentence))
    pdf, svg = (options.folder / f"transformer.{kind}" for kind in ("pdf", "svg"))
    figure.savefig(pdf, metadata={"CreationDate": None})
    if options.folder != HOME:
        figure.savefig(svg, metadata={"Date": None})
    plt.close(figure)
    print(pdf)


if __name__ == "__main__":
    main()
