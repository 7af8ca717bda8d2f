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

import pytest
from figure_examples import EXAMPLES, SETUP, drawn

pytestmark = pytest.mark.site

ROOT = Path(__file__).parents[2]
CHAPTER = ROOT / "chapters" / "09-reading-attention.ipynb"

# A figure whose module lies beside the notebook.
GALLERY = [
    SETUP + "\nmade = []",
    *(f"made.append({example.code})\nmade[-1]" for example in EXAMPLES.values()),
    # A slider adds its steps up, so that 0.9 may come back as 0.9000000000000001
    "known = lambda value: round(value, 6) if isinstance(value, float) else value\n"
    "print('kernel sees', [[known(figure.get_state(c.trait)[c.trait]) for c in figure.controls()] "
    "for figure in made])",
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab, and the folder of the notebooks that it serves: the chapter's
    opening cells with a cell that asks the kernel, and every figure.
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
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = folder / "config"
    environment = os.environ | {
        "JUPYTER_CONFIG_DIR": str(config),
        "JUPYTER_DATA_DIR": str(folder / "data"),
    }
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
    page = run_all("figures")
    expected = []
    for i, (name, example) in enumerate(EXAMPLES.items()):
        figure = example.make()
        empty = name == "Predictions"  # shows nothing until there is a guess
        page.locator(".tl-figure").nth(i).wait_for(state="attached" if empty else "visible")
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
            f"([i, value]) => Math.abs(({read})(document.querySelectorAll('.tl-figure')[i]) - "
            "value) < 1e-6",
            arg=[i, value],
        )
        setattr(figure, moved.trait, value)
        expected.append([figure.get_state(c.trait)[c.trait] for c in figure.controls()])
    asking = page.locator(".jp-CodeCell").last
    asking.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    said = asking.locator(".jp-OutputArea-output").filter(has_text="kernel sees")
    said.wait_for()
    assert said.inner_text().strip() == f"kernel sees {expected}"
