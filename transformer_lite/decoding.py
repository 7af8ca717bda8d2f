"""Decoding writes a translation token by token: score, choose, append, repeat.

``greedy_decode_uncached`` is the whole idea. ``greedy_decode`` writes the same with less work: it
keeps the keys and values of earlier tokens, so that a step costs one token and not the whole
prefix. ``beam_search`` keeps several beginnings instead of one.

A model in training mode is switched to evaluation and back, in place: see ``evaluating`` before
several threads share one.

Shapes: ``B`` sentences, ``S`` source length, ``T`` tokens so far, ``K`` beams, ``V`` target
vocabulary.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from .cache import KeyValueCache
from .checks import check_ids, check_whole, is_finite
from .masks import padding_mask
from .model import Transformer
from .vocabulary import BOS_ID, EOS_ID, PAD_ID

# Each beam has its own keys and values: a million would take all memory, and find nothing better.
WIDEST_BEAM = 1000


def greedy_decode_uncached(
    model: Transformer, source_ids: Tensor, max_length: int | None = None
) -> Tensor:
    """At every step run the whole model, take the likeliest token, until each sentence has ended.

    source_ids: ``(batch, len_s)`` integers, padded. max_length: the most tokens to write; unless
    given, the model's.

    Returns ids ``(batch, length)``, int64: without ``BOS_ID``, each sentence up to and including
    its ``EOS_ID`` and ``PAD_ID`` after it. Dropout is off while decoding, see ``evaluating``.

    Raises ValueError for a batch without sentences and for a ``max_length`` below 1 or above the
    model's, and otherwise the same errors as ``Transformer.forward``.
    """
    limit = _most_tokens(model, source_ids, max_length)
    ids = source_ids.new_full((source_ids.size(0), 1), BOS_ID, dtype=torch.int64)  # (B, 1)
    with evaluating(model):
        while ids.size(1) <= limit and not (ids == EOS_ID).any(dim=1).all():
            scores = model(source_ids, ids)[:, -1]  # (B, V)
            # Padding is no word, whatever an untrained model thinks of it.
            scores[:, PAD_ID] = -torch.inf
            ids = torch.cat((ids, scores.argmax(dim=-1, keepdim=True)), dim=1)  # (B, T + 1)
    return _pad_ended(ids[:, 1:])


def new_cache(model: Transformer) -> list[tuple[KeyValueCache, KeyValueCache]]:
    """Empty caches for ``Transformer.decode``: two per layer, for self- and cross-attention."""
    return [(KeyValueCache(), KeyValueCache(of_memory=True)) for _ in model.decoder]


def greedy_decode(model: Transformer, source_ids: Tensor, max_length: int | None = None) -> Tensor:
    """The same tokens as ``greedy_decode_uncached``, with a cache of keys and values.

    Takes the same arguments and raises the same errors.
    """
    limit = _most_tokens(model, source_ids, max_length)
    written = []
    with evaluating(model):
        memory, source_mask = _encode(model, source_ids)
        cache = new_cache(model)
        token = source_ids.new_full((source_ids.size(0), 1), BOS_ID, dtype=torch.int64)  # (B, 1)
        ended = torch.zeros_like(token, dtype=torch.bool)
        while len(written) < limit and not ended.all():
            scores, _, _ = model.decode(token, memory, source_mask, cache=cache)  # (B, 1, V)
            scores[..., PAD_ID] = -torch.inf
            token = scores.argmax(dim=-1)
            written.append(token)
            ended |= token == EOS_ID
    return _pad_ended(torch.cat(written, dim=1))


def check_beam(beam: int) -> None:
    """Raise a ValueError unless this is a number of beams, from 1 to 1000."""
    if type(beam) is not int or not 1 <= beam <= WIDEST_BEAM:
        raise ValueError(
            f"beam must be at least 1 and at most {WIDEST_BEAM}, a whole number; got {beam!r:.30}"
        )


def check_length_penalty(strength: float, limit: int) -> None:
    """Raise a ValueError unless scores of up to ``limit`` tokens can be divided by this penalty."""
    if not is_finite(strength) or not -10 <= strength <= 10:
        raise ValueError(f"length_penalty must be a number from -10 to 10; got {strength!r:.30}")
    if not 1e-30 < ((5 + limit) / 6) ** strength < 1e30:  # float32 ends at 3e38
        raise ValueError(
            f"length_penalty={strength} is too strong for sentences of up to {limit} tokens: give "
            "one nearer to 0, or a smaller max_length"
        )


def beam_search(
    model: Transformer,
    source_ids: Tensor,
    beam: int = 4,
    max_length: int | None = None,
    *,
    length_penalty: float = 0.6,
) -> Tensor:
    """Keep the ``beam`` likeliest beginnings instead of one, and return the best finished sentence.

    A finished sentence is ranked by log-probability divided by ``((5 + length) / 6) **
    length_penalty`` (Wu et al., 2016; the paper uses beam 4 and 0.6, section 6.1). If none has
    ended by ``max_length``, the likeliest beginning is returned. ``beam=1`` is greedy decoding,
    except that it may choose differently between words with equal scores.

    source_ids: ``(batch, len_s)``. Returns ids ``(batch, length)`` as ``greedy_decode`` does.

    Raises ValueError for a ``beam`` that is not 1 to 1000, and for a ``length_penalty`` that is not
    a number from -10 to 10, or too strong for such long sentences; otherwise the same errors as
    ``greedy_decode_uncached``.
    """
    check_beam(beam)
    limit = _most_tokens(model, source_ids, max_length)
    check_length_penalty(length_penalty, limit)
    n = source_ids.size(0)
    with evaluating(model):
        # Each beam reads the memory of its sentence.
        memory, source_mask = _encode(model, source_ids)
        memory = memory.repeat_interleave(beam, dim=0)  # (B·K, S, D)
        if source_mask is not None:
            source_mask = source_mask.repeat_interleave(beam, dim=0)
        cache = new_cache(model)
        beams = Beams.at_the_beginning(n, beam, source_ids.device)

        # The best finished sentence so far. It may be pushed out of the beam by beginnings that
        # then end worse, or never.
        best = source_ids.new_full((n, limit), PAD_ID, dtype=torch.int64)
        best_score = torch.full((n,), -torch.inf, device=source_ids.device)

        while beams.ids.size(-1) <= limit and not beams.ended.all():
            newest = beams.ids[..., -1:].flatten(0, 1)  # (B·K, 1)
            scores, _, _ = model.decode(newest, memory, source_mask, cache=cache)
            parents = beams.go_on(scores[:, 0].log_softmax(dim=-1), length_penalty)
            for own, _ in cache:  # the beams of a sentence read the same memory
                own.select(parents)

            # Remember a finished sentence that is better than any before.
            finished = beams.score(length_penalty).masked_fill(~beams.ended, -torch.inf)
            score, winner = finished.max(dim=1)  # (B,)
            better = score > best_score
            best[better, : beams.ids.size(-1) - 1] = beams.of(winner)[better]
            best_score = torch.where(better, score, best_score)

        # Where no sentence has ended, the likeliest beginning.
        endless = best_score == -torch.inf
        likeliest = beams.of(torch.zeros(n, dtype=torch.int64, device=source_ids.device))
        best[endless, : beams.ids.size(-1) - 1] = likeliest[endless]
    return best[:, : int((best != PAD_ID).any(0).sum())]


@dataclass
class Beams:
    """The beginnings that beam search has kept, the best first, ``K`` for each of ``B`` sentences.

    ids: ``(B, K, 1 + T)``, from ``BOS_ID`` on. total: ``(B, K)``, their log-probability. length:
    ``(B, K)``, tokens up to their end. ended: ``(B, K)``, bool.
    """

    ids: Tensor
    total: Tensor
    length: Tensor
    ended: Tensor

    @classmethod
    def at_the_beginning(cls, n: int, beam: int, device: torch.device) -> "Beams":
        """``beam`` beginnings of nothing but ``BOS_ID``. All are equal: counting only the first
        keeps the first step from choosing the same token ``beam`` times.
        """
        total = torch.full((n, beam), -torch.inf, device=device)
        total[:, 0] = 0.0
        return cls(
            ids=torch.full((n, beam, 1), BOS_ID, device=device),
            total=total,
            length=torch.zeros(n, beam, device=device),
            ended=torch.zeros(n, beam, dtype=torch.bool, device=device),
        )

    def go_on(self, step: Tensor, length_penalty: float) -> Tensor:
        """Keep the best continuations. step: ``(B·K, V)``, the log-probability of each next token.

        Returns the beam that each of them continues, as a row of the batch, ``(B·K,)``.
        """
        # One that has ended stays in the race as it is: it goes on with padding alone, at no cost.
        n, beam = self.ended.shape
        step = step.view(n, beam, -1).masked_fill(self.ended[..., None], -torch.inf)
        step[..., PAD_ID] = torch.where(self.ended, 0.0, -torch.inf)
        candidates = self.total[..., None] + step  # (B, K, V)
        length = self.length + (~self.ended).float()  # (B, K), of the candidates

        # The K best of all K·V, each with the beam that it continues.
        ranked = candidates / _penalty(length, length_penalty)[..., None]
        kept = ranked.flatten(1).topk(beam).indices  # (B, K)
        parent = kept // step.size(-1)
        token = kept % step.size(-1)
        sentence = torch.arange(n, device=kept.device)[:, None]
        self.ids = torch.cat((self.ids[sentence, parent], token[..., None]), dim=-1)
        self.total = candidates.flatten(1).gather(1, kept)
        self.length = length.gather(1, parent)
        self.ended = self.ended.gather(1, parent) | (token == EOS_ID)
        return (sentence * beam + parent).flatten()

    def score(self, length_penalty: float) -> Tensor:
        """The scores by which finished sentences are compared, ``(B, K)``."""
        return self.total / _penalty(self.length, length_penalty)

    def of(self, which: Tensor) -> Tensor:
        """The tokens of one beam of each sentence, without ``BOS_ID``: ``(B, T)``."""
        return self.ids[torch.arange(len(which), device=which.device), which, 1:]


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Switch gradients and dropout off for a while. Each module returns to the mode it was in.

    What is computed meanwhile are plain tensors, which can be changed and learnt from afterwards.

    The mode stands in the modules themselves, so all threads that use them see it change. Where one
    thread ends, another that is still decoding has its dropout back. Threads may therefore share a
    model only once ``model.eval()`` has been called: then nothing is switched.
    """
    training = [module for module in model.modules() if module.training]
    try:
        for module in training:
            module.training = False
        with torch.no_grad():  # in inference mode, the tensors could not be learnt from
            yield
    finally:
        for module in training:
            module.training = True


def _encode(model: Transformer, source_ids: Tensor) -> tuple[Tensor, Tensor | None]:
    """The memory, and the mask of the source's padding, or None where there is no padding."""
    source_mask = padding_mask(source_ids)
    if source_mask.all():
        source_mask = None
    memory, _ = model.encode(source_ids, source_mask)
    return memory, source_mask


def _most_tokens(model: Transformer, source_ids: Tensor, max_length: int | None) -> int:
    """The most tokens to write. Raises ValueError where that, or the source, makes no sense."""
    check_ids(source_ids=source_ids)
    if len(source_ids) == 0:
        raise ValueError(f"there is no sentence to decode in shape {tuple(source_ids.shape)}")
    longest = model.config.max_length
    if max_length is None:
        return longest
    check_whole("max_length", max_length, 1, longest)
    return max_length


def _pad_ended(ids: Tensor) -> Tensor:
    """Replace by padding what a sentence wrote after its end, while longer ones went on."""
    end = ids == EOS_ID
    return ids.masked_fill(end.cumsum(dim=1) - end.long() > 0, PAD_ID)


def _penalty(length: Tensor, strength: float) -> Tensor:
    return ((5 + length) / 6) ** strength
