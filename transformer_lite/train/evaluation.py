"""How good are the translations? Count the exact ones, and measure how close others come."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import regex

from ..checks import check_pairs
from ..translator import Translator
from ..vocabulary import UNSPACED, without_spaces

AT_ONCE = 256  # sentences in a batch
HAN = regex.compile(r"\p{Han}")


class Scores(NamedTuple):
    """All but ``sentences`` run from 0 to 100, higher is better.

    exact_match: the share of sentences that are translated word for word as in the reference. bleu
    (Papineni et al., 2002) and chrf (Popović, 2015): how many short runs of words, and of letters,
    the two share; by sacrebleu. What BLEU takes for words is said by ``bleu_tokenizer``.
    """

    sentences: int
    exact_match: float
    bleu: float
    chrf: float


def evaluate(translator: Translator, pairs: Sequence[tuple[str, str]], *, beam: int = 1) -> Scores:
    """Translate each pair's source and compare; spacing and letters' composition do not count.

    Raises ValueError if there are no pairs, for what is no pair, and for a source that cannot be
    translated.
    """
    from sacrebleu.metrics import BLEU, CHRF  # here, because it takes long to import

    pairs = check_pairs(pairs)
    if not pairs:
        raise ValueError("there is nothing to evaluate: give at least one pair")
    written = translations(translator, pairs, beam)
    wanted = references(translator, pairs)
    exact = count_equal(written, wanted)
    # A short sentence has no run of four words; the effective order leaves out the lengths that no
    # sentence has.
    bleu = BLEU(effective_order=True, force=True, tokenize=bleu_tokenizer(wanted))
    return Scores(
        sentences=len(pairs),
        exact_match=100 * exact / len(pairs),
        bleu=min(100.0, bleu.corpus_score(written, [wanted]).score),
        chrf=min(100.0, CHRF().corpus_score(written, [wanted]).score),
    )


def exact_matches(translator: Translator, pairs: Sequence[tuple[str, str]], beam: int = 1) -> int:
    """How many sources are translated word for word. Raises the same errors as ``evaluate``."""
    return count_equal(translations(translator, pairs, beam), references(translator, pairs))


def count_equal(written: Sequence[str], wanted: Sequence[str]) -> int:
    return sum(a == b for a, b in zip(written, wanted, strict=True))


def translations(
    translator: Translator, pairs: Sequence[tuple[str, str]], beam: int = 1
) -> list[str]:
    """The translation of each pair's source."""
    texts = []
    for i in range(0, len(pairs), AT_ONCE):
        sources = [pair[0] for pair in pairs[i : i + AT_ONCE]]
        texts += [
            translation.text for translation in translator.translate_batch(sources, beam=beam)
        ]
    return texts


def references(translator: Translator, pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Each pair's target, spaced as the translator would write it."""
    vocabulary = translator.target_vocabulary
    return [vocabulary.detokenize(vocabulary.tokenize(pair[1])) for pair in pairs]


def bleu_tokenizer(references: Iterable[str]) -> str:
    """How sacrebleu is to find the words of these texts.

    ``"13a"`` for words with spaces between them, ``"zh"`` for Chinese (each character is a word),
    ``"char"`` for other scripts without spaces, where each letter counts.
    """
    text = "".join(references)
    if not without_spaces([text]):
        return "13a"
    return "zh" if 10 * len(HAN.findall(text)) > 9 * len(UNSPACED.findall(text)) else "char"
