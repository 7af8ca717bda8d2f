"""Who may import whom: what is read knows nothing of what is run around it, and nothing reaches
up.
"""

import ast
from pathlib import Path

import pytest

import transformer_lite

PACKAGE = Path(transformer_lite.__file__).parent
FILES = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}
ABOVE = ("tools", "figures", "exercises")
# Where the import of a room would reach up, and which rooms those are
FORBIDDEN = {
    name: (*ABOVE, "translator", "two_sentences", "data") for name in FILES if "/" not in name
} | {
    "translator.py": (*ABOVE, "two_sentences", "data"),
    "two_sentences.py": ABOVE,
    "__init__.py": ABOVE,
    "__main__.py": ("figures", "exercises"),
}
FORBIDDEN |= {
    name: (*ABOVE, "translator", "training", "model") for name in FILES if name.startswith("data/")
}
FORBIDDEN |= {
    name: ("figures", "exercises", "two_sentences") for name in FILES if name.startswith("tools/")
}


def imported(name):
    """The modules and folders of the package that a file imports, as paths without an end."""
    for node in ast.walk(ast.parse(FILES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            folders = Path(name).parent.parts
            path = [*folders[: len(folders) + 1 - node.level], *(node.module or "").split(".")]
            yield from ("/".join([*path, alias.name]).strip("/") for alias in node.names)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module]
            )
            assert not any(other.split(".")[0] == PACKAGE.name for other in names), (
                f"{name}: import it with a dot"
            )


@pytest.mark.parametrize("name", FORBIDDEN)
def test_nothing_imports_what_stands_above_it(name):
    for other in imported(name):
        assert other.split("/")[0] not in FORBIDDEN[name], (
            f"{name} imports {other}, which stands above it"
        )


def test_imports_are_seen():
    assert {"vocabulary/Vocabulary", "data/grammar/splits"} <= set(imported("data/corpus.py"))
    assert {"data/corpus/EncodedPairs", "tools/recipe/Recipe"} <= set(imported("tools/trainer.py"))
