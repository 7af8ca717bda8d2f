// A row for each word: the word, its weights, and behind them how far its output moves.

import { tint } from "../kit/parts/colour.js";
import { h, quoted, token } from "../kit/parts/dom.js";
import { rove } from "../kit/parts/rove.js";
import { table } from "../kit/parts/tables.js";

const wordOf = (text, i, press) => {
  const button = h("button", { type: "button", className: "word paper" }, `${i} `, token(text));
  button.addEventListener("click", () => press(i));
  return button;
};

const turnOf = (text, i, press) => {
  const label = `turn the vector of word ${i}, ${quoted(text)}, round`;
  const button = h("button", { type: "button", className: "turn ui", "aria-label": label }, "⟲");
  button.addEventListener("click", () => press(i));
  return button;
};

const moveOf = () => {
  const ghost = h("i", { className: "ghost" });
  const bar = h("i");
  const text = h("span");
  const node = h("div", { className: "move" }, text, h("div", {}, ghost, bar));
  const update = (far, long, free) => {
    bar.style.width = `${100 * long}%`;
    ghost.style.width = `${100 * free}%`;
    ghost.hidden = free === 0;
    text.textContent = far === 0 ? "0" : far.toFixed(2);
  };
  return { node, update };
};

/** A weight; on a phone its leading zero is not shown. */
const written = (weight) => {
  const text = weight.toFixed(2);
  return text[0] === "0" ? [h("span", { className: "zero" }, "0"), text.slice(1)] : [text];
};

/** The longest bar: the changed word's own output always moves, and has none. */
const longest = (changed, ...lists) =>
  Math.max(1e-9, ...lists.flatMap((values) => values.filter((_, i) => i !== changed)));

/**
 * The rows, where `pad(i)` is called as a word is pressed, and `turn(i)` as the button behind its
 * row is.
 */
export const rowsOf = (tokens, { pad, turn }) => {
  const size = tokens.length;
  const words = tokens.map((text, i) => wordOf(text, i, pad));
  const turns = tokens.map((text, i) => turnOf(text, i, turn));
  const moves = tokens.map(moveOf);
  const [atWord, atTurn] = [words.slice(1), turns].map((buttons) => rove(buttons.map((b) => [b])));
  const behind = [(i) => h("td", {}, turns[i]), (i) => h("td", {}, moves[i].node)];
  const heads = [...tokens.map((_, i) => `${i}`), "turn", "moves by"];
  const cell = (i, j) => (j < size ? h("td", { className: "weight" }) : behind[j - size](i));
  const { node, cells } = table(words, heads, { cell });
  const region = h("section", { className: "panel", tabIndex: 0, "aria-label": "weights" }, node);

  const weigh = (cell, weight, open) => {
    cell.replaceChildren(...(open ? written(weight) : ["×"]));
    cell.classList.toggle("blocked", !open);
    cell.style.background = open ? tint(weight) : "";
  };
  const update = ({ length, changed, weights, moved, free, allowed }) => {
    const most = longest(changed, moved, free);
    words.forEach((word, i) => {
      const line = word.closest("tr");
      word.setAttribute("aria-pressed", i >= length);
      word.title = i < length ? `make ${tokens[i]} padding` : `no padding up to ${tokens[i]}`;
      word.disabled = i === 0; // one word there must be
      line.classList.toggle("padding", i >= length);
      line.classList.toggle("changed", i === changed);
      turns[i].setAttribute("aria-pressed", i === changed);
      const bars = i === changed ? [0, 0] : [moved[i], free[i]];
      moves[i].update(moved[i], ...bars.map((far) => far / most));
      line.classList.toggle("leak", i < changed && moved[i] > 0);
      cells[i].slice(0, size).forEach((cell, j) => {
        weigh(cell, weights[i][j], allowed(i, j));
        cell.classList.toggle("op-b", j === changed);
      });
    });
    atWord(Math.min(length, size - 1) - 1, 0);
    atTurn(changed, 0);
  };
  return { node: region, update };
};
