"""A chapter has two halves, and the first halves are an afternoon of as many minutes as is said."""

import json
import re

from conftest import ROOT

CHAPTERS = sorted((ROOT / "chapters").glob("[01]*.ipynb"))
BEFORE = ROOT / "chapters" / "before-you-begin.ipynb"
ROW = re.compile(r"^\| (\d+)\. \[.+?\]\(chapters/(.+?)\) \| .+? \| (\d+) minutes \| !\[", re.M)
ON = re.compile(r"\*\*\[On to chapter (\d+): [^]]+\]\(([^)#]+)\)\*\* \((\d+) minutes\)")


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
