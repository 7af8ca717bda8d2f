"""Pairs that can be learned in seconds: all numbers of three digits from 1 to 5, digit by digit."""

from itertools import product

WORDS = {"eins": "one", "zwei": "two", "drei": "three", "vier": "four", "fünf": "five"}
NUMBERS = [
    (" ".join(digits), " ".join(WORDS[digit] for digit in digits))
    for digits in product(WORDS, repeat=3)
]
