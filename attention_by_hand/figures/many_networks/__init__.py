"""ManyNetworks: a router sends every token to few of many networks, and the reader holds one."""

from __future__ import annotations

import numpy as np
from traitlets import Float, Int, List

from ..kit import Control, Figure, FigureError, Table, Thumbnail
from ..kit.figure import as_numbers

# Where the tokens lie: the middles of four clusters, and how many are in each
CLUSTERS = [((1.1, 0.9), 64), ((-0.2, 1.3), 40), ((-1.2, -0.4), 32), ((0.6, -1.1), 24)]
SPREAD = 0.38
# Eight rows of a router that has not been told to share out its work
ROUTER = [
    [1.5, 0.9],
    [0.4, 1.3],
    [-0.6, 1.2],
    [-1.1, 0.3],
    [-0.8, -0.9],
    [-0.1, -0.2],
    [0.7, -0.9],
    [0.3, 0.0],
]


def cloud(seed: int = 0) -> list[list[float]]:
    """160 tokens of two numbers in four clusters of unequal sizes."""
    dice = np.random.default_rng(seed)
    points = [
        np.clip(dice.normal(middle, SPREAD, size=(count, 2)), -1.95, 1.95)
        for middle, count in CLUSTERS
    ]
    return np.concatenate(points).round(3).tolist()


class ManyNetworks(Figure):
    """Many feed-forward networks, and a router that lets few of them work: `ManyNetworks(top_k=2)`.

    Each token, a point of the plane, has a score for each network: its dot product with a row of
    the router. The `top_k` networks with the largest scores work for it, and their answers are
    mixed by the softmax of these scores. `favour`, a number for each network, is added to the
    scores where the networks are chosen and nowhere else: *balance* moves it against the load
    (DeepSeek-V3, section 2.1.2). `across`, `up`, `top_k` and `favour` can be read, set and
    observed.

    token: the one in the reader's hand, two numbers from −2 to 2. top_k: how many networks work for
    a token, 1 to 4. points: the tokens (n, 2), at most 300, and matrix: (networks, 2), four
    networks to twelve, both from −2 to 2.

    Raises FigureError, a ValueError, for other shapes and numbers out of range.
    """

    title = "Many networks, few at work"
    thumbnail = Thumbnail(".both", width=700)
    constants = {"reach": 2.0, "step": 0.05, "rate": 0.02, "near": 0.2, "steps": 400}

    points = List().tag(sync=True)  # two numbers each
    matrix = List().tag(sync=True)  # the router: a row of two numbers for each network
    favour = List().tag(sync=True)  # added to a network's score where it is chosen
    across = Float(0).tag(sync=True)  # the first number of the token in the reader's hand
    up = Float(0).tag(sync=True)  # its second number
    top_k = Int(2).tag(sync=True)  # networks that work for a token

    def __init__(self, token=(0.9, 0.7), *, top_k=2, points=None, matrix=None, caption=None):
        points = self._points("points", cloud() if points is None else points, 1, 300)
        matrix = self._points("matrix", ROUTER if matrix is None else matrix, 4, 12)
        ((across, up),) = self._points("token", [token], 1, 1)
        super().__init__(
            points=points,
            matrix=matrix,
            favour=[0.0] * len(matrix),
            across=across,
            up=up,
            top_k=top_k,
            caption=caption
            or "Pull the round dot, then let the load be balanced. Each dot is a token. The "
            "networks that work for the round one are lit, and so are the dots that are "
            "sent to the same first network.",
        )

    def _points(self, name: str, points, least: int, most: int) -> list[list[float]]:
        points = as_numbers(name, points, 2)
        if not least <= len(points) <= most or len(points[0]) != 2:
            raise FigureError(
                f"{name} has shape {np.shape(points)}; expected {least} to {most} rows of two "
                "numbers"
            )
        reach = self.constants["reach"]
        if np.abs(points).max() > reach:
            raise FigureError(f"{name} goes to {np.abs(points).max()}; expected at most {reach}")
        return points

    def controls(self) -> list[Control]:
        reach, step = self.constants["reach"], self.constants["step"]
        return [
            Control("top_k", "networks at work", min=1, max=4),
            Control("across", "token, across", min=-reach, max=reach, step=step, by_picture=True),
            Control("up", "token, up", min=-reach, max=reach, step=step, by_picture=True),
        ]

    def route(self, tokens) -> tuple[np.ndarray, np.ndarray]:
        """Which networks work for each of the tokens (n, 2), the first choice first, and their
        shares: two arrays (n, top_k).
        """
        scores = np.asarray(tokens) @ np.array(self.matrix).T
        chosen = np.argsort(-(scores + self.favour), axis=1, kind="stable")[:, : self.top_k]
        powers = np.exp(np.take_along_axis(scores, chosen, axis=1))
        return chosen, powers / powers.sum(1, keepdims=True)

    def load(self) -> np.ndarray:
        """How many tokens each network works for: (networks,)."""
        return np.bincount(self.route(self.points)[0].flatten(), minlength=len(self.matrix))

    def as_table(self) -> Table:
        (chosen,), (shares,) = self.route([[self.across, self.up]])
        share_of = dict(zip(chosen.tolist(), shares.tolist(), strict=True))
        rows = [
            [f"network {i + 1}", int(count), share_of.get(i, 0.0)]
            for i, count in enumerate(self.load())
        ]
        return Table("Who works", ["tokens sent to it", "share in this token's answer"], rows)
