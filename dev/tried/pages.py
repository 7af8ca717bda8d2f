"""What chapters say: their titles, their text, the sentences that conclude, and the page of all
that was tried.
"""

import json
import re

from dev.tried import ATTEMPTS, ROOT

CONCLUDES = re.compile(
    r"\b(because|cannot|can't|needs?|only|decides?|enough|hardly|always|never|none|every|reason|"
    r"so that|which is why)\b",
    re.I,
)
SENTENCE = re.compile(r"(?<=[.:?!])[\"”)*]*\s+(?=[A-Z*“\"(\[])")
MAIN_LINE_ENDS = re.compile(r"^## Exercises\b", re.M)
INTRODUCTION = """# What we tried to refute

Again and again this book asks you to predict, to break something, and to measure. Here the same is done to the book itself. A number that a page shows may be right, and the sentence behind it may still be wrong: true for that seed, at that size, at that rate. So we took what the chapters conclude, and tried to make it false with other seeds, larger models, longer training and other rates.

Some conclusions stood. Some hold at the size of this book, and say so now. And some fell, and then the chapter was told anew, mostly with a better story than before. Each line quotes the chapter as it is today. The command behind it tries the conclusion again, in a copy of the repository, and what came out here, with its processor, is kept in `dev/tried/found.json`.

If you can refute one that stood, tell us: that is the best letter this book can get.
"""  # noqa: E501


def cells(page):
    """The Markdown cells of a chapter, as text."""
    notebook = json.loads((ROOT / "chapters" / f"{page}.ipynb").read_text(encoding="utf-8"))
    return ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "markdown"]


def title(page):
    return re.search(r"^# (.+)", "\n".join(cells(page)), re.M)[1]


def numbered(number):
    """The page of the chapter with this number."""
    (path,) = (ROOT / "chapters").glob(f"{number:02}-*.ipynb")
    return path.stem


def concluding(page):
    """The sentences of a page's main line, up to its exercises, that conclude."""
    main_line = MAIN_LINE_ENDS.split("\n\n".join(cells(page)))[0]
    sentences = [s for block in main_line.split("\n\n") for s in SENTENCE.split(block)]
    return [" ".join(s.split()) for s in sentences if CONCLUDES.search(s)]


def line(attempt):
    """An attempt as a paragraph of the page."""
    claim = re.sub(r"\s*\(\[tried\]\([^)]*\)\)", "", attempt["claim"]).rstrip(".")
    claim = re.sub(r"\]\(#", f"]({attempt['page']}.ipynb#", claim)
    claim = claim.translate(str.maketrans("“”", "‘’"))  # a quotation within one
    return (
        f"**{attempt['number']}** ({attempt['outcome']}) “{claim}.” "
        f"{attempt['tried']} {attempt['found']} `python -m dev.tried {attempt['program']}`\n"
    )


def written():
    """The page, made from the attempts."""
    parts = [INTRODUCTION]
    for page in sorted({a["page"] for a in ATTEMPTS}, key=lambda page: (page[0] > "9", page)):
        number = re.match(r"(\d\d)-", page)
        named = f"{int(number[1])}. {title(page)}" if number else title(page)
        parts.append(f"## [{named}]({page}.ipynb)\n")
        parts += [line(attempt) for attempt in ATTEMPTS if attempt["page"] == page]
    return "\n".join(parts)
