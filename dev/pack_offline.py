"""A lesson without a network: all that a class needs in one file for a USB stick.

    jupyter-book build .
    python -m dev.pack_offline

The zip has the built site, the notebooks, the package as a wheel and a list of what pip
needs beside it, with a page to begin at. It is made in memory and written whole or not at all.
"""

import argparse
import io
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

from transformer_lite.command_line.console import exit_code
from transformer_lite.files import check_writable, write_whole

ROOT = Path(__file__).parents[1]
TOP = "attention-by-hand"
LARGEST = 25_000_000  # bytes: it is to fit anywhere, mail included
# What the wheel is made from
PACKAGES = ["attention_by_hand", "transformer_lite"]
BUILD = ["pyproject.toml", "README.md", "LICENSE"]
JUPYTER = "jupyterlab"

START = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Attention, by Hand</title>
<style>body{font:1.1rem/1.6 system-ui,sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem;\
color:#222;background:#fff}a{color:#0b57a4}
@media (prefers-color-scheme:dark){body{color:#ddd;background:#111}a{color:#8cc4ff}}</style>
<h1>Attention, by Hand</h1>
<p><a href="site/index.html"><strong>Read the book</strong></a>. It needs no network and no
installation.</p>
<p>For a projector, press <kbd>p</kbd> on any page.</p>
<h2>Notebooks</h2>
<p>The folder <code>notebooks</code> has every page to run and change. <code>INSTALL.txt</code>
says what to install first, with and without a network.</p>
</html>
"""

INSTALL = """Run the notebooks
=================

With a network, in a new virtual environment (python -m venv book, then . book/bin/activate):

    python -m pip install wheel/{wheel} {jupyter}
    jupyter lab notebooks

Without one. On a machine with a network, with the same system and the same Python as the machines
of the class, fetch what pip needs, once (several hundred MB; on Linux with CUDA's libraries much
more, unless you give pip the index of the CPU builds that
https://pytorch.org/get-started/locally/ names):

    python -m pip download -r wheel/requirements.txt -d wheel

Then copy this folder to each machine, and there:

    python -m pip install --no-index --find-links wheel attention-by-hand {jupyter}
    jupyter lab notebooks

wheel/requirements.txt names the versions with which this book was built and tested, on {system},
Python {python}.
When something does not work: python -m attention_by_hand.doctor
"""


def needed(*names: str) -> dict[str, str]:
    """{package: version} of these packages and all that they need in this environment."""
    from packaging.requirements import Requirement

    versions = {}
    open_ones = [Requirement(name) for name in names]
    while open_ones:
        wanted = open_ones.pop()
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        extras = {"", *wanted.extras}
        if (name, extras := frozenset(extras)) in versions:
            continue
        try:
            versions[name, extras] = version(name)
        except PackageNotFoundError as error:
            raise ValueError(
                f"{name} is not installed: python -m pip install -r requirements.txt"
            ) from error
        for line in distribution(name).requires or []:
            part = Requirement(line)
            if part.marker is None or any(
                part.marker.evaluate({"extra": extra}) for extra in extras
            ):
                open_ones.append(part)
    # A build's own mark, as in 2.13.0+cpu, is not what an index is asked for.
    return dict(
        sorted((name, release.partition("+")[0]) for (name, _), release in versions.items())
    )


def build_wheel(out: Path, root: Path = ROOT) -> Path:
    """Build the book's wheel into a folder, from a copy: the repository stays as it is."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in BUILD:
            shutil.copy(root / name, copy)
        for name in PACKAGES:
            shutil.copytree(root / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        options = [
            "--no-deps",
            "--no-build-isolation",
            "--no-index",
            "--quiet",
            "--wheel-dir",
            str(out),
        ]
        command = [sys.executable, "-m", "pip", "wheel", *options, str(copy)]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        output = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise ValueError(
            f"the wheel cannot be built: {output[-1] if output else 'pip does not say why'}"
        )
    return next(out.glob("attention_by_hand-*.whl"))


def site_files(site: Path) -> Iterator[Path]:
    """What a reader opens: without the notes that Sphinx keeps for the next build."""
    if not (site / "index.html").is_file():
        raise ValueError(
            f"there is no built site in {site}: build it first, with jupyter-book build ."
        )
    for path in sorted(site.rglob("*")):
        if path.is_file() and path.name not in (".buildinfo", ".nojekyll", "objects.inv"):
            yield path


def make_zip(out: Path, site: Path, say: Callable[[str], None] = print, root: Path = ROOT) -> int:
    """Write the zip ``out``. Returns its size in bytes.

    Raises ValueError, and writes nothing, if there is no built site, if a part cannot be made, or
    if the whole is larger than LARGEST.
    """
    check_writable(out)
    files = {f"site/{path.relative_to(site).as_posix()}": path for path in site_files(site)}
    notebooks = [root / "index.ipynb", *sorted((root / "chapters").glob("*.ipynb"))]
    newest = max(notebooks, key=lambda path: path.stat().st_mtime)
    if newest.stat().st_mtime > (site / "index.html").stat().st_mtime:
        say(
            f"note: {newest.name} is newer than the site in {site}; to bring it up to date: "
            "jupyter-book build ."
        )
    files |= {f"notebooks/{path.relative_to(root).as_posix()}": path for path in notebooks}
    files["LICENSE"] = root / "LICENSE"
    requirements = needed("attention-by-hand", JUPYTER)
    del requirements["attention-by-hand"]
    with tempfile.TemporaryDirectory() as folder:
        say("building the wheel")
        wheel = build_wheel(Path(folder), root)
        files[f"wheel/{wheel.name}"] = wheel
        system = {"linux": "Linux", "darwin": "macOS", "win32": "Windows"}.get(
            sys.platform, sys.platform
        )
        install = INSTALL.format(
            wheel=wheel.name,
            jupyter=JUPYTER,
            system=system,
            python="{}.{}".format(*sys.version_info),
        )
        texts = {
            "START.html": START,
            "INSTALL.txt": install,
            "wheel/requirements.txt": "".join(
                f"{name}=={release}\n" for name, release in requirements.items()
            ),
        }
        parts = {name: text.encode() for name, text in texts.items()}
        parts |= {name: path.read_bytes() for name, path in files.items()}
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, part in parts.items():
            entry = zipfile.ZipInfo(f"{TOP}/{name}", time.localtime()[:6])
            entry.external_attr = 0o644 << 16  # read by all, whoever unpacks it
            archive.writestr(entry, part, zipfile.ZIP_DEFLATED, compresslevel=9)
    size = len(content.getvalue())
    if size > LARGEST:
        raise ValueError(
            f"the zip would have {size / 1e6:.1f} MB, "
            f"and {LARGEST / 1e6:.0f} is the most it may have"
        )
    write_whole(out, content.getvalue())
    say(f"{out}: {len(parts)} files, {size / 1e6:.1f} MB; unpack it and open {TOP}/START.html")
    return size


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m dev.pack_offline",
        description="Put all that a class needs without a network into one zip: the built site, "
        "the notebooks, the "
        "package as a wheel, and a list of what pip needs beside it. Build the site first: "
        "jupyter-book build .",
        epilog="Exit code: 0 if the zip was written, 2 if not; then nothing was.",
    )
    parser.add_argument(
        "--out",
        metavar="FILE.zip",
        type=Path,
        default=Path(f"{TOP}.zip"),
        help="(default: %(default)s)",
    )
    parser.add_argument(
        "--site",
        metavar="DIR",
        type=Path,
        default=ROOT / "_build" / "html",
        help="the built site (default: _build/html)",
    )
    arguments = parser.parse_args()

    def command():
        make_zip(arguments.out, arguments.site)

    return exit_code(command)


if __name__ == "__main__":
    sys.exit(main())
