"""Training in earnest: any number of sentence pairs, a progress bar, checkpoints, several
processes.

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
from dataclasses import replace
from pathlib import Path

import torch

from ..console import print_error
from ..data.corpus import EncodedPairs, short_pairs
from ..files import alone_in, write_whole
from ..model import Transformer
from ..training import Batch, training_steps
from ..translator import Translator
from ..vocabulary import check_pairs, pad
from .checkpoints import CHECKPOINT, load_checkpoint, save_checkpoint
from .distributed import all_reduce_mean, average_gradients, rank_and_world
from .interrupt import deferred_interrupt
from .progress import progress_bar
from .recipe import Recipe

CHECKPOINT_EVERY = 100  # steps


def train_translator(
    pairs: Iterable[tuple[str, str]],
    recipe: Recipe | None = None,
    *,
    folder: str | os.PathLike | None = None,
    resume: bool = False,
    progress: bool = True,
    device: torch.device | str = "cpu",
) -> tuple[Translator, list[float]]:
    """Learn to translate from sentence pairs. Returns the translator and the loss before each step.

    recipe: unless given, that of the shipped translator.
    folder: where the finished translator goes, and until it is there a checkpoint, every 100 steps
    and after the last. Killed at any moment, a training goes on from its last checkpoint with
    ``resume=True``; on one thread its losses are, bit for bit, those of a training that was never
    killed. Ctrl-C ends the step in hand, saves a checkpoint and raises KeyboardInterrupt, which
    says so; pressed again, it does not wait for that. The caller's random numbers on the CPU and on
    ``device`` are as they were.

    In a process group (``torchrun``) each process takes a share of every batch, and the gradients
    are those of one process; only the first process writes and shows progress.

    Raises FileExistsError if the folder holds a translator, other files or, without ``resume``, an
    unfinished training, or if another process is at work in it; OSError if it cannot be written to;
    ValueError if there are no pairs to learn from, or ``resume`` has no folder, or finds other
    pairs or another recipe than the checkpoint's; FloatingPointError if the weights or the loss
    stop being finite numbers.
    """
    if resume and folder is None:
        raise ValueError("to resume a training, name the folder that holds it")
    folder, first = None if folder is None else Path(folder), rank_and_world()[0] == 0
    cuda = [device] if torch.device(device).type == "cuda" else []
    with alone_in(folder) if folder and first else nullcontext(), torch.random.fork_rng(cuda):
        return _train(pairs, recipe or Recipe(), folder, resume, progress and first, device)


def _train(pairs, recipe: Recipe, folder: Path | None, resume: bool, progress: bool, device):
    rank, world = rank_and_world()
    checkpoint = None if folder is None else find_checkpoint(folder, resume)
    pairs = check_pairs(pairs)
    n_given, pairs = len(pairs), short_pairs(pairs, recipe.model["max_length"])
    source, target = (recipe.vocabulary(pair[side] for pair in pairs) for side in (0, 1))
    config = recipe.config(len(source), len(target))
    data = EncodedPairs(pairs, source, target, config.max_length)
    del pairs
    per_epoch = math.ceil(len(data) / recipe.batch_size)
    if len(data) // per_epoch < world:
        raise ValueError(
            f"{world} processes cannot share batches of {len(data) // per_epoch} pairs: start fewer"
        )
    recipe = replace(recipe, epochs=recipe.epochs or max(5, math.ceil(470 / per_epoch)))
    n_steps = recipe.epochs * per_epoch

    reseed(recipe.seed, "weights")
    model = Transformer(config).to(device)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9, fused=True)
    identity = recipe.to_dict() | {"pairs": f"{len(data)} pairs, fingerprint {data.fingerprint}"}
    losses = []
    if checkpoint and checkpoint.exists():
        losses = load_checkpoint(checkpoint, model, optimizer, identity)
    elif resume and progress:
        print_error(f"there is no unfinished training in {folder}: it begins anew")

    if progress:
        print_error(
            f"{len(data)} pairs ({n_given - len(data)} more are too long or empty), vocabularies of {len(source)} and "
            f"{len(target)} tokens, {n_steps} steps on {device}"
        )
    done, tokens = len(losses), recipe.epochs * data.n_target_tokens(range(len(data)))
    steps = training_steps(
        average_gradients(model),
        batches(data, recipe, done, rank, world),
        optimizer,
        lambda step: recipe.learning_rate_at(done + step, n_steps),
        recipe.label_smoothing,
    )
    bar = progress_bar(tokens, tokens * done // n_steps, disable=not progress)
    with bar, deferred_interrupt() as pressed:
        for loss in steps:
            losses.append(all_reduce_mean(loss, device))
            stop = (
                all_reduce_mean(pressed.is_set(), device) > 0
            )  # every process stops if one was asked to
            bar.set_postfix(loss=f"{losses[-1]:.3f}", refresh=False)
            bar.update(tokens * len(losses) // n_steps - bar.n)
            # After the last step too: if the translator cannot be written then, nothing need be
            # learnt again.
            due = stop or len(losses) % CHECKPOINT_EVERY == 0 or len(losses) == n_steps
            if due or not math.isfinite(losses[-1]):
                check_finite(model, losses, recipe)
            if checkpoint and rank == 0 and due:
                save_checkpoint(checkpoint, model, optimizer, losses, identity)
            if stop:
                raise KeyboardInterrupt("nothing is lost" if checkpoint else "")
    before, after = (sum(some) / max(1, len(some)) for some in (losses[:5], losses[-20:]))
    if progress and len(losses) >= CHECKPOINT_EVERY and after > 0.9 * before:
        print_error(
            f"little was learnt: the loss was {before:.2f} and is {after:.2f}. More --epochs may help, or another "
            f"--learning-rate (it was {recipe.learning_rate:g})"
        )
    translator = Translator(model.eval(), source, target)
    if checkpoint and rank == 0:
        translator.save(folder)
        record = json.dumps({"training": identity, "losses": losses}, indent=1)
        write_whole(checkpoint.with_name("training.json"), record.encode())
        checkpoint.unlink(missing_ok=True)
    return translator, losses


def find_checkpoint(folder: Path, resume: bool) -> Path:
    """Where the folder's checkpoint is, or will be; refuse to overwrite what the folder holds."""
    checkpoint = folder / CHECKPOINT
    if checkpoint.exists() and not resume:
        raise FileExistsError(
            f"{folder} holds an unfinished training: go on with --resume, or choose another folder"
        )
    if (folder / "config.json").exists() and not checkpoint.exists():
        raise FileExistsError(
            f"{folder} holds a finished translator: choose another folder, or delete this one first"
        )
    if not checkpoint.exists() and folder.exists():
        if others := sorted(
            path.name for path in folder.iterdir() if not path.name.startswith(".")
        ):
            names = ", ".join(others[:3]) + (", ..." if len(others) > 3 else "")
            raise FileExistsError(
                f"{folder} holds other files ({names}): name a new folder, or an empty one"
            )
    return checkpoint


def check_finite(model: torch.nn.Module, losses: list[float], recipe: Recipe) -> None:
    """Raises FloatingPointError where the training has diverged: nothing comes of weights that are
    no numbers.
    """
    if not math.isfinite(losses[-1]) or not all(
        weight.isfinite().all() for weight in model.parameters()
    ):
        raise FloatingPointError(
            f"the training has diverged at step {len(losses)} (loss {losses[-1]}): train anew in another folder with a "
            f"lower --learning-rate (it was {recipe.learning_rate:g}) or a longer --warmup (it was {recipe.warmup})"
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
            mine = rows[rank::world]
            reseed(recipe.seed, "step", step, rank)
            source, target = (
                pad([data.source(i) for i in mine]),
                pad([data.target(i) for i in mine]),
            )
            yield Batch(
                source,
                target,
                weight=world * data.n_target_tokens(mine) / data.n_target_tokens(rows),
            )


def reseed(*key) -> None:
    """Set torch's random numbers to a state that depends on the key only."""
    torch.manual_seed(random.Random(" ".join(map(str, key))).getrandbits(63))
