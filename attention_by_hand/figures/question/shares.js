// The second picture: a thread from the one who asks to each word, as thick as its share.

import { svgNode } from "../kit/parts/dom.js";

const THICKEST = 34; // pixels, of a thread that has all
const LEFT = 44;
const RIGHT = 84; // pixels, for the names

export const percent = (share) => `${Math.round(100 * share)}\u00a0%`; // not parted by a line's end

/** @param {string[]} words */
export const sharesOf = (words) => {
  const svg = svgNode("svg", { class: "chart fan", role: "img", "aria-label": "the shares" });
  const asks = svgNode("text", { class: "query", "text-anchor": "end" }, "asks");
  const threads = words.map(() => svgNode("path", { class: "thread" }));
  const names = words.map((word) => svgNode("text", { class: "key" }, word));
  const texts = words.map(() => svgNode("text", { class: "share" }));
  svg.append(...threads, asks, ...names, ...texts);
  let size = [1, 1];
  const fit = (width, height) => {
    size = [width, height];
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  };
  const update = ({ shares }) => {
    const [width, height] = size;
    const [from, to, middle] = [LEFT, width - RIGHT, height / 2];
    asks.setAttribute("x", from - 8);
    asks.setAttribute("y", middle + 4);
    shares.forEach((share, i) => {
      const y = (height * (i + 0.5)) / shares.length;
      const turn = (from + to) / 2;
      threads[i].setAttribute("d", `M${from} ${middle}C${turn} ${middle} ${turn} ${y} ${to} ${y}`);
      threads[i].setAttribute("stroke-width", Math.max(0.75, THICKEST * share));
      for (const [text, shift] of [
        [names[i], -3],
        [texts[i], 13],
      ]) {
        text.setAttribute("x", to + 22);
        text.setAttribute("y", y + shift);
      }
      texts[i].textContent = percent(share);
    });
  };
  return { node: svg, fit, update };
};
