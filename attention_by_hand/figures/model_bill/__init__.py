"""The bill of a model: what its weights take in memory, and its cache beside them."""

from __future__ import annotations

from traitlets import Int

from transformer_lite.variants import PUBLISHED, cache_bytes, weights

from ..kit import Control, Figure, FigureError, Table, choice

BYTES_EACH = 2  # of a number in the cache
SHORTEST = 128
LENGTHS = [SHORTEST * 2**i for i in range(11)]  # to 131,072
CARDS = [8, 16, 24, 80]  # gigabytes of graphics cards
BITS = [16, 8, 4]  # of a weight

# The cache of the paper's base model would be another bill: it has an encoder.
PLANS = {name: plan for name, plan in PUBLISHED.items() if not plan.encoder_layers}


def _size(size: float) -> str:
    return f"{size / 1e9:.3g} GB" if size >= 1e9 else f"{size / 1e6:.3g} MB"


def _place(name: str, value: int, values: list[int]) -> int:
    if value not in values:
        raise FigureError(f"{name}={value!r} is not one of {values}")
    return values.index(value)


class ModelBill(Figure):
    """Weights and caches of published models in the memory of a graphics card; one of them is
    chosen: `ModelBill("Llama 2 7B", tokens=32_768, card=24, bits=16)`.

    The end of the text is dragged along an axis of `LENGTHS`, powers of two from 128 to 131,072,
    and the card to another of `CARDS`. A weight takes as many of `BITS` as the reader says, a
    number of the cache 16. `model`, a name among `PLANS`, can be read, set and observed, and so can
    the others: as `exponent`, `card_place` and `bits_place`, their places in these lists, which
    `tokens`, `card` and `bits` read. All numbers are those of `variants.weights` and
    `variants.cache_bytes`.

    Raises FigureError, a ValueError, for another model, length, card or number of bits.
    """

    title = "Bill of a model"
    constants = {
        "models": [
            {
                "name": name,
                "weights": sum(weights(plan).values()),
                "token": cache_bytes(plan, 1, BYTES_EACH),
                "longest": plan.max_length,
                "table": plan.positions == "learned",
            }
            for name, plan in PLANS.items()
        ],
        "lengths": LENGTHS,
        "cards": CARDS,
        "bits": BITS,
    }
    names = list(PLANS)

    model = choice("names", "Llama 2 7B")  # the chosen one
    exponent = Int(0).tag(sync=True)  # the length of the text, as its place in LENGTHS
    card_place = Int(0).tag(sync=True)  # the card, as its place in CARDS
    bits_place = Int(0).tag(sync=True)  # the bits of a weight, as their place in BITS

    def __init__(
        self,
        model: str = "Llama 2 7B",
        tokens: int = 32_768,
        *,
        card: int = 24,
        bits: int = 16,
        caption: str | None = None,
    ):
        super().__init__(
            model=model,
            exponent=_place("tokens", tokens, LENGTHS),
            card_place=_place("card", card, CARDS),
            bits_place=_place("bits", bits, BITS),
            caption=caption
            or "Drag the end of the text, and the card: the caches of keys and values double with "
            "each mark, the weights stay as they are, unless they are stored in fewer bits. Which "
            "model is the first to outgrow a card? Framed: what no longer fits on it. Dashed: "
            "longer than any text the chosen model was made for. A number of the cache has 16 "
            "bits.",
        )

    def controls(self) -> list[Control]:
        lengths = [f"{length:,}" for length in LENGTHS]
        cards = [f"{card} GB" for card in CARDS]
        bits = [f"{bits} bits" for bits in BITS]
        return [
            Control("model", "model", "select", options=self.names, on_page=False),
            Control("exponent", "tokens", "scale", options=lengths, by_picture=True),
            Control("card_place", "card", "scale", options=cards, by_picture=True),
            Control("bits_place", "weights in", "scale", options=bits, on_page=False),
        ]

    @property
    def tokens(self) -> int:
        """How long the text is."""
        return LENGTHS[self.exponent]

    @property
    def card(self) -> int:
        """The gigabytes of the card."""
        return CARDS[self.card_place]

    @property
    def bits(self) -> int:
        """How many bits a weight takes."""
        return BITS[self.bits_place]

    def sizes(self, name: str | None = None) -> tuple[float, float]:
        """The bytes of a model's weights and of its cache behind the text; of the shown model,
        unless another is named.
        """
        plan = PLANS[name or self.model]
        held = sum(weights(plan).values()) * self.bits / 8
        return held, cache_bytes(plan, self.tokens, BYTES_EACH)

    @property
    def room(self) -> int:
        """How many tokens of a text fit on the card, beside the weights of the shown model; below
        0 where not even these do.
        """
        held, _ = self.sizes()
        return int((self.card * 1e9 - held) // cache_bytes(PLANS[self.model], 1, BYTES_EACH))

    @property
    def alternative(self) -> str:
        held, cache = self.sizes()
        than = "more" if cache > held else "less"
        return (
            f"At {self.tokens:,} tokens the cache of {self.model} takes {_size(cache)}, "
            f"{than} than its weights."
        )

    def as_table(self) -> Table:
        rows = []
        for name in PLANS:
            held, cache = self.sizes(name)
            rows.append([name, *map(_size, (held, cache, held + cache))])
        return Table(f"Memory at {self.tokens:,} tokens", ["weights", "cache", "together"], rows)
