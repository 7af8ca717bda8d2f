// A scale to place a number on; on the same line, later, stands the answer.

import { h } from "../kit/parts/dom.js";

/** @import { Model } from "./figure.js" */

const at = (node, share) => node.style.setProperty("--share", share);

/**
 * The scale of a question with a number. `counters` are the fields for hands, one for each tenth of
 * it.
 *
 * @param {Model} model
 */
export const scaleOf = (model, question, { steps }, counters, changed) => {
  // Where it waits is no guess: hollow in the middle, until it is moved
  const slider = h("input", { type: "range", min: 0, max: steps, value: steps / 2 });
  let moved = false;
  slider.setAttribute("aria-label", question.text);
  const reading = h("output", { className: "on-scale", "aria-hidden": "true" }); // the slider says it
  const truth = h("b", { className: "on-scale" });
  const tick = h("i", { className: "on-scale" });
  const bars = counters.map(() => h("i"));
  const columns = counters.map((counter, i) =>
    h(
      "div",
      {},
      h("div", { className: "column" }, bars[i]),
      counter,
      h("span", {}, question.bins[i]),
    ),
  );
  const node = h(
    "div",
    { className: "number-line" },
    h("div", { className: "tenths" }, ...columns),
    h("div", { className: "above" }, reading),
    h("span", { className: "low" }, question.names[0]),
    h("div", { className: "place" }, slider, tick),
    h("span", { className: "high" }, question.names.at(-1)),
    h("div", { className: "beneath" }, truth),
  );
  const tenth = Math.min(9, Math.floor(10 * question.share(model.get("answer"))));
  slider.addEventListener("input", () => {
    moved = true;
    changed();
  });
  at(truth, question.share(model.get("answer")));
  at(tick, question.share(model.get("answer")));

  const update = ({ open, counting, guess }) => {
    if (open && !counting) slider.value = guess;
    const value = question.names[slider.value];
    const waits = !moved && !open;
    slider.classList.toggle("waits", waits);
    reading.textContent = waits ? "" : open ? `your guess: ${value}` : value;
    at(reading, slider.value / steps);
    slider.setAttribute("aria-valuetext", waits ? "not moved yet" : value);
    truth.textContent = open ? `the answer: ${question.right}` : "";
    tick.hidden = !open;
    const hands = model.get("hands");
    const most = Math.max(1, ...hands);
    bars.forEach((bar, i) => {
      bar.classList.toggle("right", open && i === tenth);
      bar.style.height = `${open ? (100 * hands[i]) / most : 0}%`;
    });
  };
  return {
    node,
    update,
    chosen: () => (moved ? Number(slider.value) : -1),
    clear: () => {
      moved = false;
      slider.value = steps / 2;
    },
    focus: () => slider.focus(),
  };
};
