"""What a student costs a hub: memory and processor time of each chapter, run once.

    python benchmarks/classroom.py            # all chapters, a few minutes
    python benchmarks/classroom.py 2 8        # these two alone
    python benchmarks/classroom.py --write    # and keep the numbers, in benchmarks/classroom.json

Chapters that were not measured keep their numbers there.

Memory is the most that the chapter's kernel ever held at once (Linux counts it: VmHWM), processor
time what the kernel and its children used, on all cores together. To each student a hub adds a
Jupyter server; it is measured with JupyterLab, started and asked for its contents. The page "A hub
for the class" has these numbers in its table.
"""

import argparse
import contextlib
import json
import platform
import re
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import nbformat
import psutil
import torch
from nbclient import NotebookClient

from transformer_lite.files import write_whole

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).with_suffix(".json")
SERVER_PATIENCE = 120  # seconds


def most_memory(pid: int) -> int:
    """MB that a process held at most."""
    return round(
        int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) * 1024 / 1e6
    )


def measure_chapter(notebook: Path) -> dict:
    """Run a chapter in a new kernel, as Jupyter does."""
    client = NotebookClient(
        nbformat.read(notebook, as_version=4),
        timeout=900,
        resources={"metadata": {"path": str(notebook.parent)}},
    )
    began = time.monotonic()
    with client.setup_kernel():
        for index, cell in enumerate(client.nb.cells):
            client.execute_cell(cell, index)
        pid = client.km.provisioner.pid
        times = psutil.Process(pid).cpu_times()
        return {
            "chapter": notebook.name,
            "memory_mb": most_memory(pid),
            "processor_s": round(
                times.user + times.system + times.children_user + times.children_system, 1
            ),
            "wall_s": round(time.monotonic() - began, 1),
        }


def measure_server() -> dict:
    """The Jupyter server that each student has."""
    token = secrets.token_hex()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--no-browser",
        "--ip=127.0.0.1",
        f"--port={port}",
        "--allow-root",
    ]
    with tempfile.TemporaryDirectory() as folder:
        command += [f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={folder}"]
        server = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            end = time.monotonic() + SERVER_PATIENCE
            for path in ("api/status", "lab", "api/contents", "api/kernelspecs"):
                while True:
                    try:
                        urllib.request.urlopen(
                            f"http://127.0.0.1:{port}/{path}?token={token}", timeout=60
                        ).read()
                        break
                    except OSError as error:
                        if server.poll() is not None or time.monotonic() > end:
                            raise RuntimeError(f"JupyterLab does not answer: {error}") from error
                        time.sleep(0.2)
            times = psutil.Process(server.pid).cpu_times()
            return {
                "memory_mb": most_memory(server.pid),
                "processor_s": round(times.user + times.system, 1),
            }
        finally:
            server.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(20)
            server.kill()


def processor() -> str:
    model = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    return model[1] if model else platform.machine()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "chapters", metavar="N", type=int, nargs="*", help="the chapters to measure (default: all)"
    )
    parser.add_argument(
        "--write", action="store_true", help=f"write what was measured into {RESULTS.name}"
    )
    arguments = parser.parse_args()
    chosen = arguments.chapters
    notebooks = {
        int(path.name[:2]): path for path in sorted((ROOT / "chapters").glob("[0-9][0-9]-*.ipynb"))
    }
    if unknown := set(chosen) - set(notebooks):
        parser.error(
            f"there is no chapter {min(unknown)}; the chapters are {min(notebooks)} to "
            f"{max(notebooks)}"
        )
    if not sys.platform.startswith("linux"):
        print(
            "error: only Linux says how much memory a process held at most; measure there",
            file=sys.stderr,
        )
        return 2
    server = measure_server()
    print(f"JupyterLab: {server}", flush=True)
    measured = []
    for number in chosen or notebooks:
        measured.append(measure_chapter(notebooks[number]))
        print(measured[-1], flush=True)
    if not arguments.write:
        return 0
    old = json.loads(RESULTS.read_text(encoding="utf-8"))["chapters"] if RESULTS.exists() else []
    rows = {row["chapter"]: row for row in [*old, *measured]}
    machine = {
        "processor": processor(),
        "cores": psutil.cpu_count(),
        "python": platform.python_version(),
    }
    record = {
        "machine": machine | {"torch": torch.__version__},
        "server": server,
        "chapters": [rows[path.name] for path in notebooks.values() if path.name in rows],
    }
    write_whole(RESULTS, (json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
