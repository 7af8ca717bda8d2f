"""What the trainings of chapters 7, 10, 11 and 12 come to that their pages do not run themselves.

    python -m dev.make.other_runs

That takes about a minute on one thread. Each of these pages trains one seed, or one of several
models, and shows the others beside it. They are trained here, by the page's own functions, and kept
in attention_by_hand/exhibits/other_runs.json.
"""

import ast
import json
from pathlib import Path

import torch
from torch.nn import functional

from attention_by_hand import exhibits
from dev.make import note

CHAPTERS = Path(__file__).parents[2] / "chapters"
RESULT = Path(exhibits.__file__).with_name("other_runs.json")
SEEDS = 1, 2  # 0 is trained in the page
MADE = ast.Import | ast.ImportFrom | ast.ClassDef | ast.FunctionDef


def functions_of(page: str, *given: str) -> dict:
    """What a page imports and defines, and what it assigns to the given names."""

    def is_needed(statement: ast.stmt) -> bool:
        if not isinstance(statement, ast.Assign):
            return isinstance(statement, MADE)
        names = {node.id for node in ast.walk(statement.targets[0]) if isinstance(node, ast.Name)}
        return not names.isdisjoint(given)

    cells = json.loads((CHAPTERS / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    names: dict = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            body = [part for part in ast.parse("".join(cell["source"])).body if is_needed(part)]
            exec(compile(ast.Module(body, []), page, "exec"), names)
    return names


def friends() -> dict:
    """Chapter 7: the share of friends' things that one layer finds, and two."""
    finds = functions_of("07-the-whole-transformer")["finds_the_friend"]
    return {
        "one layer": [finds(1, 129, seed)[1] for seed in SEEDS],
        "two": [finds(2, 32, seed)[1] for seed in SEEDS],
        "one layer, four times as long": finds(1, 129, 0, steps=2400)[1],
    }


def recall() -> dict:
    """Chapter 10: the share of first symbols that are named, for each length."""
    page = functions_of("10-why-self-attention")
    learn = page["learn"]
    kinds = {"attention": page["Attentive"], "GRU": page["Recurrent"]}
    shares = {
        name: {n: [learn(kind, n, seed) for seed in SEEDS] for n in (8, 32, 64)}
        for name, kind in kinds.items()
    }
    shares["GRU that begins by keeping"] = {
        32: [learn(page["keeping"], 32, seed) for seed in SEEDS]
    }
    return shares


def gaps() -> float:
    """Chapter 11: the share of gaps that a model fills which sees the left side alone."""
    page = functions_of("11-the-decoder-alone", "pairs", "vocabulary", "sizes", "unseen")
    torch.manual_seed(0)
    filler = page["train"](page["Filler"](both_sides=False), page["with_gaps"])
    return page["right_guesses"](filler)[0]


def younger() -> dict:
    """Chapter 11: what models write that have learnt for less long, and what they expect."""
    given = "pairs", "vocabulary", "sizes", "sentences", "EXPECTED"
    page = functions_of("11-the-decoder-alone", *given)
    return {steps: page["drawn_by"](page["learnt_for"](steps)) for steps in (0, 30, 100, 200)}


def products() -> dict:
    """Chapter 12: the error of three networks that learn to multiply."""
    learn = functions_of("12-what-has-changed")["learn_products"]
    bends = {
        "ReLU": (functional.relu, False),
        "GELU": (functional.gelu, False),
        "SwiGLU": (functional.silu, True),
    }
    return {name: [learn(*bend, seed) for seed in SEEDS] for name, bend in bends.items()}


def rounded(found):
    """With four digits after the point, and names as JSON keeps them."""
    if isinstance(found, dict):
        return {str(name): rounded(part) for name, part in found.items()}
    if isinstance(found, list):
        return [rounded(part) for part in found]
    return found if isinstance(found, str) else round(found, 4)


if __name__ == "__main__":
    torch.set_num_threads(1)
    measured = {run.__name__: run() for run in (friends, recall, gaps, younger, products)}
    RESULT.write_text(json.dumps(rounded(measured), indent=1) + "\n", encoding="utf-8")
    note(RESULT, __file__, {"friends, recall, products": [*SEEDS], "others": [0]})
