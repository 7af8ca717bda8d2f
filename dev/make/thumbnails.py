"""The small pictures of the figures, for the gallery's wall and for links to a figure's page.

    python -m dev.make.thumbnails

writes `_static/figures/threads.webp` and so on, 600 by 315, one for each figure that the wall of
`chapters/gallery.ipynb` shows, and a smaller one for dark pages. It runs that notebook, and
Chromium draws what its cells give. What a picture shows of its figure, and in which state, stands
in `VIEWS`.
"""

import io
import re
import shutil
import tempfile
from pathlib import Path
from urllib.parse import quote

import nbformat
from nbclient import NotebookClient
from PIL import Image

from transformer_lite.files import write_whole

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "chapters" / "gallery.ipynb"
STATIC = ROOT / "_static"
SIZE = 600, 315  # what other sites take for a picture beside a link
SMALLER = 360, 189  # for dark pages, which only the gallery needs
GROUNDS = {"light": "#ffffff", "dark": "#14181e"}
MARGIN = 12  # pixels around what is shown
KIND = re.compile(r'<div class="tl-figure" data-figure="(\w+)"')
# {figure: (the width of its page, what is shown of it, from its top, its state as in an address)}
VIEWS = {
    "Threads": (700, ".picture", "target_word=3"),
    "BreakIt": (700, ".body", 'off=["positions"]'),
    "OneWeight": (560, ".curve", ""),
    "Recall": (560, ".recall", ""),
    "EmbeddingLookup": (560, ".panel", ""),
    "Question": (700, ".pictures", ""),
    "Pencil": (560, ".body", "step=1"),
    "ByHand": (560, ".flow", ""),
    "SoftmaxScale": (700, ".sides", ""),
    "HeadLanes": (700, ".body", ""),
    "HeadsInMemory": (700, ".boards", ""),
    "Masks": (640, ".panel", ""),
    "Positions": (700, ".body", ""),
    "MachineMap": (900, ".stack", "stop=21"),
    "TrainingPlayground": (560, ".curve", ""),
    "TrainingReplay": (560, ".losses", "step=64"),
    "AttentionExplorer": (900, ".explorer", "row=4"),
    "LiveTranslator": (700, ".live", ""),
    "PathLengths": (560, ".body", ""),
    "Writer": (700, ".writer", ""),
    "InductionHeads": (700, ".induction", ""),
    "ModelBill": (560, ".body", ""),
    "ManyNetworks": (700, ".both", ""),
}
PAGE = """<!doctype html><html lang="en" data-theme="{theme}"><meta charset="utf-8">
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


def small(picture: bytes, size: tuple[int, int], ground: str) -> bytes:
    """The upper part of a picture, in the shape of all of them."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    room = size[0] - 2 * MARGIN, size[1] - 2 * MARGIN
    image = image.crop((0, 0, image.width, min(image.height, image.width * room[1] // room[0])))
    scale = min(room[0] / image.width, room[1] / image.height)
    image = image.resize(
        (round(scale * image.width), round(scale * image.height)), Image.Resampling.LANCZOS
    )
    whole = Image.new("RGB", size, ground)
    whole.paste(image, ((size[0] - image.width) // 2, (size[1] - image.height) // 2))
    file = io.BytesIO()
    whole.save(file, "WEBP", quality=45, method=6)
    return file.getvalue()


def shot(browser, file: Path, kind: str) -> bytes:
    """A figure in the state that `VIEWS` names, as Chromium draws it."""
    width, shown, state = VIEWS[kind]
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


def main() -> None:
    from playwright.sync_api import sync_playwright

    (STATIC / "figures").mkdir(exist_ok=True)
    names = ["chromium-headless-shell", "chromium", "google-chrome"]
    browser = next(filter(None, map(shutil.which, names)))
    figures = snapshots()
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        file = Path(folder) / "figure.html"
        for kind in VIEWS:
            name = re.sub(r"\B([A-Z])", r"-\1", kind).lower()
            for theme, size, end in (("light", SIZE, ""), ("dark", SMALLER, "-dark")):
                style = (STATIC / "book.css").as_uri()
                page = PAGE.format(theme=theme, style=style, figure=figures[kind])
                file.write_text(page, encoding="utf-8")
                picture = small(shot(chromium, file, kind), size, GROUNDS[theme])
                write_whole(STATIC / "figures" / f"{name}{end}.webp", picture)
        chromium.close()


if __name__ == "__main__":
    main()
