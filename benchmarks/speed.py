"""How fast is transformer_lite beside torch.nn.Transformer? Run it: python benchmarks/speed.py

One thread, processor time, the sides in turn so that all meet the same weather, medians of many
repetitions. The peer is nn.Transformer between the same embeddings and output layer, with both
padding masks, trained by plain Adam; to decode, it encodes once and runs its decoder over the whole
prefix for every token. Source 2's way is timed beside it: masks repeated for every head, weights
always built, feed-forward as two convolutions, and no cache. All sides get ids and make their own
masks. A third of the 64 sentences end in padding; the one that is decoded alone has none.
"""

import math
import statistics
import subprocess
import sys
import time

import torch
from torch import nn

from transformer_lite import Transformer, TransformerConfig, causal_mask, greedy_decode
from transformer_lite.training import Batch, loss_function, training_steps

SIZES = {
    "tiny": dict(d_model=64, d_ff=256, n_layers=2, n_heads=4, vocabulary=200, length=10),
    "small": dict(d_model=128, d_ff=512, n_layers=3, n_heads=4, vocabulary=2000, length=24),
}


class Side(nn.Module):
    """A model as others write it: embeddings, a subclass's ``encode`` and ``decode``, output."""

    def __init__(self, config, positions):
        super().__init__()
        self.source = nn.Embedding(config.source_vocab_size, config.d_model)
        self.target = nn.Embedding(config.target_vocab_size, config.d_model)
        self.positions = positions
        self.dropout = nn.Dropout(config.dropout)
        self.output = nn.Linear(config.d_model, config.target_vocab_size, bias=False)

    def forward(self, source, target):
        return self.output(self.decode(source, target, self.encode(source)))

    def embed(self, ids, table):
        return self.dropout(table(ids) + self.positions[: ids.size(1)])

    @torch.no_grad()
    def greedy(self, source, steps):
        memory = self.encode(source)
        ids = torch.ones(len(source), 1, dtype=torch.int64)
        for _ in range(steps):
            scores = self.output(self.decode(source, ids, memory)[:, -1])
            ids = torch.cat((ids, scores.argmax(-1, keepdim=True)), dim=1)
        return ids


class Torch(Side):
    """torch.nn.Transformer."""

    def __init__(self, c, positions):
        super().__init__(c, positions)
        self.transformer = nn.Transformer(
            c.d_model, c.n_heads, c.n_layers, c.n_layers, c.d_ff, c.dropout, batch_first=True
        )

    def encode(self, source):
        return self.transformer.encoder(
            self.embed(source, self.source), src_key_padding_mask=source == 0
        )

    def decode(self, source, target, memory):
        return self.transformer.decoder(
            self.embed(target, self.target), memory, tgt_mask=~causal_mask(target.size(1)),
            tgt_is_causal=True,
            tgt_key_padding_mask=target == 0, memory_key_padding_mask=source == 0,
        )  # fmt: skip


class ExplicitAttention(nn.Module):
    """Source 2's attention: a mask for every head, -1e9, weights kept, residual sum and norm."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x, y, blocked):
        q, k, v = (
            layer(z).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
            for layer, z in ((self.q, x), (self.k, y), (self.v, y))
        )
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        scores = scores.masked_fill(blocked.unsqueeze(1).repeat(1, self.n_heads, 1, 1), -1e9)
        weights = scores.softmax(-1)
        return self.norm(x + self.o((weights @ v).transpose(1, 2).flatten(2))), weights


class Convolutions(nn.Module):
    """Source 2's feed-forward network: two convolutions of width one, residual sum and norm."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.first = nn.Conv1d(d_model, d_ff, 1)
        self.second = nn.Conv1d(d_ff, d_model, 1)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        return self.norm(x + self.second(self.first(x.transpose(1, 2)).relu()).transpose(1, 2))


class Source2(Side):
    """The way of source 2."""

    def __init__(self, c, positions):
        super().__init__(c, positions)

        def layer(n_attentions):
            attentions = [ExplicitAttention(c.d_model, c.n_heads) for _ in range(n_attentions)]
            return nn.ModuleList([*attentions, Convolutions(c.d_model, c.d_ff)])

        self.encoder = nn.ModuleList(layer(1) for _ in range(c.n_layers))
        self.decoder = nn.ModuleList(layer(2) for _ in range(c.n_layers))

    @staticmethod
    def padding(queries, keys):
        return (keys == 0)[:, None].expand(-1, queries.size(1), -1)

    def encode(self, source):
        x = self.embed(source, self.source)
        blocked = self.padding(source, source)
        maps = []
        for attention, feed_forward in self.encoder:
            x, weights = attention(x, x, blocked)
            x = feed_forward(x)
            maps.append(weights)
        return x

    def decode(self, source, target, memory):
        x = self.embed(target, self.target)
        maps = []
        blocked = self.padding(target, target) | ~causal_mask(target.size(1))
        for attention, cross, feed_forward in self.decoder:
            x, weights = attention(x, x, blocked)
            maps.append(weights)
            x, weights = cross(x, memory, self.padding(target, source))
            x = feed_forward(x)
            maps.append(weights)
        return x


def medians(repetitions, *sides):
    """The median processor seconds of each side, the sides taking turns."""
    times = [[] for _ in sides]
    for side in sides:
        side()
    for _ in range(repetitions):
        for record, side in zip(times, sides, strict=True):
            start = time.process_time()
            side()
            record.append(time.process_time() - start)
    return [statistics.median(record) for record in times]


def trainer(model, batch):
    """A function that makes one training step of a side."""
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)

    def step():
        model.train()
        loss = loss_function(model(batch.source, batch.target[:, :-1]), batch.target[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def report(task, ours, torchs, source2):
    times = f"{1000 * ours:.1f}, {1000 * torchs:.1f} and {1000 * source2:.1f} ms"
    print(
        f"{task:28} {torchs / ours:5.2f}   source 2 {torchs / source2:5.2f}   ({times})", flush=True
    )


def print_memory():
    print("peak memory of one self-attention, d_model 64, 4 heads")
    for need_weights in (True, False):
        row = []
        for length in (512, 2048):
            code = (
                "import resource, torch; from transformer_lite import MultiHeadAttention; "
                "torch.set_num_threads(1);"
                f"m = MultiHeadAttention(64, 4); x = torch.randn(4, {length}, 64);"
                "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;"
                f"torch.set_grad_enabled(False); m(x, x, x, need_weights={need_weights});"
                "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)"
            )
            run = subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True
            )
            row.append(f"length {length}: {float(run.stdout):.0f} MB")
        print(f"{'with weights' if need_weights else 'fused':13} {'   '.join(row)}")


def print_speeds():
    print("relative speed, torch.nn.Transformer = 1   (times of ours, torch's and source 2's)")
    for name, size in SIZES.items():
        vocabulary = size.pop("vocabulary")
        length = size.pop("length")
        ours = Transformer(TransformerConfig(vocabulary, vocabulary, **size))
        peers = Torch(ours.config, ours.positions), Source2(ours.config, ours.positions)
        source = torch.randint(4, vocabulary, (64, length))
        source[1::3, -2:] = 0
        batch = Batch(source, torch.randint(4, vocabulary, (64, length + 1)))
        optimizer = torch.optim.Adam(ours.parameters(), lr=1e-4, fused=True)

        def train_ours(ours=ours, batch=batch, optimizer=optimizer):
            for _ in training_steps(ours, [batch], optimizer):
                pass

        report(
            f"{name:6} training step",
            *medians(40, train_ours, *(trainer(peer, batch) for peer in peers)),
        )
        for model in (ours, *peers):
            model.eval()
        # Never the largest of so many: no <eos>, all sides write 20 tokens
        ours.output.weight.data[2] = 0.0
        for n in (1, 64):
            sides = [lambda n=n, ours=ours, source=source: greedy_decode(ours, source[:n], 20)]
            sides += [
                lambda n=n, peer=peer, source=source: peer.greedy(source[:n], 20) for peer in peers
            ]
            report(f"{name:6} 20 tokens, {n:2} sentence{'s' * (n > 1)}", *medians(25, *sides))


def print_start():
    for what, code in (
        ("import transformer_lite after torch", "import transformer_lite"),
        ("load_translator() after that", "transformer_lite.load_translator()"),
    ):
        before = (
            "import time, torch" if "import" in what else "import time, torch, transformer_lite"
        )
        timed = f"{before}; t = time.perf_counter(); {code}; print(time.perf_counter() - t)"
        run = subprocess.run(
            [sys.executable, "-c", timed], capture_output=True, text=True, check=True
        )
        print(f"{what}: {float(run.stdout):.2f} s")


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    print_memory()
    print_speeds()
    print_start()


if __name__ == "__main__":
    main()
