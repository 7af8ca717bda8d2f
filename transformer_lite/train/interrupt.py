"""Ctrl-C, and other signals that ask a training to end, between two steps and not within one."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# Sent by Ctrl-C; by `kill` and a system that shuts down; by a terminal that is closed. Windows has
# no SIGHUP.
SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


class Interrupted(KeyboardInterrupt):
    """A training was asked to end, by the signal of this number, and has ended between two steps.

    It says what is kept, if anything is.
    """

    def __init__(self, signum: int, kept: str = ""):
        super().__init__(kept)
        self.signum = signum


class Wish(threading.Event):
    """Set once a signal, the one of the number ``signum``, has asked the training to end."""

    signum: int = signal.SIGINT


@contextmanager
def deferred_interrupt() -> Iterator[Wish]:
    """Note a signal instead of obeying it at once, as is done with a second one. SIGHUP and SIGTERM
    that are ignored, as under `nohup`, stay so.
    """
    wish = Wish()
    # Only the main thread hears of signals
    if threading.current_thread() is not threading.main_thread():
        yield wish
        return

    def handler(signum, frame):
        wish.signum = signum
        wish.set()
        obey_again()

    def obey_again():
        for number, handled in previous.items():
            signal.signal(number, handled)

    # None is one that was not set from Python, and cannot be put back
    previous = {number: signal.getsignal(number) for number in SIGNALS}
    previous = {
        number: handled
        for number, handled in previous.items()
        if handled is not None and (handled != signal.SIG_IGN or number == signal.SIGINT)
    }
    for number in previous:
        signal.signal(number, handler)
    try:
        yield wish
    finally:
        obey_again()
