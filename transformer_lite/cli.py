"""The command line: ``python -m transformer_lite train | translate | evaluate | doctor``."""

import argparse
import json
import os
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from . import doctor

if __name__ == "__main__" and sys.argv[1:2] == [
    "doctor"
]:  # before what needs torch: that may be what is broken
    sys.exit(doctor.main(sys.argv[2:]))

from .console import exit_code, print_error, printable
from .data.corpus import german_english, line_of_text, read_numbered_pairs, read_pairs
from .decoding import check_beam
from .model import TransformerConfig
from .train.checkpoints import CHECKPOINT
from .train.distributed import process_group
from .train.evaluation import bleu_tokenizer, evaluate
from .train.recipe import SHIPPED_MODEL, Recipe, fitting_tokenizer
from .train.trainer import train_translator
from .translator import SHIPPED, Translator, load_translator

# Numbers of a Recipe that `train` takes
LEARNING = {
    "batch_size": "sentence pairs a step",
    "learning_rate": "the highest; it rises to it, then falls to 0",
    "warmup": "steps in which it rises, at most half of all",
    "label_smoothing": "share of the probability that is spread over all tokens",
}


def add_option(group, name: str, default: int | float | bool | str, text: str) -> None:
    """``--d-model N`` for ``d_model``, and ``--norm-first`` or ``--no-norm-first`` for what is true
    or false.
    """
    if isinstance(default, bool):
        kind = dict(action=argparse.BooleanOptionalAction)
    else:
        kind = dict(type=type(default), metavar="X" if isinstance(default, float) else "N")
    text = text.replace("%", "%%") + " (default: %(default)s)"
    group.add_argument("--" + name.replace("_", "-"), default=default, help=text, **kind)


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m transformer_lite", description="A small Transformer that translates."
    )
    parser.add_argument(
        "--version", action="version", version=f"transformer_lite {installed_version()}"
    )
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="train | translate | evaluate | doctor"
    )

    train = commands.add_parser(
        "train",
        help="learn to translate from sentence pairs",
        description="Learn to translate from sentence pairs, and save the translator in a folder. Without --pairs it "
        "learns the German and English of the built-in grammar, as the translator did that comes with the package: "
        "that takes less than a minute.",
        epilog="Several processes: torchrun --standalone --nproc-per-node=2 -m transformer_lite train ... Ctrl-C saves "
        "a checkpoint there too. After that, and after an error, torchrun adds a traceback of its own; ours is the "
        "line before it.",
    )
    train.add_argument(
        "--pairs",
        metavar="FILE.tsv",
        help="your own pairs: source, tab, target on each line, UTF-8",
    )
    train.add_argument(
        "--out",
        metavar="DIR",
        default="my-translator",
        help="a new folder (default: my-translator)",
    )
    train.add_argument(
        "--seed", metavar="N", type=int, default=0, help="where chance begins (default: 0)"
    )
    train.add_argument(
        "--epochs", metavar="N", type=int, help="times to read all pairs (default: at least 5)"
    )
    train.add_argument(
        "--tokenizer",
        choices=("word", "bpe"),
        help="word: a vocabulary of whole words; bpe: of pieces, so that unknown words can be spelt (default: word, "
        "but bpe for pairs that are written without spaces or have too many different words)",
    )
    train.add_argument(
        "--resume", action="store_true", help="go on with the unfinished training in DIR"
    )
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
        "--beam",
        metavar="K",
        type=int,
        default=1,
        help="follow the K best translations at once (default: 1, greedy)",
    )
    translate.set_defaults(run=run_translate)

    evaluation = commands.add_parser(
        "evaluate",
        help="measure how good a translator is",
        description="Translate sentences whose translation is known. Prints how many come out word for word, and the "
        "scores BLEU and chrF. Without --pairs these are sentences of the built-in grammar that are in no training: "
        "unseen ones, and ones that put words together as no training sentence does (compositional).",
    )
    evaluation.add_argument(
        "--pairs", metavar="FILE.tsv", help="your own pairs: source, tab, target on each line"
    )
    evaluation.add_argument("--json", action="store_true", help="print the scores as JSON")
    evaluation.set_defaults(run=run_evaluate)
    examination = commands.add_parser(
        "doctor", help="say what this machine lacks for the book, and how to mend it"
    )
    doctor.add_options(examination)
    examination.set_defaults(run=doctor.report)
    for command in (translate, evaluation):
        command.add_argument(
            "--model",
            metavar="DIR",
            default=SHIPPED,
            help="a folder that train has made (default: the one shipped)",
        )
    return parser


def installed_version() -> str:
    try:
        return version("transformer-lite")
    except PackageNotFoundError:
        return "(not installed)"


def run_train(arguments: argparse.Namespace) -> None:
    recipe = Recipe(
        seed=arguments.seed,
        epochs=arguments.epochs,
        tokenizer=arguments.tokenizer or "word",
        rare=None if arguments.pairs is None else 0.01,
        model={name: getattr(arguments, name) for name in SHIPPED_MODEL},
        **{name: getattr(arguments, name) for name in LEARNING},
    )
    if not arguments.out.strip():
        raise ValueError("--out is empty: name a new folder")
    out = Path(arguments.out)
    with process_group() as (rank, device):
        say = print_error if rank == 0 else lambda text: None
        try:
            pairs = (
                german_english() if arguments.pairs is None else read_pairs(arguments.pairs, say)
            )
            if arguments.pairs is not None and arguments.tokenizer is None:
                tokenizer, reason = fitting_tokenizer(pairs, recipe.rare)
                recipe = replace(recipe, tokenizer=tokenizer)
                if tokenizer != "word":
                    say(f"--tokenizer {tokenizer} is chosen, since {reason}")
            train_translator(pairs, recipe, folder=out, resume=arguments.resume, device=device)
        except (KeyboardInterrupt, OSError) as stop:
            if (
                isinstance(stop, OSError) and stop.errno is None
            ):  # refused, before anything was done
                raise
            if (out / CHECKPOINT).exists():
                saved = stop.args[0] if isinstance(stop, KeyboardInterrupt) and stop.args else ""
                kept = saved or "what was learnt up to the last checkpoint is kept"
                resume = [] if arguments.resume else ["--resume"]
                say(f"interrupted; {kept}. To go on: {command(*arguments.words, *resume)}")
            elif isinstance(stop, KeyboardInterrupt):
                say("interrupted before the first checkpoint: nothing has been saved")
            raise
        say(
            f"the translator is in {out}. To use it: {command('translate', '--model', str(out), 'TEXT')}"
        )


def command(*words: str) -> str:
    """What to type to run a command as this one is run."""
    start = ["python"]
    if processes := os.environ.get("LOCAL_WORLD_SIZE") if words[0] == "train" else None:
        start = ["torchrun", "--standalone", f"--nproc-per-node={processes}"]
    return shlex.join([*start, "-m", "transformer_lite", *words])


def run_translate(arguments: argparse.Namespace) -> int:
    check_beam(arguments.beam)
    translator = load_translator(arguments.model)
    if arguments.text:
        texts = {f"sentence {number}": text for number, text in enumerate(arguments.text, start=1)}
        good = readable(translator, texts)
        for translation in translator.translate_batch(list(good.values()), beam=arguments.beam):
            print(printable(translation.text))
        return 0 if len(good) == len(texts) else 2
    if sys.stdin is None:
        raise ValueError("there is no standard input: give the sentence as TEXT")
    bad = number = 0
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            text = line_of_text(line, number)
            translation = (
                translator.translate(text, beam=arguments.beam).text if text.strip() else ""
            )
        except ValueError as error:
            print_error(f"error: line {number}: {error}")
            bad += 1
            continue
        print(printable(translation), flush=True)
    if bad > 1:
        print_error(f"error: {bad} of {number} lines left out")
    return 2 if bad else 0


def run_evaluate(arguments: argparse.Namespace) -> int:
    translator, left_out = load_translator(arguments.model), 0
    if arguments.pairs is not None:
        pairs = {
            f"line {n}": pair
            for n, pair in read_numbered_pairs(arguments.pairs, print_error).items()
        }
        good = readable(translator, {name: pair[0] for name, pair in pairs.items()})
        if not good:
            return 2
        left_out = len(pairs) - len(good)
        samples = {arguments.pairs: [pairs[name] for name in good]}
    else:
        from .data.grammar import splits

        samples = splits()._asdict()
        del samples["train"]
    scores = {name: evaluate(translator, pairs) for name, pairs in samples.items()}
    words = {name: bleu_tokenizer(pair[1] for pair in pairs) for name, pairs in samples.items()}
    if arguments.json:
        found = {
            name: score._asdict() | {"bleu_tokenizer": words[name], "left_out": left_out}
            for name, score in scores.items()
        }
        print(json.dumps(found, ensure_ascii=False, indent=1))
    else:
        for name, score in scores.items():
            of = {"13a": "", "zh": " (of Chinese characters)", "char": " (of letters)"}[words[name]]
            print(
                f"{printable(name)}: {score.sentences} sentences, {score.exact_match:.1f} % exactly right, "
                f"BLEU{of} {score.bleu:.1f}, chrF {score.chrf:.1f}"
            )
    return 2 if left_out else 0


def readable(translator: Translator, texts: dict[str, str]) -> dict[str, str]:
    """Those texts that can be translated. The others are counted and named, the first ones with the
    reason.
    """
    good, problems = {}, []
    for name, text in texts.items():
        try:
            translator.read(text)
            good[name] = text
        except ValueError as error:
            problems.append(f"{name}: {error}" if len(problems) < 5 else name)
    if problems:
        print_error(f"error: {len(problems)} of {len(texts)} left out: {'; '.join(problems)}")
    return good


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, that of ``sys.argv`` unless given.

    Returns 0; or 1 where ``doctor`` found something to mend; or 2 after an error of the user's,
    said in one line, be it that some lines could not be done and the others were; or 130 after
    Ctrl-C.
    """
    words = list(sys.argv[1:] if argv is None else argv)

    def command():
        arguments = parser().parse_args(words)
        arguments.words = words
        return arguments.run(arguments)

    return exit_code(command)
