"""Joins ES modules into one piece of code, because a figure travels: into a page, a notebook, a
file without a server.

The modules are written for an editor: `import { h } from "./dom.js";`, also from a subfolder
(`"./engine/transformer.js"`), `import * as t from ...`, `import x from ...`; `export const`,
`function` or `class`, `export { a, b as c };`, `export default ...`; each at the beginning of a
line. In the bundle every module is a function that runs once and returns what it exports, so two
modules may use the same name. Comments and indentation stay at home: the code travels with every
figure on every page. One more import is ours:

    import code from "./engine/worker.js?script";
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));

gives the bundle of that module as a string, a classic script, which is what a worker needs that
must also run from a file. `script` does the same for Python.
"""

import json
import re
from pathlib import Path

from rjsmin import jsmin

IMPORT = re.compile(r'^import\s+(?:([^"\']+?)\s+from\s+)?"(\.[^"?]+)(\?script)?";$', re.MULTILINE)
DECLARED = re.compile(
    r"^export (?=(?:const|class|(?:async )?function\*?)\s+([\w$]+))", re.MULTILINE
)
# What squeezes a module takes the backtick of the inner one for the end of the outer.
NESTED = re.compile(r"\$\{[^}`]*`.*")
LISTED = re.compile(r"^export \{([^}]*)\};$", re.MULTILINE)


class BundleError(ValueError):
    """A module imports or exports in a way that the bundler does not know, or something that is not
    there.
    """


def quoted(value) -> str:
    """`value` as JSON without "<", so that nothing in it can end the script element it stands
    in.
    """
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def files(entry: Path, above: tuple[Path, ...] = ()) -> list[Path]:
    """`entry` and every file that it imports, directly or not, each after those that it needs
    itself.
    """
    entry = entry.resolve()
    if entry in above:
        raise BundleError(f"{' imports '.join(file.name for file in (*above, entry))}: a circle")
    if not entry.is_file():
        raise BundleError(
            f"{above[-1].name if above else 'a figure'} imports {entry}, which is not there"
        )
    needed = [entry.parent / file for _, file, _ in IMPORT.findall(entry.read_text("utf-8"))]
    imported = [inner for file in needed for inner in files(file, (*above, entry))]
    return list(dict.fromkeys([*imported, entry]))


def joined(*entries: Path) -> tuple[str, list[str]]:
    """The code that defines all modules of the entries, each once, and the constant that holds each
    entry's exports.
    """
    names: dict[Path, str] = {}
    exports: dict[Path, set[str]] = {}
    code = ""
    for file in dict.fromkeys(file for entry in entries for file in _needed(entry)):
        name = "$" + re.sub(r"\W", "_", f"{file.parent.name}_{file.stem}")
        names[file] = f"{name}_{len(names)}" if name in names.values() else name
        text, exports[file] = _module(file, names, exports)
        code += f"const {names[file]} = (() => {{\n{text}}})();\n"
    return code, [names[entry.resolve()] for entry in entries]


def module(entry: Path) -> str:
    """The bundle of `entry` as an ES module with its default export."""
    code, (name,) = joined(entry)
    return f"{code}export default {name}.default;\n"


def script(entry: Path) -> str:
    """The bundle of `entry` as a classic script, for what it does."""
    return f'"use strict";\n{joined(entry)[0]}'


def _needed(entry: Path) -> list[Path]:
    """The modules that run in one scope with `entry`: without those that it only quotes."""
    entry = entry.resolve()
    files(entry)  # says what is missing or goes in circles
    imports = [
        _needed(entry.parent / file)
        for _, file, as_text in IMPORT.findall(entry.read_text("utf-8"))
        if not as_text
    ]
    return list(dict.fromkeys([*(file for needed in imports for file in needed), entry]))


def _module(file: Path, names: dict, exports: dict) -> tuple[str, set[str]]:
    """The body of the function that `file` becomes, and the names that it exports."""

    def imported(match: re.Match) -> str:
        what, path, as_text = match.groups()
        other = (file.parent / path).resolve()
        if as_text:
            return f"const {what} = {quoted(script(other))};"
        if other not in names:
            raise BundleError(f"{file.name} was changed while it was read")
        if what is None:
            return ""
        if star := re.fullmatch(r"\* as ([\w$]+)", what):
            return f"const {star[1]} = {names[other]};"
        if re.fullmatch(r"[\w$]+", what):
            what = f"{{ default as {what} }}"
        if not re.fullmatch(r"\{[^{}]*\}", what):
            raise BundleError(
                f"{file.name}: `import {what}` is not known here; import {{ a, b }}, * as a, or a"
            )
        pairs = _pairs(what.strip("{}"))
        if unknown := [name for name, _ in pairs if name not in exports[other]]:
            raise BundleError(f"{file.name} imports {unknown}, which {other.name} does not export")
        return f"const {_braced(pairs)} = {names[other]};"

    text = IMPORT.sub(imported, file.read_text("utf-8"))
    exported = {name: name for name in DECLARED.findall(text)}
    text = DECLARED.sub("", text)
    for listed in LISTED.findall(text):
        exported |= {outer: local for local, outer in _pairs(listed)}
    text = LISTED.sub("", text)
    text, defaults = re.subn(r"^export default ", "const $default = ", text, flags=re.MULTILINE)
    if defaults:
        exported["default"] = "$default"
    if left := re.search(r"^(import|export)\b(?!\().*", text, re.MULTILINE):
        raise BundleError(f"{file.name}: `{left[0]}` is not known to the bundler")
    if left := NESTED.search(text):
        raise BundleError(
            f"{file.name}: `{left[0]}` is a template within a template, whose spaces would be "
            "lost; give the inner one a name"
        )
    return f"{jsmin(text)}\nreturn {_braced(exported.items())};\n", set(exported)


def _braced(pairs) -> str:
    """[("a", "a"), ("b", "c")] as an object or a pattern of JavaScript, `{a,b:c}`."""
    return f"{{{','.join(a if a == b else f'{a}:{b}' for a, b in pairs)}}}"


def _pairs(listed: str) -> list[tuple[str, str]]:
    """`a, b as c` as [("a", "a"), ("b", "c")]."""
    parts = [part.split(" as ") for part in listed.replace("\n", " ").split(",") if part.strip()]
    return [(part[0].strip(), part[-1].strip()) for part in parts]
