"""Several processes learn one model together: of each batch each takes a share."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


@contextmanager
def process_group(device: str | None = None) -> Iterator[tuple[int, str]]:
    """This process's rank and device. Under ``torchrun``, it joins the others.

    device: unless given, a GPU if there is one; ``"cuda"`` gives each process one of its own.
    Raises ValueError for a device that is not there.
    """
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    if device == "cuda":
        device = f"cuda:{os.environ.get('LOCAL_RANK', 0)}"
    check_device(device)
    if "WORLD_SIZE" not in os.environ:
        yield 0, device
        return
    on_gpu = torch.device(device).type == "cuda"
    if on_gpu:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if on_gpu else "gloo")
    try:
        yield dist.get_rank(), device
    finally:
        dist.destroy_process_group()


def check_device(device: str) -> None:
    """Raises ValueError for a device on which nothing can be computed."""
    try:
        torch.ones(1, device=device).item()
    except (RuntimeError, AssertionError) as error:
        reason = str(error).strip().splitlines()[0]
        raise ValueError(f"there is no device {device!r} to train on here: {reason:.80}") from error


def rank_and_world() -> tuple[int, int]:
    """This process's number in its group, and the number of processes: 0 and 1 without a group."""
    if dist.is_available() and dist.is_initialized():
        return dist.get_rank(), dist.get_world_size()
    return 0, 1


def average_gradients(model: nn.Module) -> nn.Module:
    """The model, whose ``backward`` leaves each process with the mean of all gradients."""
    return DistributedDataParallel(model) if rank_and_world()[1] > 1 else model


def all_reduce_mean(number: float, device: torch.device | str = "cpu") -> float:
    """The mean of each process's number, in every process."""
    _, world = rank_and_world()
    if world == 1:
        return number
    total = torch.tensor(number, dtype=torch.float64, device=device)
    dist.all_reduce(total)
    return total.item() / world
