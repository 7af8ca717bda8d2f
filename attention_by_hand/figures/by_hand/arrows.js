// Arrows between the matrices, and from the operands to the chosen cell: these pass behind the
// matrices, and only their tips lie over them.

import { svgNode } from "../kit/parts/dom.js";

const FLOW = [
  ["x", "Q"],
  ["Q", "scores"],
  ["scores", "scaled"],
  ["scaled", "weights"],
  ["weights", "output"],
  ["Q", "output"],
];
const TIP = 6; // pixels
const LEAST = 10; // pixels between matrices, for an arrow
const ASIDE = 6; // pixels, of the operands' arrows from the middle
const AIR = 3; // pixels between an arrow and what it leaves or reaches

/** The box around some elements, seen from `home`. */
const boxOf = (home, elements) => {
  const { left, top } = home.getBoundingClientRect();
  const zoom = home.currentCSSZoom ?? 1;
  const boxes = elements.map((element) => element.getBoundingClientRect());
  const edge = (of, side, from) => (of(...boxes.map((box) => box[side])) - from) / zoom;
  return {
    left: edge(Math.min, "left", left),
    right: edge(Math.max, "right", left),
    top: edge(Math.min, "top", top),
    bottom: edge(Math.max, "bottom", top),
  };
};
/** The middle of what two stretches have in common, or null. */
const common = (from, to, start, end) => {
  const first = Math.max(from[start], to[start]);
  const last = Math.min(from[end], to[end]);
  return first < last ? (first + last) / 2 : null;
};
const middle = (box, start, end) => (box[start] + box[end]) / 2;

/**
 * Sideways where the boxes stand in one row, else down or up; straight where it can be: [line,
 * tip].
 */
const pathsOf = (from, to, aside = 0) => {
  const flat = common(from, to, "top", "bottom") !== null;
  const [start, end] = flat ? ["left", "right"] : ["top", "bottom"];
  const across = flat ? ["top", "bottom"] : ["left", "right"];
  const shared = common(from, to, ...across);
  const side = middle(to, start, end) > middle(from, start, end) ? 1 : -1;
  const u = from[side > 0 ? end : start] + side * AIR;
  const v = to[side > 0 ? start : end] - side * AIR;
  const [s, t] = [from, to].map((box) => (shared ?? middle(box, ...across)) + aside);
  const point = (along, beside) => (flat ? `${along} ${beside}` : `${beside} ${along}`);
  const half = (u + v) / 2;
  const back = v - side * TIP;
  return [
    `M${point(u, s)}C${point(half, s)} ${point(half, t)} ${point(v, t)}`,
    `M${point(back, t - TIP * 0.7)}L${point(v, t)}L${point(back, t + TIP * 0.7)}`,
  ];
};

export const arrowsOf = (home, grids) => {
  const picture = () => svgNode("svg", { class: "arrows", "aria-hidden": "true" });
  const node = picture();
  const tips = picture();
  const partsOf = (from, to, name, aside) =>
    pathsOf(from, to, aside).map((d, i) =>
      svgNode("g", { class: name }, svgNode("path", { d, class: ["line", "tip"][i] })),
    );
  const flow = ([from, to]) => {
    const [start, end] = [from, to].map((name) => boxOf(home, [grids[name].panel]));
    const apart = (first, last) => Math.max(end[first] - start[last], start[first] - end[last]);
    const room = Math.max(apart("left", "right"), apart("top", "bottom"));
    return room < LEAST ? [] : partsOf(start, end, `flow-${from}-${to}`);
  };
  let before = null;
  const draw = ({ chosen, left, right }) => {
    if (!home.clientWidth) return;
    const isFresh = before !== null && before !== chosen;
    for (const each of [node, tips]) each.classList.toggle("fresh", isFresh);
    before = chosen;
    const to = boxOf(home, [chosen]);
    const operands = [
      [right, "from-b", ASIDE],
      [left, "from-a", -ASIDE],
    ]
      .filter(([cells]) => cells.length)
      .map(([cells, name, aside]) => partsOf(boxOf(home, cells), to, name, aside));
    node.replaceChildren(...FLOW.flatMap(flow), ...operands.map(([line]) => line));
    tips.replaceChildren(...operands.map(([, tip]) => tip));
  };
  return { node, tips, draw };
};
