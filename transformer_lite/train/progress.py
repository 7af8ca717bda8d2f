"""How far the training is: a bar on a terminal, a line now and then in a log file."""

import sys

from tqdm import tqdm

from ..console import print_error


class Lines:
    """A stream on which each of tqdm's redraws is a line of its own."""

    def write(self, text: str) -> None:
        if text.strip():
            print_error(text)

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


def say_above(bar: tqdm, text: str) -> None:
    """A line of its own, above the bar where there is one on a terminal."""
    with bar.external_write_mode(file=sys.stderr):
        print_error(text)
