"""A recipe: all that decides, beside the pairs, what a training learns. The same recipe learns the
same.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields

import torch

from ..model import Transformer, TransformerConfig
from ..vocabulary import SPECIAL, BytePairVocabulary, Vocabulary, check_share, without_spaces

MOST_LAYERS = 100
MOST_WEIGHTS = 1_000_000_000  # training keeps four numbers for each: 16 gigabytes
MOST_WORDS = (
    8000  # a larger vocabulary of words makes training several times slower than one of pieces
)

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
class Recipe:
    """Everything but the pairs that decides what a training learns; the defaults made the shipped
    translator.

    epochs: unless given, as many as make 470 steps, and at least 5. warmup: steps until
    ``learning_rate`` is reached, at most half of all, after which it falls linearly to 0.
    tokenizer: ``"word"`` or ``"bpe"``. rare: see ``Vocabulary.from_texts``. model: choices of
    ``TransformerConfig`` by name, for example ``{"norm_first": True}``; the others are those of
    ``SHIPPED_MODEL``. Pairs with a sentence of more than ``max_length`` tokens are left out.

    Raises ValueError for a number that makes no sense, an unknown tokenizer and an unknown choice
    of the model.
    """

    seed: int = 0
    epochs: int | None = None
    batch_size: int = 64
    learning_rate: float = 4e-3
    warmup: int = 200
    label_smoothing: float = 0.1
    tokenizer: str = "word"
    rare: float | None = None
    model: dict = field(default_factory=dict)

    def __post_init__(self):
        for name in ("seed", "epochs", "batch_size", "warmup"):
            if type(number := getattr(self, name)) is not int and (name, number) != (
                "epochs",
                None,
            ):
                raise ValueError(f"{name} is a whole number; got {number!r}")
        if (self.epochs is not None and self.epochs < 1) or self.batch_size < 1:
            raise ValueError(
                f"epochs and batch_size count from 1; got {self.epochs} and {self.batch_size}"
            )
        rate = self.learning_rate
        if not isinstance(rate, (int, float)) or not 0 < rate < math.inf or self.warmup < 0:
            raise ValueError(
                f"learning_rate must be above 0 and warmup at least 0; got {rate!r:.30} and {self.warmup}"
            )
        check_share("label_smoothing", self.label_smoothing)
        check_share("rare", self.rare or 0.0)
        if self.tokenizer not in ("word", "bpe"):
            raise ValueError(f"tokenizer is 'word' or 'bpe'; got {self.tokenizer!r}")
        if unknown := [name for name in self.model if name not in SHIPPED_MODEL]:
            raise ValueError(
                f"a model has no {', '.join(unknown)} to choose, only {', '.join(SHIPPED_MODEL)}"
            )
        object.__setattr__(self, "model", SHIPPED_MODEL | self.model)
        config = self.config(len(SPECIAL), len(SPECIAL))
        if config.n_layers > MOST_LAYERS:
            raise ValueError(f"n_layers must be at most {MOST_LAYERS}; got {config.n_layers}")
        with torch.device(
            "meta"
        ):  # sizes that cannot work are refused at once, not after the pairs have been read
            model = Transformer(config)
        weights = sum(weight.numel() for weight in model.parameters()) + model.positions.numel()
        if weights > MOST_WEIGHTS:
            raise ValueError(
                f"a model of {weights:,} numbers is too large to be trained here: give d_model={config.d_model}, "
                f"d_ff={config.d_ff}, n_layers={config.n_layers}, max_length={config.max_length} smaller values"
            )

    def config(self, source_vocab_size: int, target_vocab_size: int) -> TransformerConfig:
        """The model's configuration, once its vocabularies are there."""
        return TransformerConfig(source_vocab_size, target_vocab_size, **self.model)

    def vocabulary(self, texts: Iterable[str]) -> Vocabulary:
        """Words or pieces of words from these texts, as ``tokenizer`` says."""
        if self.tokenizer == "bpe":
            return BytePairVocabulary.from_texts(texts)
        return Vocabulary.from_texts(texts, rare=self.rare)

    def learning_rate_at(self, step: int, n_steps: int) -> float:
        """The learning rate at a step, counted from 1: a linear rise, then a linear fall."""
        warmup = min(self.warmup, n_steps // 2)
        return self.learning_rate * min(
            step / max(warmup, 1), (n_steps + 1 - step) / (n_steps + 1 - warmup)
        )

    def to_dict(self) -> dict:
        """Every choice by name, those of the model among them."""
        choices = asdict(self)
        model = choices.pop("model")
        return choices | model


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
        if (n := len(Vocabulary.from_texts(texts, rare=rare))) > MOST_WORDS:
            return "bpe", f"the {side} has {n} different words, more than {MOST_WORDS}"
    return (
        "word",
        f"spaces are written between words, and there are at most {MOST_WORDS} different ones on a side",
    )
