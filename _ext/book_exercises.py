"""Exercises: each under a heading of its own, and the minutes that teachers plan with, counted in
the notebooks.

A notebook begins an exercise `**3.2 The table of slopes** · medium, 10 minutes.` On the site its
bold words are a heading, so that screen readers jump to it and `#exercise-3-2` leads to it.

Each exercise states how long it takes. Where a row of a table links a chapter and has `<!-- minutes
-->`, the page shows the sum for that chapter.
"""

import re
import sys
from pathlib import Path

from docutils import nodes
from sphinx.transforms import SphinxTransform

sys.path.append(str(Path(__file__).parents[1]))  # for dev, which is not installed

EXERCISE = re.compile(r"(\d+)\.(\d+) ")
ROW = re.compile(r"^(\| \[.+?\]\((\S+\.ipynb)\) \| )<!-- minutes -->(?= \|)", re.M)


def title_of(node):
    """The bold words that begin an exercise, if `node` is a paragraph that does."""
    parts = (
        [child for child in node.children if child.astext()]
        if isinstance(node, nodes.paragraph)
        else []
    )
    begins = (
        len(parts) > 1 and isinstance(parts[0], nodes.strong) and EXERCISE.match(parts[0].astext())
    )
    return parts[0] if begins and parts[1].astext().startswith(" · ") else None


class HeadExercises(SphinxTransform):
    """Make a section of each exercise: its title, and all up to the next exercise or heading."""

    default_priority = 390  # before the anchors of headings are noted

    def apply(self):
        for paragraph in filter(title_of, list(self.document.findall(nodes.paragraph))):
            title, parent = title_of(paragraph), paragraph.parent
            if not isinstance(parent, nodes.section):
                continue
            begin = end = parent.index(paragraph)
            while (end := end + 1) < len(parent) and not isinstance(parent[end], nodes.section):
                if title_of(parent[end]):
                    break
            rest = title.next_node(descend=False, siblings=True)
            words = rest.astext().removeprefix(" · ")
            paragraph.remove(title)
            paragraph.replace(rest, nodes.Text(words[0].upper() + words[1:]))
            number = EXERCISE.match(title.astext())
            name = f"exercise-{number[1]}-{number[2]}"
            section = nodes.section("", nodes.title("", "", *title.children), ids=[name])
            section += parent[begin:end]
            parent[begin:end] = [section]


def count_minutes(text, folder):
    """The text with the minutes filled in, and the notebooks that they come from."""
    from dev.exercise_cells import exercises_in  # only here: it takes two seconds to import

    notebooks = []

    def fill(row):
        notebooks.append(folder / row[2])
        return f"{row[1]}{sum(exercise.minutes for exercise in exercises_in(notebooks[-1]))} min"

    text = ROW.sub(fill, text)
    if "<!-- minutes -->" in text:
        raise ValueError(
            "<!-- minutes --> belongs into a row that begins with a chapter: | "
            "[title](01-title.ipynb) | "
        )
    return text, notebooks


def fill_in_minutes(app, docname, content):
    if "<!-- minutes -->" in content[0]:
        content[0], notebooks = count_minutes(content[0], Path(app.env.doc2path(docname)).parent)
        for notebook in notebooks:
            app.env.note_dependency(str(notebook))  # a change there makes this page anew


def setup(app):
    app.add_transform(HeadExercises)
    app.connect("source-read", fill_in_minutes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
