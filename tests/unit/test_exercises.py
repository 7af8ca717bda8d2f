"""Every exercise: its solution passes, its blank and the usual mistakes fail, each mistake with a
hint of its own.
"""

import ast
import inspect
import json
import re
import shutil
import symtable
from functools import cache
from importlib import import_module
from pathlib import Path

import matplotlib
import nbformat
import numpy as np
import pytest
import torch
from conftest import ROOT
from nbclient import NotebookClient

from attention_by_hand import exercises
from attention_by_hand.exercises import check
from attention_by_hand.exercises.cells import exercises_in
from dev import add_exercise

matplotlib.use("Agg")
CHAPTERS = sorted(add_exercise.CHAPTERS.glob("[01]*.ipynb"))
EXERCISES = {
    exercise.number: (path, exercise) for path in CHAPTERS for exercise in exercises_in(path)
}
for path in CHAPTERS:
    exercises.load(int(path.name[:2]))
CHAPTER_3 = next(path for path in CHAPTERS if path.name.startswith("03-"))
COUNT = len(exercises_in(CHAPTER_3))
LAST, NEXT, LATER = (f"3.{COUNT + i}" for i in range(3))


def names(code):
    """The names that code binds, and those that it looks up and expects to be there."""
    bound = set()
    used = set()
    tables = [symtable.symtable(code, "", "exec")]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        for symbol in table.get_symbols():
            top = table.get_type() == "module"
            if top and (symbol.is_assigned() or symbol.is_imported()):
                bound.add(symbol.get_name())
            if symbol.is_referenced() and (top or symbol.is_global()):
                used.add(symbol.get_name())
    return bound, used


@cache
def statements(chapter):
    """(code, names it binds, names it uses) of each statement of a chapter, without its
    exercises.
    """
    found = []
    for cell in json.loads(chapter.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if (
            cell["cell_type"] == "code"
            and "%pip" not in source
            and "nbgrader" not in cell["metadata"]
        ):
            code = [ast.unparse(statement) for statement in ast.parse(source).body]
            found += [(statement, *names(statement)) for statement in code]
    return found


def verdict(number, code, changed=lambda answer: answer):
    """Check this answer, where the chapter's reader would: with what the chapter has bound of the
    names it uses. changed: makes another answer of it.
    """
    chapter, exercise = EXERCISES[number]
    _, needed = names(code)
    given = []
    for statement, bound, used in reversed(statements(chapter)):
        if bound & needed:
            given.insert(0, statement)
            needed |= used
    at_hand = {}
    for source in (*given, code):
        exec(source, at_hand)
    return exercises.check(number, changed(at_hand[exercise.name]))


def test_each_exercise_has_its_cells_and_its_check():
    assert list(exercises.CHECKS) == list(EXERCISES)


@pytest.mark.parametrize("number", EXERCISES)
def test_the_solution_passes(number):
    result = verdict(number, EXERCISES[number][1].solution)
    assert result.passed and repr(result).startswith("✓"), result


def constant(function):
    """Gives at every call what the function gave at its first one."""
    first = []

    def same_again(*args, **kwargs):
        if not first:
            first.append(function(*args, **kwargs))
        return first[0]

    return same_again


FUNCTIONS = [
    number
    for number, (_, exercise) in EXERCISES.items()
    if f"def {exercise.name}(" in exercise.solution
]


@pytest.mark.parametrize("number", FUNCTIONS)
def test_a_constant_is_no_answer(number):
    assert not verdict(number, EXERCISES[number][1].solution, constant).passed


WRITTEN = {
    "with commas": lambda numbers: "; ".join(f"{number!r}".replace(".", ",") for number in numbers),
    "to be worked out": lambda numbers: "; ".join(
        f"{number / 2!r} + {number / 2!r}" for number in numbers
    ),
    "in per cent": lambda numbers: "; ".join(f"{100 * number!r} %" for number in numbers),
    "in single precision": lambda numbers: np.array(numbers, np.float32),
    "as a tensor": lambda numbers: torch.tensor(numbers, dtype=torch.float64),
}


@pytest.mark.parametrize("way", WRITTEN)
@pytest.mark.parametrize(
    "number", [number for number, sheet in exercises.SHEETS.items() if not sheet.options]
)
def test_a_right_number_is_right_however_it_is_written(number, way):
    answer = WRITTEN[way](exercises.SHEETS[number].right)
    result = exercises.check(number, answer)
    assert result.passed, (answer, result)


@pytest.mark.parametrize("number", EXERCISES)
def test_the_blank_is_not_an_answer(number):
    result = verdict(number, EXERCISES[number][1].blank)
    assert not result.passed and not result.answered, result
    assert repr(result).startswith(f"○ Exercise {number}: not answered yet")


# It is one of the mistakes
@pytest.mark.filterwarnings("ignore:overflow|invalid value:RuntimeWarning")
@pytest.mark.parametrize("number", EXERCISES)
def test_each_mistake_gets_its_hint(number):
    mistakes = exercises.MISTAKES[number]
    assert len(mistakes) >= 2, (
        f"exercise {number} needs two mistakes or more; @mistake registers one below its check"
    )
    results = [exercises.check(number, mistake.answer) for mistake in mistakes]
    for result, mistake in zip(results, mistakes, strict=True):
        assert not result.passed and result.answered and mistake.hint in result.message, (
            result,
            mistake.hint,
        )
        assert repr(result).startswith("✗")
    assert len({result.message for result in results}) == len(results)


def expectations(check):
    """The lines of each `expect` of a check, as its module counts them."""
    check = inspect.unwrap(check)
    tree = ast.parse(inspect.getsource(check))
    above = check.__code__.co_firstlineno - 1
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "expect"
    ]
    return [range(above + call.lineno, above + call.end_lineno + 1) for call in calls]


@pytest.mark.filterwarnings("ignore:overflow|invalid value:RuntimeWarning")
@pytest.mark.parametrize("number", [n for n in EXERCISES if n not in exercises.SHEETS])
def test_each_hint_is_given_to_a_mistake(number):
    check = exercises.CHECKS[number]
    reached = set()
    for mistake in exercises.MISTAKES[number]:
        with pytest.raises(Exception) as stopped:
            check(mistake.answer)
        if stopped.errisinstance(exercises.Hint):
            reached |= {
                entry.lineno + 1
                for entry in stopped.traceback
                if entry.path == Path(inspect.getfile(inspect.unwrap(check)))
            }
    silent = [lines.start for lines in expectations(check) if reached.isdisjoint(lines)]
    assert not silent, f"{exercises.place(check)}: no mistake gets the hints of the lines {silent}"


@pytest.mark.parametrize("number", exercises.SHEETS)
def test_each_hint_of_a_sheet_is_given_to_an_answer(number):
    """Those of its mistakes are asked above; here, what it says of any other wrong number."""
    sheet = exercises.SHEETS[number]
    known = {sheet.right, *(pattern for pattern, _ in sheet.mistakes)}
    for place, hint in enumerate(() if sheet.options else sheet.otherwise):
        far = [value + 977.3 * (i == place) for i, value in enumerate(sheet.right)]
        assert tuple(far) not in known and sheet.hint(far) == hint
    if sheet.nearly:
        near, hint = sheet.nearly
        assert near > sheet.within
        assert sheet.hint([value + near * 0.99 for value in sheet.right]) == hint


def in_form(form, answer):
    """The answer, with every tensor in it, however deep, in another form."""
    if isinstance(answer, tuple | list):
        return type(answer)(in_form(form, part) for part in answer)
    return form(answer) if isinstance(answer, torch.Tensor) else answer


FORMS = {
    "lists": torch.Tensor.tolist,
    "NumPy's": torch.Tensor.numpy,
    "double precision": lambda t: t.double() if t.is_floating_point() else t,
    "single precision": lambda t: t.float() if t.is_floating_point() else t,
    "with a gradient": lambda t: t.clone().requires_grad_() if t.is_floating_point() else t,
    "not contiguous": lambda t: t.mT.contiguous().mT if t.dim() > 1 else t,
}
# What they ask for is a tensor: a mask as torch takes it, or ids for the chapter's own model
TENSORS = {"5.3", "5.4", "11.5"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("number", FUNCTIONS)
def test_a_right_answer_is_right_in_any_form_of_its_numbers(number, form):
    def in_this_form(function):
        return lambda *args, **options: in_form(
            lambda tensor: FORMS[form](tensor.detach()), function(*args, **options)
        )

    result = verdict(number, EXERCISES[number][1].solution, in_this_form)
    if number in TENSORS and form in ("lists", "NumPy's"):
        assert re.search("a tensor|bool tensor", result.message)
    else:
        assert result.passed, result


@pytest.mark.parametrize("number", ["99.1", "3.99", "3", "three", "", "3.1.1", "03.1"])
def test_an_exercise_that_does_not_exist_is_an_error(number):
    with pytest.raises(ValueError, match=f"no exercise '{number}'"):
        exercises.check(number, 1)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_has_three_to_five_exercises(chapter):
    assert 3 <= len(exercises_in(chapter)) <= 5


def test_a_number_is_given_once():
    both = (
        r"3\.3 has two checks: jacobian \(chapter_03\.py, line \d+\) and another \(test_exercises"
    )
    with pytest.raises(ValueError, match=both):

        @exercises.exercise("3.3")
        def another(answer): ...

    assert exercises.CHECKS["3.3"].__name__ == "jacobian"


def test_a_mistake_stands_below_its_check():
    with pytest.raises(ValueError, match="no check for exercise 3.99 above its mistake 'a hint'"):
        exercises.mistake("3.99", "a hint", 1)


@pytest.fixture
def copy(tmp_path):
    """Chapter 3's files, where a test may write."""
    (tmp_path / "chapters" / "teach").mkdir(parents=True)
    (tmp_path / "attention_by_hand" / "exercises").mkdir(parents=True)
    shutil.copy(CHAPTER_3, tmp_path / "chapters")
    shutil.copy(CHAPTER_3.parent / "teach" / "lesson-03.md", tmp_path / "chapters" / "teach")
    shutil.copy(
        Path(exercises.__file__).with_name("chapter_03.py"),
        tmp_path / "attention_by_hand" / "exercises",
    )
    return tmp_path


@pytest.fixture
def new_chapter(copy):
    """A chapter 15 that has no exercise yet: the folder, with all else as in `copy`."""
    texts = ["# Rotary positions", "## Exercises", "## In the package"]
    written = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell(text) for text in texts]
    )
    nbformat.write(written, copy / "chapters" / "15-rotary-positions.ipynb")
    return copy


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_an_added_exercise_has_its_four_cells_and_a_check(copy):
    before = exercises_in(copy / "chapters" / CHAPTER_3.name)
    old = json.loads(CHAPTER_3.read_text(encoding="utf-8"))
    notebook, module, lesson = add_exercise.add(NEXT, "Half the heads", "medium", 10, root=copy)
    *same, new = exercises_in(notebook)
    assert same == before and new[:5] == (NEXT, "Half the heads", "medium", 10, "answer")
    book = json.loads(notebook.read_text(encoding="utf-8"))
    added = [cell for cell in book["cells"] if cell not in old["cells"]]
    homework = lesson.read_text(encoding="utf-8").partition("## Homework")[2].partition("##")[0]
    assert homework.endswith(f" Then [{NEXT}](../{CHAPTER_3.name}#exercise-3-{COUNT + 1}).\n\n")
    kinds = ("question", "answer", "check", "solution")
    assert [cell["id"] for cell in added] == [f"{kind}-3-{COUNT + 1}" for kind in kinds]
    assert [cell for cell in book["cells"] if cell not in added] == old["cells"]
    nbformat.validate(book)
    stored = notebook.read_text(encoding="utf-8")
    assert stored == nbformat.writes(nbformat.from_dict(book)) + "\n", "as Jupyter saves it"
    names = {"exercise": exercises.exercise, "expect": exercises.expect}
    try:
        exec(module.read_text(encoding="utf-8").split("\n\n\n")[-1], names)
        assert not exercises.check(NEXT, ...).answered
        assert "not written yet" in exercises.check(NEXT, 4).message
    finally:
        del exercises.CHECKS[NEXT], exercises.MISTAKES[NEXT]


@pytest.mark.parametrize("number", [NEXT, "15.1"], ids=["a known module", "a new module"])
@pytest.mark.parametrize(
    ("kind", "right", "wrong"), [("numbers", 0, 1), ("choice", "a", "b")], ids=["numbers", "choice"]
)
def test_an_exercise_that_is_answered_in_the_page_is_begun(new_chapter, number, kind, right, wrong):
    notebook, module, *_ = add_exercise.add(
        number, "A turn", "easy", 5, kind=kind, root=new_chapter
    )
    assert exercises_in(notebook)[-1].number == number
    checks = module.read_text(encoding="utf-8")
    assert kind in add_exercise.IMPORT.search(checks)[0]
    try:
        exec(f"{kind} = exercises.{kind}\n" + checks.split("\n\n\n")[-1], {"exercises": exercises})
        assert exercises.check(number, right).passed
        assert "not written yet" in exercises.check(number, wrong).message
    finally:
        for registered in (exercises.CHECKS, exercises.MISTAKES, exercises.SHEETS):
            del registered[number]


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("from . import array, expect", "from . import array, expect, numbers"),
        ("from . import array, numbers", "from . import array, numbers"),
        ("from . import (\n    Hint,\n    array,\n)", "from . import Hint, array, numbers"),
    ],
    ids=["lacks it", "has it", "in brackets"],
)
def test_a_module_imports_what_its_new_check_needs(line, after):
    assert add_exercise.with_import(f"{line}\n\n\nrest\n", ("numbers",)) == f"{after}\n\n\nrest\n"


def test_the_first_exercise_of_a_chapter_begins_its_checks(new_chapter):
    notebook, module = add_exercise.add("15.1", "A quarter turn", "easy", 5, root=new_chapter)
    assert [exercise.title for exercise in exercises_in(notebook)] == ["A quarter turn"]
    _, heading, question, *_, solution, last = nbformat.read(notebook, 4).cells
    assert heading.source == "## Exercises" and "## In the package" == last.source
    assert question.source.startswith("**15.1") and solution.source.startswith("<details>")
    names = {
        "__name__": "attention_by_hand.exercises.chapter_15",
        "__package__": "attention_by_hand.exercises",
    }
    try:
        exec(module.read_text(encoding="utf-8"), names)
        assert "not written yet" in exercises.check("15.1", 90).message
    finally:
        del exercises.CHECKS["15.1"], exercises.MISTAKES["15.1"]
    add_exercise.add("15.2", "Half a turn", "easy", 5, root=new_chapter)
    assert module.read_text(encoding="utf-8").count("@exercise") == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"number": LAST}, f"{LAST} is taken: '.+'; the next is {NEXT}"),
        ({"number": LATER}, f"{LATER} is not the next exercise of chapter 3; that is {NEXT}"),
        ({"number": "15.1"}, "there is no chapter 15; the chapters are 3 to 3"),
        ({"number": "03.1"}, "numbered like 3.5: chapter, exercise; '03.1' is not"),
        ({"number": "3"}, "numbered like 3.5: chapter, exercise; '3' is not"),
        ({"difficulty": "hard"}, "one of easy, medium, harder; 'hard' is not"),
        ({"minutes": 0}, "1 or more; 0 is not"),
        ({"title": " "}, "one line without stars"),
    ],
    ids=[
        "taken",
        "not the next",
        "unknown chapter",
        "no such number",
        "no number",
        "unknown difficulty",
        "no minutes",
        "no title",
    ],
)
def test_an_exercise_that_cannot_be_added_changes_nothing(copy, changes, message):
    before = contents(copy)
    wanted = {
        "number": NEXT,
        "title": "Half the heads",
        "difficulty": "medium",
        "minutes": 10,
    } | changes
    with pytest.raises(ValueError, match=message):
        add_exercise.add(**wanted, root=copy)
    assert contents(copy) == before


def test_without_the_book_nothing_can_be_added(tmp_path):
    with pytest.raises(
        ValueError, match="there are no chapters in .*: run this in a copy of the book's repository"
    ):
        add_exercise.add(NEXT, "Half the heads", "medium", 10, root=tmp_path)


def test_the_command_line_says_how_and_what_is_wrong(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["exercises", "--help"])
    with pytest.raises(SystemExit, match="0"):
        add_exercise.main()
    assert "for every hint, a mistake" in capsys.readouterr().out
    again = [LAST, "--title", "Again", "--difficulty", "easy", "--minutes", "5"]
    monkeypatch.setattr("sys.argv", ["exercises", *again])
    assert add_exercise.main() == 2 and capsys.readouterr().err.startswith(
        f"error: {LAST} is taken"
    )


@pytest.mark.parametrize(("number", "last"), [(NEXT, ".md"), ("15.1", ".py")])
def test_an_exercise_is_added_to_all_files_or_to_none(new_chapter, number, last, monkeypatch):
    def full_disk(path, content):
        if path.suffix == last:
            raise OSError("no space left on device")
        write_whole(path, content)

    before = contents(new_chapter)
    write_whole = add_exercise.write_whole
    monkeypatch.setattr(add_exercise, "write_whole", full_disk)
    with pytest.raises(OSError, match="no space left"):
        add_exercise.add(number, "Half the heads", "medium", 10, root=new_chapter)
    assert contents(new_chapter) == before


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({'check(\\"3.2\\"': 'check(\\"3.1\\"'}, "3.1 in .* needs a question two cells above"),
        (
            {"3.2 The table of slopes** · medium": "3.2 The table of slopes** · hard"},
            "3.2 in .* needs a question",
        ),
        (
            {'"grade_id": "check-3-2"': '"grade_id": "check-3-1"'},
            "3.2 in .*: the metadata of its four cells should be",
        ),
        (
            {"<details><summary>Solution": "<details><summary>Answer"},
            "3.1 in .* needs a folded solution",
        ),
        (
            {"3.3": "3.9", "3-3": "3-9"},
            "has the exercises .*'3.2', '3.9'.* they should be .*'3.2', '3.3'",
        ),
    ],
    ids=["two with one number", "unknown difficulty", "another's mark", "no solution", "a gap"],
)
def test_cells_that_do_not_fit_are_named(copy, changes, message):
    notebook = copy / "chapters" / CHAPTER_3.name
    text = notebook.read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    notebook.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        exercises_in(notebook)


def test_the_check_of_8_4_trains_what_the_page_trains(monkeypatch):
    page = (ROOT / "chapters" / "08-training.ipynb").read_text(encoding="utf-8").replace('\\"', '"')
    loop = page[page.index("def train(") :]
    sizes = ast.literal_eval(re.search(r"sizes = (\{.+?\})", loop)[1])
    assert sizes["d_model"] == 128 and 'sizes["dropout"] = 0.0' in loop
    chapter_08 = import_module("attention_by_hand.exercises.chapter_08")
    made = []
    config = chapter_08.TransformerConfig
    monkeypatch.setattr(
        chapter_08, "TransformerConfig", lambda *a, **k: made.append(config(*a, **k)) or made[-1]
    )
    check("8.4", 0.004)
    assert made and all(getattr(one, name) == size for one in made for name, size in sizes.items())


def test_a_check_leaves_the_readers_random_numbers_alone():
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    check("1.3", lambda table, new_id: table)
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize(
    ("number", "answer", "said"),
    [
        ("2.2", lambda scores: print(end=""), "gave None back"),
        ("2.2", np.ones(3), "give its name, without brackets"),
        ("3.1", [2.5, 2.5], "one number is asked for; yours has the shape (2,)"),
        ("3.1", "a half", "such as 0.25 or -1/4; 'a half' cannot be read as one"),
        ("0.1", "three, five", "'three' cannot be read as one"),
        ("0.1", "3, five", "'five' cannot be read as one"),
        ("0.4", ("1/32", "1/0"), "'1/0' cannot be read as one"),
        ("3.1", "x" * 999, "xxx...xxx"),
        ("13.1", (80, 20, 42, 18), "that is per cent"),
        ("1.5", (80, 92), "that is per cent"),
        ("2.1", "2.81, 64", "that is per cent"),
        ("2.1", "2.81, 0.65", "nearly: give two digits"),
        ("12.2", (20_071, 80_284), "four times the rounded number"),
        ("13.2", ("4.46e9", "7.25e9"), "all digits are asked for"),
        ("0.2", lambda weights, entries: ["the", "red", "door", "the"], "wrong for two"),
        ("3.1", max, "a number is asked for; you gave a builtin_function_or_method"),
        (
            "2.5",
            lambda q, k: (q @ k.transpose(0, 2, 1), k),
            "one array of numbers is asked for; you gave a tuple",
        ),
    ],
)
def test_what_is_no_answer_of_the_kind_is_named(number, answer, said):
    verdict = check(number, answer)
    assert said in verdict.message and verdict.answered and not verdict.passed


@pytest.mark.parametrize("grading", [False, True])
def test_an_answer_that_was_not_read_is_not_checked(monkeypatch, grading):
    of_7 = str(check("2.1", 7))
    if grading:
        monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    sources = (
        "from attention_by_hand.exercises import check\nscore = 7",
        "score = 1 +",
        "check('2.1', score)",
        "check('2.1', score)",
        "score = nowhere",
        "check('2.1', score)",
        "score = 7",
        "check('2.1', score)",
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])
    NotebookClient(notebook, allow_errors=True).execute()
    said = []
    for cell in notebook.cells:
        if cell.source.startswith("check"):
            (output,) = cell.outputs
            said.append("\n".join(output.traceback) if grading else output.data["text/plain"])
    assert of_7.startswith("✗ Exercise 2.1: ") and said[1] == said[3] == of_7
    for name, verdict in (("SyntaxError", said[0]), ("NameError", said[2])):
        expected = f"✗ Exercise 2.1: the cell that was run before this one stopped with {name}"
        assert verdict.startswith(expected)


def in_place(scores):
    scores -= scores.max(-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(-1, keepdims=True)
    return scores


def chained_in_place(x, weight, bias):
    x = x @ weight.T
    x += bias
    weight *= 0
    bias += 1
    scores = x @ x.transpose(0, 2, 1) / np.sqrt(len(bias))
    return in_place(scores) @ x


def by_place(result, layer, head):
    return [result.source_tokens[i] for i in result.attention[2][layer][0, head].argmax(-1)]


@pytest.mark.parametrize(
    ("number", "answer"),
    [
        ("0.2", lambda weights, entries: np.array(entries)[weights.argmax(-1).numpy()]),
        ("2.2", in_place),
        ("2.3", chained_in_place),
        # And once more: nothing that others are checked with has changed
        ("2.3", chained_in_place),
        ("9.3", by_place),
        ("10.2", lambda d, d_ff: 2 * d + d_ff + 1e-6),
        ("3.1", [2.5]),
        ("3.1", "2,5"),
        ("3.1", "+2.50"),
        ("0.1", "3 5"),
        ("0.4", "1 / 32, 1 / 16"),
        ("0.4", "0,031\u202f25; 0,0625"),
        ("1.1", "18 944 000, 270, 138\u2009240"),
        ("0.1", "(3, 5)"),
        ("0.4", "1/32; 1/16"),
        ("0.4", "1/32,1/16"),
        ("3.2", "0.25,-0.15,-0.1"),
        ("3.2", "1/4,-3/20,-1/10"),
        ("3.2", " 0,25   -0,15  -0,1 "),
        ("1.1", "37000*512; 30*9; 30*9*512"),
        ("1.1", "18.944.000 270 138240"),
        ("1.5", "80 %, 92.3 %"),
        ("4.2", "2, 7, 64*5+10"),
        ("5.1", "73.1%, 26.9%, 0, 0"),
        ("5.2", "1+2+3+4+4+4"),
        ("1.1", ("18,944,000", 270, "138,240")),
        ("4.1", "(c)"),
    ],
)
def test_a_right_answer_in_another_shape_is_right(number, answer):
    assert check(number, answer).passed, check(number, answer).message
