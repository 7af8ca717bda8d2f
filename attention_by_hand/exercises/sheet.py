"""Answers that are numbers, or one of a few choices, and the hint for each likely mistake.

Their rules are data, so that two homes can read the same definition: the check of a notebook, here,
and the field in which a reader of the website answers without a kernel (`figures/answer/`). Its
`hint.js` says what `Sheet.hint` says, and the kit's `typed.js` reads what `number_in` reads.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

PER_CENT = "that is per cent: divide it by 100, or write the sign %."
Pattern = tuple[float | None, ...]


@dataclass(frozen=True)
class Sheet:
    """What is asked, what is right, and what is said of the rest.

    asks: what each number is; "your answer" for a lone number. right: the numbers, or the index
    of the right one of `options`. mistakes: likely answers, each with its hint; None stands for
    any number. otherwise: for each number, the hint where it is wrong in no known way. within: how
    far a right number may be off; a mistake is known at five times that, but not where the right
    number is nearer. nearly: how near a number is that was only rounded too early, and the hint;
    `None` where nothing is rounded.
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
            if all(map(self._known, values, pattern, self.right)):
                return hint
        if self.nearly and _alike(values, self.right, self.nearly[0]):
            return self.nearly[1]
        if not self.options and all(map(self._in_per_cent, values, self.right)):
            return PER_CENT
        wrong = (not _alike([v], [r], self.within) for v, r in zip(values, self.right, strict=True))
        return next(hint for is_wrong, hint in zip(wrong, self.otherwise, strict=True) if is_wrong)

    def _known(self, value: float, wrong: float | None, right: float) -> bool:
        if wrong is None:
            return True
        far = 5 * self.within
        nearest = far if wrong == right else min(far, abs(wrong - right) / 2)
        return abs(value - wrong) <= nearest

    def _in_per_cent(self, value: float, right: float) -> bool:
        """Whether it is right, or a share that was rounded to whole per cent, times 100."""
        is_share = abs(right) <= 1 and abs(value / 100 - right) <= max(self.within, 0.005)
        return is_share or abs(value - right) <= self.within


def _alike(values, pattern, tolerance: float) -> bool:
    """Whether each value is as near as that to its number in the pattern, where that has one."""
    pairs = zip(values, pattern, strict=True)
    return all(wanted is None or abs(value - wanted) <= tolerance for value, wanted in pairs)


# What may stand between the digits of a number, or be copied with it, and means nothing. JavaScript
# counts some control characters less among the spaces.
_APART = re.compile(r"(?![\x1c-\x1f\x85])[\s\u00ad\u200b-\u200f\u2060\ufeff_'’\u02bc]")
_SIGNS = {
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d",
    "*": "\u00b7\u00d7\u2219\u22c5",
    "/": "\u2044\u2215\u00f7",
    "(": "[",
    ")": "]",
}
_WRITTEN = str.maketrans({other: sign for sign, others in _SIGNS.items() for other in others})
_TOKEN = re.compile(r"[0-9.,]+(?:e[+-]?[0-9]+)?|[-+*/^()%]", re.IGNORECASE)
_COMMAS = re.compile(r"[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?")  # 18,944,000.5
_POINTS = re.compile(r"[1-9][0-9]{0,2}(\.[0-9]{3})+(\.[0-9]{3}|,[0-9]+)")  # 18.944.000 and 1.234,5
_DECIMAL = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)


def number_in(text: str) -> float | None:
    """The number that a reader wrote, or None: a point or a comma before the decimals, thousands
    apart or with the other of the two, any sign of minus, per cent, and what a pencil leaves to be
    worked out, such as 2/3, 64*5+10 or 2^-3.
    """
    bare = _APART.sub("", text).translate(_WRITTEN).replace("**", "^")
    number = _worked_out(bare)
    return _worked_out(bare.strip("()")) if number is None else number


def _worked_out(text: str) -> float | None:
    tokens = _TOKEN.findall(text)
    if "".join(tokens) != text:
        return None
    tokens.reverse()  # the next one stands at the end
    try:
        number = _sum(tokens)
    except (IndexError, ValueError, ArithmeticError):
        return None
    return number if not tokens and math.isfinite(number) else None


def _sum(tokens: list[str]) -> float:
    value = _product(tokens)
    while tokens and tokens[-1] in "+-":
        value = value + _product(tokens) if tokens.pop() == "+" else value - _product(tokens)
    return value


def _product(tokens: list[str]) -> float:
    value = _signed(tokens)
    while tokens and tokens[-1] in "*/":
        value = value * _signed(tokens) if tokens.pop() == "*" else value / _signed(tokens)
    return value


def _signed(tokens: list[str]) -> float:
    if tokens[-1] not in "+-":
        return _power(tokens)
    return _power(tokens) if tokens.pop() == "+" else -_power(tokens)


def _power(tokens: list[str]) -> float:
    value = _part(tokens)
    while tokens and tokens[-1] == "%":
        tokens.pop()
        value /= 100
    if tokens and tokens[-1] == "^":
        tokens.pop()
        value = math.pow(value, _signed(tokens))
    return value


def _part(tokens: list[str]) -> float:
    token = tokens.pop()
    if token != "(":
        return _decimal(token)
    value = _sum(tokens)
    if tokens.pop() != ")":
        raise ValueError("a bracket is not closed")
    return value


def _decimal(text: str) -> float:
    if _COMMAS.fullmatch(text):
        text = text.replace(",", "")
    elif _POINTS.fullmatch(text):
        text = text.replace(".", "")
    text = text.replace(",", ".")
    if not _DECIMAL.fullmatch(text):
        raise ValueError(f"{text} is no number")
    return float(text)
