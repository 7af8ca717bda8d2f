"""Files that people bring and that are no files of pairs yet: what is said of them, and whether the
command that is named makes pairs of them.
"""

import bz2
import csv
import gzip
import io
import lzma
import os
import re
import shlex
import threading

import pytest

from transformer_lite import console
from transformer_lite.cli import main
from transformer_lite.data import lines
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


TABLES = {
    "a licence after the target": each("{}\t{}\tCC-BY: site #{i} (user)"),
    "one licence for all": each("{}\t{}\tCC-BY 2.0"),
    "numbers of sentences": each("{i}\t{}\t{i}7\t{}"),
    "languages": each("s{i}\tdeu\t{}\teng\t{}"),
    "an empty first column": each("\t{}\t{}"),
    "a remark on some lines": each("{i}\t{}\t{}\t") + "1\tdu\tyou\tfamiliar\n",
    "commas": sheet(),
    "semicolons": each("{};{}"),
    "semicolons and quotes": sheet(delimiter=";", quoting=csv.QUOTE_ALL),
    "a quote that is not closed": each("{};{}") + '"ach, rief sie;"oh", she cried\n',
    "bars": each("{} ||| {}"),
    "an arrow": each("{} -> {}"),
    "equals": each("{} = {}"),
    "two colons": each("{}::{}"),
    "a dash": each("{} - {}"),
    "spaces": each("{:30}{}"),
    "what should be a tab": each("{}\\t{}"),
    "words": "Hund dog\nKatze cat\nMaus mouse\n",
    "a few good lines": each("{}\t{}\tCC-BY {i}") + "du\tyou\n",
}


@pytest.mark.parametrize("name", TABLES)
def test_the_command_that_is_named_mends_a_table_of_another_shape(
    tmp_path, monkeypatch, capsys, name
):
    (tmp_path / "it's a folder").mkdir()
    path = write(tmp_path / "it's a folder" / "-table.txt", TABLES[name])
    with pytest.raises(ValueError) as caught:
        read_pairs(path, silent)
    assert re.search(
        "holds (no|hardly a) sentence pair .*: nearly all its lines", str(caught.value)
    )
    words = shlex.split(str(caught.value)[str(caught.value).index("python -m") :])
    assert words[:3] == ["python", "-m", "transformer_lite"] and main(words[3:]) == 0
    pairs = read_pairs(words[5], silent)
    if name == "words":
        assert pairs == [("Hund", "dog"), ("Katze", "cat"), ("Maus", "mouse")]
    else:
        assert pairs[: len(PAIRS)] == PAIRS and len(pairs) <= len(PAIRS) + 1
    assert main(words[3:]) == 2 and "is there already" in capsys.readouterr().err


def test_what_is_printed_can_be_typed_whatever_the_path(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "-a  b.txt", TABLES["spaces"])
    assert main(["evaluate", "--pairs", "./-a  b.txt"]) == 2
    words = shlex.split(capsys.readouterr().err)
    assert main(words[words.index("pairs", words.index("python")) :]) == 0
    assert read_pairs(tmp_path / "-a  b.pairs.tsv", silent) == PAIRS
    with pytest.raises(ValueError, match=re.escape("pairs './-a  b.txt' './-a  b.pairs1.tsv'")):
        read_pairs("-a  b.txt", silent)


@pytest.mark.parametrize(
    "text",
    ['{{"de": "{}", "en": "{i}"}}', "<tu><de>{}</de><en>{}</en></tu>", "{} {}, {i}"],
    ids=["JSON", "XML", "prose"],
)
def test_where_no_shape_is_seen_the_lines_are_named(tmp_path, text):
    with pytest.raises(ValueError, match="line 1 has 1 column instead of 2; line 2"):
        read_pairs(write(tmp_path / "p.txt", each(text)), silent)


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


# A spreadsheet's quotes


def in_quotes(cell):
    return '"' + cell.replace('"', '""') + '"'


@pytest.mark.parametrize(
    ("quoted", "n"),
    [
        (lambda cell: True, 30),
        (lambda cell: cell.endswith("?") or '"' in cell, 9),  # doubled, as nobody writes them
        (lambda cell: "," in cell, 6),
        (lambda cell: cell in [target for _, target in PAIRS], 15),
    ],
    ids=["all", "with quotes", "with commas", "targets"],
)
def test_the_quotes_of_a_spreadsheet_are_read_as_they_stand_and_reported(tmp_path, quoted, n):
    pairs = [tuple(in_quotes(c) if quoted(c) else c for c in pair) for pair in PAIRS]
    path = write(tmp_path / "p.tsv", "".join("\t".join(pair) + "\n" for pair in pairs))
    reports = []
    assert read_pairs(path, reports.append) == pairs
    assert len(reports) == 1 and f"{n} sentences in the quotes of a spreadsheet" in reports[0]
    assert main(shlex.split(reports[0])[-4:]) == 0
    assert read_pairs(tmp_path / "p.pairs.tsv", silent) == PAIRS


@pytest.mark.parametrize(
    "pairs",
    [
        [('"Ja", sagte er.', '"Yes", he said.'), ("du", "you")],
        [('"Ja."', '"Yes."'), ("du", "you"), ("nein, du", "no, you")],
        [('"Ja", sagte er, "du."', '"Yes", he said, "you."')] * 9,
        [("„Ja.“", "“Yes.”")] * 9,
        [('"', '"')] * 9,
    ],
)
def test_a_writers_own_quotes_are_nobodys_business(tmp_path, pairs):
    path = write(tmp_path / "p.tsv", "".join("\t".join(pair) + "\n" for pair in pairs))
    assert read_pairs(path, silent) == pairs


# Lines


def test_a_cr_among_lf_is_none(tmp_path):
    path = write(tmp_path / "p.tsv", "ich\rbin\ti am\nda\tthere\rnow")
    assert read_pairs(path, silent) == [("ich\rbin", "i am"), ("da", "there\rnow")]


TEXT = each("{}\t{}").encode()
PACKED = {
    "gzip": gzip.compress(TEXT),
    "xz": lzma.compress(TEXT),
    "bzip2": bz2.compress(TEXT),
    "a PDF": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
}


@pytest.mark.parametrize("read", [read_pairs, read_paragraphs])
@pytest.mark.parametrize("content", PACKED.values(), ids=PACKED)
def test_what_is_no_text_is_refused_in_one_sentence(tmp_path, content, read):
    with pytest.raises(ValueError, match="line [12] (of .* )?is not (UTF-8|text)"):
        read(write(tmp_path / "pairs.tsv", content[:40]), silent)


def test_a_line_without_end_is_refused_by_its_number(tmp_path):
    path = write(tmp_path / "p.tsv", "a\tb\n" + "x" * 2_000_000)
    with pytest.raises(ValueError, match=r"line 2 of .*p.tsv has over 1,000,000 bytes"):
        read_pairs(path)
    with pytest.raises(ValueError, match="line 1 of standard input has over"):
        list(lines.lines_of(io.BytesIO(b"x" * 2_000_000)))


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="this system has no /dev/zero")
@pytest.mark.parametrize(
    ("device", "said"), [("/dev/zero", "line 1 of /dev/zero"), ("/dev/urandom", "not in UTF-8")]
)
def test_a_device_without_end_is_refused(device, said):
    with pytest.raises(ValueError, match=said):
        read_pairs(device)
    with pytest.raises(ValueError, match=f"line 1 of {device} is not (UTF-8|text)"):
        read_paragraphs(device)


@pytest.mark.parametrize("text", ["the \0cat\tdie Katze\n" * 5, "\0\n" * 5, "a\tb\0\n" * 3])
def test_a_null_character_is_named(tmp_path, text):
    path = write(tmp_path / "p.tsv", text)
    said = "1 (of .* )?is not text, since it has a null character"
    with pytest.raises(ValueError, match=f"not a text: [35] lines are not, line {said}"):
        read_pairs(path)
    with pytest.raises(ValueError, match=f"line {said}"):
        read_paragraphs(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_that_nobody_writes_to_is_waited_for_aloud(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "PATIENCE", 0.1)
    os.mkfifo(tmp_path / "pipe")
    said = threading.Event()
    writer = threading.Thread(
        target=lambda: said.wait(60) and (tmp_path / "pipe").write_bytes(TEXT), daemon=True
    )
    writer.start()
    reports = []
    pairs = read_pairs(tmp_path / "pipe", lambda text: (reports.append(text), said.set()))
    assert pairs == PAIRS and len(reports) == 1
    assert reports[0].endswith("pipe: nothing has come yet; still waiting")


@pytest.mark.parametrize("word", [r"C:\My Models\de", "it's", r"a b" + "\\", "", "50%", "R&D (1)"])
def test_a_command_is_quoted_for_the_shell(monkeypatch, word):
    assert shlex.split(console.to_type("python", word)) == ["python", word]
    monkeypatch.setattr("os.name", "nt")
    assert console.to_type("python", r"C:\My Models") == r'python "C:\My Models"'
