"""Train the model of the figure that writes, and put it into the package.

    python -m dev.make.writer

It is chapter 11's decoder alone, in its sizes, trained for longer and on more of the grammar's
language. Three texts of four are a German sentence, ``<bos>`` and its translation, the fourth is an
English sentence; each begins with ``<bos>``, so that a text may begin with nothing. The loss counts
every token. Takes some minutes on one core, and gives the same weights again on the same machine.
"""

import random

import torch

from attention_by_hand.figures.writer import SHIPPED as KEPT
from transformer_lite import Vocabulary
from transformer_lite.data.grammar import Pair, splits
from transformer_lite.decoder_only import DecoderOnly, write
from transformer_lite.language_model import LanguageModel
from transformer_lite.training import Batch, training_steps
from transformer_lite.vocabulary import BOS_ID, EOS_ID, pad

PAIRS = 30_000
STEPS = 4_000
WARMUP = 300
RATE = 4e-3


def ids_of(text: str, vocabulary: Vocabulary) -> list[int]:
    return vocabulary.encode(vocabulary.tokenize(text))


def texts(pairs: list[Pair], vocabulary: Vocabulary, dice: random.Random) -> torch.Tensor:
    """A batch of whole texts, ``(64, length)``."""
    rows = []
    for pair in dice.sample(pairs, 64):
        english = [BOS_ID, *ids_of(pair.target, vocabulary), EOS_ID]
        german = [BOS_ID, *ids_of(pair.source, vocabulary)]
        rows.append(english if dice.random() < 0.25 else german + english)
    return pad(rows)


def train(model: DecoderOnly, pairs: list[Pair], vocabulary: Vocabulary) -> None:
    dice = random.Random(0)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    batches = (Batch(None, texts(pairs, vocabulary, dice)) for _ in range(STEPS))

    def rate(step: int) -> float:
        return RATE * min(step / WARMUP, (STEPS + 1 - step) / (STEPS + 1 - WARMUP))

    for step, loss in enumerate(training_steps(model, batches, optimizer, rate), start=1):
        if step % 200 == 0:
            print(f"step {step}: loss {loss:.3f}", flush=True)
    model.eval()


def exact(model: DecoderOnly, pairs: list[Pair], vocabulary: Vocabulary) -> float:
    """The share of pairs that it translates word for word."""
    right = 0
    for pair in pairs:
        beginning = [BOS_ID, *ids_of(pair.source, vocabulary), BOS_ID]
        wanted = [*beginning, *ids_of(pair.target, vocabulary), EOS_ID]
        right += write(model, torch.tensor([beginning]))[0].tolist() == wanted
    return right / len(pairs)


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    held = splits(PAIRS)
    pairs = list(held.train)
    vocabulary = Vocabulary.from_texts(text for pair in pairs for text in pair[:2])
    sizes = {"d_model": 64, "d_ff": 192, "n_layers": 2, "n_heads": 4, "max_length": 64}
    model = DecoderOnly(len(vocabulary), norm_first=False, **sizes)
    train(model, pairs, vocabulary)
    print(f"{sum(p.numel() for p in model.parameters()):,} weights, {len(vocabulary)} tokens")
    for name in ("unseen", "compositional"):
        print(f"{name}: {exact(model, getattr(held, name)[:500], vocabulary):.1%} exactly right")
    LanguageModel(model, vocabulary).save(KEPT)


if __name__ == "__main__":
    main()
