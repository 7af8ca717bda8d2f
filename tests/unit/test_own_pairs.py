"""Pairs that a reader can make or has: number words, and the catalogues of a Linux system."""

import re
import struct

import pytest

from transformer_lite.command_line.main import main
from transformer_lite.data.catalogues import catalogue_pairs
from transformer_lite.data.corpus import read_pairs
from transformer_lite.data.number_words import english_number, german_number


@pytest.mark.parametrize(
    ("n", "german", "english"),
    [
        (0, "null", "zero"),
        (71, "einundsiebzig", "seventy-one"),
        (101, "einhunderteins", "one hundred and one"),
        (987, "neunhundertsiebenundachtzig", "nine hundred and eighty-seven"),
        (1000, "eintausend", "one thousand"),
        (4005, "viertausendfünf", "four thousand and five"),
        (4105, "viertausendeinhundertfünf", "four thousand one hundred and five"),
        (21_000, "einundzwanzigtausend", "twenty-one thousand"),
        (101_001, "einhunderteintausendeins", "one hundred and one thousand and one"),
    ],
)
def test_numbers_in_words(n, german, english):
    assert (german_number(n), english_number(n)) == (german, english)


def test_no_two_numbers_are_called_alike():
    assert len({german_number(n) for n in range(30_000)}) == 30_000
    assert len({english_number(n) for n in range(30_000)}) == 30_000


def write_catalogue(path, messages):
    """A .mo file of these messages, as msgfmt writes it."""
    messages = {"": "Content-Type: text/plain; charset=UTF-8\n"} | messages
    write_table(path, sorted((key.encode(), text.encode()) for key, text in messages.items()))


def write_table(path, pairs):
    """A .mo file of pairs of bytes: two tables of (length, place), then the texts."""
    columns = [[pair[side] for pair in pairs] for side in (0, 1)]
    n = len(pairs)
    place = 28 + 16 * n
    tables = texts = b""
    for text in [*columns[0], *columns[1]]:
        tables += struct.pack("<II", len(text), place + len(texts))
        texts += text + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, n, 28, 28 + 8 * n, 0, 0)
    path.write_bytes(head + tables + texts)


def test_catalogues_give_the_pairs_that_are_plain_sentences(tmp_path):
    write_catalogue(
        tmp_path / "editor.mo",
        {
            "_Open a file": "Eine Datei ö_ffnen",
            "File not found.": "Datei nicht gefunden.",
            "cannot open %s": "%s kann nicht geöffnet werden",  # something is filled in
            "Exit": "Beenden",  # one word
            "GNU Emacs": "GNU Emacs",  # nothing to translate
            "a b c d e f g": "a b c d e f h",  # too long
            "one file\0many files": "eine Datei\0viele Dateien",  # a plural
        },
    )
    write_catalogue(tmp_path / "reader.mo", {"No such file": "Datei nicht gefunden."})
    write_catalogue(tmp_path / "iso_3166.mo", {"United Kingdom": "Vereinigtes Königreich"})
    (tmp_path / "broken.mo").write_bytes(b"\xde\x12\x04\x95 not a catalogue")
    (tmp_path / "empty.mo").write_bytes(b"")
    reports = []
    assert catalogue_pairs(tmp_path, report=reports.append) == {
        "editor": [
            ("Datei nicht gefunden.", "File not found."),
            ("Eine Datei öffnen", "Open a file"),
        ]
    }
    assert [re.search(r"(\w+)\.mo' is left out", said)[1] for said in reports] == [
        "broken",
        "empty",
    ]
    assert len(catalogue_pairs(tmp_path, longest=7)["editor"]) == 3


@pytest.mark.parametrize(
    ("header", "translation"),
    [
        ("Content-Type: text/plain; charset=CHARSET\n", b"Datei nicht gefunden"),
        ("Content-Type: text/plain; charset=UTF-8\n", b"Datei nicht f\xfcr Sie"),
        ("Plural-Forms: nplurals=2; plural=(n!=1\n", b"Datei nicht gefunden"),
    ],
)
def test_a_catalogue_that_cannot_be_read_is_named_and_costs_no_other(tmp_path, header, translation):
    write_table(tmp_path / "bad.mo", [(b"", header.encode()), (b"File not found", translation)])
    write_catalogue(tmp_path / "good.mo", {"No such file": "Datei nicht gefunden."})
    reports = []
    expected = {"good": [("Datei nicht gefunden.", "No such file")]}
    assert catalogue_pairs(tmp_path, report=reports.append) == expected
    assert len(reports) == 1 and "bad.mo' is left out: " in reports[0]


PO = r"""
# The header
msgid ""
msgstr ""
"Content-Type: text/plain; charset=iso-8859-1\n"
"Language: de\n"

#: main.c:7
msgid "File not found."
msgstr "Datei nicht gefunden."
msgctxt "a menu"
msgid "_Open "
"a file"
msgstr ""
"Eine Tür "
"ö_ffnen"

#, fuzzy, c-format
msgid "No such file"
msgstr "Keine solche Zeile"

msgid "one file"
msgid_plural "many files"
msgstr[0] "eine Datei"
msgstr[1] "viele Dateien"

msgid "not done yet"
msgstr ""

msgid "a \"quoted\" word\n"
msgstr "ein \"Wort\" hier\n"

#~ msgid "gone for good"
#~ msgstr "weg für immer"
"""


def test_catalogues_become_a_file_of_pairs_by_a_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "de.po").write_bytes(PO.encode("iso-8859-1"))
    write_catalogue(
        tmp_path / "more.mo",
        {"No such file": "Datei nicht gefunden.", "it is a word of eight words now": "es ist gut"},
    )
    rows = ["Datei nicht gefunden.\tFile not found.", "Eine Tür öffnen\tOpen a file"]
    assert main(["pairs", "de.po", "more.mo"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == rows
    assert "de.po: 2 pairs, 1 message left out" in err and "more.mo: 0 pairs, 2 mess" in err
    words = ["pairs", "de.po", "more.mo", "new.tsv", "--longest", "9", "--columns", "2", "1"]
    assert main(words) == 0
    assert capsys.readouterr().err.endswith("new.tsv: 3 pairs written\n")
    turned = [tuple(row.split("\t"))[::-1] for row in rows]
    assert read_pairs("new.tsv") == [*turned, ("it is a word of eight words now", "es ist gut")]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("gone.po", "there is no file 'gone.po': give a catalogue"),
        ("bad.po", "bad.po is no catalogue that can be read: line 1 of it is 'what is this?'"),
        ("latin.po", "latin.po is no catalogue that can be read: 'utf-8' codec"),
        ("bad.mo", "bad.mo is no catalogue that can be read: "),
        ("de.po --longest 1", "--longest must be a whole number of at least 2"),
        ("short.po", "there is no pair to write"),
        ("de.po bad.po", "bad.po is no catalogue"),
        ("de.po there.tsv", "there.tsv is there already"),
        ("de.po a.tsv b.tsv", "the one file to be written"),
        ("a.tsv de.po", "give the catalogues first"),
        ("de.po new.tsv --columns 1 3", "a catalogue has two columns"),
        ("there.tsv", "give a table and the name of the new file"),
    ],
)
def test_what_makes_no_pairs_of_messages_is_said(tmp_path, monkeypatch, capsys, words, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "de.po").write_bytes(PO.encode("iso-8859-1"))
    (tmp_path / "bad.po").write_text("what is this?\n")
    (tmp_path / "short.po").write_text('msgid "Exit"\nmsgstr "Schluss"\n')
    (tmp_path / "latin.po").write_bytes(b'msgid "a door"\nmsgstr "eine T\xfcr"\n')
    (tmp_path / "bad.mo").write_bytes(b"\xde\x12\x04\x95 not a catalogue")
    (tmp_path / "there.tsv").touch()
    assert main(["pairs", *words.split()]) == 2
    out, err = capsys.readouterr()
    assert out == "" and said in err.splitlines()[-1] and not (tmp_path / "new.tsv").exists()
