"""What a run has shown, and what is true of every run: two kinds of statement, told apart by form.

An *identity* holds on every machine: a sum done by hand equals the package's, and the package's
equals PyTorch's. A chapter asserts it, because where it fails, something is broken.

A *measurement* is what a training has come to. Another processor adds the same numbers in another
order, so that the same seed leads to weights that are a little different, and sometimes to others.
A chapter makes a claim of it, with the room that other processors and other seeds need. Where a
machine does not bear it out, the reader is told, and the chapter goes on, since nothing behind it
depends on the claim.
"""

import html

from IPython.display import display

from .palette import COLOURS

OTHERWISE = "came_out_otherwise"  # in the metadata of a cell's output: what the build looks for


def digits(value):
    """A number with the digits that one reads; anything else as it is."""
    try:
        return f"{float(value):.4g}"
    except (TypeError, ValueError, RuntimeError):
        return str(value)


class Otherwise:
    """A claim that this machine does not bear out: what was claimed, and what came out here."""

    def __init__(self, words, found):
        self.words = words
        self.found = [digits(value) for value in found]

    def __repr__(self):
        here = f"; here: {', '.join(self.found)}" if self.found else ""
        return (
            "On the machine that ran this, a measurement came out otherwise than the book says.\n"
            f"The book: {self.words}{here}."
        )

    def _repr_mimebundle_(self, **kwargs):
        here = f"<br>Here: {html.escape(', '.join(self.found))}." if self.found else ""
        box = (
            '<div class="came-out-otherwise" role="note" style="padding: 0.4em 1em; '
            f'margin: 1em 0; border-left: 4px solid {COLOURS["look"]}">'
            "<strong>On the machine that ran this page, a measurement came out otherwise.</strong> "
            "Trained from the same seed, a model differs a little from processor to processor, "
            "and this one differs by more than the book expects."
            f"<br>The book says: {html.escape(self.words)}.{here}</div>"
        )
        metadata = {OTHERWISE: {"claim": self.words, "found": self.found}}
        return {"text/plain": repr(self), "text/html": box}, metadata


def claim(words, holds, *found):
    """Say of a measurement what is true of it on every machine. Where it is not true, the reader is
    shown a box, and nothing is raised.

    ``words``: what is claimed, without a full stop, as in "with the noun hidden nothing changes".
    ``holds``: whether it is so, one value that is true or false. ``found``: the numbers that it
    was judged by, which the box shows. Build the book with ``-W``, and a claim that does not hold
    stops it, as a test would.
    """
    if not isinstance(words, str):
        raise TypeError(f"claim(words, holds, *found) begins with words, not with {words!r}")
    if not holds:
        display(Otherwise(words, found))
