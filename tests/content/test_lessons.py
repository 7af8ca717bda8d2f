"""The lesson plans: their links, their minutes, and the numbers of their chapters."""

import json
import re
from pathlib import Path

import pytest

from attention_by_hand.exercises.cells import exercises_in

CHAPTERS = Path(__file__).parents[2] / "chapters"
TEACH = CHAPTERS / "teach"
NOTEBOOKS = sorted(CHAPTERS.glob("[01]*.ipynb"))
LESSONS = [TEACH / f"lesson-{int(notebook.name[:2]):02}.md" for notebook in NOTEBOOKS]
PAGES = [*sorted(path.stem for path in TEACH.glob("*.md"))]
PARTS = ["45 minutes", "90 minutes", "Ask before you show", "What they will get wrong", "Homework"]
NUMBER = re.compile(r"\d+\.\d+|\d+(?:,\d{3})+|\d+(?= %)|\d{3,}")


def sections(path):
    """{heading: text} of a page; what stands before the first is under ""."""
    pieces = re.split(r"^## (.+)$", path.read_text(encoding="utf-8"), flags=re.M)
    return dict(zip(["", *pieces[1::2]], pieces[::2], strict=True))


def minutes(text):
    return [int(found) for found in re.findall(r"^\| (\d+) \|", text, flags=re.M)]


def test_every_page_is_in_the_table_of_contents_and_for_teachers_leads_to_it():
    contents = (CHAPTERS.parent / "_toc.yml").read_text(encoding="utf-8")
    assert sorted(re.findall(r"file: chapters/teach/(\S+)", contents)) == PAGES
    links = re.findall(
        r"\(teach/(\S+?)\.md\)", (CHAPTERS / "for-teachers.md").read_text(encoding="utf-8")
    )
    assert sorted({*links}) == PAGES


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_has_all_its_parts_and_its_minutes_add_up(lesson):
    found = sections(lesson)
    assert list(found)[1:] == [*PARTS, "One question at the end"]
    assert sum(minutes(found["45 minutes"])) == 45 and len(minutes(found["45 minutes"])) >= 6
    assert sum(minutes(found["90 minutes"])) == 90 and minutes(found["90 minutes"])[0] == 45
    assert "**At the end**" in found[""] and "**Bring**" in found[""]


def test_the_workshop_takes_two_hours_and_the_course_five_weeks():
    assert sum(minutes((TEACH / "workshop.md").read_text(encoding="utf-8"))) == 120
    course = (TEACH / "course.md").read_text(encoding="utf-8")
    weeks = re.findall(r"^\| (\d) \| (.+) \| (.+) \| (\d+) \| (.+) \|$", course, flags=re.M)
    assert [int(number) for number, *_ in weeks] == [1, 2, 3, 4, 5]
    taught = [
        lesson
        for _, first, second, *_ in weeks
        for lesson in re.findall(r"\((\S+?)\)", first + second)
    ]
    assert taught == [lesson.name for lesson in LESSONS]
    takes = {
        exercise.number: exercise.minutes
        for notebook in NOTEBOOKS
        for exercise in exercises_in(notebook)
    }
    for _, _, _, homework, exercises in weeks:
        assert sum(takes[number] for number in exercises.split(", ")) == int(homework)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_asks_each_prediction_and_gives_out_each_exercise_of_its_chapter(lesson):
    notebook = NOTEBOOKS[LESSONS.index(lesson)]
    asked = re.findall(r'Prediction\(\s*"(\d+)\.(\d+)"', "".join(code(notebook)))
    found = sections(lesson)
    for chapter, number in asked:
        link = f"{notebook.name}#prediction-{chapter}-{number}"
        assert (
            link in found["Ask before you show"]
            and link in found["45 minutes"] + found["90 minutes"]
        )
    given = re.findall(r"\[(\d+\.\d+)\]\(\.\./(\S+?)#exercise-(\d+)-(\d+)\)", found["Homework"])
    assert [number for number, *_ in given] == [
        exercise.number for exercise in exercises_in(notebook)
    ]
    assert all(number == f"{a}.{b}" and file == notebook.name for number, file, a, b in given)
    wrong = re.findall(
        r"^\| (.+) \| (.+) \| (.+) \|$", found["What they will get wrong"], flags=re.M
    )[2:]
    assert len(wrong) >= 3 and all("](../" in settles for _, _, settles in wrong)
    assert f"](answers.md#{lesson.stem.replace('-0', '-')})" in found["One question at the end"]


def test_every_question_has_its_answer():
    answers = sections(TEACH / "answers.md")
    assert list(answers)[1:] == [f"Lesson {number}" for number in range(len(LESSONS))]


def code(notebook):
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_number_that_a_lesson_quotes_stands_in_its_chapter(lesson):
    """All but those of the question at the end, which has an example of its own."""
    text = "".join(
        part for name, part in sections(lesson).items() if name != "One question at the end"
    )
    text = re.sub(r"\]\(.*?\)|^\| \d+ \|", "", text, flags=re.M)
    chapter = "\n".join(code(NOTEBOOKS[LESSONS.index(lesson)])).replace("_", "")
    for number in NUMBER.findall(text.replace("45 minutes", "").replace("90 minutes", "")):
        written = rf"(?<![\d.])(?:{re.escape(number)}|{number.replace(',', '')})(?!\d)"
        assert re.search(written, chapter), number


@pytest.mark.site
@pytest.mark.parametrize("page", PAGES)
def test_links_of_a_plan_lead_to_what_they_name(site, soup, page):
    plan = soup(f"chapters/teach/{page}.html")
    links = [
        link["href"] for link in plan.select("article a.reference[href]") if ":" not in link["href"]
    ]
    written = re.findall(
        r"\]\((?!http)(\S+?)\)", (TEACH / f"{page}.md").read_text(encoding="utf-8")
    )
    assert len(links) == len(written)
    for link in links:
        path, _, anchor = link.partition("#")
        target = (
            (site / "chapters" / "teach" / path).resolve()
            if path
            else site / "chapters" / "teach" / f"{page}.html"
        )
        assert target.is_file(), link
        assert not anchor or anchor in ids_of(target), link


KNOWN = {}


def ids_of(target):
    if target not in KNOWN:
        KNOWN[target] = set(re.findall(r'\bid="(.+?)"', target.read_text(encoding="utf-8")))
    return KNOWN[target]
