"""For a page of an executed notebook: jupyter nbconvert --to html --config nbconvert_config.py
chapters/05-masks.ipynb

By itself nbconvert takes a figure's live widget, which needs the network, wherever the notebook
holds the widget's state; and it has no place for the words that a cell has for its picture.
"""

import base64
import html

from nbconvert.preprocessors import Preprocessor


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


c = get_config()  # noqa: F821  nbconvert provides it

c.NbConvertBase.display_data_priority = [
    "text/html",
    "image/svg+xml",
    "image/png",
    "text/markdown",
    "text/plain",
]
c.HTMLExporter.preprocessors = [DescribedPictures]
