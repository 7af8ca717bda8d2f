// What is drawn over the strips: the rail with its ball, the layers, the shortcuts and the memory.

import { h, svgNode } from "../kit/parts/dom.js";
import { drag, pointIn } from "../kit/parts/drag.js";

const FINGER = 22; // pixels around the ball

/** The place of an element within the film. */
export const placeOf = ({
  offsetLeft: x,
  offsetTop: y,
  offsetWidth: width,
  offsetHeight: height,
}) => ({
  left: x,
  right: x + width,
  top: y,
  bottom: y + height,
  middle: y + height / 2,
});

/** The rail on which the ball is dragged. `choose` is told the index of a stop. */
export const railOf = (data, { rows, choose, done }) => {
  const track = svgNode("line", { class: "track" });
  const way = svgNode("line", { class: "way" });
  const ball = svgNode("circle", { class: "ball", r: 9 });
  const hit = h("div", { className: "hit ui" }); // no SVG: a browser would scroll under the finger
  const node = svgNode("g", {}, track, way, ball);
  const coarse = matchMedia("(pointer: coarse)");
  let places = [];
  const nearest = (y) => places.reduce((a, b) => (Math.abs(b.y - y) < Math.abs(a.y - y) ? b : a));
  drag(hit, {
    axis: "y",
    move: (event) => choose(nearest(pointIn(node.ownerSVGElement, event).y).index),
    done,
  });

  const heightOf = (row) => {
    const below = places[Math.floor(row)];
    const above = places[Math.ceil(row)];
    return below.y + (above.y - below.y) * (row - Math.floor(row));
  };
  /** Finds the strips again, after a turn to the other tower or another width. */
  const measure = () => {
    const own = rows.filter(({ stop }) => stop.side === data.stop().side);
    places = own.map(({ stop, node: row, picture }) => {
      return { index: stop.index, y: placeOf(row).middle, x: placeOf(picture).right + 15 };
    });
    const [{ x, y: low }, { y: high }] = [places[0], places.at(-1)];
    for (const line of [track, way]) {
      for (const [key, value] of Object.entries({ x1: x, x2: x, y1: low, y2: high }))
        line.setAttribute(key, value);
    }
    hit.style.left = `${x - 15}px`;
    hold(high - 14, low + 14);
  };
  const hold = (top, bottom) => {
    hit.style.top = `${top}px`;
    hit.style.height = `${bottom - top}px`;
  };
  const show = (row) => {
    const y = heightOf(row);
    ball.setAttribute("cx", places[0].x);
    ball.setAttribute("cy", y);
    way.setAttribute("y2", y);
    if (coarse.matches) hold(y - FINGER, y + FINGER); // beside the ball, a finger scrolls the page
    return { x: places[0].x, y };
  };
  return { node, hit, measure, show };
};

/** A bracket and a name beside each layer of the towers that are seen. */
export const layersOf = (data, { seen }) => {
  const node = svgNode("g", { class: "layers" });
  const markOf = (own, layer) => {
    const { bottom, left } = placeOf(own[0].node);
    const { top } = placeOf(own.at(-1).node);
    const x = left + 15;
    const middle = (top + bottom) / 2;
    const turn = `rotate(-90 ${left + 10} ${middle})`;
    const text = { x: left + 10, y: middle, transform: turn, "text-anchor": "middle" };
    return [
      svgNode("path", { d: `M${x + 4} ${top}H${x}V${bottom}H${x + 4}`, class: "bracket" }),
      svgNode("text", text, `layer ${layer}`),
    ];
  };
  const draw = () => {
    const layered = seen().filter(({ stop }) => stop.layered);
    const marks = ["source", "target"].flatMap((side) =>
      Array.from({ length: data.layers }, (_, layer) => {
        const own = layered.filter(({ stop }) => stop.side === side && stop.layer === layer);
        return own.length ? markOf(own, layer) : [];
      }),
    );
    node.replaceChildren(...marks.flat());
  };
  return { node, draw };
};

/** Where both towers are seen, the arrow from the memory into each cross-attention. */
export const memoryOf = (data, { seen }) => {
  const node = svgNode("g", { class: "handed" });
  const draw = () => {
    const all = seen().filter(({ stop }) => /^(memory|cross-attention)$/.test(stop.part));
    const from = all.find(({ stop }) => stop.part === "memory");
    const into = all.filter((row) => row !== from);
    const { part, role, side } = data.stop();
    const isTaken = side === "source" && role === "attention"; // the words looked at stand there
    node.replaceChildren();
    if (!from || !into.length || isTaken) return;
    const start = placeOf(from.picture);
    const { left } = placeOf(into[0].node);
    const x = left - 16;
    const ways = into.map(({ node: row }) => {
      const { middle } = placeOf(row);
      return `M${x} ${start.middle}V${middle}H${left - 1}m-5 -4l5 4l-5 4`;
    });
    const d = `M${start.right + 30} ${start.middle}H${x}${ways.join("")}`;
    const lit = ["memory", "cross-attention"].includes(part) ? "lit" : "";
    node.append(svgNode("path", { d, class: lit }));
  };
  return { node, draw };
};

/** What is added: two arrows from the strips below into an add & norm. */
export const shortcutsOf = (data, rows) => {
  const node = svgNode("g", { class: "shortcuts" });
  const draw = () => {
    const { role, side, reads } = data.stop();
    const own = rows.filter(({ stop }) => stop.side === side);
    const rowOf = (stage) => own.find(({ stop }) => stop.reads.at(-1)[1] === stage);
    node.replaceChildren();
    if (role !== "norm") return;
    const into = placeOf(rowOf(reads[2][1]).picture);
    reads.slice(0, 2).forEach(([, stage], i) => {
      const { left, middle } = placeOf(rowOf(stage).picture);
      const x = left - (i ? 4 : 9);
      const y = into.middle + (i ? 2.5 : -2.5);
      const d = `M${left - 1} ${middle}H${x}V${y}H${left - 1}m-3 -2.5l3 2.5l-3 2.5`;
      node.append(svgNode("path", { d }));
    });
  };
  return { node, draw };
};
