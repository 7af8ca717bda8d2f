"""The command line: ``python -m transformer_lite.exercises add | grade``."""

import argparse
import sys
from pathlib import Path

from ..tools.console import exit_code
from . import __doc__ as guide
from .cells import POINTS, add

GRADING = """\
Grade a folder of notebooks that students have sent in, and write a table with a row for each student: points, and the
hint for each answer that is wrong. The folder has a notebook for each student, or a folder for each with a notebook in
it. Only the answers are taken from a notebook; they are put into the chapter as the repository has it and judged by
its own checks, each in a process of its own."""


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m transformer_lite.exercises",
        description=guide,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    new = commands.add_parser("add", help="add an exercise at the end of its chapter's")
    new.add_argument("number", help="its number, the next of its chapter: 3.5")
    new.add_argument("--title", required=True, help="a few words")
    new.add_argument("--difficulty", required=True, choices=POINTS)
    new.add_argument("--minutes", required=True, type=int, help="how long a student needs")
    new.set_defaults(run=run_add)
    grading = commands.add_parser(
        "grade",
        help="grade a folder of submissions",
        description=GRADING,
        epilog="Exit code: 0 if all were graded, 1 if a submission could not be read or an answer had to be stopped "
        "(its row says so), 2 after a wrong option, a wrong folder or a wrong file; then nothing is written.",
    )
    grading.add_argument(
        "folder", metavar="FOLDER", type=Path, help="the students' notebooks, or folders with them"
    )
    grading.add_argument(
        "--out",
        metavar="FILE.csv",
        type=Path,
        default=Path("grades.csv"),
        help="(default: grades.csv)",
    )
    grading.add_argument(
        "--master",
        metavar="FILE.ipynb",
        type=Path,
        help="the notebook with the checks and the solutions (default: the chapter that the submissions answer)",
    )
    grading.add_argument(
        "--seconds",
        metavar="S",
        type=float,
        default=60,
        help="of processor time for each answer (default: 60)",
    )
    grading.add_argument(
        "--memory",
        metavar="GB",
        type=float,
        default=2,
        help="of memory for each answer (default: 2)",
    )
    grading.set_defaults(run=run_grade)
    return parser


def run_add(arguments: argparse.Namespace) -> int:
    notebook, module = add(
        arguments.number, arguments.title, arguments.difficulty, arguments.minutes
    )
    print(f"Now write the question, the blank and the solution in\n  {notebook}")
    print(f"and the check and its mistakes in\n  {module}")
    return 0


def run_grade(arguments: argparse.Namespace) -> int:
    from .grading import grade

    well = grade(
        arguments.folder, arguments.out, arguments.master, arguments.seconds, arguments.memory
    )
    return 0 if well else 1


def main() -> int:
    """Run a command. Returns its exit code: 2 after an error of the user's, said in one line."""
    arguments = parser().parse_args()
    return exit_code(lambda: arguments.run(arguments))


if __name__ == "__main__":
    sys.exit(main())
