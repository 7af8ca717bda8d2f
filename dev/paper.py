"""The whole book on paper: each page of the built site as Chromium prints it, in one PDF with an
outline.

`python -m dev.paper _build/html` writes `attention-by-hand.pdf` into that folder, linked from
the first page. The pages come in the order of the contents, and the outline leads to each and to
its sections. Run it
again after a build.
"""

import argparse
import io
import re
import shutil
import sys
import tempfile
from pathlib import Path

NAME = "attention-by-hand.pdf"
FOOT = (
    '<div style="width: 100%; padding: 0 15mm; font: 8pt sans-serif; color: #4d5a68; display: flex;'
    ' justify-content: space-between"><span class="title"></span><span class="pageNumber"></span></div>'
)
SECTIONS = """[...document.querySelectorAll("article.bd-article :is(h1, h2)")].map(title => [
    title.tagName, [...title.childNodes].filter(node => node.className !== "headerlink").map(node =>
        node.querySelector?.("math")?.textContent ?? node.textContent).join("").trim()])"""


def link(pages):
    """The link that stands on the first page."""
    return f'<p class="book-paper"><a href="{NAME}">The whole book as one PDF</a>, {pages} pages, for paper.</p>'


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


def printed(page, address):
    """One page as [PDF, its title and sections]."""
    page.goto(address, wait_until="networkidle")
    page.emulate_media(media="print", color_scheme="light")
    sections = page.evaluate(SECTIONS)
    data = page.pdf(
        format="A4", print_background=True, display_header_footer=True, header_template="<span></span>",
        footer_template=FOOT, margin={"top": "16mm", "bottom": "18mm", "left": "15mm", "right": "15mm"},
    )  # fmt: skip
    return data, sections


def bind(parts):
    """The parts as one PDF, with an outline: each page's title, and under it its sections where
    they begin.
    """
    from pypdf import PdfReader, PdfWriter

    book = PdfWriter()
    for data, sections in parts:
        reader = PdfReader(io.BytesIO(data))
        first = len(book.pages)
        book.append(reader, import_outline=False)
        words = [" ".join(sheet.extract_text().split()) for sheet in reader.pages]
        chapter, sheet = None, 0
        for level, title in sections:
            if chapter is None:
                chapter = book.add_outline_item(title=title, page_number=first)
            elif level == "H2":
                sheet = next((n for n in range(sheet, len(words)) if title in words[n]), sheet)
                book.add_outline_item(title=title, page_number=first + sheet, parent=chapter)
    book.add_metadata(
        {"/Title": "Attention, by Hand", "/Author": "The authors of Attention, by Hand"}
    )
    book.compress_identical_objects()
    return book


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("site", type=Path, help="the folder of the built site, such as _build/html")
    site = parser.parse_args().site.resolve()
    if not (site / "index.html").is_file():
        parser.error(f"{site} is no built site: jupyter-book build . makes one, in _build/html")
    path = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if path is None:
        parser.error(
            "it takes Chromium or Chrome to print, and none is on the path (Debian: apt-get install chromium)"
        )

    from playwright.sync_api import sync_playwright

    parts = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name in order(site):
            page = browser.new_page(viewport={"width": 1100, "height": 1400})
            parts.append(printed(page, (site / name).as_uri()))
            page.close()
            print(f"{name}: {len(parts[-1][0]) // 1000} kB")
        browser.close()
    book = bind(parts)
    with tempfile.NamedTemporaryFile(dir=site, suffix=".part", delete=False) as file:
        book.write(file)
    Path(file.name).chmod(0o644)
    Path(file.name).replace(site / NAME)
    home = site / "index.html"
    text = re.sub(r'<p class="book-paper">.*?</p>', "", home.read_text("utf-8"))
    text = text.replace("</article>", f"{link(len(book.pages))}</article>", 1)
    home.write_text(text, encoding="utf-8")
    print(f"{site / NAME}: {len(book.pages)} pages, {(site / NAME).stat().st_size // 1000} kB")


if __name__ == "__main__":
    sys.exit(main())
