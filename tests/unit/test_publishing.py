"""A fork, and what is handed out: the address changes everywhere, the wheel has all that it
needs.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from urllib.parse import quote

import pytest
import yaml
from conftest import ROOT

from dev import address

OLD_URL = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["repository"]["url"]
HUB = "https://github.com/"
OLD_OWNER, OLD_NAME = address.parts(OLD_URL)
OLD_SITE = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["html"]["baseurl"]


@pytest.fixture
def fork(tmp_path):
    """A copy of the repository."""
    for path in address.book_files(ROOT):
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    return tmp_path


def texts(folder):
    for path in folder.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def test_the_files_of_the_book_are_those_that_git_has():
    if not (ROOT / ".git").exists():
        pytest.skip("this copy has no git repository to compare with")
    known = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\n")
    missing = {name for name in known if name and (ROOT / name).exists()}
    missing -= {path.relative_to(ROOT).as_posix() for path in address.book_files(ROOT)}
    assert not missing


def test_what_was_made_in_a_copy_is_none_of_its_files(tmp_path):
    kept = ["README.md", ".gitignore", ".ci/run", "book/build/page.md"]
    made = [
        "_build/a.html",
        "dist/a.whl",
        "a/__pycache__/b.pyc",
        "a.egg-info/top",
        ".git/HEAD",
        ".venv/bin/python",
    ]
    made += ["env/pyvenv.cfg", "env/lib/b.py"]
    for name in kept + made:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "link").symlink_to(tmp_path / "README.md")
    assert {path.relative_to(tmp_path).as_posix() for path in address.book_files(tmp_path)} == {
        *kept
    }


def test_a_fork_has_its_own_address_after_one_command(fork):
    new = HUB + "School-7/our.book"
    command = [sys.executable, "-m", "dev.address", new]
    done = subprocess.run(
        command,
        cwd=fork,
        env=os.environ | {"PYTHONPATH": str(fork)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    for old in (
        f"{OLD_OWNER}/{OLD_NAME}",
        OLD_SITE.rstrip("/"),
        quote(f"{OLD_OWNER}/{OLD_NAME}", safe=""),
    ):
        left = [name for name, text in texts(fork) if old.encode() in text]
        assert not left, f"{old} is left in {left}"
    config = yaml.safe_load((fork / "_config.yml").read_text(encoding="utf-8"))
    assert config["repository"]["url"] == new
    assert config["html"]["baseurl"] == "https://school-7.github.io/our.book/"
    for notebook in [fork / "index.ipynb", *(fork / "chapters").glob("*.ipynb")]:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        first = next("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        assert re.findall(r"git\+([^\s\"']+)", first) == [new]
    citation = yaml.safe_load((fork / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["repository-code"] == new
    link = (fork / "chapters" / "teach" / "hub.md").read_text(encoding="utf-8")
    assert (
        "%2FSchool-7%2Four.book&branch" in link
        and "urlpath=lab%2Ftree%2Four.book%2Fchapters" in link
    )
    changed = done.stdout.splitlines()[:-1]
    assert {
        "_config.yml",
        "CITATION.cff",
        "index.ipynb",
        "transformer_lite/figures/machine_map/plan.py",
    } <= set(changed)


def test_the_way_there_and_back_changes_nothing(fork):
    before = dict(texts(fork))
    elsewhere = "https://example." + "org:8000/book"
    address.change_address(HUB + "a/b.git", elsewhere, root=fork, say=len)
    assert f"{elsewhere}/" in (fork / "_config.yml").read_text(encoding="utf-8")
    address.change_address(OLD_URL, OLD_SITE, root=fork, say=len)
    assert dict(texts(fork)) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["hub.com/a/b"], "should be the address of a repository"),
        (["https://example.org/a/b"], "should be the address of a repository"),
        ([HUB + "a/b", "my site"], "should be the address of a folder"),
    ],
)
def test_what_is_no_address_changes_nothing(fork, arguments, message):
    before = dict(texts(fork))
    with pytest.raises(ValueError, match=message):
        address.change_address(*arguments, root=fork)
    assert dict(texts(fork)) == before


def test_a_full_disk_changes_nothing(fork, monkeypatch):
    before, write_whole = dict(texts(fork)), address.write_whole

    def full_disk(path, content):
        if path.name == "index.ipynb" and b"hub.com/a/b" in content:
            raise OSError("no space left on device")
        write_whole(path, content)

    monkeypatch.setattr(address, "write_whole", full_disk)
    with pytest.raises(OSError, match="no space left"):
        address.change_address(HUB + "a/b", root=fork)
    assert dict(texts(fork)) == before


def test_a_site_of_its_owner_has_no_folder():
    assert address.pages_address("Me", "me.github.io") == "https://me.github.io/"
