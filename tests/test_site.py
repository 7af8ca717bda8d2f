"""What the site is made of, and what its pages say of themselves."""

import re
import sys

import pytest
import yaml
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


CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def pages(site):
    """{path of a page that the theme lays out: its HTML}."""
    paths = [*site.glob("*.html"), *site.glob("chapters/**/*.html")]
    return {path.relative_to(site).as_posix(): path.read_text("utf-8") for path in paths if path.name != "404.html"}


def test_a_shared_link_has_title_words_and_picture(site, pages):
    descriptions = []
    for name, page in pages.items():
        soup = BeautifulSoup(page[: page.index("</head>")], "html.parser")
        said = {meta.get("property") or meta.get("name"): meta["content"] for meta in soup.select("head meta[content]")}
        assert said["og:title"] and said["og:description"] == said["description"], name
        assert 20 <= len(said["description"]) <= 200 and not re.search(r"[\\$]", said["description"]), name
        assert said["og:url"] == CONFIG["html"]["baseurl"] + name
        assert (site / said["og:image"].removeprefix(CONFIG["html"]["baseurl"])).is_file()
        assert (site / name).parent.joinpath(soup.select_one("link[rel=apple-touch-icon]")["href"]).is_file()
        assert len(soup.select("meta[name=viewport]")) == 1, name
        descriptions.append(said["description"])
    assert len(set(descriptions)) == len(descriptions)


def test_pictures_keep_their_place_while_they_load(pages):
    pictures = [
        (name, image) for name, page in pages.items() for image in re.findall("<img [^>]*/_images/[^>]*>", page)
    ]
    assert len(pictures) > 30
    for name, image in pictures:
        assert re.search(r'width="\d{2,4}" height="\d{2,4}"', image), (name, image)


def test_every_icon_that_is_shown_is_on_the_site(site, pages):
    style = (site / "_static" / "icons.css").read_text(encoding="utf-8")
    sizes = {"fa-lg", "fa-sm", "fa-fw", "fa-solid", "fa-inverse"}
    for name, page in pages.items():
        shown = set(re.findall(r"(?<=[\s\"])fa-[\w-]+(?=[^<>]*>)", page))
        assert all(f".{icon}:before" in style for icon in shown - sizes), (name, shown)


@pytest.mark.parametrize("folder", ["/", "/attention-by-hand/"])
def test_a_lost_reader_is_led_home_from_any_depth(site, server, visit, folder):
    page = visit("index.html").page
    lost = (site / "404.html").read_text(encoding="utf-8")
    page.context.route("**/no/such/*", lambda route: route.fulfill(status=404, content_type="text/html", body=lost))
    page.goto(f"{server}{folder}no/such/page.html")
    links = page.eval_on_selector_all("a, link", "found => found.map(link => link.href)")
    assert links == [f"{server}{folder}{name}" for name in ("_static/logo.svg", "index.html", "search.html")]
