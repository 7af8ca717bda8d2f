"""Decoding writes a translation one token at a time: score what may come next, choose, append, repeat.

The source is read once. What the decoder layers computed for earlier tokens is kept in a cache of keys and values,
so that each step costs one token and not the whole prefix; the numbers are those of recomputing everything.

Shapes: ``B`` sentences, ``S`` source length, ``K`` beams, ``V`` target vocabulary.
"""

from contextlib import contextmanager

import torch
from torch import Tensor

from .masks import padding_mask
from .model import Transformer


def greedy_decode(model: Transformer, source_ids: Tensor, max_length: int | None = None) -> Tensor:
    """At every step take the likeliest token, until every sentence has ended or has ``max_length`` tokens.

    source_ids: ``(batch, len_s)`` integers, padded. max_length: at most, and unless given, the model's.

    Returns ids ``(batch, length)``, int64: without ``bos_id``, each sentence up to and including its ``eos_id`` and
    ``pad_id`` after it. Dropout is off while decoding. Raises as ``Transformer.forward`` does.
    """
    config, limit = model.config, _limit(model, max_length)
    with _evaluating(model):
        caches, source_mask = _read(model, source_ids)
        token = torch.full((source_ids.size(0), 1), config.bos_id, device=source_ids.device)  # (B, 1)
        ended = torch.zeros_like(token, dtype=torch.bool)
        chosen = []
        for _ in range(limit):
            logits, _, _ = model.decode(token, caches, source_mask)  # (B, 1, V)
            logits[..., config.pad_id] = -torch.inf  # padding is no word, whatever an untrained model thinks of it
            token = logits.argmax(dim=-1)
            chosen.append(token)
            ended |= token == config.eos_id
            if ended.all():
                break
        ids = torch.cat(chosen, dim=1)
    # A sentence that ends early has gone on writing beside the longer ones; what it wrote does not count.
    end = ids == config.eos_id
    return ids.masked_fill(end.cumsum(dim=1) - end.long() > 0, config.pad_id)


def beam_search(
    model: Transformer, source_ids: Tensor, beam: int = 4, max_length: int | None = None, *, length_penalty: float = 0.6
) -> Tensor:
    """Keep the ``beam`` likeliest beginnings instead of one, and return the best finished sentence.

    A finished sentence is ranked by log-probability divided by ``((5 + length) / 6) ** length_penalty`` (Wu et al.,
    2016; the paper uses beam 4 and 0.6, section 6.1). ``beam=1`` is greedy decoding.

    source_ids: ``(batch, len_s)``. Returns ids ``(batch, length)`` as ``greedy_decode`` does.
    Raises ValueError for ``beam`` below 1, and otherwise as ``Transformer.forward`` does.
    """
    if beam < 1:
        raise ValueError(f"beam must be at least 1; got {beam}")
    config, limit, n = model.config, _limit(model, max_length), source_ids.size(0)
    device = source_ids.device
    with _evaluating(model):
        caches, source_mask = _read(model, source_ids)
        every_beam = torch.arange(n, device=device).repeat_interleave(beam)  # (B·K,)
        _select(caches, every_beam)
        source_mask = None if source_mask is None else source_mask[every_beam]
        ids = torch.full((n * beam, 1), config.bos_id, device=device)  # (B·K, 1)
        # All beams begin equal; counting only the first keeps step 0 from choosing the same token K times.
        total = torch.full((n, beam), -torch.inf, device=device)  # (B, K) log-probability so far
        total[:, 0] = 0.0
        ended = torch.zeros(n, beam, dtype=torch.bool, device=device)
        length = torch.zeros(n, beam, device=device)
        offset = torch.arange(n, device=device)[:, None] * beam  # (B, 1)
        for _ in range(limit):
            logits, _, _ = model.decode(ids[:, -1:], caches, source_mask)  # (B·K, 1, V)
            step = logits[:, 0].log_softmax(dim=-1).view(n, beam, -1)  # (B, K, V)
            # An ended beam stays in the race as it is: its only continuation is padding, at no cost.
            step = step.masked_fill(ended[..., None], -torch.inf)
            step[..., config.pad_id] = torch.where(ended, 0.0, -torch.inf)
            candidates = total[..., None] + step  # (B, K, V)
            length = length + (~ended).float()  # (B, K), of the candidates
            ranked = candidates / _penalty(length, length_penalty)[..., None]
            best = ranked.flatten(1).topk(beam).indices  # (B, K)
            parent, token = best // step.size(-1), best % step.size(-1)
            total = candidates.flatten(1).gather(1, best)
            length = length.gather(1, parent)
            ended = ended.gather(1, parent) | (token == config.eos_id)
            rows = (offset + parent).flatten()
            _select(caches, rows)
            ids = torch.cat((ids[rows], token.view(-1, 1)), dim=1)
            if ended.all():
                break
    score = total / _penalty(length, length_penalty)
    winner = score.masked_fill(~ended & ended.any(1, keepdim=True), -torch.inf).argmax(dim=1, keepdim=True)
    return _trim(ids[(offset + winner).flatten(), 1:], config.pad_id)


def _penalty(length: Tensor, strength: float) -> Tensor:
    return ((5 + length) / 6) ** strength


def _trim(ids: Tensor, pad_id: int) -> Tensor:
    """Drop the columns that are padding in every row."""
    return ids[:, : max(1, int((ids != pad_id).any(0).sum()))]


def _limit(model: Transformer, max_length: int | None) -> int:
    if max_length is not None and not 1 <= max_length <= model.config.max_length:
        raise ValueError(f"max_length must be between 1 and the model's {model.config.max_length}; got {max_length}")
    return max_length or model.config.max_length


def _read(model: Transformer, source_ids: Tensor):
    source_mask = padding_mask(source_ids, model.config.pad_id)
    if source_mask.all():
        source_mask = None
    memory, _ = model.encode(source_ids, source_mask)
    return model.cache(memory, joined=True), source_mask


def _select(caches, rows: Tensor) -> None:
    for cache in caches:
        cache.select(rows)


@contextmanager
def _evaluating(model: Transformer):
    """Switch gradients and dropout off for a while, and leave the model in the mode it was in."""
    was_training = model.training
    if was_training:
        model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        if was_training:
            model.train()
