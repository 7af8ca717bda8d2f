"""The whole book on paper: the pages as Chromium prints them, in one PDF with an outline.

`python -m dev.paper _build/html` writes `attention-by-hand.pdf` into that folder, linked from
the first page. The pages come in the order of the contents, which stand in front with the numbers
of the sheets; the outline leads to each page and to its sections, and the tags of each page, which
a screen reader follows, are kept. Run it again after a build.

With `--way` it writes the book in an afternoon, `attention-by-hand-way.pdf`: the first page, and of
each chapter what stands before its workshop.
"""

import argparse
import io
import re
import shutil
import sys
import tempfile
from html import escape
from pathlib import Path

from pypdf import PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    BooleanObject,
    DictionaryObject,
    NameObject,
    NumberObject,
    TextStringObject,
)

NAME = "attention-by-hand.pdf"
WAY = "attention-by-hand-way.pdf"
SAYS = {NAME: "The whole book as one PDF", WAY: "The book in an afternoon as one PDF"}
CHAPTER = re.compile(r"chapters/\d\d-[^/]+\.html")
CONTENTS = """<!doctype html><html lang="en"><title>Contents</title><style>
@page { margin: 16mm 15mm 18mm; }
body { font: 10pt/1.5 sans-serif; }
li { display: flex; justify-content: space-between; gap: 1em; break-inside: avoid; }
ul { padding: 0; columns: 2; column-gap: 10mm; }
</style><h1>Contents</h1><ul>"""
SECTIONS = """[...document.querySelectorAll("article.bd-article :is(h1, h2)")].map(title => [
    title.tagName, [...title.childNodes].filter(node => node.className !== "headerlink").map(node =>
        node.querySelector?.("math")?.textContent ?? node.textContent).join("").trim()])"""

# What stands before the workshop
WAY_ONLY = """() => {
    const workshop = document.querySelector("article.bd-article #the-workshop");
    while (workshop?.nextElementSibling) workshop.nextElementSibling.remove();
    workshop?.remove();
}"""

# What a reader would do first: come near what is loaded only then, and let it learn
PLAY = """async () => {
    for (const home of document.querySelectorAll(".tl-figure")) {
        home.scrollIntoView({ behavior: "instant" });
        home.shadowRoot.querySelector(".playground [data-action=play]")?.click();
        await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
    }
}"""
BUSY = "[data-state=training], [data-state=waiting], [aria-busy=true]"
DONE = f"""() => [...document.querySelectorAll(".tl-figure")].every(home =>
    !home.shadowRoot.querySelector("{BUSY}"))"""


def linked(page, name, sheets):
    """The first page with a link to this PDF, in place of the one that it had."""
    text = re.sub(rf'<p class="book-paper"><a href="{name}">.*?</p>', "", page)
    link = (
        f'<p class="book-paper"><a href="{name}">{SAYS[name]}</a>, {sheets} pages, for paper.</p>'
    )
    return text.replace("</article>", f"{link}</article>", 1)


def order(site):
    """The pages in the order of the contents: [path, ...], the first page first."""
    from bs4 import BeautifulSoup

    home = BeautifulSoup((site / "index.html").read_text(encoding="utf-8"), "html.parser")
    links = [anchor["href"] for anchor in home.select(".bd-sidebar-primary nav a[href]")]
    local = [
        address
        for address in links
        if "//" not in address and "#" not in address and (site / address).is_file()
    ]
    return list(dict.fromkeys(["index.html", *local]))


def on_sheets(page):
    """What the page shows, as a tagged PDF."""
    return page.pdf(format="A4", print_background=True, tagged=True)


def printed(page, address, before, way=False):
    """One page as [PDF, its title and sections], its sheets numbered from the one after `before`;
    of a chapter the way alone, if you say so.

    The foot of a sheet, with the title and the number, is the site's own: see `book_head.py`.
    """
    page.goto(address, wait_until="networkidle")
    if way:
        page.evaluate(WAY_ONLY)
    page.evaluate(PLAY)
    page.wait_for_function(DONE)
    page.emulate_media(media="print", color_scheme="light")
    page.add_style_tag(content=f"html {{ counter-reset: page {before}; }}")
    return on_sheets(page), page.evaluate(SECTIONS)


def contents(page, rows):
    """The page in front as a PDF: `rows` are titles and the numbers of their sheets."""
    lines = (
        f"<li><span>{escape(title)}</span> <span>{number}</span></li>" for title, number in rows
    )
    page.set_content(CONTENTS + "".join(lines))
    return on_sheets(page)


def keep_tags(book, part, first):
    """Hang the structure of a part, whose sheets begin at `first` in the book, into the book's.

    A sheet and a link know their place in the structure by a number, which counts on here.
    """
    root = book.root_object
    if "/StructTreeRoot" not in root:
        tree = DictionaryObject({NameObject("/Type"): NameObject("/StructTreeRoot")})
        tree[NameObject("/K")] = ArrayObject()
        tree[NameObject("/ParentTree")] = DictionaryObject({NameObject("/Nums"): ArrayObject()})
        root[NameObject("/StructTreeRoot")] = book._add_object(tree)
        root[NameObject("/MarkInfo")] = DictionaryObject(
            {NameObject("/Marked"): BooleanObject(True)}
        )
        root[NameObject("/Lang")] = TextStringObject("en")
    tree = root["/StructTreeRoot"]
    numbers = tree["/ParentTree"]["/Nums"]
    offset = numbers[-2] + 1 if numbers else 0
    own = part.trailer["/Root"]["/StructTreeRoot"].clone(book)
    top = own["/K"]
    top[NameObject("/P")] = tree.indirect_reference
    tree["/K"].append(top.indirect_reference)
    for key, value in in_number_tree(own["/ParentTree"]):
        numbers.extend([NumberObject(key + offset), value])
    for sheet, original in zip(book.pages[first:], part.pages, strict=True):
        if "/StructParents" in original:  # pypdf leaves it out
            place = NumberObject(original["/StructParents"] + offset)
            sheet[NameObject("/StructParents")] = place
        for link in sheet.get("/Annots", []):
            if "/StructParent" in link.get_object():
                place = NumberObject(link.get_object()["/StructParent"] + offset)
                link.get_object()[NameObject("/StructParent")] = place


def in_number_tree(tree):
    """The keys of a number tree and what each stands for."""
    for branch in tree.get("/Kids", []):
        yield from in_number_tree(branch.get_object())
    numbers = tree.get("/Nums", [])
    yield from zip(numbers[::2], numbers[1::2], strict=True)


def bind(parts, front):
    """The parts as one PDF after the contents, with an outline: each page's title, and under it
    its sections where they begin.
    """
    book = PdfWriter()
    for data, sections in [(front, []), *parts]:
        reader = PdfReader(io.BytesIO(data))
        first = len(book.pages)
        book.append(reader, import_outline=False)
        keep_tags(book, reader, first)
        words = [" ".join(sheet.extract_text().split()) for sheet in reader.pages]
        chapter = None
        sheet = 0
        for level, title in sections:
            if chapter is None:
                chapter = book.add_outline_item(title=title, page_number=first)
            elif level == "H2":
                sheet = next((n for n in range(sheet, len(words)) if title in words[n]), sheet)
                book.add_outline_item(title=title, page_number=first + sheet, parent=chapter)
    before = len(PdfReader(io.BytesIO(front)).pages)
    book.set_page_label(0, before - 1, style="/r")
    book.set_page_label(before, len(book.pages) - 1, style="/D")
    book.add_metadata(
        {"/Title": "Attention, by Hand", "/Author": "The authors of Attention, by Hand"}
    )
    book.compress_identical_objects()
    return book


def print_pages(browser, site, way):
    """The pages of the book, printed, and the contents to stand in front of them."""
    parts = []
    rows = []
    before = 0
    names = order(site)
    if way:
        names = ["index.html", *filter(CHAPTER.fullmatch, names)]
    for name in names:
        page = browser.new_page(viewport={"width": 1100, "height": 1400}, reduced_motion="reduce")
        parts.append(printed(page, (site / name).as_uri(), before, way))
        page.close()
        data, sections = parts[-1]
        rows.append((sections[0][1], before + 1))
        before += len(PdfReader(io.BytesIO(data)).pages)
        print(f"{name}: {len(data) // 1000} kB")
    return parts, contents(browser.new_page(), rows)


def chromium(parser):
    """The Chromium or Chrome that is on the path; without one, the parser says so."""
    names = "chromium", "chromium-browser", "google-chrome"
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        parser.error(
            "it takes Chromium or Chrome to print, and none is on the path (Debian: apt-get "
            "install chromium)"
        )
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("site", type=Path, help="the folder of the built site, such as _build/html")
    parser.add_argument(
        "--way",
        action="store_true",
        help="the first page and the first halves of the chapters, up to their workshops",
    )
    options = parser.parse_args()
    site = options.site.resolve()
    if not (site / "index.html").is_file():
        parser.error(f"{site} is no built site: jupyter-book build . makes one, in _build/html")
    path = chromium(parser)

    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        parts, front = print_pages(browser, site, options.way)
        browser.close()
    book = bind(parts, front)
    name = WAY if options.way else NAME
    with tempfile.NamedTemporaryFile(dir=site, suffix=".part", delete=False) as file:
        book.write(file)
    Path(file.name).chmod(0o644)
    Path(file.name).replace(site / name)
    home = site / "index.html"
    home.write_text(linked(home.read_text("utf-8"), name, len(book.pages)), encoding="utf-8")
    print(f"{site / name}: {len(book.pages)} pages, {(site / name).stat().st_size // 1000} kB")


if __name__ == "__main__":
    sys.exit(main())
