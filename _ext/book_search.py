"""What a search shows of a page: the sentences that have the words, with the words marked.

Sphinx finds the pages, and would fetch each of them to cut an excerpt out of its HTML: from a file
it may not, and what it cuts out are headings and TeX. So the site carries the sentences of the book
in one script, which only the page of the search loads, and `search.js` chooses from them.
"""

import json
import re
import shutil
from pathlib import Path

from docutils import nodes

SHOWN = (nodes.paragraph, nodes.term, nodes.entry)
SENTENCE = re.compile(r"(?<=[.?!])[”\"’)]*\s+(?=[A-Z“\"(\d])")
FRACTION = re.compile(r"\\[td]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
SIGNS = {
    "sqrt": "√",
    "cdot": "·",
    "times": "×",
    "top": "ᵀ",
    "infty": "∞",
    "partial": "∂",
    "leftarrow": "←",
    "dots": "…",
}
SIGNS |= {
    "approx": "≈",
    "ne": "≠",
    "sum": "Σ",
    "ldots": "…",
    "cap": "∩",
    "le": "≤",
    "ge": "≥",
    "omega": "ω",
    "pi": "π",
}
SIGNS |= {"sigma": "σ", "mu": "μ", "delta": "δ", "varepsilon": "ε", "alpha": "α", "beta": "β"}
SMALL = str.maketrans("0123456789kmnijt", "₀₁₂₃₄₅₆₇₈₉ₖₘₙᵢⱼₜ")


def plain(tex):
    """A short formula in plain letters: `\\\\sqrt{d_k}` is √dₖ."""
    tex = FRACTION.sub(r"\1/\2", tex)
    tex = re.sub(r"_\{?([0-9kmnijt])\}?", lambda match: match[1].translate(SMALL), tex)
    tex = re.sub(
        r"\\([A-Za-z]+)",
        lambda match: SIGNS.get(match[1], match[1] if match[1] in NAMES else ""),
        tex,
    )
    return " ".join(re.sub(r"\\.|[{}]", " " if "\\" in tex else "", tex).replace("^ᵀ", "ᵀ").split())


NAMES = {"cos", "sin", "tanh", "ln", "log", "min", "max", "exp"}


def text_of(node):
    """The words of a node as its page shows them."""
    if isinstance(node, nodes.math):
        return plain(node.astext())
    if isinstance(node, nodes.raw):
        return re.sub(r"<[^>]*>", "", node.astext()) if node.get("format") == "html" else ""
    if isinstance(node, nodes.Text):
        return node.astext()
    return "".join(map(text_of, node.children))


def sentences(document):
    """The sentences of a page's prose: without code, results, figures and displayed formulas."""
    pieces = []
    for node in document.findall(lambda node: isinstance(node, SHOWN)):
        parents = []
        parent = node.parent
        while parent is not None:
            parents.append(parent)
            parent = parent.parent
        in_cell = any("cell" in parent.get("classes", []) for parent in parents)
        if in_cell or (
            isinstance(node, nodes.paragraph)
            and any(isinstance(parent, SHOWN) for parent in parents)
        ):
            continue
        pieces += SENTENCE.split(" ".join(text_of(node).split()))
    return [sentence for sentence in dict.fromkeys(pieces) if len(sentence) > 3]


def keep(app, doctree):
    if not hasattr(app.env, "book_sentences"):
        app.env.book_sentences = {}
    app.env.book_sentences[app.env.docname] = sentences(doctree)


def forget(app, env, docname):
    getattr(env, "book_sentences", {}).pop(docname, None)


def write(app, exception):
    if exception is None and app.builder.format == "html":
        text = json.dumps(
            getattr(app.env, "book_sentences", {}), ensure_ascii=False, separators=(",", ":")
        )
        static = Path(app.outdir) / "_static"
        (static / "sentences.js").write_text(f"window.bookSentences = {text};\n", encoding="utf-8")
        shutil.copy(Path(__file__).with_name("search.js"), static)


def setup(app):
    app.connect("doctree-read", keep)
    app.connect("env-purge-doc", forget)
    app.connect("build-finished", write)
    return {"parallel_read_safe": False, "parallel_write_safe": True, "env_version": 1}
