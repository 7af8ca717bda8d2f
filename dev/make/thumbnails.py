"""The small pictures of the figures, which other sites show beside a link to a figure's page.

    python -m dev.make.thumbnails [FIGURE ...]

writes `_static/figures/threads.webp` and so on, 600 by 315, one for each figure that the wall of
`chapters/gallery.ipynb` leads to, or for the named ones alone. It runs that notebook, and Chromium
draws what its cells give. What a picture shows of its figure, and in which state, stands in the
figure's class: its `thumbnail`.
"""

import argparse
import io
import re
import shutil
import tempfile
from pathlib import Path
from urllib.parse import quote

import nbformat
from nbclient import NotebookClient
from PIL import Image

from attention_by_hand import figures
from transformer_lite.files import write_whole

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "chapters" / "gallery.ipynb"
STATIC = ROOT / "_static"
STYLE = STATIC / "book.css"
SIZE = 600, 315  # what other sites take for a picture beside a link
GROUND = "#ffffff"
MARGIN = 12  # pixels around what is shown
KIND = re.compile(r'<div class="tl-figure" data-figure="(\w+)"')
THUMBNAILS = {
    name: shown for name in figures.__all__ if (shown := getattr(figures, name).thumbnail)
}
PAGE = """<!doctype html><html lang="en" data-theme="light"><meta charset="utf-8">
<link rel="stylesheet" href="{style}"><style>body::before {{ content: none !important; }}</style>
<body style="margin: 0">{figure}"""  # without the line that says how far a page has been read
STILL = "![...document.querySelectorAll('.tl-figure')].some((home) => \
home.shadowRoot.querySelector('[aria-busy=true]'))"
AS_SAVED = "root => root.classList.add('saved')"


def snapshots() -> dict[str, str]:
    """{figure: its HTML}, as the cells of the gallery make it."""
    notebook = nbformat.read(GALLERY, as_version=4)
    cells = NotebookClient(notebook, resources={"metadata": {"path": GALLERY.parent}}).execute()
    given = [
        output.data["text/html"]
        for cell in cells["cells"]
        for output in cell.get("outputs", [])
        if "text/html" in output.get("data", {})
    ]
    return {kind[1]: html for html in given if (kind := KIND.search(html))}


def small(picture: bytes) -> bytes:
    """The upper part of a picture, in the shape of all of them."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    room = SIZE[0] - 2 * MARGIN, SIZE[1] - 2 * MARGIN
    image = image.crop((0, 0, image.width, min(image.height, image.width * room[1] // room[0])))
    scale = min(room[0] / image.width, room[1] / image.height)
    image = image.resize(
        (round(scale * image.width), round(scale * image.height)), Image.Resampling.LANCZOS
    )
    whole = Image.new("RGB", SIZE, GROUND)
    whole.paste(image, ((SIZE[0] - image.width) // 2, (SIZE[1] - image.height) // 2))
    file = io.BytesIO()
    whole.save(file, "WEBP", quality=35, method=6)
    return file.getvalue()


def shot(browser, file: Path, kind: str) -> bytes:
    """A figure in the state that its `thumbnail` names, as Chromium draws it."""
    shown, width, state = THUMBNAILS[kind]
    page = browser.new_page(
        viewport={"width": width, "height": 700}, device_scale_factor=2, reduced_motion="reduce"
    )
    page.goto(f"{file.as_uri()}#{kind}?{quote(state, safe='=&')}")
    if kind == "TrainingPlayground":
        page.get_by_role("button", name="play").click()
        page.locator("figure[data-step='64']").wait_for()
    page.wait_for_timeout(1000)  # for the letters and for what moves
    page.wait_for_function(STILL)
    page.locator("figure.figure").evaluate(AS_SAVED)
    picture = page.locator(shown).first.screenshot()
    page.close()
    return picture


def draw(chromium, given: dict[str, str]) -> None:
    """Write the pictures of these figures: {name: its HTML}."""
    (STATIC / "figures").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figure.html"
        for kind, figure in given.items():
            name = re.sub(r"\B([A-Z])", r"-\1", kind).lower()
            file.write_text(PAGE.format(style=STYLE.as_uri(), figure=figure), encoding="utf-8")
            write_whole(STATIC / "figures" / f"{name}.webp", small(shot(chromium, file, kind)))


def chosen(arguments: list[str] | None = None) -> list[str]:
    """The figures to draw, by name: those of the command line, or all."""
    parser = argparse.ArgumentParser(
        prog="python -m dev.make.thumbnails", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "figures",
        metavar="FIGURE",
        nargs="*",
        help="whose picture to draw, such as Threads; those of all unless given",
    )
    named = parser.parse_args(arguments).figures
    if unknown := {*named} - {*THUMBNAILS}:
        parser.error(f"no figure {', '.join(sorted(unknown))}; there are {', '.join(THUMBNAILS)}")
    return named or [*THUMBNAILS]


def main() -> None:
    from playwright.sync_api import sync_playwright

    wanted = chosen()
    names = ["chromium-headless-shell", "chromium", "google-chrome"]
    browser = next(filter(None, map(shutil.which, names)))
    given = snapshots()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        draw(chromium, {kind: given[kind] for kind in wanted})
        chromium.close()


if __name__ == "__main__":
    main()
