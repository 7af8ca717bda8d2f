"""Stored results belong to the package that made them.

Jupyter Book keeps the outputs of an executed notebook and uses them again while the notebook's code
stays as it is. The chapters also depend on `transformer_lite` and on the pinned versions of what it
stands on, so a digest of both names the folder that holds the outputs: change either and every
chapter runs again, because Sphinx re-reads every page whose configuration has changed and finds an
empty cache. Results of earlier versions are thrown away.
"""

import hashlib
import shutil
import sys
from pathlib import Path


def sources_digest(root):
    """A short digest (12 hex digits) of the package's files, the pins and the Python that runs
    them.
    """
    files = [root / "requirements.txt", *sorted((root / "transformer_lite").rglob("*"))]
    digest = hashlib.sha256(sys.version.encode())
    for path in files:
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(
                path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0"
            )
    return digest.hexdigest()[:12]


def choose_cache(app, config):
    caches = Path(app.outdir).parent / ".jupyter_cache"
    cache = caches / sources_digest(Path(app.srcdir))
    for other in caches.glob("*"):
        if other != cache:
            shutil.rmtree(other) if other.is_dir() else other.unlink()
    config.nb_execution_cache_path = str(cache)


def setup(app):
    app.connect("config-inited", choose_cache)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
