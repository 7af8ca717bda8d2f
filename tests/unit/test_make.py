"""The table that says what made a file is whole."""

import re
from importlib.util import find_spec

import pytest
from conftest import ROOT

MAKE = ROOT / "dev" / "make"
TABLE = (MAKE / "README.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (`.+?) \| `python -m ([\w.]+).*? \| (\d+) \|$", TABLE, re.M)


@pytest.mark.parametrize("files, module, minutes", ROWS, ids=[module for _, module, _ in ROWS])
def test_each_file_is_there_and_so_is_the_program_that_made_it(files, module, minutes):
    assert all((ROOT / file).is_file() for file in re.findall("`(.+?)`", files)), files
    assert find_spec(module) and int(minutes) > 0


def test_every_program_and_every_measurement_has_a_row():
    programs = {path.stem for path in MAKE.glob("*.py")} - {"__init__", "alone"}
    assert {f"dev.make.{name}" for name in programs} == {module for _, module, _ in ROWS} - {
        "transformer_lite"
    }
    named = {file for files, *_ in ROWS for file in re.findall("`(.+?)`", files)}
    kept = [*MAKE.glob("*.json"), *(ROOT / "attention_by_hand" / "exhibits").glob("*.json")]
    assert {path.relative_to(ROOT).as_posix() for path in kept} <= named
