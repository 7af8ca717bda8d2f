"""The prose of this book, as a text to learn from: every reader has it.

    python -m attention_by_hand.exhibits.book_text chapters > book.txt

Of the notebooks in a folder it takes what is told in whole sentences. Headings, tables, code, and
sentences with a formula are left out, and what is left of a link is its words.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

CHAPTERS = Path(__file__).parents[2] / "chapters"
NO_PROSE = ("#", "|", "<", "$", "![")  # how a block begins that is something else
MARKS = {
    r"^(>|[-*]|\d+\.) ": "",
    r"\[([^\]]*)\]\([^)]*\)": r"\1",  # a link
    r"`([^`]*)`": r"\1",
    r"\*+|(?<!\w)_|_(?!\w)": "",
}
SENTENCE = re.compile(r".+?[.?!][)”\"]*(?= [A-Z“(]|$)")


def book_text(folder: str | Path | None = None) -> list[str]:
    """The paragraphs of the notebooks in a folder, chapter after chapter.

    folder: unless given, the chapters of the repository that this package lies in, or, where there
    are none, the folder in which we are.
    """
    if folder is None:
        folder = CHAPTERS if CHAPTERS.is_dir() else "."
    return [
        paragraph
        for path in sorted(Path(folder).glob("*.ipynb"))
        for paragraph in paragraphs_of(json.loads(path.read_text(encoding="utf-8")))
    ]


def paragraphs_of(notebook: dict) -> Iterator[str]:
    """What a notebook tells in sentences."""
    for cell in notebook["cells"]:
        if cell["cell_type"] != "markdown":
            continue
        text = re.sub(r"```.*?```", "", "".join(cell["source"]), flags=re.S)
        for block in re.split(r"\n\s*\n|\n(?=[-*>] |\d+\. )", text):
            block = " ".join(block.split())
            if block.startswith(NO_PROSE):
                continue
            for mark, words in MARKS.items():
                block = re.sub(mark, words, block)
            told = [sentence for sentence in SENTENCE.findall(block) if "$" not in sentence]
            if told:
                yield " ".join(" ".join(told).split())


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    print("\n\n".join(book_text(sys.argv[1])))
