// All hands at the chosen position, fast ones first: each turns at its own rate as the position is
// dragged. A press on one of them shows it large.

import { h, svgNode } from "../kit/parts/dom.js";
import { drag, pointIn } from "../kit/parts/drag.js";
import { heading } from "../kit/parts/tables.js";

const MOST = 32; // of more pairs, some are left out
const ACROSS = 8;
const RIM = 0.4;

export const dialsOf = ({ pairAt }, last, choose) => {
  const apart = Math.ceil((last + 1) / MOST);
  const pairs = Array.from({ length: Math.ceil((last + 1) / apart) }, (_, i) => i * apart);
  const placeOf = (i) => ({ x: (i % ACROSS) + 0.5, y: Math.floor(i / ACROSS) + 0.5 });
  const rows = Math.ceil(pairs.length / ACROSS);
  const picture = svgNode("svg", {
    viewBox: `0 0 ${ACROSS} ${rows}`,
    role: "img",
    "aria-label": "all hands at the position, the fast ones first",
  });
  const dials = pairs.map((pair, i) => {
    const { x, y } = placeOf(i);
    const rim = svgNode("circle", { cx: x, cy: y, r: RIM });
    const hand = svgNode("line", { x1: x, y1: y });
    const node = svgNode("g", { class: "dial" }, rim, hand);
    const update = (position, chosen) => {
      const [right, up] = pairAt(position, pair);
      hand.setAttribute("x2", x + RIM * right);
      hand.setAttribute("y2", y - RIM * up);
      node.classList.toggle("now", chosen >= pair && chosen < pair + apart);
    };
    return { node, update };
  });
  picture.append(...dials.map(({ node }) => node));
  drag(picture, {
    move: (event) => {
      const { x, y } = pointIn(picture, event);
      const column = Math.max(0, Math.min(ACROSS - 1, Math.floor(x)));
      const row = Math.max(0, Math.min(rows - 1, Math.floor(y)));
      choose(pairs[Math.min(pairs.length - 1, row * ACROSS + column)]);
    },
  });
  const count = pairs.length <= last ? `${pairs.length} of them` : `all ${pairs.length}`;
  const node = h(
    "section",
    { className: "dials" },
    heading("from fast to slow", `${count} at the position`),
    picture,
  );
  const update = ({ position, pair }) => {
    for (const dial of dials) dial.update(position, pair);
  };
  return { node, update };
};
