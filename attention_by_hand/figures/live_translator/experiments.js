// Experiments that play: the sentence whole, a part that is cut out, what is then written, and a
// question about it.

import { h } from "../kit/parts/dom.js";
import { roveAmong } from "../kit/parts/rove.js";

/** @import { Model } from "./figure.js" */

const WAIT = 900; // ms with the whole translation in sight
const FLASH = 600; // ms between the cut and what it does
const STATE = { off: [], beam: 1, temperature: 0, source_word: -1 };

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The card that asks about an experiment; `guessed` is told which of the choices was taken. */
const cardOf = (guessed) => {
  const card = h("div", { className: "ui card", hidden: true });
  const ask = (experiment) => {
    const choices = experiment.choices.map((text, i) => {
      const choice = h("button", { type: "button", className: "try" }, text);
      choice.addEventListener("click", () => guessed(experiment, i));
      return choice;
    });
    card.replaceChildren(
      h("p", {}, experiment.question),
      h("div", { className: "tries", role: "group", "aria-label": "your guess" }, ...choices),
    );
    card.hidden = false;
  };
  const tell = ({ choices, right, answer }, guess) => {
    const verdict =
      guess === right
        ? `Yes, ${choices[right]}`
        : `You said: ${choices[guess]}. But it is: ${choices[right]}`;
    const told = h("p", { className: "answer", tabIndex: -1 }, h("b", {}, `${verdict}: `), answer);
    card.replaceChildren(told);
    told.focus();
  };
  return { card, ask, tell };
};

/**
 * `set(traits)` is a promise that what they say is in sight. `still` is whether the reader wants no
 * motion: then only what comes of it is shown.
 *
 * @param {Model} model
 */
export const experimentsOf = (model, { set, still, asked }) => {
  const experiments = model.get("experiments");
  let turn = 0; // what is played or was stopped last
  let open = null;

  const pills = experiments.map((experiment) => {
    const pill = h("button", { type: "button", className: "pill" }, experiment.title);
    pill.addEventListener("click", () => (open === experiment ? close() : play(experiment)));
    return pill;
  });
  const node = h("div", { className: "ui pills", role: "group", "aria-label": "experiments" });
  node.hidden = !pills.length;
  node.append(h("span", { className: "note" }, "Experiments"), ...pills);
  roveAmong(node, () => pills);
  const { card, ask, tell } = cardOf((experiment, guess) => {
    tell(experiment, guess);
    if (experiment.then) set({ ...STATE, ...experiment.then });
  });

  const mark = () => {
    experiments.forEach((one, i) => pills[i].setAttribute("aria-pressed", one === open));
  };
  const close = () => {
    turn++;
    open = null;
    card.hidden = true;
    mark();
    asked();
  };
  const play = async (experiment) => {
    const thisTurn = ++turn;
    open = experiment;
    card.hidden = true;
    mark();
    asked();
    await set({ ...STATE, source: experiment.source });
    if (!still()) await pause(WAIT);
    if (thisTurn !== turn) return;
    await set({ off: [...experiment.off] }, still() ? 0 : FLASH);
    if (thisTurn !== turn) return;
    ask(experiment);
    asked(experiment.question);
  };
  mark();
  return {
    node,
    card,
    /** Something else is looked at. */
    close() {
      if (open) close();
    },
    get asks() {
      return !card.hidden;
    },
  };
};
