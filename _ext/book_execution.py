"""Notebooks run side by side, and only when something that they compute with has changed.

jupyter-cache keeps the outputs of an executed notebook and uses them again while the notebook's
code stays as it is. The chapters also depend on the Python and the data of `transformer_lite` and
on the pinned versions of what it stands on, so a digest of these names the folder that holds the
outputs: change any, and every chapter runs again, because Sphinx re-reads every page whose
configuration has changed and finds no results there. The folders of the last three digests are
kept, so that one may go to another branch and come back. They lie in `_build/.jupyter_cache`, or in
the folder that BOOK_CACHE names.

MyST-NB would run one notebook after another. So what it is about to read runs before, on all cores,
the longest first. A notebook that fails leaves nothing: MyST-NB runs it again, and reports.
"""

import hashlib
import logging
import math
import multiprocessing
import os
import shutil
import sys
import time
from functools import partial
from pathlib import Path
from urllib.parse import unquote

from book_order import take_places
from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor
from sphinx.errors import ExtensionError
from sphinx.util.display import status_iterator
from sphinx.util.logging import getLogger

PACKAGES = "transformer_lite", "attention_by_hand"
NOT_IMPORTED = {"__main__.py", "cli.py", "doctor.py"}  # by any notebook
LATE = {".js", ".css"}  # is on the site without being run: see book_data.py
KEPT = 3
log = getLogger(__name__)
silent = logging.Logger(__name__, logging.CRITICAL)


def sources_digest(root):
    """A short digest (12 hex digits) of what the notebooks compute with: the package's Python and
    data, the pins, and the Python that runs them.
    """
    files = [root / "requirements.txt"]
    for package in PACKAGES:
        files += sorted((root / package).rglob("*"))
    digest = hashlib.sha256(sys.version.encode())
    for path in files:
        passed_over = path.suffix in LATE or path.name in NOT_IMPORTED
        if path.is_file() and "__pycache__" not in path.parts and not passed_over:
            digest.update(
                path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0"
            )
    return digest.hexdigest()[:12]


def by_use(caches):
    """The folders of results, the one that was used last at the end."""
    folders = caches.glob("[0-9a-f]" * 12)
    return sorted(folders, key=lambda folder: folder.stat().st_mtime)


def choose_cache(app, config):
    os.environ["BOOK_BUILD"] = "1"  # figures leave their code to book_data.py
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # there is a kernel for each core
    caches = Path(os.environ.get("BOOK_CACHE") or Path(app.outdir).parent / ".jupyter_cache")
    caches = caches.resolve()
    if unquote(str(caches)) != str(caches):
        raise ExtensionError(
            f"jupyter-cache cannot keep results in {caches}, since it reads the sign after % as a "
            "code: rename the folder, or let BOOK_CACHE name another for the results"
        )
    cache = caches / sources_digest(Path(app.srcdir))
    cache.mkdir(parents=True, exist_ok=True)
    cache.touch()
    for old in by_use(caches)[:-KEPT]:
        shutil.rmtree(old)
    config.nb_execution_cache_path = str(cache)


def seconds_of(caches):
    """{name of a notebook: the seconds that it took when it last ran}."""
    return {
        Path(record.uri).name: record.data["execution_seconds"]
        for cache in by_use(caches)
        for record in get_cache(cache).list_cache_records()
    }


def run(cache, timeout, path):
    """Run one notebook and keep its results. Returns its name."""
    executor = load_executor("local-serial", get_cache(cache), silent)
    executor.run_and_cache(filter_uris=[str(path)], timeout=timeout)
    return path.stem


def run_together(app, env, docnames):
    """Run those of the notebooks which Sphinx is about to read that have no results."""
    if app.config.nb_execution_mode != "cache":
        return
    folder = Path(app.config.nb_execution_cache_path)
    cache = get_cache(folder)
    files = [file for file in map(env.doc2path, docnames) if file.endswith(".ipynb")]
    for file in files:
        cache.add_nb_to_project(file)
    waiting = [Path(record.uri) for record in cache.list_unexecuted(files)]
    if not waiting:
        return
    known = seconds_of(folder.parent)

    def length(path):  # one that has never run may be long
        return known.get(path.name, math.inf), path.stat().st_size

    job = partial(run, folder, app.config.nb_execution_timeout)
    begin = time.monotonic()
    with multiprocessing.Pool() as pool:
        done = pool.imap_unordered(job, sorted(waiting, key=length, reverse=True))
        for _ in status_iterator(done, "running notebooks... ", "brown", len(waiting)):
            pass
    took = time.monotonic() - begin
    known = seconds_of(folder.parent)
    alone = sum(known.get(path.name, 0) for path in waiting)
    log.info("%.0f s of notebooks ran in %.0f s", alone, took)


def setup(app):
    take_places(app, choose_cache, run_together)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
