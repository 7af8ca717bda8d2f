"""Every exercise: its solution passes, its blank and the usual mistakes fail, each mistake with a hint of its own."""

import ast
import json
import re
from functools import cache
from pathlib import Path

import matplotlib
import pytest

from transformer_lite import exercises

matplotlib.use("Agg")
CHAPTERS = sorted((Path(__file__).parents[1] / "chapters").glob("[01]*.ipynb"))
CALL = re.compile(r'check\("(\d+\.\d+)", (\w+)\)')

# For each exercise, answers that readers are likely to give, and a part of the hint that each must receive.
MISTAKES = {
    "1.1": [
        ("def lookup(ids, table):\n    return (ids[..., None] == torch.arange(len(table))).float()", "one-hot vectors"),
        (
            "def lookup(ids, table):\n    return (ids[:, None] == torch.arange(len(table))).float() @ table",
            "stopped with",
        ),
        ("def lookup(ids, table):\n    return table[ids - 1]", "three rows of the table"),
        ("def lookup(ids, table):\n    return table[ids]", "fetched, not multiplied"),
    ],
    "1.2": [
        ("counts = (37_000 * 9, 270, 270 * 512)", "not for each token"),
        ("counts = (37_000 * 512, 270 * 512, 270 * 512)", "a single number"),
        ("counts = (37_000 * 512, 270, 270)", "D numbers for each token"),
    ],
    "1.3": [
        ("def renumbered(table, new_id):\n    return table[new_id]", "other direction"),
        ("def renumbered(table, new_id):\n    table[new_id] = table.clone()\n    return table", "changed the table"),
        ("def renumbered(table, new_id):\n    return table", "should give row i"),
    ],
    "1.4": [
        (
            "def table_gradient(ids, n, d):\n    g = torch.zeros(n, d)\n    g[ids] += 1\n    return g",
            "occurs twice",
        ),
        ("def table_gradient(ids, n, d):\n    return torch.ones(n, d)", "only words that occur"),
        ("def table_gradient(ids, n, d):\n    return torch.ones(d, n)", "shape should be"),
        (
            "def table_gradient(ids, n, d):\n    t = torch.zeros(n, d, requires_grad=True)\n"
            "    t[ids].sum().backward()\n    return t.grad",
            "without running backward",
        ),
        (
            "def table_gradient(ids, n, d):\n    g = torch.zeros(n, d)\n    for i in ids.tolist():\n"
            "        g[i] = 1 + (g[i] > 0).float()\n    return g",
            "three times has gradient 3",
        ),
    ],
    "2.1": [
        ("score = Q[1, 2] @ K[1, 0] / 2", "divided by 2"),
        ("score = Q[1, 1] @ K[1, 0]", "last word"),
        ("score = x[1, 2] @ x[1, 0]", "words themselves"),
        ("score = Q[1, 2] @ K[1, 2]", "with itself"),
    ],
    "2.2": [
        ("def softmax(s):\n    p = np.exp(s)\n    return p / p.sum(axis=-2, keepdims=True)", "columns sum to 1"),
        (
            "def softmax(s):\n    p = np.exp(s)\n    return p / p.sum(axis=(-2, -1), keepdims=True)",
            "all your weights together",
        ),
        ("def softmax(s):\n    return s / s.sum(axis=-1, keepdims=True)", "exp() of each score"),
        ("def softmax(s):\n    p = np.exp(s)\n    return p / p.sum(axis=-1, keepdims=True)", "overflows"),
        (
            "def softmax(s):\n    p = np.exp(np.clip(s, -50, 50))\n    return p / p.sum(axis=-1, keepdims=True)",
            "wrong shares",
        ),
    ],
    "2.3": [
        (
            "def self_attention(x, weight, bias):\n    q = x @ weight.T + bias\n    return softmax_(q @ "
            "q.transpose(0, 2, 1)) @ q",
            "left out the division",
        ),
        (
            "def self_attention(x, weight, bias):\n    q = x @ weight.T + bias\n    return softmax_(q @ "
            "q.transpose(0, 2, 1) / 2) @ x",
            "not the words x",
        ),
        (
            "def self_attention(x, weight, bias):\n    q = x @ weight + bias\n    return softmax_(q @ "
            "q.transpose(0, 2, 1) / 2) @ q",
            "x W + b",
        ),
        (
            "def self_attention(x, weight, bias):\n    q = x @ weight.T + bias\n    return softmax_(q @ "
            "q.transpose(0, 2, 1) / 2) @ q",
            "√d_k in general",
        ),
        (
            "def self_attention(x, weight, bias):\n    q = x @ weight.T + bias\n    return softmax_(q @ "
            "q.transpose(0, 2, 1) / np.sqrt(x.shape[-1])) @ q",
            "the numbers of a word",
        ),
    ],
    "2.4": [
        (
            "def predicted_gap(weights, bias):\n    return np.abs(weights.sum(-1) - 1).max()",
            "surplus weight multiplies",
        ),
        ("def predicted_gap(weights, bias):\n    return weights.sum(-1).max() * np.abs(bias).max()", "count only"),
        (
            "def predicted_gap(weights, bias):\n    return abs(weights[0, 1].sum() - 1) * np.abs(bias).max()",
            "every row and every entry",
        ),
    ],
    "2.5": [
        ("def cosine_weights(q, k):\n    return softmax_(q @ k.transpose(0, 2, 1))", "plain dot products"),
        (
            "def cosine_weights(q, k):\n    k = k / np.linalg.norm(k, axis=-1, keepdims=True)\n"
            "    return softmax_(q @ k.transpose(0, 2, 1))",
            "keys only",
        ),
        (
            "def cosine_weights(q, k):\n    k = k / np.linalg.norm(k, axis=-2, keepdims=True)\n"
            "    return softmax_(k @ k.transpose(0, 2, 1))",
            "each column",
        ),
        (
            "def cosine_weights(q, k):\n    q = q / np.linalg.norm(q, axis=-1, keepdims=True)\n"
            "    return softmax_(q @ q.transpose(0, 2, 1))",
            "shape should be (2, 3, 5)",
        ),
    ],
    "3.1": [
        ("spread = 6.25", "is the variance"),
        ("spread = 10", "standard deviation 1"),
        ("spread = 5.0", "one of the two vectors"),
        ("spread = 25", "not their standard deviations"),
    ],
    "3.2": [
        ("def jacobian(p):\n    return torch.diag_embed(p)", "only diag(p)"),
        ("def jacobian(p):\n    return torch.diag_embed(p * (1 - p))", "lowers the weights of the others"),
        ("def jacobian(p):\n    return torch.diag_embed(p) + p[..., :, None] * p[..., None, :]", "check the sign"),
        ("def jacobian(p):\n    return torch.diag(p) - torch.outer(p, p)", "stopped with"),
        (
            "def jacobian(p):\n    return p[..., :, None] * (torch.eye(3) - p[..., None, :])",
            "The size of tensor",
        ),
    ],
    "3.3": [
        ("def evenness(w):\n    return -(w * w.log()).sum(-1) / math.log(w.size(-1))", "gives nan"),
        ("def evenness(w):\n    return torch.special.entr(w).sum(-1)", "divide it by its maximum"),
        ("def evenness(w):\n    return torch.special.entr(w).sum(-1) / math.log(2)", "in bits"),
        (
            "def evenness(w):\n    return torch.special.xlogy(w, w).sum(-1) / math.log(w.size(-1))",
            "sign is turned round",
        ),
        (
            "def evenness(w):\n    return (-(w * w.log()).sum(-1) / math.log(w.size(-1))).nan_to_num()",
            "the rest of its row counts",
        ),
        ("def evenness(w):\n    return torch.special.entr(w).sum(-1) / math.log(4)", "whatever n is"),
    ],
    "3.4": [
        ("def fitting_scale(q, k):\n    return torch.tensor(q.size(-1) ** -0.5)", "vectors of variance 1"),
        ("def fitting_scale(q, k):\n    return 1 / (q @ k.T).var()", "c²"),
        ("def fitting_scale(q, k):\n    return (q @ k.T).std()", "one over that"),
        ("def fitting_scale(q, k):\n    return 1 / (q @ k.T).square().mean().sqrt()", "measured from the mean"),
        ("def fitting_scale(q, k):\n    return 1 / (q[:1] @ k.T).std()", "a standard deviation of"),
    ],
    "4.1": [
        ("place = (2, 5, 458)", "head and word are exchanged"),
        ("place = (2, 7, 10)", "five heads stand before"),
        ("place = (2, 7, 394)", "counted from 0"),
        ("place = (2, 5, 330)", "the word 7"),
    ],
    "4.2": [
        ("def join_heads(x):\n    return x.contiguous().view(x.size(0), x.size(2), -1)", "words and heads are mixed"),
        ("def join_heads(x):\n    return x.permute(0, 2, 3, 1).flatten(2)", "interleaved"),
        ("def join_heads(x):\n    return x.transpose(1, 2)", "shape should be"),
        ("def join_heads(x):\n    return x.transpose(1, 2).view(x.size(0), x.size(2), -1)", "stopped with"),
        ("def join_heads(x):\n    return x.transpose(1, 2).contiguous().view(-1, 3, 20)", "one size only"),
    ],
    "4.3": [
        (
            "def splits_well(split, n):\n    y = torch.randn(2, 5, 8)\n"
            "    return torch.equal(split(y)[0, 1, 0], y[0, 0, 8 // n : 16 // n])",
            "only for the last word",
        ),
        (
            "def splits_well(split, n):\n    y = torch.randn(2, 5, 8)\n    return split(y).shape == (2, n, 5, 8 // n)",
            "accepts the view without a transpose",
        ),
        ("def splits_well(split, n):\n    return False", "says it is not"),
        (
            "def splits_well(split, n):\n    y = torch.arange(3 * 5 * n * 7).view(3, 5, n * 7)\n    heads = split(y)\n"
            "    return heads.shape == (3, n, 5, 7) and torch.equal(heads[..., 0].transpose(1, 2), y[..., ::7])",
            "the last of the first slice",
        ),
    ],
    "4.4": [
        (
            "def looped(x, a, b, c, o, n):\n"
            "    return tl.scaled_dot_product_attention(x @ a.T, x @ b.T, x @ c.T)[0] @ o.T",
            "a single head",
        ),
        (
            "def looped(x, a, b, c, o, n):\n    rows = torch.arange(len(a)).view(n, -1)\n"
            "    found = [tl.scaled_dot_product_attention(*(x @ w[r].T for w in (a, b, c)))[0] for r in rows]\n"
            "    return torch.cat(found, dim=-1)",
            "W^O mixes",
        ),
        (
            "def looped(x, a, b, c, o, n):\n    columns = torch.arange(len(a)).view(n, -1)\n"
            "    found = [tl.scaled_dot_product_attention(*(x @ w[:, i] for w in (a, b, c)))[0] for i in columns]\n"
            "    return torch.cat(found, dim=-1) @ o.T",
            "you cut the columns",
        ),
        (
            "def looped(x, a, b, c, o, n):\n    rows = torch.arange(len(a)).view(n, -1)\n"
            "    found = [tl.scaled_dot_product_attention(*(x @ w[r].T for w in (a, b, c)))[0] for r in rows]\n"
            "    return torch.cat(found, dim=-1) @ o",
            "multiply by its transpose",
        ),
    ],
    "5.1": [
        ("weights = [0.110, 0.040, 0.810, 0.040]", "without a mask"),
        ("weights = [0.110, 0.040, 0, 0]", "after the softmax"),
        ("weights = [0.610, 0.224, 0.083, 0.083]", "still gets e⁰"),
        ("weights = [0.667, 0.333, 0, 0]", "not by the score"),
        ("weights = [2, 1, -math.inf, -math.inf]", "those are the masked scores"),
    ],
    "5.2": [
        ("def window_mask(n, w):\n    return ~(tl.causal_mask(n) & ~torch.ones(n, n).tril(-w).bool())", "exchanged"),
        (
            "def window_mask(n, w):\n    return (tl.causal_mask(n) & ~torch.ones(n, n).tril(-w).bool()).T",
            "rows are queries",
        ),
        (
            "def window_mask(n, w):\n    return tl.causal_mask(n) & ~torch.ones(n, n).tril(-w - 1).bool()",
            "one word too many",
        ),
        ("def window_mask(n, w):\n    return torch.ones(n, n).tril()", "bool tensor"),
        (
            "def window_mask(n, w):\n    i = torch.arange(n) // w\n    return tl.causal_mask(n) & (i[:, None] == i)",
            "row 3 should see the keys [1, 2, 3]; yours sees [3]",
        ),
        (
            "def window_mask(n, w):\n    m = torch.zeros(n, n).bool()\n    for i in range(n):\n"
            "        m[i, i - w + 1 : i + 1] = True\n    return m",
            "row 0 should see the keys [0]; yours sees []",
        ),
    ],
    "5.3": [
        ("def torch_masks(ids):\n    return tl.causal_mask(ids.size(1)), ids == 0", "attn_mask: there"),
        ("def torch_masks(ids):\n    return ~tl.causal_mask(ids.size(1)), ids != 0", "True means padding"),
        ("def torch_masks(ids):\n    return ~tl.causal_mask(ids.size(1)), ~tl.padding_mask(ids)", "without axes"),
        ("def torch_masks(ids):\n    return (~tl.causal_mask(ids.size(1))).int(), ids == 0", "should be a bool tensor"),
        ("def torch_masks(ids):\n    return ~tl.causal_mask(4), ids == 0", "take the sizes from ids"),
    ],
    "5.4": [
        (
            "def leaks(f):\n    x = torch.randn(1, 6, 8)\n    y = x.clone()\n    y[0, 1] += 1\n"
            "    return not torch.equal(f(x)[0, :1], f(y)[0, :1])",
            "only word 4 sees word 5",
        ),
        (
            "def leaks(f):\n    x = torch.randn(1, 6, 8)\n    y = x.clone()\n    y[0, 5] += 1\n"
            "    return not torch.allclose(f(x)[0, :5], f(y)[0, :5], atol=1e-3)",
            "millionth",
        ),
        (
            "def leaks(f):\n    x = torch.randn(1, 6, 8)\n    y = x.clone()\n    y[0, 4:] += 1\n"
            "    return not torch.equal(f(x)[0, :4], f(y)[0, :4]) or leaks_last(f, x)\n"
            "def leaks_last(f, x):\n    y = x.clone()\n    y[0, 5] += 1\n"
            "    return not torch.equal(f(x)[0, :5], f(y)[0, :5])",
            "only word 0 sees word 1",
        ),
        (
            "def leaks(f):\n    x = torch.randn(1, 6, 8)\n    for p in range(1, 6):\n        y = x.clone()\n"
            "        y[0, p] += 1\n        if not torch.equal(f(x)[0, p - 1], f(y)[0, p - 1]):\n"
            "            return True\n    return False",
            "only word 0 sees word 5",
        ),
        (
            "def leaks(f):\n    x = torch.randn(1, 6, 8)\n    for p in range(1, 6):\n        y = x.clone()\n"
            "        y[0, p] *= -1\n        if not torch.equal(f(x)[0, :p], f(y)[0, :p]):\n"
            "            return True\n    return False",
            "mean of the squares",
        ),
        (
            "def leaks(f):\n    x = torch.randn(1, 6, 8)\n    for p in range(1, 6):\n        y = x.clone()\n"
            "        y[0, p] += 1\n        if not torch.equal(f(x)[0, :p], f(y)[0, :p]):\n            return True",
            "return False where there is no leak",
        ),
        ("def leaks(f):\n    x = torch.randn(1, 6, 8)\n    return not torch.equal(f(x), x)", "there is none"),
    ],
    "6.1": [
        ("similarity = math.cos(math.radians(100)) + math.cos(math.radians(1))", "degrees"),
        ("similarity = math.cos(100)", "one hand of the two"),
        ("similarity = math.cos(106) + math.cos(1.06)", "added the two positions"),
        ("similarity = math.sin(100) + math.sin(1)", "not its sine"),
        ("similarity = 1.40", "round only at the end"),
    ],
    "6.2": [
        ("def period(i, d_model):\n    return 10000 ** (-2 * i / d_model)", "that is ω"),
        ("def period(i, d_model):\n    return 10000 ** (2 * i / d_model)", "turned by 1"),
        ("def period(i, d_model):\n    return 2 * math.pi * 10000 ** (i / d_model)", "i counts hands, and hand i"),
        ("def period(i, d_model):\n    return 2 * math.pi * 10000 ** (2 * i / (d_model - 2))", "stops short"),
        ("def period(i, d_model):\n    return math.ceil(2 * math.pi * 10000 ** (2 * i / d_model))", "do not round it"),
    ],
    "6.3": [
        (
            "def adds_positions(add):\n    x = torch.randn(3, 4, 64)\n    return not torch.equal(add(x), x)",
            "Compare the places",
        ),
        (
            "def adds_positions(add):\n    a = add(torch.zeros(3, 4, 64))\n    return not torch.equal(a[:, 0], "
            "a[:, 1])",
            "goes on counting",
        ),
        (
            "def adds_positions(add):\n    a = add(torch.zeros(3, 4, 64))\n    return torch.equal(a[0], a[1])",
            "adds nothing",
        ),
        (
            "def adds_positions(add):\n    x = torch.randn(3, 4, 64)\n    a = add(x) - x\n"
            "    return torch.allclose(a[0], a[1], atol=1e-5) and not torch.allclose(a[:, 0], a[:, 1], atol=1e-5)",
            "by √D first",
        ),
        (
            "def adds_positions(add):\n    a = add(torch.zeros(2, 4, 64))\n"
            "    return torch.allclose(a, tl.sinusoidal_encoding(4, 64).expand(2, 4, 64))",
            "learned table",
        ),
        (
            "def adds_positions(add):\n    a = add(torch.zeros(2, 4, 8))\n"
            "    return torch.equal(a[0], a[1]) and not torch.equal(a[:, 0], a[:, 1])",
            "two places of a sentence",
        ),
    ],
    "6.4": [
        (
            "def rotary_scores(q, k):\n    d = q.shape[-1]\n"
            "    q = torch.stack([rotation(m, d) @ row for m, row in enumerate(q)])\n    return q @ k.T / math.sqrt(d)",
            "only one of the two",
        ),
        (
            "def rotary_scores(q, k):\n    p = encoding(*q.shape)\n    return (q + p) @ (k + p).T / "
            "math.sqrt(q.shape[-1])",
            "nothing is added",
        ),
        (
            "def rotary_scores(q, k):\n    d = q.shape[-1]\n"
            "    q = torch.stack([rotation(m, d) @ row for m, row in enumerate(q)])\n"
            "    k = torch.stack([rotation(-m, d) @ row for m, row in enumerate(k)])\n    return q @ k.T / "
            "math.sqrt(d)",
            "opposite directions",
        ),
        (
            "def rotary_scores(q, k):\n    d = q.shape[-1]\n"
            "    q = torch.stack([rotation(m, d) @ row for m, row in enumerate(q)])\n"
            "    k = torch.stack([rotation(m, d) @ row for m, row in enumerate(k)])\n    return q @ k.T",
            "not divided by √D yet",
        ),
    ],
    "7.1": [
        ("count = 4 * (64**2 + 64), 2 * 64 * 256 + 256 + 64, 0", "four projections biases"),
        ("count = 4 * 64**2, 2 * 64 * 256 + 256 + 64, 128", "two LayerNorms"),
        ("count = 4 * 64**2, 2 * 64 * 256 + 64, 256", "left out biases"),
        ("count = 4 * 4 * 64**2, 2 * 64 * 256 + 256 + 64, 256", "share the four"),
        ("count = 4 * 64**2 + 2 * 64 * 256 + 256 + 64 + 256", "three numbers"),
    ],
    "7.2": [
        ("def fold(a, b):\n    return a.weight @ b.weight, a.bias @ b.weight.T + b.bias", "the order"),
        ("def fold(a, b):\n    return b.weight @ a.weight, a.bias + b.bias", "goes through the second layer"),
        ("def fold(a, b):\n    return b.weight @ a.weight, b.bias", "bias is lost"),
        ("def fold(a, b):\n    return a.weight.T @ b.weight.T, a.bias @ b.weight.T + b.bias", "(out, in)"),
    ],
    "7.3": [
        (
            "def sublayer_shell(x, f, norm, first):\n    if first:\n        x = norm(x)\n        return x + f(x)\n"
            "    return norm(x + f(x))",
            "adds to x itself",
        ),
        (
            "def sublayer_shell(x, f, norm, first):\n    return x + f(norm(x)) if first else x + norm(f(x))",
            "normalises the *sum*",
        ),
        (
            "def sublayer_shell(x, f, norm, first):\n    return norm(x + f(x)) if first else x + f(norm(x))",
            "wrong way round",
        ),
        ("def sublayer_shell(x, f, norm, first):\n    return norm(x + f(x))", "post-norm in both cases"),
        (
            "def sublayer_shell(x, f, norm, first):\n    x += f(norm(x)) if first else f(x)\n"
            "    return x if first else norm(x)",
            "writes into the caller's x",
        ),
    ],
    "7.4": [
        (
            "def never_called(model, *inputs):\n    return [n for n, m in model.named_modules() if 'Dropout' in "
            "str(type(m))]",
            "dropout only",
        ),
        (
            "def never_called(model, *inputs):\n    called, hooks = set(), []\n"
            "    for n, m in model.named_modules():\n"
            "        hooks.append(m.register_forward_hook(lambda *_, n=n: called.add(n)))\n"
            "    model(*inputs)\n    [h.remove() for h in hooks]\n"
            "    return [n for n, _ in model.named_modules() if n not in called]",
            "a container",
        ),
        (
            "def never_called(model, *inputs):\n"
            "    leaves = {n: m for n, m in model.named_modules() if not list(m.children())}\n    called = set()\n"
            "    for n, m in leaves.items():\n        m.register_forward_hook(lambda *_, n=n: called.add(n))\n"
            "    model(*inputs)\n    return [n for n in leaves if n not in called]",
            "hooks are still in the model",
        ),
        ("def never_called(model, *inputs):\n    return ['unused.0', 'unused.1', 'spare']", "right for one model"),
        (
            "def never_called(model, *inputs):\n    called = set()\n"
            "    leaves = {n: m for n, m in model.named_modules() if not list(m.children())}\n"
            "    hooks = [m.register_forward_hook(lambda *_: called.add(n)) for n, m in leaves.items()]\n"
            "    for n, m in leaves.items():\n        pass\n    model(*inputs)\n    [h.remove() for h in hooks]\n"
            "    return [name for name in leaves if name not in called]",
            "the loop's last",
        ),
        (
            "def never_called(model, *inputs):\n"
            "    leaves = {n: m for n, m in model.named_modules() if not list(m.children())}\n    called = []\n"
            "    hooks = [m.register_forward_hook(lambda *_, n=n: called.append(n)) for n, m in leaves.items()]\n"
            "    model(*inputs)\n    [h.remove() for h in hooks]\n    return sorted(set(called))",
            "*were* called",
        ),
    ],
    "8.1": [
        ("floors = (math.log(10), 5 / 6 * math.log(6) + 1 / 6 * math.log(18), math.log(3) / 6)", "for 10 tokens"),
        (
            "floors = (math.log(11), 5 / 6 * math.log(6) + 1 / 6 * math.log(12), math.log(3) / 6)",
            "still has two drinks",
        ),
        ("floors = (math.log(11), math.log(6), math.log(3) / 6)", "share one of the positions"),
        ("floors = (math.log(11), 5 / 6 * math.log(6) + 1 / 6 * math.log(18), math.log(3))", "mean over six tokens"),
    ],
    "8.2": [
        ("def shift(words):\n    return (['<bos>', *words, '<eos>'],) * 2", "just reading"),
        ("def shift(words):\n    return [*words, '<eos>'], ['<bos>', *words]", "wrong order"),
        ("def shift(words):\n    return ['<bos>', *words], words", "to stop"),
        (
            "def shift(words):\n    words.append('<eos>')\n    return ['<bos>', *words[:-1]], words",
            "changed the list",
        ),
        (
            "def shift(words):\n    after = dict(zip(words, [*words[1:], '<eos>']))\n"
            "    return ['<bos>', *words], [words[0], *(after[word] for word in words)]",
            "a word may stand twice",
        ),
    ],
    "8.3": [
        ("def lowest_loss(n, e):\n    return 0.0", "a wrong answer"),
        (
            "def lowest_loss(n, e):\n    w = e / (n - 1)\n"
            "    return -(1 - e) * math.log(1 - e) - (n - 1) * w * math.log(w)",
            "over the other words only",
        ),
        ("def lowest_loss(n, e):\n    return -math.log(1 - e + e / n)", "the others count too"),
    ],
    "8.4": [
        ("rate = 0.001", "Go above"),
        ("rate = 0.01", "look below"),
        ("rate = 0.008", "too large"),
    ],
    "9.1": [
        (
            "def most_attended(r, l, h):\n    return r.attention.cross[l][0, h].argmax(-1).tolist()",
            "those are positions",
        ),
        (
            "def most_attended(r, l, h):\n    best = r.attention.cross[l][0, h].argmax(0)\n"
            "    return [r.tokens[i] for i in best.tolist()]",
            "takes 4 steps",
        ),
        (
            "def most_attended(r, l, h):\n    best = r.attention.cross[l][0, h].argmax(-1)\n"
            "    return [(r.tokens + ['!'])[i] for i in best.tolist()]",
            "*source* tokens",
        ),
        (
            "def most_attended(r, l, h):\n    best = r.attention.cross[-1][0, h].argmax(-1)\n"
            "    return [r.source_tokens[i] for i in best.tolist()]",
            "layer and head asked for",
        ),
    ],
    "9.2": [
        ("def flatness(w):\n    return -(w * w.log()).sum(-1) / np.log(w.size(-1))", "as nan"),
        ("def flatness(w):\n    return -torch.xlogy(w, w).sum(-1)", "entropy itself"),
        ("def flatness(w):\n    return torch.xlogy(w, w).sum(-1) / np.log(w.size(-1))", "the sign"),
        ("def flatness(w):\n    return -torch.xlogy(w, w).sum(-1) / np.log(4)", "these rows have 5 keys"),
    ],
    "9.3": [
        (
            "def is_decoder_map(w, t):\n    return len(w) == len(t) and torch.allclose(w.sum(-1), torch.ones(len(w)))",
            "future",
        ),
        ("def is_decoder_map(w, t):\n    return bool((w.triu(1) == 0).all())", "sum to 1.1"),
        ("def is_decoder_map(w, t):\n    return False", "refused"),
        (
            "def is_decoder_map(w, t):\n    sums = w.sum(-1)\n    return bool((w.triu(2) == 0).all()"
            " and torch.allclose(sums, torch.ones_like(sums)))",
            "looks at the next word",
        ),
    ],
    "10.1": [
        ("layers = 12", "includes the word itself"),
        ("layers = 30", "looks back only"),
        ("layers = 60", "a width of 2"),
        ("layers = 16", "count the gaps"),
    ],
    "10.2": [
        ("def even_length(d, d_ff):\n    return d", "a recurrent layer"),
        ("def even_length(d, d_ff):\n    return 2 * d", "the feed-forward network"),
        ("def even_length(d, d_ff):\n    return d_ff", "the four projections"),
        ("def even_length(d, d_ff):\n    return 4 * d + 2 * d_ff", "two products"),
        ("def even_length(d, d_ff):\n    return 6 * d", "d_ff = 4d only"),
    ],
    "10.3": [
        ("def windowed(n, w, depth):\n    return min(depth * w, n - 1), n * w", "includes the word itself"),
        ("def windowed(n, w, depth):\n    return min(depth * (w - 1), n - 1), n * w", "fewer words to see"),
        (
            "def windowed(n, w, depth):\n    return depth * (w - 1), sum(min(i + 1, w) for i in range(n))",
            "before the first word",
        ),
        (
            "def windowed(n, w, depth):\n    return sum(min(i + 1, w) for i in range(n)), min(depth * (w - 1), n - 1)",
            "the words back first",
        ),
    ],
    "10.4": [
        (
            "def depends(f, n, d):\n    j = torch.autograd.functional.jacobian(f, torch.randn(n, d))\n"
            "    return (j != 0).any(3).any(1).T",
            "rows are outputs",
        ),
        (
            "def depends(f, n, d):\n    j = torch.autograd.functional.jacobian(f, torch.randn(n, d))\n"
            "    return j[:, 0, :, 0] != 0",
            "all numbers of a place",
        ),
        (
            "def depends(f, n, d):\n    j = torch.autograd.functional.jacobian(f, torch.randn(n, d))\n"
            "    return j != 0",
            "shape should be",
        ),
        (
            "def depends(f, n, d):\n    j = torch.autograd.functional.jacobian(f, torch.randn(n, d))\n"
            "    return j.sum((1, 3)) != 0",
            "once with plus and once with minus",
        ),
    ],
}

HELP = """
import numpy as np, torch
def softmax_(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
"""


@cache
def cells(chapter):
    """(kind, text, metadata) of each cell."""
    stored = json.loads(chapter.read_text(encoding="utf-8"))["cells"]
    return [(cell["cell_type"], "".join(cell["source"]), cell["metadata"]) for cell in stored]


def exercises_of(chapter):
    """(number, name of the answer, blank, solution) for each exercise: a cell each for answer, check and solution."""
    found = []
    three_cells = zip(cells(chapter), cells(chapter)[1:], cells(chapter)[2:], strict=False)
    for (_, blank, marked), (_, check, graded), (_, solution, folded) in three_cells:
        call = CALL.fullmatch(check)
        if not call:
            continue
        number = call[1].replace(".", "-")
        roles = [(cell["nbgrader"]["grade_id"], cell["nbgrader"]["solution"]) for cell in (marked, graded)]
        assert roles == [(f"answer-{number}", True), (f"check-{number}", False)], roles
        assert graded["nbgrader"]["grade"] and graded["nbgrader"]["locked"] and not marked["nbgrader"]["grade"]
        assert folded == {"tags": ["solution"]}, "a student edition leaves out what is tagged so"
        code = re.search(r"^<details><summary>Solution</summary>\n.*?```python\n(.*?)```.*</details>$", solution, re.S)
        assert code, f"exercise {call[1]} has no folded solution in the cell after it"
        found.append((call[1], call[2], blank, code[1]))
    return found


EXERCISES = {number: (chapter, *rest) for chapter in CHAPTERS for number, *rest in exercises_of(chapter)}


@pytest.fixture(scope="module")
def chapter_state():
    """The names that a reader has at hand when the exercises begin, a fresh copy for each use."""

    @cache
    def run(chapter):
        names = {}
        exec(HELP, names)
        for kind, source, metadata in cells(chapter):
            if kind == "code" and "%pip" not in source and "nbgrader" not in metadata:
                exec(compile(ast.parse(source), chapter.name, "exec"), names)
        return names

    return lambda chapter: dict(run(chapter))


def verdict(number, code, chapter_state):
    chapter, name, _, _ = EXERCISES[number]
    names = chapter_state(chapter)
    exec(code, names)
    return exercises.check(number, names[name])


@pytest.mark.parametrize("number", EXERCISES)
def test_the_solution_passes(number, chapter_state):
    assert verdict(number, EXERCISES[number][3], chapter_state).passed


@pytest.mark.parametrize("number", EXERCISES)
def test_the_blank_is_not_an_answer(number, chapter_state):
    result = verdict(number, EXERCISES[number][2], chapter_state)
    assert not result.passed and "not answered yet" in result.message


@pytest.mark.parametrize("number", EXERCISES)
def test_each_mistake_gets_its_hint(number, chapter_state):
    assert len(MISTAKES[number]) >= 2
    results = [verdict(number, code, chapter_state) for code, _ in MISTAKES[number]]
    for result, (_, part) in zip(results, MISTAKES[number], strict=True):
        assert not result.passed and part in result.message, result
    assert len({result.message for result in results}) == len(results)


def test_an_exercise_that_does_not_exist_is_an_error():
    with pytest.raises(ValueError, match="no exercise '99.1'"):
        exercises.check("99.1", 1)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_has_three_to_five_exercises(chapter):
    assert 3 <= len(exercises_of(chapter)) <= 5
