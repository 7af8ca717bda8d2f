"""The figures in a real JupyterLab: run them, move their ipywidgets by keyboard, and see figure and
kernel follow.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import nbformat
import pytest
from figure_examples import EXAMPLES, SETUP, drawn
from nbformat import v4

pytestmark = pytest.mark.site

# Drawn on a canvas, as tables, as a chart, by its buttons alone, and on a long way up.
KINDS = "AttentionExplorer", "ByHand", "SoftmaxScale", "Prediction", "MachineMap"


def notebook_of(names):
    """A notebook that shows these figures' examples, and asks the kernel what it sees of them."""
    # A slider adds its steps up, so that 0.9 may come back as 0.9000000000000001
    asking = (
        "known = lambda value: round(value, 6) if isinstance(value, float) else value\n"
        "print('kernel sees', [[known(figure.get_state(c.trait)[c.trait])"
        " for c in figure.controls()] for figure in made])"
    )
    shown = [f"made.append({EXAMPLES[name].code})\nmade[-1]" for name in names]
    cells = [v4.new_code_cell(code) for code in (SETUP + "\nmade = []", *shown, asking)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab, with a notebook of one figure of each kind and one of all."""
    folder = tmp_path_factory.mktemp("lab")
    for name, figures in (("kinds", KINDS), ("all", EXAMPLES)):
        nbformat.write(notebook_of(figures), folder / f"{name}.ipynb")
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
        yield address
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
        page.goto(f"{lab}/lab/tree/{name}.ipynb?reset", wait_until="domcontentloaded")
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


@pytest.mark.parametrize(
    ("notebook", "names"),
    [("kinds", KINDS), pytest.param("all", EXAMPLES, marks=pytest.mark.weekly)],
    ids=["kinds", "all"],
)
def test_a_figure_is_drawn_as_on_the_page_and_follows_its_ipywidgets(
    run_all, open_figures, notebook, names
):
    page = run_all(notebook)
    expected = []
    for i, name in enumerate(names):
        example = EXAMPLES[name]
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
