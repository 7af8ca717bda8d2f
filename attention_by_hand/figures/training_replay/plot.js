// The losses of all runs, each named at its end, and a ball on each at the chosen step.

import { svgNode, widthOf } from "../kit/parts/dom.js";
import { lossChart, wrapped } from "../kit/shared/zones.js";

export const KINDS = ["first", "second", "third"];
export const PARTED = "here they part";
const MOST = 26; // letters of a name
const HEIGHT = 220; // pixels: what the models write and where they look stays in sight

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
 * The name of a run near the end of its curve: above all that lies under the name, or below the end
 * where a name stands already.
 */
const labelOf = ({ px, py, last, foot }, name, kind, run, taken) => {
  const right = px(last) - 14;
  const text = short(name);
  const left = right - widthOf(text, 600);
  const under = run.filter((_, step) => step === run.length - 1 || px(step) >= left - 4);
  const above = Math.min(...under.map(py)) - 8;
  const isFree = taken.every((y) => Math.abs(y - above) > 14);
  const y = isFree ? above : Math.min(py(run.at(-1)) + 20, foot - 5);
  taken.push(y);
  return svgNode("text", { x: right, y, "text-anchor": "end", class: `name ${kind}` }, text);
};

/**
 * The plot, `width` pixels wide: what `lossChart` gives, and `update(step, seen)`. Of the curves no
 * more is drawn than has been seen, up to that step.
 */
export const plotOf = ({ names, losses, zones, levels, steps, parting }, width) => {
  const lines = lossChart(zones, width, Math.max(1, steps - 1), { most: HEIGHT });
  const { node, px, py, top, foot, last } = lines;
  const parted = svgNode("text", { x: px(parting) + 8, y: foot - 8, class: "parted" }, PARTED);
  const cursor = svgNode("line", { y1: top, y2: foot, class: "cursor now" });
  const taken = [];
  const drawn = losses.map((run, i) => {
    const kind = KINDS[i % 3];
    const past = svgNode("path", { class: `line ${kind}` });
    const seenPart = svgNode("path", { class: `line ${kind} coming` });
    const whole = svgNode("path", { class: `line ${kind} whole`, d: lines.path(run) });
    const ball = svgNode("circle", { r: 9, class: `ball ${kind}` });
    const name = labelOf(lines, names[i], kind, run, taken);
    const to = (step, seen) => {
      seenPart.setAttribute("d", lines.path(run.slice(0, seen + 1)));
      past.setAttribute("d", lines.path(run.slice(0, step + 1)));
      ball.setAttribute("cx", px(step));
      ball.setAttribute("cy", py(run[step]));
    };
    return { nodes: [whole, seenPart, past, name], ball, to };
  });
  node.append(...marksOf(lines, levels), cursor, parted);
  node.append(...drawn.flatMap(({ nodes }) => nodes));
  node.append(...drawn.map(({ ball }) => ball));
  const update = (step, seen) => {
    node.classList.toggle("racing", seen < last);
    parted.toggleAttribute("hidden", step !== parting);
    for (const end of ["x1", "x2"]) cursor.setAttribute(end, px(step));
    for (const { to } of drawn) to(step, seen);
  };
  return { ...lines, update };
};
