"""The page that sets the engine beside the Python it repeats shows what the files hold, whole."""

import ast
import re
import textwrap

from conftest import ROOT

PAGE = (ROOT / "chapters" / "engine.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"```\{literalinclude\} (\S+)\n(.*?)```", PAGE, flags=re.S)


def is_whole(code, file):
    """Whether the code is complete functions, classes or methods."""
    if file.suffix == ".py":
        return all(
            isinstance(node, (ast.FunctionDef, ast.ClassDef)) for node in ast.parse(code).body
        )
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", code, flags=re.S)
    pairs = all(code.count(a) == code.count(b) for a, b in ("{}", "()", "[]"))
    return pairs and code.rstrip().endswith(("}", ";"))


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
