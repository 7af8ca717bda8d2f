"""A figure lives in two homes, drawn by the same module from the same traits.

With a kernel it is a widget: its controls are ipywidgets, linked in the browser to the figure's traits, so Python can
set `figure.head = 3` and observe it. Without one (a static page, a file, a saved notebook) it is a piece of HTML that
carries the module, the data and a host small enough to read, `host.js`, which stands in for the widget machinery and
makes native inputs from the same description of the controls. `_repr_mimebundle_` offers both; the home chooses.
"""

from __future__ import annotations

import base64
import html
import io
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

import anywidget
import ipywidgets as widgets
from traitlets import TraitError, Unicode

HERE = Path(__file__).parent
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
EXPORT = "export default figure;\n"


class FigureError(TraitError, ValueError):
    """A figure was given something it cannot show. A TraitError too, so traitlets restores the old value."""


@dataclass(frozen=True)
class Control:
    """One control, described once for both homes.

    `kind` is "slider", "select", "check" or "play". A slider and a play button run from `min` to `max` by `step`;
    `max` may be the name of a trait, where the end depends on what is shown. A select shows `options`, and the
    browser knows the trait by the index of its option (see `choice`).
    """

    trait: str
    label: str
    kind: str = "slider"
    min: float = 0
    max: float | str = 0
    step: float = 1
    options: Sequence[str] = ()

    def widget(self, figure: Figure) -> widgets.Widget:
        """The ipywidget of this control, linked in the browser to the figure's trait."""
        target = "value"
        look = {"description": self.label, "style": {"description_width": "initial"}}
        if self.kind == "select":
            target = "index"
            widget = widgets.Dropdown(options=[(text, i) for i, text in enumerate(self.options)], **look)
        elif self.kind == "check":
            widget = widgets.Checkbox(indent=False, **look)
        else:
            makers = {"play": widgets.Play, "slider": widgets.IntSlider}
            make = makers[self.kind] if isinstance(self.step, int) else widgets.FloatSlider
            if self.kind == "play":
                look = {"interval": 800}
            widget = make(min=self.min, max=self.last(figure), step=self.step, **look)
            if isinstance(self.max, str):
                widgets.jslink((figure, self.max), (widget, "max"))
        setattr(widget, target, figure.get_state(self.trait)[self.trait])
        widgets.jslink((figure, self.trait), (widget, target))
        return widget

    def last(self, figure: Figure) -> float:
        return getattr(figure, self.max) if isinstance(self.max, str) else self.max

    def check(self, figure: Figure, value):
        """Returns `value`, or raises FigureError where this control could not show it."""
        if self.kind in ("slider", "play") and not self.min <= value <= self.last(figure):
            raise FigureError(f"{self.trait}={value!r} is out of range: {self.min} to {self.last(figure)} here")
        if self.kind == "select" and isinstance(value, str) and value not in self.options:
            raise FigureError(f"{self.trait}={value!r} is not known: expected one of {list(self.options)}")
        return value


def choice(options: str, default: str = "") -> Unicode:
    """A trait that is one of the strings in the trait named `options`; the browser knows it by its index, as it
    knows the option of a Dropdown."""
    return Unicode(default).tag(
        sync=True,
        to_json=lambda value, figure: list(getattr(figure, options)).index(value),
        from_json=lambda index, figure: getattr(figure, options)[index],
    )


def source(file: str) -> str:
    """A file's code without indentation and lines of comment: it travels with every figure on every page."""
    code = re.sub(r"^\s*/\*.*?\*/\s*$", "", (HERE / file).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    lines = (line.strip() for line in code.splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.startswith("//"))


def module(name: str) -> str:
    """The ES module of the figure `name`: the style and the shared drawing code, then its own."""
    return f"const STYLE = {json.dumps(source('style.css'))};\n" + source("shared.js") + source(f"{name}.js")


class Figure(anywidget.AnyWidget):
    """Base of every figure. A subclass sets `title` and `_esm = module(name)`, declares its traits, describes its
    `controls` and draws a matplotlib `picture` of its first state for readers without JavaScript."""

    title = "figure"
    caption = Unicode().tag(sync=True)
    _ipython_display_ = None  # ipywidgets 7 would show the bare widget and never ask for the bundle below

    def controls(self) -> list[Control]:
        raise NotImplementedError

    def picture(self, canvas) -> None:
        """Draws the present state on `canvas`, a matplotlib Figure."""
        raise NotImplementedError

    def check(self, trait: str, value):
        """Returns `value` if the control of `trait` can show it; raises FigureError if not."""
        return next((c.check(self, value) for c in self.controls() if c.trait == trait), value)

    @cached_property
    def view(self) -> widgets.VBox:
        """The live figure under its ipywidgets controls."""
        row = widgets.HBox([c.widget(self) for c in self.controls()], layout={"flex_flow": "row wrap"})
        return widgets.VBox([row, self])

    def snapshot(self) -> str:
        """The figure in its present state as HTML that needs no kernel, no network and no other file."""
        names = [n for n in self.traits(sync=True) if n[0] != "_" and n not in widgets.DOMWidget.class_trait_names()]
        state = self.get_state(names)
        binary = {n: base64.b64encode(state.pop(n)).decode() for n in names if isinstance(state[n], bytes)}
        data = {"state": state, "binary": binary, "controls": [asdict(c) for c in self.controls()]}
        # "<" never stands in the data as itself, so that no token can end the script element.
        data_json = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
        code = self._esm.replace(EXPORT, "") + source("host.js")
        alt, caption = html.escape(f"{self.title}, first state"), html.escape(self.caption)
        return (
            f'<div class="tl-figure" data-figure="{type(self).__name__}">'
            f'<noscript><img alt="{alt}" style="max-width:100%" src="{self._png()}"><p>{caption}</p></noscript>'
            f'<script type="application/json">{data_json}</script>\n'
            f"<script>(() => {{\n{code}\n}})()</script></div>"
        )

    def _png(self) -> str:
        """The picture of the present state as a data address."""
        from matplotlib.figure import Figure as Canvas
        from PIL import Image  # comes with matplotlib

        canvas, drawn, small = Canvas(figsize=(6, 4), dpi=80, layout="constrained"), io.BytesIO(), io.BytesIO()
        self.picture(canvas)
        canvas.savefig(drawn, format="png")
        Image.open(drawn).convert("RGB").quantize(64).save(small, format="png", optimize=True)  # a fifth of the size
        return "data:image/png;base64," + base64.b64encode(small.getvalue()).decode()

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = super()._repr_mimebundle_(**kwargs)
        data[WIDGET_VIEW]["model_id"] = self.view.model_id
        data["text/html"] = self.snapshot()
        return data, metadata


def plain(token: str, position: int) -> str:
    """A token for matplotlib, or its position where matplotlib's font lacks its letters."""
    text = token if len(token) < 13 else token[:11] + "…"
    return text if text and all(0x20 <= ord(c) < 0x250 or c == "…" for c in text) else str(position)
