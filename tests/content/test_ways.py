"""A chapter has two halves, and the first halves are an afternoon of as many minutes as is said."""

import json
import re
from itertools import takewhile
from urllib.parse import parse_qsl

from conftest import ROOT
from figure_examples import EXAMPLES

CHAPTERS = sorted((ROOT / "chapters").glob("[01]*.ipynb"))
EVENING = 10  # its first chapter
PHONE = 48  # letters in a line of code
BEFORE = ROOT / "chapters" / "before-you-begin.ipynb"
ROW = re.compile(r"^\| (\d+)\. \[.+?\]\(chapters/(.+?)\) \| .+? \| (\d+) minutes \| !\[", re.M)
ON = re.compile(r"\*\*\[On to chapter (\d+): [^]]+\]\(([^)#]+)\)\*\* \((\d+) minutes\)")


LINK = re.compile(r"\]\(([^)#\s]+\.ipynb)#([^)]+)\)")
STATE = re.compile(r'href="#([A-Z]\w+)\?([^"]+)"')
PULLED = re.compile(r'<a class="pulled" href="#(\w+)\?([^"]+)"')
ANSWER = re.compile(r'<output for="(\w+)" name="(\w+)"')
HEADING = re.compile(r"^#+ (.+)$", re.M)


def text(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells)


def way(path):
    """What stands before the workshop."""
    before, _, workshop = text(path).partition("\n## The workshop\n")
    assert workshop
    return before


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
    afternoon = sum(minutes for number, _, minutes in rows if number < EVENING)
    evening = sum(minutes for number, _, minutes in rows if number >= EVENING)
    hours = f"{afternoon // 60} hours and {afternoon % 60} minutes"
    assert f"**the afternoon**: {afternoon} minutes, or {hours}" in front
    assert f"**the evening**: {evening} minutes" in front


def test_the_afternoon_ends_on_its_page_before_the_evening():
    contents = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    files = re.findall(r"file: chapters/(\S+)", contents)
    place = files.index("what-you-have-seen")
    assert files[place - 1].startswith(f"{EVENING - 1:02}-")
    assert files[place + 1 : place + 3] == ["one-file", CHAPTERS[EVENING].stem]


def test_no_code_of_a_way_is_cut_on_a_phone():
    """As many letters fit as _static/book.css says."""
    for path in [*CHAPTERS, ROOT / "chapters" / "what-you-have-seen.ipynb"]:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        for cell in takewhile(
            lambda cell: not "".join(cell["source"]).startswith("## The workshop"), cells
        ):
            if cell["cell_type"] == "code" and "hide-input" not in cell["metadata"].get("tags", []):
                lines = "".join(cell["source"]).splitlines()
                assert [line for line in lines if len(line) > PHONE] == [], path.name


def test_words_of_a_way_set_its_figures():
    """A link such as `#Masks?kind=3` has a state that the figure of its page can show."""
    for path in CHAPTERS:
        states = STATE.findall(way(path))
        assert states, path.name
        for name, state in states:
            controls = {one.trait: one for one in EXAMPLES[name].make().controls()}
            assert f"{name}(" in text(path)
            for trait, value in parse_qsl(state):
                control = controls[trait]
                if control.options:
                    assert int(value) in range(len(control.options))
                elif control.kind != "check":
                    assert isinstance(control.max, str) or float(value) <= control.max
                    assert float(value) >= control.min


def test_a_number_that_is_pulled_has_a_slider_and_its_figure_knows_the_answers():
    texts = {page.name: text(page) for page in (ROOT / "chapters").glob("*.ipynb")}
    pages = {page: words for page, words in texts.items() if PULLED.search(words)}
    assert len(pages) >= 3
    for page, words in pages.items():
        for name, state in PULLED.findall(words):
            figure = EXAMPLES[name].make()
            controls = {one.trait: one for one in figure.controls()}
            *_, pulled = traits = [trait for trait, _ in parse_qsl(state)]
            assert {*traits} <= {*controls} and controls[pulled].kind in ("slider", "scale"), page
            answers = [answer for kind, answer in ANSWER.findall(words) if kind == name]
            (said,) = re.findall(r"model\.answers = {(.+)};", figure._file.read_text("utf-8"))
            assert answers and all(re.search(rf"\b{one}\b", said) for one in answers), page


def test_a_way_leans_on_other_ways_alone():
    """A link from a way to a place in another chapter leads to a heading of that chapter's way."""
    headings = {
        path.name: {slug(title) for title in HEADING.findall(way(path))} for path in CHAPTERS
    }
    led = [(path.name, page, place) for path in CHAPTERS for page, place in LINK.findall(way(path))]
    assert len(led) > 10
    assert [link for link in led if link[2] not in headings.get(link[1], {link[2]})] == []


def slug(title):
    """As the site makes it of a heading."""
    return "-".join(re.sub(r"[^\w\- ]", "", title.lower()).split())
