"""How far the training is: a bar on a terminal, a line now and then in a log file."""

import sys
from contextlib import suppress

from tqdm import tqdm


def say(text: str) -> None:
    """A line on stderr, above the bar if there is one. If that cannot be written, because its
    reader has gone or its disk is full, the training goes on.
    """
    with suppress(OSError, ValueError):
        tqdm.write(" ".join(text.split()), file=sys.stderr)


class Lines:
    """A stream on which each of tqdm's redraws is a line of its own."""

    def write(self, text: str) -> None:
        if text.strip():
            say(text)

    def flush(self) -> None:
        pass


def progress_bar(total: int, done: int = 0, *, disable: bool = False) -> tqdm:
    """A plain tqdm bar that counts tokens: it shows how many per second, and the time left.

    Where stderr is no terminal, it writes a line every five seconds instead.
    """
    options = dict(
        total=total, initial=done, disable=disable, unit="token", unit_scale=True, desc="training"
    )
    if sys.stderr is not None and not sys.stderr.closed and sys.stderr.isatty():
        return tqdm(**options, dynamic_ncols=True)
    line = "{desc}: {n_fmt} of {total_fmt} tokens, {rate_fmt}, {remaining} left{postfix}"
    return tqdm(**options, file=Lines(), mininterval=5, bar_format=line)
