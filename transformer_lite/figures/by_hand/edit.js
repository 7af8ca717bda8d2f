// Changing a number of x, W or b: by dragging it sideways, by typing, or with Page Up and Page Down.

import { h, quoted } from "../kit/dom.js";
import { put } from "../kit/frame.js";
import { signed } from "../kit/numbers.js";
import { SOURCE } from "./chain.js";

const FAR = 4; // pixels; a press that moves less is a tap
const STEP = 0.01; // a pixel
const KEYS = { PageUp: 0.1, PageDown: -0.1 };

const typed = (cell) =>
  cell.value.trim() === "" ? NaN : Number(cell.value.replace("−", "-").replace(",", "."));

/** The inputs' numbers: read, and set. */
const numbersOf = (model) => ({
  get(name, i, j) {
    if (name === "x") return model.get("x")[model.get("sentence")][i][j];
    return name === "W" ? model.get("weight")[i][j] : model.get("bias")[i];
  },
  set(name, i, j, number) {
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
    from = { at, x: event.clientX, number: numbers.get(name, ...at), far: false };
  });
  node.addEventListener("pointermove", ({ clientX }) => {
    if (!from) return;
    const pixels = Math.round(clientX - from.x);
    from.far ||= Math.abs(pixels) >= FAR;
    if (from.far) numbers.set(name, ...from.at, Number((from.number + STEP * pixels).toFixed(4)));
  });
  node.addEventListener("pointerup", () => {
    if (from && !from.far) cells[from.at[0]][from.at[1]].focus();
    from = null;
  });
  node.addEventListener("pointercancel", () => {
    from = null;
  });
};

export const editorOf = (model, root, say) => {
  const numbers = numbersOf(model);
  const refusal = h("p", { className: "refusal", role: "alert" });
  const reset = h("button", { type: "button", className: "ui" }, "Reset the numbers");
  let before; // the numbers as they were when the field was entered

  const write = (cell, number, digits) => {
    cell.value = signed(number, digits);
    cell.removeAttribute("aria-invalid");
  };
  const edit = (name, cell, at) => {
    const number = typed(cell);
    cell.setAttribute("aria-invalid", !Number.isFinite(number));
    if (!Number.isFinite(number)) return;
    refusal.textContent = "";
    numbers.set(name, ...at, number);
  };
  const commit = (name, cell, at) => {
    const old = numbers.get(name, ...at);
    if (!Number.isFinite(typed(cell))) {
      const where = cell.getAttribute("aria-label");
      refusal.textContent = `${quoted(cell.value)} is not a finite number; ${where} stays ${old}.`;
    }
    write(cell, old, 4);
  };
  const takeBack = (name, cell, at) => {
    put(model, { [SOURCE[name]]: before });
    write(cell, numbers.get(name, ...at), 4);
    cell.select();
  };
  const key = (event, name, at) => {
    const cell = event.target;
    if (event.key === "Escape") takeBack(name, cell, at);
    if (event.key === "Enter") commit(name, cell, at);
    if (!(event.key in KEYS)) return;
    event.preventDefault();
    numbers.set(name, ...at, Number((numbers.get(name, ...at) + KEYS[event.key]).toFixed(4)));
    write(cell, numbers.get(name, ...at), 4);
    cell.select();
  };
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
          if (event.target.matches("input")) act(event, place(event.target));
        });
      on("focusin", ({ target }, at) => {
        before = structuredClone(model.get(SOURCE[name]));
        write(target, numbers.get(name, ...at), 4);
        target.select();
      });
      on("focusout", () => root.dispatchEvent(new CustomEvent("left")));
      on("keydown", (event, at) => key(event, name, at));
      on("input", ({ target }, at) => edit(name, target, at));
      on("change", ({ target }, at) => commit(name, target, at));
      scrub(grid, numbers);
    },
    /** Writes an input, unless it holds this number already, as it is typed. */
    show(cell, name, at, digits, focused) {
      const number = numbers.get(name, ...at);
      if (cell !== focused || typed(cell) !== number)
        write(cell, number, cell === focused ? 4 : digits);
    },
  };
};
