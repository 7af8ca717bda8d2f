"""Grade a class: a folder of notebooks becomes a table, with the hint for each answer that is
wrong.

A submission is somebody else's program, so nothing that it says of itself counts. The chapter is
run once, as the repository has it. From each submission come the answers alone; each is put where
the chapter has its blank and judged by the chapter's own check, in a process of its own with a
limit of time and of memory. Whatever an answer does, it spoils neither the next answer nor the next
student. An answer that changes the package, numpy or torch gets no points.
"""

import ast
import builtins
import contextlib
import csv
import io
import json
import math
import os
import pickle
import re
import select
import signal
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
import torch

from ..files import check_writable, write_whole
from . import CHECKS, Verdict, check, load
from .cells import CHAPTERS, POINTS, Exercise, exercises_in

LARGEST = 50_000_000  # bytes of a submission
SLACK = 200_000_000  # bytes in which an answer that is out of memory can still be reported
USUAL = {
    "numpy",
    "torch",
    "math",
    "matplotlib",
    "itertools",
    "functools",
    "collections",
    "transformer_lite",
}
UNUSUAL = {
    "check",
    "CHECKS",
    "expect",
    "exec",
    "eval",
    "compile",
    "open",
    "globals",
    "setattr",
    "delattr",
}


class Submission(NamedTuple):
    """What is taken from a notebook."""

    answers: dict[str, str]  # the exercise's number: the answer's code
    above: dict[str, list[str]]  # the student's other code that stands above the answer
    remarks: list[str]


# Finding the answers


def code_cells(path: Path) -> list[dict]:
    """The code cells of a notebook. Raises ValueError, which says what it is instead."""
    if path.is_dir():
        raise ValueError("there is no notebook in the folder")
    if path.suffix != ".ipynb":
        raise ValueError(
            f"not a notebook: its name does not end in .ipynb but in {path.suffix or 'nothing'}"
        )
    if not path.is_file():
        raise ValueError("not a file")
    size = path.stat().st_size
    if size == 0:
        raise ValueError("the file is empty")
    if size > LARGEST:
        raise ValueError(
            f"the file is too large: {size / 1e6:.0f} MB, and at most {LARGEST / 1e6:.0f} are read"
        )
    try:
        notebook = json.loads(path.read_text(encoding="utf-8-sig"))
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for cell in cells:
            cell["source"] = "".join(cell["source"])
            cell["mark"] = str(cell.get("metadata", {}).get("nbgrader", {}).get("grade_id"))
        return cells
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not a notebook: its text is no JSON ({error})") from None
    except (KeyError, TypeError, AttributeError):
        raise ValueError("not a notebook of today's format, with a list of cells") from None


def binds(source: str, name: str) -> bool:
    """Whether code defines this name, at its left margin."""
    return re.search(rf"^(def {name}\b|class {name}\b|{name}\s*[:=])", source, re.M) is not None


def find_answers(cells: list[dict], master: list[dict], exercises: list[Exercise]) -> Submission:
    """Find each answer by its mark, else by its cell's id, else by the name that it defines.

    Cells of the chapter that a student has changed are left aside: the chapter's own are run.
    """
    own = {cell["source"] for cell in master}
    own_ids = {cell.get("id") for cell in master} - {None}
    answers, places, remarks = {}, {}, []
    for exercise in exercises:
        role = exercise.number.replace(".", "-")
        home = next(cell.get("id") for cell in master if cell["mark"] == f"answer-{role}")
        found = [i for i, cell in enumerate(cells) if cell["mark"] == f"answer-{role}"]
        found = found or [
            i for i, cell in enumerate(cells) if home is not None and cell.get("id") == home
        ]
        if not found:
            found = [i for i, cell in enumerate(cells) if binds(cell["source"], exercise.name)]
            found = [
                i
                for i in found
                if cells[i]["source"] not in own and cells[i].get("id") not in own_ids
            ]
            if found:
                remarks.append(
                    f"{exercise.number} was found by its name, {exercise.name}: its own cell is gone"
                )
        written = [i for i in found if cells[i]["source"].strip() != exercise.blank.strip()]
        if len(written) > 1:
            remarks.append(f"{exercise.number} is there {len(written)} times: the last one counts")
        if found:
            places[exercise.number] = (written or found)[-1]
            answers[exercise.number] = cells[places[exercise.number]]["source"]
    student = [
        i in places.values()
        or (cell["source"] not in own and cell["mark"] == "None" and cell.get("id") not in own_ids)
        for i, cell in enumerate(cells)
    ]
    above = {
        number: [
            cell["source"] for cell, theirs in zip(cells[:place], student, strict=False) if theirs
        ]
        for number, place in places.items()
    }
    return Submission(answers, above, remarks)


def unusual(source: str) -> list[str]:
    """What an honest answer hardly needs, and a teacher should look at."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    imported = [
        alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names
    ]
    from_them = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    imported += [f"{node.module}.{alias.name}" for node in from_them for alias in node.names]
    found = {name for name in imported if name.split(".")[0] not in USUAL or "exercises" in name}
    found |= {node.id for node in nodes if isinstance(node, ast.Name) and node.id in UNUSUAL}
    found |= {
        node.attr for node in nodes if isinstance(node, ast.Attribute) and node.attr.startswith("_")
    }
    return sorted(found)


# Judging an answer


def contents() -> Iterator[tuple[str, Any, Any]]:
    """(name, thing, what it holds) of all that an answer must leave as it is."""
    for number, function in CHECKS.items():
        yield f"the check of {number}", function, (function.__code__, function.__defaults__)
    package = [
        module
        for name, module in sys.modules.items()
        if name.split(".")[0] == __package__.split(".")[0]
    ]
    for module in (
        builtins,
        json,
        math,
        os,
        pickle,
        re,
        np,
        np.linalg,
        torch,
        torch.nn.functional,
        *package,
    ):
        for name, thing in list(vars(module).items()):
            if name.startswith("_") and name != "__import__":
                continue
            held = None
            if module in package and isinstance(thing, FunctionType):
                held = thing.__code__, thing.__defaults__
            elif module in package and isinstance(
                thing, (np.ndarray, torch.Tensor, list, tuple, dict, set, int, float)
            ):
                with contextlib.suppress(
                    Exception
                ):  # what cannot be written down is compared by its identity alone
                    held = pickle.dumps(thing)
            yield f"{module.__name__}.{name}", thing, held
    for name, thing in vars(Verdict).items():
        yield f"Verdict.{name}", thing, None
    for name, thing in vars(torch.Tensor).items():
        yield f"torch.Tensor.{name}", thing, None


def changed(before: dict[str, tuple[Any, Any]]) -> str | None:
    """The first name that no longer stands for what it stood for."""
    now = {name: (thing, held) for name, thing, held in contents()}
    for name, (thing, held) in before.items():
        if name not in now or now[name][0] is not thing or now[name][1] != held:
            return name
    return None


class Stopped(Exception):
    """A process that gave no answer; its text says why."""


def close_pipes(but: int) -> None:
    """Cut a new process off from those before it, so that it can say nothing in their name."""
    for number in range(3, 1024):
        with contextlib.suppress(OSError):
            mode = os.fstat(number).st_mode
            if number != but and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
                os.close(number)


def in_a_process(work: Callable[[], Any], seconds: float) -> Any:
    """What ``work()`` returns, in a copy of this process that is ended with all its children when
    the time is over.

    The result must be something that JSON can write. Raises Stopped.
    """
    reading, writing = os.pipe()
    token = os.urandom(16).hex()  # what else the process writes into the pipe does not count
    write_down = json.dumps  # work() may change what the name stands for
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            close_pipes(but=writing)
            with open(writing, "w", encoding="utf-8", errors="replace") as pipe:
                pipe.write(f"\n{token}{write_down(work())}\n")
        finally:
            os._exit(0)
    os.close(writing)
    said, end = b"", time.monotonic() + seconds
    pattern = re.compile(rb"\n" + token.encode() + rb"(.+)\n")
    try:
        while not (found := pattern.search(said)):
            left = end - time.monotonic()
            if left <= 0 or not select.select([reading], [], [], left)[0]:
                raise Stopped(f"it was stopped after {seconds:.0f} seconds")
            part = os.read(reading, 65536)
            if not part:
                _, status = os.waitpid(child, 0)
                child = 0
                code = os.waitstatus_to_exitcode(status)
                if code == -signal.SIGXCPU:
                    raise Stopped("it was stopped at its limit of processor time")
                how = (
                    f"with the signal {signal.Signals(-code).name}"
                    if code < 0
                    else "before it had a result"
                )
                raise Stopped(f"it ended its process {how}")
            said = said[-LARGEST:] + part
        return json.loads(found[1])
    finally:
        os.close(reading)
        if child:
            for end_it in (os.killpg, os.kill):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    end_it(child, signal.SIGKILL)
            os.waitpid(child, 0)


def set_limits(seconds: float, memory: float) -> None:
    """At most so many seconds of processor time and GB of memory, beyond what this process has
    already.
    """
    import resource

    taken = 0
    with contextlib.suppress(OSError):
        taken = int(re.search(r"VmData:\s+(\d+)", Path("/proc/self/status").read_text())[1]) * 1024
    used = resource.getrusage(resource.RUSAGE_SELF)
    busy = math.ceil(used.ru_utime + used.ru_stime + seconds)
    limits = {
        resource.RLIMIT_DATA: (int(memory * 1e9) + taken, int(memory * 1e9) + taken + SLACK),
        resource.RLIMIT_CPU: (busy, busy + 2),
        resource.RLIMIT_FSIZE: (100_000_000,) * 2,
        resource.RLIMIT_CORE: (0, 0),
    }
    for kind, (soft, hard) in limits.items():
        most = resource.getrlimit(kind)[1]
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)
        resource.setrlimit(kind, (soft, hard))


def judge(
    shell,
    exercise: Exercise,
    above: list[str],
    source: str,
    seconds: float,
    memory: float,
    before: dict,
) -> dict:
    """Run an answer where the chapter has its blank, and check it. In a process of its own: see
    ``in_a_process``.
    """
    import resource

    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    own_check, own_changed = check, changed
    set_limits(seconds, memory)
    absent = object()
    try:
        for other in above:
            shell.run_cell(other, silent=True)
        shell.user_ns[exercise.name] = absent
        done = shell.run_cell(source, silent=True)
        error = done.error_before_exec or done.error_in_exec
        answer = shell.user_ns.get(exercise.name, absent)
        if answer is absent and error is None:
            verdict = Verdict(
                exercise.number, False, f"the cell defines no {exercise.name}: keep this name."
            )
        elif answer is absent:
            verdict = Verdict(
                exercise.number, False, f"your answer stopped with {type(error).__name__}: {error}"
            )
        else:
            verdict = own_check(exercise.number, answer)
    except BaseException as error:  # SystemExit, or no memory left
        verdict = Verdict(
            exercise.number, False, f"your answer stopped with {type(error).__name__}: {error}"
        )
    kind = resource.RLIMIT_DATA
    resource.setrlimit(kind, (resource.getrlimit(kind)[1],) * 2)
    if name := own_changed(before):
        return {"passed": False, "hint": f"no points: the answer changed {name}.", "tampered": True}
    hint = str(verdict.message)
    if "MemoryError" in hint or "allocate memory" in hint:
        hint = f"your answer took more than {memory:g} GB of memory."
    return {"passed": verdict.passed is True, "hint": " ".join(hint.split())[:500]}


def wall(seconds: float) -> float:
    """How long an answer may take that has so many seconds of processor time: others use the
    machine too.
    """
    return 10 + 4 * seconds


def grade_answer(
    shell, exercise: Exercise, submission: Submission, seconds: float, memory: float, before: dict
) -> dict[str, Any]:
    """The verdict on one answer: alone, as the chapter has it, and if that is not right with what
    stands above it.

    Its ``ran`` is the student's code that was run for it.
    """
    if exercise.number not in submission.answers:
        return {
            "passed": False,
            "hint": "its cell is missing, and nothing else defines " + exercise.name + ".",
        }
    source = submission.answers[exercise.number]
    if source.strip() in ("", exercise.blank.strip()):
        return {"passed": False, "hint": "not answered yet."}
    above = submission.above[exercise.number]
    alone = None
    for others in ([], above):
        try:
            with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
                verdict = in_a_process(
                    lambda others=others: judge(
                        shell, exercise, others, source, seconds, memory, before
                    ),
                    wall(seconds),
                )
        except Stopped as stopped:
            return alone or {"passed": False, "hint": f"no points: {stopped}.", "stopped": True}
        if verdict["passed"] or not above:
            return verdict | {"ran": [*others, source]}
        if verdict.get("tampered"):
            return alone or verdict
        alone = alone or verdict
    return verdict


# A class


def run_chapter(notebook: Path):
    """Run a chapter's own code, quietly. Returns the IPython shell that holds what it defined."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    os.environ["MPLBACKEND"] = "Agg"
    os.environ["CUDA_VISIBLE_DEVICES"] = (
        ""  # a forked process cannot use a GPU that its parent has used
    )
    os.environ.pop("NBGRADER_EXECUTION", None)
    torch.set_num_threads(1)  # nor its threads
    shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
    for cell in code_cells(notebook):
        if "%pip" in cell["source"] or cell["mark"].startswith("check"):
            continue
        quiet = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
        with contextlib.chdir(notebook.parent), quiet[0], quiet[1]:
            done = shell.run_cell(cell["source"], silent=True)
        if error := done.error_before_exec or done.error_in_exec:
            raise ValueError(
                f"{notebook.name} does not run on this machine: {type(error).__name__}: {error}"
            )
    return shell


def submissions_in(folder: Path, name: str, out: Path) -> dict[str, Path]:
    """{student: notebook}: the files of a folder, or its folders with a notebook in each, however
    deep.

    Where a folder has several notebooks, the one called ``name`` counts; else the folder itself
    stands for it.
    """
    found = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.resolve() == out.resolve():
            continue
        if path.is_dir():
            inside = [
                each
                for each in sorted(path.rglob("*.ipynb"))
                if ".ipynb_checkpoints" not in each.parts
            ]
            named = [each for each in inside if each.name == name]
            inside = named if len(named) == 1 else inside
            found[path.name] = inside[0] if len(inside) == 1 else path
        else:
            found[path.stem if path.stem not in found else path.name] = path
    if not found:
        raise ValueError(
            f"{folder} is empty: it should have a notebook, or a folder with one, for each student"
        )
    return found


def find_chapter(folder: Path) -> Path:
    """The chapter that the submissions in a folder answer, by the marks of their cells. Raises
    ValueError.
    """
    numbers = set()
    for path in folder.rglob("*.ipynb"):
        with contextlib.suppress(ValueError, OSError):
            marks = [re.fullmatch(r"answer-(\d+)-\d+", cell["mark"]) for cell in code_cells(path)]
            numbers |= {int(mark[1]) for mark in marks if mark}
    if len(numbers) != 1:
        which = (
            f"answer chapters {', '.join(map(str, sorted(numbers)))}"
            if numbers
            else "have no cell of a chapter"
        )
        raise ValueError(
            f"the notebooks in {folder} {which}; say with --master which notebook has their checks"
        )
    number = numbers.pop()
    chapters = [
        path for path in CHAPTERS.glob("[0-9][0-9]-*.ipynb") if int(path.name[:2]) == number
    ]
    if not chapters:
        raise ValueError(
            f"there is no chapter {number} in {CHAPTERS}: run this in a copy of the book's repository"
        )
    return chapters[0]


def grade_submission(
    shell, path: Path, master: Path, exercises, seconds: float, memory: float, before: dict
) -> dict:
    """The verdicts on a submission, by exercise, and remarks."""
    try:
        submission = find_answers(code_cells(path), code_cells(master), exercises)
    except (ValueError, OSError) as error:
        return {"remarks": [str(error)], "trouble": True}
    remarks, found = list(submission.remarks), {}
    for exercise in exercises:
        verdict = found[exercise.number] = grade_answer(
            shell, exercise, submission, seconds, memory, before
        )
        ran = verdict.pop("ran", [submission.answers.get(exercise.number, "")])
        if odd := sorted({name for source in ran for name in unusual(source)}):
            remarks.append(f"look at {exercise.number}: it uses {', '.join(odd)}")
    return {"remarks": remarks, "verdicts": found}


def plain(text: str) -> str:
    """Text that a spreadsheet takes for text."""
    text = " ".join(text.encode("utf-8", "replace").decode().split())
    return "'" + text if text[:1] in ("=", "+", "-", "@") else text


def grade(
    folder: Path,
    out: Path,
    master: Path | None = None,
    seconds: float = 60,
    memory: float = 2,
    say: Callable[[str], None] = print,
) -> bool:
    """Grade the submissions in a folder and write the table ``out``, a row for each student.

    seconds (of processor time) and memory (GB) are the limits of each answer. Returns whether every
    submission could be read and every answer came to an end by itself. Raises ValueError, and
    writes nothing, where the folder or the notebook with the checks will not do.
    """
    if not hasattr(os, "fork"):
        raise ValueError(
            "grading needs Linux or macOS, whose processes can be limited; on Windows use WSL or a hub"
        )
    if not folder.is_dir():
        raise ValueError(
            f"{folder} is not a folder: give the one that has the students' notebooks in it"
        )
    check_writable(out)
    if not (0 < seconds <= 3600 and 0 < memory <= 1000):  # so that nan is none of them
        raise ValueError(
            "an answer needs some time and memory: give numbers above 0, at most 3600 s and 1000 GB"
        )
    master = master or find_chapter(folder)
    if not re.match(r"\d\d", master.name) or not code_cells(master):
        raise ValueError(
            f"{master} is no chapter: its name begins with two digits, as 02-query-key-value.ipynb does"
        )
    exercises = exercises_in(master)
    if not exercises:
        raise ValueError(f"{master} has no exercises")
    submissions = submissions_in(folder, master.name, out)
    load(int(master.name[:2]))
    say(f"running {master.name} once, as the repository has it")
    shell = run_chapter(master)
    before = {name: (thing, held) for name, thing, held in contents()}

    total = sum(POINTS[exercise.difficulty] for exercise in exercises)
    rows, well = [], True
    for student, path in submissions.items():
        try:
            found = in_a_process(
                lambda path=path: grade_submission(
                    shell, path, master, exercises, seconds, memory, before
                ),
                60 + 2 * wall(seconds) * len(exercises),
            )
        except Stopped as stopped:
            found = {
                "remarks": [
                    f"no points: an answer stopped the grading of this submission; {stopped}"
                ],
                "trouble": 1,
            }
        row, sum_of_points = {}, 0
        for exercise in exercises:
            verdict = found.get("verdicts", {}).get(exercise.number, {"passed": False, "hint": ""})
            points = POINTS[exercise.difficulty] if verdict["passed"] else 0
            sum_of_points += points
            row |= {exercise.number: points, f"{exercise.number} hint": plain(verdict["hint"])}
            well &= not verdict.get("stopped")
        well &= not found.get("trouble")
        remarks = plain("; ".join(found["remarks"]))
        file = plain(path.relative_to(folder).as_posix())
        rows.append(
            {"student": plain(student), "file": file, "points": sum_of_points, "of": total, **row}
        )
        rows[-1]["remarks"] = remarks
        say(
            f"{plain(student)}: {sum_of_points} of {total} points{'; ' + remarks if remarks else ''}"
        )
    text = io.StringIO(newline="")
    table = csv.DictWriter(text, rows[0], lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    write_whole(out, text.getvalue().encode())
    say(f"{len(rows)} submissions are graded in {out}")
    return well
