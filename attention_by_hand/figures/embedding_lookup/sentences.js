// The sentences, word by word: a word is picked where it stands, and under it lands the row of the
// table that is left of all.

import { tint } from "../kit/parts/colour.js";
import { h, token } from "../kit/parts/dom.js";
import { signed } from "../kit/parts/numbers.js";
import { rove } from "../kit/parts/rove.js";

const mostOf = (rows) => Math.max(...rows.flat().map(Math.abs));

/** What is left of the table: a number for each column, pressed to have it written out. */
export const rowOf = (rows, pick) => {
  const most = mostOf(rows);
  const numbers = rows[0].map((_, column) => {
    const button = h("button", { type: "button", className: "paper" });
    button.addEventListener("click", () => pick({ column }));
    return button;
  });
  const node = h("div", { className: "left", role: "group", "aria-label": "what is left" });
  node.append(...numbers);
  const stop = rove([numbers], (_, column) => pick({ column }));
  const update = (x, column) => {
    numbers.forEach((button, j) => {
      button.textContent = signed(x[j], 2);
      button.style.background = tint(x[j], most);
      button.setAttribute("aria-pressed", j === column);
    });
    stop(0, column);
  };
  return { node, update };
};

/** A row of the table in its colours alone: what stands under a word that was looked up. */
const paintedOf = (numbers, most) => {
  const cells = numbers.map((value) => {
    const cell = h("i");
    cell.style.background = tint(value, most);
    return cell;
  });
  return h("span", { className: "painted", "aria-hidden": "true" }, ...cells);
};

/** A word of a sentence, with what it means and its id. */
const wordOf = ({ words, gloss, rows }, id, press) => {
  const label = [
    token(words[id]),
    h("span", { className: "plain" }, gloss[id]),
    h("b", {}, `id ${id}`),
    paintedOf(rows[id], mostOf(rows)),
  ];
  const button = h("button", { type: "button", role: "radio" }, ...label);
  button.addEventListener("click", press);
  return button;
};

/** Puts `row` under the middle of the word, as far as the line has room. */
const settle = (row, word) => {
  const slot = row.parentElement;
  row.style.marginLeft = "0px";
  const room = slot.clientWidth - row.offsetWidth;
  const under = word.offsetLeft - slot.offsetLeft + (word.offsetWidth - row.offsetWidth) / 2;
  row.style.marginLeft = `${Math.max(0, Math.min(room, under)).toFixed(1)}px`;
};

/** All sentences; `update(sentence, position)` puts the node `row` under a word. */
export const sentencesOf = (data, row, pick) => {
  const grid = data.sentences.map((ids, sentence) =>
    ids.map((id, position) => wordOf(data, id, () => pick({ sentence, position }))),
  );
  const slots = grid.map(() => h("div", { className: "slot" }));
  const lines = grid.map((line, i) =>
    h("div", { className: "line" }, h("div", { className: "sentence" }, ...line), slots[i]),
  );
  const node = h("div", { role: "radiogroup", "aria-label": "the words of the sentences" });
  node.className = "read";
  node.append(...lines);
  const stop = rove(grid, (sentence, position) => pick({ sentence, position }));
  let chosen = null;
  /** The word that is chosen keeps its row's colours, wherever it stands. */
  const keep = () => {
    const buttons = grid.flat();
    const ids = data.sentences.flat();
    const id = ids[buttons.indexOf(chosen)];
    buttons.filter((_, i) => ids[i] === id).forEach((button) => button.classList.add("fetched"));
  };
  const fit = () => {
    settle(row, chosen);
    node.style.setProperty("--row", `${row.offsetWidth}px`); // so wide is a slot that is empty
  };
  const update = (sentence, position) => {
    chosen = grid[sentence][position];
    queueMicrotask(keep); // sentence and place come one after the other
    for (const button of grid.flat()) button.setAttribute("aria-checked", button === chosen);
    if (row.parentElement !== slots[sentence]) slots[sentence].append(row);
    fit();
    stop(sentence, position);
  };
  return { node, fit, update };
};
