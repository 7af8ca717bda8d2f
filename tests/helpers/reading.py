"""What a reader meets on a built page before its exercises, counted: words, runs without a picture,
open code.

`python tests/helpers/reading.py _build/html/chapters/05-masks.html` prints the counts of a page and
what is too much of it.
"""

import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from bs4 import BeautifulSoup, NavigableString

RUN = 280
APART = 350
LINES = 25
COLUMNS = 84
SHOWN = "picture", "figure"


@dataclass
class Reading:
    """The main line of a page: all that shows without opening a fold, up to the exercises.

    words: of the prose. run: the longest run of words without a picture, figure, formula, table or
    printed result.
    apart: the longest run without a picture or figure. cells: lines of each open code cell. wide:
    too wide code lines.
    """

    words: int = 0
    run: int = 0
    apart: int = 0
    cells: list[int] = field(default_factory=list)
    wide: list[str] = field(default_factory=list)

    def too_much(self) -> list[str]:
        """What is over the book's limits, in words."""
        found = [
            f"{what}: {count}, at most {limit}"
            for what, count, limit in (
                ("words without anything to look at", self.run, RUN),
                ("words without a picture", self.apart, APART),
                ("lines in one open cell", max(self.cells, default=0), LINES),
            )
            if count > limit
        ]
        return found + [f"code wider than {COLUMNS}: {line}" for line in self.wide]


def events(article):
    """The page in order: ("words", how many), ("code", its lines), or (what there is to look at,
    None).
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
            yield "figure", None
        elif node.name in ("img", "picture"):
            yield "picture", None
        elif node.name == "table":
            yield "table", None
        elif "math" in classes:
            yield ("formula", None) if node.name == "div" else ("words", 1)
        elif (
            "cell_output" in classes
            and not node.find(["img", "svg"])
            and not node.select(".tl-figure, details")
        ):
            yield "result", None
        elif node.name == "pre":
            yield "code", node.get_text().rstrip("\n").split("\n")
        else:
            for child in node.children:
                yield from walk(child)

    yield from walk(article)


@cache
def read(path: Path) -> Reading:
    """The main line of a built page."""
    article = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser").select_one(
        "article.bd-article"
    )
    exercises = article.find("section", id="exercises")
    for after in [*exercises.find_next_siblings(), exercises] if exercises else []:
        after.decompose()
    reading = Reading()
    run = 0
    apart = 0
    for kind, what in events(article):
        if kind == "words":
            reading.words, run, apart = reading.words + what, run + what, apart + what
        elif kind == "code":
            code = [line for line in what if line.strip()]
            reading.cells.append(len(code))
            reading.wide += [line for line in code if len(line) > COLUMNS]
        else:
            run = 0
            apart = 0 if kind in SHOWN else apart
        reading.run, reading.apart = max(reading.run, run), max(reading.apart, apart)
    return reading


if __name__ == "__main__":
    for page in sys.argv[1:]:
        counted = read(Path(page))
        print(
            page,
            counted.words,
            "words,",
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
