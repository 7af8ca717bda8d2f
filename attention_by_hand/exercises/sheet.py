"""Answers that are numbers, or one of a few choices, and the hint for each likely mistake.

Their rules are data, so that two homes can read the same definition: the check of a notebook, here,
and the field in which a reader of the website answers without a kernel (`figures/answer/`). Its
`hint.js` says what `Sheet.hint` says, and the kit's `typed.js` reads what `number_in` reads.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

Pattern = tuple[float | None, ...]


@dataclass(frozen=True)
class Sheet:
    """What is asked, what is right, and what is said of the rest.

    asks: what each number is; "your answer" for a lone number. right: the numbers, or the index
    of the right one of `options`. mistakes: likely answers, each with its hint; None stands for
    any number. otherwise: for each number, the hint where it is wrong in no known way. within: how
    far a right number may be off; a mistake is known at five times that. nearly: how near a
    number is that was only rounded too early, and the hint; `None` where nothing is rounded.
    """

    right: tuple[float, ...]
    mistakes: tuple[tuple[Pattern, str], ...]
    otherwise: tuple[str, ...]
    asks: tuple[str, ...] = ("your answer",)
    within: float = 1e-9
    nearly: tuple[float, str] | None = None
    options: tuple[str, ...] = ()

    def hint(self, values) -> str | None:
        """What to say of these numbers, one for each that is asked; None if all are right."""
        if _alike(values, self.right, self.within):
            return None
        for pattern, hint in self.mistakes:
            if _alike(values, pattern, 5 * self.within):
                return hint
        if self.nearly and _alike(values, self.right, self.nearly[0]):
            return self.nearly[1]
        wrong = (not _alike([v], [r], self.within) for v, r in zip(values, self.right, strict=True))
        return next(hint for is_wrong, hint in zip(wrong, self.otherwise, strict=True) if is_wrong)


def _alike(values, pattern, tolerance: float) -> bool:
    """Whether each value is as near as that to its number in the pattern, where that has one."""
    pairs = zip(values, pattern, strict=True)
    return all(wanted is None or abs(value - wanted) <= tolerance for value, wanted in pairs)


# What may stand between the digits of a number, or be copied with it, and means nothing. JavaScript
# counts some control characters less among the spaces.
_APART = re.compile(r"(?![\x1c-\x1f\x85])[\s\u00ad\u200b-\u200f\u2060\ufeff_'’\u02bc]")
_MINUS = re.compile(r"[\u2010-\u2015\u2212\ufe63\uff0d]")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)


def number_in(text: str) -> float | None:
    """The number that a reader wrote, or None: a point or a comma before the decimals, thousands
    apart or with commas, a fraction such as 2/3, any sign of minus.
    """
    bare = re.sub("[\u2044\u2215]", "/", _MINUS.sub("-", _APART.sub("", text))).strip("()[]")
    parts = [_decimal(part) for part in bare.split("/")]
    if len(parts) > 2 or None in parts or parts[1:] == [0]:
        return None
    number = parts[0] / parts[1] if parts[1:] else parts[0]
    return number if math.isfinite(number) else None


def _decimal(text: str) -> float | None:
    if _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    text = text.replace(",", ".")
    return float(text) if _DECIMAL.fullmatch(text) else None
