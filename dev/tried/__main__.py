"""Try a conclusion again, list what a chapter concludes, or write the page of all attempts."""

import argparse

import torch

from dev.tried import PAGE, keep, pages, programs


def options(known):
    parser = argparse.ArgumentParser(prog="python -m dev.tried", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(sorted(known))}")
    parser.add_argument("--sentences", type=int, metavar="CHAPTER")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(known):
        parser.error(f"no attempt {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return asked


def main():
    known = programs()
    asked = options(known)
    torch.set_num_threads(1)
    if asked.sentences is not None:
        print(*pages.concluding(pages.numbered(asked.sentences)), sep="\n\n")
        return
    for name in asked.names:
        rows = known[name]()
        for row in rows:
            print(", ".join(f"{key} {value}" for key, value in row.items()))
        keep(name, rows)
    if not asked.names:
        PAGE.write_text(pages.written(), encoding="utf-8")


if __name__ == "__main__":
    main()
