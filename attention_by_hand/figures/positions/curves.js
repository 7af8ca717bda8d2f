// The two curves under the table, on its axis: the chosen pair, and the dot product with every
// position.

import { chart } from "../kit/parts/charts.js";
import { h, svgNode } from "../kit/parts/dom.js";
import { drag, pointIn } from "../kit/parts/drag.js";
import { guessMark } from "../kit/shared/guess.js";

/** @import { Model } from "./figure.js" */

const NARROW = 440; // pixels: of a chart that is low, and has the button of what is unknown in it
const heightAt = (width) => (width < NARROW ? 150 : 220);
// How much larger each answer makes the product with the position FAR later than with the one FAR
// before
const FAR = 3;
const TILTS = { "10 and 13": 1, "10 and 7": -1, "neither: they are equal": 0 };

/** A chart over all positions: dragged sideways, it is told the nearest position. */
const overPositions = ({ label, length, width, y, yTicks }, choose) => {
  const steps = [0, length >> 2, length >> 1, (3 * length) >> 2, length - 1];
  const lines = chart({
    label,
    x: [-0.5, length - 0.5],
    y,
    xTicks: steps,
    yTicks,
    height: heightAt(width),
    width,
  });
  const step = lines.px(1) - lines.px(0);
  drag(lines.node, {
    move: (event) => {
      const pointed = Math.round((pointIn(lines.node, event).x - lines.px(0)) / step);
      choose({ position: Math.max(0, Math.min(length - 1, pointed)) });
    },
  });
  const cursor = (kind) => svgNode("line", { y1: lines.py(y[1]), y2: lines.py(y[0]), class: kind });
  const to = (line, position) => {
    line.setAttribute("x1", lines.px(position));
    line.setAttribute("x2", lines.px(position));
    line.toggleAttribute("hidden", position < 0 || position >= length);
  };
  return { ...lines, cursor, to };
};

/** The sine and the cosine of the chosen pair. */
export const wavesOf = ({ rows }, { width, choose }) => {
  const length = rows.length;
  const label = "the chosen pair over all positions";
  const lines = overPositions({ label, length, width, y: [-1, 1], yTicks: [-1, 0, 1] }, choose);
  const here = lines.cursor("now");
  const [sine, cosine] = ["first", "second"].map((kind) => {
    return {
      path: svgNode("path", { class: `line ${kind}` }),
      mark: svgNode("circle", { r: 4.5, class: `mark solid ${kind}` }),
    };
  });
  lines.node.append(sine.path, cosine.path, here, sine.mark, cosine.mark);
  const update = ({ position, pair }) => {
    [sine, cosine].forEach(({ path, mark }, i) => {
      path.setAttribute("d", lines.path(rows.map((row) => row[2 * pair + i])));
      mark.setAttribute("cx", lines.px(position));
      mark.setAttribute("cy", lines.py(rows[position][2 * pair + i]));
    });
    lines.to(here, position);
  };
  return { node: lines.node, update };
};

/**
 * What the reader said of the two positions beside the chosen one: a line that is level where both
 * are equal.
 */
const guessAt = (now, lines, { products }, length) => {
  return ({ guess }) => {
    const { position } = now();
    if (!(guess in TILTS) || position < FAR || position + FAR >= length) return null;
    const x = lines().px(position);
    const y = lines().py(products(position)[position + FAR]);
    const tilt = 8 * TILTS[guess];
    const end = position > 0.7 * length ? -1 : 1; // where there is room for words
    return [
      { x1: x - 20, x2: x + 20, y1: y + tilt, y2: y - tilt },
      { x: x + 27 * end, y: y + 3, "text-anchor": end < 0 ? "end" : "start" },
    ];
  };
};

const besideOf = (step) => {
  const point = svgNode("circle", { r: 3.5, class: "mark solid second" });
  const name = svgNode("text", { "text-anchor": step < 0 ? "end" : "start" });
  const update = (lines, position, dots) => {
    const x = lines.px(position + step);
    const y = lines.py(dots[position + step] ?? 0);
    point.setAttribute("cx", x);
    point.setAttribute("cy", y);
    name.setAttribute("x", x - step);
    name.setAttribute("y", y + 20);
    name.textContent = position + step;
  };
  return { step, nodes: [point, name], update };
};

/**
 * The dot product of the chosen position with all: its curve is drawn where it is known.
 * `fit(width)` draws it anew.
 *
 * @param {Model} model
 */
export const productsOf = (base, model, encoding, { now, choose }) => {
  const length = encoding.rows.length;
  const most = encoding.rows[0].length / 2;
  const least = Math.min(0, ...encoding.products(0));
  const beside = [-FAR, FAR].map(besideOf);
  const compared = svgNode("g", {}, ...beside.flatMap(({ nodes }) => nodes));
  const place = guessAt(now, () => lines, encoding, length);
  const mark = guessMark(base, model, "line", place, compared);
  compared.append(mark.node);
  const curve = svgNode("path", { class: "line second" });
  const unknown = svgNode("text", { class: "unknown", "text-anchor": "middle" }, "?");
  let lines = { node: h("div") };
  let here = null;
  let there = null;

  const fit = (width) => {
    const label = "dot product with every position";
    const yTicks = [0, most / 2, most];
    const next = overPositions({ label, length, width, y: [least, most], yTicks }, choose);
    here = next.cursor("now");
    there = next.cursor("then");
    unknown.setAttribute("x", next.px(length / (width < NARROW ? 4 : 2)));
    unknown.setAttribute("y", heightAt(width) / 2);
    next.node.append(curve, there, here, unknown, compared);
    lines.node.replaceWith(next.node);
    lines = next;
    return next.node;
  };
  const update = ({ position, shift }, known) => {
    const dots = encoding.products(position);
    lines.to(here, position);
    lines.to(there, position + shift);
    unknown.toggleAttribute("hidden", known);
    curve.toggleAttribute("hidden", !known);
    if (known) curve.setAttribute("d", lines.path(dots));
    else curve.removeAttribute("d");
    if (known) for (const each of beside) each.update(lines, position, dots);
    mark.draw();
  };
  return { node: lines.node, fit, update };
};
