# For a page of an executed notebook: jupyter nbconvert --to html --config nbconvert_config.py chapters/05-masks.ipynb
# By itself nbconvert would take a figure's live widget, which needs the network, instead of its snapshot.
c = get_config()  # noqa: F821  nbconvert provides it

c.NbConvertBase.display_data_priority = ["text/html", "image/svg+xml", "image/png", "text/markdown", "text/plain"]
