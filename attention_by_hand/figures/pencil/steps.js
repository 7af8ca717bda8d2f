// The steps as a list of forms: one is open, those before it are done, those after it wait.

import { h, token } from "../kit/parts/dom.js";
import { signed } from "../kit/parts/numbers.js";
import { numberIn, unread } from "../kit/parts/typed.js";
import { slipIn } from "./tasks.js";

const zeroed = (value) => (Math.abs(value) < 0.005 ? 0 : value); // and no "−0.00"
const shown = (value) => (Math.abs(value) >= 100 ? value.toFixed(0) : signed(value, 2));

const fieldOf = ({ label, right }) => {
  const input = h("input", { type: "text", autocomplete: "off", inputMode: "decimal" });
  const node = h("label", {}, label, " = ", input);
  return { node, input, fill: () => (input.value = shown(right)) };
};

/**
 * The forms of `tasks`: {node, update(step)}; `done(n)` is called when the n-th is right, `say(text)`
 * with what is said of an answer.
 */
export const stepsOf = (tasks, { done, say }) => {
  const forms = tasks.map(({ text, fields }, n) => {
    const own = fields.map(fieldOf);
    const check = h("button", { type: "submit" }, "Check");
    const give = h("button", { type: "button", className: "give" }, "fill it in");
    const form = h("form", { noValidate: true }, h("p", {}, text), ...own.map(({ node }) => node));
    form.append(check, give);
    const judge = () => {
      for (const [i, { input }] of own.entries()) {
        const value = numberIn(input.value);
        const slip = Number.isNaN(value) ? unread(input.value) : slipIn(value, fields[i]);
        if (!slip) continue;
        say(Number.isNaN(value) ? slip : `Not yet: ${slip}`);
        input.focus();
        return;
      }
      done(n + 1);
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      judge();
    });
    form.addEventListener("input", () => say(""));
    give.addEventListener("click", () => {
      for (const { fill } of own) fill();
      done(n + 1);
    });
    return { item: h("li", {}, form), own, buttons: [check, give] };
  });
  const node = h("ol", { className: "steps" }, ...forms.map(({ item }) => item));
  const update = (step) => {
    forms.forEach(({ item, own, buttons }, n) => {
      item.className = n < step ? "done" : n === step ? "open" : "waiting";
      for (const { input, fill } of own) {
        input.disabled = n !== step;
        if (n < step) fill();
        else if (n > step) input.value = "";
      }
      for (const button of buttons) button.disabled = n !== step;
    });
  };
  return { node, update, focus: (step) => forms[step]?.own[0].input.focus() };
};

/** Both vectors and their products, place by place; `update(known)` says whether all are shown. */
export const vectorsOf = ({ query, key, asks, word }, { places, products }) => {
  const cells = query.map((value, i) => {
    const product = h("td", { className: places.includes(i) ? "yours" : "" });
    const column = [h("th", { scope: "col" }, `${i}`), h("td", {}, signed(value, 2))];
    return { product, column: [...column, h("td", {}, signed(key[i], 2)), product] };
  });
  const heads = [
    h("th", { scope: "row" }, "place"),
    h("th", { scope: "row", className: "query" }, token(asks)),
    h("th", { scope: "row", className: "key" }, token(word)),
    h("th", { scope: "row" }, "product"),
  ];
  const rows = heads.map((head, r) => h("tr", {}, head, ...cells.map(({ column }) => column[r])));
  const node = h(
    "div",
    { className: "panel", tabIndex: 0, role: "group", "aria-label": "query, key and product" },
    h("table", { className: "vectors" }, h("tbody", {}, ...rows)),
  );
  const update = (known) => {
    cells.forEach(({ product }, i) => {
      product.textContent = known || !places.includes(i) ? signed(zeroed(products[i]), 2) : "?";
    });
  };
  return { node, update };
};
