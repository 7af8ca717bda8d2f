"""The bill of a model: what its weights take in memory, and its cache beside them."""

from __future__ import annotations

from traitlets import Int

from transformer_lite.variants import PUBLISHED, cache_bytes, weights

from ..kit import Control, Figure, FigureError, Table, choice

BYTES_EACH = 2
SHORTEST = 128
LENGTHS = [SHORTEST * 2**i for i in range(11)]  # to 131,072
CARD = 24  # gigabytes of a large graphics card

# The cache of the paper's base model would be another bill: it has an encoder.
PLANS = {name: plan for name, plan in PUBLISHED.items() if not plan.encoder_layers}


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:.3g}"


class ModelBill(Figure):
    """Weights and caches of published models in gigabytes, 2 bytes for each number; one of them is
    chosen: `ModelBill("Llama 2 7B", tokens=32_768)`.

    The end of the text is dragged along an axis of `LENGTHS`, powers of two from 128 to 131,072.
    `model`, a name among `PLANS`, can be read, set and observed, and so can the length: as
    `exponent`, its place in `LENGTHS`, which `tokens` reads. All numbers are those of
    `variants.weights` and `variants.cache_bytes`.

    Raises FigureError, a ValueError, for another model or length.
    """

    title = "Bill of a model"
    constants = {
        "models": [
            {
                "name": name,
                "weights": BYTES_EACH * sum(weights(plan).values()),
                "token": cache_bytes(plan, 1, BYTES_EACH),
                "longest": plan.max_length,
                "table": plan.positions == "learned",
            }
            for name, plan in PLANS.items()
        ],
        "lengths": LENGTHS,
        "card": CARD,
    }
    names = list(PLANS)

    model = choice("names", "Llama 2 7B")  # the chosen one
    exponent = Int(0).tag(sync=True)  # the length of the text, as its place in LENGTHS

    def __init__(
        self, model: str = "Llama 2 7B", tokens: int = 32_768, *, caption: str | None = None
    ):
        if tokens not in LENGTHS:
            raise FigureError(f"tokens={tokens!r} is not one of {LENGTHS}")
        super().__init__(
            model=model,
            exponent=LENGTHS.index(tokens),
            caption=caption
            or "Drag the end of the text. The weights stay as they are, and the caches of keys and "
            "values double with each mark. Which model is the first to outgrow a large graphics "
            "card? Framed: what no longer fits on it. Dashed: longer than any text the chosen "
            "model was made for.",
        )

    def controls(self) -> list[Control]:
        lengths = [f"{length:,}" for length in LENGTHS]
        return [
            Control("model", "model", "select", options=self.names, on_page=False),
            Control("exponent", "tokens", "scale", options=lengths, by_picture=True),
        ]

    @property
    def tokens(self) -> int:
        """How long the text is."""
        return LENGTHS[self.exponent]

    def sizes(self, name: str | None = None) -> tuple[float, float]:
        """The bytes of a model's weights and of its cache behind the text; of the shown model,
        unless another is named.
        """
        plan = PLANS[name or self.model]
        held = BYTES_EACH * sum(weights(plan).values())
        return held, cache_bytes(plan, self.tokens, BYTES_EACH)

    @property
    def alternative(self) -> str:
        held, cache = self.sizes()
        than = "more" if cache > held else "less"
        return (
            f"At {self.tokens:,} tokens the cache of {self.model} takes {_gigabytes(cache)} GB, "
            f"{than} than its weights."
        )

    def as_table(self) -> Table:
        rows = []
        for name in PLANS:
            held, cache = self.sizes(name)
            rows.append([name, *map(_gigabytes, (held, cache, held + cache))])
        return Table(f"Gigabytes at {self.tokens:,} tokens", ["weights", "cache", "together"], rows)
