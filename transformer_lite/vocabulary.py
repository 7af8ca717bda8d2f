"""A vocabulary numbers the words: the only thing a model ever sees of a word is its number.

There are two kinds, and a translator does not care which it has. ``Vocabulary`` knows whole words.
``BytePairVocabulary`` knows pieces of words, so it can spell what it has never seen. The ids of the
special tokens are defined here alone, and so is the form of a model's input (``encode_target``,
``pad``).
"""

import json
import operator
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

import regex
import torch
from torch import Tensor, nn

from .checks import check_several, check_share, quote

SPECIAL = ("<pad>", "<bos>", "<eos>", "<unk>")
PAD_ID, BOS_ID, EOS_ID, UNK_ID = range(4)

# What is several code points and one sign to the eye: keycaps, flags, families, skin tones.
TAGS = r"\U000e0020-\U000e007f"
KEYCAP = r"[0-9#*]\ufe0f?\u20e3"
ON_A_SIGN = rf"[\p{{M}}\p{{EMod}}\u200c\u200d{TAGS}]*"
SIGN = (
    rf"{KEYCAP}|\p{{RI}}{{2}}|"
    rf"(?:\p{{ExtPict}}|[^\w\p{{N}}\s]){ON_A_SIGN}(?:(?<=\u200d)\p{{ExtPict}}{ON_A_SIGN})*"
)

# A word or a sign. What is written on a letter (Unicode category M) belongs to its word.
LETTER = rf"(?:(?!{KEYCAP}|\p{{ExtPict}})[\w\p{{N}}])"
WORD = regex.compile(rf"{LETTER}+(?:['’-]{LETTER}+)*|{SIGN}")

# What nobody sees: format characters, but for the joiners, which change how letters look, and tags
# and variation selectors that belong to no sign.
UNSEEN = regex.compile(
    rf"(?=\p{{Cf}})\p{{DI}}(?<![\u200c\u200d{TAGS}])|[\u034f\ufff9-\ufffb]|"
    rf"(?<!\U0001f3f4[{TAGS}]*)[{TAGS}]|(?<!\p{{ExtPict}})[\ufe0e\ufe0f](?!\u20e3)"
)

# Letters of scripts that put no spaces between words, or put them between syllables: Chinese,
# Japanese, Thai and its neighbours.
UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"
)
ALPHABETIC = regex.compile(r"\p{L}")

# The most letters that BytePairVocabulary takes as one word: as many as a long German one has.
MOST_AT_ONCE = 24


def split_words(text: str) -> list[str]:
    """Words and punctuation: ``"Trinkst du Tee?"`` -> ``["Trinkst", "du", "Tee", "?"]``.

    Raises the same errors as ``compose``.
    """
    return WORD.findall(compose(text))


def compose(text: str) -> str:
    """The text as it looks: in Unicode's form NFC, where a letter that is written as two code
    points, such as o and its dots, is one, and without characters that cannot be seen.

    Raises ValueError for anything but a string, and for one that cannot be written as UTF-8.
    """
    if not isinstance(text, str):
        raise ValueError(f"a sentence is a string; got {text!r:.60}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{quote(text)} is not valid Unicode: {text[error.start]!r} stands for no letter"
        ) from None
    return unicodedata.normalize("NFC", UNSEEN.sub("", text))


def without_spaces(texts: Iterable[str]) -> bool:
    """Whether these texts put no spaces between words: more than a fifth of their letters are of
    scripts that do not.
    """
    text = "".join(texts)
    return 5 * len(UNSPACED.findall(text)) > len(ALPHABETIC.findall(text))


class Vocabulary:
    """Words and their ids from 0 on. The first four are padding, begin, end and unknown.

    words: in the order of their ids. knows_unknown: whether a word that is not among them is read
    as ``<unk>``; otherwise it is refused.

    Raises ValueError for anything but a list of strings, and if a word stands twice.
    """

    def __init__(self, words: Iterable[str], *, knows_unknown: bool = False):
        check_several(words)
        self.words = list(words)
        for word in self.words:
            if not isinstance(word, str):
                raise ValueError(f"words are strings; got {word!r:.60}")
        self.knows_unknown = knows_unknown
        self.tokens = [*SPECIAL, *self.words]
        self.ids = {token: i for i, token in enumerate(self.tokens)}
        if len(self.ids) != len(self.tokens):
            twice = [token for token, count in Counter(self.tokens).items() if count > 1]
            raise ValueError(
                f"each word may stand once in a vocabulary; these stand more often: {twice[:5]}"
            )

    @classmethod
    def from_texts(cls, texts: Iterable[str], *, rare: float | None = None) -> "Vocabulary":
        """The words of these texts, commonest first; equally common ones in alphabetical order.

        rare: the share of the running text that is left out, beginning with its rarest words. They
        are then read as ``<unk>``, as any unknown word will be, so training sees what ``<unk>``
        stands for. Unless given, every word is kept and unknown ones are refused.

        Raises ValueError for one string instead of a list, and for a ``rare`` outside 0 to 1.
        """
        check_several(texts)
        check_share("rare", rare or 0.0)
        counts = Counter(word for text in texts for word in split_words(text))
        words = sorted(counts, key=lambda word: (-counts[word], word))
        if rare is None:
            return cls(words)
        left_out = rare * counts.total()
        while words and counts[words[-1]] <= left_out:
            left_out -= counts[words.pop()]
        return cls(words, knows_unknown=True)

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text, known or not."""
        return split_words(text)

    def detokenize(self, tokens: Iterable[str]) -> str:
        """The text of tokens, without ``<bos>``, ``<eos>`` and padding."""
        return " ".join(token for token in tokens if token not in SPECIAL[:UNK_ID])

    def encode(self, tokens: Iterable[str]) -> list[int]:
        """The ids of these tokens.

        A word that is known only with its first letter in the other case is taken for that one, so
        a sentence may begin with a capital.

        Raises ValueError for an unknown token, unless the vocabulary knows ``<unk>``, and for
        anything but a list of strings.
        """
        listed = isinstance(tokens, Iterable) and not isinstance(tokens, str)
        words = list(tokens) if listed else []
        if not listed or not all(isinstance(token, str) for token in words):
            raise ValueError(
                f"tokens are a list of strings, which tokenize() makes; got {tokens!r:.60}"
            )
        return [self._id(token, position) for position, token in enumerate(words)]

    def _id(self, word: str, position: int) -> int:
        for spelling in (word, word[:1].swapcase() + word[1:]):
            if spelling in self.ids:
                return self.ids[spelling]
        if self.knows_unknown:
            return UNK_ID
        known = ", ".join(self.words[:8])
        more = ", ..." if len(self.words) > 8 else ""
        raise ValueError(
            f"unknown word {quote(word)} (position {position}); "
            f"the vocabulary has {len(self.words)} words: {known}{more}"
        )

    def decode(self, ids: Iterable[int]) -> list[str]:
        """The tokens of these ids.

        Raises IndexError for an id outside the vocabulary, and ValueError for anything but whole
        numbers.
        """
        ids = whole_numbers(ids)
        if ids and not 0 <= min(ids) <= max(ids) < len(self):
            raise IndexError(
                f"ids run from {min(ids)} to {max(ids)}, the vocabulary from 0 to {len(self) - 1}"
            )
        return [self.tokens[i] for i in ids]

    def to_dict(self) -> dict:
        """What ``from_dict`` needs, for a JSON file."""
        return {"words": self.words, "knows_unknown": self.knows_unknown}

    @staticmethod
    def from_dict(description: dict) -> "Vocabulary":
        """What ``to_dict`` described; for anything else KeyError, TypeError or ValueError."""
        if "bpe" in description:
            return BytePairVocabulary(json.dumps(description["bpe"]))
        return Vocabulary(description["words"], knows_unknown=description["knows_unknown"])

    def __len__(self) -> int:
        return len(self.tokens)

    def __eq__(self, other) -> bool:
        return isinstance(other, Vocabulary) and self.to_dict() == other.to_dict()


class BytePairVocabulary(Vocabulary):
    """Pieces of words, by byte-pair encoding (Sennrich et al., 2016) of the ``tokenizers`` library.

    It begins with single letters and joins the commonest pair of neighbours, again and again:
    frequent words end up whole, rare ones in pieces. ``▁`` stands for the space before a word. Only
    a letter that was never seen, in either case, is unknown. Where no spaces are written, 24
    letters are taken as a word, because learning from a longer one takes time that grows with the
    square of its length.

    description: a tokenizer in the JSON of ``tokenizers``.
    """

    def __init__(self, description: str):
        from tokenizers import Tokenizer

        try:
            self.tokenizer = Tokenizer.from_str(description)
        except Exception as error:  # the library raises nothing more precise
            raise ValueError(f"this is no tokenizer of the tokenizers library: {error}") from error
        self.tokenizer.encode_special_tokens = True  # a "<eos>" in a text is just a text
        ids = self.tokenizer.get_vocab()
        words = sorted(ids, key=lambda word: ids[word])
        super().__init__(words[len(SPECIAL) :], knows_unknown=True)

    @classmethod
    def from_texts(cls, texts: Iterable[str], *, size: int = 4000) -> "BytePairVocabulary":
        """Learn ``size`` tokens from these texts, or more where there are more letters, because
        each letter is one.

        Raises ValueError for one string instead of a list.
        """
        check_several(texts)
        from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

        tokenizer = Tokenizer(models.BPE(unk_token=SPECIAL[UNK_ID]))
        cut = pre_tokenizers.Split(Regex(f".{{1,{MOST_AT_ONCE}}}"), "isolated")
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Metaspace(), pre_tokenizers.Punctuation(), cut]
        )
        trainer = trainers.BpeTrainer(
            vocab_size=size, min_frequency=2, special_tokens=list(SPECIAL), show_progress=False
        )
        tokenizer.train_from_iterator(map(_clean, texts), trainer)
        return cls(tokenizer.to_str())

    def tokenize(self, text: str) -> list[str]:
        text = _clean(text)
        encoding = self.tokenizer.encode(text)
        return [
            text[slice(*place)] if i == UNK_ID else token
            for i, token, place in zip(encoding.ids, encoding.tokens, encoding.offsets, strict=True)
        ]

    def detokenize(self, tokens: Iterable[str]) -> str:
        text = "".join(token for token in tokens if token not in SPECIAL[:UNK_ID])
        return text.replace("▁", " ").strip()

    @property
    def merges(self) -> list[tuple[str, str]]:
        """The neighbours that are joined, those that come first in a text's cutting first."""
        found = json.loads(self.tokenizer.to_str())["model"]["merges"]
        pairs = (pair.split(" ") if isinstance(pair, str) else pair for pair in found)
        return [(first, second) for first, second in pairs]

    def to_dict(self) -> dict:
        return {"bpe": json.loads(self.tokenizer.to_str())}


def _clean(text: str) -> str:
    """The composed text with one space between words."""
    return " ".join(compose(text).split())


def whole_numbers(ids: Iterable[int]) -> list[int]:
    """These ids as a list of int. Raises ValueError for anything but whole numbers."""
    try:
        return [operator.index(i) for i in ids]
    except TypeError as error:
        raise ValueError(f"ids are whole numbers: {error}") from None


def pad(rows: Sequence[Sequence[int]]) -> Tensor:
    """Rows of different lengths as one ``(n_rows, longest)`` int64 tensor, padded at the end.

    Raises ValueError if there is no row, and for anything but whole numbers.
    """
    if len(rows) == 0:
        raise ValueError("there is nothing to pad: give at least one row of ids")
    tensors = [torch.tensor(whole_numbers(row), dtype=torch.int64) for row in rows]
    return nn.utils.rnn.pad_sequence(tensors, batch_first=True, padding_value=PAD_ID)


def encode_target(vocabulary: Vocabulary, text: str) -> list[int]:
    """A target sentence as the model learns it: ``<bos>`` words ``<eos>``."""
    return [BOS_ID, *vocabulary.encode(vocabulary.tokenize(text)), EOS_ID]


def check_vocabulary_size(side: str, vocabulary: Vocabulary, size: int) -> None:
    """Raise a ValueError unless the vocabulary has the size that the model was made for."""
    if len(vocabulary) != size:
        raise ValueError(
            f"the {side} vocabulary has {len(vocabulary)} tokens, the model was made for {size}"
        )
