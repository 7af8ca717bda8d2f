// The sentences that the model writes now, and what the reader says of each.

import { h } from "../kit/parts/dom.js";
import { roveAmong } from "../kit/parts/rove.js";

const SAYS = [
  { name: "good", value: 1 },
  { name: "bad", value: 0 },
];

/** A sentence with its two buttons and the grammar's mark. */
const rowOf = (say) => {
  const text = h("bdi", { className: "text" });
  const mark = h("span", { className: "mark" });
  const buttons = SAYS.map(({ name, value }) => {
    const button = h("button", { type: "button", className: name }, name);
    button.addEventListener("click", () => say(value));
    return button;
  });
  const node = h("li", {}, h("span", { className: "ui says" }, ...buttons), text, mark);
  const update = ({ sentence, lang, judgement, isRight, isShown }) => {
    text.textContent = sentence;
    text.lang = lang;
    buttons.forEach((button, i) => {
      button.setAttribute("aria-pressed", judgement === SAYS[i].value);
      button.setAttribute("aria-label", `${SAYS[i].name}: ${sentence}`);
    });
    node.classList.toggle("wrong", isShown && !isRight);
    mark.textContent = isShown ? (isRight ? "✓" : "✗") : "";
    mark.title = isShown ? (isRight ? "a sentence of the language" : "no sentence of it") : "";
  };
  return { node, buttons, update };
};

/** {node, update(rows, title)}: `say(i, value)` is told what the reader says. */
export const listOf = (count, say) => {
  const rows = Array.from({ length: count }, (_, i) => rowOf((value) => say(i, value)));
  const title = h("p", { className: "title" });
  const list = h("ol", { className: "written" }, ...rows.map(({ node }) => node));
  roveAmong(list, () => rows.flatMap(({ buttons }) => buttons));
  const update = (states, text) => {
    title.textContent = text;
    rows.forEach(({ node, update }, i) => {
      node.hidden = !states[i];
      if (states[i]) update(states[i]);
    });
  };
  return { node: h("div", { className: "list" }, title, list), update };
};
