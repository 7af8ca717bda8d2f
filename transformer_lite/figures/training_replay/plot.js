// The losses of all runs, each named at its end, and a ball on each at the chosen step.

import { svgNode } from "../kit/dom.js";
import { lossChart, wrapped } from "../kit/zones.js";

export const KINDS = ["first", "second", "third"];
const MOST = 26; // letters of a name

const short = (name) => (name.length > MOST ? `${name.slice(0, MOST - 1)}…` : name);

/** Losses that are marked by a name, at the right. */
const marksOf = ({ px, py, last, room }, levels) =>
  Object.entries(levels).flatMap(([name, level]) => {
    const right = px(last);
    const y = py(level);
    const text = svgNode("text", { y: y + 4 });
    wrapped(short(name), room - 10).forEach((part, i) => {
      text.append(svgNode("tspan", { x: right + 8, dy: i ? 15 : 0 }, part));
    });
    return [svgNode("line", { x1: px(0), x2: right, y1: y, y2: y, class: "cursor level" }), text];
  });

/**
 * The name of a run: over the end of the highest curve, under the ends of the others, where no
 * curve is.
 */
const labelOf = ({ px, py, foot, last }, name, kind, loss, highest) => {
  const end = py(loss);
  const y = highest ? end - 9 : Math.min(end + 20, foot - 5);
  const place = { x: px(last) - 12, y, "text-anchor": "end", class: `name ${kind}` };
  return svgNode("text", place, short(name));
};

/** The plot, `width` pixels wide: what `lossChart` gives, and `update(step)`. */
export const plotOf = ({ names, losses, zones, levels, steps }, width) => {
  const lines = lossChart(zones, width, Math.max(1, steps - 1));
  const { node, px, py, top, foot } = lines;
  const most = Math.max(...losses.map((run) => run.at(-1)));
  const cursor = svgNode("line", { y1: top, y2: foot, class: "cursor now" });
  const drawn = losses.map((run, i) => {
    const kind = KINDS[i % 3];
    const past = svgNode("path", { class: `line ${kind}` });
    const coming = svgNode("path", { class: `line ${kind} coming`, d: lines.path(run) });
    const ball = svgNode("circle", { r: 9, class: `ball ${kind}` });
    const name = labelOf(lines, names[i], kind, run.at(-1), run.at(-1) === most);
    const to = (step) => {
      past.setAttribute("d", lines.path(run.slice(0, step + 1)));
      ball.setAttribute("cx", px(step));
      ball.setAttribute("cy", py(run[step]));
    };
    return { nodes: [coming, past, name], ball, to };
  });
  node.append(...marksOf(lines, levels), cursor, ...drawn.flatMap(({ nodes }) => nodes));
  node.append(...drawn.map(({ ball }) => ball));
  const update = (step) => {
    for (const end of ["x1", "x2"]) cursor.setAttribute(end, px(step));
    for (const { to } of drawn) to(step);
  };
  return { ...lines, update };
};
