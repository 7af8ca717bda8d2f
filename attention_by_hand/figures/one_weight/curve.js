// The loss for every weight, and on it the ball: where training stands, and the steps that led
// there. Where the steps leave the picture, it is seen from further away, until the valley is a
// hair.

import { svgNode } from "../kit/parts/dom.js";
import { namedChart, roundTicks } from "./axes.js";
import { cameraOf } from "./camera.js";
import { MOST_STEPS } from "./descent.js";

const POINTS = 100;
const HEIGHT = 216;
const ABOVE = 1.1; // the axis is so many times as high as what is seen
const LEFT = 46; // pixels: as wide as "50,000"

const counted = (tick) => tick.toLocaleString("en").replace("-", "−");

/** The slope at the ball, as long as the chart, up to `top`, has room for it. */
const tangentIn = () => {
  const node = svgNode("line", { class: "tangent" });
  const to = (lines, { weight, height, zoom }, rise, top) => {
    const up = Math.min(5 * zoom, top - height);
    const reach = Math.min(0.6 * zoom, up / Math.max(Math.abs(rise), 1e-9));
    node.setAttribute("x1", lines.px(weight - reach));
    node.setAttribute("x2", lines.px(weight + reach));
    node.setAttribute("y1", lines.py(height - reach * rise));
    node.setAttribute("y2", lines.py(height + reach * rise));
  };
  return { node, to };
};

/** The axes of what is seen from so far away: both are longer by the same factor. */
const axesOf = ({ from, to, most }, zoom, width) => {
  const middle = (from + to) / 2;
  const x = [from, to].map((end) => middle + zoom * (end - middle));
  return namedChart({
    label: "the loss for each weight",
    x,
    y: [-zoom, ABOVE * zoom * most],
    xTicks: roundTicks(...x),
    yTicks: roundTicks(0, zoom * most),
    xText: counted,
    left: LEFT,
    name: "weight",
    height: HEIGHT,
    width,
  });
};

/** What lies on the axes: the curve, the steps, the slope, the ball, and what holds it. */
const partsOf = ({ goal, from, to, most }) => {
  const line = svgNode("path", { class: "line scaled" });
  const first = svgNode("rect", { class: "first-view" });
  const tangent = tangentIn();
  const way = svgNode("path", { class: "way" });
  const points = Array.from({ length: MOST_STEPS }, () =>
    svgNode("circle", { r: 4.5, class: "been" }),
  );
  const ball = svgNode("circle", { r: 9, class: "ball" });
  const grip = svgNode("circle", { r: 22, class: "grip" }); // as large as a finger
  const nodes = [first, line, tangent.node, way, ...points, ball, grip];

  const place = (lines, node, [weight, height]) => {
    node.setAttribute("cx", lines.px(weight));
    node.setAttribute("cy", lines.py(height));
  };
  const draw = (lines, { loss, slope }, taken, shot) => {
    const { weight, height, zoom } = shot;
    const at = (w, l = loss(w)) => `${lines.px(w).toFixed(1)} ${lines.py(l).toFixed(1)}`;
    const reach = (to - goal) * Math.sqrt(zoom); // so far the curve is in the picture
    const all = Array.from({ length: POINTS + 1 }, (_, i) => goal + (i / 50 - 1) * reach);
    line.setAttribute("d", `M${all.map((w) => at(w)).join("L")}`);
    const [left, right] = [lines.px(from), lines.px(to)];
    const [top, bottom] = [lines.py(most), lines.py(0)];
    const frame = { x: left, y: top, width: right - left, height: bottom - top };
    for (const [name, value] of Object.entries(frame)) first.setAttribute(name, value);
    first.toggleAttribute("hidden", zoom === 1);
    const before = taken.slice(0, -1);
    way.setAttribute("d", `M${[...before.map((w) => at(w)), at(weight, height)].join("L")}`);
    points.forEach((point, i) => {
      point.setAttribute("visibility", i < before.length ? "visible" : "hidden");
      if (i < before.length) place(lines, point, [before[i], loss(before[i])]);
    });
    for (const node of [ball, grip]) place(lines, node, [weight, height]);
    tangent.to(lines, shot, slope(weight), ABOVE * zoom * most);
  };
  return { nodes, grip, draw };
};

/**
 * The curve, `width` pixels wide. `grip`, which lies over the ball, is what is dragged;
 * `update(taken, glides)` draws the weights that were reached.
 */
export const curveOf = (descent, { from, to, input, wanted }, width, ended) => {
  const { loss } = descent;
  const view = { from, to, goal: wanted / input, most: loss(from) };
  const parts = partsOf(view);
  const axes = svgNode("g");
  let lines = axesOf(view, 1, width);
  let taken = [];
  const node = lines.node.cloneNode();
  node.classList.add("curve");
  const name = svgNode("text", { x: LEFT - 5, y: 12, "text-anchor": "end" }, "loss");
  node.append(axes, name, ...parts.nodes);
  const camera = cameraOf((shot) => {
    lines = axesOf(view, shot.zoom, width);
    axes.replaceChildren(...lines.node.childNodes);
    parts.draw(lines, descent, taken, shot);
  }, ended);
  const update = (weights, glides) => {
    taken = weights;
    const weight = taken.at(-1);
    const height = loss(weight);
    camera.to({ weight, height, zoom: Math.max(1, height / view.most) }, glides);
  };
  const weightAt = (x) =>
    from + ((x - lines.px(from)) * (to - from)) / (lines.px(to) - lines.px(from));
  return { node, grip: parts.grip, update, weightAt };
};
