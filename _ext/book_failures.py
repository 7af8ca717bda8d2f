"""What did not come out on the machine that builds the book.

A cell that fails leaves its page standing. In place of its traceback there is a box that says so,
with the traceback folded in it, and a claim that does not hold brings its box along
(`attention_by_hand/claims.py`). When all pages are written, the build names each of them in a line
and ends with status 1. A strict build, `jupyter-book build -W`, is for authors: there each of them
is a warning, and the first one stops it.
"""

import os
import re

import nbformat
from docutils import nodes
from jupyter_cache import get_cache
from sphinx.util.console import bold
from sphinx.util.logging import getLogger

from attention_by_hand.claims import OTHERWISE
from attention_by_hand.exercises.cells import TITLE

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
FAILED_LINE = re.compile(r"^-+> \d+ (.+)", re.M)
BOX = (
    '<div class="came-out-otherwise" role="note"><p><strong>This cell failed on the machine that '
    "built this page.</strong> What it makes is missing here, and perhaps in cells that build on "
    "it. The text around it says what comes out elsewhere.</p>"
    "<details><summary>What the machine said</summary>"
)
log = getLogger(__name__)


def cause(error):
    """An error in one line. An assertion without words is told by the line that failed."""
    says = f"{error.ename}: {error.evalue}" if error.evalue else error.ename
    lines = FAILED_LINE.findall(COLOURS.sub("", "\n".join(error.traceback)))
    if error.ename == "AssertionError" and lines:
        says = f"{says} ({lines[-1].strip()})" if error.evalue else lines[-1].strip()
    return " ".join(says.split())


def failures(notebook):
    """What did not come out in an executed notebook, a line each. Once a cell has failed, others
    may fail because of it: they are counted.
    """
    errors, claims = [], []
    heading = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            lines = cell.source.splitlines()
            headings = [line.lstrip("# ") for line in lines if line.startswith("#")]
            heading = [heading, *headings][-1]
            continue
        title = TITLE.match(cell.source)
        place = f'"{heading}", "{title[1] if title else cell.source.partition(chr(10))[0]}"'
        for output in cell.get("outputs", []):
            claim = output.get("metadata", {}).get(OTHERWISE)
            if output.output_type == "error":
                errors.append(f"{place}: {cause(output)}")
            elif claim:
                here = f" (here: {', '.join(claim['found'])})" if claim["found"] else ""
                claims.append(f"{place}: the book says that {claim['claim']}{here}")
    if len(errors) > 1:
        errors = [f"{errors[0]} (and {len(errors) - 1} more cells after it)"]
    return errors + claims


def box_failures(app, document):
    """In place of a traceback, a box that a reader understands."""
    for block in list(document.findall(nodes.literal_block)):
        if "traceback" in block["classes"]:
            at = block.parent.index(block)
            block.parent.insert(at, nodes.raw("", BOX, format="html"))
            block.parent.insert(at + 2, nodes.raw("", "</details></div>", format="html"))


def result(cache, path):
    """The record of a notebook's results, None where there are none."""
    try:
        return cache.match_cache_notebook(nbformat.read(path, as_version=4))
    except KeyError:
        return None


def failed_pages(app):
    """{name of a page: what did not come out in its notebook, as it is now}."""
    if app.config.nb_execution_mode != "cache":
        return {}
    cache = get_cache(app.config.nb_execution_cache_path)
    pages = {}
    for name in sorted(app.env.found_docs):
        path = app.env.doc2path(name)
        found = result(cache, path) if path.endswith(".ipynb") else None
        if found and found.data.get("failures"):
            pages[name] = found.data.get("failures")
    return pages


def report(app, error):
    """The last thing that the build says, and its exit status."""
    failed = {} if error else failed_pages(app)
    if failed:
        app.statuscode = 1
        book = os.path.relpath(app.outdir)
        log.info(bold("The book is whole, in %s, but for what failed on this machine:"), book)
    for name, lines in failed.items():
        for line in lines:
            log.info("  %s.ipynb, %s", name, line)
