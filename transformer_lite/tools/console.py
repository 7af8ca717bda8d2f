"""What is said on the terminal, and what is done where nobody listens."""

import os
import re
import sys
from contextlib import suppress
from typing import TextIO


def printable(text: str) -> str:
    """The text with control characters spelt out: a terminal would obey them, and text comes from strangers' files."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", lambda found: f"\\x{ord(found[0]):02x}", text)


def print_error(text: str) -> None:
    """On stderr, in one line. Where that cannot be written, its reader gone or its disk full, we go on without."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            print(printable(" ".join(text.split())), file=sys.stderr, flush=True)


def open_streams() -> None:
    """Streams that were closed before we began swallow what is written. The output is UTF-8, whatever a name holds."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")


def flush(stream: TextIO) -> None:
    """Write what is still to be written, where that can be done: python exits with 120 if it fails for it."""
    try:
        stream.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
