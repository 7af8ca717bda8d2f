"""What the site is made of, and what its pages say of themselves."""

import io
import os
import re
import subprocess
import sys
from fnmatch import fnmatch
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import numpy as np
import pytest
import sphinx_copybutton
import yaml
from bs4 import BeautifulSoup
from conftest import ROOT
from PIL import Image
from pypdf import PdfReader
from pypdfium2 import PdfDocument
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from attention_by_hand.figures import TrainingPlayground

sys.path.insert(0, str(ROOT / "_ext"))
import book_math  # noqa: E402
from book_order import take_places  # noqa: E402
from book_pages import THEME, without_unused_rules  # noqa: E402


@pytest.fixture
def small_site(tmp_path, monkeypatch):
    """A function that builds a page of plain Markdown with the book's mathematics; its parsed
    HTML.
    """

    def only_math(app):
        book_math.set_formulas(app)
        take_places(app, {"doctree-resolved": {500: [book_math.hold_marks]}})
        take_places(app, {"build-finished": {500: [book_math.write_styles]}})

    monkeypatch.setitem(sys.modules, "only_math", SimpleNamespace(setup=only_math))

    def build(text):
        (tmp_path / "page.md").write_text(text, encoding="utf-8")
        options = {
            "extensions": ["myst_parser", "only_math"],
            "myst_enable_extensions": ["amsmath", "dollarmath"],
            "root_doc": "page",
            "html_theme": "basic",
        }
        Sphinx(
            tmp_path, None, tmp_path / "html", tmp_path / "doctrees", "html", options, status=None
        ).build()
        return BeautifulSoup(
            (tmp_path / "html" / "page.html").read_text(encoding="utf-8"), "html.parser"
        )

    return build


def test_formulas_are_set_with_the_letters_they_use(small_site, tmp_path):
    page = small_site(
        "# Page\n\n$a^2 = |b|$ and\n\n$$\\sum_i \\begin{cases} x \\\\ y \\end{cases}$$\n"
    )
    inline, displayed = page.select(".math")
    assert inline.get_text() == inline.math.get_text() == "a2=|b|", (
        "what screen readers read, and nothing twice"
    )
    assert displayed.find("mjx-container")["display"] == "true"
    assert not page.find_all("script", src=re.compile("mathjax", re.I))
    static = tmp_path / "html" / "_static"
    style, fonts = (
        (static / name).read_text(encoding="utf-8") for name in ("math.css", "math-fonts.css")
    )
    shown = {
        name
        for letter in page.find_all("mjx-c")
        for name in letter["class"]
        if name.startswith("mjx-c")
    }
    assert len(shown) == 10 and all(f".{name}" in style for name in shown)
    assert ".mjx-c1D467" not in style, "nobody wrote a z"
    assert fonts.count("@font-face") >= 4 and "url(." not in style + fonts
    assert re.findall("@font-face { font-family: ([^;]+)", style) == ["MJXZERO"], (
        "without it lines would move"
    )


def test_a_mark_behind_a_formula_stays_on_its_line(small_site):
    page = small_site("# Page\n\nOf $a$, $b$ and ($c$). *So $d$!* $e$\n")
    held = [span.get_text() for span in page.select(".math-and-mark")]
    assert held == ["a,", "(c).", "d!"] and page.p.get_text() == "Of a, b and (c). So d! e"


def test_a_number_by_itself_is_set_as_text(small_site):
    page = small_site("# Page\n\nFrom $-6.18$ to $1{,}024$, and $d = 8$.\n")
    assert page.p.get_text() == "From −6.18 to 1,024, and d=8."
    assert len(page.select(".math")) == 1


def test_a_formula_that_cannot_be_set_stops_the_build_and_is_named(small_site):
    with pytest.raises(
        ExtensionError, match=r"page: Undefined control sequence .*foo in the formula .*\\foo x"
    ):
        small_site("# Page\n\nA formula, $\\foo x$.\n")


CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def pages(site):
    """{path of a page that the theme lays out: its HTML}."""
    paths = [*site.glob("*.html"), *site.glob("chapters/**/*.html")]
    return {
        path.relative_to(site).as_posix(): path.read_text("utf-8")
        for path in paths
        if path.name != "404.html"
    }


def test_a_shared_link_has_title_words_and_once_published_a_picture(site, pages):
    home = CONFIG["html"]["baseurl"]
    descriptions = []
    for name, page in pages.items():
        soup = BeautifulSoup(page[: page.index("</head>")], "html.parser")
        said = {
            meta.get("property") or meta.get("name"): meta["content"]
            for meta in soup.select("head meta[content]")
        }
        assert said["og:title"] and said["og:description"] == said["description"], name
        assert 20 <= len(said["description"]) <= 200 and not re.search(
            r"[\\$]", said["description"]
        ), name
        if home:
            assert said["og:url"] == home + name
            assert (site / said["og:image"].removeprefix(home)).is_file()
        else:
            assert not {"og:url", "og:image", "twitter:card"} & set(said)
        assert (
            (site / name)
            .parent.joinpath(soup.select_one("link[rel=apple-touch-icon]")["href"])
            .is_file()
        )
        assert len(soup.select("meta[name=viewport]")) == 1, name
        descriptions.append(said["description"])
    assert len(set(descriptions)) == len(descriptions)


def test_a_chapter_is_described_by_its_question_and_the_book_by_a_sentence(pages):
    front = BeautifulSoup(pages["index.html"], "html.parser")
    for row in front.select("#the-chapters table:has(img) tbody tr"):
        chapter = pages[row.a["href"]]
        question = row.find_all("td")[1].get_text().strip()
        assert f'content="{question}"' in chapter
    (said,) = front.select("meta[name=description]")
    assert said["content"] == CONFIG["sphinx"]["config"]["book_description"]
    assert said["content"].startswith("An interactive book")


def test_no_button_lies_over_the_figures(pages):
    assert not [path for path, page in pages.items() if 'id="pst-back-to-top"' in page]


def test_pictures_keep_their_place_while_they_load(pages):
    pictures = [
        (name, image)
        for name, page in pages.items()
        for image in re.findall("<img [^>]*/_images/[^>]*>", page)
    ]
    assert len(pictures) > 30
    for name, image in pictures:
        assert re.search(r'width="\d{2,4}" height="\d{2,4}"', image), (name, image)
        assert 'loading="lazy"' in image, "pictures far below wait until they are near"


def test_no_page_waits_for_a_script_but_those_that_decide_how_it_is_first_drawn(pages):
    for name, page in pages.items():
        waiting = re.findall(r'<script src="[^"]*?/?([\w.-]+)(?:\?[^"]*)?">', page)
        if name != "search.html":  # which talks to its scripts at once
            assert set(waiting) == {"documentation_options.js", "projector.js"}, name


def test_code_can_be_copied_and_what_it_printed_is_no_stop_of_the_tab_key(visit):
    page = visit("chapters/02-query-key-value.html").page
    assert page.locator(".cell_input .copybtn").count() > 10
    assert page.locator(".cell_output pre").count() > 5
    assert page.locator(".cell_output .copybtn").count() == 0


@pytest.mark.parametrize(
    ("stored", "theme"), [(None, "dark"), ("auto", "dark"), ("light", "light")]
)
def test_the_colours_are_known_before_the_theme_s_last_script(visit, stored, theme):
    page = visit("chapters/colophon.html", color_scheme="dark").page
    if stored:
        page.evaluate(
            "([mode]) => { localStorage.mode = mode; localStorage.theme = 'light' }", [stored]
        )
    page.route("**/pydata-sphinx-theme.js*", lambda route: route.abort())
    page.reload()
    assert page.evaluate("({...document.documentElement.dataset})").items() >= {
        "mode": stored or "auto", "theme": theme
    }.items()  # fmt: skip


def test_without_scripts_a_page_is_light_and_has_its_borders(visit):
    page = visit("chapters/colophon.html", color_scheme="dark", java_script_enabled=False).page
    assert page.locator("html").get_attribute("data-theme") is None
    assert (
        page.locator(".bd-sidebar-primary").evaluate(
            "bar => getComputedStyle(bar).borderRightWidth"
        )
        == "1px"
    )


# The rules of a style sheet, those within @media too, whose selector finds something on the page as
# it stands.
RULES_IN_USE = """([text, all]) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    const walk = (rules) => [...rules].flatMap((rule) =>
        rule.selectorText ? rule.selectorText.split(/,(?![^()]*\\))/) : walk(rule.cssRules ?? []));
    const found = (selector) => {
        try {
            const still = selector.replace(/::?(?!not|is|where|root)[\\w-]+(\\([^()]*\\))?/g, "");
            return document.querySelector(still || "*");
        } catch {
            return false;
        }
    };
    return walk(sheet.cssRules).map((selector) => selector.trim())
        .filter((selector) => all || found(selector));
}"""


def test_the_theme_s_style_keeps_every_rule_that_a_page_uses(site, visit):
    whole = (THEME / "styles" / "pydata-sphinx-theme.css").read_text(encoding="utf-8")
    kept = (site / "_static" / "styles" / "pydata-sphinx-theme.css").read_text(encoding="utf-8")
    assert len(kept) < 0.3 * len(whole)
    for name in ("index.html", "chapters/08-training.html", "search.html"):
        page = visit(name).page
        used = set(page.evaluate(RULES_IN_USE, [whole, False]))
        assert len(used) > 100 and used <= set(page.evaluate(RULES_IN_USE, [kept, True])), name


def test_rules_go_by_their_classes_alone():
    style = (
        "/*! A, b */.gone,.here:not(.gone) p{a:b}@media "
        "(x){.gone{c:d}a[href='.gone']{e:f}}@page{g:h}.gone{i:j}"
    )
    assert without_unused_rules(style, {"here"}) == (
        "/*! A, b */.here:not(.gone) p{a:b}@media (x){a[href='.gone']{e:f}}@page{g:h}"
    )


def test_every_icon_that_is_shown_is_on_the_site(site, pages):
    style = (site / "_static" / "icons.css").read_text(encoding="utf-8")
    sizes = {"fa-lg", "fa-sm", "fa-fw", "fa-solid", "fa-inverse"}
    for name, page in pages.items():
        shown = set(re.findall(r"(?<=[\s\"])fa-[\w-]+(?=[^<>]*>)", page))
        assert all(f".{icon}:before" in style for icon in shown - sizes), (name, shown)


@pytest.mark.parametrize("folder", sorted({"/", urlsplit(CONFIG["html"]["baseurl"]).path or "/"}))
def test_a_lost_reader_is_led_home_from_any_depth(site, server, visit, folder):
    page = visit("index.html").page
    lost = (site / "404.html").read_text(encoding="utf-8")
    page.context.route(
        "**/no/such/*", lambda route: route.fulfill(status=404, content_type="text/html", body=lost)
    )
    page.goto(f"{server}{folder}no/such/page.html")
    links = page.eval_on_selector_all("a, link", "found => found.map(link => link.href)")
    assert links == [
        f"{server}{folder}{name}" for name in ("_static/logo.svg", "index.html", "search.html")
    ]


def supply():
    """The table of the colophon: [(what, version, patterns of its files)]."""
    page = (ROOT / "chapters" / "colophon.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[([^]]+)\]\([^)]+\).*? \| ([\d.]+) \| .+? \| (.+) \|$", page, re.M)
    return [(what, version, re.findall("`([^`]+)`", files)) for what, version, files in rows]


def test_everything_that_others_made_is_in_the_colophon(site):
    ours = [
        "*.png",
        "logo.svg",
        "book.css",
        "letters.js",
        "paper.css",
        "place.js",
        "projector.*",
        "reading.js",
        "search.js",
        "sentences.js",
        "terms.js",
        "cards/*",
        "data/*",
        "figures/*",
        "poster/*",
        "wall/*",
    ]
    theirs = {pattern for _, _, files in supply() for pattern in files}
    files = [
        path.relative_to(site / "_static").as_posix()
        for path in (site / "_static").rglob("*")
        if path.is_file()
    ]
    assert not [
        file for file in files if not any(fnmatch(file, pattern) for pattern in [*ours, *theirs])
    ]
    assert not [pattern for pattern in theirs if not any(fnmatch(file, pattern) for file in files)]


def test_the_colophon_has_the_versions_that_are_installed():
    from book_math import MATHJAX
    from book_pages import THEME

    static = ROOT / "_static"
    inside = {
        "Source Serif 4": (static / "letters.OFL.txt", r"Serif 4, version ([\d.]+)\."),
        "Source Sans 3": (static / "letters.OFL.txt", r"Sans 3, version ([\d.]+),"),
        "Noto Sans SC": (static / "letters.OFL.txt", r"Sans SC, version ([\d.]+)\."),
        "DejaVu Sans": (static / "signs.txt", r"version ([\d.]+),"),
        "MathJax": (MATHJAX / "core.js", r'VERSION="([\d.]+)"'),
        "Font Awesome Free": (
            THEME / "styles" / "pydata-sphinx-theme.css",
            r"Font Awesome Free ([\d.]+)",
        ),
        "Bootstrap": (THEME / "scripts" / "bootstrap.js.LICENSE.txt", r"Bootstrap v([\d.]+)"),
        "clipboard.js": (
            Path(sphinx_copybutton.__file__).parent / "_static" / "clipboard.min.js",
            r"\.js v([\d.]+)",
        ),
    }
    rows = supply()
    assert len(rows) == 14
    for what, version, _ in rows:
        if what in inside:
            file, pattern = inside[what]
            assert re.search(pattern, file.read_text(encoding="utf-8"))[1] == version, what
        else:
            assert metadata.version(what) == version, what


@pytest.mark.parametrize(
    ("path", "picture"),
    [
        ("chapters/05-masks.html", "article .cell_output img.in-light"),
        ("index.html", "#the-chapters img.in-light"),
    ],
)
def test_pictures_keep_their_paper_where_the_system_sets_all_colours(visit, path, picture):
    page = visit(path, forced_colors="active").page
    picture = page.locator(picture).first
    picture.scroll_into_view_if_needed()
    page.wait_for_function("image => image.complete", arg=picture.element_handle())
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, forced_colors="active")
        pixels = np.array(Image.open(io.BytesIO(picture.screenshot())))
        light = (pixels[..., :3].min(-1) > 200).mean()
        assert 0.5 < light < 0.99, scheme


PAPER_PAGE = """<!doctype html><html lang="en"><title>{title}</title>
<style>@page {{ margin: 2cm; @bottom-right {{ content: counter(page) }} }}</style>
<div class="bd-sidebar-primary"><nav><a href="#">Here</a> <a href="two.html">Two</a> <a href="https://a.org">Away</a></nav></div>
<article class="bd-article"><h1>{title}</h1><p>Text.</p>
<h2 style="break-before: page">Later in {title}</h2></article></html>"""


def tagged(element):
    """The elements of a PDF's structure, from the one given down."""
    yield element
    below = element.get("/K", [])
    for part in below if isinstance(below, list) else [below]:
        if isinstance(part.get_object(), dict):
            yield from tagged(part.get_object())


def printed(page):
    """The text of each sheet."""
    sheets = PdfDocument(page.pdf(format="A4", print_background=True))
    return [" ".join(sheet.get_textpage().get_text_range().split()) for sheet in sheets]


def test_a_chapter_on_paper_says_what_it_is_ends_with_its_solutions_and_asks_for_no_answer(visit):
    page = visit("chapters/02-query-key-value.html").page
    texts = printed(page)
    assert not re.search("u2[0-9a-f]{3}", "".join(texts))
    for number, text in enumerate(texts, 1):
        assert "Attention,byHand·2.Query,key,value" in text.replace(" ", "")
        assert str(number) in text
    begins = next(i for i, text in enumerate(texts) if "Solutions" in text)
    assert "Solutions 2.1 The second best" in texts[begins]
    assert "In the package" in texts[begins - 1] and "2.5 Take the length away" in texts[-1]
    assert "Download the notebook" not in " ".join(texts)
    assert "your answer" not in " ".join(texts)
    assert page.locator("#exercise-2-1 > details").count() == 1, "on the screen they are back"
    assert page.locator(".solutions").count() == 0


def test_on_paper_the_front_page_fills_its_sheets(visit):
    texts = printed(visit("index.html").page)
    # Kerned letters of a drawing may come out apart
    first, second, third, *_ = ("".join(text.split()) for text in texts)
    assert "wordorder" in first and "adivisionby4" in first
    assert "Touchanyword" not in first and "Computeoneofthese" not in first
    assert "0.Whyattention" in second and "12.Whathaschanged" in third


@pytest.mark.site
def test_what_a_reader_would_start_has_run_in_the_printed_book(browser, tmp_path):
    from dev.paper import printed as prints

    figure = TrainingPlayground([("eins zwei", "one two")]).snapshot()
    file = tmp_path / "page.html"
    file.write_text(f"<!doctype html><article class=bd-article><h1>Page</h1>{figure}</article>")
    page = browser.new_page(reduced_motion="reduce")
    data, _ = prints(page, file.as_uri(), 0)
    page.close()
    (sheet,) = PdfReader(io.BytesIO(data)).pages
    assert "step 64" in sheet.extract_text() and "one two" in sheet.extract_text()


@pytest.mark.site
def test_the_contents_of_sixty_pages_stand_on_one_sheet(browser):
    from dev.paper import contents

    rows = [(f"Chapter {n} has a title as long as this one", n) for n in range(60)]
    assert len(PdfReader(io.BytesIO(contents(browser.new_page(), rows))).pages) == 1


@pytest.mark.site
def test_the_whole_book_becomes_one_pdf_with_an_outline_and_a_link(browser, tmp_path):
    from dev.paper import NAME

    for name, title in (("index", "One"), ("two", "Two")):
        (tmp_path / f"{name}.html").write_text(PAPER_PAGE.format(title=title), encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "dev.paper", tmp_path],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    book = PdfReader(tmp_path / NAME)
    front, *texts = (" ".join(sheet.extract_text().split()) for sheet in book.pages)
    assert len(texts) == 4 and "Later in Two" in texts[3]
    assert "One 1 Two 3" in front
    assert book.page_labels == ["i", "1", "2", "3", "4"]
    assert [re.search(r"\d", text)[0] for text in texts] == list("1234"), "as the sheets say"
    first, under_first, second, under_second = book.outline
    found = [
        (item.title, book.get_destination_page_number(item))
        for item in (first, *under_first, second, *under_second)
    ]
    assert found == [("One", 1), ("Later in One", 2), ("Two", 3), ("Later in Two", 4)]
    root = book.root_object
    assert root["/MarkInfo"]["/Marked"] and root["/Lang"] == "en"
    titles = [one for one in tagged(root["/StructTreeRoot"]) if one.get("/S") == "/H1"]
    sheets = [next(one["/Pg"] for one in tagged(title) if "/Pg" in one) for title in titles]
    assert [book.get_page_number(sheet) for sheet in sheets] == [0, 1, 3]
    numbers = root["/StructTreeRoot"]["/ParentTree"]["/Nums"]
    places = dict(zip(numbers[::2], numbers[1::2], strict=True))
    for sheet in book.pages:  # what a number names lies on the sheet that has it
        parts = places[sheet["/StructParents"]]
        assert {book.get_page_number(part.get_object()["/Pg"]) for part in parts} == {
            sheet.page_number
        }
    assert f'<a href="{NAME}">' in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert {path.name for path in tmp_path.iterdir()} == {"index.html", "two.html", NAME}
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o644  # a web server may read it

    (tmp_path / "two.html").write_text(
        PAPER_PAGE.format(title="Two").replace("Text", "Text<br>" * 99)
    )
    subprocess.run(
        [sys.executable, "-m", "dev.paper", tmp_path],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    first = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert (
        first.count("pages, for paper") == 1
        and f"{len(PdfReader(tmp_path / NAME).pages)} pages" in first
    )
    assert "4 pages" not in first


WAY_PAGE = PAPER_PAGE.replace(
    "</article>",
    """<section id="the-workshop"><h2>The workshop</h2></section>
<section><h2>Proved in {title}</h2></section></article>""",
)


@pytest.mark.site
@pytest.mark.weekly
def test_the_afternoon_is_a_pdf_of_its_own_beside_the_whole_book(browser, tmp_path):
    from dev.paper import NAME, WAY

    chapter = "chapters/01-two.html"
    (tmp_path / "chapters").mkdir()
    for name, title in (("index.html", "One"), (chapter, "Two"), ("three.html", "Three")):
        page = WAY_PAGE if name == chapter else PAPER_PAGE
        page = page.replace("two.html", chapter).replace(
            "https", 'three.html">3</a> <a href="https'
        )
        (tmp_path / name).write_text(page.format(title=title), encoding="utf-8")
    command = [sys.executable, "-m", "dev.paper", tmp_path]
    for options in ([], ["--way"], ["--way"]):
        subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL)
    texts, whole = (
        [" ".join(sheet.extract_text().split()) for sheet in PdfReader(tmp_path / name).pages]
        for name in (WAY, NAME)
    )
    assert texts[0] == "Contents One 1 Two 3" and len(texts) == 5
    assert "Later in Two" in texts[4] and "workshop" not in " ".join(texts).lower()
    assert "Proved in Two" in " ".join(whole) and "Later in Three" in whole[-1]
    outline = PdfReader(tmp_path / WAY).outline
    titles = [
        item.title for part in outline for item in (part if isinstance(part, list) else [part])
    ]
    assert titles == ["One", "Later in One", "Two", "Later in Two"]
    links = re.findall(
        r'<a href="([\w-]+\.pdf)">.*?, (\d+) pages, for paper',
        (tmp_path / "index.html").read_text(),
    )
    assert links == [(NAME, str(len(whole))), (WAY, "5")]


def test_without_a_site_or_a_browser_the_book_is_not_printed(tmp_path):
    command = [sys.executable, "-m", "dev.paper", tmp_path]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 2 and "is no built site" in run.stderr and not [*tmp_path.iterdir()]
    (tmp_path / "index.html").touch()
    run = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PATH": ""})
    assert (
        run.returncode == 2
        and "apt-get install chromium" in run.stderr
        and len([*tmp_path.iterdir()]) == 1
    )


@pytest.mark.site
def test_where_nothing_is_kept_the_theme_and_the_search_still_answer(visit):
    opened = visit("chapters/05-masks.html", color_scheme="light")
    page = opened.page
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', {configurable: true, get() { throw new "
        "DOMException('no') }})"
    )
    page.reload()
    mode = "document.documentElement.dataset.mode"
    before = page.evaluate(mode)
    page.locator(".theme-switch-button:visible").first.click()
    assert page.evaluate(mode) != before
    page.keyboard.press("Control+k")
    page.locator("#pst-search-dialog[open]").wait_for()
    assert opened.errors == []
