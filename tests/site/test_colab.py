"""Colab's older packages: every notebook runs there, and its figures are displayed.

What matters to the figures is what Colab has of IPython, ipywidgets and anywidget. Those versions
are laid over this environment's own, in a folder that a new Python looks into first. It is made by

    python -m pip install --no-deps --target FOLDER -r tests/site/colab.txt

and BOOK_COLAB=FOLDER names it; without it these tests are skipped. BOOK_COLAB_ONLY=gallery leaves
all notebooks out but the one that has every figure.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import attention_by_hand.figures

pytestmark = pytest.mark.site

ROOT = Path(__file__).parents[2]
NOTEBOOKS = [
    notebook
    for notebook in (ROOT / "index.ipynb", *sorted((ROOT / "chapters").glob("*.ipynb")))
    if notebook.stem == os.environ.get("BOOK_COLAB_ONLY", notebook.stem)
]
COLAB = dict(re.findall(r"^(\w+)==(.+)$", Path(__file__).with_name("colab.txt").read_text(), re.M))

# Importing takes as long as many a notebook: each is run by a child of one process that has done
# that.
RUN = """
import json, os, pathlib, sys
import anywidget, IPython, ipywidgets, matplotlib, seaborn
import torch._dynamo  # as the first optimizer does
matplotlib.use("Agg")
from IPython.core.interactiveshell import InteractiveShell
from attention_by_hand.figures.kit import Figure

def run(notebook):
    shell, figures = InteractiveShell.instance(), []
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code" or "%pip" in source:
            continue
        done = shell.run_cell(source)
        done.raise_error()
        if isinstance(done.result, Figure):
            kinds, _ = shell.display_formatter.format(done.result)
            figures.append([type(done.result).__name__, *kinds])
    versions = {m.__name__.lower(): m.__version__ for m in (IPython, ipywidgets, anywidget)}
    print(json.dumps([notebook.stem, versions, figures]))

for notebook in map(pathlib.Path, sys.argv[1:]):
    sys.stdout.flush()
    if os.fork() == 0:
        os.chdir(notebook.parent)
        run(notebook)
        break
    if os.wait()[1]:
        sys.exit(f"{notebook} failed")
"""


@pytest.fixture
def colab():
    """The environment variables of a Python that finds Colab's versions first."""
    folder = os.environ.get("BOOK_COLAB")
    if folder is None:
        pytest.skip("BOOK_COLAB names no folder with Colab's packages: see the top of this file")
    path = os.pathsep.join(
        [str(Path(folder).resolve()), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    return {**os.environ, "PYTHONPATH": path}


@pytest.mark.parametrize(
    "half", [pytest.param(half, marks=pytest.mark.xdist_group(f"colab {half}")) for half in (0, 1)]
)
def test_a_notebook_runs_and_shows_its_figures(half, colab, tmp_path):
    notebooks = NOTEBOOKS[half::2]
    if not notebooks:
        pytest.skip("BOOK_COLAB_ONLY leaves nothing for this half")
    environment = {**colab, "IPYTHONDIR": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-c", RUN, *notebooks], env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    results = [json.loads(line) for line in run.stdout.splitlines() if line.startswith('["')]
    shown = {name: (versions, figures) for name, versions, figures in results}
    for notebook in notebooks:
        versions, figures = shown[notebook.stem]
        assert versions == COLAB
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        wanted = {
            name
            for name in attention_by_hand.figures.__all__
            if re.search(rf"\b{name}(\.from_maps)?\(", code)
        }
        assert {name for name, *_ in figures} == wanted, (
            f"every figure that {notebook.name} makes is shown"
        )
        assert notebook.stem != "gallery" or wanted == set(attention_by_hand.figures.__all__)
        for _, *types in figures:
            assert {"text/html", "application/vnd.jupyter.widget-view+json"} <= set(types)
