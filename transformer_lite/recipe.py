"""Training in earnest: any number of sentence pairs, a progress bar, checkpoints, several processes.

The loop is ``training_steps``. What is added here makes it fit for use: a ``Recipe`` says all that decides the result,
every batch follows from the recipe and the step alone, and the state after any step can be saved and taken up again.
"""

import json
import math
import os
import random
import signal
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from .checkpoints import CHECKPOINT, load_checkpoint, save_checkpoint, write_whole
from .corpus import EncodedPairs
from .model import Transformer, TransformerConfig
from .progress import Lines, progress_bar
from .training import Batch, training_steps
from .translator import Translator, pad
from .vocabulary import BytePairVocabulary, Vocabulary


@dataclass(frozen=True)
class Recipe:
    """Everything but the pairs that decides what a training learns; the defaults made the shipped translator.

    epochs: unless given, as many as make 470 steps, and at least 5. warmup: steps until ``learning_rate`` is reached,
    after which it falls linearly to 0. tokenizer: ``"word"`` or ``"bpe"``. rare: see ``Vocabulary.of``. max_length:
    of a sentence, in tokens; pairs with a longer one are left out.

    Raises ValueError for epochs or a batch size below 1, and for an unknown tokenizer.
    """

    seed: int = 0
    epochs: int | None = None
    batch_size: int = 64
    learning_rate: float = 4e-3
    warmup: int = 200
    label_smoothing: float = 0.1
    tokenizer: str = "word"
    rare: float | None = None
    d_model: int = 64
    d_ff: int = 192
    n_layers: int = 2
    n_heads: int = 4
    dropout: float = 0.0
    max_length: int = 64
    tie_embeddings: bool = False

    def __post_init__(self):
        if (self.epochs is not None and self.epochs < 1) or self.batch_size < 1:
            raise ValueError(f"epochs and batch_size count from 1; got {self.epochs} and {self.batch_size}")
        if self.tokenizer not in ("word", "bpe"):
            raise ValueError(f"tokenizer is 'word' or 'bpe'; got {self.tokenizer!r}")

    def vocabulary(self, texts: Iterable[str]) -> Vocabulary:
        return BytePairVocabulary.of(texts) if self.tokenizer == "bpe" else Vocabulary.of(texts, rare=self.rare)

    def model(self, source_vocab_size: int, target_vocab_size: int) -> Transformer:
        names = ("d_model", "d_ff", "n_layers", "n_heads", "dropout", "max_length", "tie_embeddings")
        sizes = {name: getattr(self, name) for name in names}
        return Transformer(TransformerConfig(source_vocab_size, target_vocab_size, **sizes))

    def rate(self, step: int, n_steps: int) -> float:
        """The learning rate at a step, counted from 1: a linear rise, then a linear fall."""
        warmup = min(self.warmup, n_steps // 2)
        return self.learning_rate * min(step / max(warmup, 1), (n_steps + 1 - step) / (n_steps + 1 - warmup))


def train_translator(
    pairs: Iterable[tuple[str, str]],
    recipe: Recipe = Recipe(),
    *,
    folder: str | os.PathLike | None = None,
    resume: bool = False,
    progress: bool = True,
    device: torch.device | str = "cpu",
) -> tuple[Translator, list[float]]:
    """Learn to translate from sentence pairs. Returns the translator and the loss before each step.

    folder: where the finished translator goes, and a checkpoint every 100 steps until then. Killed at any moment, a
    training goes on from its last checkpoint with ``resume=True``; on one thread its losses are, bit for bit, those
    of a training that was never killed. Ctrl-C ends the step in hand, saves a checkpoint and raises KeyboardInterrupt.

    In a process group (``torchrun``) each process takes a share of every batch, and the gradients are those of one
    process; only the first process writes and shows progress.

    Raises FileExistsError if the folder holds a translator or, without ``resume``, an unfinished training; ValueError
    if there are no pairs to learn from, or ``resume`` finds other pairs or another recipe than the checkpoint's.
    """
    rank, world = rank_and_world()
    checkpoint = None if folder is None else begin(Path(folder), resume)
    pairs = list(pairs)
    source, target = (recipe.vocabulary(pair[side] for pair in pairs) for side in (0, 1))
    data = EncodedPairs(pairs, source, target, recipe.max_length)
    del pairs
    per_epoch = math.ceil(len(data) / recipe.batch_size)
    if len(data) // per_epoch < world:
        raise ValueError(f"{world} processes cannot share batches of {len(data) // per_epoch} pairs: start fewer")
    recipe = replace(recipe, epochs=recipe.epochs or max(5, math.ceil(470 / per_epoch)))
    n_steps = recipe.epochs * per_epoch

    reseed(recipe.seed, "weights")
    model = recipe.model(len(source), len(target)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9, fused=True)
    identity = asdict(recipe) | {"pairs": f"{len(data)} pairs, fingerprint {data.fingerprint}"}
    losses = []
    if checkpoint and checkpoint.exists():
        losses = load_checkpoint(checkpoint, model, optimizer, identity)

    if progress and rank == 0:
        Lines().write(
            f"{len(data)} pairs ({data.left_out} more are too long), vocabularies of {len(source)} and {len(target)} "
            f"tokens, {n_steps} steps on {device}"
        )
    done, tokens = len(losses), recipe.epochs * data.n_answers(range(len(data)))
    steps = training_steps(
        DistributedDataParallel(model) if world > 1 else model,
        batches(data, recipe, done, rank, world),
        optimizer,
        lambda step: recipe.rate(done + step, n_steps),
        recipe.label_smoothing,
    )
    with progress_bar(tokens, tokens * done // n_steps, disable=not progress or rank > 0) as bar, ctrl_c() as pressed:
        for loss in steps:
            loss, stop = average((loss, float(pressed.is_set())), device) if world > 1 else (loss, pressed.is_set())
            losses.append(loss)
            bar.set_postfix(loss=f"{loss:.3f}", refresh=False)
            bar.update(tokens * len(losses) // n_steps - bar.n)
            if checkpoint and rank == 0 and (stop or len(losses) % 100 == 0):
                save_checkpoint(checkpoint, model, optimizer, losses, identity)
            if stop:
                raise KeyboardInterrupt
    translator = Translator(model.eval(), source, target)
    if checkpoint and rank == 0:
        translator.save(folder)
        record = json.dumps({"training": identity, "losses": losses}, indent=1)
        write_whole(checkpoint.with_name("training.json"), record.encode())
        checkpoint.unlink(missing_ok=True)
    return translator, losses


def begin(folder: Path, resume: bool) -> Path:
    """Make the folder if need be, and say where its checkpoint is; refuse to overwrite what it holds."""
    checkpoint = folder / CHECKPOINT
    if checkpoint.exists() and not resume:
        raise FileExistsError(f"{folder} holds an unfinished training: go on with --resume, or choose another folder")
    if (folder / "config.json").exists() and not checkpoint.exists():
        raise FileExistsError(f"{folder} holds a finished translator: choose another folder, or delete this one first")
    folder.mkdir(parents=True, exist_ok=True)
    return checkpoint


def batches(data: EncodedPairs, recipe: Recipe, start: int, rank: int = 0, world: int = 1) -> Iterator[Batch]:
    """The batches from step ``start`` on; of each, every ``world``-th pair from ``rank`` on.

    The order, and what dropout is about to draw, follow from the seed and the step alone: that is why a training can
    go on from anywhere. The weight makes the mean over processes the mean over all tokens of the batch.
    """
    per_epoch = math.ceil(len(data) / recipe.batch_size)
    for epoch in range(start // per_epoch, recipe.epochs):
        order = list(range(len(data)))
        random.Random(f"{recipe.seed} epoch {epoch}").shuffle(order)
        for step in range(max(start, epoch * per_epoch), (epoch + 1) * per_epoch):
            rows = order[step % per_epoch :: per_epoch]
            mine = rows[rank::world]
            reseed(recipe.seed, "step", step, rank)
            source, target = pad([data.source(i) for i in mine]), pad([data.target(i) for i in mine])
            yield Batch(source, target, weight=world * data.n_answers(mine) / data.n_answers(rows))


def reseed(*key) -> None:
    """Set torch's random numbers to a state that depends on the key only."""
    torch.manual_seed(random.Random(" ".join(map(str, key))).getrandbits(63))


def rank_and_world() -> tuple[int, int]:
    """This process's number in its group, and the number of processes: 0 and 1 without a group."""
    if dist.is_available() and dist.is_initialized():
        return dist.get_rank(), dist.get_world_size()
    return 0, 1


def average(numbers: Sequence[float], device) -> list[float]:
    """Each number's mean over the processes of the group."""
    total = torch.tensor(numbers, dtype=torch.float64, device=device)
    dist.all_reduce(total)
    return (total / dist.get_world_size()).tolist()


@contextmanager
def ctrl_c() -> Iterator[threading.Event]:
    """Note that Ctrl-C was pressed instead of raising KeyboardInterrupt in the middle of a step; twice raises it."""
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():  # only the main thread hears of signals
        yield pressed
        return

    def note(signum, frame):
        pressed.set()
        signal.signal(signal.SIGINT, previous)

    previous = signal.signal(signal.SIGINT, note)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, previous)
