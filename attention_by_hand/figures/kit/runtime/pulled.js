// Numbers in the sentences of a page. `<a class="pulled" href="#Recall?length=16">16</a>` is pulled
// sideways, or moved with the arrow keys, and sets the last trait of its address, with all others
// as they stand there. `<output for="Recall" name="attention">92</output>` answers with
// `model.answers.attention`, which the figure writes at every update. Both say what is written
// until the figure changes. A figure that answers brings this along, as its `inText`.

import { restore, stateIn } from "./address.js";
import { drag } from "../parts/drag.js";
import { lastOf, textOf } from "./model.js";

const WAY = { all: 240, least: 4, most: 16 }; // pixels: from end to end, and of a step
const KEYS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -1e9, End: 1e9 };
const within = (value, least, most) => Math.min(most, Math.max(least, value));

/** Gives a pulled number its handle; `hold(true)` comes first and `hold(false)` last. */
const numberOf = (link, model, name, { traits, controls }, hold) => {
  const state = stateIn(link.hash, name);
  const trait = Object.keys(state).at(-1);
  const control = controls.find((one) => one.trait === trait);
  const { label, min, step } = control;
  const steps = () => Math.round((lastOf(model, control) - min) / step);
  const placeOf = (value) => Math.round((value - min) / step);
  let place = placeOf(state[trait]);
  const tell = (value, text) => {
    const ends = { "aria-valuemin": min, "aria-valuemax": lastOf(model, control) };
    const now = { "aria-valuenow": value, "aria-valuetext": text };
    for (const [key, said] of Object.entries({ ...ends, ...now })) link.setAttribute(key, said);
  };
  const to = (next) => {
    const value = min + within(next, 0, steps()) * step;
    const asked = { ...state, [trait]: Number(value.toFixed(6)) }; // 0.07, and not 0.07 and a little
    const isNew = Object.entries(asked).some(([one, wanted]) => model.get(one) !== wanted);
    if (isNew) restore(model, asked, traits, controls);
  };
  link.removeAttribute("href"); // it leads nowhere any more
  Object.assign(link, { role: "slider", tabIndex: 0, ariaLabel: label });
  tell(state[trait], link.textContent);
  let from = null;
  drag(link, {
    move: ({ clientX }) => {
      if (from === null) hold(true);
      from ??= { x: clientX, place };
      const far = within(WAY.all / steps(), WAY.least, WAY.most);
      to(from.place + Math.round((clientX - from.x) / far));
    },
    done: () => {
      from = null;
      hold(false);
    },
  });
  link.addEventListener("keydown", (event) => {
    if (!(event.key in KEYS)) return;
    event.preventDefault();
    to(place + KEYS[event.key]);
  });
  const write = () => {
    const [value, text] = [model.get(trait), textOf(model, control)];
    place = placeOf(value);
    tell(value, text);
    return text;
  };
  return { node: link, write };
};

const inSentences = (model, name, data) => {
  const links = [...document.querySelectorAll(`a.pulled[href^="#${name}?"]`)];
  if (!links.length) return;
  let isHeld = false;
  const hold = (now) => {
    isHeld = now;
    if (!isHeld) for (const { node } of texts) node.style.minWidth = "";
  };
  const answers = [...document.querySelectorAll(`output[for="${name}"]`)].map((node) => {
    node.setAttribute("aria-live", "off"); // the figure says it
    return { node, write: () => model.answers[node.getAttribute("name")] };
  });
  const texts = [...links.map((link) => numberOf(link, model, name, data, hold)), ...answers];
  const write = () => {
    for (const { node, write } of texts) {
      // While it is pulled no text grows narrower, so that the line stays where it is.
      if (isHeld) node.style.minWidth = `${node.getBoundingClientRect().width}px`;
      node.textContent = write();
    }
  };
  for (const trait of data.traits) model.on(`change:${trait}`, write);
};

/**
 * Lets the numbers of the page's sentences set the figure of this name and answer with it, once all
 * sentences are there. addressed, controls: as in the figure's data.
 *
 * @param {any} model
 */
export const inText = (model, name, { addressed: traits, controls }) => {
  const read = () => inSentences(model, name, { traits, controls });
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", read);
  else read();
};
