// What the reader said of the two ways, beside what is so: only once it is said.

import { chart } from "../kit/parts/charts.js";
import { h, svgNode } from "../kit/parts/dom.js";
import { guessMark } from "../kit/shared/guess.js";
import { heading } from "../kit/parts/tables.js";

/** @import { Model } from "./figure.js" */

const WHAT = "blocks at the same place in both";
// From which share of all blocks to which each answer reaches
const SHARES = {
  "all of them": [1, 1],
  half: [1 / 2, 1 / 2],
  "one in eight": [1 / 8, 1 / 8],
  fewer: [0, 1 / 8],
};

/** The axis, `width` pixels wide, with a bar for the blocks that are the same. */
const scaleOf = (same, blocks, width) => {
  const scale = chart({
    label: `${same} of ${blocks} ${WHAT}`,
    x: [0, blocks],
    y: [0, 1],
    xTicks: [0, blocks],
    height: 72,
    name: "blocks",
    width,
  });
  const bottom = scale.py(0);
  const [from, to] = [scale.px(0), scale.px(same)];
  const line = { x1: from, x2: scale.px(blocks), y1: bottom, y2: bottom, class: "axis" };
  const bar = { x: from, y: bottom - 16, width: to - from, height: 16, class: "mark raw" };
  scale.node.append(
    svgNode("line", line),
    svgNode("rect", bar),
    svgNode("text", { x: to + 5, y: bottom - 4 }, same),
  );
  return scale;
};

/** @param {Model} model */
export const comparedOf = (base, model, same, blocks) => {
  let scale = { node: h("div") };
  const node = h("section", {}, heading(WHAT, "view alone, and view with transpose"), scale.node);
  const place = ({ guess }) => {
    if (!SHARES[guess]) return null;
    const [top, bottom] = [scale.py(1), scale.py(0)];
    const [from, to] = SHARES[guess].map((share) => scale.px(share * blocks));
    const isFar = to > scale.px(blocks / 2);
    const words = isFar
      ? { x: to - 6, "text-anchor": "end" }
      : { x: to + 6, "text-anchor": "start" };
    return [
      { d: `M${from} ${top}L${from} ${bottom}L${to} ${bottom}L${to} ${top}Z` },
      { ...words, y: top + 10 },
    ];
  };
  const mine = guessMark(base, model, "path", place, node);
  const fit = (width) => {
    const next = scaleOf(same, blocks, width);
    next.node.append(mine.node);
    scale.node.replaceWith(next.node);
    scale = next;
  };
  return { node, fit, update: mine.draw };
};
