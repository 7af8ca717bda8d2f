// A bar of gigabytes for each model, against the memory of one card, which is dragged: the weights that
// a token uses, those that are held for other tokens, and the cache. A bar that is longer than the axis
// is torn off at its end.

import { h, svgNode } from "../kit/parts/dom.js";
import { drag, pointIn } from "../kit/parts/drag.js";

const MOST = 90; // gigabytes on the axis
const TICKS = [0, 20, 40, 60, 80];
const ROW = 44;
const HEAD = 34;
const EDGE = 12;
const WORDS = 68; // room for what a bar is together
const LABEL = 116; // that of the card

/** An amount of memory, to three digits. */
export const sizeOf = (bytes) => {
  const [one, unit] = bytes < 1e9 ? [1e6, "MB"] : [1e9, "GB"];
  return `${Number((bytes / one).toPrecision(3)).toLocaleString("en")} ${unit}`;
};

const axisOf = (width) => (gigabytes) =>
  EDGE + (Math.min(gigabytes, MOST) / MOST) * (width - 2 * EDGE);

const pictureOf = (width, height, ...children) => {
  const viewBox = `0 0 ${width} ${height}`;
  return svgNode("svg", { class: "chart", "aria-hidden": true, viewBox }, ...children);
};

/**
 * The card's label over its line, `width` wide: {node, update(card)}. It is dragged, and
 * `choose(i)` is told of the nearest of the `cards`.
 */
export const headOf = (cards, width, choose) => {
  const px = axisOf(width);
  const line = svgNode("rect", { class: "card", y: HEAD - 6, width: 1.5, height: 6 });
  const box = svgNode("rect", { class: "hold", y: 1, width: LABEL, height: HEAD - 7, rx: 13 });
  const label = svgNode("text", { class: "card", y: 19, "text-anchor": "middle" });
  const node = pictureOf(width, HEAD, line, box, label);
  drag(node, {
    move: (event) => {
      const at = pointIn(node, event).x;
      const far = cards.map((card) => Math.abs(px(card) - at));
      choose(far.indexOf(Math.min(...far)));
    },
  });
  const update = (card) => {
    const left = Math.max(0, Math.min(width - LABEL, px(card) - LABEL / 2));
    line.setAttribute("x", px(card) - 0.75);
    box.setAttribute("x", left);
    label.setAttribute("x", left + LABEL / 2);
    label.textContent = `◂ card of ${card} GB ▸`;
  };
  return { node, update };
};

export const footOf = (width) => {
  const px = axisOf(width);
  const texts = TICKS.map((tick) => {
    const at = { x: px(tick), y: 16, "text-anchor": "middle" };
    return svgNode("text", at, `${tick}${tick === TICKS.at(-1) ? " GB" : ""}`);
  });
  const ground = { x1: px(0), x2: px(MOST), y1: 1, y2: 1, class: "axis" };
  return pictureOf(width, 22, svgNode("line", ground), ...texts);
};

/** Teeth, at which a bar is torn off: {node, update(is torn)}. */
const tearOf = (x) => {
  const teeth = 4;
  const high = (ROW - 20) / teeth;
  const points = [...Array(2 * teeth + 1).keys()].map((i) => {
    return `${x - (i % 2) * 7},${10 + (i * high) / 2}`;
  });
  const closed = [...points, `${x + 2},${ROW - 10}`, `${x + 2},10`].join(" ");
  const node = svgNode("polygon", { class: "tear", points: closed });
  return { node, update: (torn) => node.toggleAttribute("hidden", !torn) };
};

/**
 * Where the number of a bar stands that ends at `end`: behind it, or inside, with its own end at `x`,
 * and never on the line of the card.
 */
const sumAt = (end, card, width) => {
  const after = end <= card && end + WORDS > card ? card : end;
  if (after + WORDS <= width) return { x: after + 8, inside: false };
  const x = end - 12;
  return { x: x - WORDS < card && card < x ? card - 8 : x, inside: true };
};

/** One model's bar, `width` wide: {node, update(sizes, card)}. What no longer fits is framed. */
export const barOf = (width) => {
  const px = axisOf(width);
  const part = (name, inset = 0) =>
    svgNode("rect", { class: name, y: 10 + inset, height: ROW - 20 - 2 * inset });
  const [used, held, kept, over] = [part("used"), part("held"), part("kept"), part("over", 1.5)];
  const room = svgNode("rect", { class: "room", y: 0, height: ROW });
  const end = svgNode("rect", { class: "card", y: 0, width: 1.5, height: ROW });
  const sum = svgNode("text", { y: ROW / 2 + 5, class: "sum" });
  const tear = tearOf(px(MOST));
  const node = pictureOf(width, ROW, room, used, held, kept, end, over, tear.node, sum);
  const place = (rect, from, to) => {
    rect.setAttribute("x", px(from).toFixed(2));
    rect.setAttribute("width", (px(to) - px(from)).toFixed(2));
  };
  const update = (sizes, card) => {
    const [working, weights, most] = [sizes.used, sizes.weights, sizes.together].map(
      (bytes) => bytes / 1e9,
    );
    place(room, 0, card);
    end.setAttribute("x", px(card) - 0.75);
    place(used, 0, working);
    place(held, working, weights);
    place(kept, weights, most);
    place(over, card, Math.max(card, most));
    over.toggleAttribute("hidden", most <= card);
    tear.update(most > MOST);
    sum.textContent = sizeOf(sizes.together);
    const { x, inside } = sumAt(px(most), px(card), width);
    sum.setAttribute("x", x);
    sum.setAttribute("text-anchor", inside ? "end" : "start");
    sum.classList.toggle("inside", inside);
    sum.classList.toggle("much", most > card);
  };
  return { node, update };
};

/** What a bar is made of, in the colours of its parts. */
export const partsOf = () => {
  const [weights, cache] = ["weights", "cache"].map((className) => h("b", { className }));
  const update = (sizes) => {
    weights.textContent = sizeOf(sizes.weights);
    cache.textContent = sizeOf(sizes.cache);
  };
  return { node: h("span", { className: "parts" }, weights, " + ", cache), update };
};
