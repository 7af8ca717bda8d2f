"""What is folded in a chapter, said once and kept in step on the site, in Jupyter and in Colab.

A chapter marks in its own text what a reader may skip, so that the mark shows in every home:

- a code cell whose first line is `# @title What it does` is folded to that line: set-up, plotting,
  checks;
- a section whose heading is `### Closer look: a question` is folded to its heading, up to the next
  heading.

Each home folds by metadata of its own. `python -m dev.fold chapters/*.ipynb` writes them from the
marks, and `--check` says which notebooks differ and changes nothing. What Jupyter notes of the
Python that ran a notebook, it takes out again, so that a run leaves no trace.
"""

import argparse
import json
import re
import sys
from pathlib import Path

from attention_by_hand.exercises.cells import CLOSER_LOOK, TITLE

CLOSER = re.compile(f"### {CLOSER_LOOK}.+")
COLLAPSED = "jp-MarkdownHeadingCollapsed"
NOTEBOOK = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def folded(cell):
    """A cell's metadata, with the homes' marks of a fold where its text asks for one."""
    first = "".join(cell["source"]).partition("\n")[0]
    metadata = {
        key: value
        for key, value in cell["metadata"].items()
        if key not in ("cellView", "jupyter", COLLAPSED)
    }
    tags = [tag for tag in metadata.pop("tags", []) if tag != "hide-input"]
    prompts = {
        key: value
        for key, value in metadata.pop("mystnb", {}).items()
        if not key.startswith("code_prompt")
    }
    title = TITLE.fullmatch(first) if cell["cell_type"] == "code" else None
    if title:
        tags.append("hide-input")
        prompts |= {"code_prompt_show": title[1], "code_prompt_hide": title[1]}
        metadata |= {"cellView": "form", "jupyter": {"source_hidden": True}}
    elif cell["cell_type"] == "markdown" and CLOSER.fullmatch(first):
        metadata[COLLAPSED] = True
    metadata |= {"mystnb": prompts} if prompts else {}
    metadata |= {"tags": tags} if tags else {}
    return dict(sorted(metadata.items()))


def fold(path, check=False):
    """Fold one notebook; whether it was as it should be."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    metadata = [folded(cell) for cell in notebook["cells"]]
    cells = metadata == [cell["metadata"] for cell in notebook["cells"]]
    if cells and notebook["metadata"] == NOTEBOOK:
        return True
    if not check:
        for cell, new in zip(notebook["cells"], metadata, strict=True):
            cell["metadata"] = new
        notebook["metadata"] = NOTEBOOK
        # As nbformat writes it, so that saving it in Jupyter changes nothing
        text = json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True)
        path.write_text(text + "\n", encoding="utf-8")
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("notebooks", type=Path, nargs="+", metavar="NOTEBOOK")
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit with 1 if a notebook differs"
    )
    arguments = parser.parse_args()
    different = [path for path in arguments.notebooks if not fold(path, arguments.check)]
    for path in different:
        print(
            f"{path}: {'its metadata are not those of its text' if arguments.check else 'folded'}"
        )
    return 1 if arguments.check and different else 0


if __name__ == "__main__":
    sys.exit(main())
