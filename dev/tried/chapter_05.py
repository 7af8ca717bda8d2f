"""What chapter 5 concludes, tried again: a leak, writing without the mask, and rows that may look
nowhere.
"""

import itertools
import math

import torch
import torch.nn.functional as F
from torch import nn

import transformer_lite as tl
from dev.tried import attempt
from transformer_lite.data.grammar import splits
from transformer_lite.vocabulary import BOS_ID, EOS_ID


class NextSymbol(nn.Module):
    """Layers of masked self-attention that predict the next of ten symbols."""

    def __init__(self, mask, n_layers):
        super().__init__()
        self.embedding = nn.Embedding(10, 64)
        self.output = nn.Linear(64, 10)
        self.layers = nn.ModuleList(
            tl.layers.EncoderLayer(64, 4, 128, dropout=0.0) for _ in range(n_layers)
        )
        self.mask = mask

    def forward(self, ids):
        length = ids.size(1)
        x = self.embedding(ids) + tl.sinusoidal_encoding(length, 64)
        for layer in self.layers:
            x, _ = layer(x, self.mask[:length, :length])
        return self.output(x)


def at_once(model, ids):
    return F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())


@torch.no_grad()
def step_by_step(model, ids):
    places = range(ids.size(1) - 1)
    losses = [F.cross_entropy(model(ids[:, : t + 1])[:, -1], ids[:, t + 1]) for t in places]
    return sum(losses).item() / len(places)


LEAKS = {
    "as in the chapter": (1, 8, 400, 3e-3),
    "two layers": (2, 8, 400, 1e-3),
    "16 places, three times the steps": (1, 16, 1200, 1e-3),
}


@attempt(seeds=range(1), cases=("as in the chapter",), factor=0.01)
def leak(seeds=range(1, 5), cases=tuple(LEAKS), factor=1):
    """The loss of a model that sees one symbol ahead, at once and step by step."""
    rows = []
    for case in cases:
        n_layers, length, steps, rate = LEAKS[case]
        for seed in seeds:
            torch.manual_seed(seed)
            model = NextSymbol(torch.ones(length, length, dtype=torch.bool).tril(1), n_layers)
            adam = torch.optim.Adam(model.parameters(), lr=rate)
            for _ in range(int(factor * steps)):
                loss = at_once(model, torch.randint(10, (32, length + 1)))
                adam.zero_grad()
                loss.backward()
                adam.step()
            new = torch.randint(10, (500, length + 1))
            with torch.no_grad():
                seen = at_once(model, new).item()
            rows.append(
                {
                    "case": case,
                    "seed": seed,
                    "at once": round(seen, 3),
                    "foreseen": round(math.log(10) / length, 3),
                    "step by step": round(step_by_step(model, new), 1),
                }
            )
    return rows


@torch.no_grad()
def unmasked(translator, text):
    """Greedy decoding in which every word so far sees every other."""
    model, vocabulary = translator.model, translator.source_vocabulary
    memory, _ = model.encode(torch.tensor([vocabulary.encode(text.split())]), None)
    written = torch.tensor([[BOS_ID]])
    while written[0, -1] != EOS_ID and written.size(1) < 30:
        y = model.embed(written, model.target_embedding)
        for layer in model.decoder:
            y, *_ = layer(y, memory, None, None)
        best = model.output(model.decoder_norm(y))[0, -1].argmax()
        written = torch.cat((written, best.view(1, 1)), dim=1)
    return translator.target_vocabulary.decode(written[0, 1:].tolist())


@attempt(count=3)
def writes_unmasked(count=1000):
    """How many translations change when the decoder writes without its mask, by length."""
    translator = tl.load_translator()
    pairs = sorted(splits().unseen[:count], key=lambda pair: len(pair.source.split()))
    usual = translator.translate_batch([pair.source for pair in pairs])
    rows = []
    grouped = itertools.groupby(
        zip(pairs, usual, strict=True), lambda both: len(both[0].source.split())
    )
    for length, group in grouped:
        group = list(group)
        changed = sum(unmasked(translator, pair.source) != was.tokens for pair, was in group)
        rows.append({"German tokens": length, "sentences": len(group), "changed": changed})
    return rows


@attempt(tables=2)
def minus_a_billion(tables=300):
    """In how many random tables −10⁹ gives other weights than −∞, one key of a row being open."""
    rows = []
    for kind in (torch.float32, torch.float64, torch.bfloat16):
        torch.manual_seed(0)
        differ = 0
        for _ in range(tables):
            scores = (10 * torch.randn(16, 16)).to(kind)
            allowed = torch.rand(16, 16) < 0.3
            allowed |= torch.eye(16, dtype=torch.bool)
            ways = [scores.masked_fill(~allowed, fill).softmax(-1) for fill in (-torch.inf, -1e9)]
            differ += not torch.equal(*ways)
        rows.append(
            {"numbers": str(kind).removeprefix("torch."), "tables": tables, "differ": differ}
        )
    return rows


@attempt()
def nowhere():
    """What `nn.MultiheadAttention` makes of a row that may look nowhere, in sixteen ways."""
    rows = []
    for training, gradients, bias, numbers in itertools.product((True, False), repeat=4):
        torch.manual_seed(0)
        attention = nn.MultiheadAttention(8, 2, bias=bias, batch_first=True).train(training)
        x = torch.randn(1, 4, 8)
        blocked = tl.causal_mask(4)
        mask = torch.zeros(4, 4).masked_fill(blocked, -torch.inf) if numbers else blocked
        with torch.set_grad_enabled(gradients):
            _, weights = attention(x, x, x, attn_mask=mask)
            silent, _ = attention(x, x, x, attn_mask=mask, need_weights=False)
        silent = silent[0, -1] - attention.out_proj.bias if bias else silent[0, -1]
        rows.append(
            {
                "training": str(training),
                "gradients": str(gradients),
                "bias": str(bias),
                "mask": "numbers" if numbers else "true and false",
                "with weights": "nan" if weights[0, -1].isnan().all() else "numbers",
                "without": "0"
                if (silent == 0).all()
                else "nan"
                if silent.isnan().all()
                else "other",
            }
        )
    return rows
