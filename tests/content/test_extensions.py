"""The steps of the site work on a page in the order that `_ext/book_order.py` says."""

import base64
import io
import re
from unittest.mock import MagicMock

import matplotlib.pyplot as plt
import pytest
from book_exercises import end_of_exercise
from book_order import ORDER, POST_TRANSFORM, TRANSFORM, setup
from book_pictures import smaller
from book_reading import show_halves
from bs4 import BeautifulSoup
from docutils import nodes
from fontTools.ttLib import TTFont
from IPython.core.pylabtools import print_figure

from attention_by_hand import plots


def test_every_step_is_called_where_it_stands_in_the_order(tmp_path):
    app = MagicMock(outdir=tmp_path / "html")
    setup(app)
    called = {
        (call.args[0], call.kwargs["priority"], call.args[1]) for call in app.connect.mock_calls
    }
    for event, add in ((TRANSFORM, app.add_transform), (POST_TRANSFORM, app.add_post_transform)):
        for call in add.mock_calls:
            made = call.args[0]
            called.add((event, made.default_priority, made.__name__))
            assert ("html",) == made.formats
    expected = set()
    for event, rows in ORDER.items():
        for first, steps in rows.items():
            assert len(steps) == len({*steps})
            for priority, step in enumerate(steps, first):
                as_class = event in (TRANSFORM, POST_TRANSFORM)
                expected.add((event, priority, step.__name__ if as_class else step))
    assert called == expected


def exercise(*after):
    """A section with an exercise and what stands after its check, and where the exercise ends."""
    begin = nodes.paragraph(
        "", "", nodes.strong("", "5.1 By hand"), nodes.Text(" · easy, 5 minutes.")
    )
    parts = [nodes.raw("", one) if one[0] == "<" else nodes.paragraph("", one) for one in after]
    section = nodes.section("", nodes.title(), begin, nodes.container(), *parts)
    return [part.astext() for part in section[3 : end_of_exercise(section, 1)]]


def test_an_exercise_ends_with_its_solution():
    solved = ["<details><summary>Solution</summary>", "It is 3.", "</details>"]
    assert exercise(*solved, "On to chapter 6.") == solved
    inside = [*solved[:2], "<details><summary>Why?</summary>", "So.", *2 * ["</details>"]]
    assert exercise(*inside, "On.", "</details>") == inside
    hint = ["<details><summary>Hint</summary>", "Count.", "</details>"]
    assert exercise(*hint, *solved, "On.") == [*hint, *solved]
    assert exercise("Nothing solves it.") == ["Nothing solves it."]


def contents(*names):
    items = "".join(f'<li class="toc-h2"><a href="#{name}">{name}</a></li>' for name in names)
    tree = BeautifulSoup(f'<ul class="nav">{items}</ul>', "html.parser")
    show_halves(tree)
    return [
        [part.get_text() for part in item.find_all(["span", "a"])]
        for item in tree.ul.find_all("li", recursive=False)
    ]


def test_the_contents_have_two_halves_where_the_page_has():
    page = "one", "two", "you-have-it", "the-workshop", "three", "exercises"
    assert contents(*page) == [["The way", "one", "two"], ["you-have-it"], [*page[3:]]]
    assert contents("one", "two") == [["one"], ["two"]]


def test_a_picture_gets_smaller_and_keeps_its_letters_and_places():
    plots.use_style()
    figure, ax = plt.subplots()
    ax.plot([0, 1, 2], [3, 1, 2])
    ax.set_title("Größe 1.907")
    drawn = plots.with_letters(print_figure(figure, "svg"))
    plt.close(figure)
    kept = smaller(drawn)
    assert len(kept) < 0.9 * len(drawn)
    assert "<metadata>" not in kept
    texts = [re.findall(r"<text.*?>([^<]*)</text>", svg) for svg in (drawn, kept)]
    assert texts[0] == texts[1] and "Größe 1.907" in texts[1]
    before, after = (
        [float(at) for at in re.findall(r' x="([\d.]+)"', svg)] for svg in (drawn, kept)
    )
    assert after == pytest.approx(before, abs=0.01) and after != before
    (font,) = {*re.findall(r"data:font/woff2;base64,([^)]+)", kept)}
    letters = TTFont(io.BytesIO(base64.b64decode(font))).getBestCmap()
    assert {*map(ord, "Größe012")} <= {*letters}
    assert smaller('<g transform="scale(0.015625)"/>') == '<g transform="scale(0.015625)"/>'
