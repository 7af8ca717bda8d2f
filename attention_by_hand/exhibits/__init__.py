"""What single chapters show, and what was measured for them.

``walkthrough`` is the arithmetic of chapters 1 and 2, ``floors`` what a loss may mean (8), ``gpt2``
a published model, its first layer or the whole of it (12), ``printed_heads`` two prints that the
errata compare, and ``book_text`` the book's prose. ``glosses`` has the English of each German word.
The JSON files are measurements that take too long for a page; what was trained for them are mostly
the ``studies``.
"""

import json
from pathlib import Path


def file_of(name: str) -> Path:
    """Where ``dev/make/NAME.py`` keeps what it has measured."""
    return Path(__file__).with_name(f"{name}.json")


def stored(name: str) -> list | dict:
    """What ``dev/make/NAME.py`` has measured, such as ``heads`` or ``variants``."""
    return json.loads(file_of(name).read_text("utf-8"))
