"""What chapter 4 concludes of heads: one against several, the last matrix, two words for “did”."""

import torch
import torch.nn.functional as F

import transformer_lite as tl
from attention_by_hand.studies.two_questions import asked, learnt
from dev.make.heads import attentions
from dev.tried import attempt
from dev.tried.translator import as_stored, exactly_right, trained
from transformer_lite.data.corpus import german_english
from transformer_lite.data.grammar import splits

OF_THE_PAST = "habe", "hast", "hat", "haben", "bin", "bist", "ist", "sind"


def share_right(model, g):
    said, answers, _ = asked(model, g)
    return (said == answers).float().mean().item()


@attempt(seeds=range(1), steps=2, n=20)
def one_head_says(seeds=range(10), steps=400, n=20_000):
    """What one head without a bend says of the two it is asked for."""
    rows = []
    for seed in seeds:
        model, g = learnt(1, seed, steps=steps)
        said, answers, of_two = asked(model, g, n)
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
        said, answers, of_two = asked(model, g)
        lighter, heavier = of_two.sort(1).values.mean(0)
        rows.append(
            {
                "seed": seed,
                "right": round((said == answers).float().mean().item(), 3),
                "heavier": round(heavier.item(), 2),
                "lighter": round(lighter.item(), 2),
            }
        )
    return rows


@attempt(seeds=range(1), steps=(2,))
def heads_of_one_number(seeds=range(2), steps=(400, 1600, 4000)):
    """Thirty-two heads of one number, trained for longer at a rate that falls."""
    rows = []
    for many in steps:
        found = [share_right(*learnt(32, seed, steps=many, falling=True)) for seed in seeds]
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
