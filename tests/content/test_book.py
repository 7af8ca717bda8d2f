"""The book: its notebooks as they are stored, its build, and every page in a real browser."""

import gzip
import io
import json
import os
import re
import shutil
import signal
import time
import zipfile
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qsl, unquote, urldefrag, urlsplit

import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup
from conftest import ROOT, build_book
from jupyter_cache import get_cache
from predictions import TOLD_AFTER, tells_on
from pypdfium2 import PdfDocument

from attention_by_hand.exercises.cells import exercises_in
from dev.fold import fold

CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
CHAPTERS = [chapter for part in TOC["parts"] for chapter in part["chapters"]]
PLANS = [section["file"] for chapter in CHAPTERS for section in chapter.get("sections", [])]
DOCS = [TOC["root"], *(chapter["file"] for chapter in CHAPTERS), *PLANS]
NOTEBOOKS = [doc for doc in DOCS if (ROOT / f"{doc}.ipynb").exists()]
FIGURES = sorted(
    f"figures/{drawing.stem}.html" for drawing in (ROOT / "_static" / "wall").glob("*.svg")
)
PAGES = [f"{doc}.html" for doc in DOCS] + [
    "search.html",
    "_modules/transformer_lite/attention.html",
    *FIGURES,
]

# The theme has seen to what scrolls at this width: the keyboard reaches it.
SCROLLS = """[...document.querySelectorAll(
    "pre, .cell_output > .output, .jp-RenderedHTMLCommon, .pst-scrollable-table-container"
)].every(box => (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight)
    === (box.tabIndex === 0))"""
FIRST_VISIT = 490_068  # bytes, compressed, without the weights of a live engine
WHOLE_SITE = 10_000_000  # bytes, zipped
RAN = "running notebooks"  # as a build says that it does


# The notebooks as they are stored


@pytest.fixture(params=NOTEBOOKS)
def notebook(request):
    stored = (ROOT / f"{request.param}.ipynb").read_text(encoding="utf-8")
    nb = nbformat.reads(stored, as_version=4)
    code = [cell for cell in nb.cells if cell.cell_type == "code"]
    prose = "\n\n".join(cell.source for cell in nb.cells if cell.cell_type == "markdown")
    return SimpleNamespace(
        name=Path(request.param).name,
        stored=stored,
        metadata=nb.metadata,
        code=code,
        prose=prose,
    )


def test_every_notebook_is_in_the_book():
    stored = {
        path.relative_to(ROOT).with_suffix("").as_posix() for path in ROOT.glob("chapters/*.ipynb")
    }
    assert stored <= set(DOCS), "add to _toc.yml"


def test_notebook_is_stored_without_results(notebook):
    for cell in notebook.code:
        assert not cell.outputs and cell.execution_count is None, cell.source
    assert "widgets" not in notebook.metadata
    assert notebook.metadata.kernelspec.name == "python3"


def test_notebook_is_stored_as_jupyter_saves_it(notebook):
    """Who opens a page and saves it has changed nothing."""
    saved = nbformat.writes(nbformat.reads(notebook.stored, as_version=4)) + "\n"
    assert notebook.stored == saved, "write it with nbformat, or json.dumps(..., sort_keys=True)"


def test_first_cell_looks_for_the_package_and_no_other_installs(notebook):
    first, *others = (cell.source for cell in notebook.code)
    assert "from attention_by_hand import ready" in first and first.endswith("ready.check()")
    assert len(first.splitlines()) <= 10 and "hide-input" in notebook.code[0].metadata.tags
    assert not re.search(r"torch|numpy", first), "Colab keeps its own torch and numpy"
    assert not any("pip install" in source for source in others)


def test_notebook_is_plain_markdown(notebook):
    """What only MyST understands shows as raw text in Jupyter and Colab."""
    # Without what code blocks quote
    prose = re.sub(r"^(```|~~~)\w*\n.*?^\1$", "", notebook.prose, flags=re.M | re.S)
    assert not re.findall(r"^\s*(?:`{3,}|~{3,}|:{3,})\s*\{.*", notebook.prose, flags=re.M), (
        "directives"
    )
    assert not re.findall(r"\{[a-z:-]+\}`[^`]*`", prose), "roles"
    assert not re.findall(r"^\([\w.-]+\)=\s*$", prose, flags=re.M), "targets"
    assert not re.findall(r"\$\$ *\([\w.-]+\)", prose), (
        r"labels of formulas: number them with \tag{...}"
    )


def test_folds_are_the_same_in_every_home():
    """`# @title` and "Closer look:" are folded on the site, in Jupyter and in Colab."""
    wrong = [doc for doc in NOTEBOOKS if not fold(ROOT / f"{doc}.ipynb", check=True)]
    assert not wrong, "run python -m dev.fold on them"


def test_folds_are_put_into_a_notebook_and_nothing_else_of_it_changes(tmp_path):
    whole = (ROOT / "chapters" / "03-why-root-d-k.ipynb").read_bytes()
    notebook = json.loads(whole)
    for cell in notebook["cells"]:
        for mark in ("cellView", "jupyter", "jp-MarkdownHeadingCollapsed"):
            cell["metadata"].pop(mark, None)
    path = tmp_path / "unfolded.ipynb"
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    unfolded = path.read_bytes()
    assert unfolded != whole
    assert not fold(path, check=True) and path.read_bytes() == unfolded
    assert not fold(path) and path.read_bytes() == whole


def test_numbers_count_up_within_the_chapter(notebook):
    chapter = re.match(r"(\d+)-", notebook.name)
    found = [re.findall(r"\\tag\{(.*?)\}", notebook.prose)]
    found += [
        re.findall(rf"^\*\*{kind} ([\d.]+)\.\*\*", notebook.prose, flags=re.M)
        for kind in ("Figure", "Table")
    ]
    for numbers in found:
        assert not numbers or chapter, "only chapters have numbers"
        assert numbers == [f"{int(chapter[1])}.{count}" for count in range(1, len(numbers) + 1)]


def test_every_paper_cited_is_in_the_bibliography(notebook):
    bibliography = (ROOT / "chapters" / "references.bib").read_text(encoding="utf-8").lower()
    papers = re.findall(r"\((https?://(?:dx\.)?(?:doi\.org|arxiv\.org)/[^\s)]+)\)", notebook.prose)
    for paper in papers:
        name = re.fullmatch(r"https://(?:doi\.org/|arxiv\.org/abs/)(\S+)", paper)
        assert name, f"write {paper} as https://doi.org/... or https://arxiv.org/abs/..."
        assert f"{{{name[1].lower()}}}" in bibliography, f"add {paper} to chapters/references.bib"


# The build


def test_every_page_is_built_from_a_notebook_that_ran(site):
    for doc in DOCS:
        assert (site / f"{doc}.html").exists()
    caches = Path(os.environ.get("BOOK_CACHE") or site.parent / ".jupyter_cache")
    results = get_cache(caches)
    for doc in NOTEBOOKS:
        record = results.match_cache_notebook(nbformat.read(ROOT / f"{doc}.ipynb", as_version=4))
        ran = results.get_cache_bundle(record.pk).nb
        cells = [cell for cell in ran.cells if cell.source.strip()]
        assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1)), doc
        assert not [out for cell in cells for out in cell.outputs if out.output_type == "error"], (
            doc
        )


@pytest.mark.skipif("BOOK_HTML" in os.environ, reason="the book was built elsewhere")
@pytest.mark.usefixtures("twice")
def test_unchanged_book_is_rebuilt_without_running_anything(site):
    again = (site.parents[1] / "again").read_text(encoding="utf-8")
    assert "build succeeded" in again and RAN not in again


@pytest.fixture
def small_book(tmp_path, monkeypatch):
    """A function that builds a book of one notebook for each of the given codes, with this book's
    settings.
    """
    for name in ("_ext", "_static", "transformer_lite", "attention_by_hand"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("_config.yml", "requirements.txt", "chapters/references.bib"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.delenv("BOOK_CACHE", raising=False)
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}

    def build(*codes, options=(), wait=True):
        """A code of None leaves its notebook as it is."""
        names = ["index", *(f"page-{number}" for number in range(1, len(codes)))]
        toc = "format: jb-book\nroot: index\n" + "chapters:\n" * (len(names) > 1)
        toc += "".join(f"- file: {name}\n" for name in names[1:])
        (tmp_path / "_toc.yml").write_text(toc, encoding="utf-8")
        for name, code in zip(names, codes, strict=True):
            if code is None:
                continue
            title = nbformat.v4.new_markdown_cell("# A small book", id="title")
            cells = [title, nbformat.v4.new_code_cell(code, id="code")]
            text = nbformat.writes(nbformat.v4.new_notebook(cells=cells, metadata=kernel))
            file = tmp_path / f"{name}.ipynb"
            if not file.exists() or file.read_text(encoding="utf-8") != text:  # or Sphinx reads it
                file.write_text(text, encoding="utf-8")
        return build_book(tmp_path, tmp_path, *options, wait=wait)

    return build


CLAIM = """from attention_by_hand.claims import claim
share = 0.14725
claim("with the noun hidden a twelfth is left", abs(share - 1 / 12) < 0.02, share)
print("what stands behind it")"""


@pytest.mark.site
@pytest.mark.xdist_group("a failing notebook")
def test_what_fails_leaves_a_whole_book_and_is_named_once_at_its_end(small_book, tmp_path):
    counter = "from pathlib import Path\nPath('runs').open('a').write('x')\nseven = [7][1]"
    codes = counter, CLAIM, "import os\nos._exit(1)", "print(6 * 7)"
    build = small_book(*codes)
    assert build.returncode == 1
    assert "Traceback" not in build.stdout and "WARNING" not in build.stdout
    assert (tmp_path / "runs").read_text() == "x", "a notebook that fails runs once"
    said, _, end = build.stdout.partition("The book is whole, in ")
    assert "IndexError" not in said
    for line in (
        'index.ipynb, "A small book", "from pathlib import Path": IndexError: list index out of',
        'page-1.ipynb, "A small book", "from attention_by_hand.claims import claim": the book says '
        "that with the noun hidden a twelfth is left (here: 0.1472)",
        'page-2.ipynb, "A small book", "import os": DeadKernelError: Kernel died',
    ):
        assert end.count(line) == 1
    html = tmp_path / "_build" / "html"
    pages = [
        BeautifulSoup((html / f"{name}.html").read_text("utf-8"), "html.parser")
        for name in ("index", "page-1", "page-2", "page-3")
    ]
    boxes = [page.select(".came-out-otherwise") for page in pages]
    assert [len(found) for found in boxes] == [1, 1, 1, 0]
    failed, claimed, dead = (found[0] for found in boxes[:3])
    assert "IndexError" in failed.find("details").text and "machine" in failed.find("p").text
    assert "a twelfth is left" in claimed.text and "0.1472" in claimed.text
    assert "Kernel died" in dead.find("details").text
    assert "what stands behind it" in pages[1].text and "42" in pages[3].text


@pytest.mark.site
@pytest.mark.xdist_group("a failing notebook, strictly")
def test_a_strict_build_stops_where_a_cell_fails_and_tries_it_again(small_book, tmp_path):
    code = "from pathlib import Path\nassert Path('there').exists()"
    strict = small_book(code, options=["-W"])
    assert strict.returncode == 1 and not (tmp_path / "_build" / "html" / "index.html").exists()
    assert "Traceback" not in strict.stdout
    assert "assert Path('there').exists()" in strict.stdout, "the line that failed says it"
    (tmp_path / "there").touch()
    assert small_book(None, options=["-W", "--keep-going"]).returncode == 0


@pytest.mark.weekly  # what an author meets who changes how the book is built
@pytest.mark.site
@pytest.mark.xdist_group("a build that is stopped")
def test_ctrl_c_ends_at_once_and_another_build_waits_outside(small_book, tmp_path):
    waits = "from pathlib import Path\nimport time\nPath('begun').touch()\ntime.sleep(600)"
    first = small_book("print(1)", waits, wait=False)
    end = time.monotonic() + 100
    while not (tmp_path / "begun").exists():
        assert time.monotonic() < end and first.poll() is None
        time.sleep(0.1)
    second = small_book(None, None)
    assert second.returncode == 1 and "Traceback" not in second.stdout
    assert second.stdout.splitlines()[-1].startswith("Another build works in")
    first.send_signal(signal.SIGINT)
    said, _ = first.communicate(timeout=5)
    assert first.returncode == 130
    assert said.splitlines()[-1].startswith("Stopped. What has run is kept")
    assert "Traceback" not in said
    third = small_book(None, "print(2)")
    assert third.returncode == 0
    assert "running notebooks... [100%]" in re.sub(r"\x1b\[[0-9;]*m", "", third.stdout)
    assert "[ 50%] index" not in third.stdout, "what has run is kept"


@pytest.mark.site
@pytest.mark.xdist_group("a failing notebook, strictly")
def test_a_folder_that_cannot_be_written_is_named_in_a_line(small_book, tmp_path):
    (tmp_path / "_build").write_text("a file")
    build = small_book("print(1)")
    assert build.returncode == 1 and "Traceback" not in build.stdout
    last = build.stdout.splitlines()[-1]
    assert last.startswith(f"The book cannot be written into {tmp_path / '_build'}")
    assert "--path-output" in last


def test_no_more_notebooks_run_at_once_than_memory_and_cores_allow(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "_ext")
    import book_execution

    monkeypatch.setattr(book_execution.doctor, "cores", lambda: 32)
    for gigabytes, most in ((0.5, 1), (4.1, 2), (1000, 20)):
        monkeypatch.setattr(book_execution.doctor, "free_memory", lambda g=gigabytes: g * 1e9)
        assert book_execution.at_once(20) == most
    monkeypatch.setattr(book_execution.doctor, "free_memory", lambda: None)
    assert book_execution.at_once(40) == 32


ONE_FIGURE = "from attention_by_hand.figures import OneWeight\nprint(6 * 7)\nOneWeight()"


@pytest.mark.weekly  # what an author meets who changes how the book is built
@pytest.mark.site
@pytest.mark.xdist_group("a changed package")
def test_notebook_runs_again_when_the_python_changes_and_not_for_a_script_or_a_style(
    small_book, tmp_path
):
    package = tmp_path / "attention_by_hand"

    def ran():
        return RAN in small_book(ONE_FIGURE).stdout

    def append(file, text):
        with open(package / file, "a", encoding="utf-8") as source:
            source.write(text)

    assert ran()
    append("figures/one_weight/figure.js", 'figure.note = "a new script";\n')
    append("figures/one_weight/style.css", ".a-new-style { color: red; }\n")
    append("figures/threads/__init__.py", "# A figure that this notebook does not show\n")
    assert not ran()
    page = (tmp_path / "_build" / "html" / "index.html").read_text("utf-8")
    assert "a new script" in page and ".a-new-style" in page
    append("palette.py", "# What the figure stands on\n")
    assert ran()


def test_notebook_computes_with_what_it_imports(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "_ext")
    import book_imports

    notebook = tmp_path / "one.ipynb"
    cell = nbformat.v4.new_code_cell(
        '%matplotlib inline\nfrom attention_by_hand.figures import OneWeight\ncheck("2.1", 1)'
    )
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), notebook)

    def digest():
        for function in (book_imports.digest_of, book_imports.common):
            function.cache_clear()
        book_imports.imported_by.cache_clear()
        return book_imports.digest_of(tmp_path, notebook)

    for name in ("transformer_lite", "attention_by_hand", "requirements.txt"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    before = digest()
    for file, counts in (
        ("attention_by_hand/figures/threads/__init__.py", False),
        ("attention_by_hand/exercises/chapter_03.py", False),
        ("attention_by_hand/figures/one_weight/style.css", False),
        ("transformer_lite/command_line/train.py", False),
        ("attention_by_hand/figures/one_weight/__init__.py", True),
        ("attention_by_hand/figures/kit/control.py", True),
        ("attention_by_hand/exercises/chapter_02.py", True),
        ("attention_by_hand/exhibits/heads.json", True),
        ("requirements.txt", True),
    ):
        text = (tmp_path / file).read_text("utf-8")
        (tmp_path / file).write_text(text + "\n", "utf-8")
        assert (digest() != before) == counts, file
        (tmp_path / file).write_text(text, "utf-8")


WAITS_FOR_ANOTHER = """import time
from pathlib import Path
end = time.monotonic() + 100
Path("HERE is here").touch()
while not Path("THERE is here").exists():
    assert time.monotonic() < end
    time.sleep(0.1)
"""


@pytest.mark.weekly  # what an author meets who changes how the book is built
@pytest.mark.site
@pytest.mark.xdist_group("side by side")
@pytest.mark.skipif(os.cpu_count() == 1, reason="one core runs one notebook")
def test_notebooks_run_side_by_side(small_book):
    codes = [
        WAITS_FOR_ANOTHER.replace("THERE", there).replace("HERE", here)
        for here, there in ("ab", "ba")
    ]
    build = small_book(*codes)
    assert build.returncode == 0, build.stdout
    assert re.search(r"\d+ s of notebooks ran in \d+ s", build.stdout)
    assert "Executing notebook" not in build.stdout, "MyST-NB finds the results"


@pytest.mark.weekly  # what an author meets who changes how the book is built
@pytest.mark.site
@pytest.mark.xdist_group("a changed package")
def test_folder_that_cannot_keep_results_is_named(small_book, tmp_path, monkeypatch):
    monkeypatch.setenv("BOOK_CACHE", str(tmp_path / "My%20Course"))
    build = small_book("1 + 1")
    assert build.returncode != 0
    assert "jupyter-cache cannot keep results in" in build.stdout
    monkeypatch.setenv("BOOK_CACHE", str(tmp_path / "100 %"))
    assert RAN in small_book("1 + 1").stdout
    assert not (tmp_path / "_build" / ".jupyter_cache").exists()


def test_whole_site_is_small(site, budget):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in site.rglob("*"):
            archive.write(path, path.relative_to(site))
    budget("the whole site", len(file.getvalue()), WHOLE_SITE)


# The pages


@pytest.fixture(scope="module")
def soups(site, soup):
    """{path of a page: its parsed HTML}, with the pages of the package's sources."""
    pages = {
        *PAGES,
        *(path.relative_to(site).as_posix() for path in site.glob("_modules/**/*.html")),
    }
    return {page: soup(page) for page in sorted(pages)}


def has_state(tree, anchor):
    """Whether the page has the figure that `Recall?length=16` names, and may be put so by it."""
    name, query = anchor.split("?")
    kind, _, which = name.partition("-")
    figures = tree.find_all(attrs={"data-figure": kind})
    if int(which or 1) > len(figures):
        return False
    data = json.loads(figures[int(which or 1) - 1].find("script").string)
    state = {trait: json.loads(text) for trait, text in parse_qsl(query)}
    now = {trait: data["state"].get(trait) for trait in state}
    kind = lambda value: float if type(value) is int else type(value)  # noqa: E731, as JavaScript
    return bool(state) and all(
        trait in data["addressed"] and kind(now[trait]) is kind(value)
        for trait, value in state.items()
    )


def test_links_lead_somewhere(site, soup, soups):
    @cache
    def ids(page):
        return {tag["id"] for tag in soup(page).find_all(id=True)}

    wrong = []
    for page, tree in soups.items():
        for link in tree.find_all("a", href=True):
            address, anchor = urldefrag(link["href"])
            if "?" in anchor:  # a word of the text that lights its part of a figure
                if not has_state(tree, anchor):
                    wrong.append((page, link["href"]))
                continue
            parts = urlsplit(address)
            if parts.scheme:
                if parts.scheme not in ("https", "mailto") or (
                    parts.scheme == "https" and "." not in parts.netloc
                ):
                    wrong.append((page, link["href"]))
                continue
            target = (
                (site / page).parent.joinpath(unquote(address)).resolve()
                if address
                else site / page
            )
            name = target.relative_to(site).as_posix()
            if not target.is_file() or (
                anchor and (target.suffix != ".html" or unquote(anchor) not in ids(name))
            ):
                wrong.append((page, link["href"]))
    assert not wrong


def test_a_chapter_says_where_it_stands_and_leads_to_the_whole_machine(soups):
    whole = ["../chapters/07-the-whole-transformer.html"]
    for page, soup in soups.items():
        places = [link["href"] for link in soup.select("article .tl-where a")]
        chapter = re.match(r"chapters/(\d+)-", page)
        assert places == (whole if chapter and chapter[1] != "07" else []), page
        maps = len(soup.select('[data-figure="MachineMap"]'))
        assert maps == ("07-" in page or "machine-map" in page), page


def test_chapters_carry_the_number_in_their_name(soups):
    for doc in DOCS:
        number = re.match(r"(\d+)-", Path(doc).name)
        (heading,) = soups[f"{doc}.html"].article.find_all("h1")
        title = heading.get_text()
        assert title.startswith(f"{int(number[1])}. ") if number else not title[0].isdigit(), title


def test_teachers_are_shown_the_minutes_of_every_chapter(soups):
    rows = soups["chapters/for-teachers.html"].article.table.tbody.find_all("tr")
    shown = [row.find_all("td")[1].get_text() for row in rows]
    chapters = sorted((ROOT / "chapters").glob("[01]*.ipynb"))
    assert shown == [f"{sum(e.minutes for e in exercises_in(chapter))} min" for chapter in chapters]


def test_each_exercise_stands_under_a_heading_of_its_own(soups):
    for chapter in sorted((ROOT / "chapters").glob("[01]*.ipynb")):
        page = soups[f"chapters/{chapter.stem}.html"]
        exercises = exercises_in(chapter)
        sections = [
            page.article.find("section", id=f"exercise-{e.number.replace('.', '-')}")
            for e in exercises
        ]
        titles = [section.find(recursive=False) for section in sections]
        assert {title.name for title in titles} == {"h3"}, chapter
        written = [
            f"{exercise.number} {exercise.title}".replace("'", "’") for exercise in exercises
        ]
        assert [title.get_text().removesuffix("#") for title in titles] == written
        for exercise, section, title in zip(exercises, sections, titles, strict=True):
            words = title.find_next_sibling("p").get_text()
            assert words.startswith(
                f"{exercise.difficulty.capitalize()}, {exercise.minutes} minutes"
            )
            assert section.select(".tl-figure, .in-notebook")
            (*_, last) = section.find_all(recursive=False)
            assert last.name == "details", "an exercise ends with its solution"
            assert title.find("a", class_="headerlink", href=f"#{section['id']}")


def test_citations_lead_to_the_bibliography(soups):
    """A paper's own address stands in its entry only, and every entry is cited."""
    entries = {
        item["id"] for item in soups["chapters/references.html"].select(".book-bibliography li[id]")
    }
    cited = set()
    for page, soup in soups.items():
        links = [link["href"] for link in (soup.article or soup).find_all("a", href=True)]
        cited |= {link.partition("#")[2] for link in links if "references.html#" in link}
        if page != "chapters/references.html":
            assert not [link for link in links if re.match(r"https://(doi|arxiv)\.org/", link)], (
                page
            )
    assert entries and entries <= cited


def test_no_bar_of_progress_stays_on_a_page(soups):
    assert not [page for page, soup in soups.items() if soup.select(".output.stderr")]


def test_a_number_and_its_per_cent_sign_are_not_parted(soups):
    joined = 0
    for page, soup in soups.items():
        for text in (soup.article or soup).find_all(string=re.compile(r"\d\s%")):
            if not text.find_parent(["pre", "code", "script", "noscript"]):
                assert not re.search(r"\d %", text), (page, text)
                joined += 1
    assert joined > 40


def test_a_numbered_formula_bears_its_number_and_a_link_to_itself(soups):
    for page, soup in soups.items():
        path = (ROOT / page).with_suffix(".ipynb")
        tags = (
            re.findall(r"\\\\tag\{([\d.]+)\}", path.read_text(encoding="utf-8"))
            if path.exists()
            else []
        )
        found = [
            (number.find(string=True), number.a["href"])
            for number in soup.select("div.math > .eqno")
        ]
        assert found == [(f"({tag})", f"#eq-{tag}") for tag in tags], page
        assert all(soup.find(id=link[1:]) for _, link in found), page


def test_chinese_is_marked_as_chinese(soups):
    for page, soup in soups.items():
        for text in (soup.article or soup).find_all(string=re.compile("[\u3400-\u9fff]")):
            prose = text.find_parent(["p", "li", "td", "th"]) and not text.find_parent(
                ["pre", "code", "figure"]
            )
            in_output = text.find_parent(class_=["cell_output", "tl-figure"])
            assert not prose or in_output or text.find_parent(lang="zh"), (page, text)


def test_notebook_pages_offer_the_notebook_and_once_published_colab_and_binder(soups):
    repository = urlsplit(CONFIG["repository"]["url"]).path
    for doc in NOTEBOOKS:
        links = {link["href"] for link in soups[f"{doc}.html"].find_all("a", href=True)}
        assert any(link.endswith(f"_sources/{doc}.ipynb") for link in links)
        elsewhere = {link for link in links if re.match("https://(colab|mybinder)", link)}
        if repository:
            colab = "https://colab.research.google.com/github"
            assert f"{colab}{repository}/blob/main/{doc}.ipynb" in elsewhere
            assert (
                f"https://mybinder.org/v2/gh{repository}/main?urlpath=lab/tree/{doc}.ipynb"
                in elsewhere
            )
        else:
            assert not elsewhere


def test_every_picture_says_what_it_shows(site, soups):
    """An empty alternative text is for decoration only: the logo, what is hidden from screen
    readers, and the card beside the link to its chapter.
    """
    for page, soup in soups.items():
        for image in soup.find_all("img"):
            alt = image.get("alt")
            assert alt is not None, (page, image)
            if alt == "":
                is_logo = image["src"].endswith("/logo.svg") or image["src"] == "_static/logo.svg"
                assert is_logo or "next-card" in image.get("class", []), (page, image)
            assert not re.search(
                r"\.(png|svg|jpe?g|gif)$|/|^(image|figure|picture)$", alt, flags=re.I
            ), (page, alt)


def test_no_letter_of_a_picture_is_too_small_on_a_phone(site, soups):
    """A picture fills the 360 pixels of a small phone, if it is that wide, since the style sheet
    takes the margins away. There its letters, and an index, have 12 pixels. On a desk they have 15,
    or a symbol in a box 21 at most.
    """
    pictures = {
        image["src"].rpartition("/")[2]
        for soup in soups.values()
        for image in soup.select("img[src$='.svg']")
    }
    drawn = [path for path in (site / "_images").glob("*.svg") if path.name in pictures]
    small = []
    for path in drawn:
        text = path.read_text(encoding="utf-8")
        sizes = re.findall(r'<t(?:ext|span)[^>]* style="[^"]*?font-size: ([\d.]+)px', text)
        width = float(re.search(r'viewBox="0 0 ([\d.]+)', text)[1])
        for size in sorted(map(float, set(sizes))):  # in points, of which a pixel of CSS has 3/4
            if size * min(360 / width, 4 / 3) < 12 or size * 4 / 3 > 21:
                small.append(f"{path.name}, {width} wide: {size}")
    assert len(drawn) > 40 and small == []


# Of all that the keyboard reaches, the figures' insides too, what looks the same with the focus and
# without it
UNSEEN_FOCUS = """() => {
    const all = (root) =>
        [...root.querySelectorAll('*')].flatMap((one) =>
            [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])]);
    const look = (one) => [one, ...one.querySelectorAll('rect')].map((part) => {
        const style = getComputedStyle(part);
        return [style.outlineStyle !== 'none' && style.outlineWidth, style.outlineColor,
            style.stroke,
            style.strokeWidth, style.borderColor, style.backgroundColor].join();
    }).join();
    return all(document).filter((one) => {
        if (one.tabIndex < 0 || !one.checkVisibility({ visibilityProperty: true })) return false;
        one.blur();
        const before = look(one);
        one.focus({ preventScroll: true, focusVisible: true });
        return one.getRootNode().activeElement === one && look(one) === before;
    }).map((one) => one.outerHTML.slice(0, 120));
}"""


# What has the focus and lies under something that stays in sight while the page scrolls, or outside
# of the window
COVERED_FOCUS = """() => {
    const all = (root) =>
        [...root.querySelectorAll('*')].flatMap((one) =>
            [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])]);
    const around = (one) => one && [one,
        ...around(one.parentElement ?? one.getRootNode().host) ?? []];
    const at = (x, y, root = document) => {
        const found = root.elementFromPoint(x, y);
        return found?.shadowRoot && found.shadowRoot !== root ? at(x, y, found.shadowRoot) : found;
    };
    const stays = (one) => ['sticky', 'fixed'].includes(getComputedStyle(one).position);
    document.documentElement.style.scrollBehavior = 'auto';
    return all(document).filter((one) => {
        const seen = one.tabIndex >= 0 && one.checkVisibility({ visibilityProperty: true });
        if (!seen || one.closest('#pst-skip-link')) return false; // it is still moving
        one.focus({ focusVisible: true });
        if (one.getRootNode().activeElement !== one) return false;
        const { left, right, top, bottom } = one.getBoundingClientRect();
        const between = (from, to, share) => from + (to - from) * share;
        const points = [0.1, 0.5, 0.9].flatMap((x) => [0.1, 0.5, 0.9].map((y) => at(
            between(Math.max(0, left), Math.min(innerWidth, right), x),
            between(Math.max(0, top), Math.min(innerHeight, bottom), y))));
        return points.every((found) => !found ||
            (!around(found).includes(one) && around(found).some(stays)));
    }).map((one) => one.outerHTML.slice(0, 120));
}"""
# A reader may set text wider: WCAG 1.4.12
WIDE_TEXT = """() => {
    const sheet = (window.wideText = new CSSStyleSheet());
    sheet.replaceSync(`* { line-height: 1.5 !important; letter-spacing: 0.12em !important;
        word-spacing: 0.16em !important; } p { margin-bottom: 2em !important; }`);
    for (const root of [document, ...[...document.querySelectorAll('.tl-figure')]
        .map((home) => home.shadowRoot)])
        root.adoptedStyleSheets.push(sheet);
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""
SLABS = """[...document.querySelectorAll(".cell_output img[src$='.svg']")]
    .filter(picture => getComputedStyle(picture).backgroundColor !== "rgba(0, 0, 0, 0)")
    .map(picture => picture.alt)"""
# Formulas in the text that reach beyond the window, or beyond the box that cuts them off, those in
# folds too
CLIPPED = """() => {
    const folds = [...document.querySelectorAll('details:not([open])')];
    const cuts = (box) => ['hidden', 'clip'].includes(getComputedStyle(box).overflowX);
    const around = (one) => (one ? [one, ...around(one.parentElement)] : []);
    for (const fold of folds) fold.open = true;
    const clipped = [...document.querySelectorAll('span.math mjx-container')].filter((formula) => {
        const edges = around(formula.parentElement).filter(cuts)
            .map((box) => box.getBoundingClientRect().right);
        return formula.getBoundingClientRect().right > Math.min(innerWidth, ...edges);
    });
    for (const fold of folds) fold.open = false;
    return clipped.map((formula) => formula.textContent);
}"""
TOO_WIDE = "document.documentElement.scrollWidth - innerWidth"
# Contrast takes the longest, and says the same of two pieces of code of one look: their letters,
# and all grounds behind them. axe is asked of three of each, short ones of more than a letter: of a
# sign by itself, and of what its box cuts off, it says nothing.
LEAVE_OUT_ALIKE = "axe.configure({ rules: [{ id: 'color-contrast', selector: '*:not(.alike)' }] });"
# Of npm's axe-core 4.14.1 as it is: no package for Python 3.11 has more than 4.12, which takes up
# to twice as long.
AXE = (ROOT / "tests" / "axe.min.js").read_text(encoding="utf-8") + LEAVE_OUT_ALIKE
MARK_ALIKE = """() => {
    const [looks, grounds] = [new Map(), new Map([[null, ""]])];
    const ground = (box) => {
        if (!grounds.has(box)) {
            const { backgroundColor, backgroundImage, opacity } = getComputedStyle(box);
            const own = [backgroundColor, backgroundImage, opacity].join();
            grounds.set(box, ground(box.parentElement) +
                (own === "rgba(0, 0, 0, 0),none,1" ? "" : `${own};`));
        }
        return grounds.get(box);
    };
    for (const one of document.querySelectorAll("pre, pre *, dt.sig, dt.sig *")) {
        const text = [...one.childNodes].map((part) =>
            (part.nodeType === Node.TEXT_NODE ? part.data : "")).join("");
        one.classList.remove("alike");
        if (!text.trim() || !one.checkVisibility({ visibilityProperty: true })) continue;
        const { color, fontSize, fontWeight, textShadow } = getComputedStyle(one);
        const look = [color, fontSize, fontWeight, textShadow, ground(one)];
        const key = look.join(";");
        looks.set(key, looks.get(key) ?? []);
        looks.get(key).push({ one, text });
    }
    const long = (text) => text.replace(/[^\\p{L}\\p{N}]/gu, "").length > 1;
    for (const alike of looks.values()) {
        alike.sort((a, b) => long(b.text) - long(a.text) || a.text.length - b.text.length);
        for (const { one } of alike.slice(3)) one.classList.add("alike");
    }
}"""


# Colours come from the style sheets, so these speak for the others: the front page, a chapter, the
# page with all figures' pictures, a page of text, one about the package, and a figure's page.
COLOURS = ["index.html", "figures/pencil.html"] + [
    f"chapters/{name}.html" for name in ("05-masks", "gallery", "glossary", "api")
]
ONE_OF_EACH_KIND = [*COLOURS, "chapters/teach/lesson-02.html", "404.html"]
ONE_OF_EACH_KIND.remove("chapters/api.html")  # the longest of all
assert {*ONE_OF_EACH_KIND, *COLOURS} <= {*PAGES, "404.html"}
VISITS = [
    pytest.param(path, True, marks=[pytest.mark.xdist_group(path)] + [pytest.mark.weekly] * weekly)
    for path in [*PAGES, "404.html"]
    for weekly in [path not in ONE_OF_EACH_KIND]
] + [
    pytest.param(path, False, marks=[pytest.mark.xdist_group(path)] + [pytest.mark.weekly] * alike)
    for path in PAGES
    if path not in ONE_OF_EACH_KIND
    for alike in ["/lesson-" in path or path in FIGURES]  # all of them are of one kind
]


# All letters and what is seen have come, and nothing more is to be done.
AT_REST = "document.fonts.ready.then(() => new Promise((done) => requestIdleCallback(done)))"
# What is placed by measuring follows a new size in the next frame.
LAID_OUT = """() => new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
})"""


# The top of the first figure, question or picture of a chapter that stands in its text
FIRST = """() => Math.min(...[...document.querySelectorAll("article .tl-figure, .cell_output img")]
    .filter((part) => part.checkVisibility())
    .map((part) => part.getBoundingClientRect().top))"""


def look(path, whole, site, server, open_page):
    """What there is to see of one page: on the first screen of a laptop, in dark on a phone,
    enlarged to 200 % and 400 %, and on paper. The whole is also opened from its file, moved through
    by the keyboard, seen by axe and printed, sheet by sheet; and where it speaks of colours, seen
    in dark on a desk and with the colours of a reader's own system.
    """

    def violations(*only):
        """What breaks axe's rules, or these only."""
        page.evaluate(MARK_ALIKE)
        options = {"reporter": "no-passes", "preload": False}
        options |= {"runOnly": only} if only else {"rules": {"target-size": {"enabled": True}}}
        found = page.evaluate("async (options) => (await axe.run(options)).violations", options)
        return [
            f"{rule['id']} ({rule['impact']}): {node['html'][:200]}"
            for rule in found
            for node in rule["nodes"]
        ]

    visits = [open_page(path, reduced_motion="reduce")]
    page = visits[0].page
    page.evaluate(AT_REST)
    loaded = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    files = {
        site / unquote(urlsplit(url).path.lstrip("/"))
        for url in [page.url, *loaded]
        if url.startswith(server)
    }
    facts = SimpleNamespace(title=page.title())
    weighed = [
        file for file in files if file.is_file() and file.parent != site / "_static" / "data"
    ]
    facts.weight = sum(len(gzip.compress(file.read_bytes())) for file in weighed)
    facts.first = page.evaluate(FIRST)
    facts.told = told(page, Path(path).stem)
    facts.violations, facts.signs_read_aloud, facts.unseen_focus = {}, [], []
    if whole:
        page.evaluate(AXE)
        facts.violations["light on a desk"] = violations()
        visits.append(open_page(path, over="file"))
        visits[1].page.evaluate(AT_REST)
        visits[1].page.context.close()
        aloud = page.locator("body").aria_snapshot()
        facts.signs_read_aloud = re.findall("[\ue000-\uf8ff].*", aloud)
        page.keyboard.press("Tab")
        facts.unseen_focus = page.evaluate(UNSEEN_FOCUS)
    facts.blocked = [address for visit in visits for address in visit.blocked]
    facts.errors = [error for visit in visits for error in visit.errors]
    page.emulate_media(color_scheme="dark")
    if path != "404.html":  # which has no theme of its own
        page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    facts.slabs = page.evaluate(SLABS)
    if whole and path in COLOURS:
        facts.violations["dark"] = violations("color-contrast", "link-in-text-block")
        page.emulate_media(forced_colors="active")
        facts.violations["forced colours"] = violations("color-contrast", "link-in-text-block")
        page.emulate_media(forced_colors="none")
    page.set_viewport_size({"width": 360, "height": 740})
    page.wait_for_function(SCROLLS)
    facts.overflow = page.evaluate(TOO_WIDE)
    facts.clipped = page.evaluate(CLIPPED)
    if whole:
        of_size = "target-size", "scrollable-region-focusable", "aria-hidden-focus", "meta-viewport"
        facts.violations["on a phone"] = violations(*of_size)
    page.set_viewport_size({"width": 640, "height": 450})
    page.evaluate(LAID_OUT)
    facts.overflow = max(facts.overflow, page.evaluate(TOO_WIDE))
    page.set_viewport_size({"width": 320, "height": 225})
    page.evaluate(LAID_OUT)
    facts.overflow = max(facts.overflow, page.evaluate(TOO_WIDE))
    facts.covered_focus = []
    if whole:
        # A drawer closes; the line of progress runs with the page, not with the clock
        page.wait_for_function(
            "document.getAnimations().every(one => one.timeline !== document.timeline"
            " || one.playState !== 'running')"
        )
        facts.covered_focus = page.evaluate(COVERED_FOCUS)
    page.evaluate(WIDE_TEXT)
    page.evaluate(LAID_OUT)
    facts.overflow_of_wide_text = page.evaluate(TOO_WIDE)
    page.evaluate("wideText.disabled = true")
    facts.paper, facts.cut_on_paper = on_paper(page, whole)
    page.context.close()
    return facts


def told(page, name):
    """How far below the top of its question each answer of a page is first told, in pixels, as one
    reads it and on a projector: (mode, question) to the distance, or None.
    """
    tells = tells_on(name)
    assert not tells or len(tells) == page.locator("[data-figure=Prediction]").count()
    found = {}
    for mode in ("page", "projector") if tells else ():
        for question, far in page.evaluate(TOLD_AFTER, tells).items():
            found[mode, question] = far
        page.keyboard.press("p")
    return found


# What must stay on one sheet gets a mark at its top and one at its bottom, which are found in the
# text of the PDF.
MARK_BOXES = """() => {
    const figures = [...document.querySelectorAll(".tl-figure")]
        .map(home => home.shadowRoot.querySelector(".figure"));
    [...figures, ...document.querySelectorAll(".bd-article div.math")].forEach((box, number) => {
        box.style.position = "relative";
        for (const [edge, mark] of [["top", "<"], ["bottom", ">"]]) {
            const text = document.createElement("span");
            text.textContent = `${mark}${mark}${number}${mark}${mark}`;
            text.style = `position: absolute; left: 0; ${edge}: 0; `
                + "font: 6px/1 sans-serif; color: black";
            box.append(text);
        }
    });
    return document.querySelectorAll(".tl-figure, .bd-article div.math").length;
}"""
CUT_ON_PAPER = """[...document.querySelectorAll(
    ".bd-article :is(pre, div.math, .output, table, .pst-scrollable-table-container)"
)].filter(box => box.checkVisibility() && (box.getBoundingClientRect().right > innerWidth + 1
    || (box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX !== "visible"))
).map(box => `${box.className || box.tagName}: ${box.textContent.trim().slice(0, 60)}`)"""


def on_paper(page, whole):
    """The text of the open page when it is printed on A4, and what is cut at the edge or split
    between two sheets; unless it is asked for whole, only what is cut.
    """
    boxes = page.evaluate(MARK_BOXES)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 680, "height": 990})  # A4 without its margins
    wrong = page.evaluate(CUT_ON_PAPER)
    if not whole:
        return "", wrong
    sheets = [sheet.get_textpage().get_text_range() for sheet in PdfDocument(page.pdf(format="A4"))]
    top, bottom = (
        {
            number: sheet
            for sheet, text in enumerate(sheets)
            for number in re.findall(rf"{mark}{mark}(\d+){mark}{mark}", text)
        }
        for mark in "<>"
    )
    wrong += [
        f"box {number} of {boxes} is split"
        for number in map(str, range(boxes))
        if top.get(number) != bottom.get(number)  # one that is not shown has neither
    ]
    return "".join(sheets), wrong


@pytest.mark.parametrize(("path", "whole"), VISITS)
def test_page_stands_alone_is_light_fits_a_phone_and_is_accessible(
    path, whole, site, server, open_page, budget
):
    """One visit for all that takes long to find out."""
    found = look(path, whole, site, server, open_page)
    assert found.blocked == [] and found.errors == []
    assert found.title.strip(" -—")
    budget("the heaviest first visit", found.weight, FIRST_VISIT)
    if re.match(r"chapters/\d", path):
        assert found.first < 720, "the first screen of a laptop has something to look at"
    # In no window of 900 pixels do a whole question and its answer stand together. In chapter 13,
    # whose sections are short, the answer is the picture under the question, and not beside it.
    least = 300 if "/13-" in path else 900
    assert not {one: far for one, far in found.told.items() if far is None or far < least}
    assert found.overflow <= 0
    assert found.clipped == [], "formulas in the text that are wider than a phone: display them"
    assert found.violations == dict.fromkeys(found.violations, [])
    assert found.signs_read_aloud == [], (
        "an icon is a letter of its font, which a screen reader would try to say"
    )
    assert found.slabs == [], "drawn on nothing, it has the page for its ground"
    assert found.unseen_focus == []
    assert found.covered_focus == []
    assert found.overflow_of_wide_text <= 0
    assert found.cut_on_paper == []
    if whole and "05-masks" in path:
        assert "-65504" in found.paper, "what a closer look computes is open on paper"
        assert "use_style()" not in found.paper, (
            "code that is folded on the screen is folded on paper"
        )


def test_notebook_is_downloaded_from_a_file_too(visit, site):
    for doc in NOTEBOOKS:
        beside = (site / "_sources" / f"{doc}.ipynb.js").read_text(encoding="utf-8")
        text = json.loads(beside.removeprefix("saveNotebook(").removesuffix(");\n"))
        assert text.encode() == (ROOT / f"{doc}.ipynb").read_bytes(), doc
    page = visit("chapters/02-query-key-value.html", over="file").page
    page.get_by_label("Download this page").click()
    with page.expect_download() as download:
        page.get_by_role("link", name=".ipynb").click()
    assert download.value.suggested_filename == "02-query-key-value.ipynb"
    stored = (ROOT / "chapters" / "02-query-key-value.ipynb").read_bytes()
    assert Path(download.value.path()).read_bytes() == stored


@pytest.mark.parametrize("over", ["http", "file"])
def test_search_finds_pages(visit, over):
    opened = visit("search.html?q=variance+softmax", over=over)
    found = opened.page.locator("#search-results li", has_text="Why √dₖ")
    found.locator("mark").first.wait_for()
    assert {mark.lower() for mark in found.locator("mark").all_text_contents()} >= {
        "variance",
        "softmax",
    }
    sentences = " ".join(opened.page.locator(".search-sentences").all_text_contents())
    assert len(sentences) > 500 and "\\" not in sentences and "$" not in sentences
    assert opened.blocked == []
    assert opened.errors == []


def test_a_search_finds_chapters_first_and_leads_to_a_sentence_of_theirs(visit):
    page = visit("search.html?q=mask").page
    page.locator("#search-results li").nth(9).wait_for()
    page.wait_for_function(
        "document.querySelector('#search-results').textContent.includes('found')"
    )
    links = page.locator("#search-results li > a")
    found = [
        urlsplit(link).path for link in links.evaluate_all("all => all.map(link => link.href)")
    ]
    of_chapters = [bool(re.search(r"chapters/\d\d-", path)) for path in found]
    assert of_chapters == sorted(of_chapters, reverse=True) and "05-masks" in found[0]
    of_lists = [
        bool(re.search(r"/(api|engine|sources|errata|tried|references|gallery|teach/.+)\.html$", p))
        for p in found
    ]
    assert of_lists == sorted(of_lists) and any(of_lists)
    links.first.click()
    page.wait_for_url("**/05-masks.html*")
    page.wait_for_function("scrollY > 500")


@pytest.mark.parametrize("over", ["http", "file"])
def test_a_search_answers_while_one_types(visit, over):
    opened = visit("chapters/05-masks.html", over=over)
    page = opened.page
    asked = "[...document.scripts].some(script => script.src.endsWith('searchindex.js'))"
    assert not page.evaluate(asked), "no page carries the index before somebody searches"
    page.keyboard.press("Control+k")
    field = page.locator("#pst-search-dialog input")
    field.press_sequentially("temperatu")
    found = page.locator("#search-results li")
    found.first.wait_for()
    assert field.input_value() == "temperatu" and found.count() == 6
    assert found.first.locator("a").text_content() == "11. The decoder alone"
    assert found.first.locator("mark").first.text_content().lower() == "temperature"
    count = int(page.locator(".search-summary").text_content().split()[0])
    assert count > 6
    field.fill("qqzz")
    page.get_by_text("Nothing in the book is found").wait_for()
    field.fill("temperature")
    everything = page.get_by_role("link", name="Show all of them")
    everything.click()
    page.wait_for_url("**/search.html?q=temperature")
    page.get_by_text(f"{count} places are found.").wait_for()
    field = page.locator(".bd-search-container input[name=q]")
    field.fill("padding")
    page.locator(".search-summary[data-query=padding]").wait_for()
    assert "Masks" in found.first.text_content() and found.count() > 6
    assert opened.errors == [] and opened.blocked == []


def test_no_search_marks_the_pages_that_are_opened_later(visit):
    page = visit("search.html?q=mask").page
    page.locator("#search-results li").first.wait_for()
    page.locator(".bd-sidebar-primary").get_by_role("link", name="Query, key, value").click()
    page.wait_for_url("**/02-query-key-value.html")
    page.wait_for_timeout(100)
    assert page.locator(".highlighted").count() == 0
    assert page.get_by_text("Hide Search Matches").count() == 0


def test_one_ring_is_around_the_search(visit):
    page = visit("chapters/02-query-key-value.html").page
    page.keyboard.press("Control+k")
    rings = page.locator("#pst-search-dialog :is(form, input)").evaluate_all("""all => all
        .map(one => getComputedStyle(one))
        .map(style => (style.outlineStyle !== "none") + (style.boxShadow !== "none"))""")
    assert rings == [1, 0]


def test_page_reads_without_javascript(visit):
    page = visit("chapters/02-query-key-value.html", java_script_enabled=False).page
    assert page.locator("article h1").is_visible()
    widths = page.evaluate(
        "[...document.querySelectorAll('.math mjx-math')].map(formula => formula.clientWidth)"
    )
    assert len(widths) == page.locator(".math").count() > 50 and min(widths) > 5
