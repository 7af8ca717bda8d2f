"""The command ``train``, for pairs and, with ``--text``, for running text."""

import argparse
import shlex
from collections.abc import Callable
from dataclasses import Field, fields, replace
from pathlib import Path

import torch

from ..checks import check_share, check_whole, number_of
from ..data.corpus import german_english, read_pairs
from ..data.grammar import splits
from ..data.text import hold_out_end, read_paragraphs
from ..model import TransformerConfig
from ..train.checkpoints import CHECKPOINT
from ..train.distributed import process_group
from ..train.held_out import AT_LEAST, AT_MOST, ONE_IN, hold_out
from ..train.recipe import SHIPPED_MODEL, WIDE, Recipe, fitting_threads, fitting_tokenizer
from ..train.text import TEXT_MODEL, TextRecipe, train_language_model
from ..train.trainer import train_translator
from .console import print_error

LEARNING = ("batch_size", "learning_rate", "warmup", "label_smoothing")
TEXT_DEFAULTS = {field.name: field.default for field in fields(TextRecipe)} | TEXT_MODEL
HELP = {field.name: field.metadata["help"] for field in fields(Recipe)}
MOST_THREADS = 256

Pairs = list[tuple[str, str]]


def add_train(commands) -> None:
    train = commands.add_parser(
        "train",
        help="learn to translate from sentence pairs, or to go on with a text",
        description="Learn to translate from sentence pairs, and save the translator in a folder; "
        "or learn to go on with a text, and save a language model (--text). "
        "Without --pairs it learns the German and English of the built-in grammar, as the "
        "translator did that comes with the package: that takes less than a minute.",
        epilog="DIR gets model.safetensors, which is the translator, and "
        "training.json, which is about its training. In that file, 'training' holds the settings, "
        "'losses' the loss of every step, and 'held_out' one entry for each time that the held-out "
        "pairs were translated: the step, the epoch, the mean training loss since the entry before "
        "(training_loss), the loss of the held-out pairs (loss), and how many of them (sentences) "
        "came out word for word (exact). "
        "Several processes: torchrun --standalone --nproc-per-node=2 -m transformer_lite train ... "
        "Ctrl-C, SIGTERM and SIGHUP save a checkpoint there too. After that, and after an error, "
        "torchrun adds a traceback of its own; ours is the line before it.",
    )
    train.add_argument(
        "--pairs",
        metavar="FILE.tsv",
        help="your own pairs: source, tab, target on each line, UTF-8. For the other direction: "
        "python -m transformer_lite pairs FILE.tsv TURNED.tsv --columns 2 1",
    )
    train.add_argument(
        "--valid",
        metavar="N",
        type=share_or_number,
        help="source sentences to hold out and never learn from, to see whether what is learnt "
        "holds for them too: a number such as 200, a share such as 0.1, or 0 for none (default: "
        f"one in {ONE_IN}, at most {AT_MOST}, and none where that is fewer than {AT_LEAST}; "
        f"without --pairs, {AT_MOST} of the grammar's unseen sentences, and all pairs are learnt). "
        "With --text it is so many letters, or that share of them, at its end (default: one in 20)",
    )
    train.add_argument(
        "--out",
        metavar="DIR",
        help="a new folder (default: my-translator, or my-model with --text)",
    )
    train.add_argument(
        "--resume", action="store_true", help="go on with the unfinished training in DIR"
    )
    train.add_argument("--device", help="cpu, cuda or cuda:1 (default: a GPU if there is one)")
    train.add_argument(
        "--threads",
        metavar="N",
        type=int,
        help=f"threads of the processor (default: 1, or from --d-model {WIDE} on PyTorch's own "
        "number; more threads help a small model little and, beside other work, make it several "
        "times slower)",
    )
    add_text(train)
    add_learning(train.add_argument_group("how it learns"))
    model = train.add_argument_group("what learns")
    for field in fields(TransformerConfig):
        if field.name in SHIPPED_MODEL:
            add_option(model, field, SHIPPED_MODEL[field.name])
    train.set_defaults(run=run_train, sizes=list(SHIPPED_MODEL))


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


def add_learning(group) -> None:
    group.add_argument(
        "--seed", metavar="N", type=int, default=0, help=f"{HELP['seed']} (default: 0)"
    )
    group.add_argument("--epochs", metavar="N", type=int, help=HELP["epochs"])
    group.add_argument(
        "--tokenizer",
        choices=("word", "bpe"),
        help=f"{HELP['tokenizer']} (default: word, but bpe for pairs that are written without "
        "spaces or have too many different words)",
    )
    group.add_argument(
        "--pieces",
        metavar="N",
        type=int,
        help=f"{HELP['pieces']} (default: {Recipe.pieces}, or {TextRecipe.pieces} with --text; if "
        "given, --tokenizer is bpe)",
    )
    for field in fields(Recipe):
        if field.name in LEARNING:
            add_option(group, field, field.default)


def add_option(group, field: Field, default: int | float | bool) -> None:
    """``--d-model N`` for ``d_model``, and ``--norm-first`` or ``--no-norm-first`` for a choice
    that is true or false. What is not typed is left out, since a text has other defaults.
    """
    if isinstance(default, bool):
        kind = dict(action=argparse.BooleanOptionalAction)
    else:
        kind = dict(type=type(default), metavar="X" if isinstance(default, float) else "N")
    of_text = TEXT_DEFAULTS.get(field.name, default)
    other = "" if of_text == default else f", or {of_text} with --text"
    group.add_argument(
        "--" + field.name.replace("_", "-"),
        default=argparse.SUPPRESS,
        help=f"{field.metadata['help']} (default: {default}{other})",
        **kind,
    )


def share_or_number(text: str) -> int | float:
    """What ``--valid`` takes. Raises ValueError, or argparse's error, for anything else."""
    try:
        if text.isdecimal():
            check_whole("--valid", int(text), least=0)
            return int(text)
        share = float(text)
        check_share("--valid", share)
        return share
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"a whole number, or a share below 1, is needed; got {text!r:.30}"
        ) from None


def run_train(arguments: argparse.Namespace) -> None:
    of_text = arguments.text is not None
    if of_text and arguments.pairs is not None:
        raise ValueError("--text and --pairs are two kinds of training: give one of them")
    recipe = text_recipe(arguments) if of_text else pair_recipe(arguments)
    name = "my-model" if of_text else "my-translator"
    out = Path(name if arguments.out is None else arguments.out)
    if arguments.out is not None and not arguments.out.strip():
        raise ValueError("--out is empty: name a new folder")
    if arguments.threads is not None:
        check_whole("--threads", arguments.threads, least=1, most=MOST_THREADS)
    with process_group(arguments.device) as (rank, device):
        say = print_error if rank == 0 else lambda text: None
        torch.set_num_threads(arguments.threads or fitting_threads(recipe))
        learn = learn_text if of_text else learn_pairs
        try:
            learn(arguments, recipe, say, folder=out, resume=arguments.resume, device=device)
        except (KeyboardInterrupt, OSError) as stop:
            say_how_to_go_on(stop, out, arguments, say)
            raise
        what = "language model" if of_text else "translator"
        use = command("write" if of_text else "translate", "--model", str(out), "TEXT")
        say(f"the {what} is in {out}. To use it: {use}")


def pair_recipe(arguments: argparse.Namespace) -> Recipe:
    """The recipe for pairs. Raises ValueError for a choice that only a text has."""
    given = vars(arguments)
    for name in ("steps", "beginning"):
        if given[name] is not None:
            raise ValueError(f"--{name} is for --text")
    if arguments.pieces is not None:
        if arguments.tokenizer == "word":
            raise ValueError("--pieces is for --tokenizer bpe: whole words are not cut")
        arguments.tokenizer = "bpe"
    return Recipe(
        seed=arguments.seed,
        epochs=arguments.epochs,
        tokenizer=arguments.tokenizer or "word",
        pieces=Recipe.pieces if arguments.pieces is None else arguments.pieces,
        rare=None if arguments.pairs is None else 0.01,
        model={name: given[name] for name in SHIPPED_MODEL if name in given},
        **{name: given[name] for name in LEARNING if name in given},
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


def learn_pairs(
    arguments: argparse.Namespace, recipe: Recipe, say: Callable[[str], None], **options
) -> None:
    """Train a translator, whose tokenizer is chosen here unless it was given."""
    pairs, held_out = pairs_of(arguments, say)
    if arguments.pairs is not None and arguments.tokenizer is None:
        tokenizer, reason = fitting_tokenizer(pairs, recipe.rare)
        recipe = replace(recipe, tokenizer=tokenizer)
        if tokenizer != "word":
            say(f"--tokenizer {tokenizer} is chosen, since {reason}")
    train_translator(pairs, recipe, held_out=held_out, **options)


def pairs_of(arguments: argparse.Namespace, say: Callable[[str], None]) -> tuple[Pairs, Pairs]:
    """The pairs to learn from, and those to hold out."""
    if arguments.pairs is not None:
        return hold_out(read_pairs(arguments.pairs, say), arguments.valid, arguments.seed)
    unseen = [pair[:2] for pair in splits().unseen]
    number = AT_MOST if arguments.valid is None else number_of(arguments.valid, len(unseen))
    if number > len(unseen):
        raise ValueError(
            f"--valid {number} is too much: there are {len(unseen)} unseen sentences to hold out"
        )
    return german_english(), unseen[:number]


def learn_text(
    arguments: argparse.Namespace, recipe: TextRecipe, say: Callable[[str], None], **options
) -> None:
    """Train a language model on the file that ``--text`` names."""
    paragraphs, held_out = hold_out_end(read_paragraphs(arguments.text), arguments.valid)
    beginning = arguments.beginning or ""
    train_language_model(paragraphs, recipe, held_out=held_out, beginning=beginning, **options)


def say_how_to_go_on(
    stop: BaseException, out: Path, arguments: argparse.Namespace, say: Callable[[str], None]
) -> None:
    """After Ctrl-C, or where something could not be written: what is kept, and what to type."""
    if isinstance(stop, OSError) and stop.errno is None:  # refused, before anything was done
        return
    if (out / CHECKPOINT).exists():
        saved = stop.args[0] if isinstance(stop, KeyboardInterrupt) and stop.args else ""
        kept = saved or "what was learnt up to the last checkpoint is kept"
        resume = [] if arguments.resume else ["--resume"]
        say(f"interrupted; {kept}. To go on: {command(*arguments.words, *resume)}")
    elif isinstance(stop, KeyboardInterrupt):
        say("interrupted before the first checkpoint: nothing has been saved")


def command(*words: str) -> str:
    """What to type to run a command of this program."""
    return shlex.join(["python", "-m", "transformer_lite", *words])
