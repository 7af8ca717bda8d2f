// The loss after each step of a run and of earlier ones, and the ball.

import { svgNode, widthOf } from "../kit/parts/dom.js";
import { lossChart, lossText } from "../kit/shared/zones.js";

const LEAST = 40; // pixels at the left for the curve itself, where it falls
const SAMPLE = 14; // the length of a line before a name that is not beside its own

/** Where the name of an earlier run stands: before the zones' names, or else under them. */
const placeOfGhost = (name, x, y, { px, foot, last, names, lines }) => {
  const end = Math.min(names, x) - 4;
  const beside = y + 16 > foot ? y - 6 : y + 16;
  const isRoom = end - widthOf(name) > px(0) + (x < names ? 0 : LEAST);
  if (isRoom) return { x: end, y: beside };
  if (x < names) return { x: px(0) + widthOf(name) + 4, y: beside };
  const under = lines.reduce((at, line) => (Math.abs(line - at) < 14 ? line + 15 : at), beside);
  return { x: px(last) - 14, y: under, isApart: true };
};

/** Earlier runs, pale, each named at its end; names that would meet are moved apart. */
const drawGhosts = (group, ghosts, lines) => {
  const { px, py, path, last } = lines;
  const ends = ghosts.map(({ name, losses }) => ({ name, y: py(losses.at(-1)), losses }));
  let free = -Infinity;
  const nodes = ends
    .sort((a, b) => a.y - b.y)
    .flatMap(({ name, y, losses }) => {
      const end = px(Math.min(last, losses.length - 1));
      const place = placeOfGhost(name, end, y, lines);
      free = Math.max(free + 14, place.y);
      const line = svgNode("path", { class: "line ghost", d: path(losses) });
      const text = { x: place.x, y: free, "text-anchor": "end", class: "ghost" };
      const x2 = place.x - widthOf(name) - 5;
      const sample = { x1: x2 - SAMPLE, x2, y1: free - 4, y2: free - 4, class: "line ghost" };
      const samples = place.isApart ? [svgNode("line", sample)] : [];
      return [line, svgNode("text", text, name), ...samples];
    });
  group.replaceChildren(...nodes);
};

/**
 * Where the ball's label stands: beside the ball, clear of the zones' names, or above the picture
 * where that is narrow.
 */
const placeOf = ({ x, y, wide }, { px, top, foot, last, names, lines }) => {
  if (names - px(0) < wide + 28) return { x: px(0), y: 10, isAbove: true };
  const isBelow = y - 26 > Math.max(...lines); // all names
  const end = isBelow ? px(last) : names;
  if (x + 14 + wide < end) return { x: x + 14, y: Math.max(top + 14, y - 12) };
  return { x: Math.max(px(0) + 6, Math.min(x, end) - 14 - wide), y: Math.min(foot - 6, y + 24) }; // no curve is there
};

/**
 * The plot, `width` pixels wide, of so many steps: what `lossChart` gives, and `update({losses,
 * step, ghosts})`.
 */
export const plotOf = (zones, width, last) => {
  const lines = lossChart(zones, width, last, { inside: true });
  const { node, px, py, top, foot, path } = lines;
  const [past, coming] = ["line second", "line coming"].map((kind) =>
    svgNode("path", { class: kind }),
  );
  const cursor = svgNode("line", { y1: top, y2: foot, class: "cursor" });
  const ball = svgNode("circle", { r: 9, class: "ball" });
  const label = svgNode("text", { class: "now" });
  const plate = svgNode("rect", { height: 19, rx: 4, class: "plate" }); // over what the label crosses
  const earlier = svgNode("g", {});
  node.append(earlier, coming, cursor, plate, past, ball, label);

  const update = ({ losses, step, ghosts }) => {
    const x = px(step);
    const y = py(losses[step]);
    const loss = losses[step];
    drawGhosts(earlier, ghosts, lines);
    past.setAttribute("d", path(losses.slice(0, step + 1)));
    coming.setAttribute("d", path(losses));
    for (const end of ["x1", "x2"]) cursor.setAttribute(end, x);
    ball.setAttribute("cx", x);
    ball.setAttribute("cy", y);
    label.textContent = `step ${step}, loss ${lossText(loss)}`;
    const wide = widthOf(label.textContent, 600);
    const place = placeOf({ x, y, wide }, lines);
    label.setAttribute("x", place.x);
    label.setAttribute("y", place.y);
    plate.setAttribute("x", place.x - 4);
    plate.setAttribute("y", place.y - 14);
    plate.setAttribute("width", place.isAbove ? 0 : wide + 8);
    lines.light(loss);
  };
  return { ...lines, update };
};
