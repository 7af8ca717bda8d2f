"""The lesson plans: their links lead somewhere, their minutes add up, their numbers are those of
the chapters.
"""

import json
import math
import re
from pathlib import Path

import pytest
import torch

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


def code(notebook):
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_number_that_a_lesson_quotes_stands_in_its_chapter(lesson):
    """All but those of the question at the end, whose answer is computed below."""
    text = "".join(
        part for name, part in sections(lesson).items() if name != "One question at the end"
    )
    text = re.sub(r"\]\(.*?\)|^\| \d+ \|", "", text, flags=re.M)
    chapter = "\n".join(code(NOTEBOOKS[LESSONS.index(lesson)])).replace("_", "")
    for number in NUMBER.findall(text.replace("45 minutes", "").replace("90 minutes", "")):
        written = rf"(?<![\d.])(?:{re.escape(number)}|{number.replace(',', '')})(?!\d)"
        assert re.search(written, chapter), number


def softmax(*scores):
    return torch.tensor(scores, dtype=torch.float64).softmax(-1).tolist()


def answered():
    """For each lesson what its answer must say, computed."""
    sat = softmax(1.0, 1.0, 2.0)
    strip = torch.arange(12).view(3, 4)[1].tolist()
    attention, network, norms = 4 * 128**2, 2 * 128 * 512 + 512 + 128, 2 * 2 * 128
    doubled = 2 * 128 * 1024 + 1024 + 128
    shares = softmax(0.0, math.log(3))
    yield 0, f"({4 * shares[0]:.0f}, {4 * shares[1]:.0f})"
    yield 1, "$(1, 1)$ for *a*, $(2, 2)$ for *b*", "(1, 3, 2)"
    yield (
        2,
        f"{sat[0]:.2f}, {sat[1]:.2f} and {sat[2]:.2f}",
        f"({sat[0] + sat[2]:.2f}, {sat[1] + sat[2]:.2f})",
    )
    yield 3, f"it is {1 / 256**0.5:.4f}", f"= {256 * 16}", f"divide by {math.isqrt(256 * 16)}"
    yield 4, f"$12 / 3 = {len(strip)}$ numbers", f"numbers {strip[0]} to {strip[-1]},"
    yield (
        5,
        ", ".join(f"{p:.3f}" for p in softmax(0.0, 1.0, 2.0)),
        " and ".join(f"{p:.3f}" for p in softmax(0.0, 2.0)),
    )
    yield 6, f"= {math.cos(2):.3f} + {math.cos(0.02):.3f} = {math.cos(2) + math.cos(0.02):.2f}"
    yield 7, *(f"{n:,}".replace(",", "{,}") for n in (attention, network)), f"= {norms}"
    yield (
        7,
        f"{attention + network + norms:,}",
        f"{attention / (attention + network + norms):.0%}".replace("%", " %"),
    )
    yield (
        7,
        f"{doubled:,}",
        f"attention {attention / (attention + doubled + norms):.0%}".replace("%", " %"),
    )
    yield 8, f"{math.log(4) / 6:.3f}"
    yield 9, "A is broken", "B is healthy", "C is healthy"
    yield 10, f"= {math.ceil(99 / 6)}", f"{2 / 14:.0%}".replace("%", " %")
    yield 11, "4 words", f"= {0.30 / (0.30 + 0.25 + 0.20 + 0.10):.2f}"
    yield 12, f"{2 * 24 * 4 * 64 * 2:,}", f"{4096 * 2 * 24 * 4 * 64 * 2 / 1e6:.0f} MB"
    yield 13, f"= {16 * 3 + 8}$ million", f"= {2 * 3 + 8}$ million", f"hears {4 / 2 / 2 + 2:.0f}:"


def test_every_question_has_its_answer_and_the_numbers_in_it_are_right():
    answers = sections(TEACH / "answers.md")
    assert list(answers)[1:] == [f"Lesson {number}" for number in range(14)]
    for number, *says in answered():
        assert all(text in answers[f"Lesson {number}"] for text in says), (number, says)


def test_a_figure_that_a_plan_links_is_found_in_its_cell_whether_it_has_a_name_or_not(monkeypatch):
    monkeypatch.syspath_prepend(CHAPTERS.parent / "_ext")
    from book_references import FIGURE

    plans = "".join(path.read_text(encoding="utf-8") for path in TEACH.glob("*.md"))
    links = set(re.findall(r"\]\(\.\./(\S+\.ipynb)#figure-(\w+)\)", plans))
    for chapter, figure in links:
        notebook = json.loads((CHAPTERS / chapter).read_text(encoding="utf-8"))
        code = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
        found = [found for source in code if (found := FIGURE.search(source))]
        assert figure in [(each[1] or each["named"]).lower() for each in found], chapter
    assert len(links) > 10
    assert not FIGURE.search("words = Vocabulary(letters)\nprint(words)")


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
