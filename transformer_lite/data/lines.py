"""Lines of text from people's files: with any system's ends, not endless, and not packed."""

import os
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from ..console import to_type

LONGEST = 1_000_000  # bytes in a line
PATIENCE = 2.0  # seconds until it is said that nothing comes

# How packed files begin, and what unpacks them.
PACKED = {
    b"\x1f\x8b": ("gzip", "gunzip"),
    b"\x1f\x9d": ("compress", "gunzip"),
    b"BZh": ("bzip2", "bunzip2"),
    b"\xfd7zXZ\0": ("xz", "unxz"),
    b"\x28\xb5\x2f\xfd": ("zstd", "unzstd"),
    b"\x04\x22\x4d\x18": ("lz4", "unlz4"),
    b"LZIP\x01": ("lzip", "lzip -d"),
    b"PK\x03\x04": ("zip", ""),
    b"PK\x05\x06": ("zip", ""),
    b"7z\xbc\xaf\x27\x1c": ("7z", ""),
    b"Rar!\x1a\x07": ("RAR", ""),
}
# How files begin that hold no lines of text.
DOCUMENTS = {
    b"%PDF-": "a PDF",
    b"{\\rtf": "a document of a word processor (RTF)",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "a spreadsheet or document of an older office (XLS, DOC)",
    b"SQLite format 3\0": "a database (SQLite)",
    b"PAR1": "a table of another kind (Parquet)",
}
# What a zip file is if this stands near its beginning.
IN_A_ZIP = {
    b"xl/": "a spreadsheet (XLSX)",
    b"opendocument.spreadsheet": "a spreadsheet (ODS)",
    b"word/": "a document of a word processor (DOCX)",
    b"opendocument.text": "a document of a word processor (ODT)",
}


def numbered_lines(
    path: str | os.PathLike, report: Callable[[str], None] = print
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
            for number, line in enumerate(lines_of(file, path), start=1):
                waiting.cancel()
                yield number, line
    finally:
        waiting.cancel()


def lines_of(file: BinaryIO, path: str | os.PathLike | None = None) -> Iterator[bytes]:
    """The lines of an open file. They end in LF or CRLF or, where there is no LF, in CR.

    path: the file's, for what is said of it; unless given, it is standard input. Raises ValueError
    for a line of more than ``LONGEST`` bytes, and for a file that is packed or is a document.
    """
    name = "standard input" if path is None else path
    line = file.readline(LONGEST + 1)
    check_text(line, file, path)
    ends = ends_in_cr if b"\r" in line and not line.endswith(b"\n") else ends_in_lf
    number = 0
    for number, whole in enumerate(ends(line, file), start=1):
        if len(whole) > LONGEST:
            raise ValueError(
                f"line {number} of {name} has over {LONGEST:,} bytes: a file with a line for each "
                "sentence is expected"
            )
        yield whole


def ends_in_lf(line: bytes, file: BinaryIO) -> Iterator[bytes]:
    while line:
        yield line
        line = file.readline(LONGEST + 1)


def ends_in_cr(text: bytes, file: BinaryIO) -> Iterator[bytes]:
    while text:
        *lines, rest = text.split(b"\r")
        yield from lines
        more = file.read(LONGEST) if len(rest) <= LONGEST else b""
        if not more:
            if rest:
                yield rest
            return
        text = rest + more


def check_text(beginning: bytes, file: BinaryIO, path: str | os.PathLike | None) -> None:
    """Raise a ValueError that says what the file is, if it is packed or is a document."""
    name = "standard input" if path is None else path
    document = next((kind for magic, kind in DOCUMENTS.items() if beginning.startswith(magic)), "")
    packed = next((how for magic, how in PACKED.items() if beginning.startswith(magic)), None)
    if packed and packed[0] == "zip":
        more = beginning + file.read(LONGEST)
        document = next((kind for mark, kind in IN_A_ZIP.items() if mark in more), "")
    elif beginning[257:262] == b"ustar":
        packed = ("tar", "")
    if document:
        raise ValueError(
            f"{name} is {document}: save it from its program as plain text in UTF-8. Pairs "
            "have a tab between source and target"
        )
    if packed:
        kind, program = packed
        remedy = "unpack it first"
        if program and path is not None and os.name != "nt":
            new = Path(path).with_suffix("")
            if not new.suffix or new.exists():
                new = f"{path}.txt"
            remedy += f": {program} < {to_type(str(path))} > {to_type(str(new))}"
        raise ValueError(f"{name} is packed ({kind}): {remedy}")


def line_of_text(line: bytes, number: int) -> str:
    """A line of a UTF-8 file, counted from 1, without the mark that some editors begin with.

    Raises ValueError for another encoding.
    """
    try:
        text = line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    if "\0" in text:
        raise ValueError("not UTF-8 (UTF-16, perhaps)")
    return text
