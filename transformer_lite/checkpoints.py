"""Files that survive: weights and training states on disk, whole or not at all.

Everything is safetensors, which holds numbers and nothing that could be run. A file is written under another name and
then renamed, so a process that is killed at any moment leaves the old file or the new one, never half of one.
"""

import json
import os
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

CHECKPOINT = "checkpoint.safetensors"


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


def write_tensors(path: Path, tensors: dict[str, Tensor], note: dict) -> None:
    """Write named tensors and a JSON note into one safetensors file."""
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    write_whole(path, save(tensors, {"note": json.dumps(note, sort_keys=True)}))


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict]:
    """What ``write_tensors`` wrote. Raises ValueError for any other file."""
    try:
        with safe_open(path, "pt") as file:
            note = json.loads(file.metadata()["note"])
            if not isinstance(note, dict):
                raise ValueError("its note is no JSON object")
            return {name: file.get_tensor(name) for name in file.keys()}, note
    except (SafetensorError, TypeError, KeyError, ValueError) as error:
        raise ValueError(f"{path} is damaged, or was not written by this package: {error}") from error


def check_shapes(path: Path, found: dict[str, Tensor], expected: dict[str, Tensor]) -> None:
    """Raises ValueError unless both hold the same names and shapes; says what is the first that differs."""
    shapes, wanted = ({name: tuple(x.shape) for name, x in tensors.items()} for tensors in (found, expected))
    if shapes != wanted:
        name = min(n for n in shapes | wanted if shapes.get(n) != wanted.get(n))
        raise ValueError(
            f"{path} does not fit the model: {name} has shape {shapes.get(name)} and should have {wanted.get(name)}"
        )


def save_checkpoint(
    path: Path, model: nn.Module, optimizer: torch.optim.Adam, losses: list[float], identity: dict
) -> None:
    """All that a training needs to go on: weights, Adam's two moments and the loss of every step so far.

    The step is the number of losses. What is random in a step follows from the seed and the step, so no generator's
    state need be kept. ``identity`` says which training this is.
    """
    tensors = _state(model, optimizer) | {"losses": torch.tensor(losses, dtype=torch.float64)}
    write_tensors(path, tensors, identity)


def load_checkpoint(path: Path, model: nn.Module, optimizer: torch.optim.Adam, identity: dict) -> list[float]:
    """Put model and optimizer where ``save_checkpoint`` found them, and return the losses.

    Raises FileNotFoundError if there is no checkpoint, and ValueError if it is damaged, does not fit the model, or
    belongs to a training of another ``identity``.
    """
    if not path.is_file():
        raise FileNotFoundError(f"there is no unfinished training in {path.parent}: start it without --resume")
    tensors, found = read_tensors(path)
    for key in sorted(identity | found, key=lambda key: (key == "pairs", key)):  # pairs differ with the tokenizer, too
        if identity.get(key) != found.get(key):
            raise ValueError(
                f"{path} is of another training, with {key}={found.get(key)} and not {key}={identity.get(key)}; "
                "resume with the same pairs and settings, or train into another folder"
            )
    losses = tensors.pop("losses", torch.tensor(0.0))
    state = _state(model, optimizer)
    check_shapes(path, tensors | {"losses": losses}, state | {"losses": losses.flatten()})
    with torch.no_grad():
        for name, tensor in state.items():
            tensor.copy_(tensors[name])
    for parameter_state in optimizer.state.values():
        parameter_state["step"].fill_(len(losses))
    return losses.tolist()


def _state(model: nn.Module, optimizer: torch.optim.Adam) -> dict[str, Tensor]:
    """Weights and moments by name. An optimizer that has made no step yet gets the moments it would begin with."""
    tensors = {}
    for name, parameter in model.named_parameters():
        moments = optimizer.state[parameter]
        if not moments:
            moments["step"] = torch.zeros((), device=parameter.device)
            moments["exp_avg"] = torch.zeros_like(parameter)
            moments["exp_avg_sq"] = torch.zeros_like(parameter)
        tensors[f"weight.{name}"] = parameter
        tensors[f"exp_avg.{name}"] = moments["exp_avg"]
        tensors[f"exp_avg_sq.{name}"] = moments["exp_avg_sq"]
    return tensors
