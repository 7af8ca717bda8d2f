// The bar of gigabytes: the weights, and the cache next to them.

import { svgNode } from "../kit/dom.js";

const MOST = 90; // gigabytes on the axis
const TICKS = [0, 20, 40, 60, 80];
const EDGE = 12;
const HEIGHT = 92;
const TOP = 24;
const FOOT = 66;

/** The bar, `width` wide, with a mark at `card`: {node, update(weights, cache)}, in gigabytes. */
export const barOf = (card, width) => {
  const px = (gigabytes) => EDGE + (gigabytes / MOST) * (width - 2 * EDGE);
  const node = svgNode("svg", { class: "chart", role: "img", viewBox: `0 0 ${width} ${HEIGHT}` });
  const part = (name) => svgNode("rect", { class: name, y: TOP + 4, height: FOOT - TOP - 8 });
  const held = part("held");
  const kept = part("kept");
  const ground = { x1: px(0), x2: px(MOST), y1: FOOT, y2: FOOT, class: "axis" };
  node.append(svgNode("line", ground), held, kept);
  for (const tick of TICKS) {
    const at = { x: px(tick), y: FOOT + 16, "text-anchor": tick ? "middle" : "start" };
    node.append(svgNode("text", at, `${tick}${tick === TICKS.at(-1) ? " GB" : ""}`));
  }
  const mark = { x1: px(card), x2: px(card), y1: 4, y2: FOOT, class: "card" };
  const says = `${card} GB: a large graphics card`;
  node.append(
    svgNode("line", mark),
    svgNode("text", { x: px(card) + 6, y: 14, class: "card" }, says),
  );
  const place = (rect, from, to) => {
    rect.setAttribute("x", px(from).toFixed(2));
    rect.setAttribute("width", (px(to) - px(from)).toFixed(2));
  };
  const update = (weights, cache) => {
    place(held, 0, weights);
    place(kept, weights, weights + cache);
  };
  return { node, update };
};
