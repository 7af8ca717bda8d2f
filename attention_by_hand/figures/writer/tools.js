// What a text may begin with, what writes it, and how hot the lot is.

import { h } from "../kit/parts/dom.js";
import { put } from "../kit/runtime/model.js";

/** @import { Model } from "./figure.js" */

const buttonOf = (name, className, act) => {
  const node = h("button", { type: "button", className }, name);
  node.addEventListener("click", () => {
    if (node.ariaDisabled !== "true") act();
  });
  return node;
};

/** @param {Model} model */
export const beginningsOf = (model, begin) => {
  const chips = model
    .get("beginnings")
    .map((text) => buttonOf(text || "nothing", "begin", () => begin(text)));
  const node = h("div", { className: "ui beginnings" }, h("span", {}, "begin with"), ...chips);
  return {
    node,
    show() {
      const now = model.get("text");
      chips.forEach((chip, i) =>
        chip.setAttribute("aria-pressed", model.get("beginnings")[i] === now),
      );
    },
  };
};

/** A button that can do nothing now keeps the focus that it has. */
const allow = (node, on) => node.setAttribute("aria-disabled", !on);

/**
 * `draw()` draws what it is called, a word or a piece of one, `run(on)` all, `back()` takes the last
 * back, `again()` begins anew.
 */
export const buttonsOf = ({ drawn, draw, run, back, again }) => {
  let running = false;
  const one = buttonOf(`Draw a ${drawn}`, "draw", draw);
  const on = buttonOf("Write on", "run", () => run(!running));
  const undo = buttonOf("Take back", "undo", back);
  const anew = buttonOf("Anew", "again", again);
  anew.title = "draw all words anew";
  return {
    node: h("div", { className: "ui buttons" }, one, on, undo, anew),
    show({ over, written, empty, isRunning }) {
      running = isRunning;
      on.textContent = running ? "❚❚ Pause" : "Write on";
      allow(one, !over && !running);
      allow(on, !over);
      allow(undo, !empty && !running);
      allow(anew, written && !running);
    },
  };
};

/** @param {Model} model */
export const heatOf = (model, hottest) => {
  const range = h("input", { type: "range", min: 0, max: hottest, step: 0.1 });
  const value = h("b");
  range.addEventListener("input", () => put(model, { temperature: Number(range.value) }));
  return {
    node: h("label", { className: "ui heat" }, h("span", {}, "temperature ", value), range),
    show() {
      const heat = model.get("temperature");
      range.value = heat;
      value.textContent = heat ? heat.toFixed(1) : "0, always the likeliest";
    },
  };
};
