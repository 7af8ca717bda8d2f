"""Training shows the decoder right beginnings, all at once, and asks for each next token.

The decoder's input is the target behind ``<bos>`` (teacher forcing), and the causal mask keeps each
position from seeing its answer. The loss is the cross-entropy of the next token; padding does not
count.

``gradient_steps`` is the loop, for whatever has a loss, and ``training_steps`` the one of a
translator; ``train.loop`` does more.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .checks import check_pairs, check_share, is_finite
from .vocabulary import PAD_ID, Vocabulary, encode_target, pad


class Batch(NamedTuple):
    """Sentence pairs side by side, as padded int64 ids, or stretches of one text.

    source: ``(batch, len_s)``, or None for a decoder alone, which has no second text. target:
    ``(batch, len_t + 1)``, from ``<bos>`` to ``<eos>``: all but the last column are the decoder's
    input, all but the first its answer. weight: a factor on the loss of this batch.
    """

    source: Tensor | None
    target: Tensor
    weight: float = 1.0


def make_batch(pairs: Sequence[tuple[str, str]], source: Vocabulary, target: Vocabulary) -> Batch:
    """Sentence pairs, (source, target), as one batch.

    Raises ValueError for anything but a list of pairs, for an empty list, and for a word that a
    vocabulary does not hold.
    """
    pairs = check_pairs(pairs)
    if not pairs:
        raise ValueError("a batch needs at least one pair of sentences")
    sources = [source.encode(source.tokenize(pair[0])) for pair in pairs]
    targets = [encode_target(target, pair[1]) for pair in pairs]
    return Batch(pad(sources), pad(targets))


def loss_function(logits: Tensor, answer: Tensor, label_smoothing: float = 0.0) -> Tensor:
    """Mean cross-entropy in nats of the next token, without padding, smoothed (section 5.4).

    logits: ``(batch, length, vocabulary)``; answer: ``(batch, length)``, integers. Returns a
    scalar, which is nan if there is nothing but padding; in float32 for logits of half the size,
    whose sums may exceed what float16 can hold.

    Raises ValueError for a ``label_smoothing`` that is not a share, 0 or more and below 1.
    """
    check_share("label_smoothing", label_smoothing)
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return F.cross_entropy(
        logits.flatten(0, 1), answer.flatten(), ignore_index=PAD_ID, label_smoothing=label_smoothing
    )


def least_loss(label_smoothing: float, n_tokens: int) -> float:
    """The loss of a model without a fault: what label smoothing leaves of it, in nats per token.

    n_tokens: how many tokens the vocabulary has, over which that share is spread.
    """
    other = label_smoothing / n_tokens
    right = 1 - label_smoothing + other
    return -sum(count * p * math.log(p) for count, p in ((1, right), (n_tokens - 1, other)) if p)


def noam_schedule(step: int, d_model: int = 512, warmup: int = 4000) -> float:
    """Equation 3, for a step from 1 on: d_model^-½ · min(step^-½, step · warmup^-3⁄2).

    It grows linearly for ``warmup`` steps, to (d_model · warmup)^-½, then falls with the square
    root of the step.

    Raises ValueError for a step, a ``d_model`` or a ``warmup`` below 1 or above 1e100, where the
    powers of a float end.
    """
    for name, number in (("step", step), ("d_model", d_model), ("warmup", warmup)):
        if not is_finite(number) or not 1 <= number <= 1e100:
            raise ValueError(f"{name} must be a number from 1 to 1e100; got {number!r:.30}")
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


Drawn = TypeVar("Drawn")


def gradient_steps(
    loss: Callable[[Drawn], Tensor],
    batches: Iterable[Drawn],
    optimizer: torch.optim.Optimizer,
    learning_rate: Callable[[int], float] | None = None,
) -> Iterator[float]:
    """The training loop: a step per batch. Yields each batch's loss, taken before its step.

    loss: from a batch, whatever that is, to a scalar with a gradient. learning_rate: from the step,
    counted from 1, to the rate; unless given, the optimizer's own.
    """
    for step, batch in enumerate(batches, start=1):
        if learning_rate is not None:
            for group in optimizer.param_groups:
                group["lr"] = learning_rate(step)
        found = loss(batch)
        optimizer.zero_grad()
        found.backward()
        optimizer.step()
        yield found.item()


def training_steps(
    model: nn.Module,
    batches: Iterable[Batch],
    optimizer: torch.optim.Optimizer,
    learning_rate: Callable[[int], float] | None = None,
    label_smoothing: float = 0.0,
) -> Iterator[float]:
    """``gradient_steps`` of a translator, or of a decoder alone.

    model: a ``Transformer`` for pairs, a ``DecoderOnly`` or a ``Decoder`` for batches without a
    source.

    Batches may be on any device; they are moved to the model's. The model is put into training mode
    once, at the beginning: dropout that is switched off between two steps stays off.
    """
    model.train()
    device = next(model.parameters()).device

    def loss(batch: Batch) -> Tensor:
        target = batch.target.to(device)
        source = () if batch.source is None else (batch.source.to(device),)
        logits = model(*source, target[:, :-1])  # (B, T, V)
        return batch.weight * loss_function(logits, target[:, 1:], label_smoothing)

    yield from gradient_steps(loss, batches, optimizer, learning_rate)
