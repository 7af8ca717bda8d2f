// Which English word asks: one sentence that says it, and the words to choose from.

import { h, token } from "../kit/parts/dom.js";
import { rove } from "../kit/parts/rove.js";

const COUNTS = ["No", "One head looks", "Two heads look", "Three heads look", "Four heads look"];

export const queryOf = (data) => {
  const sentence = h("p", { className: "said" });
  const words = data.read.map((word, row) => {
    const name = row ? {} : { "aria-label": "the beginning" };
    const button = h("button", { type: "button", role: "radio", ...name }, token(word));
    button.addEventListener("click", () => data.ask(row));
    return button;
  });
  const list = h(
    "div",
    { className: "ui asks", role: "radiogroup", "aria-label": "the word that asks" },
    ...words,
  );
  const stop = rove([words], (_, row) => data.ask(row));
  const update = () => {
    const row = data.row();
    const word = (text) => h("b", {}, token(text));
    const next = word(data.tokens[row]);
    const begin = row
      ? ["It has written ", word(data.read[row]), " and is about to write ", next]
      : ["It is about to write its first word, ", next];
    const looks = `${COUNTS[data.H]}${data.H > 1 ? ", each in its own way" : ""}.`;
    sentence.replaceChildren(...begin, `. ${looks}`);
    words.forEach((button, i) => button.setAttribute("aria-checked", i === row));
    stop(0, row);
  };
  const hint = h("p", { className: "ui hint" }, "Click a head to cut it.");
  return { node: h("div", { className: "asking" }, sentence, list, hint), update };
};
