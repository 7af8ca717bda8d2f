"""A number and its per cent sign are not parted at the end of a line."""

import re

from docutils import nodes

PARTED = re.compile(r"(?<=\d) (?=%)")
AS_IT_IS = (nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.raw)


def join(app, doctree):
    for text in list(doctree.findall(nodes.Text)):
        if PARTED.search(text) and not isinstance(text.parent, AS_IT_IS):
            text.parent.replace(text, nodes.Text(PARTED.sub("\N{NO-BREAK SPACE}", text)))


def setup(app):
    app.connect("doctree-read", join)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
