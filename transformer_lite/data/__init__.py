"""What there is to learn from: the sentence pairs of ``corpus``, the ``grammar`` that writes them,
and the worked example of chapters 1 and 2, ``walkthrough``. ``glosses`` has the English of each
German word, ``printed_heads`` the two prints that the errata compare, ``recall`` measures how much
comes through one vector, ``floors`` computes what a loss may mean, and ``two_runs`` records a
collapse and its rescue.
"""
