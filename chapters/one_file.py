"""The Transformer of *Attention Is All You Need*, and a small translator, in one file.

It takes PyTorch and nothing else. `python one_file.py` trains on 72 German sentences, which takes
some ten seconds, and then translates nine that it has never seen. The chapters of *Attention, by
Hand* build each piece and take it apart again; their numbers stand beside the pieces.

Shapes: B sentences, T tokens, D numbers for each token, H heads, V words.
"""

import itertools
import math

import torch
import torch.nn.functional as F
from torch import nn

PAD, BOS, EOS = 0, 1, 2  # padding, the beginning and the end of a sentence


def attention(query, key, value, may_look):  # chapter 2: softmax(Q Kᵀ / √d_k) V
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))  # chapter 3
    weights = scores.masked_fill(~may_look, -math.inf).softmax(dim=-1)  # chapter 5
    return weights @ value


class MultiHeadAttention(nn.Module):  # chapter 4
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.w_q = nn.Linear(d_model, d_model, bias=False)
        self.w_k = nn.Linear(d_model, d_model, bias=False)
        self.w_v = nn.Linear(d_model, d_model, bias=False)
        self.w_o = nn.Linear(d_model, d_model, bias=False)

    def split(self, x):
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)  # (B, H, T, d_k)

    def forward(self, asks, answers, may_look):
        query = self.split(self.w_q(asks))
        key, value = self.split(self.w_k(answers)), self.split(self.w_v(answers))
        heads = attention(query, key, value, may_look)
        return self.w_o(heads.transpose(1, 2).flatten(2))  # (B, T, D)


def feed_forward(d_model, d_ff):  # chapter 7: each token by itself
    return nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = feed_forward(d_model, d_ff)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def forward(self, x, may_look):
        x = self.norm1(x + self.self_attention(x, x, may_look))
        return self.norm2(x + self.feed_forward(x))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, n_heads)
        self.cross_attention = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = feed_forward(d_model, d_ff)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)

    def forward(self, x, memory, may_look, may_look_at_memory):
        x = self.norm1(x + self.self_attention(x, x, may_look))
        x = self.norm2(x + self.cross_attention(x, memory, may_look_at_memory))
        return self.norm3(x + self.feed_forward(x))


def waves(length, d_model):  # chapter 6: where a token stands
    position = torch.arange(length)[:, None]
    angle = position / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1)  # (T, D)


class Transformer(nn.Module):  # chapter 7
    def __init__(self, n_source, n_target, d_model=64, n_heads=4, d_ff=256, n_layers=2):
        super().__init__()
        self.source_embedding = nn.Embedding(n_source, d_model)  # chapter 1
        self.target_embedding = nn.Embedding(n_target, d_model)
        sizes = d_model, n_heads, d_ff
        self.encoder = nn.ModuleList(EncoderLayer(*sizes) for _ in range(n_layers))
        self.decoder = nn.ModuleList(DecoderLayer(*sizes) for _ in range(n_layers))
        self.output = nn.Linear(d_model, n_target, bias=False)
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=d_model**-0.5)

    def embed(self, ids, embedding):
        d_model = embedding.embedding_dim
        return embedding(ids) * math.sqrt(d_model) + waves(ids.size(1), d_model)

    def forward(self, source, target):
        is_word = (source != PAD)[:, None, None, :]  # (B, 1, 1, S)
        memory = self.embed(source, self.source_embedding)
        for layer in self.encoder:
            memory = layer(memory, is_word)
        no_later = torch.ones(target.size(1), target.size(1)).tril().bool()  # (T, T)
        x = self.embed(target, self.target_embedding)
        for layer in self.decoder:
            x = layer(x, memory, no_later, is_word)
        return self.output(x)  # (B, T, V): a score for each next word


def train(model, source, target, steps, batch_size=32):  # chapter 8
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(steps):
        rows = torch.randint(len(source), (batch_size,))
        read, answer = target[rows, :-1], target[rows, 1:]
        scores = model(source[rows], read)
        loss = F.cross_entropy(scores.flatten(0, 1), answer.flatten(), ignore_index=PAD)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0 or step == steps - 1:
            print(f"step {step}: loss {loss.item():.3f}")


@torch.no_grad()
def write(model, source, most=20):
    ids = torch.tensor([[BOS]])
    while ids[0, -1] != EOS and ids.size(1) <= most:
        next_word = model(source, ids)[:, -1].argmax(dim=-1, keepdim=True)
        ids = torch.cat((ids, next_word), dim=1)
    return ids[0, 1:]


def sentences():
    """All pairs of a language with four times three parts. German has its verb second."""
    adverbs = ("heute", "today"), ("jetzt", "now"), ("wieder", "again")
    subjects = ("mein bruder", "my brother"), ("die frau", "the woman"), ("er", "he")
    verbs = ("liest", "reads"), ("kauft", "buys"), ("sucht", "is looking for")
    objects = ("das buch", "the book"), ("den brief", "the letter"), ("die zeitung", "the paper")
    for parts in itertools.product(adverbs, subjects, verbs, objects):
        (a, adverb), (s, subject), (v, verb), (o, thing) = parts
        yield f"{a} {v} {s} {o}", f"{subject} {verb} {thing} {adverb}"


def numbered(texts):
    """The words of some texts, each at its number."""
    return ["<pad>", "<bos>", "<eos>", *sorted({word for text in texts for word in text.split()})]


def as_ids(texts, words):
    """Ids (B, T) of some texts, from the begin mark to the end mark, padded to equal length."""
    rows = [[BOS, *map(words.index, text.split()), EOS] for text in texts]
    return nn.utils.rnn.pad_sequence(list(map(torch.tensor, rows)), batch_first=True)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)  # so small a model would only wait for more
    german, english = zip(*sentences(), strict=True)
    german_words, english_words = numbered(german), numbered(english)
    source, target = as_ids(german, german_words), as_ids(english, english_words)
    unseen = torch.randperm(len(source))[:9]
    seen = [i for i in range(len(source)) if i not in unseen]

    model = Transformer(len(german_words), len(english_words))
    train(model, source[seen], target[seen], steps=300)
    for i in unseen:
        written = " ".join(english_words[j] for j in write(model, source[i : i + 1]) if j != EOS)
        print(f"{german[i]} -> {written}{'' if written == english[i] else '  (wrong)'}")


if __name__ == "__main__":
    main()
