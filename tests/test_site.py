"""What the site is made of: formulas that are set when it is built."""

import re
import sys

import pytest
from bs4 import BeautifulSoup
from conftest import ROOT
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

sys.path.insert(0, str(ROOT / "_ext"))


@pytest.fixture
def small_site(tmp_path):
    """A function that builds a page of plain Markdown with the book's mathematics; its parsed HTML."""

    def build(text):
        (tmp_path / "page.md").write_text(text, encoding="utf-8")
        options = {
            "extensions": ["myst_parser", "book_math"],
            "myst_enable_extensions": ["amsmath", "dollarmath"],
            "root_doc": "page",
            "html_theme": "basic",
        }
        Sphinx(tmp_path, None, tmp_path / "html", tmp_path / "doctrees", "html", options, status=None).build()
        return BeautifulSoup((tmp_path / "html" / "page.html").read_text(encoding="utf-8"), "html.parser")

    return build


def test_formulas_are_set_with_the_letters_they_use(small_site, tmp_path):
    page = small_site("# Page\n\n$a^2 = |b|$ and\n\n$$\\sum_i \\begin{cases} x \\\\ y \\end{cases}$$\n")
    inline, displayed = page.select(".math")
    assert inline.get_text() == inline.math.get_text() == "a2=|b|", "what screen readers read, and nothing twice"
    assert displayed.find("mjx-container")["display"] == "true"
    assert not page.find_all("script", src=re.compile("mathjax", re.I))
    style = (tmp_path / "html" / "_static" / "math.css").read_text(encoding="utf-8")
    shown = {name for letter in page.find_all("mjx-c") for name in letter["class"] if name.startswith("mjx-c")}
    assert len(shown) == 10 and all(f".{name}" in style for name in shown)
    assert ".mjx-c1D467" not in style, "nobody wrote a z"
    assert style.count("@font-face") >= 4 and "url(." not in style


def test_a_formula_that_cannot_be_set_stops_the_build_and_is_named(small_site):
    with pytest.raises(ExtensionError, match=r"page: Undefined control sequence .*foo in the formula .*\\foo x"):
        small_site("# Page\n\nA formula, $\\foo x$.\n")
