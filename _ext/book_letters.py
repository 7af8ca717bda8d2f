"""The book's letters for the pictures that readers save.

A figure saves itself as a picture, in which a browser sees no font of the page. So the rules that
bring these fonts are in a script, `letters.js`, with the fonts in them. A figure loads it when a
reader saves a picture; it is a script because a page that was opened as a file may fetch nothing
else.
"""

import base64
import json
from pathlib import Path

# In this order: of two fonts of a family that have a sign, the last one is asked first
FONTS = {
    "sans": "font-family: Attention Sans; font-weight: 400 700",
    "sans-italic": "font-family: Attention Sans; font-style: italic",
    "signs": "font-family: Attention Signs",
    "chinese": "font-family: Attention Signs; unicode-range: U+2E80-9FFF",
}


def rules(static):
    """The rules of CSS for the fonts in a folder, with the fonts in them."""
    for name, what in FONTS.items():
        data = base64.b64encode((static / f"{name}.woff2").read_bytes()).decode()
        yield f"@font-face {{ {what}; src: url(data:font/woff2;base64,{data}) }}"


def write(app, exception):
    if exception is None and app.builder.format == "html":
        letters = "\n".join(rules(Path(app.srcdir) / "_static"))
        file = Path(app.outdir) / "_static" / "letters.js"
        file.write_text(f"document.letters = {json.dumps(letters)};\n", encoding="ascii")
