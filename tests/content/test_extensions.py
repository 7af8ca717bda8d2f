"""The extensions of the site work on a page in the order that `_ext/book_order.py` says."""

import base64
import io
import re
from importlib import import_module
from unittest.mock import MagicMock

import matplotlib.pyplot as plt
import pytest
import yaml
from book_exercises import end_of_exercise
from book_order import ORDER, PLACES, POST_TRANSFORM, TRANSFORM, take_places
from book_pictures import smaller
from book_reading import show_halves
from bs4 import BeautifulSoup
from conftest import ROOT
from docutils import nodes
from fontTools.ttLib import TTFont
from IPython.core.pylabtools import print_figure

from attention_by_hand import plots

CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
EXTENSIONS = CONFIG["sphinx"]["local_extensions"]


def steps_of(extension, outdir):
    """{what it registers with Sphinx: the event and the priority}."""
    app = MagicMock(outdir=outdir)
    import_module(extension).setup(app)
    steps = {
        call.args[1]: (call.args[0], call.kwargs.get("priority")) for call in app.connect.mock_calls
    }
    for call in app.add_transform.mock_calls:
        steps[call.args[0]] = TRANSFORM, call.args[0].default_priority
    for call in app.add_post_transform.mock_calls:
        steps[call.args[0]] = POST_TRANSFORM, call.args[0].default_priority
    return {f"{step.__module__}.{step.__name__}": place for step, place in steps.items()}


def test_every_step_of_every_extension_stands_in_the_order_and_nothing_else_does(tmp_path):
    steps = {}
    for extension in EXTENSIONS:
        steps |= steps_of(extension, tmp_path / "html")
    assert steps == PLACES
    assert len(PLACES) == sum(len(names) for rows in ORDER.values() for names in rows.values())


def test_a_step_without_a_place_is_refused():
    def stray(app):
        pass

    with pytest.raises(KeyError, match="stray"):
        take_places(MagicMock(), stray)


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
    ax.set_title("Größe")
    drawn = plots.with_letters(print_figure(figure, "svg"))
    plt.close(figure)
    kept = smaller(drawn)
    assert len(kept) < 0.9 * len(drawn)
    assert "<metadata>" not in kept
    texts = [re.findall(r"<text.*?>([^<]*)</text>", svg) for svg in (drawn, kept)]
    assert texts[0] == texts[1] and "Größe" in texts[1]
    before, after = (
        [float(at) for at in re.findall(r' x="([\d.]+)"', svg)] for svg in (drawn, kept)
    )
    assert after == pytest.approx(before, abs=0.01) and after != before
    (font,) = {*re.findall(r"data:font/woff2;base64,([^)]+)", kept)}
    letters = TTFont(io.BytesIO(base64.b64decode(font))).getBestCmap()
    assert {*map(ord, "Größe012")} <= {*letters}
    assert smaller('<g transform="scale(0.015625)"/>') == '<g transform="scale(0.015625)"/>'
