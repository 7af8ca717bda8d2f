"""The questions for Moodle and Canvas: all that need no code are there, and read back they ask and
answer what the book does.
"""

import html
import re
import zipfile

import pytest
from contents import NUMBERS
from pygiftparser import parser
from pygiftparser.answer import ChoicesSet, NumericAnswerSet

from attention_by_hand import exercises
from dev import quiz


@pytest.fixture(scope="module")
def questions():
    return list(quiz.questions())


@pytest.fixture(scope="module")
def read(questions):
    """The file for Moodle as a parser of GIFT reads it. This one knows no numbers below 0, and no
    sign for all other numbers.
    """
    text = re.sub(r"(%\d+%|:)-(?=\d)", r"\1", quiz.gift(questions))
    text = re.sub(r"(=%0%)\*#", r"\g<1>987654321:0#", text)
    return parser.parseFile(iter(text.splitlines(keepends=True)))


def as_moodle_reads(text):
    """What Moodle's reader of GIFT makes of a text, by its own steps."""
    marks = {f"\\{sign}": f"&&{ord(sign):03};" for sign in ":#={}~"} | {"\\n": "&&010;"}
    text = text.replace("\\\\", "&&092;")
    for escaped, placeholder in marks.items():
        text = text.replace(escaped, placeholder)
    text = text.replace("&&092;", "\\")
    assert not re.search(r"[#={}~]", text.replace("&quot;", "")), "a sign of GIFT's own"
    for escaped, placeholder in marks.items():
        text = text.replace(placeholder, "\n" if escaped == "\\n" else escaped[1])
    return text


def test_every_prediction_and_every_exercise_without_code_is_asked(questions):
    names = [question.name for question in questions]
    assert len(names) == len(set(names))
    asked = {name.split(" (")[0] for name in names}
    assert {f"Exercise {number}" for number in exercises.SHEETS} <= asked
    assert sum(name.startswith("Prediction") for name in names) > 25
    numbers = [question for question in questions if not question.options]
    assert sum(len(sheet.right) for sheet in exercises.SHEETS.values() if not sheet.options) == sum(
        question.name.startswith("Exercise") for question in numbers
    )


def test_read_back_each_question_has_the_answer_of_the_book(questions, read):
    assert len(read) == len(questions)
    for given, back in zip(questions, read, strict=True):
        assert given.name == back.title.replace("\\", "")
        if given.options:
            assert isinstance(back.answers, ChoicesSet)
            right = [answer.fraction == 100 for answer in back.answers.answers]
            assert right == [i == given.right for i in range(len(given.options))]
            hints = [bool(answer.feedback) for answer in back.answers.answers]
            assert hints == [i in given.hints for i in range(len(given.options))]
        else:
            assert isinstance(back.answers, NumericAnswerSet)
            first, *wrong = back.answers.answers
            assert first.fraction == 100 and first.value == pytest.approx(abs(given.right))
            more = bool(given.otherwise)
            assert [answer.fraction for answer in wrong] == [0] * (len(given.hints) + more)


def test_each_chapter_is_a_category(questions):
    categories = re.findall(r"^\$CATEGORY: (.+)\n$", quiz.gift(questions), re.M)
    assert categories == [f"Attention, by Hand/Chapter {chapter}" for chapter in NUMBERS]


def test_no_known_mistake_is_near_enough_to_be_counted_as_right(questions):
    for question in questions:
        for wrong in question.hints:
            assert abs(wrong - question.right) > question.within or question.options


@pytest.mark.parametrize(
    "text, shown",
    [
        ("how $e^{0} \\neq x_1 + y_2$?", r"how \(e^{0} \neq x_1 + y_2\)?"),
        ("$$\\{a, b\\} = a*b*c$$", r"\[\{a, b\} = a*b*c\]"),
        ("is $a < b$ & *so* [on](x.md): ~1 # {2}", "is \\(a < b\\) & <em>so</em> on: ~1 # {2}"),
        ("one\n\ntwo `x_1 = 2` \\* 3", "<p>one</p> <p>two <code>x_1 = 2</code> * 3</p>"),
    ],
)
def test_moodle_shows_what_the_book_says(text, shown):
    page = as_moodle_reads(quiz._gift(text))
    assert html.unescape(page) == shown
    assert "< " not in page, "a browser would take it for the beginning of an element"


def test_formulas_arrive_whole(questions):
    for question in questions:
        for text in (question.text, question.because, *question.options, *question.hints.values()):
            page = html.unescape(as_moodle_reads(quiz._gift(text)))
            for formula in quiz.FORMULA.finditer(text):
                assert (formula[1] or formula[2]) in page, question.name
            assert "$" not in page and not re.search(r"\]\([\w/]", page)


ELSEWHERE = re.compile(
    r"\b(this (page|chapter)|the (page|chapter|figure)|bars are|figure there|as there|below|drag"
    r"|exercise \d|equation|answer with|give (two|three|four) numbers)\b",
    re.I,
)


def test_a_question_stands_alone(questions):
    for question in questions:
        said = [question.text, question.because, question.otherwise]
        for text in (*said, *question.options, *question.hints.values()):
            assert not ELSEWHERE.search(text), f"{question.name}: {text}"
        of_others = (question.otherwise, *question.hints.values())
        assert not any(re.search(r"\b(is|are) right\b", text) for text in of_others)


def test_what_is_told_first_belongs_to_a_question(questions):
    names = {question.name.removeprefix("Prediction ").split(" (")[0] for question in questions}
    assert {*quiz.TOLD} <= names


def test_only_what_points_at_a_page_is_left_out():
    kept = "They are a quarter. The longer the text, the nearer it comes to a sixth."
    assert quiz.alone(f"{kept} The curve below shows how far.") == kept


def test_each_number_of_an_exercise_is_asked_for_by_its_name():
    several = {number for number, sheet in exercises.SHEETS.items() if len(sheet.right) > 1}
    assert {*quiz.GIVE} == several
    for number, names in quiz.GIVE.items():
        assert len({*names}) == len(exercises.SHEETS[number].right)


def test_canvas_is_given_a_quiz_for_each_chapter(questions, tmp_path):
    quiz.main(["--qti", "--output", str(tmp_path)])
    for chapter in NUMBERS:
        with zipfile.ZipFile(tmp_path / f"attention-by-hand-{chapter:02}-qti.zip") as archive:
            inside = [archive.read(name).decode() for name in archive.namelist()]
        items = max(inside, key=len)
        its = [question for question in questions if question.chapter == chapter]
        assert items.count("<item ") == len(its)
        wrong = sum(bool(question.otherwise) for question in its)
        assert items.count('ident="general_incorrect_fb"') == wrong


def test_a_folder_that_is_not_there_is_named(tmp_path, capsys):
    with pytest.raises(SystemExit):
        quiz.main(["--output", str(tmp_path / "none")])
    assert "is no folder" in capsys.readouterr().err
