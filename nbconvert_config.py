"""For a page of an executed notebook: jupyter nbconvert --to html --config nbconvert_config.py
chapters/05-masks.ipynb

By itself nbconvert takes a figure's live widget, which needs the network, wherever the notebook
holds the widget's state; it has no place for the words that a cell has for its picture; it
shows all code that Jupyter folds; and it keeps what only somebody with a kernel needs.
"""

import base64
import html

from nbconvert.preprocessors import Preprocessor
from nbformat.v4 import new_markdown_cell


class DescribedPictures(Preprocessor):
    """Pictures become HTML with the alternative text of their cell."""

    def preprocess_cell(self, cell, resources, index):
        alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt")
        for output in cell.get("outputs", []) if alt else []:
            data = output.get("data", {})
            if svg := data.get("image/svg+xml"):
                source = "svg+xml;base64," + base64.b64encode(svg.encode()).decode()
            elif png := data.get("image/png"):
                source = "png;base64," + png.strip()
            else:
                continue
            output.data = {"text/html": f'<img alt="{html.escape(alt)}" src="data:image/{source}">'}
        return cell, resources


class FoldedCode(Preprocessor):
    """Code that Jupyter folds is folded here too, under its title."""

    def preprocess(self, notebook, resources):
        cells = []
        for cell in notebook.cells:
            if cell.metadata.get("jupyter", {}).get("source_hidden"):
                title = html.escape(cell.source.partition("\n")[0].removeprefix("# @title "))
                code = f"```python\n{cell.source}\n```"
                fold = f"<details><summary>{title}</summary>\n\n{code}\n\n</details>"
                cells.append(new_markdown_cell(fold))
                cell.metadata["transient"] = {"remove_source": True}
            cells.append(cell)
        notebook.cells = cells
        return notebook, resources


c = get_config()  # noqa: F821  nbconvert provides it

c.NbConvertBase.display_data_priority = [
    "text/html",
    "image/svg+xml",
    "image/png",
    "text/markdown",
    "text/plain",
]
c.HTMLExporter.preprocessors = [DescribedPictures, FoldedCode]
c.TagRemovePreprocessor.enabled = True
c.TagRemovePreprocessor.remove_cell_tags = {"remove-cell"}
