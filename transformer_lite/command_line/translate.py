"""The commands ``translate`` and ``evaluate``."""

import argparse
import json
import sys
from collections.abc import Sequence

from ..checks import counted
from ..data.corpus import read_numbered_pairs
from ..data.grammar import splits
from ..data.lines import line_of_text
from ..decoding import check_beam
from ..train.evaluation import bleu_tokenizer, evaluate
from ..translator import SHIPPED, Translator, load_translator
from ..vocabulary import SPECIAL, UNK_ID, BytePairVocabulary, split_words
from .console import print_error, printable


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


def run_translate(arguments: argparse.Namespace) -> int:
    check_beam(arguments.beam)
    translator = load_translator(arguments.model)
    if arguments.list_words:
        print(*map(printable, translator.source_vocabulary.words), sep="\n")
        return 0
    if not arguments.text or arguments.text == ["-"]:
        return translate_lines(translator, arguments.beam)
    texts = {f"sentence {n}": text for n, text in enumerate(arguments.text, start=1)}
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
    bad = number = 0
    for number, line in enumerate(sys.stdin.buffer, start=1):
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
