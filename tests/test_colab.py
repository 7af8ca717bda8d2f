"""Colab's older packages: every notebook runs there, and its figures are displayed.

What matters to the figures is what Colab has of IPython, ipywidgets and anywidget. Those versions are laid over this
environment's own, in a folder that a new Python looks into first.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import transformer_lite.figures

ROOT = Path(__file__).parents[1]
NOTEBOOKS = [ROOT / "index.ipynb", *sorted((ROOT / "chapters").glob("*.ipynb"))]
COLAB = {"ipython": "7.34.0", "ipywidgets": "7.7.1", "anywidget": "0.9.21"}
each_alone = [
    pytest.param(path, marks=pytest.mark.xdist_group(f"colab {path.stem}"), id=path.stem) for path in NOTEBOOKS
]
THEIR_OWN_NEEDS = ["backcall", "decorator", "ipython_genutils", "jedi", "pickleshare"]

RUN = """
import json, sys
import anywidget, IPython, ipywidgets, matplotlib
matplotlib.use("Agg")
from IPython.core.interactiveshell import InteractiveShell
from transformer_lite.figures.base import Figure

shell, figures = InteractiveShell.instance(), []
for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
    source = "".join(cell["source"])
    if cell["cell_type"] != "code" or "%pip" in source:
        continue
    done = shell.run_cell(source)
    done.raise_error()
    if isinstance(done.result, Figure):
        figures.append([type(done.result).__name__, *shell.display_formatter.format(done.result)[0]])
versions = {m.__name__.lower(): m.__version__ for m in (IPython, ipywidgets, anywidget)}
print(json.dumps([versions, figures]))
"""


@pytest.fixture(scope="session")
def colab(once):
    """An environment in which Python finds Colab's versions first."""

    def install(folder):
        wanted = [f"{name}=={version}" for name, version in COLAB.items()]
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder)]
        subprocess.run([*command, *wanted, *THEIR_OWN_NEEDS], check=True)

    folder = str(once("colab", install))
    path = os.pathsep.join([folder, *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path}


@pytest.mark.book
@pytest.mark.parametrize("notebook", each_alone)
def test_a_notebook_runs_and_shows_its_figures(notebook, colab, tmp_path):
    command = [sys.executable, "-c", RUN, str(notebook)]
    environment = {**colab, "IPYTHONDIR": str(tmp_path)}
    run = subprocess.run(command, cwd=notebook.parent, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    versions, figures = json.loads(run.stdout.splitlines()[-1])
    assert versions == COLAB
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    wanted = {name for name in transformer_lite.figures.__all__ if re.search(rf"\b{name}(\.from_maps)?\(", code)}
    assert {name for name, *_ in figures} == wanted, "every figure that it makes is shown"
    assert notebook.stem != "gallery" or wanted == set(transformer_lite.figures.__all__)
    for _, *types in figures:
        assert {"text/html", "application/vnd.jupyter.widget-view+json"} <= set(types)
