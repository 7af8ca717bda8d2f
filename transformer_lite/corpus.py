"""Sentence pairs to learn from.

``TWO_SENTENCES`` is all the German of the tutorial that the book's translator begins with, spelled as there. The
grammar in ``grammar`` writes as many more as one likes, in better German.
"""

TWO_SENTENCES = (
    ("ich mochte ein bier", "i want a beer ."),
    ("ich mochte ein cola", "i want a coke ."),
)
