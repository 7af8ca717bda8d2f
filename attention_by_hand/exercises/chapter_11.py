"""The decoder alone."""

import math
from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F

from transformer_lite.decoder_only import DecoderOnly
from transformer_lite.positions import sinusoidal_encoding

from . import Hint, answered, array, close, exercise, expect, mistake, numbers

MATRIX = 512**2

numbers(
    "11.1",
    (3, 0.5),
    asks=("how many words", "the first one's probability"),
    mistakes={
        (2, None): "the first two have 0.65 together, which is less than 0.7: one more is needed.",
        (3, 50): "that is per cent; a probability is a share of 1.",
        (3, 0.4): "the three have only 0.80 together; "
        "what is left is scaled up until it sums to 1.",
        (3, 0.4 / 0.7): "divide by what the three really have together, 0.80, and not by 0.7.",
        (4, None): "three words have 0.80 already; the fourth is not needed.",
    },
    otherwise=(
        "add up from the likeliest on, and stop as soon as 0.7 is reached.",
        "its share of what is left: 0.40, divided by the sum of those that may be drawn.",
    ),
    within=1e-6,
)
numbers(
    "11.2",
    4 * MATRIX + 2 * 512,
    mistakes={
        4 * MATRIX: "the norm goes with its sub-layer: 512 gains and 512 biases.",
        3 * MATRIX: "attention has a fourth matrix, W_O, and the norm goes too.",
        3 * MATRIX + 2 * 512: "attention has a fourth matrix, W_O.",
        4 * MATRIX + 512: "a LayerNorm has a gain and also a bias for each number.",
        4 * MATRIX + 4 * 512 + 2 * 512: "the four projections have no biases here.",
        8 * (4 * MATRIX + 2 * 512): "the heads share the four matrices: "
        "each owns 64 of 512 columns.",
        2 * 512 * 2048 + 2048 + 512 + 2 * 512: "that is the feed-forward network, which stays; the "
        "cross-attention goes.",
    },
    otherwise="the middle sub-layer is an attention with four square matrices, and a norm.",
)


@dataclass(frozen=True)
class Reference:
    """A decoder alone from its matrices `w`, ids to logits: right, or with a likely mistake."""

    w: dict
    embed_scale: bool = True
    positions: bool = True
    causal: bool = True
    scale: float = 0.5
    transposed: bool = True
    residual: bool = True
    norm_first: bool = False
    output_matrix: bool = True
    biases: bool = True
    wrong_view: bool = False
    unbiased: bool = False

    def __call__(self, ids):
        table = self.w["embedding.weight"]
        d_model = table.size(1)
        x = table[ids]
        if self.embed_scale:
            x = x * d_model**0.5
        if self.positions:
            x = x + sinusoidal_encoding(ids.size(1), d_model, dtype=x.dtype)
        for layer in ("layers.0.", "layers.1."):
            x = self.around(x, f"{layer}norm1.", partial(self.attend, layer=layer))
            x = self.around(x, f"{layer}norm2.", partial(self.think, layer=layer))
        return self.linear(x, "output.weight")

    def linear(self, x, weight, bias=None):
        matrix = self.w[weight]
        square = matrix.size(0) == matrix.size(1)
        y = x @ (matrix if square and not self.transposed else matrix.T)
        return y + self.w[bias] if bias and self.biases else y

    def heads(self, x):
        batch, length, _ = x.shape
        if self.wrong_view:
            return x.view(batch, 4, length, -1)
        return x.view(batch, length, 4, -1).transpose(1, 2)

    def norm(self, x, name):
        variance = x.var(-1, correction=int(self.unbiased), keepdim=True)
        x = (x - x.mean(-1, keepdim=True)) / (variance + 1e-5).sqrt()
        return x * self.w[name + "weight"] + self.w[name + "bias"]

    def around(self, x, name, sub_layer):
        if self.norm_first:
            return x + sub_layer(self.norm(x, name))
        y = sub_layer(x)
        return self.norm(x + y if self.residual else y, name)

    def attend(self, x, layer):
        name = f"{layer}self_attention."
        q, k, v = (self.heads(self.linear(x, f"{name}w_{n}.weight")) for n in "qkv")
        scores = q @ k.transpose(-2, -1) / q.size(-1) ** self.scale
        if self.causal:
            hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
            scores = scores.masked_fill(hidden, -math.inf)
        mixed = scores.softmax(-1) @ v
        if not self.wrong_view:
            mixed = mixed.transpose(1, 2)
        mixed = mixed.reshape(x.shape)
        return self.linear(mixed, f"{name}w_o.weight") if self.output_matrix else mixed

    def think(self, x, layer):
        name = f"{layer}feed_forward."
        inner = self.linear(x, f"{name}0.weight", f"{name}0.bias").relu()
        return self.linear(inner, f"{name}2.weight", f"{name}2.bias")


SLIPS = {
    "causal": (dict(causal=False), "a place sees what comes after it; hide it before the softmax."),
    "positions": (dict(positions=False), "it does not know where its words stand: add the table of "
                  "waves to the embeddings."),
    "embedding": (dict(embed_scale=False), "the embeddings are multiplied by √D before the "
                  "positions are added."),
    "not scaled": (dict(scale=0.0), "the scores are not scaled: divide them by √d_k."),
    "divided by d_k": (dict(scale=1.0), "you divided the scores by d_k; it is its square root."),
    "W.T": (dict(transposed=False), "you computed x W. nn.Linear stores its matrix so that it is "
            "x Wᵀ: `x @ w[name].T`."),
    "transpose": (dict(wrong_view=True), "view alone mixes words and heads: view(B, T, 4, d_k), "
                  "and then transpose(1, 2), and back the same way."),
    "residual": (dict(residual=False), "each sub-layer's result is added to what went in, "
                 "and then normed."),
    "norm after": (dict(norm_first=True), "here the norm stands after the residual sum, not before "
                   "the sub-layer."),
    "W_O": (dict(output_matrix=False), "the heads, side by side, "
            "go through one more matrix, w_o."),
    "biases": (dict(biases=False), "the feed-forward network has two biases, 0.bias and 2.bias."),
    "variance": (dict(unbiased=True), "LayerNorm divides by the variance over all D numbers: "
                 "`correction=0`."),
}  # fmt: skip


def of_some_weights(dtype=torch.float32):
    """A model whose biases are not zeros and whose norms are not ones, and some ids."""
    torch.manual_seed(0)
    model = DecoderOnly(11, d_model=16, d_ff=24, n_layers=2, n_heads=4, norm_first=False)
    for name, weight in model.named_parameters():
        if "norm" in name or "bias" in name:
            torch.nn.init.normal_(weight, float(name.endswith("norm1.weight")), 0.5)
    weights = {name: weight.detach().to(dtype) for name, weight in model.state_dict().items()}
    return weights, torch.tensor([[4, 7, 5, 9, 10], [6, 6, 4, 8, 5]])


@exercise("11.3")
def the_model_from_its_matrices(answer):
    w, ids = of_some_weights()
    with torch.no_grad():
        try:
            scores = answered(answer(ids, w))
        except RuntimeError as error:
            raise Hint(f"torch stopped: {str(error).splitlines()[0]}") from None
        scores = array(scores, (2, 5, 11))
        for options, hint in SLIPS.values():
            expect(not close(scores, Reference(w, **options)(ids), 1e-4), hint)
        expect(
            close(scores, Reference(w)(ids), 1e-4),
            "the numbers differ, and not in a way that we know. Take the steps one by one: "
            "embedding, attention, sum and norm, feed-forward, sum and norm; compare each with the "
            "package's layer.",
        )
        torch.manual_seed(1)
        other = DecoderOnly(9, d_model=32, d_ff=40, n_layers=2, n_heads=4, norm_first=False)
        expect(
            close(answer(ids[:1] - 2, other.state_dict()), other(ids[:1] - 2), 1e-4),
            "right for one model, and wrong for one of another size: "
            "take the sizes from the weights.",
        )


for _name, (_options, _hint) in SLIPS.items():
    mistake("11.3", _hint[:40], lambda ids, w, options=_options: Reference(w, **options)(ids))


@mistake("11.3", "wrong for one of another size")
def _(ids, w):
    if w["embedding.weight"].size(1) != 16:
        return torch.zeros(1, 5, 9)
    return Reference(w)(ids)


@mistake("11.3", "the numbers differ")
def _(ids, w):
    return 2 * Reference(w)(ids)


@mistake("11.3", "torch stopped")
def _(ids, w):
    return w["embedding.weight"][ids] @ w["layers.0.feed_forward.0.bias"]


@exercise("11.4")
def what_it_is_asked(answer):
    torch.manual_seed(0)
    logits = torch.randn(9, 13)
    ids = torch.randint(3, 13, (9,))
    begin = 5
    loss = float(array(answer(logits, ids, begin), ()))
    each = F.cross_entropy(logits[:-1], ids[1:], reduction="none")  # (8,): of tokens 1 to 8
    same_place = F.cross_entropy(logits, ids, reduction="none")
    expect(
        not close(loss, same_place[begin:].mean()),
        "you asked each place for its own token, which stands in its input: "
        "place t scores token t + 1.",
    )
    expect(
        not close(loss, each.mean()),
        "you counted the question too: only what comes behind it is asked for.",
    )
    expect(
        not close(loss, each[begin:].mean()),
        "the first token of the answer is missing: it is scored at the last place of the question.",
    )
    expect(
        not close(loss, each[begin - 1 :].sum()),
        "that is the sum; give the mean over the answer's tokens.",
    )
    expect(
        not close(loss, -each[begin - 1 :].mean()),
        "the sign is wrong: a loss is minus the logarithm of a probability.",
    )
    expect(
        not close(loss, each[begin - 1 :].sum() / len(ids)),
        "divide by the number of tokens of the answer, not of the whole text.",
    )
    expect(
        close(loss, each[begin - 1 :].mean()),
        "take the scores from the last place of the question on, but for the very last, and of "
        "each the log-probability of the token that comes next.",
    )
    expect(
        close(array(answer(logits, ids, 3), ()), each[2:].mean()),
        "right for a question of five tokens, and wrong for one of three.",
    )


def _losses(logits, ids):
    return F.cross_entropy(logits[:-1], ids[1:], reduction="none")


mistake("11.4", "in its input", lambda y, ids, n: F.cross_entropy(y[n:], ids[n:]))
mistake("11.4", "counted the question", lambda y, ids, n: _losses(y, ids).mean())
mistake("11.4", "first token of the answer", lambda y, ids, n: _losses(y, ids)[n:].mean())
mistake("11.4", "that is the sum", lambda y, ids, n: _losses(y, ids)[n - 1 :].sum())
mistake("11.4", "the sign", lambda y, ids, n: -_losses(y, ids)[n - 1 :].mean())
mistake("11.4", "of the answer", lambda y, ids, n: _losses(y, ids)[n - 1 :].sum() / len(ids))
mistake("11.4", "wrong for one of three", lambda y, ids, n: _losses(y, ids)[4:].mean())
mistake("11.4", "from the last place", lambda y, ids, n: _losses(y, ids)[n - 2 :].mean())


class Counting:
    """Scores that name the next number, and remember what they were asked."""

    def __init__(self, end, padding=0.0):
        self.end = end
        self.padding = padding

    def __call__(self, ids):
        scores = torch.zeros(1, ids.size(1), 20)
        for place, token in enumerate(ids[0].tolist()):
            likeliest = 2 if token == self.end else token + 1
            scores[0, place, likeliest] = 1.0
        scores[..., 0] = self.padding
        return scores


@exercise("11.5")
def it_answers(answer):
    beginning = torch.tensor([[7, 5]])
    try:
        text = answered(answer(Counting(9), beginning, 12))
    except (IndexError, RuntimeError) as error:
        raise Hint(f"torch stopped: {str(error).splitlines()[0]}") from None
    expect(
        isinstance(text, torch.Tensor) and text.ndim == 2,
        "return the whole text as a tensor (1, length).",
    )
    tokens = text[0].tolist()
    expect(tokens[:2] == [7, 5], "the text begins with its beginning: append to it.")
    expect(
        tokens[2:3] != [8],
        "you took the scores of the first place; the newest word's stand at the last, [:, -1].",
    )
    expect(len(tokens) > 2, "you gave the beginning back: append a token to it, again and again.")
    expect(len(tokens) > 3, "you stopped after one word: call scores again with the longer text.")
    expect(
        2 in tokens,
        "it never wrote <eos>, although that was the likeliest token after the fourth word.",
    )
    expect(tokens[-1] == 2, "it goes on behind <eos>: stop as soon as that has been written.")
    expect(tokens == [7, 5, 6, 7, 8, 9, 2], f"expected [7, 5, 6, 7, 8, 9, 2]; yours is {tokens}.")
    length = answer(Counting(99), beginning, 6).size(1)
    expect(
        length <= 6, f"the text has {length} tokens where it may have 6: `most` counts all of it."
    )
    expect(length == 6, f"it stopped at {length} tokens and may have 6.")
    expect(
        answer(Counting(9, padding=2.0), beginning, 12)[0].tolist() == [7, 5, 6, 7, 8, 9, 2],
        "it wrote padding where its score was the highest: rule token 0 out, with a score of -∞.",
    )
    ended = answer(Counting(9), torch.tensor([[2, 5]]), 12)[0].tolist()
    expect(
        ended == [2, 5, 6, 7, 8, 9, 2],
        "an <eos> that stands in the beginning does not end what you write.",
    )


def go_on(scores, ids, most, *, place=-1, first=False, pad=False, look=slice(-1, None), more=0):
    """The loop as it should be, or with one of the likely mistakes."""
    while ids.size(1) < most + more:
        last = scores(ids)[:, place].clone()
        if not pad:
            last[:, 0] = -torch.inf
        ids = torch.cat((ids, last.argmax(-1, keepdim=True)), dim=1)
        if first or 2 in ids[0, look].tolist():
            break
    return ids


mistake("11.5", "first place", lambda s, ids, n: go_on(s, ids, n, place=0))
mistake("11.5", "after one word", lambda s, ids, n: go_on(s, ids, n, first=True))
mistake("11.5", "begins with its beginning", lambda s, ids, n: go_on(s, ids, n)[:, 2:])
mistake("11.5", "wrote padding", lambda s, ids, n: go_on(s, ids, n, pad=True))
mistake("11.5", "counts all of it", lambda s, ids, n: go_on(s, ids, n, more=2))
mistake("11.5", "may have 6", lambda s, ids, n: go_on(s, ids, n, more=-1 if n == 6 else 0))
mistake("11.5", "stands in the beginning", lambda s, ids, n: go_on(s, ids, n, look=slice(None)))
mistake("11.5", "(1, length)", lambda s, ids, n: go_on(s, ids, n)[0].tolist())


@mistake("11.5", "goes on behind <eos>")
def _(scores, ids, most):
    return go_on(scores, ids, most, look=slice(0, 0))


mistake("11.5", "append a token to it", lambda scores, ids, most: ids)


@mistake("11.5", "torch stopped")
def _(scores, ids, most):
    return torch.cat((ids, scores(ids)[:, -1].argmax(-1)), dim=1)


@mistake("11.5", "never wrote <eos>")
def _(scores, ids, most):
    return torch.tensor([[7, 5, 6, 7, 8, 9]])


@mistake("11.5", "expected [7, 5, 6, 7, 8, 9, 2]")
def _(scores, ids, most):
    return torch.tensor([[7, 5, 6, 9, 2]])
