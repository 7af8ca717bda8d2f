"""Is all here that a notebook needs? The first cell of each asks this, and says what to do."""

from importlib.util import find_spec
from pathlib import Path


def check() -> None:
    """Import what the chapters import.

    Raises ImportError if something else lies under the name ``transformer_lite`` and, in the words
    of the error that stopped it, if anything cannot be imported.
    """
    if place := strangers_place():
        raise ImportError(
            f"What Python finds under the name transformer_lite is not the book's: {place}. If pip "
            "has installed it, type in a terminal `python -m pip uninstall transformer-lite`, and "
            "install the book's package again. If it is a file of your own, give it another name. "
            "Then restart the kernel."
        )
    try:
        from transformer_lite import load_translator  # noqa: F401

        # isort: split
        from . import figures, plots  # noqa: F401
    except Exception as error:  # a library that does not load raises OSError and others
        raise ImportError(
            f"What this notebook needs cannot be imported. {type(error).__name__}: {error}\n"
            "To learn what this machine lacks and how to mend it, type in a terminal "
            "`python -m attention_by_hand.doctor`. Then restart the kernel."
        ) from None


def strangers_place() -> str | None:
    """Where ``transformer_lite`` lies if it is not the book's, which names the book."""
    spec = find_spec("transformer_lite")
    if spec is None:
        return None
    if spec.origin is None:  # a folder without an __init__.py
        return ", ".join(spec.submodule_search_locations or [])
    return None if b"*Attention, by Hand*" in Path(spec.origin).read_bytes() else spec.origin
