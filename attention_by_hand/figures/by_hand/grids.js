// The matrices as grids of cells: an input in x, W and b, which can be dragged too, and a number
// elsewhere.

import { h } from "../kit/parts/dom.js";
import { arrow } from "../kit/parts/rove.js";
import { signed } from "../kit/parts/numbers.js";
import { heading, table } from "../kit/parts/tables.js";
import { NEEDED, SOURCE } from "./chain.js";

const PLAIN = { type: "text", autocomplete: "off", spellcheck: false, tabIndex: -1 };

const cellOf = (name, i, j) => {
  if (!(name in SOURCE)) return h("td", { role: "gridcell", tabIndex: -1 });
  const label = name === "b" ? `b ${i}` : `${name} row ${i} column ${j}`;
  return h("td", { role: "gridcell" }, h("input", { ...PLAIN, "aria-label": label }));
};

/** Whether a key still has letters to pass inside a field. */
const inText = ({ key, target: { value, selectionStart: from, selectionEnd: to } }) =>
  value !== undefined &&
  from === to &&
  ((["ArrowLeft", "Home"].includes(key) && from > 0) ||
    (["ArrowRight", "End"].includes(key) && to < value.length));

/** One matrix: its panel, its cells, row by row, and the words in its headers. */
const gridOf = (name, [title, how, rowKinds, colKinds]) => {
  const words = [];
  const header = (kind, i) => {
    if (kind !== "word") return kind;
    const word = h("bdi", { className: "token", dir: "auto" });
    words.push([word, i]);
    return [h("span", { className: "index" }, `${i} `), word];
  };
  const { node, cells } = table(rowKinds.map(header), colKinds.map(header), {
    cell: (i, j) => cellOf(name, i, j),
    role: "grid",
    "aria-label": `${title} ${how}`,
  });
  /** @type {HTMLElement[][]} */
  const inner = cells.map((row) => row.map((td) => td.querySelector("input") ?? td));
  inner[0][0].tabIndex = 0;
  const title_ = heading(title, how);
  const panel = h("section", { className: `panel ${name}` }, title_, node);
  /** Where a node is: [row, column], or null. */
  const place = (target) => {
    const i = inner.findIndex((row) =>
      row.some((cell) => cell === target || cell.parentNode === target),
    );
    if (i < 0) return null;
    return [i, inner[i].findIndex((cell) => cell === target || cell.parentNode === target)];
  };
  return { name, node, panel, title: title_, cells: inner, words, place };
};

/** Clicks and arrow keys: `go(name, i, j)` leads to a cell. */
const lead = (grid, { go }) => {
  const { name, node, cells, place } = grid;
  node.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const next = arrow(event, ...place(event.target), cells.length, cells[0].length);
    if (!next || inText(event)) return;
    event.preventDefault();
    go(name, ...next);
  });
  node.addEventListener("focusin", ({ target }) => {
    for (const cell of cells.flat()) cell.tabIndex = cell === target ? 0 : -1;
  });
  if (name in SOURCE) return;
  node.addEventListener("click", ({ target }) => {
    const at = place(target.closest("td"));
    if (at) go(name, ...at);
  });
};

export const gridsOf = (layout, hand) => {
  const grids = Object.entries(layout).map(([name, how]) => gridOf(name, how));
  for (const grid of grids) {
    lead(grid, hand);
    if (!(grid.name in SOURCE)) grid.title.addEventListener("click", () => hand.open(grid.name));
  }
  const cells = Object.fromEntries(grids.map((grid) => [grid.name, grid.cells]));
  const named = Object.fromEntries(grids.map((grid) => [grid.name, grid]));
  let before = null; // the numbers as they stood: what has moved since is marked
  /** The numbers; `show(name, i, j)` writes an input. */
  const fill = (values, tokens, digits, show, step) => {
    for (const [word, k] of grids.flatMap(({ words }) => words))
      Object.assign(word, { textContent: tokens[k] ?? "", title: tokens[k] ?? "" });
    for (const { name, cells, panel } of grids) {
      panel.classList.toggle("aside", name !== step && !NEEDED[step].includes(name));
      cells.forEach((row, i) =>
        row.forEach((cell, j) => {
          const number = values[name][i][j];
          const moved = before !== null && before[name][i][j] !== number && !(name in SOURCE);
          cell.className = moved ? "moved" : "";
          cell.title = signed(number, 8);
          if (name in SOURCE) show(name, i, j);
          else cell.textContent = signed(number, digits);
        }),
      );
    }
    before = values;
  };
  const forget = () => {
    before = null;
  };
  const mark = (steps, { step, i, j }, { left, right }) => {
    for (const cell of left) cell.classList.add("op-a");
    for (const cell of right) cell.classList.add("op-b");
    for (const cell of steps.flatMap((name) => cells[name].flat()))
      cell.removeAttribute("aria-selected");
    const chosen = cells[step][i][j];
    chosen.classList.add("chosen");
    chosen.setAttribute("aria-selected", "true");
    for (const cell of cells[step].flat()) cell.tabIndex = cell === chosen ? 0 : -1;
    return chosen;
  };
  return { named, cells, fill, forget, mark };
};
