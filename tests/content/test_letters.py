"""The book brings every letter that it shows."""

import base64
import html
import io
import json
import re
from functools import cache

from conftest import ROOT
from fontTools.ttLib import TTFont
from rjsmin import jsmin

# What is stored, and shown sooner or later: pages, and what figures, exercises and data write
SHOWN = [
    "index.ipynb",
    "chapters/**/*.ipynb",
    "chapters/**/*.md",
    "_ext/**/*.html",
    "transformer_lite/**/*.py",
    "attention_by_hand/figures/**/*.js",
    "attention_by_hand/figures/**/*.css",
]
SOURCES = sorted({path for pattern in SHOWN for path in ROOT.glob(pattern)})


@cache
def letters(folder, pattern):
    """All that the fonts of a folder have."""
    fonts = [*(ROOT / folder).glob(pattern)]
    assert fonts
    return {chr(code) for font in fonts for code in TTFont(font).getBestCmap()}


def lacking(text, *fonts):
    """The characters of a text that none of the fonts have: "⟲ U+27F2", ..."""
    known = letters("_static", "*.woff2").union(*fonts)
    shown = {one for one in text if one.isprintable() and not one.isspace()} - known
    return [f"{one} U+{ord(one):04X}" for one in sorted(shown)]


def text_of(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        return "".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    return jsmin(text) if path.suffix == ".js" else text


def test_a_font_of_the_book_has_every_character():
    assert len(SOURCES) > 200
    assert {
        path.relative_to(ROOT).as_posix(): found
        for path in SOURCES
        if (found := lacking(text_of(path)))
    } == {}


def shown(page):
    """All that a built page shows, now or once its figures are used, but for its formulas, which
    bring fonts of their own.
    """
    data = re.findall(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)
    text = re.sub(r"<(script|style|math)\b.*?</\1>", "", page, flags=re.DOTALL)
    named = re.findall(r'\btitle="([^"]*)"', text)
    texts = html.unescape("".join([re.sub("<[^>]*>", "", text), *named]))
    return texts + "".join(map(str, map(json.loads, data)))


def lacking_in_picture(svg):
    """What the texts of a plot show and the fonts in it lack."""
    data = re.findall(r"url\(data:font/woff2;base64,([^)]*)\)", svg)
    fonts = [TTFont(io.BytesIO(base64.b64decode(one))).getBestCmap() for one in data]
    texts = html.unescape(re.sub("<[^>]*>", "", "".join(re.findall("<text.*?</text>", svg, re.S))))
    return sorted({*texts} - {chr(code) for font in fonts for code in font} - {*" \n"})


def test_every_letter_of_the_built_pages_is_in_a_font_of_the_site(site):
    assert {
        path.relative_to(site).as_posix(): found
        for path in site.rglob("*.html")
        if (found := lacking(shown(path.read_text(encoding="utf-8"))))
    } == {}


def test_every_plot_of_the_site_has_its_letters_in_it(site):
    plots = [*(site / "_images").glob("*.svg")]
    found = {path.name: lacking_in_picture(path.read_text(encoding="utf-8")) for path in plots}
    assert plots and {name: one for name, one in found.items() if one} == {}


def test_a_letter_that_no_font_has_is_found():
    page = """<p>dₖ → 我 <math><mi>𝔸</mi></math> ▶</p><script>"☃"</script><b title="♞">…</b>
        <script type="application/json">{"words": ["\\u00e9t\\u00e9", "\\u263a"]}</script>"""
    assert lacking(shown(page)) == ["☺ U+263A", "♞ U+265E"]
    assert lacking_in_picture("<svg><text>a b</text></svg>") == ["a", "b"]
