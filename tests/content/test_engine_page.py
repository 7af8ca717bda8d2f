"""The page that sets the engine beside the Python it repeats shows what the files hold, whole."""

import ast
import re
import textwrap
from pathlib import Path

import pytest
from conftest import ROOT

PAGE = (ROOT / "chapters" / "engine.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"```\{literalinclude\} (\S+)\n(.*?)```", PAGE, flags=re.S)


def is_whole(code, file):
    """Whether the code is complete functions, classes or methods: nothing begins outside it or goes
    on after it.
    """
    if file.suffix == ".py":
        return all(
            isinstance(node, (ast.FunctionDef, ast.ClassDef)) for node in ast.parse(code).body
        )
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", code, flags=re.S)
    pairs = all(code.count(a) == code.count(b) for a, b in ("{}", "()", "[]"))
    return pairs and code.rstrip().endswith(("}", ";"))


@pytest.mark.parametrize(
    "address, options", SHOWN, ids=[f"{i}-{Path(file).name}" for i, (file, _) in enumerate(SHOWN)]
)
def test_what_marks_the_code_is_in_the_file_once(address, options):
    code = (ROOT / "chapters" / address).read_text(encoding="utf-8")
    for mark in re.findall(r':(?:start-at|end-before): "(.+)"', options):
        assert code.count(mark) == 1, (address, mark)
    assert re.search(r":(?:pyobject|start-at):", options)


def test_the_engines_parts_stand_beside_the_python_that_they_repeat():
    files = {Path(address).name for address, _ in SHOWN}
    assert {"tensor.js", "transformer.js", "training.js", "decoding.js"} <= files
    assert {
        "attention.py",
        "layers.py",
        "masks.py",
        "model.py",
        "positions.py",
        "training.py",
        "decoding.py",
    } <= files


def written(code):
    """Its lines but for empty ones, of which a page has fewer."""
    return [line for line in code.splitlines() if line.strip()]


def test_the_built_page_shows_what_the_files_hold(soup):
    blocks = soup("chapters/engine.html").select(".beside .literal-block-wrapper")
    assert len(blocks) == len(SHOWN)
    for block, (address, _) in zip(blocks, SHOWN, strict=True):
        file = (ROOT / "chapters" / address).resolve()
        assert block.select_one(".caption-text").get_text().partition(":")[0].endswith(file.name)
        shown = block.pre.get_text().strip("\n")
        assert is_whole(shown, file), shown
        lines = written(file.read_text(encoding="utf-8"))
        length = len(written(shown))
        stretches = ("\n".join(lines[at : at + length]) for at in range(len(lines) - length + 1))
        assert "\n".join(written(shown)) in map(textwrap.dedent, stretches), address
