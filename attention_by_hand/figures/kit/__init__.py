"""What every figure is made of: the base class and its controls in Python, the frame and its parts
in JavaScript, and what joins both into a snapshot that needs no kernel.

`figure.py` begins with how to write one. `control.py` describes a control once for both homes,
`bundle.py` joins the modules, and `host.js` is the page without a kernel. `frame.js` is what stands
around a figure; `dom.js`, `numbers.js`, `colour.js`, `tables.js`, `charts.js` and `words.js` are
what one is drawn with, `save.js` makes a picture of it, and `guesses.js` and `guess.js` keep and
show what a reader has predicted.
"""

from .control import Control, FigureError, choice
from .figure import Figure, Table, as_numbers

__all__ = ["Control", "Figure", "FigureError", "Table", "as_numbers", "choice"]
