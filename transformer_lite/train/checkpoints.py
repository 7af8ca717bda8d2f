"""A checkpoint is all that a training needs to go on after a crash, in one file that is whole or
not there.
"""

import io
import zipfile
from pathlib import Path

import torch
from torch import nn

from ..files import check_shapes, shapes, write_whole

CHECKPOINT = "checkpoint.pt"


def save_checkpoint(
    path: Path,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    losses: list[float],
    identity: dict,
) -> None:
    """Write the weights, the optimizer's state (Adam's two moments) and the loss of every step so
    far.

    The step is the number of losses. What is random in a step follows from the seed and the step,
    so no generator's state need be kept. ``identity`` says which training this is.
    """
    content = io.BytesIO()
    state = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "losses": losses,
        "identity": identity,
    }
    torch.save(state, content)
    write_whole(path, content.getbuffer())


def load_checkpoint(
    path: Path, model: nn.Module, optimizer: torch.optim.Optimizer, identity: dict
) -> list[float]:
    """Put model and optimizer where ``save_checkpoint`` found them, and return the losses. Nothing
    in it is executed.

    Raises FileNotFoundError if there is no checkpoint, and ValueError if it is damaged, does not
    fit the model, or belongs to a training of another ``identity``.
    """
    if not path.is_file():
        raise FileNotFoundError(
            f"there is no unfinished training in {path.parent}: start it without --resume"
        )
    try:
        with zipfile.ZipFile(path) as archive:
            if changed := archive.testzip():
                raise ValueError(f"{changed} in it is not what was saved (wrong checksum)")
        state = torch.load(path, weights_only=True, map_location="cpu")
        weights, moments, losses, saved = (
            state[key] for key in ("model", "optimizer", "losses", "identity")
        )
    except Exception as error:  # torch.load raises whatever a damaged file leads it into
        raise ValueError(
            f"{path} is damaged, or was not written by this package: {error}"
        ) from error
    for key in sorted(
        identity | saved, key=lambda key: (key == "pairs", key)
    ):  # pairs differ with the tokenizer, too
        if identity.get(key) != saved.get(key):
            raise ValueError(
                f"{path} is of another training, with {key}={saved.get(key)} and not {key}={identity.get(key)}; "
                "resume with the same pairs and settings, or train into another folder"
            )
    check_shapes(path, shapes(weights), shapes(model.state_dict()))
    model.load_state_dict(weights)
    optimizer.load_state_dict(moments)
    return losses
