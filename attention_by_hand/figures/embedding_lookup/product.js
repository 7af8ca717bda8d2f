// One-hot times table: beside each row of the table its entry of the one-hot vector.

import { tint } from "../kit/parts/colour.js";
import { h, token } from "../kit/parts/dom.js";
import { signed } from "../kit/parts/numbers.js";
import { rove } from "../kit/parts/rove.js";
import { table } from "../kit/parts/tables.js";

/**
 * Calls `act` as a node is pressed, and as a pressed mouse comes over it. A finger scrolls the page
 * there.
 */
const whenPressed = (node, act) => {
  node.addEventListener("click", act);
  node.addEventListener("pointerover", ({ buttons, pointerType }) => {
    if (buttons === 1 && pointerType !== "touch") act();
  });
};

/**
 * The head of a row: its id and word, pressed for the word. One that is in no sentence cannot be
 * picked.
 */
const headOf = ({ words, gloss }, id, isIn, press) => {
  const text = [`${id} `, token(words[id]), " ", h("span", { className: "plain" }, gloss[id])];
  const button = h(
    "button",
    { type: "button", className: "row paper", disabled: !isIn(id) },
    ...text,
  );
  whenPressed(button, () => press(id));
  return button;
};

/**
 * The product. `pick({ id })` or `pick({ column })` is called as a row or a number is pressed;
 * `update` shows which are chosen, and `first(id)` is the cell in which a row's numbers begin.
 */
export const productOf = (data, { isIn, pick }) => {
  const { words, rows } = data;
  const dims = rows[0].map((_, j) => `${j}`);
  const most = Math.max(...rows.flat().map(Math.abs));
  const buttons = words.map((_, id) => headOf(data, id, isIn, (row) => pick({ id: row })));
  const cell = (_, j) => h("td", { className: j ? "number" : "hot" });
  const { node, cells } = table(buttons, ["one-hot ×", ...dims], { cell });
  cells.forEach((line, id) =>
    line.forEach((cell, j) => {
      if (j) cell.textContent = signed(rows[id][j - 1], 2);
      const row = isIn(id) ? { id } : {};
      whenPressed(cell, () => pick(j ? { ...row, column: j - 1 } : row));
    }),
  );
  const region = h("section", { className: "panel", tabIndex: 0, "aria-label": "table" }, node);
  const enabled = words.map((_, id) => id).filter(isIn);
  const atRow = rove(enabled.map((id) => [buttons[id]]));

  const update = ({ id, column }) => {
    cells.forEach((line, i) => {
      line[0].textContent = i === id ? "1" : "0";
      line.slice(1).forEach((cell, j) => {
        cell.style.background = i === id ? tint(rows[i][j], most) : "";
      });
      line[0].parentElement.classList.toggle("on", i === id);
      line.forEach((cell, j) => {
        cell.classList.toggle("op-b", j === column + 1);
      });
      buttons[i].setAttribute("aria-pressed", i === id);
    });
    atRow(enabled.indexOf(id), 0);
  };
  return { node: region, update, first: (id) => cells[id][1] };
};
