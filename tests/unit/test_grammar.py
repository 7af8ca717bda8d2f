"""The toy language: its sentences, their one translation, and splits that keep their word."""

import subprocess
import sys
from collections import Counter
from itertools import pairwise

import pytest

from transformer_lite.data.grammar import (
    Pair,
    clauses,
    every_pair,
    generate,
    lexicon,
    phrases,
    sampling,
    splits,
)
from transformer_lite.data.grammar import constructions as form
from transformer_lite.data.grammar.clauses import Clause
from transformer_lite.data.grammar.sampling import aligned
from transformer_lite.vocabulary import split_words

# Written out once more, apart from the grammar's own tables
NOUNS = dict(
    pair.split("-")
    for pair in """
    Bier-beer Cola-coke Kaffee-coffee Tee-tea Wasser-water Milch-milk Wein-wine Brot-bread
    Käse-cheese Suppe-soup Apfel-apple Äpfel-apples Ei-egg Buch-book Bücher-books Brief-letter
    Zeitung-newspaper Auto-car Haus-house Koffer-suitcase Schlüssel-key Blumen-flowers Tür-door
    Fenster-window Hund-dog Katze-cat Mann-man Frau-woman Kind-child Lehrer-teacher
    Freund-friend Mutter-mother Bruder-brother Schwester-sister Park-park Kino-cinema
    Bäckerei-bakery Zeit-time
    """.split()
)
ADJECTIVES = {
    "kalt": "cold",
    "heiß": "hot",
    "gut": "good",
    "alt": "old",
    "neu": "new",
    "klein": "small",
    "rot": "red",
}
OTHER_WORDS = {
    "ich": {"i"}, "du": {"you"}, "er": {"he"}, "sie": {"she"}, "wir": {"we"}, "wer": {"who"},
    "wen": {"who"}, "was": {"what"}, "wann": {"when"}, "warum": {"why"}, "dass": {"that"},
    "ob": {"whether"}, "weil": {"because"}, "der": {"the"}, "das": {"the"}, "einen": {"a", "an"},
    "eine": {"a", "an"}, "mein": {"my"}, "meine": {"my"}, "meinen": {"my"},
    "nicht": {"not", "cannot"}, "oft": {"often"}, "nie": {"never"}, "manchmal": {"sometimes"},
    "jetzt": {"now"}, "gestern": {"yesterday"}, "morgen": {"tomorrow"}, "heute": {"today", "this"},
    "Abend": {"evening"}, "Tag": {"day"}, "Hause": {"home"}, "Glas": {"glass", "of"},
    "Tasse": {"cup", "of"}, "gelesen": {"read"}, "gekauft": {"buy", "bought"},
    "gegangen": {"go", "went"}, "trinkst": {"are", "will", "do", "drink", "drinking"},
    "möchten": {"would", "like", "do", "want"},
    "auf": {"is", "am", "are", "will", "do", "does", "open", "opens", "opening"}, ".": {"."},
    "?": {"?"},
}  # fmt: skip


@pytest.fixture(scope="module")
def sample() -> list[Pair]:
    return generate(4000, seed=7)


@pytest.fixture(scope="module")
def parts():
    return splits()


def stem_of(word: str) -> str:
    """``"kaltes"`` -> ``"kalt"``, and no stem for other words than adjectives."""
    return next(
        (
            stem
            for stem in ADJECTIVES
            if word in [stem + ending for ending in ("e", "en", "er", "es")]
        ),
        "",
    )


def words_of(pairs) -> Counter:
    """How often each word occurs, as (0, German word) or (1, English word)."""
    return Counter((side, word) for pair in pairs for side in (0, 1) for word in pair[side].split())


def test_a_sentence_looks_like_one(sample):
    for pair in sample:
        source = pair.source.split()
        target = pair.target.split()
        assert " ".join(source) == pair.source and " ".join(target) == pair.target
        assert split_words(pair.source) == source and split_words(pair.target) == target
        assert len(source) <= 12 and len(target) <= 14
        assert source[-1] == target[-1] and source[-1] in (".", "?")
        assert pair.target == pair.target.lower()
        nouns = {*NOUNS, "Abend", "Tag", "Hause", "Glas", "Tasse"}
        assert all(
            word[0].isupper() == (word in nouns) and word[1:] == word[1:].lower() for word in source
        )


def test_every_word_is_aligned_with_its_translation(sample):
    met = set()
    for pair in sample:
        source = pair.source.split()
        target = pair.target.split()
        assert list(pair.alignment) == sorted(set(pair.alignment))
        assert all(0 <= i < len(source) and 0 <= j < len(target) for i, j in pair.alignment), pair
        assert {i for i, word in enumerate(source) if word != ","} == {
            i for i, _ in pair.alignment
        }, pair
        assert set(range(len(target))) == {j for _, j in pair.alignment}, pair
        for i, word in enumerate(source):
            translation = {target[j] for k, j in pair.alignment if k == i}
            stem = stem_of(word)
            if word in NOUNS:
                assert translation == {NOUNS[word]}, pair
            elif stem:
                assert translation == {ADJECTIVES[stem]}, pair
            elif word in OTHER_WORDS:
                assert translation <= OTHER_WORDS[word], (word, pair)
            met.add(stem or word)
    assert met >= {*NOUNS, *ADJECTIVES, *OTHER_WORDS}, {*NOUNS, *ADJECTIVES, *OTHER_WORDS} - met


SUBJECTS = {
    " ".join(word.partition(":")[0] for word in phrase.german.split()): phrase
    for group in phrases.SUBJECTS
    for phrase in group
}


def thing(article, noun, adjective=""):
    return phrases.noun_phrase(article, adjective, lexicon.NOUNS[noun], lexicon.ACCUSATIVE, "dao")


def clause(subject, verb, tense, time, thing, negated=False):
    return Clause(SUBJECTS[subject], lexicon.VERBS[verb], tense, time, thing, negated)


@pytest.mark.parametrize(
    "c, order, source, target, alignment",
    [
        (
            clause("er", "aufmachen", "progressive", "jetzt", thing("der", "Tür")), "verb_second",
            "er macht jetzt die Tür auf .", "he is opening the door now .",
            "0-0 1-1 1-2 2-5 3-3 4-4 5-1 5-2 6-6",
        ),
        (
            clause("sie", "lesen", "past", "gestern", thing("kein", "Buch"), True), "verb_second",
            "sie hat gestern kein Buch gelesen .", "she did not read a book yesterday .",
            "0-0 1-1 2-6 3-2 3-4 4-5 5-3 6-7",
        ),
        (
            clause("ich", "anrufen", "kann", "heute", thing("mein", "Bruder"), True), "verb_second",
            "ich kann meinen Bruder heute nicht anrufen .", "i cannot call my brother today .",
            "0-0 1-1 2-3 3-4 4-5 5-1 6-2 7-6",
        ),
        (
            clause("er", "suchen", "progressive", "heute Abend", thing("der", "Schlüssel")),
            "verb_second",
            "er sucht heute Abend den Schlüssel .", "he is looking for the key this evening .",
            "0-0 1-1 1-2 1-3 2-6 3-7 4-4 5-5 6-8",
        ),
        (
            clause("ein alter Mann", "kaufen", "future", "morgen", thing("ein", "Hund", "klein")),
            "verb_second",
            "ein alter Mann kauft morgen einen kleinen Hund .",
            "an old man will buy a small dog tomorrow .",
            "0-0 1-1 2-2 3-3 3-4 4-8 5-5 6-6 7-7 8-9",
        ),
        (
            clause("wir", "kaufen", "muss", "", thing("-", "Äpfel", "rot")), "verb_last",
            "wir rote Äpfel kaufen müssen .", "we have to buy red apples .",
            "0-0 1-4 2-5 3-2 3-3 4-1 5-6",
        ),
        (
            clause("du", "brauchen", "state", "", thing("ein", "Auto", "neu")), "verb_first",
            "brauchst du ein neues Auto ?", "do you need a new car ?",
            "0-0 0-2 1-1 2-3 3-4 4-5 5-6",
        ),
    ],
)  # fmt: skip
def test_clauses(c, order, source, target, alignment):
    pair = aligned(getattr(c, order)(), c.english(inverted=order == "verb_first"), source[-1])
    assert pair == Pair(
        source, target, tuple(tuple(map(int, link.split("-"))) for link in alignment.split())
    )


@pytest.mark.parametrize(
    "construction, source, target",
    [
        (form.adverb_first, "heute liest er die Zeitung "
".", "today he is reading the newspaper ."),
        (form.yes_or_no, "liest er morgen die Zeitung "
"?", "will he read the newspaper tomorrow ?"),
        (form.who, "wer liest jeden Tag die Zeitung ?", "who reads the newspaper every day ?"),
        (form.what, "was möchte er heute lesen ?", "what would he like to read today ?"),
        (form.when, "wann will er die Zeitung lesen "
"?", "when does he want to read the newspaper ?"),
        (form.why, "warum liest er nie die Zeitung ?", "why does he never read the newspaper ?"),
        (form.subordinate, "sie sagt , dass er die Zeitung liest "
".", "she says that he is reading the newspaper ."),
        (form.because, "er hat keine Zeit , weil er die Zeitung lesen muss .",
         "he has no time because he has to read the newspaper ."),
    ],
)  # fmt: skip
def test_constructions(construction, source, target, monkeypatch):
    def only_the_newspaper(options):
        return [x for x in options if x in ("lesen", SUBJECTS["er"])] or options

    monkeypatch.setattr(clauses, "articles_of", lambda *_: [(lexicon.NOUNS["Zeitung"], ["der"])])
    pairs = {
        pair.source: pair.target for pair in sampling.sentences(construction, only_the_newspaper)
    }
    assert pairs[source] == target


def test_a_german_sentence_has_one_translation():
    def a_few(options):
        return options[::4] if len(options) > 5 else options

    english = {}
    for construction in form.TURNS:
        for german, translation, end in construction(a_few):
            pair = aligned(german, translation, end)
            assert english.setdefault(pair.source, pair.target) == pair.target
    assert len(english) > 10_000


def test_a_seed_always_gives_the_same_pairs():
    pairs = generate(300, seed=3)
    assert len({pair.source for pair in pairs}) == 300
    assert generate(100, seed=3) == pairs[:100] != generate(100, seed=4)
    code = "from transformer_lite.data.grammar import generate; print(generate(300, seed=3))"
    process = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert process.stdout.strip() == str(pairs)


def test_a_small_language_is_drawn_to_its_end(monkeypatch):
    def numbers(each):
        for number in each(range(3000)):
            yield f"{number}:n", f"{number}:n", "."

    monkeypatch.setattr(sampling, "TURNS", {numbers: 1})
    everything = {f"{number} ." for number in range(3000)}
    assert {pair.source for pair in every_pair()} == everything
    assert {pair.source for pair in generate(3000)} == everything
    with pytest.raises(ValueError, match="holds 3000 different sentences; got n=1000000"):
        generate(1_000_000)
    with pytest.raises(
        ValueError, match="no 2999 pairs to train on and, in the same words, 2 unseen"
    ):
        splits(2999, 2, 0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: generate(-1),
        lambda: splits(n_train=0),
        lambda: splits(n_unseen=1.5),
    ],
)
def test_a_number_of_sentences_that_cannot_be_is_refused_before_any_is_drawn(monkeypatch, call):
    monkeypatch.setattr(
        "transformer_lite.data.grammar.sampling.in_random_order",
        lambda seed: pytest.fail("it began"),
    )
    with pytest.raises(ValueError, match="must be a whole number"):
        call()


def held_out_in_german(pair) -> set[tuple[str, str]]:
    """The same question as ``is_held_out`` asks, put to the German words."""
    words = pair.source.split()
    found = set()
    for word, noun in sampling.HELD_OUT:
        if word in ADJECTIVES:
            meet = any(
                stem_of(first) == word and second == noun for first, second in pairwise(words)
            )
        else:
            verb = lexicon.VERBS[word]
            whole = {word, verb.participle, verb.prefix + verb.present[lexicon.ER]}
            split = set(words) & set(verb.present) and (not verb.prefix or verb.prefix in words)
            meet = noun in words and (whole & set(words) or split)
        if meet:
            found.add((word, noun))
    return found


def test_held_out_combinations_are_held_out(parts):
    train, unseen, compositional = parts
    assert not any(held_out_in_german(pair) for pair in train + unseen)
    found = [held_out_in_german(pair) for pair in compositional]
    assert all(found) and set().union(*found) == set(sampling.HELD_OUT)


def test_splits_share_words_but_no_sentence(parts):
    assert [len(split) for split in parts] == [6000, 1000, 1000]
    assert len({pair.source for split in parts for pair in split}) == 8000
    train, unseen, compositional = (words_of(split) for split in parts)
    assert unseen.keys() <= train.keys()
    assert min(train[word] for word in compositional) >= 20
    for word, noun in sampling.HELD_OUT:
        english = (
            ADJECTIVES[word] if word in ADJECTIVES else lexicon.VERBS[word].english[0].split()[0]
        )
        assert train[0, noun] >= 20 and train[1, english] >= 20


def test_training_meets_every_word(parts):
    train = words_of(parts.train)
    assert min(train.values()) >= 8
    german = sum(side == 0 for side, _ in train)
    assert german <= 205 and len(train) - german <= 160
