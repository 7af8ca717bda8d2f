"""What a comment or a docstring sends its reader to is there."""

import ast
import io
import re
import tokenize

import pytest
from conftest import ROOT
from test_contributing import book_files

FILE = re.compile(r"(?<![\w.*/-])[\w./-]*\w\.(?:py|js|css|md|ipynb|toml)(?![\w*])")
NAMED = re.compile(r"`(\w+)` in `?([\w./-]+\.(?:py|js))")
# What a build writes or a library brings
ELSEWHERE = {"letters.js", "math.css", "math-fonts.css", "icons.css", "fontawesome.js"}
ROOMS = ("transformer_lite", "attention_by_hand", "_ext", "_static", "dev", "benchmarks")


def words_about(path):
    """The comments and docstrings of a file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return "\n".join(re.findall(r"/\*.*?\*/|(?<!:)//[^\n]*", text, re.S))
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docs = [
        ast.get_docstring(node) or ""
        for node in ast.walk(ast.parse(text))
        if isinstance(node, kinds)
    ]
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return "\n".join([*docs, *(token.string for token in tokens if token.type == tokenize.COMMENT)])


@pytest.mark.parametrize("room", ROOMS)
def test_a_file_that_is_named_is_there_and_has_what_it_is_said_to_have(room):
    files = book_files()
    known = [f"/{path.relative_to(ROOT).as_posix()}" for path in files]
    dead = set()
    for path in files:
        if path.relative_to(ROOT).parts[0] != room or path.suffix not in (".py", ".js", ".css"):
            continue
        about = words_about(path)
        for name in FILE.findall(about):
            end = f"/{name.lstrip('./')}"
            if end[1:] in ELSEWHERE or "NAME." in name:
                continue
            if not any(one.endswith(end) for one in known):
                dead.add((path.name, name))
        for name, file in NAMED.findall(about):
            homes = [one for one in files if one.as_posix().endswith(f"/{file}")]
            if not any(re.search(rf"\b{name}\b", home.read_text("utf-8")) for home in homes):
                dead.add((path.name, f"{name} in {file}"))
    assert not dead
