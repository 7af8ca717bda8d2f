"""Words to ids and back: whole words, pieces of words, and what happens to the unknown."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer_lite.vocabulary import (
    SPECIAL,
    UNK_ID,
    BytePairVocabulary,
    Vocabulary,
    split_words,
    without_spaces,
)

TEXTS = ["der Hund sieht die Katze .", "die Katze sieht den Hund .", "der Hund schläft ."] * 5


def test_tokens_are_words_and_marks():
    assert split_words("Trinkst du Tee?") == ["Trinkst", "du", "Tee", "?"]
    assert split_words(" don't stop-over , nie!  ") == ["don't", "stop-over", ",", "nie", "!"]
    assert split_words(unicodedata.normalize("NFD", "möchte")) == ["möchte"]
    assert split_words("E=mc² ☃\ufe0f!") == ["E", "=", "mc²", "☃\ufe0f", "!"]
    assert split_words(" \t ") == []


@pytest.mark.parametrize("text", ["नमस्ते दुनिया", "สวัสดี ชาวโลก", "שָׁלוֹם", "x̱y nicht"])
def test_a_sign_written_on_a_letter_belongs_to_its_word(text):
    vocabulary = Vocabulary.from_texts([text])
    assert vocabulary.tokenize(text) == text.split() and vocabulary.detokenize(text.split()) == text


@pytest.mark.parametrize(
    "text",
    [
        "ich m\u00f6chte ein Bier\u200b .",  # a space of no width
        "ich m\u00f6ch\u00adte ein Bier .",  # a soft hyphen
        "\ufeffich m\u00f6chte ein \ufeffBier .",  # a byte order mark, at the front and inside
        "ich m\u00f6\u2060chte ein Bier\u2060 .",  # word joiners
        "\u200eich\u200f m\u00f6chte \u202aein\u202c \u2066Bier\u2069 .",  # directions
        "ich mo\u200b\u0308chte ein Bier .",  # between a letter and its dots
        "ich m\u00f6chte ein\ufe0f Bier\U000e0041 .",  # what would belong to an emoji
        "ich\u00a0m\u00f6chte\u202fein\u2007Bier\u0085.",  # spaces of other kinds
        "ich\u2028m\u00f6chte\u3000ein\u2009Bier\u200a.",
    ],
)
def test_what_cannot_be_seen_is_no_part_of_a_word(text):
    seen = "ich m\u00f6chte ein Bier ."
    assert split_words(text) == seen.split()
    cut = BytePairVocabulary.from_texts([seen])
    assert cut.tokenize(text) == cut.tokenize(seen)


def test_joiners_stay_because_they_change_how_a_word_looks():
    persian, hindi = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0930\u094d\u200d\u092f"
    assert split_words(f"{persian} {hindi}") == [persian, hindi]


SIGNS = [
    "\U0001f44b\U0001f3fd",  # a hand with a skin tone
    "\U0001f1e9\U0001f1ea",  # a flag of two letters
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",  # one of tags
    "1\ufe0f\u20e3",
    "#\u20e3",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",  # a family
    "\U0001f469\U0001f3ff\u200d\U0001f4bb",  # a woman with a skin tone and a computer
    "\u2764\ufe0f\u200d\U0001f525",  # a heart on fire
    "\U0001f170\ufe0f",  # a letter to Unicode
    "\u2603\ufe0f",
    "\u2260",
]


@pytest.mark.parametrize("sign", SIGNS)
def test_what_looks_like_one_sign_is_one_token(sign):
    vocabulary = Vocabulary.from_texts([f"ja {sign} nein"])
    assert vocabulary.tokenize(f"ja {sign} nein") == ["ja", sign, "nein"]
    assert vocabulary.detokenize(vocabulary.tokenize(sign)) == sign
    assert split_words(f"ja{sign}{sign}!") == ["ja", sign, sign, "!"]


def test_the_commonest_word_comes_first_after_the_special_ones():
    vocabulary = Vocabulary.from_texts(["b a b", "c a b"])
    assert vocabulary.tokens == [*SPECIAL, "b", "a", "c"] and len(vocabulary) == 7
    assert vocabulary.encode(["a", "c"]) == vocabulary.encode(iter("ac")) == [
        5,
        6,
    ] and vocabulary.decode([5, 6]) == [
        "a",
        "c",
    ]
    assert vocabulary.detokenize(["<bos>", "a", "<unk>", "c", "<eos>", "<pad>"]) == "a <unk> c"


def test_a_first_letter_may_change_its_case_but_an_exact_match_wins():
    vocabulary = Vocabulary(["sie", "Sie", "ich", "Bier"])
    assert vocabulary.decode(vocabulary.encode(["Ich", "bier", "Sie", "sie"])) == [
        "ich",
        "Bier",
        "Sie",
        "sie",
    ]


def test_an_unknown_word_is_refused_by_name_and_place():
    with pytest.raises(
        ValueError,
        match=r"unknown word 'Käse' \(position 1\); the vocabulary has 2 words: ich, mag",
    ):
        Vocabulary(["ich", "mag"]).encode(["ich", "Käse"])


def test_rare_words_are_left_out_and_read_as_unknown():
    texts = ["a a a a a a b b c d"]
    assert Vocabulary.from_texts(texts).words == ["a", "b", "c", "d"]
    assert Vocabulary.from_texts(texts, rare=0.0).words == ["a", "b", "c", "d"]
    assert Vocabulary.from_texts(texts, rare=0.1).words == ["a", "b", "c"]
    vocabulary = Vocabulary.from_texts(texts, rare=0.2)
    assert vocabulary.words == ["a", "b"] and vocabulary.knows_unknown
    assert vocabulary.encode(["a", "d", "new"]) == [4, UNK_ID, UNK_ID]


def test_more_than_a_fifth_of_the_letters_tell_that_there_are_no_spaces():
    assert without_spaces(["太", "abc"])
    assert not any(map(without_spaces, (["太", "abcd"], ["太阳", "abcdefgh"], [])))


def test_a_word_may_stand_once():
    with pytest.raises(ValueError, match=r"stand more often: \['a'\]$"):
        Vocabulary(["a", "b", "a"])
    with pytest.raises(ValueError, match="<pad>"):
        Vocabulary(["<pad>"])


@given(st.text(alphabet=sorted(set("".join(TEXTS)) | set("  ")), max_size=40))
def test_pieces_spell_every_text_of_known_letters(text):
    vocabulary = pieces()
    tokens = vocabulary.tokenize(text)
    ids = vocabulary.encode(tokens)
    assert UNK_ID not in ids and vocabulary.decode(ids) == tokens
    assert vocabulary.detokenize(tokens) == " ".join(text.split())


def pieces(cache=[]):  # noqa: B006 - learnt once
    if not cache:
        cache.append(BytePairVocabulary.from_texts(TEXTS, size=60))
    return cache[0]


def test_a_letter_never_seen_is_unknown_and_special_tokens_are_text():
    tokens = pieces().tokenize("der ☃")
    assert tokens[-1] == "☃" and pieces().encode(tokens)[-1] == UNK_ID
    assert not set(pieces().tokenize("<eos> <pad>")) & set(SPECIAL)


@pytest.mark.parametrize(
    "vocabulary", [Vocabulary(["a", "ö"]), Vocabulary(["a"], knows_unknown=True), pieces()]
)
def test_a_description_in_json_is_enough(vocabulary):
    copy = Vocabulary.from_dict(json.loads(json.dumps(vocabulary.to_dict())))
    assert copy == vocabulary and type(copy) is type(vocabulary)
    assert copy.tokens == vocabulary.tokens and copy.knows_unknown == vocabulary.knows_unknown
    assert copy.tokenize("der Hund☃") == vocabulary.tokenize("der Hund☃")


@pytest.mark.parametrize(
    "description", [{}, {"words": ["a"]}, {"bpe": {"version": "1.0"}}, {"bpe": None}]
)
def test_another_description_is_refused(description):
    with pytest.raises((ValueError, KeyError)):
        Vocabulary.from_dict(description)


def test_vocabularies_of_the_same_words_are_equal_and_nothing_else_is():
    assert Vocabulary(["a", "b"]) == Vocabulary(["a", "b"])
    assert all(
        Vocabulary(["a", "b"]) != other
        for other in (Vocabulary(["b", "a"]), Vocabulary(["a"]), ["a", "b"], 2)
    )
