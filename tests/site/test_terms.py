"""Terms of the glossary explain themselves where a chapter first uses them."""

import re
import sys
from copy import copy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "_ext"))
from book_terms import anchor, entries, linked  # noqa: E402

CHAPTERS = sorted(path.stem for path in (ROOT / "chapters").glob("[01]*.ipynb"))
GLOSSARY = entries(ROOT / "chapters" / "glossary.md")
TRAINING = [
    "Adam",
    "dropout",
    "epoch",
    "gradient",
    "label smoothing",
    "learning rate",
    "loss",
    "parameter",
    "warm-up",
]


def test_every_entry_is_read():
    text = (ROOT / "chapters" / "glossary.md").read_text(encoding="utf-8")
    assert len(GLOSSARY) == len(re.findall(r"^\*\*", text, flags=re.M)) > 60
    assert not [
        term for term, definition in GLOSSARY.items() if re.search(r"[$`*\[\]]", definition)
    ]
    assert set(TRAINING) <= set(GLOSSARY)


def test_a_term_is_linked_once_and_as_a_whole_word():
    definitions = {"mask": "m", "causal mask": "c", "ReLU": "r"}
    done = set()
    pieces = list(
        linked(
            "Masked: a causal mask, the causal mask, unmasked; masks. relu, ReLU", definitions, done
        )
    )
    assert [re.sub("<.*?>", "", str(p)) for p in pieces[1::2]] == ["causal mask", "masks", "ReLU"]
    assert done == {*definitions} and len(list(linked("A mask", definitions, done))) == 1


@pytest.mark.site
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_term_is_a_link_where_it_first_stands(soup, chapter):
    page = soup(f"chapters/{chapter}.html")
    seen = [link["href"].partition("#")[2] for link in page.select("a.term")]
    assert len(seen) > 5 and len(set(seen)) == len(seen)
    assert all(soup("chapters/glossary.html").find(id=name) for name in seen)
    article = copy(page.article)
    marked = (
        "pre, code, h1, h2, h3, h4, .math, script, style, .tl-figure, summary, svg, img, "
        "a:not(.term)"
    )
    for closed in article.select(marked):
        closed.decompose()
    paragraphs = [p for p in article.select("p, li, td") if not p.find_parent("a")]
    for term in TRAINING:
        for p in paragraphs:
            if re.search(rf"(?<![\w-]){term}(?:s|es)?(?![\w-])", p.get_text()):
                assert anchor(term) in seen, f"{term!r} is used and never explained"
                break


@pytest.mark.site
def test_a_definition_shows_on_hover_on_focus_and_on_a_tap(visit):
    page = visit("chapters/05-masks.html").page
    term = page.locator("a.term").nth(3)
    note = page.locator("#term-note")
    definition = term.get_attribute("data-definition")
    term.hover()
    note.wait_for()
    assert note.text_content() == definition
    (of_term, of_note) = (one.bounding_box() for one in (term, note))
    x = of_term["x"] + 5
    down = of_note["y"] > of_term["y"]
    start = of_term["y"] + (of_term["height"] - 1 if down else 1)
    for step in range(16):
        page.mouse.move(x, start + (step if down else -step) / 2)
    assert note.is_visible(), "a pointer can go from the term to its note"
    page.keyboard.press("Escape")
    note.wait_for(state="hidden")
    page.mouse.move(0, 0)
    term.focus()
    note.wait_for()
    assert term.get_attribute("aria-describedby") == "term-note"

    phone = visit("chapters/05-masks.html", width=360, has_touch=True, is_mobile=True).page
    term = phone.locator("a.term").nth(3)
    term.tap()
    phone.locator("#term-note").wait_for()
    assert "05-masks" in phone.url and phone.locator("#term-note").text_content() == definition
    box = phone.locator("#term-note").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 360
    phone.locator("h1").tap()
    phone.locator("#term-note").wait_for(state="hidden")
    term.tap()
    phone.locator("#term-note").wait_for()
    assert "05-masks" in phone.url, "the note had been put away"
    term.tap()
    phone.wait_for_url("**/glossary.html#term-*")
