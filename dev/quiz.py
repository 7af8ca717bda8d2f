"""The questions of the book that need no code, as one file that Moodle imports.

`python -m dev.quiz` writes `attention-by-hand.gift`: every prediction, and every exercise whose
answer is a number or a choice, in a category for each chapter. A wrong answer that the book knows
is given the book's hint. `python -m dev.quiz --qti` writes `attention-by-hand-qti.zip` as well, for
Canvas (text2qti makes it: `pip install text2qti`).
"""

import argparse
import ast
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from attention_by_hand import exercises
from attention_by_hand.exercises.cells import CHECK, QUESTION

ROOT = Path(__file__).parents[1]
NAME = "attention-by-hand"
NEAR = 0.1  # of the scale: a prediction so near is counted as right
SPECIAL = re.compile(r"([~=#{}:\\])")  # what GIFT takes for a sign of its own
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$", re.S)
LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
EXERCISE_HEAD = re.compile(r"^\*\*.+?\*\* · [^.]+\. ", re.S)


@dataclass
class Question:
    """A question with options, of which `right` is an index, or one that asks for the number
    `right`, give or take `within`. hints: what is said of an option or a number that is wrong.
    ends: of the scale on which a number is guessed.
    """

    chapter: int
    name: str
    text: str
    right: float
    within: float = 0
    options: list[str] = field(default_factory=list)
    hints: dict[float, str] = field(default_factory=dict)
    because: str = ""
    ends: tuple[float, float] | None = None


def _literal(node):
    """What an argument says: numbers, texts and sums of them, no names."""
    return eval(compile(ast.Expression(node), "notebook", "eval"), {"__builtins__": {}})


def predictions(chapter: int, code: str):
    """The predictions that a cell shows."""
    for node in ast.walk(ast.parse(code)):
        if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Prediction"):
            continue
        names = "number", "question", "options"
        given = dict(zip(names, map(_literal, node.args), strict=False))
        given |= {word.arg: _literal(word.value) for word in node.keywords if word.arg != "sizes"}
        name = f"Prediction {given['number']}"
        because, right = given["because"], given["answer"]
        if options := [str(option) for option in given.get("options", ())]:
            yield Question(chapter, name, given["question"], right, 0, options, {}, because)
            continue
        unit = f" (in {given['unit'].strip()})" if given.get("unit", "").strip() else ""
        low, high = given["low"], given["high"]
        text = f"{given['question']}{unit} From {low:g} to {high:g}."
        within = NEAR * (high - low)
        yield Question(chapter, name, text, right, within, because=because, ends=(low, high))


def _known_mistakes(sheet, i: int) -> dict[float, str]:
    """The numbers that are known to be wrong for the i-th of a sheet, whatever the others are, and
    what is said of them.
    """
    hints = {}
    for pattern, hint in sheet.mistakes:
        wrong = pattern[i]
        others = [(value, sheet.right[j]) for j, value in enumerate(pattern) if j != i]
        alone = all(value in (None, right) for value, right in others)
        if wrong is not None and alone and abs(wrong - sheet.right[i]) > sheet.within:
            hints[wrong] = hint
    return hints


def exercise(chapter: int, number: str, text: str):
    """An exercise that is answered by numbers or a choice: a question for each number."""
    sheet = exercises.SHEETS[number]
    name = f"Exercise {number}"
    text = EXERCISE_HEAD.sub("", text[text.index(f"**{number} ") :]).strip()
    if sheet.options:
        text = text.split("\n- ")[0].strip()
        options = list(sheet.options)
        yield Question(chapter, name, text, sheet.right[0], 0, options, _known_mistakes(sheet, 0))
        return
    for i, right in enumerate(sheet.right):
        asks = f" ({sheet.asks[i]})" if len(sheet.right) > 1 else ""
        within = max(sheet.within, 1e-6 * abs(right))
        hints, otherwise = _known_mistakes(sheet, i), sheet.otherwise[i]
        yield Question(chapter, name + asks, text + asks, right, within, [], hints, otherwise)


def questions(folder: Path = ROOT / "chapters"):
    """All questions, in the order of the book."""
    for notebook in sorted(folder.glob("[01]*.ipynb")):
        chapter = int(notebook.name[:2])
        exercises.load(chapter)
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        texts = ["".join(cell["source"]) for cell in cells]
        for i, (cell, text) in enumerate(zip(cells, texts, strict=True)):
            if cell["cell_type"] != "code":
                continue
            call = CHECK.fullmatch(text)
            if call and call[1] in exercises.SHEETS:
                asked = QUESTION.search(texts[i - 2])
                assert asked and asked[1] == call[1], f"{notebook.name}: {call[1]} has no question"
                yield from exercise(chapter, call[1], texts[i - 2])
            elif "Prediction(" in text:
                yield from predictions(chapter, text)


def _number(value: float) -> str:
    """A number without an exponent, which not all readers of GIFT know."""
    return f"{value:.10f}".rstrip("0").rstrip(".")


def _gift(text: str) -> str:
    """A text of the book as GIFT: its formulas in Moodle's brackets, its own signs marked."""
    text = FORMULA.sub(lambda m: rf"\[{m[1]}\]" if m[1] else rf"\({m[2]}\)", LINK.sub(r"\1", text))
    return SPECIAL.sub(r"\\\1", text).replace("\n\n", r"\n\n").replace("\n", " ")


def gift(all_questions) -> str:
    """The file for Moodle."""
    lines, chapter = [], None
    for question in all_questions:
        if question.chapter != chapter:
            chapter = question.chapter
            lines.append(f"$CATEGORY: Attention, by Hand/Chapter {chapter}\n")
        lines.append(f"::{_gift(question.name)}::[markdown]{_gift(question.text)} {{")
        if question.options:
            for i, option in enumerate(question.options):
                hint = question.hints.get(i, "")
                mark = "=" if i == question.right else "~"
                lines.append(f"  {mark}{_gift(option)}" + (f"#{_gift(hint)}" if hint else ""))
        else:
            lines.append("#")
            lines.append(f"  =%100%{_number(question.right)}:{_number(question.within)}#")
            for wrong, hint in question.hints.items():
                near = min(5 * question.within, abs(wrong - question.right) / 2)
                lines.append(f"  =%0%{_number(wrong)}:{_number(near)}#{_gift(hint)}")
        if question.because:
            lines.append(f"  ####{_gift(question.because)}")
        lines.append("}\n")
    return "\n".join(lines)


def _line(text: str) -> str:
    """A text in one line: a formula of its own becomes one of the line's."""
    return " ".join(LINK.sub(r"\1", text).replace("$$", "$").split())


def for_canvas(all_questions) -> str:
    """The questions as text2qti reads them."""
    lines = ["Quiz title: Attention, by Hand", ""]
    for number, question in enumerate(all_questions, 1):
        lines.append(f"Title: Chapter {question.chapter}, {question.name}")
        lines.append("Points: 1")
        lines.append(f"{number}.  {_line(question.text)}")
        if question.because:
            lines.append(f"... {_line(question.because)}")
        for i, option in enumerate(question.options):
            mark = "*" if i == question.right else ""
            lines.append(f"{mark}{chr(ord('a') + i)})  {_line(option)}")
            if hint := question.hints.get(i):
                lines.append(f"... {_line(hint)}")
        if not question.options:
            lines.append(f"=   {_number(question.right)} +- {_number(question.within)}")
        lines.append("")
    return "\n".join(lines)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m dev.quiz", description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("."), help="the folder to write into")
    parser.add_argument("--qti", action="store_true", help="a file for Canvas too")
    options = parser.parse_args(arguments)
    if not options.output.is_dir():
        parser.error(f"{options.output} is no folder; make it first")
    file = options.output / f"{NAME}.gift"
    found = list(questions())
    file.write_text(gift(found), encoding="utf-8")
    print(f"{file}: {len(found)} questions")
    if options.qti:
        try:
            from text2qti.config import Config
            from text2qti.qti import QTI
            from text2qti.quiz import Quiz
        except ImportError:
            parser.error("a file for Canvas needs text2qti: python -m pip install text2qti")
        config = Config()
        quiz = Quiz(for_canvas(found), config=config, source_name=NAME)
        file = options.output / f"{NAME}-qti.zip"
        QTI(quiz).save(file)
        print(f"{file}: {len(found)} questions")


if __name__ == "__main__":
    main()
