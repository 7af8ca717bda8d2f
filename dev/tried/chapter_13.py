"""Chapter 13: what experts, norms, sinks, windows and states are good for, in other runs."""

from dataclasses import replace

import torch

from attention_by_hand.figures.writer import SHIPPED
from attention_by_hand.studies.choosing import chooser, learn
from attention_by_hand.studies.memory import recalled, train
from dev.make import experts, memory, sinks
from dev.tried import attempt
from transformer_lite.attention import MultiHeadAttention
from transformer_lite.language_model import load_language_model

EQUAL_WORK = {"one, of width 20": {"d_ff": 20}, "eight of width 16, one at work": {"top_k": 1}}
SINK_HEADS = {(0, 0), (0, 2), (1, 2)}  # layer and head: those that give the first token most


@attempt(seeds=range(1), numbers=(40,), steps=2)
def more_facts(seeds=range(5, 7), numbers=(800, 1600), steps=800):
    """Other facts and twice as many, for two networks that cost each as many multiplications."""
    rows = []
    for number in numbers:
        for name, shape in EQUAL_WORK.items():
            known = []
            for seed in seeds:
                asked, answers = experts.facts(number, seed)
                torch.manual_seed(seed)
                model = experts.train(experts.network(**shape), asked, answers, steps=steps)
                known.append(round(experts.known(model, asked, answers)))
            rows.append({"facts": number, "network": name, "known, %": spread(known)})
    return rows


@attempt(seeds=range(1), ways=((40, 0.01, 2),))
def rule_from_more(seeds=range(2), ways=((3200, 0.01, 400), (160_000, 0.01, 2500))):
    """A rule from more examples, for two networks of as much work for each example."""
    rows = []
    for number, rate, steps in ways:
        for name, shape in EQUAL_WORK.items():
            right = []
            for seed in seeds:
                asked, answers = experts.ruled(number + experts.UNSEEN, seed)
                torch.manual_seed(seed)
                model = experts.network(**shape, balance=experts.BIAS if "top_k" in shape else 0.0)
                experts.train(model, asked[:number], answers[:number], steps=steps, rate=rate)
                right.append(round(experts.known(model, asked[number:], answers[number:])))
            rows.append({"examples": number, "network": name, "unseen right, %": spread(right)})
    return rows


@attempt(seeds=range(1), steps=2)
def uneven_routers(seeds=range(5, 10), steps=800):
    """Facts with much in common, no bias, five more runs: what the busiest two experts get."""
    rows = []
    for seed in seeds:
        asked, answers = experts.facts(800, seed, experts.COMMON)
        torch.manual_seed(seed)
        model = experts.train(experts.network(top_k=1), asked, answers, steps=steps)
        busy = sorted(experts.load(model, asked).tolist(), reverse=True)
        share = round(100 * sum(busy[:2]) / sum(busy))
        known = round(experts.known(model, asked, answers))
        rows.append({"seed": seed, "two get, %": share, "idle": busy.count(0), "known, %": known})
    return rows


@attempt(seeds=range(1), times=(1,), steps=2)
def norms_at_a_mark(seeds=range(5, 10), times=(1, 16), steps=400):
    """The loss at a mark, in five more runs, with norms on queries and keys and without."""
    rows = []
    for factor in times:
        for name, normed in (("without", False), ("with", True)):
            plan = replace(sinks.SMALL, qk_norm=normed)
            models = (
                sinks.learn_to_repeat(plan, seed, rate=0.01 * factor, steps=steps) for seed in seeds
            )
            losses = sorted(round(sinks.seen(model)["loss at a mark"], 3) for model in models)
            rows.append({"times the rate": factor, "norms": name, "losses": spread(losses)})
    return rows


@attempt(number=3)
def heads_without_the_mark(number=200):
    """The writer's first token, hidden from the three heads with a sink, or from the other five."""
    shipped = load_language_model(SHIPPED)
    attentions = [m for m in shipped.model.modules() if isinstance(m, MultiHeadAttention)]
    heads = {(layer, head) for layer in range(2) for head in range(4)}
    rows = []
    for name, shut in (
        ("none", set()),
        ("the three", SINK_HEADS),
        ("the others", heads - SINK_HEADS),
    ):
        hooks = [
            attention.register_forward_pre_hook(hide([h for at, h in shut if at == layer]))
            for layer, attention in enumerate(attentions)
        ]
        right = sum(all_right(shipped, *pair) for pair in sinks.UNSEEN[:number])
        for hook in hooks:
            hook.remove()
        rows.append({"hidden from": name, "sentences right, %": round(100 * right / number)})
    return rows


def hide(heads):
    """A hook that hides the first token from these heads of an attention."""

    def without(attention, given):
        *others, mask = given
        mask = mask.expand(1, 4, *mask.shape[-2:]).clone()
        mask[:, heads, 1:, 0] = False
        return *others, mask

    return without


@torch.no_grad()
def all_right(shipped, german, english):
    """Whether each token of the translation is the likeliest."""
    ids, begin = sinks.whole(german, english, shipped.vocabulary)
    logits = shipped.model(torch.tensor([ids[:-1]]))[0, begin - 1 :]
    return (logits.argmax(-1) == torch.tensor(ids[begin:])).all().item()


@attempt(ways={"as it was": {}}, steps=2)
def four_pairs(ways=None, steps=500, seed=5):
    """Four pairs through windows of eight, in wider models and after longer training."""
    ways = ways or {"as it was": {}, "twice as wide": {"d_model": 64}, "three times as long": {}}
    rows = []
    for name, way in ways.items():
        longer = 3 if "long" in name else 1
        how = {"d_model": 32, "steps": longer * steps, "seed": seed} | way
        model = train(memory.WINDOWS["everywhere"], (4,), memory.BETWEEN[:-1], **how)
        after = {f"after {n}": round(100 * recalled(model, 4, n)) for n in (0, 4, 8, 16)}
        rows.append({"model": name, **after})
    return rows


@attempt(sizes=(8,), texts=2)
def crowded_states(sizes=(8, 16, 32, 64), texts=60):
    """As many random pairs as a key has numbers, and twice as many, in states of four sizes."""
    torch.manual_seed(1)
    rows = []
    for size in sizes:
        for pairs in (size, 2 * size):
            row = {"numbers in a key": size, "pairs": pairs}
            for name, rule in memory.RULES.items():
                right = 0
                for _ in range(texts):
                    keys, values = memory.unit(pairs, size), memory.unit(pairs, size)
                    read = keys @ memory.filled(keys, values, rule).T
                    right += int((memory.nearest(read, values) == torch.arange(pairs)).sum())
                row[f"{name}, %"] = round(100 * right / (texts * pairs))
            rows.append(row)
    return rows


@attempt(ways=((4, False, 2),))
def untaught_looks(
    ways=((4, False, 1000), (16, False, 1000), (4, False, 3000), (4, True, 1000)), seed=10
):
    """A first look of four numbers that learns from the answers alone: with more tokens read, for
    longer, and with its scores added to those of the attention.
    """
    rows = []
    for best, heard, steps in ways:
        model = chooser(4, seed=seed, best=best, heard=heard)
        weights = [*model.parameters()]
        learn(model, weights, answers=True, imitating=False, seed=seed, steps=steps)
        row = {"tokens read": best, "scores added": heard, "steps": steps}
        rows.append(row | {"recalled, %": round(100 * recalled(model, 32))})
    return rows


def spread(numbers):
    """What all runs came to, from the smallest to the largest."""
    return " ".join(str(number) for number in sorted(numbers))
