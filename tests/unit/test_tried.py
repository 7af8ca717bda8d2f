"""What was tried stands in its chapter as it was tried, and can be tried again."""

import json
import re

import pytest
from conftest import ROOT
from test_make import CUTS

from dev.tried import ATTEMPTS, FOUND, OUTCOMES, PAGE, pages, programs

PROGRAMS = programs()
MARK = re.compile(r"\]\((?:chapters/)?tried\.md#tried-([\w-]+)\)")


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt["number"])
def test_what_was_tried_is_what_the_chapter_says(attempt):
    assert any(attempt["claim"] in cell for cell in pages.cells(attempt["page"])), attempt["claim"]
    assert attempt["outcome"] in OUTCOMES
    assert attempt["program"] in PROGRAMS


def test_the_page_is_made_from_the_attempts():
    assert PAGE.read_text(encoding="utf-8") == pages.written()
    numbers = [attempt["number"] for attempt in ATTEMPTS]
    assert len(set(numbers)) == len(numbers)


def test_a_mark_in_a_chapter_leads_to_what_was_tried_of_that_chapter():
    tried = {(a["page"], a["number"].replace(".", "-")) for a in ATTEMPTS}
    marked = {
        (path.stem, number)
        for path in (ROOT / "chapters").glob("*.ipynb")
        for cell in pages.cells(path.stem)
        for number in MARK.findall(cell)
    }
    assert marked <= tried


def test_every_program_is_named_and_what_came_out_is_kept():
    assert {attempt["program"] for attempt in ATTEMPTS} == set(PROGRAMS)
    found = json.loads(FOUND.read_text(encoding="utf-8"))
    assert set(found) == set(PROGRAMS)
    assert all(kept["rows"] and kept["processor"] for kept in found.values())


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_tries_again(name, monkeypatch):
    function = PROGRAMS[name]
    for known in CUTS.keys() & function.__globals__.keys():
        monkeypatch.setitem(function.__globals__, known, CUTS[known])
    rows = function(**function.small)
    kept = json.loads(FOUND.read_text(encoding="utf-8"))[name]["rows"]
    assert {key for row in rows for key in row} <= {key for row in kept for key in row}


def test_sentences_that_conclude_are_found():
    said = pages.concluding("07-the-whole-transformer")
    assert said and all(pages.CONCLUDES.search(sentence) for sentence in said)
    assert pages.CONCLUDES.search("Only the last head is missed.")
    assert not pages.CONCLUDES.search("The last head is missed.")
