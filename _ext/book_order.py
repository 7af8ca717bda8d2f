"""The order in which the extensions work on a page, in one place.

Sphinx calls transforms and handlers by their numbers, the smallest first, and those of others have
theirs. Here the number of the first of a row is given, and the others follow one by one. An
extension asks for its places by name: `take_places(app, HeadExercises, ...)`.
"""

TRANSFORM = "transform"  # of a page that was read
POST_TRANSFORM = "post-transform"  # of a page that is to be written

ORDER = {
    "config-inited": {500: ["book_execution.choose_cache", "book_pages.add_assets"]},
    "env-get-outdated": {500: ["book_execution.outdated"]},
    "env-before-read-docs": {500: ["book_execution.run_together"]},
    "env-purge-doc": {500: ["book_search.forget"]},
    "source-read": {
        500: ["book_exercises.fill_in_minutes", "book_references.put_bibliography"],
    },
    "autodoc-skip-member": {500: ["book_package.skip_fields"]},
    "autodoc-process-docstring": {
        500: ["book_package.explain_fields", "book_package.begin_lines"],
    },
    TRANSFORM: {
        # after docutils has set the titles (350)
        390: [
            "book_exercises.HeadExercises",  # these headings get anchors too
            "book_references.NumberChapter",
            "book_references.AnchorNumbers",
            "book_typography.MarkChinese",
            "book_references.NoteCitations",
            "book_terms.AnchorEntries",
        ],
        # after MyST has resolved links to anchors (879), and Sphinx has noted the headings (880)
        881: ["book_terms.LinkTerms"],
    },
    "doctree-read": {
        500: ["book_figures.note", "book_search.keep", "book_typography.join_per_cent"]
    },
    "env-updated": {500: ["book_data.outdated"]},
    POST_TRANSFORM: {
        # before sphinxcontrib-bibtex writes the bibliography (5), whose own links lead to papers
        3: ["book_references.LinkCitations"],
        # before MyST-NB sets a bar over folded code (199)
        190: [
            "book_failures.BoxFailures",
            "book_figures.LeadToPages",
            "book_exercises.AskInThePage",
            "book_cells.PutCodeUnder",
            "book_cells.CloseGaps",
        ],
        900: [
            "book_reading.FoldCloserLooks",
            "book_reading.PictureTheNext",
            "book_roles.ColourRoles",
        ],
    },
    "doctree-resolved": {500: ["book_math.hold_marks"]},
    "viewcode-follow-imported": {500: ["book_package.keep_home"]},
    "html-collect-pages": {500: ["book_figures.pages", "book_head.lost"]},
    "html-page-context": {
        # before MyST-NB adds its scripts (500)
        100: ["book_data.share"],
        # after the theme has made its contents (500) and its buttons (501)
        502: [
            "book_head.introduce",
            "book_pages.link_within",
            "book_pages.keep_places",
            "book_pictures.show_both",  # twice what knows its size by now
            "book_pages.keep_nothing_waiting",
            "book_pages.name_folds",
            "book_reading.list_sections_only",
            "book_reading.repeat_map",
            "book_roles.bring_colours",
        ],
    },
    "build-finished": {
        500: [
            "book_letters.write",
            "book_math.write_styles",
            "book_notebook.write",
            "book_pages.remove_unused",
            "book_pictures.draw_both",
            "book_search.write",
            "book_failures.report",  # the last word
        ],
    },
}

PLACES = {
    name: (event, first + position)
    for event, rows in ORDER.items()
    for first, names in rows.items()
    for position, name in enumerate(names)
}


def take_places(app, *steps):
    """Have Sphinx call these transforms and handlers where they stand in the order."""
    for step in steps:
        event, priority = PLACES[f"{step.__module__}.{step.__name__}"]
        if event == TRANSFORM:
            step.default_priority = priority
            app.add_transform(step)
        elif event == POST_TRANSFORM:
            step.default_priority = priority
            app.add_post_transform(step)
        else:
            app.connect(event, step, priority=priority)
