"""Checks that answer with the likely mistake.

Each exercise of the book ends in a call such as ``check("2.3", attention)``. The checks of a chapter stand in a module
of its own, ``chapter_02.py``: functions that look at an answer and ``expect`` things of it, the likeliest mistakes
first, each with the hint that helps to find it.
"""

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import torch

CHECKS: dict[str, Callable[[Any], None]] = {}


class Verdict(NamedTuple):
    """What ``check`` found; a notebook shows the message."""

    exercise: str
    passed: bool
    message: str

    def __repr__(self) -> str:
        return f"{'✓' if self.passed else '✗'} Exercise {self.exercise}: {self.message}"


class Hint(Exception):
    """Raised by a check that found a mistake; its text is for the reader."""


def exercise(number: str):
    """Register a function as the check of an exercise, by its number: ``"2.3"``."""

    def register(function):
        CHECKS[number] = function
        return function

    return register


def check(number: str, answer) -> Verdict | None:
    """Check an answer to an exercise: a value or a function, whichever the exercise asks for.

    It never raises for a wrong answer, so a chapter runs to its end with its exercises still blank. Only under nbgrader
    it does, which takes an error for a wrong answer; a right one is printed there, and None returned. Raises ValueError
    if there is no such exercise.
    """
    try:
        import_module(f"{__name__}.chapter_{int(number.split('.')[0]):02}")
        look = CHECKS[number]
    except (ValueError, ModuleNotFoundError, KeyError):
        raise ValueError(f"there is no exercise {number!r}; they are numbered like '2.3': chapter, exercise") from None
    verdict = Verdict(number, True, "right.")
    try:
        look(answered(answer))
    except Hint as hint:
        verdict = Verdict(number, False, str(hint))
    except Exception as error:  # a reader's function may fail in any way
        verdict = Verdict(number, False, f"your answer stopped with {type(error).__name__}: {error}")
    if "NBGRADER_EXECUTION" in os.environ:
        if not verdict.passed:
            raise AssertionError(verdict)
        print(verdict)
        return None  # nbgrader would take a cell's value for partial credit
    return verdict


def expect(condition, hint: str) -> None:
    """Give this hint unless the condition holds."""
    if not condition:
        raise Hint(hint)


def answered(answer):
    """The answer, unless it is still blank (``...``, or None from a function whose body is ``...``)."""
    expect(answer is not None and answer is not ..., "not answered yet: put your answer in place of the dots.")
    return answer


def array(answer, shape: tuple[int, ...] | None = None) -> np.ndarray:
    """An answer as float64 numbers, whether it came as numbers, a list, an array or a tensor."""
    answer = answered(answer)
    if isinstance(answer, torch.Tensor):
        answer = answer.detach()
    result = np.asarray(answer, dtype=np.float64)
    if shape is not None:
        expect(result.shape == shape, f"the shape should be {shape}; yours is {result.shape}.")
    return result


def close(a, b, tolerance: float = 1e-6) -> bool:
    """Whether a agrees with b everywhere: an array of the same shape, or one number for all entries."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return b.shape in (a.shape, ()) and bool(np.allclose(a, b, rtol=0, atol=tolerance))
