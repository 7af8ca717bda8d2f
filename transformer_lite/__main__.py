"""The command line: ``python -m transformer_lite train | translate | evaluate | doctor``."""

import argparse
import json
import os
import re
import shlex
import sys
from contextlib import suppress
from pathlib import Path

from .tools import doctor

if __name__ == "__main__" and sys.argv[1:2] == ["doctor"]:  # before what needs torch: that may be what is broken
    sys.exit(doctor.main(sys.argv[2:]))

from .data.corpus import german_english, read_pairs
from .model import TransformerConfig
from .tools.checkpoints import CHECKPOINT
from .tools.distributed import process_group
from .tools.evaluation import evaluate
from .tools.recipe import SHIPPED_MODEL, Recipe
from .tools.trainer import train_translator
from .translator import SHIPPED, load_translator

INTERRUPTED = 130

# Numbers of a Recipe that `train` takes
LEARNING = {
    "batch_size": "sentence pairs a step",
    "learning_rate": "the highest; it rises to it, then falls to 0",
    "warmup": "steps in which it rises",
    "label_smoothing": "share of the probability that is spread over all tokens",
}


def add_option(group, name: str, default: int | float | bool | str, text: str) -> None:
    """``--d-model N`` for ``d_model``, and ``--norm-first`` or ``--no-norm-first`` for what is true or false."""
    if isinstance(default, bool):
        kind = dict(action=argparse.BooleanOptionalAction)
    else:
        kind = dict(type=type(default), metavar="X" if isinstance(default, float) else "N")
    text = text.replace("%", "%%") + " (default: %(default)s)"
    group.add_argument("--" + name.replace("_", "-"), default=default, help=text, **kind)


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m transformer_lite", description="A small Transformer that translates.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="train | translate | evaluate | doctor")

    train = commands.add_parser(
        "train",
        help="learn to translate from sentence pairs",
        description="Learn to translate from sentence pairs, and save the translator in a folder. Without --pairs it "
        "learns the German and English of the built-in grammar, as the translator did that comes with the package: "
        "that takes less than a minute.",
        epilog="Several processes: torchrun --standalone --nproc-per-node=2 -m transformer_lite train ...",
    )
    train.add_argument("--pairs", metavar="FILE.tsv", help="your own pairs: source, tab, target on each line, UTF-8")
    train.add_argument("--out", metavar="DIR", default="my-translator", help="a new folder (default: my-translator)")
    train.add_argument("--seed", metavar="N", type=int, default=0, help="where chance begins (default: 0)")
    train.add_argument("--epochs", metavar="N", type=int, help="times to read all pairs (default: at least 5)")
    train.add_argument(
        "--tokenizer",
        choices=("word", "bpe"),
        default="word",
        help="word (default): a vocabulary of whole words; bpe: of pieces, so that unknown words can be spelt",
    )
    train.add_argument("--resume", action="store_true", help="go on with the unfinished training in DIR")
    learning = train.add_argument_group("how it learns")
    for name, text in LEARNING.items():
        add_option(learning, name, getattr(Recipe, name), text)
    model = train.add_argument_group("what learns")
    meanings = " ".join((TransformerConfig.__doc__ or "").split())
    for name, default in SHIPPED_MODEL.items():
        described = re.search(rf"\b{name}: (.+?)\. ", meanings)
        add_option(model, name, default, described[1] if described else name)
    train.set_defaults(run=run_train)

    translate = commands.add_parser(
        "translate",
        help="translate sentences",
        description="Print one translation a line. Without TEXT, translate what comes in, line by line.",
        epilog='Example: python -m transformer_lite translate "ich möchte ein Bier ." "wer liest das Buch ?"',
    )
    translate.add_argument("text", metavar="TEXT", nargs="*", help="a sentence, in quotes")
    translate.add_argument(
        "--beam", metavar="K", type=int, default=1, help="follow the K best translations at once (default: 1, greedy)"
    )
    translate.set_defaults(run=run_translate)

    evaluation = commands.add_parser(
        "evaluate",
        help="measure how good a translator is",
        description="Translate sentences whose translation is known. Prints how many come out word for word, and the "
        "scores BLEU and chrF. Without --pairs these are sentences of the built-in grammar that are in no training: "
        "unseen ones, and ones that put words together as no training sentence does (compositional).",
    )
    evaluation.add_argument("--pairs", metavar="FILE.tsv", help="your own pairs: source, tab, target on each line")
    evaluation.add_argument("--json", action="store_true", help="print the scores as JSON")
    evaluation.set_defaults(run=run_evaluate)
    examination = commands.add_parser("doctor", help="say what this machine lacks for the book, and how to mend it")
    doctor.add_options(examination)
    examination.set_defaults(run=doctor.report)
    for command in (translate, evaluation):
        command.add_argument(
            "--model", metavar="DIR", default=SHIPPED, help="a folder that train has made (default: the one shipped)"
        )
    return parser


def run_train(arguments: argparse.Namespace) -> None:
    recipe = Recipe(
        seed=arguments.seed,
        epochs=arguments.epochs,
        tokenizer=arguments.tokenizer,
        rare=None if arguments.pairs is None else 0.01,
        model={name: getattr(arguments, name) for name in SHIPPED_MODEL},
        **{name: getattr(arguments, name) for name in LEARNING},
    )
    with process_group() as (rank, device):
        say = print_error if rank == 0 else lambda text: None
        pairs = read_pairs(arguments.pairs, say) if arguments.pairs is not None else german_english()
        out = Path(arguments.out)
        try:
            translator, _ = train_translator(pairs, recipe, folder=out, resume=arguments.resume, device=device)
        except KeyboardInterrupt:
            if (out / CHECKPOINT).exists():
                again = shlex.join(["python", "-m", "transformer_lite", *sys.argv[1:]]).removesuffix(" --resume")
                say(f"interrupted; nothing is lost. To go on: {again} --resume")
            raise
        use = shlex.join(["python", "-m", "transformer_lite", "translate", "--model", str(out), "TEXT"])
        say(f"the translator is in {out}. To use it: {use}")


def run_translate(arguments: argparse.Namespace) -> None:
    translator = load_translator(arguments.model)
    if arguments.text:
        for translation in translator.translate_batch(arguments.text, beam=arguments.beam):
            print(translation.text)
        return
    if sys.stdin is None:
        raise ValueError("there is no standard input: give the sentence as TEXT")
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            print(translator.translate(text, beam=arguments.beam).text, flush=True)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error


def run_evaluate(arguments: argparse.Namespace) -> None:
    translator = load_translator(arguments.model)
    if arguments.pairs is not None:
        samples = {arguments.pairs: read_pairs(arguments.pairs, print_error)}
    else:
        from .data.grammar import splits

        samples = splits()._asdict()
        del samples["train"]
    scores = {name: evaluate(translator, pairs) for name, pairs in samples.items()}
    if arguments.json:
        print(json.dumps({name: score._asdict() for name, score in scores.items()}, ensure_ascii=False, indent=1))
        return
    for name, score in scores.items():
        print(
            f"{name}: {score.sentences} sentences, {score.exact_match:.1f} % exactly right, "
            f"BLEU {score.bleu:.1f}, chrF {score.chrf:.1f}"
        )


def print_error(text: str) -> None:
    """On stderr, in one line."""
    with suppress(BrokenPipeError):
        print(" ".join(text.split()), file=sys.stderr, flush=True)


def main() -> int:
    """Run a command. Returns 0, or 1 where ``doctor`` found something to mend, or 2 after an error of the user's, said
    in one line, or 130 after Ctrl-C.
    """
    if sys.stdout is not None:
        sys.stdout.reconfigure(encoding="utf-8")
    arguments = parser().parse_args()
    try:
        code = arguments.run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code or 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has left, as `head` does; python would complain at its exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except ModuleNotFoundError as error:
        print_error(f"error: {error}: install it with pip install {error.name}")
    except OSError as error:
        print_error(f"error: {error.filename}: {error.strerror}" if error.filename else f"error: {error}")
    except (ValueError, IndexError) as error:
        print_error(f"error: {error}")
    except RuntimeError as error:
        if "memory" not in str(error):
            raise
        print_error(f"error: not enough memory: {error}")
    return 2


if __name__ == "__main__":
    sys.exit(main())
