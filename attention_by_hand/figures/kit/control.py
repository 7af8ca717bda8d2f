"""One control of a figure, described once: an ipywidget with a kernel, a native input without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import ipywidgets as widgets
from traitlets import TraitError, Unicode


class FigureError(TraitError, ValueError):
    """A figure was given something it cannot show. A TraitError too, so traitlets restores the old
    value.
    """


@dataclass(frozen=True)
class Control:
    """One control, described once for both homes.

    `kind` is "slider", "scale", "select", "check" or "play". A slider and a play button run from
    `min` to `max` by `step`; a play button takes whole steps, and is there with a kernel alone,
    since on a page a picture plays itself (`on_page=False`). A scale is a slider over `options`,
    such as powers of 2, and its trait an index. A select shows `options`, and the browser knows the
    trait by the index of its option (see `choice`). Where the end depends on what is shown, `max`
    names the trait that holds it; if other controls decide it, `by` names their traits and `ends`
    is a list of the end for each of their values, nested for more than one: the base then keeps
    both traits right, in Python and in the browser.

    `by_picture` says that the picture itself is the control: on a page the native input is then out
    of sight, and there for the keyboard and the screen reader only. Where the picture has buttons,
    which the keyboard reaches, `on_page=False` leaves the native input out. Controls with the same
    `fold` stand on a page under the figure, in a fold of that name.
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
    by_picture: bool = False
    on_page: bool = True
    fold: str = ""

    def __post_init__(self):
        if self.kind not in ("slider", "scale", "select", "check", "play"):
            raise FigureError(
                f"{self.trait}: kind={self.kind!r}; expected 'slider', 'scale', 'select', 'check' "
                "or 'play'"
            )
        if self.kind == "play" and not self._whole:
            raise FigureError(
                f"{self.trait}: a play button takes whole steps, not {self.min} to {self.max}, "
                f"{self.step}"
            )
        if self.kind == "play" and self.on_page:
            raise FigureError(f"{self.trait}: a play button has on_page=False")

    @property
    def _whole(self) -> bool:
        return all(isinstance(v, (int, str)) for v in (self.min, self.max, self.step))

    def widget(self, figure: widgets.Widget) -> widgets.Widget:
        """The ipywidget of this control, linked in the browser to the figure's trait."""
        target = "value"
        look = {"description": self.label, "style": {"description_width": "initial"}}
        if self.kind in ("select", "scale"):
            target = "index"
            make = widgets.Dropdown if self.kind == "select" else widgets.SelectionSlider
            widget = make(options=[(text, i) for i, text in enumerate(self.options)], **look)
        elif self.kind == "check":
            widget = widgets.Checkbox(indent=False, **look)
        else:
            if self.kind == "play":
                make = widgets.Play
                look = {"interval": 800}
            else:
                make = widgets.IntSlider if self._whole else widgets.FloatSlider
            widget = make(min=self.min, max=self.last(figure), step=self.step, **look)
            if isinstance(self.max, str):
                widgets.jslink((figure, self.max), (widget, "max"))
        setattr(widget, target, figure.get_state(self.trait)[self.trait])
        widgets.jslink((figure, self.trait), (widget, target))
        return widget

    def offers_a_choice(self, figure: widgets.Widget) -> bool:
        """Whether there is more than one value to choose: where not, the control is not shown."""
        if self.kind == "select":
            return len(self.options) > 1
        return self.kind == "check" or bool(self.by) or self.last(figure) > self.min

    def last(self, figure: widgets.Widget) -> float:
        """Where it ends now."""
        if self.kind == "scale":
            return len(self.options) - 1
        end = self.ends if self.by else self.max
        for trait in self.by:
            end = end[figure.get_state(trait)[trait]]
        return getattr(figure, end) if isinstance(end, str) else end

    def check(self, figure: widgets.Widget, value):
        """Returns `value`, or raises FigureError where this control could not show it."""
        if self.kind in ("slider", "scale", "play") and not self.min <= value <= self.last(figure):
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
