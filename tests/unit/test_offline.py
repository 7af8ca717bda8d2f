"""What is handed out without a network: the wheel, and the zip for a USB stick."""

import os
import re
import zipfile

import pytest
from bs4 import BeautifulSoup
from conftest import ROOT

from dev import pack_offline as offline


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return offline.build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture
def quick(monkeypatch, wheel):
    """The wheel is there already."""

    def build_wheel(out, root):
        (out / wheel.name).write_bytes(wheel.read_bytes())
        return out / wheel.name

    monkeypatch.setattr(offline, "build_wheel", build_wheel)


@pytest.fixture
def built(tmp_path):
    """A site of one page."""
    (tmp_path / "html" / "_static").mkdir(parents=True)
    (tmp_path / "html" / "index.html").write_text("<p>the book")
    (tmp_path / "html" / "_static" / "book.css").write_text("p {}")
    return tmp_path / "html"


def test_the_wheel_has_the_package_and_nothing_else(wheel):
    paths = [path for name in offline.PACKAGES for path in (ROOT / name).rglob("*")]
    files = {path.relative_to(ROOT).as_posix() for path in paths if path.is_file()}
    files = {name for name in files if "__pycache__" not in name}
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}
        metadata = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        described = archive.read(metadata).decode()
    assert inside == files
    assert "License-Expression: MIT" in described and "Requires-Python: >=3.11" in described
    assert "# Attention, by Hand" in described, "the README is what an index shows"


def test_the_zip_has_all_parts_and_its_first_page_leads_to_them(quick, built, tmp_path):
    out = tmp_path / "book.zip"
    said = []
    (built / "index.html").chmod(0o600)
    size = offline.make_zip(out, built, said.append)
    assert size == out.stat().st_size and "START.html" in said[-1]
    with zipfile.ZipFile(out) as archive:
        assert archive.testzip() is None
        names = {name.removeprefix(f"{offline.TOP}/") for name in archive.namelist()}
        modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}
        start, install, needs = (
            archive.read(f"{offline.TOP}/{name}").decode()
            for name in ("START.html", "INSTALL.txt", "wheel/requirements.txt")
        )
    assert {
        "site/index.html",
        "site/_static/book.css",
    } <= names
    assert {
        "LICENSE",
        "notebooks/index.ipynb",
        "notebooks/chapters/02-query-key-value.ipynb",
    } <= names
    assert {name for name, mode in modes.items() if mode != 0o644} == set(), "read by all"
    links = [link["href"] for link in BeautifulSoup(start, "html.parser").find_all("a")]
    assert links == ["site/index.html"]
    wheel = next(name for name in names if name.endswith(".whl"))
    assert wheel in install and "--no-index --find-links wheel attention-by-hand" in install
    listed = dict(line.split("==") for line in needs.splitlines())
    assert {
        "torch",
        "numpy",
        "ipywidgets",
        "anywidget",
        "jupyterlab",
        "ipykernel",
        "markupsafe",
    } <= set(listed)
    assert "attention-by-hand" not in listed and not re.search(r"[+ ]", needs)


def test_the_notebooks_in_the_zip_find_their_neighbours(quick, built, tmp_path):
    offline.make_zip(tmp_path / "book.zip", built, len)
    with zipfile.ZipFile(tmp_path / "book.zip") as archive:
        names = {name.removeprefix(f"{offline.TOP}/") for name in archive.namelist()}
        index = archive.read(f"{offline.TOP}/notebooks/index.ipynb").decode()
    links = set(re.findall(r"\]\((chapters/[\w-]+\.ipynb)[#)]", index))
    assert links and {f"notebooks/{link}" for link in links} <= names


def test_what_cannot_be_made_leaves_the_old_zip(quick, built, tmp_path, monkeypatch):
    out = tmp_path / "book.zip"
    out.write_bytes(b"old")
    monkeypatch.setattr(offline, "LARGEST", 1000)
    with pytest.raises(ValueError, match="the zip would have .* MB, and 0 is the most"):
        offline.make_zip(out, built, len)
    with pytest.raises(
        ValueError, match="there is no built site in .*: build it first, with jupyter-book build"
    ):
        offline.make_zip(out, tmp_path / "nowhere", len)
    with pytest.raises(ValueError, match="a file in a folder that exists"):
        offline.make_zip(tmp_path / "nowhere" / "book.zip", built, len)
    assert out.read_bytes() == b"old" and sorted(path.name for path in tmp_path.iterdir()) == [
        "book.zip",
        "html",
    ]


def test_a_site_that_is_older_than_its_notebooks_is_noted(quick, built, tmp_path):
    os.utime(built / "index.html", (0, 0))
    said = []
    offline.make_zip(tmp_path / "book.zip", built, said.append)
    assert re.match(r"note: .*\.ipynb is newer than the site", said[0])


def test_the_whole_book_fits(quick, site, tmp_path):
    assert offline.make_zip(tmp_path / "book.zip", site, len) <= offline.LARGEST
