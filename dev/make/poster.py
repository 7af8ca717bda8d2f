"""All that a Transformer computes for one sentence, on one sheet.

`python -m dev.make.poster` writes `_static/poster/transformer.pdf`, a sheet of the size A2: both
towers of the shipped translator, the numbers of every word at every stage, the weights of attention
as threads, and the words that may come next. One English word is in colour from the bottom to the
top, with the German one that it asks most, and all others are grey. `--folder` takes another place
and writes an SVG too, `--sentence` takes another German sentence, `--word` another word to follow.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Curve

from attention_by_hand import plots
from attention_by_hand.figures.machine_map import run
from attention_by_hand.figures.machine_map.plan import INNER
from attention_by_hand.palette import COLOURS, HEADS
from transformer_lite import load_translator

HOME = Path(__file__).parents[2] / "_static" / "poster"
SENTENCE = "ich habe die rote Tür heute nicht zugemacht ."
WORD = "close"  # which is followed from the bottom to the top
A2 = 23.39, 16.54  # inches
INK, MUTED, LINE, AMBER = "#1b2430", "#56606e", "#c3cad3", "#d98c1f"
GREY_MAP = LinearSegmentedColormap.from_list("grey", ["#aab2bc", "white", "#aab2bc"])
LEAST, LEAST_GREY = 0.05, 0.2  # of a weight that is drawn, in colour and in grey
STRIP, ABOVE = 0.17, 0.37  # inches: the height of a strip, and from one to the next
BAND = 1.62  # inches: the height of an attention's threads
THICKEST = 9  # points, of a thread with all the weight
APART = 0.11  # inches, from one head's thread to the next's
BEND = [Curve.MOVETO, Curve.CURVE4, Curve.CURVE4, Curve.CURVE4]
BOTTOM = 2.15  # inches, of the lowest strips
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
    write. The one at `lit` is in colour.
    """

    def __init__(self, ax, ends, words, labels, lit):
        left, right = ends
        self.ax, self.words, self.labels, self.lit = ax, words, labels, lit
        self.step = (right - left) / len(words)
        self.centres = left + self.step * (np.arange(len(words)) + 0.5)
        self.y = BOTTOM
        self.heights = {}  # of each label, where it stands first
        for i, (x, word) in enumerate(zip(self.centres, words, strict=True)):
            look = (
                {"size": 30, "weight": "bold", "color": INK}
                if i == lit
                else {"size": 14, "color": MUTED}
            )
            ax.text(
                x, BOTTOM - (0.62 if i == lit else 0.25), word, ha="center", va="center", **look
            )

    def label(self, text, y, weight="normal"):
        """At the left, once: what is drawn again need not be named again."""
        if text in self.heights:
            return
        self.heights[text] = y
        size = 15 if weight == "bold" else 13
        look = {"size": size, "color": MUTED, "weight": weight, "linespacing": 1.2}
        self.ax.text(self.labels, y, text.replace(": ", ":\n"), ha="right", va="center", **look)

    def number(self, n, label):
        """The number of a sentence beside the coloured column, at the height of a label."""
        disc(self.ax, n, self.centres[self.lit] - 0.5 * self.step, self.heights[label])

    def strips(self, numbers, text, *, written=False):
        """A strip for each word; what is written into the stream stands beside it, with a plus."""
        limit = np.abs(numbers).max()
        width = self.step * (0.72 if written else 0.86)
        for i, (x, row) in enumerate(zip(self.centres, numbers, strict=True)):
            lit = i == self.lit
            left = x - self.step * 0.43 + (self.step * 0.14 if written else 0)
            extent = (left, left + width, self.y, self.y + STRIP)
            look = {"cmap": plots.SIGNED_MAP if lit else GREY_MAP, "vmin": -limit, "vmax": limit}
            self.ax.imshow(
                row[None], extent=extent, aspect="auto", interpolation="none", zorder=3, **look
            )
            edges = [left, left, left + width, left + width, left]
            heights = [self.y, self.y + STRIP, self.y + STRIP, self.y, self.y]
            self.ax.plot(
                edges, heights, color=INK if lit else LINE, lw=1.2 if lit else 0.5, zorder=4
            )
            if written and lit:
                middle = {"ha": "center", "va": "center", "size": 17, "color": INK, "zorder": 4}
                self.ax.text(left - 0.07, self.y + STRIP / 2, "+", weight="bold", **middle)
        self.label(text, self.y + STRIP / 2)
        self.y += ABOVE

    def threads(self, weights, below, text):
        """All weights of an attention, (heads, asking, asked), as threads from `below`, the places
        of the asked words, up to the words that ask. Those of the coloured one lie above.
        """
        bottom, top = self.y - ABOVE + STRIP + 0.06, self.y + BAND - 0.1
        turn = (bottom + top) / 2
        drawn = np.argwhere(weights >= LEAST)
        order = np.argsort(-weights[tuple(drawn.T)], kind="stable")
        for head, i, j in drawn[order]:
            lit = i == self.lit
            if not lit and weights[head, i, j] < LEAST_GREY:
                continue
            shift = APART * (head - (len(weights) - 1) / 2)
            a, b = (below[j] + shift, bottom), (self.centres[i] + shift, top)
            path = Curve([a, (a[0], turn), (b[0], turn), b], BEND)
            look = (
                {"ec": HEADS[head % len(HEADS)], "alpha": 0.9}
                if lit
                else {"ec": LINE, "alpha": 0.5}
            )
            width = THICKEST * weights[head, i, j] * (1 if lit else 0.5)
            patch = PathPatch(
                path, fc="none", lw=width, zorder=2.5 if lit else 2, capstyle="round", **look
            )
            self.ax.add_patch(patch)
        self.label(text, (bottom + top) / 2, "bold")
        self.y += BAND

    def close(self):
        """The stream of each word, behind all that was drawn."""
        for i, x in enumerate(self.centres):
            look = {"color": INK, "lw": 5} if i == self.lit else {"color": LINE, "lw": 2}
            self.ax.plot([x, x], [BOTTOM, self.y], zorder=1, **look)


def disc(ax, n, x, y):
    """The number of a sentence."""
    ring = {"boxstyle": "circle,pad=0.25", "fc": AMBER, "ec": "white", "lw": 2}
    ax.text(
        x, y, n, size=17, weight="bold", ha="center", va="center", color=INK, zorder=6, bbox=ring
    )


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
    """The likeliest next word over each column, and over the coloured one `most` of them."""
    for i, (x, row, written) in enumerate(zip(tower.centres, scores, tokens, strict=True)):
        powers = np.exp(row - row.max())
        shares = powers / powers.sum()
        lit = i == tower.lit
        for rank, token in enumerate(np.argsort(-shares, kind="stable")[: most if lit else 1]):
            word, share = vocabulary[token], f"{round(100 * shares[token])} %"
            bold = "bold" if word == written else "normal"
            middle = {"ha": "center", "va": "center", "weight": bold, "zorder": 3}
            if rank and shares[token] < 0.005:
                continue
            if not lit:
                ax.text(x, tower.y + 0.02, word, size=14, color=MUTED, **middle)
            elif rank == 0:
                ax.text(x, tower.y + 0.8, f"{word}  {share}", size=30, color=INK, **middle)
            else:
                ax.text(
                    x,
                    tower.y + 0.72 - 0.27 * rank,
                    f"{word}  {share}",
                    size=14,
                    color=MUTED,
                    **middle,
                )
    tower.label("the next word", tower.y + 0.06, "bold")


def describe(ax, translation):
    """The title, the sentence, what is told of it, and what is drawn."""
    for n, line in enumerate(LEGEND, 1):
        y = 13.6 - 0.52 * (n - 1)
        disc(ax, n, 0.95, y)
        ax.text(1.3, y, line, size=20, va="center", color=INK)
    weights = sum(one.numel() for one in translation.translator.model.parameters())
    title = "All that a Transformer computes for one sentence"
    ax.text(0.7, 15.6, title, size=46, weight="bold", color=INK)
    ax.text(0.7, 14.85, " ".join(translation.source_tokens), size=26, color=INK)
    ax.text(0.7, 14.35, f"→  {translation.text}", size=26, color=INK)
    ax.text(
        0.7,
        0.45,
        f"A translator with {weights:,} weights. A strip is the "
        f"{translation.translator.model.config.d_model} numbers of one word, blue above zero and "
        "orange below. A thread is a weight of attention, as thick as it is large, in the colour "
        f"of its head; left out are those under {round(100 * LEAST)} %, and grey ones under "
        f"{round(100 * LEAST_GREY)} %.",
        size=13,
        color=MUTED,
    )
    ax.text(
        A2[0] - 0.7, 0.45, "Attention, by Hand", size=13, ha="right", color=MUTED, weight="bold"
    )


def number_places(ax, encoder, decoder):
    """The numbers of the sentences, each where what it says is drawn."""
    half = 0.115 * len(encoder.words[encoder.lit]) + 0.3  # of the large word below, and of the disc
    disc(ax, 1, encoder.centres[encoder.lit] - half, BOTTOM - 0.62)
    encoder.number(2, "the row of its table")
    encoder.number(3, "layer 0: self-attention")
    encoder.number(4, "what it gives")
    encoder.number(5, "layer 0: feed-forward network")
    decoder.number(6, "layer 0: attention to the German")
    disc(ax, 7, decoder.centres[decoder.lit] - 1.4 * decoder.step, decoder.y + 0.84)
    disc(ax, 8, decoder.centres[min(decoder.lit + 1, len(decoder.words) - 1)], BOTTOM - 0.62)


def draw(translation, word=WORD):
    """The sheet: a figure of matplotlib. word: that is followed; the middle one if it is not
    written.
    """
    plots.use_style()
    stages, maps = run(translation)
    layers_of = translation.translator.model.config.n_layers
    encoder_maps, decoder_maps, cross_maps = (
        maps[i * layers_of : (i + 1) * layers_of] for i in range(3)
    )
    tokens = translation.tokens
    lit = tokens.index(word) if word in tokens else len(tokens) // 2
    asked = int(cross_maps[-1][:, lit].mean(0).argmax())
    figure = plt.figure(figsize=A2, facecolor="white")
    figure.set_layout_engine("none")
    ax = figure.add_axes((0, 0, 1, 1))
    encoder = Tower(ax, ENCODER, translation.source_tokens, ENCODER[0] - 0.1, asked)
    decoder = Tower(ax, DECODER, translation.decoder_tokens, DECODER[0] - 0.1, lit)
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
        height = tower.y - ABOVE + STRIP
        for i, (x, german) in enumerate(zip(below, encoder.words, strict=True)):
            look = (
                {"size": 18, "weight": "bold", "color": COLOURS["key"]}
                if i == asked
                else {"size": 12, "color": MUTED}
            )
            white = {"fc": "white", "ec": "none", "pad": 0.8}
            ax.text(x, height, german, ha="center", va="center", zorder=5, bbox=white, **look)
        gap = ENCODER[1] + 0.14
        look = {"color": COLOURS["key"], "lw": 4, "zorder": 1}
        ways = [ENCODER[1] + 0.05, gap, gap], [memory, memory, height]
        ax.plot(*ways, solid_joinstyle="round", **look)
        arrow = {"arrowstyle": "-|>", "lw": 4, "color": COLOURS["key"], "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", (left + 0.1, height), (gap, height), zorder=1, arrowprops=arrow)
        tower.y += 0.12
        return below

    layers(decoder, "decoder", stages, {"own": decoder_maps, "cross": cross_maps}, arrive)
    vocabulary = translation.translator.target_vocabulary.tokens
    for tower in (encoder, decoder):
        tower.close()
    next_words(ax, decoder, stages["scores"], vocabulary, tokens)
    ax.text(
        sum(ENCODER) / 2,
        encoder.y + 0.1,
        "the memory: all that the decoder will know of the German",
        ha="center",
        size=16,
        color=COLOURS["key"],
    )
    number_places(ax, encoder, decoder)
    describe(ax, translation)
    for name, tower in (("The encoder reads", encoder), ("The decoder writes", decoder)):
        left = tower.centres[0] - tower.step / 2
        ax.text(left, BOTTOM - 1.3, name, size=24, weight="bold", color=INK)
    ax.set(xlim=(0, A2[0]), ylim=(0, A2[1]), aspect="auto")
    ax.axis("off")
    return figure


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m dev.make.poster", description=__doc__)
    parser.add_argument("--folder", type=Path, default=HOME, help="where the files go")
    parser.add_argument("--sentence", default=SENTENCE, help="in German, of up to 12 words")
    parser.add_argument("--word", default=WORD, help="the English word to follow")
    options = parser.parse_args(arguments)
    if not options.folder.is_dir():
        parser.error(f"{options.folder} is no folder; make it first")
    figure = draw(load_translator().translate(options.sentence), options.word)
    pdf, svg = (options.folder / f"transformer.{kind}" for kind in ("pdf", "svg"))
    figure.savefig(pdf, metadata={"CreationDate": None})
    if options.folder != HOME:
        figure.savefig(svg, metadata={"Date": None})
    plt.close(figure)
    print(pdf)


if __name__ == "__main__":
    main()
