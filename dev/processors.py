"""The notebooks, run as other processors would run them.

The same seed gives the same run on the same kind of processor. Another kind adds the numbers of a
product in another order, so that a sum differs in its last digit, and after some hundred steps of
training in its first. What the book says has to hold there, too. So

    python -m dev.processors

runs every notebook with the arithmetic of this processor and with that of older ones, which the
libraries keep, and says

- which cells fail, and which claims do not hold;
- which numbers of the prose, the captions and the alternative texts a page prints or draws with one
  arithmetic and not with another;
- which comparisons, of an assertion or a claim, would turn if they moved once more as far as they
  have moved between two of the runs.

It ends with status 1 if there is any of the first. Names of notebooks run these alone, `--ways
own oldest` some of the ways. `--seeds 100 200` adds runs in which every seed of PyTorch is larger
by so much: what holds there as well did not hang on a lucky draw. `--python INTERPRETER` adds a run
with the torch of another environment, which has ipykernel and the package. `--keep FOLDER` keeps
what was recorded and goes on from there.
"""

import argparse
import json
import multiprocessing
import os
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import nbformat
from jupyter_client import KernelManager
from nbclient import execute

from attention_by_hand.claims import OTHERWISE
from attention_by_hand.doctor import cores

RECORDED = "application/x-recorded+json"  # what recorded.py hands over
ROOT = Path(__file__).parents[1]
WAYS = {
    "own": {},
    # what a processor without AVX-512 takes
    "avx2": {"MKL_CBWR": "AVX2", "ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2"},
    # MKL's products as on any processor
    "compatible": {"MKL_CBWR": "COMPATIBLE"},
    # PyTorch's own functions without vectors, its random numbers too
    "plain": {"ATEN_CPU_CAPABILITY": "default"},
    # all as on the oldest that the libraries know: the farthest from this processor's
    "oldest": {
        "MKL_CBWR": "COMPATIBLE",
        "ATEN_CPU_CAPABILITY": "default",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
    },
}
NUMBER = re.compile(r"(?<![\w.,])[-−+]?(\d+(?:,\d{3})*(?:\.\d+)?)(?![\w]|[.,]\d)")
SENTENCE = re.compile(r"(?<=[.:?!*)])\s+|\n\n+")


def output_text(cell):
    """What a cell prints and shows, as text."""
    parts = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        shown = re.sub("<[^>]*>", " ", data.get("text/html", ""))
        parts += [output.get("text", ""), data.get("text/plain", ""), shown]
    return "\n".join(parts)


def run(path, shift, python):
    """What the cells of a notebook print, draw and compare, and what of it fails."""
    kernels = KernelManager()
    kernels.kernel_spec.argv[0] = python
    notebook = nbformat.read(path, as_version=4)
    begin = f"import sys; sys.path.append({str(ROOT)!r})\nfrom dev.recorded import begin\n"
    first = nbformat.v4.new_code_cell(f"{begin}begin({RECORDED!r}, {shift})", id="recording")
    notebook.cells.insert(0, first)
    started = time.monotonic()
    execute(
        notebook,
        km=kernels,
        cwd=str(path.parent),
        timeout=None,
        allow_errors=True,
        extra_arguments=["--log-level=ERROR"],
    )
    cells = []
    for cell in notebook.cells[1:]:
        found = {"id": cell.id, "compared": [], "drawn": [], "failed": []}
        for output in cell.get("outputs", []):
            for name, noted in output.get("data", {}).pop(RECORDED, {}).items():
                found[name] += noted
            otherwise = output.get("metadata", {}).get(OTHERWISE)
            if otherwise:
                found["failed"].append(f"{otherwise['claim']} (here: {otherwise['found']})")
            if output.output_type == "error":
                found["failed"].append(f"{output.ename}: {output.evalue}")
        found["printed"] = output_text(cell)
        cells.append(found)
    return {"seconds": round(time.monotonic() - started), "cells": cells}


def record(job):
    """Run one notebook one way, unless that is kept already."""
    path, way, environment, shift, python, file = job
    if not file.exists():
        os.environ.update(environment, OMP_NUM_THREADS="1", BOOK_BUILD="1")
        os.environ.pop("MPLBACKEND", None)
        result = run(path, shift, python)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(result), encoding="utf-8")
    return path, way, json.loads(file.read_text(encoding="utf-8"))


def failed(runs):
    """A line for each cell that fails, or claims what is not so."""
    return [
        f"{way}: [{cell['id']}] {reason}"
        for way, found in runs.items()
        for cell in found["cells"]
        for reason in cell["failed"]
    ]


def numbers_in(text):
    """The numbers of a text that say something: not 0 to 9."""
    return {number for number in NUMBER.findall(text) if len(number) > 1}


def sections(path):
    """{the id of a cell: the number of the section that it stands in}."""
    number = 0
    found = {}
    for cell in nbformat.read(path, as_version=4).cells:
        number += cell.cell_type == "markdown" and cell.source.startswith("#")
        found[cell.id] = number
    return found


def written(path):
    """(the id of a cell, a sentence) for the prose and the alternative texts of a notebook."""
    for cell in nbformat.read(path, as_version=4).cells:
        alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
        text = cell.source if cell.cell_type == "markdown" else alt
        text = re.sub(r"```.*?```|\]\([^)]*\)", " ", text.replace("{,}", ","), flags=re.S)
        for sentence in SENTENCE.split(text):
            yield cell.id, " ".join(sentence.split())


def at_odds(path, runs):
    """A line for each number of the prose that one run prints or draws in the same section, and
    another does not. Some are there by chance: they are to be read.
    """
    place = sections(path)
    shown = {}
    for way, found in runs.items():
        for cell in found["cells"]:
            text = "\n".join([cell["printed"], *cell["drawn"]])
            shown.setdefault((way, place[cell["id"]]), set()).update(numbers_in(text))
    lines = []
    for cell, sentence in written(path):
        for number in sorted(numbers_in(sentence)):
            there = [way for way in runs if number in shown[way, place[cell]]]
            if there and len(there) < len(runs):
                lines.append(f"[{cell}] {number}, shown by {', '.join(there)}: {sentence}")
    return lines


def without_room(runs):
    """A line for each comparison that would turn if its sides moved once more as far as they have
    moved between two of the runs.
    """
    gaps = {}
    for found in runs.values():
        for cell in found["cells"]:
            times = Counter()
            for source, sign, left, right in cell["compared"]:
                times[source, sign] += 1
                if sign[0] in "LG":
                    key = cell["id"], source, sign, times[source, sign]
                    gaps.setdefault(key, []).append((abs(left - right), left, right))
    lines = {}
    for (cell, source, _, _), seen in gaps.items():
        nearest, left, right = min(seen)
        moved = max(gap for gap, *_ in seen) - nearest
        if moved > nearest:
            lines[cell, source] = (
                f"[{cell}] {source}: {left:.4g} and {right:.4g}, moved {moved:.2g}"
            )
    return [*lines.values()]


def options():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("notebooks", nargs="*", type=Path, help="these alone")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=[*WAYS])
    parser.add_argument("--seeds", nargs="+", type=int, default=[], help="and with larger seeds")
    parser.add_argument("--python", nargs="+", default=[], help="and with these interpreters")
    parser.add_argument("--keep", type=Path, help="a folder for what is recorded")
    return parser.parse_args()


def main():
    asked = options()
    pages = asked.notebooks or [ROOT / "index.ipynb", *(ROOT / "chapters").glob("*.ipynb")]
    pages = sorted((page.resolve() for page in pages), key=lambda page: -page.stat().st_size)
    ways = {way: (WAYS[way], 0, sys.executable) for way in asked.ways}
    ways |= {f"seeds + {shift}": ({}, shift, sys.executable) for shift in asked.seeds}
    ways |= {f"python {place}": ({}, 0, python) for place, python in enumerate(asked.python, 1)}
    wrong = 0
    with tempfile.TemporaryDirectory() as passing:
        keep = asked.keep or Path(passing)
        jobs = [
            (page, way, *settings, keep / way / f"{page.stem}.json")
            for page in pages
            for way, settings in ways.items()
        ]
        found = {page: {} for page in pages}
        # The libraries read the variables when they are loaded, so each job has a new process.
        with multiprocessing.get_context("spawn").Pool(cores(), maxtasksperchild=1) as pool:
            for page, way, result in pool.imap_unordered(record, jobs, chunksize=1):
                found[page][way] = result
                if len(found[page]) < len(ways):
                    continue
                runs = {way: found[page][way] for way in ways}
                took = ", ".join(f"{way} {run['seconds']} s" for way, run in runs.items())
                print(f"{page.relative_to(ROOT)} ({took})")
                for title, lines in (
                    ("fails", bad := failed(runs)),
                    ("the text has another number", at_odds(page, runs)),
                    ("little room", without_room(runs)),
                ):
                    for line in lines:
                        print(f"  {title}: {line}")
                wrong += len(bad)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
