"""A class is graded from a folder: whatever a submission does costs itself alone, and the table
says what it did.
"""

import copy
import csv
import json
import os
import subprocess
import sys
import time

import pytest
from conftest import ROOT

from transformer_lite.exercises import cells, grading

CHAPTER = ROOT / "chapters" / "02-query-key-value.ipynb"
EXERCISES = {exercise.number: exercise for exercise in cells.exercises_in(CHAPTER)}
POINTS = {number: cells.POINTS[exercise.difficulty] for number, exercise in EXERCISES.items()}
BEST = sum(POINTS.values())
RIGHT = {number: exercise.solution for number, exercise in EXERCISES.items()}


def role(cell):
    return cell["metadata"].get("nbgrader", {}).get("grade_id", "")


def submission(answers):
    """The chapter with these answers in its blanks."""
    notebook = json.loads(CHAPTER.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if (
            role(cell).startswith("answer")
            and (number := role(cell)[7:].replace("-", ".")) in answers
        ):
            cell["source"] = answers[number]
    return notebook


def code(text, **more):
    return {
        "cell_type": "code",
        "metadata": {},
        "source": text,
        "outputs": [],
        "execution_count": None,
        **more,
    }


def edited():
    """All right, and hardly a chapter any more: cells gone, the rest turned round, and one answer
    without its mark.
    """
    notebook = submission(RIGHT)
    kept = [cell for cell in notebook["cells"] if role(cell).startswith("answer")]
    kept[2] = code(kept[2]["source"])
    return {"cells": kept[::-1]}


def helped():
    """Exercises 2.2 and 2.3 by means of a function in a cell of the student's own, beside a changed
    chapter.
    """
    answers = {
        "2.2": "def softmax(scores):\n    return helper(scores)",
        "2.3": "def self_attention(x, weight, bias):\n    q = x @ weight.T + bias\n"
        "    return softmax(q @ q.transpose(0, 2, 1) / np.sqrt(q.shape[-1])) @ q",
    }
    notebook = submission(answers)
    place = next(i for i, cell in enumerate(notebook["cells"]) if role(cell) == "answer-2-2")
    own = "def helper(s):\n    globals()\n    p = np.exp(s - s.max(-1)[..., None])\n    return p / p.sum(-1)[..., None]"
    notebook["cells"][place:place] = [code("1 / 0", id="mine"), code(own, id="mine too")]
    for cell in notebook["cells"][:place]:
        if cell["cell_type"] == "code" and not role(cell):
            cell["source"] = "np = Q = None"
    return notebook


CHEATS = {
    "2.1": "print('✓ Exercise 2.1: right.')\nscore = 7",
    "2.2": "import transformer_lite.exercises as e\ne.CHECKS['2.2'] = lambda answer: None\n"
    "def softmax(scores): return 1",
    "2.3": "def self_attention(x, weight, bias):\n    np.allclose = lambda *a, **k: True\n    return x",
    "2.4": "def check(*a): return True\ndef predicted_gap(weights, bias): return 99",
    "2.5": "from transformer_lite import exercises\n"
    "exercises.expect.__code__ = (lambda condition, hint: None).__code__\ndef cosine_weights(query, key): return query",
}
WILD = {
    "2.1": "import sys\nsys.exit(0)",
    "2.2": "import os\nos._exit(0)",
    "2.3": "def self_attention(x, weight, bias):\n    import os, signal\n    os.kill(os.getpid(), signal.SIGSEGV)",
    "2.4": "def predicted_gap(weights, bias):\n    raise KeyError('oh')",
    "2.5": RIGHT["2.5"],
}
KILLER = RIGHT | {"2.1": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)"}
FORGER = {
    "2.1": 'import json\njson.dumps = lambda *a: \'{"passed": true, "hint": "right."}\'\nscore = 1',
    "2.2": 'import os\nfor i in range(3, 99):\n    try: os.write(i, b\'\\n{"passed": true, "hint": "right."}\\n\')\n'
    "    except OSError: pass\ndef softmax(scores): return scores",
}
HUNGRY = RIGHT | {
    "2.4": "kept = []\ndef predicted_gap(weights, bias):\n    while True: kept.append(np.empty(10**7))"
}
CLASS = {
    "right.ipynb": json.dumps(submission(RIGHT)),
    "blank.ipynb": CHAPTER.read_text(encoding="utf-8"),
    "partly.ipynb": json.dumps(
        submission(
            RIGHT
            | {"2.2": "def softmax(s):\n    return np.exp(s) / np.exp(s).sum(-2, keepdims=True)"}
        )
    ),
    "cheats.ipynb": json.dumps(submission(CHEATS)),
    "wild.ipynb": json.dumps(submission(WILD)),
    "endless.ipynb": json.dumps(
        submission(RIGHT | {"2.3": "while True:\n    try: [1] * 9\n    except: pass"})
    ),
    "hungry.ipynb": json.dumps(submission(HUNGRY)),
    "killer.ipynb": json.dumps(submission(KILLER)),
    "forger.ipynb": json.dumps(submission(FORGER)),
    "edited.ipynb": json.dumps(edited()),
    "helped/work/02-query-key-value.ipynb": json.dumps(helped()),
    "empty.ipynb": "",
    "prose.ipynb": "Dear teacher, my dog ate it.",
    "list.ipynb": "[1, 2]",
    "cut.ipynb": CHAPTER.read_text(encoding="utf-8")[:5000],
    "deep.ipynb": "[" * 100_000,
    "scan.pdf": "%PDF",
    "=2+3.ipynb": json.dumps(submission({"2.1": RIGHT["2.1"]})),
    "nothing here/notes.txt": "",
}


def run(*arguments, **options):
    command = [sys.executable, "-m", "transformer_lite.exercises", "grade", *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, **options)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The class, graded by the documented command: how it ended, and the rows of the table."""
    folder = tmp_path_factory.mktemp("class")
    for name, text in CLASS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    done = run(folder, "--out", folder / "grades.csv", "--seconds", 2, "--memory", 0.5)
    assert (folder / "grades.csv").exists(), done.stderr
    assert {path.name for path in folder.iterdir()} == {name.split("/")[0] for name in CLASS} | {
        "grades.csv"
    }
    with (folder / "grades.csv").open(encoding="utf-8", newline="") as file:
        return done, {row["student"]: row for row in csv.DictReader(file)}


def lost(row):
    """The exercises without their points, and what the table says of them."""
    assert (
        int(row["points"]) == sum(int(row[number]) for number in POINTS) and int(row["of"]) == BEST
    )
    return {
        number: row[f"{number} hint"]
        for number, points in POINTS.items()
        if int(row[number]) != points
    }


@pytest.mark.book
def test_each_submission_costs_itself_alone(graded):
    done, rows = graded
    assert done.returncode == 1 and not done.stderr, (
        "some could not be read, some had to be stopped"
    )
    assert set(rows) == {
        name.split("/")[0].rsplit(".", 1)[0].replace("=2", "'=2") for name in CLASS
    }
    for student in ("right", "edited"):
        assert not lost(rows[student]), student
    assert "2.3 was found by its name, self_attention" in rows["edited"]["remarks"]
    assert lost(rows["blank"]) == dict.fromkeys(POINTS, "not answered yet.")
    assert (
        lost(rows["partly"]).keys() == {"2.2"}
        and "your columns sum to 1" in rows["partly"]["2.2 hint"]
    )
    assert lost(rows["endless"]) == {
        "2.3": "no points: it was stopped at its limit of processor time."
    }
    assert lost(rows["hungry"]) == {"2.4": "your answer took more than 0.5 GB of memory."}
    assert lost(rows["helped"]).keys() == {"2.1", "2.4", "2.5"}, (
        "a student's own functions are at hand"
    )
    looked_at = "look at 2.2: it uses globals; look at 2.3: it uses globals"
    assert rows["helped"]["remarks"].endswith(looked_at), "and looked at, where they are run"
    assert not rows["right"]["remarks"]
    assert lost(rows["'=2+3"]).keys() == POINTS.keys() - {"2.1"}


def test_an_answer_that_only_waits_is_stopped_too():
    assert grading.in_a_process(lambda: 7, 20) == 7
    with pytest.raises(grading.Stopped, match="it was stopped after 1 seconds"):
        grading.in_a_process(lambda: time.sleep(10), 1)


@pytest.mark.book
def test_what_a_submission_says_of_itself_earns_nothing(graded):
    row = graded[1]["cheats"]
    hints = lost(row)
    assert hints.keys() == POINTS.keys()
    assert "multiply the four numbers" in hints["2.1"]
    assert "no points" not in hints["2.4"], "a check of one's own is not asked"
    assert hints["2.2"] == "no points: the answer changed the check of 2.2."
    assert hints["2.3"] == "no points: the answer changed numpy.allclose."
    assert hints["2.5"] == "no points: the answer changed transformer_lite.exercises.expect."
    forged = lost(graded[1]["forger"])
    assert (
        forged.keys() == POINTS.keys()
        and forged["2.1"] == "no points: the answer changed json.dumps."
    )
    assert "look at 2.5: it uses __code__, transformer_lite.exercises" in row["remarks"]


@pytest.mark.book
def test_an_answer_may_end_in_any_way(graded):
    hints = lost(graded[1]["wild"])
    assert hints.keys() == {"2.1", "2.2", "2.3", "2.4"}
    assert "SystemExit" in hints["2.1"]
    assert hints["2.2"] == "no points: it ended its process before it had a result."
    assert hints["2.3"] == "no points: it ended its process with the signal SIGSEGV."
    assert hints["2.4"] == "your answer stopped with KeyError: 'oh'"
    killer = graded[1]["killer"]
    assert (
        killer["points"] == "0"
        and "an answer stopped the grading of this submission" in killer["remarks"]
    )


@pytest.mark.book
def test_what_is_no_notebook_is_said(graded):
    expected = {
        "empty": "the file is empty",
        "prose": "its text is no JSON",
        "cut": "its text is no JSON",
        "deep": "its text is no JSON",
        "list": "not a notebook of today's format",
        "scan": "its name does not end in .ipynb but in .pdf",
        "nothing here": "there is no notebook in the folder",
    }
    for student, remark in expected.items():
        row = graded[1][student]
        assert row["points"] == "0" and remark in row["remarks"], row
        assert f"{student}: 0 of {BEST} points; " in graded[0].stdout


def test_wrong_use_is_said_in_a_line_and_writes_nothing(tmp_path):
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "a.ipynb").write_text("{}")
    cases = {
        (tmp_path / "none",): "is not a folder",
        (
            tmp_path / "class",
            "--out",
            tmp_path / "no" / "grades.csv",
        ): "it should be a file in a folder that exists",
        (tmp_path / "class",): "have no cell of a chapter; say with --master",
        (tmp_path / "class", "--seconds", "0"): "give numbers above 0",
    }
    for arguments, message in cases.items():
        with pytest.raises(ValueError, match=message):
            grading.grade(*map_options(arguments))
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["a.ipynb"]


@pytest.mark.book
def test_a_teachers_notebook_that_does_not_run_is_named_and_no_table_is_written(tmp_path):
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "a.ipynb").write_text(json.dumps(submission(RIGHT)), encoding="utf-8")
    for broken, error in (("1 / 0", "ZeroDivisionError"), ("1 +", "SyntaxError")):
        master = json.loads(CHAPTER.read_text(encoding="utf-8"))
        next(cell for cell in master["cells"] if cell["cell_type"] == "code")["source"] = broken
        (tmp_path / "02-mine.ipynb").write_text(json.dumps(master), encoding="utf-8")
        done = run(
            tmp_path / "class",
            "--master",
            tmp_path / "02-mine.ipynb",
            "--out",
            tmp_path / "grades.csv",
        )
        assert (
            done.returncode == 2
            and f"02-mine.ipynb does not run on this machine: {error}" in done.stderr
        )
    assert {path.name for path in tmp_path.iterdir()} == {"class", "02-mine.ipynb"}


def map_options(arguments):
    folder, *options = arguments
    given = dict(zip(options[::2], options[1::2], strict=True))
    return folder, given.get("--out", folder / "grades.csv"), None, float(given.get("--seconds", 1))


def test_two_chapters_in_one_folder_are_asked_about(tmp_path):
    for number in ("02", "03"):
        chapter = next((ROOT / "chapters").glob(f"{number}-*.ipynb"))
        (tmp_path / f"{number}.ipynb").write_bytes(chapter.read_bytes())
    with pytest.raises(ValueError, match="answer chapters 2, 3; say with --master"):
        grading.find_chapter(tmp_path)


def test_an_answer_that_is_there_twice_is_taken_once():
    master = grading.code_cells(CHAPTER)
    twice = copy.deepcopy(master)
    first = next(i for i, cell in enumerate(twice) if cell["mark"] == "answer-2-1")
    twice[first]["source"] = "score = 1"
    twice.append(twice[first] | {"source": "score = 2"})
    found = grading.find_answers(twice, master, list(EXERCISES.values()))
    assert found.answers["2.1"] == "score = 2" and found.remarks == [
        "2.1 is there 2 times: the last one counts"
    ]
