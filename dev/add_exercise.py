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

4. ``pytest tests/unit/test_exercises.py -k 3.5`` tries the solution, the blank and every mistake,
   in seconds and without the rest of the chapter: of the chapter's own code it runs only what the
   solution uses. The page for teachers counts the minutes when the book is built.
"""

import argparse
import sys

from transformer_lite.console import exit_code

from .exercise_cells import POINTS, add


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
    return parser


def run() -> None:
    arguments = parser().parse_args()
    notebook, module, *lesson = add(
        arguments.number, arguments.title, arguments.difficulty, arguments.minutes
    )
    print(f"Now write the question, the blank and the solution in\n  {notebook}")
    print(f"and the check and its mistakes in\n  {module}")
    for path in lesson:
        print(f"and say for whom it is homework in\n  {path}")


def main() -> int:
    return exit_code(run)


if __name__ == "__main__":
    sys.exit(main())
