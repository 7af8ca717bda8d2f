"""Training in earnest: many pairs, a progress bar, checkpoints, several processes.

The loop is ``training_steps``. What is added here makes it fit for use: a ``Recipe`` says all that
decides the result, every batch follows from the recipe and the step alone, and the state after any
step can be saved and taken up again.
"""

import json
import math
import os
import random
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch

from ..checks import check_pairs
from ..console import counted, print_error
from ..data.corpus import EncodedPairs, short_pairs
from ..files import alone_in, write_whole
from ..model import Transformer
from ..training import Batch, least_loss, training_steps
from ..translator import FILE, Translator
from .checkpoints import CHECKPOINT, load_checkpoint, save_checkpoint
from .distributed import all_reduce_mean, average_gradients, rank_and_world
from .held_out import HeldOut, Measure, overfitting
from .interrupt import deferred_interrupt
from .progress import progress_bar, say_above
from .recipe import Recipe

CHECKPOINT_EVERY = 100  # steps
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
    there a checkpoint, every 100 steps and after the last. Killed at any moment, a training goes on
    from its last checkpoint with ``resume=True``; on one thread its losses are, bit for bit, those
    of a training that was never killed. Ctrl-C ends the step in hand, saves a checkpoint and raises
    KeyboardInterrupt, which says so; pressed again, it does not wait for that. The caller's random
    numbers on the CPU and on ``device`` are as they were.

    In a process group (``torchrun``) each process takes a share of every batch, and the gradients
    are those of one process; only the first process measures, writes and shows progress.

    Raises FileExistsError if the folder holds a translator, other files or, without ``resume``, an
    unfinished training, or if another process is at work in it; OSError if it cannot be written to;
    ValueError if there are no pairs to learn from, if a held-out pair has a word that the
    vocabularies refuse, or if ``resume`` has no folder, or finds other pairs or another recipe than
    the checkpoint's; FloatingPointError if the weights or the loss stop being finite numbers.
    """
    if resume and folder is None:
        raise ValueError("to resume a training, name the folder that holds it")
    folder = None if folder is None else Path(folder)
    first = rank_and_world()[0] == 0
    cuda = [device] if torch.device(device).type == "cuda" else []
    with alone_in(folder) if folder and first else nullcontext(), torch.random.fork_rng(cuda):
        training = prepare(
            pairs,
            recipe or Recipe(),
            held_out=held_out,
            folder=folder,
            resume=resume,
            progress=progress and first,
            device=device,
        )
        run(training)
        return finish(training), training.losses


@dataclass
class Training:
    """A training between two steps: all that the next one needs.

    recipe: with its number of epochs. identity: what makes it this training, for ``training.json``
    and for whoever resumes it. losses: of every step so far. measures: of the held-out pairs.
    """

    recipe: Recipe
    data: EncodedPairs
    held_out: HeldOut | None
    translator: Translator
    optimizer: torch.optim.Optimizer
    identity: dict
    checkpoint: Path | None
    progress: bool
    losses: list[float] = field(default_factory=list)
    measures: list[Measure] = field(default_factory=list)

    @property
    def model(self) -> Transformer:
        return self.translator.model

    @property
    def steps_per_epoch(self) -> int:
        return math.ceil(len(self.data) / self.recipe.batch_size)

    @property
    def floor(self) -> float:
        """The loss that no model can go below."""
        target = self.translator.target_vocabulary
        return least_loss(self.recipe.label_smoothing, len(target))

    @property
    def n_steps(self) -> int:
        return self.recipe.epochs * self.steps_per_epoch


def prepare(
    pairs: Iterable[tuple[str, str]],
    recipe: Recipe,
    *,
    held_out: Iterable[tuple[str, str]] = (),
    folder: Path | None = None,
    resume: bool = False,
    progress: bool = True,
    device: torch.device | str = "cpu",
) -> Training:
    """A training before its first step, or where its checkpoint has left it."""
    checkpoint = None if folder is None else find_checkpoint(folder, resume)
    pairs = check_pairs(pairs)
    held_out = check_pairs(held_out)
    short = short_pairs(pairs, recipe.model["max_length"])
    source = recipe.vocabulary(pair[0] for pair in short)
    target = recipe.vocabulary(pair[1] for pair in short)
    config = recipe.config(len(source), len(target))
    data = EncodedPairs(short, source, target, config.max_length)
    recipe = replace(recipe, epochs=recipe.epochs_for(len(data)))

    reseed(recipe.seed, "weights")
    translator = Translator(Transformer(config).to(device), source, target)
    training = Training(
        recipe,
        data,
        HeldOut(held_out, translator) if held_out else None,
        translator,
        torch.optim.Adam(translator.model.parameters(), betas=(0.9, 0.98), eps=1e-9, fused=True),
        identity=recipe.to_dict() | {"pairs": describe(data)},
        checkpoint=checkpoint,
        progress=progress,
    )
    if training.held_out:
        training.identity["held_out"] = describe(training.held_out.data)
    check_shares(training)
    if checkpoint and checkpoint.exists():
        training.losses, training.measures = load_checkpoint(
            checkpoint, training.model, training.optimizer, training.identity
        )
    elif resume and progress:
        print_error(f"there is no unfinished training in {folder}: it begins anew")
    if progress:
        announce(training, n_left_out=len(pairs) - len(data))
    return training


def describe(data: EncodedPairs) -> str:
    """Which pairs these are, in a few words."""
    return f"{counted(len(data), 'pair')}, fingerprint {data.fingerprint}"


def check_shares(training: Training) -> None:
    """Raises ValueError where a process would have no pair of some batch."""
    smallest = len(training.data) // training.steps_per_epoch
    world = rank_and_world()[1]
    if smallest < world:
        raise ValueError(
            f"{world} processes cannot share batches of {counted(smallest, 'pair')}: start fewer"
        )


def announce(training: Training, n_left_out: int) -> None:
    """Say what is learnt from, and how long."""
    source = training.translator.source_vocabulary
    target = training.translator.target_vocabulary
    held_out = len(training.held_out.pairs) if training.held_out else 0
    print_error(
        f"{counted(len(training.data), 'pair')} ({n_left_out} more "
        f"{'is' if n_left_out == 1 else 'are'} too long or empty), {held_out or 'none'} held out, "
        f"vocabularies of {len(source)} and {len(target)} tokens, "
        f"{counted(training.n_steps, 'step')} in {counted(training.recipe.epochs, 'epoch')} "
        f"on {where(training.translator.device)}"
    )
    if training.recipe.label_smoothing:
        print_error(
            f"a translator without a fault would have a loss of {training.floor:.3f}, because of "
            f"--label-smoothing {training.recipe.label_smoothing:g}"
        )


def where(device: torch.device) -> str:
    """``"cpu with 1 thread (--threads)"``, or another device."""
    if device.type != "cpu":
        return str(device)
    return f"cpu with {counted(torch.get_num_threads(), 'thread')} (--threads)"


def run(training: Training) -> None:
    """Take the steps that are left. Raises KeyboardInterrupt, after a checkpoint, for Ctrl-C."""
    rank, world = rank_and_world()
    recipe = training.recipe
    device = training.translator.device
    done = len(training.losses)
    steps = training_steps(
        average_gradients(training.model),
        batches(training.data, recipe, done, rank, world),
        training.optimizer,
        lambda step: recipe.learning_rate_at(done + step, training.n_steps),
        recipe.label_smoothing,
    )
    tokens = recipe.epochs * training.data.n_target_tokens(range(len(training.data)))
    bar = progress_bar(tokens, tokens * done // training.n_steps, disable=not training.progress)
    with bar, deferred_interrupt() as pressed:
        for loss in steps:
            training.losses.append(all_reduce_mean(loss, device))
            # Every process stops if one was asked to.
            stop = all_reduce_mean(pressed.is_set(), device) > 0
            bar.set_postfix(
                loss=f"{training.losses[-1]:.3f} (least {training.floor:.3f})", refresh=False
            )
            bar.update(tokens * len(training.losses) // training.n_steps - bar.n)
            if rank == 0 and measure_is_due(training):
                training.measures.append(measure(training))
                if training.progress:
                    say_above(bar, describe_measure(training))
            keep(training, stop)
            if stop:
                raise KeyboardInterrupt("nothing is lost" if training.checkpoint else "")


def measure_is_due(training: Training) -> bool:
    """Whether the held-out pairs are to be measured after the step just taken.

    That is at the end of an epoch; of many epochs it is every tenth part, or every twentieth.
    """
    epoch, steps = divmod(len(training.losses), training.steps_per_epoch)
    if training.held_out is None or steps:
        return False
    every = max(1, training.recipe.epochs // MEASURES)
    return epoch % every == 0 or epoch == training.recipe.epochs


def measure(training: Training) -> Measure:
    """How good the model is at pairs that it has never seen."""
    step = len(training.losses)
    before = training.measures[-1].step if training.measures else 0
    since = training.losses[before:]
    recipe = training.recipe
    return Measure(
        step=step,
        epoch=step // training.steps_per_epoch,
        training_loss=sum(since) / len(since),
        loss=training.held_out.loss(recipe.batch_size, recipe.label_smoothing),
        exact=training.held_out.exact(),
        sentences=len(training.held_out.pairs),
    )


def describe_measure(training: Training) -> str:
    last = training.measures[-1]
    return (
        f"epoch {last.epoch} of {training.recipe.epochs}: loss {last.training_loss:.3f}, held out "
        f"{last.loss:.3f}, {last.exact} of {last.sentences} held-out sentences exactly right"
    )


def keep(training: Training, stop: bool) -> None:
    """Save a checkpoint, if one is due. Raises FloatingPointError if the training has diverged.

    One is due after the last step, too: if the translator cannot be written then, nothing need be
    learnt again.
    """
    step = len(training.losses)
    due = stop or step % CHECKPOINT_EVERY == 0 or step == training.n_steps
    if due or not math.isfinite(training.losses[-1]):
        check_finite(training.model, training.losses, training.recipe)
    if due and training.checkpoint and rank_and_world()[0] == 0:
        save_checkpoint(
            training.checkpoint,
            training.model,
            training.optimizer,
            training.losses,
            training.identity,
            training.measures,
        )


def finish(training: Training) -> Translator:
    """Say how it went, and put the translator and its losses in the place of the checkpoint."""
    if training.progress:
        problem = little_learnt(training) or overfitting(training.measures)
        if problem:
            print_error(problem)
    training.model.eval()
    if training.checkpoint and rank_and_world()[0] == 0:
        training.translator.save(training.checkpoint.parent)
        record = {"training": training.identity, "losses": training.losses}
        if training.held_out:
            record["held_out"] = [numbers._asdict() for numbers in training.measures]
        text = json.dumps(record, indent=1)
        write_whole(training.checkpoint.with_name("training.json"), text.encode())
        training.checkpoint.unlink(missing_ok=True)
    return training.translator


def little_learnt(training: Training) -> str:
    """What to say if the loss is hardly lower than it was; else nothing."""
    losses = training.losses
    if len(losses) < CHECKPOINT_EVERY:
        return ""
    before = sum(losses[:5]) / 5
    after = sum(losses[-20:]) / 20
    if after <= 0.9 * before:
        return ""
    return (
        f"little was learnt: the loss was {before:.2f} and is {after:.2f}. More --epochs may help, "
        f"or another --learning-rate (it was {training.recipe.learning_rate:g})"
    )


def find_checkpoint(folder: Path, resume: bool) -> Path:
    """Where the folder's checkpoint is, or will be; refuse to overwrite what the folder holds."""
    checkpoint = folder / CHECKPOINT
    if checkpoint.exists() and not resume:
        raise FileExistsError(
            f"{folder} holds an unfinished training: go on with --resume, or choose another folder"
        )
    if (folder / FILE).exists() and not checkpoint.exists():
        raise FileExistsError(
            f"{folder} holds a finished translator: choose another folder, or delete this one first"
        )
    if not checkpoint.exists() and folder.exists():
        others = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
        if others:
            names = ", ".join(others[:3]) + (", ..." if len(others) > 3 else "")
            raise FileExistsError(
                f"{folder} holds other files ({names}): name a new folder, or an empty one"
            )
    return checkpoint


def check_finite(model: torch.nn.Module, losses: list[float], recipe: Recipe) -> None:
    """Raises FloatingPointError where the training has diverged: weights that are no numbers."""
    finite = all(weight.isfinite().all() for weight in model.parameters())
    if not finite or not math.isfinite(losses[-1]):
        raise FloatingPointError(
            f"the training has diverged at step {len(losses)} (loss {losses[-1]}): train anew in "
            f"another folder with a lower --learning-rate (it was {recipe.learning_rate:g}) or a "
            f"longer --warmup (it was {recipe.warmup})"
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


def reseed(*key) -> None:
    """Set torch's random numbers to a state that depends on the key only."""
    torch.manual_seed(random.Random(" ".join(map(str, key))).getrandbits(63))
