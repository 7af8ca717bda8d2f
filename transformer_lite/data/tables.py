"""A file of pairs, made of two columns of a table."""

import csv
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ..checks import counted
from ..files import write_whole
from .lines import line_of_text, numbered_lines


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
        for number, line in numbered_lines(table):
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
