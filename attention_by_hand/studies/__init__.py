"""Models and trainings of single chapters, which a page runs and ``dev/make`` runs again with more
seeds, steps and sizes. What the latter find is stored in ``exhibits``.

``recall`` is how much comes through one vector (chapter 0), ``look_up`` an attention that learns to
find a key (3), ``two_questions`` one that is asked two things at once (4), ``friends`` a question
that needs two looks (7), ``two_sentences`` the smallest translator, ``two_runs`` a collapse and its
rescue (8), ``first_symbol`` how far back a network can be taught to remember (10), ``alone`` models
of one text (11), ``induction`` two layers that learn to copy (11), ``products`` networks that learn
to multiply (12), ``memory`` what layers with a state remember (13), and ``judged`` a writer that
learns from judgements.
"""
