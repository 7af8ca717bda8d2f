// A plane with arrows, and knobs over it that are pulled by hand or moved by the arrow keys.

import { h, svgNode } from "../parts/dom.js";
import { drag, pointIn } from "../parts/drag.js";

const MARGIN = 0.35; // of a unit, around what can be reached
const HEAD = 9; // pixels, of an arrow's head
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** The nearest number that can be reached from −reach to reach in whole steps. */
export const nearestIn =
  ({ reach, step }) =>
  (value) => {
    const whole = Math.round(value / step) * step;
    return Math.min(reach, Math.max(-reach, Number(whole.toFixed(4))));
  };

/**
 * The plane from −reach to reach: {node, svg, fit(width), at(point), arrow(...), knob(...)}. `at`
 * says where a point lies, in pixels.
 */
export const planeOf = ({ label, reach, step }) => {
  const svg = svgNode("svg", { class: "chart", role: "img", "aria-label": label });
  const node = h("div", { className: "plane" }, svg);
  let unit = 1;
  const extent = reach + MARGIN;
  /** @param {number[]} point */
  const at = ([x, y]) => [(extent + x) * unit, (extent - y) * unit];
  const nearest = nearestIn({ reach, step });
  const pointAt = (event) => {
    const { x, y } = pointIn(svg, event);
    return [nearest(x / unit - extent), nearest(extent - y / unit)];
  };

  const fit = (width) => {
    unit = width / (2 * extent);
    svg.setAttribute("viewBox", `0 0 ${width} ${width}`);
  };

  /** An arrow of this class from one point to another. */
  const arrow = (className) => {
    const shaft = svgNode("line", { class: className });
    const head = svgNode("path", { class: `head ${className}` });
    svg.append(shaft, head);
    return (from, to) => {
      const [[x1, y1], [x2, y2]] = [at(from), at(to)];
      const long = Math.hypot(x2 - x1, y2 - y1);
      const hidden = long < HEAD ? "hidden" : "visible";
      const [ux, uy] = long ? [(x2 - x1) / long, (y2 - y1) / long] : [0, 0];
      const [bx, by] = [x2 - HEAD * ux, y2 - HEAD * uy];
      const [sx, sy] = [(-HEAD / 2) * uy, (HEAD / 2) * ux];
      for (const [name, value] of Object.entries({ x1, y1, x2: bx, y2: by })) {
        shaft.setAttribute(name, value);
      }
      head.setAttribute("d", `M${x2} ${y2}L${bx + sx} ${by + sy}L${bx - sx} ${by - sy}Z`);
      for (const part of [shaft, head]) part.setAttribute("visibility", hidden);
    };
  };

  /** What is pulled: `moved(point)` is told where to. Returns its node and how to place it. */
  const knob = ({ className, name = "", moved }) => {
    const tag = name ? "button" : "div";
    const handle = h(tag, { className: `knob ${className}`, title: name });
    let place = [0, 0];
    drag(handle, { axis: "both", move: (event) => moved(pointAt(event)) });
    handle.addEventListener("keydown", (event) => {
      const move = MOVES[event.key];
      if (!move || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      moved(place.map((value, axis) => nearest(value + move[axis] * step)));
    });
    node.append(handle);
    return (point) => {
      place = point;
      const [x, y] = at(point);
      Object.assign(handle.style, { left: `${x}px`, top: `${y}px` });
      if (name) {
        const [a, b] = point.map((value) => value.toFixed(2).replace("-", "−"));
        handle.setAttribute("aria-label", `${name}: ${a}, ${b}; the arrow keys move it`);
      }
    };
  };
  return { node, svg, fit, at, arrow, knob };
};

/**
 * A name beside a point, on the side that looks away from the middle; straight above or below it, on
 * the left if so wanted.
 *
 * @param {any} text
 * @param {number[]} point
 * @param {number[]} middle
 */
export const nameAt = (text, [x, y], [fromX, fromY], isLeft = true) => {
  const left = Math.abs(x - fromX) < 4 ? isLeft : x < fromX;
  text.setAttribute("x", x + (left ? -14 : 17));
  text.setAttribute("y", y + (y > fromY + 4 ? 18 : -10));
  text.setAttribute("text-anchor", left ? "end" : "start");
};
