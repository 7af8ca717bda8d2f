"""What a notebook computes with, as a digest: when it changes, the notebook runs again.

That are the modules of the book's packages that the notebook imports, directly or through others,
all data of the packages, the pinned versions of what they stand on, the Python that runs them, and
the arithmetic that is asked of a processor. Scripts and styles are not in it: they are on the site
without being run.
"""

import ast
import hashlib
import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import nbformat

PACKAGES = "transformer_lite", "attention_by_hand"
ARITHMETIC = "MKL_CBWR", "ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA"  # see dev/processors.py
CODE = {".py", ".pyc", ".js", ".css"}
CHECKED = re.compile(r'\bcheck\("(\d+)\.')  # loads the module of its chapter
MAGIC = re.compile(r"^( *)[%!].*", re.MULTILINE)


class Import(NamedTuple):
    """``from module import thing as name``, or ``import module`` without a thing."""

    module: str
    thing: str = ""
    name: str = ""


# It imports everything, to see whether that can be done
READY = Import("attention_by_hand", "ready", "ready")


def imports(code: str, package: str = "") -> set[Import]:
    """What code imports of the book's packages. package: what the code lies in."""
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found |= {Import(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
            module = ".".join([*above, *filter(None, [node.module])])
            found |= {Import(module, one.name, one.asname or one.name) for one in node.names}
    return {one for one in found if one.module.partition(".")[0] in PACKAGES}


@cache
def file_of(root: Path, module: str) -> Path | None:
    path = root.joinpath(*module.split("."))
    return next(filter(Path.is_file, (path / "__init__.py", path.with_suffix(".py"))), None)


@cache
def imported_by(root: Path, module: str) -> set[Import]:
    file = file_of(root, module)
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    return imports(file.read_text(encoding="utf-8"), package)


def files(root: Path, wanted: set[Import]) -> set[Path]:
    """The files of all modules that are imported so, directly or through others. Of a package, what
    it imports for other names is passed over.
    """
    seen, waiting = set(), [*wanted]
    while waiting:
        one = waiting.pop()
        if one.thing and file_of(root, f"{one.module}.{one.thing}"):
            one = Import(f"{one.module}.{one.thing}")
        if one in seen or not file_of(root, one.module):
            continue
        seen.add(one)
        inner = imported_by(root, one.module)
        only = {other for other in inner if other.name == one.thing}
        is_package = file_of(root, one.module).name == "__init__.py"
        waiting += only if one.thing and only and is_package else inner
    modules = {one.module for one in seen}
    above = {".".join(name.split(".")[:end]) for name in modules for end in range(1, 5)}
    return {file for module in modules | above if (file := file_of(root, module))}


@cache
def common(root: Path) -> bytes:
    """A digest of what all notebooks compute with."""
    digest = hashlib.sha256(sys.version.encode())
    digest.update(repr([os.environ.get(name) for name in ARITHMETIC]).encode())
    data = [path for package in PACKAGES for path in (root / package).rglob("*")]
    for path in [root / "requirements.txt", *sorted(data)]:
        if path.is_file() and path.suffix not in CODE:
            digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.digest()


@cache
def digest_of(root: Path, notebook: Path) -> str:
    """12 hex digits."""
    cells = nbformat.read(notebook, as_version=4).cells
    code = [MAGIC.sub(r"\1pass", cell.source) for cell in cells if cell.cell_type == "code"]
    wanted = set().union(*map(imports, code)) - {READY}
    wanted |= {
        Import(f"attention_by_hand.exercises.chapter_{int(chapter):02}")
        for chapter in CHECKED.findall("\n".join(code))
    }
    digest = hashlib.sha256(common(root))
    for file in sorted(files(root, wanted)):
        digest.update(file.relative_to(root).as_posix().encode() + file.read_bytes())
    return digest.hexdigest()[:12]
