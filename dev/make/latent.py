"""What do keys and values from a latent cost, and what shared heads of the same cache?

    python -m dev.make.latent

Trains the decoder alone of chapter 11, norms first and with rotary positions, up to ten times for
each kind of cache, and counts the translations that are exactly right. With four key heads that
model is the one that ``variants`` has trained already. What is measured is kept after each training
run, and a program that was stopped goes on from there. Its results come with the package, in
attention_by_hand/exhibits/latent.json.
"""

import json
from dataclasses import replace
from itertools import product

import torch
from torch import Tensor, nn

from attention_by_hand import exhibits
from dev.make import note
from transformer_lite.attention import Cache, masked_softmax
from transformer_lite.cache import KeyValueCache
from transformer_lite.data.grammar import splits
from transformer_lite.decoder_only import question_and_answer
from transformer_lite.variants import Decoder, Plan, Positions

from .alone import PAIRS, VOCABULARY, exact, train

SEEDS = range(10)
SENTENCES = 300
KEPT = exhibits.file_of("latent")
BASE = Plan(
    vocab_size=len(VOCABULARY), d_model=64, n_layers=2, n_heads=4, d_ff=192, positions="rotary"
)


class LatentAttention(nn.Module):
    """Causal attention that keeps, of a token, one latent and one small turned key.

    From the latent each head makes its keys, without a place, and its values. The turned key is
    the same for all heads. A query has both parts, and a score is the sum of two dot products.
    """

    def __init__(self, plan: Plan, latent: int, turned: int):
        super().__init__()
        heads = plan.n_heads
        d = plan.size_of_head
        self.sizes = (d, turned)
        self.w_q = nn.Linear(plan.d_model, heads * (d + turned), bias=False)
        self.w_latent = nn.Linear(plan.d_model, latent, bias=False)
        self.norm = nn.RMSNorm(latent)
        self.w_turned = nn.Linear(plan.d_model, turned, bias=False)
        self.w_k = nn.Linear(latent, heads * d, bias=False)
        self.w_v = nn.Linear(latent, heads * d, bias=False)
        self.w_o = nn.Linear(heads * d, plan.d_model, bias=False)

    def new_cache(self) -> KeyValueCache:
        """An empty cache for a text: latents stand for keys, turned keys for values."""
        return KeyValueCache()

    def forward(self, x: Tensor, mask: Tensor, positions: Positions, cache: Cache = None):
        """x: ``(batch, length, d_model)``; mask: ``(length, past + length)``. Returns the output
        and the weights, ``(batch, n_heads, length, past + length)``.
        """
        past = cache.length if cache else 0
        d, turned = self.sizes
        q = self.w_q(x).unflatten(-1, (-1, d + turned)).transpose(1, 2)  # (B, H, T, d + turned)
        q, q_turned = q.split(self.sizes, dim=-1)
        q_turned = positions.turn(q_turned, past)
        latent = self.norm(self.w_latent(x)).unsqueeze(1)  # (B, 1, T, latent)
        k_turned = positions.turn(self.w_turned(x).unsqueeze(1), past)  # (B, 1, T, turned)
        if cache is not None:
            latent, k_turned = cache.append(latent, k_turned)
        k = self.w_k(latent.squeeze(1)).unflatten(-1, (-1, d)).transpose(1, 2)
        v = self.w_v(latent.squeeze(1)).unflatten(-1, (-1, d)).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) + q_turned @ k_turned.transpose(-2, -1)
        weights = masked_softmax(scores / (d + turned) ** 0.5, mask)
        return self.w_o((weights @ v).transpose(1, 2).flatten(2)), weights


def shared(key_heads: int) -> Decoder:
    return Decoder(replace(BASE, key_heads=key_heads))


def from_latent(latent: int, turned: int) -> Decoder:
    model = Decoder(BASE)
    for layer in model.layers:
        layer.attention = LatentAttention(BASE, latent, turned)
    return model


# For each kind how many numbers a token leaves in a layer, and its model.
KINDS = {
    "4 key heads": (128, lambda: shared(4)),
    "2 key heads": (64, lambda: shared(2)),
    "1 key head": (32, lambda: shared(1)),
    "latent": (24 + 8, lambda: from_latent(24, 8)),
}


def measure(make, seed: int) -> dict[str, float]:
    """The shares that are exactly right, of unseen sentences and of new combinations."""
    torch.manual_seed(seed)
    model = train(
        make(), lambda dice: question_and_answer(dice.sample(PAIRS, 64), VOCABULARY), seed
    )
    _, unseen, compositional = splits()
    return {
        split: exact(model, [pair[:2] for pair in sentences[:SENTENCES]])
        for split, sentences in (("unseen", unseen), ("compositional", compositional))
    }


def main() -> None:
    torch.set_num_threads(1)
    measured = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    for seed, (name, (kept, make)) in product(SEEDS, KINDS.items()):
        size = sum(weight.numel() for weight in make().parameters())
        row = measured.setdefault(
            name, {"kept": kept, "weights": size, "unseen": [], "compositional": []}
        )
        if seed < len(row["unseen"]):
            continue
        for split, share in measure(make, seed).items():
            row[split].append(share)
            print(f"{name:11} seed {seed} {split:13} {share}", flush=True)
        KEPT.write_text(json.dumps(measured, indent=1) + "\n")
    note(KEPT, __file__, [*SEEDS])


if __name__ == "__main__":
    main()
