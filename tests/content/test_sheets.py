"""A class's sheets have each guess and pencil exercise, and the answers on the solved one."""

import io
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from contents import NUMBERS
from pypdf import PdfReader

from attention_by_hand import exercises
from attention_by_hand.exercises.cells import exercises_in
from dev import pencil_work, sheets

NOTEBOOKS = sorted(sheets.CHAPTERS.glob("[01]*.ipynb"))
IDS = [file.name[:2] for file in NOTEBOOKS]


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=IDS)
def lesson(request):
    """A chapter, and its sheets as trees: blank and solved."""
    chapter = sheets.read(request.param)
    both = (BeautifulSoup(sheets.sheet(chapter, solved), "html.parser") for solved in (False, True))
    return chapter, *both


def words(html) -> str:
    """What a reader sees of some HTML, or of a tree."""
    tree = BeautifulSoup(html, "html.parser") if isinstance(html, str) else html
    return " ".join(tree.get_text().split())


def answers(chapter):
    """What must stand on the solved sheet alone."""
    for question in chapter.guesses:
        yield words(sheets.plain(question.because))
    yield words(sheets.blocks(chapter.summary))
    yield words(sheets.blocks(chapter.recalled))
    for task in chapter.tasks:
        if task.solution:
            yield words(sheets.blocks(task.solution))


def test_each_lesson_has_its_chapter():
    lessons = sorted(path.stem for path in (sheets.CHAPTERS / "teach").glob("lesson-*.md"))
    assert lessons == [f"lesson-{number}" for number in IDS]


def test_every_guess_and_every_pencil_exercise_is_on_both(lesson):
    chapter, *both = lesson
    source = NOTEBOOKS[chapter.number].read_text(encoding="utf-8")
    found = exercises_in(NOTEBOOKS[chapter.number])
    marked = re.findall(r"\*\*([\d.]+) [^*]+\*\* · \w+, \d+ minutes, (?:with a|on paper)", source)
    without_code = [one.number for one in found if one.number in exercises.SHEETS]
    assert {task.number for task in chapter.tasks} == {*marked, *without_code}
    assert len(chapter.guesses) == source.count("Prediction(\\n") > 0
    for tree in both:
        text = words(tree)
        assert words(sheets.line(chapter.title)) in text
        assert words(sheets.blocks(chapter.question)) in text
        for question in chapter.guesses:
            assert words(sheets.plain(question.text)) in text
        boxes = sum(len(question.options) for question in chapter.guesses)
        known = [exercises.SHEETS.get(task.number) for task in chapter.tasks]
        assert len(tree.select(".boxes i")) == boxes + sum(len(one.options) for one in known if one)
        scales = sum(not question.options for question in chapter.guesses)
        assert len(tree.select(".scale")) == scales
        for task in chapter.tasks:
            assert f"{task.number} {words(sheets.line(task.title))}" in text
            assert words(sheets.blocks(task.text)) in text
        assert len(tree.select(".room")) == len(chapter.tasks)
        assert words(sheets.blocks(chapter.recall)) in text


def test_the_blank_one_has_no_answer_and_the_solved_one_has_all(lesson):
    chapter, blank, solved = lesson
    asked, told = words(blank), words(solved)
    for answer in answers(chapter):
        assert answer in told and answer not in asked
    assert not any(cell.get_text() for cell in blank.select(".answer, .fields b"))
    assert not blank.select(".right, svg .answer")
    assert len(blank.select(".lines i")) == 6 and not solved.select(".lines i")
    with_options = [*chapter.guesses, *(exercises.SHEETS.get(t.number) for t in chapter.tasks)]
    assert len(solved.select(".right")) == sum(bool(one and one.options) for one in with_options)
    fields = [cell.get_text() for cell in solved.select(".fields b")]
    numbers = [
        sheets.shown(right, sheet.within)
        for sheet in (exercises.SHEETS.get(task.number) for task in chapter.tasks)
        if sheet and not sheet.options
        for right in sheet.right
    ]
    assert fields == numbers


def test_formulas_are_set_and_equations_stand_where_they_are_needed(lesson):
    chapter, *both = lesson
    for tree in both:
        assert "$" not in tree.body.get_text() and "](" not in tree.body.get_text()
        needed = sum(task.text.count("(#eq-") for task in chapter.tasks)
        assert len(tree.select("mjx-labels")) == needed


def test_what_stands_ready_has_its_exercise_and_agrees_with_the_check():
    tasks = {task.title: task for file in NOTEBOOKS for task in sheets.read(file).tasks}
    assert pencil_work.IN_EXERCISE.keys() <= tasks.keys()
    right = {title: exercises.SHEETS[tasks[title].number].right for title in tasks}
    assert pencil_work.mask(True).count("\N{CHECK MARK}") == right["Count the open cells"][0]
    _, total, values, mixture = re.findall(r'answer">([\d.]+)', pencil_work.blocks(True))
    found = float(total), float(values), float(mixture)
    assert found == pytest.approx(right["One block more"], abs=5e-4)
    parts = re.findall(r"\((\d), (\d)\)</td></tr>", pencil_work.mixture(True))
    assert (
        tuple(sum(map(int, column)) for column in zip(*parts, strict=True))
        == right["Two words at once"]
    )
    for answer in ("7.36", "9.64", "6.18", "483.0", "0.949"):
        assert f'answer">{answer}<' in pencil_work.the_row(True)
        assert answer not in pencil_work.the_row(False)


@pytest.mark.parametrize(
    ("value", "within", "text"),
    [
        (18944000, 1e-9, "18,944,000"),
        (-0.15, 1e-6, "\N{MINUS SIGN}0.15"),
        (1 / 3, 0.005, "0.333"),
    ],
)
def test_numbers_are_shown_as_a_reader_writes_them(value, within, text):
    assert sheets.shown(value, within) == text


def on_paper(browser, folder: Path, numbers):
    """Print these chapters, and read the sheets: {name: the text of each page}."""
    chapters = [sheets.read(NOTEBOOKS[number]) for number in numbers]
    made = dict(sheets.print_sheets(chapters, folder, browser))
    assert all(1 <= pages <= 2 for pages in made.values())
    texts = {}
    for file, pages in made.items():
        sheet = PdfReader(io.BytesIO(file.read_bytes()))
        assert len(sheet.pages) == pages and sheet.root_object["/MarkInfo"]["/Marked"]
        width, height = sheet.pages[0].mediabox[2:]
        assert (round(width), round(height)) == (595, 842), "A4"
        texts[file.name] = [" ".join(page.extract_text().split()) for page in sheet.pages]
    assert len(made) == 2 * len(numbers)
    return texts


def is_whole(texts, number):
    """The first page has the title, the last one the end, and nothing is plain TeX."""
    for name in (f"lesson-{number:02}.pdf", f"lesson-{number:02}-solved.pdf"):
        assert "Guess first" in texts[name][0] and f"1 of {len(texts[name])}" in texts[name][0]
        assert "in my own words" in " ".join(texts[name])
        assert "$" not in " ".join(texts[name]) and "\\" not in " ".join(texts[name])


def test_a_lesson_is_printed_on_two_sheets_at_most(browser, tmp_path):
    texts = on_paper(browser, tmp_path, [2])
    is_whole(texts, 2)
    assert "0.949" in texts["lesson-02-solved.pdf"][0]
    assert "0.949" not in " ".join(texts["lesson-02.pdf"])


@pytest.mark.weekly
def test_every_lesson_is_printed_on_two_sheets_at_most(browser, tmp_path):
    numbers = range(len(NOTEBOOKS))
    texts = on_paper(browser, tmp_path, numbers)
    for number in numbers:
        is_whole(texts, number)


def test_a_site_links_its_sheets_after_what_a_lesson_brings(tmp_path):
    teach = tmp_path / "chapters" / "teach"
    teach.mkdir(parents=True)
    (tmp_path / sheets.FOLDER).mkdir()
    (tmp_path / sheets.FOLDER / "lesson-02.pdf").touch()
    page = "<p>Aim.</p><p><strong>Bring</strong> pencils.</p><table></table>"
    for number in ("02", "05"):
        (teach / f"lesson-{number}.html").write_text(page, encoding="utf-8")
    for_teachers = tmp_path / "chapters" / "for-teachers.html"
    for_teachers.write_text('<section id="a-sheet-for-each-student"><p>A</p></section>B', "utf-8")
    for _ in range(2):
        sheets.link(tmp_path)
    assert re.findall('"(.+?)"', for_teachers.read_text("utf-8").partition("Lesson 2:")[2]) == [
        "../sheets/lesson-02.pdf",
        "../sheets/lesson-02-solved.pdf",
    ]
    assert for_teachers.read_text("utf-8").endswith("</p></section>B")
    text = (teach / "lesson-02.html").read_text(encoding="utf-8")
    assert text.count("lesson-02.pdf") == text.count("lesson-02-solved.pdf") == 1
    assert text.index("pencils") < text.index("../../sheets/lesson-02.pdf") < text.index("<table>")
    assert (teach / "lesson-05.html").read_text(encoding="utf-8") == page, "it has none"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--output", "none"], "none is no folder; make it first"),
        (["--site", "."], "is no built site: jupyter-book build ."),
        (
            ["2", str(len(NUMBERS))],
            f"there is no lesson {len(NUMBERS)}; they go from 0 to {NUMBERS[-1]}",
        ),
    ],
)
def test_what_cannot_be_printed_is_said(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        sheets.main(arguments)
    assert message in capsys.readouterr().err


def test_without_a_browser_nothing_is_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SystemExit):
        sheets.main(["--output", str(tmp_path)])
    assert "apt-get install chromium" in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]


def test_a_chapter_without_a_place_to_rest_is_named(tmp_path):
    file = tmp_path / NOTEBOOKS[3].name
    file.write_text(NOTEBOOKS[3].read_text("utf-8").replace("## You have it", "## So far"), "utf-8")
    with pytest.raises(ValueError, match="03-why-root-d-k.ipynb has no part “You have it”"):
        sheets.read(file)
