"""What chapter 4 concludes of heads: one against several, the last matrix, two words for “did”."""

import torch
import torch.nn.functional as F
from torch import nn

import transformer_lite as tl
from dev.make.heads import attentions
from dev.tried import attempt
from dev.tried.translator import as_stored, exactly_right, trained
from transformer_lite.data.corpus import german_english
from transformer_lite.data.grammar import splits
from transformer_lite.training import gradient_steps

PEOPLE, THINGS = 12, 12
OF_THE_PAST = "habe", "hast", "hat", "haben", "bin", "bist", "ist", "sind"


class TwoQuestions(nn.Module):
    """The chapter's attention that is asked by two names at once, with its bend or without."""

    def __init__(self, heads, bend=False, d=32):
        super().__init__()
        self.name, self.first, self.second = (nn.Embedding(PEOPLE, d) for _ in range(3))
        self.thing = nn.Embedding(THINGS, d)
        self.attention = tl.MultiHeadAttention(d, heads)
        self.say = nn.Linear(d, 2 * THINGS)
        if bend:
            self.say = nn.Sequential(nn.Linear(d, d), nn.ReLU(), self.say)

    def forward(self, names, things, who):
        """Scores for the things of both, ``(B, 2, 12)``, and the weights, ``(B, H, 1, 6)``."""
        people = self.name(names) + self.thing(things)
        query = self.first(who[:, 0]) + self.second(who[:, 1])
        mixture, weights = self.attention(query[:, None], people, people)
        return self.say(mixture[:, 0]).unflatten(-1, (2, -1)), weights


def questions(n, g):
    """n times six people with things, the two places that are asked for, and the answers."""
    names = torch.rand(n, PEOPLE, generator=g).argsort(1)[:, :6]
    things = torch.randint(THINGS, (n, 6), generator=g)
    two = torch.rand(n, 6, generator=g).argsort(1)[:, :2]
    return (names, things, names.gather(1, two)), two, things.gather(1, two)


def learnt(heads, seed, *, bend=False, steps=400, rate=3e-3, falling=False):
    torch.manual_seed(seed)
    g = torch.Generator().manual_seed(seed)
    model = TwoQuestions(heads, bend)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)

    def loss(asked):
        given, _, answers = asked
        return F.cross_entropy(model(*given)[0].flatten(0, 1), answers.flatten())

    def rate_at(step):
        return rate * (1 - step / (steps + 1))

    batches = (questions(64, g) for _ in range(steps))
    for _ in gradient_steps(loss, batches, optimizer, *([rate_at] if falling else [])):
        pass
    return model, g


def right(model, g, n=2000):
    """The share of right answers."""
    given, _, answers = questions(n, g)
    with torch.no_grad():
        return (model(*given)[0].argmax(-1) == answers).float().mean().item()


@attempt(seeds=range(1), steps=2, n=20)
def one_head_says(seeds=range(10), steps=400, n=20_000):
    """What one head without a bend says of the two it is asked for."""
    rows = []
    for seed in seeds:
        model, g = learnt(1, seed, steps=steps)
        given, two, answers = questions(n, g)
        with torch.no_grad():
            scores, weights = model(*given)
        said = scores.argmax(-1)  # (n, 2)
        of_two = weights[:, 0, 0].gather(1, two)  # (n, 2)
        heavier, lighter = of_two.argmax(1, keepdim=True), of_two.argmin(1, keepdim=True)
        correct = (said == answers).float()
        rows.append(
            {
                "seed": seed,
                "right": round(correct.mean().item(), 2),
                "of the heavier": round(correct.gather(1, heavier).mean().item(), 2),
                "of the lighter": round(correct.gather(1, lighter).mean().item(), 2),
                "both the same": round((said[:, 0] == said[:, 1]).float().mean().item(), 2),
            }
        )
    return rows


@attempt(seeds=range(1), steps=2)
def bend_for_longer(seeds=range(10), steps=1500):
    """One head with a bend after 1,500 steps, and the weights that it gives the two."""
    rows = []
    for seed in seeds:
        model, g = learnt(1, seed, bend=True, steps=steps)
        given, two, answers = questions(2000, g)
        with torch.no_grad():
            scores, weights = model(*given)
        of_two = weights[:, 0, 0].gather(1, two).sort(1).values.mean(0)
        share = (scores.argmax(-1) == answers).float().mean().item()
        rows.append(
            {
                "seed": seed,
                "right": round(share, 3),
                "heavier": round(of_two[1].item(), 2),
                "lighter": round(of_two[0].item(), 2),
            }
        )
    return rows


@attempt(seeds=range(1), steps=(2,))
def heads_of_one_number(seeds=range(2), steps=(400, 1600, 4000)):
    """Thirty-two heads of one number, trained for longer at a rate that falls."""
    rows = []
    for many in steps:
        found = [right(*learnt(32, seed, steps=many, falling=True)) for seed in seeds]
        rows.append({"steps": many, "least": round(min(found), 2), "most": round(max(found), 2)})
    return rows


def side_by_side(model):
    """Let the strips of all heads stand side by side, for good."""
    for part in attentions(model):
        with torch.no_grad():
            part.w_o.weight.copy_(torch.eye(part.d_model))
        part.w_o.weight.requires_grad_(False)


@attempt(seeds=range(1), pairs=64, sentences=german_english()[:2])
def no_last_matrix(seeds=range(3), pairs=None, sentences=None):
    """The translator after two passes, with its last matrices, as stored, and without."""
    return [
        {
            "seed": seed,
            "with": as_stored(seed),
            "without": exactly_right(trained(seed, side_by_side, pairs=pairs), sentences),
        }
        for seed in seeds
    ]


def next_word(translator, german, english, *, hidden=None, layers=(0, 1), from_reading=False):
    """The likeliest word after `english`, with one German word hidden from the cross-attention of
    some layers, or left out of what is read.
    """
    if from_reading:
        german = [word for word in german if word != hidden]
    source = torch.tensor([translator.source_vocabulary.encode(german)])
    written = torch.tensor([translator.target_vocabulary.encode(["<bos>", *english])])
    seen = torch.tensor([word != hidden for word in german])[None, None, None]

    def hide(module, inputs, named):
        return (*inputs[:3], seen), {key: it for key, it in named.items() if key != "mask"}

    model = translator.model
    hooks = [
        model.decoder[n].cross_attention.register_forward_pre_hook(hide, with_kwargs=True)
        for n in layers
    ]
    with torch.no_grad():
        memory, _ = model.encode(source, None)
        scores, *_ = model.decode(written, memory, None)
    for hook in hooks:
        hook.remove()
    odds = scores[0, -1].softmax(-1)
    did = odds[translator.target_vocabulary.encode(["did"])[0]].item()
    return translator.target_vocabulary.decode([odds.argmax().item()])[0], did


def denied(most):
    """New sentences in the past that are denied: their German, and the English before “did”."""
    found = []
    for pair in (*splits().unseen, *splits().compositional):
        german, english = pair.source.split(), pair.target.split()
        if "nicht" in german and "did" in english[:3]:
            found.append((german, english[: english.index("did")]))
    return found[:most]


@attempt(most=2)
def other_sentences(most=100):
    """How often “did” is lost in new sentences when a word is hidden from a layer."""
    translator = tl.load_translator()
    rows = []
    sentences = denied(most)
    for which in ("nicht", "the verb of the past", "any other word"):
        for name, layers in (("lower", (0,)), ("upper", (1,)), ("both", (0, 1))):
            lost = tries = 0
            for german, english in sentences:
                verb = next(word for word in german if word in OF_THE_PAST)
                words = {"nicht": ["nicht"], "the verb of the past": [verb]}.get(
                    which, [w for w in german if w not in ("nicht", verb)]
                )
                for word in words:
                    best, _ = next_word(translator, german, english, hidden=word, layers=layers)
                    lost += best != "did"
                    tries += 1
            rows.append({"hidden": which, "from": name, "tries": tries, "did is lost": lost})
    return rows


@attempt()
def hidden_from_reading():
    """The word after “i” when a German word is left out of what is read."""
    translator = tl.load_translator()
    german = "ich habe die rote Tür heute nicht zugemacht .".split()
    rows = []
    for word in german:
        best, did = next_word(translator, german, ["i"], hidden=word, from_reading=True)
        rows.append({"left out": word, "next": best, "did": round(did, 2)})
    return rows


@attempt(seeds=range(1), steps=2)
def twins(seeds=range(10), steps=200):
    """How far two heads are from each other before and after training, in other starts."""
    rows = []
    for seed in seeds:
        torch.manual_seed(seed)
        pair = tl.MultiHeadAttention(8, 2)
        sentence, wanted = torch.randn(2, 16, 5, 8)
        optimizer = torch.optim.SGD(pair.parameters(), lr=0.5)
        apart = []
        for step in range(steps + 1):
            if step in (0, steps):
                matrix = pair.w_q.weight.detach()
                apart.append(round((matrix[:4] - matrix[4:]).abs().max().item(), 2))
            optimizer.zero_grad()
            F.mse_loss(pair(sentence, sentence, sentence)[0], wanted).backward()
            optimizer.step()
        rows.append({"seed": seed, "before": apart[0], "after": apart[1]})
    return rows
