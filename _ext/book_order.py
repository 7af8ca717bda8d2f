"""All that the site does beyond Jupyter Book: one extension of Sphinx, and its steps in order.

A page goes through them once, from its source to its HTML. A step is a function: of the app and the
document where Sphinx transforms a page, and of whatever Sphinx hands to a handler of that event
elsewhere. Sphinx calls them by their numbers, the smallest first, and those of others have theirs:
here the number of the first of a row is given, and the others follow one by one.
"""

import book_cells
import book_data
import book_execution
import book_exercises
import book_failures
import book_figures
import book_head
import book_letters
import book_math
import book_notebook
import book_package
import book_pages
import book_pictures
import book_reading
import book_references
import book_roles
import book_search
import book_terms
import book_typography
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform

TRANSFORM = "transform"  # of a page that was read
POST_TRANSFORM = "post-transform"  # of a page that is to be written

ORDER = {
    "config-inited": {500: [book_execution.choose_cache, book_pages.add_assets]},
    "env-get-outdated": {500: [book_execution.outdated]},
    "env-before-read-docs": {500: [book_execution.run_together]},
    "env-purge-doc": {500: [book_search.forget]},
    "source-read": {
        500: [book_exercises.fill_in_minutes, book_references.put_bibliography],
    },
    "autodoc-skip-member": {500: [book_package.skip_fields]},
    "autodoc-process-docstring": {
        500: [book_package.explain_fields, book_package.begin_lines],
    },
    TRANSFORM: {
        # after docutils has set the titles (350)
        390: [
            book_exercises.head_exercises,  # these headings get anchors too
            book_references.number_chapter,
            book_references.anchor_numbers,
            book_typography.mark_chinese,
            book_references.note_citations,
            book_terms.anchor_entries,
        ],
        # after MyST has resolved links to anchors (879), and Sphinx has noted the headings (880)
        881: [book_terms.link_terms],
    },
    "doctree-read": {500: [book_figures.note, book_search.keep, book_typography.join_per_cent]},
    "env-updated": {500: [book_data.outdated]},
    POST_TRANSFORM: {
        # before sphinxcontrib-bibtex writes the bibliography (5), whose own links lead to papers
        3: [book_references.link_citations],
        # before MyST-NB sets a bar over folded code (199)
        190: [
            book_failures.box_failures,
            book_figures.lead_to_pages,
            book_exercises.ask_in_the_page,
            book_cells.put_code_under,
            book_cells.close_gaps,
        ],
        900: [
            book_reading.fold_closer_looks,
            book_reading.picture_the_next,
            book_roles.colour_roles,
        ],
    },
    "doctree-resolved": {500: [book_math.hold_marks]},
    "viewcode-follow-imported": {500: [book_package.keep_home]},
    "html-collect-pages": {500: [book_figures.pages, book_head.lost]},
    "html-page-context": {
        # before MyST-NB adds its scripts (500)
        100: [book_data.share],
        # after the theme has made its contents (500) and its buttons (501)
        502: [
            book_head.introduce,
            book_pages.link_within,
            book_pages.keep_places,
            book_pictures.show_both,  # twice what knows its size by now
            book_pages.keep_nothing_waiting,
            book_pages.name_folds,
            book_reading.list_sections_only,
            book_reading.repeat_map,
            book_roles.bring_colours,
        ],
    },
    "build-finished": {
        500: [
            book_letters.write,
            book_math.write_styles,
            book_notebook.write,
            book_pages.remove_unused,
            book_pictures.draw_both,
            book_search.write,
            book_head.name_what_has_no_address,
            book_failures.report,  # the last word
        ],
    },
}


def as_transform(step, base, priority):
    """The class that docutils asks for, of a function of the app and the document."""

    def run(self, **kwargs):
        step(self.app, self.document)

    body = {"default_priority": priority, "formats": ("html",), "apply": run, "run": run}
    del body["run" if base is SphinxTransform else "apply"]
    return type(step.__name__, (base,), body)


def take_places(app, order):
    """Have Sphinx call these steps where they stand."""
    for event, rows in order.items():
        for first, steps in rows.items():
            for priority, step in enumerate(steps, first):
                if event == TRANSFORM:
                    app.add_transform(as_transform(step, SphinxTransform, priority))
                elif event == POST_TRANSFORM:
                    app.add_post_transform(as_transform(step, SphinxPostTransform, priority))
                else:
                    app.connect(event, step, priority=priority)


def setup(app):
    book_execution.keep_others_out(app)
    app.add_config_value("book_description", "", "html")
    app.add_css_file("icons.css")
    for script in (book_notebook.SAVE_FROM_A_FILE, book_reading.OPEN_FOLDS):
        app.add_js_file(None, body=f"(() => {{{script}}})()")
    book_math.set_formulas(app)
    take_places(app, ORDER)
    return {"parallel_read_safe": False, "parallel_write_safe": False, "env_version": 1}
