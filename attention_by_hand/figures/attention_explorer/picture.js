// The sentence with the threads of the chosen head: the words that are looked at over those that
// look, or beside them where there is little room. A word of either line can be pressed.

import { h, svgNode, token, widthOf } from "../kit/parts/dom.js";
import { whenSized } from "../kit/parts/sized.js";
import { listen } from "../kit/shared/hand.js";
import { light, place, spin } from "../kit/shared/threads.js";
import { viewsOf } from "./state.js";

/** @import { Model } from "./figure.js" */

const LARGEST = 22; // pixels, of letters in a line
const NARROW = 560; // pixels: in less, the lines stand side by side
const SMALL = 15; // pixels, of letters: where these do not fit, they do so too
const MANY = 18; // of more words beside each other the picture scrolls

const wordOf = (side, index, text, note) => {
  const button = h("button", { type: "button", className: "word" }, token(text));
  if (note) button.append(h("span", { className: "after" }, note));
  button.dataset.text = text; // as wide as it is in bold: see the style
  button.tabIndex = index ? -1 : 0;
  return Object.assign(button, { side, index });
};

/** The words of both lines; a query that writes a word stands there as that word. */
const wordsOf = ({ rows, cols, emitted }) => ({
  source: cols.map((text, i) => wordOf("source", i, text, "")),
  target: rows.map((text, i) =>
    wordOf("target", i, emitted?.[i] ?? text, emitted && `after ${text}`),
  ),
});

/** Whether a line of some view is too long for so much room. */
const isCrowded = (views, room) => {
  const wide = (texts) =>
    texts.reduce((sum, text) => sum + (SMALL / 14) * Math.min(widthOf(text, 700), 132) + 24, 0);
  return views.some(
    ({ cols, rows, emitted }) => Math.max(wide(cols), wide(emitted ?? rows)) > room,
  );
};

const lineOf = (side, name) =>
  h("div", { className: `line ${side}`, role: "toolbar", "aria-label": name });

/** @param {Model} model */
export const pictureOf = (base, model, state, { point, choose }) => {
  const svg = svgNode("svg", { "aria-hidden": "true" });
  const lines = {
    source: lineOf("source", "keys: the words that are looked at"),
    target: lineOf("target", "queries: the words that look"),
  };
  const picture = h("div", { className: "picture" }, lines.source, svg, lines.target);
  const node = h("div", { className: "looking" }, picture);
  const words = { source: [], target: [] };
  const parts = { node: picture, svg, words, threads: [], largest: LARGEST, narrow: NARROW };
  const view = {
    get source() {
      return state.view.cols;
    },
    get target() {
      return state.view.rows;
    },
    percent: (i, j) => Math.round((100 * state.bytes()[i * state.view.shape.cols + j]) / 255),
  };
  const fit = () => {
    const views = viewsOf(model);
    const most = Math.max(...views.flatMap(({ rows, cols }) => [rows.length, cols.length]));
    picture.style.setProperty("--rows", most); // the height that any view takes side by side
    node.classList.toggle("many", most > MANY);
    parts.narrow = isCrowded(views, picture.clientWidth) ? Infinity : NARROW;
    place(parts);
  };
  whenSized(base, picture, fit);
  listen(picture, words, { view, point, choose });
  return {
    node,
    /** Other words. */
    fill() {
      Object.assign(words, wordsOf(state.view));
      for (const side of ["source", "target"]) lines[side].replaceChildren(...words[side]);
    },
    /** The threads of the head that is seen. */
    draw() {
      const { rows, cols } = state.view.shape;
      const bytes = state.bytes();
      const pairs = Array.from(bytes.subarray(0, rows * cols), (byte, n) => ({
        from: { side: "target", index: Math.floor(n / cols) },
        to: { side: "source", index: n % cols },
        percent: (100 * byte) / 255,
      }));
      spin(parts, pairs);
      fit();
    },
    update: () => light(parts, state.lit, Infinity),
  };
};
