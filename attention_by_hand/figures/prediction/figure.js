// A prediction: choose or place a guess, commit, and only then see the answer, with the guess
// beside it.

import { CHANGED, erase, keep, kept } from "../kit/shared/guesses.js";
import { h, unbroken } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { getter, listen, put } from "../kit/runtime/model.js";
import { choicesOf } from "./choices.js";
import { counting, countersOf } from "./hands.js";
import { questionOf } from "./question.js";
import { scaleOf } from "./scale.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   number: string,
 *   question: string,
 *   because: string,
 *   unit: string,
 *   options: any[],
 *   hands: any[],
 *   sizes: any[],
 *   low: number,
 *   high: number,
 *   answer: number,
 *   guess: number,
 *   class_mode: boolean,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const ERASE = "Erase my guess";

/**
 * The answer in words. Before it is given, as long a text keeps its place unseen, so that nothing
 * below moves.
 *
 * @param {Model} model
 */
const answerOf = (model, question) => {
  const text = h("p", { className: "answer", tabIndex: -1 });
  const again = h("button", { type: "button", className: "again quiet" });
  const line = h("div", {}, text, " ", again);
  const because = unbroken(` ${model.get("because")}`);
  const longest = question.names.reduce((a, b) => (b.length > a.length ? b : a));
  const right = () => h("strong", {}, `The answer: ${question.right}.`);
  const verdict = (guess) => {
    if (model.get("class_mode")) return "";
    if (question.isHit(guess)) return "You were right. ";
    return question.choosing ? "" : `Your guess was ${question.names[guess]}. `; // a row is marked
  };
  const widest = question.choosing ? "You were right. " : `Your guess was ${longest}. `;
  const room = h(
    "div",
    { className: "room", "aria-hidden": "true" },
    h("p", {}, widest, right(), because),
    " ",
    h("button", { type: "button", className: "quiet" }, ERASE),
  );
  const update = ({ open, counting, guess }) => {
    line.hidden = !open;
    again.textContent = counting ? "Ask again" : ERASE;
    text.replaceChildren(...(open ? [verdict(guess), right(), because] : []));
  };
  return { line, room, text, again, update };
};

/**
 * The place of the guess that is kept, or -1: another edition may have asked something else under
 * this number.
 *
 * @param {Model} model
 */
const placeOf = (model, question) => {
  const guess = kept(model.get("number"));
  const known = guess?.question === question.text && guess.place in question.names;
  return known ? guess.place : -1;
};

/** Keeps a guess for the figure that answers it, and for the list of all guesses. */
const remember = (number, question, place, steps) =>
  keep(number, {
    question: question.text,
    guess: question.names[place],
    right: question.right,
    hit: question.isHit(place),
    place,
    share: question.choosing ? null : place / steps,
  });

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model, { menu: false });
    const { root, body, constants } = base;
    const at = getter(model);
    const question = questionOf(model, constants);
    const counters = countersOf(model, question.bins);
    const commit = h("button", { type: "button", className: "commit" });
    const count = counting(base, model);
    const answer = answerOf(model, question);

    const update = () => {
      const now = { guess: at("guess"), counting: at("class_mode"), open: at("guess") >= 0 };
      asked.update(now);
      answer.update(now);
      choices.disabled = now.open && !now.counting;
      body.classList.toggle("counting", now.counting);
      body.classList.toggle("open", now.open);
      commit.disabled = !now.counting && asked.chosen() < 0;
      commit.textContent = now.counting ? "Show the answer" : "That is my guess";
      count.setAttribute("aria-pressed", now.counting);
      Object.assign(root.dataset, { guess: now.guess, class_mode: now.counting });
    };
    const asked = question.choosing
      ? choicesOf(model, question, counters, update)
      : scaleOf(model, question, constants, counters, update);
    const legend = h("legend", { className: "question" }, unbroken(question.text));
    const choices = h("fieldset", {}, legend, asked.node);
    const buttons = h("p", { className: "buttons" }, commit, count);
    body.className = "body prediction";
    body.append(choices, h("div", { className: "below" }, answer.room, buttons, answer.line));

    commit.addEventListener("click", () => {
      const guess = Math.max(0, asked.chosen());
      if (!at("class_mode")) remember(at("number"), question, guess, constants.steps);
      put(model, { guess });
      answer.text.focus(); // and not the button: a second Enter would erase the guess
    });
    answer.again.addEventListener("click", () => {
      if (!at("class_mode")) erase([at("number")]);
      put(model, { guess: -1, hands: question.bins.map(() => 0) });
      for (const counter of counters) counter.value = 0;
      if (at("class_mode")) counters[0].focus();
      else asked.focus();
    });
    const recall = () => {
      if (!at("class_mode")) put(model, { guess: placeOf(model, question) });
    };
    document.addEventListener(CHANGED, recall, { signal: base.ended });
    model.on("change:class_mode", () =>
      put(model, { guess: at("class_mode") ? -1 : placeOf(model, question) }),
    );
    model.on("change:guess", () => {
      if (at("guess") < 0) asked.clear(); // erased, perhaps from elsewhere
    });
    listen(model, ["guess", "class_mode", "hands"], update);
    recall();
    update();
    return () => base.dispose();
  },
};

export default figure;
