// How many steps each way has at every length, and the length, which is dragged.

import { chart } from "../kit/parts/charts.js";
import { h, svgNode } from "../kit/parts/dom.js";
import { drag, pointIn } from "../kit/parts/drag.js";
import { heading } from "../kit/parts/tables.js";
import { stepsOf, WAYS } from "./ways.js";

const LEAST = 2; // words
const MOST = 64;
const HEIGHT = 180;
const NAMES = 90; // pixels: the room of a line's name behind its end
const APART = 16; // pixels: from one name to the next
const ROOM = 8; // steps: for a name above the highest line
// from the bottom of the chart up: at every length the last has the most steps
const ORDER = ["attention", "convolution", "recurrence"];

const gripOf = (lines) => {
  const line = svgNode("line", { y1: lines.py(MOST), y2: lines.py(0), class: "hold" });
  const box = svgNode("rect", { y: HEIGHT - 26, width: 48, height: 24, rx: 12, class: "hold" });
  const number = svgNode("text", { y: HEIGHT - 10, class: "hold", "text-anchor": "middle" });
  const to = (n) => {
    const x = lines.px(n);
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
    const at = (words) => `${lines.px(words)} ${lines.py(stepsOf(WAYS[name], words, k))}`;
    const all = Array.from({ length: last - LEAST + 1 }, (_, i) => LEAST + i);
    path.setAttribute("d", `M${all.map(at).join("L")}`);
    const count = stepsOf(WAYS[name], n, k);
    dot.setAttribute("cx", lines.px(n));
    dot.setAttribute("cy", lines.py(count));
    const y = Math.min(lines.py(stepsOf(WAYS[name], last, k)) + 4, below - APART);
    text.setAttribute("x", lines.px(last) + 10);
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
  const title = heading("steps at every length");
  const node = h(
    "section",
    { className: "counts" },
    title,
    now,
    lines.node,
    h("p", { className: "ask" }, button),
  );
  const fit = (width) => {
    const room = ((MOST - LEAST) * NAMES) / (width - 44 - NAMES); // in words
    const next = chart({
      label: "steps of each way at every length",
      x: [LEAST, MOST + room],
      y: [0, MOST + ROOM],
      xTicks: [16, 32, 48, 64],
      yTicks: [0, 20, 40, 60],
      height: HEIGHT,
      width,
    });
    parts = { lines: ORDER.map((name) => lineOf(next, name)), grip: gripOf(next) };
    const words = svgNode("text", { x: next.px(MOST) + 24, y: HEIGHT - 10 }, "words");
    next.node.append(words, ...parts.grip.nodes, ...parts.lines.flatMap(({ nodes }) => nodes));
    const one = next.px(1) - next.px(0);
    drag(next.node, {
      move: (event) => {
        const n = Math.round((pointIn(next.node, event).x - next.px(0)) / one);
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
