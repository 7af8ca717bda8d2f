"""What is refused, and in which words: what was given, what was expected, and what to do.

Each check stands before the work and raises a ValueError in the caller's terms. What torch says as
clearly by itself, of two devices for example, is left to torch.
"""

import sys
from itertools import zip_longest
from numbers import Real

import torch
from torch import Tensor


def check_inputs(query, key, value, *, sizes=(), axes: int | None = None, layer=None) -> None:
    """Raise a ValueError in the caller's words, before torch speaks of some inner product.

    sizes: what the last axes of query, key and value must be; without them, query and key must
    agree. axes: how many each has. layer: one that reads them, with whose dtype they must agree.
    """
    inputs = (("query", query), ("key", key), ("value", value))
    for (name, x), size in zip_longest(inputs, sizes):
        check_vectors(name, x, size, axes)
    dtype = query.dtype
    if layer is not None:
        dtype = getattr(layer.weight, "dtype", dtype)  # a quantized layer's weight is a method
    if query.dtype != dtype and not torch.is_autocast_enabled(query.device.type):
        raise ValueError(f"the input is {query.dtype}, the module {dtype}: move one with .to()")

    q = query.shape
    k = key.shape
    v = value.shape
    problem = None
    if not sizes and (q[-1] != k[-1] or q[-1] == 0):
        problem = "query and key must agree in d_k, their last axis, of at least 1"
    elif k[-2] != v[-2]:
        problem = "each key needs its value, so both must have the same length"
    elif not q[:-2] == k[:-2] == v[:-2] and not broadcast(q[:-2], k[:-2], v[:-2]):
        problem = "the axes before (length, size) must match"
    if problem:
        raise ValueError(f"{problem}; got query {tuple(q)}, key {tuple(k)}, value {tuple(v)}")


def check_vectors(name: str, x, size: int | None, axes: int | None = None) -> None:
    """Raise a ValueError unless these are vectors of floats, ``(..., length, size)``.

    size: any, if it is None. axes: how many there are.
    """
    if not isinstance(x, Tensor) or not x.is_floating_point():
        raise ValueError(f"{name} must be a tensor of floats; got {kind(x)}: try x.float()")
    if x.dim() < 2:
        raise ValueError(f"{name} must end in (length, size); got shape {tuple(x.shape)}")
    if size is not None and (x.size(-1) != size or x.dim() != (axes or x.dim())):
        expected = f"({'batch' if axes else '...'}, length, {size})"
        raise ValueError(f"{name} must have shape {expected}; got {tuple(x.shape)}")


def broadcast(*shapes) -> bool:
    """Whether these shapes agree, axis by axis from the last one, up to axes of size 1."""
    axes = zip(*(shape[::-1] for shape in shapes), strict=False)
    return all(size in (1, max(sizes)) for sizes in axes for size in sizes)


def check_mask(mask, scores: tuple[int, ...]) -> None:
    """Raise a ValueError unless the mask is bool and broadcasts to the shape of the scores."""
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        raise ValueError(
            f"mask must be a bool tensor, True = may attend; got {kind(mask)}: use mask.bool() if "
            "1 means attend, mask == 0 if 0 does and -inf or 1 hides"
        )
    axes = zip(mask.shape[::-1], scores[::-1], strict=False)
    if mask.dim() > len(scores) or any(size not in (1, wanted) for size, wanted in axes):
        without_heads = mask.dim() == 3 and len(scores) == 4
        hint = ": one mask per sentence is mask.unsqueeze(1)" if without_heads else ""
        shape = tuple(mask.shape)
        raise ValueError(f"mask of shape {shape} does not fit scores of {tuple(scores)}{hint}")


def check_ids(ids, name: str = "ids") -> None:
    """Raise a ValueError unless these are token ids: integers, ``(batch, length)``."""
    if not isinstance(ids, Tensor) or ids.dim() != 2 or ids.dtype not in (torch.int64, torch.int32):
        raise ValueError(
            f"{name} must be int64 or int32 in a (batch, length) tensor; got {ids!r:.60}"
        )


def check_length(text: str, past: int, new: int, limit: int) -> None:
    """Raise a ValueError unless a text of ``past`` tokens and ``new`` ones has at least one of
    these, and at most ``limit`` together.
    """
    if not past < past + new <= limit:
        given = f"{past} and {new} more" if past else new
        raise ValueError(f"a {text} has 1 to {limit} tokens in this model; this one has {given}")


def is_finite(number) -> bool:
    """Whether this is a number within the range of a float; True and False do not count."""
    if not isinstance(number, Real) or isinstance(number, bool):
        return False
    return bool(abs(number) <= sys.float_info.max)  # pyright: ignore


def check_one_of(name: str, choice, known: tuple[str, ...]) -> None:
    """Raise a ValueError unless this is one of the known choices."""
    if choice not in known:
        raise ValueError(f"{name} is one of {', '.join(known)}; got {choice!r:.30}")


def kind(x) -> str:
    return str(x.dtype) if isinstance(x, Tensor) else type(x).__name__
