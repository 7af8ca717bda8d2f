"""The sentences of a page, in plain letters, as its search and its description show them."""

import re

from docutils import nodes

SHOWN = (nodes.paragraph, nodes.term, nodes.entry)
SENTENCE = re.compile(r"(?<=[.?!])[”\"’)]*\s+(?=[A-Z“\"(\d])")
TAG = re.compile("<[^>]*>")
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
    "approx": "≈",
    "ne": "≠",
    "sum": "Σ",
    "ldots": "…",
    "cap": "∩",
    "le": "≤",
    "ge": "≥",
    "omega": "ω",
    "pi": "π",
    "sigma": "σ",
    "mu": "μ",
    "delta": "δ",
    "varepsilon": "ε",
    "alpha": "α",
    "beta": "β",
}
NAMES = {"cos", "sin", "tanh", "ln", "log", "min", "max", "exp"}
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


def without_tags(code):
    return TAG.sub("", code)


def text_of(node):
    """The words of a node as its page shows them."""
    if isinstance(node, nodes.math):
        return plain(node.astext())
    if isinstance(node, nodes.raw):
        return without_tags(node.astext()) if node.get("format") == "html" else ""
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
