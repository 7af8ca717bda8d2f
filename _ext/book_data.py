"""Large data, once on the whole site.

A kernel leaves the state of its widgets in the notebook, and MyST-NB writes it into the page. The
site shows snapshots and has no widget manager, so it stays out.

A figure's snapshot carries its data in the page, so that it needs no other file. Where that is
much, as the weights of
a translator are, the site has it once: it goes into a script of its own, named by its content, and
every page that shows such a figure refers to it. `host.js` loads the script when the reader comes
near. It is a script because a page that was opened as a file may load one, but may not fetch.

A snapshot carries its modules and its style too. A module stands in the first figure of a page that
has it, and the others take it from there; so does the style that all figures share.
"""

import hashlib
import json
import re
from functools import cache, partial
from pathlib import Path

from myst_nb.sphinx_ import NbMetadataCollector

from transformer_lite.figures.kit import bundle
from transformer_lite.figures.kit.figure import HERE, SHARED, style

FIGURES = HERE.parent
FIGURE = '<div class="tl-figure"'
SHARED_STYLE = "@shared;"  # as host.js reads it
LARGE = re.compile(r'(?<=:)"([A-Za-z0-9+/]{65536,}={0,2})"(?=[,}])')


def moved(folder, address, match):
    """Write matched data of a page as a script into `folder`. Returns what stands in its place."""
    data = match[1]
    name = f"{hashlib.sha256(data.encode()).hexdigest()[:12]}.js"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f'document.currentScript.data = "{data}";\n', encoding="ascii")
    return json.dumps({"file": address(f"_static/data/{name}", resource=True)})


@cache
def modules():
    """The code of each module of each figure: the constant that holds its exports."""
    entries = [*SHARED, *sorted(FIGURES.glob("*/figure.js"))]
    return {code: name for entry in entries for name, code in bundle.parts(entry).values()}


def modules_once(body):
    """A page on which each module stands in the first of the figures that have it, and is kept in
    the document for the others.
    """
    for code, name in modules().items():
        first, *others = body.split(code)
        if not others[1:]:
            continue
        kept = f"{code}(document.figureModules ??= {{}}).{name} = {name};\n"
        taken = f"const {{ {name} }} = document.figureModules;\n"
        body = first + kept + taken.join(others)
    return body


def style_once(body):
    """A page on which the style that all its figures share stands once, above the first of them."""
    shared = bundle.quoted(style())
    if body.count(shared[1:-1]) < 2:
        return body
    above = f"<script>document.sharedStyle = {shared};</script>"
    body = body.replace(shared[1:-1], SHARED_STYLE)
    return body.replace(FIGURE, above + FIGURE, 1)


def share(app, pagename, templatename, context, doctree):
    if app.builder.format == "html" and "body" in context:
        NbMetadataCollector.get_js_files(app.env, pagename).pop("ipywidgets_state", None)
        folder = Path(app.outdir) / "_static" / "data"
        body = LARGE.sub(partial(moved, folder, context["pathto"]), context["body"])
        context["body"] = style_once(modules_once(body))


def setup(app):
    app.connect("html-page-context", share, priority=100)  # before MyST-NB adds its scripts
    return {"parallel_read_safe": True, "parallel_write_safe": True}
