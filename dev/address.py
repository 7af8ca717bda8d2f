"""Where the book lives on the web: write its address where it belongs, or take it out.

    python -m dev.address https://github.com/me/my-book
    python -m dev.address --none

The setting is ``repository: url:`` in ``_config.yml``; "" means that the book lives nowhere yet.
PASSAGES says how each file speaks without an address, and how it speaks with one. Every file is
read and changed in memory before the first is written, and a file is written whole or not at all.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from transformer_lite.command_line.console import exit_code
from transformer_lite.files import write_whole

ROOT = Path(__file__).parents[1]

# {file: [(without an address, with one)]}, each a text that stands in its file once
PASSAGES = {
    "_config.yml": [
        ('  url: ""\n', "  url: {repository}\n"),
        (
            "launch_buttons: {}\n",
            "launch_buttons:\n"
            "  notebook_interface: jupyterlab\n"
            "  binderhub_url: https://mybinder.org\n"
            "  colab_url: https://colab.research.google.com\n",
        ),
        ('  baseurl: ""\n', "  baseurl: {site}\n"),
        (
            "under the MIT License.\n",
            'under the MIT License;\n    <a href="{repository}">source on GitHub</a>.\n',
        ),
    ],
    "CITATION.cff": [("license: MIT\n", "license: MIT\nrepository-code: {repository}\n")],
    "pyproject.toml": [
        (
            "\n[tool.setuptools.packages.find]\n",
            '\n[project.urls]\nSource = "{repository}"\nDocumentation = "{site}"\n'
            "\n[tool.setuptools.packages.find]\n",
        )
    ],
    "README.md": [
        (
            "In your copy of the repository, on a machine with Python 3.11 or newer",
            "Fetch the book with `git clone {repository}`. In its folder, on a machine with "
            "Python 3.11 or newer",
        ),
        (
            "The book is not on the web yet. Once you have built it, it opens with",
            "The book is at [{site_name}]({site}). What you have built yourself opens with",
        ),
    ],
    "CONTRIBUTING.md": [
        (
            "With Python 3.11 or newer, in your copy of the repository:\n\n```sh\n",
            "With git and Python 3.11 or newer:\n\n```sh\ngit clone {repository}\ncd {name}\n",
        )
    ],
    "chapters/references.md": [
        (
            "To cite the book itself: *Attention, by Hand*, 2026.",
            "To cite the book itself: [*Attention, by Hand*]({repository}), 2026.",
        )
    ],
    "chapters/teach/hub.md": [
        (
            "Put your hub's address in front, and in place of `me` and `my-book` "
            "what your copy of the book is called on GitHub:\n",
            "Put your hub's address in front:\n",
        ),
        (
            "?repo=https%3A%2F%2Fgithub.com%2Fme%2Fmy-book&branch=main"
            "&urlpath=lab%2Ftree%2Fmy-book%2F",
            "?repo={quoted}&branch=main&urlpath=lab%2Ftree%2F{name}%2F",
        ),
        (
            "Once your copy of the book is on GitHub, a link like this one leads there:\n\n"
            "```text\nhttps://mybinder.org/v2/gh/me/my-book/main"
            "?urlpath=lab/tree/chapters/02-query-key-value.ipynb\n```\n",
            "The button at the top of each chapter leads there, or a link:\n\n"
            "[open chapter 2 in Binder](https://mybinder.org/v2/gh/{owner}/{name}/main"
            "?urlpath=lab/tree/chapters/02-query-key-value.ipynb)\n",
        ),
        ("pip install git+https://github.com/me/my-book\n", "pip install git+{repository}\n"),
        ("/home/jupyter-<name>/my-book/", "/home/jupyter-<name>/{name}/"),
        (
            "--image-name registry.example.org/attention-by-hand https://github.com/me/my-book\n",
            "--image-name registry.example.org/attention-by-hand {repository}\n",
        ),
        (
            '[gitpuller, "https://github.com/me/my-book", main, my-book]',
            '[gitpuller, "{repository}", main, {name}]',
        ),
    ],
    "attention_by_hand/figures/kit/book.py": [('SITE = ""\n', 'SITE = "{site}"\n')],
}

# The same for every notebook: its second cell, and the first one with code.
STORED = (
    "This notebook is stored without its results: "
    "run it from the top, and they appear below each cell."
)
READ_OR_RUN = (
    STORED,
    "**[Read this page]({site}{page}.html)** on the site, where its figures need no kernel and its "
    "links lead on, or **[run it](https://colab.research.google.com/github/{owner}/{name}/blob/main"
    "/{page}.ipynb)** in Colab. " + STORED,
)
FIRST_CELL = (
    """\
# @title Is the book's package here?
try:
    from attention_by_hand import ready
except ImportError:
    raise ImportError(
        "The book's package is not installed, or is older than this notebook. In a terminal, in "
        "your copy of the repository, type `python -m pip install -e .` (with the offline zip, "
        "what its INSTALL.txt says), and restart the kernel."
    ) from None
ready.check()""",
    """\
# @title Is the book's package here?
try:
    from attention_by_hand import ready
except ImportError:
    %pip install -q "attention-by-hand @ git+{repository}"
    from attention_by_hand import ready
ready.check()""",
)


@dataclass(frozen=True)
class Address:
    """A repository on GitHub, and where its site is, which ends in a slash."""

    owner: str
    name: str
    site: str

    def words(self, page: str = "") -> dict[str, str]:
        """What a passage may name."""
        repository = f"https://github.com/{self.owner}/{self.name}"
        return {
            "owner": self.owner,
            "name": self.name,
            "repository": repository,
            "quoted": quote(repository, safe=""),
            "site": self.site,
            "site_name": self.site.split("://")[1].rstrip("/"),
            "page": page,
        }


def parse_address(repository: str, site: str | None = None) -> Address:
    """The address of a repository and of its site (default: where GitHub Pages puts it).

    Raises ValueError if either is not an address.
    """
    match = re.fullmatch(
        r"https://github\.com/([A-Za-z0-9]+(?:-[A-Za-z0-9]+)*)/([A-Za-z0-9._-]+?)(?:\.git)?/?",
        repository,
    )
    if not match or match[2] in (".", "..", ".git"):
        raise ValueError(
            f"{repository!r} should be the address of a repository: https://github.com/owner/name"
        )
    owner, name = match.groups()
    site = site or pages_address(owner, name)
    folder = re.fullmatch(
        r"https?://[A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]+)?((?:/[A-Za-z0-9._~-]+)*)/?", site
    )
    if not folder or {".", ".."} & {*folder[1].split("/")}:
        raise ValueError(f"{site!r} should be the address of a folder: https://example.org/book/")
    return Address(owner, name, site.rstrip("/") + "/")


def pages_address(owner: str, name: str) -> str:
    """Where GitHub Pages puts the site of a repository."""
    host = f"{owner.lower()}.github.io"
    return f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"


def present_address(config: str) -> Address | None:
    """The address that a ``_config.yml`` has, None if that is nowhere."""
    repository, site = (
        re.search(rf'^  {key}: (?:""|(\S+))\r?$', config, re.M) for key in ("url", "baseurl")
    )
    if not repository or not site:
        raise ValueError('_config.yml should have a line `  url: ""` and a line `  baseurl: ""`')
    return parse_address(repository[1], site[1]) if repository[1] else None


def as_stored(source: str) -> str:
    """The lines of a notebook's cell as its file has them."""
    lines = [json.dumps(line, ensure_ascii=False) for line in source.splitlines(keepends=True)]
    return ",\n".join(f"    {line}" for line in lines) + "\n"


def worded(passage: tuple[str, str], address: Address | None, page: str = "") -> str:
    without, with_one = passage
    return without if address is None else with_one.format(**address.words(page))


def passages(root: Path, address: Address | None) -> dict[str, list[str]]:
    """{file: what stands in it, if this is the address}."""
    texts = {
        file: [worded(passage, address) for passage in passages]
        for file, passages in PASSAGES.items()
    }
    for path in [root / "index.ipynb", *sorted((root / "chapters").glob("*.ipynb"))]:
        page = path.relative_to(root).with_suffix("").as_posix()
        texts[f"{page}.ipynb"] = [
            as_stored(worded(passage, address, page)) for passage in (READ_OR_RUN, FIRST_CELL)
        ]
    return texts


def read(path: Path) -> str:
    """A text as it is in its file, line ends included."""
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} should be UTF-8 text: {error}") from error


def change_address(
    address: str | None,
    site: str | None = None,
    root: Path = ROOT,
    say: Callable[[str], None] = print,
) -> list[Path]:
    """Give the book in ``root`` an address, and its site (default: GitHub Pages'), or none.

    Returns the files that changed. A file that no longer has a passage is named and keeps what it
    has instead, and one that is not there is passed over. Raises ValueError, and changes nothing,
    if an address is not one.
    """
    new = None if address is None else parse_address(address, site)
    if not (root / "_config.yml").is_file():
        raise ValueError(
            f"there is no _config.yml in {root}: run this in a copy of the book's repository"
        )
    old = present_address(read(root / "_config.yml"))
    changes = {}
    wanted = passages(root, new)
    for file, texts in passages(root, old).items():
        path = root / file
        if not path.is_file():
            continue
        text = before = read(path)
        newline = "\r\n" if "\r\n" in before else "\n"
        for now, then in zip(texts, wanted[file], strict=True):
            now, then = (passage.replace("\n", newline) for passage in (now, then))
            if now not in text:
                say(f"{file} is to be changed by hand, it lacks: {' '.join(now.split())[:70]}...")
            text = text.replace(now, then)
        if text != before:
            changes[path] = before, text
    done = []
    try:
        for path, (_, after) in changes.items():
            write_whole(path, after.encode())
            done.append(path)
    except BaseException:
        for path in done:
            write_whole(path, changes[path][0].encode())
        raise
    for path in done:
        say(path.relative_to(root).as_posix())
    where = "the book has no address"
    if new is not None:
        words = new.words()
        where = f"the repository is {words['repository']}, the site {words['site']}"
    say(f"{len(done)} files changed: {where}")
    return done


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m dev.address",
        description="Give your copy of the book an address on the web, or take it out again: where "
        "the site is, what Colab, Binder and nbgitpuller open, "
        "what the first cell of each notebook installs, what to cite.",
        epilog="Exit code: 0 if all is changed, 2 if an address is none; then nothing is.",
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "address",
        metavar="https://github.com/OWNER/NAME",
        nargs="?",
        help="your copy of the repository",
    )
    which.add_argument("--none", action="store_true", help="the book is not on the web")
    parser.add_argument(
        "--site",
        metavar="URL",
        help="where the site will be (default: https://OWNER.github.io/NAME/)",
    )
    arguments = parser.parse_args()

    def command():
        change_address(arguments.address, arguments.site)

    return exit_code(command)


if __name__ == "__main__":
    sys.exit(main())
