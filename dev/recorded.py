"""What a notebook compares and draws while it runs: the part of `processors.py` in the kernel.

After `begin`, each cell hands over, as an output that no page shows, every comparison of numbers in
its assertions and claims, with both of its sides, and every text that it draws into a picture.
"""

import ast
import operator

import matplotlib.text
import numpy as np
import torch
from IPython import get_ipython
from IPython.display import display

SIGNS = {
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Is": operator.is_,
    "IsNot": operator.is_not,
    "In": lambda one, many: one in many,
    "NotIn": lambda one, many: one not in many,
}
MOST = 100_000  # numbers in a comparison that is looked at

compared = []
drawn = []


def numbers(value):
    """A value as an array of float64, None if it is something else."""
    try:
        array = np.asarray(value.detach() if hasattr(value, "detach") else value, dtype=float)
    except (TypeError, ValueError, RuntimeError):
        return None
    return array if 0 < array.size < MOST else None


def note(source, sign, left, right):
    """Keep the pair of numbers that comes nearest to failing."""
    left, right = numbers(left), numbers(right)
    if left is None or right is None:
        return
    try:
        left, right = np.broadcast_arrays(left, right)
    except ValueError:
        return
    room = {"L": right - left, "G": left - right}.get(sign[0], -abs(left - right))
    if not np.isnan(room).all():
        at = np.nanargmin(room)
        compared.append([source, sign, float(left.flat[at]), float(right.flat[at])])


def compare(source, signs, *values):
    """The comparison itself, or a chain of them, as Python makes it."""
    for place, sign in enumerate(signs):
        left, right = values[place : place + 2]
        answer = SIGNS[sign](left, right)
        note(source, sign, left, right)
        if place + 1 < len(signs) and not answer:
            return answer
    return answer


def rounded(source, value, digits=None):
    """`round`, which notes how far the number is from being rounded otherwise."""
    result = round(value) if digits is None else round(value, digits)
    number = numbers(value)
    if number is not None and number.ndim == 0:
        half = 0.5 * 10.0 ** -(digits or 0)
        note(source, "Lt", abs(float(number) - float(result)), half)
    return result


class Comparisons(ast.NodeTransformer):
    """Every comparison below a node becomes a call of `compare`, every `round` one of `rounded`."""

    def visit_Compare(self, node):
        source = ast.unparse(node)
        self.generic_visit(node)
        signs = [ast.Constant(type(sign).__name__) for sign in node.ops]
        given = [ast.Constant(source), ast.List(signs, ast.Load()), node.left, *node.comparators]
        return ast.Call(ast.Name("__compare", ast.Load()), given, [])

    def visit_Call(self, node):
        source = ast.unparse(node)
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "round":
            given = [ast.Constant(source), *node.args]
            return ast.Call(ast.Name("__rounded", ast.Load()), given, node.keywords)
        return node


class InStatements(ast.NodeTransformer):
    """Looks for assertions and claims."""

    def visit_Assert(self, node):
        node.test = Comparisons().visit(node.test)
        return ast.fix_missing_locations(node)

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id == "claim":
            node.args[1:2] = [Comparisons().visit(holds) for holds in node.args[1:2]]
            return ast.fix_missing_locations(node)
        return self.generic_visit(node)


def hand_over(kind):
    """Give away what was noted, as an output of this kind."""
    if compared or drawn:
        display({kind: {"compared": compared[:], "drawn": drawn[:]}}, raw=True)
        compared.clear()
        drawn.clear()


def begin(kind, shift=0):
    """Record from now on. ``kind``: the type of the output in which a cell hands over what it has
    noted; ``shift``: how much larger every seed of PyTorch is.
    """
    draw = matplotlib.text.Text.draw
    seed = torch.manual_seed

    class Dice(torch.Generator):
        def manual_seed(self, value):
            return super().manual_seed(value + shift)

    def noted(self, *args, **kwargs):
        if self.get_visible() and self.get_text():
            drawn.append(self.get_text())
        return draw(self, *args, **kwargs)

    matplotlib.text.Text.draw = noted
    torch.manual_seed = lambda value: seed(value + shift)
    torch.Generator = Dice
    shell = get_ipython()
    shell.user_ns.update(__compare=compare, __rounded=rounded)
    shell.ast_transformers.append(InStatements())
    shell.events.register("post_run_cell", lambda *_: hand_over(kind))
