// The answer to an exercise, in the page: numbers or a choice, and what the notebook's check would
// say of them.

import { h } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { numberIn, unread } from "../kit/parts/typed.js";
import { hintFor } from "./hint.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   number: string,
 *   sheet: any,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

/** A field for each number; `values()` are the numbers, NaN where none is written. */
const fieldsFor = ({ asks }) => {
  const inputs = asks.map(() => h("input", { type: "text", autocomplete: "off" }));
  const labels = inputs.map((input, i) => h("label", {}, asks[i], input));
  return { nodes: labels, values: () => inputs.map((input) => numberIn(input.value)), inputs };
};

/** A row for each option; `values()` is the index of the one that is chosen. */
const choicesFor = ({ options }, number) => {
  const inputs = options.map(() => h("input", { type: "radio", name: `answer ${number}` }));
  const rows = options.map((option, i) => h("label", { className: "option" }, inputs[i], option));
  const chosen = () => inputs.findIndex((input) => input.checked);
  return { nodes: rows, values: () => [chosen() < 0 ? Number.NaN : chosen()], inputs };
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model, { menu: false });
    const sheet = model.get("sheet");
    const choosing = sheet.options.length > 0;
    const asked = choosing ? choicesFor(sheet, model.get("number")) : fieldsFor(sheet);
    const verdict = h("p", { className: "verdict", role: "status" });
    const button = h("button", { type: "submit" }, "Check");
    const form = h("form", { noValidate: true }, ...asked.nodes, button);

    const judge = () => {
      const values = asked.values();
      const missing = values.findIndex(Number.isNaN);
      const hint = missing < 0 ? hintFor(values, sheet) : null;
      if (missing >= 0) {
        base.root.dataset.verdict = "missing";
        verdict.textContent = choosing
          ? "Choose one of them."
          : unread(asked.inputs[missing].value);
        asked.inputs[missing].focus();
      } else {
        base.root.dataset.verdict = hint ? "hint" : "right";
        verdict.textContent = hint ? `Not yet: ${hint}` : "✓ Right.";
      }
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      judge();
    });
    form.addEventListener("input", () => {
      verdict.textContent = "";
      delete base.root.dataset.verdict;
    });
    base.body.className = choosing ? "body answer choosing" : "body answer";
    base.body.append(form, verdict);
    return () => base.dispose();
  },
};

export default figure;
