"""Path lengths: how often a message is rewritten on its way from the first word to the last."""

from __future__ import annotations

from random import Random

from traitlets import Int, Unicode

from ..kit import Control, Figure, Table, Thumbnail

MOST_WORDS = 64
MOST_WIDTH = 7
ENDS = "habe", "zugemacht"  # a German verb embraces as many words as one likes
VOWELS = "aeiou"
CONSONANTS = "bdfghklmnprstwz"


def heard(message: str, steps: int, seed: int = 2) -> list[str]:
    """The message at first and after each step of a game of telephone: a step hears one letter
    wrong, any of them, a vowel as another vowel and a consonant as another consonant.
    """
    random = Random(seed)
    words = [message]
    for _ in range(steps):
        letters = list(words[-1])
        place = random.randrange(len(letters))
        kind = VOWELS if letters[place] in VOWELS else CONSONANTS
        letters[place] = random.choice(kind.replace(letters[place], ""))
        words.append("".join(letters))
    return words


class PathLengths(Figure):
    """A message travels from the first of `n` words to the last: `PathLengths(n=7, k=3)`.

    It goes through convolutions of width `k` that look back, through a recurrence, and through
    self-attention, and is sent by a button or dragged; each step hears one letter wrong, `heard`
    says which, and a chart counts the steps at every length.
    `n` (2 to 64), `k` (2 to 7) and `step`, how many steps are taken (at most n -
    1), can be read, set and observed; `lengths`
    says how many steps each way has: the maximum path length of table 1 in "Attention Is All You
    Need", counted to the step.

    prediction: the number of the `Prediction` that asked how many layers of width 3 a thousand
    words need; the way that the message would take by the reader's guess is drawn over the
    convolution's, while its width is 3. Until then the chart of all lengths ends at this one.

    Raises FigureError, a ValueError, for values out of range.
    """

    title = "Path lengths"
    thumbnail = Thumbnail(".body")
    constants = {"ends": ENDS, "heard": heard(ENDS[0], MOST_WORDS - 1)}

    n = Int(7).tag(sync=True)  # words in the sentence
    k = Int(3).tag(sync=True)  # the width of a convolution
    step = Int(0).tag(sync=True)  # how many steps are taken
    last_step = Int(6).tag(sync=True)  # n - 1
    prediction = Unicode().tag(sync=True)  # the number of the question that came before, if any

    def __init__(
        self,
        n: int = 7,
        k: int = 3,
        *,
        step: int | None = None,
        prediction: str = "",
        caption: str | None = None,
    ):
        super().__init__(
            n=n,
            k=k,
            step=min(2, n - 1) if step is None else step,
            prediction=prediction,
            caption=caption
            or "Send the message, or drag it along one of its ways. The message, the first of n "
            "words, goes to the last; drag along the chart for more words or fewer. As in a game "
            "of telephone, each step hears one letter wrong. That is an illustration: the errors "
            "are drawn at random once, and are the same for all three. Grey lines: all that a "
            "place on the way hears. A row of dots is a layer; none of the three looks ahead.",
        )

    @property
    def reach(self) -> dict[str, int]:
        """How many places further one step takes the message, for each way."""
        return {"convolution": self.k - 1, "recurrence": 1, "attention": self.n - 1}

    @property
    def lengths(self) -> dict[str, int]:
        """The path length of each way: its steps from the first word to the last."""
        return {way: -(-(self.n - 1) // reach) for way, reach in self.reach.items()}

    def controls(self) -> list[Control]:
        within = {
            "max": "last_step",
            "by": ["n"],
            "ends": [max(n - 1, 0) for n in range(MOST_WORDS + 1)],
        }
        return [
            Control("n", "words n", min=2, max=MOST_WORDS, by_picture=True),
            Control("k", "width k", min=2, max=MOST_WIDTH, by_picture=True),
            Control("step", "step", **within, by_picture=True),
        ]

    @property
    def alternative(self) -> str:
        ways = ", ".join(f"{way} {length}" for way, length in self.lengths.items())
        return (
            f"{self.title}: the steps of a message from the first of {self.n} words to the last: "
            f"{ways}"
        )

    def as_table(self) -> Table:
        words = self.constants["heard"]
        rows = [[way, length, words[length]] for way, length in self.lengths.items()]
        return Table(f"From the first of {self.n} words to the last", ["steps", "arrives as"], rows)
