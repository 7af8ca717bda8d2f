"""No function of the package is longer than a screen, and the core stays small. ruff counts
statements, which a long call or table is not; biome counts the lines of the scripts.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "transformer_lite"
MOST = 60
CORE = ["attention", "masks", "positions", "layers", "model"]
CORE_LINES = 270
WITH_DOCSTRING = ast.Module | ast.ClassDef | ast.FunctionDef


def test_no_function_of_the_package_is_longer_than_a_screen():
    lengths = {}
    for path in (*PACKAGE.rglob("*.py"), *(ROOT / "attention_by_hand").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                place = f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
                lengths[place] = node.end_lineno - node.lineno + 1
    assert len(lengths) > 300
    assert not {place: length for place, length in lengths.items() if length > MOST}


def lines_of_code(text):
    """The lines of a module that are neither empty, nor a comment, nor part of a docstring."""
    documented = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, WITH_DOCSTRING) and ast.get_docstring(node):
            docstring = node.body[0]
            documented.update(range(docstring.lineno, docstring.end_lineno + 1))
    return sum(
        number not in documented and bool(line.strip()) and not line.strip().startswith("#")
        for number, line in enumerate(text.splitlines(), start=1)
    )


def test_the_core_stays_small():
    assert lines_of_code('"""A\nB."""\n\n# c\nx = 1  # d\n') == 1
    lengths = {name: lines_of_code((PACKAGE / f"{name}.py").read_text("utf-8")) for name in CORE}
    assert sum(lengths.values()) <= CORE_LINES, lengths
