"""A figure lives in two homes, drawn by the same module from the same traits.

With a kernel it is a widget: its controls are ipywidgets, linked in the browser to the figure's
traits, so Python can set `figure.head = 3` and observe it. Without one (a static page, a file, a
saved notebook) it is a piece of HTML that carries the module, the data and a host small enough to
read, `host.js`, which stands in for the widget machinery and makes native inputs from the same
description of the controls. `_repr_mimebundle_` offers both; the home chooses.

While the book is built, the environment has `BOOK_BUILD`. A figure then gives its state and the
name of its folder, and the site has the code once on a page. So a change of JavaScript or style is
on the site without any notebook being run.

To write a figure, `Turn`, make a folder `turn` with three files:

`__init__.py` class Turn(Figure):
                  title = "Turning"
                  constants = {"full": 360}       # what Python and JavaScript both need to know
                  angle = Int(0).tag(sync=True)   # every trait with this tag travels; bytes travel
                  raw

                  def controls(self):
                      return [Control("angle", "angle", max=self.constants["full"])]

                  def as_table(self):                # what a reader without JavaScript is shown
                      return Table("Turning", ["degrees"], [["angle", self.angle]])

`figure.js`   import { h } from "../kit/parts/dom.js";
              import { frame } from "../kit/runtime/frame.js";
              /** @typedef {{ angle: number }} Traits as Python declares them */
              /** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */
              const figure = {
                /** @param {{ model: Model, el: HTMLElement }} home */
                render({ model, el }) {
                  const base = frame(el, model); // title, caption, theme, numbers: see frame.js
                  const { full } = base.constants;
                  const text = h("p");
                  base.body.append(text);
                  const update = () => {
                    text.textContent = `${model.get("angle") / full} of a turn`;
                    base.root.dataset.angle = model.get("angle"); // what tests and pages read
                    base.say(text.textContent); // what a screen reader hears
                  };
                  model.on("change:angle", update);
                  update();
                  return () => base.dispose();
                },
              };
              export default figure;

`style.css`   its own style, if it needs one, inside its own shadow root; the colours come from
              `attention_by_hand/palette.py`

and import the class in `figures/__init__.py`: the tests then say what their table of examples still
needs. The base refuses every value that a control could not show, keeps sliders inside ends that
depend on another control (`Control.by`), and tells both homes the title. Modules may live in
subfolders and be quoted as the code of a worker: see `bundle.py`.
"""

from __future__ import annotations

import base64
import html
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

import anywidget
import ipywidgets as widgets
import numpy as np
import tinycss2
from traitlets import Dict, Unicode

from ... import palette
from . import bundle
from .control import Control, FigureError

HERE = Path(__file__).parent
FIGURES = HERE.parent
CHINESE = re.compile("[\u2e80-\u9fff]")
CHINESE_LETTERS = HERE.parents[1] / "letters" / "chinese.woff2"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


class Table(NamedTuple):
    """The numbers of a figure's present state, for a reader who has no JavaScript.

    Each row is its name and then a text or a number for each column.
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]

    def html(self) -> str:
        head = "".join(f'<th scope="col">{_cell(name)}</th>' for name in self.columns)
        rows = (
            f'<tr><th scope="row">{_cell(name)}</th>'
            + "".join(f"<td>{_cell(value)}</td>" for value in values)
            + "</tr>"
            for name, *values in self.rows
        )
        return (
            f"<table><caption>{_cell(self.caption)}</caption>"
            f"<thead><tr><td></td>{head}</tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table>"
        )


class Thumbnail(NamedTuple):
    """A figure's picture beside a link to its page, as ``dev/make/thumbnails.py`` takes it.

    shown: a selector of CSS; of that part the picture shows as much as fits, from its top. width:
    of the page that the figure stands on, in pixels. state: as in an address, if not its first.
    """

    shown: str
    width: int = 560
    state: str = ""


def _cell(value: object) -> str:
    """A text, or a number with at most four digits behind the point, as HTML."""
    if isinstance(value, float | np.floating):
        value = f"{value:.4f}".rstrip("0").rstrip(".").replace("-", "−")
    return html.escape(_writable(str(value)))


@cache
def code(module: Path) -> str:
    """The ES module that draws a figure, with all that it imports."""
    return bundle.module(module)


@cache
def style() -> str:
    """The style that all figures share: the palette and the kit's."""
    return _bare(palette.css() + (HERE / "style.css").read_text("utf-8"))


@cache
def own_style(module: Path) -> str:
    """The styles beside what a figure's module imports of `shared/`, and its own, if any."""
    shared = [file for file in bundle.files(module) if file.parent.name == "shared"]
    styles = [*(file.with_suffix(".css") for file in shared), module.with_name("style.css")]
    return _bare("".join(file.read_text("utf-8") for file in styles if file.is_file()))


def _bare(rules: str) -> str:
    """The rules without remarks, and with a blank where there was any space."""

    def squeeze(tokens):
        tokens[:] = [token for token in tokens if token.type != "comment"]
        for token in tokens:
            if token.type == "whitespace":
                token.value = " "
            squeeze(getattr(token, "content", None) or getattr(token, "arguments", []))

    tokens = tinycss2.parse_component_value_list(rules)
    squeeze(tokens)
    return tinycss2.serialize(tokens)


def drawing(*modules: Path) -> str:
    """An expression of JavaScript: for each of these figures, by the name of its folder, what draws
    it in a home without a kernel. What several of them need stands there once.
    """
    code, (host, *figures) = bundle.joined(HERE / "runtime" / "host.js", *modules)
    draws = (
        f"{bundle.quoted(module.parent.name)}: (home) => "
        f"{host}.default({figure}.default, shared + {bundle.quoted(own_style(module))}, home),\n"
        for module, figure in zip(modules, figures, strict=True)
    )
    return (
        f'(() => {{\n"use strict";\n{code}const shared = {bundle.quoted(style())};\n'
        f"return {{\n{''.join(draws)}}};\n}})()"
    )


class Figure(anywidget.AnyWidget):
    """Base of every figure: see the top of this file for what a subclass gives."""

    title = "figure"
    thumbnail: Thumbnail | None = None  # unless the figure has no page of its own
    module: str | Path = "figure.js"  # beside the file of its class, or a path
    constants: dict = {}
    addressed: Sequence[str] = ()  # traits that a link to its state holds, besides the controls'
    caption = Unicode().tag(sync=True)
    frame = Dict().tag(sync=True)  # what frame.js needs to know: see _frame
    _esm = Unicode().tag(sync=True)
    _style = Unicode().tag(sync=True)
    # ipywidgets 7 would show the bare widget and never ask for the bundle below.
    _ipython_display_ = None

    def __init__(self, **traits):
        self._file = self._module_file()
        # traitlets' own decorator, `validate`, names its traits where a class is written, and the
        # base does not know those of its subclasses.
        for name in self._travelling():
            if name not in self._trait_validators:
                self._register_validator(Figure._checked, [name])
        look = style() + own_style(self._file)
        super().__init__(_esm=code(self._file), _style=look, **traits)
        controls = self.controls()
        for control in controls:
            if not self.has_trait(control.trait):
                raise FigureError(
                    f"{type(self).__name__} has a control of {control.trait!r}, but no such trait"
                )
            control.check(self, getattr(self, control.trait))
        self._fit()
        self.observe(self._fit, list({trait for control in controls for trait in control.by}))
        self.frame = self._frame()

    def controls(self) -> list[Control]:
        raise NotImplementedError

    def as_table(self) -> Table:
        """The numbers of the present state."""
        raise NotImplementedError

    @property
    def alternative(self) -> str:
        """The picture in words, for readers without JavaScript."""
        return f"{self.title}, first state"

    def check(self, trait: str, value):
        """Returns `value` if every control of `trait` can show it; raises FigureError if not."""
        for control in self.controls():
            if control.trait == trait:
                for other in control.by:  # its end is only known where these can be shown
                    self.check(other, getattr(self, other))
                value = control.check(self, value)
        return value

    @classmethod
    def _module_file(cls) -> Path:
        """The module: a path of its own, or the file of its name beside the class's own file."""
        if Path(cls.module).is_absolute():
            return Path(cls.module)
        homes = (getattr(sys.modules[owner.__module__], "__file__", None) for owner in cls.__mro__)
        files = (Path(home).with_name(cls.module) for home in homes if home)
        return next(file for file in files if file.is_file())

    @classmethod
    def _travelling(cls) -> list[str]:
        """The traits of the figure itself that go to the browser."""
        return [
            n
            for n in cls.class_traits(sync=True)
            if n[0] != "_" and n not in widgets.DOMWidget.class_trait_names()
        ]

    def _checked(self, proposal):
        return self.check(proposal["trait"].name, _writable(proposal["value"]))

    def _fit(self, _=None) -> None:
        """Clamp each control whose end depends on another trait."""
        for control in self.controls():
            if control.by:
                last = control.last(self)
                setattr(self, control.trait, min(getattr(self, control.trait), last))
                setattr(self, control.max, last)

    def _offered(self) -> list[Control]:
        return [control for control in self.controls() if control.offers_a_choice(self)]

    def _frame(self) -> dict:
        ends = {
            c.max: {"trait": c.trait, "by": c.by, "ends": c.ends} for c in self.controls() if c.by
        }
        return {
            "title": self.title,
            "constants": self.constants,
            "ends": ends,
            "maps": palette.MAPS,
            "letters": self._letters(),
        }

    def _letters(self) -> str:
        """The font of the book's Chinese words, base64, if the figure shows Chinese: not every
        machine has one.
        """
        state = self.get_state(self._travelling()).values()
        texts = (repr(value) for value in state if not isinstance(value, bytes | memoryview))
        if not any(map(CHINESE.search, texts)):
            return ""
        return base64.b64encode(CHINESE_LETTERS.read_bytes()).decode()

    @cached_property
    def view(self) -> widgets.VBox:
        """The live figure under its ipywidgets controls."""
        row = widgets.HBox(
            [c.widget(self) for c in self._offered()], layout={"flex_flow": "row wrap"}
        )
        return widgets.VBox([row, self])

    def snapshot(self) -> str:
        """The figure in its present state as HTML that needs no kernel, no network and no other
        file; while the book is built, without the code, which the page has as `document.figures`.
        """
        names = self._travelling()
        state = self.get_state(names)
        binary = {
            n: base64.b64encode(state.pop(n)).decode() for n in names if isinstance(state[n], bytes)
        }
        data = bundle.quoted(
            {
                "state": state,
                "binary": binary,
                "controls": [asdict(control) for control in self._offered()],
                "addressed": [
                    *(c.trait for c in self._offered() if c.kind != "play"),
                    *self.addressed,
                ],
            }
        )
        alternative = html.escape(_writable(self.alternative))
        caption = html.escape(_writable(self.caption))
        figures = "document.figures" if self._is_in_the_book() else drawing(self._file)
        return (
            f'<div class="tl-figure" data-figure="{type(self).__name__}">'
            f"<noscript><p>{alternative}</p>{self.as_table().html()}<p>{caption}</p></noscript>"
            f'<script type="application/json">{data}</script>\n'
            f"<script>{figures}[{bundle.quoted(self._file.parent.name)}]"
            "(document.currentScript.parentElement);</script></div>"
        )

    def _is_in_the_book(self) -> bool:
        """Whether the page will have the code: the site knows the figures of the package."""
        return "BOOK_BUILD" in os.environ and self._file.parent.parent == FIGURES

    def open(self):
        """Tell a kernel's widgets of the figure; in the book nobody would hear it."""
        if not self._is_in_the_book():
            super().open()

    def _repr_mimebundle_(self, **kwargs):
        if self._is_in_the_book():
            return {"text/plain": repr(self), "text/html": self.snapshot()}, {}
        data, metadata = super()._repr_mimebundle_(**kwargs)
        data[WIDGET_VIEW]["model_id"] = self.view.model_id
        data["text/html"] = self.snapshot()
        return data, metadata


def _writable(value):
    """Replace lone surrogates by U+FFFD: they can be neither sent nor saved."""
    if isinstance(value, str):
        return re.sub("[\ud800-\udfff]", "\ufffd", value)
    if isinstance(value, list | tuple) and value and not isinstance(value[0], int | float):
        return type(value)(map(_writable, value))
    if isinstance(value, dict):
        return {_writable(key): _writable(part) for key, part in value.items()}
    return value


def as_numbers(name: str, value, *ndim: int) -> list:
    """`value`, an array, a tensor or nested lists, as nested lists of finite floats of `ndim` axes,
    or of another.
    """
    try:
        array = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
        # A float32 0.9535 is shown as 0.9535, not as 0.95349997: the shortest number that names it.
        if array.dtype == np.float32:
            array = array.astype(str)
        array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise FigureError(f"{name} is not a rectangle of numbers: {error}") from None
    if array.ndim not in ndim or not array.size:
        raise FigureError(
            f"{name} has shape {array.shape}; expected {' or '.join(map(str, ndim))} axes, none "
            "empty"
        )
    if not np.isfinite(array).all():
        at = [int(i) for i in np.argwhere(~np.isfinite(array))[0]]
        raise FigureError(f"{name}{at} is {array[tuple(at)]}; expected finite numbers")
    return array.tolist()
