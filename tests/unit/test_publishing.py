"""The address of the book goes into every file that speaks of it, and comes out again."""

import re
import shutil
from types import SimpleNamespace

import nbformat
import pytest
import yaml
from conftest import ROOT

from attention_by_hand.figures import where
from attention_by_hand.figures.kit import book as figures_book
from dev import address

MINE = "https://github.com/School-7/our.book"
PRESENT = address.present_address((ROOT / "_config.yml").read_text(encoding="utf-8"))
FILES = address.passages(ROOT, None)


@pytest.fixture
def book(tmp_path):
    """A copy of what speaks of the address, as it is while there is none."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    if PRESENT:
        address.change_address(None, root=tmp_path, say=len)
    return tmp_path


def texts(folder):
    return {name: (folder / name).read_bytes().decode() for name in FILES}


def test_a_book_that_lives_nowhere_sends_nobody_anywhere(book):
    places = r"github\.io|colab\.research|git clone|\]\(https://mybinder\.org/v2"
    for name, text in texts(book).items():
        assert not re.search(places, text), name
    config = yaml.safe_load((book / "_config.yml").read_text(encoding="utf-8"))
    assert not config["repository"]["url"] + config["html"]["baseurl"]
    assert not config["launch_buttons"]


def test_with_an_address_every_file_has_it_and_without_it_is_as_before(book):
    before = texts(book)
    said = []
    address.change_address(MINE, root=book, say=said.append)
    assert set(said[:-1]) == set(FILES)
    after = texts(book)
    config = yaml.safe_load(after["_config.yml"])
    site = "https://school-7.github.io/our.book/"
    assert (config["repository"]["url"], config["html"]["baseurl"]) == (MINE, site)
    assert yaml.safe_load(after["CITATION.cff"])["repository-code"] == MINE
    assert f"[school-7.github.io/our.book]({site})" in after["README.md"]
    assert f"git clone {MINE}\ncd our.book\n" in after["CONTRIBUTING.md"]
    hub = after["chapters/teach/hub.md"]
    assert "%2FSchool-7%2Four.book&" in hub and "/home/jupyter-<name>/our.book/" in hub
    assert "me/my-book" not in hub and "%2Fmy-book" not in hub
    for name in [name for name in FILES if name.endswith(".ipynb")]:
        cells = nbformat.reads(after[name], as_version=4).cells
        first = next(cell.source for cell in cells if cell.cell_type == "code")
        assert f'    %pip install -q "attention-by-hand @ git+{MINE}"\n' in first
        page = name.removesuffix(".ipynb")
        assert f"]({site}{page}.html)" in cells[1].source
        assert f"/github/School-7/our.book/blob/main/{name})" in cells[1].source
    address.change_address("https://github.com/a/b.git", "https://a.org:8000/b", book, say=len)
    assert "  baseurl: https://a.org:8000/b/\n" in texts(book)["_config.yml"]
    address.change_address(None, root=book, say=len)
    assert texts(book) == before


def test_a_copy_with_the_line_ends_of_windows_changes_too(book):
    for name, text in texts(book).items():
        (book / name).write_bytes(text.replace("\n", "\r\n").encode())
    before = texts(book)
    said = []
    address.change_address(MINE, root=book, say=said.append)
    assert set(said[:-1]) == set(FILES)
    assert not any(re.search(r"(?<!\r)\n", text) for text in texts(book).values())
    address.change_address(None, root=book, say=len)
    assert texts(book) == before


def test_what_was_written_anew_is_left_alone_and_named(book):
    (book / "README.md").write_text("My own words.\n", encoding="utf-8")
    (book / "CITATION.cff").unlink()
    said = []
    address.change_address(MINE, root=book, say=said.append)
    assert (book / "README.md").read_text(encoding="utf-8") == "My own words.\n"
    assert re.match(r"README.md is to be changed by hand", said[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["https://example.org/a/b"], "should be the address of a repository"),
        (["https://github.com/a/.."], "should be the address of a repository"),
        (["https://github.com/müller/buch"], "should be the address of a repository"),
        (["https://github.com/a/b/c"], "should be the address of a repository"),
        (["https://github.com/a/b", "my site"], "should be the address of a folder"),
        (["https://github.com/a/b", "https://a.org/b/../c"], "should be the address of a folder"),
    ],
)
def test_what_is_no_address_changes_nothing(book, arguments, message):
    before = texts(book)
    with pytest.raises(ValueError, match=message):
        address.change_address(*arguments, root=book)
    assert texts(book) == before


def test_the_command_takes_an_address_or_none(monkeypatch):
    calls = []
    monkeypatch.setattr(address, "change_address", lambda *words: calls.append(words))
    for words in ([MINE], [MINE, "--site", "https://a.org/"], ["--none"]):
        monkeypatch.setattr("sys.argv", ["address", *words])
        assert address.main() == 0
    assert calls == [(MINE, None), (MINE, "https://a.org/"), (None, None)]
    monkeypatch.setattr("sys.argv", ["address"])
    with pytest.raises(SystemExit, match="2"):
        address.main()


@pytest.mark.parametrize("home", ["", "https://a.org/b/"])
def test_a_page_names_its_address_if_it_has_one_and_links_within_the_site(monkeypatch, home):
    monkeypatch.syspath_prepend(ROOT / "_ext")
    from book_head import introduce
    from book_pages import link_within

    monkeypatch.setattr(figures_book, "SITE", home)
    app = SimpleNamespace(
        builder=SimpleNamespace(format="html"),
        config=SimpleNamespace(html_baseurl=home, html_title="A book", root_doc="index"),
    )
    context = {"docstitle": "A book", "pathto": lambda name, resource: name, "content_root": "../"}
    introduce(app, "search", "", context, None)
    card = re.findall('og:(?:url|image)" content="(.*?)"', context["metatags"])
    assert card == ([f"{home}search.html", f"{home}_static/card.png"] if home else [])
    context["body"] = where("masks")._repr_html_()
    link_within(app, "chapters/05-masks", "", context, None)
    assert re.findall("<a .*?(href=.*?|hidden.*?)>", context["body"]) == [
        'href="../chapters/07-the-whole-transformer.html"'
    ]


WORKFLOWS = {
    path.name: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in (ROOT / ".github" / "workflows").glob("*.yml")
}


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_may_read_and_only_the_job_that_publishes_may_write(name):
    workflow = WORKFLOWS[name]
    assert workflow["permissions"] == {"contents": "read"}
    for job, what in workflow["jobs"].items():
        assert "permissions" not in what or (name, job) == ("ci.yml", "publish")


@pytest.mark.parametrize("action", ["actions/upload-pages-artifact", "actions/deploy-pages"])
def test_what_publishes_is_named_by_its_commit(action):
    steps = WORKFLOWS["ci.yml"]["jobs"]["publish"]["steps"]
    (version,) = re.findall(rf"{action}@(\S+)", str([step.get("uses") for step in steps]))
    assert re.match(r"[0-9a-f]{40}\b", version)
