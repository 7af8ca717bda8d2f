"""A checkpoint is all that a training needs to go on after a crash, in one whole file."""

import io
import math
import zipfile
from pathlib import Path
from typing import BinaryIO

import torch
from torch import nn

from ..files import check_shapes, check_tensors, naming, shapes, write_whole
from .held_out import Measure

CHECKPOINT = "checkpoint.pt"


def save_checkpoint(
    path: Path,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    losses: list[float],
    identity: dict,
    measures: list,
) -> None:
    """Write the weights, the optimizer's state (Adam's two moments), the loss of every step so far
    and the measures of what is held out.

    The step is the number of losses. What is random in a step follows from the seed and the step,
    so no generator's state need be kept. ``identity`` says which training this is.
    """
    content = io.BytesIO()
    state = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "losses": losses,
        "identity": identity,
        "measures": [list(numbers) for numbers in measures],
    }
    torch.save(state, content)
    write_whole(path, content.getbuffer())


def load_checkpoint(
    path: Path,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    identity: dict,
    measure_type: type = Measure,
) -> tuple[list[float], list]:
    """Put model and optimizer where ``save_checkpoint`` found them, and return the losses and the
    measures. Nothing in the file is executed.

    Raises FileNotFoundError if there is no checkpoint, and ValueError if it is damaged, does not
    fit the model, or belongs to a training of another ``identity``. Then model and optimizer stay
    as they are.
    """
    if not path.is_file():
        raise FileNotFoundError(
            f"there is no unfinished training in {path.parent}: start it without resume=True"
        )
    with open(path, "rb") as file, naming(path):
        state = read_checkpoint(file)
    check_identity(path, state["identity"], identity)
    check_shapes(path, shapes(state["model"]), shapes(model.state_dict()))
    with naming(path):
        check_moments(state["optimizer"], optimizer, n_steps=len(state["losses"]))
        measures = [measure_type(*values) for values in state["measures"]]
        for measure in measures:
            check_measure(measure)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return state["losses"], measures


def read_checkpoint(file: BinaryIO) -> dict:
    """What a checkpoint holds. Raises an error of any type for anything else."""
    with zipfile.ZipFile(file) as archive:
        changed = archive.testzip()
    if changed:
        raise ValueError(f"{changed} in it is not what was saved (wrong checksum)")
    file.seek(0)
    state = torch.load(file, weights_only=True, map_location="cpu")
    for name, kind in (
        ("model", dict),
        ("optimizer", dict),
        ("losses", list),
        ("identity", dict),
        ("measures", list),
    ):
        if not isinstance(state[name], kind):
            raise ValueError(f"its {name} should be a {kind.__name__}")
    check_tensors(state["model"])
    check_numbers("losses", state["losses"])
    return state


def check_measure(measure: tuple) -> None:
    """Raises ValueError for a text in the place of a number, and the other way round."""
    texts = [name for name, kind in type(measure).__annotations__.items() if kind is str]
    values = measure._asdict()
    if not all(isinstance(values.pop(name), str) for name in texts):
        raise ValueError("its measures should have a text")
    check_numbers("measures", list(values.values()))


def check_numbers(name: str, numbers: list) -> None:
    """Raises ValueError for a list of anything but finite numbers."""
    for number in numbers:
        if type(number) not in (int, float) or not math.isfinite(number):
            raise ValueError(f"its {name} should be finite numbers; got {number!r:.30}")


def check_identity(path: Path, saved: dict, identity: dict) -> None:
    """Raises ValueError if a checkpoint belongs to another training, and names what differs first:
    a setting rather than the pairs, whose fingerprint depends on some settings, and the pairs
    rather than the epochs, whose number may follow from them.
    """
    last = ("held_out", "pairs", "epochs")
    settings = sorted((identity | saved).keys() - set(last))
    for key in (*settings, *last):
        if identity.get(key) != saved.get(key):
            raise ValueError(
                f"{path} is of another training, with {key}={saved.get(key)!s:.60} and not "
                f"{key}={identity.get(key)!s:.60}; resume with the same pairs and settings, or "
                "train into another folder"
            )


def check_moments(saved: dict, optimizer: torch.optim.Optimizer, n_steps: int) -> None:
    """Raises an error of any type unless such an optimizer has this state after these steps."""
    groups = zip(saved["param_groups"], optimizer.state_dict()["param_groups"], strict=True)
    for group, expected in groups:
        # The rate is another in each step.
        if group | {"lr": None} != expected | {"lr": None}:
            raise ValueError("its optimizer has other settings")
    weights = [weight for group in optimizer.param_groups for weight in group["params"]]
    if saved["state"].keys() != set(range(len(weights))):
        raise ValueError("its optimizer has other weights")
    for i, weight in enumerate(weights):
        moments = dict(saved["state"][i])
        if moments.pop("step").item() != n_steps:
            raise ValueError("its optimizer took another number of steps")
        if moments.keys() != {"exp_avg", "exp_avg_sq"}:
            raise ValueError("its optimizer is not Adam")
        check_tensors(moments)
        for moment in moments.values():
            if moment.shape != weight.shape:
                raise ValueError(
                    f"a moment has shape {tuple(moment.shape)}, its weight {tuple(weight.shape)}"
                )
