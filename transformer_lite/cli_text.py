"""The command line for running text: ``train --text`` and ``write``."""

import argparse
from collections.abc import Callable

from .checks import quote
from .console import as_utf_8, counted, print_error, printable
from .data.text import hold_out_end, read_paragraphs
from .language_model import load_language_model
from .train.text import TEXT_MODEL, TextRecipe, train_language_model
from .vocabulary import SPECIAL, UNK_ID

LEARNING = ("batch_size", "learning_rate", "warmup", "label_smoothing")
LENGTH = 100  # tokens that are written, unless another number is given


def add_text(train: argparse.ArgumentParser) -> None:
    """The options of ``train`` that are for running text alone."""
    text = train.add_argument_group("running text")
    text.add_argument(
        "--text",
        metavar="FILE",
        help="a text to go on with, UTF-8, in place of pairs. Blank lines lie between its "
        "paragraphs, or else each line is one. The finished folder is for write",
    )
    text.add_argument(
        "--steps",
        metavar="N",
        type=int,
        help=f"how many steps are taken (default: {TextRecipe.steps}). After each tenth of them "
        "stands how well the end of the text is foreseen, which is held out",
    )
    text.add_argument(
        "--beginning", metavar="TEXT", help="what the model goes on with each time, to be seen"
    )


def text_recipe(arguments: argparse.Namespace) -> TextRecipe:
    """The recipe for a text. Raises ValueError for a choice that only pairs have."""
    given = vars(arguments)
    for name in ("epochs", "tokenizer"):
        if given[name] is not None:
            raise ValueError(f"--{name} is for pairs; a text has --steps and --pieces")
    chosen = {name: given[name] for name in LEARNING if name in given}
    chosen |= {name: given[name] for name in ("steps", "pieces") if given[name] is not None}
    model = {name: given[name] for name in given["sizes"] if name in given}
    if others := [name for name in model if name not in TEXT_MODEL]:
        raise ValueError(f"--{others[0].replace('_', '-')} is for pairs: a text has one vocabulary")
    return TextRecipe(seed=arguments.seed, model=model, **chosen)


def learn_text(
    arguments: argparse.Namespace, recipe: TextRecipe, say: Callable[[str], None], **options
) -> None:
    """Train a language model on the file that ``--text`` names."""
    paragraphs, held_out = hold_out_end(read_paragraphs(arguments.text, say), arguments.valid)
    beginning = as_utf_8(arguments.beginning or "")
    train_language_model(paragraphs, recipe, held_out=held_out, beginning=beginning, **options)


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
    beginning = as_utf_8(arguments.text)
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
