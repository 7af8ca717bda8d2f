"""The whole Transformer (figure 1 of the paper): ids in, a score for every possible next token out.

The encoder reads the source once and leaves a memory, one vector per token. The decoder reads the
translation so far and that memory, and scores what comes next. Both are stacks of the same layer,
and both see their tokens as an embedding scaled by √d_model plus the position's sinusoids (sections
3.4 and 3.5).

Shapes: ``B`` batch, ``S`` source length, ``T`` target length, ``D`` d_model, ``H`` heads, ``V``
target vocabulary.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from torch import Tensor, nn

from .checks import check_choice, check_ids, check_length, check_model, check_whole, look_up
from .layers import DecoderLayer, EncoderLayer, Parts
from .masks import causal_mask, padding_mask
from .positions import sinusoidal_encoding
from .vocabulary import EOS_ID, PAD_ID


def choice(default, help: str) -> Any:
    """A field with a default and its meaning, which the command line shows."""
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class TransformerConfig:
    """Sizes and choices of a model; the defaults are the paper's base model (table 3).

    Raises ValueError for a size out of range and a choice that is neither True nor False. Whether
    the sizes fit each other is checked by ``Transformer``.
    """

    source_vocab_size: int = field(metadata={"help": "tokens of the source vocabulary"})
    target_vocab_size: int = field(metadata={"help": "tokens of the target vocabulary"})
    d_model: int = choice(512, "numbers in a token's vector")
    d_ff: int = choice(2048, "numbers in the hidden layer of the feed-forward network")
    n_layers: int = choice(6, "layers in the encoder, and again in the decoder")
    n_heads: int = choice(8, "attention heads, side by side in each layer")
    dropout: float = choice(0.1, "share of the numbers that training sets to 0")
    max_length: int = choice(256, "the longest sentence, in tokens")
    norm_first: bool = choice(False, "LayerNorm before each sub-layer, not after the residual sum")
    tie_embeddings: bool = choice(False, "one matrix as target embedding and as output layer")

    def __post_init__(self):
        check_whole("source_vocab_size", self.source_vocab_size, 1, 1_000_000)
        check_whole("target_vocab_size", self.target_vocab_size, EOS_ID + 1, 1_000_000)
        check_choice("tie_embeddings", self.tie_embeddings)
        check_model(**vars(self))


class AttentionMaps(NamedTuple):
    """All attention weights of one forward pass: one ``(batch, n_heads, len_q, len_k)`` per layer,
    rows summing to 1.

    ``encoder``: source to source. ``decoder``: target to target. ``cross``: target to source.
    """

    encoder: list[Tensor]
    decoder: list[Tensor]
    cross: list[Tensor]


class Transformer(nn.Module):
    """An encoder-decoder model for translation.

    ``positions`` follows from the configuration and is in no ``state_dict``: for a model without
    numbers (``to_empty``) make a new one and load the weights into that.

    Raises ValueError for a ``d_model`` that is odd or not divisible by ``n_heads``, and says which
    would do.
    """

    positions: Tensor  # a buffer

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.config = config
        d_model = config.d_model
        self.source_embedding = nn.Embedding(config.source_vocab_size, d_model, padding_idx=PAD_ID)
        self.target_embedding = nn.Embedding(config.target_vocab_size, d_model, padding_idx=PAD_ID)
        positions = sinusoidal_encoding(config.max_length, d_model)
        self.register_buffer("positions", positions, persistent=False)
        self.dropout = nn.Dropout(config.dropout)
        parts = Parts()  # the paper's norm and feed-forward
        sizes = (d_model, config.n_heads, config.d_ff)
        shell = (config.dropout, config.norm_first, parts)
        self.encoder = nn.ModuleList(EncoderLayer(*sizes, *shell) for _ in range(config.n_layers))
        self.decoder = nn.ModuleList(DecoderLayer(*sizes, *shell) for _ in range(config.n_layers))
        # Pre-norm leaves the residual stream unnormalised, so each stack ends in a norm of its own.
        self.encoder_norm = parts.norm(d_model) if config.norm_first else nn.Identity()
        self.decoder_norm = parts.norm(d_model) if config.norm_first else nn.Identity()
        self.output = nn.Linear(d_model, config.target_vocab_size, bias=False)
        for embedding in (self.source_embedding, self.target_embedding):
            # Variance 1/D, so that the factor √D in ``embed`` brings it to 1 and a tied output
            # layer starts small.
            nn.init.normal_(embedding.weight, std=d_model**-0.5)
            embedding.weight.data[PAD_ID] = 0.0
        if config.tie_embeddings:
            self.output.weight = self.target_embedding.weight

    def forward(self, source_ids: Tensor, target_ids: Tensor, *, return_attention: bool = False):
        """source_ids: ``(batch, len_s)``, target_ids: ``(batch, len_t)``, padded with ``PAD_ID``.

        target_ids is the decoder's *input*, from ``BOS_ID`` on. Position ``t`` of the result scores
        the token after it and depends on no later one, so all positions are trained at once
        (teacher forcing).

        Returns logits ``(batch, len_t, target_vocab_size)``; with ``return_attention=True``,
        ``(logits, attention)`` where attention is an ``AttentionMaps``. Without it there is no
        second derivative, see ``MultiHeadAttention.forward``.

        Raises ValueError for ids that are not ``(batch, length)`` integers, batches of different
        size and sentences longer than ``max_length``, IndexError for ids outside the vocabulary.
        """
        check_ids(source_ids=source_ids, target_ids=target_ids)
        mask = padding_mask(source_ids)
        memory, encoder = self.encode(source_ids, mask, need_weights=return_attention)
        logits, own, cross = self.decode(target_ids, memory, mask, need_weights=return_attention)
        attention = AttentionMaps(encoder, own, cross)
        return (logits, attention) if return_attention else logits

    def encode(self, source_ids: Tensor, source_mask: Tensor | None, *, need_weights: bool = False):
        """The memory ``(batch, len_s, d_model)`` of a source, and one attention map per layer.

        Raises the same errors as ``forward``.
        """
        x = self.embed(source_ids, self.source_embedding)  # (B, S, D)
        maps = []
        for layer in self.encoder:
            x, weights = layer(x, source_mask, need_weights=need_weights)
            maps.append(weights)
        return self.encoder_norm(x), maps

    def decode(self, target_ids: Tensor, memory, source_mask, *, cache=None, need_weights=False):
        """Logits ``(batch, len_t, target_vocab_size)``, and each layer's maps, self and cross.

        memory: ``(batch, len_s, d_model)``, the encoder's output. source_mask: the source's
        ``padding_mask``, or None where it has no padding.
        cache: two per layer, for self- and cross-attention (see ``decoding.new_cache``). It
        remembers the target so far, and ``target_ids`` are the tokens that follow: given one token
        at a time, the numbers are those of the whole target at once. A cache does not mask padding:
        the logits of a sentence that has ended are meaningless.

        Raises the same errors as ``forward``. A cache is then half filled: start again with a new
        one.
        """
        check_ids(target_ids=target_ids)
        past = cache[0][0].length if cache else 0
        length = past + target_ids.size(1)
        x = self.embed(target_ids, self.target_embedding, start=past)  # (B, T, D)
        if memory.size(0) != x.size(0):
            raise ValueError(f"{len(memory)} source and {len(x)} target sentences do not match")
        mask = None  # one new token may look at everything before it
        if not past:
            mask = padding_mask(target_ids) & causal_mask(length, x.device)  # (B, 1, T, T)
        elif length > past + 1:
            mask = causal_mask(length, x.device)[past:]  # (T, past + T)
        decoder = []
        cross = []
        all_caches = cache or [(None, None)] * len(self.decoder)
        for layer, caches in zip(self.decoder, all_caches, strict=True):
            x, own, other = layer(
                x, memory, mask, source_mask, caches=caches, need_weights=need_weights
            )
            decoder.append(own)
            cross.append(other)
        return self.output(self.decoder_norm(x)), decoder, cross  # (B, T, V)

    def embed(self, ids: Tensor, embedding: nn.Embedding, start: int = 0) -> Tensor:
        """Token plus position, ``(batch, length, d_model)``, for ids from position ``start`` on.

        Raises the same errors as ``forward``.
        """
        check_ids(ids=ids)
        check_length("sentence", start, ids.size(1), self.config.max_length)
        end = start + ids.size(1)
        tokens = look_up(embedding, ids)
        return self.dropout(tokens * self.config.d_model**0.5 + self.positions[start:end])
