"""A vocabulary numbers the words: the only thing a model ever sees of a word is its number."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

SPECIAL = ("<pad>", "<bos>", "<eos>", "<unk>")
PAD_ID, BOS_ID, EOS_ID, UNK_ID = range(4)

_WORD = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")


def tokenize(text: str) -> list[str]:
    """Words and punctuation marks of a text: ``"Trinkst du Tee?"`` -> ``["Trinkst", "du", "Tee", "?"]``.

    Letters that are written as two code points (o and its dots) are first put together (Unicode NFC).
    """
    return _WORD.findall(unicodedata.normalize("NFC", text))


class Vocabulary:
    """Words and their ids, which run from 0. The first four are special: padding, begin, end, unknown.

    words: in the order of their ids. Raises ValueError if a word stands twice.
    """

    def __init__(self, words: Iterable[str]):
        self.words = list(words)
        self.tokens = [*SPECIAL, *self.words]
        self.ids = {token: i for i, token in enumerate(self.tokens)}
        if len(self.ids) != len(self.tokens):
            twice = [token for token, count in Counter(self.tokens).items() if count > 1]
            raise ValueError(f"each word may stand once in a vocabulary; these stand more often: {twice[:5]}")

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Vocabulary":
        """The words of these texts, commonest first; equally common ones in alphabetical order."""
        counts = Counter(word for text in texts for word in tokenize(text))
        return cls(sorted(counts, key=lambda word: (-counts[word], word)))

    def encode(self, words: Sequence[str]) -> list[int]:
        """The ids of these words. Raises ValueError for a word that the vocabulary does not hold.

        A word that is only known with its first letter in the other case is taken for that one, so a sentence may
        begin with a capital.
        """
        return [self._id(word, position) for position, word in enumerate(words)]

    def _id(self, word: str, position: int) -> int:
        for spelling in (word, word[:1].swapcase() + word[1:]):
            if spelling in self.ids:
                return self.ids[spelling]
        raise ValueError(
            f"unknown word {word!r} (position {position}); the vocabulary has {len(self.words)} words: "
            f"{', '.join(self.words[:8])}{', ...' if len(self.words) > 8 else ''}"
        )

    def decode(self, ids: Iterable[int]) -> list[str]:
        """The tokens of these ids. Raises IndexError for an id outside the vocabulary."""
        return [self.tokens[i] for i in ids]

    def __len__(self) -> int:
        return len(self.tokens)

    def __eq__(self, other) -> bool:
        return isinstance(other, Vocabulary) and self.tokens == other.tokens
