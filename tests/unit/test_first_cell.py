"""The first cell of a notebook names what is missing or broken, and nothing else."""

import os
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

from dev import address

CELL = address.worded(address.FIRST_CELL, None)
OURS = '"""*Attention, by Hand*"""\n'
ABSENT = "is not installed, or is older than this notebook"
STRANGE = "under the name transformer_lite is not the book's: {place}"
BROKEN = "type in a terminal `python -m attention_by_hand.doctor`"


def run_cell(path, *options):
    """Run the first cell with these folders on the path: its exit code, and what it says."""
    done = subprocess.run(
        [sys.executable, *options, "-c", CELL],
        cwd=path[0],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, path))},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stderr


def write(folder, files):
    for name, code in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(code, encoding="utf-8")


def check_said(code, said, kind, words=""):
    assert code == 1 and "During handling" not in said
    for other in (ABSENT, STRANGE, BROKEN):
        start = other.partition("{")[0]
        assert (start in said) == (other == kind), said
    assert words in said


@pytest.mark.parametrize(
    "files",
    [{}, {"transformer_lite/__init__.py": OURS}, {"transformer_lite/__init__.py": ""}],
    ids=["nothing", "an older version", "a stranger's alone"],
)
def test_where_the_package_is_missing_it_says_what_to_type(tmp_path, files):
    write(tmp_path, files)
    code, said = run_cell([tmp_path], "-S")  # without the packages of this Python
    check_said(code, said, ABSENT, "python -m pip install -e .")


@pytest.mark.parametrize(
    "files",
    [
        {"transformer_lite/__init__.py": ""},
        {"transformer_lite/data.txt": ""},
    ],
    ids=["a package", "a folder of one's own"],
)
def test_a_strangers_package_is_called_so_and_its_place_is_named(tmp_path, files):
    write(tmp_path, files)
    shutil.copytree(ROOT / "attention_by_hand", tmp_path / "attention_by_hand")
    code, said = run_cell([tmp_path], "-S")
    place = next(iter(files)).removesuffix("/data.txt")
    check_said(code, said, STRANGE, STRANGE.format(place=tmp_path / place))


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "ModuleNotFoundError: No module named 'torch'"),
        (
            {"torch/__init__.py": "raise ImportError('libtorch.so: cannot open it')"},
            "ImportError: libtorch.so: cannot open it",
        ),
        (
            {"transformer_lite/__init__.py": OURS + "figures = 1"},
            "ImportError: cannot import name 'load_translator' from 'transformer_lite'",
        ),
    ],
    ids=["no torch", "a torch that does not load", "older"],
)
def test_what_cannot_be_imported_is_said_in_its_own_words(tmp_path, files, words):
    write(tmp_path, files)
    code, said = run_cell([tmp_path, ROOT], "-S")
    check_said(code, said, BROKEN, words)


@pytest.mark.parametrize("name", ["anywidget", "matplotlib"])
def test_a_broken_package_is_named_though_torch_is_there(tmp_path, name):
    write(tmp_path, {f"{name}.py": f"raise ImportError('{name} does not load')"})
    code, said = run_cell([tmp_path, ROOT])
    check_said(code, said, BROKEN, f"ImportError: {name} does not load")


def test_where_all_is_well_it_says_nothing(tmp_path):
    assert run_cell([tmp_path, ROOT]) == (0, "")
