"""The embedding lookup: a word, its id, its one-hot vector times the table, and the row that is
left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from traitlets import Int, List

from ..kit import Control, Figure, FigureError, Table, Thumbnail, as_numbers


class EmbeddingLookup(Figure):
    """One-hot times table = row: `EmbeddingLookup({"tea": [0.1, 0.2], "cup": [0.3, 0.4]}, [["cup",
    "tea"]])`.

    `table` maps each word of the vocabulary to its vector, all of one size; a word's id is its
    place in it. `sentences` are lists of such words. `gloss` maps words to what is shown beside
    them.

    `sentence`, `position` (the word in the sentence) and `column` (the number of its vector that is
    written out) can be read, set and observed. In the picture a word is pressed in its sentence, a
    row in the table, and a number anywhere. Raises FigureError, a ValueError, for vectors of
    different sizes or numbers that are not finite, and for a sentence that is empty or has a word
    without a row.
    """

    title = "Embedding lookup"
    thumbnail = Thumbnail(".panel")

    words = List().tag(sync=True)  # the vocabulary: a word's id is its place
    gloss = List().tag(sync=True)  # what each word means, or an empty text
    table = List().tag(sync=True)  # the vector of each word
    sentences = List().tag(sync=True)  # the ids of their words
    sentence = Int(0).tag(sync=True)  # which sentence
    position = Int(0).tag(sync=True)  # the chosen word in it
    column = Int(0).tag(sync=True)  # the number of its vector that is written out
    last_position = Int(0).tag(sync=True)  # in this sentence
    last_column = Int(0).tag(sync=True)  # of the table

    def __init__(
        self,
        table: Mapping[str, Sequence[float]],
        sentences: Sequence[Sequence[str]],
        *,
        gloss: Mapping[str, str] | None = None,
        caption: str | None = None,
    ):
        if not isinstance(table, Mapping):
            raise FigureError(
                f"table is a {type(table).__name__}; expected the numbers of each word, as in "
                "{'tea': [0.1, 0.2]}"
            )
        if isinstance(sentences, str) or any(isinstance(one, str) for one in sentences):
            raise FigureError(
                f"sentences={sentences!r} holds texts; expected a list of words for each, as in "
                "[['cup', 'tea']]"
            )
        words = [str(word) for word in table]
        rows = as_numbers("table", list(table.values()), 2)
        for i, sentence in enumerate(sentences):
            unknown = [word for word in sentence if word not in table]
            if unknown or not sentence:
                raise FigureError(
                    f"sentence {i} is {list(sentence)}; expected at least one word, each one of "
                    f"{words[:8]}"
                )
        if not sentences:
            raise FigureError("no sentence was given; EmbeddingLookup needs at least one")
        super().__init__(
            words=words,
            gloss=[str((gloss or {}).get(word, "")) for word in table],
            table=rows,
            sentences=[[words.index(str(word)) for word in sentence] for sentence in sentences],
            last_column=len(rows[0]) - 1,
            caption=caption
            or "Press a word, in a sentence or in the table. Its one-hot vector has a single 1, at "
            "the word's id, so the product with the table keeps one row, which lands under the "
            "word, and erases the others. A word that was looked up keeps the row’s colours: it is "
            "what the model reads of it.",
        )

    def controls(self) -> list[Control]:
        texts = [" ".join(self.words[i] for i in ids) for ids in self.sentences]
        return [
            Control(
                "sentence",
                "sentence",
                "select",
                options=[text[:60] for text in texts],
                on_page=False,
            ),
            Control(
                "position",
                "word",
                max="last_position",
                by=["sentence"],
                ends=[len(s) - 1 for s in self.sentences],
                on_page=False,
            ),
            Control("column", "number", max="last_column", on_page=False),
        ]

    def as_table(self) -> Table:
        chosen = self.sentences[self.sentence][self.position]
        names = zip(self.words, self.gloss, strict=True)
        rows = [
            [f"{word} {gloss}".strip() + " (looked up)" * (i == chosen), *self.table[i]]
            for i, (word, gloss) in enumerate(names)
        ]
        return Table("A row for each word", range(len(self.table[0])), rows)
