// A translation beside the intact one: what is new stands out, and what it stands for is struck out
// below it.

import { h } from "../kit/parts/dom.js";
import { aligned } from "../kit/shared/words.js";

const MOST = 15; // words that are shown of a translation without end

/** Writes a translation into `line`. */
export const write = (line, words, intact) => {
  const columns = aligned(words, intact);
  const spans = columns.slice(0, MOST).map(({ word, was }) => {
    if (word === was) return h("span", { className: "word" }, h("bdi", {}, word));
    return h("span", { className: "word changed" }, h("bdi", {}, word || "–"), h("s", {}, was));
  });
  const rest =
    columns.length > MOST ? [h("span", { className: "word rest" }, `… ${words.length} words`)] : [];
  line.replaceChildren(...spans, ...rest);
};
