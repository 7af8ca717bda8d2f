"""Plots in the dark, in the colours of the figures beside them.

A notebook draws for light paper. To turn its colours round would make new ones of them: the map of
the weights would run to lavender, orange would be brown. So the site has each vector picture twice.
The second is drawn in the palette's colours for dark pages: its maps run up the same ramps as the
figures' maps, ink and paper change places, and a colour that the palette does not know keeps its
hue. The style sheet shows one of the two, and a browser asks only for that one.

In both, numbers below zero have a minus sign, and neither is larger than it needs to be: a
hundredth of a point is finer than a screen, and WOFF2 packs a font tighter than WOFF.
"""

import base64
import colorsys
import io
import re
from functools import cache
from pathlib import Path

import numpy as np
from fontTools.ttLib import TTFont
from PIL import Image

from attention_by_hand import palette, plots

PAPER = "#14181d"
INK = "#dfe5ea"
COLOUR = re.compile(r"#[0-9a-f]{6}\b")
PIXELS = re.compile(r'(?<=data:image/png;base64,)[^"]+')
TEXT = re.compile(r"(?<=>)[^<>]+(?=</(?:text|tspan)>)")
TAG = re.compile("<[^>]*>")
HYPHEN = re.compile(r"(?<![\w.)])-(?=\.?\d)")
METADATA = re.compile("<metadata>.*?</metadata>", re.DOTALL)
FINE = re.compile(r"(?<![\w.])([1-9]\d*\.\d\d)\d+")
FONT = re.compile(r"data:font/woff;base64,([^)]+)")
IMAGE = re.compile(r'<img (?:[^>]*\s)?src="([^"]*_images/[^"]+)\.svg"[^>]*>')


def rgb(colour):
    return [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]


def ramp(colours, steps=256):
    """`steps` colours, evenly from the first of `colours` to the last: (steps, 3)."""
    at = np.linspace(0, len(colours) - 1, steps)
    return np.stack(
        [np.interp(at, range(len(colours)), part) for part in zip(*colours, strict=True)], 1
    )


@cache
def pairs():
    """Colours of the palette on light pages and on dark ones: two arrays, (n, 3) each."""
    signs = [[part / 255 for part in sign] for sign in (palette.BELOW, palette.ABOVE)]
    steps = np.linspace(0, 1, 256)
    roles = [*palette.COLOURS.values(), *palette.HEADS]
    dark_roles = [*palette.DARK.values(), *palette.DARK_HEADS]
    light = [[*map(rgb, roles)], plots.WEIGHT_MAP(steps)[:, :3], plots.SIGNED_MAP(steps)[:, :3]]
    dark = [
        [*map(rgb, dark_roles)],
        ramp([*map(rgb, palette.DARK_WEIGHTS)]),
        ramp([signs[0], rgb(PAPER), signs[1]]),
    ]
    return np.concatenate(light), np.concatenate(dark)


def turned(colour):
    """A colour that the palette does not know: grey goes from ink to paper, hues stay."""
    hue, lightness, saturation = colorsys.rgb_to_hls(*colour)
    paper = np.array(rgb(PAPER))
    ink = np.array(rgb(INK))
    grey = ink + (paper - ink) * lightness
    if saturation < 0.25:
        return grey
    return np.array(colorsys.hls_to_rgb(hue, min(0.85, max(0.45, 1 - lightness)), saturation))


def in_the_dark(colour):
    """What stands for a colour of a light page on a dark one; both are three numbers up to 1."""
    light, dark = pairs()
    distance = np.abs(light - np.array(colour)).max(1)
    nearest = distance.argmin()
    # A picture of pixels has colours between two steps of a ramp.
    return dark[nearest] if distance[nearest] < 0.02 else turned(colour)


@cache
def hex_in_the_dark(colour):
    return "#" + "".join(f"{round(255 * part):02x}" for part in in_the_dark(rgb(colour)))


def pixels_in_the_dark(data):
    image = np.array(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGBA"))
    colours, which = np.unique(image[..., :3].reshape(-1, 3), axis=0, return_inverse=True)
    turned_round = np.stack([in_the_dark(colour / 255) for colour in colours])
    image[..., :3] = (255 * turned_round).round()[which.reshape(image.shape[:2])]
    file = io.BytesIO()
    Image.fromarray(image).save(file, "PNG", optimize=True)
    return base64.b64encode(file.getvalue()).decode()


def with_minus_signs(svg):
    return TEXT.sub(lambda text: HYPHEN.sub("\N{MINUS SIGN}", text[0]), svg)


@cache
def as_woff2(data):
    font = TTFont(io.BytesIO(base64.b64decode(data)))
    font.flavor = "woff2"
    file = io.BytesIO()
    font.save(file)
    return base64.b64encode(file.getvalue()).decode()


def smaller(svg):
    """The same picture in fewer bytes: without metadata, to a hundredth, its fonts as WOFF2. What
    is written in it keeps its digits.
    """
    svg = TAG.sub(lambda tag: FINE.sub(r"\1", tag[0]), METADATA.sub("", svg))
    return FONT.sub(lambda font: f"data:font/woff2;base64,{as_woff2(font[1])}", svg)


def dark_twin(svg):
    """The picture for dark pages. What has no colour in an SVG is black, and here light."""
    svg = PIXELS.sub(lambda data: pixels_in_the_dark(data[0]), svg)
    svg = COLOUR.sub(lambda colour: hex_in_the_dark(colour[0]), svg)
    return svg.replace("<svg ", f'<svg fill="{INK}" ', 1)


def show_both(app, pagename, templatename, context, doctree):
    def twice(image):
        light, dark = (image[0].replace("<img ", f'<img class="{name}" ', 1) for name in NAMES)
        return light + dark.replace(f"{image[1]}.svg", f"{image[1]}-dark.svg")

    if "body" in context:
        context["body"] = IMAGE.sub(twice, context["body"])


NAMES = ("in-light", "in-dark")


def draw_both(app, exception):
    if exception is None and app.builder.format == "html":
        for source, name in app.builder.images.items():
            if name.endswith(".svg"):
                svg = (Path(app.srcdir) / source).read_text(encoding="utf-8")
                svg = smaller(with_minus_signs(svg))
                light = Path(app.outdir) / app.builder.imagedir / name
                light.write_text(svg, encoding="utf-8")
                light.with_stem(f"{light.stem}-dark").write_text(dark_twin(svg), encoding="utf-8")
