// Changing a number of x, W or b: by dragging it sideways, by typing, or with Page Up and Page
// Down.

import { h, quoted } from "../kit/parts/dom.js";
import { put } from "../kit/runtime/model.js";
import { signed } from "../kit/parts/numbers.js";
import { SOURCE } from "./chain.js";

/** @import { Model } from "./figure.js" */

const FAR = 4; // pixels; a press that moves less is a tap
const STEP = 0.01; // a pixel
const KEYS = { PageUp: 0.1, PageDown: -0.1 };

const typed = (cell) =>
  cell.value.trim() === "" ? NaN : Number(cell.value.replace("−", "-").replace(",", "."));

/**
 * The inputs' numbers: read, and set.
 *
 * @param {Model} model
 */
const sourcesOf = (model) => ({
  get(name, i, j) {
    if (name === "x") return model.get("x")[model.get("sentence")][i][j];
    return name === "W" ? model.get("weight")[i][j] : model.get("bias")[i];
  },
  set(name, i, j, number) {
    if (this.get(name, i, j) === number) return;
    const all = structuredClone(model.get(SOURCE[name]));
    if (name === "x") all[model.get("sentence")][i][j] = number;
    else if (name === "W") all[i][j] = number;
    else all[i] = number;
    put(model, { [SOURCE[name]]: all });
  },
});

/** Dragging sideways over a cell; a tap opens its field. */
const scrub = ({ name, node, cells, place }, numbers) => {
  let from = null; // where the drag began: {at, x, number, far}
  node.addEventListener("pointerdown", (event) => {
    const td = event.target.closest("td");
    const at = td && place(td);
    if (!at || event.button !== 0 || event.target.matches("input")) return; // a field that is open
    event.preventDefault();
    td.setPointerCapture(event.pointerId);
    const { clientX: x, clientY: y } = event;
    from = { at, x, y, number: numbers.get(name, ...at), far: false };
  });
  node.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (!from) return;
    const pixels = Math.round(clientX - from.x);
    from.far ||= Math.abs(pixels) >= Math.max(FAR, Math.abs(clientY - from.y));
    if (from.far) numbers.set(name, ...from.at, Number((from.number + STEP * pixels).toFixed(4)));
  });
  node.addEventListener("pointerup", () => {
    if (from && !from.far) cells[from.at[0]][from.at[1]].focus();
    from = null;
  });
  node.addEventListener("pointercancel", () => {
    if (from) numbers.set(name, ...from.at, from.number); // the finger scrolls the page
    from = null;
  });
};

const write = (cell, number, digits) => {
  cell.value = signed(number, digits);
  cell.removeAttribute("aria-invalid");
};

/**
 * What is typed into a field: shown at once, refused where it is no number, taken back with Escape.
 *
 * @param {Model} model
 */
const fieldsOf = (model, numbers, refusal) => {
  let before; // the numbers as they were when the field was entered
  const rewrite = (name, cell, at) => write(cell, numbers.get(name, ...at), 4);
  const fields = {
    enter(name, cell, at) {
      before = structuredClone(model.get(SOURCE[name]));
      rewrite(name, cell, at);
      cell.select();
    },
    edit(name, cell, at) {
      const number = typed(cell);
      cell.setAttribute("aria-invalid", !Number.isFinite(number));
      if (!Number.isFinite(number)) return;
      refusal.textContent = "";
      numbers.set(name, ...at, number);
    },
    commit(name, cell, at) {
      if (!Number.isFinite(typed(cell))) {
        const stays = `${cell.getAttribute("aria-label")} stays ${numbers.get(name, ...at)}`;
        refusal.textContent = `${quoted(cell.value)} is not a finite number; ${stays}.`;
      }
      rewrite(name, cell, at);
    },
    key(name, cell, at, event) {
      if (event.key === "Enter") return fields.commit(name, cell, at);
      if (event.key === "Escape") put(model, { [SOURCE[name]]: before });
      else if (event.key in KEYS) {
        event.preventDefault();
        const number = numbers.get(name, ...at) + KEYS[event.key];
        numbers.set(name, ...at, Number(number.toFixed(4)));
      } else return;
      rewrite(name, cell, at);
      cell.select();
    },
  };
  return fields;
};

/**
 * `left` is called when a field was left.
 *
 * @param {Model} model
 */
export const editorOf = (model, { say, left }) => {
  const numbers = sourcesOf(model);
  const refusal = h("p", { className: "refusal", role: "alert" });
  const reset = h("button", { type: "button", className: "ui" }, "Reset the numbers");
  const fields = fieldsOf(model, numbers, refusal);
  reset.addEventListener("click", () => {
    refusal.textContent = "";
    put(model, structuredClone(model.get("original")));
    say("the numbers are as they were");
  });
  return {
    reset,
    refusal,
    listen(grid) {
      const { name, node, place } = grid;
      const on = (type, act) =>
        node.addEventListener(type, (event) => {
          if (event.target.matches("input")) act(name, event.target, place(event.target), event);
        });
      on("focusin", fields.enter);
      on("focusout", left);
      on("keydown", fields.key);
      on("input", fields.edit);
      on("change", fields.commit);
      scrub(grid, numbers);
    },
    /** Writes an input, unless it holds this number already, as it is typed. */
    show(cell, name, at, digits, focused) {
      const number = numbers.get(name, ...at);
      if (cell !== focused) write(cell, number, digits);
      else if (typed(cell) !== number) write(cell, number, 4);
    },
  };
};
