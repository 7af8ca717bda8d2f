"""A recipe: all the numbers that decide what a training learns, so that the same recipe always learns the same."""

from collections.abc import Iterable
from dataclasses import MISSING, asdict, dataclass, field, fields

from ..model import TransformerConfig
from ..vocabulary import BytePairVocabulary, Vocabulary

# The sizes of the shipped translator; what is not named is TransformerConfig's default, the paper's base model.
SHIPPED_MODEL = {"d_model": 64, "d_ff": 192, "n_layers": 2, "n_heads": 4, "dropout": 0.0, "max_length": 64}

# What may be chosen of a model. The sizes of its vocabularies come from the pairs.
MODEL_FIELDS = [f for f in fields(TransformerConfig) if f.default is not MISSING and not f.name.endswith("_id")]


@dataclass(frozen=True)
class Recipe:
    """Everything but the pairs that decides what a training learns; the defaults made the shipped translator.

    epochs: unless given, as many as make 470 steps, and at least 5. warmup: steps until ``learning_rate`` is reached,
    after which it falls linearly to 0. tokenizer: ``"word"`` or ``"bpe"``. rare: see ``Vocabulary.from_texts``.
    model: fields of ``TransformerConfig`` by name, where they differ from ``SHIPPED_MODEL``; pairs with a sentence of
    more than its ``max_length`` tokens are left out.

    Raises ValueError for a number that makes no sense, an unknown tokenizer and an unknown field of the model.
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
        if (self.epochs is not None and self.epochs < 1) or self.batch_size < 1:
            raise ValueError(f"epochs and batch_size count from 1; got {self.epochs} and {self.batch_size}")
        if not self.learning_rate > 0 or self.warmup < 0:
            raise ValueError(
                f"learning_rate must be above 0 and warmup at least 0; got {self.learning_rate} and {self.warmup}"
            )
        for name in ("label_smoothing", "rare"):
            if not 0 <= (getattr(self, name) or 0) < 1:
                raise ValueError(f"{name} is a share, 0 <= {name} < 1; got {getattr(self, name)}")
        if self.tokenizer not in ("word", "bpe"):
            raise ValueError(f"tokenizer is 'word' or 'bpe'; got {self.tokenizer!r}")
        names = [f.name for f in MODEL_FIELDS]
        if unknown := [name for name in self.model if name not in names]:
            raise ValueError(f"a model has no {', '.join(unknown)} to choose, only {', '.join(names)}")
        self.config(len(names), len(names))  # a size that cannot work is refused before anything is read

    def config(self, source_vocab_size: int, target_vocab_size: int) -> TransformerConfig:
        """The model's configuration, once the sizes of its vocabularies are known."""
        return TransformerConfig(source_vocab_size, target_vocab_size, **SHIPPED_MODEL | self.model)

    def vocabulary(self, texts: Iterable[str]) -> Vocabulary:
        """Words or pieces of words from these texts, as ``tokenizer`` says."""
        if self.tokenizer == "bpe":
            return BytePairVocabulary.from_texts(texts)
        return Vocabulary.from_texts(texts, rare=self.rare)

    def learning_rate_at(self, step: int, n_steps: int) -> float:
        """The learning rate at a step, counted from 1: a linear rise, then a linear fall."""
        warmup = min(self.warmup, n_steps // 2)
        return self.learning_rate * min(step / max(warmup, 1), (n_steps + 1 - step) / (n_steps + 1 - warmup))

    def to_dict(self) -> dict:
        """Every choice by name, those of the model among them."""
        config = self.config(len(MODEL_FIELDS), len(MODEL_FIELDS))
        choices = asdict(self) | {f.name: getattr(config, f.name) for f in MODEL_FIELDS}
        del choices["model"]
        return choices
