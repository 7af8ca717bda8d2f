// The answers to choose from, one a row; in the same rows, later, which is right and which was the
// guess.

import { h } from "../kit/parts/dom.js";

/** @import { Model } from "./figure.js" */

/** A bar, as long as its number's share of the largest, and the number. */
const bar = () => {
  const length = h("i");
  const value = h("b");
  const draw = (number, most, written) => {
    length.style.setProperty("--length", most > 0 ? number / most : 0);
    value.textContent = written;
  };
  return { node: h("div", { className: "bar" }, length, value), draw };
};

const rowOf = (option, value, name, counter) => {
  const radio = h("input", { type: "radio", name, value });
  const tag = h("em");
  const size = bar();
  const label = h("label", { className: "option" }, radio, h("span", {}, option), tag);
  const node = h("div", { className: "row" }, counter, label, size.node);
  return { node, radio, tag, size };
};

/**
 * The rows of a question with options. `counters` are the fields for hands, one for each row.
 *
 * @param {Model} model
 */
export const choicesOf = (model, question, counters, changed) => {
  const name = `guess-${model.get("number")}`;
  const rows = question.names.map((option, i) => rowOf(option, i, name, counters[i]));
  const node = h("div", { className: "rows" }, ...rows.map((row) => row.node));
  for (const { radio } of rows) radio.addEventListener("input", changed);

  const update = ({ open, counting, guess }) => {
    const sizes = counting ? model.get("hands") : model.get("sizes");
    const most = Math.max(...sizes);
    node.classList.toggle("sized", sizes.length > 0);
    rows.forEach(({ node: row, radio, tag, size }, i) => {
      const right = open && i === model.get("answer");
      const chosen = open && !counting && i === guess;
      if (chosen) radio.checked = true;
      row.classList.toggle("right", right);
      tag.textContent = [right ? "✓" : "", chosen ? "your guess" : ""].filter(Boolean).join(" ");
      if (open && sizes.length) size.draw(sizes[i], most, question.written(sizes[i]));
      else size.draw(0, 1, "");
    });
  };
  return {
    node,
    update,
    chosen: () => rows.findIndex(({ radio }) => radio.checked),
    clear: () => {
      for (const { radio } of rows) radio.checked = false;
    },
    focus: () => rows[0].radio.focus(),
  };
};
