// A bar of gigabytes for each model, weights and then cache, against the memory of one card.

import { h, svgNode } from "../kit/parts/dom.js";

const MOST = 90; // gigabytes on the axis
const TICKS = [0, 20, 40, 60, 80];
const ROW = 44;
const EDGE = 12;
const WORDS = 68; // room for what a bar is together

/** Gigabytes, to three digits. */
export const inGigabytes = (bytes) => `${Number((bytes / 1e9).toPrecision(3))}`;

const axisOf = (width) => (gigabytes) => EDGE + (gigabytes / MOST) * (width - 2 * EDGE);

const pictureOf = (width, height, ...children) => {
  const viewBox = `0 0 ${width} ${height}`;
  return svgNode("svg", { class: "chart", "aria-hidden": true, viewBox }, ...children);
};

/** What the colours say, and where the card ends. */
export const headOf = (card, width) => {
  const x = axisOf(width)(card);
  return pictureOf(
    width,
    22,
    svgNode("text", { x, y: 16, "text-anchor": "middle", class: "card" }, `card of ${card} GB`),
  );
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

/** One model's bar, `width` wide: {node, update(sizes)}. What the card has no room for is framed. */
export const barOf = (card, width) => {
  const px = axisOf(width);
  const part = (name, inset = 0) =>
    svgNode("rect", { class: name, y: 10 + inset, height: ROW - 20 - 2 * inset });
  const [held, kept, over] = [part("held"), part("kept"), part("over", 1.5)];
  const room = { class: "room", x: px(0), y: 0, width: px(card) - px(0), height: ROW };
  const end = { x1: px(card), x2: px(card), y1: 0, y2: ROW, class: "card" };
  const sum = svgNode("text", { y: ROW / 2 + 5, class: "sum" });
  const node = pictureOf(width, ROW, svgNode("rect", room), held, kept);
  node.append(svgNode("line", end), over, sum);
  const place = (rect, from, to) => {
    rect.setAttribute("x", px(from).toFixed(2));
    rect.setAttribute("width", (px(to) - px(from)).toFixed(2));
  };
  const update = ({ weights, together }) => {
    const most = together / 1e9;
    place(held, 0, weights / 1e9);
    place(kept, weights / 1e9, most);
    place(over, card, Math.max(card, most));
    over.toggleAttribute("hidden", most <= card);
    const inside = px(most) + WORDS > width;
    const onLine = most <= card && px(most) + WORDS > px(card);
    sum.textContent = `${inGigabytes(together)} GB`;
    sum.setAttribute("x", inside ? px(most) - 8 : px(onLine ? card : most) + 8);
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
    weights.textContent = inGigabytes(sizes.weights);
    cache.textContent = inGigabytes(sizes.cache);
  };
  return { node: h("span", { className: "parts" }, weights, " + ", cache), update };
};
