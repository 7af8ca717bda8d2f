"""Lines of text from people's files: in UTF-8, and those of pairs not endless."""

import os
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

LONGEST = 1_000_000  # bytes in a line of pairs
PATIENCE = 2.0  # seconds until it is said that nothing comes


def numbered_lines(
    path: str | os.PathLike,
    report: Callable[[str], None] = print,
    *,
    of_any_length: bool = False,
) -> Iterator[tuple[int, bytes]]:
    """The lines of a file, counted from 1, as ``lines_of`` finds them.

    ``report`` is told if nothing comes for a while, as from a pipe that nobody writes to.
    """
    waiting = threading.Timer(PATIENCE, report, [f"{path}: nothing has come yet; still waiting"])
    waiting.daemon = True
    if not stat.S_ISREG(os.stat(path).st_mode):
        waiting.start()
    try:
        with open(path, "rb") as file:
            lines = lines_of(file, path, of_any_length=of_any_length)
            for number, line in enumerate(lines, start=1):
                waiting.cancel()
                yield number, line
    finally:
        waiting.cancel()


def lines_of(
    file: BinaryIO, path: str | os.PathLike | None = None, *, of_any_length: bool = False
) -> Iterator[bytes]:
    """The lines of an open file, which end in LF or CRLF.

    path: the file's, for what is said of it; unless given, it is standard input. Raises ValueError
    for a line of more than ``LONGEST`` bytes, unless they may be of any length.
    """
    name = "standard input" if path is None else Path(path)
    number = 0
    while line := file.readline(LONGEST + 1):
        number += 1
        if len(line) > LONGEST:
            if not of_any_length:
                raise ValueError(
                    f"line {number} of {name} has over {LONGEST:,} bytes: a file with a line for "
                    "each sentence is expected"
                )
            line += rest_of_line(line, file)
        yield line


def rest_of_line(line: bytes, file: BinaryIO) -> bytes:
    """What is left of a line. Behind a null character, which no text has, nothing more is read:
    /dev/zero has no end.
    """
    parts = [line]
    while parts[-1] and not parts[-1].endswith(b"\n") and b"\0" not in parts[-1]:
        parts.append(file.readline(LONGEST))
    return b"".join(parts[1:])


def line_of_text(line: bytes, number: int) -> str:
    """A line of a UTF-8 file, counted from 1, without the mark that some editors begin with.

    Raises ValueError, with what it is, for any other.
    """
    try:
        text = line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    if "\0" in text:
        raise ValueError("not text, since it has a null character (UTF-16, perhaps)")
    return text
