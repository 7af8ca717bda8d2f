"""What only authors run, from the top of the repository. It is not in the wheel.

``python -m dev.add_exercise`` begins an exercise. ``python -m dev.fold`` folds what a reader may
skip. ``python -m dev.address`` says where the book lives. ``python -m dev.processors`` runs
the notebooks as other processors would. ``python -m dev.paper`` makes the PDF,
``python -m dev.sheets`` the sheets for students, ``python -m dev.quiz`` the questions for Moodle
and Canvas, and ``python -m dev.pack_offline`` the zip for a class. ``dev/make/`` has what made a
stored file.
"""
