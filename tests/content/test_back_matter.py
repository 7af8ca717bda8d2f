"""The back matter: every erratum has its place, every term its chapter, every figure its line."""

import json
import re
import sys
from pathlib import Path

import pytest
from contents import homes_of

from attention_by_hand import figures
from dev.make.thumbnails import THUMBNAILS

sys.path.append(str(Path(__file__).parents[2] / "_ext"))
from book_exercises import count_minutes  # noqa: E402
from book_figures import page_of  # noqa: E402

CHAPTERS = Path(__file__).parents[2] / "chapters"
ERRATA = {
    0: "1B 2A 3C 4B 6B",
    1: "1A 2A 3A 4C 5B 6B 12B",
    2: "1B 2A 3B 4B 5B 6B 7B 8B 9B 10A 11A 12B 13B 14B 15B 16B 19B 20C 22A",
    3: "1A 2A 3B 4B 5B 6B 7A 8B 9C 11B 16C",
    4: "1A 2A 3A 4A 5A 6A 7A 8A 9A 10A 11A 12A 13A 14A 15A 16A 19C 20A 21A 24A 25A 26A",
}


def text(name):
    path = CHAPTERS / name
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    return "\n\n".join(
        "".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
    )


def prose(name):
    """What a reader reads of a chapter: no code, no addresses."""
    cells = json.loads((CHAPTERS / name).read_text(encoding="utf-8"))["cells"]
    markdown = "\n\n".join(
        "".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"
    )
    return re.sub(r"```.*?```|\]\(.*?\)", "", markdown, flags=re.S)


def test_every_erratum_is_there_once_with_its_kind_and_the_text_counts_them():
    found = re.findall(r"\*\*(\d\.\d+)\*\* \(([ABC])\)", text("errata.ipynb"))
    expected = [
        (f"{source}.{item[:-1]}", item[-1])
        for source, items in ERRATA.items()
        for item in items.split()
    ]
    assert sorted(found) == sorted(expected)
    unsaid = sum(kind == "C" for _, kind in found)
    assert f"{len(found) - unsaid} errors, and {unsaid} things that are right" in text(
        "errata.ipynb"
    )


def test_every_erratum_that_is_not_history_is_tried_or_sent_to_a_chapter():
    """Tried: a cell with an assertion names it. Sent: its paragraph links a chapter."""
    cells = json.loads((CHAPTERS / "errata.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    named = [
        re.findall(r'[#"] *((?:\d\.\d+(?:, )?)+)', source) for source in code if "assert" in source
    ]
    tried = {number for names in named for each in names for number in each.split(", ")}
    neither = set()
    for paragraph in text("errata.ipynb").split("\n\n"):
        sent = any(
            (CHAPTERS / link).exists() for link in re.findall(r"\]\(([01]\d-[^)#]+)", paragraph)
        )
        for number, _ in re.findall(r"\*\*(\d\.\d+)\*\* \(([ABC])\)", paragraph):
            if not sent and number not in tried:
                neither.add(number)
    # Which paper was first: its own text says it, with both papers' addresses
    assert neither == {"4.14"}


def test_the_glossary_is_in_order_and_its_terms_stand_where_it_says():
    entries = re.findall(
        r"^\*\*(.+?)\*\*: (.+) \[(Chapter \d+|Before you begin)\]\((.+?)\)$",
        text("glossary.md"),
        re.M,
    )
    assert len(entries) >= 60 and [term for term, *_ in entries] == sorted(
        (e[0] for e in entries), key=str.lower
    )
    for term, sentence, place, link in entries:
        number = re.match(r"Chapter (\d+)", place)
        begins = f"{int(number[1]):02}-" if number else "before-you-begin."
        assert sentence.endswith(".") and link.startswith(begins)
        stem = {
            "exact match": "exactly right",
            "key": "key",
            "optimizer": "Adam",  # which is the only one
            "path length": "path",
            "query": "quer",
        }.get(term, term)
        words = re.split(r"[ -]", stem.lower())
        said = text(link) if term == "rank" else prose(link)  # what a print says
        assert all(word.rstrip("s")[:7] in said.lower() for word in words), (term, link)


def test_the_gallery_shows_every_figure():
    made = re.findall(r"^([A-Z]\w+)\(", text("gallery.ipynb"), re.M)
    assert sorted(made) == sorted(figures.__all__)


ROW = re.compile(r"^\| (\[.+?) \| \[(.+?)\]\(#.+?\) \| (.+?) \| !\[(.+?)\]\(\.\./(.+?)\) \|$", re.M)


def test_the_wall_has_every_figure_in_the_book_s_order_and_says_where_it_stands():
    rows = ROW.findall(text("gallery.ipynb"))
    pictures = {
        page_of(name).replace("figures", "_static/wall") + ".svg": name for name in THUMBNAILS
    }
    assert sorted(picture for *_, picture in rows) == sorted(pictures)
    numbers = []
    for where, title, sentence, alternative, picture in rows:
        chapters = homes_of(pictures[picture])
        links = [name[:2] for name in re.findall(r"\]\((.+?)\)", where)]
        assert links == [f"{n:02}" for n in chapters] or links in (["be"], [".."]), title
        numbers.append(chapters[0] if chapters else -1)
        assert f"## {title}\n" in text("gallery.ipynb") and 20 < len(alternative) < 90, title
        assert len(sentence) < 50 and sentence[-1] in ".?", title
    assert numbers == sorted(numbers)


def test_the_pictures_of_the_wall_and_beside_links_are_small():
    names = {page_of(name).removeprefix("figures/") for name in THUMBNAILS}
    for folder, end, most in (("figures", ".webp", 200_000), ("wall", ".svg", 60_000)):
        pictures = [*(CHAPTERS.parent / "_static" / folder).iterdir()]
        assert {path.name for path in pictures} == {name + end for name in names}
        assert sum(path.stat().st_size for path in pictures) < most


def test_a_link_that_names_a_number_leads_there():
    kinds = {
        r"chapter (\d+)": lambda n: f"{int(n):02}-",
        r"lesson (\d+)": lambda n: f"lesson-{int(n):02}",
        r"source (\d)": lambda n: f"#source-{n}",
        r"(?:.*, )?erratum (\d\.\d+)": lambda n: f"#erratum-{n.replace('.', '-')}",
        r"exercise (\d+\.\d+)": lambda n: f"#exercise-{n.replace('.', '-')}",
        r"prediction (\d+\.\d+)": lambda n: f"#prediction-{n.replace('.', '-')}",
        r"\((\d+\.\d+)\)": lambda n: f"#eq-{n}",
    }
    met = set()
    for page in [
        CHAPTERS.parent / "index.ipynb",
        *CHAPTERS.glob("*.ipynb"),
        *CHAPTERS.glob("**/*.md"),
    ]:
        for words, target in re.findall(r"\[([^\]]+)\]\(([^)]+)\)", text(page)):
            for kind, place in kinds.items():
                if found := re.fullmatch(kind, words, re.I):
                    met.add(kind)
                    end = place(found[1])
                    assert target.endswith(end) if "#" in end else end in target, (
                        page,
                        words,
                        target,
                    )
    assert met == kinds.keys()


@pytest.mark.parametrize("page", ["../index.ipynb", "for-teachers.md", "teach/hub.md"])
def test_a_table_of_the_chapters_has_each_by_its_title(page):
    rows = re.findall(
        r"^\| \[?(\d+)\. \[?(.+?)\]\([\w/.]*?(\d\d-[\w-]+\.ipynb)\)", text(page), re.M
    )
    chapters = sorted(CHAPTERS.glob("[0-9][0-9]-*.ipynb"))
    # A table leaves out what a colon adds
    titles = [re.match("# ([^:\n]+)", text(path.name))[1] for path in chapters]
    assert rows == [
        (str(int(p.name[:2])), title, p.name) for p, title in zip(chapters, titles, strict=True)
    ]


def test_minutes_without_a_chapter_are_an_error():
    with pytest.raises(ValueError, match="belongs into a row that begins with a chapter"):
        count_minutes("| a lesson | <!-- minutes --> |", CHAPTERS)
