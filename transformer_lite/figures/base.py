"""A figure lives in two homes, drawn by the same module from the same traits.

With a kernel it is a widget: its controls are ipywidgets, linked in the browser to the figure's
traits, so Python can set `figure.head = 3` and observe it. Without one (a static page, a file, a
saved notebook) it is a piece of HTML that carries the module, the data and a host small enough to
read, `host.js`, which stands in for the widget machinery and makes native inputs from the same
description of the controls. `_repr_mimebundle_` offers both; the home chooses.

To write a figure, `Turn`, put three files here:

`turn.py`     class Turn(Figure):
                  title, module = "Turning", "turn.js"
                  constants = {"full": 360}                      # what Python and JavaScript both need to know
                  angle = Int(0).tag(sync=True)                  # every trait with this tag travels; bytes travel raw
                  def controls(self): return [Control("angle", "angle", max=self.constants["full"])]
                  def picture(self, canvas): ...                 # the first state, with matplotlib

`turn.js`     import { frame, h } from "./shared.js";
              const figure = {
                render({ model, el }) {
                  const base = frame(el, model); // title, caption, theme, the table of numbers, saving: see shared.js
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

`turn.css`    its own style, if it needs one, inside its own shadow root; the colours come from
`../palette.py`

and add the class to `__init__.__all__`: the tests then say what their table of examples still
needs. The base refuses every value that a control could not show, keeps sliders inside ends that
depend on another control (`Control.by`), and tells both homes the title. Modules may live in
subfolders and be quoted as the code of a worker: see `bundle.py`. With ANYWIDGET_HMR=1 and
`watchfiles`, a figure in a notebook follows each saved change of its modules and style.
"""

from __future__ import annotations

import base64
import html
import io
import os
import re
import threading
import warnings
import weakref
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from pathlib import Path

import anywidget
import ipywidgets as widgets
import numpy as np
from traitlets import Dict, TraitError, Unicode

from .. import palette
from . import bundle

HERE = Path(__file__).parent
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


class FigureError(TraitError, ValueError):
    """A figure was given something it cannot show. A TraitError too, so traitlets restores the old
    value.
    """


@dataclass(frozen=True)
class Control:
    """One control, described once for both homes.

    `kind` is "slider", "select", "check" or "play". A slider and a play button run from `min` to
    `max` by `step`; a play button takes whole steps. A select shows `options`, and the browser
    knows the trait by the index of its option (see `choice`). Where the end depends on what is
    shown, `max` names the trait that holds it; if other controls decide it, `by` names their traits
    and `ends` is a list of the end for each of their values, nested for more than
    one: the base then keeps both traits right, in Python and in the browser.
    """

    trait: str
    label: str
    kind: str = "slider"
    min: float = 0
    max: float | str = 0
    step: float = 1
    options: Sequence[str] = ()
    by: Sequence[str] = ()
    ends: Sequence = ()

    def __post_init__(self):
        if self.kind not in ("slider", "select", "check", "play"):
            raise FigureError(
                f"{self.trait}: kind={self.kind!r}; expected 'slider', 'select', 'check' or 'play'"
            )
        if self.kind == "play" and not self._whole:
            raise FigureError(
                f"{self.trait}: a play button takes whole steps, not {self.min} to {self.max}, {self.step}"
            )

    @property
    def _whole(self) -> bool:
        return all(isinstance(v, (int, str)) for v in (self.min, self.max, self.step))

    def widget(self, figure: Figure) -> widgets.Widget:
        """The ipywidget of this control, linked in the browser to the figure's trait."""
        target = "value"
        look = {"description": self.label, "style": {"description_width": "initial"}}
        if self.kind == "select":
            target = "index"
            widget = widgets.Dropdown(
                options=[(text, i) for i, text in enumerate(self.options)], **look
            )
        elif self.kind == "check":
            widget = widgets.Checkbox(indent=False, **look)
        else:
            if self.kind == "play":
                make, look = widgets.Play, {"interval": 800}
            else:
                make = widgets.IntSlider if self._whole else widgets.FloatSlider
            widget = make(min=self.min, max=self.last(figure), step=self.step, **look)
            if isinstance(self.max, str):
                widgets.jslink((figure, self.max), (widget, "max"))
        setattr(widget, target, figure.get_state(self.trait)[self.trait])
        widgets.jslink((figure, self.trait), (widget, target))
        return widget

    def offers_a_choice(self, figure: Figure) -> bool:
        """Whether there is more than one value to choose: where not, the control is not shown."""
        if self.kind == "select":
            return len(self.options) > 1
        return self.kind == "check" or bool(self.by) or self.last(figure) > self.min

    def last(self, figure: Figure) -> float:
        """Where it ends now."""
        end = self.ends if self.by else self.max
        for trait in self.by:
            end = end[figure.get_state(trait)[trait]]
        return getattr(figure, end) if isinstance(end, str) else end

    def check(self, figure: Figure, value):
        """Returns `value`, or raises FigureError where this control could not show it."""
        if self.kind in ("slider", "play") and not self.min <= value <= self.last(figure):
            raise FigureError(
                f"{self.trait}={value!r} is out of range: {self.min} to {self.last(figure)} here"
            )
        if self.kind == "select" and isinstance(value, str) and value not in self.options:
            raise FigureError(
                f"{self.trait}={value!r} is not known: expected one of {list(self.options)}"
            )
        if (
            self.kind == "select"
            and not isinstance(value, str)
            and not 0 <= value < len(self.options)
        ):
            raise FigureError(
                f"{self.trait}={value!r} is out of range: 0 to {len(self.options) - 1} here"
            )
        return value


def choice(options: str, default: str = "") -> Unicode:
    """A trait that is one of the strings in the trait named `options`; the browser knows it by its
    index, as it knows the option of a Dropdown.
    """
    return Unicode(default).tag(
        sync=True,
        to_json=lambda value, figure: list(getattr(figure, options)).index(value),
        from_json=lambda index, figure: dict(enumerate(getattr(figure, options))).get(
            index, f"option {index}"
        ),
    )


@cache
def code(module: Path) -> str:
    """The ES module that draws a figure, with all that it imports."""
    return bundle.module(module)


@cache
def style(module: Path) -> str:
    """The style of a figure: the palette, what all figures share, and the style file beside its
    module, if any.
    """
    own = module.with_suffix(".css")
    files = [HERE / "style.css", own] if own.is_file() else [HERE / "style.css"]
    rules = palette.css() + "".join(bundle.source(file) for file in files)
    return re.sub(
        r" ?/\*.*?\*/|([{};:,])\s+|\s+(?=[{}])", r"\1", rules
    )  # without what only its writer needs


class Figure(anywidget.AnyWidget):
    """Base of every figure: see the top of this file for what a subclass gives."""

    title = "figure"
    module: str | Path
    constants: dict = {}
    caption = Unicode().tag(sync=True)
    frame = Dict().tag(sync=True)  # what shared.js needs to know: see _frame
    _esm = Unicode().tag(sync=True)
    _ipython_display_ = (
        None  # ipywidgets 7 would show the bare widget and never ask for the bundle below
    )

    def __init__(self, **traits):
        self._file = HERE / self.module
        for name in self._travelling():
            if name not in self._trait_validators:
                self._register_validator(Figure._checked, [name])
        super().__init__(_esm=code(self._file), **traits)
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
        _shown.add(self)
        if os.environ.get("ANYWIDGET_HMR") == "1":
            _follow(self._file)

    def controls(self) -> list[Control]:
        raise NotImplementedError

    def picture(self, canvas) -> None:
        """Draws the present state on `canvas`, a matplotlib Figure."""
        raise NotImplementedError

    @property
    def alternative(self) -> str:
        """The picture in words, for readers without JavaScript who do not see it."""
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
        """Other ends pull the values in."""
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
            "style": style(self._file),
            "maps": palette.MAPS,
        }

    def reload(self) -> None:
        """Draws itself anew with what its module and style say now."""
        code.cache_clear()
        style.cache_clear()
        self._esm, self.frame = code(self._file), self._frame()

    @cached_property
    def view(self) -> widgets.VBox:
        """The live figure under its ipywidgets controls."""
        row = widgets.HBox(
            [c.widget(self) for c in self._offered()], layout={"flex_flow": "row wrap"}
        )
        return widgets.VBox([row, self])

    def snapshot(self) -> str:
        """The figure in its present state as HTML that needs no kernel, no network and no other
        file.
        """
        names = self._travelling()
        state = self.get_state(names)
        binary = {
            n: base64.b64encode(state.pop(n)).decode() for n in names if isinstance(state[n], bytes)
        }
        data = bundle.quoted(
            {"state": state, "binary": binary, "controls": [asdict(c) for c in self._offered()]}
        )
        modules, (host, figure) = bundle.joined(HERE / "host.js", self._file)
        alt, caption = (html.escape(_writable(text)) for text in (self.alternative, self.caption))
        return (
            f'<div class="tl-figure" data-figure="{type(self).__name__}">'
            f'<noscript><img alt="{alt}" style="max-width:100%" src="{self._png()}"><p>{caption}</p></noscript>'
            f'<script type="application/json">{data}</script>\n'
            f'<script>(() => {{\n"use strict";\n{modules}'
            f"{host}.default({figure}.default, document.currentScript.parentElement);\n}})()</script></div>"
        )

    def _png(self) -> str:
        """The picture of the present state as a data address."""
        from matplotlib.figure import Figure as Canvas
        from PIL import Image  # comes with matplotlib

        canvas, drawn, small = (
            Canvas(figsize=(6, 4), dpi=80, layout="constrained"),
            io.BytesIO(),
            io.BytesIO(),
        )
        self.picture(canvas)
        canvas.savefig(drawn, format="png")
        Image.open(drawn).convert("RGB").quantize(64).save(
            small, format="png", optimize=True
        )  # a fifth of the size
        return "data:image/png;base64," + base64.b64encode(small.getvalue()).decode()

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = super()._repr_mimebundle_(**kwargs)
        data[WIDGET_VIEW]["model_id"] = self.view.model_id
        data["text/html"] = self.snapshot()
        return data, metadata


def _writable(value):
    """`value`, a text or what holds texts, with a replacement character for each half of a pair
    that UTF-16 writes a
    letter with: alone it can neither be sent nor saved."""
    if isinstance(value, str):
        return re.sub("[\ud800-\udfff]", "\ufffd", value)
    if isinstance(value, list | tuple) and value and not isinstance(value[0], int | float):
        return type(value)(map(_writable, value))
    if isinstance(value, dict):
        return {_writable(key): _writable(part) for key, part in value.items()}
    return value


_shown: weakref.WeakSet[Figure] = weakref.WeakSet()


@cache
def _follow(module: Path) -> None:
    """Watches the folders of a module and of all that it imports, and reloads its figures when a
    file changes.
    """
    import watchfiles

    folders = {file.parent for file in bundle.files(module)} | {HERE}

    def watch():
        for _ in watchfiles.watch(*folders):
            for figure in [figure for figure in _shown if figure._file == module]:
                try:
                    figure.reload()
                except (bundle.BundleError, OSError) as error:
                    warnings.warn(f"{module.name} was not reloaded: {error}", stacklevel=1)

    threading.Thread(target=watch, daemon=True).start()


def as_numbers(name: str, value, *ndim: int) -> list:
    """`value`, an array, a tensor or nested lists, as nested lists of finite floats of `ndim` axes,
    or of another.
    """
    try:
        array = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
        # A float32 0.9535 is shown as 0.9535, not as 0.95349997: the shortest number that names it.
        array = (
            array.astype(str).astype(np.float64)
            if array.dtype == np.float32
            else array.astype(np.float64)
        )
    except (TypeError, ValueError) as error:
        raise FigureError(f"{name} is not a rectangle of numbers: {error}") from None
    if array.ndim not in ndim or not array.size:
        raise FigureError(
            f"{name} has shape {array.shape}; expected {' or '.join(map(str, ndim))} axes, none empty"
        )
    if not np.isfinite(array).all():
        at = [int(i) for i in np.argwhere(~np.isfinite(array))[0]]
        raise FigureError(f"{name}{at} is {array[tuple(at)]}; expected finite numbers")
    return array.tolist()


def plain(token: str, position: int) -> str:
    """A token for matplotlib, or its position where matplotlib's font lacks its letters."""
    text = token if len(token) < 13 else token[:11] + "…"
    return text if text and all(0x20 <= ord(c) < 0x250 or c == "…" for c in text) else str(position)
