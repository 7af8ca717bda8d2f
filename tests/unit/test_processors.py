"""The notebooks as other processors would run them: what is recorded of a run, and what is said."""

import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from dev import processors

CODE = """import matplotlib.pyplot as plt
import torch
from attention_by_hand.claims import claim
torch.manual_seed(0)
x = torch.randn(3)
y = torch.randn(3, generator=torch.Generator().manual_seed(0))
assert x.abs().max() < 100 and round(2.26, 1) == 2.3 and 0 < y.abs().min() < 50
claim("a draw is very large", x.sum() > 1000, x.sum())
_, ax = plt.subplots()
ax.set_title("0.224")
plt.show()
print("right: 0.50")"""
PROSE = (
    "# A page\n\nHalf are right, 0.50 of them, and the title says 0.224; chapter 9 has 1,000 more."
)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "page.ipynb"
    cells = [new_markdown_cell(PROSE, id="prose"), new_code_cell(CODE, id="code")]
    cells.append(new_code_cell("assert False, 'broken'", id="broken"))
    nbformat.write(new_notebook(cells=cells), path)
    return path


@pytest.fixture(scope="module")
def runs(page):
    """The page as it is, and with larger seeds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MPLBACKEND", raising=False)  # or the notebook draws nothing
        return {
            name: processors.run(page, shift, sys.executable)
            for name, shift in (("own", 0), ("seeds", 100))
        }


def test_what_a_cell_compares_draws_and_prints_is_recorded(runs):
    _, code, _ = runs["own"]["cells"]
    sides = {(source, sign): (left, right) for source, sign, left, right in code["compared"]}
    assert sides["x.abs().max() < 100", "Lt"][1] == 100
    assert sides["round(2.26, 1) == 2.3", "Eq"] == (2.3, 2.3)
    assert sides["round(2.26, 1)", "Lt"] == pytest.approx((0.04, 0.05))
    assert sides["x.sum() > 1000", "Gt"][1] == 1000
    assert "0.224" in code["drawn"] and "right: 0.50" in code["printed"]


def test_larger_seeds_draw_other_numbers(runs):
    own, seeds = (
        {source: left for source, _, left, _ in run["cells"][1]["compared"]}
        for run in runs.values()
    )
    for source in ("x.abs().max() < 100", "0 < y.abs().min() < 50"):
        assert own[source] != seeds[source]


def test_failing_cells_and_claims_that_do_not_hold_are_named(runs):
    lines = processors.failed(runs)
    assert len(lines) == 4
    assert lines[0].startswith("own: [code] a draw is very large (here: ")
    assert lines[1] == "own: [broken] AssertionError: broken"


def test_a_number_that_one_run_has_and_another_lacks_is_named_with_its_sentence(page, runs):
    assert processors.at_odds(page, runs) == []
    other = {"cells": [dict(cell, printed="right: 0.49") for cell in runs["own"]["cells"]]}
    assert processors.at_odds(page, {"own": runs["own"], "other": other}) == [
        f"[prose] 0.50, shown by own: {' '.join(PROSE.split()).removeprefix('# A page ')}"
    ]


@pytest.mark.parametrize(("values", "n_lines"), [((0.6, 0.62), 0), ((0.6, 0.9), 1), ((0.6,), 0)])
def test_a_comparison_has_room_if_it_would_hold_after_as_large_a_move(values, n_lines):
    runs = {
        str(value): {"cells": [{"id": "code", "compared": [["right > 0.5", "Gt", value, 0.5]]}]}
        for value in values
    }
    assert len(processors.without_room(runs)) == n_lines
