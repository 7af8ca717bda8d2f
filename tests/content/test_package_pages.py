"""Each chapter names what it used of the package, and each name leads to its entry."""

import ast
import inspect
import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from urllib.parse import urldefrag

import pytest
from conftest import ROOT

import transformer_lite as tl
from attention_by_hand import figures

CHAPTERS = sorted((ROOT / "chapters").glob("[01]*.ipynb"))
LINK = re.compile(r"\[`([\w.]+)`\]\(api\.md#((?:transformer_lite|attention_by_hand)\.[\w.]+)\)")
PACKAGES = ("transformer_lite", "attention_by_hand")
PAGE = (ROOT / "chapters" / "api.md").read_text(encoding="utf-8")


def cells(chapter, kind):
    notebook = json.loads(chapter.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == kind]


def section(chapter):
    """The text of a chapter's "In the package", which comes last, but for a last word after it."""
    *_, text, last = cells(chapter, "markdown")
    if last.startswith(("**Next.**", "## Where you are now")):
        last = text
    assert last.startswith("## In the package\n"), f'{chapter.name} should end in "In the package"'
    return last


def find(name):
    """What a dotted name, which begins with a package, stands for."""
    package, *parts = name.split(".")
    found = import_module(package)
    for i, part in enumerate(parts, 1):
        if hasattr(found, part):
            found = getattr(found, part)
        else:
            found = import_module(".".join([package, *parts[:i]]))
    return found


def used(chapter):
    """The functions and classes of the packages that a chapter's own code names."""
    found = set()
    for source in cells(chapter, "code")[1:]:  # the first asks whether the package is there
        for node in ast.walk(ast.parse(re.sub(r"^( *)%.*", r"\1pass", source, flags=re.M))):
            if isinstance(node, ast.Attribute) and re.fullmatch(r"tl\.[\w.]+", ast.unparse(node)):
                found.add(ast.unparse(node).replace("tl.", "transformer_lite.", 1))
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGES):
                found |= {f"{node.module}.{name.name}" for name in node.names}
    found = {re.sub(r"(\b[A-Z]\w*)\..+", r"\1", name) for name in found}  # a class for its method
    things = {name.rpartition(".")[2]: find(name) for name in found}
    return {name for name, thing in things.items() if callable(thing)} - {
        "check",
        "claim",
        "stored",
        "where",
        "Prediction",
        "Predictions",
    }


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_ends_with_what_it_used_of_the_package(chapter):
    links = LINK.findall(section(chapter))
    assert len(links) == section(chapter).count("](")
    for shown, name in links:
        assert find(name) is not None and name.endswith(f".{shown}"), name
    assert used(chapter) <= {part for shown, _ in links for part in shown.split(".")}


def test_every_module_that_is_read_is_on_the_page():
    order = re.search(r"read in this order:(.+?)\.\n", tl.__doc__, re.S)[1]
    listed = re.findall(r"automodule:: (?:transformer_lite|attention_by_hand)\.(\S+)", PAGE)
    assert listed[: order.count("``") // 2] == re.findall(r"``(\w+)``", order)
    assert {name.partition(".")[0] for name in listed} >= {
        "data",
        "train",
        "studies",
        "exhibits",
        "figures",
        "exercises",
        "plots",
    }


def follow(soup, page, link):
    """The page and the element that a link leads to."""
    address, anchor = urldefrag(link["href"])
    parts = page.split("/")[:-1]
    for step in address.split("/"):
        parts = parts[:-1] if step == ".." else [*parts, step]
    target = "/".join(parts) if address else page
    return target, soup(target).find(id=anchor)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_each_name_leads_to_its_entry_its_source_and_back(chapter, soup):
    page = f"chapters/{chapter.stem}.html"
    links = soup(page).find("section", id="in-the-package").select('a[href^="api.html"]')
    assert len(links) == len(LINK.findall(section(chapter)))
    for link in links:
        path, entry = follow(soup, page, link)
        assert path == "chapters/api.html" and entry.name == "dt", link
        assert entry["id"].endswith(f".{link.get_text()}")
        path, code = follow(soup, path, entry.find("a", class_="reference internal"))
        name = link.get_text().rpartition(".")[2]
        assert re.search(rf"^ *(def|class) {name}\b", code.get_text(), re.M), link
        back = code.find("a", class_="viewcode-back")
        assert follow(soup, path, back) == ("chapters/api.html", entry)


def test_the_page_has_an_entry_for_all_that_the_package_offers(soup):
    entries = {entry["id"] for entry in soup("chapters/api.html").select("dt[id]")}
    offered = {name: getattr(tl, name) for name in tl.__all__}
    for name, thing in offered.items():
        assert inspect.ismodule(thing) or f"{thing.__module__}.{name}" in entries
    assert {f"attention_by_hand.figures.{name}" for name in figures.__all__} <= entries
    assert not [entry for entry in entries if not inspect.getdoc(find(entry))]


def test_the_site_carries_the_sources_of_the_package_alone(site):
    sources = {
        path.relative_to(site / "_modules").as_posix() for path in site.glob("_modules/**/*.html")
    }
    assert {"transformer_lite/attention.html", "attention_by_hand/figures/by_hand.html"} <= sources
    assert [path for path in sources if not path.startswith(PACKAGES)] == ["index.html"]


@pytest.mark.site
def test_the_script_of_the_readme_learns_what_it_says(capsys):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"^```python\n(.*?)^```", readme, flags=re.M | re.S)
    exec(script, {})
    assert capsys.readouterr().out.endswith(" d b a h\n")


def test_the_commands_for_files_of_ones_own_do_what_the_page_says(tmp_path):
    page = "\n".join(cells(ROOT / "chapters" / "your-own-sentences.ipynb", "markdown"))
    (translate,) = re.findall(r"^python .* \| sed .*$", page, flags=re.M)
    (turn,) = re.findall(r"^python .* pairs .*$", page, flags=re.M)
    (tmp_path / "our-model").symlink_to(ROOT / "transformer_lite" / "models" / "german-english")
    (tmp_path / "german.txt").write_text("ich mochte ein bier\nwer liest das Buch ?\n")
    (tmp_path / "sentences.tsv").write_text("ja .\tyes .\n", encoding="utf-8")
    tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        f"{translate}\n{turn} >log",
        shell=True,
        cwd=tmp_path,
        env=os.environ | {"PATH": tools, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "i want a beer.\nwho is reading the book?\n", done.stderr
    assert (tmp_path / "turned.tsv").read_text(encoding="utf-8") == "yes .\tja .\n"
