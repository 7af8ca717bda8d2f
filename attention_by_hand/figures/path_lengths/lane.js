// One way of the message: the places of each layer, what each hears, and the message, which is
// dragged along its way.

import { h, svgNode } from "../kit/parts/dom.js";
import { drag, pointIn } from "../kit/parts/drag.js";
import { toldOf } from "./told.js";
import { counted, stepsOf } from "./ways.js";

const EDGE = 12;

/**
 * Where the places of a way lie: `x(place)`, `y(row)`, and the place that is reached after so many
 * steps.
 */
const gridOf = ({ height, reach, flat }, { n, k, width }) => {
  const far = reach(n, k);
  const steps = stepsOf({ reach }, n, k);
  const rows = flat ? 0 : steps;
  const right = (width - 2 * EDGE) / (n - 1);
  const up = rows ? (height - 2 * EDGE) / rows : height;
  const x = (place) => (EDGE + place * right).toFixed(2);
  const y = (row) => (rows ? height - EDGE - row * up : height / 2).toFixed(2);
  const place = (step) => Math.min(step * far, n - 1);
  return { n, far, steps, rows, right, up, x, y, place };
};

/** The lines from all that a place hears to that place. */
const hearsIn = ({ far, steps, x, y, place }) => {
  let lines = "";
  for (let i = 1; i <= steps; i++) {
    for (let from = Math.max(0, place(i) - far); from <= place(i); from++)
      lines += `M${x(from)} ${y(i - 1)}L${x(place(i))} ${y(i)}`;
  }
  return lines;
};

/** The path through the places that are reached layer by layer. */
const routeIn = ({ n, rows, x, y }, reached) => {
  let d = `M${x(0)} ${y(0)}`;
  for (let row = 1, place = 0; row <= rows && place < n - 1; row++) {
    place = Math.min(reached(row), n - 1);
    d += `L${x(place)} ${y(row)}`;
  }
  return d;
};

/**
 * The dots: each row of them is one line of dashes without a length, a little longer, so that the
 * last is not lost.
 */
const dotsIn = ({ n, right, up, x, y }, rows) => {
  const row = (_, i) => `M${x(0)} ${y(i)}H${Number(x(n - 1)) + 0.1}`;
  return {
    d: Array.from({ length: rows }, row).join(""),
    "stroke-dasharray": `0 ${right}`,
    "stroke-width": Math.min(6, 0.6 * right, 0.6 * up),
  };
};

/**
 * Draws one way. `show({ n, k, step, width })` answers with how many steps there are, how many are
 * taken, the place that is reached, and what is heard there; `route(reached)` is the path through
 * other places, see above; `go(step)` is called as the message is dragged. `heard` is the message
 * after each step.
 */
export const laneOf = (name, way, heard, go) => {
  const { height, how, flat } = way;
  const [hears, places, whole, stops, gone] = ["hears", "places", "way", "stops", "gone"].map(
    (part) => svgNode("path", { class: part }),
  );
  const goal = svgNode("circle", { class: "goal", r: 6 });
  const message = svgNode("circle", { class: "message", r: 8 });
  const svg = svgNode("svg", { class: "chart", role: "img", height });
  const told = toldOf(heard[0]);
  svg.append(hears, places, whole, stops, goal, gone, told.node, message);
  const rule = h("span", { className: "plain" });
  const count = h("span", { className: "count" });
  let grid = null;
  drag(svg, {
    move: (event) => {
      const place = (pointIn(svg, event).x - EDGE) / grid.right;
      go(Math.max(0, Math.min(grid.steps, Math.round(place / grid.far))));
    },
  });

  const route = (reached) => routeIn(grid, reached);
  const show = ({ n, k, step, width }) => {
    grid = gridOf(way, { n, k, width });
    const { far, steps, right, x, y, place } = grid;
    const taken = Math.min(step, steps);
    const all = Array.from({ length: steps + 1 }, (_, i) => i);
    const at = (step) => `${x(place(step))} ${y(step)}`;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    hears.setAttribute("d", hearsIn(grid));
    const dots = dotsIn(grid, flat ? 1 : steps + 1);
    for (const [name, value] of Object.entries(dots)) places.setAttribute(name, value);
    whole.setAttribute("d", `M${all.map(at).join("L")}`);
    stops.setAttribute("d", all.map((i) => `M${at(i)}h0`).join(""));
    stops.setAttribute("stroke-width", Math.min(7, 0.8 * right * far));
    gone.setAttribute("d", `M${all.map((i) => at(Math.min(i, taken))).join("L")}`);
    for (const [circle, step] of [
      [goal, steps],
      [message, taken],
    ]) {
      circle.setAttribute("cx", x(place(step)));
      circle.setAttribute("cy", y(step));
    }
    rule.textContent = how(n, k);
    const total = counted(steps, "step");
    count.textContent = taken === steps ? `arrived: ${total}` : `${taken} of ${total}`;
    told.to(heard[taken], Number(x(place(taken))), Number(y(taken)), width);
    const where = `is at word ${place(taken) + 1} of ${n}, heard as ${heard[taken]}`;
    svg.setAttribute("aria-label", `${name}: the message ${where}`);
    return [steps, taken, place(taken) + 1, heard[taken]];
  };
  const title = h("p", { className: "title" }, name, " ", rule, count);
  const node = h("section", { className: "lane" }, title, svg);
  return { node, title, svg, rule, count, show, route };
};
