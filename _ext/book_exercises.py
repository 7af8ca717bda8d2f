"""Exercises: each under a heading of its own, and the minutes that teachers plan with.

A notebook begins an exercise `**3.2 The table of slopes** · medium, 10 minutes.` On the site its
bold words are a heading, so that screen readers jump to it and `#exercise-3-2` leads to it. The
exercise ends with its solution: what stands below that, such as the links at the end of *You have
it*, is the chapter's again.

An exercise whose answer is a number or a choice is answered in the page, in a field that takes its
hints from the same definition as the notebook's check. Under the blank of any other stands a link
to the notebook.

Each exercise states how long it takes. Where a row of a table links a chapter and has `<!-- minutes
-->`, the page shows the sum for that chapter.
"""

import re
from pathlib import Path

from docutils import nodes

from attention_by_hand import exercises
from attention_by_hand.exercises.cells import CHECK, QUESTION, exercises_in
from attention_by_hand.figures import Answer

SOLVED = "<summary>Solution</summary>"
ROW = re.compile(r"^(\| \[.+?\]\((\S+\.ipynb)\) \| )<!-- minutes -->(?= \|)", re.M)


def number_of(node):
    """The number of the exercise that `node` begins, if it is a paragraph that does."""
    if not isinstance(node, nodes.paragraph):
        return None
    parts = [child for child in node.children if child.astext()]
    if len(parts) < 2 or not isinstance(parts[0], nodes.strong):
        return None
    question = QUESTION.match(f"**{parts[0].astext()}**{parts[1].astext()}")
    return question[1] if question else None


def end_of_exercise(parent, begin):
    """The index after the last node of the exercise that begins at `begin`: its solution, or if it
    has none, what stands before the next exercise or heading.
    """
    folds = None  # how many are open, from that of the solution on
    for i, node in enumerate(parent[begin + 1 :], begin + 1):
        if isinstance(node, nodes.section) or number_of(node) is not None:
            return i
        if isinstance(node, nodes.raw):
            text = node.astext()
            if folds is None and SOLVED in text:
                folds = 0
            if folds is not None:
                folds += text.count("<details") - text.count("</details>")
                if folds == 0:
                    return i + 1
    return len(parent)


def head_exercises(app, document):
    """Make a section of each exercise: its title, and all up to the end of its solution."""
    for paragraph in filter(number_of, list(document.findall(nodes.paragraph))):
        number = number_of(paragraph)
        title = paragraph.next_node(nodes.strong)
        parent = paragraph.parent
        if not isinstance(parent, nodes.section):
            continue
        begin = parent.index(paragraph)
        end = end_of_exercise(parent, begin)
        rest = title.next_node(descend=False, siblings=True)
        words = rest.astext().removeprefix(" · ")
        paragraph.remove(title)
        paragraph.replace(rest, nodes.Text(words[0].upper() + words[1:]))
        name = f"exercise-{number.replace('.', '-')}"
        section = nodes.section("", nodes.title("", "", *title.children), ids=[name])
        section += parent[begin:end]
        parent[begin:end] = [section]


def ask_in_the_page(app, document):
    """Put the field for an answer in place of an exercise's blank and check."""
    for cell in list(document.findall(nodes.container)):
        call = cell.get("nb_element") == "cell_code" and CHECK.match(cell.astext())
        if call:
            ask(app, cell, call[1])


def ask(app, check, number):
    exercises.load(int(number.partition(".")[0]))
    sheet = exercises.SHEETS.get(number)
    if sheet:
        blank = check.parent[check.parent.index(check) - 1]
        blank.parent.remove(blank)
        field = Answer(number, **vars(sheet)).snapshot()
        check.replace_self(nodes.raw("", field, format="html"))
    else:
        docname = app.env.docname
        to_root = "../" * docname.count("/")
        link = (
            f'<a href="{to_root}_sources/{docname}.ipynb" download>Download the '
            "notebook, and answer it there</a>"
        )
        check.replace_self(nodes.raw("", f'<p class="in-notebook">{link}</p>', format="html"))


def count_minutes(text, folder):
    """The text with the minutes filled in, and the notebooks that they come from."""
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
