// The words as buttons in two lines, and the threads between them.

import { h, svgNode } from "../kit/parts/dom.js";
import { whenSized } from "../kit/parts/sized.js";
import { listen } from "../kit/shared/hand.js";
import { light, place, spin } from "../kit/shared/threads.js";

const NARROW = 560; // pixels
const LARGEST = 26; // pixels, of letters in a line
const SIDES = ["source", "target"];

const wordOf = (side, index, text, meaning) => {
  const label = h("bdi", { className: "token", dir: "auto" }, text);
  const lang = side === "source" ? "de" : "en";
  const button = h("button", { type: "button", className: "word", lang }, label);
  if (side === "source" && meaning) {
    button.append(h("span", { className: "meant", lang: "en" }, meaning));
  }
  button.dataset.text = text; // as wide as it is in bold: see the style
  button.tabIndex = index ? -1 : 0;
  return Object.assign(button, { side, index });
};

/** New buttons for the words of the present sentence. */
const fill = ({ lines, words }, view) => {
  for (const side of SIDES) {
    words[side] = view[side].map((text, index) => wordOf(side, index, text, view.meaning(text)));
    lines[side].replaceChildren(...words[side]);
  }
};

/** From each written word to each that was read. */
const pairsOf = ({ source, target, percent }) =>
  target.flatMap((_, i) =>
    source.map((_, j) => ({
      from: { side: "target", index: i },
      to: { side: "source", index: j },
      percent: percent(i, j),
    })),
  );

const lineOf = (side, name) =>
  h("div", { className: `line ${side}`, role: "toolbar", "aria-label": name });

export const pictureOf = (base, view, { point, choose }) => {
  const svg = svgNode("svg", { "aria-hidden": "true" });
  const lines = {
    source: lineOf("source", "the words that were read"),
    target: lineOf("target", "the words that were written"),
  };
  const node = h("div", { className: "picture" }, lines.source, svg, lines.target);
  const most = Math.max(...[...view.sources, ...view.targets].map((line) => line.length));
  node.style.setProperty("--rows", most); // the height that any sentence takes side by side
  const words = { source: [], target: [] };
  const parts = { node, svg, lines, words, threads: [], largest: LARGEST, narrow: NARROW };

  whenSized(base, node, () => place(parts));
  listen(node, parts.words, { view, point, choose });

  let drawn = null; // the sentence whose words stand there
  return {
    node,
    draw() {
      if (drawn !== view.sentence) fill(parts, view);
      drawn = view.sentence;
      spin(parts, pairsOf(view));
      place(parts);
    },
    light: (lit, written) => light(parts, lit, written),
  };
};
