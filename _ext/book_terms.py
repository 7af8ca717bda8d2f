"""Terms explain themselves: where a chapter first uses one, it is a link with the entry.

An entry is a paragraph of `glossary.md`: the term in bold, a colon, the definition, the chapter
that explains it, or the page before the first. The link carries the definition with it, and
`terms.js` shows it on hover, focus and tap: no other page is asked for.
"""

import html
import re
from functools import cache
from pathlib import Path, PurePosixPath

from book_references import chapter_of
from docutils import nodes
from sphinx import addnodes

ENTRY = re.compile(
    r"^\*\*(?P<term>[^*]+)\*\*: (?P<definition>.+?) "
    r"\[(?:Chapter \d+|Before you begin)\]\([^)]*\)$",
    re.MULTILINE,
)
CLOSED = (
    addnodes.pending_xref,
    nodes.reference,
    nodes.title,
    nodes.literal,
    nodes.raw,
    nodes.math,
    nodes.literal_block,
    nodes.math_block,
)


@cache
def entries(path: Path) -> dict[str, str]:
    """{term: its definition, as plain text} of the glossary."""
    definitions = {
        m["term"]: m["definition"] for m in ENTRY.finditer(path.read_text(encoding="utf-8"))
    }
    return {
        term: re.sub(r"\$|`|\*|\[([^]]*)\]\([^)]*\)", r"\1", text)
        for term, text in definitions.items()
    }


def anchor(term: str) -> str:
    return "term-" + re.sub(r"\W+", "-", term.lower()).strip("-")


def pattern(term: str) -> str:
    """The term as a word of its own, with a plural's s; it may begin a sentence."""
    first = f"[{term[0].lower()}{term[0].upper()}]" if term[0].islower() else re.escape(term[0])
    rest = re.escape(term[1:]).replace(r"\ ", r"\s+")
    return rf"(?<![\w-]){first}{rest}(?:s|es)?(?![\w-])"


@cache
def any_of(terms: tuple[str, ...]) -> re.Pattern:
    """One of these terms; the group that matches has its place in the name."""
    return re.compile("|".join(f"(?P<t{i}>{pattern(term)})" for i, term in enumerate(terms)))


def anchor_entries(app, document):
    """Give each entry of the glossary its anchor."""
    if PurePosixPath(app.env.docname).name != "glossary":
        return
    slugs = app.env.metadata[app.env.docname].setdefault("myst_slugs", {})
    document.myst_slugs = slugs  # what MyST resolves `glossary.md#term-...` by
    for paragraph in document.findall(nodes.paragraph):
        first = next((child for child in paragraph.children if child.astext()), None)
        if isinstance(first, nodes.strong):
            name = anchor(first.astext())
            paragraph["ids"].append(name)
            slugs[name] = (paragraph.line, name, first.astext())


def link_terms(app, document):
    """Link each term where a chapter first uses it."""
    if not chapter_of(app.env.docname):
        return
    path = Path(app.env.doc2path("chapters/glossary"))
    if not path.exists():  # a book without a glossary
        return
    app.env.note_dependency(str(path))
    definitions = entries(path)
    done = set()
    # Those that the author has set
    for link in list(document.findall(addnodes.pending_xref)):
        if "glossary" in link.get("reftarget", ""):
            term = next(
                (term for term in definitions if re.fullmatch(pattern(term), link.astext())),
                None,
            )
            if term and term not in done:
                done.add(term)
                link.replace_self(term_link(term, definitions[term], link.astext()))
    for text in list(document.findall(nodes.Text)):
        if not any(isinstance(parent, CLOSED) for parent in ancestors(text)) and in_prose(text):
            pieces = list(linked(text.astext(), definitions, done))
            if len(pieces) > 1:
                text.parent.replace(text, pieces)


def ancestors(node):
    while node.parent is not None:
        node = node.parent
        yield node


def in_prose(text) -> bool:
    return any(
        isinstance(parent, (nodes.paragraph, nodes.entry, nodes.list_item))
        for parent in ancestors(text)
    )


def term_link(term: str, definition: str, words: str) -> nodes.raw:
    address = (
        f'href="glossary.html#{anchor(term)}" '
        f'data-definition="{html.escape(definition, quote=True)}"'
    )
    return nodes.raw("", f'<a class="term" {address}>{html.escape(words)}</a>', format="html")


def linked(text: str, definitions: dict[str, str], done: set[str]):
    """The text in pieces, the first use of each term a link; `done` has those linked already.

    A term inside a longer one is never meant: the second *causal mask* does not explain *mask*.
    """
    by_length = tuple(sorted(definitions, key=len, reverse=True))
    end = 0
    for match in any_of(by_length).finditer(text):
        term = by_length[int(match.lastgroup[1:])]
        if term not in done:
            done.add(term)
            yield nodes.Text(text[end : match.start()])
            yield term_link(term, definitions[term], match[0])
            end = match.end()
    yield nodes.Text(text[end:])
