r"""Queries, keys and values have their colours in formulas and in prose, those of the figures.

A notebook writes a plain `$q$`. On the site the letters q, k, v and Q, K, V are coloured where they
stand as they are, and not where they only mark something, as the k of $d_k$ does. Some pages need
one of them for something else: there it is coloured beside a query and a key, and never alone.

In prose *key* and *value* are words of every day. So a paragraph of a chapter is coloured where it
names a query and a key, or keys and values side by side, and in it the first of each. A colour
carries nothing that the word or the letter does not say.
"""

import re
from pathlib import PurePosixPath

from book_references import chapter_of
from book_sentences import without_tags
from book_terms import CLOSED, ancestors
from docutils import nodes

from attention_by_hand.palette import COLOURS, DARK

ROLES = {"query": "qQ", "key": "kK", "value": "vV"}
PAGES = {"notation", "glossary"}  # beside the chapters
# Letters that mean something else on a page where they stand without the others: a step, the size
# of a vocabulary, the width of a convolution, how many words top-k leaves
ALONE = {"06": "k", "07": "V", "10": "kKV", "11": "kKV", "12": "kKV", "notation": "qQkKvV"}
NONE = {"08"}  # pages where q and k stand side by side and are neither

WORDS = {
    "query": re.compile(r"(?<![\w-])quer(?:y|ies)(?![\w-])", re.I),
    "key": re.compile(r"(?<![\w-])keys?(?![\w-])", re.I),
    "value": re.compile(r"(?<![\w-])values?(?![\w-])", re.I),
}
SIDE_BY_SIDE = re.compile(r"(?<![\w-])keys? and (?:an? |its |their )?values?(?![\w-])", re.I)
TERM = re.compile(r'(?<=<a class=")term(?=" [^>]*>([^<]*)</a>)')

SCRIPTS = re.compile(r"[_^]\s*(?:\{(?:[^{}]|\{[^{}]*\})*\}|\\?\w)")
NAMES = re.compile(r"\\(?:text|mathrm|operatorname|begin|end)\s*\{[^}]*\}|\\[A-Za-z]+")


def place_of(docname):
    """A chapter's number as text, or the page's name."""
    return chapter_of(docname) or PurePosixPath(docname).name


def letters_of(tex):
    """The letters of the roles that a formula has, but for those that only mark something."""
    return set("qkvQKV") & set(NAMES.sub(" ", SCRIPTS.sub(" ", tex)))


def has(letters, role):
    return not letters.isdisjoint(ROLES[role])


def coloured_letters(formula, place):
    """The letters of this formula that are coloured on this page."""
    around = formula.parent if isinstance(formula, nodes.math) else formula
    while isinstance(around, nodes.Inline) and around.parent is not None:
        around = around.parent
    beside = set()
    for other in around.findall(lambda node: isinstance(node, (nodes.math, nodes.math_block))):
        beside |= letters_of(other.astext())
    letters = letters_of(formula.astext())
    if not (has(beside, "query") and has(beside, "key")):
        letters -= set(ALONE.get(place, ""))
    return "".join(sorted(letters))


def visible(node):
    """The text that a reader sees of a text or of a term's link."""
    return without_tags(node.astext()) if isinstance(node, nodes.raw) else node.astext()


def parts_of(paragraph):
    """What a paragraph says: its texts, but for code, formulas and links, and the terms' links."""
    return [
        node
        for node in paragraph.findall()
        if (isinstance(node, nodes.raw) and TERM.search(node.astext()))
        or (
            isinstance(node, nodes.Text)
            and not any(isinstance(parent, CLOSED) for parent in ancestors(node))
        )
    ]


def roles_named(text):
    """The roles that a paragraph is coloured for: all that it names, if it surely means them."""
    named = {role for role, word in WORDS.items() if word.search(text)}
    if {"query", "key"} <= named:
        return named
    return {"key", "value"} if SIDE_BY_SIDE.search(text) else set()


def in_pieces(text, wanted):
    """A text in pieces, the first word of each wanted role marked; `wanted` loses those found."""
    found = sorted(
        (match.start(), match.end(), role) for role in wanted if (match := WORDS[role].search(text))
    )
    end = 0
    for begin, after, role in found:
        yield nodes.Text(text[end:begin])
        yield nodes.inline("", text[begin:after], classes=[f"role-{role}"])
        wanted.discard(role)
        end = after
    yield nodes.Text(text[end:])


def colour_words(paragraph):
    parts = parts_of(paragraph)
    wanted = roles_named("".join(map(visible, parts)))
    for part in parts:
        if isinstance(part, nodes.raw):
            word = TERM.search(part.astext())[1]
            role = next((role for role in wanted if WORDS[role].fullmatch(word)), None)
            if role:
                wanted.discard(role)
                linked = TERM.sub(f"term role-{role}", part.astext())
                part.replace_self(nodes.raw("", linked, format="html"))
        else:
            pieces = list(in_pieces(part.astext(), wanted))
            if len(pieces) > 1:
                part.parent.replace(part, pieces)


def colour_roles(app, document):
    """Mark the letters and words of the roles; `book_math.py` marks the letters in what is set."""
    place = place_of(app.env.docname)
    if place not in PAGES and not chapter_of(app.env.docname):
        return
    formulas = lambda node: isinstance(node, (nodes.math, nodes.math_block))  # noqa: E731
    for formula in [] if place in NONE else document.findall(formulas):
        formula["roles"] = coloured_letters(formula, place)
    for paragraph in list(document.findall(nodes.paragraph)):
        colour_words(paragraph)


def style():
    """The colours of the roles, for light pages and for dark."""
    rules = [
        ".bd-article .role-{0}, .bd-article a.term.role-{0} {{ color: {1}; }}",
        'html[data-theme="dark"] .bd-article .role-{0}, '
        'html[data-theme="dark"] .bd-article a.term.role-{0} {{ color: {2}; }}',
    ]
    lines = [rule.format(role, COLOURS[role], DARK[role]) for rule in rules for role in ROLES]
    return f"<style>{' '.join(lines)}</style>"


def bring_colours(app, pagename, templatename, context, doctree):
    if "role-" in context.get("body", ""):
        context["metatags"] = f"{context.get('metatags') or ''}\n{style()}"
