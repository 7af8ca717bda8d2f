"""The four cells of an exercise in its chapter's notebook, read and written.

1. Markdown, the question: ``**3.5 Half the heads** · medium, 10 minutes. ...`` (a heading may stand
   above it);
2. code, the blank: ``answer = ...``, or a function whose body is ``...``;
3. code, the check: ``check("3.5", answer)``;
4. Markdown, the solution: folded, with its code in one fence, and tagged so that a student edition
   leaves it out.

The second and third carry the marks by which nbgrader finds and grades them.
"""

import json
import re
from pathlib import Path
from typing import NamedTuple

from transformer_lite.files import write_whole

CHAPTERS = Path(__file__).parents[1] / "chapters"
POINTS = {"easy": 1, "medium": 2, "harder": 3}
QUESTION = re.compile(r"^\*\*(\d+\.\d+) (.+?)\*\* · (easy|medium|harder), (\d+) minutes\b", re.M)
CHECK = re.compile(r'check\("(\d+\.\d+)", (\w+)\)')
SOLUTION = re.compile(
    r"<details><summary>Solution</summary>\n.*?```python\n(.*?)```.*</details>", re.S
)


class Exercise(NamedTuple):
    """An exercise as its notebook has it."""

    number: str
    title: str
    difficulty: str
    minutes: int
    name: str  # of the answer
    blank: str
    solution: str
    end: int  # the index of the cell after its four


def marks(number: str, difficulty: str) -> list[dict]:
    """The metadata of the four cells."""
    role = number.replace(".", "-")
    common = {"schema_version": 3, "task": False}
    blank = {
        "grade": False,
        "grade_id": f"answer-{role}",
        "locked": False,
        "solution": True,
    } | common
    check = {"grade": True, "grade_id": f"check-{role}", "locked": True, "solution": False} | common
    return [
        {},
        {"nbgrader": blank},
        {"nbgrader": check | {"points": POINTS[difficulty]}},
        {"tags": ["solution"]},
    ]


def exercises_in(notebook: Path) -> list[Exercise]:
    """The exercises of a notebook, in their order.

    Raises ValueError if one of them lacks a cell or a mark, or if they are not numbered one after
    another.
    """
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    exercises = []
    for i, text in enumerate(texts):
        if not (call := CHECK.fullmatch(text)):
            continue
        number, name = call.groups()
        where = f"exercise {number} in {notebook.name}"
        question = QUESTION.search(texts[i - 2])
        solution = SOLUTION.fullmatch(texts[i + 1]) if i + 1 < len(texts) else None
        if not question or question[1] != number:
            raise ValueError(
                f"{where} needs a question two cells above its check: **{number} ...** · easy, 5 "
                "minutes"
            )
        if not solution:
            raise ValueError(
                f"{where} needs a folded solution with its code in the cell below its check"
            )
        if [cell["metadata"] for cell in cells[i - 2 : i + 2]] != marks(number, question[3]):
            raise ValueError(
                f"{where}: the metadata of its four cells should be {marks(number, question[3])}"
            )
        _, title, difficulty, minutes = question.groups()
        exercises.append(
            Exercise(
                number, title, difficulty, int(minutes), name, texts[i - 1], solution[1], i + 2
            )
        )
    wanted = [f"{int(notebook.name[:2])}.{i + 1}" for i in range(len(exercises))]
    if [exercise.number for exercise in exercises] != wanted:
        raise ValueError(
            f"{notebook.name} has the exercises {[e.number for e in exercises]}; they should be "
            f"{wanted}"
        )
    return exercises


def four_cells(number: str, title: str, difficulty: str, minutes: int) -> list[dict]:
    """The cells of a new exercise, with ids that say what they are."""
    kinds = {
        "question": f"**{number} {title}** · {difficulty}, {minutes} minutes. ",
        "answer": "answer = ...",
        "check": f'check("{number}", answer)',
        "solution": "<details><summary>Solution</summary>\n\n```python\nanswer = "
        "...\n```\n\n</details>",
    }
    cells = []
    for (kind, text), metadata in zip(kinds.items(), marks(number, difficulty), strict=True):
        code = kind in ("answer", "check")
        cell = {
            "cell_type": "code" if code else "markdown",
            "id": f"{kind}-{number.replace('.', '-')}",
        }
        cell |= {"metadata": metadata, "source": text.splitlines(keepends=True)}
        cells.append(cell | ({"execution_count": None, "outputs": []} if code else {}))
    return cells


def chapter_of(number: str, notebooks: dict[int, Path]) -> int:
    """The chapter that a number such as 3.5 belongs to. Raises ValueError if there is none."""
    if not re.fullmatch(r"(0|[1-9]\d*)\.[1-9]\d*", number):
        raise ValueError(f"exercises are numbered like 3.5: chapter, exercise; {number!r} is not")
    chapter = int(number.split(".")[0])
    if chapter not in notebooks:
        raise ValueError(
            f"there is no chapter {chapter}; the chapters are {min(notebooks)} to {max(notebooks)}"
        )
    return chapter


def check_next(number: str, chapter: int, before: list[Exercise]) -> None:
    """Raise ValueError unless this is the number of the chapter's next exercise."""
    following = f"{chapter}.{len(before) + 1}"
    for exercise in before:
        if exercise.number == number:
            raise ValueError(f"{number} is taken: {exercise.title!r}; the next is {following}")
    if number != following:
        raise ValueError(
            f"{number} is not the next exercise of chapter {chapter}; that is {following}"
        )


def with_homework(lesson: str, number: str, notebook: Path) -> str:
    """The text of a lesson, with the exercise at the end of its homework."""
    link = f"[{number}](../{notebook.name}#exercise-{number.replace('.', '-')})"
    before, heading, after = lesson.partition("## Homework\n")
    homework, next_heading, rest = after.partition("\n## ")
    return f"{before}{heading}{homework.rstrip()} Then {link}.\n{next_heading}{rest}"


def check_fields(title: str, difficulty: str, minutes: int) -> None:
    """Raise ValueError unless an exercise can be headed like this."""
    if difficulty not in POINTS:
        raise ValueError(f"difficulty should be one of {', '.join(POINTS)}; {difficulty!r} is not")
    if minutes < 1:
        raise ValueError(f"minutes should be 1 or more; {minutes} is not")
    if not title.strip() or "*" in title or "\n" in title:
        raise ValueError(f"the title should be one line without stars; {title!r} is not")


def with_cells(notebook: Path, before: list[Exercise], cells: list[dict]) -> str:
    """The text of a notebook, with the cells after its last exercise, which are `before`."""
    book = json.loads(notebook.read_text(encoding="utf-8"))
    headings = [
        i
        for i, cell in enumerate(book["cells"], 1)
        if "".join(cell["source"]).startswith("## Exercises")
    ]
    end = max([*headings, *(exercise.end for exercise in before)], default=len(book["cells"]))
    book["cells"][end:end] = cells
    return json.dumps(book, sort_keys=True, indent=1, ensure_ascii=False) + "\n"


def with_check(module: Path, number: str, notebook: Path) -> str:
    """The text of a chapter's checks, with the beginning of one more."""
    if module.exists():
        checks = module.read_text(encoding="utf-8")
    else:
        chapter = number.split(".")[0]
        checks = f'"""Checks for chapter {chapter}."""\n\nfrom . import exercise, expect\n'
    if f'@exercise("{number}")' in checks:
        raise ValueError(
            f"{module.name} has a check for {number} already, and {notebook.name} has no cells for "
            "it"
        )
    skeleton = (
        f'\n\n@exercise("{number}")\n'
        f"def exercise_{number.replace('.', '_')}(answer):\n"
        '    expect(False, "the check of this exercise is not written yet.")\n'
    )
    return checks.rstrip("\n") + "\n" + skeleton


def add(
    number: str, title: str, difficulty: str, minutes: int, root: Path = CHAPTERS.parent
) -> list[Path]:
    """Add an exercise after the last one of its chapter: four cells, the beginning of a check, and
    a link in the homework of the chapter's lesson.

    A chapter's first one comes under its heading "Exercises", if there is one, and begins the
    module of its checks. Returns the files that it wrote. Raises ValueError, and writes nothing,
    if the number is not the chapter's next.
    """
    chapters = (root / "chapters").glob("[0-9][0-9]-*.ipynb")
    notebooks = {int(path.name[:2]): path for path in chapters}
    if not notebooks:
        raise ValueError(
            f"there are no chapters in {root / 'chapters'}: run this in a copy of the book's "
            "repository"
        )
    chapter = chapter_of(number, notebooks)
    check_fields(title, difficulty, minutes)
    notebook = notebooks[chapter]
    module = root / "transformer_lite" / "exercises" / f"chapter_{chapter:02}.py"
    lesson = root / "chapters" / "teach" / f"lesson-{chapter:02}.md"
    before = exercises_in(notebook)
    check_next(number, chapter, before)
    cells = four_cells(number, title.strip(), difficulty, minutes)
    contents = {
        notebook: with_cells(notebook, before, cells),
        module: with_check(module, number, notebook),
    }
    if lesson.exists():  # a new chapter has none yet
        contents[lesson] = with_homework(lesson.read_text(encoding="utf-8"), number, notebook)
    write_all(contents)
    return list(contents)


def write_all(contents: dict[Path, str]) -> None:
    """Write every file, or leave all of them as they were."""
    before = {path: path.read_bytes() if path.exists() else None for path in contents}
    try:
        for path, text in contents.items():
            write_whole(path, text.encode())
    except BaseException:
        for path, content in before.items():
            if content is None:
                path.unlink(missing_ok=True)
            elif path.read_bytes() != content:
                write_whole(path, content)
        raise
