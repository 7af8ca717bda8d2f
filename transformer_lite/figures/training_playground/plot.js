// The loss after each step, over zones that say what a model may know whose loss is so low.

import { chart } from "../kit/charts.js";
import { svgNode, widthOf } from "../kit/dom.js";
import { lossText } from "./measures.js";

const [LOW, HIGH] = [0.001, 6];
const LINE = 15; // pixels between the lines of a name
const [NARROW, WIDE] = [96, 190]; // pixels for the names of the zones
const NEAR = 560; // below that width, the names take less room

/** A text in lines no wider than `room`. */
const wrapped = (text, room) => {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (widthOf(longer, 600) > room && lines.at(-1)) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
};

/** The zones as stripes, each with its name at the right; `light(index)` marks one. */
const zonesOf = (lines, zones, last, room) => {
  const [left, right] = [lines.px(0), lines.px(last)];
  let [from, free] = [HIGH, 0];
  const drawn = zones.map(([name, lower], i) => {
    const [top, bottom] = [lines.py(from), lines.py(Math.max(LOW, lower))];
    from = Math.max(LOW, lower);
    const box = { x: left, y: top, width: right - left, height: Math.max(0, bottom - top) };
    const stripe = svgNode("rect", { ...box, class: `zone zone${i}` });
    const parts = wrapped(name, room - 16);
    const y = Math.max(free, Math.min(top + 14, (top + bottom) / 2 + 4));
    free = y + LINE * parts.length + 3;
    const text = svgNode("text", { y, class: "zone" });
    parts.forEach((part, j) => {
      text.append(svgNode("tspan", { x: right + 14, dy: j ? LINE : 0 }, part));
    });
    const beside = Math.max(top + 1, Math.min(bottom - 1, y - 4));
    const d = `M${right} ${beside}h4L${right + 11} ${y - 4}`;
    const lead = svgNode("path", { d, class: "lead" });
    return box.height > 0 ? { lower, text, nodes: [stripe, lead, text] } : null;
  });
  const seen = drawn.filter((zone) => zone !== null);
  const light = (loss) => {
    const here = seen.findIndex(({ lower }) => loss > lower);
    seen.forEach(({ text }, i) => text.classList.toggle("here", i === here));
  };
  return { nodes: seen.flatMap(({ nodes }) => nodes), light };
};

/** Earlier runs, pale, each named at its end; names that would meet are moved apart. */
const drawGhosts = (group, ghosts, { px, at, path, last }) => {
  const ends = ghosts.map(({ name, losses }) => ({ name, y: at(losses.at(-1)), losses }));
  let free = -Infinity;
  const nodes = ends
    .sort((a, b) => a.y - b.y)
    .flatMap(({ name, y, losses }) => {
      free = Math.max(free + 14, y - 6);
      const x = Math.max(px(Math.min(last, losses.length - 1)), px(0) + widthOf(name) + 4);
      const label = svgNode(
        "text",
        { x: x - 4, y: free, "text-anchor": "end", class: "ghost" },
        name,
      );
      return [svgNode("path", { class: "line ghost", d: path(losses) }), label];
    });
  group.replaceChildren(...nodes);
};

/** The plot, `width` pixels wide, of so many steps: {node, px, py, stepAt(x), update({losses, shown, ghosts})}. */
export const plotOf = (zones, width, last) => {
  const room = width < NEAR ? NARROW : WIDE;
  const height = width < NEAR ? 250 : 290;
  const lines = chart({
    label: "loss after each step",
    x: [0, last + (last * room) / (width - 44 - room)],
    y: [LOW, HIGH],
    xTicks: [0, 1, 2, 3, 4].map((quarter) => (quarter * last) / 4),
    yTicks: [0.01, 0.1, 1],
    width,
    height,
    log: true,
  });
  const { px, py } = lines;
  const at = (loss) => py(Math.min(HIGH, Math.max(LOW, Number.isFinite(loss) ? loss : HIGH)));
  const path = (losses) =>
    losses.map((y, i) => `${i ? "L" : "M"}${px(i).toFixed(1)} ${at(y).toFixed(1)}`).join("");
  const { nodes, light } = zonesOf(lines, zones, last, room);
  const [past, coming] = ["line second", "line coming"].map((kind) =>
    svgNode("path", { class: kind }),
  );
  const cursor = svgNode("line", { y1: py(HIGH), y2: py(LOW), class: "cursor" });
  const ball = svgNode("circle", { r: 9, class: "ball" });
  const label = svgNode("text", { class: "now" });
  const earlier = svgNode("g", {});
  lines.node.classList.add("losses");
  lines.node.prepend(...nodes);
  const names = [
    svgNode("text", { x: 0, y: 12 }, "loss"),
    svgNode("text", { x: px(last) + 14, y: height - 10 }, "steps"),
  ];
  lines.node.append(...names, earlier, coming, past, cursor, ball, label);
  const update = ({ losses, shown, ghosts }) => {
    const [x, y, loss] = [px(shown), at(losses[shown]), losses[shown]];
    drawGhosts(earlier, ghosts, { px, at, path, last });
    past.setAttribute("d", path(losses.slice(0, shown + 1)));
    coming.setAttribute("d", path(losses));
    for (const end of ["x1", "x2"]) cursor.setAttribute(end, x);
    ball.setAttribute("cx", x);
    ball.setAttribute("cy", y);
    label.textContent = `step ${shown}, loss ${lossText(loss)}`;
    const beyond = x + 14 + widthOf(label.textContent, 600) > px(last);
    label.setAttribute("text-anchor", beyond ? "end" : "start");
    label.setAttribute("x", beyond ? x - 14 : x + 14);
    const over = Math.max(py(HIGH) + 14, y - 12);
    label.setAttribute("y", beyond ? Math.min(py(LOW) - 6, y + 24) : over); // where the curve is not
    light(loss);
  };
  const stepAt = (x) => Math.round((x - px(0)) / (px(1) - px(0)));
  return { node: lines.node, px, py: at, last, stepAt, update };
};
