"""The package's page and its sources, made from the package by autodoc and viewcode."""

import re
from dataclasses import fields, is_dataclass
from functools import cached_property
from importlib import import_module
from operator import attrgetter


def skip_fields(app, kind, name, member, skip, options):
    """Leave out a NamedTuple's fields: the class explains them, their own texts say less."""
    text = getattr(member, "__doc__", None) or ""
    if text.startswith("Alias for field number"):
        return True
    return None


def keep_home(app, module, name):
    """The source of a cached property is where it is written, not in ``functools``; and a class
    that another names in an attribute has its own entry.
    """
    found = attrgetter(name)(import_module(module))
    named = "." in name and isinstance(found, type) and found.__qualname__ != name
    return module if named or isinstance(found, cached_property) else None


def explain_fields(app, kind, name, member, options, lines):
    """The fields of a dataclass, as their metadata explains them to the command line too."""
    if kind == "class" and is_dataclass(member):
        for field in fields(member):
            if "help" in field.metadata:
                lines += ["", f"{field.name}: {field.metadata['help']}."]


def begin_lines(app, kind, name, member, options, lines):
    """Each argument begins a line of its own, as it does in the docstring."""
    lines[:] = [
        part
        for line in lines
        for part in (["", line] if re.match(r"[a-z]\w*( and \w+)?: ", line) else [line])
    ]
