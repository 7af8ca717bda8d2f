"""The bill of a model: what its weights take in memory, and its cache beside them."""

from __future__ import annotations

from collections.abc import Sequence

from traitlets import Int

from transformer_lite.variants import PUBLISHED, Plan, cache_bytes, used_weights, weights

from ..kit import Control, Figure, FigureError, Table, Thumbnail, choice

BYTES_EACH = 2  # of a number in the cache
SHORTEST = 128
LENGTHS = [SHORTEST * 2**i for i in range(11)]  # to 131,072
CARDS = [8, 16, 24, 80]  # gigabytes of graphics cards
BITS = [16, 8, 4]  # of a weight

# The cache of the paper's base model would be another bill: it has an encoder.
PLANS = {name: plan for name, plan in PUBLISHED.items() if not plan.encoder_layers}
DENSE = [name for name, plan in PLANS.items() if plan.experts is None]
MIXTURES = [DENSE[-1], *(name for name in PLANS if name not in DENSE)]  # beside the last dense one


def _size(size: float) -> str:
    """An amount of memory, to three digits."""
    one, unit = (1e9, "GB") if size >= 1e9 else (1e6, "MB")
    return f"{float(f'{size / one:.3g}'):,g} {unit}"


def _place(name: str, value: int, values: list[int]) -> int:
    if value not in values:
        raise FigureError(f"{name}={value!r} is not one of {values}")
    return values.index(value)


def _used(plan: Plan) -> int:
    """How many weights a token uses, with its row of a mixture's table of tokens."""
    return sum(used_weights(plan, whole_tables=plan.experts is None).values())


def _facts(name: str, plan: Plan) -> dict:
    """What the browser is told of a model. Of a text, some layers keep all tokens and others those
    of a window: `token` is what one takes in the former, `near` in the latter.
    """
    window = plan.window or 1
    far = cache_bytes(plan, window + 1, BYTES_EACH) - cache_bytes(plan, window, BYTES_EACH)
    return {
        "name": name,
        "weights": sum(weights(plan).values()),
        "used": _used(plan),
        "token": far,
        "near": cache_bytes(plan, 1, BYTES_EACH) - far,
        "window": window,
        "longest": plan.max_length,
        "table": plan.positions == "learned",
    }


class ModelBill(Figure):
    """Weights and caches of published models in the memory of a graphics card; one of them is
    chosen: `ModelBill("Llama 2 7B", tokens=32_768, card=24, bits=16)`.

    Beside it stand the others of its kind: those with one network in a layer, `DENSE`, or those
    with many, `MIXTURES`, which has a dense one to compare. `models` names others, of
    `ModelBill.plans`. The end of the text is dragged along an axis of `LENGTHS`, powers of two from
    128 to 131,072, and the card to another of `CARDS`. A weight takes as many of `BITS` as the
    reader says, a number of the cache 16. `model`, one of the names that are shown, can be read,
    set and observed, and so can the others: as `exponent`, `card_place` and `bits_place`, their
    places in these lists, which `tokens`, `card` and `bits` read. All numbers are those of
    `variants.weights`, `variants.used_weights` and `variants.cache_bytes`.

    Raises FigureError, a ValueError, for another model, length, card or number of bits.
    """

    title = "Bill of a model"
    thumbnail = Thumbnail(".body")
    plans = PLANS

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
        models: Sequence[str] | None = None,
        caption: str | None = None,
    ):
        self.names = list(models or (DENSE if model in DENSE else MIXTURES))
        for name in (*self.names, model):
            if name not in PLANS:
                raise FigureError(f"model={name!r} is not one of {list(PLANS)}")
        self.constants = {
            "models": [_facts(name, PLANS[name]) for name in self.names],
            "lengths": LENGTHS,
            "cards": CARDS,
            "bits": BITS,
        }
        super().__init__(
            model=model,
            exponent=_place("tokens", tokens, LENGTHS),
            card_place=_place("card", card, CARDS),
            bits_place=_place("bits", bits, BITS),
            caption=caption or "Drag the card and the end of the text.",
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

    def used(self, name: str | None = None) -> float:
        """The bytes of the weights that one token uses; those of a model without experts count in
        full.
        """
        return _used(PLANS[name or self.model]) * self.bits / 8

    @property
    def room(self) -> int:
        """How many tokens of a text fit on the card, beside the weights of the shown model; below
        0 where not even these do.
        """
        facts = _facts(self.model, PLANS[self.model])
        held, _ = self.sizes()
        free = self.card * 1e9 - held
        tokens = int(free // (facts["token"] + facts["near"]))
        if tokens <= facts["window"]:
            return tokens
        return int((free - facts["near"] * facts["window"]) // facts["token"])

    @property
    def alternative(self) -> str:
        plan = PLANS[self.model]
        held, _ = self.sizes()
        said = f"A card of {self.card} GB holds {self.model} and "
        share = f"a token uses {_size(self.used())} of its {_size(held)}"
        if self.room < 1:
            small = f"A card of {self.card} GB is too small for the weights of {self.model}"
            return f"{small}: {share}." if plan.experts else f"{small}, {_size(held)}."
        if plan.positions == "learned" and self.room > plan.max_length:
            return f"{said}the longest text that it can read, {plan.max_length:,} tokens."
        said += f"a text of about {_rounded_down(self.room):,} tokens"
        return f"{said}; {share}." if plan.experts else f"{said}."

    def as_table(self) -> Table:
        rows = []
        for name in self.names:
            held, cache = self.sizes(name)
            rows.append([name, *map(_size, (held, self.used(name), cache, held + cache))])
        columns = ["weights", "used for a token", "cache", "together"]
        return Table(f"Memory at {self.tokens:,} tokens", columns, rows)


def _rounded_down(tokens: int) -> int:
    """So many tokens, to two digits."""
    step = 10 ** max(0, len(str(tokens)) - 2)
    return tokens // step * step
