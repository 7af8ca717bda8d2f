"""Is this machine ready? ``python -m attention_by_hand.doctor`` says in plain words what is missing
and how to mend it.

It must run where nothing else does: on an old Python, without torch, or with a torch that ends the
process when it is imported. So this module, and all that is imported before it, uses Python's own
library alone, and other packages are tried in processes of their own.
"""

import argparse
import json
import math
import os
import platform
import re
import shutil
import subprocess
import sys
import webbrowser
from pathlib import Path

PYTHON = "3.11"
MEMORY = (
    2.0  # GB: more than the hungriest chapter was measured to need, see benchmarks/classroom.json
)
DISK = 1.0  # GB: the notebooks, the built book and pip's temporary files
MODULES = {"fonttools": "fontTools"}  # what is imported under another name than it is installed
GROUPS = Path("/sys/fs/cgroup")  # where Linux says what a container may take
BROWSERS = "Chrome or Edge from 111 on, or Firefox from 121 on"
# On PyPI, transformer-lite is another package, whose import name is ours.
FIND = f"""
import importlib.util, runpy, sys
spec = importlib.util.find_spec("transformer_lite")
if spec is None or spec.origin is None:
    sys.exit("it is missing")
if runpy.run_path({str(Path(__file__).with_name("ready.py"))!r})["strangers_place"]():
    sys.exit("it is a stranger")
"""
TRANSLATE = (
    "import transformer_lite as tl; text = tl.load_translator().translate('ich mochte ein "
    "bier').text; "
    "assert text == 'i want a beer .', f'it translated: {text}'"
)
MARKS = {"good": "✓", "worth knowing": "!", "bad": "✗"}


def finding(name, state, text, mend=""):
    """What one check found: ``state`` is a key of MARKS, ``text`` and ``mend`` are sentences."""
    return {"name": name, "state": state, "found": text, "mend": mend}


def numbers(version):
    """The leading numbers of a version, for comparing: "2.13.0+cpu" is (2, 13, 0)."""
    release = re.match(r"\d+(\.\d+)*", version)
    parts = [int(part) for part in release[0].split(".")] if release else []
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)


def python():
    version = platform.python_version()
    if numbers(version) < numbers(PYTHON):
        mend = (
            f"install Python {PYTHON} or newer from python.org, make a virtual environment "
            "with it, and try again."
        )
        return finding(
            "Python", "bad", f"Python {version} is too old; it takes {PYTHON} or newer.", mend
        )
    return finding("Python", "good", f"Python {version}")


def requirements():
    """What the package needs, {"torch": "2.5", ...}: from its project or its metadata."""
    from importlib.metadata import requires

    project = Path(__file__).parents[1] / "pyproject.toml"
    if project.exists():
        lines = re.findall(r'^ +"(\S+>=\S+)",$', project.read_text(encoding="utf-8"), re.M)
    else:
        lines = requires("attention-by-hand")
    return dict(re.findall(r"^([\w-]+)>=([\d.]+)", "\n".join(lines), re.M))


def run(code, patience=120):
    """Run Python code in a process of its own. Returns what is wrong in one line, or "" if nothing
    is. Raises OSError where no process can be started.

    -P: in a copy of the repository the package lies in the current folder, where a notebook of
    chapters/ does not find it.
    """
    try:
        done = subprocess.run(
            [sys.executable or "python3", "-P", "-c", code],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=patience,
        )
    except subprocess.TimeoutExpired:
        return f"no answer in {patience} seconds"
    if done.returncode < 0:
        return f"it ended the process with signal {-done.returncode}"
    if done.returncode == 0:
        return ""
    errors = done.stderr.strip().splitlines()
    return errors[-1] if errors else f"it ended the process with code {done.returncode}"


def book():
    """Is the package that a chapter imports there, and is it the book's?"""
    install = "python -m pip install -e . (in your copy of the repository)"
    trouble = run(FIND)
    if not trouble:
        return finding("the book", "good", "the book's package is installed")
    if trouble == "it is a stranger":
        text = "another package is installed under the name of the book's, transformer_lite."
        return finding(
            "the book", "bad", text, f"python -m pip uninstall transformer-lite; {install}"
        )
    return finding("the book", "bad", "the book's package is not installed.", install)


def package(name, needed):
    """Is a package there, new enough, and can it be imported?"""
    from importlib.metadata import PackageNotFoundError, version

    install = f'python -m pip install --upgrade "{name}>={needed}"'
    if name == "torch":
        install += " (for the small build without CUDA: https://pytorch.org/get-started/locally/)"
    try:
        installed = version(name)
    except PackageNotFoundError:
        return finding(name, "bad", f"{name} is missing.", install)
    again = f"python -m pip install --force-reinstall {name}"
    if not installed:
        return finding(name, "bad", f"{name} was installed in part: it has no version.", again)
    if numbers(installed) < numbers(needed):
        return finding(
            name, "bad", f"{name} {installed} is too old; it takes {needed} or newer.", install
        )
    if trouble := run(f"import {MODULES.get(name, name)}"):
        return finding(
            name, "bad", f"{name} {installed} is there, and cannot be imported: {trouble}", again
        )
    return finding(name, "good", f"{name} {installed}")


def is_there(path):
    """Whether there is such a file or folder, and we may see it."""
    try:
        return path.exists()
    except OSError:
        return False


def notebooks():
    """Jupyter, and in it what draws the sliders. Without it the site can be read, and nothing
    more, unless an editor brings its own.
    """
    from importlib.metadata import PackageNotFoundError, version

    folders = [Path(sys.prefix), Path("/usr/local"), Path("/usr")]
    try:
        folders.append(Path.home() / ".local")
    except RuntimeError:  # an account without a home
        pass
    folders = [folder / "share" / "jupyter" / "labextensions" for folder in folders]
    for name in ("jupyterlab", "notebook"):
        try:
            installed = version(name)
        except PackageNotFoundError:
            continue
        installed = installed or "of an unknown version"
        first = 4 if name == "jupyterlab" else 7
        if numbers(installed) < (first,):
            mend = f'python -m pip install --upgrade "{name}>={first}"'
            return finding(
                "notebooks",
                "bad",
                f"{name} {installed} is too old; it takes {first} or newer.",
                mend,
            )
        for extension, home in (
            ("@jupyter-widgets/jupyterlab-manager", "jupyterlab_widgets"),
            ("anywidget",) * 2,
        ):
            if not any(is_there(folder / extension) for folder in folders):
                mend = (
                    f"python -m pip install --force-reinstall {home} (in the environment that "
                    "Jupyter starts from)"
                )
                return finding(
                    "notebooks",
                    "bad",
                    f"{name} {installed} lacks {extension}, which draws the figures.",
                    mend,
                )
        if trouble := run("import ipykernel"):
            mend = "python -m pip install ipykernel"
            return finding(
                "notebooks", "bad", f"{name} {installed} has no Python to run: {trouble}", mend
            )
        return finding("notebooks", "good", f"{name} {installed}, with its widgets")
    mend = "python -m pip install jupyterlab"
    if run("import ipykernel"):
        text = "Jupyter is missing, so no chapter can be run; the translator needs none."
        return finding("notebooks", "bad", text, mend)
    text = "JupyterLab is missing; an editor that opens notebooks has the Python that it needs."
    return finding("notebooks", "worth knowing", text, mend)


def translator():
    """All of it at once: the shipped translator translates a sentence."""
    if trouble := run(TRANSLATE):
        mend = "install the package again, from the repository's address or in a whole copy of it."
        return finding("translator", "bad", f"the translator does not work: {trouble}", mend)
    return finding(
        "translator", "good", "the translator translates: ich mochte ein bier, i want a beer ."
    )


def browser():
    """A browser, whose version only itself can tell."""
    mend = f"install {BROWSERS}"
    mend += " (Debian: apt-get install chromium)." if sys.platform.startswith("linux") else "."
    try:
        webbrowser.get()
    except webbrowser.Error:
        text = "no browser was found; a server needs none, a reader does."
        return finding("browser", "worth knowing", text, mend)
    return finding("browser", "good", f"a browser is set up; every page takes {BROWSERS}")


def fonts():
    """Chapters 1 and 2 write Chinese words, in JupyterLab with the system's letters. Windows and
    macOS come with some.
    """
    if not sys.platform.startswith("linux"):
        return finding("fonts", "good", "the system brings Chinese letters")
    mend = "install one; Debian: apt-get install fonts-noto-cjk."
    try:
        listing = subprocess.run(
            ["fc-list", ":lang=zh", "family"],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        missing = isinstance(error, FileNotFoundError)
        text = "fc-list is missing" if missing else f"fc-list does not answer ({error})"
        mend = "install it; Debian: apt-get install fontconfig fonts-noto-cjk."
        return finding("fonts", "worth knowing", f"{text}, so the fonts cannot be listed.", mend)
    if not listing.stdout.strip():
        text = (
            "no font has Chinese letters: in JupyterLab the text of chapters 1 and 2 would have "
            "boxes beside the English. The site and the figures bring their own."
        )
        return finding("fonts", "worth knowing", text, mend)
    return finding(
        "fonts", "good", f"Chinese letters: {listing.stdout.splitlines()[0].split(',')[0]}"
    )


def disk():
    free = shutil.disk_usage(".").free / 1e9
    if free < DISK:
        mend = "free some space, or work in a folder on another disk."
        return finding(
            "disk", "bad", f"{free:.1f} GB are free where you are; it takes {DISK:.0f}.", mend
        )
    return finding("disk", "good", f"{free:.1f} GB are free on the disk")


def free_memory():
    """Bytes that a new process may take, within any limit; None if the system does not say."""
    if sys.platform == "darwin":
        statistics = subprocess.run(
            ["vm_stat"], capture_output=True, encoding="utf-8", timeout=20
        ).stdout
        pages = {name: int(n) for name, n in re.findall(r"^Pages (\w+): +(\d+)", statistics, re.M)}
        size = int(re.search(r"page size of (\d+)", statistics)[1])
        return size * (pages["free"] + pages["inactive"] + pages["speculative"])
    if sys.platform == "win32":
        import ctypes

        class Status(ctypes.Structure):
            _fields_ = [("length", ctypes.c_ulong), ("load", ctypes.c_ulong)]
            _fields_ += [
                (name, ctypes.c_ulonglong)
                for name in "total free page page_free virtual rest more".split()
            ]

        status = Status(length=ctypes.sizeof(Status))
        ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
        return status.free
    known = Path("/proc/meminfo")
    if not known.exists():
        return None
    free = int(re.search(r"MemAvailable: +(\d+)", known.read_text())[1]) * 1024
    # A container, or a student's session, may have less than the machine. Files that were read
    # lately count as used there, and give way.
    for most, used, parts in limits("memory.max", "memory.current", "memory.stat"):
        files = re.findall(r"^inactive_file (\d+)", parts, re.M)
        free = min(free, int(most) - int(used) + int(files[-1]))
    return free


def limits(*names):
    """What these files say in each control group that this process is in: a list of texts for each
    that sets a limit.
    """
    try:
        inside = Path("/proc/self/cgroup").read_text().splitlines()[-1].partition("::")[2]
    except (OSError, IndexError):
        return
    # A container sees its own group as the root, and may be told the name that it has outside.
    group = GROUPS / inside.lstrip("/")
    for folder in {GROUPS, group, *group.parents}:
        if GROUPS in (folder, *folder.parents):
            try:
                texts = [(folder / name).read_text().strip() for name in names]
            except OSError:
                continue
            if not texts[0].startswith("max"):
                yield texts


def cores():
    """How many cores this process may use, which in a container may be fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    else:
        count = os.cpu_count() or 1
    for (share,) in limits("cpu.max"):
        quota, period = map(int, share.split())
        count = min(count, math.ceil(quota / period))
    return max(1, count)


def memory():
    try:
        free = free_memory()
    except (OSError, ValueError, TypeError, KeyError, subprocess.TimeoutExpired):
        free = None
    if free is None:
        text = f"the system does not say how much memory is free; it takes {MEMORY:.0f} GB."
        return finding("memory", "worth knowing", text)
    if free < MEMORY * 1e9:
        mend = (
            "close other programs and notebooks (Kernel, Shut Down), or ask for a larger machine."
        )
        text = f"{free / 1e9:.1f} GB of memory are free; a chapter can take {MEMORY:.0f}."
        return finding("memory", "bad", text, mend)
    return finding("memory", "good", f"{free / 1e9:.1f} GB of memory are free")


def outcome(name, check, *arguments):
    """What a check found. A machine that is too unusual for it is no reason to ask no further."""
    try:
        return check(*arguments)
    except Exception as error:
        text = f"{name}: this could not be looked at ({type(error).__name__}: {error})."
        return finding(name, "worth knowing", text)


def needed_packages():
    """What was found of each package that the book needs."""
    try:
        needed = requirements()
    except Exception as error:
        text = f"what the book needs could not be read ({type(error).__name__}: {error})."
        mend = "python -m pip install -e . (in your copy of the repository)"
        return [finding("the packages", "bad", text, mend)]
    return [outcome(name, package, name, version) for name, version in needed.items()]


def examine():
    """Yield what each check found. Where Python is too old, nothing else is asked."""
    first = python()
    yield first
    if first["state"] == "good":
        packages = [outcome("the book", book), *needed_packages()]
        yield from packages
        yield outcome("notebooks", notebooks)
        if all(each["state"] == "good" for each in packages):
            yield outcome("translator", translator)
    for check in (browser, fonts, disk, memory):
        yield outcome(check.__name__, check)


def parser():
    parser = argparse.ArgumentParser(
        "python -m attention_by_hand.doctor",
        description="Look at this machine and say in plain words what is missing or too old for "
        "the book, and how to mend it: Python, torch and the other packages, Jupyter and its "
        "widgets, the translator, a browser, fonts, free disk and memory. It changes nothing and "
        "asks no other machine.",
        epilog="Exit code: 0 if the machine is ready, 1 if something must be mended, 2 after a "
        "wrong option.",
    )
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")
    return parser


def report(arguments):
    """Print the findings as they come. Returns the exit code."""
    findings = []
    for each in examine():
        findings.append(each)
        if not arguments.json:
            print(f"{MARKS[each['state']]} {each['found']}", flush=True)
            if each["mend"]:
                print(f"  To mend it: {each['mend']}", flush=True)
    bad = [each["name"] for each in findings if each["state"] == "bad"]
    if arguments.json:
        print(json.dumps({"ready": not bad, "findings": findings}, ensure_ascii=False, indent=1))
    elif bad:
        print(f"Not ready: mend {', '.join(bad)}.")
    elif any(each["state"] == "worth knowing" for each in findings):
        print("Ready, apart from what is marked with !.")
    else:
        print("Ready.")
    return 1 if bad else 0


def main(words=None):
    arguments = parser().parse_args(words)
    if hasattr(sys.stdout, "reconfigure"):  # neither a closed one nor a notebook's has it
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        return report(arguments)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
