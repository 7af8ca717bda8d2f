"""A checkpoint is all that a training needs to go on after a crash, in one whole file."""

import io
from pathlib import Path

import torch
from torch import nn

from ..files import check_shapes, damaged_file, shapes, write_whole

CHECKPOINT = "checkpoint.pt"
PARTS = {"model", "optimizer", "losses", "identity", "measures"}


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
) -> tuple[list[float], list]:
    """Put model and optimizer where ``save_checkpoint`` found them, and return the losses and the
    numbers of each measure. Nothing in the file is executed.

    Raises FileNotFoundError if there is no checkpoint, and ValueError if it is damaged, does not
    fit the model, or belongs to a training of another ``identity``.
    """
    if not path.is_file():
        raise FileNotFoundError(
            f"there is no unfinished training in {path.parent}: start it without resume=True"
        )
    with damaged_file(path):
        state = torch.load(path, weights_only=True, map_location="cpu")
        if not isinstance(state, dict) or state.keys() != PARTS:
            raise ValueError(f"it should hold {', '.join(sorted(PARTS))}")
    check_identity(path, state["identity"], identity)
    check_shapes(path, shapes(state["model"]), shapes(model.state_dict()))
    with damaged_file(path):
        optimizer.load_state_dict(state["optimizer"])
    model.load_state_dict(state["model"])
    return state["losses"], state["measures"]


def check_identity(path: Path, saved: dict, identity: dict) -> None:
    """Raises ValueError if a checkpoint belongs to another training, and names what differs first:
    a setting rather than the pairs, whose fingerprint depends on some settings, and the pairs
    rather than the epochs, whose number may follow from them.
    """
    last = ("held_out", "pairs", "rare", "epochs")
    settings = sorted((identity | saved).keys() - set(last))
    for key in (*settings, *last):
        if identity.get(key) != saved.get(key):
            raise ValueError(
                f"{path} is of another training, with {key}={saved.get(key)!s:.60} and not "
                f"{key}={identity.get(key)!s:.60}; resume with the same pairs and settings, or "
                "train into another folder"
            )
