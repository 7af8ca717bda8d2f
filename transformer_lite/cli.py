"""The command line, ``python -m transformer_lite``: train, translate, evaluate, pairs, write."""

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import Field, fields, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NoReturn

import torch

from .checks import check_share, check_whole, number_of
from .cli_text import LEARNING, add_text, add_write, learn_text, text_recipe
from .console import as_utf_8, counted, exit_code, print_error, printable, to_type
from .data.catalogues import LONGEST, SUFFIXES, pairs_of_catalogues
from .data.corpus import german_english, read_numbered_pairs, read_pairs
from .data.grammar import splits
from .data.lines import line_of_text, lines_of
from .data.tables import make_pairs
from .decoding import check_beam
from .files import damaged_file, write_whole
from .model import TransformerConfig
from .train.checkpoints import CHECKPOINT, read_checkpoint
from .train.distributed import process_group
from .train.evaluation import bleu_tokenizer, evaluate
from .train.held_out import AT_LEAST, AT_MOST, ONE_IN, hold_out
from .train.recipe import SHIPPED_MODEL, WIDE, Recipe, fitting_threads, fitting_tokenizer
from .train.text import TEXT_MODEL, TextRecipe
from .train.trainer import train_translator
from .translator import SHIPPED, Translator, load_translator
from .vocabulary import SPECIAL, UNK_ID, BytePairVocabulary, split_words

TEXT_DEFAULTS = {field.name: field.default for field in fields(TextRecipe)} | TEXT_MODEL
HELP = {field.name: field.metadata["help"] for field in fields(Recipe)}
MOST_THREADS = 256

Pairs = list[tuple[str, str]]


class Parser(argparse.ArgumentParser):
    """One that repeats a very long word of what was typed only in part."""

    def error(self, message: str) -> NoReturn:
        super().error(re.sub(r"(\S{40})\S{40,}(\S{20})", r"\1...\2", message))


def parser() -> argparse.ArgumentParser:
    parser = Parser(
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


def add_translate(commands) -> None:
    translate = commands.add_parser(
        "translate",
        help="translate sentences",
        description="Print one translation a line. Without TEXT, or with - in its place, translate "
        "what comes in, line by line. What cannot be translated becomes an empty line, and the "
        "reason is said on stderr; so are words that the translator has not learnt.",
        epilog='Examples: python -m transformer_lite translate "ich möchte ein Bier ." '
        '"wer liest das Buch ?" translates two sentences; python -m transformer_lite translate < '
        "german.txt > english.txt translates a file with a sentence on each line.",
    )
    translate.add_argument("text", metavar="TEXT", nargs="*", help="a sentence, in quotes")
    translate.add_argument(
        "--words",
        dest="list_words",
        action="store_true",
        help="print the words, or pieces of words, that the translator can read, the commonest "
        "first, and translate nothing",
    )
    add_model_and_beam(translate)
    translate.set_defaults(run=run_translate)


def add_evaluate(commands) -> None:
    evaluation = commands.add_parser(
        "evaluate",
        help="measure how good a translator is",
        description="Translate sentences whose translation is known. Prints how many come out word "
        "for word, and the scores BLEU and chrF. Without --pairs these are sentences of the "
        "built-in grammar that are in no training: unseen ones, and ones that put words together "
        "as no training sentence does (compositional).",
    )
    evaluation.add_argument(
        "--pairs", metavar="FILE.tsv", help="your own pairs: source, tab, target on each line"
    )
    evaluation.add_argument("--json", action="store_true", help="print the scores as JSON")
    add_model_and_beam(evaluation)
    evaluation.set_defaults(run=run_evaluate)


def add_pairs(commands) -> None:
    table = commands.add_parser(
        "pairs",
        help="make a file of pairs of a table, or of catalogues of messages",
        description="Make a file of pairs, as train reads it, of two columns of a table. Rows that "
        "lack one of them are left out. Or make one of catalogues of messages (.po or .mo), which "
        "hold those of a program with their translations: the pairs are translation and message, "
        "and are printed unless a file is named.",
        epilog="The other direction: python -m transformer_lite pairs german-english.tsv "
        "english-german.tsv --columns 2 1. A table of a spreadsheet, saved with semicolons: "
        'python -m transformer_lite pairs sheet.csv pairs.tsv --separator ";" --quotes. Messages: '
        "python -m transformer_lite pairs de.po coreutils.mo > pairs.tsv",
    )
    table.add_argument(
        "table",
        metavar="TABLE",
        help="a text file in UTF-8, with a row on a line; or one or more catalogues",
    )
    table.add_argument("new", metavar="NEW.tsv", nargs="*", help="the file to be written")
    table.add_argument(
        "--longest",
        metavar="N",
        type=int,
        default=LONGEST,
        help=f"of catalogues: words of a message at most (default: {LONGEST})",
    )
    table.add_argument(
        "--columns",
        metavar=("SOURCE", "TARGET"),
        nargs=2,
        type=int,
        default=(1, 2),
        help="the columns of the sources and of the targets, counted from 1 (default: 1 2)",
    )
    table.add_argument(
        "--separator",
        metavar="TEXT",
        default="\t",
        help="what stands between columns; two spaces for two or more (default: a tab)",
    )
    table.add_argument(
        "--quotes",
        action="store_true",
        help="take off the quotes that a spreadsheet puts around a cell; otherwise quotes are read "
        "as they stand",
    )
    table.set_defaults(run=run_pairs)


def add_model_and_beam(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model",
        metavar="DIR",
        default=SHIPPED,
        help="a folder that train has made (default: the one shipped)",
    )
    parser.add_argument(
        "--beam",
        metavar="K",
        type=int,
        default=1,
        help="follow the K best translations at once (default: 1, greedy)",
    )


def installed_version() -> str:
    try:
        return version("attention-by-hand")
    except PackageNotFoundError:
        return "(not installed)"


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
    if arguments.resume:
        check_source(out, arguments)
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


def check_source(out: Path, arguments: argparse.Namespace) -> None:
    """Raise a ValueError if the training in this folder was begun with pairs or a text of the
    user's and now lacks them, or the other way round. Only own pairs have rare words that are read
    as unknown.
    """
    path = out / CHECKPOINT
    if not path.is_file():
        return
    with open(path, "rb") as file, damaged_file(path):
        begun = read_checkpoint(file)["identity"]
        was = "--text" if "text" in begun else "--pairs" if begun["rare"] is not None else None
        learnt = begun["text" if was == "--text" else "pairs"]
    own = {"--text": arguments.text, "--pairs": arguments.pairs}
    if was and own[was] is None:
        raise ValueError(
            f"{out} was begun with {was} ({learnt}): give "
            f"{'its' if was == '--text' else 'their'} file again"
        )
    for option, file in own.items():
        if file is not None and option != was:
            raise ValueError(
                f"{out} was begun without {option}: leave "
                f"{'it' if option == '--text' else 'them'} out, or name a new folder"
            )


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
    """What to type to run a command as this one is run."""
    processes = os.environ.get("LOCAL_WORLD_SIZE")
    if processes and words[0] == "train":
        start = ["torchrun", "--standalone", f"--nproc-per-node={processes}"]
    else:
        start = ["python"]
    return to_type(*start, "-m", "transformer_lite", *words)


def run_translate(arguments: argparse.Namespace) -> int:
    check_beam(arguments.beam)
    translator = load_translator(arguments.model)
    if arguments.list_words:
        print(*map(printable, translator.source_vocabulary.words), sep="\n")
        return 0
    if not arguments.text or arguments.text == ["-"]:
        return translate_lines(translator, arguments.beam)
    texts = {f"sentence {n}": as_utf_8(text) for n, text in enumerate(arguments.text, start=1)}
    good = readable(translator, texts)
    for name, text in good.items():
        say_unknown(name, unknown_words(translator, [text]), translator)
    translations = translator.translate_batch(list(good.values()), beam=arguments.beam)
    answers = dict(zip(good, (translation.text for translation in translations), strict=True))
    if answers:
        print(*(printable(answers.get(name, "")) for name in texts), sep="\n")
    return 0 if len(good) == len(texts) else 2


def translate_lines(translator: Translator, beam: int) -> int:
    """A line out for each line of standard input, an empty one where it cannot be translated."""
    if sys.stdin is None:
        raise ValueError("there is no standard input: give the sentence as TEXT")
    bad = number = 0
    for number, line in enumerate(lines_of(sys.stdin.buffer), start=1):
        answer = ""
        try:
            text = line_of_text(line, number)
            if split_words(text):
                answer = translator.translate(text, beam=beam).text
                say_unknown(f"line {number}", unknown_words(translator, [text]), translator)
        except ValueError as error:
            print_error(f"error: line {number}: {error}")
            bad += 1
        print(printable(answer), flush=True)
    if bad > 1:
        print_error(f"error: {bad} of {number} lines left out")
    return 2 if bad else 0


def run_evaluate(arguments: argparse.Namespace) -> int:
    check_beam(arguments.beam)
    translator = load_translator(arguments.model)
    left_out = 0
    unknown = []
    if arguments.pairs is not None:
        numbered = read_numbered_pairs(arguments.pairs, print_error)
        pairs = {f"line {number}": pair for number, pair in numbered.items()}
        good = readable(translator, {name: pair[0] for name, pair in pairs.items()})
        if not good:
            return 2
        left_out = len(pairs) - len(good)
        unknown = unknown_words(translator, list(good.values()))
        say_unknown(arguments.pairs, unknown, translator)
        samples = {arguments.pairs: [pairs[name] for name in good]}
    else:
        samples = splits()._asdict()
        del samples["train"]
    scores = {
        name: evaluate(translator, pairs, beam=arguments.beam) for name, pairs in samples.items()
    }
    words = {name: bleu_tokenizer(pair[1] for pair in pairs) for name, pairs in samples.items()}
    if arguments.json:
        described = {
            name: score._asdict()
            | {
                "bleu_tokenizer": words[name],
                "left_out": left_out,
                "unknown": len(unknown),
            }
            for name, score in scores.items()
        }
        print(json.dumps(described, ensure_ascii=False, indent=1))
    else:
        for name, score in scores.items():
            of = {"13a": "", "zh": " (of Chinese characters)", "char": " (of letters)"}[words[name]]
            print(
                f"{printable(name)}: {counted(score.sentences, 'sentence')}, "
                f"{score.exact_match:.1f} % exactly right, BLEU{of} {score.bleu:.1f}, "
                f"chrF {score.chrf:.1f}"
            )
    return 2 if left_out else 0


def run_pairs(arguments: argparse.Namespace) -> None:
    files = [arguments.table, *arguments.new]
    catalogues = [file for file in files if Path(file).suffix.lower() in SUFFIXES]
    if catalogues:
        pairs_of_messages(catalogues, files[len(catalogues) :], arguments)
        return
    if not arguments.table or not Path(arguments.table).exists():
        raise FileNotFoundError(
            f"there is no file {as_utf_8(arguments.table)!r}: give a table, a text file"
        )
    if len(files) != 2:
        raise ValueError("give a table and the name of the new file: pairs TABLE NEW.tsv")
    make_pairs(
        *files,
        columns=tuple(arguments.columns),
        separator=arguments.separator,
        quotes=arguments.quotes,
        report=print_error,
    )


def pairs_of_messages(catalogues: list[str], new: list[str], arguments: argparse.Namespace) -> None:
    """Write the pairs of catalogues into a new file, or print them."""
    check_whole("--longest", arguments.longest, least=2)
    if len(new) > 1 or {*new} & {*catalogues}:
        raise ValueError("give the catalogues first, and then the one file to be written")
    if {*arguments.columns} != {1, 2}:
        raise ValueError("a catalogue has two columns: 1, the translation, and 2, the message")
    if new and Path(new[0]).exists():
        raise FileExistsError(f"{new[0]} is there already: name a new file")
    pairs = pairs_of_catalogues(catalogues, arguments.longest, print_error)
    rows = ["\t".join(pair[number - 1] for number in arguments.columns) for pair in pairs]
    if new:
        write_whole(Path(new[0]), "".join(row + "\n" for row in rows).encode())
        print_error(f"{new[0]}: {counted(len(rows), 'pair')} written")
    else:
        print(*rows, sep="\n")


def unknown_words(translator: Translator, texts: Sequence[str]) -> list[str]:
    """The tokens of these texts that are read as ``<unk>``."""
    read = [zip(*translator.read(text), strict=True) for text in texts]
    return [token for tokens in read for token, i in tokens if i == UNK_ID]


def say_unknown(name: str, words: list[str], translator: Translator) -> None:
    """Say which words of what is called so the translator has not learnt, if there are any."""
    if not words:
        return
    different = list(dict.fromkeys(words))
    named = ", ".join(f"{word:.40}" for word in different[:5])
    more = ", ..." if len(different) > 5 else ""
    in_pieces = isinstance(translator.source_vocabulary, BytePairVocabulary)
    hint = "" if in_pieces else " (see train --tokenizer bpe)"
    print_error(
        f"{name}: {counted(len(words), 'letter' if in_pieces else 'word')} it does not know, read "
        f"as {SPECIAL[UNK_ID]}: {named}{more}{hint}"
    )


def readable(translator: Translator, texts: dict[str, str]) -> dict[str, str]:
    """Those texts that can be translated; the others are counted, the first ones explained."""
    good = {}
    problems = []
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
    """Run a command, the one in ``sys.argv`` unless given.

    Returns 0; or 2 after an error of the user's, reported in one line, even if only some of the
    lines failed; or 130 after Ctrl-C, and 128 and its number after another signal.
    """
    words = list(sys.argv[1:] if argv is None else argv)

    def command():
        arguments = parser().parse_args(words)
        arguments.words = words
        return arguments.run(arguments)

    return exit_code(command, [*HELP, *SHIPPED_MODEL, "valid", "resume"])
