"""The command ``write``."""

import argparse

from ..checks import counted, quote
from ..language_model import load_language_model
from ..vocabulary import SPECIAL, UNK_ID
from .console import print_error, printable

LENGTH = 100  # tokens that are written, unless another number is given


def add_write(commands) -> None:
    writing = commands.add_parser(
        "write",
        help="go on with a text",
        description="Print a beginning and how it goes on, up to the end of its paragraph. Without "
        "TEXT a paragraph is begun. What letters the model has not learnt is said on stderr.",
        epilog='Example: python -m transformer_lite write "Attention is" --model our-model '
        "--temperature 0.6 --seed 1",
    )
    writing.add_argument("text", metavar="TEXT", nargs="?", default="", help="in quotes")
    writing.add_argument(
        "--model", metavar="DIR", required=True, help="a folder that train --text has made"
    )
    for name, kind, default, said in (
        ("length", int, LENGTH, "tokens to write at most"),
        ("temperature", float, 0.8, "how far down its list it draws; 0 takes the likeliest"),
        ("top-k", int, None, "draw only from so many of the likeliest"),
        ("top-p", float, 1.0, "draw only from the likeliest that have this share together"),
        ("seed", int, None, "where chance begins: the same seed writes the same text"),
    ):
        shown = "" if default is None else f" (default: {default})"
        writing.add_argument(
            f"--{name}",
            type=kind,
            default=default,
            metavar="N" if kind is int else "X",
            help=said + shown,
        )
    writing.set_defaults(run=run_write)


def run_write(arguments: argparse.Namespace) -> None:
    learner = load_language_model(arguments.model)
    beginning = arguments.text
    tokens = learner.vocabulary.tokenize(beginning)
    strange = [
        token
        for token, i in zip(tokens, learner.vocabulary.encode(tokens), strict=True)
        if i == UNK_ID
    ]
    if strange:
        print_error(
            f"{counted(len(strange), 'letter')} it does not know, read as {SPECIAL[UNK_ID]}: "
            f"{quote(''.join(strange))}"
        )
    text = learner.write(
        beginning,
        length=arguments.length,
        temperature=arguments.temperature,
        top_k=arguments.top_k,
        top_p=arguments.top_p,
        seed=arguments.seed,
    )
    print(printable(text))
