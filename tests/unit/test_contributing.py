"""What contributors are told and given holds: the commands of the guide, the pinned versions."""

import ast
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import nbformat
import pytest
import test_variants
from conftest import ROOT

from attention_by_hand.exercises.cells import exercises_in
from transformer_lite import variants

GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def book_files():
    """The book's files, as they are here, without what git ignores. It takes no git."""
    ignored = [line.strip("/") for line in (ROOT / ".gitignore").read_text("utf-8").splitlines()]
    found = []
    for folder, folders, files in os.walk(ROOT):
        keep = {
            name
            for name in (*folders, *files)
            if name != ".git" and not any(fnmatch(name, pattern) for pattern in ignored)
        }
        folders[:] = sorted(keep.intersection(folders))
        found += [Path(folder, name) for name in sorted(keep.intersection(files))]
    return found


def names(lines):
    """The packages that requirements ask for, without their versions."""
    return {found[0] for line in lines if (found := re.match(r"[\w-]+", line))}


def test_each_package_of_a_group_is_pinned_and_each_pin_has_its_group():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = names(project["project"]["dependencies"])
    wanted = wanted.union(*map(names, project["dependency-groups"].values()))
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pins = names(line for line in lines if "==" in line)
    assert pins == wanted


def test_a_notebook_that_was_run_is_cleared_without_a_trace(tmp_path):
    page = "chapters/errata.ipynb"
    notebook = nbformat.read(ROOT / page, as_version=4)
    notebook.metadata.kernelspec.display_name = "Python 3 (ipykernel)"
    notebook.metadata.language_info |= {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "version": "3.13.1",
    }
    ran = next(cell for cell in notebook.cells if cell.cell_type == "code")
    ran.outputs = [nbformat.v4.new_output("stream", text="a result")]
    ran.execution_count = 1
    ran.metadata["execution"] = {"iopub.status.busy": "2026-01-01T12:00:00Z"}
    (tmp_path / "chapters").mkdir()
    nbformat.write(notebook, tmp_path / page)
    (command,) = re.findall(r"^nbstripout .*$", GUIDE, re.M)
    tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": tools, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, shell=True, check=True, cwd=tmp_path, env=environment)
    assert (tmp_path / page).read_bytes() == (ROOT / page).read_bytes()


def test_what_the_guide_sends_to_is_there():
    paths = set(
        re.findall(
            r"(?:tests|transformer_lite|attention_by_hand|dev|benchmarks|chapters)/[\w./-]*\w",
            GUIDE,
        )
    )
    new = {path for path in paths if re.search("/turn/|15-speech|lesson-15", path)}
    assert len(new) == 3 and len(paths) > 15
    assert not [path for path in paths - new if not (ROOT / path).exists()]
    for module in re.findall(r"python -m (dev[.\w]*\w)", GUIDE):
        assert (ROOT / f"{module.replace('.', '/')}.py").exists(), module


def test_a_scheme_of_positions_is_added_as_the_guide_says(monkeypatch):
    part = GUIDE.partition("## A scheme of positions")[2].partition("\n## ")[0]
    names = dict(vars(variants.choices))
    (example,) = re.findall(r"```python\n(.+?)```", part, re.S)
    exec("from __future__ import annotations\n" + example, names)  # as the file begins
    name, scheme = re.search(r'`"(\w+)": (\w+)`', part).groups()
    monkeypatch.setitem(variants.POSITIONS, name, names[scheme])
    changes = ast.literal_eval(re.search(r"`({.+?})` to `CHANGES`", part)[1])
    assert variants.weights(test_variants.plan(**changes))["positions"] > 0
    test_variants.test_the_bill_is_what_the_model_has(changes)
    test_variants.test_no_place_depends_on_a_later_one_and_a_cache_changes_nothing(changes)


CHECK = """
    expect(answer != 8, "that is all of them; how many are half?")
    expect(answer == 4, "count the heads, then divide by 2.")


mistake("3.5", "all of them", 8)
mistake("3.5", "divide by 2", 5)
"""


@pytest.mark.site  # it runs for a while
def test_an_exercise_is_added_as_the_guide_says(tmp_path):
    """Its commands, on a copy, for whichever exercise of chapter 3 is the next."""
    for path in book_files():
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    chapter = next((tmp_path / "chapters").glob("03-*.ipynb"))
    number = f"3.{len(exercises_in(chapter)) + 1}"

    def run(command):
        program, *words = shlex.split(command.replace("3.5", number))
        if program != "python":
            words = ["-m", program, *words]
        environment = os.environ | {"PYTHONPATH": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    part = GUIDE.partition("## An exercise")[2].partition("\n## ")[0]
    said = run(re.search("^python -m dev.add_exercise .+", part, re.M)[0])
    module = tmp_path / "attention_by_hand" / "exercises" / "chapter_03.py"
    assert str(chapter) in said and str(module) in said and "lesson-03.md" in said

    notebook = json.loads(chapter.read_text(encoding="utf-8"))
    solution = next(
        cell for cell in notebook["cells"] if cell["id"] == f"solution-{number.replace('.', '-')}"
    )
    solution["source"] = "".join(solution["source"]).replace("answer = ...", "answer = 4")
    chapter.write_text(json.dumps(notebook), encoding="utf-8")
    checks = module.read_text(encoding="utf-8").rpartition("\n    expect(")[0]
    module.write_text(checks + CHECK.replace("3.5", number), encoding="utf-8")
    run(re.search("`(pytest -n0 .+ -k 3.5)`", part)[1])
    run("pytest -n0 tests/content/test_lessons.py -k gives_out_each_exercise")
