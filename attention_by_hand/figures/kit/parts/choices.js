// A few choices side by side, in place of a list that would hide all but one.

import { h } from "./dom.js";
import { rove } from "./rove.js";

/**
 * A button for each text, of which one is chosen: `choose(i)` is called, and `update(i)` shows it.
 */
export const choicesOf = (name, texts, choose) => {
  const buttons = texts.map((text, i) => {
    const button = h("button", { type: "button", role: "radio" }, text);
    button.addEventListener("click", () => choose(i));
    return button;
  });
  const node = h(
    "div",
    { className: "choices", role: "radiogroup", "aria-label": name },
    ...buttons,
  );
  const stop = rove([buttons], (_, i) => choose(i));
  const update = (chosen) => {
    buttons.forEach((button, i) => button.setAttribute("aria-checked", i === chosen));
    stop(0, chosen);
  };
  return { node, update };
};
