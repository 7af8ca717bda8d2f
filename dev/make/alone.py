"""Chapter 11's language, and its models in it, for the programs beside this file; and how the
numbers of several seeds become lists.
"""

from attention_by_hand.studies import alone
from transformer_lite.data.corpus import german_english
from transformer_lite.decoder_only import DecoderOnly
from transformer_lite.vocabulary import Vocabulary

PAIRS = german_english()
TEXTS = [text for pair in PAIRS for text in pair]
VOCABULARY = Vocabulary.from_texts(TEXTS)


def ids_of(text: str) -> list[int]:
    return alone.ids_of(text, VOCABULARY)


def fresh(seed: int, n_layers: int = 2) -> DecoderOnly:
    return alone.fresh(VOCABULARY, seed, n_layers=n_layers)


def train(model, batch, seed, *, after=lambda step: None, **how):
    """``studies.alone.training``; after(step) follows a step."""
    for step, _ in enumerate(alone.training(model, batch, seed=seed, **how), start=1):
        after(step)
    return model.eval()


def exact(model, pairs) -> float:
    return round(alone.exact(model, pairs, VOCABULARY), 1)


def gather(lists: dict, one: dict) -> None:
    """Add what one seed has measured to the lists of all: each number to the list of its name."""
    for name, measured in one.items():
        if isinstance(measured, dict):
            gather(lists.setdefault(name, {}), measured)
        else:
            lists.setdefault(name, []).append(measured)
