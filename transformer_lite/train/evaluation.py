"""How good are the translations? Count those that are exactly right, and measure how close the
others come.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import regex

from ..translator import Translator
from ..vocabulary import UNSPACED, check_pairs, without_spaces

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
    """Translate each pair's source and compare with its target; spacing and letters' composition do
    not count.

    Raises ValueError if there are no pairs, for what is no pair, and for a source that cannot be
    translated.
    """
    from sacrebleu.metrics import BLEU, CHRF  # here, because it takes long to import

    pairs = check_pairs(pairs)
    if not pairs:
        raise ValueError("there is nothing to evaluate: give at least one pair")
    written = []
    for i in range(0, len(pairs), 256):
        written += [
            x.text
            for x in translator.translate_batch([pair[0] for pair in pairs[i : i + 256]], beam=beam)
        ]
    vocabulary = translator.target_vocabulary
    wanted = [vocabulary.detokenize(vocabulary.tokenize(pair[1])) for pair in pairs]
    exact = sum(a == b for a, b in zip(written, wanted, strict=True))
    # A short sentence has no run of four words; the effective order leaves out the lengths that no
    # sentence has.
    metrics = BLEU(effective_order=True, force=True, tokenize=bleu_tokenizer(wanted)), CHRF()
    bleu, chrf = (min(100.0, metric.corpus_score(written, [wanted]).score) for metric in metrics)
    return Scores(len(pairs), 100 * exact / len(pairs), bleu, chrf)


def bleu_tokenizer(references: Iterable[str]) -> str:
    """How sacrebleu is to find the words of these texts.

    ``"13a"`` for words with spaces between them, ``"zh"`` for Chinese (each character is a word),
    ``"char"`` for other scripts without spaces, where each letter counts.
    """
    text = "".join(references)
    if not without_spaces([text]):
        return "13a"
    return "zh" if 10 * len(HAN.findall(text)) > 9 * len(UNSPACED.findall(text)) else "char"
