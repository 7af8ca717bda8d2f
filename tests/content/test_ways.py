"""A chapter has two halves, and the first halves are an afternoon of as many minutes as is said."""

import json
import re

import pytest
from conftest import ROOT

from attention_by_hand import exercises

CHAPTERS = sorted((ROOT / "chapters").glob("[01]*.ipynb"))
BEFORE = ROOT / "chapters" / "before-you-begin.ipynb"
ROW = re.compile(r"^\| (\d+)\. \[.+?\]\(chapters/(.+?)\) \| .+? \| (\d+) minutes \| !\[", re.M)
ON = re.compile(r"\*\*\[On to chapter (\d+): [^]]+\]\(([^)#]+)\)\*\* \((\d+) minutes\)")
STAY = re.compile(r"\*\*\[[Ss]tay for the workshop\]\(#the-workshop\)\*\*[^\n]*\(\d+ minutes\b")
ENDS = ["What you predicted", "Exercises", "From the sources", "In the package"]


def text(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells)


def test_the_minutes_of_the_afternoon_are_those_that_lead_from_chapter_to_chapter():
    front = text(ROOT / "index.ipynb")
    rows = [(int(n), name, int(minutes)) for n, name, minutes in ROW.findall(front)]
    assert [(n, name) for n, name, _ in rows] == [(n, path.name) for n, path in enumerate(CHAPTERS)]
    led = [
        (int(n), name, int(minutes))
        for path in [BEFORE, *CHAPTERS]
        for n, name, minutes in ON.findall(text(path))
    ]
    assert led == rows
    assert f"](chapters/{BEFORE.name}) (" in front.partition("\n## The chapters\n")[0]
    whole = sum(minutes for *_, minutes in rows)
    assert f"{whole} minutes, or {whole // 60} hours and {whole % 60} minutes" in front


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_has_a_place_to_rest_between_its_way_and_its_workshop(chapter):
    page = text(chapter)
    headings = re.findall("^## (.+)$", page, re.M)
    rest, workshop = headings.index("You have it"), headings.index("The workshop")
    assert 0 < rest and workshop == rest + 1
    kept = [heading for heading in ENDS if heading in headings]
    assert headings[-len(kept) :] == kept and {"Exercises", "In the package"} <= {*kept}
    between = page.partition("\n## You have it\n")[2].partition("\n## The workshop\n")[0]
    assert between.lstrip().startswith("> "), "a sentence that one could quote"
    assert "<summary>Answer</summary>" in between, "a question from before"
    number = f"{int(chapter.name[:2])}.1"
    asked = re.findall(r'^check\("([\d.]+)"', between, re.M)
    exercises.load(int(chapter.name[:2]))
    assert asked == [number] and number in exercises.SHEETS, "one exercise, answered in the page"
    assert len(STAY.findall(between)) == 1 and len(ON.findall(between)) == (chapter != CHAPTERS[-1])
