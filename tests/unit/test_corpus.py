"""Pairs from files, as people really write them, and pairs as ids."""

import pytest

from transformer_lite.data.corpus import (
    TWO_SENTENCES,
    EncodedPairs,
    german_english,
    read_pairs,
    short_pairs,
)
from transformer_lite.vocabulary import Vocabulary

PAIRS = [("ich trinke Tee .", "i drink tea ."), ("du schläfst", "you sleep")]


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def silent(text):
    raise AssertionError(f"there was nothing to report: {text}")


@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_any_editors_file_is_read(tmp_path, bom, end, last):
    text = bom + end.join("\t".join(pair) for pair in PAIRS) + (end if last else "")
    assert read_pairs(write(tmp_path / "pairs.tsv", text), silent) == PAIRS


def test_bad_lines_are_reported_by_number_and_the_rest_is_used(tmp_path):
    lines = [b"a\tb", b"", b"no tab", b"\xff\xfe\tx", b"a\t ", b"a\tb\tc", b" \t", b"d \t e"]
    reports = []
    assert read_pairs(write(tmp_path / "p.tsv", b"\n".join(lines)), reports.append) == [
        ("a", "b"),
        ("d", "e"),
    ]
    (report,) = reports
    assert "2 pairs read, 6 lines left out" in report and report.endswith("; ...")
    for problem in (
        "line 2 is blank",
        "line 3 has 1 column instead of 2",
        "line 4 is not UTF-8",
        "line 5 has an empty target",
        "line 6 has 3 columns instead of 2",
    ):
        assert problem in report
    assert "line 7" not in report
    read_pairs(write(tmp_path / "five.tsv", b"a\tb\n" + b"no tab\n" * 5), reports.append)
    each = "; ".join(f"line {number} has 1 column instead of 2" for number in range(2, 7))
    assert reports[1].endswith(f"5 lines left out: {each}")


@pytest.mark.parametrize("content", ["", "\n\n", "one column\n", "a\tb\n".encode("utf-16")])
def test_a_file_without_a_pair_is_refused(tmp_path, content):
    with pytest.raises(ValueError, match="holds no sentence pair"):
        read_pairs(write(tmp_path / "p.tsv", content))


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file .*none.tsv"):
        read_pairs(tmp_path / "none.tsv")


def encode(pairs, max_length=10):
    return EncodedPairs(
        pairs,
        Vocabulary.from_texts(german for german, _ in pairs),
        Vocabulary.from_texts(english for _, english in pairs),
        max_length,
    )


def test_pairs_become_ids_and_long_ones_are_left_out():
    data = encode(
        [*PAIRS, ("ich " * 6, "i"), ("du", "you " * 5), (" ", "i"), ("du", "")], max_length=5
    )
    assert len(data) == 2  # five words and <eos> are six answers
    source, target = Vocabulary.from_texts(["du schläfst"]), Vocabulary.from_texts(["you sleep"])
    data = EncodedPairs(PAIRS[1:], source, target, 3)
    assert (
        data.source(0) == [4, 5]
        and data.target(0) == [1, 5, 4, 2]
        and data.n_target_tokens([0, 0]) == 6
    )
    with pytest.raises(ValueError, match="no pair"):
        encode(PAIRS, max_length=1)


def test_a_long_pair_is_no_part_of_what_the_vocabularies_learn_from():
    assert short_pairs(
        [*PAIRS, ("ich " * 6, "i"), ("du", "you " * 6), (" ", "i"), ("du", "")], 5
    ) == list(PAIRS)
    assert short_pairs([("du " * 5, "you " * 5)], 5) and not short_pairs(
        [("du " * 5, "you " * 5)], 4
    )


def test_the_fingerprint_is_that_of_pairs_and_vocabularies():
    one = encode(PAIRS)
    assert one.fingerprint == encode(list(PAIRS)).fingerprint
    others = [PAIRS[::-1], PAIRS[:1], [PAIRS[0], ("du schläfst", "you slept")]]
    assert one.fingerprint not in {encode(pairs).fingerprint for pairs in others}
    swapped = Vocabulary(
        sorted(Vocabulary.from_texts(german for german, _ in PAIRS).words, reverse=True)
    )
    target = Vocabulary.from_texts(english for _, english in PAIRS)
    assert one.fingerprint != EncodedPairs(PAIRS, swapped, target, 10).fingerprint


def test_the_shipped_translator_learns_from_6000_pairs_and_nothing_held_out():
    from transformer_lite.data.grammar import splits

    pairs = german_english()
    held_out = splits()
    assert len(pairs) == 6000
    for pair in TWO_SENTENCES:
        assert pairs.count(pair) == 20
    sources = {source for source, _ in pairs} | {
        source + mark for source, _ in pairs for mark in (" .", " ?")
    }
    assert not sources & {pair.source for pair in (*held_out.unseen, *held_out.compositional)}
    without_mark = sum(source[-1] not in ".?" for source, _ in pairs[40:])
    assert 700 <= without_mark <= 800 and all(target[-1] in ".?" for _, target in pairs)
