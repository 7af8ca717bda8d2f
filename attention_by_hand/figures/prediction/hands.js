// Class mode: hands are counted, one number for each answer. It is offered where a class sees it:
// on a projector.

import { h } from "../kit/parts/dom.js";
import { put } from "../kit/runtime/model.js";

/** @import { Model } from "./figure.js" */

/**
 * The fields for the hands, one for each of `bins`.
 *
 * @param {Model} model
 */
export const countersOf = (model, bins) => {
  const counters = bins.map((text) =>
    h("input", { type: "number", min: 0, max: 999, value: 0, "aria-label": `hands for ${text}` }),
  );
  counters.forEach((counter, i) => {
    counter.addEventListener("input", () => {
      const value = Math.max(0, Math.min(999, Math.round(Number(counter.value) || 0)));
      put(model, { hands: model.get("hands").map((count, j) => (j === i ? value : count)) });
    });
    counter.addEventListener("change", () => {
      counter.value = model.get("hands")[i]; // what is counted, where something else was typed
    });
  });
  return counters;
};

/**
 * The button that turns class mode on and off, shown in projector mode only.
 *
 * @param {Model} model
 */
export const counting = (base, model) => {
  const page = document.documentElement;
  const button = h("button", { type: "button", className: "quiet" }, "Count hands");
  button.addEventListener("click", () => put(model, { class_mode: !model.get("class_mode") }));
  const follow = () => {
    const projected = page.classList.contains("projector");
    if (!projected && !button.hidden && model.get("class_mode")) put(model, { class_mode: false });
    button.hidden = !projected;
  };
  const watch = new MutationObserver(follow);
  watch.observe(page, { attributes: true, attributeFilter: ["class"] });
  base.ended.addEventListener("abort", () => watch.disconnect());
  button.hidden = !page.classList.contains("projector");
  return button;
};
