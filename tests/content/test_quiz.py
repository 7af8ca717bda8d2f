"""The questions for Moodle and Canvas: all that need no code are there, and read back they ask and
answer what the book does.
"""

import re
import zipfile

import pytest
from pygiftparser import parser
from pygiftparser.answer import ChoicesSet, NumericAnswerSet

from attention_by_hand import exercises
from dev import quiz


@pytest.fixture(scope="module")
def questions():
    return list(quiz.questions())


@pytest.fixture(scope="module")
def read(questions):
    """The file for Moodle as a parser of GIFT reads it. This one knows no numbers below 0."""
    text = re.sub(r"(%\d+%|:)-(?=\d)", r"\1", quiz.gift(questions))
    return parser.parseFile(iter(text.splitlines(keepends=True)))


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
            assert [answer.fraction for answer in wrong] == [0] * len(given.hints)


def test_each_chapter_is_a_category(questions):
    categories = re.findall(r"^\$CATEGORY: (.+)\n$", quiz.gift(questions), re.M)
    assert categories == [f"Attention, by Hand/Chapter {chapter}" for chapter in range(14)]


def test_no_known_mistake_is_near_enough_to_be_counted_as_right(questions):
    for question in questions:
        for wrong in question.hints:
            assert abs(wrong - question.right) > question.within or question.options


def test_formulas_are_in_brackets_and_links_are_bare(questions):
    text = quiz.gift(questions)
    assert "$" not in text.replace("$CATEGORY", "") and not re.search(r"\]\([\w/]", text)


def test_canvas_is_given_the_same_questions(questions, tmp_path):
    quiz.main(["--qti", "--output", str(tmp_path)])
    with zipfile.ZipFile(tmp_path / "attention-by-hand-qti.zip") as archive:
        inside = {name: archive.read(name).decode() for name in archive.namelist()}
    assessment = max(inside.values(), key=len)
    assert assessment.count("<item ") == len(questions)


def test_a_folder_that_is_not_there_is_named(tmp_path, capsys):
    with pytest.raises(SystemExit):
        quiz.main(["--output", str(tmp_path / "none")])
    assert "is no folder" in capsys.readouterr().err
