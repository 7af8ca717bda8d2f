"""Lines of text from people's files, in UTF-8."""

import os
from collections.abc import Iterator


def numbered_lines(path: str | os.PathLike) -> Iterator[tuple[int, bytes]]:
    """The lines of a file, which end in LF or CRLF, counted from 1."""
    with open(path, "rb") as file:
        yield from enumerate(file, start=1)


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
