"""What contributors are told and given holds: the commands of the guide, the pinned versions."""

import re
import tomllib

from conftest import ROOT


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
