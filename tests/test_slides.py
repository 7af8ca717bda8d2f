"""Chapters as slides: what stands on them, and that nothing of it is cut on a projector."""

import json
import re
import shutil
import subprocess
import sys
from importlib.machinery import SourceFileLoader

import nbformat
import pytest
from bs4 import BeautifulSoup
from conftest import ROOT
from jupyter_cache import get_cache
from jupyter_cache.cache.main import CacheBundleIn
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from transformer_lite.tools import slides

LOOKED_AT = ["05-masks", "09-reading-attention"]  # the most figures and the most tables
SIZES = [(1280, 720), (1920, 1080)]

# Of the slide that shows: what reaches out of the screen, and what has more inside than it shows.
CUT = """async () => {
  await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
  const found = [];
  const look = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.closest("aside.notes, mjx-assistive-mml, .sr, defs") || !element.checkVisibility()) continue;
      const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
      if (!width || !height || getComputedStyle(element).visibility === "hidden") continue;
      const name = `${element.localName}.${element.getAttribute("class")}: ${element.textContent.trim().slice(0, 40)}`;
      if (left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1) found.push(name);
      const [x, y] = [getComputedStyle(element).overflowX, getComputedStyle(element).overflowY];
      const inside = !(element instanceof SVGElement) && element.clientWidth;
      if (inside && x !== "visible" && element.scrollWidth > element.clientWidth + 4) found.push(`wide ${name}`);
      if (inside && y !== "visible" && element.scrollHeight > element.clientHeight + 4) found.push(`high ${name}`);
      if (element.shadowRoot) look(element.shadowRoot);
    }
  };
  look(Reveal.getCurrentSlide());
  return found;
}"""


def opened(page, address):
    page.goto(address)
    page.wait_for_function("document.documentElement.dataset.ready", timeout=60_000)


def cut_slides(page):
    """{place of a slide: what is cut on it}, of all slides of the open deck."""
    places = page.evaluate(
        "Reveal.getSlides().map((slide) => Reveal.getIndices(slide)).map(({h, v}) => [h, v ?? 0])"
    )
    assert len(places) > 15
    found = {}
    for place in places:
        page.evaluate("([h, v]) => Reveal.slide(h, v)", place)
        if cut := page.evaluate(CUT):
            found[tuple(place)] = cut
    return found


@pytest.fixture(scope="module")
def decks(site, tmp_path_factory):
    """The decks of two chapters, of the notebooks that the book's build has run."""
    folder = tmp_path_factory.mktemp("slides")
    slides.share(folder / slides.ASSETS)
    for chapter in LOOKED_AT:
        notebook = nbformat.read(
            site.parent / "jupyter_execute" / "chapters" / f"{chapter}.ipynb", as_version=4
        )
        (folder / f"{chapter}.html").write_text(slides.deck(notebook, chapter), encoding="utf-8")
    return folder


@pytest.fixture
def projector(browser):
    """A screen in front of a class, without a network."""
    context = browser.new_context(viewport={"width": SIZES[0][0], "height": SIZES[0][1]})
    page, trouble = context.new_page(), []
    page.on(
        "request",
        lambda request: (
            trouble.append(request.url) if request.url.startswith(("http", "ws")) else None
        ),
    )
    page.on("requestfailed", lambda request: trouble.append(request.url))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("console", lambda note: trouble.append(note.text) if note.type == "error" else None)
    yield page
    context.close()
    assert not trouble


@pytest.mark.parametrize("chapter", LOOKED_AT)
def test_nothing_is_cut_on_a_projector_without_a_network(decks, projector, chapter):
    opened(projector, (decks / f"{chapter}.html").as_uri())
    for width, height in SIZES:
        projector.set_viewport_size({"width": width, "height": height})
        projector.wait_for_function(
            "width => Math.abs(Reveal.getScale() * 1280 - width) < 1", arg=width
        )
        assert cut_slides(projector) == {}


def test_what_is_cut_is_noticed(decks, projector):
    opened(projector, (decks / "05-masks.html").as_uri())
    projector.evaluate("document.querySelector('.page.present .block').style.zoom = 4")
    assert projector.evaluate(CUT)


def test_a_figure_keeps_its_arrow_keys_and_a_remote_turns_the_slide(decks, projector):
    opened(projector, (decks / "05-masks.html").as_uri())
    at = "() => Reveal.getSlides().indexOf(Reveal.getCurrentSlide())"
    figure = "document.querySelector('[data-figure=Masks]')"
    projector.evaluate(f"Reveal.slide(Reveal.getIndices({figure}.closest('.page')).h)")
    here, slider = (
        projector.evaluate(at),
        projector.locator("[data-figure=Masks] input[type=range]").first,
    )
    before = slider.input_value()
    slider.focus()
    for key in ("ArrowLeft", "ArrowLeft", "ArrowDown", "Home"):
        slider.press(key)
    assert projector.evaluate(at) == here and slider.input_value() != before
    slider.press("PageDown")
    projector.wait_for_function(f"({at})() === {here + 1}")
    projector.evaluate("document.activeElement.blur()")
    projector.keyboard.press("ArrowLeft")
    projector.wait_for_function(f"({at})() === {here}")
    projector.keyboard.press("d")
    seen = "(name) => getComputedStyle(document.querySelector(name)).backgroundColor"
    assert projector.evaluate(seen, "body") == "rgb(20, 24, 29)"
    assert projector.evaluate(f"Boolean({figure}.shadowRoot.querySelector('.figure.dark'))")


def test_a_prediction_is_asked_on_one_slide_and_answered_on_the_next(decks, projector):
    opened(projector, (decks / "05-masks.html").as_uri())
    asked = projector.evaluate(
        "[...document.querySelectorAll('.page')].find((p) => p.querySelector('[data-figure=Prediction]')).textContent"
    )
    after = "[...document.querySelectorAll('.page:has([data-figure=Prediction]) + section')][0].textContent"
    assert "Nine per cent" not in asked and "Nine per cent" in projector.evaluate(after)


LONG = (
    "First, short. " + "Then comes a sentence of some length that explains what stands above. " * 6
)


def chapter_of(*cells):
    return new_notebook(cells=[new_markdown_cell("# A title\n\nThe question?"), *cells])


def blocks_of(*cells):
    return BeautifulSoup(slides.deck(chapter_of(*cells), "07-some-chapter"), "html.parser").select(
        "#stage > section"
    )


def test_what_stands_on_slides_follows_from_the_chapter():
    drawn = {
        "output_type": "display_data",
        "data": {"image/svg+xml": "<svg></svg>"},
        "metadata": {},
    }
    title, part, below, exercises, second = blocks_of(
        new_markdown_cell("## A part\n\nText with $a_1 < b$ and $$a * b * c \\tag{7.1}$$ more."),
        new_code_cell("# @title Draw it\nplot()", outputs=[nbformat.from_dict(drawn)]),
        new_markdown_cell("*A caption.*"),
        new_code_cell("value = 1"),
        new_markdown_cell("### Closer look: why?\n\nSo."),
        new_markdown_cell("## Exercises\n\n**7.1 One** · easy, 5 minutes. Write it."),
        new_code_cell('check("7.1", f)', metadata={"nbgrader": {"grade": True}}),
        new_markdown_cell("the answer", metadata={"tags": ["solution"]}),
        new_markdown_cell("**7.2 Two** · harder, 5 minutes. Write it too."),
        new_markdown_cell("## In the package\n\n- Much."),
    )
    assert title.h2.text == "7. A title" and title["class"] == ["title"]
    assert [section["class"] for section in (part, below, exercises, second)] == [
        ["along"],
        ["below"],
        ["along", "exercise"],
        ["below", "exercise"],
    ]
    assert "plot()" not in part.text and "value = 1" in part.text.replace("\n", " ")
    assert part.select_one(".picture .caption").text.strip() == "A caption."
    assert "\\(a_1 < b\\)" in part.text and "\\[a * b * c \\tag{7.1}\\]" in part.text
    assert not any(
        word in exercises.text + second.text for word in ("check(", "the answer", "Much.")
    )


def test_a_long_paragraph_goes_to_the_notes_and_its_questions_stay():
    (_, part) = blocks_of(
        new_markdown_cell(f"## A part\n\n{LONG}**Predict:** what comes next? Say it. It is this:")
    )
    shown, notes = part.select_one(".prose > p").text, part.select_one("aside.notes").text
    assert (
        notes.count("explains") == 6 and shown.startswith("First, short.") and "explains" in shown
    )
    assert shown.count("explains") < 6 and shown.endswith(
        "… Predict: what comes next? Say it. It is this:"
    )
    (_, exercise) = blocks_of(
        new_markdown_cell(f"## Exercises\n\n**7.1 One** · easy, 5 minutes. {LONG}")
    )
    assert exercise.p.text.count("explains") == 6 and not exercise.aside
    (_, short) = blocks_of(new_markdown_cell("## A part\n\nShort. And all of it."))
    assert short.p.text == "Short. And all of it." and not short.aside


def command(*arguments):
    call = [sys.executable, "-m", "transformer_lite", "slides", *map(str, arguments)]
    return subprocess.run(call, capture_output=True, text=True, cwd=ROOT)


@pytest.mark.book
def test_one_command_runs_a_notebook_and_writes_its_slides(tmp_path):
    (tmp_path / "chapters").mkdir()
    nbformat.write(
        chapter_of(new_code_cell("print(6 * 7)")), tmp_path / "chapters" / "03-sums.ipynb"
    )
    made = command(tmp_path / "chapters", "--out", tmp_path / "decks")
    deck = tmp_path / "decks" / "03-sums.html"
    assert made.returncode == 0 and made.stdout.strip() == str(deck)
    text = deck.read_text(encoding="utf-8")
    assert "<pre>42</pre>" in text and not re.search(r"(?:src|href)=\"(?:https?:)?//", text)
    for file in re.findall(r'(?:src|href)="(.+?)"', text):
        assert (deck.parent / file).is_file()

    nbformat.write(chapter_of(new_code_cell("1 / 0")), tmp_path / "04-wrong.ipynb")
    with pytest.raises(ValueError, match="a cell failed: ZeroDivisionError"):
        slides.present([tmp_path / "04-wrong.ipynb"], tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_what_the_book_has_run_already_is_not_run_again(tmp_path, monkeypatch):
    """In a small repository, whose build has kept what its one notebook gave."""
    (tmp_path / "_ext").mkdir()
    shutil.copy(ROOT / "_ext" / "book_execution.py", tmp_path / "_ext")
    (tmp_path / "requirements.txt").write_text("one==1\n", encoding="utf-8")
    (tmp_path / "chapters").mkdir()
    path, cell = tmp_path / "chapters" / "03-sums.ipynb", new_code_cell("print(6 * 7)")
    ran = chapter_of(cell)
    ran.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    nbformat.write(ran, path)
    cell.outputs, cell.execution_count = [new_output("stream", text="42\n")], 1
    book_execution = SourceFileLoader(
        "book_execution", str(ROOT / "_ext" / "book_execution.py")
    ).load_module()
    kept = get_cache(
        tmp_path / "_build" / ".jupyter_cache" / book_execution.sources_digest(tmp_path)
    )
    kept.cache_notebook_bundle(CacheBundleIn(ran, str(path)), check_validity=False)
    monkeypatch.setattr(
        "nbclient.NotebookClient.execute", lambda *args, **kwargs: pytest.fail("it was run again")
    )
    assert "<pre>42</pre>" in slides.deck(slides.executed(path), path.stem)

    (tmp_path / "requirements.txt").write_text(
        "one==2\n", encoding="utf-8"
    )  # another package, other results
    with pytest.raises(pytest.fail.Exception, match="run again"):
        slides.executed(path)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        (None, "", "No such file"),
        ("a.ipynb", "{", "no Jupyter notebook"),
        ("a.ipynb", json.dumps(new_notebook()), "no heading"),
    ],
)
def test_wrong_files_are_refused(tmp_path, name, text, says):
    file = tmp_path / (name or "missing.ipynb")
    if name:
        file.write_text(text, encoding="utf-8")
    with pytest.raises((ValueError, OSError), match=says):
        slides.present(slides.chapters_in([file]), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_without_chapters_and_a_file_to_write_into_are_refused(tmp_path):
    (tmp_path / "slides").write_text("mine", encoding="utf-8")
    with pytest.raises(NotADirectoryError, match="slides"):
        slides.present([], tmp_path / "slides")
    with pytest.raises(
        ValueError, match="two notebooks are called 05-masks, and would share one page"
    ):
        slides.present(
            [tmp_path / "a" / "05-masks.ipynb", tmp_path / "b" / "05-masks.ipynb"], tmp_path / "out"
        )
    with pytest.raises(ValueError, match="has no chapter"):
        slides.chapters_in([tmp_path])
