"""Where a cell's code stands on the site: under what it makes, or out of the way.

`dev/fold.py` says which code a reader may skip. In Jupyter and in Colab it is folded to a line
above its result. Here the result comes first:

- code that is folded, and a line that only calls up a figure, is a small link at the right end
  under its result and caption, and opens there;
- code that shows nothing (set-up, checks), and that of a question, which holds the answer, stands
  in one fold at the end of the page;
- the small map of the machine moves up to the title, where the style sheet sets it in the margin.

Files have two empty lines between functions, pages have one.
"""

import ast
import html
import re
from pathlib import PurePosixPath

from book_references import chapter_of
from docutils import nodes

from attention_by_hand.exercises.cells import TITLE

MAP = "where("
QUESTION = "Prediction(", "Predictions("
CODE = ("python", "ipython3", "javascript")
REST = "The rest of the code: set-up, questions, checks"


def raw(text):
    return nodes.raw("", text, format="html")


def only_calls(code):
    """Whether the code is one call of a class, such as `Recall(length=12)`."""
    try:
        statements = ast.parse(code).body
    except SyntaxError:  # magic commands
        return False
    if len(statements) != 1 or not isinstance(statements[0], ast.Expr):
        return False
    call = statements[0].value
    return (
        isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id[0].isupper()
    )


def calls(code, names):
    """Whether a line of the code begins so."""
    return any(line.startswith(names) for line in code.splitlines())


def part(cell, name):
    """The code or the output of a cell, `cell_code_source` or `cell_code_output`; None without."""
    return next((child for child in cell.children if child.get("nb_element") == name), None)


def put_code_under(app, document):
    """Move the code of a page's cells to its place."""
    name = PurePosixPath(app.env.docname).name
    Cells(document, bool(chapter_of(name)) or name == "before-you-begin").place_all()


class Cells:
    """Those of a page, and the code that stands at its end."""

    def __init__(self, document, in_a_chapter):
        self.document = document
        self.in_a_chapter = in_a_chapter
        self.rest = []

    def place_all(self):
        for cell in list(self.document.findall(nodes.container)):
            if cell.get("nb_element") == "cell_code":
                self.place(cell)
        if self.rest:
            begin = raw(f'<details class="rest-of-code"><summary>{REST}</summary>')
            page = next(self.document.findall(nodes.section), self.document)
            page.extend([begin, *self.rest, raw("</details>")])

    def place(self, cell):
        code = part(cell, "cell_code_source")
        output = part(cell, "cell_code_output")
        if code is None:
            return
        text = code.astext()
        title = TITLE.match(text)
        if not title and not (self.in_a_chapter and output is not None and only_calls(text)):
            return
        cell.attributes.pop("hide_mode", None)
        name = title[1] if title else text.partition("(")[0]
        if output is None:
            cell.parent.remove(cell)
            self.keep(name, cell)
        elif calls(text, (MAP, *QUESTION)):
            cell.remove(code)
            self.keep(name, nodes.container("", code, classes=["cell"]))
            if calls(text, MAP):
                self.put_in_the_margin(cell)
        else:
            self.link(cell, code, name)

    def keep(self, name, cell):
        self.rest += [raw(f'<p class="code-title">{html.escape(name)}</p>'), cell]

    def link(self, cell, code, name):
        cell.remove(code)
        caption = cell.next_node(descend=False, siblings=True)
        if isinstance(caption, nodes.paragraph) and "book-caption" in caption["classes"]:
            caption.parent.remove(caption)
            cell += caption
        about = html.escape(name)
        begin = (
            f'<details class="code"><summary title="{about}">code<span>: {about}</span></summary>'
        )
        cell.extend([raw(begin), code, raw("</details>")])

    def put_in_the_margin(self, cell):
        cell["classes"].append("in-the-margin")
        title = next(self.document.findall(nodes.title))
        cell.parent.remove(cell)
        title.parent.insert(title.parent.index(title) + 1, cell)


def with_single_gaps(code):
    """The code with at most one empty line in a row."""
    return re.sub(r"\n([ \t]*\n){2,}", "\n\n", code)


def close_gaps(app, document):
    """Take every second empty line out of shown code. What a cell prints keeps its own."""
    for block in document.findall(nodes.literal_block):
        if block.get("language") in CODE and block.rawsource == block.astext():
            block.rawsource = with_single_gaps(block.rawsource)
            block[:] = [nodes.Text(block.rawsource)]
