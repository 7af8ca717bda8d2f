"""What chapter 7 concludes, tried again: the shortcut, a second layer, a place for facts, the norm
before and after.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

import transformer_lite as tl
from attention_by_hand.studies.friends import Friends, ask
from dev.tried import attempt
from transformer_lite.data.corpus import TWO_SENTENCES
from transformer_lite.data.grammar import splits
from transformer_lite.layers import EncoderLayer
from transformer_lite.training import gradient_steps, make_batch, training_steps

STACKS = {
    "12 layers, 64 numbers, 8 words": (12, 64, 8),
    "24 layers, 128, 16": (24, 128, 16),
    "12 layers from Xavier's numbers": (12, 64, 8, True),
}


def tower(seed, n_layers, d_model, n_words, xavier=False):
    """Untrained layers, and random words to send through them."""
    torch.manual_seed(seed)
    sizes = {"d_model": d_model, "n_heads": 4, "d_ff": 4 * d_model, "dropout": 0.0}
    layers = [EncoderLayer(**sizes) for _ in range(n_layers)]
    for layer in layers if xavier else ():
        for weight in (p for p in layer.parameters() if p.dim() > 1):
            nn.init.xavier_uniform_(weight)
    return layers, torch.randn(1, n_words, d_model)


def through(layers, x, shortcut):
    """What leaves each layer."""
    for layer in layers:
        update, _ = layer.self_attention(x, x, x)
        x = layer.norm1(x + update if shortcut else update)
        update = layer.feed_forward(x)
        x = layer.norm2(x + update if shortcut else update)
        yield x


def cosine(x):
    """The mean cosine between two different words of the first sentence."""
    directions = F.normalize(x[0], dim=-1)
    n = len(directions)
    return ((directions @ directions.T).sum().item() - n) / (n * n - n)


@attempt(seeds=range(1), stacks=("12 layers, 64 numbers, 8 words",))
def alike(seeds=range(20), stacks=tuple(STACKS)):
    """After how many layers all words are alike, and how alike they are at the top."""
    rows = []
    for stack in stacks:
        for seed in seeds:
            layers, words = tower(seed, *STACKS[stack])
            with torch.no_grad():
                without = [cosine(x) for x in through(layers, words, shortcut=False)]
                kept = [cosine(x) for x in through(layers, words, shortcut=True)]
            above = next((n for n, c in enumerate(without, 1) if c > 0.99), math.inf)
            rows.append(
                {
                    "stack": stack,
                    "seed": seed,
                    "above 0.99 after layer": above,
                    "with the shortcut, at the top": round(kept[-1], 2),
                }
            )
    return rows


def reaches(layers, words, message, shortcut):
    """Of a gradient sent to one word: the share that is told to it, and what part of the length
    of all messages arrives at the bottom. The means over all words.
    """
    bottom = words.clone().requires_grad_()
    *_, top = through(layers, bottom, shortcut)
    shares, lengths = [], []
    for word in range(words.size(1)):
        to_one = torch.zeros_like(top)
        to_one[:, word] = message[:, word]
        (gradient,) = torch.autograd.grad(top, bottom, to_one, retain_graph=True)
        arrives = gradient[0].square().sum(-1)
        shares.append((arrives[word] / arrives.sum()).item())
        lengths.append((arrives.sum() / to_one.square().sum()).sqrt().item())
    return sum(shares) / len(shares), sum(lengths) / len(lengths)


@attempt(seeds=range(1), stacks=("12 layers, 64 numbers, 8 words",))
def shortcut(seeds=range(20), stacks=tuple(STACKS)):
    """How much of a message to one word is told to that word, in other draws of the layers."""
    rows = []
    for stack in stacks:
        for seed in seeds:
            layers, words = tower(seed, *STACKS[stack])
            message = torch.randn_like(words)
            row = {"stack": stack, "seed": seed}
            for name, kept in (("with", True), ("without", False)):
                share, length = reaches(layers, words, message, kept)
                row |= {name: round(share, 3), f"length {name}": round(length, 2)}
            rows.append(row)
    return rows


@attempt(seeds=range(1), stacks=("12 layers, 64 numbers, 8 words",))
def growth(seeds=range(20), stacks=tuple(STACKS)[:2]):
    """The size of a typical number after layers without norms."""
    rows = []
    for stack in stacks:
        for seed in seeds:
            layers, x = tower(seed, *STACKS[stack])
            with torch.no_grad():
                for layer in layers:
                    x = x + layer.self_attention(x, x, x)[0]
                    x = x + layer.feed_forward(x)
            rows.append({"stack": stack, "seed": seed, "typical number": round(x.std().item(), 2)})
    return rows


def falling(rate, steps, warmup):
    """A rate that rises for some steps and then falls in a straight line to zero."""
    return lambda step: rate * min(step / max(1, warmup), (steps + 1 - step) / (steps + 1 - warmup))


def friends_right(n_layers, d_ff, seed, steps, rate):
    """The number of weights, and the share of right answers to 2,000 new questions."""
    torch.manual_seed(seed)
    model = Friends(n_layers, d_ff)
    dice = torch.Generator().manual_seed(seed)
    batches = (ask(64, dice) for _ in range(steps))
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)

    def loss(asked):
        return F.cross_entropy(model(asked), asked.answers)

    for _ in gradient_steps(loss, batches, optimizer, falling(rate, steps, steps // 40)):
        pass
    asked = ask(2000, dice)
    with torch.no_grad():
        right = (model(asked).argmax(-1) == asked.answers).float().mean().item()
    return sum(p.numel() for p in model.parameters()), right


@attempt(runs=((8000, 0),), shorter=80)
def friend(runs=((8000, 0), (8000, 1)), shorter=1):
    """How often one layer finds what the friend holds, if its rate rises and falls."""
    rows = []
    for steps, seed in runs:
        weights, right = friends_right(1, 129, seed, steps // shorter, rate=3e-3)
        rows.append(
            {
                "layers": 1,
                "weights": weights,
                "steps": steps,
                "seed": seed,
                "right": round(right, 3),
            }
        )
    return rows


class Nothing(nn.Module):
    """In the place of a feed-forward network: the shortcut and the norm around it stay."""

    def forward(self, x):
        return torch.zeros_like(x)


FACTS = {"attention and network": (1, 62), "three attentions": (3, 0), "one attention": (1, 0)}


def keeps(n_layers, d_ff, seed, steps, rate):
    """The share of 400 random facts that a model learns."""
    torch.manual_seed(seed)
    words = torch.randn(400, 1, 16)
    facts = torch.randint(0, 8, (400,))
    stack = nn.ModuleList(EncoderLayer(16, 4, d_ff or 1, 0.0) for _ in range(n_layers))
    for layer in () if d_ff else stack:
        layer.feed_forward = Nothing()
    output = nn.Linear(16, 8)
    weights = [*stack.parameters(), *output.parameters()]
    optimizer = torch.optim.Adam(weights, lr=rate)
    for _ in range(steps):
        x = words
        for layer in stack:
            x, _ = layer(x)
        logits = output(x)[:, 0]
        loss = F.cross_entropy(logits, facts)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return (logits.argmax(-1) == facts).float().mean().item()


@attempt(seeds=range(1), lengths=(5,), rates=(1e-2,))
def facts(seeds=range(2), lengths=(300, 1500), rates=(1e-2, 3e-3)):
    """How many of 400 facts the three models keep, with more steps and another rate."""
    rows = []
    for steps in lengths:
        for rate in rates:
            for seed in seeds:
                kept = {
                    name: round(keeps(*sizes, seed, steps, rate), 2)
                    for name, sizes in FACTS.items()
                }
                rows.append({"steps": steps, "rate": rate, "seed": seed, **kept})
    return rows


SHELLS = {"post-norm": False, "pre-norm": True}


@attempt(seeds=range(1), rates=(1e-2,), depths=(6,), steps=1)
def norms(seeds=range(5, 8), rates=(1e-2, 1e-3), depths=(6, 12), steps=64):
    """The loss of both shells on the two sentences, at two rates and two heights."""
    german, english = (tl.Vocabulary.from_texts(s) for s in zip(*TWO_SENTENCES, strict=True))
    batch = make_batch(TWO_SENTENCES, german, english)
    rows = []
    for depth in depths:
        for rate in rates if depth == 6 else rates[:1]:
            for name, norm_first in SHELLS.items():
                losses = []
                for seed in seeds:
                    torch.manual_seed(seed)
                    sizes = {"d_model": 64, "d_ff": 128, "n_heads": 4, "dropout": 0.0}
                    model = tl.Transformer(
                        tl.TransformerConfig(
                            len(german),
                            len(english),
                            n_layers=depth,
                            norm_first=norm_first,
                            **sizes,
                        )
                    )
                    adam = torch.optim.Adam(model.parameters(), lr=rate)
                    losses.append(list(training_steps(model, [batch] * steps, adam))[-1])
                rows.append(
                    {
                        "layers": depth,
                        "rate": rate,
                        "norm": name,
                        "losses": " ".join(f"{loss:.3f}" for loss in losses),
                    }
                )
    return rows


@torch.no_grad()
def writes(model, source, target, left_out=None, instead=0.0):
    """Scores of the decoder, with what one of its sub-layers writes replaced everywhere."""
    memory, _ = model.encode(source, None)
    y = model.embed(target, model.target_embedding)
    written = {}
    for i, layer in enumerate(model.decoder):
        parts = {
            "self-attention": lambda y, a=layer.self_attention: a(
                y, y, y, tl.causal_mask(y.size(1))
            )[0],
            "cross-attention": lambda y, a=layer.cross_attention: a(y, memory, memory)[0],
            "feed-forward": layer.feed_forward,
        }
        norms = layer.norm1, layer.norm2, layer.norm3
        for (name, part), norm in zip(parts.items(), norms, strict=True):
            update = part(y)
            name = f"{name}, layer {i}"
            written[name] = update[0]
            if name == left_out:
                update = torch.zeros_like(update) + instead
            y = norm(y + update)
    return model.output(y)[0], written


@attempt(count=2)
def parts(count=120):
    """How many right words are no longer the likeliest without each part, in unseen sentences."""
    translator = tl.load_translator()
    model = translator.model
    batches = [
        make_batch(
            [(p.source, p.target)], translator.source_vocabulary, translator.target_vocabulary
        )
        for p in splits().unseen[:count]
    ]
    seen = [writes(model, b.source, b.target[:, :-1]) for b in batches]
    right = [
        scores.argmax(-1) == b.target[0, 1:] for (scores, _), b in zip(seen, batches, strict=True)
    ]
    rows = []
    for name in seen[0][1]:
        mean = torch.cat([written[name] for _, written in seen]).mean(0)
        row = {"without": name, "words": int(sum(r.sum() for r in right))}
        for what, instead in (("zeros (%)", 0.0), ("the mean (%)", mean)):
            lost = 0
            for batch, was in zip(batches, right, strict=True):
                scores, _ = writes(model, batch.source, batch.target[:, :-1], name, instead)
                lost += int((was & (scores.argmax(-1) != batch.target[0, 1:])).sum())
            row[what] = round(100 * lost / row["words"], 1)
        rows.append(row)
    return rows


@attempt(widths=(64,), depths=(1,))
def echo(widths=(64, 512), depths=(1, 6)):
    """What an untrained model with one table says: its loss, and how often it repeats its input."""
    rows = []
    for width in widths:
        for depth in depths:
            torch.manual_seed(0)
            source, target = torch.randint(4, 1000, (8, 20)), torch.randint(4, 1000, (8, 21))
            config = tl.TransformerConfig(
                1000,
                1000,
                d_model=width,
                d_ff=width,
                n_layers=depth,
                n_heads=8,
                dropout=0.0,
                tie_embeddings=True,
            )
            model = tl.Transformer(config)
            for embedding in (model.source_embedding, model.target_embedding):
                nn.init.normal_(embedding.weight, std=width**-0.5)
            with torch.no_grad():
                scores = model(source, target[:, :-1])
            loss = F.cross_entropy(scores.flatten(0, 1), target[:, 1:].flatten()).item()
            repeats = (scores.argmax(-1) == target[:, :-1]).float().mean().item()
            rows.append(
                {
                    "numbers": width,
                    "layers": depth,
                    "loss": round(loss, 1),
                    "repeats its input (%)": round(100 * repeats),
                }
            )
    return rows
