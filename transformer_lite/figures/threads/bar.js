// What stands under the picture: write it again, another way of looking, another sentence.

import { h } from "../kit/dom.js";
import { dotsOf } from "../kit/dots.js";

const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"];

export const barOf = (view, { write, head, sentence }) => {
  const play = h("button", { type: "button", className: "play" });
  play.addEventListener("click", write);
  const ways = Array.from({ length: view.heads }, (_, n) => `way of looking ${n + 1}`);
  const looks = dotsOf(
    "looks",
    `its ${NUMBERS[ways.length] ?? ways.length} ways of looking`,
    ways,
    head,
  );
  const texts = view.sources.map((source) => source.join(" "));
  const others = dotsOf("others", "other sentences", texts, sentence);
  return {
    node: h("div", { className: "ui bar" }, play, looks.node, others.node),
    show(busy) {
      play.textContent = busy ? "❚❚" : "▶";
      play.setAttribute("aria-label", busy ? "show the whole" : "watch it write");
      looks.show(view.head);
      others.show(view.sentence);
    },
  };
};
