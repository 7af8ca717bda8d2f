"""Reading attention."""

import math
from types import SimpleNamespace

import numpy as np
import torch

from transformer_lite.ablation import listening
from transformer_lite.model import AttentionMaps
from transformer_lite.translator import load_translator

from . import Hint, answered, array, choice, close, exercise, expect, mistake, numbers

choice(
    "9.1",
    (
        "The head does nothing in these sentences.",
        "The head's map is flat.",
        "The other heads can do without it, whatever it does.",
        "All heads of its layer can be taken out.",
    ),
    2,
    hints={
        0: "that would follow if no other head could do its work; "
        "take another one out with it, and see.",
        1: "nobody looked at the map; "
        "that of head 1 is far from flat, and the head is hardly missed.",
        3: "one head was taken out, and the others were there to fill in; two at a time cost more "
        "than the two one by one.",
    },
)

numbers(
    "9.2",
    1 / 3,
    within=0.005,
    mistakes={
        0.25: "0.25 counts what the head proposes, 1 of 4 wrong; "
        "the pairs that it leaves out count too.",
        0.4: "0.4 counts what the head leaves out, 2 of 5; what it proposes wrongly counts too.",
        0.5: "you divided by the 6 different pairs; divide 2 · |A ∩ G| by |A| + |G|, in which a "
        "pair of both is counted twice.",
        2 / 3: "0.67 is how well they agree, which leaves the 1 − out, "
        "or it has lost the 2 above the bar.",
        0.3: "nearly: give two digits.",
        33: "that is per cent; the rate is a share of 1, so divide it by 100.",
        5 / 9: "you found only two pairs in both: i – ich, closed – zugemacht, and one more.",
    },
    otherwise="count three things: the pairs proposed, the gold pairs, and those that are in both.",
)


@exercise("9.3")
def who_is_looked_at_most(answer):
    torch.manual_seed(0)
    maps = [torch.rand(1, 3, 4, 5).softmax(-1) for _ in range(2)]
    own = [torch.rand(1, 3, 4, 4).softmax(-1) for _ in range(2)]
    others = [torch.rand(1, 3, 5, 5).softmax(-1) for _ in range(2)]
    result = SimpleNamespace(
        source_tokens=[2 * letter for letter in "abcde"],
        tokens=[2 * letter for letter in "wxyz"],
        decoder_tokens=[2 * letter for letter in "vwxy"],
        attention=AttentionMaps(encoder=others, decoder=own, cross=maps),
    )
    try:
        looked_at = list(answered(answer(result, 1, 2)))
    except IndexError:
        raise Hint(
            "an index is out of range. A map's first axis is the batch: cross[layer][0, head]."
        ) from None
    expect(
        len(looked_at) == 4,
        f"the decoder takes 4 steps here, so the list has 4 tokens; yours has {len(looked_at)}. A "
        "row is a query.",
    )
    expect(
        not isinstance(looked_at[0], int | np.integer | torch.Tensor),
        "those are numbers, positions or weights: look up the tokens that stand there, in "
        "source_tokens.",
    )
    expect(
        all(token in result.source_tokens for token in looked_at),
        "cross-attention has source tokens as keys, so the answer is made of those.",
    )
    expect(
        looked_at != [result.source_tokens[i] for i in own[1][0, 2].argmax(-1).tolist()],
        "that is the decoder looking at itself; ask attention.cross.",
    )
    expect(
        looked_at != [result.source_tokens[i] for i in maps[1][0, 2].argmin(-1).tolist()],
        "those get the least weight.",
    )
    for layer, head in ((1, 2), (0, 2), (1, 0), (0, 1)):
        largest = maps[layer][0, head].argmax(-1).tolist()
        expect(
            list(answer(result, layer, head)) == [result.source_tokens[i] for i in largest],
            "take the map of the layer and head asked for, cross[layer][0, head], and the largest "
            "weight of each row.",
        )


@mistake("9.3", "looking at itself")
def _(result, layer, head):
    return [
        result.source_tokens[i]
        for i in result.attention.decoder[layer][0, head].argmax(-1).tolist()
    ]


@mistake("9.3", "first axis is the batch")
def _(result, layer, head):
    return [
        result.source_tokens[i] for i in result.attention.cross[layer][head].argmax(-1).tolist()
    ]


@mistake("9.3", "positions or weights")
def _(result, layer, head):
    return result.attention.cross[layer][0, head].argmax(-1).tolist()


@mistake("9.3", "takes 4 steps")
def _(result, layer, head):
    best = result.attention.cross[layer][0, head].argmax(0)
    return [result.tokens[i] for i in best.tolist()]


@mistake("9.3", "source tokens")
def _(result, layer, head):
    best = result.attention.cross[layer][0, head].argmax(-1)
    return [(result.tokens + ["!"])[i] for i in best.tolist()]


@mistake("9.3", "layer and head asked for")
def _(result, layer, head):
    best = result.attention.cross[-1][0, head].argmax(-1)
    return [result.source_tokens[i] for i in best.tolist()]


@mistake("9.3", "the least weight")
def _(result, layer, head):
    best = result.attention.cross[layer][0, head].argsort(-1)[:, 0]
    return [result.source_tokens[i] for i in best.tolist()]


def on_the_front_page():
    """The cross-attention whose weights the first page shows, what goes into it there, and its
    right weights: (4, 10, 9).
    """
    translator = load_translator()
    read = "ich habe die rote Tür heute nicht zugemacht .".split()
    written = "<bos> i did not close the red door today .".split()
    source = torch.tensor([translator.source_vocabulary.encode(read)])
    target = torch.tensor([translator.target_vocabulary.encode(written)])
    attention = translator.model.decoder[1].cross_attention
    with torch.no_grad(), listening({"attention": attention}) as heard:
        _, maps = translator.model(source, target, return_attention=True)
    asking, memory, *_ = heard["attention"].inputs
    return attention, asking[0], memory[0], maps.cross[1][0]


@exercise("9.4")
def the_number_on_the_front_page(answer):
    attention, asking, memory, right = on_the_front_page()
    own = slice(16, 32)
    with torch.no_grad():
        weight = float(array(answer(attention, asking, memory, 1, 3, 7), ()))
        queries = attention.w_q(asking)
        keys = attention.w_k(memory)
        scores = queries[:, own] @ keys[:, own].T
        as_one_head = queries[3] @ keys.T / 8
        asked_by_columns = (asking[3] @ attention.w_q.weight)[own]
        by_columns = asked_by_columns @ (memory @ attention.w_k.weight)[:, own].T
    expect(
        not close(weight, scores[3, 7], 1e-3),
        "that is the sum of the 16 products: scale it, then the softmax.",
    )
    expect(
        not close(weight, scores[3, 7] / 4, 1e-3),
        "that is the scaled score; the softmax over nine words is missing.",
    )
    expect(
        not close(weight, scores[3].softmax(-1)[7], 1e-4),
        "the scores were not divided by √16 before the softmax.",
    )
    expect(
        not close(weight, (scores[3] / 8).softmax(-1)[7], 1e-4),
        "√64 is for one head of 64 numbers; a head has 16.",
    )
    expect(
        not close(weight, as_one_head.softmax(-1)[7], 1e-4),
        "that takes all 64 numbers as one head; cut out the 16 rows of the head.",
    )
    expect(
        not close(weight, (scores / 4).softmax(0)[3, 7], 1e-4),
        "your softmax runs over the English words that ask; it belongs over the nine German words.",
    )
    expect(
        not close(weight, (by_columns / 4).softmax(-1)[7], 1e-4),
        "you computed x W. nn.Linear computes x Wᵀ: head 1 has the rows 16 to 31 of the weight, "
        "not the columns.",
    )
    expect(
        not close(weight, (scores[3] / 16).softmax(-1)[7], 1e-4),
        "you divided by d_k = 16; it is its square root, 4.",
    )
    expect(
        close(weight, right[1, 3, 7], 6e-4),
        f"the front page says {right[1, 3, 7]:.3f}; yours is {weight:.3f}.",
    )
    for head, query, key in ((0, 2, 6), (3, 2, 1), (2, 9, 8)):
        with torch.no_grad():
            weight = float(array(answer(attention, asking, memory, head, query, key), ()))
        expect(
            close(weight, right[head, query, key], 6e-4),
            f"right on the front page, but not in head {head}, query {query}, key {key}: use what "
            "you are given.",
        )


def _scores(attention, asking, memory, head, query):
    own = slice(16 * head, 16 * head + 16)
    return memory @ attention.w_k.weight[own].T @ (attention.w_q.weight[own] @ asking[query])


mistake("9.4", "sum of the 16 products", lambda a, x, m, h, q, k: _scores(a, x, m, h, q)[k])
mistake("9.4", "not divided by √16", lambda a, x, m, h, q, k: _scores(a, x, m, h, q).softmax(0)[k])
mistake(
    "9.4",
    "it is its square root",
    lambda a, x, m, h, q, k: (_scores(a, x, m, h, q) / 16).softmax(0)[k],
)
mistake(
    "9.4",
    "√64 is for one head",
    lambda a, x, m, h, q, k: (_scores(a, x, m, h, q) / 8).softmax(0)[k],
)
mistake("9.4", "as one head", lambda a, x, m, h, q, k: (a.w_k(m) @ a.w_q(x)[q] / 8).softmax(0)[k])
mistake(
    "9.4",
    "use what you are given",
    lambda a, x, m, h, q, k: (_scores(a, x, m, 1, 3) / 4).softmax(0)[7],
)
mistake("9.4", "the scaled score", lambda a, x, m, h, q, k: _scores(a, x, m, h, q)[k] / 4)
mistake(
    "9.4", "the front page says", lambda a, x, m, h, q, k: (_scores(a, x, m, h, q)[k] / 4).sigmoid()
)


@mistake("9.4", "you computed x W")
def _(attention, asking, memory, head, query, key):
    queries = asking @ attention.w_q.weight
    keys = memory @ attention.w_k.weight
    own = slice(16 * head, 16 * head + 16)
    return (keys[:, own] @ queries[query, own] / 4).softmax(0)[key]


@mistake("9.4", "over the English words")
def _(attention, asking, memory, head, query, key):
    scores = torch.stack([_scores(attention, asking, memory, head, i) for i in range(len(asking))])
    return (scores / 4).softmax(0)[query, key]


@exercise("9.5")
def detect_swapped_labels(answer):
    torch.manual_seed(0)
    tokens = list("abcd")
    right = (
        torch.rand(4, 4)
        .masked_fill(~torch.ones(4, 4, dtype=torch.bool).tril(), -math.inf)
        .softmax(-1)
    )
    short = torch.tensor([[1.0, 0.0], [0.7, 0.3 + 3e-7]])  # sums to 1.0000002, as a softmax may
    by_rows = torch.tensor([[1.0, 0.0], [0.5, 0.5]])
    by_columns = torch.tensor([[0.5, 0.0], [0.5, 1.0]])
    expect(
        answered(answer(by_rows, tokens[:2])) or not answer(by_columns, tokens[:2]),
        "your sums run down the columns: "
        "a row is a query, and it is the rows that sum to 1, dim=-1.",
    )
    for weights, names in ((right, tokens), (short, tokens[:2])):
        expect(
            answered(answer(weights, names)),
            "you refused a map that is right: causal, with rows that sum to 1, but for rounding.",
        )
    leak = right.clone()
    leak[2, 2:] = right[2, 2] * torch.tensor([0.9, 0.1])
    uneven = right * torch.tensor([[1.0], [0.9], [1.1], [1.0]])
    below = right.clone()
    below[2, :2] = right[2, :2].sum() * torch.tensor([1.2, -0.2])
    wide = torch.cat([right, torch.zeros(4, 1)], dim=1)
    wrong = {
        "a map whose queries look at the future": (torch.rand(4, 4).softmax(-1), tokens),
        "a map with queries and keys swapped: its columns sum to 1": (right.T, tokens),
        "a map in which one query looks at the next word: the future, too": (leak, tokens),
        "rows that sum to 1.1": (1.1 * right, tokens),
        "rows that sum to 0.9 and to 1.1": (uneven, tokens),
        "rows that sum to 0.9": (0.9 * right, tokens),
        "a map with a weight below 0": (below, tokens),
        "three tokens for a map of four": (right, tokens[:3]),
        "five tokens for a map of four": (right, [*tokens, "e"]),
        "a map with more columns than tokens": (wide, tokens),
        "a map with fewer rows than tokens": (wide, [*tokens, "e"]),
    }
    for what, (weights, names) in wrong.items():
        expect(not answer(weights, names), f"you accepted {what}.")


mistake(
    "9.5", "future", lambda w, t: len(w) == len(t) and torch.allclose(w.sum(-1), torch.ones(len(w)))
)


@mistake("9.5", "below 0")
def _(w, t):
    adds_up = torch.allclose(w.sum(-1), torch.ones(len(w)), atol=1e-4)
    return bool(w.shape == (len(t), len(t)) and adds_up and (w.triu(1) == 0).all())


mistake("9.5", "sum to 1.1", lambda w, t: bool((w.triu(1) == 0).all()))
mistake("9.5", "refused", lambda w, t: False)
mistake(
    "9.5",
    "down the columns",
    lambda w, t: bool((w.triu(1) == 0).all() and torch.allclose(w.sum(0), torch.ones(len(w)))),
)


@mistake("9.5", "looks at the next word")
def _(w, t):
    sums = w.sum(-1)
    return bool((w.triu(2) == 0).all() and torch.allclose(sums, torch.ones_like(sums)))
