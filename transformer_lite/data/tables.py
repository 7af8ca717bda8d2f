"""Tables that are no files of pairs yet: which shape they have, and how to make pairs of them."""

import csv
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ..console import counted, to_type
from ..files import write_whole
from .lines import line_of_text, numbered_lines

NEARLY_ALL = 0.9
SAMPLE = 1000  # lines of a table, to tell its shape from
# What stands between columns where there is no tab: what marks nothing else comes first.
SEPARATORS = ("\t", "|||", ";", "|", ",", r"\t", "=>", "->", " - ", " – ", "  ")
NO_SEPARATORS = set(".!?'\"’…\u3002\uff1f\uff01¿¡()[]{}<>„“”«»")
QUOTED = re.compile(r'"(?:[^"]|"")*"')


class Shape(NamedTuple):
    """How a table is built: what separates its columns, how many there are, which two are source
    and target, counted from 1, and whether its quotes are those of a spreadsheet.
    """

    separator: str
    width: int
    columns: tuple[int, ...]
    quotes: bool


def shape_of(lines: Sequence[str]) -> Shape | None:
    """The shape that nearly all of these lines have, if it is one; that of a file of pairs is none,
    and a single line has none.

    Only the first ``SAMPLE`` lines are read.
    """
    lines = lines[:SAMPLE]
    if len(lines) < 2 or lines[0][:1] in "{[<":  # JSON or XML
        return None
    marks = [
        sign
        for sign in dict.fromkeys(lines[0] + lines[-1])
        if unicodedata.category(sign)[0] in "PS" and sign not in NO_SEPARATORS
    ]
    for separator in dict.fromkeys((*SEPARATORS, *marks, " ")):
        rows, quotes = read_sample(lines, separator)
        width, count = Counter(map(len, rows)).most_common(1)[0]
        if width < 2 or count < NEARLY_ALL * len(rows) or (separator, width) == ("\t", 2):
            continue
        if separator == " " and (width > 2 or len(rows) < 3):  # words of a sentence
            continue
        columns = columns_of_text([cells for cells in rows if len(cells) == width])
        if len(columns) == 2:
            return Shape(separator, width, columns, quotes)
    return None


def read_sample(lines: Sequence[str], separator: str) -> tuple[list[list[str]], bool]:
    """The rows of a table, and whether their quotes are those of a spreadsheet."""
    if len(separator) == 1 and separator != "\t" and any('"' in line for line in lines):
        with suppress(csv.Error):
            return list(rows_of((line + "\n" for line in lines), separator, quotes=True)), True
    return list(rows_of(lines, separator, quotes=False)), False


def columns_of_text(rows: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """Which two columns hold sentences, counted from 1: the first ones with letters that are no
    numbers of sentences and are not nearly always the same, as languages and licences are; else the
    first ones that hold anything, which may be fewer.
    """
    columns = list(enumerate(zip(*rows, strict=True), start=1))
    found = []
    for number, cells in columns:
        words = [
            any(map(str.isalpha, cell)) and not re.fullmatch(r"\S*\d\S*", cell) for cell in cells
        ]
        if sum(words) > len(rows) / 2 and len(set(cells)) > min(len(rows) - 1, 1 + len(rows) / 20):
            found.append(number)
    if len(found) < 2:
        found = [number for number, cells in columns if any(cells)]
    return tuple(found[:2])


def rows_of(lines: Iterable[str], separator: str, quotes: bool) -> Iterator[list[str]]:
    """The cells of each row; with ``quotes`` a quoted cell may go on in the next line."""
    if quotes:
        rows = csv.reader(lines, delimiter=separator, strict=True)
    elif separator == "  ":
        rows = (re.split(" {2,}", line.strip()) for line in lines)
    else:
        rows = (line.split(separator) for line in lines)
    for row in rows:
        yield [" ".join(cell.split()) for cell in row]


def how_to_mend(path: str | os.PathLike, shape: Shape) -> str:
    """The command that makes a file of pairs of a table of this shape."""
    names = [str(name) for name in (path, new_name(path))]
    names = [os.path.join(os.curdir, name) if name.startswith("-") else name for name in names]
    words = ["python", "-m", "transformer_lite", "pairs", *names]
    if shape.columns != (1, 2):
        words += ["--columns", *map(str, shape.columns)]
    if shape.separator != "\t":
        words += [f"--separator={shape.separator}"]
    if shape.quotes:
        words += ["--quotes"]
    return to_type(*words)


def new_name(path: str | os.PathLike) -> Path:
    """A neighbour that is not there yet."""
    stem = Path(path).stem
    names = (Path(path).with_name(f"{stem}.pairs{n or ''}.tsv") for n in range(1000))
    return next(name for name in names if not name.exists())


def cells_in_quotes(pairs: Sequence[tuple[str, str]]) -> int:
    """How many sentences a spreadsheet has put in quotes; 0 if they may be the writer's own.

    A spreadsheet doubles the quotes inside, and it quotes each cell, or each with a comma.
    """
    cells = [cell for pair in pairs for cell in pair]
    quoted = [cell for cell in cells if len(cell) > 1 and cell[0] == cell[-1] == '"']
    if not quoted or not all(map(QUOTED.fullmatch, quoted)):
        return 0
    with_comma = [cell for cell in cells if "," in cell]
    sides = zip(*pairs, strict=True)
    if (
        any('""' in cell[1:-1] for cell in quoted)
        or any(sum(cell[:1] == '"' for cell in side) >= NEARLY_ALL * len(pairs) for side in sides)
        or (len(with_comma) >= 3 and set(with_comma) <= set(quoted))
    ):
        return len(quoted)
    return 0


def make_pairs(
    table: str | os.PathLike,
    new: str | os.PathLike,
    *,
    columns: tuple[int, int] = (1, 2),
    separator: str = "\t",
    quotes: bool = False,
    report: Callable[[str], None] = print,
) -> int:
    """Write a file of pairs of two columns of a table, and return how many pairs it has.

    columns: that of the sources and that of the targets, counted from 1. separator: what stands
    between columns; two spaces stand for two or more. quotes: whether the quotes around a cell are
    a spreadsheet's, which are taken off. Rows that lack one of the columns are left out, and
    ``report`` is told how many they are.

    Raises FileExistsError if ``new`` exists, and ValueError if no row has both columns, for a
    column below 1, and for a separator that is empty or, with quotes, of several letters.
    """
    if min(columns) < 1:
        raise ValueError(f"columns are counted from 1; got {columns[0]} and {columns[1]}")
    if not separator or (quotes and len(separator) > 1):
        raise ValueError(
            f"the separator must be {'one letter' if quotes else 'text'}; got {separator!r:.30}"
        )
    if Path(new).exists():
        raise FileExistsError(f"{new} is there already: name a new file")
    strange = 0

    def lines() -> Iterator[str]:
        nonlocal strange
        for number, line in numbered_lines(table, report):
            try:
                yield line_of_text(line, number).rstrip("\r\n") + "\n"
            except ValueError:
                strange += 1

    pairs = []
    left_out = 0
    try:
        for cells in rows_of(lines(), separator, quotes):
            pair = [cells[number - 1] for number in columns if number <= len(cells)]
            if len(pair) == 2 and all(pair):
                pairs.append("\t".join(pair) + "\n")
            else:
                left_out += any(cells)
    except csv.Error as error:
        raise ValueError(f"{table} cannot be read with quotes: {error}") from error
    if not pairs:
        raise ValueError(
            f"no line of {table} has columns {columns[0]} and {columns[1]} with {separator!r} "
            "between columns: is it another separator?"
        )
    write_whole(Path(new), "".join(pairs).encode())
    left_out += strange
    report(
        f"{new}: {counted(len(pairs), 'pair')} written"
        + (f", {counted(left_out, 'line')} left out" if left_out else "")
    )
    return len(pairs)
