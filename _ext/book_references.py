r"""What a chapter writes in plain Markdown, numbered and linked.

A notebook has to read well in Jupyter and Colab too, where MyST's own directives show as raw text.
So a chapter writes every number itself, in a form that each home understands, and the book only
ties the ends together:

- the number of a chapter is the number in its file name, and is set before its title;
- `\tag{2.1}` in a displayed formula numbers it; `[(2.1)](#eq-2.1)` points to it, from another
  chapter as `[(2.1)](02-query-key-value.ipynb#eq-2.1)`;
- a paragraph in italics right after a cell is the caption of what the cell draws; a paragraph that
  begins `**Figure 2.1.**` or `**Table 2.1.**` is a caption with a number, and `[Figure
  2.1](#fig-2.1)` or `[Table 2.1](#tab-2.1)` points to it;
- a cell can be pointed to by its title, as in
  `(03-why-root-d-k.ipynb#draw-the-sizes-of-2-000-gradients)`, one that only shows a figure by the
  figure's name, as in `#figure-softmaxscale`, a prediction by its number, as in `#prediction-3-1`,
  and an exercise by its own, as in `#exercise-3-2` (see `book_exercises.py`);
- a heading is pointed to by its words, as in `(05-masks.ipynb#one-rule)`;
- on the page of the errata, `**4.7** (A)` is where `[source 4, erratum
  4.7](errata.ipynb#erratum-4-7)` leads, and a heading that begins `Source 4` is where `[source
  4](sources.ipynb#source-4)` leads;
- on the page of what was tried, `**10.2** (stands)` is where `[tried](tried.md#tried-10-2)` leads;
- a link to a paper that `references.bib` knows (by its DOI, arXiv number or URL) is a citation: on
  the site it leads to the entry in the bibliography, which lists the papers that the book cites.
"""

import re
from pathlib import PurePosixPath

from docutils import nodes
from pybtex.plugin import find_plugin
from sphinx.addnodes import desc_signature
from sphinx.util.nodes import make_refnode
from sphinxcontrib.bibtex.citation_target import CitationTarget
from sphinxcontrib.bibtex.roles import CitationRef

from attention_by_hand.exercises.cells import TITLE

PLAIN = find_plugin("pybtex.backends", "plaintext")()
TAG = re.compile(r"\s*\\tag\{([^{}]+)\}")
CAPTION = re.compile(r"(Figure|Table) (\d+\.\d+)\.")
CAPTION_PREFIX = {"Figure": "fig", "Table": "tab"}
ERRATUM = re.compile(r"(\d)\.(\d+)")
ERRATUM_KIND = re.compile(r"\s*\([ABC]\)")
TRIED_PAGE = "chapters/tried"
TRIED = re.compile(r"(\w+)\.(\d+)")
SOURCE = re.compile(r"Source (\d)\b")
PREDICTED = re.compile(r'\bPrediction\(\s*"(\d+)\.(\d+)"')
# The last statement of a cell, or named before and then the last line
FIGURE = re.compile(
    r"^(?:([A-Z]\w+)\((?!.*\n[^\s)])|(\w+) = (?P<named>[A-Z]\w+)\(.*\n\2\s*\Z)", re.M | re.S
)


def chapter_of(docname):
    """A chapter's number, as the name of its file begins; `""` for any other page."""
    number, _, rest = PurePosixPath(docname).name.partition("-")
    return number if rest and number.isdecimal() else ""


def paper_keys(env):
    """{address of a paper: its key in references.bib}, addresses in lower case."""
    keys = {}
    for key, entry in env.get_domain("cite").bibdata.data.entries.items():
        fields = entry.fields
        if "doi" in fields:
            keys[f"https://doi.org/{fields['doi']}".lower()] = key
        if "eprint" in fields:
            keys[f"https://arxiv.org/abs/{fields['eprint']}".lower()] = key
        if "url" in fields:
            keys[fields["url"].lower()] = key
    return keys


def follows_a_cell(paragraph):
    before = paragraph.parent.index(paragraph) - 1
    return before >= 0 and "cell" in paragraph.parent[before].get("classes", [])


def number_chapter(app, document):
    """Set the number in the file name before the chapter's title, everywhere the title shows."""
    number = chapter_of(app.env.docname)
    title = next(document.findall(nodes.title), None)
    if number and title is not None:
        title.insert(0, nodes.Text(f"{int(number)}. "))


def anchor_numbers(app, document):
    """Give numbered formulas, captions, sources and errata the anchors that links point to."""
    Anchors(app.env, document).give()


class Anchors:
    """Those of a page."""

    def __init__(self, env, document):
        self.docname = env.docname
        self.document = document
        self.slugs = env.metadata[env.docname].setdefault("myst_slugs", {})

    def give(self):
        for formula in self.document.findall(nodes.math_block):
            self.anchor_formula(formula)
        for paragraph in self.document.findall(nodes.paragraph):
            self.anchor_caption(paragraph)
        number_in_bold = self.anchor_tried if self.docname == TRIED_PAGE else self.anchor_erratum
        for strong in self.document.findall(nodes.strong):
            number_in_bold(strong)
        for section in self.document.findall(nodes.section):
            self.anchor_section(section)
        for cell in self.document.findall(nodes.container):
            if cell.get("nb_element") == "cell_code":
                self.anchor_cell(cell)
        for signature in self.document.findall(desc_signature):
            for name in signature["ids"]:
                self.anchor(signature, name, name.rpartition(".")[2])

    def anchor_formula(self, formula):
        # The theme lets the keyboard scroll a box of this class where its contents are wider than
        # the page.
        formula["classes"].append("pst-scrollable-table-container")
        tags = TAG.findall(formula.astext())
        # An environment of its own, such as align, which MathJax numbers by its tags
        if formula.get("nowrap"):
            formula["number"] = None
            formula["ids"] = []
        elif len(tags) == 1:
            text = TAG.sub("", formula.astext())
            formula.children = []
            formula += nodes.Text(text)
            formula["number"] = tags[0]
        for tag in tags:
            self.anchor(formula, f"eq-{tag}", f"({tag})")

    def anchor_caption(self, paragraph):
        parts = [child for child in paragraph.children if child.astext()]
        begin = parts[0] if parts else None
        number = CAPTION.match(begin.astext()) if isinstance(begin, nodes.strong) else None
        in_italics = len(parts) == 1 and isinstance(begin, nodes.emphasis)
        if number or (in_italics and follows_a_cell(paragraph)):
            paragraph["classes"].append("book-caption")
        if number:
            name = f"{CAPTION_PREFIX[number[1]]}-{number[2]}"
            self.anchor(paragraph, name, number[0].rstrip("."))

    def anchor_erratum(self, strong):
        after = strong.next_node(descend=False, siblings=True)
        number = ERRATUM.fullmatch(strong.astext())
        if number and after is not None and ERRATUM_KIND.match(after.astext()):
            self.anchor(strong, f"erratum-{number[1]}-{number[2]}", f"erratum {number[0]}")

    def anchor_tried(self, strong):
        if number := TRIED.fullmatch(strong.astext()):
            self.anchor(strong, f"tried-{number[1]}-{number[2]}", f"tried {number[0]}")

    def anchor_section(self, section):
        title = section.next_node(nodes.title).astext()
        if section["ids"]:
            self.anchor(section, section["ids"][0], title)
        if number := SOURCE.match(title):
            self.anchor(section, f"source-{number[1]}", f"source {number[1]}")

    def anchor_cell(self, cell):
        code = cell.next_node(nodes.literal_block)
        if code is None:
            return
        title = TITLE.match(code.astext())
        figure = FIGURE.search(code.astext())
        number = PREDICTED.search(code.astext())
        if number:
            name = f"prediction-{number[1]}-{number[2]}"
            text = f"prediction {number[1]}.{number[2]}"
        elif title:
            name = nodes.make_id(title[1])
            text = title[1]
        elif figure:
            text = figure[1] or figure["named"]
            name = f"figure-{text.lower()}"
        else:
            return
        # Else a heading, or a cell before, has it
        if name not in self.slugs:
            self.anchor(cell, name, text)

    def anchor(self, node, name, title):
        if name not in node["ids"]:
            node["ids"].append(name)
        self.document.myst_slugs = self.slugs
        self.slugs[name] = (node.line, name, title)


def note_citations(app, document):
    """Tell the bibliography which papers this page links to."""
    keys = paper_keys(app.env)
    citations = app.env.get_domain("cite").citation_refs
    for link in document.findall(nodes.reference):
        if key := keys.get(link.get("refuri", "").lower()):
            target = CitationTarget(key, "", "")
            citations.append(CitationRef("", app.env.docname, link.line or 0, [target]))


def link_citations(app, document):
    """Lead each citation to its entry in the bibliography; its title is the whole reference."""
    keys = paper_keys(app.env)
    entries = {citation.key: citation for citation in app.env.get_domain("cite").citations}
    for link in list(document.findall(nodes.reference)):
        key = keys.get(link.get("refuri", "").lower())
        if key in entries:
            entry = entries[key]
            text = nodes.inline("", "", *link.children, classes=["book-citation"])
            here = app.env.docname
            there = entry.bibliography_key.docname
            reference = entry.formatted_entry.text.render(PLAIN)
            link.replace_self(
                make_refnode(app.builder, here, there, entry.citation_id, text, reference)
            )


BIBLIOGRAPHY = """````{container} book-bibliography
```{bibliography}
:list: bullet
:style: plain
```
````"""


def put_bibliography(app, docname, source):
    """Put the list where a page says `<!-- bibliography -->`, which shows nothing on GitHub."""
    source[0] = source[0].replace("<!-- bibliography -->", BIBLIOGRAPHY)
