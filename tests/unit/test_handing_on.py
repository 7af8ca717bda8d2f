"""A notebook with its results becomes a page that anybody can open, without a network."""

import pytest
from conftest import ROOT
from figure_examples import EXAMPLES

WORDS = 'A grid where "a" looks at <b> & at itself.'
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="40" '
    'height="30"/></svg>'
)


@pytest.fixture
def saved(tmp_path):
    """`saved(state)`: a notebook with a figure and a picture, with its widgets' state or not."""
    import nbformat

    def saved(state):
        data, metadata = EXAMPLES["ByHand"].make()._repr_mimebundle_()
        view = data["application/vnd.jupyter.widget-view+json"]["model_id"]
        shown = ((data, metadata), ({"image/svg+xml": SVG, "text/plain": "<Figure>"}, {}))
        notebook = nbformat.v4.new_notebook()
        for data, metadata in shown:
            output = nbformat.v4.new_output("display_data", data=data, metadata=metadata)
            notebook.cells.append(nbformat.v4.new_code_cell("shown", outputs=[output]))
        stored = nbformat.v4.new_markdown_cell("stored without", metadata={"tags": ["remove-cell"]})
        notebook.cells.insert(0, stored)
        notebook.cells[2].source = "# @title Draw <it>\nshown"
        notebook.cells[2].metadata = {
            "jupyter": {"source_hidden": True},
            "mystnb": {"image": {"alt": WORDS}},
        }
        if state:
            models = {
                view: {
                    "model_name": "VBoxModel",
                    "model_module": "@jupyter-widgets/controls",
                    "state": {},
                }
            }
            kept = {"state": models, "version_major": 2, "version_minor": 0}
            notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": kept}
        nbformat.write(notebook, tmp_path / "page.ipynb")
        return tmp_path / "page.ipynb"

    return saved


def converted(notebook, *options):
    from nbconvert.nbconvertapp import NbConvertApp

    app = NbConvertApp()
    app.initialize(["--to=html", "--log-level=ERROR", str(notebook), *options])
    app.convert_notebooks()
    return notebook.with_suffix(".html")


@pytest.mark.parametrize(
    "state, options", [(True, ["--config", str(ROOT / "nbconvert_config.py")]), (False, [])]
)
def test_a_page_of_a_notebook_shows_its_figure_without_network(saved, state, options, browser):
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(converted(saved(state), *options).as_uri(), wait_until="domcontentloaded")
    figure = page.locator(".tl-figure")
    figure.get_by_role("button").first.wait_for()
    assert figure.count() == 1 and figure.evaluate(
        "home => home.shadowRoot.querySelector('figure') !== null"
    )
    assert page.get_by_text("stored without").count() == (0 if options else 1)
    if options:
        folded = page.locator("details", has_text="Draw <it>")
        drawn = page.locator("pre", has_text="shown")  # the code of both cells
        assert [code.is_visible() for code in drawn.all()] == [True, False]
        folded.locator("summary").click()
        assert [code.is_visible() for code in drawn.all()] == [True, True]
        assert page.locator("img").get_attribute("alt") == WORDS
        assert (
            page.locator("img").evaluate(
                "picture => picture.decode().then(() => picture.naturalWidth)"
            )
            == 40
        )
    context.close()
