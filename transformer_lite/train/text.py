"""Learning to go on with a text: a decoder alone reads a file, stretch by stretch.

Every stretch of a batch begins at a place that follows from the recipe and the step alone, and
``loop`` goes round.
"""

import math
import os
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, NamedTuple

import torch

from ..checks import check_several, check_whole, counted
from ..data.text import EncodedText
from ..decoder_only import DecoderOnly
from ..decoding import evaluating
from ..language_model import LARGEST_SEED, LanguageModel
from ..training import Batch, loss_function
from ..variants import Decoder, Plan
from ..vocabulary import EOS_ID, BytePairVocabulary, Vocabulary
from .distributed import rank_and_world
from .loop import Training, adam, find_checkpoint, reseed, resume_from_checkpoint, run_steps, where
from .progress import say
from .recipe import Course, check_not_too_large, only_letters

MEASURES = 10  # of the held-out stretch
SAMPLE = 40  # tokens that are written to show what has been learnt

TEXT_MODEL = {
    "d_model": 64,
    "d_ff": 192,
    "n_layers": 3,
    "n_heads": 4,
    "dropout": 0.1,
    "max_length": 64,
    "norm_first": True,
}


@dataclass(frozen=True)
class TextRecipe(Course):
    """All but the text that decides what is learnt.

    model: choices of ``DecoderOnly`` by name. Raises ValueError for a number that makes no sense
    and an unknown choice.
    """

    steps: int = field(default=2000, metadata={"help": "how many steps are taken"})
    batch_size: int = 32
    warmup: int = 100
    label_smoothing: float = 0.0
    pieces: int = 600
    usual: ClassVar[dict] = TEXT_MODEL

    def __post_init__(self):
        super().__post_init__()
        check_whole("steps", self.steps, least=1)
        with torch.device("meta"):  # sizes that do not fit are refused before the text is read
            check_not_too_large(DecoderOnly(EOS_ID + 2, **self.sizes), self.sizes)


class TextMeasure(NamedTuple):
    """How good a model was after a step.

    loss: of the held-out stretch, in nats per token. training_loss: of as long a stretch of what is
    learnt, measured in the same way. sample: a beginning, and how the model went on with it.
    """

    step: int
    training_loss: float
    loss: float
    sample: str


def train_language_model(
    paragraphs: Iterable[str],
    recipe: TextRecipe | None = None,
    *,
    held_out: Iterable[str],
    plan: Plan | None = None,
    beginning: str = "",
    folder: str | os.PathLike | None = None,
    resume: bool = False,
    progress: bool = True,
    device: torch.device | str = "cpu",
) -> tuple[LanguageModel, list[float]]:
    """Learn to go on with a text. Returns the language model and the loss before each step.

    held_out: paragraphs that are not learnt from, see ``data.text.hold_out_end``; their loss is
    measured ten times. plan: what the model is built from, in place of the recipe's choices; its
    vocabulary is made as large as the text's. beginning: what the model goes on with each time.

    Everything else is as in ``trainer.train_translator``, and so are the errors.
    """
    return run_steps(
        lambda folder, progress: prepare(
            paragraphs,
            recipe or TextRecipe(),
            held_out=held_out,
            plan=plan,
            beginning=beginning,
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
class TextTraining(Training):
    """A training of a language model."""

    recipe: TextRecipe
    learner: LanguageModel
    data: EncodedText
    held_out: EncodedText
    beginning: str

    measure_type = TextMeasure
    lengthens = "steps"

    @property
    def written_vocabulary(self) -> Vocabulary:
        return self.learner.vocabulary

    @property
    def n_steps(self) -> int:
        return self.recipe.steps

    @property
    def n_tokens(self) -> int:
        return self.recipe.steps * self.recipe.batch_size * self.data.length

    def batches(self, start: int, rank: int, world: int) -> Iterator[Batch]:
        recipe = self.recipe
        for step in range(start, recipe.steps):
            dice = random.Random(f"{recipe.seed} step {step}")
            places = [dice.randrange(len(self.data)) for _ in range(recipe.batch_size)]
            share = places[rank::world]
            reseed(recipe.seed, "step", step, rank)
            yield self.data.batch(share, world * len(share) / len(places))

    def measure_is_due(self) -> bool:
        step = len(self.losses)
        return step % max(1, self.n_steps // MEASURES) == 0 or step == self.n_steps

    def measure(self) -> TextMeasure:
        seed = self.recipe.seed % (LARGEST_SEED + 1)
        return TextMeasure(
            step=len(self.losses),
            training_loss=mean_loss(self.learner, self.data, len(self.held_out.ids)),
            loss=mean_loss(self.learner, self.held_out),
            sample=self.learner.write(self.beginning, length=SAMPLE, seed=seed),
        )

    def describe_measure(self) -> str:
        last = self.measures[-1]
        return (
            f"step {last.step} of {self.n_steps}: loss {last.training_loss:.3f}, held out "
            f"{last.loss:.3f} (perplexity {math.exp(last.loss):.1f}). It writes: {last.sample}"
        )

    def describe_rise(self, best: TextMeasure, last: TextMeasure) -> str:
        return (
            f"this is overfitting: from step {best.step} on the model has learnt its text by "
            f"heart. Its loss fell from {best.training_loss:.2f} to {last.training_loss:.2f}, and "
            f"that of the held-out stretch rose from {best.loss:.2f} to {last.loss:.2f}. More text "
            f"helps most. Fewer steps ({best.step}, for example), more dropout or a smaller "
            "d_model may help too"
        )


def prepare(
    paragraphs: Iterable[str],
    recipe: TextRecipe,
    *,
    held_out: Iterable[str],
    plan: Plan | None = None,
    beginning: str = "",
    folder: Path | None = None,
    resume: bool = False,
    progress: bool = True,
    device: torch.device | str = "cpu",
) -> TextTraining:
    """A training before its first step, or where its checkpoint has left it."""
    check_several(paragraphs)
    check_several(held_out)
    checkpoint = None if folder is None else find_checkpoint(folder, resume)
    paragraphs = list(paragraphs)
    vocabulary = BytePairVocabulary.from_texts(paragraphs, size=recipe.pieces)
    identity = recipe.to_dict()
    if plan is not None:
        plan = replace(plan, vocab_size=len(vocabulary))
        identity["plan"] = plan.to_dict()
        with torch.device("meta"):
            check_not_too_large(Decoder(plan), identity["plan"])
    length = recipe.sizes["max_length"] if plan is None else plan.max_length
    data = EncodedText(paragraphs, vocabulary, length)
    aside = EncodedText(held_out, vocabulary, length, "the held-out stretch")
    world = rank_and_world()[1]
    if recipe.batch_size < world:
        raise ValueError(
            f"{world} processes cannot share batch_size={recipe.batch_size}: start fewer"
        )
    if plan is not None and plan.experts and world > 1:
        raise ValueError("a plan with experts is trained in one process")

    reseed(recipe.seed, "weights")
    model = Decoder(plan) if plan else DecoderOnly(len(vocabulary), **recipe.sizes)
    model.to(device)
    training = TextTraining(
        recipe,
        LanguageModel(model, vocabulary),
        adam(model),
        identity=identity | {"text": str(data), "held_out": str(aside)},
        checkpoint=checkpoint,
        progress=progress,
        data=data,
        held_out=aside,
        beginning=beginning,
    )
    training.learner.read(beginning)  # refuses one that is too long
    resume_from_checkpoint(training, resume)
    if progress:
        say(
            f"{counted(len(data.ids), 'token')} to learn from, {len(aside.ids)} held out, a "
            f"vocabulary of {len(vocabulary)} tokens, {counted(recipe.steps, 'step')} on "
            f"{where(training.learner.device)}"
        )
        if said := only_letters(vocabulary, recipe.pieces):
            say(said)
    return training


def mean_loss(learner: LanguageModel, data: EncodedText, most: int | None = None) -> float:
    """The mean cross-entropy of the next token, with dropout off, over stretches that stand one
    after the other. most: only among the first so many tokens.
    """
    last = len(data) if most is None else min(len(data), max(1, most - data.length))
    losses = []
    with evaluating(learner.model):
        for place in range(0, last, data.length):
            ids = data.batch([place]).target.to(learner.device)
            losses.append(loss_function(learner.model(ids[:, :-1]), ids[:, 1:]).item())
    return sum(losses) / len(losses)
