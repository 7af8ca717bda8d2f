"""The questions of the book that need no code, for Moodle and for Canvas.

`python -m dev.quiz` writes `attention-by-hand.gift` for Moodle: every prediction, and every
exercise whose answer is a number or a choice, in a category for each chapter. A wrong answer that
the book knows is given the book's hint. `python -m dev.quiz --qti` writes a file for each chapter
as well, `attention-by-hand-00-qti.zip` and so on, which Canvas imports as a quiz (text2qti makes
them: `pip install text2qti`).

A question stands alone there. So each number of an exercise is a question of its own, what a
prediction takes from the text before it is told first (`TOLD`), and sentences that point at a page
are left out.
"""

import argparse
import ast
import html
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt

from attention_by_hand import exercises
from attention_by_hand.exercises.cells import CHECK, QUESTION

ROOT = Path(__file__).parents[1]
NAME = "attention-by-hand"
NEAR = 0.1  # of the scale: a prediction so near is counted as right
SPECIAL = re.compile(r"([~=#{}:\\])")  # what GIFT takes for a sign of its own
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$", re.S)
LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
EXERCISE_HEAD = re.compile(r"^\*\*.+?\*\* · [^.]+\. ", re.S)
# With numbers in a tuple, or with a letter
HOW_TO_ANSWER = re.compile(r"\s*\b(?:Answer with|Give three numbers).+?\.(?=\s|$)")
OTHER_FIELD = re.compile(r"^[^.;]*\b(?:is|are) right[.;] (?:but )?")
ON_THE_PAGE = re.compile(
    r"\b(?:below|the page|the text says|the bars|drag|next experiment)\b", re.IGNORECASE
)
# Each number that an exercise asks for beside others
GIVE = {
    "0.1": ("the first number of the vector", "the second number of the vector"),
    "0.4": ("the rate that arrives in a single step", "the rate from which on it never arrives"),
    "1.1": ("how many numbers are in the table", "how many ids there are", "how many are in $x$"),
    "1.5": ("the cosine after 10 steps", "the cosine after 20 steps"),
    "2.1": ("the score", "the share"),
    "3.2": ("the first weight's rate", "the second weight's rate", "the third weight's rate"),
    "4.2": ("the sentence", "the word", "the column"),
    "5.1": ("the first weight", "the second weight", "the third weight", "the fourth weight"),
    "6.1": ("the place for hand 8", "the place for hand 16"),
    "7.2": ("the weights of attention", "those of the feed-forward network", "those of the norms"),
    "8.1": ("the loss of even guessing", "that of word counts", "that of English alone"),
    "8.3": ("the probability of the right word", "the lowest loss"),
    "10.4": ("the bytes with 8 key heads", "the bytes with 2 key heads"),
    "10.5": ("the sum", "the weighted values", "the mixture"),
    "11.1": ("how many words may be drawn", "how likely the first of them is"),
    "12.1": ("how wide it may be", "how many weights its matrices have"),
    "12.2": ("the tokens with 32 heads of keys", "the tokens with 8 heads of keys"),
    "13.1": ("the larger share", "the smaller share", "the millions held", "the millions used"),
    "13.2": ("the bytes with windows", "the bytes with a latent"),
    "14.1": ("the pull on a good one", "the pull on the bad one", "the pull if all are good"),
    "14.2": ("the divergence", "the cost"),
    "14.3": ("the first one's share", "the second one's share", "the third one's share"),
}
# What the text before a prediction, or an exercise, has said
TOLD = {
    "Exercise 8.1": "A corpus has two pairs, “ich mochte ein bier”, “i want a beer .” and “ich "
    "mochte ein cola”, “i want a coke .”.",
    "0.1": "A network reads a row of random letters, and another has to copy it out. The first "
    "model's writer is given one vector, the reader's last state; the second's a mixture of all.",
    "0.2": "“she wants to go to the bakery now .” has “to” twice, with the same numbers at the "
    "start. Then the words of the sentence look at one another.",
    "1.1": "A translator was trained, and each German word has learnt a row of numbers.",
    "2.1": "Scores become shares by the softmax.",
    "3.1": "Queries and keys are vectors of random numbers with standard deviation 1, and their "
    "scores are not divided by anything before the softmax.",
    "4.1": "A translator has four heads in a layer. When “did” is about to be written, one of them "
    "looks at “nicht” (not) and two at “habe” (have).",
    "4.2": "`y` has 30 sentences of 9 words with 512 numbers each, cut into 8 heads in two ways: "
    "`y.view(30, 9, 8, 64).transpose(1, 2)` and `y.view(30, 8, 9, 64)`.",
    "6.2": "Positions are coded by waves, as in the paper.",
    "7.2": "Eight random words go through twelve untrained layers. Each sub-layer replaces what "
    "came in by what it found, and nothing is added.",
    "8.1": "Two German sentences and their translations, which differ in one word, are all that a "
    "model learns.",
    "8.2": "A translator learns the German and English of a small grammar.",
    "9.1": "Two sentences differ in one noun, bier or cola. A translator has learnt both, and its "
    "heads look at the noun when it is written.",
    "9.2": "A head of a translator's cross-attention looks most at a true partner of the word that "
    "is written, for 88 % of the words.",
    "11.2": "A small decoder goes on with sentences of a small grammar.",
    "11.3": "A model of two layers of attention, two heads each, learns to go on with a random row "
    "of which a stretch comes twice.",
    "12.2": "A translator was trained with LayerNorm.",
    "13.3": "The examples follow a rule: of 32 sums of a vector's numbers, the largest is asked.",
    "13.5": "A small network with attention is trained at several rates.",
    "13.6": "A small model of language, the writer, begins each text with the same token.",
    "13.7": "A state is a matrix, into which each pair of a key and a value is added.",
    "14.1": "A small model of language learns from judgements alone: what is judged good is pulled "
    "up, what is judged bad is pulled down.",
    "14.2": "A model of language can read once more what was judged good of what was drawn.",
}


@dataclass
class Question:
    """A question with options, of which `right` is an index, or one that asks for the number
    `right`, give or take `within`. hints: what is said of an option or a number that is wrong.
    otherwise: what is said of any other wrong number. because: what is said to everybody. ends: of
    the scale on which a number is guessed.
    """

    chapter: int
    name: str
    text: str
    right: float
    within: float = 0
    options: list[str] = field(default_factory=list)
    hints: dict[float, str] = field(default_factory=dict)
    otherwise: str = ""
    because: str = ""
    ends: tuple[float, float] | None = None


def _literal(node):
    """What an argument says: numbers, texts and sums of them, no names."""
    return eval(compile(ast.Expression(node), "notebook", "eval"), {"__builtins__": {}})


def alone(because: str) -> str:
    """What is said of an answer, without the sentences that point at a page."""
    sentences = re.split(r"(?<=[.?!:;]) ", because)
    kept = " ".join(part for part in sentences if not ON_THE_PAGE.search(part))
    return re.sub(r"[:;]$", ".", kept)


def predictions(chapter: int, code: str):
    """The predictions that a cell shows."""
    for node in ast.walk(ast.parse(code)):
        if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Prediction"):
            continue
        names = "number", "question", "options"
        given = dict(zip(names, map(_literal, node.args), strict=False))
        given |= {word.arg: _literal(word.value) for word in node.keywords if word.arg != "sizes"}
        name = f"Prediction {given['number']}"
        told = TOLD.get(given["number"])
        asked = " ".join(filter(None, [told, given["question"]]))
        because, right = alone(given["because"]), given["answer"]
        if options := [str(option) for option in given.get("options", ())]:
            yield Question(chapter, name, asked, right, 0, options, because=because)
            continue
        unit = f" (in {given['unit'].strip()})" if given.get("unit", "").strip() else ""
        low, high = given["low"], given["high"]
        text = f"{asked}{unit} From {low:g} to {high:g}."
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


def of_one(hint: str) -> str:
    """A hint without what it says of another number, which nobody has seen."""
    hint = OTHER_FIELD.sub("", hint)
    is_symbol = re.match(r"[b-z]\b", hint)
    return hint if is_symbol else hint[:1].upper() + hint[1:]


def exercise(chapter: int, number: str, text: str):
    """An exercise that is answered by numbers or a choice: a question for each number."""
    sheet = exercises.SHEETS[number]
    name = f"Exercise {number}"

    def hints(i: int) -> dict[float, str]:
        return {wrong: of_one(hint) for wrong, hint in _known_mistakes(sheet, i).items()}

    text = EXERCISE_HEAD.sub("", text[text.index(f"**{number} ") :]).strip()
    text = " ".join(filter(None, [TOLD.get(name), HOW_TO_ANSWER.sub("", text)]))
    if sheet.options:
        text = text.split("\n- ")[0].strip()
        options = list(sheet.options)
        yield Question(chapter, name, text, sheet.right[0], 0, options, hints(0))
        return
    for i, right in enumerate(sheet.right):
        several = len(sheet.right) > 1
        within = max(sheet.within, 1e-6 * abs(right))
        yield Question(
            chapter,
            f"{name} ({sheet.asks[i]})" if several else name,
            f"{text}\n\n**Give here:** {GIVE[number][i]}." if several else text,
            right,
            within,
            hints=hints(i),
            otherwise=of_one(sheet.otherwise[i]),
        )


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


def as_html(text: str) -> str:
    """A text of the book as HTML in one line, its formulas in the brackets that MathJax looks for.
    Markdown would take the backslashes of a formula, and its underscores, for its own.
    """
    formulas: list[str] = []

    def keep(match: re.Match) -> str:
        set_apart, in_line = match.groups()
        formulas.append(rf"\[{set_apart}\]" if set_apart else rf"\({in_line}\)")
        return f"\ue000{len(formulas) - 1}\ue001"

    markdown = MarkdownIt().render(FORMULA.sub(keep, LINK.sub(r"\1", text)))
    paragraphs = " ".join(markdown.split())
    lone = re.fullmatch(r"<p>((?:(?!<p>).)*)</p>", paragraphs)
    bare = lone[1] if lone else paragraphs
    return re.sub("\ue000(\\d+)\ue001", lambda m: html.escape(formulas[int(m[1])]), bare)


def _marked(text: str) -> str:
    return SPECIAL.sub(r"\\\1", text)


def _gift(text: str) -> str:
    """A text of the book as GIFT: HTML, its own signs marked."""
    return _marked(as_html(text))


def gift(all_questions) -> str:
    """The file for Moodle."""
    lines, chapter = [], None
    for question in all_questions:
        if question.chapter != chapter:
            chapter = question.chapter
            lines.append(f"$CATEGORY: Attention, by Hand/Chapter {chapter}\n")
        lines.append(f"::{_marked(question.name)}::[html]{_gift(question.text)} {{")
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
            if question.otherwise:
                lines.append(f"  =%0%*#{_gift(question.otherwise)}")
        if question.because:
            lines.append(f"  ####{_gift(question.because)}")
        lines.append("}\n")
    return "\n".join(lines)


def _line(text: str) -> str:
    """A text in one line: a formula of its own becomes one of the line's."""
    return " ".join(LINK.sub(r"\1", text).replace("$$", "$").split())


def for_canvas(chapter: int, all_questions) -> str:
    """The questions of a chapter as text2qti reads them."""
    lines = [f"Quiz title: Attention, by Hand, chapter {chapter}", ""]
    for number, question in enumerate(all_questions, 1):
        lines.append(f"Title: {question.name}")
        lines.append("Points: 1")
        lines.append(f"{number}.  {_line(question.text)}")
        if question.because:
            lines.append(f"... {_line(question.because)}")
        if question.otherwise:
            lines.append(f"- {_line(question.otherwise)}")
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
    parser.add_argument("--qti", action="store_true", help="files for Canvas too")
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
            parser.error("files for Canvas need text2qti: python -m pip install text2qti")
        for chapter in sorted({question.chapter for question in found}):
            its = [question for question in found if question.chapter == chapter]
            name = f"{NAME}-{chapter:02}"
            quiz = Quiz(for_canvas(chapter, its), config=Config(), source_name=name)
            file = options.output / f"{name}-qti.zip"
            QTI(quiz).save(file)
            print(f"{file}: {len(its)} questions")


if __name__ == "__main__":
    main()
