"""Remake the letters that the book and its package bring, cut from whole fonts to what is shown.

    npm install --prefix FOLDER source-sans@3.52.0 @expo-google-fonts/noto-sans-sc@0.4.3 \\
        @fontsource-variable/source-serif-4@5.3.1
    python -m dev.make.letters FOLDER

`source-sans` is Adobe's own package, the others have the fonts of Google's collection; DejaVu Sans
comes with matplotlib. Each font is cut and renamed, as its licence asks. Into `_static` goes what
pages load: WOFF2, with all weights from 400 to 700 but for the seldom ones. Into
`attention_by_hand/letters` goes what figures carry, and what plots are drawn with: TrueType in two
weights, which has the Chinese words too. The sans-serif is drawn 5 % larger than it was, so that
its small letters are about as high as those of the fonts that systems bring.

`tests/content/test_letters.py` names a sign that is shown and that no font has: add it to a list
below, and run this again.
"""

import argparse
import shutil
from pathlib import Path

import matplotlib
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

ROOT = Path(__file__).parents[2]
SITE = ROOT / "_static"
PACKAGE = ROOT / "attention_by_hand" / "letters"

LATIN = "".join(map(chr, [*range(0x20, 0x7F), *range(0xA0, 0x100)])) + "Œœ–—‘’‚“”„•…‹›⁄€−"
MORE_LATIN = "ĀāĂăĆćČčĎďĒēĚěĞğĪīİŁłŃńŇňŌōŐőŘřŚśŞşŠšŤťŪūŮůŰűŹźŻżŽžǍǎǏǐǑǒǓǔǕǖǗǘǙǚǛǜ"
GREEK = "αβγδεθλμπρστφχψωΔΣΩ"
# What the sans-serif has, for all kinds of text
SIGNS = "ĆćĠġŌōǑǒ" + GREEK + "ᵀ⁰⁴⁵⁶⁷⁸⁹⁺⁻₀₁₂₃₄₅₆₇₈₉‖←↑→↓↔↕∂√∞∩≈≠≤≥■▲▶▸►▼◂○✓✗"
# What it has not
OTHER_SIGNS = "⋯▁✎❚⟲ᵢⱼₖₘₙₜ"
CHINESE = "我爱中国太阳变红实现推荐非常详细"

SANS = "source-sans/VF/SourceSans3VF-{}.ttf"
SERIF = "@fontsource-variable/source-serif-4/files/source-serif-4-{}-wght-{}.woff2"
HAN = "@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf"
DEJAVU = Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf")


def cut(file: Path, characters: str, **axes) -> TTFont:
    """The font with these characters only; `axes` say where each axis of it is held.

    Raises ValueError if the font lacks one of the characters.
    """
    font = TTFont(file, recalcTimestamp=False)
    if lacking := {*characters} - {chr(code) for code in font.getBestCmap()}:
        raise ValueError(f"{file.name} lacks {' '.join(sorted(lacking))}: take it from another")
    options = Options(layout_features=["kern", "mark", "ccmp", "liga", "locl"])
    options.hinting = False
    options.drop_tables += ["FFTM"]
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    subsetter = Subsetter(options)
    subsetter.populate(text=characters)
    subsetter.subset(font)
    return instantiateVariableFont(font, axes) if axes else font


def add(font: TTFont, other: TTFont) -> TTFont:
    """The font with the outlines of another one too, which has as many units to the em."""
    for code, glyph in other.getBestCmap().items():
        name = f"{glyph}.added"
        font["glyf"][name] = other["glyf"][glyph]
        font["hmtx"][name] = other["hmtx"][glyph]
        for table in font["cmap"].tables:
            table.cmap.setdefault(code, name)
    return font


def save(font: TTFont, file: Path, family: str, style: str = "Regular", larger: float = 1) -> None:
    """Write the font under another name, so many times larger than it was."""
    font["head"].unitsPerEm = round(font["head"].unitsPerEm / larger)
    named = {1: family, 2: style, 4: f"{family} {style}", 6: f"{family}-{style}".replace(" ", "")}
    named[3] = named[6]
    for number, name in named.items():
        font["name"].removeNames(nameID=number)
        font["name"].setName(name, number, 3, 1, 0x409)
    font.flavor = "woff2" if file.suffix == ".woff2" else None
    file.parent.mkdir(exist_ok=True)
    font.save(file)
    print(f"{file.relative_to(ROOT)}: {file.stat().st_size:,} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where npm has installed the fonts")
    fonts = parser.parse_args().folder / "node_modules"

    for range_, name, characters in (("latin", "", LATIN), ("latin-ext", "-more", MORE_LATIN)):
        for kind, end in (("normal", ""), ("italic", "-italic")):
            font = cut(fonts / SERIF.format(range_, kind), characters, wght=(400, 700))
            style = "Italic" if end else "Regular"
            save(font, SITE / f"serif{name}{end}.woff2", "Attention Serif", style)

    upright = fonts / SANS.format("Upright")
    sans = {"family": "Attention Sans", "larger": 1.05}
    save(cut(upright, LATIN + SIGNS, wght=(400, 700)), SITE / "sans.woff2", **sans)
    italic = cut(fonts / SANS.format("Italic"), LATIN, wght=400)
    save(italic, SITE / "sans-italic.woff2", style="Italic", **sans)
    for weight, name, style in ((400, "sans", "Regular"), (700, "sans-bold", "Bold")):
        font = add(cut(upright, LATIN + SIGNS, wght=weight), cut(fonts / HAN, CHINESE))
        font["OS/2"].usWeightClass = weight
        save(font, PACKAGE / f"{name}.ttf", style=style, **sans)

    save(cut(DEJAVU, OTHER_SIGNS), SITE / "signs.woff2", "Attention Signs")
    for folder in (SITE, PACKAGE):
        save(cut(fonts / HAN, CHINESE), folder / "chinese.woff2", "Attention Chinese")
    shutil.copy(SITE / "letters.OFL.txt", PACKAGE)


if __name__ == "__main__":
    main()
