"""A sheet of paper for each student and each lesson: the chapter's guesses and its pencil work.

`python -m dev.sheets --output FOLDER` writes `lesson-02.pdf` and `lesson-02-solved.pdf` and so on,
one page or two each; `python -m dev.sheets 2 5` writes those of two lessons. A sheet is made from
its chapter: the predictions, the exercises that need no code, *You have it*. What stands ready for
the pencil, tables and the like, is in `pencil_work.py`. On the solved sheet the answers are blue.

`python -m dev.sheets --site _build/html` puts them into a site that is built, and links them from
the lessons and from the page for teachers. Run it again after a build. CI does so before it
publishes; a build does not, because it needs no browser, and because they are half as large again
as the site.
"""

import argparse
import io
import json
import math
import re
import sys
import tempfile
from html import escape
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pypdf import PdfReader

from attention_by_hand import exercises
from attention_by_hand.exercises.cells import exercises_in
from attention_by_hand.palette import COLOURS

from .paper import chromium
from .pencil_work import BESIDE, IN_EXERCISE
from .quiz import EXERCISE_HEAD, LINK, ROOT, predictions

sys.path.insert(0, str(ROOT / "_ext"))  # formulas are set as the site sets them
from book_math import NUMBER, styles_of, typesetter  # noqa: E402

STYLE = Path(__file__).with_name("sheets.css")
LETTERS = ROOT / "_static"
CHAPTERS = ROOT / "chapters"
FOLDER = "sheets"  # of a site
TITLE = re.compile(r"# (.+)")
ASKS = re.compile(r"\*\*The question\.\*\* (.+?)(?=\n\n|\Z)", re.S)
MARKED = re.compile(r"minutes, (?:with a pencil|with a calculator|on paper)\.")
HAVE_IT = re.compile(
    r"## You have it\n\n> (.+?)\n\n(.+?)\n\n<details><summary>Answer</summary>\n\n(.+?)\n\n"
    r"</details>",
    re.S,
)
TAGGED = re.compile(r"\$\$((?:(?!\$\$).)+?)\\tag\{([\d.]+)\}\s*\$\$", re.S)
EQUATION = re.compile(r"\(#eq-([\d.]+)\)")
FENCE = re.compile(r"```python\n.*?```\n*", re.S)
ANCHOR = re.compile(r"</?a\b[^>]*>")
# A formula and the marks around it, between which no line may end
HELD = re.compile(r'[(\[“‘]*<span class="math inline">(?:(?!</span>).)*</span>[.,;:!?)\]”’]*')
MOST_DIGITS = 5  # after the point, of a number that is shown whole
# How much of the usual room there may be to work, if that makes no more pages than so many
EASES = ((0.65, 1), (2, 2), (1.7, 2), (1.4, 2), (1.1, 2), (0.8, 2))
SQUARES = '<svg viewBox="0 0 180 180"><path d="{}"/></svg>'.format(
    "".join(f"M{at} 0V180M0 {at}H180" for at in range(5, 180, 5))
)
TICKS = 4  # parts of a scale on which a number is guessed
BRING = re.compile(r"<p><strong>Bring</strong>.*?</p>", re.S)
LINKS = (
    '<p class="book-sheets">For each student there is a sheet to print, <a href="{0}.pdf">blank</a>'
    ' and <a href="{0}-solved.pdf">solved</a>.</p>'
)
FOR_TEACHERS = re.compile(r'<section id="a-sheet-for-each-student">.*?(?=</section>)', re.S)
ALL = '<p class="book-sheets">Here they are, each blank and solved. {}.</p>'
ONE = 'Lesson {0}: <a href="{1}.pdf">blank</a>, <a href="{1}-solved.pdf">solved</a>'
OLD = re.compile(r'<p class="book-sheets">.*?</p>')


class Task(NamedTuple):
    """An exercise for a pencil. equations: those that its text refers to."""

    number: str
    title: str
    difficulty: str
    minutes: int
    text: str
    equations: list[str]
    solution: str


class Chapter(NamedTuple):
    """What a sheet takes from a chapter: the last three are of "You have it"."""

    number: int
    title: str
    question: str
    guesses: list
    tasks: list[Task]
    summary: str
    recall: str
    recalled: str


def read(notebook: Path) -> Chapter:
    """A chapter. Raises ValueError where it lacks its title, its question or "You have it"."""
    number = int(notebook.name[:2])
    exercises.load(number)
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    whole = "\n\n".join(texts)
    equations = {name: tex for tex, name in TAGGED.findall(whole)}
    guesses = [
        guess
        for cell, text in zip(cells, texts, strict=True)
        if cell["cell_type"] == "code" and "Prediction(" in text
        for guess in predictions(number, text)
    ]
    tasks = [
        task(one, texts[one.end - 4], texts[one.end - 1], equations)
        for one in exercises_in(notebook)
        if one.number in exercises.SHEETS or MARKED.search(texts[one.end - 4])
    ]

    def part(name: str, pattern: re.Pattern):
        match = pattern.search(whole)
        if match is None:
            raise ValueError(f"{notebook.name} has no {name}, as every chapter should")
        return match.groups()

    title, question = part("title", TITLE) + part("question", ASKS)
    return Chapter(number, title, question, guesses, tasks, *part("part “You have it”", HAVE_IT))


def task(exercise, question: str, solution: str, equations: dict[str, str]) -> Task:
    """An exercise as its sheet has it: of the solution the words, if the check knows the answer."""
    text = EXERCISE_HEAD.sub("", question[question.index(f"**{exercise.number} ") :]).strip()
    needed = [rf"{equations[name]}\tag{{{name}}}" for name in EQUATION.findall(text)]
    words = solution.partition("</summary>")[2].rpartition("</details>")[0]
    if exercise.number in exercises.SHEETS:
        words = FENCE.sub("", words)
        if exercises.SHEETS[exercise.number].options:
            text = text.partition("\n- ")[0].strip()
    number, title, difficulty, minutes, *_ = exercise
    return Task(number, title, difficulty, minutes, text, needed, words.strip())


def _formula(tex: str, how: dict) -> str:
    if NUMBER.fullmatch(tex):
        return tex.replace("-", "\N{MINUS SIGN}").replace("{,}", ",")
    if r"\\" in tex and "aligned" not in tex:
        tex = rf"\begin{{split}}{tex}\end{{split}}"
    return typesetter.set(tex, how["display_mode"])


markdown = MarkdownIt("commonmark", {"typographer": True})
markdown.enable(["smartquotes", "table"]).use(dollarmath_plugin, renderer=_formula)


def _bare(text: str) -> str:
    """A text without its links, which lead nowhere on paper."""
    return ANCHOR.sub("", LINK.sub(r"\1", text))


def blocks(text: str) -> str:
    """Paragraphs of the book, as HTML."""
    return HELD.sub(r'<span class="held">\g<0></span>', markdown.render(_bare(text)))


def line(text: str) -> str:
    """A text of the book within a line, as HTML."""
    return blocks(text).strip().removeprefix("<p>").removesuffix("</p>")


def plain(text: str) -> str:
    """A text that is no Markdown, as HTML."""
    signs = {"'": "\N{RIGHT SINGLE QUOTATION MARK}", " - ": " \N{MINUS SIGN} "}
    for typed, sign in signs.items():
        text = text.replace(typed, sign)
    return escape(text, quote=False)


def shown(value: float, within: float = 1e-5) -> str:
    """A right number: all of it where it ends soon, else as many digits as are asked for."""
    ends = math.isclose(value, round(value, MOST_DIGITS), abs_tol=1e-9)
    digits = MOST_DIGITS if ends else math.ceil(-math.log10(within))
    text = f"{value:,.{digits}f}"
    text = text.rstrip("0").rstrip(".") if ends else text
    return text.replace("-", "\N{MINUS SIGN}")


def box(text: str, right: bool) -> str:
    """An option with a box to tick, ticked if it is right and the sheet is solved."""
    mark = ' class="right"' if right else ""
    return f"<li{mark}><i></i>{text}</li>"


def scale(question, solved: bool) -> str:
    """A line on which a number is guessed; on the solved sheet the right one is marked."""
    low, high = question.ends
    ticks = "".join(
        f'<span style="left: {100 * i / TICKS:g}%">{shown(low + (high - low) * i / TICKS)}</span>'
        for i in range(TICKS + 1)
    )
    place = 100 * (question.right - low) / (high - low)
    mark = f'<b class="answer" style="left: {place:.1f}%">{shown(question.right)}</b>' * solved
    return f'<div class="scale">{ticks}{mark}</div>'


def guess(question, solved: bool) -> str:
    """A prediction: boxes or a scale, and where it is solved, why."""
    if question.options:
        boxes = (
            box(plain(option), solved and i == question.right)
            for i, option in enumerate(question.options)
        )
        place = f'<ul class="boxes">{"".join(boxes)}</ul>'
    else:
        place = scale(question, solved)
    because = f'<p class="answer">{plain(question.because)}</p>' * solved
    return f"<section><p>{plain(question.text)}</p>{place}{because}</section>"


def room(height: float, answer: str, solved: bool) -> str:
    """Squared paper, about so many millimetres high; on the solved sheet the way to the answer."""
    inside = f'<div class="answer">{blocks(answer)}</div>' if solved else SQUARES
    return f'<div class="room" style="--height: {height:g}mm">{inside}</div>'


def options(sheet, solved: bool) -> str:
    """The answers from which an exercise lets one choose, in the order of their letters."""
    boxes = (
        box(f"({'abcdefghij'[i]}) {plain(option)}", solved and i == sheet.right[0])
        for i, option in enumerate(sheet.options)
    )
    return f'<ul class="boxes long">{"".join(boxes)}</ul>'


def fields(sheet, solved: bool) -> str:
    """The places for the numbers that an exercise asks for."""
    places = (
        f"<span>{plain(asks)} <b>{shown(right, sheet.within) * solved}</b></span>"
        for asks, right in zip(sheet.asks, sheet.right, strict=True)
    )
    return f'<p class="fields">{"".join(places)}</p>'


def exercise(task: Task, solved: bool) -> str:
    """An exercise: its question, what stands ready, room to work, and places for the answers."""
    known = exercises.SHEETS.get(task.number)
    ready = IN_EXERCISE[task.title](solved) if task.title in IN_EXERCISE else ""
    if known and known.options:
        ready = options(known, solved) + ready
    height = 2.5 * task.minutes + (5 if ready else 15)
    parts = [
        f"<section><h3>{task.number} {line(task.title)} ",
        f"<small>{task.difficulty}, {task.minutes} minutes</small></h3>",
        blocks(task.text),
        *(blocks(f"$${tex}$$") for tex in task.equations),
        ready,
        room(height, task.solution, solved),
        fields(known, solved) if known and not known.options else "",
        "</section>",
    ]
    return "".join(parts)


def lines(answer: str, solved: bool) -> str:
    """Three lines to write on, or what the book would write there."""
    inside = f'<div class="answer">{answer}</div>' if solved else "<i></i>" * 3
    return f'<div class="lines">{inside}</div>'


def sheet(chapter: Chapter, solved: bool) -> str:
    """The sheet of a chapter as a page of HTML."""
    beside = (
        f"<section><h3>{line(work.title)}</h3>{blocks(work.text)}{work.room(solved)}</section>"
        for work in BESIDE.get(chapter.number, [])
    )
    body = [
        f"<h1><small>{chapter.number}</small> {line(chapter.title)}</h1>",
        f'<p class="question">{line(chapter.question)}</p>',
        "<h2>Guess first</h2>" * bool(chapter.guesses),
        *(guess(question, solved) for question in chapter.guesses),
        "<h2>With a pencil</h2>",
        *beside,
        *(exercise(task, solved) for task in chapter.tasks),
        "<section><h2>You have it, in my own words</h2>",
        lines(line(chapter.summary), solved),
        f"{blocks(chapter.recall)}{lines(blocks(chapter.recalled), solved)}</section>",
    ]
    title = f"Attention, by Hand · lesson {chapter.number}" + ", solved" * solved
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<base href="{LETTERS.as_uri()}/">
<style>{STYLE.read_text("utf-8")}
.answer, .fields b, .right {{ color: {COLOURS["weight"]} }}
@page {{ @top-left {{ content: "{title}" }} }}</style></head>
<body><p class="name">Name</p>{"".join(body)}</body></html>"""


def printed(page, ease: float) -> tuple[bytes, int]:
    """A sheet as a PDF, and how many pages it has."""
    page.evaluate(f"document.body.style.setProperty('--ease', {ease})")
    data = page.pdf(prefer_css_page_size=True, print_background=True, tagged=True)
    return data, len(PdfReader(io.BytesIO(data)).pages)


def fitted(pages):
    """The two sheets of a lesson as PDFs, both with as much room to work as their paper has."""
    for ease, most in EASES:
        sheets = [printed(page, ease) for page in pages]
        if max(count for _, count in sheets) <= most:
            break
    return sheets


def print_sheets(chapters: list[Chapter], folder: Path, browser):
    """Write the sheets of these chapters, blank and solved; each path and how many pages it has."""
    with tempfile.TemporaryDirectory() as drafts:
        lessons = []
        for chapter in chapters:
            names = f"lesson-{chapter.number:02}", f"lesson-{chapter.number:02}-solved"
            lessons.append([Path(drafts) / f"{name}.html" for name in names])
            for draft, solved in zip(lessons[-1], (False, True), strict=True):
                draft.write_text(sheet(chapter, solved), encoding="utf-8")
        style = "\n".join(styles_of(sum(lessons, [])))
        typesetter.close()
        for lesson in lessons:
            pages = [browser.new_page() for _ in lesson]
            for page, draft in zip(pages, lesson, strict=True):
                page.goto(draft.as_uri())
                page.add_style_tag(content=style)
                page.evaluate("document.fonts.ready")
            for draft, (data, count) in zip(lesson, fitted(pages), strict=True):
                file = folder / draft.with_suffix(".pdf").name
                file.write_bytes(data)
                yield file, count
            for page in pages:
                page.close()


def link(site: Path):
    """Link the sheets of a built site from its lessons, each after what the lesson brings, and all
    from the page for teachers.
    """
    chapters = site / "chapters"
    lessons = sorted((chapters / "teach").glob("lesson-*.html"))
    printed = [page for page in lessons if (site / FOLDER / f"{page.stem}.pdf").is_file()]
    for page in printed:
        text = OLD.sub("", page.read_text(encoding="utf-8"))
        links = LINKS.format(f"../../{FOLDER}/{page.stem}")
        text = BRING.sub(lambda bring, links=links: bring[0] + links, text, count=1)
        page.write_text(text, encoding="utf-8")
    numbers = {page.stem: int(page.stem.partition("-")[2]) for page in printed}
    ones = (ONE.format(number, f"../{FOLDER}/{name}") for name, number in numbers.items())
    links = ALL.format("; ".join(ones))
    page = chapters / "for-teachers.html"
    text = OLD.sub("", page.read_text(encoding="utf-8"))
    text = FOR_TEACHERS.sub(lambda section: section[0] + links, text, count=1)
    page.write_text(text, encoding="utf-8")


def place(parser, options) -> Path:
    """The folder to write into, which must be there; that of a site is made."""
    if options.site and not (options.site / "index.html").is_file():
        parser.error(
            f"{options.site} is no built site: jupyter-book build . makes one, in _build/html"
        )
    folder = options.site / FOLDER if options.site else options.output
    if options.site:
        folder.mkdir(exist_ok=True)
    if not folder.is_dir():
        parser.error(f"{folder} is no folder; make it first")
    return folder


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m dev.sheets", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("lessons", type=int, nargs="*", help="such as 2 5; all, if none is named")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--output", type=Path, default=Path("."), help="the folder to write into")
    where.add_argument("--site", type=Path, help="a built site, such as _build/html")
    options = parser.parse_args(arguments)
    notebooks = {int(file.name[:2]): file for file in sorted(CHAPTERS.glob("[01]*.ipynb"))}
    for lesson in options.lessons:
        if lesson not in notebooks:
            parser.error(f"there is no lesson {lesson}; they go from 0 to {max(notebooks)}")
    folder, path = place(parser, options), chromium(parser)
    try:
        chapters = [read(notebooks[lesson]) for lesson in options.lessons or notebooks]
    except ValueError as error:
        parser.error(str(error))

    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for file, pages in print_sheets(chapters, folder, browser):
            print(f"{file}: {pages} page{'s' * (pages > 1)}")
        browser.close()
    if options.site:
        link(options.site)


if __name__ == "__main__":
    main()
