// A loss on its axis, over zones that say which ignorant model would lose as much.

import { chart } from "../parts/charts.js";
import { svgNode, widthOf } from "../parts/dom.js";

const LOW = 0.0002;
const HIGH = 6;
const LINE = 17; // pixels between the lines of a name
const NARROW = 108; // pixels for the names of the zones
const WIDE = 200;
const BARE = 52; // where the names are inside: for the word below
const NEAR = 560; // below that width, the names take less room

/** A loss as it is said: two digits that count. */
export const lossText = (loss) => {
  if (!Number.isFinite(loss)) return "infinite: the weights have burst";
  if (loss >= 1) return loss.toFixed(2);
  return loss < 0.0001 ? loss.toExponential(1) : loss.toPrecision(2);
};

/** A text in lines no wider than `room`. */
export const wrapped = (text, room) => {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (widthOf(longer, 600) > room && lines.at(-1)) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
};

/** How high the letters of a name are, and what stands over their line. */
const ROOM = 15;

/**
 * The zones as stripes, each with its name: at the right, or in it as in a layer of rock; one that
 * is too thin for that has it below. `light(loss)` marks the zone that a loss lies in.
 */
const zonesOf = ({ px, py }, zones, last, { room, inside }) => {
  const left = px(0);
  const right = px(last);
  const side = inside ? -1 : 1;
  let from = HIGH;
  let free = 0;
  const drawn = zones.map(([name, lower], i) => {
    const top = py(from);
    const bottom = py(Math.max(LOW, lower));
    from = Math.max(LOW, lower);
    const box = { x: left, y: top, width: right - left, height: Math.max(0, bottom - top) };
    const stripe = svgNode("rect", { ...box, class: `zone zone${i}` });
    const parts = inside ? [name] : wrapped(name, room - 16);
    const isThin = inside && bottom - top < ROOM;
    const y = Math.max(free, isThin ? bottom + ROOM : Math.min(top + 14, (top + bottom) / 2 + 4));
    free = y + LINE * parts.length + 3;
    const text = svgNode("text", { y, class: "zone", "text-anchor": inside ? "end" : "start" });
    parts.forEach((part, j) => {
      text.append(svgNode("tspan", { x: right + side * 14, dy: j ? LINE : 0 }, part));
    });
    const beside = Math.max(top + 1, Math.min(bottom - 1, y - 4));
    const lead = svgNode("path", {
      d: `M${right} ${beside}h${side * 4}L${right + side * 11} ${y - 4}`,
      class: "lead",
    });
    return box.height > 0 ? { lower, y, text, nodes: [stripe, lead, text] } : null;
  });
  const seen = drawn.filter((zone) => zone !== null);
  const light = (loss) => {
    const here = seen.findIndex(({ lower }) => loss > lower);
    seen.forEach(({ text }, i) => text.classList.toggle("here", i === here));
  };
  return { nodes: seen.flatMap(({ nodes }) => nodes), lines: seen.map(({ y }) => y), light };
};

/**
 * Axes for the losses of so many steps, `width` pixels wide and `most` high where they are wide,
 * with their zones, named `inside` or at the right; a loss beyond the axis is at its end. Inside,
 * the names begin at `names`, and their letters stand on the `lines`.
 */
export const lossChart = (zones, width, last, { most = 290, inside = false } = {}) => {
  const beside = width < NEAR ? NARROW : WIDE;
  const room = inside ? BARE : beside;
  const height = width < NEAR ? 250 : most;
  const lines = chart({
    label: "loss after each step",
    x: [0, last + (last * room) / (width - 48 - room)],
    y: [LOW, HIGH],
    xTicks: [...new Set([0, 1, 2, 3, 4].map((quarter) => Math.round((quarter * last) / 4)))],
    yTicks: [0.001, 0.01, 0.1, 1],
    width,
    height,
    log: true,
  });
  const { px } = lines;
  const py = (loss) => lines.py(Number.isFinite(loss) ? Math.min(HIGH, Math.max(LOW, loss)) : HIGH);
  const { nodes, light, lines: named } = zonesOf(lines, zones, last, { room, inside });
  const wide = Math.max(...zones.map(([name]) => widthOf(name, 600)));
  lines.node.classList.add("losses");
  lines.node.prepend(...nodes);
  lines.node.append(
    svgNode("text", { x: 0, y: 12 }, "loss"),
    svgNode("text", { x: px(last) + 14, y: height - 10 }, "steps"),
  );
  const path = (losses) =>
    losses.map((y, i) => `${i ? "L" : "M"}${px(i).toFixed(1)} ${py(y).toFixed(1)}`).join("");
  const stepAt = (x) => Math.round((x - px(0)) / (px(1) - px(0)));
  return {
    node: lines.node,
    px,
    py,
    room,
    lines: named,
    names: px(last) - (inside ? wide + 20 : 0),
    top: py(HIGH),
    foot: py(LOW),
    last,
    path,
    stepAt,
    light,
  };
};
