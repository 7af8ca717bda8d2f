// The text, whose end is dragged along an axis on which every step doubles it.

import { svgNode } from "../kit/parts/dom.js";
import { drag, pointIn } from "../kit/parts/drag.js";

const EDGE = 26;
const HEIGHT = 64;
const Y = 22;
const NARROW = 310; // pixels: up to there, fewer lengths have their number

/**
 * The text, `width` wide; `choose(i)` is called as its end comes to another of the `lengths`.
 * {node, update(i, longest)}: beyond the length `longest` the text is dashed.
 */
export const textOf = (lengths, width, choose) => {
  const last = lengths.length - 1;
  const step = (width - 2 * EDGE) / last;
  const named = width > NARROW ? 2 : 5;
  const px = (i) => EDGE + i * step;
  const placeOf = (length) => px(Math.log2(length / lengths[0]));
  const node = svgNode("svg", {
    class: "chart text",
    role: "img",
    "aria-label": "the text, on a logarithmic axis of tokens",
    viewBox: `0 0 ${width} ${HEIGHT}`,
  });
  const ground = { x1: px(0), x2: px(last), y1: Y, y2: Y, class: "axis" };
  node.append(svgNode("line", ground));
  lengths.forEach((length, i) => {
    node.append(svgNode("line", { x1: px(i), x2: px(i), y1: Y, y2: Y + 8, class: "axis" }));
    if (i % named) return;
    const at = { x: px(i), y: Y + 30, "text-anchor": "middle" };
    node.append(svgNode("text", at, length.toLocaleString("en")));
  });
  const read = svgNode("line", { class: "read", x1: 0, y1: Y, y2: Y });
  const beyond = svgNode("line", { class: "beyond", y1: Y, y2: Y });
  const end = svgNode("circle", { class: "end", r: 10, cy: Y });
  node.append(read, beyond, end);
  drag(node, {
    move: (event) => {
      const i = Math.round((pointIn(node, event).x - EDGE) / step);
      choose(Math.max(0, Math.min(last, i)));
    },
  });
  const update = (i, longest) => {
    const known = Math.min(px(i), placeOf(longest));
    read.setAttribute("x2", known);
    beyond.setAttribute("x1", known);
    beyond.setAttribute("x2", px(i));
    end.setAttribute("cx", px(i));
  };
  return { node, update };
};
