// A loss on its axis, over zones that say which ignorant model would lose as much.

import { chart } from "../parts/charts.js";
import { svgNode, widthOf } from "../parts/dom.js";

const LOW = 0.0002;
const HIGH = 6;
const LINE = 15; // pixels between the lines of a name
const NARROW = 96; // pixels for the names of the zones
const WIDE = 190;
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

/**
 * The zones as stripes, each with its name at the right; `light(loss)` marks the one that it lies
 * in.
 */
const zonesOf = ({ px, py }, zones, last, room) => {
  const left = px(0);
  const right = px(last);
  let from = HIGH;
  let free = 0;
  const drawn = zones.map(([name, lower], i) => {
    const top = py(from);
    const bottom = py(Math.max(LOW, lower));
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
    const lead = svgNode("path", {
      d: `M${right} ${beside}h4L${right + 11} ${y - 4}`,
      class: "lead",
    });
    return box.height > 0 ? { lower, text, nodes: [stripe, lead, text] } : null;
  });
  const seen = drawn.filter((zone) => zone !== null);
  const light = (loss) => {
    const here = seen.findIndex(({ lower }) => loss > lower);
    seen.forEach(({ text }, i) => text.classList.toggle("here", i === here));
  };
  return { nodes: seen.flatMap(({ nodes }) => nodes), light };
};

/**
 * Axes for the losses of so many steps, `width` pixels wide and `most` high where they are wide,
 * with their zones; a loss beyond the axis is at its end.
 */
export const lossChart = (zones, width, last, most = 290) => {
  const room = width < NEAR ? NARROW : WIDE;
  const height = width < NEAR ? 250 : most;
  const lines = chart({
    label: "loss after each step",
    x: [0, last + (last * room) / (width - 44 - room)],
    y: [LOW, HIGH],
    xTicks: [...new Set([0, 1, 2, 3, 4].map((quarter) => Math.round((quarter * last) / 4)))],
    yTicks: [0.001, 0.01, 0.1, 1],
    width,
    height,
    log: true,
  });
  const { px } = lines;
  const py = (loss) => lines.py(Number.isFinite(loss) ? Math.min(HIGH, Math.max(LOW, loss)) : HIGH);
  const { nodes, light } = zonesOf(lines, zones, last, room);
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
    top: py(HIGH),
    foot: py(LOW),
    last,
    path,
    stepAt,
    light,
  };
};
