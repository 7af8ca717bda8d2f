"""A class with nbgrader: the student edition has no solutions, and answers are graded."""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from attention_by_hand.exercises.cells import exercises_in

ROOT = Path(__file__).parents[2]
POINTS = {"easy": 1, "medium": 2, "harder": 3}  # as the page for teachers says


@pytest.mark.site
def test_a_class_is_given_chapter_2_and_graded(tmp_path):
    chapter = ROOT / "chapters" / "02-query-key-value.ipynb"
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    (tmp_path / "source" / "week-2").mkdir(parents=True)
    shutil.copy(chapter, tmp_path / "source" / "week-2")

    def nbgrader(*arguments):
        command = [sys.executable, "-m", "nbgrader", *arguments]
        home = {**os.environ, "HOME": str(tmp_path)}
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=home)
        assert run.returncode == 0, run.stderr

    nbgrader("generate_assignment", "week-2")
    given = (tmp_path / "release" / "week-2" / chapter.name).read_text(encoding="utf-8")
    whole = json.loads(chapter.read_text(encoding="utf-8"))["cells"]
    exercises = exercises_in(chapter)
    solutions = {exercise.number: exercise.solution for exercise in exercises}
    points = {exercise.number: POINTS[exercise.difficulty] for exercise in exercises}
    assert "<summary>Solution" not in given and len(json.loads(given)["cells"]) == len(whole) - len(
        solutions
    )

    answers = {
        "blank": {},
        "all but 2.3": {n: solution for n, solution in solutions.items() if n != "2.3"},
    }
    for student, solved in answers.items():
        notebook = json.loads(given)
        for cell in notebook["cells"]:
            kind, _, number = (
                cell["metadata"].get("nbgrader", {}).get("grade_id", "").partition("-")
            )
            if kind == "answer" and number.replace("-", ".") in solved:
                cell["source"] = solved[number.replace("-", ".")]
        (tmp_path / "submitted" / student / "week-2").mkdir(parents=True)
        submission = tmp_path / "submitted" / student / "week-2" / chapter.name
        submission.write_text(json.dumps(notebook), encoding="utf-8")

    nbgrader("autograde", "week-2")
    nbgrader("export")
    with (tmp_path / "grades.csv").open() as file:
        grades = {
            row["student_id"]: (float(row["score"]), float(row["max_score"]))
            for row in csv.DictReader(file)
        }
    best = sum(points.values())
    assert grades == {"blank": (0, best), "all but 2.3": (best - points["2.3"], best)}

    nbgrader("generate_feedback", "week-2")
    feedback = tmp_path / "feedback" / "all but 2.3" / "week-2" / f"{chapter.stem}.html"
    assert "Exercise 2.3: not answered yet" in feedback.read_text(encoding="utf-8")
