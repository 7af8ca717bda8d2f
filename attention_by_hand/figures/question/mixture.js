// The third picture: the values as corners, and what is received as a dot between them.

import { svgNode } from "../kit/parts/dom.js";
import { nameAt, planeOf } from "../kit/shared/plane.js";

const TRAIL = 24; // places where the dot has been
const LARGEST = 13; // pixels, of the corner that has all

/**
 * @param {{ words: string[], room: number, step: number, pull: Function }} how `pull(word, value)`
 *     is told what the hand does
 */
export const mixtureOf = ({ words, room, step, pull }) => {
  const plane = planeOf({ label: "the values and their mixture", reach: room, step });
  const { svg } = plane;
  const area = svgNode("polygon", { class: "between" });
  const corners = words.map(() => svgNode("circle", { class: "corner" }));
  const ring = svgNode("circle", { class: "wanted", r: 17 });
  const trail = svgNode("polyline", { class: "trail" });
  const dot = svgNode("circle", { class: "dot", r: 8 });
  const names = words.map((word) => svgNode("text", { class: "value" }, word));
  svg.append(area, ring, ...corners, trail, dot, ...names);
  const pulls = words.map((word, i) =>
    plane.knob({
      className: "value",
      name: `the value of “${word}”`,
      moved: (value) => pull(i, value),
    }),
  );
  let been = [];

  const update = ({ values, shares, mixture, target }) => {
    const points = values.map(plane.at);
    area.setAttribute("points", points.map((point) => point.join(",")).join(" "));
    const middle = [0, 1].map((axis) => points.reduce((a, p) => a + p[axis], 0) / points.length);
    points.forEach(([x, y], i) => {
      corners[i].setAttribute("cx", x);
      corners[i].setAttribute("cy", y);
      corners[i].setAttribute("r", 3 + LARGEST * Math.sqrt(shares[i]));
      pulls[i](values[i]);
      nameAt(names[i], [x, y], middle);
    });
    been = [...been, mixture].slice(-TRAIL);
    trail.setAttribute("points", been.map((point) => plane.at(point).join(",")).join(" "));
    const [x, y] = plane.at(mixture);
    dot.setAttribute("cx", x);
    dot.setAttribute("cy", y);
    ring.setAttribute("visibility", target ? "visible" : "hidden");
    if (target) {
      const [a, b] = plane.at(target);
      ring.setAttribute("cx", a);
      ring.setAttribute("cy", b);
    }
  };
  return {
    node: plane.node,
    fit: plane.fit,
    update,
    forget: () => {
      been = [];
    },
  };
};
