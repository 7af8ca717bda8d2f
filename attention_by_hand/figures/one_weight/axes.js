// A chart whose horizontal axis has its name under the numbers, and round numbers for axes that
// grow.

import { chart } from "../kit/parts/charts.js";
import { svgNode } from "../kit/parts/dom.js";

const UNDER = 14;

/** @param {any} options as `chart` takes them */
export const namedChart = ({ name, width, height, ...options }) => {
  const lines = chart({ ...options, width, height });
  const middle = (lines.px(options.x[0]) + lines.px(options.x[1])) / 2;
  lines.node.setAttribute("viewBox", `0 0 ${width} ${height + UNDER}`);
  lines.node.append(
    svgNode("text", { x: middle, y: height + UNDER - 6, "text-anchor": "middle" }, name),
  );
  return lines;
};

/** The multiples of 1, 2 or 5 times a power of ten from one number to another, some five of them. */
export const roundTicks = (from, to) => {
  const least = (to - from) / 6;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((times) => times * power).find((each) => each >= least);
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, i) => (first + i) * step);
};
