"""Exercises that answer with the likely mistake.

Each exercise of the book ends in a call such as ``check("2.3", self_attention)``. It has two homes:

- its four cells in the chapter's notebook: the question with its difficulty and minutes, a blank
  for the answer, the check, and the folded solution (``cells`` says how they look);
- the module of its chapter, here ``chapter_02.py``: a function that looks at an answer and expects
  things of it, the likeliest mistakes first, each with the hint that helps to find it; and below it
  those mistakes themselves.

``python -m dev.add_exercise --help`` says how to add one.
"""

import os
import re
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from inspect import unwrap
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import torch
from torch.overrides import TorchFunctionMode

from transformer_lite.checks import quote

from .sheet import Sheet, number_in


class Mistake(NamedTuple):
    """An answer that readers are likely to give, and a part of the hint that it must receive."""

    hint: str
    answer: Any


CHECKS: dict[str, Callable[[Any], None]] = {}
MISTAKES: dict[str, list[Mistake]] = {}
SHEETS: dict[str, Sheet] = {}  # of the exercises that the website asks too


class Verdict(NamedTuple):
    """What ``check`` found; a notebook shows the message."""

    exercise: str
    passed: bool
    message: str
    answered: bool = True

    def __repr__(self) -> str:
        mark = "○"
        if self.answered:
            mark = "✓" if self.passed else "✗"
        return f"{mark} Exercise {self.exercise}: {self.message}"


class NotRight(AssertionError):
    """Raised under nbgrader, which takes an error for a wrong answer and shows the sentence."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class Hint(Exception):
    """Raised by a check that found a mistake; its text is for the reader."""


class Blank(Hint):
    """Raised by a check that found no answer yet."""


def exercise(number: str):
    """Register a function as the check of an exercise, by its number: ``"2.3"``.

    Raises ValueError if the number has a check already.
    """

    def register(function):
        if number in CHECKS:
            raise ValueError(
                f"exercise {number} has two checks: {place(CHECKS[number])} and {place(function)}; "
                "give one of them another number"
            )
        CHECKS[number] = function
        MISTAKES[number] = []
        return function

    return register


def mistake(number: str, hint: str, answer=None):
    """Register a typical wrong answer, which the check above must answer with this part of a hint.

    Used as a decorator where the answer is a function of several lines. Raises ValueError if the
    exercise has no check yet.
    """
    if number not in CHECKS:
        raise ValueError(f"there is no check for exercise {number} above its mistake {hint!r}")
    if answer is None:
        return lambda function: mistake(number, hint, function)
    MISTAKES[number].append(Mistake(hint, answer))
    return answer


def numbers(
    number: str,
    right,
    *,
    mistakes: dict,
    otherwise: str | tuple[str, ...],
    asks: tuple[str, ...] = ("your answer",),
    within: float = 1e-9,
    nearly: tuple[float, str] | None = None,
) -> None:
    """Register an exercise whose answer is a number, or a few of them: ``numbers("3.1", 2.5,
    mistakes={6.25: "6.25 is the variance; ..."}, otherwise="begin with one product ...")``.

    The website asks it too, with the same hints: see ``Sheet`` for what the arguments say. A
    number may stand for a tuple of one. Each of the mistakes is registered with its hint.
    """
    sheet = Sheet(
        right=_floats(right),
        mistakes=tuple((_floats(wrong), hint) for wrong, hint in mistakes.items()),
        otherwise=_as_tuple(otherwise),
        asks=asks,
        within=within,
        nearly=nearly,
    )

    def of_numbers(answer):
        numbers = _read(answer, len(asks))
        several = len(asks) > 1 or isinstance(numbers, tuple | list | np.ndarray | torch.Tensor)
        values = array(numbers, None if several else ())
        if len(asks) == 1:
            wanted = f"one number is asked for; yours has the shape {values.shape}."
        else:
            wanted = f"{len(asks)} numbers are asked for: {', '.join(asks)}."
        expect(values.size == len(asks), wanted)
        hint = sheet.hint(values.ravel().tolist())
        expect(hint is None, hint)

    _register(number, sheet, of_numbers, lambda values: values[0] if len(asks) == 1 else values)


def choice(number: str, options: tuple[str, ...], right: int, *, hints: dict[int, str]) -> None:
    """Register an exercise with a few answers to choose from, of which the reader names one by its
    letter: ``choice("3.2", ("it doubles", "it stays"), 1, hints={0: "..."})``.

    Each wrong option has a hint, under its index. The website asks it too.
    """
    letters = "abcdefghij"[: len(options)]
    sheet = Sheet(
        right=(right,),
        mistakes=tuple(((wrong,), hint) for wrong, hint in hints.items()),
        otherwise=(f"answer with one of the letters {', '.join(letters)}.",),
        options=options,
    )

    def of_choice(answer):
        letter = answer.strip(" ().").lower() if isinstance(answer, str) else answer
        expect(letter in tuple(letters), sheet.otherwise[0])
        hint = sheet.hint([letters.index(letter)])
        expect(hint is None, hint)

    _register(number, sheet, of_choice, lambda values: letters[int(values[0])])


def _as_tuple(value) -> tuple:
    return value if isinstance(value, tuple) else (value,)


def _floats(values) -> tuple[float | None, ...]:
    """Python's own numbers, whatever computed them."""
    return tuple(None if value is None else float(value) for value in _as_tuple(values))


def _read(answer, count: int):
    """The answer, and where it is text, its numbers as the website reads them: ``"1/32, 1/16"``."""
    if isinstance(answer, str) and count > 1:
        answer = _parts(answer.strip(" ()[]"), count)
    if isinstance(answer, tuple | list):
        return [_number(part) if isinstance(part, str) else part for part in answer]
    return _number(answer) if isinstance(answer, str) else answer


def _parts(text: str, count: int) -> list[str]:
    """The numbers in a text: between semicolons, commas and blanks, blanks, or bare commas,
    whichever gives as many as are asked for.
    """
    ways = (r"\s*;\s*", r",\s+", r"\s+", ",")
    splits = [re.split(way, text.strip()) for way in ways]
    several = [parts for parts in splits if len(parts) > 1]
    return next((parts for parts in several if len(parts) == count), (several or [[text]])[0])


def _number(text: str) -> float:
    """The number in a text; a hint where there is none."""
    number = number_in(text)
    if number is None:
        raise Hint(
            f"a number is asked for, such as 0.25 or -1/4; {quote(text)} cannot be read as one."
        )
    return number


def _register(number: str, sheet: Sheet, check_it: Callable, answer_of: Callable) -> None:
    """Register a sheet's check and its mistakes; numbers that one leaves open are right."""
    exercise(number)(check_it)
    SHEETS[number] = sheet
    for pattern, hint in sheet.mistakes:
        values = [r if w is None else w for w, r in zip(pattern, sheet.right, strict=True)]
        mistake(number, hint, answer_of(tuple(values)))


def place(function) -> str:
    """Where a function stands: ``half_the_heads (chapter_03.py, line 95)``."""
    code = unwrap(function).__code__
    return f"{function.__name__} ({os.path.basename(code.co_filename)}, line {code.co_firstlineno})"


def load(chapter: int) -> None:
    """Register the checks of a chapter, if it has any."""
    module = f"{__name__}.chapter_{chapter:02}"
    if find_spec(module):
        import_module(module)


def check(number: str, answer) -> Verdict | None:
    """Check an answer to an exercise: a value or a function, whichever the exercise asks for.

    It never raises for a wrong answer, so a chapter runs to its end with its exercises still blank.
    Where the notebook's last cell stopped with an error, it says so, because that cell's answer was
    not read. Only under nbgrader does it raise, which takes an error for a wrong answer; there a
    right one is printed, and None returned. Raises ValueError if there is no such exercise.
    """
    if chapter := re.match(r"(\d+)\.", number):
        load(int(chapter[1]))
    if number not in CHECKS:
        raise ValueError(
            f"there is no exercise {number!r}; they are numbered like '2.3': chapter, exercise"
        )
    verdict = Verdict(number, True, "right.")
    try:
        if (trouble := _last_trouble()) is not None:
            raise Hint(
                f"the cell that was run before this one stopped with {type(trouble).__name__}, so "
                "that its answer was not read: mend it, run it, then check again."
            )
        with torch.random.fork_rng(devices=[]):  # the reader's random numbers stay as they are
            CHECKS[number](answered(answer))
    except Blank as blank:
        verdict = Verdict(number, False, str(blank), answered=False)
        if callable(answer) and not _is_blank(answer):
            verdict = Verdict(
                number,
                False,
                "your function gave None back: does every way through it end in a return?",
            )
    except Hint as hint:
        verdict = Verdict(number, False, str(hint))
    except Exception as error:  # a reader's function may fail in any way
        message = f"your answer stopped with {type(error).__name__}: {error}"
        if isinstance(error, TypeError) and "not callable" in message and not callable(answer):
            message = (
                "a function is asked for, and you gave what it returns: give its name, "
                "without brackets."
            )
        verdict = Verdict(number, False, message)
    if "NBGRADER_EXECUTION" in os.environ:
        if not verdict.passed:
            raise NotRight(verdict)
        print(verdict)
        return None  # nbgrader would take a cell's value for partial credit
    return verdict


def _last_trouble() -> BaseException | None:
    """What stopped the notebook's last cell, unless it was a check: without a word of it, an older
    answer of the same name would be checked.
    """
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    last = getattr(shell, "last_execution_result", None)
    trouble = last and (last.error_before_exec or last.error_in_exec)
    return None if isinstance(trouble, NotRight) else trouble


def _is_blank(function) -> bool:
    """Whether a function's body is ``...``: it is then as short as this one's."""

    def blank(): ...

    code = getattr(function, "__code__", None)
    return code is not None and len(code.co_code) <= len(blank.__code__.co_code)


def without(hint: str, owner, *names: str):
    """A decorator of a check: while it runs, what the exercise forbids answers with this hint.
    owner: what has the forbidden functions, by these names.
    """

    def refused(*args, **kwargs):
        raise Hint(hint)

    def guarded(function):
        @wraps(function)
        def check_it(answer):
            with ExitStack() as stack:
                for name in names:
                    stack.enter_context(patch.object(owner, name, refused))
                function(answer)

        return check_it

    return guarded


class Watch(TorchFunctionMode):
    """Sees each call of torch: ``Watch(seen)`` calls ``seen(function, arguments, result)``."""

    def __init__(self, seen: Callable):
        super().__init__()
        self.seen = seen

    def __torch_function__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        self.seen(func, args, result)
        return result


def expect(condition, hint: str) -> None:
    """Give this hint unless the condition holds."""
    if not condition:
        raise Hint(hint)


def answered(answer):
    """The answer, unless it is blank: ``...``, or None from a function that has only ``...``."""
    if answer is None or answer is ...:
        raise Blank("not answered yet.\nPut an answer in place of the dots.")
    return answer


def array(answer, shape: tuple[int, ...] | None = None) -> np.ndarray:
    """An answer as float64 numbers, whether it came as numbers, a list, an array or a tensor."""
    answer = answered(answer)
    if isinstance(answer, torch.Tensor):
        answer = answer.detach().cpu().double()
    if isinstance(answer, str):
        answer = _number(answer)
    try:
        result = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        kind = type(answer).__name__
        expect(
            not isinstance(answer, tuple | list),
            f"one array of numbers is asked for; you gave a {kind} of others.",
        )
        raise Hint(
            f"{'a number is' if shape == () else 'numbers are'} asked for; you gave a {kind}."
        ) from None
    if shape == ():
        expect(result.shape == (), f"one number is asked for; yours has the shape {result.shape}.")
    if shape is not None:
        expect(result.shape == shape, f"the shape should be {shape}; yours is {result.shape}.")
    return result


def close(a, b, tolerance: float = 1e-6) -> bool:
    """Whether a agrees with b everywhere: of the same shape, or one number for all entries."""
    a = np.asarray(a, dtype=np.float64)
    b = np.asarray(b, dtype=np.float64)
    return b.shape in (a.shape, ()) and bool(np.allclose(a, b, rtol=0, atol=tolerance))
