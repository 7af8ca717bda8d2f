// The pair as the hand of a clock, and the same hand turned by the shift: both are dragged.

import { h, svgNode } from "../kit/parts/dom.js";
import { drag, pointIn } from "../kit/parts/drag.js";
import { signed } from "../kit/parts/numbers.js";

const FINGER = 6; // pixels sideways that are a position to a finger, which may not go round: that would scroll
const ARC = 0.45;

/**
 * The angle between two hands, the short way round.
 *
 * @param {number[]} from
 * @param {number[]} to
 */
const between = ([s, c], [s2, c2]) => Math.atan2(s2 * c - c2 * s, c * c2 + s * s2);

const handOf = (kind) => {
  const line = svgNode("line", { x1: 0, y1: 0, class: `hand ${kind}` });
  const tip = svgNode("circle", { r: 0.12, class: `tip ${kind}` });
  const name = svgNode("text", { class: kind, "text-anchor": "middle" });
  const node = svgNode("g", {}, line, tip);
  const to = ([right, up], far) => {
    line.setAttribute("x2", right);
    line.setAttribute("y2", -up);
    tip.setAttribute("cx", right);
    tip.setAttribute("cy", -up);
    name.setAttribute("x", far * right);
    name.setAttribute("y", 0.06 - far * up);
  };
  return { node, name, to };
};

/**
 * The clock: `turn(hand, from, steps)` is told of which hand is dragged, "position" or "shift", and
 * how many positions the drag has gone from where it began.
 */
export const clockOf = ({ rate, pairAt }, { now, turn }) => {
  const node = svgNode("svg", {
    viewBox: "-1.55 -1.42 3.1 2.84",
    class: "clock",
    role: "img",
    "aria-label": "the pair as the hand of a clock",
  });
  const arc = svgNode("path", { class: "arc" });
  const turned = handOf("then");
  const hand = handOf("now");
  node.append(svgNode("circle", { r: 1, class: "rim" }), arc, turned.node, hand.node);
  node.append(turned.name, hand.name);

  let start = null;
  const begin = (event, at) => {
    const { position, pair, shift } = now();
    const isNear = (hand) => Math.abs(between(at, hand));
    const hasTwo = !turned.node.hasAttribute("hidden");
    const onShift =
      hasTwo && isNear(pairAt(position + shift, pair)) < isNear(pairAt(position, pair));
    const which = onShift ? "shift" : "position";
    return { which, from: now()[which], x: event.clientX, at, angle: 0 };
  };
  drag(node, {
    move: (event) => {
      const { x, y } = pointIn(node, event);
      const at = [x, -y];
      start ??= begin(event, at);
      start.angle += between(start.at, at);
      start.at = at;
      const steps =
        event.pointerType === "touch"
          ? (event.clientX - start.x) / FINGER
          : start.angle / rate(now().pair);
      turn(start.which, Math.round(start.from + steps));
    },
    done: () => {
      start = null;
    },
  });

  const update = ({ position, pair, shift, rotated, hasTwo }) => {
    for (const part of [arc, turned.node, turned.name]) part.toggleAttribute("hidden", !hasTwo);
    const at = pairAt(position, pair);
    const angle = shift * rate(pair);
    hand.name.textContent = position;
    turned.name.textContent = signed(position + shift, 0);
    // Where the hands meet, the second name stands further out
    const close = Math.abs(between(at, rotated)) < 0.3;
    hand.to(at, 1.32);
    turned.to(rotated, close ? 0.7 : 1.32);
    const big = Math.abs(angle) % (2 * Math.PI) > Math.PI ? 1 : 0;
    const ends = [at, rotated].map(([right, up]) => `${ARC * right} ${-ARC * up}`);
    arc.setAttribute("d", `M${ends[0]}A${ARC} ${ARC} 0 ${big} ${angle > 0 ? 1 : 0} ${ends[1]}`);
  };
  return { node, update };
};

/** The clock's title: which hand it is, and what it writes. */
export const pairTitle = () => {
  const name = h("span");
  const where = h("span", { className: "plain" });
  const numbers = [h("span"), h("span")];
  const tip = h("span", { className: "plain written" }, numbers[0], " ", numbers[1]);
  const node = h("p", { className: "pairs title" }, name, where, tip);
  const update = ({ position, pair }, [sine, cosine]) => {
    name.textContent = `hand ${pair}`;
    where.textContent = ` at position ${position}`;
    numbers[0].textContent = `sine ${signed(sine, 2)},`;
    numbers[1].textContent = `cosine ${signed(cosine, 2)}`;
  };
  return { node, update };
};

/** How fast the hand is or, of two, what the shift does, in one sentence. */
export const turnText = ({ position, shift, degrees, perPosition, hasTwo }) => {
  if (!hasTwo) {
    const round = (360 / perPosition).toFixed(1);
    return `It turns by ${signed(perPosition, perPosition < 0.1 ? 3 : 1)}° a position, once round in ${round}.`;
  }
  const [from, to, k] = [position, position + shift, shift].map((value) => signed(value, 0));
  return `k = ${k} turns it by ${signed(degrees, 1)}°: from ${from} to ${to}, as from any other.`;
};
