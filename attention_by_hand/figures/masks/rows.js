// A row for each word: the word, the button that turns it round, its weights, and behind them how
// far its output moves.

import { tint } from "../kit/parts/colour.js";
import { h, quoted, token } from "../kit/parts/dom.js";
import { rove } from "../kit/parts/rove.js";
import { table } from "../kit/parts/tables.js";

const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100]; // between two ticks
const MOST_STEPS = 4; // of them

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

/**
 * How far one output moves, on an axis that all rows share: a ring where it would without a mask, a
 * dot where it does.
 */
const moveOf = () => {
  const way = h("i", { className: "way" });
  const free = h("i", { className: "free" });
  const dot = h("i", { className: "dot" });
  const text = h("span");
  const itself = h("small", {}, "the turned word itself");
  const axis = h("div", { className: "axis" }, way, free, dot, itself);
  const node = h("div", { className: "move" }, text, axis);
  const update = (far, shares) => {
    node.classList.toggle("own", shares === null);
    text.textContent = far === 0 ? "0" : far.toFixed(2);
    if (shares === null) return;
    const [here, there] = shares.map((share) => 100 * share);
    dot.style.left = `${here}%`;
    free.style.left = `${there}%`;
    way.style.left = `${Math.min(here, there)}%`;
    way.style.width = `${Math.abs(here - there)}%`;
  };
  return { node, update };
};

/** The numbers of the axis: {node, update(most)}, where the axis ends at `most`. */
const ticksOf = () => {
  const node = h("div", { className: "axis ticks" });
  const update = (most) => {
    const step = STEPS.find((one) => most / one <= MOST_STEPS) ?? most;
    const ticks = Array.from({ length: Math.floor(most / step) + 1 }, (_, n) => n * step);
    node.replaceChildren(
      ...ticks.map((tick) => {
        const text = `${Number(tick.toFixed(2))}`;
        return h("span", { style: `left: ${(100 * tick) / most}%` }, text);
      }),
    );
    return step / most;
  };
  return { node, update };
};

/** A weight; on a phone its leading zero is not shown. */
const written = (weight) => {
  const text = weight.toFixed(2);
  return text[0] === "0" ? [h("span", { className: "zero" }, "0"), text.slice(1)] : [text];
};

/**
 * The rows, where `pad(i)` is called as a word is pressed, and `turn(i)` as the button beside it is.
 */
export const rowsOf = (tokens, { pad, turn }) => {
  const size = tokens.length;
  const words = tokens.map((text, i) => wordOf(text, i, pad));
  const turns = tokens.map((text, i) => turnOf(text, i, turn));
  const moves = tokens.map(moveOf);
  const [atWord, atTurn] = [words.slice(1), turns].map((buttons) => rove(buttons.map((b) => [b])));
  const ticks = ticksOf();
  const heads = ["turn", ...tokens.map((_, i) => `${i}`), ["its output moves by", ticks.node]];
  const cell = (i, j) => {
    if (j === 0) return h("td", {}, turns[i]);
    return j <= size ? h("td", { className: "weight" }) : h("td", {}, moves[i].node);
  };
  const { node, cells } = table(words, heads, { cell });
  node.style.setProperty("--words", size);
  const region = h("section", { className: "panel", tabIndex: 0, "aria-label": "weights" }, node);

  const weigh = (cell, weight, open) => {
    cell.replaceChildren(...(open ? written(weight) : ["×"]));
    cell.classList.toggle("blocked", !open);
    cell.style.background = open ? tint(weight) : "";
  };
  const update = ({ length, changed, weights, moved, free, most, allowed }) => {
    node.style.setProperty("--step", ticks.update(most));
    words.forEach((word, i) => {
      const line = word.closest("tr");
      word.setAttribute("aria-pressed", i >= length);
      word.title = i < length ? `make ${tokens[i]} padding` : `no padding up to ${tokens[i]}`;
      word.disabled = i === 0; // one word there must be
      line.classList.toggle("padding", i >= length);
      line.classList.toggle("changed", i === changed);
      turns[i].setAttribute("aria-pressed", i === changed);
      moves[i].update(moved[i], i === changed ? null : [moved[i] / most, free[i] / most]);
      line.style.setProperty("--far", Math.abs(i - changed));
      line.classList.toggle("leak", i < changed && moved[i] > 0);
      cells[i].slice(1, size + 1).forEach((cell, j) => {
        weigh(cell, weights[i][j], allowed(i, j));
        cell.classList.toggle("op-b", j === changed);
      });
    });
    atWord(Math.min(length, size - 1) - 1, 0);
    atTurn(changed, 0);
  };
  return { node: region, update };
};
