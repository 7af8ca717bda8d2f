"""The minutes that teachers plan with, counted in the notebooks.

Each exercise states how long it takes. Where a row of a table links a chapter and has `<!-- minutes -->`, the page
shows the sum for that chapter.
"""

import re
from pathlib import Path

ROW = re.compile(r"^(\| \[.+?\]\((\S+\.ipynb)\) \| )<!-- minutes -->(?= \|)", re.M)


def count_minutes(text, folder):
    """The text with the minutes filled in, and the notebooks that they come from."""
    from transformer_lite.exercises.cells import exercises_in  # only here: it takes two seconds to import

    notebooks = []

    def fill(row):
        notebooks.append(folder / row[2])
        return f"{row[1]}{sum(exercise.minutes for exercise in exercises_in(notebooks[-1]))} min"

    text = ROW.sub(fill, text)
    if "<!-- minutes -->" in text:
        raise ValueError("<!-- minutes --> belongs into a row that begins with a chapter: | [title](01-title.ipynb) | ")
    return text, notebooks


def fill_in_minutes(app, docname, content):
    if "<!-- minutes -->" in content[0]:
        content[0], notebooks = count_minutes(content[0], Path(app.env.doc2path(docname)).parent)
        for notebook in notebooks:
            app.env.note_dependency(str(notebook))  # a change there makes this page anew


def setup(app):
    app.connect("source-read", fill_in_minutes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
