"""The command line: ``python -m transformer_lite.exercises add``."""

import argparse
import sys

from . import __doc__ as guide
from .cells import POINTS, add


def main() -> None:
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
    arguments = parser.parse_args()
    try:
        notebook, module = add(arguments.number, arguments.title, arguments.difficulty, arguments.minutes)
    except (OSError, ValueError) as error:
        sys.exit(f"error: {error}")
    print(f"Now write the question, the blank and the solution in\n  {notebook}")
    print(f"and the check and its mistakes in\n  {module}")


if __name__ == "__main__":
    main()
