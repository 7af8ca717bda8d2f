"""What has changed since 2017."""

import math
from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

from transformer_lite.variants import LLAMA_2_7B, rotate, weights

from ..exhibits.gpt2 import FirstLayer
from . import Hint, answered, array, close, exercise, expect, mistake, numbers

LEFT = 24_000_000_000 - 2 * sum(weights(LLAMA_2_7B).values())
A_TOKEN = 2 * 32 * 32 * 128 * 2

numbers(
    "12.1",
    (2048, 3 * 768 * 2048),
    asks=("how wide", "how many weights"),
    mistakes={
        (
            3072,
            None,
        ): "with three matrices of that width there would be half as many weights again.",
        (1536, None): "there are three matrices where there were two, not four: "
        "two thirds, not a half.",
        (4608, None): "three matrices for two: each gets narrower, not wider.",
        (1024, None): "a third would be right for three matrices in place of one.",
        (2048, 2 * 768 * 2048): "the width is right; but three matrices have it.",
        (2048, 768 * 2048): "that is one matrix of the three.",
        (2048, 3 * 768 * 2048 + 2 * 2048 + 768): "only the matrices are asked for; "
        "the biases are gone.",
        (2048, 12 * 3 * 768 * 2048): "that is all twelve layers; one is asked for.",
    },
    otherwise=(
        "three matrices of 768 · d must have together what two of 768 · 3072 had.",
        "three matrices, each of 768 times the new width.",
    ),
)
numbers(
    "12.2",
    (LEFT // A_TOKEN, LEFT // (A_TOKEN // 4)),
    asks=("with 32 heads of keys", "with 8"),
    mistakes={
        (24_000_000_000 // A_TOKEN, None): "the weights are on the card too, 2 bytes for each.",
        ((LEFT + 6_738_415_616) // A_TOKEN, None): "a weight takes 2 bytes, not one.",
        (LEFT // (A_TOKEN // 2), None): "a key *and* a value are kept, and each of their numbers "
        "takes 2 bytes: one of the two factors 2 is missing.",
        (LEFT // (A_TOKEN // 32), None): "that is one layer's, or one head's; there are 32 layers "
        "with 32 heads each.",
        (LEFT // A_TOKEN, LEFT // A_TOKEN): "queries are not kept: "
        "with 8 heads of keys there are 8 to keep.",
        (LEFT // A_TOKEN, LEFT // (A_TOKEN // 8)): "8 heads in place of 32 are a quarter, "
        "not an eighth.",
        (LEFT // A_TOKEN, 4 * (LEFT // A_TOKEN)): "that is four times the rounded number. Divide "
        "first, and round down at the end.",
        (LEFT // A_TOKEN, LEFT // (4 * A_TOKEN)): "with fewer heads of keys a token needs less, so "
        "there is room for more of them.",
    },
    otherwise=(
        "what the weights leave free, divided by 2 (key and value) "
        "· layers · heads · numbers · bytes.",
        "with 8 heads of keys a token takes a quarter of what it takes with 32.",
    ),
    within=0.5,
    nearly=(1, "only whole tokens count: round down."),
)


def parts_of_a_row():
    """Three parts of one row of scores, and what each worker brings back."""
    torch.manual_seed(0)
    scores = torch.randn(9, dtype=torch.float64) * 3
    scores[7] = 8.0  # the largest stands in the last part
    values = torch.randn(9, 4, dtype=torch.float64)
    return [triple(scores[i : i + 3], values[i : i + 3]) for i in (0, 3, 6)], triple(scores, values)


def triple(scores, values):
    largest = scores.max().item()
    powers = (scores - largest).exp()
    return largest, powers.sum().item(), powers @ values


def _merge(one, other, *, shrink=True, both=True, sign=1, larger=max, divided=False):
    """The merge as it should be, or with one of the likely mistakes."""
    largest = larger(one[0], other[0])
    a, b = (math.exp(sign * (part[0] - largest)) if shrink else 1.0 for part in (one, other))
    total = a * one[1] + b * other[1]
    mixed = (a * one[2] + b * other[2]) if both else one[2] + other[2]
    if divided:
        mixed = mixed / total
    return largest, total, mixed


def _only_first(one, other):
    """Right where the second part holds the larger score, and wrong elsewhere."""
    shrink = math.exp(one[0] - other[0])
    return other[0], shrink * one[1] + other[1], shrink * one[2] + other[2]


SLIPS_OF_MERGE = {
    "nothing shrinks": (dict(shrink=False), "the sums were added as they are. The powers of the "
                        "two were taken with different largest scores: bring both to the larger."),
    "sums alone": (dict(both=False), "the sums are right, and the weighted values are not: they "
                   "shrink by the same factor."),
    "grows": (dict(sign=-1), "your factor grows where it should shrink: it is e to the *old* "
              "largest score minus the new one."),
    "smaller": (dict(larger=min), "you brought both to the smaller of the two largest scores; "
                "powers may then be too large to be stored."),
    "divided": (dict(divided=True), "you divided by the sum. Then a third part cannot be merged: "
                "divide once, at the very end."),
}  # fmt: skip


def _as_given(merged):
    """What an answer has brought back, in the form in which it is given the next time."""
    largest, total, mixed = merged
    return float(largest), float(total), torch.as_tensor(array(mixed))


def _same(merged, expected):
    return (
        close(array(merged[0]), expected[0])
        and close(array(merged[1]), expected[1], 1e-5)
        and close(array(merged[2]), expected[2], 1e-5)
    )


@exercise("12.3")
def two_come_back(answer):
    parts, whole = parts_of_a_row()
    merged = answered(answer(parts[0], parts[2]))
    expect(
        isinstance(merged, tuple | list) and len(merged) == 3,
        "return three things: the largest score, the sum, and the weighted values.",
    )
    array(merged[0], ())
    array(merged[1], ())
    array(merged[2], (4,))
    for options, hint in SLIPS_OF_MERGE.values():
        expect(not _same(merged, _merge(parts[0], parts[2], **options)), hint)
    expect(
        _same(merged, _merge(parts[0], parts[2])),
        "the three numbers differ, and not in a way that we know. Try it with the two blocks of "
        "the chapter.",
    )
    expect(
        _same(answer(parts[2], parts[0]), _merge(parts[2], parts[0])),
        "right if the second part has the larger score, and wrong if the first has it.",
    )
    expect(
        _same(answer(_as_given(answer(parts[0], parts[1])), parts[2]), whole),
        "right for two parts, and wrong for three.",
    )


for _name, (_options, _hint) in SLIPS_OF_MERGE.items():
    mistake("12.3", _hint[:40], lambda one, other, options=_options: _merge(one, other, **options))
mistake("12.3", "wrong if the first has it", _only_first)
mistake("12.3", "three things", lambda one, other: _merge(one, other)[1:])


@mistake("12.3", "not in a way that we know")
def _(one, other):
    return (0.0, *_merge(one, other)[1:])


@mistake("12.3", "wrong for three")
def _(one, other):
    largest, total, mixed = _merge(one, other)
    return (largest, total, mixed) if largest == 8.0 else (largest, total / 2, mixed)


@dataclass(frozen=True)
class Reference:
    """A layer of Llama from its matrices, as it should be or with one of the likely mistakes."""

    turned: str = "qk"
    causal: bool = True
    scale: float = 0.5
    copies: str = "interleave"
    gate_first: bool = True
    gated: bool = True
    norm_first: bool = True
    centred: bool = False
    residual: bool = True
    output: bool = True

    def __call__(self, x, w):
        x = self.around(x, w["norm1"], lambda h: self.attend(h, w))
        return self.around(x, w["norm2"], lambda h: self.think(h, w))

    def norm(self, x, gain):
        x = x - x.mean(-1, keepdim=True) if self.centred else x
        return gain * x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt()

    def around(self, x, gain, sub_layer):
        if not self.norm_first:
            return self.norm(x + sub_layer(x), gain)
        added = sub_layer(self.norm(x, gain))
        if self.residual:
            return x + added
        return added

    def attend(self, h, w):
        parts = {n: (h @ w[n].T).unflatten(1, (-1, 8)).transpose(0, 1) for n in "qkv"}
        parts = {n: rotate(part) if n in self.turned else part for n, part in parts.items()}
        q = parts["q"]
        copies = len(q) // len(parts["k"])
        if self.copies == "interleave":
            k, v = (parts[n].repeat_interleave(copies, dim=0) for n in "kv")
        else:
            k, v = (parts[n].repeat(copies, 1, 1) for n in "kv")
        scores = q @ k.transpose(1, 2) / 8**self.scale
        if self.causal:
            later = torch.ones(len(h), len(h), dtype=torch.bool).triu(1)
            scores = scores.masked_fill(later, -math.inf)
        mixed = (scores.softmax(-1) @ v).transpose(0, 1).flatten(1)
        return mixed @ w["o"].T if self.output else mixed

    def think(self, h, w):
        gate, inner = h @ w["gate"].T, h @ w["into"].T
        if not self.gated:
            return F.silu(inner) @ w["out"].T
        inner = F.silu(gate) * inner if self.gate_first else gate * F.silu(inner)
        return inner @ w["out"].T


SLIPS = {
    "causal": (dict(causal=False), "a place sees what comes after it; hide it before the softmax."),
    "not turned": (dict(turned=""), "queries and keys are not turned: it does not know where its "
                   "words stand."),
    "values too": (dict(turned="qkv"), "you turned the values too; what is paid out does not "
                   "depend on the place."),
    "queries alone": (dict(turned="q"), "you turned the queries and not the keys."),
    "scale": (dict(scale=0.0), "the scores are not scaled: divide them by √d_k."),
    "repeat": (dict(copies="repeat"), "query heads 0 and 1 share key head 0, and so on: that is "
               "repeat_interleave, where repeat goes round."),
    "silu on into": (dict(gate_first=False), "the bend belongs to the gate: SiLU(gate) · into."),
    "no gate": (dict(gated=False), "the gate is missing: SiLU(x Wg) is multiplied with x W1."),
    "norm after": (dict(norm_first=False), "the norm stands before the sub-layer here, and x "
                   "itself is added to what it found."),
    "mean": (dict(centred=True), "RMSNorm subtracts no mean."),
    "residual": (dict(residual=False), "each sub-layer's result is added to the x that came in."),
    "W_O": (dict(output=False), "the heads, side by side, go through one more matrix, o."),
}  # fmt: skip


def some_layer(d_model, key_heads, d_ff, seed=0):
    """Matrices and gains of a layer whose heads have 8 numbers, and some vectors."""
    torch.manual_seed(seed)
    shapes = {"q": (d_model, d_model), "k": (8 * key_heads, d_model), "v": (8 * key_heads, d_model)}
    shapes |= {"o": (d_model, d_model), "gate": (d_ff, d_model), "into": (d_ff, d_model)}
    shapes["out"] = (d_model, d_ff)
    w = {name: torch.randn(shape) / shape[1] ** 0.5 for name, shape in shapes.items()}
    w |= {name: 1 + 0.3 * torch.randn(d_model) for name in ("norm1", "norm2")}
    return torch.randn(6, d_model) + 0.4, w


@exercise("12.4")
def a_layer_of_llama(answer):
    x, w = some_layer(32, 2, 40)
    try:
        output = answered(answer(x.clone(), w))
    except RuntimeError as error:
        raise Hint(f"torch stopped: {str(error).splitlines()[0]}") from None
    output = array(output, (6, 32))
    for options, hint in SLIPS.values():
        expect(not close(output, Reference(**options)(x, w), 1e-4), hint)
    expect(
        close(output, Reference()(x, w), 1e-4),
        "the numbers differ, and not in a way that we know. Take the steps one by one: norm, "
        "queries and keys, turning, scores, mixing, W_O and the sum; then norm, gate and the sum.",
    )
    x, w = some_layer(24, 1, 20, seed=1)
    expect(
        close(array(answer(x.clone(), w)), Reference()(x, w), 1e-4),
        "right for one layer, and wrong for one of another size: take the number of heads from "
        "the shapes.",
    )


for _name, (_options, _hint) in SLIPS.items():
    mistake("12.4", _hint[:40], lambda x, w, options=_options: Reference(**options)(x, w))


@mistake("12.4", "wrong for one of another size")
def _(x, w):
    return Reference()(x, w) if x.size(1) == 32 else x


@mistake("12.4", "not in a way that we know")
def _(x, w):
    return 2 * Reference()(x, w)


@mistake("12.4", "torch stopped")
def _(x, w):
    return x @ w["gate"].T @ w["o"]


def random_layer():
    """A first layer like GPT-2's, with three heads of 32 numbers."""
    torch.manual_seed(0)
    w_q, w_k = (nn.Linear(96, 96).requires_grad_(False) for _ in range(2))
    for linear in (w_q, w_k):
        linear.weight.normal_(std=0.15)
        linear.bias.normal_()
    return FirstLayer(list("abcdef"), torch.randn(6, 96), w_q, w_k, n_heads=3)


def weight_of(layer, head, query, key, *, d_k=32, scale=32, biased=True, later=False, softmax=True):
    """The weight as it should be, or with one of the likely mistakes."""
    own = slice(d_k * head, d_k * head + d_k)
    read = layer.asking if later else layer.asking[: query + 1]
    no_bias = torch.zeros(96)
    q = F.linear(layer.asking[query], layer.w_q.weight, layer.w_q.bias if biased else no_bias)[own]
    keys = F.linear(read, layer.w_k.weight, layer.w_k.bias if biased else no_bias)[:, own]
    scores = keys @ q / scale**0.5
    return scores.softmax(dim=0)[key] if softmax else scores[key]


@exercise("12.5")
def a_weight_of_gpt2(answer):
    layer = random_layer()
    hints = {
        "that is the scaled score; the softmax over the pieces read so far is missing.": dict(
            softmax=False
        ),
        "that cuts out 16 rows, as in exercise 9.4; a head has `D / n_heads` of them.": dict(
            d_k=16
        ),
        "√16 was for a head of 16 numbers; divide by the root of `D / n_heads`.": dict(scale=16),
        "the scores were not divided before the softmax.": dict(scale=1),
        "the biases are missing: call `layer.w_q(x)`, or add `layer.w_q.bias`.": dict(biased=False),
        "your softmax runs over all pieces; "
        "the causal mask lets a query look at none that comes after it.": dict(later=True),
    }
    for head, query, key in ((1, 3, 2), (0, 4, 4), (2, 2, 0)):
        weight = float(array(answer(layer, head, query, key), ()))
        right = float(weight_of(layer, head, query, key))
        for hint, wrong in hints.items():
            expect(not close(weight, weight_of(layer, head, query, key, **wrong), 1e-5), hint)
        expect(
            close(weight, right, 1e-5),
            f"head {head}, query {query}, key {key}: expected {right:.4f}; yours is {weight:.4f}.",
        )


mistake("12.5", "the softmax over the pieces", partial(weight_of, softmax=False))
mistake("12.5", "cuts out 16 rows", partial(weight_of, d_k=16))
mistake("12.5", "√16 was for", partial(weight_of, scale=16))
mistake("12.5", "not divided", partial(weight_of, scale=1))
mistake("12.5", "the biases are missing", partial(weight_of, biased=False))
mistake("12.5", "none that comes after it", partial(weight_of, later=True))
mistake("12.5", "expected", lambda layer, head, query, key: weight_of(layer, 0, query, key) * 0.9)
