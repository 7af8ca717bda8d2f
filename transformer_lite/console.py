"""What is said on the terminal, what is done if nobody listens, and how a command ends."""

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Collection
from contextlib import suppress
from io import TextIOWrapper
from typing import TextIO

DOCTOR = "ask `python -m attention_by_hand.doctor` what is missing"


def printable(text: str) -> str:
    """The text with control characters spelt out, which a terminal would otherwise obey."""
    text = as_utf_8(text)
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", lambda match: f"\\x{ord(match[0]):02x}", text)


def as_utf_8(text: str) -> str:
    """A text from the command line, or a file's name, read as UTF-8, whatever the system's locale
    has taken it for; as it is if it is none.
    """
    try:
        return os.fsencode(text).decode()
    except UnicodeError:
        return text


def to_type(*words: str) -> str:
    """What to type into the shell of this machine to start a program with these words."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def counted(number: int, noun: str) -> str:
    """``"1 pair"``, ``"2 pairs"``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def print_error(text: str) -> None:
    """Print an error on stderr, in one line. If that cannot be written, its reader gone or its disk
    full, we go on without it.
    """
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            one_line = re.sub(r"\s*[\r\n]\s*", " ", text.strip())
            print(printable(one_line), file=sys.stderr, flush=True)


def flush(stream: TextIO | None) -> None:
    """Write what is still buffered, if that is possible. If not, Python itself would fail to when
    it ends, and exit with 120.
    """
    try:
        if stream is not None:
            stream.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def as_options(message: str, names: Collection[str]) -> str:
    """What the library says of these arguments, in the words of the command line: ``valid=30`` is
    ``--valid 30`` there, and ``resume=True`` is ``--resume``.
    """

    def option(found: re.Match) -> str:
        name, value = found.groups()
        return f"--{name.replace('_', '-')}" + (f" {value}" if value != "True" else "")

    argument = rf"(?<![^\s(])({'|'.join(names)})=([\w.]+)"  # and not a part of a file's name
    return re.sub(argument, option, message) if names else message


def exit_code(command: Callable[[], int | None], options: Collection[str] = ()) -> int:
    """Run a command, and report an error of its user's in one line. Arguments of the library that
    are ``options`` of the command are named as such.

    Returns what the command returns, 0 for None; or 2 after an error; or 130 after Ctrl-C, and 128
    and its number after another signal. The output is UTF-8, whatever letters a name has.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code = command() or 0
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except KeyboardInterrupt as stop:
        return 128 + getattr(stop, "signum", signal.SIGINT)
    except BrokenPipeError:  # the reader of our output has left, as `head` does
        return 0
    except ModuleNotFoundError as error:
        print_error(f"error: {error}: install it with pip install {error.name}, or {DOCTOR}")
    except ImportError as error:
        print_error(f"error: {error}: {DOCTOR}")
    except OSError as error:
        if error.filename is None and error.errno:
            print_error(f"error: the output cannot be written: {error.strerror}")
        else:
            said = f"{error.filename}: {error.strerror}" if error.errno else str(error)
            print_error(f"error: {as_options(said, options)}")
    except (ValueError, IndexError, FloatingPointError) as error:
        print_error(f"error: {as_options(str(error), options)}")
    except MemoryError as error:
        print_error(f"error: not enough memory{f': {error}' if str(error) else ''}")
    except RuntimeError as error:
        if "memory" not in str(error):
            raise
        print_error(f"error: not enough memory: {error}")
    finally:
        flush(sys.stdout)
        flush(sys.stderr)
    return 2
