"""What the page about hubs says was measured, and what its links open is there."""

import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from conftest import ROOT

PAGE = (ROOT / "chapters" / "teach" / "hub.md").read_text(encoding="utf-8")
MEASURED = json.loads((ROOT / "benchmarks" / "classroom.json").read_text(encoding="utf-8"))
ROWS = {row["chapter"]: row for row in MEASURED["chapters"]}
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["repository"]


def test_the_table_is_what_was_measured():
    assert list(ROWS) == [
        path.name for path in sorted((ROOT / "chapters").glob("[0-9][0-9]-*.ipynb"))
    ]
    table = re.findall(r"^\| \[\d+\. .+?\]\(\.\./(.+?)\) \| (\d+) MB \| ([\d.]+) s \|$", PAGE, re.M)
    assert table == [
        (row["chapter"], str(row["memory_mb"]), str(row["processor_s"])) for row in ROWS.values()
    ]
    machine = MEASURED["machine"]
    assert machine["cores"] == 2
    assert (
        f"two cores of an {machine['processor']}, with Python {machine['python']} and torch "
        f"{machine['torch']}." in PAGE
    )
    assert f"a Jupyter server with {MEASURED['server']['memory_mb']} MB" in PAGE


def test_the_links_open_notebooks_of_this_repository():
    repository = CONFIG["url"] or "https://github.com/me/my-book"
    folder = repository.rsplit("/", 1)[1]
    (pull,) = re.findall(r"^https://hub\S+git-pull\?(\S+)$", PAGE, re.M)
    query = {name: value for name, (value,) in parse_qs(pull).items()}
    assert query["repo"] == repository and query["branch"] == CONFIG["branch"]
    assert (ROOT / query["urlpath"].removeprefix(f"lab/tree/{folder}/")).is_file()
    binder = urlsplit(re.search(r"https://mybinder\.org/v2/[^\s`)]+", PAGE)[0])
    assert binder.path == f"/v2/gh{urlsplit(repository).path}/{CONFIG['branch']}"
    assert (ROOT / binder.query.removeprefix("urlpath=lab/tree/")).is_file()


@pytest.mark.parametrize("name", ["torch", "jupyterlab"])
def test_binder_has_the_versions_that_the_book_is_built_with(name):
    binder, book = (
        (ROOT / file).read_text(encoding="utf-8")
        for file in (".binder/requirements.txt", "requirements.txt")
    )
    (pin,) = re.findall(rf"^{name}==\S+$", binder, re.M)
    assert pin in book.splitlines()
    assert "." in binder.splitlines() and "whl/cpu" in binder
    assert (ROOT / ".binder" / "runtime.txt").read_text() == "python-3.11\n"
