"""A chapter as slides, from the same notebook: ``python -m transformer_lite slides
chapters/05-masks.ipynb``.

What stands on the slides follows from what the notebook already says, so there is nothing to keep
in step:

- a heading begins a new part, to the right of the one before; what the chapter calls "Closer look" lies below it;
- a code cell that the chapter folds (its first line is ``# @title ...``) shows only what it draws or prints;
- of a long paragraph the slide has the first sentences, each question to predict, and what leads to a formula; the
  whole of it stands in the speaker's notes (key S);
- exercises, which are never shortened, lie below their heading, without checks and solutions; the list of what is in
  the package is left out.

How much fits on a slide depends on the fonts of the machine, so the page itself cuts the parts into
slides when it
opens: see ``slides.js``. Beside the decks lies one folder with reveal.js and MathJax, and no other
host is asked.
"""

import base64
import errno
import html
import importlib.util
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ...files import write_whole

HERE = Path(__file__).parent
ASSETS = "slides-files"
SENTENCES = 36  # words of a paragraph that a slide shows at most, but always its first sentence
SECONDS = 300  # that a cell may run
LEFT_OUT = {"In the package"}
MATH = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$([^$\n]+?)\$", re.S)
FIGURE = re.compile(r"[A-Z]\w+\([^()]*\)")  # a cell that only shows a figure
EXERCISE = re.compile(r"^\*\*\d+\.\d+ .+?\*\* · (?:easy|medium|harder), ", re.M)
SENTENCE = re.compile(r"[.?!:][”\"*)]*\s+(?=[^a-z\s]|$)")
NEEDED = {
    "nbformat": "nbformat",
    "nbconvert": "nbconvert",
    "nbclient": "nbclient",
    "ipykernel": "ipykernel",
    "bs4": "beautifulsoup4",
}
NEEDED |= {"sphinx_revealjs": "sphinx-revealjs", "sphinx-mathjax-offline": "sphinx-mathjax-offline"}


def present(
    notebooks: Iterable[Path], out: Path, say: Callable[[str], None] = lambda text: None
) -> list[Path]:
    """Write a deck for each notebook into the folder ``out``, and what all decks share beside them.

    A notebook that the book's build has run already, with the same code and package, is not run
    again.

    Returns the decks, in order. Raises ValueError where two have one name, a file is no notebook or
    no chapter, a cell of it fails, or a package that this needs is missing; OSError where ``out``
    cannot be written.
    """
    missing = sorted(
        package for module, package in NEEDED.items() if importlib.util.find_spec(module) is None
    )
    if missing:
        raise ValueError(
            f"slides need {', '.join(missing)}: install with pip install {' '.join(missing)}"
        )
    if out.exists() and not out.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(out))
    notebooks, decks = [Path(notebook) for notebook in notebooks], []
    if twice := [name for name, n in Counter(path.stem for path in notebooks).items() if n > 1]:
        raise ValueError(
            f"two notebooks are called {twice[0]}, and would share one page: rename one"
        )
    for notebook in notebooks:
        text = deck(executed(notebook), notebook.stem)
        out.mkdir(parents=True, exist_ok=True)
        share(out / ASSETS)
        write_whole(out / f"{notebook.stem}.html", text.encode())
        decks.append(out / f"{notebook.stem}.html")
        say(f"{decks[-1]}")
    return decks


def chapters_in(paths: Iterable[Path]) -> list[Path]:
    """The notebooks among ``paths``, and for each folder the chapters in it, by number."""
    found = []
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        chapters = sorted(path.glob("[0-9][0-9]-*.ipynb")) if path.is_dir() else [path]
        if not chapters:
            raise ValueError(
                f"{path} has no chapter, a notebook whose name begins with its number: 05-masks.ipynb"
            )
        found += chapters
    return found


def executed(path: Path):
    """The notebook with its results: those of the book's last build, or of a run of its own."""
    import nbformat
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    try:
        notebook = nbformat.read(path, as_version=4)
    except (
        nbformat.reader.NotJSONError,
        nbformat.ValidationError,
        ValueError,
        AttributeError,
        TypeError,
    ) as error:
        raise ValueError(f"{path} is no Jupyter notebook") from error
    if from_cache(path, notebook):
        return notebook
    # In a kernel, matplotlib must keep the notebook's own backend, or the slides would have no
    # pictures.
    environment = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    client = NotebookClient(
        notebook, timeout=SECONDS, resources={"metadata": {"path": str(path.absolute().parent)}}
    )
    try:
        return client.execute(env=environment)
    except CellExecutionError as error:
        raise ValueError(f"{path}: a cell failed: {error.ename}: {error.evalue}") from error
    except CellTimeoutError as error:
        raise ValueError(f"{path}: a cell took more than {SECONDS} seconds") from error
    except DeadKernelError as error:
        raise ValueError(
            f"{path}: the kernel died while it ran, perhaps for want of memory"
        ) from error
    except NoSuchKernel as error:
        raise ValueError(
            f"{path} asks for the kernel {error.name}: install with pip install ipykernel"
        ) from error


def from_cache(path: Path, notebook) -> bool:
    """Fills in the results that the book's build has kept for this very code; whether there were
    any.
    """
    root = path.resolve().parent.parent
    execution = root / "_ext" / "book_execution.py"
    if not execution.is_file() or importlib.util.find_spec("jupyter_cache") is None:
        return False
    spec = importlib.util.spec_from_file_location("book_execution", execution)
    book_execution = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(book_execution)
    kept = root / "_build" / ".jupyter_cache" / book_execution.sources_digest(root)
    if not kept.is_dir():
        return False
    from jupyter_cache import get_cache

    try:
        _, merged = get_cache(kept).merge_match_into_notebook(notebook)
    except KeyError:  # this code has not been run
        return False
    notebook.cells = merged.cells
    return True


def share(folder: Path) -> None:
    """What every deck loads: reveal.js, MathJax, and the style and script of the slides."""
    import sphinx_revealjs

    reveal = Path(sphinx_revealjs.__file__).parent / "_static" / "revealjs"
    mathjax = (
        Path(importlib.util.find_spec("sphinx-mathjax-offline").origin).parent
        / "static"
        / "mathjax"
    )
    folder.mkdir(exist_ok=True)
    files = [
        reveal / "dist" / "reset.css",
        reveal / "dist" / "reveal.css",
        reveal / "dist" / "reveal.js",
    ]
    files += [
        reveal / "plugin" / "notes" / "notes.js",
        mathjax / "tex-svg.js",
        HERE / "slides.css",
        HERE / "slides.js",
    ]
    for file in files:
        write_whole(folder / file.name, file.read_bytes())


def deck(notebook, stem: str) -> str:
    """The whole page of an executed notebook: its parts, each a list of blocks, for ``slides.js``
    to cut.
    """
    from nbconvert.filters import Highlight2HTML

    highlight = Highlight2HTML(pygments_lexer="python")
    number = re.match(r"(\d+)-", stem)
    title, parts = "", []
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        if {"remove-cell", "solution"} & set(tags) or cell.metadata.get("nbgrader", {}).get(
            "grade"
        ):
            continue
        if cell.cell_type == "markdown":
            for level, heading, blocks in pieces(cell.source):
                if level == 1:
                    heading = f"{int(number[1])}. {heading}" if number else heading
                    title = plain(heading)
                if level:
                    below = heading.startswith("Closer look:")
                    parts.append(
                        ("title" if level == 1 else "below" if below else "along", heading, [])
                    )
                elif parts and EXERCISE.search(cell.source):
                    kind = "below exercise" if parts[-1][2] else "along exercise"
                    parts.append((kind, parts.pop()[1] if not parts[-1][2] else parts[-1][1], []))
                if parts:
                    parts[-1][2].extend(blocks)
        elif cell.cell_type == "code" and parts:
            parts[-1][2].extend(code_blocks(cell, highlight))
    if not title:
        raise ValueError(f"{stem} is no chapter: it has no heading of the first level")
    sections = [
        f'<section class="{kind}"><h2>{heading}</h2>\n{"".join(captioned(blocks))}</section>\n'
        for kind, heading, blocks in parts
        if plain(heading) not in LEFT_OUT and (blocks or kind == "title")
    ]
    page = (HERE / "slides.html").read_text(encoding="utf-8")
    for name, text in {
        "TITLE": html.escape(title),
        "FILES": ASSETS,
        "PARTS": "".join(sections),
    }.items():
        page = page.replace(f"[[{name}]]", text)
    return page


def plain(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", markup)).replace("¶", "").strip()


def pieces(source: str) -> Iterator[tuple[int, str, list[str]]]:
    """A Markdown cell as (level, heading, []) for each heading and (0, "", blocks) for what stands
    between them.
    """
    from bs4 import BeautifulSoup, NavigableString
    from nbconvert.filters import markdown2html

    kept: list[str] = []

    def keep(found):
        shown, inline = found[1], found[2]
        kept.append(
            f'<div class="math">\\[{html.escape(shown)}\\]</div>'
            if shown
            else f"<span>\\({html.escape(inline)}\\)</span>"
        )
        return f"\x02{len(kept) - 1}\x03" if inline else f"\n\n\x02{len(kept) - 1}\x03\n\n"

    # Formulas are put aside, so that Markdown does not read their stars and that no sentence ends
    # in them.
    soup = BeautifulSoup(markdown2html(MATH.sub(keep, source)), "html.parser")

    def whole(markup: str) -> str:
        return re.sub("\x02(\\d+)\x03", lambda found: kept[int(found[1])], markup)

    for link in soup.select("a"):
        if "anchor-link" in link.get("class", []):
            link.decompose()
        elif link.get("href", "").startswith("http"):
            link["target"], link["rel"] = "_blank", "noopener"
        else:
            link.unwrap()
    blocks: list[str] = []
    for node in soup.children:
        if isinstance(node, NavigableString):
            continue
        if re.fullmatch("h[1-6]", node.name):
            if blocks:
                yield 0, "", blocks
            yield int(node.name[1]), whole(node.decode_contents()), []
            blocks = []
        elif node.name == "p":
            text = node.decode_contents()
            if re.fullmatch("\\s*\x02\\d+\x03\\s*", text) and kept[
                int(re.search(r"\d+", text)[0])
            ].startswith("<div"):
                blocks.append(f'<div class="block formula">{whole(text)}</div>\n')
                continue
            caption = [child for child in node.children if str(child).strip()]
            is_caption = len(caption) == 1 and caption[0].name == "em"
            shown, all_of_it = (
                None if EXERCISE.search(source) else shortened(node),
                whole(str(node)),
            )
            notes = f'<aside class="notes">{all_of_it}</aside>' if shown else ""
            kind = "caption" if is_caption else "prose"
            blocks.append(
                f'<div class="block {kind}">{f"<p>{whole(shown)}</p>" if shown else all_of_it}{notes}</div>\n'
            )
        else:
            blocks.append(f'<div class="block {node.name}">{whole(str(node))}</div>\n')
    if blocks:
        yield 0, "", blocks


def shortened(paragraph) -> str | None:
    """What a slide shows of a long paragraph: None where that is all of it."""
    from bs4 import NavigableString

    sentences: list[str] = [""]
    for child in paragraph.children:
        if not isinstance(child, NavigableString):
            sentences[-1] += str(child)
            continue
        text, start = html.escape(str(child), quote=False), 0
        for end in SENTENCE.finditer(text):
            sentences[-1] += text[start : end.end()]
            sentences.append("")
            start = end.end()
        sentences[-1] += text[start:]
    sentences = [sentence for sentence in sentences if sentence.strip()]
    words = [len(plain(sentence).split()) for sentence in sentences]
    if sum(words) <= SENTENCES * 1.3:
        return None
    asks = next(
        (i for i, s in enumerate(sentences) if plain(s).startswith("Predict")), len(sentences)
    )
    chosen = {
        i for i in range(len(sentences)) if i == 0 or i >= asks or sum(words[: i + 1]) <= SENTENCES
    }
    if plain(sentences[-1]).endswith((":", "?")):
        chosen.add(len(sentences) - 1)
    if len(chosen) == len(sentences):
        return None
    shown = ""
    for i, sentence in enumerate(sentences):
        if i in chosen:
            shown += sentence if i - 1 in chosen or not i else f"… {sentence}"
    return shown if max(chosen) == len(sentences) - 1 else f"{shown.rstrip()} …"


def code_blocks(cell, highlight) -> Iterator[str]:
    """What a slide shows of a code cell: its code, unless the chapter folds it, and its results."""
    from nbconvert.filters import ansi2html

    folded = cell.source.startswith("# @title ")
    if not folded and not FIGURE.fullmatch(cell.source.strip()):
        yield f'<div class="block code">{highlight(cell.source)}</div>\n'
    alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
    for output in merged(cell.get("outputs", [])):
        data = output.get("data", {})
        if "text/html" in data:
            kind = "figure" if "tl-figure" in data["text/html"] else "html"
            yield f'<div class="block {kind}">{data["text/html"]}</div>\n'
        elif "image/svg+xml" in data:
            yield picture(alt, "svg+xml", base64.b64encode(data["image/svg+xml"].encode()).decode())
        elif "image/png" in data:
            yield picture(alt, "png", data["image/png"].strip())
        elif text := data.get("text/plain") or output.get("text", ""):
            if text.strip() and not text.startswith(("<Figure", "<Axes")):
                yield f'<div class="block output"><pre>{ansi2html(text.rstrip())}</pre></div>\n'


def merged(outputs: list) -> Iterator[dict]:
    """The results of a cell, with what was printed piece by piece in one."""
    text = ""
    for output in outputs:
        if output["output_type"] == "stream":
            text += output["text"]
            continue
        if text:
            yield {"text": text}
        text = ""
        yield output
    if text:
        yield {"text": text}


def picture(alt: str, kind: str, data: str) -> str:
    """A drawing with an address of its own, so that the names inside two drawings do not meet."""
    return f'<div class="block picture"><img alt="{html.escape(alt)}" src="data:image/{kind};base64,{data}"></div>\n'


def captioned(blocks: list[str]) -> list[str]:
    """Each caption moves into the block that it stands under."""
    found: list[str] = []
    for block in blocks:
        if block.startswith('<div class="block caption">') and found:
            found[-1] = (
                found[-1].removesuffix("</div>\n")
                + block.replace("block caption", "caption", 1)
                + "</div>\n"
            )
        else:
            found.append(block.replace("block caption", "block prose", 1))
    return found
