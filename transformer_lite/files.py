"""Files that survive: whole or not at all, and nothing in them that could be run.

A file is written under another name and then renamed, so a process that is killed at any moment
leaves the old file or the new one, never half of one. Tensors go into safetensors files, which hold
numbers and a text, and with them goes their checksum.
"""

import hashlib
import json
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import torch
from filelock import FileLock, Timeout
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor


def check_writable(path: Path) -> None:
    """Raises ValueError unless a file can be written there: asked before long work, not after
    it.
    """
    if path.is_dir() or not os.access(path.absolute().parent, os.W_OK):
        raise ValueError(
            f"{path} cannot be written: it should be a file in a folder that exists, and is yours"
        )


def write_whole(path: Path, content: bytes) -> None:
    """Write a temporary neighbour of ``path``, then rename it: a crash leaves the old file as it
    was.

    The neighbour has a name of its own each time, so two processes may write the same file: one of
    them comes last. Raises OSError that names ``path``.
    """
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except (
        BaseException
    ) as error:  # a full disk, for example: do not leave a half-written file on it
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and error.errno:
            error.filename = str(path)
        raise


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Make a folder if need be, keep other processes out that ask for the same, and clear away what
    a killed one left.

    Folders that were made here and are empty in the end go again. Raises FileExistsError if another
    is in it, and OSError that names the folder if nothing can be written there.
    """
    if folder.is_file():
        raise FileExistsError(f"{folder} is a file: name a folder")
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / ".lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise FileExistsError(
            f"another process works in {folder}: wait for it, or choose another folder"
        ) from None
    except OSError as error:
        error.filename = str(folder)
        raise
    try:
        for half in folder.glob(f".*.{'[0-9a-f]' * 32}.tmp"):
            half.unlink(missing_ok=True)
        yield
    finally:
        with suppress(OSError):  # while it is still ours; Windows deletes no open file
            (folder / ".lock").unlink()
        lock.release()
        with suppress(OSError):  # unless something has come into one
            for place in made:
                place.rmdir()


def write_tensors(path: Path, tensors: dict[str, Tensor], metadata: dict) -> None:
    """Write named tensors and a JSON object into one safetensors file, with a checksum of the
    tensors.

    Raises ValueError for a tensor that ``read_tensors`` would refuse; a file that is there already
    stays as it is.
    """
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    check_tensors(tensors)
    note = json.dumps(metadata | {"checksum": checksum(tensors)}, sort_keys=True)
    write_whole(path, save(tensors, {"note": note}))


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict]:
    """What ``write_tensors`` wrote. Raises ValueError for any other file, and for one whose
    checksum is wrong.

    A file without a checksum, as they were written at first, is read as it is.
    """
    with open_tensors(path) as (file, metadata):
        tensors = {name: file.get_tensor(name) for name in file.keys()}
        if metadata.pop("checksum", None) not in (None, checksum(tensors)):
            raise ValueError(
                "its numbers are not those that were saved (wrong checksum): copy it or train it again"
            )
        check_tensors(tensors)
        return tensors, metadata


def check_tensors(tensors: dict[str, Tensor]) -> None:
    """Raises ValueError for a tensor of anything but finite floating-point numbers."""
    for name, tensor in tensors.items():
        if not tensor.is_floating_point() or not tensor.isfinite().all():
            raise ValueError(
                f"{name} is {tensor.dtype}, or holds nan or inf, where finite fractions are expected"
            )


def read_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """The shape of each tensor, from the beginning of the file alone. Raises as ``read_tensors``
    does.
    """
    with open_tensors(path) as (file, _):
        return {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}


@contextmanager
def open_tensors(path: Path) -> Iterator:
    """An open safetensors file and its note. Whatever is wrong with the file becomes a ValueError
    that names it.
    """
    with open(path, "rb"):  # safetensors says of any file that it may not open that there is none
        pass
    try:
        with safe_open(path, "pt") as file:
            metadata = json.loads(file.metadata()["note"])
            if not isinstance(metadata, dict):
                raise ValueError("its note is no JSON object")
            yield file, metadata
    except (SafetensorError, TypeError, KeyError, ValueError, RecursionError) as error:
        raise ValueError(
            f"{path} is damaged, or was not written by this package: {error}"
        ) from error


def checksum(tensors: dict[str, Tensor]) -> str:
    """A fingerprint of the numbers, bit by bit."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        digest.update(tensors[name].reshape(-1).view(torch.uint8).numpy())
    return digest.hexdigest()


def check_shapes(
    path: Path, given: dict[str, tuple[int, ...]], expected: dict[str, tuple[int, ...]]
) -> None:
    """Raises ValueError unless both hold the same names and shapes; says what is the first that
    differs.
    """
    for name in sorted(given.keys() | expected.keys()):
        if name not in given:
            raise ValueError(
                f"{path} does not fit the model: it lacks {name}, of shape {expected[name]}"
            )
        if name not in expected:
            raise ValueError(
                f"{path} does not fit the model: it holds {name}, which the model does not have"
            )
        if given[name] != expected[name]:
            raise ValueError(
                f"{path} does not fit the model: {name} has shape {given[name]} and should have {expected[name]}"
            )


def shapes(tensors: dict[str, Tensor]) -> dict[str, tuple[int, ...]]:
    return {name: tuple(tensor.shape) for name, tensor in tensors.items()}
