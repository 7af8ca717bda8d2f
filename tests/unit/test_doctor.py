"""The doctor: it runs where nothing else does, and what it says is what is so."""

import ast
import json
import os
import subprocess
import sys
import venv
from importlib import metadata
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from conftest import ROOT

from attention_by_hand import doctor


def test_with_no_package_at_all_it_names_each_and_how_to_get_it():
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-S", "-m", "attention_by_hand.doctor", "--json"]  # bare Python
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8")
    said = json.loads(done.stdout)
    assert (done.returncode, done.stderr, said["ready"]) == (1, "", False)
    found = {each["name"]: each for each in said["findings"]}
    needed = doctor.requirements()
    assert {"torch", "numpy", "anywidget", "matplotlib"} <= set(needed)
    for name, version in needed.items():
        assert found[name]["state"] == "bad" and found[name]["found"] == f"{name} is missing."
        assert f'pip install --upgrade "{name}>={version}"' in found[name]["mend"]
    assert "translator" not in found, "what is missing is said once"
    assert {"Python", "notebooks", "browser", "fonts", "disk", "memory"} <= set(found)


@pytest.mark.site  # every package is imported in a process of its own, which takes its time
def test_a_whole_environment_is_called_healthy(capsys):
    assert doctor.main(["--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    found = {each["name"]: each["state"] for each in said["findings"]}
    assert {found[name] for name in (*doctor.requirements(), "the book", "translator")} == {"good"}


def test_a_torch_that_kills_the_process_is_named(tmp_path, monkeypatch):
    (tmp_path / "torch.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGILL)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    found = doctor.package("torch", "2.5")
    assert "cannot be imported: it ended the process with signal 4" in found["found"]
    assert "pip install --force-reinstall torch" in found["mend"]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileNotFoundError(2, "none"), "fc-list is missing"),
        (PermissionError(13, "denied"), "fc-list does not answer"),
    ],
)
def test_an_unusual_machine_is_asked_to_the_end(monkeypatch, quick, error, said):
    monkeypatch.setattr(doctor.subprocess, "run", Mock(side_effect=error))
    monkeypatch.setattr(doctor.shutil, "disk_usage", Mock(side_effect=OSError("gone")))
    found = {each["name"]: each["found"] for each in doctor.examine()}
    assert said in found["fonts"] and "could not be looked at" in found["disk"]
    assert {"Python", "the book", "notebooks", "browser", "memory"} <= set(found)


@pytest.mark.parametrize("stranger", [False, True])
def test_it_looks_at_what_is_installed_and_not_at_the_copy_that_it_is_run_in(tmp_path, stranger):
    venv.create(tmp_path, symlinks=True)
    if stranger:
        packages = next(tmp_path.glob("lib/*/site-packages"))
        (packages / "transformer_lite").mkdir()
        (packages / "transformer_lite" / "__init__.py").write_text("class Transformer: pass")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [tmp_path / "bin" / "python", "-m", "attention_by_hand.doctor", "--json"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    book = next(each for each in json.loads(done.stdout)["findings"] if each["name"] == "the book")
    assert book["state"] == "bad" and "pip install -e ." in book["mend"]
    assert ("pip uninstall transformer-lite" in book["mend"]) == stranger


def test_its_path_can_be_read_by_an_old_python():
    for name in ("__init__.py", "doctor.py"):
        ast.parse(
            (ROOT / "attention_by_hand" / name).read_text(encoding="utf-8"), feature_version=(3, 8)
        )


def test_what_it_asks_of_python_is_what_the_package_asks():
    assert f'requires-python = ">={doctor.PYTHON}"' in (ROOT / "pyproject.toml").read_text(
        encoding="utf-8"
    )


def test_the_memory_it_asks_for_is_enough_for_every_chapter():
    measured = json.loads((ROOT / "benchmarks" / "classroom.json").read_text(encoding="utf-8"))
    most = max(row["memory_mb"] for row in measured["chapters"]) + measured["server"]["memory_mb"]
    assert 0.6 * doctor.MEMORY < most / 1000 < doctor.MEMORY


@pytest.fixture
def quick(monkeypatch):
    """No package is really imported, and the translator translates."""
    monkeypatch.setattr(doctor, "run", lambda code, patience=120: "")


def test_where_nothing_is_missing_the_packages_and_the_translator_are_good(quick):
    found = {each["name"]: each for each in doctor.examine()}
    assert {found[name]["state"] for name in (*doctor.requirements(), "Python", "translator")} == {
        "good"
    }


def test_the_translator_is_asked_for_a_sentence(tmp_path, monkeypatch):
    assert not doctor.run(doctor.TRANSLATE)
    (tmp_path / "transformer_lite.py").write_text(
        "def load_translator():\n    raise OSError('no weights')\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    found = doctor.translator()
    assert (
        found["state"] == "bad"
        and "no weights" in found["found"]
        and "install the package again" in found["mend"]
    )


def test_an_old_python_is_the_only_thing_said_of_packages(monkeypatch, quick):
    monkeypatch.setattr(doctor.platform, "python_version", lambda: "3.9.2")
    found = {each["name"]: each for each in doctor.examine()}
    assert (
        found["Python"]["state"] == "bad"
        and "3.9.2 is too old; it takes 3.11 or newer" in found["Python"]["found"]
    )
    assert "torch" not in found and "memory" in found


@pytest.mark.parametrize(
    ("version", "needed", "state"),
    [
        ("2.5.0", "2.5", "good"),
        ("2.13.0+cpu", "2.5", "good"),
        ("2.4.1", "2.5", "bad"),
        ("10.0rc1", "9.1", "good"),
    ],
)
def test_versions_are_compared_as_versions(monkeypatch, quick, version, needed, state):
    monkeypatch.setattr(metadata, "version", lambda name: version)
    found = doctor.package("torch", needed)
    assert found["state"] == state
    assert state == "good" or (
        "too old" in found["found"] and f'"torch>={needed}"' in found["mend"]
    )


def test_jupyter_without_its_widgets_is_not_enough(monkeypatch, quick, tmp_path):
    monkeypatch.setattr(metadata, "version", lambda name: "4.2")
    monkeypatch.setattr(doctor.sys, "prefix", str(tmp_path))
    monkeypatch.setattr(doctor.Path, "home", lambda: tmp_path)
    there = tmp_path / "share" / "jupyter" / "labextensions"
    (there / "@jupyter-widgets" / "jupyterlab-manager").mkdir(parents=True)
    found = doctor.notebooks()
    assert (
        found["state"] == "bad"
        and "lacks anywidget" in found["found"]
        and "anywidget" in found["mend"]
    )
    (there / "anywidget").mkdir()
    assert doctor.notebooks()["state"] == "good"
    monkeypatch.setattr(metadata, "version", lambda name: "3.6")
    found = doctor.notebooks()
    assert (found["state"], found["found"]) == (
        "bad",
        "jupyterlab 3.6 is too old; it takes 4 or newer.",
    )
    assert '"jupyterlab>=4"' in found["mend"]


def test_without_jupyter_it_is_ready_only_where_an_editor_can_run_a_notebook(monkeypatch, capsys):
    def no_version(name):
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(metadata, "version", no_version)
    for trouble, state, last in (
        ("No module named 'ipykernel'", "bad", "Not ready: mend notebooks."),
        ("", "worth knowing", "Ready, apart from what is marked with !."),
    ):
        monkeypatch.setattr(doctor, "run", lambda code, trouble=trouble: trouble)
        found = doctor.notebooks()
        assert found["state"] == state
        monkeypatch.setattr(doctor, "examine", lambda found=found: [found])
        doctor.main([])
        assert capsys.readouterr().out.splitlines()[-1] == last


def test_a_browser_may_be_missing(monkeypatch):
    monkeypatch.setattr(doctor.webbrowser, "get", lambda: None)
    assert doctor.browser()["state"] == "good"
    monkeypatch.setattr(doctor.webbrowser, "get", Mock(side_effect=doctor.webbrowser.Error))
    found = doctor.browser()
    assert found["state"] == "worth knowing" and doctor.BROWSERS in found["mend"]


def test_fonts_disk_and_memory(monkeypatch):
    monkeypatch.setattr(doctor.sys, "platform", "linux")
    monkeypatch.setattr(
        doctor.subprocess, "run", lambda *command, **options: SimpleNamespace(stdout="")
    )
    assert "boxes" in doctor.fonts()["found"] and "fonts-noto-cjk" in doctor.fonts()["mend"]
    for free, state in ((0.2e9, "bad"), (40e9, "good")):
        monkeypatch.setattr(
            doctor.shutil, "disk_usage", lambda path, free=free: SimpleNamespace(free=free)
        )
        monkeypatch.setattr(doctor, "free_memory", lambda free=free: free)
        assert doctor.disk()["state"] == doctor.memory()["state"] == state
    monkeypatch.setattr(doctor, "free_memory", lambda: None)
    assert doctor.memory()["state"] == "worth knowing"


MEMORY = {"memory.max": "3000000000", "memory.current": "1500000000"}
LIMITED = MEMORY | {"cpu.max": "150000 100000", "memory.stat": "anon 5\ninactive_file 500000000\n"}
UNLIMITED = {"cpu.max": "max 100000", "memory.max": "max", "memory.current": "7", "memory.stat": ""}


@pytest.mark.skipif(not os.path.exists("/proc/meminfo"), reason="control groups are Linux's")
@pytest.mark.parametrize(
    ("groups", "files", "cores", "memory"),
    [
        ("0::/\n", LIMITED, 2, 2_000_000_000),
        ("0::/a/b\n", {f"a/b/{name}": text for name, text in LIMITED.items()}, 2, 2_000_000_000),
        ("0::/\n", UNLIMITED, 32, 32_000_000 * 1024),
    ],
)
def test_a_container_may_take_less_than_the_machine_has(
    monkeypatch, tmp_path, groups, files, cores, memory
):
    known = doctor.Path.read_text

    def read(path, *options):
        if str(path) == "/proc/meminfo":
            return "MemTotal: 64000000 kB\nMemAvailable: 32000000 kB\n"
        return groups if str(path) == "/proc/self/cgroup" else known(path, *options)

    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(doctor, "GROUPS", tmp_path)
    monkeypatch.setattr(doctor.Path, "read_text", read)
    monkeypatch.setattr(doctor.os, "sched_getaffinity", lambda process: range(32), raising=False)
    assert (doctor.cores(), doctor.free_memory()) == (cores, memory)


def test_it_says_what_to_mend_and_its_exit_code_too(monkeypatch, capsys):
    bad = doctor.finding("torch", "bad", "torch is missing.", "pip install torch")
    for findings, code, last in (([], 0, "Ready."), ([bad], 1, "Not ready: mend torch.")):
        monkeypatch.setattr(doctor, "examine", lambda findings=findings: findings)
        assert doctor.main([]) == code
        lines = capsys.readouterr().out.splitlines()
        assert lines[-1] == last and (
            not findings or lines[:2] == ["✗ torch is missing.", "  To mend it: pip install torch"]
        )
    with pytest.raises(SystemExit, match="2"):
        doctor.main(["--jason"])
