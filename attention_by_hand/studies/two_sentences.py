"""The smallest translator: from two sentence pairs to a model that translates them."""

import torch
from tqdm import tqdm

from transformer_lite.data.corpus import TWO_SENTENCES
from transformer_lite.model import Transformer, TransformerConfig
from transformer_lite.training import make_batch, training_steps
from transformer_lite.translator import Translator
from transformer_lite.vocabulary import Vocabulary


def train_two_sentences(
    seed: int = 0, *, epochs: int = 64, progress: bool = True
) -> tuple[Translator, list[float]]:
    """Two sentences that differ in one word, learnt by heart in about two seconds.

    The loop is all there is to training; a larger corpus only brings more batches. ``seed`` decides
    every number, and the caller's random numbers are left as they were.

    Returns the translator and the loss before each of the ``epochs`` steps.
    """
    source = Vocabulary.from_texts(german for german, _ in TWO_SENTENCES)
    target = Vocabulary.from_texts(english for _, english in TWO_SENTENCES)
    batch = make_batch(TWO_SENTENCES, source, target)
    sizes = dict(d_model=64, d_ff=256, n_layers=2, n_heads=4, dropout=0.0)  # nothing else is random
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        model = Transformer(TransformerConfig(len(source), len(target), **sizes))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    losses = []
    with tqdm(total=epochs, desc="two sentences", unit="epoch", disable=not progress) as bar:
        for loss in training_steps(model, [batch] * epochs, optimizer):
            losses.append(loss)
            bar.set_postfix(loss=f"{loss:.4f}")
            bar.update()
    return Translator(model.eval(), source, target), losses
