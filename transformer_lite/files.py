"""Files that survive: whole or not at all, and nothing in them that could be run.

A file is written under another name and then renamed, so a process that is killed at any moment
leaves the old file or the new one, never half of one. Tensors go into safetensors files, which hold
numbers and a text.
"""

import json
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor


def check_writable(path: Path) -> None:
    """Raise a ValueError unless a file can be written there, before long work and not after it."""
    if path.is_dir() or not os.access(path.absolute().parent, os.W_OK):
        raise ValueError(
            f"{path} cannot be written: it should be a file in a folder that exists, and is yours"
        )


def write_whole(path: Path, content: bytes) -> None:
    """Write a temporary neighbour of ``path``, then rename it: a crash leaves the old file as it
    was.

    The neighbour has a name of its own each time, so two processes may write the same file: the
    last one wins. Raises an OSError that names ``path``.
    """
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:  # a full disk, for example
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with suppress(OSError):  # where all went well, it has its name by now
            temporary.unlink()


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Make a folder if need be, and keep out other processes that ask for it too.

    Half-written files of a process that was killed are deleted. Folders that were made here and are
    still empty at the end are removed. Raises FileExistsError if another process is in it, and an
    OSError that names the folder if nothing can be written there.
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
        raise OSError(error.errno, error.strerror, str(folder)) from error
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


def write_tensors(path: Path, tensors: dict[str, Tensor], note: dict) -> None:
    """Write named tensors and a JSON object, the note, into one safetensors file.

    Raises ValueError for a tensor that ``read_tensors`` would refuse; a file that is there already
    stays as it is.
    """
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    check_tensors(tensors)
    write_whole(path, save(tensors, {"note": json.dumps(note, ensure_ascii=False)}))


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict]:
    """The tensors and the note that ``write_tensors`` wrote. Raises ValueError for any other
    file.
    """
    # Read once: safetensors would open the file a second time, when it may be another one.
    content = path.read_bytes()
    try:
        tensors = load(content)
        header_size = int.from_bytes(content[:8], "little")
        header = json.loads(content[8 : 8 + header_size])
        note = json.loads(header["__metadata__"]["note"])
        check_tensors(tensors)
    except (SafetensorError, TypeError, KeyError, ValueError, RecursionError) as error:
        raise ValueError(
            f"{path} is damaged, or was not written by this package: {error}"
        ) from error
    return tensors, note


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
    """Raise a ValueError unless both hold the same names and shapes. It names the source and what
    differs first.
    """
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
