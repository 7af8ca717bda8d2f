"""What chapter 1 concludes: rows that are alike, moves that are alike, and what copying learns."""

import random
from itertools import permutations

import torch
import torch.nn.functional as F

import transformer_lite as tl
from dev.tried import attempt
from transformer_lite.data.corpus import german_english
from transformer_lite.train.recipe import Recipe
from transformer_lite.train.trainer import prepare
from transformer_lite.training import make_batch, training_steps

VERBS = {
    "suchen": "gesucht", "kaufen": "gekauft", "essen": "gegessen", "lesen": "gelesen",
    "trinken": "getrunken", "schwimmen": "geschwommen", "arbeiten": "gearbeitet",
    "gehen": "gegangen", "kommen": "gekommen", "anrufen": "angerufen", "zumachen": "zugemacht",
    "aufmachen": "aufgemacht",
}  # fmt: skip


def cosines(rows):
    """The cosines of all pairs of rows, −1 of each with itself."""
    directions = F.normalize(rows, dim=1)
    return directions @ directions.T - 2 * torch.eye(len(rows))


@attempt(tables=2)
def closest_by_chance(tables=200):
    """The closest of 205 other rows: in random tables, and in the trained one."""
    torch.manual_seed(0)
    best, pairs = [], []
    for _ in range(tables):
        closest = cosines(torch.randn(206, 64)).max(1).values
        best.append(closest)
        pairs.append(closest.max().item())
    best = torch.cat(best)
    trained_table = tl.load_translator().model.source_embedding.weight.detach()[4:]
    found = [("by chance", best), ("trained", cosines(trained_table).max(1).values)]
    return [
        {
            "table": name,
            "closest, on average": round(of.mean().item(), 2),
            "below 0.4": round((of < 0.4).float().mean().item(), 3),
            "closest pair": round(max(pairs) if name == "by chance" else of.max().item(), 2),
        }
        for name, of in found
    ]


def small_tables(seed, steps):
    """The German table of the chapter's small model before and after its training."""
    shipped = tl.load_translator()
    german, english = shipped.source_vocabulary, shipped.target_vocabulary
    torch.manual_seed(seed)
    chance = random.Random(seed)
    config = tl.TransformerConfig(
        len(german), len(english), d_model=64, d_ff=192, n_layers=1, n_heads=4, dropout=0.0
    )
    model = tl.Transformer(config)
    pairs = german_english()
    batches = (make_batch(chance.sample(pairs, 64), german, english) for _ in range(steps))
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    table = model.source_embedding.weight
    before = table.detach().clone()

    def rate(step):
        return 4e-3 * min(step, steps + 1 - step) / (steps / 2)

    for _ in training_steps(model, batches, optimizer, rate):
        pass
    return german, before, table.detach()


@attempt(seeds=range(1), steps=2)
def pushed_alike(seeds=range(10), steps=200):
    """How alike “nicht” and “kein” become, and their moves, in ten starts of the small model."""
    rows = []
    for seed in seeds:
        german, before, after = small_tables(seed, steps)
        i, j, door, red, reds = (t - 4 for t in german.encode("nicht kein Tür rote rotes".split()))
        moves = cosines((after - before)[4:])
        higher = (moves > moves[i, j]).sum().item() / (206 * 205)
        ends = cosines(after[4:])
        begins = cosines(before[4:])
        rows.append(
            {
                "seed": seed,
                "nicht, kein at first": round(begins[i, j].item(), 2),
                "nicht, kein": round(ends[i, j].item(), 2),
                "rote, rotes": round(ends[red, reds].item(), 2),
                "nicht, Tür": round(ends[i, door].item(), 2),
                "moves of nicht, kein": round(moves[i, j].item(), 2),
                "more alike, of all pairs": round(higher, 3),
            }
        )
    return rows


@attempt()
def copying_learns():
    """The slopes of a table whose rows are copied, without any product."""
    table = torch.randn(6, 4, requires_grad=True)
    table[torch.tensor([0, 1, 2])].sum().backward()
    return [{"row": i, "slope": slope.item()} for i, slope in enumerate(table.grad[:, 0])]


@attempt()
def without_beginnings():
    """The questions of participles, asked of what training has added to the rows alone."""
    translator = tl.load_translator()
    fresh = prepare(german_english(), Recipe(), progress=False).model
    began = fresh.source_embedding.weight.detach()
    table = translator.model.source_embedding.weight.detach()
    place = translator.source_vocabulary.tokens.index
    beginning = F.cosine_similarity(table[4:], began[4:]).mean().item()
    rows = []
    for name, of in (("rows", table), ("what was added", table - began)):
        at_once = given = left = 0
        for one, other in permutations(VERBS, 2):
            terms = [place(word) for word in (VERBS[one], one, other)]
            near = F.cosine_similarity(of, (of[terms[0]] - of[terms[1]] + of[terms[2]])[None])
            at_once += near.argmax().item() == place(VERBS[other])
            given += near.argmax().item() in terms
            near[terms] = -1
            left += near.argmax().item() == place(VERBS[other])
        rows.append(
            {
                "asked of": name,
                "right at once": at_once,
                "one of the three": given,
                "right without them": left,
                "cosine with the beginning": round(beginning, 2),
            }
        )
    return rows
