"""What single chapters show, and what they have measured.

``walkthrough`` is the arithmetic of chapters 1 and 2, ``recall`` how much comes through one vector
(0), ``two_sentences`` the smallest translator (8 and 9), ``two_runs`` a collapse and its rescue,
``floors`` what a loss may mean (8), ``induction`` two layers that learn to copy (11), ``gpt2`` a
published model, its first layer or the whole of it (12), ``printed_heads`` two prints that the
errata compare, and ``book_text`` the book's prose. ``glosses`` has the English of each German word.
The JSON files are measurements that take too long for a page.
"""

import json
from pathlib import Path


def stored(name: str) -> list | dict:
    """What ``dev/make/NAME.py`` has measured, such as ``heads`` or ``variants``."""
    return json.loads(Path(__file__).with_name(f"{name}.json").read_text("utf-8"))
