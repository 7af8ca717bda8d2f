// Three things to try, each recognised when it is done, or when it is seen why it cannot be.

import { h } from "../kit/parts/dom.js";
import { percent } from "./shares.js";

const NEAR = 0.011; // of a share
const CERTAIN = 0.85; // a share from which on a reader has tried to leave the triangle

/** @param {string[]} words @param {number} wanted */
const daresOn = (words, wanted) => [
  {
    name: `give ${words[wanted]} half`,
    how: `Where must the question point, so that “${words[wanted]}” gets 50\u00a0%?`,
    isDone: ({ shares }) => Math.abs(shares[wanted] - 0.5) < NEAR,
    answer: ({ shares }) =>
      `Done: “${words[wanted]}” has ${percent(shares[wanted])}, as much as all others together.`,
  },
  {
    name: "make all equal",
    how: "Which question gives every word the same share?",
    isDone: ({ shares }) => Math.max(...shares) - Math.min(...shares) < 2 * NEAR,
    answer: () =>
      "Done: all scores are equal, and whoever asks nothing in particular is given the average.",
  },
  {
    name: "leave the triangle",
    how: "Pull the question as far as you like, in any direction. Does the dot get out?",
    isDone: ({ shares }) => Math.max(...shares) >= CERTAIN,
    answer: ({ shares }) =>
      `It does not get out: even ${percent(Math.max(...shares))} is less than the whole. Shares are ` +
      "above 0 and make 1, so the mixture always lies between the values.",
  },
];

const FIRST = "Three things to try: press one, and then pull.";
const LEARNT =
  "Each score was pushed by its share, times how much better its value would have been than the " +
  "mixture. Wanted was";

/** The dares as buttons, and a line that says how it stands: {buttons, line, update(state)}. */
export const daresOf = (words, wanted) => {
  const dares = daresOn(words, wanted);
  const line = h("p", { className: "dare plain" });
  let taken = null;
  const buttons = dares.map((dare) => {
    const button = h("button", { type: "button", ariaPressed: "false" }, dare.name);
    button.addEventListener("click", () => {
      taken = taken === dare ? null : dare;
      update(state);
    });
    return button;
  });
  let state = null;
  const update = (now) => {
    state = now;
    dares.forEach((dare, i) => {
      const done = dare.isDone(now) && (taken === dare || dare !== dares[2]);
      if (done) buttons[i].classList.add("done");
      buttons[i].ariaPressed = `${taken === dare}`;
    });
    const learnt = now.pushes ? `${LEARNT} “${words[wanted]}”.` : FIRST;
    const text = !taken ? learnt : taken.isDone(now) ? taken.answer(now) : taken.how;
    if (line.textContent !== text) line.textContent = text;
  };
  return { buttons, line, update };
};
