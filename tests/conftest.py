"""How the tests are run, the book, built once, and a real browser to read it with.

There are two rings. `pytest` runs what needs neither the built book nor a browser, and `pytest
--book` builds the book and runs the rest. Tests that are named, as in `pytest
tests/figures/test_masks.py`, run whatever they need.

Tests are spread over the cores (pytest-xdist; `-n0` runs them in this process, for a debugger). The
tests of a file that need the built book stay together, and so do its others, unless they are put
into an `xdist_group` of their own or their file is in `SPREAD`.

`site` is the folder of the built book, `visit` opens one of its pages in headless Chromium, over
http or as a file, with every other host blocked. While you work on the book, BOOK_HTML=_build/html
saves the build; BOOK_BROWSER=chromium takes another Chromium.
"""

import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from filelock import FileLock
from hypothesis import settings
from serving import served

from dev.processors import WAYS

os.environ.setdefault("OMP_NUM_THREADS", "1")  # there is a worker for each core
if "PYTEST_XDIST_WORKER" not in os.environ:  # the workers inherit it
    path = [str(Path(__file__).with_name("every_python")), os.environ.get("PYTHONPATH")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, path))


ROOT = Path(__file__).parents[1]
STRICT = ["-n", "-W", "--keep-going"]
# What this processor likes by chance is not what is asked: CI builds the book with PyTorch's
# functions for any processor. Of all other ways this one costs hardly more time.
ARITHMETIC = WAYS["plain"] if os.environ.get("CI") == "true" else {}

os.environ.setdefault("MPLBACKEND", "Agg")

# The same examples in every run of CI, new ones elsewhere; how long one takes is no failure.
settings.register_profile("book", derandomize=os.environ.get("CI") == "true", deadline=None)
settings.load_profile("book")


# Long files whose tests share nothing that is dear: each goes to the next core that is free.
SPREAD = "test_engine", "test_every_figure", "test_live_translator"


def pytest_addoption(parser):
    parser.addoption("--book", action="store_true", help="what needs the built book or a browser")


def pytest_configure(config):
    if not hasattr(config, "workerinput"):  # the workers inherit it
        book = "outer" if config.getoption("book") else "inner"
        named = config.args_source is not pytest.Config.ArgsSource.TESTPATHS
        os.environ["BOOK_RING"] = "both" if named else book


def in_this_ring(config, items):
    """Mark what needs the book or a browser, and leave out the other ring."""
    for item in items:
        if {"site", "browser"} & {*item.fixturenames}:
            item.add_marker("site")
    ring = os.environ["BOOK_RING"]
    if ring == "both":
        return items
    chosen, others = [], []
    for item in items:
        outer = item.get_closest_marker("site") is not None
        (chosen if outer == (ring == "outer") else others).append(item)
    config.hook.pytest_deselected(items=others)
    return chosen


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """First the test that builds the book, then those that need no built book, which run meanwhile,
    then the rest: long files first, and at the end the single pages, so that no core is left alone.
    """
    items[:] = in_this_ring(config, items)
    on_the_site = [item for item in items if "site" in item.fixturenames]
    single = {item for item in on_the_site if item.get_closest_marker("xdist_group")}
    for item in on_the_site[:1]:
        item.add_marker(pytest.mark.xdist_group("build"))
    for item in items:
        if not (item.path.stem in SPREAD or item.get_closest_marker("xdist_group")):
            group = item.path.stem + " on the site" * ("site" in item.fixturenames)
            item.add_marker(
                pytest.mark.xdist_group("pages as trees" if "soup" in item.fixturenames else group)
            )

    def turn(item):
        if item in on_the_site[:1]:
            return 0
        if item in on_the_site:
            return 4 if item in single else 3
        return 1 if item.get_closest_marker("site") else 2

    items.sort(key=turn)


def program(name):
    """A fixture: this program of `dev/make/`. When it is imported it writes the pairs of the
    grammar, which takes seconds and must not be done for tests that are only collected.
    """
    return pytest.fixture(scope="module")(lambda: import_module(f"dev.make.{name}"))


@pytest.fixture(autouse=True)
def no_plot_is_left():
    """A plot that one test leaves open would be drawn into by the next."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def budget(record_property):
    """`budget(what, size, most)`: so many bytes, of at most so many. A budget is a tenth larger
    than what it is for, since the next line of code and another zlib weigh something too; the end
    of a run says how much of each is used.
    """

    def budget(what, size, most):
        record_property("budget", (what, size, most))
        assert size <= most, f"{what}: {size:,} of {most:,} bytes"

    return budget


def pytest_terminal_summary(terminalreporter):
    if os.environ["BOOK_RING"] == "inner":
        terminalreporter.write_line("pytest --book runs what needs the built book or a browser")
    reports = terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
    noted = [
        value for report in reports for name, value in report.user_properties if name == "budget"
    ]
    heaviest = {what: (size, most) for what, size, most in sorted(noted)}
    for what, (size, most) in heaviest.items():
        terminalreporter.write_line(f"{what}: {size:,} of {most:,} bytes, {size / most:.0%}")


@pytest.fixture(scope="session")
def once(tmp_path_factory):
    """`once(name, make)`: the folder that `make(folder)` has filled, in one of the workers; the
    others wait for it.
    """
    run = tmp_path_factory.getbasetemp()
    run = run.parent if "PYTEST_XDIST_WORKER" in os.environ else run

    def once(name, make):
        folder, made = run / name, run / f"{name}.made"
        with FileLock(run / f"{name}.lock"):
            if not made.exists():
                make(folder)
                made.touch()
        return folder

    return once


def build_book(source, output, *options, wait=True, arithmetic=None):
    """Run `jupyter-book build` on `source` into `output`; the finished process, with all it printed
    in `stdout`, or the one that has just begun.
    """
    # In a kernel, matplotlib must keep the notebook's own backend, or the chapters would have no
    # pictures.
    environment = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    environment |= arithmetic or {}
    command = [
        Path(sys.executable).with_name("jupyter-book"),
        "build",
        source,
        "--path-output",
        output,
        *options,
    ]
    start = subprocess.run if wait else subprocess.Popen
    return start(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        env=environment,
    )


@pytest.fixture(scope="session")
def site(once, request):
    """The folder of the built site. The build is strict: one warning fails every test that needs
    it.

    What the build says is in the file `first` beside it. If any test of this run asks for `twice`,
    it is built again, before anybody reads it, and what is said then, with nothing changed, is in
    the file `again`.
    """
    if "BOOK_HTML" in os.environ:
        return Path(os.environ["BOOK_HTML"]).resolve()

    twice = any("twice" in item.fixturenames for item in request.session.items)

    def build(output):
        output.mkdir()
        for log in ("first", "again") if twice else ("first",):
            built = build_book(ROOT, output, *STRICT, arithmetic=ARITHMETIC)
            if built.returncode:
                (output / "failed").write_text(built.stdout, encoding="utf-8")
                return
            (output / log).write_text(built.stdout, encoding="utf-8")

    output = once("book", build)
    if (output / "failed").exists():
        reason = (output / "failed").read_text(encoding="utf-8")[-6000:]
        pytest.fail(f"the strict build of the book failed:\n{reason}", pytrace=False)
    return output / "_build" / "html"


@pytest.fixture
def twice():
    """Has the site built a second time, with nothing changed."""


@pytest.fixture(scope="session")
def soup(site):
    """`soup(path)`: a page of the built site as a tree. It is read once: change a copy of it."""
    return cache(
        lambda path: BeautifulSoup((site / path).read_text(encoding="utf-8"), "html.parser")
    )


@pytest.fixture(scope="session")
def browser():
    """The headless Chromium that BOOK_BROWSER names, or the first that is found. Without one the
    test is skipped, but under CI=true it fails.
    """
    from playwright.sync_api import sync_playwright

    # First the one without windows: a window takes more work than the page in it.
    names = ["chromium-headless-shell", "chromium", "chromium-browser"]
    names += ["google-chrome", "google-chrome-stable"]
    if "BOOK_BROWSER" in os.environ:
        names = [os.environ["BOOK_BROWSER"]]
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        reason = (
            f"no browser on the PATH (looked for {', '.join(names)}): install Debian's "
            "chromium, for example"
        )
        if "BOOK_BROWSER" in os.environ or os.environ.get("CI") == "true":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def server(site):
    """The address of a local web server that serves the built site."""
    with served(site) as address:
        yield address


@dataclass
class Visit:
    """An open page, with the requests to other hosts and the errors that opening and using it gave
    so far.
    """

    page: object
    blocked: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def open_page(browser, site, server):
    """`open_page(path, over="http", width=1280, **context)`: a `Visit` whose `page.context` you
    close yourself.

    `path` is relative to the site and may carry a query; `over` is "http" or "file"; `context` goes
    to Playwright's `new_context` (`color_scheme="dark"`, `java_script_enabled=False`,
    `reduced_motion="reduce"`, ...).
    """

    def open_page(path, over="http", width=1280, **context):
        base = {"http": server, "file": site.as_uri()}[over]
        tab = browser.new_context(viewport={"width": width, "height": 900}, **context)
        visit = Visit(tab.new_page())

        def refuse(route):
            visit.blocked.append(route.request.url)
            route.abort()

        def failed(request):
            # What the page itself gave up is missed by nobody: the icon of a tab, at a reload.
            if request.failure != "net::ERR_ABORTED":
                visit.errors.append(f"not loaded: {request.url}")

        tab.route(
            re.compile(rf"^(https?|wss?)://(?!{re.escape(server.removeprefix('http://'))}/)"),
            refuse,
        )
        visit.page.on(
            "console", lambda note: visit.errors.append(note.text) if note.type == "error" else None
        )
        visit.page.on("pageerror", lambda error: visit.errors.append(str(error)))
        visit.page.on("requestfailed", failed)
        visit.page.goto(f"{base}/{path}")
        return visit

    return open_page


@pytest.fixture
def visit(open_page):
    """`open_page` for one test: what it opens is closed when the test ends."""
    visits = []

    def visit(*args, **kwargs):
        visits.append(open_page(*args, **kwargs))
        return visits[-1]

    yield visit
    for opened in visits:
        opened.page.context.close()


@pytest.fixture(scope="module")
def look_at(open_page):
    """`look_at(path, width=1280, scheme="light")`: a page over http that the tests of a file share,
    for those that leave it as it was but for its width, its colours and how far it is scrolled.
    """
    from figure_examples import resize

    kept = {}

    def look_at(path, width=1280, scheme="light"):
        kept[path] = kept.get(path) or open_page(path).page
        page = kept[path]
        page.emulate_media(media="screen", color_scheme=scheme)
        page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        page.evaluate("document.fonts.ready")
        resize(page, width, 900)
        return page

    yield look_at
    for page in kept.values():
        page.context.close()


@dataclass
class Tab:
    """A page in a context of its own, made with these options, and what went wrong in it."""

    page: object
    options: dict
    trouble: list[str] = field(default_factory=list)


class Tabs:
    """Tabs of a browser. One that a test has left is taken again by a test that asks for the same
    options: to open another one takes as long as to draw a figure.
    """

    def __init__(self, browser):
        self.browser = browser
        self.free = []

    def take(self, width, options):
        found = [tab for tab in self.free if tab.options == options]
        tab = found[0] if found else self._opened(options)
        self.free = [other for other in self.free if other is not tab]
        tab.trouble.clear()
        tab.page.set_viewport_size({"width": width, "height": 800})
        return tab

    def _opened(self, options):
        context = self.browser.new_context(**options)
        context.set_default_timeout(20_000)
        tab = Tab(context.new_page(), options)

        def guard(route):
            if route.request.url.startswith(("file:", "data:", "blob:")):
                return route.continue_()
            tab.trouble.append(route.request.url)
            return route.abort()

        def noted(message):
            if message.type == "error":
                tab.trouble.append(message.text)

        context.route("**/*", guard)
        tab.page.on("pageerror", lambda error: tab.trouble.append(str(error)))
        tab.page.on("console", noted)
        tab.page.on("dialog", lambda box: (tab.trouble.append(box.message), box.dismiss()))
        return tab

    def leave(self, tab):
        """As it was when it was opened: nothing kept, nothing emulated, the mouse in its corner."""
        media = {"color_scheme": "light", "reduced_motion": "no-preference"}
        media |= {"contrast": "no-preference", "forced_colors": "none", "media": "null"}
        chosen = {name: value for name, value in tab.options.items() if name in media}
        try:
            tab.page.evaluate("localStorage.clear(), sessionStorage.clear()")
            tab.page.goto("about:blank")
            tab.page.mouse.move(0, 0)
            tab.page.emulate_media(**media | chosen)
        except Exception:  # a test may have taken the storage away, or the page
            tab.page.context.close()
        else:
            self.free.append(tab)


@pytest.fixture(scope="session")
def tabs(browser):
    return Tabs(browser)


@contextmanager
def opener(tabs, folder):
    """`open_figures(*figures)`: a page with some figures, opened from a file; afterwards fails on a
    script error, a dialog or a request to any host.
    """
    opened = []

    def open_figures(*figures, html_attributes="", body_attributes="", width=900, **options):
        file = folder / f"page{len(opened)}.html"
        body = "".join(f"<p>Before.</p>{figure.snapshot()}" for figure in figures)
        file.write_text(
            f"<!doctype html><html lang=en {html_attributes}><meta "
            "charset=utf-8><title>figures</title>"
            '<meta name=viewport content="width=device-width, initial-scale=1">'
            f"<body {body_attributes}>{body}<p>After.</p></body></html>",
            "utf-8",
        )
        opened.append(tabs.take(width, options))
        opened[-1].page.goto(file.as_uri())
        return opened[-1].page

    yield open_figures
    trouble = [what for tab in opened for what in tab.trouble]
    for tab in opened:
        tabs.leave(tab)
    assert not trouble


@pytest.fixture
def open_figures(tabs, tmp_path):
    """Opens a page with some figures for one test: see `opener`."""
    with opener(tabs, tmp_path) as open_figures:
        yield open_figures
