"""Training in earnest, whatever is learnt: how long it takes, checkpoints, Ctrl-C, processes.

The loop is ``training_steps``. A ``Training`` says what is learnt from and how it is measured, and
its state after any step can be saved and taken up again.
"""

import json
import math
import os
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import torch

from ..checks import counted
from ..files import FILE, write_whole
from ..language_model import LanguageModel
from ..training import Batch, least_loss, training_steps
from ..translator import Translator
from ..variants import even_out
from ..vocabulary import Vocabulary
from .checkpoints import CHECKPOINT, load_checkpoint, save_checkpoint
from .distributed import all_reduce_mean, average_gradients, rank_and_world
from .interrupt import Interrupted, deferred_interrupt
from .progress import progress_bar, say
from .recipe import Course

CHECKPOINT_EVERY = 100  # steps,
CHECKPOINT_SECONDS = 60  # or after as long,
EPOCH_SECONDS = 10  # or at the end of an epoch, if the last checkpoint is as old
A_RISE = 1.05  # what the held-out loss must grow by: a smaller rise may be chance
MEASURED = 5  # steps, to tell how long all will take: the first one, which is slow, does not count


@dataclass
class Training(ABC):
    """A training between two steps: all that the next one needs. Its subclasses say what is learnt
    from, and how it is measured.

    learner: who learns. identity: what makes it this training, for ``training.json`` and for
    whoever resumes it. losses: of every step so far. measures: of what is held out. saved_at: when
    the last checkpoint was saved, or the training began, in seconds.
    """

    recipe: Course
    learner: Translator | LanguageModel
    optimizer: torch.optim.Optimizer
    identity: dict
    checkpoint: Path | None
    progress: bool
    losses: list[float] = field(default_factory=list, kw_only=True)
    measures: list = field(default_factory=list, kw_only=True)
    saved_at: float = field(default_factory=lambda: time.monotonic(), kw_only=True)

    measure_type: ClassVar[type]  # a NamedTuple, of ``measures``
    lengthens: ClassVar[str]  # the option that makes the training longer

    @property
    def model(self) -> torch.nn.Module:
        return self.learner.model

    @property
    def floor(self) -> float:
        """The loss that no model can go below."""
        return least_loss(self.recipe.label_smoothing, len(self.written_vocabulary))

    @property
    @abstractmethod
    def written_vocabulary(self) -> Vocabulary:
        """Of the tokens that the model has to guess."""

    @property
    @abstractmethod
    def n_steps(self) -> int:
        """How many there are, those that are taken already included."""

    @property
    @abstractmethod
    def n_tokens(self) -> int:
        """How many tokens are guessed in all steps."""

    @abstractmethod
    def batches(self, start: int, rank: int, world: int) -> Iterator[Batch]:
        """The batches from step ``start`` on; of each, this process's share."""

    def ends_epoch(self) -> bool:
        """Whether all that is learnt from has been read once more with the step just taken."""
        return False

    @abstractmethod
    def measure_is_due(self) -> bool:
        """Whether what is held out is to be measured after the step just taken."""

    @abstractmethod
    def measure(self) -> tuple:
        """How good the model is at what it has never seen."""

    @abstractmethod
    def describe_measure(self) -> str:
        """The last measure, in words."""

    def overfitting(self) -> str:
        """What to say if the held-out loss has risen while the training loss fell; else nothing."""
        best, last = rise(self.measures)
        return "" if best is last else self.describe_rise(best, last)

    @abstractmethod
    def describe_rise(self, best: tuple, last: tuple) -> str:
        """That what is learnt has been learnt by heart since the best measure, in words."""


def rise(measures: Sequence) -> tuple:
    """The measure with the lowest held-out loss, and the last one, if that loss has risen since
    then while the training loss fell; else the last one twice. Both are None without measures.
    """
    if not measures:
        return None, None
    best = min(measures, key=lambda measure: measure.loss)
    last = measures[-1]
    if last.loss <= A_RISE * best.loss or last.training_loss >= best.training_loss:
        return last, last
    return best, last


def run_steps(
    prepare: Callable[[Path | None, bool], Training],
    folder: str | os.PathLike | None,
    resume: bool,
    progress: bool,
    device: torch.device | str,
) -> tuple[Translator | LanguageModel, list[float]]:
    """A whole training: what was made, and the loss before each step.

    prepare: makes the training from the folder, and whether it is to show progress.
    """
    if resume and folder is None:
        raise ValueError("to resume a training, name the folder that holds it")
    folder = None if folder is None else Path(folder)
    first = rank_and_world()[0] == 0
    cuda = [device] if torch.device(device).type == "cuda" else []
    with torch.random.fork_rng(cuda):
        training = prepare(folder, progress and first)
        if folder and first:
            folder.mkdir(parents=True, exist_ok=True)
        run(training)
        return finish(training), training.losses


def adam(model: torch.nn.Module) -> torch.optim.Optimizer:
    """The paper's optimizer, section 5.3."""
    return torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9, fused=True)


def resume_from_checkpoint(training: Training, resume: bool) -> None:
    """Put a training where its checkpoint has left it, if there is one."""
    checkpoint = training.checkpoint
    if checkpoint and checkpoint.exists():
        training.losses, measures = load_checkpoint(
            checkpoint, training.model, training.optimizer, training.identity
        )
        training.measures = [training.measure_type(*numbers) for numbers in measures]
    elif checkpoint and resume and training.progress:
        say(f"there is no unfinished training in {checkpoint.parent}: it begins anew")


def where(device: torch.device) -> str:
    """``"cpu with 1 thread"``, or another device."""
    if device.type != "cpu":
        return str(device)
    return f"cpu with {counted(torch.get_num_threads(), 'thread')}"


def run(training: Training) -> None:
    """Take the steps that are left. Raises ``Interrupted``, after a checkpoint, if it is asked to
    end.
    """
    rank, world = rank_and_world()
    recipe = training.recipe
    device = training.learner.device
    done = len(training.losses)
    steps = training_steps(
        average_gradients(training.model),
        training.batches(done, rank, world),
        training.optimizer,
        lambda step: recipe.learning_rate_at(done + step, training.n_steps),
        recipe.label_smoothing,
    )
    tokens = training.n_tokens
    least = f" (least {training.floor:.3f})" if training.floor else ""
    bar = progress_bar(tokens, tokens * done // training.n_steps, disable=not training.progress)
    began = 0.0
    with bar, deferred_interrupt() as wish:
        for step, loss in enumerate(steps, start=1):
            even_out(training.model)  # the experts, where there are any
            training.losses.append(all_reduce_mean(loss, device))
            # Every process stops if one was asked to.
            stop = all_reduce_mean(wish.is_set(), device) > 0
            if step == 1:
                began = time.monotonic()
            if step == 1 + MEASURED and training.progress:
                a_step = (time.monotonic() - began) / MEASURED
                say(estimate(training, (training.n_steps - done) * a_step))
            bar.set_postfix(loss=f"{training.losses[-1]:.3f}{least}", refresh=False)
            bar.update(tokens * len(training.losses) // training.n_steps - bar.n)
            if rank == 0 and training.measure_is_due():
                training.measures.append(training.measure())
                if training.progress:
                    say(training.describe_measure())
            keep(training, stop)
            if stop:
                kept = "nothing is lost" if training.checkpoint else ""
                raise Interrupted(wish.signum, kept)


def estimate(training: Training, seconds: float) -> str:
    """How much is left to learn, and about how long that takes on this machine."""
    n_steps = training.n_steps
    left = n_steps - len(training.losses)
    tokens = training.n_tokens * left // n_steps
    return f"{counted(tokens, 'token')} to guess in {counted(left, 'step')}: {about(seconds)} here"


def about(seconds: float) -> str:
    """A time in words: ``"about 4 minutes"``."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return "less than a minute"
    if minutes < 90:
        return f"about {counted(minutes, 'minute')}"
    return f"about {counted(round(minutes / 60), 'hour')}"


def keep(training: Training, stop: bool) -> None:
    """Save a checkpoint, if one is due. Raises FloatingPointError if the training has diverged."""
    due = stop or checkpoint_is_due(training)
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
        training.saved_at = time.monotonic()


def checkpoint_is_due(training: Training) -> bool:
    """Whether to save one: every hundred steps, after a minute, after an epoch unless the last one
    is a few seconds old, and after the last step. If the model cannot be written then, nothing need
    be learnt again.
    """
    step = len(training.losses)
    since = time.monotonic() - training.saved_at
    return (
        step % CHECKPOINT_EVERY == 0
        or step == training.n_steps
        or since >= CHECKPOINT_SECONDS
        or (training.ends_epoch() and since >= EPOCH_SECONDS)
    )


def finish(training: Training) -> Translator | LanguageModel:
    """Say how it went, and put what has learnt, and its losses, in the place of the checkpoint."""
    if training.progress:
        problem = little_learnt(training) or training.overfitting()
        if problem:
            say(problem)
    training.model.eval()
    if training.checkpoint and rank_and_world()[0] == 0:
        training.learner.save(training.checkpoint.parent)
        record = {"training": training.identity, "losses": training.losses}
        if training.measures:
            record["held_out"] = [numbers._asdict() for numbers in training.measures]
        text = json.dumps(record, indent=1)
        write_whole(training.checkpoint.with_name("training.json"), text.encode())
        training.checkpoint.unlink(missing_ok=True)
    return training.learner


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
        f"little was learnt: the loss was {before:.2f} and is {after:.2f}. More "
        f"{training.lengthens} may help, or another learning_rate (it was "
        f"{training.recipe.learning_rate:g})"
    )


def find_checkpoint(folder: Path, resume: bool) -> Path:
    """Where the folder's checkpoint is, or will be; refuse to overwrite what the folder holds."""
    checkpoint = folder / CHECKPOINT
    if folder.is_file():
        raise FileExistsError(f"{folder} is a file: name a folder")
    if checkpoint.exists() and not resume:
        raise FileExistsError(
            f"{folder} holds an unfinished training: go on with resume=True, or choose another "
            "folder"
        )
    if (folder / FILE).exists() and not checkpoint.exists():
        raise FileExistsError(
            f"{folder} holds a finished model: choose another folder, or delete this one first"
        )
    if not checkpoint.exists() and folder.exists():
        others = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
        if others:
            names = ", ".join(others[:3]) + (", ..." if len(others) > 3 else "")
            raise FileExistsError(
                f"{folder} holds other files ({names}): name a new folder, or an empty one"
            )
    return checkpoint


def check_finite(model: torch.nn.Module, losses: list[float], recipe: Course) -> None:
    """Raises FloatingPointError where the training has diverged: weights that are no numbers."""
    finite = all(weight.isfinite().all() for weight in model.parameters())
    if not finite or not math.isfinite(losses[-1]):
        raise FloatingPointError(
            f"the training has diverged at step {len(losses)} (loss {losses[-1]}): train anew in "
            f"another folder with a lower learning_rate (it was {recipe.learning_rate:g}) or a "
            f"longer warmup (it was {recipe.warmup})"
        )


def reseed(*key) -> None:
    """Set torch's random numbers to a state that depends on the key only."""
    torch.manual_seed(random.Random(" ".join(map(str, key))).getrandbits(63))
