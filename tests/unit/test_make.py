"""The table that says what made a file is whole."""

import json
import re
from importlib.util import find_spec

import pytest
import torch
from conftest import ROOT

from dev.make import MADE, note, processor

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
    assert {path.relative_to(ROOT).as_posix() for path in kept if path != MADE} <= named


def test_each_record_says_by_which_program_from_which_seeds_and_on_what_it_was_made():
    records = {file.stem for file in MADE.parent.glob("*.json")} - {"made"}
    noted = json.loads(MADE.read_text(encoding="utf-8"))
    assert set(noted) == records
    for record in noted.values():
        program = (ROOT / record["program"]).read_text(encoding="utf-8")
        assert "note(" in program and record["seeds"] and record["processor"] and record["torch"]


def test_a_program_notes_what_it_has_made(monkeypatch, tmp_path):
    monkeypatch.setattr("dev.make.MADE", tmp_path / "made.json")
    (tmp_path / "made.json").write_text('{"z": {}, "heads": {}}')
    note(tmp_path / "heads.json", "somewhere/dev/make/heads.py", [0, 1])
    noted = json.loads((tmp_path / "made.json").read_text())
    assert [*noted] == ["heads", "z"]
    assert noted["heads"] == {
        "program": "dev/make/heads.py",
        "seeds": [0, 1],
        "processor": processor(),
        "torch": torch.__version__.partition("+")[0],
    }
    assert torch.backends.cpu.get_cpu_capability() in processor()
