"""What there is to learn from: the sentence pairs of ``corpus``, the ``grammar`` that writes them,
``number_words``, and what ``catalogues`` of translated programs hold.
"""
