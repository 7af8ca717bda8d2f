"""Large data, and the code of the figures, once.

A kernel leaves the state of its widgets in the notebook, and MyST-NB writes it into the page. The
site shows snapshots and has no widget manager, so it stays out.

A figure's snapshot carries its data in the page, so that it needs no other file. Where that is
much, as the weights of a translator are, the site has it once: it goes into a script of its own,
named by its content, and every page that shows such a figure refers to it. `host.js` loads the
script when the reader comes near. It is a script because a page that was opened as a file may load
one, but may not fetch.

What draws the figures stands above the first of them on each page, as the package has it now, and
not as it was when the notebook ran. When it changes, Sphinx writes these pages anew, and runs
nothing.
"""

import hashlib
import json
import re
from functools import partial
from pathlib import Path

from myst_nb.sphinx_ import NbMetadataCollector

from attention_by_hand.figures.kit.figure import FIGURES, drawing

FIGURE = '<div class="tl-figure"'
DRAWN = re.compile(r'(?<=<script>document\.figures\[")\w+')
LARGE = re.compile(r'(?<=:)"([A-Za-z0-9+/]{65536,}={0,2})"(?=[,}])')


def moved(folder, address, match):
    """Write matched data of a page as a script into `folder`. Returns what stands in its place."""
    data = match[1]
    name = f"{hashlib.sha256(data.encode()).hexdigest()[:12]}.js"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f'document.currentScript.data = "{data}";\n', encoding="ascii")
    return json.dumps({"file": address(f"_static/data/{name}", resource=True)})


def code_of(page):
    """What draws the figures of a page."""
    names = dict.fromkeys(DRAWN.findall(page))
    code = drawing(*(FIGURES / name / "figure.js" for name in names))
    return f"<script>document.figures = {code};</script>" if names else ""


def with_code(body):
    """A page with what draws its figures."""
    return body.replace(FIGURE, code_of(body) + FIGURE, 1)


def share(app, pagename, templatename, context, doctree):
    if app.builder.format == "html" and "body" in context:
        NbMetadataCollector.get_js_files(app.env, pagename).pop("ipywidgets_state", None)
        folder = Path(app.outdir) / "_static" / "data"
        body = LARGE.sub(partial(moved, folder, context["pathto"]), context["body"])
        context["body"] = with_code(body)


def outdated(app, env):
    """The pages whose figures are drawn by other code by now: Sphinx writes them anew."""
    if app.builder.format != "html":
        return []
    files = {name: Path(app.builder.get_outfilename(name)) for name in env.found_docs}
    pages = {name: file.read_text("utf-8") for name, file in files.items() if file.exists()}
    return [name for name, page in pages.items() if code_of(page) not in page]
