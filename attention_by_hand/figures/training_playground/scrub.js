// The slider behind a ball on a curve, for the keyboard; its value is told in words.

import { h } from "../kit/parts/dom.js";

/**
 * {node, show(step, last, words)}. `moved(step)` is called; `further()` where a key leads beyond
 * the end.
 */
export const scrubOf = (label, moved, further = () => {}) => {
  const node = h("input", { type: "range", className: "sr scrub", min: 0, "aria-label": label });
  node.addEventListener("input", () => moved(Number(node.value)));
  node.addEventListener("keydown", (event) => {
    if (!["ArrowRight", "ArrowUp"].includes(event.key) || node.value !== node.max) return;
    event.preventDefault();
    further();
  });
  const show = (step, last, words) => {
    node.max = last;
    node.value = step;
    node.setAttribute("aria-valuetext", words);
  };
  return { node, show };
};
