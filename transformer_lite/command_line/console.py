"""What is said on the terminal, and how a command ends."""

import os
import re
import signal
import sys
from collections.abc import Callable, Collection
from contextlib import suppress
from io import TextIOWrapper

DOCTOR = "ask `python -m attention_by_hand.doctor` what is missing"
# What a command does that has another name in the library.
COMMANDS = {
    "make_pairs": "python -m transformer_lite pairs",
    "load_translator loads it": "see translate --help",
    "load_language_model loads it": "see write --help",
}


def printable(text: str) -> str:
    """The text with control characters spelt out, which a terminal would otherwise obey."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", lambda match: f"\\x{ord(match[0]):02x}", text)


def print_error(text: str) -> None:
    """Print an error on stderr, in one line, if that can be written."""
    one_line = re.sub(r"\s*[\r\n]\s*", " ", text.strip())
    with suppress(OSError, ValueError):
        print(printable(one_line), file=sys.stderr, flush=True)


def as_typed(message: str, options: Collection[str]) -> str:
    """What the library says, in the words of the command line: ``valid=30`` is ``--valid 30``
    there, and ``resume=True`` is ``--resume``.
    """

    def option(found: re.Match) -> str:
        name, value = found.groups()
        return f"--{name.replace('_', '-')}" + (f" {value}" if value != "True" else "")

    for function, words in COMMANDS.items():
        message = message.replace(function, words)
    argument = rf"(?<![^\s(])({'|'.join(options)})=([\w.]+)"  # and not a part of a file's name
    return re.sub(argument, option, message) if options else message


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
        sys.stdout.flush()
        return code
    except KeyboardInterrupt as stop:
        return 128 + getattr(stop, "signum", signal.SIGINT)
    except BrokenPipeError:  # the reader of our output has left, as `head` does
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except ImportError as error:
        print_error(f"error: {error}: {DOCTOR}")
    except OSError as error:
        said = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        print_error(f"error: {as_typed(said, options)}")
    except (ValueError, IndexError, FloatingPointError) as error:
        print_error(f"error: {as_typed(str(error), options)}")
    except MemoryError as error:
        print_error(f"error: not enough memory{f': {error}' if str(error) else ''}")
    except RuntimeError as error:
        if "memory" not in str(error):
            raise
        print_error(f"error: not enough memory: {error}")
    return 2
