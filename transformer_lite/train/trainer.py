"""Learning to translate from many sentence pairs.

A ``Recipe`` says all that decides the result, every batch follows from the recipe and the step
alone, and ``loop`` goes round.
"""

import math
import os
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from ..checks import check_pairs, counted
from ..data.corpus import EncodedPairs, short_pairs
from ..model import Transformer
from ..training import Batch
from ..translator import Translator
from ..vocabulary import Vocabulary
from .distributed import rank_and_world
from .held_out import HeldOut, Measure
from .loop import Training, adam, find_checkpoint, reseed, resume_from_checkpoint, run_steps, where
from .progress import say
from .recipe import Recipe, only_letters

MEASURES = 10  # of the held-out pairs, at least, where there are as many epochs


def train_translator(
    pairs: Iterable[tuple[str, str]],
    recipe: Recipe | None = None,
    *,
    held_out: Iterable[tuple[str, str]] = (),
    folder: str | os.PathLike | None = None,
    resume: bool = False,
    progress: bool = True,
    device: torch.device | str = "cpu",
) -> tuple[Translator, list[float]]:
    """Learn to translate from sentence pairs. Returns the translator and the loss before each step.

    recipe: unless given, that of the shipped translator.
    held_out: pairs that are not learnt from. Their loss is measured after each epoch, or ten to
    twenty times where there are more, and how many are translated word for word.
    folder: where the finished translator goes, with all losses (``training.json``), and until it is
    there a checkpoint: every 100 steps, after a minute, after an epoch of ten seconds or more, and
    after the last step. Killed at any moment, a training goes on from its last checkpoint with
    ``resume=True``; on one thread its losses are, bit for bit, those of a training that was never
    killed. Ctrl-C, SIGTERM and SIGHUP end the step in hand, save a checkpoint and raise
    KeyboardInterrupt, which says so; a second one does not wait for that. The caller's random
    numbers on the CPU and on ``device`` are as they were.

    In a process group (``torchrun``) each process takes a share of every batch, and the gradients
    are those of one process; only the first process measures, writes and shows progress.

    Raises FileExistsError if the folder holds a translator, other files or, without ``resume``, an
    unfinished training; OSError if it cannot be written to;
    ValueError if there are no pairs to learn from, if a held-out pair has a word that the
    vocabularies refuse, or if ``resume`` has no folder, or finds other pairs or another recipe than
    the checkpoint's; FloatingPointError if the weights or the loss stop being finite numbers.
    """
    return run_steps(
        lambda folder, progress: prepare(
            pairs,
            recipe or Recipe(),
            held_out=held_out,
            folder=folder,
            resume=resume,
            progress=progress,
            device=device,
        ),
        folder,
        resume,
        progress,
        device,
    )


@dataclass
class TranslatorTraining(Training):
    """A training of a translator. Its recipe has its number of epochs."""

    recipe: Recipe
    learner: Translator
    data: EncodedPairs
    held_out: HeldOut | None

    measure_type = Measure
    lengthens = "epochs"

    @property
    def written_vocabulary(self) -> Vocabulary:
        return self.learner.target_vocabulary

    @property
    def steps_per_epoch(self) -> int:
        return math.ceil(len(self.data) / self.recipe.batch_size)

    @property
    def n_steps(self) -> int:
        return self.recipe.epochs * self.steps_per_epoch

    @property
    def n_tokens(self) -> int:
        return self.recipe.epochs * self.data.n_target_tokens(range(len(self.data)))

    def batches(self, start: int, rank: int, world: int) -> Iterator[Batch]:
        return batches(self.data, self.recipe, start, rank, world)

    def ends_epoch(self) -> bool:
        return len(self.losses) % self.steps_per_epoch == 0

    def measure_is_due(self) -> bool:
        """At the end of an epoch; of many epochs it is every tenth part, or every twentieth."""
        epoch, steps = divmod(len(self.losses), self.steps_per_epoch)
        if self.held_out is None or steps:
            return False
        every = max(1, self.recipe.epochs // MEASURES)
        return epoch % every == 0 or epoch == self.recipe.epochs

    def measure(self) -> Measure:
        step = len(self.losses)
        before = self.measures[-1].step if self.measures else 0
        since = self.losses[before:]
        recipe = self.recipe
        return Measure(
            step=step,
            epoch=step // self.steps_per_epoch,
            training_loss=sum(since) / len(since),
            loss=self.held_out.loss(recipe.batch_size, recipe.label_smoothing),
            exact=self.held_out.exact(),
            sentences=len(self.held_out.pairs),
        )

    def describe_measure(self) -> str:
        last = self.measures[-1]
        return (
            f"epoch {last.epoch} of {self.recipe.epochs}: loss {last.training_loss:.3f}, held out "
            f"{last.loss:.3f}, {last.exact} of {last.sentences} held-out sentences exactly right"
        )

    def describe_rise(self, best: Measure, last: Measure) -> str:
        return (
            f"this is overfitting: from epoch {best.epoch} on the translator has learnt its pairs "
            f"by heart. Their loss fell from {best.training_loss:.2f} to {last.training_loss:.2f}, "
            f"and that of the held-out pairs rose from {best.loss:.2f} to {last.loss:.2f}. More "
            f"pairs help most. Fewer epochs ({best.epoch}, for example), more dropout or a smaller "
            "d_model may help too"
        )


def prepare(
    pairs: Iterable[tuple[str, str]],
    recipe: Recipe,
    *,
    held_out: Iterable[tuple[str, str]] = (),
    folder: Path | None = None,
    resume: bool = False,
    progress: bool = True,
    device: torch.device | str = "cpu",
) -> TranslatorTraining:
    """A training before its first step, or where its checkpoint has left it."""
    checkpoint = None if folder is None else find_checkpoint(folder, resume)
    pairs = check_pairs(pairs)
    held_out = check_pairs(held_out)
    short = short_pairs(pairs, recipe.sizes["max_length"])
    source = recipe.vocabulary(pair[0] for pair in short)
    target = recipe.vocabulary(pair[1] for pair in short)
    config = recipe.config(len(source), len(target))
    data = EncodedPairs(short, source, target, config.max_length)
    recipe = replace(recipe, epochs=recipe.epochs_for(len(data)))

    reseed(recipe.seed, "weights")
    translator = Translator(Transformer(config).to(device), source, target)
    training = TranslatorTraining(
        recipe,
        translator,
        adam(translator.model),
        identity=recipe.to_dict() | {"pairs": str(data)},
        checkpoint=checkpoint,
        progress=progress,
        data=data,
        held_out=HeldOut(held_out, translator) if held_out else None,
    )
    if training.held_out:
        training.identity["held_out"] = str(training.held_out.data)
    check_shares(training)
    resume_from_checkpoint(training, resume)
    if progress:
        announce(training, n_left_out=len(pairs) - len(data))
    return training


def check_shares(training: TranslatorTraining) -> None:
    """Raises ValueError where a process would have no pair of some batch."""
    smallest = len(training.data) // training.steps_per_epoch
    world = rank_and_world()[1]
    if smallest < world:
        raise ValueError(
            f"{world} processes cannot share batches of {counted(smallest, 'pair')}: start fewer"
        )


def announce(training: TranslatorTraining, n_left_out: int) -> None:
    """Say what is learnt from, and how long."""
    source = training.learner.source_vocabulary
    target = training.learner.target_vocabulary
    held_out = len(training.held_out.pairs) if training.held_out else 0
    say(
        f"{counted(len(training.data), 'pair')} ({n_left_out} more "
        f"{'is' if n_left_out == 1 else 'are'} too long or empty), {held_out or 'none'} held out, "
        f"vocabularies of {len(source)} and {len(target)} tokens, "
        f"{counted(training.n_steps, 'step')} in {counted(training.recipe.epochs, 'epoch')} "
        f"on {where(training.learner.device)}"
    )
    for side, vocabulary in (("source", source), ("target", target)):
        if said := only_letters(vocabulary, training.recipe.pieces):
            say(f"in the {side} {said}")
    if training.recipe.label_smoothing:
        say(
            f"a translator without a fault would have a loss of {training.floor:.3f}, because of "
            f"label_smoothing={training.recipe.label_smoothing:g}"
        )


def batches(
    data: EncodedPairs, recipe: Recipe, start: int, rank: int = 0, world: int = 1
) -> Iterator[Batch]:
    """The batches from step ``start`` on; of each, every ``world``-th pair from ``rank`` on.

    The order, and what dropout is about to draw, follow from the seed and the step alone: that is
    why a training can go on from anywhere. The weight makes the mean over processes the mean over
    all tokens of the batch.
    """
    per_epoch = math.ceil(len(data) / recipe.batch_size)
    for epoch in range(start // per_epoch, recipe.epochs):
        order = list(range(len(data)))
        random.Random(f"{recipe.seed} epoch {epoch}").shuffle(order)
        for step in range(max(start, epoch * per_epoch), (epoch + 1) * per_epoch):
            rows = order[step % per_epoch :: per_epoch]
            share = rows[rank::world]
            reseed(recipe.seed, "step", step, rank)
            weight = world * data.n_target_tokens(share) / data.n_target_tokens(rows)
            yield data.batch(share, weight)
