// What the number stands for: the sentence, the word that is written, and the threads between them.

import { h, svgNode, token } from "../kit/parts/dom.js";

const THICKEST = 13; // pixels, as on the front page
const LEAST = 0.01;

/** @param {{ words: string[], writes: string }} texts */
export const threadOf = ({ words, writes }) => {
  const svg = svgNode("svg", { "aria-hidden": "true" });
  const above = words.map((word) => h("span", { className: "word" }, token(word)));
  const below = h("span", { className: "word query" }, token(writes));
  const says = h("p", { className: "plain", role: "status" });
  const node = h(
    "div",
    { className: "thread" },
    svg,
    h("div", { className: "line" }, ...above),
    h("div", { className: "line target" }, below),
  );
  const middle = ({ offsetLeft, offsetWidth }) => offsetLeft + offsetWidth / 2;
  /** Draws the threads of these shares, or none. */
  const update = (shares) => {
    const [top, bottom] = [above[0].offsetTop + above[0].offsetHeight + 3, below.offsetTop - 3];
    const paths = (shares ?? []).flatMap((share, i) => {
      if (share < LEAST) return [];
      const [from, to, turn] = [middle(above[i]), middle(below), (top + bottom) / 2];
      const d = `M${from} ${top}C${from} ${turn} ${to} ${turn} ${to} ${bottom}`;
      return [svgNode("path", { d, "stroke-width": THICKEST * share, pathLength: 1 })];
    });
    svg.replaceChildren(...paths);
  };
  return { node, says, update };
};
