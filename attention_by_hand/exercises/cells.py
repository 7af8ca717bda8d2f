"""The four cells of an exercise in its chapter's notebook, and how they are read.

1. Markdown, the question: ``**3.5 Half the heads** · medium, 10 minutes. ...`` (a heading may stand
   above it);
2. code, the blank: ``answer = ...``, or a function whose body is ``...``;
3. code, the check: ``check("3.5", answer)``;
4. Markdown, the solution: folded, with its code in one fence, and tagged so that a student edition
   leaves it out.

The second and third carry the marks by which nbgrader finds and grades them. Beside them, here is
how a fold of a notebook is known, be it a cell or a section.
"""

import json
import re
from pathlib import Path
from typing import NamedTuple

TITLE = re.compile(r"# @title (.+)")  # the first line of a cell that is folded to it
CLOSER_LOOK = "Closer look: "  # begins the heading of a section that is folded to it
POINTS = {"easy": 1, "medium": 2, "harder": 3}
HEADING = "**{number} {title}** · {difficulty}, {minutes} minutes"  # begins a question
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
                f"{where} needs a question two cells above its check: "
                f"**{number} ...** · easy, 5 minutes"
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
            f"{notebook.name} has the exercises {[e.number for e in exercises]}; "
            f"they should be {wanted}"
        )
    return exercises
