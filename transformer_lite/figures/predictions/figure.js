// All that the reader has predicted in a chapter, beside the answers, and a button that erases it.

import { answered, CHANGED, erase, kept } from "../kit/guesses.js";
import { h } from "../kit/dom.js";
import { frame } from "../kit/frame.js";

const figure = {
  render({ model, el }) {
    const base = frame(el, model, { menu: false });
    const { root, body, say } = base;
    const list = h("ol", { className: "predicted" });
    const none = h(
      "p",
      { className: "note", tabIndex: -1 },
      "You have not predicted anything in this chapter yet.",
    );
    const button = h("button", { type: "button" }, "Erase my predictions of this chapter");
    body.append(
      h("p", { className: "title" }, "What you predicted, and what is so"),
      list,
      none,
      button,
    );

    const update = () => {
      const numbers = answered(model.get("chapter"));
      list.replaceChildren(
        ...numbers.map((number) => {
          const { question, guess, right, hit } = kept(number);
          const verdict = hit ? "you were right" : `your guess: ${guess}`;
          return h("li", {}, question, " ", h("strong", {}, `${right}`), `; ${verdict}.`);
        }),
      );
      none.hidden = numbers.length > 0;
      button.hidden = numbers.length === 0;
      root.dataset.answered = numbers.length;
    };
    button.addEventListener("click", () => {
      erase(answered(model.get("chapter")));
      none.focus();
      say("erased");
    });
    document.addEventListener(CHANGED, update, { signal: base.ended });
    update();
    return () => base.dispose();
  },
};

export default figure;
