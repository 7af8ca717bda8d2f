"""Ablation: take a part out of a trained model, and see what it was for.

A map says where a head looks. Whether the model needs what it found there shows only when the head
is silent.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from .attention import MultiHeadAttention


@contextmanager
def without_heads(attention: MultiHeadAttention, *heads: int) -> Iterator[None]:
    """While this lasts, ``with without_heads(attention, 0, 2):``, zeros stand where these heads'
    output was.

    ``w_o`` mixes what the others find; the weights of all heads are returned as ever, and nothing
    that was learnt is touched. Raises ValueError for a head that is not there.
    """
    if not {*heads} <= {*range(attention.n_heads)}:
        raise ValueError(
            f"heads are numbered 0 to {attention.n_heads - 1}; got {', '.join(map(str, heads))}"
        )
    kept = torch.tensor([float(head not in heads) for head in range(attention.n_heads)])
    kept = kept.repeat_interleave(attention.d_v)  # (H·d_v,)
    hook = attention.w_o.register_forward_pre_hook(lambda _, joined: joined[0] * kept.to(joined[0]))
    try:
        yield
    finally:
        hook.remove()
