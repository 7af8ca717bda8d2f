"""A cache keeps what later tokens need of the earlier ones, so that no step begins again.

Usually these are their keys and values. Two variants of attention keep less: a latent for each
token, from which both are made, or a state, whose size is the same however long the text is.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class KeyValueCache:
    """The keys of one attention so far, ``(batch, n_heads, length, d_k)``, and its values.

    In self-attention they grow with every token. In cross-attention (``of_memory``) they are the
    memory's, complete from the first step on. forgotten: how many earlier tokens have been dropped.
    """

    of_memory: bool = False
    keys: Tensor | None = None
    values: Tensor | None = None
    forgotten: int = 0

    @property
    def length(self) -> int:
        """How many tokens have been read, whether they are kept or not."""
        return self.forgotten + (0 if self.keys is None else self.keys.size(2))

    @property
    def complete(self) -> tuple[Tensor, Tensor] | None:
        """The keys and values of a memory, once they are there."""
        if self.of_memory and self.keys is not None and self.values is not None:
            return self.keys, self.values
        return None

    def append(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Add the keys and values of the newest tokens; return those of all tokens."""
        if self.keys is not None and self.values is not None:
            keys = torch.cat((self.keys, keys), dim=2)
            values = torch.cat((self.values, values), dim=2)
        self.keys = keys
        self.values = values
        return keys, values

    def keep(self, tokens: int) -> None:
        """Forget all but the newest tokens, and give their memory back."""
        if self.keys is not None and self.values is not None and self.keys.size(2) > tokens:
            self.forgotten += self.keys.size(2) - tokens
            self.keys = self.keys[:, :, -tokens:].clone()
            self.values = self.values[:, :, -tokens:].clone()

    def select(self, rows: Tensor) -> None:
        """Keep these rows of the batch, in this order. rows: ``(new_batch,)``, integer."""
        if self.keys is not None and self.values is not None:
            self.keys = self.keys[rows]
            self.values = self.values[rows]


@dataclass
class LatentCache:
    """The latents of one attention so far, ``(batch, length, d_latent)``, and the turned key that
    all its heads share, ``(batch, length, d_rotary)``. See ``variants.LatentAttention``.

    forgotten: how many earlier tokens have been dropped.
    """

    latents: Tensor | None = None
    keys: Tensor | None = None
    forgotten: int = 0

    @property
    def length(self) -> int:
        """How many tokens have been read, whether they are kept or not."""
        return self.forgotten + (0 if self.latents is None else self.latents.size(1))

    def append(self, latents: Tensor, keys: Tensor) -> tuple[Tensor, Tensor]:
        """Add the latents and keys of the newest tokens; return those of all tokens."""
        if self.latents is not None and self.keys is not None:
            latents = torch.cat((self.latents, latents), dim=1)
            keys = torch.cat((self.keys, keys), dim=1)
        self.latents = latents
        self.keys = keys
        return latents, keys

    def keep(self, tokens: int) -> None:
        """Forget all but the newest tokens, and give their memory back."""
        if self.latents is not None and self.keys is not None and self.latents.size(1) > tokens:
            self.forgotten += self.latents.size(1) - tokens
            self.latents = self.latents[:, -tokens:].clone()
            self.keys = self.keys[:, -tokens:].clone()


@dataclass
class StateCache:
    """What a layer with a state has made of the text so far: ``(batch, n_heads, d_key, d_value)``,
    and how many tokens it has read. See ``variants.StateAttention``.

    before: where it has a convolution, the last tokens as that reads them, ``(batch, tokens,
    width)``.
    """

    state: Tensor | None = None
    before: Tensor | None = None
    length: int = 0

    def update(self, state: Tensor, tokens: int) -> None:
        """Keep the state after so many more tokens in the place of the one before."""
        self.state = state
        self.length += tokens


AnyCache = KeyValueCache | LatentCache | StateCache
