"""Chapter 14: what a judge makes of a writer, with other dice, other leashes and for longer."""

import copy

from attention_by_hand.studies import judged
from dev.tried import attempt


def became(seed, steps, **how):
    """What the model that has only read becomes: judged by the grammar, for so many steps."""
    model = copy.deepcopy(judged.reader().model)
    for _ in judged.learn(model, judged.is_sentence, seed=seed, steps=steps, **how):
        pass
    return judged.measure(model)


def row(found, **named):
    return named | {
        "right, %": round(found.right),
        "different of 300": found.different,
        "questions, %": round(found.questions),
    }


@attempt(seeds=range(1), steps=1)
def other_dice(seeds=range(20, 30), steps=40):
    """One and the same model, judged ten times: only what it happens to write differs."""
    return [row(became(seed, steps), seed=seed) for seed in seeds]


@attempt(leashes=((0.3, 1),))
def leashes(leashes=((0.3, 40), (0.3, 160), (0.1, 40), (1.0, 40)), seed=20):
    """The leash of the chapter for four times as long, a shorter one and a longer one."""
    return [
        row(became(seed, steps, leash=leash), leash=leash, steps=steps) for leash, steps in leashes
    ]


@attempt(steps=(1,))
def good_of_before(steps=(40, 160, 640), seed=20):
    """The good sentences of the model before, read for four and sixteen times as long."""
    how = {"good_alone": True, "from_before": True}
    return [row(became(seed, count, **how), steps=count) for count in steps]
