"""``python -m transformer_lite``: its commands, each in a module of its own."""

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from ..train.recipe import SHIPPED_MODEL
from .console import exit_code
from .pairs import add_pairs
from .train import HELP, add_train
from .translate import add_evaluate, add_translate
from .write import add_write


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m transformer_lite",
        description="A small Transformer that translates, and one that goes on with a text.",
    )
    parser.add_argument(
        "--version", action="version", version=f"transformer_lite {installed_version()}"
    )
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="train | translate | evaluate | pairs | write"
    )
    add_train(commands)
    add_translate(commands)
    add_evaluate(commands)
    add_pairs(commands)
    add_write(commands)
    return parser


def installed_version() -> str:
    try:
        return version("attention-by-hand")
    except PackageNotFoundError:
        return "(not installed)"


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, the one in ``sys.argv`` unless given.

    Returns 0; or 2 after an error of the user's, reported in one line, even if only some of the
    lines failed; or 130 after Ctrl-C, and 128 and its number after another signal.
    """
    words = list(sys.argv[1:] if argv is None else argv)

    def command():
        arguments = parser().parse_args(words)
        arguments.words = words
        return arguments.run(arguments)

    return exit_code(command, [*HELP, *SHIPPED_MODEL, "valid", "resume", "longest"])
