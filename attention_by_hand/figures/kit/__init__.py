"""What every figure is made of. `figure.py` begins with how to write one, `control.py` describes a
control once for both homes, `book.py` says what figures know of the book, and `bundle.py` joins the
JavaScript modules, which have three rooms.

`runtime/` runs a figure: `host` is the page without a kernel, `model` sets the traits in both
homes, `frame` is what stands around a figure, with its `menu`, `address` is the state in the page's
address, and `save` makes a picture of it.

`parts/` is what one is drawn with: `dom`, `colour`, `numbers`, `tables`, `charts`, `dots` and
`choices`; `rove` leads the keys, `drag` a finger, `sized` draws again what is measured, and
`packed` reads the bytes that `packed.py` writes.

`shared/` is what two figures or more have in common: `words`, `sentences` and `hand` are the words
that one types and points at, `threads` and `looks` the lines between them, `zones` and `film` a
loss and how its run is played, `guess` and `guesses` what a reader has predicted.
"""

from .control import Control, FigureError, choice
from .figure import Figure, Table, Thumbnail, as_numbers

__all__ = ["Control", "Figure", "FigureError", "Table", "Thumbnail", "as_numbers", "choice"]
