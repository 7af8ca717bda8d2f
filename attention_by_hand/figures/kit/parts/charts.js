// The axes of a small chart.

import { svgNode } from "./dom.js";
import { whenSized } from "./sized.js";

/**
 * The axes of a small chart, and where in it a point lies; `x` and `y` are [from, to]. `ticks` are
 * the numbers of the x axis.
 */
export const chart = ({
  label,
  x,
  y,
  xTicks = [],
  yTicks = [],
  xText = (tick) => `${tick}`.replace("-", "−"),
  yText = xText,
  left = yTicks.length ? 38 : 10,
  name = "",
  width = 320,
  height = 130,
  log = false,
}) => {
  const right = 10;
  const top = 10;
  const bottom = xTicks.length || name ? 24 : 8;
  const level = log ? Math.log10 : (v) => v;
  const px = (v) => left + ((v - x[0]) / (x[1] - x[0] || 1)) * (width - left - right);
  const py = (v) =>
    height -
    bottom -
    ((level(v) - level(y[0])) / (level(y[1]) - level(y[0]))) * (height - top - bottom);
  const node = svgNode("svg", {
    viewBox: `0 0 ${width} ${height}`,
    class: "chart",
    role: "img",
    "aria-label": label,
  });
  for (const tick of yTicks) {
    node.append(
      svgNode("line", { x1: left, x2: width - right, y1: py(tick), y2: py(tick), class: "axis" }),
    );
    node.append(
      svgNode("text", { x: left - 5, y: py(tick) + 4, "text-anchor": "end" }, yText(tick)),
    );
  }
  const below = xTicks.map((tick) => {
    const place = { x: px(tick), y: height - 10, "text-anchor": "middle" };
    return svgNode("text", place, xText(tick));
  });
  node.append(...below);
  /** Hides the numbers of the axis that something of this width, held at x, would lie over. */
  const makeRoom = (at, wide) => {
    xTicks.forEach((tick, i) => {
      const isUnder = Math.abs(px(tick) - at) < wide / 2 + 8;
      below[i].setAttribute("visibility", isUnder ? "hidden" : "visible");
    });
  };
  if (name)
    node.append(
      svgNode(
        "text",
        { x: (left + width - right) / 2, y: height - 1, "text-anchor": "middle" },
        name,
      ),
    );
  const path = (values) =>
    values.map((v, i) => `${i ? "L" : "M"}${px(i).toFixed(1)} ${py(v).toFixed(1)}`).join("");
  return { node, px, py, path, makeRoom, ticks: below };
};

/**
 * Draws a picture as wide as `room` is, from `least` to `most` pixels, and anew where that changes:
 * its letters are then as large on a phone as elsewhere. `draw(width)` puts the new picture in the
 * place of the old one.
 */
export const atWidth = (base, room, { least, most }, draw) => {
  let drawn = null;
  const fit = () => {
    const width = Math.min(most, Math.max(least, Math.round(room.clientWidth || most)));
    if (width === drawn) return;
    drawn = width;
    draw(width);
  };
  whenSized(base, room, fit);
  fit();
};
