"""What chapter 9 concludes, tried again: what an article knows, which heads are missed, and whether
models look from two starts.
"""

import itertools
import re

import numpy as np
import torch

import transformer_lite as tl
from dev.tried import attempt
from transformer_lite.ablation import listening
from transformer_lite.data.corpus import TWO_SENTENCES
from transformer_lite.data.grammar import splits
from transformer_lite.data.grammar.lexicon import VERBS
from transformer_lite.training import make_batch, training_steps

CLOSED = re.compile(r"\b(die|das|den) (?:(\w+) )?(Tür|Fenster|Koffer)\b")
ENGLISH = {"Tür": "door", "Fenster": "window", "Koffer": "suitcase"}


def closings():
    """Every sentence in which a door, a window or a suitcase is closed, with its phrase."""
    for pair in itertools.chain(*splits()):
        found = CLOSED.search(pair.source)
        if found and re.search(r"\bclos", pair.target):
            yield pair, found


@torch.no_grad()
def chance(translator, german, english, noun, hidden=(), unheard=False):
    """P(the noun) where it is to be written, with German words hidden from the decoder, and the
    first of them from all the others.
    """
    source = torch.tensor([translator.source_vocabulary.encode(german)])
    seen = torch.tensor([word not in hidden for word in german])[None, None, None]
    mask = None
    if unheard:
        others = torch.tensor([word != hidden[0] for word in german])[None, None, None]
        mask = others | torch.eye(len(german), dtype=torch.bool)
    memory, _ = translator.model.encode(source, mask)
    read = translator.target_vocabulary.encode(["<bos>", *english[: english.index(noun)]])
    logits, *_ = translator.model.decode(torch.tensor([read]), memory, seen)
    (wanted,) = translator.target_vocabulary.encode([noun])
    return logits[0, -1].softmax(-1)[wanted].item()


@attempt(count=3)
def article(count=None):
    """P(noun) with no trace of the noun, in every sentence in which something is closed."""
    translator = tl.load_translator()
    chances = {}
    for pair, found in itertools.islice(closings(), count):
        german, english = pair.source.split(), pair.target.split()
        phrase, noun = found[0], ENGLISH[found[3]]
        chances.setdefault(phrase, []).append(
            [
                chance(translator, german, english, noun, hidden, unheard)
                for hidden, unheard in (
                    ((), False),
                    ((found[3],), False),
                    ((found[3],), True),
                    ((found[3], found[1]), True),
                )
            ]
        )
    return [
        {
            "phrase": phrase,
            "sentences": len(some),
            **dict(
                zip(
                    ("nothing hidden", "noun hidden", "and unheard", "and no article"),
                    (round(x, 2) for x in np.mean(some, axis=0).tolist()),
                    strict=True,
                )
            ),
        }
        for phrase, some in sorted(chances.items())
    ]


DOORS = {
    "with red": (
        "ich habe die rote Tür heute nicht zugemacht .",
        "i did not close the red door today .",
    ),
    "without": ("ich habe die Tür heute nicht zugemacht .", "i did not close the door today ."),
}


@attempt()
def red():
    """Which other word of the door sentence says that it is a door."""
    translator = tl.load_translator()
    rows = []
    for name, (german, english) in DOORS.items():
        german, english = german.split(), english.split()
        for word in (None, "die", "rote", "nicht", "heute", "zugemacht"):
            if word is None or word in german:
                hidden = ["Tür", *([word] if word else [])]
                left = chance(translator, german, english, "door", hidden, unheard=True)
                rows.append(
                    {
                        "sentence": name,
                        "hidden beside the noun": word or "nothing",
                        "door": round(left, 2),
                    }
                )
    follow = [p.source.split() for p in splits().train]
    after = [
        words[i + 2]
        for words in follow
        for i in range(len(words) - 2)
        if words[i : i + 2] == ["die", "rote"]
    ]
    rows.append({"sentence": "training", "die rote": len(after), "then Tür": after.count("Tür")})
    return rows


def lost(translator, pairs, *heads):
    """Which sentences go wrong without these heads of the upper cross-attention."""
    with tl.without_heads(translator.model.decoder[1].cross_attention, *heads):
        written = translator.translate_batch([pair.source for pair in pairs])
    return [w.text != pair.target for w, pair in zip(written, pairs, strict=True)]


@attempt(count=4, sets=("unseen",))
def heads(count=1000, sets=("unseen", "compositional")):
    """What is lost without one head and without two, in 1,000 sentences of each kind."""
    translator = tl.load_translator()
    rows = []
    for name in sets:
        pairs = getattr(splits(), name)[:count]
        alone = [sum(lost(translator, pairs, head)) for head in range(4)]
        for head, n in enumerate(alone):
            rows.append({"sentences": name, "without": str(head), "lost": n})
        for one, other in itertools.combinations(range(4), 2):
            rows.append(
                {
                    "sentences": name,
                    "without": f"{one} and {other}",
                    "lost": sum(lost(translator, pairs, one, other)),
                    "one by one": alone[one] + alone[other],
                }
            )
    return rows


@attempt(count=4)
def means(count=200):
    """What is lost with zeros in a head's place, and with the mean of what it brings."""
    translator = tl.load_translator()
    pairs = splits().unseen[:count]
    mixes = translator.model.decoder[1].cross_attention.w_o
    brought = []

    def wrong(hook):
        handle = mixes.register_forward_pre_hook(hook)
        written = translator.translate_batch([pair.source for pair in pairs])
        handle.remove()
        return sum(one.text != pair.target for one, pair in zip(written, pairs, strict=True))

    wrong(lambda _, found: brought.append(found[0].flatten(0, -2)))
    mean = torch.cat(brought).mean(dim=0)  # (64,)
    rows = []
    for cut in ((0,), (1,), (2,), (3,), (1, 3)):
        lost = torch.tensor([head in cut for head in range(4)]).repeat_interleave(16)
        rows.append(
            {
                "heads": " and ".join(map(str, cut)),
                "zeros": wrong(lambda _, found, lost=lost: found[0] * ~lost),
                "mean": wrong(lambda _, found, lost=lost: torch.where(lost, mean, found[0])),
            }
        )
    return rows


@attempt(count=4)
def yesterday(count=None):
    """Without which head "yesterday" is lost, in all sentences that neither was trained on."""
    translator = tl.load_translator()
    pairs = [p for p in splits().unseen + splits().compositional if "gestern" in p.source.split()]
    pairs = pairs[:count]
    rows = []
    for head in range(4):
        with tl.without_heads(translator.model.decoder[1].cross_attention, head):
            written = translator.translate_batch([pair.source for pair in pairs])
        missing = sum("yesterday" not in w.tokens for w in written)
        rows.append({"without head": head, "of": len(pairs), "yesterday is lost": missing})
    whole = translator.translate_batch([pair.source for pair in pairs])
    weights = [
        w.attention.cross[1][0, :, w.tokens.index("yesterday"), w.source_tokens.index("gestern")]
        for w in whole
        if "yesterday" in w.tokens
    ]
    for head, least in enumerate(torch.stack(weights).min(0).values.tolist()):
        rows[head]["least weight on gestern"] = round(least, 2)
    return rows


GERMAN, ENGLISH_WORDS = (
    tl.Vocabulary.from_texts(side) for side in zip(*TWO_SENTENCES, strict=True)
)
BATCH = make_batch(TWO_SENTENCES, GERMAN, ENGLISH_WORDS)
READ, DRINK = BATCH.target[:, :-1], 3  # the row that writes the drink; the noun is word 3 too
DRINKS = torch.tensor(ENGLISH_WORDS.encode(["beer", "coke"]))
XAVIER = {
    "nowhere": "^$",
    "everywhere": "",
    "in the encoder's attention": r"encoder.*attention",
    "in the encoder": "^encoder",
    "everywhere, one layer": "",
}


def trained(seed, xavier="^$", rate=3e-3, steps=64, **changes):
    """The chapter's model on two sentences, with Xavier's numbers where a name matches."""
    torch.manual_seed(seed)
    sizes = {"d_model": 64, "d_ff": 256, "n_layers": 2, "n_heads": 4, "dropout": 0.0} | changes
    model = tl.Transformer(tl.TransformerConfig(len(GERMAN), len(ENGLISH_WORDS), **sizes))
    for name, parameter in model.named_parameters():
        if parameter.dim() > 1 and "embedding" not in name and re.search(xavier, name):
            torch.nn.init.xavier_uniform_(parameter)
    adam = torch.optim.Adam(model.parameters(), lr=rate)
    losses = list(training_steps(model, [BATCH] * steps, adam))
    return model.eval(), losses[-1]


@torch.no_grad()
def right_drinks(model, places):
    """The lower probability of the right drink, where the decoder sees these German words."""
    memory, _ = model.encode(BATCH.source, None)
    seen = torch.tensor([place in places for place in range(4)])[None, None, None]
    logits, *_ = model.decode(READ, memory, seen)
    return logits[:, DRINK].softmax(-1)[[0, 1], DRINKS].min().item()


@torch.no_grad()
def rows_of_the_drink(model):
    _, maps = model(BATCH.source, READ, return_attention=True)
    return torch.cat([layer[0, :, DRINK] for layer in maps.cross])  # (heads, 4)


@attempt(seeds=range(1), starts=("nowhere",))
def two_starts(seeds=range(20, 30), starts=tuple(XAVIER)):
    """Where Xavier's numbers stand: does a head look at the noun, and is the noun needed?"""
    rows = []
    for start in starts:
        layers = {"n_layers": 1} if "one layer" in start else {}
        models = [trained(seed, XAVIER[start], **layers)[0] for seed in seeds]
        best = [rows_of_the_drink(model)[:, 3].max().item() for model in models]
        hidden = [right_drinks(model, (0, 1, 2)) for model in models]
        alone = [min(right_drinks(model, (place,)) for place in range(4)) for model in models]
        rows.append(
            {
                "Xavier's numbers": start,
                "models": len(models),
                "a head looks (0.44 or more)": sum(b >= 0.44 for b in best),
                "highest": round(max(best), 2),
                "lowest": round(min(best), 2),
                "right with the noun hidden": sum(h > 0.5 for h in hidden),
                "right from each word alone": sum(a > 0.5 for a in alone),
            }
        )
    return rows


@attempt(seeds=range(1))
def collapsed(seeds=range(10)):
    """What is left in the collapsed model: its rows, and whether the source is noticed."""
    rows = []
    for seed in seeds:
        model, loss = trained(seed, rate=1e-2, d_model=128, d_ff=512)
        with torch.no_grad():
            logits = model(BATCH.source, BATCH.target[[0, 0], :-1])
        beer = logits[:, DRINK].softmax(-1)[:, DRINKS[0]].tolist()
        uneven = (rows_of_the_drink(model) - 0.25).abs().max().item()
        rows.append(
            {
                "seed": seed,
                "loss": round(loss, 2),
                "beer": round(beer[0], 3),
                "beer falls by": round(beer[0] - beer[1], 3),
                "farthest from a quarter": round(uneven, 3),
            }
        )
    return rows


MAKES = "mache", "machst", "macht", "machen"


def with_one(pairs, verbs, others):
    """Sentences that have one of each, with the two places."""
    for pair in pairs:
        words = pair.source.split()
        verb = [i for i, word in enumerate(words) if word in verbs]
        other = [i for i, word in enumerate(words) if word in others]
        if len(verb) == len(other) == 1:
            yield words, verb[0], other[0]


@torch.no_grad()
def after_layers(translator, words, verb, hidden=None):
    """The vector of the verb after each layer, where nobody may hear the hidden place."""
    model = translator.model
    mask = torch.ones(len(words), len(words), dtype=torch.bool)
    if hidden is not None:
        mask[:, hidden] = False
        mask[hidden, hidden] = True
    x = model.embed(
        torch.tensor([translator.source_vocabulary.encode(words)]), model.source_embedding
    )
    seen = []
    for layer in model.encoder:
        x, _ = layer(x, mask)
        seen.append(x[0, verb])
    return torch.stack(seen)


@attempt(count=40)
def probe(count=None):
    """Whether "macht" still knows its meaning if no word hears the particle."""
    translator = tl.load_translator()
    known = list(with_one(splits().train[:count], MAKES, ("auf", "zu")))
    new = list(with_one(splits().unseen + splits().compositional, MAKES, ("auf", "zu")))[:count]
    side = [
        torch.tensor([1.0 if words[p] == "auf" else -1.0 for words, _, p in some])
        for some in (known, new)
    ]
    rows = []
    for name, hide in (("heard", False), ("heard by nobody", True)):
        fitted, tried = (
            torch.stack(
                [
                    after_layers(translator, words, verb, p if hide else None)
                    for words, verb, p in some
                ]
            )
            for some in (known, new)
        )
        for layer in range(2):
            a, b = (torch.cat((x[:, layer], torch.ones(len(x), 1)), 1) for x in (fitted, tried))
            plane = torch.linalg.solve(a.T @ a + torch.eye(65), a.T @ side[0])
            right = ((b @ plane).sign() == side[1]).float()
            halves = [right[side[1] == s].mean().item() for s in (1, -1) if (side[1] == s).any()]
            rows.append(
                {
                    "particle": name,
                    "after layer": layer,
                    "fitted to": len(known),
                    "tried on": len(new),
                    "right (%)": round(100 * np.mean(halves)),
                }
            )
    return rows


@attempt(count=100)
def participle(count=None):
    """Which heads look from "hat" and "habe" at the participle, in all sentences set aside."""
    translator = tl.load_translator()
    participles = {v.participle.split()[-1] for v in VERBS.values() if v.participle}
    pairs = (splits().unseen + splits().compositional)[:count]
    finds = {"after": [], "before": []}
    for words, has, verb in with_one(pairs, ("hat", "habe"), participles):
        source = torch.tensor([translator.source_vocabulary.encode(words)])
        with torch.no_grad():
            _, maps = translator.model.encode(source, None, need_weights=True)
        most = torch.cat([layer[0, :, has] for layer in maps]).argmax(-1)  # (8,)
        finds["after" if verb > has else "before"].append(most == verb)
    rows = []
    for side, hits in finds.items():
        if hits:
            share = torch.stack(hits).float().mean(0)
            rows.append(
                {"participle": side, "sentences": len(hits)}
                | {
                    f"layer {head // 4}, head {head % 4} (%)": round(100 * share[head].item())
                    for head in range(8)
                }
            )
    return rows


@attempt(count=3)
@torch.no_grad()
def said_so_far(count=200):
    """After which sub-layer the likeliest word is the one that is written, and stays so."""
    translator = tl.load_translator()
    model = translator.model.eval()
    names = [f"{part} {layer}" for layer in (0, 1) for part in ("self", "cross", "network")]
    norms = [(layer, norm) for layer in model.decoder for norm in ("norm1", "norm2", "norm3")]
    modules = {name: getattr(layer, norm) for name, (layer, norm) in zip(names, norms, strict=True)}
    settled = dict.fromkeys([*names, "never"], 0)
    for pair in splits().unseen[:count]:
        translation = translator.translate(pair.source)
        source = translator.source_vocabulary.encode(translation.source_tokens)
        read = translator.target_vocabulary.encode(translation.decoder_tokens)
        with listening(modules) as heard:
            logits = model(torch.tensor([source]), torch.tensor([read]))
        says = {name: model.output(heard[name].output).argmax(-1)[0] for name in names}
        for place, last in enumerate(logits[0].argmax(-1)):
            right = [says[name][place] == last for name in names]
            first = next((i for i in range(len(names)) if all(right[i:])), None)
            settled["never" if first is None else names[first]] += 1
    words = sum(settled.values())
    shares = {name: round(100 * found / words, 1) for name, found in settled.items()}
    return [{"words": words, **shares}]
