"""Training the toy translator."""

import math

import torch

from transformer_lite.data.corpus import TWO_SENTENCES
from transformer_lite.model import Transformer, TransformerConfig
from transformer_lite.training import make_batch, training_steps
from transformer_lite.vocabulary import Vocabulary

from . import answered, array, exercise, expect, mistake, numbers

NOTHING = math.log(11)
OFTEN = 5 / 6 * math.log(6) + 1 / 6 * math.log(18)
NO_GERMAN = math.log(3) / 6

numbers(
    "8.1",
    (NOTHING, OFTEN, NO_GERMAN),
    asks=("even guessing", "word counts", "English alone"),
    mistakes={
        (math.log(10), None, None): "the first is still for 10 tokens; “tea” is the eleventh.",
        (math.log2(11), None, None): "the first is in bits; a loss in nats has the natural "
        "logarithm, ln.",
        (None, 5 / 6 * math.log(6) + 1 / 6 * math.log(12), None): "the second still has two "
        "drinks; now three share a sixth of all tokens.",
        (None, math.log(6), None): "six positions are not six equally likely tokens: the drinks "
        "share one of the positions.",
        (None, None, math.log(3)): "the third is a mean over six tokens, "
        "and only one of them is uncertain.",
        (None, None, math.log(2) / 6): "the third still has two drinks; "
        "now it is a choice among three.",
    },
    otherwise=(
        "knowing nothing, all 11 tokens are equally likely: what is -ln(1/11)?",
        "for the second, add up -p·ln(p): five tokens with p = 1/6 and three with p = 1/18.",
        "ignoring the German, one token of six is a choice among three drinks.",
    ),
    within=1e-3,
    nearly=(6e-3, "nearly: give three digits after the point."),
)
mistake("8.1", "all 11 tokens", (11, OFTEN, NO_GERMAN))
mistake("8.1", "nearly", (2.40, 1.97, 0.18))
mistake("8.1", "five tokens with p = 1/6", (NOTHING, math.log(8), NO_GERMAN))
mistake("8.1", "one token of six is a choice", (NOTHING, OFTEN, 0.5))


@exercise("8.2")
def one_step_behind(answer):
    words = ["i", "want", "tea"]
    result = answered(answer(list(words)))
    expect(
        isinstance(result, tuple | list) and len(result) == 2,
        "return two lists: the input and the answer.",
    )
    expect(
        all(isinstance(part, list | tuple) for part in result),
        "each of the two is a list of words; yours are "
        f"{' and '.join(type(part).__name__ for part in result)}. "
        "(insert and append change a list and return None.)",
    )
    inputs, wanted = (list(part) for part in result)
    expect(
        (inputs, wanted) != (["<bos>", *words, "<eos>"],) * 2,
        "both lists are the whole sentence, "
        "so the decoder would be asked for the word it is just reading.",
    )
    expect(
        (inputs, wanted) != ([*words, "<eos>"], ["<bos>", *words]),
        "these are the right lists in the wrong order.",
    )
    expect(
        inputs[:1] == ["<bos>"],
        "the decoder needs something to read before the first word: begin its input with <bos>.",
    )
    expect(
        wanted[-1:] == ["<eos>"],
        "after the last word the right answer is to stop: end the answer with <eos>.",
    )
    expect(
        len(inputs) == len(wanted),
        f"each input needs its answer; yours have lengths {len(inputs)} and {len(wanted)}.",
    )
    expect(
        (inputs, wanted) == (["<bos>", *words], [*words, "<eos>"]),
        "the answer at each place is the next input.",
    )
    for words in (["tea"], ["the", "tea", "and", "the", "coke", "and", "the", "beer"]):
        handed = list(words)
        inputs, wanted = (list(part) for part in answered(answer(handed)))
        expect(handed == words, "your function changed the list it was given: build new lists.")
        expect(
            (inputs, wanted) == (["<bos>", *words], [*words, "<eos>"]),
            f"right for *i want tea*, but not for *{' '.join(words)}*: any length, and a word may "
            "stand twice.",
        )


mistake("8.2", "just reading", lambda words: (["<bos>", *words, "<eos>"],) * 2)
mistake("8.2", "yours are str and str", lambda words: ("<bos> i want tea", "i want tea <eos>"))
mistake(
    "8.2", "NoneType and NoneType", lambda words: (words.insert(0, "<bos>"), words.append("<eos>"))
)
mistake("8.2", "wrong order", lambda words: ([*words, "<eos>"], ["<bos>", *words]))
mistake("8.2", "to stop", lambda words: (["<bos>", *words], words))
mistake("8.2", "return two lists", lambda words: ["<bos>", *words, "<eos>"])
mistake("8.2", "before the first word", lambda words: (words, [*words[1:], "<eos>"]))
mistake("8.2", "lengths 5 and 4", lambda words: (["<bos>", *words, "<eos>"], [*words, "<eos>"]))
mistake(
    "8.2", "is the next input", lambda words: (["<bos>", *words], [*words[1:], "<eos>", "<eos>"])
)


@mistake("8.2", "changed the list")
def _(words):
    words.append("<eos>")
    return ["<bos>", *words[:-1]], words


@mistake("8.2", "a word may stand twice")
def _(words):
    after = dict(zip(words, [*words[1:], "<eos>"], strict=True))
    return ["<bos>", *words], [words[0], *(after[word] for word in words)]


def surprise(*shares):
    """What these shares cost a model that gives exactly them."""
    return -sum(share * math.log(share) for share in shares)


RIGHT = 0.8 + 0.2 / 4
LOWEST = surprise(RIGHT, 0.05, 0.05, 0.05)

numbers(
    "8.3",
    (RIGHT, LOWEST),
    asks=("probability of the right word", "lowest loss"),
    mistakes={
        (0.8, surprise(0.8, *[0.2 / 3] * 3)): "you spread ε over the other words only. Here it "
        "goes to all four words, and the right one gets a part of it back.",
        (0.8, None): "the right word gets a quarter of the 0.2 back.",
        (RIGHT, 0): "0 would need all probability on one word, and that is now a wrong answer.",
        (RIGHT, -math.log(RIGHT)): "that is the surprise at the right word alone; the shares of "
        "the other three have their price too.",
        (RIGHT, surprise(RIGHT)): "that is the right word's part of the sum; the other three words "
        "have a part each.",
        (RIGHT, surprise(RIGHT, 0.05)): "three words have a share of 0.05, "
        "and you counted one of them.",
        (RIGHT, LOWEST / math.log(2)): "that is in bits; "
        "a loss in nats has the natural logarithm, ln.",
        (RIGHT, math.log(4)): "that is the loss of a model to which all words are equally likely; "
        "the lowest is that of one which gives exactly what it is asked for.",
    },
    otherwise=(
        "the right word keeps 0.8 and gets its part of the 0.2 that all four words share.",
        "the best a model can do is to give exactly the smoothed shares: add up -p·ln(p) over all "
        "four words.",
    ),
    within=1e-3,
    nearly=(6e-3, "nearly: give three digits after the point."),
)
mistake("8.3", "gets its part", (0.9, LOWEST))
mistake("8.3", "add up", (RIGHT, 1.0))
mistake("8.3", "nearly", (RIGHT, 0.59))


@exercise("8.4")
def as_fast_as_it_goes(answer):
    rate = float(array(answer, ()))
    expect(rate > 0.002, "that is safe, and slow. Go above 0.002.")
    expect(rate < 0.01, "0.01 is where the collapse was; look below it.")
    source = Vocabulary.from_texts(german for german, _ in TWO_SENTENCES)
    target = Vocabulary.from_texts(english for _, english in TWO_SENTENCES)
    batch = make_batch(TWO_SENTENCES, source, target)
    for seed in range(3):
        torch.manual_seed(seed)
        # As `train` on the page has them
        sizes = dict(d_model=128, d_ff=512, n_layers=2, n_heads=4, dropout=0.0)
        model = Transformer(TransformerConfig(len(source), len(target), **sizes))
        # A loss is taken before its step, so the 65th is that after 64 steps
        *_, loss = training_steps(
            model, [batch] * 65, torch.optim.Adam(model.parameters(), lr=rate)
        )
        expect(
            loss < 0.01,
            f"seed {seed} ends at a loss of {loss:.3f}: its steps were too large.",
        )


mistake("8.4", "Go above", 0.001)
mistake("8.4", "look below", 0.01)
mistake("8.4", "too large", 0.008)
