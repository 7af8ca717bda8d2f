"""Learning from judgements: how hard a sentence is pulled, and what a leash costs."""

import math

import torch

from . import answered, array, close, exercise, expect, mistake, numbers

numbers(
    "14.1",
    (0.5, -1.5, 0),
    asks=("the pull on a good one", "the pull on the bad one", "the pull if all are good"),
    mistakes={
        (0.25, -0.75, None): "that is how far each lies from the mean; divide it by the spread, "
        "0.5.",
        (1 / math.sqrt(3), -math.sqrt(3), None): "the squares are divided by one less than there "
        "are sentences, by 3.",
        (1, 0, None): "those are the judgements; take their mean away first.",
        (0.5, 1.5, None): "what is bad is pulled down, so its pull is negative.",
        (0.5, -1.5, 1): "if all are good, each lies exactly at the mean.",
    },
    otherwise=(
        "1 less the mean of the four, 0.75, in units of the spread.",
        "0 less the mean of the four, 0.75, in units of the spread.",
        "how far does each then lie from the mean?",
    ),
    within=1e-3,
)

APART = 0.8 * math.log(0.8 / 0.5) + 0.2 * math.log(0.2 / 0.5)
OTHER_WAY = 0.5 * math.log(0.5 / 0.8) + 0.5 * math.log(0.5 / 0.2)

numbers(
    "14.2",
    (APART, 0.3 * APART),
    asks=("the divergence", "what it costs"),
    mistakes={
        (OTHER_WAY, None): "that is the divergence the other way round: the new model's "
        "probabilities say how much each word counts.",
        (APART / math.log(2), None): "that is in bits; take the natural logarithm.",
        (-APART, None): "the fraction is upside down: a divergence is never negative.",
        (math.log(1.6) + math.log(0.4), None): "each logarithm is weighted with the probability "
        "that the new model gives the word.",
        (0.6, None): "that is by how much the probabilities differ, without a logarithm.",
        (APART, APART / 0.3): "the leash is a factor: times 0.3.",
        (APART, APART): "without the leash, whose factor is 0.3.",
    },
    otherwise=(
        "0.8 · ln(0.8 / 0.5) + 0.2 · ln(0.2 / 0.5).",
        "the divergence times the leash.",
    ),
    within=2e-3,
)

numbers(
    "14.3",
    (0.625, 0.375, 0),
    asks=("the first one's share", "the second one's", "the third one's"),
    mistakes={
        (0.5, 0.3, None): "what is read again sums to 1: divide by what the good ones have "
        "together.",
        (0.5, 0.5, None): "good is good, but the first is written more often, and so it is read "
        "more often.",
        (0.625, 0.375, 0.2): "the third is judged bad, so it is not read again.",
    },
    otherwise=(
        "its 0.5, divided by the 0.8 that the good ones have together.",
        "its 0.3, divided by the 0.8 that the good ones have together.",
        "is it read again?",
    ),
    within=1e-3,
)


def _loss(logs, real, judged, *, mean=True, spread=True, sign=-1, of="real", places=True):
    """The loss as it should be, or with one of the likely mistakes."""
    pull = judged - judged.mean() if mean else judged
    if spread:
        pull = pull / (judged.std() + 1e-6)
    pulled = pull[:, None] * logs * (real if places else 1)
    return sign * pulled.sum() / (real.sum() if of == "real" else real.numel())


SLIPS = {
    "the sign": (dict(sign=1), "the sign is turned: made smaller, this loss would make the good "
                 "sentences rarer."),
    "no mean": (dict(mean=False), "take the mean of the judgements away first."),
    "no spread": (dict(spread=False), "divide by the spread of the judgements, `judged.std()`."),
    "padding": (dict(places=False), "places without a word must not count: there `real` is "
                "False."),
    "all places": (dict(of="all"), "divide by the number of words, and not by that of all places."),
}  # fmt: skip


@exercise("14.4")
def loss_of_judgements(answer):
    torch.manual_seed(0)
    logs = torch.randn(5, 6).log_softmax(-1)
    real = torch.arange(6) < torch.tensor([6, 3, 4, 5, 2])[:, None]
    judged = torch.tensor([1.0, 0, 0, 1, 0])
    loss = array(answered(answer(logs.clone(), real.clone(), judged.clone())), ())
    for options, hint in SLIPS.values():
        expect(not close(loss, _loss(logs, real, judged, **options), 1e-5), hint)
    expect(
        close(loss, _loss(logs, real, judged), 1e-4),
        "the number differs, and not in a way that we know. Try two sentences of one word, one of "
        "them good.",
    )
    same = array(answer(logs.clone(), real.clone(), torch.ones(5)), ())
    expect(
        close(same, torch.tensor(0.0), 1e-4),
        "where all judgements are the same, their spread is 0, and the loss is not a number: add "
        "1e-6 to the spread.",
    )


for _options, _hint in SLIPS.values():
    mistake(
        "14.4",
        _hint[:30],
        lambda logs, real, judged, options=_options: _loss(logs, real, judged, **options),
    )
mistake("14.4", "not in a way that", lambda logs, real, judged: 3 * _loss(logs, real, judged))
mistake(
    "14.4",
    "add 1e-6",
    lambda logs, real, judged: (
        -(((judged - judged.mean()) / judged.std())[:, None] * logs * real).sum() / real.sum()
    ),
)
