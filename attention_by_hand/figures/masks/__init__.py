"""Masks: who may look where, and what a leak does to the outputs."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from traitlets import Int, List

from ..kit import Control, Figure, FigureError, Table, Thumbnail, as_numbers, choice

KINDS = ["none", "padding", "causal", "both"]
TOKENS = ["<bos>", "i", "want", "a", "beer", "<pad>", "<pad>"]
MOST = 16


class Masks(Figure):
    """Attention under four masks: `Masks()`, or `Masks(["go", "home", "<pad>"], x, length=2)` with
    your own words.

    `x` are the words' vectors, (length, d), which serve as queries, keys and values; random ones
    unless given. All words from `length` on are padding. `kind` ("none", "padding", "causal" or
    "both"), `length` and `changed` can be read, set and observed. `changed` is a word: the figure
    turns its vector round and shows which outputs notice.

    Raises FigureError, a ValueError, if there is not one vector for each word, for numbers that are
    not finite, for fewer than 2 or more than 16 words, and for a kind or number out of range.
    """

    title = "Masks"
    thumbnail = Thumbnail(".panel", width=640)

    kinds = List(KINDS).tag(sync=True)  # the four masks
    kind = choice("kinds", "both")  # the chosen one
    tokens = List().tag(sync=True)  # the words
    x = List().tag(sync=True)  # their vectors, (length, d)
    length = Int(0).tag(sync=True)  # the first word that is padding
    changed = Int(0).tag(sync=True)  # the word whose vector is turned round
    last = Int(0).tag(sync=True)  # the last word

    def __init__(
        self,
        tokens: Sequence[str] = TOKENS,
        x: Sequence[Sequence[float]] | None = None,
        *,
        length: int | None = None,
        kind: str = "both",
        changed: int | None = None,
        caption: str | None = None,
    ):
        if isinstance(tokens, str):
            raise FigureError(f"tokens={tokens!r} is one text; expected words: {tokens.split()}")
        tokens = [str(word) for word in tokens]
        if not 2 <= len(tokens) <= MOST:
            raise FigureError(f"Masks shows 2 to {MOST} words; got {len(tokens)}")
        if x is None:
            x = (
                torch.randn(len(tokens), 6, generator=torch.Generator().manual_seed(0))
                .numpy()
                .round(4)
            )
        vectors = as_numbers("x", x, 2)
        if len(vectors) != len(tokens):
            raise FigureError(
                f"there are {len(tokens)} words and {len(vectors)} vectors; each word needs one"
            )
        super().__init__(
            tokens=tokens,
            x=vectors,
            last=len(tokens) - 1,
            length=length if length is not None else sum(word != "<pad>" for word in tokens),
            kind=kind,
            changed=min(3, len(tokens) - 1) if changed is None else changed,
            caption=caption
            or "Choose a mask, press a word to make it padding, or turn a word round. Rows are "
            "queries, columns are keys; struck cells are forbidden and get no weight. The arrow "
            "beside a word turns its vector round. An output that moves by exactly 0 cannot know "
            "that word. Without the causal mask, earlier words learn what comes later.",
        )

    def controls(self) -> list[Control]:
        return [
            Control("kind", "mask", "select", options=self.kinds, on_page=False),
            Control("length", "true length", min=1, max=len(self.tokens), by_picture=True),
            Control("changed", "changed word", max="last", on_page=False),
        ]

    def mask(self) -> torch.Tensor:
        """The present mask, (length, length), bool: True = may attend."""
        from transformer_lite.masks import causal_mask, padding_mask

        size = len(self.tokens)
        allowed = torch.ones(size, size, dtype=torch.bool)
        if self.kind in ("padding", "both"):
            allowed = allowed & padding_mask((torch.arange(size) < self.length).long()[None])[0, 0]
        if self.kind in ("causal", "both"):
            allowed = allowed & causal_mask(size)
        return allowed

    def as_table(self) -> Table:
        from transformer_lite.attention import scaled_dot_product_attention

        x = torch.tensor(self.x, dtype=torch.float64)
        _, weights = scaled_dot_product_attention(x, x, x, self.mask())
        rows = [[word, *row] for word, row in zip(self.tokens, weights.numpy(), strict=True)]
        return Table(
            f"The weights under the mask {self.kind}: a row for each query", self.tokens, rows
        )
