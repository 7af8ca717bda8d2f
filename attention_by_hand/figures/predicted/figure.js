// What the reader has predicted in a chapter or in all, beside the answers, and a button that erases
// it.
// Where that is nothing, nothing is shown.

import { answered, CHANGED, erase, kept } from "../kit/shared/guesses.js";
import { h } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   chapter: string,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model, { menu: false });
    const { root, body } = base;
    const all = model.get("chapter") === "";
    const which = all ? "my predictions" : "my predictions of this chapter";
    const list = h("ol", { className: "predicted" });
    const erased = h(
      "p",
      { className: "note", tabIndex: -1, hidden: true },
      `${which.replace("my", "Your")} are erased.`,
    );
    const button = h("button", { type: "button" }, `Erase ${which}`);
    body.append(
      h("p", { className: "title" }, "What you predicted, and what is so"),
      list,
      erased,
      button,
    );

    const update = () => {
      const numbers = answered(model.get("chapter"));
      list.replaceChildren(
        ...numbers.map((number) => {
          const { question, guess, right, hit } = kept(number);
          const verdict = hit ? "you were right" : `your guess: ${guess}`;
          const from = all ? `Chapter ${number.split(".")[0]}. ` : "";
          return h("li", {}, from, question, " ", h("strong", {}, `${right}`), `; ${verdict}.`);
        }),
      );
      button.hidden = numbers.length === 0;
      if (numbers.length > 0) erased.hidden = true;
      el.hidden = numbers.length === 0 && erased.hidden;
      root.dataset.answered = numbers.length;
    };
    button.addEventListener("click", () => {
      erased.hidden = false; // until the reader leaves: what is pressed is answered
      erase(answered(model.get("chapter")));
      erased.focus();
    });
    document.addEventListener(CHANGED, update, { signal: base.ended });
    update();
    return () => base.dispose();
  },
};

export default figure;
