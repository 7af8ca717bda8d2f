"""How fast is transformer_lite beside torch.nn.Transformer? Run it: python benchmarks/speed.py

One thread, the two sides in turn so that both meet the same weather, medians of many repetitions. The peer is
nn.Transformer between the same embeddings and output layer, trained by plain Adam; to decode, it does what its users
do, run the whole prefix again for every token. Both sides get ids and make their own masks. A third of the 64 sentences
end in padding; the one that is decoded alone has none.
"""

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


class Peer(nn.Module):
    """nn.Transformer with embeddings, positions and an output layer."""

    def __init__(self, ours: Transformer):
        super().__init__()
        c = ours.config
        self.source = nn.Embedding(c.source_vocab_size, c.d_model)
        self.target = nn.Embedding(c.target_vocab_size, c.d_model)
        self.positions = ours.positions
        self.dropout = nn.Dropout(c.dropout)
        self.transformer = nn.Transformer(
            c.d_model, c.n_heads, c.n_layers, c.n_layers, c.d_ff, c.dropout, batch_first=True
        )
        self.output = nn.Linear(c.d_model, c.target_vocab_size, bias=False)

    def forward(self, source, target):
        blocked = ~causal_mask(target.size(1))
        x = self.dropout(self.source(source) + self.positions[: source.size(1)])
        y = self.dropout(self.target(target) + self.positions[: target.size(1)])
        padding = source == 0
        hidden = self.transformer(
            x, y, tgt_mask=blocked, src_key_padding_mask=padding, memory_key_padding_mask=padding, tgt_is_causal=True
        )
        return self.output(hidden)

    @torch.no_grad()
    def greedy(self, source, steps):
        ids = torch.ones(len(source), 1, dtype=torch.int64)
        for _ in range(steps):
            ids = torch.cat((ids, self(source, ids)[:, -1:].argmax(-1)), dim=1)
        return ids


def medians(repetitions, *sides):
    """The median seconds of each side, the sides taking turns."""
    times = [[] for _ in sides]
    for side in sides:
        side()
    for _ in range(repetitions):
        for record, side in zip(times, sides, strict=True):
            start = time.perf_counter()
            side()
            record.append(time.perf_counter() - start)
    return [statistics.median(record) for record in times]


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    print("relative speed, torch.nn.Transformer = 1")
    for name, size in SIZES.items():
        vocabulary, length = size.pop("vocabulary"), size.pop("length")
        ours = Transformer(TransformerConfig(vocabulary, vocabulary, **size))
        peer = Peer(ours)
        source = torch.randint(4, vocabulary, (64, length))
        source[1::3, -2:] = 0
        target = torch.randint(4, vocabulary, (64, length + 1))
        batch = Batch(source, target)
        our_optimizer = torch.optim.Adam(ours.parameters(), lr=1e-4, fused=True)
        peer_optimizer = torch.optim.Adam(peer.parameters(), lr=1e-4)

        def train_ours(ours=ours, batch=batch, optimizer=our_optimizer):
            for _ in training_steps(ours, [batch], optimizer):
                pass

        def train_peer(peer=peer, batch=batch, optimizer=peer_optimizer):
            peer.train()
            loss = loss_function(peer(batch.source, batch.target[:, :-1]), batch.target[:, 1:])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss.item()

        a, b = medians(40, train_ours, train_peer)
        print(f"{name:6} training step             {b / a:5.2f}   ({1000 * a:.1f} ms against {1000 * b:.1f} ms)")
        ours.eval()
        peer.eval()
        ours.output.weight.data[2] = 0.0  # never the largest of so many: no <eos>, both sides write 20 tokens
        for n in (1, 64):
            a, b = medians(
                15,
                lambda n=n, ours=ours, source=source: greedy_decode(ours, source[:n], 20),
                lambda n=n, peer=peer, source=source: peer.greedy(source[:n], 20),
            )
            task = f"20 tokens, {n:2} sentence{'s' if n > 1 else ' '}"
            print(f"{name:6} {task}    {b / a:5.2f}   ({1000 * a:.1f} ms against {1000 * b:.1f} ms)")

    print("peak memory of one self-attention, d_model 64, 4 heads")
    for need_weights in (True, False):
        row = []
        for length in (512, 2048):
            code = (
                "import resource, torch; from transformer_lite import MultiHeadAttention; torch.set_num_threads(1);"
                f"m = MultiHeadAttention(64, 4); x = torch.randn(4, {length}, 64);"
                "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;"
                f"torch.set_grad_enabled(False); m(x, x, x, need_weights={need_weights});"
                "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)"
            )
            run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
            row.append(f"length {length}: {float(run.stdout):.0f} MB")
        print(f"{'with weights' if need_weights else 'fused':13} {'   '.join(row)}")

    for what, code in (
        ("import transformer_lite after torch", "import transformer_lite"),
        ("load_translator() after that", "transformer_lite.load_translator()"),
    ):
        before = "import time, torch" if "import" in what else "import time, torch, transformer_lite"
        timed = f"{before}; t = time.perf_counter(); {code}; print(time.perf_counter() - t)"
        run = subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True, check=True)
        print(f"{what}: {float(run.stdout):.2f} s")


if __name__ == "__main__":
    main()
