"""A figure's modules, joined: imports as an editor knows them, names that do not clash, workers,
reloading.
"""

import importlib.util
import os
import re
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from traitlets import Int

from attention_by_hand.figures import OneWeight, PathLengths, Recall
from attention_by_hand.figures.kit import bundle
from attention_by_hand.figures.kit import figure as base
from attention_by_hand.figures.kit.figure import HERE, Control, Figure, FigureError, Table


@pytest.fixture
def write(tmp_path):
    """Writes modules, `write(**{"a": code, "inner_b": code})`: inner_b is inner/b.js. Returns the
    first one's path.
    """

    def write(**modules):
        paths = [tmp_path / f"{name.replace('_', '/')}.js" for name in modules]
        for path, code in zip(paths, modules.values(), strict=True):
            path.parent.mkdir(exist_ok=True)
            path.write_text(code, "utf-8")
        return paths[0]

    return write


def test_the_figure_that_shows_how_to_write_one_is_right(write):
    part = re.search(r"^`figure\.js` +(import .*?)^`style\.css`", base.__doc__, re.M | re.S)[1]
    turn = textwrap.dedent(" " * 14 + part).strip() + "\n"
    kit = os.path.relpath(HERE, write(empty="").parent)
    file = write(turn=turn.replace("../kit", f"./{kit}"))
    assert "of a turn" in bundle.script(file)
    biome = [
        Path(sys.executable).with_name("biome"),
        "format",
        "--stdin-file-path=attention_by_hand/figures/turn/figure.js",
    ]
    assert subprocess.run(biome, input=turn, text=True, capture_output=True).stdout == turn


class Counter(Figure):
    """A figure as a newcomer writes it, with top-level names that the host uses too."""

    title = "Counter"
    constants = {"most": 3}
    count = Int(1).tag(sync=True)

    def controls(self):
        return [Control("count", "count", max=self.constants["most"])]

    def as_table(self):
        return Table("Counter", ["count"], [["now", self.count]])


COUNTER = """import { h as element } from "KIT/parts/dom.js";
import { frame } from "KIT/runtime/frame.js";
const [input, model, state, home, panel, host, put] = "1234567";
const figure = {
  render({ model, el }) {
    const base = frame(el, model);
    const text = element("p");
    base.body.append(text);
    const update = () => {
      const count = `${model.get("count")} of ${base.constants.most}`;
      text.textContent = `WORD ${count} ${input}${state}${home}`;
      base.root.dataset.count = model.get("count");
    };
    model.on("change:count", update);
    update();
    return () => base.dispose();
  },
};
export default figure;
"""


@pytest.fixture
def counter(write, monkeypatch):
    """A Counter whose module lies outside the package, and the path of that module."""
    path = write(counter="")
    path.write_text(COUNTER.replace("KIT", os.path.relpath(HERE.resolve(), path.parent.resolve())))
    path.with_name("style.css").write_text("p { color: rgb(1, 2, 3); }")
    monkeypatch.setattr(Counter, "module", path, raising=False)
    return path


def test_a_figure_may_use_any_name_and_lie_anywhere(counter, open_figures):
    page = open_figures(Counter(), Counter(count=2))
    texts = page.locator(".body p").all_inner_texts()
    assert texts == ["WORD 1 of 3 134", "WORD 2 of 3 134"]
    assert (
        page.locator(".body p").first.evaluate("p => getComputedStyle(p).color") == "rgb(1, 2, 3)"
    )
    page.get_by_role("slider", name="count").first.press("ArrowRight")
    assert page.locator("figure").first.get_attribute("data-count") == "2"


def test_a_control_of_nothing_or_of_a_kind_that_is_not_is_refused(counter):
    class Wrong(Counter):
        def controls(self):
            return [Control("amount", "count", max=3)]

    with pytest.raises(FigureError, match="control of 'amount', but no such trait"):
        Wrong()
    with pytest.raises(FigureError, match="0 to 3"):
        Counter(count=4)
    with pytest.raises(FigureError, match="whole steps"):
        Control("count", "count", "play", max=1, step=0.5)
    with pytest.raises(FigureError, match="on_page=False"):
        Control("count", "count", "play", max=1)
    with pytest.raises(FigureError, match="'slider', 'scale'"):
        Control("count", "count", "knob")


def test_modules_are_joined_in_order_with_their_own_names(write, browser):
    entry = write(
        a="""import { twice, other as b } from "./inner/b.js";
import * as c from "./c.js";
import four from "./c.js";
const x = 1;
export default { sum: x + twice(b) + c.x + four };""",
        inner_b="""import { x } from "../c.js";
/* one */ const y = 3; // kept
/* gone
   altogether */
export function twice(n) {
  return 2 * n;
}
const hidden = x - 10;
export { hidden as other, y };""",
        c="export const x = 20;\nexport default 4;",
    )
    assert [path.name for path in bundle.files(entry)] == ["c.js", "b.js", "a.js"]
    page = browser.new_page()
    code = bundle.module(entry).replace("export default", "return")
    assert page.evaluate(f"(() => {{ {code} }})()") == {"sum": 1 + 2 * 10 + 20 + 4}
    page.close()


@pytest.mark.parametrize(
    "modules, message",
    [
        ({"a": 'import { b } from "./b.js";'}, "imports .*b.js, which is not there"),
        (
            {"a": 'import { b } from "./b.js";', "b": "const b = 1;"},
            r"\['b'\], which b.js does not export",
        ),
        (
            {"a": 'import "./b.js";', "b": 'import "./a.js";'},
            "a.js imports b.js imports a.js: a circle",
        ),
        ({"a": 'import d, { b } from "./b.js";', "b": "export const b = 1;"}, "is not known here"),
        ({"a": 'import { b } from "three";'}, "is not known to the bundler"),
        ({"a": "export let b = 1;"}, "is not known to the bundler"),
        (
            {"a": 'export { b } from "./b.js";', "b": "export const b = 1;"},
            "is not known to the bundler",
        ),
        ({"a": "const n = 1, a = `${n ? `, ${n} more` : n}`;"}, "a.js: .* is a template within"),
    ],
)
def test_what_it_cannot_join_it_names(write, modules, message):
    with pytest.raises(bundle.BundleError, match=message):
        bundle.module(write(**modules))


def test_a_quoted_module_is_the_code_of_a_worker_also_from_a_file(write, browser, tmp_path):
    entry = write(
        a="""import code from "./inner/worker.js?script";
const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
worker.onmessage = ({ data }) => { document.title = data; };
worker.postMessage(20);""",
        inner_worker="""import { twice } from "../b.js";
self.onmessage = ({ data }) => self.postMessage(`${twice(data)}</script>`);""",
        b="export const twice = (n) => 2 * n;",
    )
    assert {path.name for path in bundle.files(entry)} == {"a.js", "b.js", "worker.js"}
    code = bundle.script(entry)
    assert "</script" not in code, "it may stand in a page"
    (tmp_path / "page.html").write_text(f"<script>{code}</script>", "utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    page.wait_for_function("document.title === '40</script>'")
    page.close()


def wait(condition):
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "nothing was reloaded"
        time.sleep(0.05)


def test_comments_stay_at_home_and_strings_travel_whole(write):
    strings = ['"x; // nor"', "`{ // this`", "`one\n  // two\n  three`", '"a:  b,  c"']
    lines = "".join(f"f({string});\n" for string in strings)
    code = bundle.script(write(a=f"// The idea.\n{lines}/* Not this. */"))
    assert all(string in code for string in strings)
    assert "idea" not in code and "Not this" not in code


def test_a_style_keeps_the_blanks_that_say_something(counter):
    style = '@container (width > 9px) { p :is(a) { content: "x:  y,  z"; } }'
    counter.with_name("style.css").write_text(f"/* so */{style.replace(' { ', ' {  ')}/* there */")
    assert base.own_style(counter) == style


def test_a_page_has_the_code_of_its_figures_once(open_figures, monkeypatch):
    file = HERE.parents[2] / "_ext" / "book_data.py"
    spec = importlib.util.spec_from_file_location("book_data", file)
    book_data = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(book_data)
    figures = OneWeight(), PathLengths(), Recall(), OneWeight()
    monkeypatch.setenv("BOOK_BUILD", "1")
    named = "".join(figure.snapshot() for figure in figures)
    assert "$parts_dom" not in named and "border-radius" not in named, "neither script nor style"
    body = book_data.with_code(named)
    modules = re.findall(r"^const (\$\w+) = \(\(\) => \{$", body, re.M)
    assert "$parts_dom" in modules and len(modules) == len(set(modules))
    assert body.count(bundle.quoted(base.style())) == 1
    assert book_data.with_code("<p>No figure.</p>") == "<p>No figure.</p>"
    page = open_figures(SimpleNamespace(snapshot=lambda: body))
    looks = page.locator("figure.figure").evaluate_all(
        "all => all.map((one) => getComputedStyle(one).borderRadius)"
    )
    assert looks == ["8px"] * 4
    whole = page.locator(".tl-figure").evaluate_all(
        "all => all.map((one) => one.shadowRoot.querySelector('style').textContent)"
    )
    assert whole == [figure._style for figure in figures]


def test_a_figure_from_elsewhere_brings_its_code_into_the_book(counter, monkeypatch):
    alone = Counter().snapshot()
    monkeypatch.setenv("BOOK_BUILD", "1")
    assert Counter().snapshot() == alone
