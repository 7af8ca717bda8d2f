"""The whole Transformer."""

import torch
from torch import nn

from . import answered, array, choice, close, exercise, expect, mistake, numbers

choice(
    "7.1",
    (
        "max(0, past + negated - 1)",
        "max(0, past - negated)",
        "max(0, past - negated - 1)",
        "past - negated, without the maximum",
    ),
    1,
    hints={
        0: "that is the neuron for “past and negated”: it is 1 where both are there.",
        2: "put in past = 1 and negated = 0: 1 - 0 - 1 is 0, so this neuron never answers.",
        3: "nearly: put in past = 0 and negated = 1. The result should be 0 and is -1.",
    },
)

ATTENTION = 4 * 64**2
MATRICES = 2 * 64 * 256
NETWORK = MATRICES + 256 + 64
NORMS = 2 * 2 * 64
LEFT_OUT = (
    "you left out biases of the feed-forward network: the way up has 256 of them, the way down 64."
)

numbers(
    "7.2",
    (ATTENTION, NETWORK, NORMS),
    asks=("attention", "feed-forward network", "norms"),
    mistakes={
        (ATTENTION + 4 * 64, None, None): "you gave the attention's four projections biases; the "
        "paper's, and ours, have none.",
        (4 * ATTENTION, None, None): "the four heads share the four 64 x 64 matrices: each head "
        "owns 16 columns, not a matrix of its own.",
        (ATTENTION - 64**2, None, None): "attention has four matrices: the heads' results go "
        "through an output matrix, W_O.",
        (2 * ATTENTION, None, None): "that is a decoder layer, with cross-attention; an encoder "
        "layer has none.",
        (None, MATRICES, None): LEFT_OUT,
        (None, MATRICES + 64, None): LEFT_OUT + " You have the 64.",
        (None, MATRICES + 256, None): LEFT_OUT + " You have the 256.",
        (None, None, 3 * 2 * 64): "that is a decoder layer, with three norms; "
        "an encoder layer has two.",
        (None, None, 2 * 64): "that is half of it: two norms, and each has a gain and also a bias.",
    },
    otherwise=(
        "attention is four square matrices: W_Q, W_K, W_V and W_O.",
        "the feed-forward network is two matrices and two biases.",
        "there are two LayerNorms, one after each sub-layer, and each has a gain and a bias for "
        "every entry.",
    ),
)
mistake("7.2", "four square matrices", (64**2, NETWORK, NORMS))
mistake("7.2", "two matrices and two biases", (ATTENTION, 64 * 256, NORMS))
mistake("7.2", "two LayerNorms", (ATTENTION, NETWORK, 2))
mistake("7.2", "3 numbers", ATTENTION + NETWORK + NORMS)


@exercise("7.3")
def two_layers_in_one(answer):
    torch.manual_seed(0)
    first = nn.Linear(5, 5)
    second = nn.Linear(5, 5)
    w1, b1, w2, b2 = (
        p.detach().clone() for p in (first.weight, first.bias, second.weight, second.bias)
    )

    def same(a, b):
        return close(a, b, 1e-5)

    result = answered(answer(first, second))
    expect(
        isinstance(result, tuple | list) and len(result) == 2,
        "return two things: the weight and the bias.",
    )
    weight = array(result[0], (5, 5))
    bias = array(result[1], (5,))
    expect(
        not same(weight, w1 @ w2),
        "the order: x meets the first layer first, and nn.Linear multiplies by its weight "
        "transposed. The product is W_2 W_1.",
    )
    expect(
        not same(weight, (w2 @ w1).T),
        "that is the transposed matrix; nn.Linear keeps its weight as (out, in).",
    )
    expect(
        same(weight, w2 @ w1),
        "write both layers out, (x W_1ᵀ + b_1) W_2ᵀ + b_2, and collect what x meets.",
    )
    expect(
        not same(bias, b1 + b2),
        "the first bias goes through the second layer as well: it arrives as b_1 W_2ᵀ.",
    )
    expect(
        not same(bias, b2), "the first layer's bias is lost; what does the second layer make of it?"
    )
    expect(same(bias, b1 @ w2.T + b2), "the weight is right. The bias is what comes out for x = 0.")
    expect(
        torch.equal(first.weight, w1)
        and torch.equal(first.bias, b1)
        and torch.equal(second.weight, w2)
        and torch.equal(second.bias, b2),
        "right, but you have overwritten the layers that you were given.",
    )
    wide = nn.Linear(3, 7)
    narrow = nn.Linear(7, 2)
    weight, bias = (array(part) for part in answer(wide, narrow))
    expect(
        weight.shape == (2, 3) and bias.shape == (2,),
        "right for square layers; 3 -> 7 -> 2 should give shapes (2, 3) and (2,), yours are "
        f"{weight.shape} and {bias.shape}.",
    )


mistake("7.3", "the order", lambda a, b: (a.weight @ b.weight, a.bias @ b.weight.T + b.bias))
mistake("7.3", "goes through the second layer", lambda a, b: (b.weight @ a.weight, a.bias + b.bias))
mistake("7.3", "bias is lost", lambda a, b: (b.weight @ a.weight, b.bias))
mistake("7.3", "(out, in)", lambda a, b: (a.weight.T @ b.weight.T, a.bias @ b.weight.T + b.bias))
mistake("7.3", "return two things", lambda a, b: b.weight @ a.weight)
mistake("7.3", "what x meets", lambda a, b: (a.weight + b.weight, a.bias @ b.weight.T + b.bias))
mistake(
    "7.3", "comes out for x = 0", lambda a, b: (b.weight @ a.weight, a.bias @ b.weight + b.bias)
)


@mistake("7.3", "overwritten the layers")
def _(a, b):
    b.bias.data += a.bias @ b.weight.T
    b.weight.data = b.weight @ a.weight
    return b.weight, b.bias


@mistake("7.3", "right for square layers")
def _(a, b):
    weight = torch.zeros(len(a.bias), len(a.bias))
    weight[: b.out_features, : a.in_features] = b.weight @ a.weight
    return weight, a.bias @ b.weight.T + b.bias


@exercise("7.4")
def both_shells(answer):
    torch.manual_seed(0)
    x = torch.randn(2, 3, 8)
    layer = nn.Linear(8, 8)
    layer_norm = nn.LayerNorm(8)
    nn.init.normal_(layer_norm.weight)
    nn.init.normal_(layer_norm.bias)

    def linear(x):  # functions, as the exercise says: nothing else is known of them
        return layer(x).relu()

    def norm(x):
        return layer_norm(x)

    copies = x.clone(), x.clone()
    post = array(answer(copies[0], linear, norm, False))
    pre = array(answer(copies[1], linear, norm, True))

    def same(a, b):
        return close(a, b.detach(), 1e-5)

    expect(
        not (same(post, x + linear(norm(x))) and same(pre, norm(x + linear(x)))),
        "you have the two the wrong way round: norm_first=True is pre-norm.",
    )
    expect(
        not same(post, x + norm(linear(x))),
        "post-norm normalises the sum; you normalised what the sub-layer found and added x "
        "afterwards.",
    )
    expect(
        not same(post, norm(linear(x))), "post-norm lacks its shortcut: add x before you normalise."
    )
    expect(
        not same(post, x + linear(norm(x))),
        "you return pre-norm in both cases; norm_first=False asks for the other one.",
    )
    expect(
        same(post, norm(x + linear(x))),
        "post-norm is norm(x + sublayer(x)); yours gives something else.",
    )
    expect(
        not same(pre, norm(x) + linear(norm(x))),
        "pre-norm adds to x itself, not to norm(x): the shortcut must stay clear of the norm.",
    )
    expect(not same(pre, linear(norm(x))), "pre-norm lacks its shortcut: add x.")
    expect(
        not same(pre, norm(x + linear(x))),
        "you return post-norm in both cases; norm_first asks for the other one.",
    )
    expect(
        same(pre, x + linear(norm(x))),
        "pre-norm is x + sublayer(norm(x)); yours gives something else.",
    )
    expect(
        all(torch.equal(y, x) for y in copies),
        "the result is right, but x += ... "
        "writes into the caller's x; x = x + ... makes a new one.",
    )


@mistake("7.4", "adds to x itself")
def _(x, f, norm, first):
    if first:
        x = norm(x)
        return x + f(x)
    return norm(x + f(x))


mistake(
    "7.4",
    "normalises the sum",
    lambda x, f, norm, first: x + f(norm(x)) if first else x + norm(f(x)),
)
mistake(
    "7.4", "wrong way round", lambda x, f, norm, first: norm(x + f(x)) if first else x + f(norm(x))
)
mistake("7.4", "post-norm in both cases", lambda x, f, norm, first: norm(x + f(x)))
mistake("7.4", "pre-norm in both cases", lambda x, f, norm, first: x + f(norm(x)))
mistake(
    "7.4",
    "post-norm lacks its shortcut",
    lambda x, f, norm, first: x + f(norm(x)) if first else norm(f(x)),
)
mistake(
    "7.4",
    "pre-norm lacks its shortcut",
    lambda x, f, norm, first: f(norm(x)) if first else norm(x + f(x)),
)
mistake(
    "7.4", "post-norm is", lambda x, f, norm, first: x + f(norm(x)) if first else norm(x) + f(x)
)
mistake("7.4", "pre-norm is", lambda x, f, norm, first: x + norm(f(x)) if first else norm(x + f(x)))


@mistake("7.4", "writes into the caller's x")
def _(x, f, norm, first):
    x += f(norm(x)) if first else f(x)
    return x if first else norm(x)


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


class Switch(nn.Module):
    """Calls one of two parts; which one, the input says. It has a hook, and is in eval mode."""

    def __init__(self):
        super().__init__()
        self.paths = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.last = nn.ReLU()
        self.last.register_forward_hook(lambda *_: None)
        self.eval()

    def forward(self, which):
        return self.last(self.paths[which](torch.ones(4)))


def state(model):
    """What a look at a model could leave behind in it: hooks, replaced methods, another mode."""
    return [
        (
            m.training,
            "forward" in vars(m),
            list(m._forward_hooks.values()),
            list(m._forward_pre_hooks.values()),
        )
        for m in model.modules()
    ]


@exercise("7.5")
def find_what_is_never_called(answer):
    model = Partial()
    before = state(model)
    names = list(answered(answer(model, torch.randn(2, 4), 3.0)))
    expect(
        all(isinstance(name, str) for name in names), "return names, as named_modules() gives them."
    )
    right = {"unused.0", "unused.1", "spare"}
    expect(
        set(names) != {"block.0", "block.1", "norm"},
        "those are the ones that were called; the others are asked for.",
    )
    expect(
        "unused" not in names and "" not in names and "block" not in names,
        "a container such as a ModuleList is never called, and that is no mistake. Look only at "
        "modules without children.",
    )
    expect(
        set(names) != {"unused.0", "spare"},
        "you looked at dropout only; a Linear can be forgotten just as well.",
    )
    expect(
        set(names) != {"block.0", "block.1", "unused.0", "unused.1", "norm"},
        "all your hooks write down the same name, the loop's last: a function looks a variable up "
        "when it is called. Give each its own, lambda *_, name=name: ...",
    )
    expect(
        set(names) != {"spare"},
        "you looked at the model's own children only; named_modules() goes all the way down.",
    )
    expect(
        set(names) == right,
        f"for this model the answer is {sorted(right)}; yours is {sorted(names)}.",
    )
    expect(
        not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules()),
        "right, but your hooks are still in the model: keep what register_forward_hook returns and "
        "call .remove() on it.",
    )
    expect(
        state(model) == before,
        "right, but the model is not as it was: look at model.training and at forward.",
    )
    expect(len(names) == len(set(names)), "right, but some names come more than once.")
    switch = Switch()
    before = state(switch)
    for which in (0, 1):
        other = list(answer(switch, which))
        expect(
            other == [f"paths.{1 - which}"],
            f"right for one model; of another, whose input chose paths.{which}, only "
            f"paths.{1 - which} was not called. You say {sorted(other)}.",
        )
    expect(
        state(switch) == before,
        "right, but the model had a hook of its own, or was in eval mode: leave that alone.",
    )


@mistake("7.5", "dropout only")
def _(model, *inputs):
    return [n for n, m in model.named_modules() if "Dropout" in str(type(m))]


@mistake("7.5", "a container")
def _(model, *inputs):
    called = set()
    hooks = []
    for n, m in model.named_modules():
        hooks.append(m.register_forward_hook(lambda *_, n=n: called.add(n)))
    model(*inputs)
    [h.remove() for h in hooks]
    return [n for n, _ in model.named_modules() if n not in called]


@mistake("7.5", "hooks are still in the model")
def _(model, *inputs):
    leaves = {n: m for n, m in model.named_modules() if not list(m.children())}
    called = set()
    for n, m in leaves.items():
        m.register_forward_hook(lambda *_, n=n: called.add(n))
    model(*inputs)
    return [n for n in leaves if n not in called]


mistake("7.5", "right for one model", lambda model, *inputs: ["unused.0", "unused.1", "spare"])


@mistake("7.5", "the loop's last")
def _(model, *inputs):
    called = set()
    hooks = []
    leaves = {n: m for n, m in model.named_modules() if not list(m.children())}
    for n, m in leaves.items():
        hooks.append(m.register_forward_hook(lambda *_: called.add(n)))  # noqa: B023  the mistake
    model(*inputs)
    [h.remove() for h in hooks]
    return [n for n in leaves if n not in called]


@mistake("7.5", "that were called")
def _(model, *inputs):
    leaves = {n: m for n, m in model.named_modules() if not list(m.children())}
    called = []
    hooks = [m.register_forward_hook(lambda *_, n=n: called.append(n)) for n, m in leaves.items()]
    model(*inputs)
    [h.remove() for h in hooks]
    return sorted(set(called))


def never_called(model, *inputs):
    """The right answer, as a dictionary of modules."""
    leaves = {name: module for name, module in model.named_modules() if not list(module.children())}
    called = set()
    hooks = [
        m.register_forward_hook(lambda *_, name=name: called.add(name))
        for name, m in leaves.items()
    ]
    model(*inputs)
    for hook in hooks:
        hook.remove()
    return {name: module for name, module in leaves.items() if name not in called}


mistake("7.5", "return names", lambda model, *inputs: list(never_called(model, *inputs).values()))
mistake(
    "7.5",
    "own children only",
    lambda model, *inputs: never_called(model, *inputs).keys() & model._modules.keys(),
)
mistake(
    "7.5",
    "for this model",
    lambda model, *inputs: [n for n in never_called(model, *inputs) if n[-1] == "1"],
)
mistake("7.5", "not as it was", lambda model, *inputs: never_called(model.eval(), *inputs))
mistake("7.5", "more than once", lambda model, *inputs: 2 * list(never_called(model, *inputs)))


@mistake("7.5", "leave that alone")
def _(model, *inputs):
    names = never_called(model, *inputs)
    for module in model.modules():
        module._forward_hooks.clear()
    return names
