"""Ablation: take a part out of a trained model, and see what it was for, or listen to it.

A map says where a head looks. Whether the model needs what the head finds there shows only when the
head is silent.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

import torch
from torch import nn

from .attention import MultiHeadAttention


class Heard(NamedTuple):
    """What went into a module and what came out, as it was called last."""

    inputs: tuple
    output: object


@contextmanager
def listening(modules: Mapping[str, nn.Module]) -> Iterator[dict[str, Heard]]:
    """Within ``with listening({"queries": attention.w_q}) as heard:`` the modules are heard.

    ``heard["queries"]`` then has the inputs and the output of that module.
    """
    heard = {}

    def listen(name: str):
        def hook(module, inputs, output):
            heard[name] = Heard(inputs, output)

        return hook

    with ExitStack() as hooks:
        for name, module in modules.items():
            hooks.enter_context(module.register_forward_hook(listen(name)))
        yield heard


@contextmanager
def without_heads(attention: MultiHeadAttention, *heads: int) -> Iterator[None]:
    """Within ``with without_heads(attention, 0, 2):`` the output of these heads is zeros.

    ``w_o`` mixes what the other heads find. The weights of all heads are returned as usual, and
    nothing that was learnt is changed.

    Raises ValueError for a head that is not there.
    """
    if not set(heads) <= set(range(attention.n_heads)):
        raise ValueError(
            f"heads are numbered 0 to {attention.n_heads - 1}; got {', '.join(map(str, heads))}"
        )
    kept = torch.tensor([float(head not in heads) for head in range(attention.n_heads)])
    kept = kept.repeat_interleave(attention.d_v)  # (H·d_v,)

    def silence(w_o, inputs):
        (joined,) = inputs  # (B, T_q, H·d_v), the heads side by side
        return joined * kept.to(joined)

    hook = attention.w_o.register_forward_pre_hook(silence)
    try:
        yield
    finally:
        hook.remove()
