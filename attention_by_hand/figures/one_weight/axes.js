// A chart whose horizontal axis has its name under the numbers.

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
