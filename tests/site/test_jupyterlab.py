"""Chapter 9 in a real JupyterLab: run it, move its ipywidgets by keyboard, and see figure and
kernel follow.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from figure_examples import EXAMPLES, SETUP, drawn, shown

from transformer_lite import train_two_sentences
from transformer_lite.data.corpus import TWO_SENTENCES
from transformer_lite.figures.kit.figure import HERE

pytestmark = pytest.mark.book

ROOT = Path(__file__).parents[2]
CHAPTER = ROOT / "chapters" / "09-reading-attention.ipynb"

# A figure whose module lies beside the notebook.
WAVING = """import { frame, h } from "%s";
const figure = {
  render({ model, el }) {
    const base = frame(el, model);
    base.body.append(h("p", {}, `WAVES ${model.get("times")}`));
    return () => base.dispose();
  },
};
export default figure;
"""
RELOADED = [
    "from pathlib import Path\nfrom traitlets import Int\nfrom transformer_lite.figures.kit import Figure",
    "class Waving(Figure):\n    module = Path('waving.js').resolve()\n    times = Int(3).tag(sync=True)\n"
    "    def controls(self):\n        return []\n    def picture(self, canvas):\n        pass",
    "Waving()",
]
GALLERY = [
    SETUP + "\nmade = []",
    *(f"made.append({example.code})\nmade[-1]" for example in EXAMPLES.values()),
    "print('kernel sees', [[figure.get_state(c.trait)[c.trait] for c in figure.controls()] for figure in made])",
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab, and the folder of the notebooks that it serves: the chapter's
    opening cells with a cell that asks the kernel, every figure, and a figure whose module is being
    written.
    """
    folder = tmp_path_factory.mktemp("lab")
    notebook = json.loads(CHAPTER.read_text(encoding="utf-8"))
    is_figure = [
        "explorer = AttentionExplorer" in "".join(cell["source"]) for cell in notebook["cells"]
    ]
    opening = notebook["cells"][: is_figure.index(True) + 1]
    notebook["cells"] = [cell for cell in opening if cell["cell_type"] == "code"]
    ask = "print('kernel sees', explorer.kind, explorer.layer, explorer.head)"
    for cell_id, source in (("ask", ask), ("set", "explorer.head = 2")):
        notebook["cells"].append(
            dict(
                cell_type="code",
                id=cell_id,
                metadata={},
                source=source,
                outputs=[],
                execution_count=None,
            )
        )
    (folder / "chapter.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    notebook["cells"] = [
        dict(
            cell_type="code",
            id=f"cell{i}",
            metadata={},
            source=source,
            outputs=[],
            execution_count=None,
        )
        for i, source in enumerate(GALLERY)
    ]
    (folder / "figures.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    notebook["cells"] = [
        cell | {"source": source} for cell, source in zip(notebook["cells"], RELOADED, strict=False)
    ]
    (folder / "reloaded.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    (folder / "waving.js").write_text(
        WAVING % os.path.relpath(HERE / "shared.js", folder), encoding="utf-8"
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = folder / "config"
    environment = os.environ | {
        "JUPYTER_CONFIG_DIR": str(config),
        "JUPYTER_DATA_DIR": str(folder / "data"),
    }
    environment["ANYWIDGET_HMR"] = "1"
    environment.pop("MPLBACKEND", None)
    log = (folder / "log").open("w")
    server = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "jupyterlab",
            "--no-browser",
            "--allow-root",
            f"--port={port}",
            "--ip=127.0.0.1",
        ]
        + [
            "--LabApp.expose_app_in_browser=True",
            "--IdentityProvider.token=",
            "--ServerApp.password=",
            f"--ServerApp.root_dir={folder}",
        ],
        env=environment,
        stdout=log,
        stderr=log,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(120):
            try:
                urllib.request.urlopen(f"{address}/api", timeout=1).close()
                break
            except OSError:
                time.sleep(0.5)
        else:
            pytest.fail(f"JupyterLab did not start:\n{(folder / 'log').read_text()[-2000:]}")
        yield address, folder
    finally:
        server.terminate()
        server.wait(20)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def run_all(lab, browser):
    """Opens a notebook in JupyterLab and runs all its cells; the page, when its first figure is
    there.
    """
    contexts = []

    def run_all(name):
        contexts.append(browser.new_context(viewport={"width": 1400, "height": 6400}))
        page = contexts[-1].new_page()
        page.set_default_timeout(30_000)
        page.goto(f"{lab[0]}/lab/tree/{name}.ipynb?reset", wait_until="domcontentloaded")
        page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
        # Until its kernel is connected, Lab would ask which one to take.
        page.wait_for_function(
            "jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
        )
        page.evaluate("void jupyterapp.commands.execute('notebook:run-all-cells')")
        page.locator(".tl-figure").first.wait_for(timeout=120_000)
        return page

    yield run_all
    for context in contexts:
        context.close()


def test_every_figure_is_drawn_as_on_the_page_and_follows_its_ipywidgets(run_all, open_figures):
    page, expected = run_all("figures"), []
    for i, (name, example) in enumerate(EXAMPLES.items()):
        figure = example.make()
        page.locator(".tl-figure").nth(i).wait_for()
        assert drawn(page, i)[1:] == drawn(open_figures(figure))[1:], (
            f"{name}: other numbers than on the page"
        )
        sliders = (
            c for c in figure.controls() if c.kind == "slider" and example.moves.get(c.label)
        )
        moved = next(sliders, None)
        if moved is None:  # a figure of buttons and boxes
            expected.append([figure.get_state(c.trait)[c.trait] for c in figure.controls()])
            continue
        cell = page.locator(".jp-CodeCell").nth(i + 1)
        label = re.compile(f"^{re.escape(moved.label)}$")
        box = cell.locator(
            ".widget-slider", has=page.locator(".widget-label", has_text=label)
        ).first
        read = f"h => h.shadowRoot.querySelector('figure').dataset.{example.moves[moved.label]}"
        value = getattr(figure, moved.trait)
        key, sign = ("ArrowRight", 1) if value < moved.last(figure) else ("ArrowLeft", -1)
        value = type(value)(round(value + sign * moved.step, 6))
        box.locator(".noUi-handle").press(key)
        page.wait_for_function(
            f"([i, value]) => Math.abs(({read})(document.querySelectorAll('.tl-figure')[i]) - value) < 1e-6",
            arg=[i, value],
        )
        setattr(figure, moved.trait, value)
        expected.append([figure.get_state(c.trait)[c.trait] for c in figure.controls()])
    asking = page.locator(".jp-CodeCell").last
    asking.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    asking.get_by_text(f"kernel sees {expected}").wait_for()


def test_a_saved_change_of_a_module_is_drawn_without_another_kernel(run_all, lab):
    page, module = run_all("reloaded"), lab[1] / "waving.js"
    page.get_by_text("WAVES 3").wait_for()
    changed = module.read_text(encoding="utf-8").replace("WAVES", "BOWS")
    for _ in range(60):  # the watch begins on a thread of the kernel
        module.write_text(changed, encoding="utf-8")
        page.wait_for_timeout(500)
        if page.get_by_text("BOWS 3").count():
            break
    page.get_by_text("BOWS 3").wait_for()
    assert page.get_by_text("WAVES 3").count() == 0


def test_sliders_figure_and_kernel_are_one(run_all):
    page = run_all("chapter")

    translator, _ = train_two_sentences(seed=0, progress=False)
    maps = translator.translate(TWO_SENTENCES[0][0]).attention.cross

    def assert_drawn(layer, head):
        deadline = time.monotonic() + 30
        expected = maps[layer][0, head].numpy()
        while True:
            tables = [t for t in shown(page).values() if t.shape == expected.shape]
            if tables and np.abs(tables[0] - expected).max() < 1e-2:
                return
            assert time.monotonic() < deadline, (
                f"the figure does not show layer {layer}, head {head}"
            )
            page.wait_for_timeout(100)

    def slider(name):
        box = page.locator(".widget-slider", has=page.locator(".widget-label", has_text=name)).first
        return box.locator(".noUi-handle")

    def ask(answer):
        cell = page.locator(".jp-CodeCell").nth(-2)
        cell.locator(".cm-content").click()
        page.keyboard.press("Control+Enter")
        cell.get_by_text(answer).wait_for()

    assert_drawn(0, 2)  # the last cell has set it
    slider("head").press("ArrowRight")
    assert_drawn(0, 3)
    slider("layer").press("ArrowRight")
    assert_drawn(1, 3)
    ask("kernel sees cross 1 3")
    slider("head").press("ArrowLeft")
    slider("head").press("ArrowLeft")
    assert_drawn(1, 1)
    ask("kernel sees cross 1 1")
