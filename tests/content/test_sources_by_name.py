"""The five sources have one name each, and every mention of one, or of an erratum, is a link to
it.
"""

import json
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
CHAPTERS = [chapter for part in TOC["parts"] for chapter in part["chapters"]]
APPENDIX = [
    section["file"]
    for chapter in CHAPTERS
    if chapter["file"] == "chapters/appendix"
    for section in chapter["sections"]
]
PAGES = [TOC["root"], *(chapter["file"] for chapter in CHAPTERS), *APPENDIX]
NAMELESS = (
    r"\b(?:one|another|the same|the third|a third|that|this|the|two|several) (?:of the "
    r")?tutorials?\b"
)


def markdown(page):
    path = next(ROOT.glob(f"{page}.*"))
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return text
    cells = json.loads(text)["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


@pytest.mark.parametrize("page", PAGES)
def test_sources_are_called_by_their_names_and_each_name_is_a_link(page):
    text = markdown(page)
    nameless = re.findall(rf".*{NAMELESS}.*", text, flags=re.I)
    assert not nameless, f"write ([source 4, erratum 4.7](errata.ipynb#erratum-4-7)): {nameless}"
    prose = re.sub(r"```.*?```|`[^`]*`|\[[^\]]*\]\([^)]*\)|^#.*$", "", text, flags=re.M | re.S)
    bare = re.findall(r".{0,40}\b(?:sources?|errat(?:um|a)) \d.{0,40}", prose, flags=re.I)
    assert not bare, f"these need their link: {bare}"


@pytest.mark.parametrize("page", PAGES)
def test_marks_say_where_they_lead(page):
    """[source 4, erratum 4.7](errata.ipynb#erratum-4-7): the words and the address have the same
    numbers.
    """
    for words, address, source, item in re.findall(
        r"\[([^\]]*)\]\(([\w./-]*)#(?:source|erratum)-(\d)(?:-(\d+))?\)", markdown(page)
    ):
        name = f"{source}.{item}" if item else f"source {source}"
        assert name in words.lower(), (words, address)
        assert address in (
            "",
            *(
                f"{folder}{file}.ipynb"
                for folder in ("", "chapters/")
                for file in ("errata", "sources")
            ),
        )
