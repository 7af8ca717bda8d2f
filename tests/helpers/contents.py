"""How many chapters there are, and which of them show a figure."""

import re
from functools import cache
from pathlib import Path

import nbformat

ROOT = Path(__file__).parents[2]
FILES = re.findall(
    r"file: (chapters/\d\d-.+)", (ROOT / "_toc.yml").read_text(encoding="utf-8")
)  # without their ends
NUMBERS = range(len(FILES))


@cache
def code_of(number):
    """All code of a chapter."""
    cells = nbformat.read(ROOT / f"{FILES[number]}.ipynb", as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "code")


def homes_of(figure):
    """The numbers of the chapters that show this figure, by the name of its class."""
    return [number for number in NUMBERS if re.search(rf"\b{figure}[.(]", code_of(number))]
