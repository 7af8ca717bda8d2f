// The vectors grow once the reader has guessed what long ones do.

import { CHANGED, kept } from "../kit/shared/guesses.js";
import { put } from "../kit/runtime/model.js";

/** @import { Model } from "./figure.js" */

const STEP = 450; // milliseconds for each doubling

/**
 * Grows the vectors from one number on when the figure's question is answered; a guess erased
 * brings those back with which it opened.
 *
 * @param {Model} model
 */
export const growWhenAnswered = (base, model) => {
  const { grown } = base.constants;
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const number = model.get("prediction");
  if (!number) return;
  const opened = model.get("exponent");
  let timer = null;
  let known = kept(number) !== null;
  const to = (exponent) => put(model, { exponent });
  const step = () => {
    if (model.get("exponent") >= grown) return clearInterval(timer);
    to(model.get("exponent") + 1);
  };
  const follow = () => {
    if (known === (kept(number) !== null)) return;
    known = !known;
    clearInterval(timer);
    if (!known || still.matches) return to(known ? grown : opened);
    to(0);
    timer = setInterval(step, STEP);
  };
  if (known) to(grown);
  document.addEventListener(CHANGED, follow, { signal: base.ended });
  base.ended.addEventListener("abort", () => clearInterval(timer));
};
