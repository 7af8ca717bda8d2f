"""What there is to learn from: the sentence pairs of ``corpus``, the ``grammar`` that writes them, and the worked
example of chapters 1 and 2, ``walkthrough``.
"""
