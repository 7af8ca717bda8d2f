"""Large data, once on the whole site.

A kernel leaves the state of its widgets in the notebook, and MyST-NB writes it into the page. The
site shows snapshots and has no widget manager, so it stays out.

A figure's snapshot carries its data in the page, so that it needs no other file. Where that is
much, as the weights of
a translator are, the site has it once: it goes into a script of its own, named by its content, and
every page that shows such a figure refers to it. `host.js` loads the script when the reader comes
near. It is a script because a page that was opened as a file may load one, but may not fetch.

A snapshot carries its modules too. Those that every figure has stand in the first figure of a page,
and the engine in the first figure that has it; the others take them from there.
"""

import hashlib
import json
import re
from functools import partial
from pathlib import Path

from myst_nb.sphinx_ import NbMetadataCollector

from transformer_lite.figures.kit import bundle
from transformer_lite.figures.kit.figure import SHARED

LARGE = re.compile(r'(?<=:)"([A-Za-z0-9+/]{65536,}={0,2})"(?=[,}])')


def moved(folder, address, found):
    """Writes the data found in a page as a script into `folder`; what stands in its place in the
    page.
    """
    data = found[1]
    name = f"{hashlib.sha256(data.encode()).hexdigest()[:12]}.js"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f'document.currentScript.data = "{data}";\n', encoding="ascii")
    return json.dumps({"file": address(f"_static/data/{name}", resource=True)})


def modules_once(body):
    """A page on which each module that several figures have stands in the first of them alone."""
    host, _ = bundle.joined(*SHARED[:1])
    engine = bundle.joined(*SHARED)[0].removeprefix(host)
    body = once(body, engine, "figureEngine")
    return once(body, host, "figureModules")


def once(body, code, kept):
    """A page on which this code stands once, and what it defines is kept in the document."""
    names = ", ".join(re.findall(r"^const (\$\w+) = \(\(\) => \{$", code, re.MULTILINE))
    first, *others = body.split(code)
    if not others:
        return body
    return f"{first}{code}document.{kept} = {{ {names} }};\n" + (
        f"const {{ {names} }} = document.{kept};\n".join(others)
    )


def share(app, pagename, templatename, context, doctree):
    if app.builder.format == "html" and "body" in context:
        NbMetadataCollector.get_js_files(app.env, pagename).pop("ipywidgets_state", None)
        folder = Path(app.outdir) / "_static" / "data"
        body = LARGE.sub(partial(moved, folder, context["pathto"]), context["body"])
        context["body"] = modules_once(body)


def setup(app):
    app.connect("html-page-context", share, priority=100)  # before MyST-NB adds its scripts
    return {"parallel_read_safe": True, "parallel_write_safe": True}
