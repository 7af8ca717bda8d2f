// How many steps each way has at every length, and the length, which is dragged. Both axes double
// from mark to mark: so seven words fill the chart, and so do sixty-four.

import { chart } from "../kit/parts/charts.js";
import { h, svgNode } from "../kit/parts/dom.js";
import { drag, pointIn } from "../kit/parts/drag.js";
import { heading } from "../kit/parts/tables.js";
import { stepsOf, WAYS } from "./ways.js";

const LEAST = 2; // words
const MOST = 64;
const HEIGHT = 230;
const NAMES = 90; // pixels: the room of a line's name behind its end
const APART = 16; // pixels: from one name to the next
const ROOM = 0.4; // doublings: for a name above the highest line, and the grip under the lowest
const MARKS = [1, 2, 3, 4, 5, 6]; // doublings
const level = Math.log2;
const doubled = (times) => `${2 ** times}`;
// from the bottom of the chart up: at every length the last has the most steps
const ORDER = ["attention", "convolution", "recurrence"];

const gripOf = (lines) => {
  const line = svgNode("line", { y1: lines.py(level(MOST)), y2: lines.py(-ROOM), class: "hold" });
  const box = svgNode("rect", { y: HEIGHT - 26, width: 48, height: 24, rx: 12, class: "hold" });
  const number = svgNode("text", { y: HEIGHT - 10, class: "hold", "text-anchor": "middle" });
  const to = (n) => {
    const x = lines.px(level(n));
    for (const end of ["x1", "x2"]) line.setAttribute(end, x);
    box.setAttribute("x", x - 24);
    lines.makeRoom(x, 48);
    number.setAttribute("x", x);
    number.textContent = `◂ ${n} ▸`;
  };
  return { nodes: [line, box, number], to };
};

/** A way's line, the dot where the length is now, and at its end its name. */
const lineOf = (lines, name) => {
  const path = svgNode("path", { class: `line ${name}` });
  const dot = svgNode("circle", { r: 4.5, class: `mark solid ${name}` });
  const text = svgNode("text", { class: `name ${name}` }, name);
  const to = ({ n, k, last }, below) => {
    const up = (words) => lines.py(level(stepsOf(WAYS[name], words, k)));
    const at = (words) => `${lines.px(level(words))} ${up(words)}`;
    const all = Array.from({ length: last - LEAST + 1 }, (_, i) => LEAST + i);
    path.setAttribute("d", `M${all.map(at).join("L")}`);
    dot.setAttribute("cx", lines.px(level(n)));
    dot.setAttribute("cy", up(n));
    const y = Math.min(up(last) + 4, below - APART);
    text.setAttribute("x", lines.px(level(last)) + 10);
    text.setAttribute("y", y);
    return y;
  };
  return { nodes: [path, dot, text], to };
};

/**
 * The chart. `fit(width)` draws it so wide, `update({ n, k }, known)` shows the length, and
 * `choose(n)` is told of another. Where a question asks for longer sentences, the lines end at this
 * length until it is known: `button` asks.
 */
export const countsOf = (choose, button) => {
  let lines = { node: h("div") };
  let parts = { lines: [], grip: null };
  const now = h("p", { className: "note" });
  const title = heading("steps at every length", "each mark doubles");
  const node = h(
    "section",
    { className: "counts" },
    title,
    now,
    lines.node,
    h("p", { className: "ask" }, button),
  );
  const fit = (width) => {
    const room = (level(MOST / LEAST) * NAMES) / (width - 44 - NAMES); // in doublings
    const next = chart({
      label: "steps of each way at every length",
      x: [level(LEAST), level(MOST) + room],
      y: [-ROOM, level(MOST) + ROOM],
      xTicks: MARKS,
      yTicks: [0, ...MARKS],
      xText: doubled,
      height: HEIGHT,
      width,
    });
    parts = { lines: ORDER.map((name) => lineOf(next, name)), grip: gripOf(next) };
    for (const axis of next.node.querySelectorAll(".axis"))
      axis.setAttribute("x2", next.px(level(MOST)));
    const words = svgNode("text", { x: next.px(level(MOST)) + 32, y: HEIGHT - 10 }, "words");
    next.node.append(words, ...parts.grip.nodes, ...parts.lines.flatMap(({ nodes }) => nodes));
    const one = next.px(1) - next.px(0);
    drag(next.node, {
      move: (event) => {
        const n = Math.round(2 ** ((pointIn(next.node, event).x - next.px(0)) / one));
        choose(Math.max(LEAST, Math.min(MOST, n)));
      },
    });
    lines.node.replaceWith(next.node);
    lines = next;
  };
  const update = ({ n, k }, known) => {
    parts.grip.to(n);
    const steps = ORDER.toReversed().map((name) => `${name} ${stepsOf(WAYS[name], n, k)}`);
    now.textContent = `from the first of ${n} words to the last: ${steps.join(", ")}`;
    const last = known ? MOST : n;
    button.hidden = known;
    parts.lines.reduce((below, line) => line.to({ n, k, last }, below), Infinity);
  };
  return { node, fit, update };
};
