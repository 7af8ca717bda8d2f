// A figure's state in the address of its page: #Recall?length=16 is the figure Recall at 16
// letters.

import { fitEnds, lastOf } from "./model.js";

/** The values that the address has for the figure of this name. What is no JSON is left out. */
export const stateIn = (hash, name) => {
  const [figure, query = ""] = hash.slice(1).split("?");
  if (figure !== name) return null;
  const state = {};
  for (const [trait, text] of new URLSearchParams(query)) {
    try {
      state[trait] = JSON.parse(text);
    } catch {}
  }
  return state;
};

/** The end of an address that says these values. */
export const hashOf = (name, state) => {
  const texts = Object.entries(state).map(([trait, value]) => [trait, JSON.stringify(value)]);
  return `#${name}?${new URLSearchParams(texts)}`;
};

const ROUNDING = 1e-6; // of a step

/** Whether a value is of the kind that stands there now, and one that the control can show. */
const fits = (value, now, control, model) => {
  if (typeof value !== typeof now || Array.isArray(value) !== Array.isArray(now)) return false;
  if (typeof value !== "number") return true;
  if (control === undefined) return Number.isFinite(value);
  if (["select", "scale"].includes(control.kind)) return value in control.options;
  const steps = (value - control.min) / control.step;
  const isStep = Math.abs(steps - Math.round(steps)) < ROUNDING;
  return isStep && value >= control.min && value <= lastOf(model, control);
};

/**
 * Puts a figure into the state of an address, as far as it knows it. Controls that decide others
 * come first.
 */
export const restore = (model, state, traits, controls) => {
  for (const trait of traits) {
    const control = controls.find((one) => one.trait === trait);
    const known = trait in state && fits(state[trait], model.get(trait), control, model);
    if (!known) continue;
    // A list holds texts; which of them there are, the figure knows.
    const isText = (entry) => typeof entry === "string";
    const value = state[trait];
    model.set(trait, Array.isArray(value) ? value.filter(isText) : value);
    fitEnds(model, trait); // before the next one is held against its end
  }
};
