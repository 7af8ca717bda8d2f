"""Begin an exercise at the end of a chapter's.

To add an exercise, in a copy of the repository:

1. ``python -m dev.add_exercise 3.5 --title "Half the heads" --difficulty medium --minutes 10`` puts
   the four cells at the end of chapter 3's exercises, the beginning of a check at the end of
   ``chapter_03.py``, and a link into the homework of ``chapters/teach/lesson-03.md``.
2. In the notebook, write the question, the blank and the solution. Name the answer as you like; the
   check's cell names it too. An answer is a value or a function. Blank means ``...``, or a function
   whose body is ``...``.
3. In ``chapter_03.py``, write the check and below it, for every hint, a mistake: a real answer that
   readers might give, with a part of the hint that it must receive. There are two or more::

       @exercise("3.5")
       def half_the_heads(answer):
           value = array(answer, ())
           expect(not close(value, 8), "that is all of them; how many are half?")
           expect(close(value, 4), "count the heads, then divide by 2.")


       mistake("3.5", "all of them", 8)
       mistake("3.5", "divide by 2", 5)


       @mistake("3.6", "each row")  # an answer that is a function
       def _(weights):
           return weights / weights.sum()

   Where the answer is a number, a few numbers or one of a few choices, say ``--kind numbers`` or
   ``--kind choice`` in step 1. The module then begins a call that has the right answer and each
   likely mistake with its hint, and the exercise is answered on the site too.

4. ``pytest tests/unit/test_exercises.py -k 3.5`` tries the solution, the blank and every mistake,
   in seconds and without the rest of the chapter: of the chapter's own code it runs only what the
   solution uses. The page for teachers counts the minutes when the book is built.
"""

import argparse
import json
import re
import sys
from pathlib import Path

from attention_by_hand.exercises.cells import HEADING, POINTS, Exercise, exercises_in, marks
from transformer_lite.command_line.console import exit_code
from transformer_lite.files import write_whole

CHAPTERS = Path(__file__).parents[1] / "chapters"
# How a check begins, what it takes from the exercises' module, and what its question ends in
KINDS = {
    "check": (
        """@exercise("{number}")
def exercise_{name}(answer):
    expect(False, "the check of this exercise is not written yet.")
""",
        ("exercise", "expect"),
        "",
    ),
    "numbers": (
        """numbers(
    "{number}",
    0,
    mistakes={{}},
    otherwise="the check of this exercise is not written yet.",
)
""",
        ("numbers",),
        "",
    ),
    "choice": (
        """choice(
    "{number}",
    ("The first.", "The second.", "The third."),
    0,
    hints={{
        1: "the hint of this answer is not written yet.",
        2: "the hint of this answer is not written yet, either.",
    }},
)
""",
        ("choice",),
        "Answer with its letter.\n\n- (a) The first.\n- (b) The second.\n- (c) The third.",
    ),
}
IMPORT = re.compile(r"^from \. import (?:\(([^)]*)\)|(.+))$", re.M)


def four_cells(
    number: str, title: str, difficulty: str, minutes: int, kind: str = "check"
) -> list[dict]:
    """The cells of a new exercise, with ids that say what they are."""
    heading = HEADING.format(number=number, title=title, difficulty=difficulty, minutes=minutes)
    texts = {
        "question": f"{heading}. {KINDS[kind][2]}",
        "answer": "answer = ...",
        "check": f'check("{number}", answer)',
        "solution": "<details><summary>Solution</summary>\n\n```python\nanswer = "
        "...\n```\n\n</details>",
    }
    cells = []
    for (role, text), metadata in zip(texts.items(), marks(number, difficulty), strict=True):
        code = role in ("answer", "check")
        cell = {
            "cell_type": "code" if code else "markdown",
            "id": f"{role}-{number.replace('.', '-')}",
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


def with_import(checks: str, names: tuple[str, ...]) -> str:
    """The text of a chapter's checks, which imports these names from the module of exercises."""
    line = IMPORT.search(checks)
    known = re.findall(r"\w+", line[1] or line[2]) if line else []
    if line is None or known == (wanted := sorted({*known, *names})):
        return checks
    short = f"from . import {', '.join(wanted)}"
    long = f"from . import (\n{''.join(f'    {name},{chr(10)}' for name in wanted)})"
    return checks.replace(line[0], short if len(short) <= 100 else long)


def with_check(module: Path, number: str, notebook: Path, kind: str = "check") -> str:
    """The text of a chapter's checks, with the beginning of one more."""
    beginning, names, _ = KINDS[kind]
    if module.exists():
        checks = module.read_text(encoding="utf-8")
    else:
        chapter = number.split(".")[0]
        checks = f'"""Checks for chapter {chapter}."""\n\nfrom . import {", ".join(names)}\n'
    if re.search(rf'\b(?:exercise|numbers|choice)\(\s*"{number}"', checks):
        raise ValueError(
            f"{module.name} has a check for {number} already, "
            f"and {notebook.name} has no cells for it"
        )
    skeleton = beginning.format(number=number, name=number.replace(".", "_"))
    return f"{with_import(checks, names).rstrip()}\n\n\n{skeleton}"


def add(
    number: str,
    title: str,
    difficulty: str,
    minutes: int,
    kind: str = "check",
    root: Path = CHAPTERS.parent,
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
            f"there are no chapters in {root / 'chapters'}: "
            "run this in a copy of the book's repository"
        )
    chapter = chapter_of(number, notebooks)
    check_fields(title, difficulty, minutes)
    notebook = notebooks[chapter]
    module = root / "attention_by_hand" / "exercises" / f"chapter_{chapter:02}.py"
    lesson = root / "chapters" / "teach" / f"lesson-{chapter:02}.md"
    before = exercises_in(notebook)
    check_next(number, chapter, before)
    cells = four_cells(number, title.strip(), difficulty, minutes, kind)
    contents = {
        notebook: with_cells(notebook, before, cells),
        module: with_check(module, number, notebook, kind),
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


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m dev.add_exercise",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("number", help="its number, the next of its chapter: 3.5")
    parser.add_argument("--title", required=True, help="a few words")
    parser.add_argument("--difficulty", required=True, choices=POINTS)
    parser.add_argument("--minutes", required=True, type=int, help="how long a student needs")
    parser.add_argument(
        "--kind",
        choices=KINDS,
        default="check",
        help="check: a function of yours; numbers, choice: answered on the site too",
    )
    return parser


def run() -> None:
    arguments = parser().parse_args()
    notebook, module, *lesson = add(
        arguments.number,
        arguments.title,
        arguments.difficulty,
        arguments.minutes,
        arguments.kind,
    )
    print(f"Now write the question, the blank and the solution in\n  {notebook}")
    print(f"and the check and its mistakes in\n  {module}")
    for path in lesson:
        print(f"and say for whom it is homework in\n  {path}")


def main() -> int:
    return exit_code(run)


if __name__ == "__main__":
    sys.exit(main())
