// The sentences, word by word: a word is picked where it stands.

import { h, token } from "../kit/parts/dom.js";
import { rove } from "../kit/parts/rove.js";

export const sentencesOf = ({ words, gloss, sentences }, pick) => {
  const grid = sentences.map((ids, sentence) =>
    ids.map((id, position) => {
      const label = [
        token(words[id]),
        h("span", { className: "plain" }, gloss[id]),
        h("b", {}, `id ${id}`),
      ];
      const button = h("button", { type: "button", role: "radio" }, ...label);
      button.addEventListener("click", () => pick({ sentence, position }));
      return button;
    }),
  );
  const lines = grid.map((line) => h("div", { className: "sentence" }, ...line));
  const node = h("div", { role: "radiogroup", "aria-label": "the words of the sentences" });
  node.append(...lines);
  const stop = rove(grid, (sentence, position) => pick({ sentence, position }));
  const update = (sentence, position) => {
    grid.forEach((line, i) =>
      line.forEach((button, j) =>
        button.setAttribute("aria-checked", i === sentence && j === position),
      ),
    );
    stop(sentence, position);
  };
  return { node, update };
};
