"""The whole Transformer."""

import torch
from torch import nn

from . import answered, array, close, exercise, expect


@exercise("7.1")
def count_a_layer(answer):
    value = int(array(answer, ()))
    attention, feed_forward, norms = 4 * 64**2, 2 * 64 * 256 + 256 + 64, 2 * 2 * 64
    right = attention + feed_forward + norms
    expect(
        value != right + 4 * 64, "you gave the attention's four projections biases; the paper's, and ours, have none."
    )
    expect(value != right - norms, "the two LayerNorms have weights too: a gain and a bias for each entry.")
    expect(value != right - norms // 2, "there are two LayerNorms, one after each sub-layer.")
    expect(value != right - 256 - 64, "you left out the biases of the feed-forward network.")
    expect(
        value != right + 3 * attention,
        "the four heads share the four 64 x 64 matrices: each head owns 16 columns, not a matrix of its own.",
    )
    expect(value != right - 64**2, "attention has four matrices: the heads' results go through an output matrix, W_O.")
    expect(
        value != right + attention + 2 * 64, "that is a decoder layer, with cross-attention; an encoder layer has none."
    )
    expect(value == right, "add up three parts: attention, feed-forward network, two norms.")


@exercise("7.2")
def two_layers_in_one(answer):
    torch.manual_seed(0)
    first, second = nn.Linear(5, 5).double(), nn.Linear(5, 5).double()
    result = answered(answer(first, second))
    expect(isinstance(result, tuple | list) and len(result) == 2, "return two things: the weight and the bias.")
    weight, bias = array(result[0], (5, 5)), array(result[1], (5,))
    w1, b1, w2, b2 = (p.detach() for p in (first.weight, first.bias, second.weight, second.bias))
    expect(
        not close(weight, w1 @ w2),
        "the order: x meets the first layer first, and nn.Linear multiplies by its weight *transposed*. The product "
        "is W_2 W_1.",
    )
    expect(
        not close(weight, (w2 @ w1).T),
        "that is the transposed matrix; nn.Linear keeps its weight as (out, in).",
    )
    expect(close(weight, w2 @ w1), "write both layers out, (x W_1ᵀ + b_1) W_2ᵀ + b_2, and collect what x meets.")
    expect(
        not close(bias, b1 + b2),
        "the first bias goes through the second layer as well: it arrives as b_1 W_2ᵀ.",
    )
    expect(not close(bias, b2), "the first layer's bias is lost; what does the second layer make of it?")
    expect(close(bias, b1 @ w2.T + b2), "the weight is right. The bias is what comes out for x = 0.")
    wide, narrow = nn.Linear(3, 7), nn.Linear(7, 2)
    weight, bias = answered(answer(wide, narrow))
    expect(
        tuple(weight.shape) == (2, 3) and tuple(bias.shape) == (2,),
        f"right for square layers; 3 -> 7 -> 2 should give shapes (2, 3) and (2,), yours are {tuple(weight.shape)} "
        f"and {tuple(bias.shape)}.",
    )


@exercise("7.3")
def both_shells(answer):
    torch.manual_seed(0)
    x, linear, norm = torch.randn(2, 3, 8), nn.Linear(8, 8), nn.LayerNorm(8)
    nn.init.normal_(norm.weight)
    nn.init.normal_(norm.bias)
    post, pre = array(answer(x, linear, norm, False)), array(answer(x, linear, norm, True))

    def same(a, b):
        return close(a, b.detach(), 1e-5)

    expect(
        not (same(post, x + linear(norm(x))) and same(pre, norm(x + linear(x)))),
        "you have the two the wrong way round: norm_first=True is pre-norm.",
    )
    expect(
        not same(post, x + norm(linear(x))),
        "post-norm normalises the *sum*; you normalised what the sub-layer found and added x afterwards.",
    )
    expect(not same(post, norm(linear(x))), "post-norm lacks its shortcut: add x before you normalise.")
    expect(same(post, norm(x + linear(x))), "post-norm is norm(x + sublayer(x)); yours gives something else.")
    expect(
        not same(pre, norm(x) + linear(norm(x))),
        "pre-norm adds to x itself, not to norm(x): the shortcut must stay clear of the norm.",
    )
    expect(not same(pre, linear(norm(x))), "pre-norm lacks its shortcut: add x.")
    expect(not same(pre, norm(x + linear(x))), "you return post-norm in both cases; norm_first asks for the other one.")
    expect(same(pre, x + linear(norm(x))), "pre-norm is x + sublayer(norm(x)); yours gives something else.")


class Partial(nn.Module):
    """Calls some of its parts, one of them twice."""

    def __init__(self):
        super().__init__()
        self.block = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.unused = nn.ModuleList([nn.Dropout(0.5), nn.Linear(4, 4)])
        self.norm = nn.LayerNorm(4)
        self.spare = nn.Dropout(0.5)

    def forward(self, x, scale):
        return self.norm(self.block(self.norm(x) * scale))


@exercise("7.4")
def find_what_is_never_called(answer):
    model = Partial()
    found = list(answered(answer(model, torch.randn(2, 4), 3.0)))
    expect(all(isinstance(name, str) for name in found), "return names, as named_modules() gives them.")
    right = {"unused.0", "unused.1", "spare"}
    expect(
        set(found) != {"block.0", "block.1", "norm"}, "those are the ones that *were* called; the others are asked for."
    )
    expect(
        "unused" not in found and "" not in found and "block" not in found,
        "a container such as a ModuleList is never called, and that is no mistake. Look only at modules without "
        "children.",
    )
    expect(set(found) != {"unused.0", "spare"}, "you looked at dropout only; a Linear can be forgotten just as well.")
    expect(
        "unused.0" in found and "unused.1" in found or "spare" not in found,
        "you looked at the model's own children only; named_modules() goes all the way down.",
    )
    expect(set(found) == right, f"for this model the answer is {sorted(right)}; yours is {sorted(found)}.")
    expect(
        not any(module._forward_hooks for module in model.modules()),
        "right, but your hooks are still in the model: keep what register_forward_hook returns and call .remove() on "
        "it.",
    )
    expect(len(found) == len(set(found)), "right, but some names come more than once.")
