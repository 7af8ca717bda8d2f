"""The command ``pairs``: a file of pairs of a table, or of catalogues of messages."""

import argparse
from pathlib import Path

from ..checks import check_whole, counted
from ..data.catalogues import LONGEST, SUFFIXES, pairs_of_catalogues
from ..data.tables import make_pairs
from ..files import write_whole
from .console import print_error


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


def run_pairs(arguments: argparse.Namespace) -> None:
    files = [arguments.table, *arguments.new]
    catalogues = [file for file in files if Path(file).suffix.lower() in SUFFIXES]
    if catalogues:
        pairs_of_messages(catalogues, files[len(catalogues) :], arguments)
        return
    if not arguments.table or not Path(arguments.table).exists():
        raise FileNotFoundError(f"there is no file {arguments.table!r}: give a table, a text file")
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
