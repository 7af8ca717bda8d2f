"""A decoder alone: one text, and at each of its places a score for every token that may come next.

Take the middle sub-layer out of ``layers.DecoderLayer``, since there is no second text to ask, and
what is left is an ``EncoderLayer`` under a causal mask. A question is then simply the beginning of
the text, and the answer is how it goes on (Radford et al., 2018; Brown et al., 2020).

Shapes: ``B`` batch, ``T`` length, ``D`` d_model, ``H`` heads, ``V`` vocabulary.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from .cache import KeyValueCache
from .checks import (
    check_ids,
    check_length,
    check_model,
    check_pairs,
    check_whole,
    is_finite,
    look_up,
)
from .decoding import evaluating
from .layers import PAPER, EncoderLayer, Parts
from .masks import causal_mask
from .positions import sinusoidal_encoding
from .vocabulary import BOS_ID, EOS_ID, PAD_ID, Vocabulary, pad


class DecoderOnly(nn.Module):
    """A model that continues a text.

    parts: what its norms and feed-forward networks are made with, see ``layers.Parts``; dropout: a
    share of numbers that training sets to 0; max_length: the longest text, in tokens. But for the
    parts, all that it was made with stands in ``sizes``.

    Raises ValueError for a size out of range, an unknown choice, and a ``d_model`` that is odd or
    not divisible by ``n_heads``.
    """

    positions: Tensor  # a buffer

    def __init__(
        self,
        vocab_size: int,
        *,
        d_model: int,
        d_ff: int,
        n_layers: int,
        n_heads: int,
        dropout: float = 0.0,
        max_length: int = 256,
        norm_first: bool = True,
        parts: Parts = PAPER,
    ):
        super().__init__()
        check_whole("vocab_size", vocab_size, EOS_ID + 1, 1_000_000)
        sizes = {
            "d_model": d_model,
            "d_ff": d_ff,
            "n_layers": n_layers,
            "n_heads": n_heads,
            "dropout": dropout,
            "max_length": max_length,
            "norm_first": norm_first,
        }
        check_model(**sizes)
        self.sizes: dict[str, Any] = {"vocab_size": vocab_size} | sizes
        self.max_length = max_length
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=PAD_ID)
        positions = sinusoidal_encoding(max_length, d_model)
        self.register_buffer("positions", positions, persistent=False)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, n_heads, d_ff, dropout, norm_first, parts)
            for _ in range(n_layers)
        )
        # Pre-norm leaves the residual stream unnormalised, so that it ends in a norm.
        self.norm = parts.norm(d_model) if norm_first else nn.Identity()
        self.output = nn.Linear(d_model, vocab_size, bias=False)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        self.embedding.weight.data[PAD_ID] = 0.0

    def forward(
        self,
        ids: Tensor,
        *,
        cache: Sequence[KeyValueCache] | None = None,
        return_attention: bool = False,
    ):
        """ids: ``(batch, length)``, integers. Texts of different lengths are padded at the *end*,
        where no token of theirs looks.

        cache: one per layer, see ``new_cache``. It remembers the text so far, and ``ids`` are the
        tokens that follow it.

        Returns logits ``(batch, length, vocab_size)``; place ``t`` scores the token after it and
        depends on no later one. With ``return_attention=True``, ``(logits, maps)``, one map
        ``(batch, n_heads, length, past + length)`` per layer, whose rows sum to 1. Without it there
        is no second derivative, see ``MultiHeadAttention.forward``.

        Raises ValueError for ids that are not ``(batch, length)`` integers and for a text longer
        than ``max_length``, IndexError for ids outside the vocabulary.
        """
        check_ids(ids=ids)
        past = cache[0].length if cache else 0
        end = past + ids.size(1)
        check_length("text", past, ids.size(1), self.max_length)
        d_model = self.embedding.embedding_dim
        tokens = look_up(self.embedding, ids) * d_model**0.5
        x = tokens + self.positions[past:end]  # (B, T, D)
        x = self.dropout(x)
        mask = causal_mask(end, ids.device, past=past)  # (T, past + T)
        maps = []
        for layer, its_cache in zip(self.layers, cache or [None] * len(self.layers), strict=True):
            x, weights = layer(x, mask, cache=its_cache, need_weights=return_attention)
            maps.append(weights)
        logits = self.output(self.norm(x))  # (B, T, V)
        return (logits, maps) if return_attention else logits


def new_cache(model: DecoderOnly) -> list[KeyValueCache]:
    """Empty caches, one per layer: for keys and values, or of the kind that the layer makes."""
    return [getattr(layer, "new_cache", KeyValueCache)() for layer in model.layers]


def question_and_answer(
    pairs: Sequence[tuple[str, str]], vocabulary: Vocabulary, *, learn_question: bool = False
) -> tuple[Tensor, Tensor]:
    """Pairs as texts, and what should come after each token.

    A pair becomes one text: the question, ``<bos>``, the answer, ``<eos>``. The first tensor is
    that text without its last token, ``(batch, length)``, int64, padded at the end. The second is
    the text without its first one, with padding in place of the question, so that the loss counts
    the answer alone, unless it is to ``learn_question`` too.

    Raises ValueError for anything but pairs, and for a word that the vocabulary does not hold.
    """
    texts = []
    answers = []
    for question, answer in check_pairs(pairs):
        asked = vocabulary.encode(vocabulary.tokenize(question))
        reply = [*vocabulary.encode(vocabulary.tokenize(answer)), EOS_ID]
        known = [*asked, BOS_ID] if learn_question else [PAD_ID] * (len(asked) + 1)
        texts.append([*asked, BOS_ID, *reply][:-1])
        answers.append([*known, *reply][1:])
    return pad(texts), pad(answers)


def probabilities(
    logits: Tensor, *, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    """How likely each token is to be drawn, ``(..., vocab_size)``, from its logits.

    temperature: the logits are divided by it, so that a low one favours the likeliest. top_k: only
    so many tokens may be drawn. top_p: only the likeliest, the fewest that have this share together
    (Holtzman et al., 2020). What may not be drawn has 0, and the rest sum to 1.

    Returns float64 for logits in float64, and float32 for all others. Raises ValueError for a
    temperature that is not a finite number above 0, a ``top_k`` below 1, a ``top_p`` that is not
    above 0 and at most 1, and logits of which none is finite, or one is nan or inf.
    """
    if temperature == 0:
        raise ValueError("temperature must be above 0; the likeliest token is logits.argmax(-1)")
    _check_draw(temperature, top_k, top_p)
    wide = torch.float32 if logits.is_mps else torch.float64  # that device has no float64
    best = logits.detach().amax(dim=-1, keepdim=True)
    if not best.isfinite().all():
        raise ValueError("the largest logit must be a finite number; got nan, inf or only -inf")
    # With the best at 0, the others sink to -inf, however little they are divided by.
    scores, order = (logits.to(wide) - best.to(wide)).sort(dim=-1, descending=True)
    tiny = torch.finfo(wide).tiny
    shares = (scores / min(max(temperature, tiny), 1 / tiny)).softmax(dim=-1)
    before = shares.cumsum(dim=-1) - shares  # what the likelier ones have together
    allowed = (before < top_p) | (top_p == 1)  # rounded, their sum may reach 1 too early
    allowed[..., 0] = True
    if top_k is not None:
        allowed[..., top_k:] = False
    shares = shares * allowed
    shares = shares / shares.sum(dim=-1, keepdim=True)
    shares = torch.zeros_like(shares).scatter(-1, order, shares)
    return shares.to(torch.promote_types(logits.dtype, torch.float32))


def _check_draw(temperature, top_k, top_p) -> None:
    """Raise a ValueError for anything that tokens can be neither drawn nor chosen with."""
    if not is_finite(temperature) or temperature < 0:
        raise ValueError(f"temperature must be a finite number above 0; got {temperature!r:.30}")
    if not is_finite(top_p) or not 0 < top_p <= 1:
        raise ValueError(f"top_p is a share, 0 < top_p <= 1; got {top_p!r:.30}")
    if top_k is not None:
        check_whole("top_k", top_k, 1)


def write(
    model: DecoderOnly,
    beginning: Tensor,
    max_length: int | None = None,
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Continue texts, one token at a time, until each has ended.

    beginning: ``(batch, length)`` integers without padding. max_length: the most tokens of a whole
    text; unless given, the model's. At temperature 0 the likeliest token is taken; otherwise one is
    drawn, see ``probabilities``.

    Returns ids ``(batch, longer length)``, int64, with the beginning; after ``<eos>`` stands
    padding. Dropout is off while writing, see ``decoding.evaluating``.

    Raises ValueError as ``forward`` and ``probabilities`` do, for a beginning that is longer than
    the model reads, and for a ``max_length`` below the beginning's or above the model's.
    """
    check_ids(beginning=beginning)
    _check_draw(temperature, top_k, top_p)
    longest = model.max_length
    length = beginning.size(1)
    if length > longest:
        raise ValueError(f"the beginning has {length} tokens, this model reads at most {longest}")
    if max_length is not None:
        check_whole("max_length, which counts the beginning too,", max_length, length, longest)
        longest = max_length
    ids = beginning.to(torch.int64, copy=True)
    fresh = ids
    cache = new_cache(model)
    ended = torch.zeros(len(ids), 1, dtype=torch.bool, device=ids.device)
    with evaluating(model):
        while ids.size(1) < longest and not ended.all():
            logits = model(fresh, cache=cache)[:, -1]  # (B, V)
            logits[:, PAD_ID] = -torch.inf
            if temperature == 0:
                fresh = logits.argmax(dim=-1, keepdim=True)  # (B, 1)
            else:
                shares = probabilities(logits, temperature=temperature, top_k=top_k, top_p=top_p)
                fresh = shares.multinomial(1, generator=generator)
            fresh = fresh.masked_fill(ended, PAD_ID)
            ids = torch.cat((ids, fresh), dim=1)  # (B, T + 1)
            ended = ended | (fresh == EOS_ID)
    return ids
