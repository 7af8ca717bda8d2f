// What a question is about is not shown before the reader has guessed it, or asks for it.

import { CHANGED, kept } from "../kit/shared/guesses.js";

/** @import { Model } from "./figure.js" */

const STEP = 60; // milliseconds a letter, as it is drawn

/**
 * How far the answer may be seen: `upTo()` is an index into the lengths. With a guess it runs from
 * `free` to the end, and calls `changed` at each step; `show()` runs without one.
 *
 * @param {Model} model
 */
export const withheld = (base, model, { free, last, changed }) => {
  const known = () => !model.get("prediction") || kept(model.get("prediction")) !== null;
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let asked = false;
  let open = known();
  let upTo = open ? last : free;
  let timer = null;
  const run = () => {
    timer = setInterval(() => {
      upTo += 1;
      if (upTo >= last) clearInterval(timer);
      changed();
    }, STEP);
  };
  const follow = () => {
    if (open === (asked || known())) return;
    open = !open;
    clearInterval(timer);
    upTo = open && still.matches ? last : free;
    if (open && !still.matches) run();
    changed();
  };
  document.addEventListener(CHANGED, follow, { signal: base.ended });
  base.ended.addEventListener("abort", () => clearInterval(timer));
  return {
    upTo: () => upTo,
    show: () => {
      asked = true;
      follow();
    },
  };
};
