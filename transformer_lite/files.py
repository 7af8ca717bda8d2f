"""Files that survive: whole or not at all, and nothing in them that could be run.

A file is written under another name and then renamed, so a process that is killed at any moment
leaves the old file or the new one, never half of one. Tensors go into safetensors files, which hold
numbers and a text.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor, nn

FILE = "model.safetensors"  # a model's, in its folder

Model = TypeVar("Model", bound=nn.Module)


def check_writable(path: Path) -> None:
    """Raise a ValueError unless a file can be written there, before long work and not after it."""
    if path.is_dir() or not os.access(path.absolute().parent, os.W_OK):
        raise ValueError(
            f"{path} cannot be written: it should be a file in a folder that exists, and is yours"
        )


def write_whole(path: Path, content: bytes) -> None:
    """Write a temporary neighbour of ``path``, then rename it: a crash leaves the old file.

    Raises an OSError that names ``path``.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:  # a full disk, for example
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with suppress(OSError):  # where all went well, it has its name by now
            temporary.unlink()


def write_tensors(path: Path, tensors: dict[str, Tensor], note: dict) -> None:
    """Write named tensors and a note, a JSON object, into a safetensors file with a checksum.

    Raises ValueError for a tensor that ``read_tensors`` would refuse; a file that is there already
    stays as it is.
    """
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    check_tensors(tensors)
    # Within the note: safetensors writes several texts in an order that changes.
    note = note | {"sha256": checksum(tensors, note)}
    write_whole(path, save(tensors, {"note": json.dumps(note, ensure_ascii=False)}))


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict]:
    """The tensors and the note that ``write_tensors`` wrote.

    Raises ValueError for any other file, and for one in which something has changed since, unless
    it was written without a checksum.
    """
    # Read once: safetensors would open the file a second time, when it may be another one.
    content = path.read_bytes()
    try:
        tensors = load(content)
        header_size = int.from_bytes(content[:8], "little")
        header = json.loads(content[8 : 8 + header_size])
        note = json.loads(header["__metadata__"]["note"])
        check_tensors(tensors)
        saved = note.pop("sha256", None) if isinstance(note, dict) else None
        if saved not in (None, checksum(tensors, note)):
            raise ValueError("it is not what was saved (wrong checksum)")
    except (SafetensorError, TypeError, KeyError, ValueError, RecursionError) as error:
        raise ValueError(
            f"{path} is damaged, or was not written by this package: {error}"
        ) from error
    return tensors, note


def check_format(path: Path, note, newest: int) -> None:
    """Raise a ValueError unless this package can read a file with this note."""
    written = note.get("format") if isinstance(note, dict) else None
    if type(written) is not int or not 1 <= written <= newest:
        raise ValueError(
            f"{path} has format {written!r:.30}, this package reads {newest}: update the package, "
            "or train it again"
        )


def checksum(tensors: dict[str, Tensor], note) -> str:
    """SHA-256 of a note, and of the names, types, shapes and bytes of these tensors."""
    digest = hashlib.sha256(json.dumps(note).encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.flatten().view(torch.uint8).numpy())
    return digest.hexdigest()


def filled(
    path: Path,
    make: Callable[[], Model],
    weights: dict[str, Tensor],
    outline: dict[str, tuple[int, ...]],
) -> Model:
    """The model that ``make`` makes, with the weights of a file, in evaluation mode.

    outline: shapes of some of them, which say how large the model is. They are compared first, so
    that a file that describes a larger model than it holds is refused before that takes memory.
    Raises ValueError for it, and for any other model that does not fit.
    """
    held = shapes(weights)
    check_shapes(path, {name: held[name] for name in outline if name in held}, outline)
    with wrong_description(path, "a model"):
        model = make()
    check_shapes(path, held, shapes(dict(model.named_parameters())))
    model.load_state_dict(weights, strict=False)  # tied layers stand under one name
    return model.eval()


@contextmanager
def wrong_description(path: Path, what: str) -> Iterator[None]:
    """Whatever is wrong with a description in a file becomes a ValueError that names the file."""
    try:
        yield
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path} does not describe {what}: {error}") from error


@contextmanager
def damaged_file(
    path: Path, problem: str = "is damaged, or was not written by this package"
) -> Iterator[None]:
    """Whatever is wrong with a file's content becomes a ValueError that names the file.

    A damaged file may lead a library that reads it, and what is asked of its content, into any
    error. Too little memory is no fault of the file.
    """
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        said = error if isinstance(error, ValueError) else repr(error)
        raise ValueError(f"{path} {problem}: {said}") from error


def check_tensors(tensors: dict[str, Tensor]) -> None:
    """Raise a ValueError for a tensor of anything but finite floating-point numbers."""
    for name, tensor in tensors.items():
        if not tensor.is_floating_point() or not tensor.isfinite().all():
            raise ValueError(
                f"{name} is {tensor.dtype} or holds nan or inf; finite fractions are expected"
            )


def check_shapes(
    source: Path | str, actual: dict[str, tuple[int, ...]], expected: dict[str, tuple[int, ...]]
) -> None:
    """Raise a ValueError, naming what differs first, unless names and shapes are the same."""
    for name in sorted(actual.keys() | expected.keys()):
        if name not in actual:
            problem = f"it lacks {name}, of shape {expected[name]}"
        elif name not in expected:
            problem = f"it holds {name}, which the model does not have"
        elif actual[name] != expected[name]:
            problem = f"{name} has shape {actual[name]} and should have {expected[name]}"
        else:
            continue
        raise ValueError(f"{source} does not fit the model: {problem}")


def shapes(tensors: dict[str, Tensor]) -> dict[str, tuple[int, ...]]:
    """The shape of each tensor, by name."""
    return {name: tuple(tensor.shape) for name, tensor in tensors.items()}
