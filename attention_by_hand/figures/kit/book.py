"""What figures know of the book: its site, its chapters, and the translation that several show."""

from functools import cache

from transformer_lite.translator import Translation, load_translator

# Where links lead from outside the book's own site; "" as long as that is nowhere
SITE = ""
PAGES = {
    "1": "01-words-to-vectors",
    "2": "02-query-key-value",
    "3": "03-why-root-d-k",
    "4": "04-many-heads",
    "5": "05-masks",
    "6": "06-positions",
    "7": "07-the-whole-transformer",
    "8": "08-training",
    "9": "09-reading-attention",
}
SENTENCE = "ich habe die rote Tür heute nicht zugemacht ."


@cache
def shipped() -> Translation:
    """The front page's sentence, translated by the shipped translator."""
    return load_translator().translate(SENTENCE)
