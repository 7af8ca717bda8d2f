"""Numbers in prose and alternative texts come from what the page computes, or from right sums."""

import ast
import json
import math
import operator
import re
from collections import Counter

import pytest
from conftest import ROOT
from test_package_pages import cells
from torch.nn.functional import gelu, relu, silu

from attention_by_hand.exhibits import stored, walkthrough
from attention_by_hand.studies.products import learn_products
from attention_by_hand.studies.two_sentences import TWO_SENTENCES
from transformer_lite import load_translator
from transformer_lite.data.corpus import german_english

PAGES = [
    "index.ipynb",
    *(f"chapters/{path.name}" for path in sorted((ROOT / "chapters").glob("*.ipynb"))),
]
LESSONS = [
    f"chapters/teach/{path.name}" for path in sorted((ROOT / "chapters" / "teach").glob("*.md"))
]
NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"

# What no code of its page shows: years, places in a row, what the paper or a source says of itself,
# what an exercise asks, the height of a curve, and what other tests look at.
FROM_ELSEWHERE = {
    "index.ipynb": "24 2017 232,576",
    "chapters/00-why-attention.ipynb": "24 0.125 500 2014 2017 6,000",
    "chapters/01-words-to-vectors.ipynb": "158 37,000 100,000 250,000",
    "chapters/02-query-key-value.ipynb": "1000",
    "chapters/03-why-root-d-k.ipynb": "0.14 2014 3,000",
    "chapters/04-many-heads.ipynb": "31 127",
    "chapters/06-positions.ipynb": "85 103 113 724 500,000",
    "chapters/07-the-whole-transformer.ipynb": "37 65 206 8,000 37,000 52,296",
    "chapters/08-training.ipynb": "0.00035 0.0045 27.3 28.4 65 213 1024 4096 5,960 25,000 "
    "37,000 100,000 300,000",
    "chapters/09-reading-attention.ipynb": "0.949",
    "chapters/10-why-self-attention.ipynb": "61 2014 2016 2017",
    "chapters/11-the-decoder-alone.ipynb": "94 512 1,034,250 2017 2018",
    "chapters/12-what-has-changed.ipynb": "63 131 206 256 262 288 524 548 768 2019 2022 2025 2048 "
    "11,008 14,336 32,000 37,000 41,000 50,257 128,256 500,000 10,922.67 "
    "24,000,000,000",
    "chapters/13-a-model-of-this-year.ipynb": "576 2017 2026 7,400 25.8 131,072 3.3 12.9 84 "
    "160,000",
    "chapters/14-judged.ipynb": "28 97 175 1.3 0.3 0.4 0.8 1.6 0.0625 0.183 0.376 0.5625 2017 2022 "
    "2023 2025 13,000",
    "chapters/errata.ipynb": "54 58 63 80 0.592 1.909 2.413 2014 2016 2017",
    "chapters/gallery.ipynb": "128 256 512 131,072",
    "chapters/sources.ipynb": "30 41.5 42.0 45 46.8 47.3 51 126 127 192 500 576 2017 2018 2022 "
    "2023 3.5 0.9 0.98 4,000 44,113,920 96.0 99.4 99.6 1.002 1.003 1.004 1.120 1.121",
    "chapters/your-own-sentences.ipynb": "4.5 239 515 624 2016 2026 6,569 8,000",
}


def texts(page):
    """The text of each markdown cell, or of the page; code that stands in it left out."""
    path = ROOT / page
    found = (
        cells(path, "markdown") if path.suffix == ".ipynb" else [path.read_text(encoding="utf-8")]
    )
    return [re.sub(r"```.*?```|`[^`]+`|<!--.*?-->", "", text, flags=re.S) for text in found]


def alternatives(page):
    """What stands for each picture of a page, as its author wrote it."""
    book = json.loads((ROOT / page).read_text(encoding="utf-8"))
    return [
        cell["metadata"].get("mystnb", {}).get("image", {}).get("alt", "") for cell in book["cells"]
    ]


def value(formula):
    r"""What a formula of nothing but numbers comes to, or None: ``3 \cdot \tfrac{1}{2}`` is 1.5."""
    text = re.sub(
        r"\\ldots|\\text\{[^}]*\}|\\tag\{[^}]*\}|\\(?:left|right|begin|end)\b(?:\{\w+\})?|\\[,;!]|[&:]",
        " ",
        formula,
    )
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    text = re.sub(r"\\t?frac\{?([\d.]+)\}?\{?([\d.]+)\}?", r"(\1 / \2)", text)
    for _ in range(2):  # one within the other
        text = re.sub(r"\\sqrt\{([^{}]*)\}", r"sqrt(\1)", text)
        text = re.sub(r"\^\{([^{}]*)\}|\^(\w)", r"**(\1\2)", text)
    text = (
        re.sub(r"\\(ln|cos|sin) *([\d.]+)", r"\1(\2)", text)
        .replace("\\lceil", "ceil(")
        .replace("\\rceil", ")")
    )
    text = re.sub(r"([\d)]) *\\?(?=(?:ln|cos|sin|sqrt|pi)\b|\()", r"\1 * ", text)
    text = text.replace("\\pi", "pi").replace("\\cdot", "*").strip()
    known = {name: getattr(math, name) for name in ("sqrt", "ceil", "cos", "sin", "pi", "e")} | {
        "ln": math.log
    }
    try:
        names = {
            node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)
        }
        found = eval(text, {}, known) if names <= {*known} else None
    except (SyntaxError, TypeError, ValueError):
        return None
    return found if isinstance(found, (int, float)) else None


def equations(page):
    """(left, right, their values) of each equation between numbers in a page's formulas."""
    found = []
    for text in texts(page):
        text = re.sub(r"\$\$\s*\$\$(?=\+)", "", text)  # a sum that goes on in the next line
        for display, inline in re.findall(r"\$\$(.+?)\$\$|\$([^$]+)\$", text, re.S):
            for piece in re.split(r"\\\\|\\q?quad", display or inline):
                sides = re.split(r"=|\\approx", piece)
                pairs = [(side, value(side)) for side in sides]
                for (left, a), (right, b) in zip(pairs, pairs[1:], strict=False):
                    if a is not None and b is not None:
                        found.append((left.strip(), right.strip(), a, b))
    return found


@pytest.mark.parametrize("page", [*PAGES, *LESSONS])
def test_arithmetic_is_right(page):
    for left, right, a, b in equations(page):
        digits = max((len(tail) for tail in re.findall(r"\.(\d+)", right)), default=0)
        assert abs(a - b) <= 0.51 * 10**-digits, f"{page}: {left} is {a:.10g}, not {right}"


def numbers(text):
    """(its value, as it is written, whether a percent sign follows) of each number in a text."""
    found = re.findall(rf"(?<![\w.,])({NUMBER})(?!\w)( %)?", text)
    return [(float(number.replace(",", "")), number, bool(percent)) for number, percent in found]


def shown(page, soup, site):
    """The numbers that a page's code, its results and its pictures have, the names of its
    exercises, and those of its figures with four digits.
    """
    tree = soup(page.replace(".ipynb", ".html"))
    results = [part.get_text(" ") for part in tree.select(".cell_output")]
    # Without what is new every time
    results = [re.sub(r".*\d ms\b.*", "", part) for part in results if "milliseconds " not in part]
    text = [*results, *(part.get_text(" ") for part in tree.select(".cell_input"))]
    text += [title.get_text() for title in tree.select("section[id^=exercise-] > :is(h3, h4)")]
    for image in tree.select(".cell_output img[src$='.svg']"):
        picture = ((site / page).parent / image["src"]).read_text(encoding="utf-8")
        text += re.findall(r"<t(?:ext|span)\b[^>]*>([^<]+)<", picture)
    data = " ".join(script.get_text() for script in tree.select(".cell script"))
    text += re.findall(r"\d+\.\d{4,}", data)
    if "data.walkthrough" in " ".join(text):
        text += map(str, (walkthrough.TABLE, walkthrough.WEIGHT, walkthrough.BIAS))
    return {number for number, *_ in numbers(" ".join(text).replace("\u2212", "-"))}


def quoted(page):
    """The numbers that a page's text quotes, but for small whole ones and places in a book."""
    for text in texts(page) + alternatives(page):
        text = re.sub(r"\d+ minutes\b", "", text)  # those of the ways: see test_ways.py
        text = re.sub(r"\[[\d., and]+\]\([^)]*\)|\]\([^)]*\)|https?://\S+", "", text)
        text = re.sub(
            r"\b(chapter|section|errat(um|a)|source|exercise|table|equation)s?(,? (and )?[\d.]+)+",
            "",
            text,
        )
        for number, written, percent in numbers(re.sub(r"^\*\*\d+\.\d+", "", text, flags=re.M)):
            if "." in written or number > 20:
                yield number, written, percent


def lines(page, number):
    """`file:line` and the text of each line of a page where a number stands by itself."""
    alone = re.compile(rf"(?<![\w.,]){re.escape(number)}(?![\w.,]*\d)")
    stored = (ROOT / page).read_text(encoding="utf-8").splitlines()
    return [
        f"{page}:{place}: {line.strip()[:120]}"
        for place, line in enumerate(stored, 1)
        if alone.search(line)
    ]


@pytest.mark.parametrize("page", PAGES)
def test_a_number_that_a_page_quotes_is_one_that_it_shows(page, soup, site):
    summed = " ".join(side for left, right, *_ in equations(page) for side in (left, right))
    known = shown(page, soup, site) | {number for number, *_ in numbers(summed)}

    def is_shown(number, written, percent):
        digits = len(written.partition(".")[2])
        return number in {round(other, digits) for other in known} or (
            percent and number in {round(100 * other, digits) for other in known}
        )

    unknown = {
        written
        for number, written, percent in quoted(page)
        if not is_shown(number, written, percent)
    }
    expected = {*FROM_ELSEWHERE.get(page, "").split()}
    unasked = [f"{number}: {line}" for number in unknown - expected for line in lines(page, number)]
    assert not unasked, "quoted, and not shown:\n" + "\n".join(unasked)
    # Not that it is shown nowhere: what a training prints may show it by chance.
    gone = expected - {written for _, written, _ in quoted(page)}
    assert not gone, f"{gone} needs no exception any more"


def test_a_recorded_run_is_one_of_its_page_s_own_code():
    for (bend, gated), kept in zip(
        ((relu, False), (gelu, False), (silu, True)),
        stored("other_runs")["products"].values(),
        strict=True,
    ):
        assert learn_products(bend, gated, seed=1) == pytest.approx(kept[0], rel=0.05)


def test_what_the_text_says_of_the_shipped_translator():
    shipped = load_translator()
    assert (
        f"with {sum(weight.numel() for weight in shipped.model.parameters()):,} weights"
        in "".join(texts("index.ipynb"))
    )
    sizes = f"{len(shipped.source_vocabulary)} and {len(shipped.target_vocabulary)} entries"
    assert sizes in "".join(texts("chapters/01-words-to-vectors.ipynb"))
    pairs = Counter(german_english())
    ours = sum(pairs[pair] for pair in TWO_SENTENCES)
    said = (
        f"{pairs.total():,} pairs ({pairs.total() - ours:,} of the grammar's, and our two "
        "sentences 20 times each)"
    )
    assert said in "".join(texts("chapters/08-training.ipynb"))


def test_what_chapter_11_says_of_reading_is_what_was_measured():
    kept = {
        name: json.loads((ROOT / "dev" / "make" / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("pretraining", "question")
    }
    mean = lambda shares: round(sum(shares) / len(shares))  # noqa: E731
    order, taught = kept["pretraining"]["order"], kept["pretraining"]["pairs"]
    code = "\n".join(cells(ROOT / "chapters" / "11-the-decoder-alone.ipynb", "code"))
    shown = {"has read": round(order["has read"])} | {
        f"{int(number):,} labels": mean(shares)
        for number, shares in reversed(order["labels"].items())
    }
    assert f"order = {json.dumps(shown)}" in code
    pair = {"400 pairs alone": taught["alone"], "has read, then 400": taught["has read"]}

    assert re.findall(r"taught = \{.*?: ([\d.]+), .*?: ([\d.]+)\}", code) == [
        tuple(f"{sum(shares) / 3:.1f}" for shares in pair.values())
    ]
    alone, read = (taught["losses"][name] for name in ("alone", "has read"))
    assert all(after < before for before, after in zip(alone, read, strict=True))

    found = {"as in this page": [], "German asked too": [], "with four layers": []}
    for run in kept["question"]:
        name = "German asked too" if run["learn_question"] else "as in this page"
        found["with four layers" if run["layers"] == 4 else name].append(run["compositional"])
    less, more = mean(found["German asked too"]), mean(found["as in this page"])
    said = f"{less} % of the new combinations right instead of {more} %"
    assert said in " ".join(texts("chapters/11-the-decoder-alone.ipynb"))
    shown = ast.literal_eval(re.search(r"asked_for = (\{.*?\})", code, re.S)[1])
    assert shown == {name: tuple(shares) for name, shares in found.items()}
    assert min(found["with four layers"]) < min(found["as in this page"])


def test_what_chapter_11_says_of_forgetting_is_what_was_measured():
    path = ROOT / "dev" / "make" / "pretraining.json"
    kept = json.loads(path.read_text(encoding="utf-8"))["forgets"]
    shown = {
        "has read": round(kept["has read"], 1),
        "then 400 pairs": round(sum(kept["taught"]) / 3, 1),
        "then pairs and sentences": round(sum(kept["mixed"]) / 3, 1),
    }
    code = "\n".join(cells(ROOT / "chapters" / "11-the-decoder-alone.ipynb", "code"))
    assert f"forgets = {json.dumps(shown)}" in code


def test_what_the_page_of_own_sentences_shows_is_what_was_measured():
    measured = json.loads(
        (ROOT / "dev" / "make" / "own_sentences.json").read_text(encoding="utf-8")
    )
    by_size = {
        int(number): tuple(of_tests["held out"]["exact"])
        for number, of_tests in measured["numbers"]["pairs"].items()
    }

    def over_programs(of_tests):
        """One share for each seed, over the messages of all programs that were put aside whole."""
        programs = [of_tests[name] for name in ("tar", "apt", "libc")]
        messages = sum(program["sentences"] for program in programs)
        shares = zip(*(program["exact"] for program in programs), strict=True)
        counts = [program["sentences"] for program in programs]
        return tuple(
            round(sum(map(operator.mul, of_seed, counts)) / messages, 1) for of_seed in shares
        )

    words, pieces = (measured["catalogues"][cut] for cut in ("whole words", "2,000 pieces"))
    by_test = {
        "same programs, words": tuple(words["other messages"]["exact"]),
        "same programs, pieces": tuple(pieces["other messages"]["exact"]),
        "other programs, words": over_programs(words),
        "other programs, pieces": over_programs(pieces),
    }
    code = "\n".join(cells(ROOT / "chapters" / "your-own-sentences.ipynb", "code"))
    shown = {
        name: ast.literal_eval(re.search(rf"{name} = (\{{.*?\}})", code, re.S)[1])
        for name in ("by_size", "by_test", "messages_learnt")
    }
    learnt = measured["catalogues"]["words"]
    assert shown == {"by_size": by_size, "by_test": by_test, "messages_learnt": learnt}
    text = "\n".join(cells(ROOT / "chapters" / "your-own-sentences.ipynb", "markdown"))
    assert f"Of {sum(learnt.values()):,} different German words" in text
    assert f"{learnt['once']:,} occur in a single pair" in text
