"""A recipe: all that decides, beside the pairs or the text, what a training learns."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import ClassVar

import torch

from ..checks import check_share, check_whole, is_finite
from ..model import Transformer, TransformerConfig
from ..vocabulary import SPECIAL, BytePairVocabulary, Vocabulary, without_spaces

MOST_WEIGHTS = 1_000_000_000  # training keeps four numbers for each: 16 gigabytes
MOST_PIECES = 100_000  # of a vocabulary: no language needs more
MOST_WORDS = 8000  # of a vocabulary: more make training several times slower than pieces do
STEPS = 470  # at the least, unless the number of epochs is given
EPOCHS = 5  # at the least, unless it is given
WIDE = 256  # d_model from which on the work of a step is worth sharing among threads

# What the shipped translator chose in TransformerConfig; the rest are the defaults there.
SHIPPED_MODEL = {
    f.name: f.default for f in fields(TransformerConfig) if f.default is not MISSING
} | {
    "d_model": 64,
    "d_ff": 192,
    "n_layers": 2,
    "n_heads": 4,
    "dropout": 0.0,
    "max_length": 64,
}


@dataclass(frozen=True)
class Course:
    """What every recipe says, whatever is learnt.

    Raises ValueError for a number that makes no sense.
    """

    seed: int = field(default=0, metadata={"help": "where chance begins"})
    batch_size: int = field(
        default=64, metadata={"help": "sentence pairs, or stretches of text, in a step"}
    )
    learning_rate: float = field(
        default=4e-3, metadata={"help": "the highest; the rate rises to it, then falls to 0"}
    )
    warmup: int = field(
        default=200, metadata={"help": "steps in which the rate rises, at most half of all"}
    )
    label_smoothing: float = field(
        default=0.1,
        metadata={"help": "share of the probability that is spread over all tokens (section 5.4)"},
    )
    pieces: int = field(
        default=4000,
        metadata={"help": "pieces of words in each vocabulary, for bpe; little text needs few"},
    )
    model: dict = field(
        default_factory=dict, hash=False, metadata={"help": "choices of the model by name"}
    )
    usual: ClassVar[dict] = {}  # what the model is where nothing is chosen

    def __post_init__(self):
        if type(self.seed) is not int:
            raise ValueError(f"seed must be a whole number; got {self.seed!r:.30}")
        check_whole("batch_size", self.batch_size, least=1)
        check_rate("learning_rate", self.learning_rate)
        check_whole("warmup", self.warmup, least=0)
        check_share("label_smoothing", self.label_smoothing)
        check_whole("pieces", self.pieces, least=1, most=MOST_PIECES)
        if unknown := [name for name in self.model if name not in self.usual]:
            raise ValueError(
                f"a model has no {', '.join(unknown)} to choose, only {', '.join(self.usual)}"
            )

    @property
    def sizes(self) -> dict:
        """Every choice of the model: those of ``model``, and the usual ones for the rest."""
        return self.usual | self.model

    def learning_rate_at(self, step: int, n_steps: int) -> float:
        """The learning rate at a step, from 1 on: linear, up to ``learning_rate`` and down."""
        warmup = max(1, min(self.warmup, n_steps // 2))
        rise = step / warmup
        fall = (n_steps + 1 - step) / (n_steps + 1 - warmup)
        return self.learning_rate * min(rise, fall)

    def to_dict(self) -> dict:
        """Every choice by name, those of the model among them."""
        choices = asdict(self)
        del choices["model"]
        return choices | self.sizes


@dataclass(frozen=True)
class Recipe(Course):
    """All but the pairs that decides what is learnt; the defaults made the shipped translator.

    Pairs with a sentence of more than ``max_length`` tokens are left out. Raises ValueError for a
    number that makes no sense, an unknown tokenizer and an unknown choice of the model.
    """

    epochs: int | None = field(
        default=None,
        metadata={
            "help": "how often all pairs are read; unless given, as often as it takes to make "
            f"{STEPS} steps, and at least {EPOCHS} times"
        },
    )
    tokenizer: str = field(
        default="word",
        metadata={
            "help": "word: a vocabulary of whole words; "
            "bpe: of pieces, so that unknown words can be spelt"
        },
    )
    rare: float | None = field(
        default=None,
        metadata={
            "help": "share of the running words, the rarest, that are read as unknown; unless "
            "given, unknown words are refused"
        },
    )
    usual: ClassVar[dict] = SHIPPED_MODEL

    def __post_init__(self):
        super().__post_init__()
        if self.epochs is not None:
            check_whole("epochs", self.epochs, least=1)
        if self.rare is not None:
            check_share("rare", self.rare)
        if self.tokenizer not in ("word", "bpe"):
            raise ValueError(f"tokenizer is 'word' or 'bpe'; got {self.tokenizer!r}")
        check_trainable(self.config(len(SPECIAL), len(SPECIAL)))

    def config(self, source_vocab_size: int, target_vocab_size: int) -> TransformerConfig:
        """The model's configuration, once its vocabularies are there."""
        return TransformerConfig(source_vocab_size, target_vocab_size, **self.sizes)

    def vocabulary(self, texts: Iterable[str]) -> Vocabulary:
        """Words or pieces of words from these texts, as ``tokenizer`` says."""
        if self.tokenizer == "bpe":
            return BytePairVocabulary.from_texts(texts, size=self.pieces)
        return Vocabulary.from_texts(texts, rare=self.rare)

    def epochs_for(self, n_pairs: int) -> int:
        """How often that many pairs are read: ``epochs``, or what takes its place."""
        if self.epochs is not None:
            return self.epochs
        return max(EPOCHS, math.ceil(STEPS / math.ceil(n_pairs / self.batch_size)))


def check_rate(name: str, rate: float) -> None:
    """Raise a ValueError unless this is a number above 0 that float32 holds; True is none."""
    numbers = torch.finfo(torch.float32)
    if not is_finite(rate) or not numbers.tiny <= rate <= numbers.max:
        raise ValueError(
            f"{name} must be a number above 0, "
            f"from {numbers.tiny:.2g} to {numbers.max:.2g}; got {rate!r:.30}"
        )


def check_trainable(config: TransformerConfig) -> None:
    """Raises ValueError for sizes that cannot work together, and for more than can be trained here.

    So they are refused at once, and not after all pairs have been read.
    """
    with torch.device("meta"):  # a model without numbers costs nothing
        check_not_too_large(Transformer(config), vars(config))


def check_not_too_large(model: torch.nn.Module, sizes: dict) -> None:
    """Raises ValueError for a model that is too large to be trained here."""
    weights = sum(tensor.numel() for tensor in [*model.parameters(), *model.buffers()])
    if weights > MOST_WEIGHTS:
        given = ", ".join(
            f"{name}={sizes[name]}" for name in ("d_model", "d_ff", "n_layers", "max_length")
        )
        raise ValueError(
            f"a model of {weights:,} numbers is too large to be trained here: give {given} "
            "smaller values"
        )


def fitting_tokenizer(
    pairs: Sequence[tuple[str, str]], rare: float | None = None
) -> tuple[str, str]:
    """``"word"`` or ``"bpe"``, and the reason in words.

    Words fit where there are spaces between them, and few enough different ones; ``rare`` as in
    ``Recipe``.
    """
    sides = {"source": [pair[0] for pair in pairs], "target": [pair[1] for pair in pairs]}
    for side, texts in sides.items():
        if without_spaces(texts):
            return "bpe", f"the {side} is written without spaces between words"
    for side, texts in sides.items():
        n_words = len(Vocabulary.from_texts(texts, rare=rare))
        if n_words > MOST_WORDS:
            return "bpe", f"the {side} has {n_words} different words, more than {MOST_WORDS}"
    return (
        "word",
        "spaces are written between words, "
        f"and there are at most {MOST_WORDS} different ones on a side",
    )


def only_letters(vocabulary: Vocabulary, pieces: int) -> str:
    """What to say if there are so many letters that none are joined to pieces; else nothing."""
    if not isinstance(vocabulary, BytePairVocabulary) or len(vocabulary) <= pieces:
        return ""
    n_letters = len(set(vocabulary.words) - {"▁"})
    return (
        f"there are {n_letters} different letters, more than the {pieces} "
        "pieces that were asked for: every letter is a token of its own, and none are joined. With "
        "more pieces the commonest would be"
    )


def fitting_threads(recipe: Recipe) -> int:
    """How many threads of the processor to train with: one for a small model.

    Threads share each multiplication of two matrices, and wait for the slowest of them. A small
    model makes thousands of small multiplications in a second: on a quiet machine a second thread
    gains little, and beside other work it makes training several times slower.
    """
    return 1 if recipe.sizes["d_model"] < WIDE else torch.get_num_threads()
