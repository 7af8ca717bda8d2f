"""Training the toy translator."""

import math

import torch

from ..data.corpus import TWO_SENTENCES
from ..model import Transformer, TransformerConfig
from ..training import make_batch, training_steps
from ..vocabulary import Vocabulary
from . import answered, array, close, exercise, expect, mistake


@exercise("8.1")
def three_floors(answer):
    nothing, frequencies, no_german = array(answer, (3,))
    expect(
        not close(nothing, math.log(10), 6e-4),
        "the first is still for 10 tokens; *tea* is the eleventh.",
    )
    right = (math.log(11), 5 / 6 * math.log(6) + 1 / 6 * math.log(18), math.log(3) / 6)
    given = nothing, frequencies, no_german
    expect(
        close(given, right, 1e-3) or not close(given, right, 6e-3),
        "nearly: give three digits after the point.",
    )
    expect(
        close(nothing, math.log(11), 1e-3),
        "knowing nothing, all 11 tokens are equally likely: what is -ln(1/11)?",
    )
    two = 5 / 6 * math.log(6) + 1 / 6 * math.log(12)
    expect(
        not close(frequencies, two, 6e-4),
        "the second still has two drinks; now three share a sixth of all tokens.",
    )
    expect(
        not close(frequencies, math.log(6), 1e-3),
        "six positions are not six equally likely tokens: the drinks share one of the positions.",
    )
    expect(
        close(frequencies, 5 / 6 * math.log(6) + 1 / 6 * math.log(18), 1e-3),
        "for the second, add up -p·ln(p): five tokens with p = 1/6 and three with p = 1/18.",
    )
    expect(
        not close(no_german, math.log(3), 1e-3),
        "the third is a mean over six tokens, and only one of them is uncertain.",
    )
    expect(
        close(no_german, math.log(3) / 6, 1e-3),
        "ignoring the German, one token of six is a choice among three drinks.",
    )


mistake(
    "8.1",
    "for 10 tokens",
    (math.log(10), 5 / 6 * math.log(6) + 1 / 6 * math.log(18), math.log(3) / 6),
)
mistake(
    "8.1",
    "all 11 tokens",
    (math.log2(11), 5 / 6 * math.log(6) + 1 / 6 * math.log(18), math.log(3) / 6),
)
mistake("8.1", "nearly", (2.40, 1.97, 0.18))
mistake(
    "8.1",
    "still has two drinks",
    (math.log(11), 5 / 6 * math.log(6) + 1 / 6 * math.log(12), math.log(3) / 6),
)
mistake("8.1", "share one of the positions", (math.log(11), math.log(6), math.log(3) / 6))
mistake("8.1", "five tokens with p = 1/6", (math.log(11), math.log(8), math.log(3) / 6))
mistake(
    "8.1",
    "mean over six tokens",
    (math.log(11), 5 / 6 * math.log(6) + 1 / 6 * math.log(18), math.log(3)),
)
mistake(
    "8.1",
    "among three drinks",
    (math.log(11), 5 / 6 * math.log(6) + 1 / 6 * math.log(18), math.log(2) / 6),
)


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
    given, wanted = (list(part) for part in result)
    expect(
        (given, wanted) != (["<bos>", *words, "<eos>"],) * 2,
        "both lists are the whole sentence, so the decoder would be asked for the word it is just "
        "reading.",
    )
    expect(
        (given, wanted) != ([*words, "<eos>"], ["<bos>", *words]),
        "these are the right lists in the wrong order.",
    )
    expect(
        given[:1] == ["<bos>"],
        "the decoder needs something to read before the first word: begin its input with <bos>.",
    )
    expect(
        wanted[-1:] == ["<eos>"],
        "after the last word the right answer is to stop: end the answer with <eos>.",
    )
    expect(
        len(given) == len(wanted),
        f"each input needs its answer; yours have lengths {len(given)} and {len(wanted)}.",
    )
    expect(
        (given, wanted) == (["<bos>", *words], [*words, "<eos>"]),
        "the answer at each place is the next input.",
    )
    for words in (["tea"], ["the", "tea", "and", "the", "coke", "and", "the", "beer"]):
        handed = list(words)
        given, wanted = (list(part) for part in answered(answer(handed)))
        expect(handed == words, "your function changed the list it was given: build new lists.")
        expect(
            (given, wanted) == (["<bos>", *words], [*words, "<eos>"]),
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


@exercise("8.3")
def floor_of_smoothed_labels(answer):
    value = array(answer(9, 0.1), ())
    n = 9
    e = 0.1
    expect(
        not close(value, 0),
        "0 would need all probability on one word, and that is now a wrong answer.",
    )
    wrong = e / (n - 1)
    spread = -(1 - e) * math.log(1 - e) - (n - 1) * wrong * math.log(wrong)
    expect(
        not close(value, spread, 1e-6),
        "you spread ε over the other words only. Here it goes to all words, and the right one gets "
        "its share too.",
    )
    expect(
        not close(value, -math.log(1 - e + e / n)),
        "that is the surprise at the right word alone; the others count too.",
    )
    wrong = e / n
    expect(
        not close(value, -(1 - e) * math.log(1 - e) - (n - 1) * wrong * math.log(wrong), 1e-6),
        "do your q sum to 1? ε goes to all words, and the right one is among them.",
    )
    right = 1 - e + wrong
    floor = -right * math.log(right) - (n - 1) * wrong * math.log(wrong)
    expect(
        close(value, floor, 1e-6),
        "the floor is the entropy of the smoothed answer: -Σ q ln q over all words.",
    )
    expect(
        close(array(answer(4, 0.2), ()), 0.5875, 1e-3),
        "right for 9 words and ε = 0.1, but not in general.",
    )


mistake("8.3", "a wrong answer", lambda n, e: 0.0)


@mistake("8.3", "over the other words only")
def _(n, e):
    w = e / (n - 1)
    return -(1 - e) * math.log(1 - e) - (n - 1) * w * math.log(w)


mistake(
    "8.3", "sum to 1", lambda n, e: -(1 - e) * math.log(1 - e) - (n - 1) * e / n * math.log(e / n)
)
mistake("8.3", "the others count too", lambda n, e: -math.log(1 - e + e / n))


@mistake("8.3", "Σ q ln q")
def _(n, e):
    w = e / n
    right = 1 - e + e / n
    return -right * math.log2(right) - (n - 1) * w * math.log2(w)


@mistake("8.3", "not in general")
def _(n, e):
    w = e / 9
    right = 1 - e + e / 9
    return -right * math.log(right) - 8 * w * math.log(w)


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
        sizes = dict(
            d_model=128, d_ff=512, n_layers=2, n_heads=4, dropout=0.0
        )  # as `train` on the page has them
        model = Transformer(TransformerConfig(len(source), len(target), **sizes))
        *_, loss = training_steps(
            model, [batch] * 64, torch.optim.Adam(model.parameters(), lr=rate)
        )
        expect(
            loss < 0.01,
            f"seed {seed} ends at a loss of {loss:.3f}: its first steps were too large.",
        )


mistake("8.4", "Go above", 0.001)
mistake("8.4", "look below", 0.01)
mistake("8.4", "too large", 0.008)
