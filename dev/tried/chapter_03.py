"""What chapter 3 concludes of the division: where slopes vanish, and what a start is worth."""

import math

import torch

import transformer_lite as tl
from attention_by_hand.studies.look_up import DotAttention, share_right
from dev.make.heads import do_not_divide
from dev.tried import attempt
from transformer_lite.data.grammar import splits


def size_of_slopes(shares):
    """The size of the table of slopes of each row of shares, ``(..., n)``: ``(...)``."""
    squares = shares.square()
    diagonal = (squares * (1 - shares).square()).sum(-1)
    others = squares.sum(-1).square() - squares.square().sum(-1)
    return (diagonal + others).clamp(min=0).sqrt()


@attempt(keys=(4, 9), lengths=(4, 16), queries=40)
def keys_and_slopes(
    keys=(4, 9, 32, 128, 512), lengths=(4, 16, 32, 64, 128, 256, 512, 1024), queries=2000
):
    """The mean size of the slopes, raw over divided, with other numbers of keys."""
    rows = []
    for many in keys:
        generator = torch.Generator().manual_seed(0)
        asking = torch.randn(20, queries // 20, max(lengths), generator=generator)
        asked = torch.randn(20, many, max(lengths), generator=generator)
        for d_k in lengths:
            scores = (asking[..., :d_k] @ asked[..., :d_k].transpose(1, 2)).double()
            raw, divided = (
                size_of_slopes((scores / by).softmax(-1)).mean().item()
                for by in (1, math.sqrt(d_k))
            )
            rows.append({"keys": many, "numbers": d_k, "raw over divided": round(raw / divided, 2)})
    return rows


@attempt(seeds=range(1), sentences=2)
def slopes_of_the_translator(seeds=range(10), sentences=100):
    """The mean size of the slopes in the translator's attentions before training."""
    shipped = tl.load_translator()
    rows = []
    for heads in (4, 1):
        for divided in (False, True):
            sizes = []
            for seed in seeds:
                torch.manual_seed(seed)
                config = tl.TransformerConfig(
                    len(shipped.source_vocabulary), len(shipped.target_vocabulary),
                    d_model=64, d_ff=192, n_layers=2, n_heads=heads, dropout=0.0,
                )  # fmt: skip
                model = tl.Transformer(config).eval()
                if not divided:
                    do_not_divide(model)
                for pair in splits().unseen[:sentences]:
                    source = torch.tensor([shipped.source_vocabulary.encode(pair.source.split())])
                    target = torch.tensor([shipped.target_vocabulary.encode(pair.target.split())])
                    with torch.no_grad():
                        maps = model(source, target, return_attention=True)[1].cross
                    sizes += [size_of_slopes(layer).mean().item() for layer in maps]
            size = sum(sizes) / len(sizes)
            kind = "divided" if divided else "raw"
            rows.append(
                {"numbers": 64 // heads, "scores": kind, "size of the slopes": round(size, 3)}
            )
    return rows


@attempt(draws=200)
def leads(draws=20_000):
    """How often two raw scores of 64 numbers lie more than 8 apart, and the best two of 32."""
    torch.manual_seed(0)
    scores = torch.stack([torch.randn(64) @ torch.randn(64, 32) for _ in range(draws)])
    apart = (scores[:, 0] - scores[:, 1]).abs()
    best = scores.topk(2).values
    return [
        {"of": name, "more than 8": round((lead > 8).float().mean().item(), 2),
         "mean": round(lead.mean().item(), 1)}
        for name, lead in (("two scores", apart), ("the best two of 32", best[:, 0] - best[:, 1]))
    ]  # fmt: skip


def looked_up(seed, scale, larger=1.0, d=256, steps=300, plain=None):
    """The share of symbols found, with Adam or, at the rate `plain`, with plain steps."""
    torch.manual_seed(seed)
    model = DotAttention(d, scale, larger)
    optimizer = torch.optim.SGD(model.parameters(), plain) if plain else None
    return share_right("look up", model, d, seed, steps, optimizer)


@attempt(seeds=range(1), steps=2, d=16)
def start_or_division(seeds=range(10), steps=300, d=256):
    """Raw scores that begin small, and divided ones that begin large, in the small task."""
    rows = []
    for seed in seeds:
        row = {"seed": seed}
        for name, scale, larger in (
            ("divided, small start", None, 1),
            ("raw, large start", 1.0, 1),
            ("raw, small start", 1.0, d**-0.5),
            ("divided, large start", None, d**0.5),
        ):
            row[name] = round(looked_up(seed, scale, larger, d, steps), 2)
        rows.append(row)
    return rows


@attempt(seeds=range(1), steps=2, d=16)
def too_much(seeds=range(3), steps=300, d=256):
    """No division and too much of it, with Adam and with plain steps downhill at two rates."""
    rows = []
    for rate in (None, 0.1, 1.0):
        for name, scale in (("raw", 1.0), ("by the root", None), ("by d_k", 1 / d)):
            found = [looked_up(seed, scale, d=d, steps=steps, plain=rate) for seed in seeds]
            way = f"plain steps, rate {rate}" if rate else "Adam"
            mean = sum(found) / len(found)
            rows.append(
                {"way": way, "scores": name, "least": round(min(found), 2), "mean": round(mean, 2)}
            )
    return rows


@attempt(seeds=range(1), steps=(2,), lengths=(4,), rates=(3e-3,))
def additive_for_longer(seeds=range(2), steps=(300, 3000), lengths=(16,), rates=(1e-3, 3e-3, 1e-2)):
    """Additive attention in the task of matching, with ten times the steps and other rates."""
    rows = []
    for d in lengths:
        for rate in rates:
            for many in steps:
                found = []
                for seed in seeds:
                    torch.manual_seed(seed)
                    model = tl.AdditiveAttention(d, d, d)
                    optimizer = torch.optim.Adam(model.parameters(), rate)
                    found.append(share_right("match", model, d, seed, many, optimizer))
                rows.append(
                    {"numbers": d, "rate": rate, "steps": many, "best": round(max(found), 2)}
                )
    return rows


def steps_until_half(before, rate, most=20_000):
    """Steps of Adam until the second weight is one half, as in the chapter's race."""
    scores = torch.tensor(before).double().log().requires_grad_()
    optimizer = torch.optim.Adam([scores], lr=rate)
    for step in range(most):
        second = scores.softmax(-1)[1]
        if second >= 0.5:
            return step
        optimizer.zero_grad()
        (1 - second).square().backward()
        optimizer.step()
    return most


@attempt(rates=(0.1, 1.0))
def race_with_adam(rates=(0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)):
    """How many times as many steps the certain row needs, at eight rates."""
    rows = []
    for rate in rates:
        slow, fast = (steps_until_half(b, rate) for b in ([0.998, 0.001, 0.001], [0.7, 0.2, 0.1]))
        rows.append(
            {"rate": rate, "certain": slow, "undecided": fast, "times": round(slow / fast, 1)}
        )
    return rows
