"""Notebooks run side by side, and only when something that they compute with has changed.

jupyter-cache keeps the outputs of an executed notebook and uses them again while the notebook's
code stays as it is. A chapter also depends on what it imports, so its results carry a digest of
that (`book_imports.py`), and a notebook whose digest is another one runs again. The results lie in
`_build/.jupyter_cache`, or in the folder that BOOK_CACHE names.

MyST-NB would run one notebook after another. So what it is about to read runs before, as many at
once as cores and memory allow, the longest first. A cell that fails does not keep the others from
running, and MyST-NB finds what came out: the page is whole but for that cell, which
`book_failures.py` marks. The next build tries such a notebook again.
"""

import math
import os
import signal
import sys
import time
from functools import partial
from multiprocessing.pool import ThreadPool
from pathlib import Path
from urllib.parse import unquote

import nbformat
from book_failures import failures, result
from book_imports import digest_of
from filelock import FileLock, Timeout
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from nbclient import execute
from sphinx.util.display import status_iterator
from sphinx.util.logging import getLogger

from attention_by_hand import doctor

log = getLogger(__name__)


def take_the_folder(folder):
    """Be the only build that works in this folder, until this process ends."""
    lock = FileLock(folder / ".building")
    elsewhere = "build elsewhere with --path-output FOLDER"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(blocking=False)
    except Timeout:
        sys.exit(f"Another build works in {folder}: wait for its end, or {elsewhere}.")
    except OSError as error:
        sys.exit(f"The book cannot be written into {folder} ({error.strerror}): {elsewhere}.")
    return lock


def stop(*_):
    """Ctrl-C: end at once. The kernels end by themselves, as soon as they miss this process."""
    print("\nStopped. What has run is kept, and the same command goes on from there.", flush=True)
    os._exit(130)


def choose_cache(app, config):
    signal.signal(signal.SIGINT, stop)
    os.environ["BOOK_BUILD"] = "1"  # figures leave their code to book_data.py
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # there is a kernel for each core
    caches = Path(os.environ.get("BOOK_CACHE") or Path(app.outdir).parent / ".jupyter_cache")
    caches = caches.resolve()
    if unquote(str(caches)) != str(caches):
        sys.exit(
            f"jupyter-cache cannot keep results in {caches}, since it reads the sign after % as a "
            "code: rename the folder, or let BOOK_CACHE name another for the results."
        )
    config.nb_execution_cache_path = str(caches)


def seconds_of(cache):
    """{name of a notebook: the seconds that it took when it last ran}."""
    return {
        Path(record.uri).name: record.data["execution_seconds"]
        for record in sorted(cache.list_cache_records(), key=lambda record: record.pk)
    }


def notebooks(env, docnames):
    return [path for path in map(Path, map(env.doc2path, docnames)) if path.suffix == ".ipynb"]


def at_once(waiting):
    """How many notebooks may run side by side."""
    free = doctor.free_memory()
    fit = math.inf if free is None else max(1, free // (doctor.MEMORY * 1e9))
    return int(min(waiting, doctor.cores(), fit))


def run(timeout, path):
    """Run one notebook to its end, whatever fails in it: (its path, what came out, its seconds)."""
    notebook = nbformat.read(path, as_version=4)
    reached = [cell for cell in notebook.cells if cell.cell_type == "code"][:1]

    def note(cell, cell_index):
        if cell.cell_type == "code":
            reached.append(cell)

    begin = time.monotonic()
    try:
        execute(
            notebook,
            cwd=str(path.parent),
            timeout=timeout,
            allow_errors=True,
            record_timing=False,  # it would change what jupyter-cache knows a cell by
            on_cell_start=note,
            extra_arguments=["--log-level=ERROR"],
        )
    except (RuntimeError, TimeoutError) as error:  # the kernel has died, or hung
        name, reason = type(error).__name__, str(error).splitlines()[0]
        reached[-1].outputs.append(
            nbformat.v4.new_output(
                "error", ename=name, evalue=reason, traceback=[f"{name}: {reason}"]
            )
        )
    return path, notebook, time.monotonic() - begin


def waits(app, cache, path):
    """Whether a notebook has to run: it never did, something in it failed, or it computes with what
    has changed since.
    """
    found = result(cache, path)
    if found is None or found.data.get("failures"):
        return True
    return found.data.get("digest") != digest_of(Path(app.srcdir), path)


def outdated(app, env, added, changed, removed):
    """The pages of all notebooks that have to run, for Sphinx to read them anew."""
    if app.config.nb_execution_mode != "cache":
        return []
    cache = get_cache(app.config.nb_execution_cache_path)
    pages = {page: Path(env.doc2path(page)) for page in env.found_docs}
    return [
        page for page, path in pages.items() if path.suffix == ".ipynb" and waits(app, cache, path)
    ]


def run_together(app, env, docnames):
    """Run those of the notebooks which Sphinx is about to read that have to."""
    if app.config.nb_execution_mode != "cache":
        return
    cache = get_cache(app.config.nb_execution_cache_path)
    waiting = [path for path in notebooks(env, docnames) if waits(app, cache, path)]
    if not waiting:
        return
    known = seconds_of(cache)

    def name_of(done):
        return done[0].stem

    def length(path):  # one that has never run may be long
        return known.get(path.name, math.inf), path.stat().st_size

    job = partial(run, app.config.nb_execution_timeout)
    longest_first = sorted(waiting, key=length, reverse=True)
    alone, lines = 0, []
    begin = time.monotonic()
    # Threads, since the work is done by the kernels, which are processes of their own.
    with ThreadPool(at_once(len(waiting))) as pool:
        done = pool.imap_unordered(job, longest_first)
        for path, notebook, seconds in status_iterator(
            done, "running notebooks... ", "brown", len(waiting), stringify_func=name_of
        ):
            alone += seconds
            failed = failures(notebook)
            digest = digest_of(Path(app.srcdir), path)
            data = {"execution_seconds": seconds, "failures": failed, "digest": digest}
            cache.cache_notebook_bundle(
                CacheBundleIn(notebook, str(path), data=data), check_validity=False, overwrite=True
            )
            lines += [f"{path.name}, {line}" for line in failed]
    log.info("%.0f s of notebooks ran in %.0f s", alone, time.monotonic() - begin)
    if app.warningiserror and lines:
        sys.exit("\n".join(["A strict build stops where a cell fails:", *lines]))
    if app.keep_going:
        for line in lines:
            log.warning("%s", line)


def keep_others_out(app):
    app.take_the_folder = take_the_folder(Path(app.outdir).parent)
