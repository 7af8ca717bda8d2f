"""Heads in memory: what view, transpose and contiguous do to the numbers of a sentence."""

from __future__ import annotations

import numpy as np
import torch
from traitlets import Bytes, Float, Int, List, Unicode

from ..kit import Control, Figure, FigureError, Table, Thumbnail, as_numbers, choice
from ..kit.packed import pack_scaled

STEPS = {
    "projected": ("y = linear(x)", "TD", lambda y, T, H: y),
    "view": ("y.view(T, H, d_k)", "THd", lambda y, T, H: y.view(T, H, -1)),
    "transpose": (
        "y.view(T, H, d_k).transpose(0, 1)",
        "HTd",
        lambda y, T, H: y.view(T, H, -1).transpose(0, 1),
    ),
    "contiguous": (
        "y.view(T, H, d_k).transpose(0, 1).contiguous()",
        "HTd",
        lambda y, T, H: y.view(T, H, -1).transpose(0, 1).contiguous(),
    ),
    "wrong view": ("y.view(H, T, d_k)", "HTd", lambda y, T, H: y.view(H, T, -1)),
}
MOST_HEADS = 16
MOST_TOKENS = 16
MOST_NUMBERS = 1024


def layouts(y: torch.Tensor, n_heads: int) -> dict:
    """What torch says of each step on `y` (T, D): shape, strides, and whether the numbers were
    copied.
    """
    by_step = {}
    for step, (code, axes, take) in STEPS.items():
        tensor = take(y, len(y), n_heads)
        copied = tensor.data_ptr() != y.data_ptr()
        shape = list(tensor.shape)
        strides = list(tensor.stride())
        by_step[step] = {
            "code": code,
            "axes": list(axes),
            "shape": shape,
            "strides": strides,
            "copied": copied,
        }
    return by_step


class HeadsInMemory(Figure):
    """A projected sentence, cut into heads: `HeadsInMemory(x, n_heads=8)`.

    `x` is a (length, d_model) or (batch, length, d_model) array or tensor; of a batch, the first
    sentence is shown. `step` ("projected", "view", "transpose", "contiguous" or "wrong view"),
    `head` and `token` can be read, set and observed.

    In the picture the steps are buttons, and a block that is pressed glides to where it lies in
    memory.

    prediction: the number of the `Prediction` that asked how many numbers the wrong view leaves in
    their place. Until the reader has guessed, it is not said how many; then the guess is drawn
    beside it.

    Raises FigureError, a ValueError, for another shape, for more than 16 tokens, 16 heads or 1,024
    numbers per token, for a `d_model` that `n_heads` does not divide, and for values that are not
    finite or out of range.
    """

    title = "Heads in memory"
    thumbnail = Thumbnail(".boards", width=700)

    steps = List(list(STEPS)).tag(sync=True)  # from the projection to the heads
    step = choice("steps", "wrong view")  # how the numbers are cut
    numbers = Bytes().tag(sync=True)  # int16, 32767 for the largest: (n_tokens, d_model)
    most = Float().tag(sync=True)  # the largest size of a number
    n_tokens = Int(0).tag(sync=True)  # words in the sentence
    n_heads = Int(0).tag(sync=True)  # into how many heads a vector is cut
    d_model = Int(0).tag(sync=True)  # numbers of a word
    head = Int(0).tag(sync=True)  # the chosen head
    token = Int(0).tag(sync=True)  # the chosen word
    last_head = Int(0).tag(sync=True)  # n_heads - 1
    last_token = Int(0).tag(sync=True)  # n_tokens - 1
    prediction = Unicode().tag(sync=True)  # the number of the question that came before, if any

    def __init__(
        self,
        x,
        n_heads: int = 8,
        *,
        step: str = "wrong view",
        head: int | None = None,
        token: int = 0,
        prediction: str = "",
        caption: str | None = None,
    ):
        values = np.array(as_numbers("x", x, 2, 3))
        values = values[0] if values.ndim == 3 else values
        length, d_model = values.shape
        if length > MOST_TOKENS or d_model > MOST_NUMBERS or not 1 <= n_heads <= MOST_HEADS:
            raise FigureError(
                f"HeadsInMemory shows up to {MOST_TOKENS} tokens of {MOST_NUMBERS} numbers in 1 to "
                f"{MOST_HEADS} heads; got {length} tokens of {d_model} and n_heads={n_heads}: pass "
                "a part, such as x[:, :9]"
            )
        if d_model % n_heads:
            raise FigureError(f"d_model={d_model} is not divisible by n_heads={n_heads}")
        most = float(np.abs(values).max()) or 1.0
        self.constants = layouts(torch.empty(length, d_model), n_heads)
        super().__init__(
            numbers=pack_scaled(values, most),
            most=most,
            n_tokens=length,
            n_heads=n_heads,
            d_model=d_model,
            last_head=n_heads - 1,
            last_token=length - 1,
            step=step,
            head=min(1, n_heads - 1) if head is None else head,
            token=token,
            prediction=prediction,
            caption=caption
            or "Press a block, and it shows where it lies in memory. Each block is d_k numbers, "
            "called by its word and the part of the word's vector. Each part has the colour of "
            "its head. With the wrong view a head gets as many blocks in a row as there are "
            "words, and its colours are mixed. Press transpose, and each head has its own.",
        )

    def controls(self) -> list[Control]:
        return [
            Control("step", "step", "select", options=self.steps, on_page=False),
            Control("head", "head", max="last_head", on_page=False),
            Control("token", "token", max="last_token", on_page=False),
        ]

    def as_table(self) -> Table:
        blocks = np.arange(self.n_tokens * self.n_heads)
        caption = "Which token's numbers a head holds where the head axis is made by view alone"
        owners = (blocks // self.n_heads).reshape(self.n_heads, -1)
        rows = [[f"head {h}", *row] for h, row in enumerate(owners)]
        return Table(caption, [f"block {i}" for i in range(self.n_tokens)], rows)
