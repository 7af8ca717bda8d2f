"""No function of the package is longer than a screen. ruff counts statements, which a long call or
table is not; biome counts the lines of the scripts.
"""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "transformer_lite"
MOST = 60


def test_no_function_of_the_package_is_longer_than_a_screen():
    lengths = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                place = f"{path.relative_to(PACKAGE)}:{node.lineno} {node.name}"
                lengths[place] = node.end_lineno - node.lineno + 1
    assert len(lengths) > 300
    assert not {place: length for place, length in lengths.items() if length > MOST}
