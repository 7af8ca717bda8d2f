"""What the book concludes, and what was tried to refute it.

A number can be right and the sentence behind it wrong: true at that size, that seed, that rate. So
a conclusion that a reader may doubt is tried once more, at others. `attempts.toml` has a line for
each: which words of which page, what was tried, what came out, and which function of a module here
tries it again. The page *What we tried to refute* is made from it.

    python -m dev.tried                  writes chapters/tried.md
    python -m dev.tried shortcut         tries one again, and keeps what comes out in found.json
    python -m dev.tried --sentences 7    lists what chapter 7's main line concludes
"""

import json
import tomllib
from importlib import import_module
from pathlib import Path

from dev.make import processor

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FOUND = HERE / "found.json"
PAGE = ROOT / "chapters" / "tried.md"
ATTEMPTS = tomllib.loads((HERE / "attempts.toml").read_text(encoding="utf-8")).get("attempt", [])
OUTCOMES = "stands", "at this size", "told better"


def attempt(**small):
    """Say of a function that it tries a conclusion again and returns rows, which are dictionaries
    of numbers and words. ``small``: the arguments with which it takes a second or two, for a test.
    """

    def named(function):
        function.small = small
        return function

    return named


def programs():
    """{name: function} of all attempts."""
    modules = [import_module(f"dev.tried.{path.stem}") for path in HERE.glob("chapter_*.py")]
    found = [value for module in modules for value in vars(module).values()]
    return {value.__name__: value for value in found if hasattr(value, "small")}


def keep(name, rows):
    """Note what has come out of an attempt, and on which processor."""
    found = json.loads(FOUND.read_text(encoding="utf-8")) if FOUND.exists() else {}
    found[name] = {"processor": processor(), "rows": rows}
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in sorted(found.items())]
    FOUND.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
