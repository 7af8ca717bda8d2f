"""How text is set: Chinese is marked as Chinese, for its own font and for screen readers, and a
number and its per cent sign are not parted at the end of a line.
"""

import re

from docutils import nodes

CHINESE = re.compile(r"([\u3400-\u9fff]+)")
PROSE = (nodes.paragraph, nodes.emphasis, nodes.strong, nodes.reference, nodes.inline)
PARTED = re.compile(r"(?<=\d) (?=%)")
AS_IT_IS = (nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.raw)


def raw(code):
    return nodes.raw("", code, format="html")


def mark_chinese(app, document):
    """Set `lang="zh"` on Chinese in the text."""
    for text in list(document.findall(nodes.Text)):
        pieces = CHINESE.split(text)
        if len(pieces) > 1 and isinstance(text.parent, PROSE):
            marked = []
            # Every second piece is one that the pattern matched
            for index, piece in enumerate(pieces):
                word = [nodes.Text(piece)]
                marked += [raw('<span lang="zh">'), *word, raw("</span>")] if index % 2 else word
            text.parent.replace(text, marked)


def join_per_cent(app, doctree):
    for text in list(doctree.findall(nodes.Text)):
        if PARTED.search(text) and not isinstance(text.parent, AS_IT_IS):
            text.parent.replace(text, nodes.Text(PARTED.sub("\N{NO-BREAK SPACE}", text)))
