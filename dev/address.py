"""A book of one's own: change the repository's address everywhere in a copy of it.

    python -m dev.address https://github.com/me/my-book

The old address is the one in ``_config.yml``. The new one takes its place in every text file of the
copy: where the site is, what Colab and Binder open, what the first cell of each notebook installs,
what to cite. Every file is read and changed in memory before the first is written, and a file is
written whole or not at all.
"""

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from transformer_lite.console import exit_code
from transformer_lite.files import write_whole

ROOT = Path(__file__).parents[1]
# What belongs to the book although its name begins with a dot
HIDDEN = {
    ".binder",
    ".ci",
    ".editorconfig",
    ".gitattributes",
    ".github",
    ".gitignore",
    ".pre-commit-config.yaml",
}
MADE = {"_build", "build", "dist", "node_modules"}  # in the copy, not below it


def book_files(root: Path, inside: Path | None = None) -> list[Path]:
    """The files of a copy of the repository, without what was made in it: builds, caches, virtual
    environments.
    """
    found = []
    for path in sorted((inside or root).iterdir()):
        made = (
            path.name == "__pycache__"
            or (path.name in MADE and path.parent == root)
            or path.suffix == ".egg-info"
        )
        if made or path.is_symlink() or (path.name.startswith(".") and path.name not in HIDDEN):
            continue
        if path.is_file():
            found.append(path)
        elif not (path / "pyvenv.cfg").exists():
            found += book_files(root, path)
    return found


def parts(address: str) -> tuple[str, str]:
    """Owner and name of a repository on GitHub. Raises ValueError for any other address."""
    found = re.fullmatch(r"https://github\.com/([\w-]+)/([\w.-]+?)(\.git)?/?", address)
    if not found:
        raise ValueError(
            f"{address!r} should be the address of a repository: https://github.com/owner/name"
        )
    return found[1], found[2]


def pages_address(owner: str, name: str) -> str:
    """Where GitHub Pages puts the site of a repository."""
    host = f"{owner.lower()}.github.io"
    return f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"


def change_address(
    address: str, site: str | None = None, root: Path = ROOT, say: Callable[[str], None] = print
) -> list[Path]:
    """Give the book in ``root`` a new address, and its site (default: where GitHub Pages puts it).

    Returns the files that changed. Raises ValueError, and changes nothing, if an address is none.
    """
    owner, name = parts(address)
    site = site or pages_address(owner, name)
    if not re.fullmatch(r"https?://[\w.-]+(:\d+)?(/[\w.~-]+)*/?", site):
        raise ValueError(f"{site!r} should be the address of a folder: https://example.org/book/")
    site = site.rstrip("/") + "/"
    config = root / "_config.yml"
    if not config.exists():
        raise ValueError(
            f"there is no _config.yml in {root}: run this in a copy of the book's repository"
        )
    text = config.read_text(encoding="utf-8")
    old_owner, old_name = parts(re.search(r"^  url: (\S+)$", text, re.M)[1])
    old_site = re.search(r"^  baseurl: (\S+)$", text, re.M)[1]
    old, new = f"{old_owner}/{old_name}", f"{owner}/{name}"
    pairs = {old_site: site, old_site.rstrip("/"): site.rstrip("/")}
    pairs |= {
        before + old: before + new for before in ("github.com/", "github/", "gh/")
    }  # the last are Colab's, Binder's
    pairs |= {
        quote("github.com/" + old, safe=""): quote("github.com/" + new, safe="")
    }  # in a link of nbgitpuller,
    pairs |= {
        f"lab%2Ftree%2F{old_name}%2F": f"lab%2Ftree%2F{name}%2F"
    }  # which names the folder after the repository
    longest_first = "|".join(map(re.escape, sorted(pairs, key=len, reverse=True)))
    pattern = re.compile(
        rf"({longest_first})(?:(?<=%2F)|(?![\w-]))"
    )  # not the beginning of another name
    changes = {}
    for path in book_files(root):
        try:
            before = path.read_bytes().decode()
        except UnicodeDecodeError:
            continue
        after = pattern.sub(lambda found: pairs[found[0]], before)
        if after != before:
            changes[path] = before, after
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
    say(
        f"{len(done)} files changed: the repository is https://github.com/{owner}/{name}, the site {site}"
    )
    return done


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m dev.address",
        description="Give your copy of the book an address of its own: in every file, the repository's address, the "
        "site's, and what Colab, Binder and nbgitpuller open become yours.",
        epilog="Exit code: 0 if all is changed, 2 if an address is none; then nothing is.",
    )
    parser.add_argument(
        "address", metavar="https://github.com/OWNER/NAME", help="your copy of the repository"
    )
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
