"""The whole Transformer (figure 1 of the paper): ids in, a score for every possible next token out.

The encoder reads the source once and leaves a memory, one vector a token. The decoder reads the translation so far
and that memory, and scores what comes next. Both are stacks of the same layer, and both see their tokens as an
embedding scaled by √d_model plus the position's sinusoids (sections 3.4 and 3.5).

Shapes: ``B`` batch, ``S`` source length, ``T`` target length, ``D`` d_model, ``H`` heads, ``V`` target vocabulary.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from .layers import DecoderLayer, Dropout, EncoderLayer, LayerCache
from .masks import causal_mask, padding_mask
from .positions import sinusoidal_encoding


@dataclass(frozen=True)
class TransformerConfig:
    """Sizes and choices of a model; the defaults are the paper's base model (table 3).

    n_layers: layers in the encoder, and again in the decoder. max_length: the longest sentence, in tokens.
    norm_first: LayerNorm before each sub-layer (pre-norm) instead of after the residual sum (post-norm, the paper's).
    tie_embeddings: one matrix serves as target embedding and output layer (section 3.4).

    Raises ValueError for sizes that cannot work, and says which would.
    """

    source_vocab_size: int
    target_vocab_size: int
    d_model: int = 512
    d_ff: int = 2048
    n_layers: int = 6
    n_heads: int = 8
    dropout: float = 0.1
    max_length: int = 256
    norm_first: bool = False
    tie_embeddings: bool = False
    pad_id: int = 0
    bos_id: int = 1
    eos_id: int = 2

    def __post_init__(self):
        sizes = ("source_vocab_size", "target_vocab_size", "d_model", "d_ff", "n_layers", "n_heads", "max_length")
        for name in sizes:
            size = getattr(self, name)
            if not isinstance(size, int) or size < 1:
                raise ValueError(f"{name} must be a whole number of at least 1; got {size!r}")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout is a probability, 0 <= dropout < 1; got {self.dropout}")
        for name in ("pad_id", "bos_id", "eos_id"):
            special = getattr(self, name)
            if not 0 <= special < self.target_vocab_size:
                raise ValueError(f"{name}={special} is not in the target vocabulary of {self.target_vocab_size} tokens")


class AttentionMaps(NamedTuple):
    """All attention weights of one forward pass: one ``(batch, n_heads, len_q, len_k)`` per layer, rows summing to 1.

    ``encoder``: source to source. ``decoder``: target to target. ``cross``: target to source.
    """

    encoder: list[Tensor]
    decoder: list[Tensor]
    cross: list[Tensor]


class Transformer(nn.Module):
    """An encoder-decoder model for translation."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.config = config
        shape = config.d_model, config.n_heads, config.d_ff, config.dropout, config.norm_first
        self.source_embedding = nn.Embedding(config.source_vocab_size, config.d_model, padding_idx=config.pad_id)
        self.target_embedding = nn.Embedding(config.target_vocab_size, config.d_model, padding_idx=config.pad_id)
        positions = sinusoidal_encoding(config.max_length, config.d_model)
        self.register_buffer("positions", positions, persistent=False)  # (max_length, D)
        self.dropout = Dropout(config.dropout)
        self.encoder = nn.ModuleList(EncoderLayer(*shape) for _ in range(config.n_layers))
        self.decoder = nn.ModuleList(DecoderLayer(*shape) for _ in range(config.n_layers))
        # Pre-norm leaves the residual stream unnormalised, so each stack ends in a LayerNorm of its own.
        self.encoder_norm = nn.LayerNorm(config.d_model) if config.norm_first else nn.Identity()
        self.decoder_norm = nn.LayerNorm(config.d_model) if config.norm_first else nn.Identity()
        self.output = nn.Linear(config.d_model, config.target_vocab_size, bias=False)
        for embedding in (self.source_embedding, self.target_embedding):
            # Variance 1/D, so that the factor √D in ``embed`` brings it to 1 and a tied output layer starts small.
            nn.init.normal_(embedding.weight, std=config.d_model**-0.5)
            embedding.weight.data[config.pad_id] = 0.0
        if config.tie_embeddings:
            self.output.weight = self.target_embedding.weight

    def forward(self, source_ids: Tensor, target_ids: Tensor, *, return_attention: bool = False):
        """source_ids: ``(batch, len_s)``, target_ids: ``(batch, len_t)``, integers, padded with ``pad_id``.

        target_ids is the decoder's *input*, from ``bos_id`` on. Position ``t`` of the result scores the token after
        it and depends on no later one, so all positions are trained at once (teacher forcing).

        Returns logits ``(batch, len_t, target_vocab_size)``; with ``return_attention=True``, ``(logits, attention)``
        where attention is an ``AttentionMaps``.

        Raises ValueError for ids that are not ``(batch, length)`` integers, batches of different size and sentences
        longer than ``max_length``, IndexError for ids outside the vocabulary.
        """
        if source_ids.shape[:1] != target_ids.shape[:1]:
            shapes = f"{tuple(source_ids.shape)} and {tuple(target_ids.shape)}"
            raise ValueError(f"source and target must hold the same number of sentences; got ids of shape {shapes}")
        source_mask = padding_mask(source_ids, self.config.pad_id)
        memory, encoder_maps = self.encode(source_ids, source_mask, need_weights=return_attention)
        logits, decoder_maps, cross_maps = self.decode(
            target_ids, self.cache(memory), source_mask, need_weights=return_attention
        )
        return (logits, AttentionMaps(encoder_maps, decoder_maps, cross_maps)) if return_attention else logits

    def encode(self, source_ids: Tensor, source_mask: Tensor | None, *, need_weights: bool = False):
        """The memory ``(batch, len_s, d_model)`` of a source, and one attention map a layer."""
        x, maps = self.embed(source_ids, self.source_embedding), []  # (B, S, D)
        for layer in self.encoder:
            x, weights = layer(x, source_mask, need_weights=need_weights)
            maps.append(weights)
        return self.encoder_norm(x), maps

    def cache(self, memory: Tensor, *, joined: bool = False) -> list[LayerCache]:
        """Begin a translation of what ``memory`` holds: one cache a decoder layer (see ``DecoderLayer.cache``)."""
        return [layer.cache(memory, joined=joined) for layer in self.decoder]

    def decode(
        self, target_ids: Tensor, caches: list[LayerCache], source_mask: Tensor | None, *, need_weights: bool = False
    ):
        """Logits ``(batch, len_t, target_vocab_size)`` for target tokens that follow those already in ``caches``.

        Also returns one self-attention and one cross-attention map a layer. Given the whole target and fresh caches
        this is training; given one token at a time and the same caches, it is decoding: the numbers are the same.
        """
        past = caches[0].past[0].size(2) if caches[0].past else 0
        x = self.embed(target_ids, self.target_embedding, past)  # (B, T, D)
        mask = None
        if not past:
            mask = padding_mask(target_ids, self.config.pad_id) & causal_mask(target_ids.size(1), x.device)
        elif target_ids.size(1) > 1:
            mask = causal_mask(past + target_ids.size(1), x.device)[past:]  # (T, past + T)
        self_maps, cross_maps = [], []
        for layer, cache in zip(self.decoder, caches, strict=True):
            x, self_weights, cross_weights = layer.extend(x, cache, mask, source_mask, need_weights=need_weights)
            self_maps.append(self_weights)
            cross_maps.append(cross_weights)
        return self.output(self.decoder_norm(x)), self_maps, cross_maps  # (B, T, V)

    def embed(self, ids: Tensor, embedding: nn.Embedding, start: int = 0) -> Tensor:
        """Token plus position, ``(batch, length, d_model)``, for ids that stand at positions ``start`` and after."""
        if ids.dim() != 2 or ids.size(1) == 0 or ids.dtype not in (torch.int64, torch.int32):
            raise ValueError(
                f"ids must be int64 or int32 of shape (batch, length), at least one token long; "
                f"got {ids.dtype} of shape {tuple(ids.shape)}"
            )
        if ids.device != embedding.weight.device:
            raise ValueError(
                f"ids are on {ids.device} and the model on {embedding.weight.device}: move one to the other with .to()"
            )
        end = start + ids.size(1)
        if end > self.config.max_length:
            raise ValueError(
                f"the sentence has {end} tokens, this model takes at most max_length={self.config.max_length}: "
                "split it, or train a model with a larger max_length"
            )
        try:
            x = embedding(ids)
        except IndexError:
            low, high, size = ids.min().item(), ids.max().item(), embedding.num_embeddings
            raise IndexError(f"ids run from {low} to {high}, the vocabulary from 0 to {size - 1}") from None
        return self.dropout(x * math.sqrt(self.config.d_model) + self.positions[start:end])
