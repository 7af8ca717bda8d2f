"""What a reader meets on a built page before its exercises, counted: words, runs without a picture,
open code.

Words are those of headings, paragraphs, lists, tables and captions, with every fold closed: no
code, nothing that is printed, and not a figure's own text. Those before *The workshop* are the
chapter's way, which has a limit of its own.

`python tests/helpers/reading.py _build/html/chapters/05-masks.html` prints the counts of a page and
what is too much of it.
"""

import re
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from bs4 import BeautifulSoup, NavigableString

# Words of the ways of chapters 0 to 14, of all ways, of a chapter, of the chapters, of a paragraph
WAYS = 1500, 800, 1800, 800, 1100, 1300, 1400, 1600, 1500, 1100, 1000, 1400, 1200, 1200, 1100
ALL_WAYS = 18_200
CHAPTER = 4200
ALL_CHAPTERS = 46_800
PARAGRAPH = 110
RUN = 280
APART = 350
LINES = 25
COLUMNS = 84
SHOWN = "picture", "figure"


@dataclass
class Reading:
    """The main line of a page: all that shows without opening a fold, up to the exercises.

    words: of the page. way: of its first half; None where no workshop follows. paragraphs: those
    with too many words. run: the longest run of words without a picture, figure, formula, table or
    printed result. apart: the longest run without a picture or figure. cells: lines of each open
    code cell. wide: too wide code lines.
    """

    chapter: int | None = None
    words: int = 0
    way: int | None = None
    paragraphs: list[str] = field(default_factory=list)
    run: int = 0
    apart: int = 0
    cells: list[int] = field(default_factory=list)
    wide: list[str] = field(default_factory=list)

    def too_much(self) -> list[str]:
        """What is over the book's limits, in words."""
        way = [] if self.chapter is None else [("words of the way", self.way, WAYS[self.chapter])]
        found = [
            f"{what}: {count}, at most {limit}"
            for what, count, limit in (
                *way,
                ("words of the chapter", self.words, CHAPTER),
                ("words without anything to look at", self.run, RUN),
                ("words without a picture", self.apart, APART),
                ("lines in one open cell", max(self.cells, default=0), LINES),
            )
            if count is not None and count > limit
        ]
        if self.chapter is not None and self.way is None:
            found.append("no section The workshop, before which the way ends")
        found += [f"paragraph of more than {PARAGRAPH} words: {text}" for text in self.paragraphs]
        return found + [f"code wider than {COLUMNS}: {line}" for line in self.wide]


def events(article):
    """The page in order, as pairs: ("words", how many), ("code", its lines), or what there is to
    look at with the words in it: a table has some, and a figure's are not counted.
    """

    def walk(node):
        if isinstance(node, NavigableString):
            if type(node) is NavigableString and node.strip():
                yield "words", len(node.split())
            return
        classes = node.get("class") or []
        if (
            node.name in ("details", "style", "script", "noscript", "button", "nav")
            or "headerlink" in classes
        ):
            return
        if "tl-figure" in classes or node.name in ("svg", "canvas"):
            yield "figure", 0
        elif node.name in ("img", "picture"):
            yield "picture", 0
        elif node.name == "table":
            yield "table", total(below(node))
        elif "math" in classes:
            yield ("formula", 0) if node.name == "div" else ("words", 1)
        elif (
            "cell_output" in classes
            and not node.find(["img", "svg"])
            and not node.select(".tl-figure, details")
        ):
            yield "result", total(below(node)) if node.find("table") else 0
        elif node.name == "pre":
            yield "code", node.get_text().rstrip("\n").split("\n")
        else:
            yield from below(node)

    def below(node):
        for child in node.children:
            yield from walk(child)

    yield from walk(article)


def total(events):
    """The words of some events."""
    return sum(what for kind, what in events if kind != "code")


def words(*nodes):
    """The words of some parts of a page, as they are counted here."""
    return sum(total(events(node)) for node in nodes)


def up_to(path: Path, name: str):
    """What a built page shows before the section of this name."""
    article = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser").select_one(
        "article.bd-article"
    )
    end = article.find("section", id=name)
    for after in [*end.find_next_siblings(), end] if end else []:
        after.decompose()
    return article


@cache
def read(path: Path) -> Reading:
    """The main line of a built page."""
    article = up_to(path, "exercises")
    chapter = re.match(r"(\d\d)-", path.name)
    reading = Reading(chapter=int(chapter[1]) if chapter else None)
    run = 0
    apart = 0
    for kind, what in events(article):
        if kind == "code":
            code = [line for line in what if line.strip()]
            reading.cells.append(len(code))
            reading.wide += [line for line in code if len(line) > COLUMNS]
            continue
        reading.words += what
        if kind == "words":
            run, apart = run + what, apart + what
        else:
            run = 0
            apart = 0 if kind in SHOWN else apart
        reading.run, reading.apart = max(reading.run, run), max(reading.apart, apart)
    if workshop := article.find("section", id="the-workshop"):
        reading.way = reading.words - words(workshop, *workshop.find_next_siblings())
    for paragraph in article.find_all("p"):
        if words(paragraph) > PARAGRAPH and not paragraph.find_parent(class_="tl-figure"):
            if not paragraph.find_parent("details"):
                reading.paragraphs.append(f"{words(paragraph)}, {paragraph.get_text()[:60]!r}")
    return reading


if __name__ == "__main__":
    for page in sys.argv[1:]:
        counted = read(Path(page))
        print(
            page,
            counted.words,
            "words,",
            counted.way,
            "of the way,",
            counted.run,
            "the longest run,",
            counted.apart,
            "without a picture,",
        )
        print(
            "  open code:",
            sum(counted.cells),
            "lines in",
            len(counted.cells),
            "cells, at most",
            max(counted.cells, default=0),
        )
        for line in counted.too_much():
            print("  too much:", line)
