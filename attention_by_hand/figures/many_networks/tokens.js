// The plane of the tokens, parted by which network is their first choice, with one in the hand.

import { svgNode } from "../kit/parts/dom.js";
import { planeOf } from "../kit/shared/plane.js";
import { firstOf, route } from "./routing.js";

const middleOf = (polygon) =>
  [0, 1].map((axis) => polygon.reduce((sum, point) => sum + point[axis], 0) / polygon.length);

/** Twice the area of a polygon. */
const areaOf = (polygon) =>
  Math.abs(
    polygon.reduce((sum, [x, y], i) => {
      const [a, b] = polygon.at(i - 1);
      return sum + a * y - b * x;
    }, 0),
  );

const SMALLEST = 0.25; // a part of the plane that has room for its number

/** {node, fit(width), update(state)}; `pull(point)` is told where the hand goes. */
export const planeOfTokens = ({ tokens, networks, reach, step, pull }) => {
  const plane = planeOf({ label: "the tokens, and whom they are sent to first", reach, step });
  const parts = networks.map(() => svgNode("polygon", { class: "part" }));
  const dots = tokens.map(() => svgNode("circle", { class: "dot", r: 3.5 }));
  const numbers = networks.map((_, i) => svgNode("text", { class: "number" }, `${i + 1}`));
  plane.svg.append(...parts, ...dots, ...numbers);
  const hand = plane.knob({ className: "query", moved: pull });

  const update = (state) => {
    const { token, chosen } = state;
    networks.forEach((_, i) => {
      const first = firstOf(i, state, reach);
      parts[i].setAttribute("points", first.map((point) => plane.at(point).join()).join(" "));
      parts[i].classList.toggle("works", i === chosen[0]);
      const [x, y] = first.length ? plane.at(middleOf(first)) : [0, 0];
      numbers[i].setAttribute("x", x);
      numbers[i].setAttribute("y", y + 5);
      const isSeen = first.length && areaOf(first) > SMALLEST;
      numbers[i].setAttribute("visibility", isSeen ? "visible" : "hidden");
    });
    tokens.forEach((point, i) => {
      const [x, y] = plane.at(point);
      dots[i].setAttribute("cx", x);
      dots[i].setAttribute("cy", y);
      dots[i].classList.toggle("works", route(point, state).chosen[0] === chosen[0]);
    });
    hand(token);
  };
  return { node: plane.node, fit: plane.fit, update };
};
