"""Files that people bring and that are no files of pairs yet: what is said of them, and how pairs
are made of them.
"""

import csv
import gzip
import io

import pytest

from transformer_lite.command_line.main import main
from transformer_lite.data.corpus import read_pairs
from transformer_lite.data.tables import make_pairs
from transformer_lite.data.text import read_paragraphs

PAIRS = [
    ("geh .", "go ."),
    ("ich bin hier, jetzt .", "i am here, now ."),
    ("wir essen Brot .", "we eat bread ."),
    ("er sagte nein .", 'he said "no" .'),
    ("was ?", "what ?"),
] * 3


def silent(text):
    raise AssertionError(f"there was nothing to report: {text}")


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def sheet(**options):
    text = io.StringIO()
    csv.writer(text, **options).writerows(PAIRS)
    return text.getvalue()


def each(form):
    """A line for each pair; i counts them."""
    rows = enumerate(PAIRS, start=1000)
    return "".join(form.format(source, target, i=i) + "\n" for i, (source, target) in rows)


@pytest.mark.parametrize(
    "text",
    ['{{"de": "{}", "en": "{i}"}}', "{} {}, {i}", "{};{}"],
    ids=["JSON", "prose", "semicolons"],
)
def test_the_lines_that_are_no_pairs_are_named_and_what_makes_pairs(tmp_path, capsys, text):
    path = write(tmp_path / "p.txt", each(text))
    with pytest.raises(ValueError, match="line 1 has 1 column instead of 2; line 2.*make_pairs"):
        read_pairs(path, silent)
    assert main(["train", "--pairs", str(path), "--out", str(tmp_path / "new")]) == 2
    assert "python -m transformer_lite pairs makes such a file" in capsys.readouterr().err


@pytest.mark.parametrize("end", ["\t", "\t\t\t", "\t \t"])
def test_an_empty_last_column_does_not_count(tmp_path, end):
    assert read_pairs(write(tmp_path / "p.tsv", each("{}\t{}" + end)), silent) == PAIRS
    with pytest.raises(ValueError, match="line 1 has an empty target"):
        read_pairs(write(tmp_path / "p.tsv", "du\t" + end), silent)


def test_two_columns_change_places_by_one_command(tmp_path, capsys):
    path = write(tmp_path / "p.tsv", each("{}\t{}"))
    assert main(["pairs", str(path), str(tmp_path / "new"), "--columns", "2", "1"]) == 0
    assert capsys.readouterr() == ("", f"{tmp_path / 'new'}: 15 pairs written\n")
    assert read_pairs(tmp_path / "new", silent) == [pair[::-1] for pair in PAIRS]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--columns", "0", "1"], "counted from 1"),
        (["--columns", "1", "3"], "has columns 1 and 3"),
        (["--separator", ""], "the separator must be"),
        (["--separator", "||", "--quotes"], "one letter"),
        (["--separator", ";"], "is it another separator?"),
    ],
)
def test_what_makes_no_pairs_is_refused(tmp_path, capsys, options, said):
    path = write(tmp_path / "p.tsv", each("{}\t{}"))
    assert main(["pairs", str(path), str(tmp_path / "new"), *options]) == 2
    assert said in capsys.readouterr().err and not (tmp_path / "new").exists()


def test_rows_that_lack_a_column_are_counted(tmp_path):
    path = write(tmp_path / "p.tsv", b"a;b\nc\n\n;d\n\xff;e\nf;g\n")
    reports = []
    assert make_pairs(path, tmp_path / "new", separator=";", report=reports.append) == 2
    assert reports == [f"{tmp_path / 'new'}: 2 pairs written, 3 lines left out"]


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (each("{i}\t{}\t{i}7\t{}"), ["--columns", "2", "4"]),
        (each("{:30}{}"), ["--separator", "  "]),
        (each("{} ||| {}"), ["--separator", "|||"]),
        (sheet(delimiter=";", quoting=csv.QUOTE_ALL), ["--separator", ";", "--quotes"]),
        (sheet(), ["--separator", ",", "--quotes"]),
    ],
)
def test_pairs_are_made_of_a_table(tmp_path, capsys, table, options):
    words = ["pairs", str(write(tmp_path / "table", table)), str(tmp_path / "new"), *options]
    assert main(words) == 0
    assert read_pairs(tmp_path / "new", silent) == PAIRS
    assert main(words) == 2 and "is there already" in capsys.readouterr().err


# Lines


def test_a_cr_among_lf_is_none(tmp_path):
    path = write(tmp_path / "p.tsv", "ich\rbin\ti am\nda\tthere\rnow")
    assert read_pairs(path, silent) == [("ich\rbin", "i am"), ("da", "there\rnow")]


@pytest.mark.parametrize("text", ["the \0cat\tdie Katze\n" * 5, "\0\n" * 5, "a\tb\0\n" * 3])
def test_a_null_character_is_named(tmp_path, text):
    path = write(tmp_path / "p.tsv", text)
    said = "1 (of .* )?is not text, since it has a null character"
    with pytest.raises(ValueError, match=f"not a text: [35] lines are not, line {said}"):
        read_pairs(path)
    with pytest.raises(ValueError, match=f"line {said}"):
        read_paragraphs(path)


@pytest.mark.parametrize("read", [read_pairs, read_paragraphs])
def test_what_is_packed_is_refused_in_one_sentence(tmp_path, read):
    path = write(tmp_path / "pairs.tsv.gz", gzip.compress(each("{}\t{}").encode()))
    with pytest.raises(ValueError, match="line 1 (of .* )?is not UTF-8"):
        read(path)
