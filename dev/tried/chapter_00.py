"""What chapter 0 concludes: a narrow vector, lines along a diagonal, and two uses of “to”."""

from collections import Counter

import torch
import torch.nn.functional as F

import transformer_lite as tl
from attention_by_hand.studies.recall import START, TRAINED, Copier, measure, rows, train
from dev.tried import attempt
from transformer_lite.data.grammar import splits
from transformer_lite.training import gradient_steps


def practised(size, rate, seed, steps):
    """The first model of the chapter, with a vector of another size or at another rate."""
    torch.manual_seed(seed)
    model = Copier(attend=False, size=size)
    batches = (rows(TRAINED[torch.randint(len(TRAINED), ())], 64) for _ in range(steps))

    def loss(letters):
        return F.cross_entropy(model(letters).flatten(0, 1), letters.flatten())

    for _ in gradient_steps(loss, batches, torch.optim.Adam(model.parameters(), lr=rate)):
        pass
    return model


@attempt(seeds=range(1), steps=2, kinds=((64, 5e-3),))
def larger_vector(
    seeds=range(2),
    steps=600,
    kinds=((64, 5e-3), (128, 5e-3), (256, 5e-3), (64, 1e-2)),
):
    """How many of eight letters come through a larger vector, or with another rate."""
    found = []
    for size, rate in kinds:
        shares = [measure(practised(size, rate, seed, steps), 8) for seed in seeds]
        found.append(
            {
                "numbers": size,
                "rate": rate,
                "least": round(min(shares), 2),
                "most": round(max(shares), 2),
            }
        )
    return found


@attempt(seeds=range(1), steps=2)
def diagonal(seeds=range(1, 5), steps=600):
    """Where the second model looks, in other starts and 200 rows each."""
    found = []
    for seed in seeds:
        model = train(attend=True, seed=seed, steps=steps)
        letters = rows(8, 200)
        with torch.no_grad():
            memory, state = model.read(letters)
            before = torch.cat([torch.full_like(letters[:, :1], START), letters[:, :-1]], dim=1)
            asking, _ = model.writer(model.embedding(before), state)
            _, shares = tl.scaled_dot_product_attention(asking, memory, memory)
        largest = shares.argmax(-1) == torch.arange(8)
        found.append(
            {
                "seed": seed,
                "largest share on the diagonal": round(largest.float().mean().item(), 3),
                "share there": round(shares.diagonal(dim1=1, dim2=2).mean().item(), 2),
            }
        )
    return found


def uses_of_to(translator, pairs):
    """The vectors after both layers of every “to”, and the word that follows it."""
    after, following = [], []
    kept = []
    hook = translator.model.decoder[1].register_forward_hook(
        lambda _, read, made: kept.append(made[0][0, 1:])
    )
    for pair in pairs:
        words = pair.target.split()
        if "to" not in words:
            continue
        source = torch.tensor([translator.source_vocabulary.encode(pair.source.split())])
        target = torch.tensor([translator.target_vocabulary.encode(["<bos>", *words])])
        kept.clear()
        with torch.no_grad():
            translator.model(source, target)
        for i, word in enumerate(words):
            if word == "to":
                after.append(kept[0][i])
                following.append(words[i + 1])
    hook.remove()
    return F.normalize(torch.stack(after), dim=1), following


def without(translator, which):
    """Let one kind of attention of the writing half bring nothing: hooks to be removed."""
    return [
        getattr(layer, which).register_forward_hook(
            lambda _, read, made: (torch.zeros_like(made[0]), made[1])
        )
        for layer in translator.model.decoder
    ]


@attempt(sentences=60)
def two_to(sentences=1000):
    """What sets two “to” apart: cosines after both layers, by the word that follows, and with the
    attention to the German or to the English taken away.
    """
    translator = tl.load_translator()
    pairs = splits().unseen[:sentences]
    found = []
    for kind, which in (
        ("all attention", None),
        ("English only", "cross_attention"),
        ("German only", "self_attention"),
    ):
        hooks = without(translator, which) if which else []
        after, following = uses_of_to(translator, pairs)
        for hook in hooks:
            hook.remove()
        places = torch.tensor([word in ("the", "my") for word in following])
        same = torch.tensor([[a == b for b in following] for a in following])
        different = ~torch.eye(len(following), dtype=torch.bool)
        cosines = after @ after.T
        verbs = ~places[:, None] & ~places[None]
        found.append(
            {
                "heard": kind,
                "one of each kind": mean_of(cosines, places[:, None] & ~places[None]),
                "before the same verb": mean_of(cosines, verbs & same & different),
                "before different verbs": mean_of(cosines, verbs & ~same),
                "before the place": mean_of(cosines, places[:, None] & places[None] & different),
            }
        )
    return found


def mean_of(cosines, where):
    return round(cosines[where].mean().item(), 2)


@attempt(sentences=20)
def other_lines(sentences=1000):
    """Lines and the best dictionary for them, for each head of both layers and for their mean."""
    translator = tl.load_translator()
    passes = []
    for pair in splits().unseen[:sentences]:
        source, target = pair.source.split(), pair.target.split()
        with torch.no_grad():
            maps = translator.model(
                torch.tensor([translator.source_vocabulary.encode(source)]),
                torch.tensor([translator.target_vocabulary.encode(["<bos>", *target])]),
                return_attention=True,
            )[1].cross
        passes.append((source, target, torch.cat([layer[0] for layer in maps])))  # 8 heads
    found = []
    for head in (*range(8), "mean"):
        led = []
        for source, target, maps in passes:
            looks = maps.mean(0) if head == "mean" else maps[head]
            led.append(
                [(source[i], word) for word, i in zip(target, looks.argmax(1), strict=False)]
            )
        counted = {}
        for german, english in (look for looks in led for look in looks):
            counted.setdefault(german, Counter())[english] += 1
        best = {german: words.most_common(1)[0][0] for german, words in counted.items()}
        right = [[best[german] == english for german, english in looks] for looks in led]
        found.append(
            {
                "layer and head": "mean" if head == "mean" else f"{head // 4}, {head % 4}",
                "words": round(sum(map(sum, right)) / sum(map(len, right)), 2),
                "sentences": round(sum(map(all, right)) / len(right), 2),
            }
        )
    return found
