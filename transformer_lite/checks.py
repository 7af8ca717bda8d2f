"""What is refused, and in which words: what was given, what was expected, and what to do.

Each check stands before the work and raises a ValueError in the caller's terms. What torch says as
clearly by itself, of two devices for example, is left to torch.
"""

import reprlib
import sys
from collections.abc import Collection, Iterable
from itertools import zip_longest
from numbers import Integral, Real

import torch
from torch import Tensor

MOST = 100_000  # the largest size of a model, except for a vocabulary's
MOST_LAYERS = 100


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


def check_ids(**named) -> None:
    """Raise a ValueError unless these are token ids: integers, ``(batch, length)``."""
    integers = (torch.int64, torch.int32)
    for name, ids in named.items():
        if not isinstance(ids, Tensor) or ids.dim() != 2 or ids.dtype not in integers:
            raise ValueError(
                f"{name} must be int64 or int32 in a (batch, length) tensor; got {ids!r:.60}"
            )


def look_up(embedding: torch.nn.Embedding, ids: Tensor) -> Tensor:
    """The rows of a table, ``(batch, length, d_model)``, for ids ``(batch, length)``.

    Raises IndexError for ids that it has no row for.
    """
    try:
        return embedding(ids)
    except IndexError:
        last = embedding.num_embeddings - 1
        raise IndexError(f"ids are 0 to {last}; got {ids.min()} to {ids.max()}") from None


def check_length(text: str, past: int, new: int, limit: int) -> None:
    """Raise a ValueError unless a text of ``past`` tokens and ``new`` ones has at least one of
    these, and at most ``limit`` together.
    """
    if not past < past + new <= limit:
        given = f"{past} and {new} more" if past else new
        raise ValueError(f"a {text} has 1 to {limit} tokens in this model; this one has {given}")


def check_several(texts: Iterable[str]) -> None:
    """Raise a ValueError unless this is a list; a string's letters would be taken for texts."""
    if isinstance(texts, str):
        raise ValueError(
            f"a list of texts is needed; got one string: [{quote(texts)}] would be a list"
        )
    if not isinstance(texts, Iterable):
        raise ValueError(f"a list of texts is needed; got {texts!r:.60}")


def check_pairs(pairs: Iterable) -> list[tuple[str, str]]:
    """The pairs as a list. Raises ValueError for one that is not two strings.

    Only the first two fields of a named tuple count.
    """
    if not isinstance(pairs, Iterable):
        raise ValueError(f"a list of pairs is needed; got {pairs!r:.60}")
    pairs = list(pairs)
    for i, pair in enumerate(pairs):
        parts = pair[:2] if hasattr(pair, "_fields") else pair
        is_pair = isinstance(parts, (tuple, list)) and len(parts) == 2
        if not is_pair or not all(isinstance(text, str) for text in parts):
            raise ValueError(f"a pair is (source, target), two strings; pair {i} is {pair!r:.80}")
    return pairs


def is_finite(number) -> bool:
    """Whether this is a number within the range of a float; True and False do not count."""
    if not isinstance(number, Real) or isinstance(number, bool):
        return False
    return bool(abs(number) <= sys.float_info.max)  # pyright: ignore


def check_sizes(**sizes) -> None:
    """Raise a ValueError unless each size is a whole number of at least 1."""
    for name, size in sizes.items():
        check_whole(name, size, 1)


def check_heads(d_model: int, n_heads: int) -> None:
    """Raise a ValueError unless ``d_model`` can be cut into so many heads."""
    if d_model % n_heads:
        fits = max(h for h in range(1, min(n_heads, d_model) + 1) if d_model % h == 0)
        raise ValueError(f"{d_model=} is not divisible by {n_heads=}; try n_heads={fits}")


def check_model(
    *, d_model, d_ff, n_layers, n_heads, max_length, dropout, norm_first, **others
) -> None:
    """Raise a ValueError for a model's size that is out of range and a choice that is none.

    others: what only some models have, and check themselves. Whether the sizes fit each other is
    left to the parts.
    """
    sizes = dict(d_model=d_model, d_ff=d_ff, n_heads=n_heads, max_length=max_length)
    for name, size in sizes.items():
        check_whole(name, size, 1, MOST)
    check_whole("n_layers", n_layers, 1, MOST_LAYERS)
    check_share("dropout", dropout)
    check_choice("norm_first", norm_first)


def check_share(name: str, share: float) -> None:
    """Raise a ValueError unless the share is a number, 0 or more and below 1."""
    if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share < 1:
        raise ValueError(f"{name} is a share, 0 <= {name} < 1; got {share!r:.30}")


def check_whole(name: str, number: int, least: int, most: int = 1_000_000_000) -> None:
    """Raise a ValueError unless this is a whole number from ``least`` to ``most``, not True."""
    if type(number) is not int or not least <= number <= most:
        foreign = isinstance(number, Integral) and not isinstance(number, (int, bool))
        hint = f": write int({name})" if foreign else ""  # numpy's, which JSON does not take
        raise ValueError(
            f"{name} must be a whole number of at least {least}, at most {most}; got "
            f"{number!r:.30}{hint}"
        )


def number_of(valid: int | float, total: int) -> int:
    """How many of ``total`` that is: ``valid`` is a number of them, or a share."""
    if isinstance(valid, int):
        check_whole("valid", valid, 0)
        return valid
    check_share("valid", valid)
    number = round(valid * total)
    if valid and not number:
        raise ValueError(f"valid={valid} holds out none of {total}: give a larger share")
    return number


def check_choice(name: str, choice: bool) -> None:
    """Raise a ValueError unless this is True or False."""
    if not isinstance(choice, bool):
        raise ValueError(f"{name} is True or False; got {choice!r:.30}")


def check_one_of(name: str, choice, known: Collection[str]) -> None:
    """Raise a ValueError unless this is one of the known choices."""
    if choice not in list(known):  # a list, which cannot be looked up, may be given
        raise ValueError(f"{name} is one of {', '.join(known)}; got {choice!r:.30}")


def counted(number: int, noun: str) -> str:
    """``"1 pair"``, ``"2 pairs"``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def kind(x) -> str:
    return str(x.dtype) if isinstance(x, Tensor) else type(x).__name__


def quote(text: str) -> str:
    """A text in quotes for a message: without its middle if it is long, and with nothing in it that
    a terminal would obey.
    """
    shorten = reprlib.Repr()
    shorten.maxstring = 80
    return shorten.repr(text)
