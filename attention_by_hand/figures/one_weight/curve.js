// The loss for every weight, and on it the ball: where training stands, and the steps that led
// there.

import { svgNode } from "../kit/parts/dom.js";
import { namedChart } from "./axes.js";
import { MOST_STEPS } from "./descent.js";

const POINTS = 100;

/** The slope at the ball, as long as the chart has room for it. */
const tangentIn = (lines) => {
  const node = svgNode("line", { class: "tangent" });
  const to = (weight, height, rise) => {
    const reach = Math.min(0.6, 5 / Math.max(Math.abs(rise), 1e-9));
    node.setAttribute("x1", lines.px(weight - reach));
    node.setAttribute("x2", lines.px(weight + reach));
    node.setAttribute("y1", lines.py(height - reach * rise));
    node.setAttribute("y2", lines.py(height + reach * rise));
  };
  return { node, to };
};

/**
 * The curve, `width` pixels wide. `grip`, which lies over the ball, is what is dragged;
 * `update(taken)` draws the weights that were reached.
 */
export const curveOf = ({ loss, slope }, { from, to }, width) => {
  const most = loss(from);
  const lines = namedChart({
    label: "the loss for each weight",
    x: [from, to],
    y: [-1, 1.1 * most],
    yTicks: [0, 5, 10, 15, 20, 25],
    xTicks: Array.from({ length: to - from + 1 }, (_, i) => from + i),
    name: "weight",
    height: 230,
    width,
  });
  const at = (w) => `${lines.px(w).toFixed(1)} ${lines.py(loss(w)).toFixed(1)}`;
  const place = (node, w) => {
    node.setAttribute("cx", lines.px(w));
    node.setAttribute("cy", lines.py(loss(w)));
  };
  const within = (w) => w >= from && w <= to && loss(w) <= most;
  const show = (node, visible) => node.setAttribute("visibility", visible ? "visible" : "hidden");
  const all = Array.from({ length: POINTS + 1 }, (_, i) => from + (i * (to - from)) / POINTS);
  const tangent = tangentIn(lines);
  const way = svgNode("path", { class: "way" });
  const points = Array.from({ length: MOST_STEPS }, () =>
    svgNode("circle", { r: 4.5, class: "been" }),
  );
  const ball = svgNode("circle", { r: 9, class: "ball" });
  const grip = svgNode("circle", { r: 22, class: "grip" }); // as large as a finger
  lines.node.classList.add("curve");
  lines.node.append(
    svgNode("text", { x: 29, y: 12, "text-anchor": "end" }, "loss"),
    svgNode("path", { d: `M${all.map(at).join("L")}`, class: "line scaled" }),
    tangent.node,
    way,
    ...points,
    ball,
    grip,
  );
  const update = (taken) => {
    const now = taken.at(-1);
    const seen = taken.filter(within);
    way.setAttribute("d", seen.length ? `M${seen.map(at).join("L")}` : "");
    points.forEach((point, i) => {
      const visible = i < taken.length - 1 && within(taken[i]);
      show(point, visible);
      if (visible) place(point, taken[i]);
    });
    for (const node of [ball, grip, tangent.node]) show(node, within(now));
    if (!within(now)) return;
    for (const node of [ball, grip]) place(node, now);
    tangent.to(now, loss(now), slope(now));
  };
  const weightAt = (x) =>
    from + ((x - lines.px(from)) * (to - from)) / (lines.px(to) - lines.px(from));
  return { node: lines.node, grip, within, weightAt, update };
};
