"""Files that survive: whole or not at all, and nothing in them that could be run.

A file is written under another name and then renamed, so a process that is killed at any moment leaves the old file or
the new one, never half of one. Tensors go into safetensors files, which hold numbers and a text.
"""

import json
import os
from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor


def write_whole(path: Path, content: bytes) -> None:
    """Write a temporary neighbour of ``path``, then rename it: a crash leaves the old file as it was."""
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:  # a full disk, for example: do not leave a half-written file on it
        temporary.unlink(missing_ok=True)
        raise


def write_tensors(path: Path, tensors: dict[str, Tensor], metadata: dict) -> None:
    """Write named tensors and a JSON object into one safetensors file."""
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    write_whole(path, save(tensors, {"note": json.dumps(metadata, sort_keys=True)}))


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict]:
    """What ``write_tensors`` wrote. Raises ValueError for any other file."""
    try:
        with safe_open(path, "pt") as file:
            metadata = json.loads(file.metadata()["note"])
            if not isinstance(metadata, dict):
                raise ValueError("its note is no JSON object")
            return {name: file.get_tensor(name) for name in file.keys()}, metadata
    except (SafetensorError, TypeError, KeyError, ValueError) as error:
        raise ValueError(f"{path} is damaged, or was not written by this package: {error}") from error


def check_shapes(path: Path, given: dict[str, Tensor], expected: dict[str, Tensor]) -> None:
    """Raises ValueError unless both hold the same names and shapes; says what is the first that differs."""
    shapes, wanted = ({name: tuple(x.shape) for name, x in tensors.items()} for tensors in (given, expected))
    if shapes != wanted:
        name = min(n for n in shapes | wanted if shapes.get(n) != wanted.get(n))
        raise ValueError(
            f"{path} does not fit the model: {name} has shape {shapes.get(name)} and should have {wanted.get(name)}"
        )
